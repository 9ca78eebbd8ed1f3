"""The folder a review works in until it is done: files that only grow, and the checkpoint up to which they count."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from service.evidence.disk import sync_file, sync_folder
from service.folders import FULL, put_in_place
from service.reviews.errors import DiskFullError, ReviewError
from service.store import Picture

EVENTS, FINDINGS, ROUNDS = "events.jsonl", "findings.jsonl", "rounds.jsonl"
GROWING = (EVENTS, FINDINGS, ROUNDS)
EVIDENCE, CAPTIONS = "evidence", "captions.json"
CHECKPOINT, BASIS, RESULTS, LOCK = "checkpoint.bin", "basis.json", "results", "lock"


@contextmanager
def room_on(path: Path) -> Iterator[None]:
    """Turns a full disk into an error that says so.

    Raises:
        DiskFullError: there is no room left.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise no_room(path, error.strerror or str(error)) from error


def no_room(where: object, said: str) -> DiskFullError:
    """The error of a review that runs out of disk, in whichever of its parts."""
    do = "Free some space and start the review again: it goes on where it stopped"
    return DiskFullError(f"the disk is full ({said})", where=where, do=do)


class WorkFolder:
    """Files of a review that is not done yet.

    What was written after the last checkpoint is dropped when the review goes on: it is found again. One review works in it at a time: of two
    each would write its own findings among the other's.

    Args:
        path: the folder, made if it is not there.
        basis: what the review rests on (recording, table, networks, versions). Work on another basis is thrown away.

    Raises:
        ReviewError: another review works in it.
        DiskFullError: there is no room left.
    """

    def __init__(self, path: Path, basis: Mapping[str, Any]) -> None:
        self.path, self.results = path, path / RESULTS
        self._files: dict[str, Any] = {}
        with room_on(path):
            self._lock: int | None = _locked(path)
        try:
            self._prepare(basis)
        except BaseException:
            self.close()
            raise

    def _prepare(self, basis: Mapping[str, Any]) -> None:
        known = _same(self.path / BASIS, basis)
        if not known:
            _emptied(self.path)
        with room_on(self.path):
            (self.results / EVIDENCE).mkdir(parents=True, exist_ok=True)
            if not known:  # never written over: torn, it would throw away the work it stands for
                (self.path / BASIS).write_text(json.dumps(dict(basis), sort_keys=True), encoding="utf-8")

    @property
    def checkpoint(self) -> Path:
        """Where the checkpoint stands."""
        return self.path / CHECKPOINT

    def begin(self, sizes: Mapping[str, int], evidence: Sequence[str]) -> None:
        """Brings the files back to what a checkpoint counted, or to nothing; then they can be added to."""
        self._close_files()
        kept = set(evidence)
        for folder in (self.results / EVIDENCE).iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder)
        for name in GROWING:
            with room_on(self.results / name):
                file = (self.results / name).open("ab")
                self._files[name] = file
                file.truncate(sizes.get(name, 0))
                file.seek(0, os.SEEK_END)

    def add(self, name: str, lines: Iterable[str]) -> None:
        """Adds lines to one of the files."""
        text = "".join(f"{line}\n" for line in lines)
        if text:
            with room_on(self.results / name):
                self._files[name].write(text.encode())

    def sizes(self) -> dict[str, int]:
        """Bytes of every file, all of them safely on the disk."""
        out = {}
        for name, file in self._files.items():
            with room_on(self.results / name):
                file.flush()
                os.fsync(file.fileno())
            out[name] = file.tell()
        return out

    def mark(self, state: bytes) -> None:
        """Writes the checkpoint; the one before counts until this one is whole."""
        part = self.path / f"{CHECKPOINT}.part"
        try:
            with room_on(self.checkpoint):
                with part.open("wb") as file:
                    file.write(state)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, self.checkpoint)
        finally:
            part.unlink(missing_ok=True)

    def save_pictures(self, finding_id: str, pictures: Sequence[Picture]) -> None:
        """Writes the pictures of a breach."""
        folder = self.results / EVIDENCE / finding_id
        with room_on(folder):
            folder.mkdir(parents=True)
            for picture in pictures:
                (folder / picture.name).write_bytes(picture.content)
            captions = {picture.name: picture.caption for picture in pictures}
            (folder / CAPTIONS).write_text(json.dumps(captions, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def close(self) -> None:
        """Lets go of the files, and of the folder for another review; what cannot be written any more is dropped, it is found again."""
        self._close_files()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _close_files(self) -> None:
        for file in self._files.values():
            try:
                file.close()
            except OSError as error:
                if error.errno not in FULL:
                    raise
        self._files = {}

    def finish(self, out: Path) -> None:
        """Makes the results `out`, all of them safely on the disk; only then is the rest of the folder thrown away.

        Raises:
            DiskFullError: there is no room left; the checkpoint counts still.
        """
        self._close_files()
        with room_on(out):
            for path in self.results.iterdir():
                if path.is_file():
                    sync_file(path)
            sync_folder(self.results)
            put_in_place(self.results, out)
        shutil.rmtree(self.path, ignore_errors=True)


def _locked(path: Path) -> int:
    """The descriptor of a folder's lock, held until it is closed; a process that ends lets go of it. The folder is made if it is not there.

    Raises:
        ReviewError: another review holds it.
        OSError: it cannot be made.
    """
    while True:
        path.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:  # a review that is done has just thrown it away
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), os.stat(path / LOCK)):
                return lock
        except BlockingIOError:
            os.close(lock)
            do = "Wait until it is done, or give another folder for the results"
            raise ReviewError("another review is writing its results there", where=path, do=do) from None
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP):  # a file system that locks nothing
                return lock
            os.close(lock)
            raise
        os.close(lock)


def _emptied(path: Path) -> None:
    """Throws away what is in a folder but its lock."""
    for part in path.iterdir():
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part, ignore_errors=True)
        elif part.name != LOCK:
            part.unlink(missing_ok=True)


def load_pictures(folder: Path) -> list[Picture]:
    """The pictures of a breach, as a review left them."""
    captions = json.loads((folder / CAPTIONS).read_text(encoding="utf-8"))
    return [Picture(name, (folder / name).read_bytes(), caption=caption) for name, caption in captions.items()]


def json_lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, one at a time."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def picture_sha256(image: Any) -> str:
    """Names a picture by its content."""
    return hashlib.sha256(image.tobytes()).hexdigest()


def _same(path: Path, basis: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(dict(basis))))
    except (OSError, ValueError):
        return False
