"""Beside the loop that watches a table: keeps what a bundle will need, and hands out jobs once their seconds are over.

What it keeps is bounded: what was seen for as long as a finding may come late, some thousand events, some rounds.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from rules.findings import Finding, finding_to_dict
from service.evidence.film import KEPT_S, NEAR_S, Cut, Film
from service.evidence.pictures import moments_of
from service.store import Picture
from vision.frames.frame import Frame
from vision.seen import Seen

BEFORE_S, AFTER_S = 4.0, 3.0
"""How long a clip begins before its first moment and goes on after its last."""
LONGEST_S = 30.0
"""A clip of moments further apart shows the last of them."""
KEPT_EVENTS = 4000
"""Far more than a round has."""
KEPT_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Origin:
    """Which alert a bundle proves: its run, when it rang, and by the law of which day."""

    run_id: str
    raised_utc: datetime
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A bundle that waits for the last second of its clip."""

    finding: Mapping[str, Any]
    pictures: tuple[Picture, ...]
    from_s: float
    to_s: float
    moment_s: float
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen after a frame."""

    index: int
    t_s: float
    seen: Seen


@dataclass(frozen=True, slots=True)
class Job:
    """Everything a bundle is made of; nothing in it changes any more.

    Attributes:
        events: of the round, by number.
        round: the closed round as JSON values, None while it is played.
        looked: what was seen, from the last look before the clip on.
        cut: the frames.
    """

    wanted: Wanted
    events: Mapping[int, Mapping[str, Any]]
    round: Mapping[str, Any] | None
    looked: tuple[Looked, ...]
    cut: Cut

    def seen_at(self, t_s: float) -> Looked | None:
        """What was known at a capture time, None before the first look."""
        at = bisect_right([look.t_s for look in self.looked], t_s + NEAR_S)
        return self.looked[at - 1] if at else None


@dataclass(slots=True)
class Memory:
    """What a recorder knows; plain values, so that a review can be stopped and go on."""

    looked: deque[Looked] = field(default_factory=deque)
    events: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    next_event: int = 0
    rounds: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    waiting: list[Wanted] = field(default_factory=list)


@dataclass(slots=True)
class Recorder:
    """Keeps what bundles need; used by the thread that watches, never waits for a disk."""

    film: Film
    memory: Memory = field(default_factory=Memory)

    def look(self, frame: Frame, seen: Seen) -> None:
        """Takes in a frame and what is known after it."""
        looked = self.memory.looked
        looked.append(Looked(frame.index, frame.t_s, seen))
        while frame.t_s - looked[0].t_s > KEPT_S:
            looked.popleft()
        self.film.add(frame)

    def note(self, events: Sequence[Mapping[str, Any]], rounds: Iterable[Mapping[str, Any]] = ()) -> None:
        """Takes in events in their order, and rounds that closed, as JSON values."""
        memory = self.memory
        memory.events |= dict(enumerate(events, start=memory.next_event))
        memory.next_event += len(events)
        if len(memory.events) > KEPT_EVENTS:
            memory.events = dict(itertools.islice(memory.events.items(), len(memory.events) - KEPT_EVENTS // 2, None))
        for record in rounds:
            memory.rounds[str(record["round_id"])] = record
            if len(memory.rounds) > KEPT_ROUNDS:
                memory.rounds.pop(next(iter(memory.rounds)))

    def want(self, finding: Finding, pictures: Sequence[Picture], origin: Origin | None = None) -> None:
        """Orders a bundle."""
        moments = [moment.t_s for moment in moments_of(finding, self.memory.events)]
        to_s = moments[-1] + AFTER_S
        from_s = max(0.0, min(moment for moment in moments if moment > to_s - LONGEST_S) - BEFORE_S)
        wanted = Wanted(finding_to_dict(finding), tuple(pictures), from_s, to_s, moments[-1], origin)
        self.memory.waiting.append(wanted)

    def due(self, t_s: float = float("inf")) -> list[Job]:
        """The bundles whose clips are over at a capture time; all of them at the end of the source."""
        ready = [wanted for wanted in self.memory.waiting if wanted.to_s < t_s]
        self.memory.waiting = [wanted for wanted in self.memory.waiting if wanted.to_s >= t_s]
        return [self._job(wanted) for wanted in ready]

    def _job(self, wanted: Wanted) -> Job:
        looked = list(self.memory.looked)
        times = [look.t_s for look in looked]
        first = max(0, bisect_right(times, wanted.from_s + NEAR_S) - 1)
        last = bisect_left(times, wanted.to_s + NEAR_S)
        record = self.memory.rounds.get(str(wanted.finding["round_id"]))
        cut = self.film.cut(wanted.from_s, wanted.to_s)
        return Job(wanted, self._events(wanted, record), record, tuple(looked[first:last]), cut)

    def _events(self, wanted: Wanted, record: Mapping[str, Any] | None) -> dict[int, Mapping[str, Any]]:
        """The events of the round up to the end of the clip, and all that the finding rests on."""
        others = [r for r in self.memory.rounds.values() if r is not record and r["closed_s"] <= wanted.moment_s]
        since_s = float(record["opened_s"]) if record else max((float(r["closed_s"]) for r in others), default=0.0)
        since_s = min(since_s, wanted.from_s)
        rests_on = set(wanted.finding["events"])
        return {
            number: event
            for number, event in self.memory.events.items()
            if number in rests_on or since_s <= float(event["t_s"]) <= wanted.to_s
        }
