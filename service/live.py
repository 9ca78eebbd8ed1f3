"""A table watched while it is played: the same way from frames to findings as a review, at the source's own speed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from rules.events import event_to_dict
from rules.findings import Finding, Verdict, finding_to_dict
from service.access.masking import masked, masked_address
from service.config import TableSetup
from service.evidence.beside import Beside
from service.evidence.pictures import Recent, View, encode, moments_of, pictures_of, shrunk
from service.evidence.recorder import Origin
from service.evidence.room import EvidenceRoom
from service.feed import Feed
from service.reviews.results import plain
from service.sight import Sight, open_sight
from service.store import Store
from service.watching import Step, watch
from vision.seen import Seen
from vision.source import Frame, Image

logger = logging.getLogger(__name__)

RETRY_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""How long to wait before a failed source is opened again, longer each time until it works."""
PICTURE_EVERY_S = 0.15
"""How often the picture that people look at changes."""
LAST_EVENTS = 12
"""How many events people are shown."""
KEPT_EVENTS = 1000
"""How many events are at hand for the pictures of a finding: more than a round has."""


class TableState(StrEnum):
    """What a live table is doing."""

    STARTING = "starting"
    WATCHING = "watching"
    LOST = "lost"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class _Shown:
    """The picture that is shown of a table."""

    index: int
    t_s: float
    image: Image
    seen: Seen
    view: View


@dataclass(slots=True)
class LiveTable:
    """Watches one table in a thread of its own until stopped; a failure is shown, and the source opened again.

    Args:
        setup: the table.
        source: file, stream address, device number or folder of pictures. A recording is replayed as it was played.
        store: where events, rounds and alerts go.
        feed: woken for every new alert.
        evidence: has a bundle written for every new alert; None writes none.
        repeat: play a recording again when it ends; its incidents stay one alert each.
        opened: how the source is opened.
        now: the wall clock, for when an alert was raised.
    """

    setup: TableSetup
    source: str
    store: Store
    feed: Feed
    repeat: bool = False
    evidence: EvidenceRoom | None = None
    opened: Callable[[str, TableSetup], Sight] = open_sight
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    state: TableState = field(default=TableState.STARTING, init=False)
    detail: str = field(default="", init=False)
    t_s: float = field(default=0.0, init=False)
    rounds_seen: int = field(default=0, init=False)
    _beside: Beside | None = field(default=None, init=False)
    _latest: _Shown | None = field(default=None, init=False)
    _drawn: tuple[tuple[int, bool, int | None], bytes] | None = field(default=None, init=False)
    _numbered: dict[int, dict[str, Any]] = field(default_factory=dict, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    @property
    def table_id(self) -> str:
        """The table's short name."""
        return self.setup.table.table_id

    def start(self) -> None:
        """Begins to watch."""
        self._thread = threading.Thread(target=self._keep_watching, name=f"table {self.table_id}", daemon=True)
        self._thread.start()

    def stop(self, wait_s: float = 5.0) -> None:
        """Ends watching; returns when the thread has ended, or after `wait_s`."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(wait_s)

    def picture(self, *, marked: bool = True, width: int | None = None) -> tuple[bytes, int] | None:
        """The current picture as JPEG with its frame's index, what is seen drawn on it; None before the first.

        Args:
            marked: draw what is seen.
            width: pixels, if smaller than the frame's own.
        """
        latest = self._latest
        if latest is None:
            return None
        key = (latest.index, marked, width)
        drawn = self._drawn
        if drawn is None or drawn[0] != key:
            image = latest.view.marked(latest.image, latest.seen) if marked else latest.image
            drawn = (key, encode(shrunk(image, width), 80))
            self._drawn = drawn
        return drawn[1], latest.index

    def last_events(self) -> list[dict[str, Any]]:
        """The last things seen, oldest first, as JSON values; for people, not complete."""
        return [self._numbered[number] for number in list(self._numbered)[-LAST_EVENTS:]]

    def about(self) -> dict[str, Any]:
        """What the table is and does, as JSON values."""
        table = self.setup.table
        return {
            "table_id": table.table_id, "game": table.game, "source": masked_address(self.source), "state": self.state.value,
            "detail": self.detail, "t_s": round(self.t_s, 2), "rounds": self.rounds_seen,
        }  # fmt: skip

    def _keep_watching(self) -> None:
        run_id, failures = self._new_run(), 0
        while not self._stop.is_set():
            try:
                live = self._watch_once(run_id)
                failures = 0
                if not live and not self.repeat:
                    self.state, self.detail = TableState.STOPPED, "the recording has ended"
                    return
                if live:
                    raise RuntimeError("the source ended")
            except Exception as error:  # the outermost loop of the table
                wait_s = RETRY_S[min(failures, len(RETRY_S) - 1)]
                self.state, self.detail = TableState.LOST, f"{masked(str(error))} (trying again in {wait_s:.0f} s)"
                logger.exception("table %s lost its source, trying again in %s s", self.table_id, wait_s)
                failures, run_id = failures + 1, self._new_run()
                self._stop.wait(wait_s)
        self.state = TableState.STOPPED

    def _new_run(self) -> str:
        opened = self.now()
        run_id = f"live-{self.table_id}-{opened:%Y%m%dT%H%M%S%f}"
        self.store.open_run(
            run_id,
            table_id=self.table_id,
            origin="live",
            opened_utc=opened,
            about={
                "source": masked_address(self.source),
                "table": self.setup.sha256,
                "game": self.setup.table.game,
            },
        )
        return run_id

    def _watch_once(self, run_id: str) -> bool:
        sight = self.opened(self.source, self.setup)
        live = sight.info.live
        recent, number, self.rounds_seen, self._numbered = Recent(), 0, 0, {}
        self._beside = self.evidence.beside(sight, self.setup, self.source) if self.evidence is not None else None
        try:
            started_s = time.monotonic()
            self.state, self.detail = TableState.WATCHING, ""
            for step in watch(sight.frames, sight.watcher, sight.judge, external=self.setup.external):
                if step.frame is not None:
                    if not live:
                        self._stop.wait(max(0.0, started_s + step.frame.t_s - time.monotonic()))
                    self.t_s = step.frame.t_s
                    self._show(step.frame, sight)
                    recent.add(step.frame, sight.watcher.seen)
                    if self._beside is not None:
                        self._beside.look(step.frame, sight.watcher.seen)
                number = self._record(run_id, number, step, sight, recent)
                if self._stop.is_set():
                    break
        finally:
            if self._beside is not None:
                self._beside.finish()
            sight.close()
        return live

    def _show(self, frame: Frame, sight: Sight) -> None:
        """Hands a finished picture to those who look; only this thread may take one out of a decoded frame."""
        if self._latest is None or not 0.0 <= frame.t_s - self._latest.t_s < PICTURE_EVERY_S:
            self._latest = _Shown(frame.index, frame.t_s, frame.image, sight.watcher.seen, sight.view)

    def _record(self, run_id: str, number: int, step: Step, sight: Sight, recent: Recent) -> int:
        events = [event_to_dict(event) for event in step.events]
        if events:
            self._remember(number, events)
            self.store.add_events(run_id, enumerate(events, start=number))
        closed = [plain(record) for record in sight.judge.rounds[self.rounds_seen :]]
        if closed:
            self.store.add_rounds(run_id, closed)
            self.rounds_seen += len(closed)
        if self._beside is not None:
            self._beside.note(events, closed)
        for finding in step.findings:
            if finding.verdict is Verdict.BREACH:
                self._raise(run_id, finding, sight, recent)
        return number + len(step.events)

    def _remember(self, number: int, events: Sequence[dict[str, Any]]) -> None:
        kept = self._numbered | dict(enumerate(events, start=number))
        self._numbered = {n: kept[n] for n in list(kept)[-KEPT_EVENTS:]}

    def _raise(self, run_id: str, finding: Finding, sight: Sight, recent: Recent) -> None:
        pictures = pictures_of(recent, sight.view, moments_of(finding, self._numbered))
        raised = self.now()
        _, new = self.store.add_alert(run_id, finding_to_dict(finding), raised_utc=raised, pictures=pictures)
        if new:
            self.feed.notify()
            if self._beside is not None:
                self._beside.want(finding, pictures, Origin(run_id, raised))
