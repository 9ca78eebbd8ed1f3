"""What the simulator needs to know of a game, and how a round of it is drawn, with a mistake or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from datasets.play.chips import MAX_CHIPS, chips_for, payable
from datasets.play.deal import DECK
from datasets.play.facts import Owed, RoundFacts, SeatFacts
from datasets.play.script import LateBet, Pay, Placement, PlaceWagers, Play, Script

Plant = Callable[["Game", RoundFacts, np.random.Generator], Script | None]
"""Puts a mistake into a round and gives its script, None where the round has no place for it."""
TRIES = 2000


@dataclass(frozen=True, slots=True)
class PlantKind:
    """A kind of mistake: its name, what goes wrong, the checks it must lead to (one of them per round)."""

    name: str
    text: str
    checks: tuple[str, ...]
    apply: Plant


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
        own: mistakes that only this game knows.
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

    def check(self, name: str) -> str:
        """A check id of this game, e.g. "RIU-MS-ORDER"."""
        return f"{self.prefix}-{name}"


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
