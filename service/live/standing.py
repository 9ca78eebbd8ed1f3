"""How a live table stands: the judge with all it knows, what lies on the table, where capture time and events have got to.

It outlives the camera, and with the store the process: the state after the last round (or after `MOST_EVENTS`) is recorded
together with the events that led to it, and the events since are judged again when a process begins. What they say was said
already, so it is not said again. See `docs/adr/0027-an-open-round-goes-on.md`.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from rules.engine import Engine
from rules.events import Event, EventError, event_from_dict, event_to_dict
from rules.findings import Finding
from service.audit.calendar import ShiftPlan
from service.config import TableSetup
from service.live.dated import dated
from service.live.lying import Lying
from service.reviews.basis import program_files, program_sha256
from service.reviews.checkpoint import plain_state
from service.store.recording import NewStanding
from service.store.runs import Stood
from service.watching import HOLD_S, Judge

logger = logging.getLogger(__name__)

LONGEST_AWAY = timedelta(minutes=10)
"""After a longer time nothing of the round can be taken for what it was; the table is begun anew."""
MOST_EVENTS = 2000
"""So many events are judged again at most; a round has some 150."""


@dataclass(slots=True)
class Standing:
    """One table as it stands; see the module.

    Attributes:
        judge: in the middle of a round.
        epoch: moment of capture time zero.
        lying: what lies on the table as far as events told.
        number: of the next event.
        seen_s: capture time of the last frame, or of the last event where that is all one knows.
        since: events since `state`, as JSON values.
        state: judge and table before these; empty where it cannot be stored.
        found: what was found of the open round when its events were judged again.
    """

    judge: Judge
    epoch: datetime
    lying: Lying = field(default_factory=Lying)
    number: int = 0
    seen_s: float = 0.0
    since: list[dict[str, Any]] = field(default_factory=list)
    state: bytes = b""
    found: tuple[Finding, ...] = ()

    @classmethod
    def begun(cls, judge: Judge, epoch: datetime) -> Standing:
        """A table of which nothing is known."""
        return cls(judge, epoch, state=stored(judge, Lying()))

    @property
    def first_number(self) -> int:
        """Number of the first event since the state."""
        return self.number - len(self.since)

    @property
    def unseen_since_s(self) -> float:
        """From when on something may have happened that nobody told of: events come some time after their moment."""
        return max(self.lying.last_s, self.seen_s - HOLD_S) if self.number else 0.0

    def fits(self, now: datetime) -> bool:
        """Whether the table may be taken up where it was left."""
        return timedelta(0) <= now - (self.epoch + timedelta(seconds=self.seen_s)) <= LONGEST_AWAY

    def offset_s(self, now: datetime, first_s: float) -> float:
        """What to add to the capture times of a new connection, whose first frame comes now, for time to go on."""
        at_s = max((now - self.epoch).total_seconds(), self.seen_s + 0.001, self.lying.last_s + 0.001)
        return at_s - first_s

    def note(self, events: Sequence[Event], *, closed: bool) -> bool:
        """Takes in events that were judged; true where the state is another one after them."""
        for event in events:
            self.lying.note(event)
            self.since.append(event_to_dict(event))
        self.number += len(events)
        if closed or len(self.since) >= MOST_EVENTS:
            self.state, self.since = stored(self.judge, self.lying), []
            return True
        return False

    def recorded(self, setup: TableSetup) -> NewStanding | None:
        """The state as it is kept in the store; None where it cannot be stored."""
        return NewStanding(self.first_number, basis_of(setup), self.state) if self.state else None


def taken_up(stood: Stood, setup: TableSetup, plan: ShiftPlan) -> Standing | None:
    """A table as the store has it, the events since its state judged again; None where that cannot be.

    Args:
        stood: what the store has.
        setup: the table as it is configured now.
        plan: the house's clock, by which a round has its day and so its law.
    """
    if stood.basis != basis_of(setup):
        logger.warning("table %s: configuration or program changed, its open round is left", setup.table.table_id)
        return None
    try:
        judge, lying = _parts(plain_state(stood.state))
        events = [event_from_dict(raw) for raw in stood.events]
    except (pickle.UnpicklingError, EventError):
        logger.exception("table %s: how it stood cannot be read, its open round is left", setup.table.table_id)
        return None
    epoch = datetime.fromtimestamp(stood.epoch_ms / 1000, UTC)
    standing = Standing(judge, epoch, lying, stood.number, state=stood.state)
    judging = dated(judge, epoch, plan)
    for event in events:
        standing.found += tuple(judging.feed(event))
        lying.note(event)
    standing.since, standing.number, standing.seen_s = list(stood.events), stood.number + len(events), lying.last_s
    return standing


def _parts(state: object) -> tuple[Engine, Lying]:
    match state:
        case (Engine() as judge, Lying() as lying):
            return judge, lying
    raise pickle.UnpicklingError("this is no judge and table")


def stored(judge: Judge, lying: Lying) -> bytes:
    """Judge and table for later; empty where the judge is none of the law."""
    return pickle.dumps((judge, lying), protocol=5) if isinstance(judge, Engine) else b""


def basis_of(setup: TableSetup) -> str:
    """What has to be the same for a state to be read: the law's program and data, and the table's file."""
    return hashlib.sha256(f"{_program()} {setup.sha256}".encode()).hexdigest()


def basis_files() -> list[Path]:
    """The files that say what a state means: the law's program and data, and what lies on the table."""
    return [*program_files("rules"), Path(__file__).with_name("lying.py")]


@cache
def _program() -> str:
    return program_sha256(basis_files())
