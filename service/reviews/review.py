"""Reviews a recording: frames to events, findings, payouts and pictures; stopped or killed, it goes on where it stopped."""

from __future__ import annotations

import itertools
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rules.events import Event, event_to_dict
from rules.findings import Finding, Verdict, finding_to_json
from service.config import TableSetup
from service.errors import ServiceError
from service.evidence import errors as evidence_errors
from service.evidence.about import About
from service.evidence.beside import Beside
from service.evidence.film import RecordingFilm
from service.evidence.pictures import Recent, moments_of, pictures_of
from service.evidence.recorder import Recorder
from service.evidence.writer import FolderTarget, Writer
from service.folders import verify_free
from service.reviews.basis import about_video, basis_of
from service.reviews.checkpoint import OURS, Checkpoint, checkpoint_bytes, networks_of, read_checkpoint
from service.reviews.errors import DiskFullError, ReviewError, StoppedError
from service.reviews.recorded import Recorded
from service.reviews.results import RUN_FILE, plain, write_results
from service.reviews.work import (
    EVENTS,
    EVIDENCE,
    FINDINGS,
    ROUNDS,
    WorkFolder,
    json_lines_of,
    no_room,
    picture_sha256,
    room_on,
)
from service.sight import Sight, open_sight
from service.watching import Step, watch
from vision.frames.frame import Frame

CHECKPOINT_EVERY_S = 60.0
"""Seconds of work that a kill may cost; a checkpoint takes about a third of one."""
LOOK_EVERY = 15
"""Frames between two looks at whether to report, to stop, or to write a checkpoint."""
KEPT_EVENTS = 4000
"""Events at hand for the pictures of a finding: far more than a round has."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review is: capture time reached, of how many seconds (None unknown), breaches and rounds so far."""

    t_s: float
    of_s: float | None
    breaches: int
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class Review:
    """What a review found.

    Attributes:
        about: what was reviewed, with which parts (`run.json`).
        verdicts: how many checks ended how.
        breaches: the findings that ring, in order of time, as JSON values.
        rounds: closed rounds as JSON values, with their payouts.
    """

    about: Mapping[str, Any]
    verdicts: Mapping[str, int]
    breaches: Sequence[Mapping[str, Any]]
    rounds: Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class Options:
    """How a review is made.

    Attributes:
        progress: called now and then.
        stop: asked now and then; True ends the review after writing where it stands.
        now: the wall clock, for the date of the report.
        clock: seconds that only rise, for when to write a checkpoint.
        checkpoint_every_s: seconds between two checkpoints.
        opened: how the source is opened.
        bundle_cost: told the seconds of CPU that each bundle of evidence took.
        ours: packages whose classes a checkpoint may be made of.
        recorded: when the recording was made, whose day's law it is judged by; today's where nobody knows.
        name: what people call the recording; its file's name if not given.
    """

    progress: Callable[[Progress], None] | None = None
    stop: Callable[[], bool] = lambda: False
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = time.monotonic
    checkpoint_every_s: float = CHECKPOINT_EVERY_S
    opened: Callable[[str, TableSetup], Sight] = open_sight
    bundle_cost: Callable[[float], None] | None = None
    ours: Sequence[str] = OURS
    recorded: Recorded = field(default_factory=Recorded)
    name: str = ""


def review_video(video: Path, setup: TableSetup, out: Path, options: Options | None = None) -> Review:
    """Reviews a recording and writes `events.jsonl`, `findings.jsonl`, `rounds.jsonl`, `payouts.csv`, reports and pictures.

    It works in a hidden folder beside `out`. Where such a folder is left of a review that was stopped, killed or ran out
    of disk, and recording, table and program are the same, it goes on from the last checkpoint; the results are the
    same to the byte as without the stop.

    Args:
        video: file or folder of pictures.
        setup: its table.
        out: the folder to make; it appears only when everything is in it.
        options: see there.

    Raises:
        StoppedError: `options.stop` asked for it.
        DiskFullError: there is no room left.
        ReviewError: another review of the same folder is under way.
        ServiceError, SourceError, ModelError: nothing could be reviewed; `out` is left as it was.
    """
    options = options or Options()
    verify_free(out, mark=RUN_FILE)
    setup = replace(setup, day=options.recorded.day or options.now().date())
    sight = options.opened(str(video), setup)
    work: WorkFolder | None = None
    try:
        work = WorkFolder(work_folder(out), basis_of(video, setup) | options.recorded.as_json())
        running = _Running(sight, setup, work, options, _beside(video, setup, sight, work, options))
        try:
            running.go()
            running.finish_evidence()
        finally:
            running.beside.writer.close()
        about = (
            about_video(video, setup, sight)
            | {"seconds": round(running.t_s, 3)}
            | options.recorded.as_json()
            | {"law_day": str(setup.day)}
        )
        about["name"] = options.name or video.name
        with room_on(out):
            done = _finished(running, setup, about, options.now())
        work.finish(out)
        return done
    except (StoppedError, DiskFullError):
        raise
    except (ServiceError, RuntimeError):
        if work is not None and not work.checkpoint.exists():
            shutil.rmtree(work.path, ignore_errors=True)
        raise
    finally:
        sight.close()
        if work is not None:
            work.close()


def _beside(video: Path, setup: TableSetup, sight: Sight, work: WorkFolder, options: Options) -> Beside:
    """What writes the bundles, into the folders of the pictures."""
    recorder, target = Recorder(RecordingFilm(video)), FolderTarget(work.results / EVIDENCE)
    return Beside(recorder, About.of(sight, setup, str(video)), Writer(patient=True, cost=options.bundle_cost), target)


def work_folder(out: Path) -> Path:
    """Where a review works until `out` is there."""
    return out.parent / f".{out.name}.review"


def _finished(running: _Running, setup: TableSetup, about: Mapping[str, Any], made: datetime) -> Review:
    work = running.work
    work.sizes()
    if not running.events:
        raise ReviewError("nothing happened on this table", where=about["video"], do="Give a recording of play")
    verdicts = {verdict.value: running.verdicts[verdict.value] for verdict in Verdict}
    about = dict(about) | {"verdicts": verdicts}
    breaches = [f for f in json_lines_of(work.results / FINDINGS) if f["verdict"] == Verdict.BREACH.value]
    rounds = list(json_lines_of(work.results / ROUNDS))
    done = Review(about, verdicts, sorted(breaches, key=lambda f: float(f["t_s"])), rounds)
    write_results(work.results, setup, about=about, breaches=done.breaches, rounds=rounds, made=made)
    return done


@dataclass(slots=True)
class _Running:
    """A review under way."""

    sight: Sight
    setup: TableSetup
    work: WorkFolder
    options: Options
    beside: Beside
    frame: Frame | None = None
    t_s: float = 0.0
    external: int = 0
    events: int = 0
    findings: int = 0
    rounds: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    recent: Recent = field(default_factory=Recent)
    window: dict[int, dict[str, Any]] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)

    def go(self) -> None:
        """Works through the frames, from the checkpoint if there is one."""
        frames, watcher, judge = iter(self.sight.frames), self.sight.watcher, self.sight.judge
        found = read_checkpoint(self.work.checkpoint, networks_of(watcher), ours=self.options.ours)
        if found is not None:
            frames = self._resumed(found, frames)
            watcher, judge = found.watcher, found.judge
        self.work.begin(found.sizes if found else {}, found.evidence if found else ())
        external = sorted(self.setup.external, key=lambda event: event.t_s)
        marked_s = self.options.clock()
        for number, step in enumerate(watch(frames, watcher, judge, external=external[self.external :])):
            self._take(step, external, watcher, judge)
            if step.frame is None or number % LOOK_EVERY:
                continue
            self._report()
            stop = self.options.stop()
            if stop or self.options.clock() - marked_s >= self.options.checkpoint_every_s:
                self._mark(watcher, judge)
                marked_s = self.options.clock()
            if stop:
                raise StoppedError("the review was stopped", where=self.sight.info.name, do="Start it again to go on")

    def _resumed(self, found: Checkpoint, frames: Iterator[Frame]) -> Iterator[Frame]:
        """The frames after the checkpoint.

        Raises:
            ReviewError: the recording shows another picture at its place.
        """
        self.t_s, self.external, self.events = found.t_s, found.external, found.events
        self.findings, self.rounds, self.verdicts = found.findings, found.rounds, Counter(found.verdicts)
        self.recent, self.window, self.evidence = found.recent, dict(found.window), list(found.evidence)
        self.beside.recorder.memory = found.memory
        last = next((frame for frame in frames if frame.index >= found.frame), None)
        if last is None or last.t_s != found.t_s or picture_sha256(last.image) != found.picture_sha256:
            self.work.checkpoint.unlink()
            raise ReviewError(
                f"frame {found.frame} is not the one seen before the stop", where=self.sight.info.name, do="Start the review again: it begins anew"
            )  # fmt: skip
        return frames

    def _take(self, step: Step, external: Sequence[Event], watcher: Any, judge: Any) -> None:
        if step.frame is not None:
            self.frame, self.t_s = step.frame, step.frame.t_s
            self.recent.add(step.frame, watcher.seen)
            self.beside.look(step.frame, watcher.seen)
        if step.events:
            waiting = {id(event) for event in external[self.external :]}
            self.external += sum(id(event) in waiting for event in step.events)
            self._add_events([event_to_dict(event) for event in step.events])
        self.work.add(FINDINGS, map(finding_to_json, step.findings))
        self.findings += len(step.findings)
        for finding in step.findings:
            self.verdicts[finding.verdict.value] += 1
            if finding.verdict is Verdict.BREACH:
                self._keep_pictures(finding)
        closed = judge.rounds
        if len(closed) > self.rounds:
            records = [plain(record) for record in closed[self.rounds :]]
            self.work.add(ROUNDS, map(compact, records))
            self.beside.note((), records)
            self.rounds = len(closed)

    def _add_events(self, events: Sequence[dict[str, Any]]) -> None:
        self.work.add(EVENTS, map(compact, events))
        self.beside.note(events)
        self.window |= dict(enumerate(events, start=self.events))
        self.events += len(events)
        if len(self.window) > KEPT_EVENTS:
            self.window = dict(itertools.islice(self.window.items(), len(self.window) - KEPT_EVENTS // 2, None))

    def _keep_pictures(self, finding: Finding) -> None:
        if finding.finding_id in self.evidence:
            return
        pictures = pictures_of(self.recent, self.sight.view, moments_of(finding, self.window))
        self.work.save_pictures(finding.finding_id, pictures)
        self.evidence.append(finding.finding_id)
        self.beside.want(finding, pictures)

    def finish_evidence(self) -> None:
        """Writes the bundles that still wait."""
        self.beside.finish()
        self._flush()

    def _flush(self) -> None:
        try:
            self.beside.writer.flush()
        except evidence_errors.DiskFullError as error:
            raise no_room(error.where, str(error.__cause__ or error.what)) from error

    def _report(self) -> None:
        info = self.sight.info
        of_s = info.frames / info.fps if info.frames and info.fps else None
        if self.options.progress is not None:
            self.options.progress(Progress(self.t_s, of_s, self.verdicts[Verdict.BREACH.value], self.rounds))

    def _mark(self, watcher: Any, judge: Any) -> None:
        assert self.frame is not None
        self._flush()
        state = Checkpoint(
            frame=self.frame.index, t_s=self.frame.t_s, picture_sha256=picture_sha256(self.frame.image), external=self.external,
            events=self.events, findings=self.findings, rounds=self.rounds, sizes=self.work.sizes(), evidence=tuple(self.evidence),
            watcher=watcher, judge=judge, recent=self.recent, memory=self.beside.recorder.memory, window=self.window, verdicts=dict(self.verdicts),
        )  # fmt: skip
        self.work.mark(checkpoint_bytes(state))


def compact(value: Mapping[str, Any]) -> str:
    """A JSON object in one line."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


__all__ = ["EVIDENCE", "Options", "Progress", "Review", "review_video", "work_folder"]
