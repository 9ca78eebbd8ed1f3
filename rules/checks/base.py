"""What a check is, what it is given, and the words in which it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rules.events import CoverageGap, DeckChanged, DeviceJammed, ShufflerCounted, StubCounted
from rules.findings import Verdict
from rules.rounds import Round, Step
from rules.table import TableConfig


@dataclass(slots=True)
class Memory:
    """What is carried from round to round.

    Attributes:
        rounds_since_stub: rounds finished since the stub was counted.
        stub_reported: stub counts have come in before, so that their absence means something.
        deck_since: the event that brought the deck now in play, None where it was not seen.
        deck_reported: the deck in play was already reported as too old.
        bad_count: the shuffler's count that was not right, until the deck is changed or counted right.
    """

    rounds_since_stub: int = 0
    stub_reported: bool = False
    deck_since: Step | None = None
    deck_reported: bool = False
    bad_count: Step | None = None

    def note(self, step: Step, deck_cards: int) -> None:
        """Take in an event from outside the camera."""
        event = step.event
        if isinstance(event, StubCounted):
            self.stub_reported = True
        elif isinstance(event, DeckChanged):
            self.deck_since, self.deck_reported, self.bad_count = step, False, None
        elif isinstance(event, ShufflerCounted):
            self.bad_count = None if event.count == deck_cards else step


@dataclass(slots=True)
class Context:
    """What a check is given.

    Attributes:
        round: the books of the round.
        memory: what is carried from round to round.
        closing: the round is over, so this is the last time the check is asked.
        breaches: checks that ended in a breach in this round, with the times at which they did.
        voided: those whose breach says itself that it voids the round (`Outcome.voids`).
    """

    round: Round
    memory: Memory
    closing: bool = False
    breaches: dict[str, float] = field(default_factory=dict)
    voided: dict[str, float] = field(default_factory=dict)

    @property
    def table(self) -> TableConfig:
        """The table's configuration."""
        return self.round.table

    @property
    def void_due(self) -> bool:
        """The law voids this round: wagers are to be returned, so payouts are no longer judged as breaches."""
        return (
            bool(self.voided)
            or any(name in VOIDING or name.partition("-")[2] in VOIDING for name in self.breaches)
            or any(
                getattr(step.event, "decision", None) == "void_round" or isinstance(step.event, DeviceJammed)
                for step in self.round.external
            )
        )


VOIDING = (
    "C1-WHEN", "C2-WHEN", "C3-WHEN", "REVEAL-WHEN", "IRR-EXPOSED", "IRR-COUNT", "IRR-COUNT-DLR", "IRR-SHOEJAM",
)  # fmt: skip
"""Breaches after which the chapter voids the round, without the game's prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a check ended, before it becomes a finding.

    Attributes:
        alternatives: other admissible readings, as "name=value", under which this breach is none.
        voids: the chapter voids the round after this breach, which it does not after every breach of the check.
    """

    verdict: Verdict
    expected: str = ""
    seen: str = ""
    missing: str = ""
    steps: tuple[Step, ...] = ()
    seat: int | None = None
    area: str | None = None
    owed_cents: int | None = None
    paid_cents: int | None = None
    readings: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    voids: bool = False


Judge = Callable[[Context, int], Outcome | None]
"""Judges a round for a seat (0 for the whole table); None while it is too early to say."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the catalogue; `per_seat` checks are asked for every seat in the round."""

    check_id: str
    judge: Judge
    per_seat: bool = False


def compliant(expected: str, seen: str, steps: Iterable[Step | None] = (), **more: object) -> Outcome:
    """The law was kept."""
    return _outcome(Verdict.COMPLIANT, expected, seen, steps, more)


def breach(expected: str, seen: str, steps: Iterable[Step | None] = (), **more: object) -> Outcome:
    """The law was broken, on positive evidence."""
    return _outcome(Verdict.BREACH, expected, seen, steps, more)


def undetermined(expected: str, missing: str, steps: Iterable[Step | None] = (), **more: object) -> Outcome:
    """Cannot be said; `missing` names the evidence that would decide it."""
    return _outcome(Verdict.UNDETERMINED, expected, "", steps, {**more, "missing": missing})


def not_applicable(why: str) -> Outcome:
    """Nothing to judge."""
    return Outcome(verdict=Verdict.NOT_APPLICABLE, seen=why)


def _outcome(
    verdict: Verdict, expected: str, seen: str, steps: Iterable[Step | None], more: dict[str, object]
) -> Outcome:
    kept = sorted({step.index: step for step in steps if step is not None}.values(), key=lambda step: step.index)
    return Outcome(verdict=verdict, expected=expected, seen=seen, steps=tuple(kept), **more)  # type: ignore[arg-type]


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
