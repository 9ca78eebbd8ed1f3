"""A round as a list of acts, in the order in which the dealer and the players carry them out.

Plants edit this list (or the facts it is written from); `choreography` turns it into motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.play.deal import shuffled_deck
from datasets.play.players import Decision, Wagers, choose_wagers, decide
from datasets.play.settle import winnings

STREETS = ("4th", "5th", "6th")


@dataclass(frozen=True, slots=True)
class Placement:
    """Chips put on one betting area in one go; a second one of the same area adds to the first."""

    seat: int
    wager: str
    cents: int
    stacked: bool = False


@dataclass(frozen=True, slots=True)
class PlaceWagers:
    """All players place their wagers, at the same time, each in the order given."""

    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class NoMoreBets:
    """The dealer announces it."""


@dataclass(frozen=True, slots=True)
class DealCard:
    """One card from the shoe to an area."""

    card: str
    area: str
    face_up: bool = False


@dataclass(frozen=True, slots=True)
class RackStub:
    """The rest of the deck goes from the shoe to the discard rack."""


@dataclass(frozen=True, slots=True)
class Examine:
    """These seats look at their cards, more or less at once."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A tap over the cards."""

    seat: int


@dataclass(frozen=True, slots=True)
class Play:
    """The Play Wager."""

    placement: Placement


@dataclass(frozen=True, slots=True)
class Fold:
    """The player pushes the cards forward."""

    seat: int


@dataclass(frozen=True, slots=True)
class LateBet:
    """A player adds chips when nothing may be added any more."""

    placement: Placement


@dataclass(frozen=True, slots=True)
class TurnCommunity:
    """The dealer turns the card in this box."""

    area: str


@dataclass(frozen=True, slots=True)
class RevealHand:
    """The dealer turns a seat's cards and spreads them."""

    seat: int


@dataclass(frozen=True, slots=True)
class Collect:
    """The dealer takes all chips of these areas of a seat to the tray, one after the other in one sweep."""

    seat: int
    wagers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pay:
    """The dealer adds chips beside a wager."""

    seat: int
    wager: str
    cents: int


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The player takes everything that is left, beside what the dealer does next."""

    seat: int


@dataclass(frozen=True, slots=True)
class RackCards:
    """The dealer takes the cards of these areas to the discard rack, in this order."""

    areas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bump:
    """A sleeve or finger moves one card at rest by a few millimetres."""

    area: str


Act = (
    PlaceWagers | NoMoreBets | DealCard | RackStub | Examine | Check | Play | Fold | LateBet | TurnCommunity
    | RevealHand | Collect | Pay | TakeBack | RackCards | Bump
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """A finding that a step must lead to; not `required`: it follows from the mistake and may be reported too."""

    check_id: str
    seat: int | None = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One act and the findings whose moment it is."""

    act: Act
    findings: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """What one seat was dealt, wagered and decided; `play` is the Play Wager in cents, 0 when folded."""

    seat: int
    cards: tuple[str, ...]
    wagers: Wagers
    street: int
    play: int
    stacked: frozenset[str] = frozenset()

    @property
    def folded(self) -> bool:
        """No Play Wager was made."""
        return self.play == 0


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """A round before it is written out."""

    seats: tuple[SeatFacts, ...]
    community: tuple[str, str, str]
    stub: tuple[str, ...]
    paytables: Mapping[str, str]
    corrected: frozenset[tuple[int, str]] = field(default_factory=frozenset)
    bumped: str | None = None

    def with_seat(self, changed: SeatFacts) -> RoundFacts:
        """The same round with one seat's facts exchanged."""
        return replace(self, seats=tuple(changed if s.seat == changed.seat else s for s in self.seats))

    def owed(self, seat: SeatFacts) -> dict[str, int | None]:
        """Winnings in cents by wager standing at settlement; 0 is a push, None a loss."""
        stakes = seat.wagers.placed()
        if seat.folded:
            stakes = {wager: cents for wager, cents in stakes.items() if wager not in ("ante", "blind")}
        else:
            stakes["play"] = seat.play
        return winnings(stakes, seat.cards[:3], self.community, self.paytables)


def draw_round(rng: np.random.Generator, seats: Iterable[int], paytables: Mapping[str, str]) -> RoundFacts:
    """A dealt and decided round of honest players, with now and then a stack, a corrected wager or a bumped card."""
    numbers = sorted(seats)
    deck = shuffled_deck(rng)
    n = len(numbers)
    community = (deck[3 * n], deck[3 * n + 1], deck[3 * n + 2])
    players: list[SeatFacts] = []
    corrected: set[tuple[int, str]] = set()
    for place, number in enumerate(numbers):
        cards = (deck[place], deck[n + place], deck[2 * n + place])
        wagers = choose_wagers(rng)
        decision: Decision = decide(cards, community, wagers, rng)
        placed = [*wagers.placed(), "play"]
        stacked = frozenset(wager for wager in placed if rng.random() < 0.03)
        if rng.random() < 0.08 and wagers.blind in (1000, 2000, 3000, 5000, 6000):
            corrected.add((number, "blind"))
        players.append(SeatFacts(number, cards, wagers, decision.street, decision.multiple * wagers.ante, stacked))
    bumped = f"seat{rng.choice(numbers)}.cards" if rng.random() < 0.25 else None
    return RoundFacts(tuple(players), community, deck[3 * n + 3 :], paytables, frozenset(corrected), bumped)


def write_script(facts: RoundFacts) -> list[Step]:
    """The acts of the round as the law wants them, from the first wager to the last card racked."""
    acts: list[Act] = [PlaceWagers(_placements(facts)), NoMoreBets()]
    acts += [DealCard(s.cards[i], f"seat{s.seat}.cards") for i in range(3) for s in facts.seats]
    acts += [DealCard(card, f"community.{box}") for card, box in zip(facts.community, STREETS, strict=True)]
    acts += [RackStub(), Examine(tuple(s.seat for s in facts.seats))]
    if facts.bumped is not None:
        acts.append(Bump(facts.bumped))
    for street, box in enumerate(STREETS, start=1):
        for seat in facts.seats:
            acts += _decision(seat, street)
        acts.append(TurnCommunity(f"community.{box}"))
    standing: list[str] = []
    for seat in reversed(facts.seats):
        if seat.folded and not seat.wagers.six_card_bonus:
            continue
        standing.append(f"seat{seat.seat}.cards")
        acts += settle_seat(facts, seat)
    acts.append(RackCards((*standing, *(f"community.{box}" for box in STREETS))))
    return [Step(act) for act in acts]


def _placements(facts: RoundFacts) -> tuple[Placement, ...]:
    out: list[Placement] = []
    for s in facts.seats:
        for wager, cents in s.wagers.placed().items():
            if (s.seat, wager) in facts.corrected:
                out += [Placement(s.seat, wager, cents // 2 // 500 * 500)]
                out += [Placement(s.seat, wager, cents - out[-1].cents)]
            else:
                out.append(Placement(s.seat, wager, cents, wager in s.stacked))
    return tuple(out)


def _decision(seat: SeatFacts, street: int) -> list[Act]:
    if seat.street < street:
        return []
    if seat.street > street:
        return [Check(seat.seat)]
    if seat.folded:
        acts: list[Act] = [Fold(seat.seat), Collect(seat.seat, ("ante", "blind"))]
        return acts if seat.wagers.six_card_bonus else [*acts, RackCards((f"seat{seat.seat}.cards",))]
    return [Play(Placement(seat.seat, "play", seat.play, "play" in seat.stacked))]


def settle_seat(facts: RoundFacts, seat: SeatFacts) -> list[Act]:
    """Turn the cards, then Pair Plus, then Ante, Play and Blind, then Six Card Bonus (669a.11(i))."""
    acts: list[Act] = [RevealHand(seat.seat)]
    for group in (("pair_plus",), ("ante", "play", "blind"), ("six_card_bonus",)):
        owed = {wager: cents for wager, cents in facts.owed(seat).items() if wager in group}
        lost = tuple(wager for wager, cents in owed.items() if cents is None)
        if lost:
            acts.append(Collect(seat.seat, lost))
        acts += [Pay(seat.seat, wager, cents) for wager, cents in owed.items() if cents]
    if any(cents is not None for cents in facts.owed(seat).values()):
        acts.append(TakeBack(seat.seat))
    return acts
