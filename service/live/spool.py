"""Records kept on disk until they are in the database: appended, synced, and gone once they are stored.

Everything a live table records goes through its spool first, whether or not the database answers, so that what was said
once survives the end of the process (`kill -9`) and any absence of the database. After a crash what is still in the file
is recorded again; recording is made so that this changes nothing (`service.store.recording`).

A record is its length and checksum (CRC-32), 4 bytes each, big-endian, then its bytes. A record cut off by a crash is the
last one; it was never acknowledged, and is cut away. Bytes that are no whole record anywhere else were acknowledged once and
damaged since: they are put aside beside the file (`.damaged`), and the whole records after them are kept.
"""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import re
import struct
import threading
import zlib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from service.errors import ServiceError

logger = logging.getLogger(__name__)

HEAD = struct.Struct(">II")
LONGEST = 1 << 30


class Stretch(NamedTuple):
    """Bytes of a spool from `start` to before `end`: one whole record, or what is none."""

    start: int
    end: int
    is_whole: bool


class Spool:
    """One file of records, first in, first out. Safe to append to while another thread takes out.

    Args:
        path: the file; made if it is not there, together with its folder.

    Attributes:
        damaged: how many stretches of it were found damaged and put aside when it was opened.

    Raises:
        ServiceError: it cannot be opened, or what is damaged in it cannot be put aside.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _opened(path)
        except BlockingIOError as error:
            raise ServiceError(
                "another process watches this table already", where=path, do="Stop it, or give this one another table"
            ) from error
        except OSError as error:
            raise ServiceError(
                f"the spool cannot be opened ({error.strerror})", where=path, do="Give a folder that can be written"
            ) from error
        self._start, self._end, self._count, self.damaged = 0, 0, 0, 0
        size = os.fstat(self._file.fileno()).st_size
        if size:
            with mmap.mmap(self._file.fileno(), size, access=mmap.ACCESS_READ) as content:
                self._take_up(content, list(_stretches(content)))

    def append(self, record: bytes) -> None:
        """Keeps a record; it is on the disk when this returns.

        Raises:
            OSError: the disk is full or gone; the file is as it was before.
        """
        whole = HEAD.pack(len(record), zlib.crc32(record)) + record
        with self._lock:
            try:
                written = os.pwrite(self._file.fileno(), whole, self._end)
                if written != len(whole):
                    raise OSError(28, "the record did not fit")
                os.fdatasync(self._file.fileno())
            except OSError:
                self._file.truncate(self._end)
                raise
            self._end += len(whole)
            self._count += 1

    def first(self) -> bytes | None:
        """The oldest record that is not taken out, None if there is none."""
        with self._lock:
            if self._start == self._end:
                return None
            size, _ = HEAD.unpack(os.pread(self._file.fileno(), HEAD.size, self._start))
            return os.pread(self._file.fileno(), size, self._start + HEAD.size)

    def drop_first(self) -> None:
        """Takes the oldest record out; the file shrinks once it is empty."""
        with self._lock:
            size, _ = HEAD.unpack(os.pread(self._file.fileno(), HEAD.size, self._start))
            self._start += HEAD.size + size
            self._count -= 1
            if self._start == self._end:
                self._file.truncate(0)
                self._start = self._end = 0

    def __len__(self) -> int:
        """How many records wait."""
        return self._count

    def close(self) -> None:
        """Lets go of the file; what is in it stays."""
        self._file.close()

    def _take_up(self, content: mmap.mmap, found: list[Stretch]) -> None:
        """Keeps the whole records of a file, and puts aside what is damaged."""
        whole = [one for one in found if one.is_whole]
        self._count, self._end = len(whole), sum(one.end - one.start for one in whole)
        damaged = [one for one in found if not one.is_whole]
        if damaged and _is_cut_off(content, damaged[-1]):
            logger.warning("%s: a record that a crash cut off was never acknowledged; it is cut away", self.path)
            damaged.pop()
        self.damaged = len(damaged)
        if not damaged:
            self._file.truncate(self._end)
            return
        aside = self.path.with_suffix(".damaged")
        try:
            with aside.open("ab") as file:
                file.writelines(content[one.start : one.end] for one in damaged)
                file.flush()
                os.fsync(file.fileno())
            self._rewrite(content, whole)
        except OSError as error:
            self._file.close()
            raise ServiceError(
                f"the spool is damaged, and what is damaged cannot be put aside ({error.strerror})", where=self.path, do="Make room on that disk"
            ) from error  # fmt: skip
        lost = sum(one.end - one.start for one in damaged)
        logger.error(
            "%s: %d bytes that were acknowledged cannot be read as records any more; they are kept in %s, %d whole records go on",
            self.path, lost, aside, len(whole),
        )  # fmt: skip

    def _rewrite(self, content: mmap.mmap, whole: list[Stretch]) -> None:
        """Puts a file of the whole records alone in the place of this one, which is locked like it."""
        part = self.path.with_suffix(".part")
        part.unlink(missing_ok=True)
        file = _opened(part)
        for one in whole:
            if file.write(content[one.start : one.end]) != one.end - one.start:
                raise OSError(28, "the records did not fit")
        os.fsync(file.fileno())
        os.replace(part, self.path)
        folder = os.open(self.path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        self._file.close()
        self._file = file


def _opened(path: Path) -> FileIO:
    """A file, locked for this process alone.

    Raises:
        BlockingIOError: another process has it.
    """
    file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def _stretches(content: mmap.mmap) -> Iterator[Stretch]:
    """A spool cut into its records and what lies between them."""
    at = 0
    while at < len(content):
        whole_to = _record_end(content, at)
        end = whole_to if whole_to is not None else _next_record(content, at + 1)
        yield Stretch(at, end, whole_to is not None)
        at = end


def _record_end(content: mmap.mmap, at: int) -> int | None:
    """Where the record that begins at a place ends, None if no whole one begins there."""
    if at + HEAD.size > len(content):
        return None
    length, crc = HEAD.unpack_from(content, at)
    end = at + HEAD.size + length
    if length > LONGEST or end > len(content) or zlib.crc32(content[at + HEAD.size : end]) != crc:
        return None
    return int(end)


def _next_record(content: mmap.mmap, after: int) -> int:
    """Where the next whole record begins, the end of the file if there is none; an empty one is no proof of any."""
    most = min(LONGEST, len(content)) >> 24
    for found in re.compile(b"[\\x00-\\x%02x]" % most).finditer(content, after):  # the first byte of a length that fits
        at = found.start()
        end = _record_end(content, at)
        if end is not None and end > at + HEAD.size:
            return at
    return len(content)


def _is_cut_off(content: mmap.mmap, last: Stretch) -> bool:
    """Whether bytes at the end are a record of which the end was never written."""
    if last.end < len(content):
        return False
    if last.end - last.start < HEAD.size:
        return True
    length, _ = HEAD.unpack_from(content, last.start)
    return bool(length <= LONGEST and last.start + HEAD.size + length > last.end)
