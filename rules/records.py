"""What a round is made of: events in order, each card and each wager followed through them, and the record left when it is over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    CoverageGap,
    Event,
    Face,
    HandOver,
    PayoutPlaced,
    Side,
    StackPlaced,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.findings import Verdict

CARD_EVENTS = (CardPlaced, CardTurned, CardRead, CardMoved, CardRemoved)
_BY_HANDS = (WagerPlaced, WagerIncreased, WagerDecreased, WagerRemoved)
WAGER_EVENTS = (*_BY_HANDS, PayoutPlaced)
_IN_AREAS = (*CARD_EVENTS, *WAGER_EVENTS, StackPlaced, HandOver, CoverageGap)
VERDICT_CONFIDENCE = 0.5
"""What rests on an event less sure than this is undetermined, breach and compliance alike."""


@dataclass(frozen=True, slots=True)
class Step:
    """An event with its number in the order of arrival, counted from 0; `t_s` is its capture time."""

    index: int
    event: Event
    t_s: float = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "t_s", self.event.t_s)

    @property
    def since_s(self) -> float:
        """The earliest at which it can have happened."""
        return self.t_s if self.event.earliest_s is None else self.event.earliest_s

    @property
    def area(self) -> str | None:
        """The area of the layout where it happened; None of an event that names none."""
        return self.event.area if isinstance(self.event, _IN_AREAS) else None

    @property
    def by(self) -> Side | None:
        """Whose hand changed a wager; None where that was not made out, and of other events."""
        return self.event.by if isinstance(self.event, _BY_HANDS) else None

    @property
    def side(self) -> Side | None:
        """Whose hand was over an area; None where that was not made out, and of other events."""
        return self.event.side if isinstance(self.event, HandOver) else None

    def told_with(self, **changes: Any) -> Step:
        """The same, its event told with other fields."""
        return Step(self.index, replace(self.event, **changes))


@dataclass(slots=True)
class CardSeen:
    """One physical card of the round, followed by its id.

    Attributes:
        home: the area it was dealt to.
        area: where it lies now, None when it left the table.
        face_placed: the side up when it came to rest first.
        card: its identity where read; None also after two readings that contradict each other.
        turned: the first time it was turned face up.
        removed: when it left for good.
        to_area: where it went then, where seen.
        back: the colour of its back, where seen.
        proven_late: it was only probable until its hand lay shown; that it was dealt is sure since, which side up it came is not.
    """

    card_id: int
    home: str
    area: str | None
    placed: Step
    face_placed: Face
    face: Face
    card: str | None = None
    read: Step | None = None
    contradicted: bool = False
    turned: Step | None = None
    removed: Step | None = None
    to_area: str | None = None
    back: str | None = None
    proven_late: bool = False

    def name(self, card: str | None, step: Step) -> None:
        """Take in a reading of its face."""
        if card is None or self.contradicted:
            return
        if self.card is not None and card != self.card and not isinstance(step.event, CardRead):
            self.card, self.contradicted = None, True
            return
        self.card, self.read = card, step

    @property
    def steps(self) -> tuple[Step, ...]:
        """The events that tell of it."""
        steps = (self.placed, self.turned, self.read)
        return tuple(dict.fromkeys(step for step in steps if step is not None))


@dataclass(slots=True)
class Wager:
    """Chips in one betting area from the moment they were placed until all left.

    Attributes:
        totals: every event that said how much lies there, with the amount in cents or None where unknown.
        payouts: chips the dealer added while settling.
        removed: the event with which all chips left, or None.
        carried: it lay there already when the round before ended.
        gone_unseen: chips were placed in the area anew, so these had left without being seen to.
    """

    area: str
    placed: Step
    totals: list[tuple[Step, int | None]]
    payouts: list[Step] = field(default_factory=list)
    removed: Step | None = None
    carried: bool = False
    gone_unseen: Step | None = None

    @property
    def end_s(self) -> float:
        """When its chips had left, seen or not; infinite while they lie there."""
        end = self.removed or self.gone_unseen
        return float("inf") if end is None else end.t_s

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every event of it, in order."""
        own = [step for step, _ in self.totals] + self.payouts + ([self.removed] if self.removed else [])
        return tuple(sorted(own, key=lambda step: step.index))

    def amount_at(self, t_s: float) -> int | None:
        """Cents that lay there at a time, without payouts; None where unknown."""
        best = self.totals[0]
        for item in self.totals[1:]:
            if item[0].t_s <= t_s:
                best = item
        return best[1]

    @property
    def stake_cents(self) -> int | None:
        """Cents at stake when settling began: the last total before the first payout."""
        if not self.payouts:
            return self.totals[-1][1]
        before = [amount for step, amount in self.totals if step.index < self.payouts[0].index]
        return before[-1] if before else None

    @property
    def paid_cents(self) -> int | None:
        """Cents the dealer added, 0 where nothing was added, None where an amount is unknown."""
        first = self.payouts[0].index if self.payouts else None
        late = [amount for step, amount in self.totals if first is not None and step.index > first]
        if late:
            stake = self.stake_cents
            return None if late[-1] is None or stake is None else max(0, late[-1] - stake)
        paid = 0
        for step in self.payouts:
            assert isinstance(step.event, PayoutPlaced)
            if step.event.amount_cents is None:
                return None
            paid += step.event.amount_cents
        return paid

    @property
    def taken_by(self) -> Side | None:
        """Whose hand took it away, None where it lies there still or where it was not seen."""
        return self.removed.event.by if self.removed and isinstance(self.removed.event, WagerRemoved) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutRecord:
    """One settled wager of a round.

    Attributes:
        stake_cents: what was at stake, None where unknown.
        outcome: what it should have been (win, lose, push), "" where the cards are not known.
        owed_cents: winnings owed without the stake, None where unknown.
        paid_cents: winnings paid, None where unknown.
        way: the way to the amount in words.
        due_cents: all that must go back to the player, the stake included, None where unknown.
        returned_cents: all that went back, None where unknown.
        hand, odds, why, citation: as in the settlement, "" where the cards are not known.
    """

    seat: int
    wager: str
    stake_cents: int | None
    outcome: str
    owed_cents: int | None
    paid_cents: int | None
    verdict: Verdict
    way: str
    due_cents: int | None = None
    returned_cents: int | None = None
    hand: str = ""
    odds: str = ""
    why: str = ""
    citation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """A seat of a finished round: its cards where read (None where not), its wagers in cents, and whether it folded."""

    seat: int
    cards: tuple[str | None, ...]
    wagers: tuple[tuple[str, int | None], ...]
    folded: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRecord:
    """A finished round.

    Attributes:
        complete: the cards were seen to leave the table; False for a round cut off by the end of the events or by the
            next one.
        community: the community cards in the order in which they were turned, None where not read.
        dealer: the dealer's cards in the order in which they were dealt, None where not read.
    """

    round_id: str
    number: int
    opened_s: float
    closed_s: float
    complete: bool
    seats: tuple[SeatRecord, ...]
    community: tuple[str | None, ...]
    payouts: tuple[PayoutRecord, ...] = ()
    dealer: tuple[str | None, ...] = ()
