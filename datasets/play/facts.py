"""A round before it is written out: what every seat was dealt, wagered and decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """One seat of a round.

    Attributes:
        seat: its number.
        cards: in the order dealt.
        wagers: cents by wager placed before the deal, in the order in which they are put down.
        made: cents of the wager made after the cards were seen (Play, Bet, Raise), 0 = folded or no such wager.
        street: at which decision it was made, 1 where there is but one.
        withdrawn: wagers taken back (Let It Ride).
        stacked: wagers put down as a stack, so that no camera above can tell their amount.
    """

    seat: int
    cards: tuple[str, ...]
    wagers: Mapping[str, int]
    made: int = 0
    street: int = 1
    withdrawn: frozenset[str] = frozenset()
    stacked: frozenset[str] = frozenset()

    def with_wager(self, wager: str, cents: int) -> SeatFacts:
        """The same seat with another amount on one wager."""
        return replace(self, wagers={**self.wagers, wager: cents})


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """A round.

    Attributes:
        seats: in the order in which they are dealt to.
        shared: cards of no player, by the group of their areas ("community", "dealer", "six_cards", "extra").
        stub: what is left of the deck, in its order.
        paytables: chosen in the Rules Submission.
        corrected: seat and wager that is put down in two goes.
        bumped: area in which the dealer moves a card by a few millimetres.
    """

    seats: tuple[SeatFacts, ...]
    shared: Mapping[str, tuple[str, ...]]
    stub: tuple[str, ...]
    paytables: Mapping[str, str]
    corrected: frozenset[tuple[int, str]] = field(default_factory=frozenset)
    bumped: str | None = None

    def with_seat(self, changed: SeatFacts) -> RoundFacts:
        """The same round with one seat's facts exchanged."""
        return replace(self, seats=tuple(changed if s.seat == changed.seat else s for s in self.seats))

    def seat(self, number: int) -> SeatFacts:
        """The facts of a seat."""
        return next(s for s in self.seats if s.seat == number)


Owed = Mapping[int, Mapping[str, int | None]]
"""Winnings in cents by seat and standing wager; 0 is a push, None a loss."""
