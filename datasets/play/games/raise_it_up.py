"""Raise It Up Stud as it is simulated (58 Pa. Code Chapter 669a)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datasets.play import plants
from datasets.play.chips import payable
from datasets.play.deal import rank_of, shuffled_deck, suit_of
from datasets.play.facts import Owed, RoundFacts, SeatFacts
from datasets.play.games.base import SINGLY, Game, PlantKind, in_stacks
from datasets.play.players import ANTES, SIDE_WAGERS
from datasets.play.script import (
    Act,
    Bump,
    Check,
    Collect,
    DealCard,
    DealStack,
    Examine,
    Expected,
    Fold,
    NoMoreBets,
    Placement,
    PlaceWagers,
    Play,
    RackCards,
    RackStub,
    Script,
    Step,
    TurnCommunity,
    find,
    placements,
    settle_seat,
    steps,
)  # fmt: skip
from datasets.play.settle import ORDER_FIVE, best_of_six, three_card_hand, winnings

STREETS = ("4th", "5th", "6th")
BOXES = tuple(f"community.{box}" for box in STREETS)
CHECK_OF_WAGER = {
    "pair_plus": "RIU-SET-PP", "ante": "RIU-SET-ANTE", "play": "RIU-SET-PLAY", "blind": "RIU-SET-BLIND",
    "six_card_bonus": "RIU-SET-SCB",
}  # fmt: skip
"""The check that judges the payout of each wager."""
GROUPS = (("pair_plus",), ("ante", "play", "blind"), ("six_card_bonus",))
"""Wagers in the order in which a seat is settled (669a.11(i))."""


@dataclass(frozen=True, slots=True)
class Decision:
    """When a seat plays: `street` 1..3 and the multiple of the ante, or `multiple` 0 = folded at the third."""

    street: int
    multiple: int


def choose_wagers(rng: np.random.Generator) -> dict[str, int]:
    """A player's wagers before the deal, in the order in which players put them down."""
    ante = int(rng.choice(ANTES))
    side = [int(rng.choice(SIDE_WAGERS)) if rng.random() < chance else 0 for chance in (0.5, 0.35)]
    stakes = {"ante": ante, "blind": ante, "pair_plus": side[0], "six_card_bonus": side[1]}
    return {wager: cents for wager, cents in stakes.items() if cents > 0}


def decide(
    cards: Sequence[str], community: Sequence[str], wagers: Mapping[str, int], rng: np.random.Generator
) -> Decision:
    """When and how much a player plays, knowing the community cards turned so far at each decision."""
    for street in (1, 2, 3):
        strength = _strength(cards, community[: street - 1]) + rng.normal(0.0, 0.12)
        if strength > 0.8:
            return Decision(street, (0, 3, 2, 1)[street] if rng.random() < 0.8 else 1)
    may_fold = "pair_plus" not in wagers or "six_card_bonus" in wagers
    return Decision(3, 0) if strength < 0.35 and may_fold else Decision(3, 1)


def _strength(cards: Sequence[str], community: Sequence[str]) -> float:
    """About 1 when the hand already stands, 0.3-0.7 for a draw, below that for nothing."""
    seen = [*cards, *community]
    ranks = Counter(rank_of(card) for card in seen)
    pair = max((rank for rank, count in ranks.items() if count >= 2), default=0)
    if len(seen) >= 5 and ORDER_FIVE.index(best_of_six(seen)) >= 1:
        return 1.0
    if pair >= 10 or three_card_hand(cards) in ("three-of-a-kind", "straight flush"):
        return 1.0
    suited = max(Counter(suit_of(card) for card in seen).values())
    high = sum(rank >= 10 for rank in ranks)
    return 0.18 * high + (0.3 if pair else 0.0) + 0.08 * (suited - 1) - 0.1 * len(community)


def draw_round(rng: np.random.Generator, seats: Iterable[int], paytables: Mapping[str, str]) -> RoundFacts:
    """A dealt and decided round of honest players, with now and then a stack, a corrected wager or a bumped card."""
    numbers = sorted(seats)
    deck = shuffled_deck(rng)
    n = len(numbers)
    community = deck[3 * n : 3 * n + 3]
    players: list[SeatFacts] = []
    corrected: set[tuple[int, str]] = set()
    for place, number in enumerate(numbers):
        cards = (deck[place], deck[n + place], deck[2 * n + place])
        wagers = choose_wagers(rng)
        decision = decide(cards, community, wagers, rng)
        stacked = frozenset(wager for wager in (*wagers, "play") if rng.random() < 0.03)
        if rng.random() < 0.08 and wagers["blind"] in (1000, 2000, 3000, 5000, 6000):
            corrected.add((number, "blind"))
        made = decision.multiple * wagers["ante"]
        players.append(SeatFacts(number, cards, wagers, made, decision.street, stacked=stacked))
    bumped = f"seat{rng.choice(numbers)}.cards" if rng.random() < 0.25 else None
    shared = {"community": community}
    return RoundFacts(tuple(players), shared, deck[3 * n + 3 :], paytables, frozenset(corrected), bumped)


def owed_to(facts: RoundFacts, seat: SeatFacts) -> dict[str, int | None]:
    """Winnings in cents by wager of a seat standing at settlement; 0 is a push, None a loss."""
    stakes = dict(seat.wagers)
    if seat.made:
        stakes["play"] = seat.made
    else:
        stakes = {wager: cents for wager, cents in stakes.items() if wager not in ("ante", "blind")}
    return winnings(stakes, seat.cards[:3], facts.shared["community"], facts.paytables)


def owed(facts: RoundFacts) -> Owed:
    """What the wagers win of seats that are settled: a folded one only with a Six Card Bonus."""
    standing = [s for s in facts.seats if s.made or "six_card_bonus" in s.wagers]
    return {s.seat: owed_to(facts, s) for s in standing}


def write_script(facts: RoundFacts) -> Script:
    """The acts of the round as the law wants them, from the first wager to the last card racked."""
    acts: list[Act] = [PlaceWagers(placements(facts)), NoMoreBets()]
    acts += [DealCard(s.cards[i], f"seat{s.seat}.cards") for i in range(3) for s in facts.seats]
    acts += [DealCard(card, box) for card, box in zip(facts.shared["community"], BOXES, strict=True)]
    acts += [RackStub(), Examine(tuple(s.seat for s in facts.seats))]
    if facts.bumped is not None:
        acts.append(Bump(facts.bumped))
    for street, box in enumerate(BOXES, start=1):
        for seat in facts.seats:
            acts += _decision(seat, street)
        acts.append(TurnCommunity(box))
    standing: list[str] = []
    for number, wagers in reversed(list(owed(facts).items())):
        standing.append(f"seat{number}.cards")
        acts += settle_seat(facts.seat(number), wagers, GROUPS)
    acts.append(RackCards((*standing, *BOXES)))
    return steps(acts)


def stacks(facts: RoundFacts, script: Script) -> Script:
    """The round dealt from an automated shoe: a stack a seat, then one for the community boxes (669a.10(b))."""
    return in_stacks(script, 3, [Step(DealStack(facts.shared["community"], BOXES[1], BOXES))])


def _decision(seat: SeatFacts, street: int) -> list[Act]:
    if seat.street < street:
        return []
    if seat.street > street:
        return [Check(seat.seat)]
    if not seat.made:
        acts: list[Act] = [Fold(seat.seat), Collect(seat.seat, ("ante", "blind"))]
        return acts if "six_card_bonus" in seat.wagers else [*acts, RackCards((f"seat{seat.seat}.cards",))]
    return [Play(Placement(seat.seat, "play", seat.made, "play" in seat.stacked))]


def check_of(facts: RoundFacts, seat: SeatFacts, wager: str) -> str:
    """The check that judges what is paid on a wager: one for all base wagers of a losing hand."""
    lost = owed_to(facts, seat)[wager] is None
    return "RIU-SET-BASE-L" if lost and wager in ("ante", "blind", "play") else CHECK_OF_WAGER[wager]


def _early_reveal(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A community card is turned before the last seat has decided, which then still acts."""
    script = game.write(facts)
    options = []
    for street, box in enumerate(BOXES, start=1):
        i = next(k for k, step in enumerate(script) if step.act == TurnCommunity(box))
        before = script[i - 1].act
        if isinstance(before, Check) or (street == 3 and isinstance(before, Play)):
            options.append((street, i))
    if not options:
        return None
    street, i = options[int(rng.integers(len(options)))]
    found = (Expected(f"RIU-C{street}-WHEN"), Expected("RIU-IRR-EXPOSED", required=False))
    script[i - 1], script[i] = Step(script[i].act, found), script[i - 1]
    return script


def _wrong_multiple(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A Play Wager of a multiple of the ante that its decision does not allow."""
    players = [s for s in facts.seats if not s.stacked & {"play", "ante"}]
    if not players:
        return None
    seat = players[int(rng.integers(len(players)))]
    street = int(rng.integers(1, 4))
    times = {1: (1.5, 4.0, 0.5), 2: (3.0, 1.5), 3: (2.0, 3.0)}[street]
    amounts = [int(m * seat.wagers["ante"]) for m in times]
    amounts = [cents for cents in amounts if cents % 200 == 0 and payable(cents)]
    if not amounts:
        return None
    changed = replace(seat, street=street, made=amounts[int(rng.integers(len(amounts)))])
    script = game.write(facts.with_seat(changed))
    i = find(script, lambda act: isinstance(act, Play) and act.placement.seat == seat.seat)[0]
    script[i] = Step(script[i].act, (Expected(f"RIU-PLAY-AMT-{street}", seat.seat),))
    return script


def _wrong_box(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """Two community cards are turned in each other's box."""
    script = game.write(facts)
    turns = find(script, lambda act: isinstance(act, TurnCommunity))
    a, b = ((0, 1), (1, 2), (0, 2))[int(rng.integers(3))]
    first, second = script[turns[a]].act, script[turns[b]].act
    script[turns[a]] = Step(second, (Expected(f"RIU-C{a + 1}-PLACE"),))
    script[turns[b]] = Step(first, (Expected(f"RIU-C{b + 1}-PLACE"),))
    return script


_PAYOUTS = tuple(CHECK_OF_WAGER.values())

GAME = Game(
    name="raise_it_up",
    prefix="RIU",
    layout="raise_it_up_6",
    paytables={"pair_plus": "A", "six_card_bonus": "B"},
    hand_cards=3,
    card_step_mm=(46.0, 60.0),
    deal_order="MS-ORDER",
    base=("ante", "blind"),
    sides=("pair_plus", "six_card_bonus"),
    draw=draw_round,
    write=write_script,
    owed=owed,
    check_of=check_of,
    stacks=stacks,
    follows={"MS-DOWN": ("IRR-FACEUP-1",), "IRR-COUNT": ("MS-ORDER",)},
    readings={"decision.inference": "signals"},
    dealer_signals=False,
    own=(
        PlantKind(
            "deal_out_of_order", "two seats dealt in the wrong order", ("RIU-MS-ORDER",), plants.deal_out_of_order
        ),
        PlantKind(
            "early_reveal", "a community card turned before every seat has decided",
            ("RIU-C1-WHEN", "RIU-C2-WHEN", "RIU-C3-WHEN"), _early_reveal,
        ),
        PlantKind(
            "wrong_multiple", "a Play Wager of a multiple that is not allowed",
            ("RIU-PLAY-AMT-1", "RIU-PLAY-AMT-2", "RIU-PLAY-AMT-3"), _wrong_multiple,
        ),
        PlantKind("short_pay", "a winner paid too little", _PAYOUTS, plants.short_pay),
        PlantKind("over_pay", "a winner paid too much", _PAYOUTS, plants.over_pay),
        PlantKind("blind_not_equal", "a Blind that is not the Ante", ("RIU-BLIND-EQ",), plants.blind_not_equal),
        PlantKind(
            "wrong_box", "a community card turned in the wrong box",
            ("RIU-C1-PLACE", "RIU-C2-PLACE", "RIU-C3-PLACE"), _wrong_box,
        ),
        PlantKind(
            "wrong_settle_order", "two seats settled in the wrong order", ("RIU-SET-ORDER",), plants.wrong_settle_order
        ),
        PlantKind("card_face_up", "a player's card dealt face up", ("RIU-MS-DOWN",), plants.card_face_up, SINGLY),
        PlantKind("stub_exposed", "the stub racked with a card of it face up", ("RIU-MS-STUB-RACK",), plants.stub_exposed),
        PlantKind("extra_card", "a card too many dealt to a seat, play goes on", ("RIU-IRR-COUNT",), plants.extra_card),
        PlantKind("late_bet", "a wager raised after no more bets", ("RIU-WAG-LOCK",), plants.late_bet),
        PlantKind(
            "loser_paid", "a losing wager paid", ("RIU-SET-BASE-L", "RIU-SET-PP", "RIU-SET-SCB"), plants.loser_paid
        ),
        PlantKind(
            "loser_left", "a losing wager not collected", ("RIU-SET-BASE-L", "RIU-SET-PP", "RIU-SET-SCB"),
            plants.loser_left,
        ),
        PlantKind("winner_collected", "a winning wager taken", _PAYOUTS, plants.winner_collected),
        PlantKind("push_collected", "a wager that pushes taken", ("RIU-SET-BLIND",), plants.push_collected),
        PlantKind(
            "deal_before_no_more_bets", "dealing begun before no more bets", ("RIU-MS-NMB",),
            plants.deal_before_no_more_bets,
        ),
    ),
)  # fmt: skip
