"""Where reviews are ordered: recordings dropped in or named in a folder, each with its table, into the queue."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from pathlib import Path

from anyio import to_thread

from service.access.addresses import found_below
from service.config import TableSetup, load_table
from service.errors import NotFoundError
from service.reviews.errors import DiskFullError, ReviewError
from service.reviews.queue import Ordered, ReviewQueue
from service.reviews.recorded import Recorded, recorded_of
from service.reviews.results import RUN_FILE
from service.reviews.work import room_on
from service.store import Store
from vision.frames.folder import PICTURE_SUFFIXES
from vision.frames.opening import open_source
from vision.frames.source import SourceError

VIDEO_SUFFIXES = frozenset(
    {".mp4", ".mkv", ".mov", ".avi", ".m4v", ".ts", ".mts", ".webm", ".mpg", ".mpeg", ".flv", ".wmv"}
)
TABLE_FILE = "table.yaml"
"""The table's file beside recordings of a folder, and in a review's own folder."""
RESULT, UPLOAD = "result", "video"
MOST_FILES = 1000
WRITTEN_BYTES = 1 << 20
"""An upload is written in pieces of this size."""


@dataclass(frozen=True, slots=True)
class OfficeSettings:
    """What may be reviewed, and where.

    Attributes:
        folder: for uploads, results and work under way.
        roots: recordings may be named only below these.
        tables: files of tables by table id.
        upload_bytes: largest recording that may be dropped in.
        spare_bytes: disk that stays free whatever is dropped in.
        zone: the house's, on whose clock times without an offset are; None where it named none.
    """

    folder: Path
    roots: tuple[Path, ...] = ()
    tables: Mapping[str, Path] = field(default_factory=dict)
    upload_bytes: int = 64 << 30
    spare_bytes: int = 1 << 30
    zone: tzinfo | None = None


class Office:
    """Takes orders for reviews and knows where their files are.

    Args:
        store: the service's.
        settings: what may be reviewed.
    """

    def __init__(self, store: Store, settings: OfficeSettings) -> None:
        self.store, self.settings = store, settings
        self.queue = ReviewQueue(store)
        settings.folder.mkdir(parents=True, exist_ok=True)

    def learn(self, tables: Mapping[str, Path]) -> None:
        """Lets recordings be reviewed for more tables."""
        self.settings = replace(self.settings, tables={**self.settings.tables, **tables})

    def table_file(self, table_id: str) -> Path:
        """The file of a table known to the office.

        Raises:
            NotFoundError: there is none of this id.
        """
        if table_id not in self.settings.tables:
            known = ", ".join(sorted(self.settings.tables)) or "none"
            raise NotFoundError(f"there is no table {table_id!r}", do=f"Tables known here: {known}")
        return self.settings.tables[table_id]

    async def receive(
        self, name: str, blocks: AsyncIterator[bytes], *, table_id: str, by: str, now: datetime, recorded: str = ""
    ) -> Ordered:
        """Takes a recording as it is uploaded, straight to the disk, and orders its review.

        Args:
            name: the file's name at the one who sends it; only its last part and its ending are used.
            blocks: its bytes.
            table_id: the table it shows.
            by: who ordered it.
            now: the time.
            recorded: when the recording began, as people write it; "" where they do not say.

        Raises:
            ReviewError: too large, broken off, or no video; nothing is left of it.
            DiskFullError: there is no room for it.
        """
        setup = await to_thread.run_sync(load_table, self.table_file(table_id))
        shown = shown_name(name)
        folder, ordered = self._new_folder(), list[Ordered]()

        def order() -> None:
            verify_video(video, shown)
            when = recorded_of(video, shown, given=recorded, zone=self.settings.zone, now=now)
            ordered.append(self._order(shown, video, folder, setup, when, by=by, now=now))

        try:
            video = folder / f"{UPLOAD}{Path(shown).suffix.lower()}"
            await self._write(video, shown, blocks)
            await to_thread.run_sync(order)
        except BaseException:
            if not ordered:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        return ordered[0]

    def order(
        self, path: str, *, table_id: str | None, by: str, now: datetime, may: Callable[[str], None] = lambda _: None,
        recorded: str = "",
    ) -> list[Ordered]:  # fmt: skip
        """Orders the review of a recording, or of every recording in a folder, below the roots.

        Args:
            path: file or folder, absolute or below one of the roots.
            table_id: the table; None takes `table.yaml` beside the recording.
            by: who ordered it.
            now: the time.
            may: raises where reviews of a table may not be ordered by the one who asks.
            recorded: when the recording began, as people write it; "" where they do not say.

        Raises:
            ReviewError: outside the roots, nothing there, no video, or no table's file beside it; nothing is ordered.
        """
        found = self.inside(path)
        videos = [found] if found.is_file() else list(videos_of(found))
        if not videos:
            raise ReviewError("there is no video in this folder", where=found, do=f"Endings of videos are {', '.join(sorted(VIDEO_SUFFIXES))}")  # fmt: skip
        setups = [load_table(self.table_file(table_id) if table_id else self._table_beside(video)) for video in videos]
        for setup in setups:
            may(setup.table.table_id)
        for video in videos:
            verify_video(video, video.name)
        if recorded and len(videos) > 1:
            raise ReviewError(f"{len(videos)} recordings did not all begin at one time", where=path, do="Name them one by one, or put a file beside each (docs/guides/investigator.md)")  # fmt: skip
        whens = [recorded_of(video, video.name, given=recorded, zone=self.settings.zone, now=now) for video in videos]
        return [
            self._order(video.name, video, self._new_folder(), setup, when, by=by, now=now)
            for video, setup, when in zip(videos, setups, whens, strict=True)
        ]

    def inside(self, path: str) -> Path:
        """The path with all links resolved, if it lies below one of the roots.

        Raises:
            ReviewError: it does not, or there is nothing.
        """
        found = found_below(Path(path), self.settings.roots)
        if found is None:
            named = ", ".join(map(str, self.settings.roots)) or "none is set"
            raise ReviewError("there is no such recording in the folders of recordings", where=path, do=f"Folders (--recordings): {named}")  # fmt: skip
        return found

    def result(self, review: Ordered) -> Path:
        """The folder of results of a finished review.

        Raises:
            NotFoundError: it is not done.
        """
        folder = Path(review.folder)
        if not (folder / RUN_FILE).is_file():  # else one that was made by `pitwatch review`
            folder = folder / RESULT
        if not folder.is_dir():
            raise NotFoundError(f"review {review.review_id} has no results", do=f"It is {review.state}; results come when it is done")  # fmt: skip
        return folder

    def _table_beside(self, video: Path) -> Path:
        beside = (video if video.is_dir() else video.parent) / TABLE_FILE
        if not beside.is_file():
            raise ReviewError(f"there is no {TABLE_FILE} beside it", where=video, do=f"Choose its table, or put its file there as {TABLE_FILE}")  # fmt: skip
        return beside

    def _new_folder(self) -> Path:
        with room_on(self.settings.folder):
            return Path(tempfile.mkdtemp(prefix="review-", dir=self.settings.folder))

    async def _write(self, video: Path, name: str, blocks: AsyncIterator[bytes]) -> None:
        """Writes in threads: a slow disk must not hold up everything else that is answered."""
        limit, size, kept = self.settings.upload_bytes, 0, bytearray()

        def write(last: bool = False) -> None:
            if shutil.disk_usage(video.parent).free < self.settings.spare_bytes:
                raise DiskFullError("there is no room for it", where=name, do="Free some space and drop it again")
            file.write(kept)
            kept.clear()
            if last:
                file.flush()
                os.fsync(file.fileno())

        with room_on(video), video.open("wb") as file:
            async for block in blocks:
                size += len(block)
                if size > limit:
                    raise ReviewError(f"it is larger than {limit >> 20:,} MiB", where=name, do="Put it into a folder of recordings instead, or raise limits.upload_bytes in the settings")  # fmt: skip
                kept += block
                if len(kept) >= WRITTEN_BYTES:
                    await to_thread.run_sync(write)
            await to_thread.run_sync(write, True)

    def _order(
        self, name: str, video: Path, folder: Path, setup: TableSetup, when: Recorded, *, by: str, now: datetime
    ) -> Ordered:
        """Keeps the table's files with the review, so that it is judged by what they said when it was ordered."""
        with room_on(folder):
            shutil.copyfile(setup.path, folder / TABLE_FILE)
            if setup.table.external_events is not None:
                named = Path(setup.table.external_events)
                if named.is_absolute() or ".." in named.parts:
                    raise ReviewError("external_events must lie beside the table's file", where=setup.path, do="Name it without folders above")  # fmt: skip
                (folder / named).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(setup.path.parent / named, folder / named)
        return self.queue.add(
            name=name, video=str(video), folder=str(folder), table_id=setup.table.table_id, game=setup.table.game, by=by, now=now,
            recorded_at="" if when.at is None else when.at.isoformat(), recorded_by=when.by,
        )  # fmt: skip


def shown_name(name: str) -> str:
    """A file's name as people see it: no folders, no control characters, not endless, with the ending of a video.

    Raises:
        ReviewError: it does not end like a video.
    """
    last = re.sub(r"[\x00-\x1f\x7f]", "", name.replace("\\", "/").rsplit("/", 1)[-1]).strip()
    stem, suffix = os.path.splitext(last)
    if suffix.lower() not in VIDEO_SUFFIXES:
        raise ReviewError(f"{last!r} does not end like a video", do=f"Endings of videos are {', '.join(sorted(VIDEO_SUFFIXES))}")  # fmt: skip
    return stem[:120] + suffix


def videos_of(folder: Path) -> Iterator[Path]:
    """The videos of a folder in the order of their names; a folder of pictures is one."""
    names = sorted(folder.iterdir())
    videos = [path for path in names if path.is_file() and path.suffix.lower() in VIDEO_SUFFIXES]
    if not videos and any(path.suffix.lower() in PICTURE_SUFFIXES for path in names):
        videos = [folder]
    if len(videos) > MOST_FILES:
        raise ReviewError(
            f"{len(videos)} videos are in this folder, more than {MOST_FILES}", where=folder, do="Name its parts"
        )
    yield from videos


def verify_video(path: Path, name: str) -> None:
    """Checks that a recording has a picture, by decoding its first.

    Raises:
        ReviewError: it has none.
    """
    try:
        with open_source(path) as source:
            if source.info.live or next(iter(source), None) is None:
                raise ReviewError("no picture can be read from it", where=name, do="Give a recording")
    except SourceError as error:
        said = str(error).replace(str(path), "").lstrip(": ")
        raise ReviewError(f"this is no video that can be read: {said}", where=name) from error


def known_tables(files: Iterable[Path]) -> dict[str, Path]:
    """Files of tables by their table id.

    Raises:
        ReviewError: an id is there twice.
    """
    out: dict[str, Path] = {}
    for path in files:
        table_id = load_table(path).table.table_id
        if table_id in out and out[table_id].resolve() != path.resolve():
            raise ReviewError(f"table_id {table_id} is there twice", where=path, do="Give every table its own")
        out[table_id] = path
    return out
