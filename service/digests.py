"""SHA-256 of files and texts, by which is known what something was made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO


def sha256_of_stream(file: IO[bytes]) -> str:
    """Of what is left to read in an open file of any size."""
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # an archive's member will do


def sha256_of_file(path: Path) -> str:
    """Of a file of any size.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return sha256_of_stream(file)


def sha256_of_files(paths: Iterable[Path]) -> dict[str, str]:
    """Of each file by its name; files that are not there are left out.

    Raises:
        OSError: one cannot be read.
    """
    return {path.name: sha256_of_file(path) for path in paths if path.is_file()}


def sha256_of_text(text: str) -> str:
    """Of a text, whatever ends its lines have in its file.

    >>> sha256_of_text("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode()).hexdigest()
