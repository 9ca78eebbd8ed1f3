"""What a check is, what it is given, and the words in which it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypedDict, TypeVar, Unpack

from rules.checks.face_up import voiding
from rules.checks.memory import Memory
from rules.events import CoverageGap, DeviceJammed, Event
from rules.findings import Severity, Verdict
from rules.records import Step
from rules.rounds import Round
from rules.table import TableConfig

E = TypeVar("E", bound=Event)


@dataclass(slots=True)
class Context:
    """What a check is given.

    Attributes:
        round: the books of the round.
        memory: what is carried from round to round.
        closing: the round is over, so this is the last time the check is asked.
        breaches: checks that ended in a breach in this round, with the times at which they did.
        voiding: checks after whose breach the chapter voids the round.
        voided: those whose breach says itself that it voids the round (`Outcome.voids`).
    """

    round: Round
    memory: Memory
    closing: bool = False
    breaches: dict[str, float] = field(default_factory=dict)
    voiding: frozenset[str] = frozenset()
    voided: dict[str, float] = field(default_factory=dict)

    @property
    def table(self) -> TableConfig:
        """The table's configuration."""
        return self.round.table

    def reported(self, kind: str) -> bool:
        """Whether the table's sources are sure to tell of this kind of event, so that its absence means something."""
        return kind in self.table.reports

    def outside(self, kind: type[E]) -> list[tuple[Step, E]]:
        """Events of the round of a kind from outside the layout's areas, with their steps, in order of arrival."""
        return [(step, step.event) for step in self.round.external if isinstance(step.event, kind)]

    @property
    def void_due(self) -> bool:
        """The law voids this round: wagers are to be returned, so payouts are no longer judged as breaches."""
        return bool(self.voided) or any(name in self.breaches for name in self.voiding) or bool(self._voided_by)

    @property
    def _voided_by(self) -> list[Step]:
        """Events since the first card that void the round: a second card found face up (.13(a)), a community card exposed (669a.13(d)), the floor's word, or a jam of the automated shoe (.13(f)); a shuffler's
        voids none (.13(e))."""
        first, automated = self.round.first_card, self.table.dealing == "automated_shoe"
        found = voiding(self.round)[:1]
        found += [step for step, _ in self.round.flashed]
        return found + [
            step
            for step in self.round.external
            if first is not None
            and step.t_s >= first.t_s
            and (
                getattr(step.event, "decision", None) == "void_round"
                or (isinstance(step.event, DeviceJammed) and step.event.device == "shoe" and automated)
            )
        ]

    @property
    def void_since_s(self) -> float:
        """When it was first known that the law voids this round; infinite where it does not."""
        times = [t_s for name, t_s in self.breaches.items() if name in self.voiding or name in self.voided]
        times += [step.t_s for step in self._voided_by]
        return min(times, default=float("inf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a check ended, before it becomes a finding.

    Attributes:
        steps: the events on which it rests.
        beside: events that are shown with it, on which it does not rest.
        alternatives: other admissible readings, as "name=value", under which this breach is none.
        told: reports that need not be made again.
        voids: the chapter voids the round after this breach, which it does not after every breach of the check.
        orderless: which of its events came first makes no difference.
        severity: what this breach weighs, where that is not what breaches of the check weigh.
    """

    verdict: Verdict
    expected: str = ""
    seen: str = ""
    missing: str = ""
    steps: tuple[Step, ...] = ()
    beside: tuple[Step, ...] = ()
    seat: int | None = None
    area: str | None = None
    owed_cents: int | None = None
    paid_cents: int | None = None
    readings: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    voids: bool = False
    orderless: bool = False
    severity: Severity | None = None


class Details(TypedDict, total=False):
    """What an outcome may say beside its words and the events on which it rests; see `Outcome`."""

    beside: tuple[Step, ...]
    seat: int | None
    area: str | None
    owed_cents: int | None
    paid_cents: int | None
    readings: tuple[str, ...]
    told: tuple[str, ...]
    alternatives: tuple[str, ...]
    voids: bool
    orderless: bool
    severity: Severity | None


Judge = Callable[[Context, int], Outcome | None]
"""Judges a round for a seat (0 for the whole table), changing nothing; None while it is too early to say."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the catalogue.

    Attributes:
        check_id: its row.
        judge: how it judges.
        per_seat: asked for every seat in the round.
        skipped: asked, once the round is over, for the other seats of the table too.
        at_close: asked only when the round is over.
        by_names: of a card it asks nothing but which one it is, so that it may be judged with each that a card can be.
        scope: what tells its findings apart from those of another check of the same row; goes into their ids.
    """

    check_id: str
    judge: Judge
    per_seat: bool = False
    at_close: bool = False
    by_names: bool = False
    scope: str | None = None
    skipped: bool = False


def compliant(expected: str, seen: str, steps: Iterable[Step | None] = (), **details: Unpack[Details]) -> Outcome:
    """The law was kept."""
    return Outcome(verdict=Verdict.COMPLIANT, expected=expected, seen=seen, steps=_in_order(steps), **details)


def breach(expected: str, seen: str, steps: Iterable[Step | None] = (), **details: Unpack[Details]) -> Outcome:
    """The law was broken, on positive evidence."""
    return Outcome(verdict=Verdict.BREACH, expected=expected, seen=seen, steps=_in_order(steps), **details)


def undetermined(expected: str, missing: str, steps: Iterable[Step | None] = (), **details: Unpack[Details]) -> Outcome:
    """Cannot be said; `missing` names the evidence that would decide it."""
    return Outcome(verdict=Verdict.UNDETERMINED, expected=expected, missing=missing, steps=_in_order(steps), **details)


@lru_cache(maxsize=1024)
def not_applicable(why: str) -> Outcome:
    """Nothing to judge."""
    return Outcome(verdict=Verdict.NOT_APPLICABLE, seen=why)


def _in_order(steps: Iterable[Step | None]) -> tuple[Step, ...]:
    """Each event once, in the order of arrival."""
    return tuple(sorted({step.index: step for step in steps if step is not None}.values(), key=lambda step: step.index))


def absent(ctx: Context, expected: str, kind: str, what: str, since_s: float, until_s: float) -> Outcome | None:
    """Undetermined where an event that did not come in proves nothing, None where its absence means that it did not happen.

    Args:
        kind: the kind of event that would have told of it.
        what: what it would have told, in words, for the text.
        since_s: begin of the time in which it should have come.
        until_s: its end.
    """
    if not ctx.reported(kind):
        return undetermined(expected, f"{what}; no source at this table tells of it")
    for step in ctx.memory.gaps:
        event = step.event
        assert isinstance(event, CoverageGap)
        if event.area is None and event.since_s <= until_s and event.t_s >= since_s:
            return undetermined(
                expected, f"{what}; nothing was seen from {event.since_s:.1f} s to {event.t_s:.1f} s", [step]
            )
    return None


def hidden(ctx: Context, expected: str, areas: Iterable[str], since_s: float, until_s: float) -> Outcome | None:
    """Undetermined where a coverage gap lies over what the check rests on, else None."""
    step = ctx.round.gap(areas, since_s, until_s)
    if step is None:
        return None
    event = step.event
    assert isinstance(event, CoverageGap)
    where = event.area or "the whole table"
    text = f"nothing was seen of {where} from {event.since_s:.1f} s to {event.t_s:.1f} s ({event.cause.value})"
    return undetermined(expected, text, [step])


def street_name(street: int) -> str:
    """The box of a community card, e.g. "4th Street"."""
    return ("4th Street", "5th Street", "6th Street")[street - 1]


def seats_in_words(seats: Iterable[int]) -> str:
    """Seats as text, e.g. "seats 1, 2"."""
    listed = list(seats)
    return f"seat{'s' if len(listed) != 1 else ''} {', '.join(map(str, listed))}" if listed else "no seat"
