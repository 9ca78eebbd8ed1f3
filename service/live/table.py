"""A table watched while it is played: the same way from frames to findings as a review, at the source's own speed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any

from rules.events import CoverageGap, Event, GapCause, HandOver, event_to_dict
from rules.findings import Verdict, finding_to_dict
from service.access.masking import masked_address
from service.audit.calendar import ShiftPlan
from service.config import TableSetup
from service.evidence.pictures import Recent, moments_of, pictures_of
from service.evidence.room import EvidenceRoom
from service.feed import Feed
from service.feed.metrics import Meters
from service.live.bundles import Bundles
from service.live.camera_faults import FAULT, CameraFaults, News
from service.live.closing import Closing
from service.live.dated import dated, law_day_of
from service.live.failing import Attempts, Break, SourceEndedError
from service.live.picture import LivePicture
from service.live.recorder import Recorder
from service.live.rejoin import Rejoined
from service.live.standing import Standing, taken_up
from service.reviews.results import plain
from service.sight import Sight, open_sight
from service.stamps import stamp
from service.store import AlertKind, Store
from service.store.incidents import UTC_SCOPE, source_scope
from service.store.recording import Ended, NewAlert, RecordedStep
from service.tables.files import Pause
from service.tables.vitals import Vitals
from service.watching import Judge, Step, Watcher, watch
from vision.change.coverage import OpenGap
from vision.frames.frame import Frame
from vision.frames.opening import STREAM_SCHEMES
from vision.frames.picture import Image

logger = logging.getLogger(__name__)

LAST_EVENTS = 12
"""How many events people are shown."""
STORED_WITHIN_S = 10.0
"""So long what an earlier process left on disk may take to get into the store before the table is begun anew."""
KEPT_EVENTS = 1000
"""How many events are at hand for the pictures of a finding: more than a round has."""


class TableState(StrEnum):
    """What a live table is doing."""

    STARTING = "starting"
    WATCHING = "watching"
    LOST = "lost"
    FAULT = "fault"
    """A mistake of the program keeps it from being watched; it is tried again."""
    PAUSED = "paused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class _Playing:
    """What one connection works with.

    Attributes:
        watcher: the sight's own, or one that knows the table from before.
        judge: the sight's own, or the one that judged the table before; it is told which day it is.
    """

    run: dict[str, Any]
    watcher: Watcher
    judge: Judge
    recent: Recent
    sight: Sight
    standing: Standing | None


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
        meters: what is counted.
        spool: folder in which records wait for the database; None: they go straight into the store.
        paused: it is paused: nothing is watched, which is a declared coverage gap.
        away_since: nobody watched it since then, on purpose; the judge is told of that gap.
        vitals: how well it is watched.
        plan: the house's clock, by which a round has its day and so its law.
    """

    setup: TableSetup
    source: str
    store: Store
    feed: Feed
    repeat: bool = False
    evidence: EvidenceRoom | None = None
    opened: Callable[[str, TableSetup], Sight] = open_sight
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    meters: Meters = field(default_factory=Meters)
    spool: Path | None = None
    paused: Pause | None = None
    away_since: datetime | None = None
    vitals: Vitals = field(default_factory=Vitals)
    plan: ShiftPlan = field(default_factory=ShiftPlan)
    state: TableState = field(default=TableState.STARTING, init=False)
    detail: str = field(default="", init=False)
    t_s: float = field(default=0.0, init=False)
    rounds_seen: int = field(default=0, init=False)
    _bundles: Bundles = field(init=False)
    _picture: LivePicture = field(default_factory=LivePicture, init=False)
    _numbered: dict[int, dict[str, Any]] = field(default_factory=dict, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _recorder: Recorder = field(init=False)
    _faults: CameraFaults = field(init=False)
    _run: dict[str, Any] | None = field(default=None, init=False)
    _lost_utc: datetime | None = field(default=None, init=False)
    _standing: Standing | None = field(default=None, init=False)
    _offset: tuple[float, int] = field(default=(0.0, 0), init=False)
    _came_s: float = field(default=0.0, init=False)
    _closing: Closing = field(default_factory=Closing, init=False)
    _attempts: Attempts = field(default_factory=Attempts, init=False)

    def __post_init__(self) -> None:
        path = self.spool / f"{spool_name(self.table_id)}.spool" if self.spool is not None else None
        self._recorder = Recorder(self.table_id, self.store, self.feed, self.meters, path)
        self._bundles = Bundles(None, self._recorder)
        self._faults = CameraFaults(self.table_id)
        self._lost_utc = self.away_since

    @property
    def table_id(self) -> str:
        """The table's short name."""
        return self.setup.table.table_id

    def start(self) -> None:
        """Begins to watch, unless it is paused; what an earlier process left in the spool is recorded first."""
        self._recorder.start()
        if self.paused is not None:
            self.state = TableState.PAUSED
            self.vitals.stands(time.monotonic(), covered=False, gaps=(GapCause.PAUSED.value,))
            return
        self.vitals.stands(time.monotonic(), covered=False)
        self._faults.expect()
        self._thread = threading.Thread(target=self._keep_watching, name=f"table {self.table_id}", daemon=True)
        self._thread.start()

    def stop(self, wait_s: float = 5.0) -> None:
        """Ends watching; returns when the thread has ended, or after `wait_s`."""
        self.end_watching(wait_s)
        self._recorder.stop()

    def end_watching(self, wait_s: float) -> None:
        """Ends watching, but not recording: another watch of the same table goes on with that (`take_over`)."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(wait_s)

    def take_over(self, earlier: LiveTable) -> None:
        """Goes on after another watch of the same table: its records, its counts, and since when nobody watched."""
        self._recorder, self.vitals = earlier._recorder, earlier.vitals
        if earlier.paused is not None:
            self._lost_utc = self.away_since = earlier.paused.since
        elif earlier._thread is not None:
            self._lost_utc = earlier._lost_utc or self.now()
            self.away_since = earlier.away_since if earlier._lost_utc else self._lost_utc

    def measure(self) -> None:
        """Brings the meters that are not counted as things happen up to date."""
        self._recorder.measure()

    @property
    def waiting(self) -> int:
        """How many records are on disk and not in the database yet."""
        return self._recorder.waiting

    def picture(self, *, marked: bool = True, width: int | None = None) -> tuple[bytes, int] | None:
        """The current picture as JPEG with its frame's index, what is seen drawn on it; None before the first.

        Args:
            marked: draw what is seen.
            width: pixels, if smaller than the frame's own.
        """
        return self._picture.jpeg(self.t_s, marked=marked, width=width)

    def raw_picture(self) -> Image | None:
        """The current picture as the camera gave it, None before the first."""
        return self._picture.raw()

    def last_events(self) -> list[dict[str, Any]]:
        """The last things seen, oldest first, as JSON values; for people: without the hands, which the picture shows, a dozen in a second."""
        told = [event for event in self._numbered.values() if event["kind"] != HandOver.kind]
        return told[-LAST_EVENTS:]

    def about(self) -> dict[str, Any]:
        """What the table is and does, as JSON values."""
        table = self.setup.table
        return {
            "table_id": table.table_id, "game": table.game, "source": masked_address(self.source), "state": self.state.value,
            "detail": self.detail or self._why_paused(), "t_s": round(self.t_s, 2), "rounds": self.rounds_seen,
            "health": self.vitals.about(time.monotonic()) | {"rejected": self._recorder.rejected},
        }  # fmt: skip

    def _why_paused(self) -> str:
        if self.paused is None:
            return ""
        reason = f": {self.paused.reason}" if self.paused.reason else ""
        return f"paused since {self.paused.since:%Y-%m-%d %H:%M} UTC by {self.paused.by}{reason}; a declared coverage gap, nothing is judged"

    def _keep_watching(self) -> None:
        while not self._stop.is_set():
            try:
                live = self._watch_once()
                self._attempts = Attempts()
                if not live and not self.repeat:
                    self.state, self.detail = TableState.STOPPED, "the recording has ended"
                    return
                if live and not self._stop.is_set():
                    raise SourceEndedError("the source ended")
            except Exception as error:  # the outermost loop of the table
                if self._stop.is_set():
                    break
                broke = self._attempts.broke(error, time.monotonic())
                logger.exception("table %s is not watched, trying again in %s s", self.table_id, broke.wait_s)
                self._lose(broke)
                self._stop.wait(broke.wait_s)
                self.meters.reconnects.labels(self.table_id).inc()
                self.vitals.reconnects += 1
        self.state = TableState.STOPPED

    def _lose(self, broke: Break) -> None:
        """Says that nothing is seen any more; what comes next is another run."""
        if not broke.is_camera:
            self._standing = None  # whatever broke, nothing it left is believed but what is in the store
        self.state, self.detail = TableState.FAULT if broke.is_fault else TableState.LOST, broke.detail
        now = self.now()
        self._lost_utc = self._lost_utc or now
        self.vitals.stands(time.monotonic(), covered=False, gaps=(FAULT if broke.is_fault else GapCause.LOST.value,))
        if broke.is_fault:
            self.vitals.faults += 1
            self.meters.faults.labels(self.table_id, broke.kind).inc()
        run = self._run or self._new_run(now, self.t_s)
        try:
            news = self._faults.failed if broke.is_fault else self._faults.lost
            self._tell(run, news(self.t_s, broke.why))
        except Exception:  # the loop above must go on: the disk may be full
            logger.exception("table %s: that it is not watched cannot be recorded", self.table_id)
        self._run = None

    def _tell(self, run: dict[str, Any], news: News) -> None:
        """Records faults of the camera that began or ended."""
        if not news.began and not news.ended:
            return
        now = self.now()
        for finding in news.began:
            self.meters.gaps.labels(self.table_id, finding["check_id"]).inc()
        alerts = tuple(NewAlert(finding, now, kind=AlertKind.CAMERA) for finding in news.began)
        ended = tuple(Ended(finding, now, "the table is seen again") for finding in news.ended)
        self._recorder.record(RecordedStep(run, alerts=alerts, ended=ended), time.monotonic())

    def _new_run(self, now: datetime, t_s: float) -> dict[str, Any]:
        """A run as it is recorded with its first step. Capture time zero of a camera is known by its first frame."""
        path = Path(self.source)
        streamed = self.source.isdigit() or self.source.lower().startswith(STREAM_SCHEMES)
        recorded = not streamed and path.exists()
        return {
            "run_id": f"live-{self.table_id}-{now:%Y%m%dT%H%M%S%f}", "table_id": self.table_id, "origin": "live",
            "opened_utc": stamp(now), "game": self.setup.table.game,
            "scope": source_scope(path) if recorded else UTC_SCOPE,
            "epoch_utc": None if recorded else stamp(now - timedelta(seconds=t_s)),
            "about": {"source": masked_address(self.source), "table": self.setup.sha256, "game": self.setup.table.game},
        }  # fmt: skip

    def _watch_once(self) -> bool:
        sight = self.opened(self.source, replace(self.setup, day=self.plan.moment(self.now()).law_day))
        live, found = sight.info.live, sight.calibration
        self.vitals.calibrated(found.method, found.error_px, found.error_mm)
        self._numbered, self._offset = {}, (0.0, 0)
        beside = self.evidence.beside(sight, self.setup, self.source) if self.evidence is not None else None
        self._bundles = Bundles(beside, self._recorder)
        try:
            frames = self._arriving(sight)
            first = next(frames, None)
            if first is None:
                raise SourceEndedError("the source gave no picture")
            now = self.now()
            playing, external = self._begun(sight, first, now)
            started_s = time.monotonic()
            self.state, self.detail, self._lost_utc, self.away_since = TableState.WATCHING, "", None, None
            self._attempts.watched_since_s = started_s
            number = playing.standing.number if playing.standing is not None else 0
            for step in watch(chain((first,), frames), playing.watcher, playing.judge, external=external):
                if step.frame is not None:
                    if not live:
                        self._stop.wait(max(0.0, started_s + step.frame.t_s - time.monotonic()))
                        self._came_s = time.monotonic()
                    self._look(step.frame, playing)
                number = self._record(playing, number, step)
                if self._stop.is_set():
                    break
        finally:
            self._bundles.finish(self._run["run_id"] if self._run is not None else None)
            sight.close()
        return live

    def _note_gaps(self, run: dict[str, Any], gaps: Sequence[OpenGap]) -> None:
        self._tell(run, self._faults.feed(gaps, self.t_s))
        self.vitals.stands(time.monotonic(), covered=not gaps, gaps=tuple(str(gap.cause) for gap in gaps))

    def _begun(self, sight: Sight, first: Frame, now: datetime) -> tuple[_Playing, Sequence[Event]]:
        """What this connection works with, and the events from outside that it is given.

        A recording is watched from its start by parts of its own. A camera's table is taken up as it stands.
        """
        if not sight.info.live:
            self._standing, self._closing = None, Closing()
            self.rounds_seen = 0
            self._run = self._run or self._new_run(now, first.t_s)
            external = (*self.setup.external, *self._outage(now, first))
            judge = dated(sight.judge, now - timedelta(seconds=first.t_s), self.plan)
            return _Playing(self._run, sight.watcher, judge, Recent(), sight, None), external
        known = self._standing or (None if self._attempts.anew else self._stored_standing())
        standing = known if known is not None and known.fits(now) else None
        going_on = standing is not None
        if standing is None or standing is not self._standing:
            self._closing = Closing()
            self._closing.ready(map(finding_to_dict, standing.found if standing is not None else ()), ())
        if standing is None:
            standing = Standing.begun(sight.judge, now - timedelta(seconds=first.t_s))
        else:
            self._offset = standing.offset_s(now, first.t_s), standing.lying.next_frame
            first.t_s, first.index = first.t_s + self._offset[0], first.index + self._offset[1]
        self._standing, self._run = standing, self._new_run(now, first.t_s)
        cause = GapCause.PAUSED if self.away_since is not None else GapCause.LOST
        watcher = Rejoined(sight.watcher, self.table_id, standing.lying.copy(), standing.unseen_since_s, cause)
        self._take_over(self._run, standing)
        external = () if going_on else self.setup.external
        judge = dated(standing.judge, standing.epoch, self.plan)
        return _Playing(self._run, watcher, judge, Recent(), sight, standing), external

    def _stored_standing(self) -> Standing | None:
        """The table as an earlier process left it."""
        self._recorder.settle(STORED_WITHIN_S)
        if self._recorder.waiting:
            logger.error("table %s: the database is away, its open round is left", self.table_id)
            return None
        stood = self.store.stood(self.table_id)
        return taken_up(stood, self.setup, self.plan) if stood is not None else None

    def _take_over(self, run: dict[str, Any], standing: Standing) -> None:
        """Records the open round in the new run under the numbers it has, for the law and for evidence."""
        events, number = tuple(standing.since), standing.first_number
        held = standing.recorded(self.setup)
        if held is not None:
            self._recorder.record(RecordedStep(run, number, events, standing=held), time.monotonic())
        self._remember(number, events)
        self._bundles.begin(number, events)

    def _look(self, frame: Frame, playing: _Playing) -> None:
        """Shows a frame, keeps it for evidence, and tells of faults of the camera."""
        self.t_s = frame.t_s
        seen = playing.watcher.seen
        if playing.standing is not None:
            playing.standing.seen_s = frame.t_s
        self._picture.show(frame, seen, playing.sight.view)
        playing.recent.add(frame, seen)
        self._bundles.look(frame, seen)
        self._note_gaps(playing.run, getattr(seen, "gaps", ()))

    def _arriving(self, sight: Sight) -> Iterator[Frame]:
        """The frames as they come; counts them, and those their times say are missing."""
        last_s: float | None = None
        frames, dropped = self.meters.frames.labels(self.table_id), self.meters.dropped.labels(self.table_id)
        for frame in sight.frames:
            self._came_s = frame.came_s if frame.came_s is not None else time.monotonic()
            frames.inc()
            missing = 0
            if last_s is not None and sight.info.fps:
                missing = max(0, round((frame.t_s - last_s) * sight.info.fps) - 1 - frame.left_out)
            dropped.inc(missing)
            self.vitals.came(time.monotonic(), missing=missing)
            last_s = frame.t_s
            frame.t_s, frame.index = frame.t_s + self._offset[0], frame.index + self._offset[1]
            yield frame

    def _outage(self, now: datetime, first: Frame) -> tuple[Event, ...]:
        """The time between a loss and the first picture after it, for the judge."""
        if self._lost_utc is None:
            return ()
        since_s = max(0.0, first.t_s - (now - self._lost_utc).total_seconds())
        cause = GapCause.PAUSED if self.away_since is not None else GapCause.LOST
        return (CoverageGap(table_id=self.table_id, t_s=first.t_s, since_s=since_s, cause=cause),)

    def _record(self, playing: _Playing, number: int, step: Step) -> int:
        """Records what a frame brought, all of it together, before anything else is watched."""
        run, recent, view = playing.run, playing.recent, playing.sight.view
        events = tuple(event_to_dict(event) for event in step.events)
        self._remember(number, events)
        rounds = tuple(plain(record) for record in playing.judge.rounds)
        playing.judge.forget_rounds()
        self.rounds_seen += len(rounds)
        self.vitals.closed(len(rounds), self.now())
        breaches = [finding for finding in step.findings if finding.verdict is Verdict.BREACH]
        alerts = tuple(
            NewAlert(
                finding_to_dict(one), self.now(), pictures_of(recent, view, moments_of(one, self._numbered)),
                law_day=law_day_of(playing.judge),
            )
            for one in breaches
        )  # fmt: skip
        self._bundles.note(events, rounds)
        for one, alert in zip(breaches, alerts, strict=True):
            self._bundles.want(one, alert, self.t_s, law_day_of(playing.judge))
        standing, held = playing.standing, None
        if standing is not None and standing.note(step.events, closed=bool(rounds)):
            held = standing.recorded(self.setup)
        findings = self._closing.ready(map(finding_to_dict, step.findings), rounds)
        if events or rounds or alerts or findings:
            kept = RecordedStep(run, number, events, rounds, alerts, findings=findings, standing=held)
            self._recorder.record(kept, self._came_s)
        self._bundles.order(run["run_id"], self.t_s)
        return number + len(events)

    def _remember(self, number: int, events: Sequence[dict[str, Any]]) -> None:
        kept = self._numbered | dict(enumerate(events, start=number))
        self._numbered = {n: kept[n] for n in list(kept)[-KEPT_EVENTS:]}


def spool_name(table_id: str) -> str:
    """A file name for a table, whatever its id holds.

    >>> spool_name("riu-07"), spool_name("../x")
    ('riu-07', '%2E%2E%2Fx')
    """
    return "".join(sign if sign.isalnum() or sign in "-_" else f"%{ord(sign):02X}" for sign in table_id)
