"""DJ Wild Stud Poker as it is simulated (58 Pa. Code Chapter 687a)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from datasets.play import plants
from datasets.play.deal import DECK_WITH_JOKER, shuffled_deck
from datasets.play.facts import Owed, RoundFacts, SeatFacts
from datasets.play.games import by_law
from datasets.play.games.base import SINGLY, Game, PlantKind, in_stacks
from datasets.play.players import choose_wagers
from datasets.play.script import (
    Act,
    Bump,
    Collect,
    DealCard,
    DealStack,
    Examine,
    Fold,
    NoMoreBets,
    Placement,
    PlaceWagers,
    Play,
    RackCards,
    RackStub,
    RevealShared,
    Script,
    Step,
    find,
    placements,
    settle_seat,
    steps,
)  # fmt: skip
from rules.cards import parse_cards
from rules.hands import FiveCard, rank_five_wild

DEALER = tuple(f"dealer.{place}" for place in range(1, 6))
EXTRA = "extra"
GROUPS = (("ante", "raise", "blind"), ("trips",), ("bad_beat",))
"""Wagers in the order in which a seat is settled (687a.11(e), (f))."""
FORFEITED = ("ante", "blind", "bad_beat")
"""Wagers that a fold gives up (687a.11(b)(1), (2))."""


def decide(cards: Sequence[str], rng: np.random.Generator) -> bool:
    """Whether a player raises: on a pair or better, mostly on an ace, now and then on less."""
    if rank_five_wild(parse_cards(cards)).category > FiveCard.HIGH_CARD:
        return bool(rng.random() < 0.97)
    return bool(rng.random() < (0.5 if any(card[0] == "A" for card in cards) else 0.06))


def draw_round(rng: np.random.Generator, seats: Iterable[int], paytables: Mapping[str, str]) -> RoundFacts:
    """A dealt and decided round of honest players, with now and then a stack, a corrected wager or a bumped card."""
    numbers = sorted(seats)
    deck = shuffled_deck(rng, DECK_WITH_JOKER)
    n = len(numbers)
    players: list[SeatFacts] = []
    corrected: set[tuple[int, str]] = set()
    for place, number in enumerate(numbers):
        cards = deck[5 * place : 5 * place + 5]
        wagers = choose_wagers(rng, ("ante", "blind"), {"trips": 0.5, "bad_beat": 0.35})
        made = 2 * wagers["ante"] if decide(cards, rng) else 0
        stacked = frozenset(wager for wager in (*wagers, "raise") if rng.random() < 0.03)
        if rng.random() < 0.08 and wagers["blind"] in (1000, 2000, 3000, 5000, 6000):
            corrected.add((number, "blind"))
        players.append(SeatFacts(number, cards, wagers, made, stacked=stacked))
    bumped = f"seat{rng.choice(numbers)}.cards" if rng.random() < 0.25 else None
    shared = {"dealer": deck[5 * n : 5 * n + 5], EXTRA: deck[5 * n + 5 : 5 * n + 6]}
    return RoundFacts(tuple(players), shared, deck[5 * n + 6 :], paytables, frozenset(corrected), bumped)


def _ends(facts: RoundFacts) -> Mapping[int, Mapping[str, by_law.End]]:
    """How the wagers end that stand at settlement: all of a seat that raised, the Trips of one that folded."""
    ends = by_law.settled("687a", facts, "raise")
    standing = {s.seat: None if s.made else ("trips",) for s in facts.seats if s.made or "trips" in s.wagers}
    return {
        seat: {wager: end for wager, end in ends[seat].items() if kept is None or wager in kept}
        for seat, kept in standing.items()
    }


def owed(facts: RoundFacts) -> Owed:
    """What the standing wagers win."""
    return by_law.owed(_ends(facts))


def check_of(facts: RoundFacts, seat: SeatFacts, wager: str) -> str:
    """The check that judges what is paid on a wager; the base wagers by how the hands compare."""
    ends = _ends(facts)[seat.seat]
    if wager == "trips":
        return "DJW-SET-TRIPS"
    if wager == "bad_beat":
        return "DJW-SET-BB-L" if ends["bad_beat"].outcome == "lose" else "DJW-SET-BB-W"
    names = {"lose": "LOSE", "win": "WIN", "push": "PUSH"}
    return f"DJW-SET-{names[ends['raise'].outcome]}"


def write_script(facts: RoundFacts) -> Script:
    """The acts of the round as the law wants them, from the first wager to the last card racked."""
    acts: list[Act] = [PlaceWagers(placements(facts)), NoMoreBets()]
    acts += [DealCard(card, f"seat{s.seat}.cards") for s in facts.seats for card in s.cards]
    acts += [DealCard(card, place) for card, place in zip(facts.shared["dealer"], DEALER, strict=True)]
    acts += [DealCard(card, EXTRA) for card in facts.shared[EXTRA]]
    acts += [RackStub(), Examine(tuple(s.seat for s in facts.seats))]
    if facts.bumped is not None:
        acts.append(Bump(facts.bumped))
    for s in facts.seats:
        acts.append(Play(Placement(s.seat, "raise", s.made, "raise" in s.stacked)) if s.made else Fold(s.seat))
    for s in facts.seats:
        if not s.made:
            acts.append(Collect(s.seat, tuple(w for w in FORFEITED if w in s.wagers)))
            if "trips" not in s.wagers:
                acts.append(RackCards((f"seat{s.seat}.cards",)))
    acts.append(RevealShared(DEALER, DEALER))
    standing: list[str] = []
    for number, wagers in reversed(list(owed(facts).items())):
        standing.append(f"seat{number}.cards")
        acts += settle_seat(facts.seat(number), wagers, GROUPS)
    acts.append(RackCards((*standing, *DEALER, EXTRA)))
    return steps(acts)


def stacks(facts: RoundFacts, script: Script) -> Script:
    """The round dealt from an automated shoe (687a.10): no extra card where nobody made a Progressive Bonus Wager."""
    return in_stacks(script, 5, [Step(DealStack(facts.shared["dealer"], DEALER[2], DEALER))])


def _round_robin(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The players' cards are dealt one at a time instead of five to a seat."""
    if len(facts.seats) < 2:
        return None
    script = game.write(facts)
    places = find(script, lambda act: isinstance(act, DealCard) and act.area.startswith("seat"))
    single = [DealCard(s.cards[i], f"seat{s.seat}.cards") for i in range(5) for s in facts.seats]
    for i, act in zip(places, single, strict=True):
        script[i] = Step(act)
    found = plants.expected(game, "DEAL-STACK")
    script[places[1]] = Step(script[places[1]].act, found)
    return script


def _dealer_first(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The dealer's five cards are dealt before those of the last seat."""
    script = game.write(facts)
    last = f"seat{facts.seats[-1].seat}.cards"
    own = find(script, lambda act: isinstance(act, DealCard) and act.area == last)
    dealer = find(script, lambda act: isinstance(act, DealCard) and act.area in DEALER)
    moved = [script[i] for i in dealer]
    moved[0] = Step(moved[0].act, plants.expected(game, "MS-DEALER"))
    return [*script[: own[0]], *moved, *script[own[0] : dealer[0]], *script[dealer[-1] + 1 :]]


def _dealer_extra_card(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The dealer takes six cards and play goes on."""
    script = game.write(facts)
    last = find(script, lambda act: isinstance(act, DealCard) and act.area in DEALER)[-1]
    script.insert(last + 1, Step(DealCard(facts.stub[0], DEALER[4], pile=2), plants.expected(game, "IRR-COUNT-DLR")))
    return script


def _extra_card_up(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The card that replaces a joker is laid down face up."""
    script = game.write(facts)
    i = find(script, lambda act: isinstance(act, DealCard) and act.area == EXTRA)[0]
    act = script[i].act
    assert isinstance(act, DealCard)
    script[i] = Step(replace(act, face_up=True), plants.expected(game, "MS-EXTRA"))
    return script


def _trips_taken_at_fold(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The Trips of a player who folds is collected with the forfeited wagers."""
    folded = [s.seat for s in facts.seats if not s.made and "trips" in s.wagers]
    if not folded:
        return None
    seat = folded[int(rng.integers(len(folded)))]
    script = game.write(facts)
    i = find(script, lambda act: isinstance(act, Collect) and act.seat == seat)[0]
    act = script[i].act
    assert isinstance(act, Collect)
    script[i] = Step(Collect(seat, (*act.wagers, "trips")), plants.expected(game, "FOLD-TRIPS", seat))
    kept = []
    for step in script:
        other = step.act
        settles = getattr(other, "seat", None) == seat and type(other).__name__ in ("Pay", "TakeBack")
        again = isinstance(other, Collect) and other.seat == seat and other.wagers == ("trips",)
        if not settles and not again:
            kept.append(step)
    return kept


_BASE = ("DJW-SET-WIN", "DJW-SET-LOSE", "DJW-SET-PUSH")
_WINS = ("DJW-SET-WIN", "DJW-SET-TRIPS", "DJW-SET-BB-W")
_LOSSES = ("DJW-SET-LOSE", "DJW-SET-TRIPS", "DJW-SET-BB-L")

GAME = Game(
    name="dj_wild",
    prefix="DJW",
    layout="dj_wild_6",
    paytables={"trips": "04", "bad_beat": "01", "progressive": "1"},
    hand_cards=5,
    card_step_mm=(11.0, 17.0),
    deal_order="DEAL-STACK",
    base=("ante", "blind"),
    sides=("trips", "bad_beat"),
    draw=draw_round,
    write=write_script,
    owed=owed,
    check_of=check_of,
    stacks=stacks,
    renamed={"hand": {"DEAL-STACK": "HD-STACK"}, "automated_shoe": {"DEAL-STACK": "AS-ORDER"}},
    follows={
        "MS-DOWN": ("IRR-FACEUP-1", "IRR-EXPOSED"),
        "IRR-COUNT": ("DEAL-STACK",),
        "IRR-COUNT-DLR": ("MS-DEALER",),
        "REVEAL-WHEN": ("IRR-EXPOSED",),
        "MS-DEALER": ("DEAL-STACK",),
        "MS-EXTRA": ("IRR-FACEUP-1",),
        "FOLD-TRIPS": ("FOLD-COLLECT", "SET-TRIPS"),
    },
    deck=DECK_WITH_JOKER,
    passes=False,
    submission={"progressive_unit_cents": 100},
    own=(
        PlantKind(
            "deal_out_of_order", "two seats dealt in the wrong order", ("DJW-DEAL-STACK",), plants.deal_out_of_order
        ),
        PlantKind(
            "early_reveal", "the dealer's cards shown before every seat has decided", ("DJW-REVEAL-WHEN",),
            plants.dealer_shown_early,
        ),
        PlantKind(
            "wrong_multiple", "a Raise that is not twice the Ante", ("DJW-RAISE-AMT",),
            plants.wrong_multiple("RAISE-AMT", (1.0, 3.0, 4.0, 2.5)),
        ),
        PlantKind("short_pay", "a winner paid too little", _WINS, plants.short_pay),
        PlantKind("over_pay", "a winner paid too much", _WINS, plants.over_pay),
        PlantKind("blind_not_equal", "a Blind that is not the Ante", ("DJW-BLIND-EQ",), plants.blind_not_equal),
        PlantKind(
            "wrong_settle_order", "two seats settled in the wrong order", ("DJW-SET-ORDER",), plants.wrong_settle_order
        ),
        PlantKind("card_face_up", "a player's card dealt face up", ("DJW-MS-DOWN",), plants.card_face_up, SINGLY),
        PlantKind("stub_exposed", "the stub racked with a card of it face up", ("DJW-MS-STUB-RACK",), plants.stub_exposed),
        PlantKind("extra_card", "a card too many dealt to a seat, play goes on", ("DJW-IRR-COUNT",), plants.extra_card),
        PlantKind("late_bet", "a wager raised after no more bets", ("DJW-WAG-LOCK",), plants.late_bet),
        PlantKind("loser_paid", "a losing wager paid", _LOSSES, plants.loser_paid),
        PlantKind("loser_left", "a losing wager not collected", _LOSSES, plants.loser_left),
        PlantKind("winner_collected", "a winning wager taken", _WINS, plants.winner_collected),
        PlantKind("push_collected", "a wager that pushes taken", ("DJW-SET-WIN", "DJW-SET-PUSH"), plants.push_collected),
        PlantKind(
            "deal_before_no_more_bets", "dealing begun before no more bets", ("DJW-MS-NMB",),
            plants.deal_before_no_more_bets,
        ),
        PlantKind("wager_order", "a side wager settled first", ("DJW-SET-WSEQ",), plants.wager_order),
        PlantKind("round_robin", "cards dealt one at a time instead of five", ("DJW-DEAL-STACK",), _round_robin, SINGLY),
        PlantKind("dealer_first", "the dealer's cards dealt before the last seat's", ("DJW-MS-DEALER",), _dealer_first, SINGLY),
        PlantKind(
            "dealer_extra_card", "six cards for the dealer, play goes on", ("DJW-IRR-COUNT-DLR",), _dealer_extra_card, SINGLY),
        PlantKind("extra_card_up", "the card that replaces a joker laid face up", ("DJW-MS-EXTRA",), _extra_card_up, SINGLY),
        PlantKind(
            "trips_taken_at_fold", "the Trips of a folded hand collected", ("DJW-FOLD-TRIPS",), _trips_taken_at_fold
        ),
    ),
)  # fmt: skip
