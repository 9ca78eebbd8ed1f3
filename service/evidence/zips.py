"""Archives with one form: the same files give the same bytes."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

THEN = (1980, 1, 1, 0, 0, 0)
"""The date of every entry: the first that an archive can hold."""
MODE = 0o100644


def write_zip(out: IO[bytes], top: str, files: Mapping[str, Callable[[str], IO[bytes]]]) -> None:
    """Writes files, stored as they are, in the order of their names.

    Args:
        out: to write to, seekable.
        top: the one folder they lie in.
        files: how each is opened, by its path.
    """
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(f"{top}/{name}", THEN)
            info.create_system, info.external_attr = 3, MODE << 16
            with files[name](name) as source, archive.open(info, "w", force_zip64=False) as entry:
                shutil.copyfileobj(source, entry, 1 << 20)


def zip_folder(folder: Path, out: IO[bytes], *, top: str | None = None) -> None:
    """Writes a folder's plain files as an archive, below its name or another."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    write_zip(out, top or folder.name, {name: lambda name: (folder / name).open("rb") for name in names})


def same_bytes(one: IO[bytes], other: IO[bytes]) -> int | None:
    """Where two files begin to differ, None if nowhere."""
    one.seek(0)
    other.seek(0)
    at = 0
    while True:
        a, b = one.read(1 << 20), other.read(1 << 20)
        if a != b:
            shorter = min(len(a), len(b))
            return at + next((i for i in range(shorter) if a[i] != b[i]), shorter)
        if not a:
            return None
        at += len(a)
