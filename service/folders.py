"""Results that are either whole or not there."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.errors import ServiceError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a disk, a quota or a limit says when there is no more room."""


def told(error: OSError) -> str:
    """What a file or disk said that could not be read or written, in one line with what to do.

    >>> told(PermissionError(13, "Permission denied", "var/a.db"))
    'var/a.db: cannot be read or written (Permission denied). Look after this file and who may use it, or give another one'
    >>> told(OSError(28, "No space left on device"))
    'a file cannot be read or written (No space left on device). Make room on its disk and do it again'
    """
    where = f"{error.filename}:" if error.filename else "a file"
    do = "Look after this file and who may use it, or give another one"
    if error.errno in FULL:
        do = "Make room on its disk and do it again"
    return f"{where} cannot be read or written ({error.strerror or error}). {do}"


@contextmanager
def whole_folder(out: Path, *, mark: str) -> Iterator[Path]:
    """Gives a new folder to write into; it becomes `out` only if the block ends without an error.

    Args:
        out: where the result shall stand. An earlier result there is replaced, anything else is left alone.
        mark: name of the file by which an earlier result is known.

    Raises:
        ServiceError: `out` holds something that is no earlier result, or cannot be written.
    """
    verify_free(out, mark=mark)
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent))
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        yield part
        put_in_place(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def verify_free(out: Path, *, mark: str) -> None:
    """Makes the folder that `out` shall stand in, and checks that nothing but an earlier result is in its place.

    Raises:
        ServiceError: something else is there, or the folder cannot be made.
    """
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / mark).is_file())):
        raise ServiceError(
            "something else is already there", where=out, do="Give another folder, or empty this one first"
        )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(out, error) from error


def put_in_place(part: Path, out: Path) -> None:
    """Makes a finished folder `out`, in place of an earlier one."""
    part.chmod(0o755)
    if out.exists():
        old = part.with_suffix(".old")
        os.replace(out, old)
        os.replace(part, out)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.replace(part, out)


def _unwritable(out: Path, error: OSError) -> ServiceError:
    do = "Free some space and try again" if error.errno in FULL else "Give a folder that can be written"
    return ServiceError(f"cannot be written ({error.strerror})", where=out, do=do)
