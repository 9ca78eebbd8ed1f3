"""The one way from frames to findings, live or from a file: watcher, events from elsewhere, engine.

Camera events come in order of time but only once things lie at rest, so an event from outside waits until the camera has
spoken of its moment, or `HOLD_S` of capture time. The order depends on the frames alone, never on how fast they are
worked through.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rules.events import Event
from rules.findings import Finding
from rules.records import RoundRecord
from vision.frames.frame import Frame
from vision.seen import Seen

logger = logging.getLogger(__name__)

HOLD_S = 3.0
"""How long an event from outside waits for camera events before it; longer than vision takes to announce a rest."""


class Watcher(Protocol):
    """Frames in, events out in order of time (`vision.pipeline.TableWatcher`)."""

    def frame(self, frame: Frame) -> Sequence[Event]:
        """Takes the next frame; returns what became certain with it."""

    def close(self) -> Sequence[Event]:
        """Returns what is still to be said at the end of the source."""

    @property
    def seen(self) -> Seen:
        """What lies on the table after the last frame."""

    @property
    def unsettled(self) -> frozenset[str]:
        """Areas of the table that were not seen at rest yet, since the watcher is new."""


class Judge(Protocol):
    """Events in, findings out (`rules.engine.Engine`)."""

    def feed(self, event: Event) -> Sequence[Finding]:
        """Takes the next event; returns the checks decided by it."""

    def close(self) -> Sequence[Finding]:
        """Returns the checks decided by the end."""

    @property
    def rounds(self) -> Sequence[RoundRecord]:
        """The rounds closed so far."""

    @property
    def dropped_events(self) -> int:
        """How many events it let go of unjudged, because too many came between two rounds."""

    def forget_rounds(self) -> None:
        """Lets go of the rounds closed so far, which are kept elsewhere."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one frame (or the end of the source, `frame` None) brought."""

    frame: Frame | None
    events: tuple[Event, ...]
    findings: tuple[Finding, ...]


def watch(frames: Iterable[Frame], watcher: Watcher, judge: Judge, *, external: Sequence[Event] = ()) -> Iterator[Step]:
    """Yields a step for every frame, and a last one for the end of the source.

    Args:
        frames: in order of time.
        watcher: of this table, new.
        judge: of this table, new.
        external: events from outside the camera; those after the last frame are judged at the end.
    """
    waiting = deque(sorted(external, key=lambda event: event.t_s))
    for frame in frames:
        yield _judged(frame, merged(watcher.frame(frame), waiting, frame.t_s - HOLD_S), judge)
    last = _judged(None, merged(watcher.close(), waiting, float("inf")), judge)
    yield Step(None, last.events, last.findings + tuple(judge.close()))


def merged(camera: Iterable[Event], waiting: deque[Event], until_s: float) -> Iterator[Event]:
    """Camera events with those from outside put in before them where they are not later, then those up to `until_s`.

    Args:
        camera: in order of time.
        waiting: events from outside in order of time; taken from as they are given.
        until_s: nothing of the camera can come before this moment any more.
    """
    for event in camera:
        while waiting and waiting[0].t_s <= event.t_s:
            yield waiting.popleft()
        yield event
    while waiting and waiting[0].t_s <= until_s:
        yield waiting.popleft()


def _judged(frame: Frame | None, events: Iterator[Event], judge: Judge) -> Step:
    fed: list[Event] = []
    findings: list[Finding] = []
    dropped = judge.dropped_events
    for event in events:
        fed.append(event)
        findings.extend(judge.feed(event))
    if judge.dropped_events > dropped:
        logger.warning(
            "table %s: %d events between two rounds were dropped, %d so far: a round that they belong to is judged without them",
            fed[-1].table_id, judge.dropped_events - dropped, judge.dropped_events,
        )  # fmt: skip
    return Step(frame, tuple(fed), tuple(findings))
