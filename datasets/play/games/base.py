"""What the simulator needs to know of a game, and how a round of it is drawn, with a mistake or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datasets.play.chips import MAX_CHIPS, chips_for, payable
from datasets.play.deal import DECK
from datasets.play.facts import Owed, RoundFacts, SeatFacts
from datasets.play.script import (
    DealCard,
    DealStack,
    LateBet,
    Pay,
    Placement,
    PlaceWagers,
    Play,
    RackStub,
    Script,
    Step,
    find,
)  # fmt: skip
from rules.catalogue import METHODS

Plant = Callable[["Game", RoundFacts, np.random.Generator], Script | None]
"""Puts a mistake into a round and gives its script, None where the round has no place for it."""
TRIES = 2000
DEALING = ("manual_shoe", "hand", "automated_shoe")
"""How cards are dealt: .8, .9 and .10 of each chapter."""
SINGLY = DEALING[:2]
"""Methods that deal single cards."""


@dataclass(frozen=True, slots=True)
class PlantKind:
    """A kind of mistake.

    Attributes:
        name: the same in every game that knows it.
        text: what goes wrong.
        checks: one of them it must lead to, as they are called where the cards come from a manual shoe.
        apply: puts it into a round.
        dealing: methods of dealing under which it can happen.
    """

    name: str
    text: str
    checks: tuple[str, ...]
    apply: Plant
    dealing: tuple[str, ...] = DEALING


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game as it is simulated.

    Attributes:
        name: one of `rules.law.GAMES`.
        prefix: of its check ids.
        layout: name of its layout.
        paytables: the Rules Submission's choice.
        hand_cards: cards of a player.
        card_step_mm: how far apart the cards of a seat come to lie, least and most.
        deal_order: the check of the order in which seats are dealt to, without prefix.
        base: the wagers that a player must place.
        sides: wagers before the deal that a late bet is added to.
        draw: a dealt and decided round of honest players.
        write: the round as the law wants it, from the first wager to the last card racked.
        owed: what every standing wager wins at settlement.
        check_of: the check that judges what is paid on a wager of a seat.
        follows: checks that may be reported too, by the check a plant leads to, all without prefix.
        deck: all cards.
        passes: a seat gets one card at a time, in passes; otherwise all its cards at once.
        submission: further keys of the table file's `rules_submission`.
        readings: switches of the table file.
        dealer_signals: dealers' hands over areas of seats are told as well.
        own: mistakes that can be planted.
        dealing: how cards are dealt.
        renamed: checks with a name of their own, by method of dealing; others change "MS" only.
        stacks: turns a script of single cards into one of stacks.
    """

    name: str
    prefix: str
    layout: str
    paytables: Mapping[str, str]
    hand_cards: int
    card_step_mm: tuple[float, float]
    deal_order: str
    base: tuple[str, ...]
    sides: tuple[str, ...]
    draw: Callable[[np.random.Generator, Iterable[int], Mapping[str, str]], RoundFacts]
    write: Callable[[RoundFacts], Script]
    owed: Callable[[RoundFacts], Owed]
    check_of: Callable[[RoundFacts, SeatFacts, str], str]
    follows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    deck: tuple[str, ...] = DECK
    passes: bool = True
    submission: Mapping[str, Any] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    dealer_signals: bool = True
    own: tuple[PlantKind, ...] = ()
    dealing: str = DEALING[0]
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    stacks: Callable[[RoundFacts, Script], Script]

    def check(self, name: str) -> str:
        """A check id of this game, e.g. "RIU-MS-ORDER", as it is called under the method of dealing."""
        name = self.renamed.get(self.dealing, {}).get(name, name)
        letters, _, rest = name.partition("-")
        return f"{self.prefix}-{METHODS[self.dealing]}-{rest}" if letters == "MS" else f"{self.prefix}-{name}"

    def dealt(self, dealing: str) -> Game:
        """The same game under another method of dealing."""
        if dealing != "automated_shoe":
            return replace(self, dealing=dealing)
        write, stacks = self.write, self.stacks
        return replace(self, dealing=dealing, write=lambda facts: stacks(facts, write(facts)))


def in_stacks(script: Script, hand_cards: int, more: Script) -> Script:
    """A script whose single cards are dealt as one stack a seat, clockwise, then `more` for the other cards."""
    deals = find(script, lambda act: isinstance(act, DealCard))
    hands: dict[str, list[str]] = {}
    for i in deals:
        act = script[i].act
        if isinstance(act, DealCard) and act.area.startswith("seat"):
            hands.setdefault(act.area, []).append(act.card)
    assert all(len(cards) == hand_cards for cards in hands.values())
    seats = [Step(DealStack(tuple(cards), area)) for area, cards in hands.items()]
    stub = find(script, lambda act: isinstance(act, RackStub))[0]
    return [*script[: deals[0]], *seats, *more, *script[stub:]]


def plan_round(
    game: Game, rng: np.random.Generator, seats: Iterable[int], plant: PlantKind | None
) -> tuple[RoundFacts, Script]:
    """A round with a plant, or an honest one; drawn again until it has a place for the plant and chips for its payouts.

    Raises:
        ValueError: no round of these seats has a place for the plant.
    """
    numbers = tuple(seats)
    for _ in range(TRIES):
        facts = game.draw(rng, numbers, game.paytables)
        script = game.write(facts) if plant is None else plant.apply(game, facts, rng)
        if script is not None and _chips_fit(script) and (plant is None or _seen(facts, script)):
            return facts, script
    name = plant.name if plant else None
    raise ValueError(f"no round with seats {numbers} has a place for the plant {name!r}")


def _chips_fit(script: Script) -> bool:
    """Whether every wager, with what is added to it later, and every payout is few enough chips."""
    placed: list[Placement] = []
    payouts: list[int] = []
    for step in script:
        act = step.act
        if isinstance(act, PlaceWagers):
            placed += act.placements
        elif isinstance(act, Play | LateBet):
            placed.append(act.placement)
        elif isinstance(act, Pay):
            payouts.append(act.cents)
    if not all(payable(cents) for cents in (*payouts, *(p.cents for p in placed))):
        return False
    rows: dict[tuple[int, str], list[int]] = {}
    for p in placed:
        rows.setdefault((p.seat, p.wager), []).append(len(chips_for(p.cents)))
    # A row that grows does not stay in the middle of its area, so there is room for one chip less.
    return all(sum(row) <= MAX_CHIPS - (len(row) > 1) for row in rows.values())


def _seen(facts: RoundFacts, script: Script) -> bool:
    """Whether no stack hides the amounts of the seats with which something is wrong."""
    wrong = {found.seat for step in script for found in step.findings}
    by_seat: Mapping[int, SeatFacts] = {s.seat: s for s in facts.seats}
    return not any(by_seat[seat].stacked for seat in wrong if seat is not None)
