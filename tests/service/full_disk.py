"""A disk that is full from the nth write on: every write below a folder goes through here, and may be refused.

Counted is what the kernel would be asked for: bytes written, files and folders made, names changed, content brought to the
disk. Of the write that no longer fits, half its bytes are taken, as a real disk does. Libraries that write past Python (films,
databases) are not counted; `test_review_full_disk.py` has a file system of its own for those.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa


def _no_room(path: object) -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


class _File(io.FileIO):
    """A file of a disk that may be full."""

    disk: FullDisk

    def write(self, data: Any) -> int:
        if self.disk.takes():
            return super().write(data)
        whole = memoryview(data).nbytes
        if whole < 2 or self.disk.over > 1:
            raise _no_room(self.name)
        return super().write(memoryview(data).cast("B")[: whole // 2])


class FullDisk:
    """The disk below a folder, from the moment it is put in place.

    Args:
        root: the folder.
        room: so many writes fit; None: all.
    """

    def __init__(self, root: Path, room: int | None = None) -> None:
        self.root, self.room = root.resolve(), room
        self.writes = 0

    @property
    def over(self) -> int:
        """How many writes were refused."""
        return 0 if self.room is None else max(0, self.writes - self.room)

    def takes(self) -> bool:
        """Counts a write; whether it fits."""
        self.writes += 1
        return self.room is None or self.writes <= self.room

    def has(self, path: object) -> bool:
        """Whether a path, or an open file by its number, is on this disk."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        return Path(os.fsdecode(cast("Any", path))).absolute().is_relative_to(self.root)

    def opened(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`open`, whose files are of this disk."""

        def call(
            file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None, newline: Any = None,
            closefd: bool = True, opener: Any = None,
        ) -> Any:  # fmt: skip
            if not set(mode) & set("wax+") or not self.has(file):
                return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
            if not isinstance(file, int) and not os.path.exists(file) and not self.takes():
                raise _no_room(file)
            raw = _File(file, mode.replace("b", "").replace("t", ""), closefd, opener)
            raw.disk = self
            if buffering == 0:
                return raw
            buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding or "utf-8", errors, newline)

        return call

    def asked(self, real: Callable[..., Any], is_there: Callable[..., bool] = lambda *_: False) -> Callable[..., Any]:
        """A call of the system that needs room, for whatever is on this disk and not there already."""

        def call(path: Any, *given: Any, **named: Any) -> Any:
            if self.has(path) and not is_there(path) and not self.takes():
                raise _no_room(path)
            return real(path, *given, **named)

        return call


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, root: Path, room: int | None = None) -> Iterator[FullDisk]:
    """Lets so many writes below `root` succeed, and refuses all others until the block ends."""
    disk = FullDisk(root, room)
    with monkeypatch.context() as patch:
        opened = disk.opened(io.open)
        patch.setattr(io, "open", opened)
        patch.setattr(builtins, "open", opened)
        patch.setattr(os, "mkdir", disk.asked(os.mkdir, os.path.exists))
        for name in ("replace", "rename", "fsync"):
            patch.setattr(os, name, disk.asked(getattr(os, name)))
        yield disk


class FullDatabase:
    """A SQLite database that grows by so many pages and no more; SQLite's own limit, with its own error."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine, self.most = engine, 0
        sa.event.listen(engine, "connect", self._connected)

    def limit(self, more: int | None) -> None:
        """Lets it grow by so many pages from now on; None: as it likes."""
        with self.engine.connect() as connection:
            pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
        self.most = 0 if more is None else pages + more
        self.engine.dispose()

    def _connected(self, connection: Any, _record: Any) -> None:
        if self.most:
            connection.execute(f"PRAGMA max_page_count={self.most}")
