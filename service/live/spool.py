"""Records kept on disk until they are in the database: appended, synced, and gone once they are stored.

Everything a live table records goes through its spool first, whether or not the database answers, so that what was said
once survives the end of the process (`kill -9`) and any absence of the database. After a crash what is still in the file
is recorded again; recording is made so that this changes nothing (`service.store.recording`).

A record is its length and checksum (CRC-32), 4 bytes each, big-endian, then its bytes. A record cut off by a crash is the
last one; it was never acknowledged, and is cut away.
"""

from __future__ import annotations

import fcntl
import logging
import os
import struct
import threading
import zlib
from pathlib import Path

from service.errors import ServiceError

logger = logging.getLogger(__name__)

HEAD = struct.Struct(">II")
LONGEST = 1 << 30


class Spool:
    """One file of records, first in, first out. Safe to append to while another thread takes out.

    Args:
        path: the file; made if it is not there, together with its folder.

    Raises:
        ServiceError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ServiceError(
                "another process watches this table already", where=path, do="Stop it, or give this one another table"
            ) from error
        except OSError as error:
            raise ServiceError(
                f"the spool cannot be opened ({error.strerror})", where=path, do="Give a folder that can be written"
            ) from error
        self._start = 0
        self._end, self._count = self._whole()
        if os.fstat(self._file.fileno()).st_size > self._end:
            logger.warning("%s: a record that a crash cut off was never acknowledged; it is cut away", path)
            self._file.truncate(self._end)

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

    def _whole(self) -> tuple[int, int]:
        """Where the last whole record ends, and how many there are."""
        at, count, size = 0, 0, os.fstat(self._file.fileno()).st_size
        while at + HEAD.size <= size:
            length, crc = HEAD.unpack(os.pread(self._file.fileno(), HEAD.size, at))
            if length > LONGEST or at + HEAD.size + length > size:
                break
            if zlib.crc32(os.pread(self._file.fileno(), length, at + HEAD.size)) != crc:
                break
            at, count = at + HEAD.size + length, count + 1
        return at, count
