"""Files that are whole or not there, also after a power cut, and what to say when the disk is full."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.evidence.errors import DiskFullError, EvidenceError
from service.folders import FULL

ADVICE = "Free room on that disk or give it more; nothing is ever deleted to make room"


@contextmanager
def told(where: Path) -> Iterator[None]:
    """Turns what the disk refuses into a message.

    Raises:
        DiskFullError: no room.
        EvidenceError: anything else the disk refuses.
    """
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise DiskFullError("disk full", where=where, do=ADVICE) from error
        raise EvidenceError(
            f"cannot be written ({error.strerror})", where=where, do="Give a folder that can be written"
        ) from error


def check_room(folder: Path, *, need_bytes: int, keep_free_bytes: int) -> None:
    """Refuses to write what would leave too little room.

    Raises:
        DiskFullError: too little is free.
    """
    free = shutil.disk_usage(folder).free
    if free < need_bytes + keep_free_bytes:
        raise DiskFullError(
            f"disk full ({free // 1_000_000:,} MB free, {(need_bytes + keep_free_bytes) // 1_000_000:,} MB wanted)",
            where=folder,
            do=ADVICE,
        )


def sync_file(path: Path) -> None:
    """Brings a file's content to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Brings a folder's names to the disk."""
    sync_file(path)


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file under another name, then gives it its own: it is whole or not there."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Adds a line at the end of a file, to the disk."""
    with path.open("ab") as file:
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())
