"""Caribbean Stud Poker as it is simulated (58 Pa. Code Chapter 639a)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from datasets.play import plants
from datasets.play.deal import shuffled_deck
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
    TakeBack,
    TurnCommunity,
    find,
    placements,
    settle_seat,
    steps,
)  # fmt: skip
from rules.cards import parse_cards
from rules.hands import FiveCard, is_ace_king_or_better, rank_five

DEALER = tuple(f"dealer.{place}" for place in range(1, 6))
GROUPS = (("ante", "bet"), ("bonus",))
"""Wagers in the order in which a seat is settled (639a.11(c)(3), (4))."""
FORFEITED = ("ante", "bonus")
"""Wagers that a fold gives up (639a.11(b))."""


def decide(cards: Sequence[str], rng: np.random.Generator) -> bool:
    """Whether a player bets: on a pair or better, mostly on an ace and a king, now and then on less."""
    hand = rank_five(parse_cards(cards))
    if hand.category > FiveCard.HIGH_CARD:
        return bool(rng.random() < 0.98)
    return bool(rng.random() < (0.6 if is_ace_king_or_better(hand) else 0.04))


def draw_round(rng: np.random.Generator, seats: Iterable[int], paytables: Mapping[str, str]) -> RoundFacts:
    """A dealt and decided round of honest players, with now and then a stack, a corrected wager or a bumped card."""
    numbers = sorted(seats)
    deck = shuffled_deck(rng)
    n = len(numbers) + 1
    players: list[SeatFacts] = []
    corrected: set[tuple[int, str]] = set()
    for place, number in enumerate(numbers):
        cards = deck[place : 5 * n : n]
        wagers = choose_wagers(rng, ("ante",), {"bonus": 0.5})
        made = 2 * wagers["ante"] if decide(cards, rng) else 0
        stacked = frozenset(wager for wager in (*wagers, "bet") if rng.random() < 0.03)
        if rng.random() < 0.08 and wagers["ante"] in (1000, 2000, 3000, 5000, 6000):
            corrected.add((number, "ante"))
        players.append(SeatFacts(number, cards, wagers, made, stacked=stacked))
    bumped = f"seat{rng.choice(numbers)}.cards" if rng.random() < 0.25 else None
    shared = {"dealer": deck[n - 1 : 5 * n : n]}
    return RoundFacts(tuple(players), shared, deck[5 * n :], paytables, frozenset(corrected), bumped)


def _ends(facts: RoundFacts) -> Mapping[int, Mapping[str, by_law.End]]:
    ends = by_law.settled("639a", facts, "bet")
    return {seat.seat: ends[seat.seat] for seat in facts.seats if seat.made}


def owed(facts: RoundFacts) -> Owed:
    """What the wagers of the seats that did not fold win."""
    return by_law.owed(_ends(facts))


def check_of(facts: RoundFacts, seat: SeatFacts, wager: str) -> str:
    """The check that judges what is paid on a wager; Ante and Bet by how the hands compare."""
    if wager == "bonus":
        return "CAR-SET-CSB"
    names = {"returned": "NQ", "lose": "LOSE", "win": "WIN", "push": "TIE"}
    return f"CAR-SET-{names[_ends(facts)[seat.seat]['bet'].outcome]}"


def write_script(facts: RoundFacts) -> Script:
    """The acts of the round as the law wants them, from the first wager to the last card racked."""
    acts: list[Act] = [PlaceWagers(placements(facts)), NoMoreBets()]
    for i in range(5):
        acts += [DealCard(s.cards[i], f"seat{s.seat}.cards") for s in facts.seats]
        card = facts.shared["dealer"][i]
        acts.append(DealCard(card, DEALER[1], pile=4) if i else DealCard(card, DEALER[0], face_up=True))
    acts += [RackStub(), Examine(tuple(s.seat for s in facts.seats))]
    if facts.bumped is not None:
        acts.append(Bump(facts.bumped))
    for s in facts.seats:
        acts.append(Play(Placement(s.seat, "bet", s.made, "bet" in s.stacked)) if s.made else Fold(s.seat))
    for s in facts.seats:
        if not s.made:
            acts += [Collect(s.seat, tuple(w for w in FORFEITED if w in s.wagers)), RackCards((f"seat{s.seat}.cards",))]
    acts.append(RevealShared((DEALER[1],), DEALER[1:]))
    standing: list[str] = []
    for number, wagers in reversed(list(owed(facts).items())):
        standing.append(f"seat{number}.cards")
        acts += settle_seat(facts.seat(number), wagers, GROUPS)
    acts.append(RackCards((*standing, *DEALER)))
    return steps(acts)


def stacks(facts: RoundFacts, script: Script) -> Script:
    """The round dealt from an automated shoe (639a.10(b)): the dealer spreads his stack and turns its bottom card."""
    dealer = [Step(DealStack(facts.shared["dealer"], DEALER[2], DEALER)), Step(TurnCommunity(DEALER[0]))]
    script = in_stacks(script, 5, dealer)
    i = find(script, lambda act: isinstance(act, RevealShared))[0]
    script[i] = Step(RevealShared(DEALER[1:], DEALER[1:]))
    return script


def _dealt_to_dealer(script: Script) -> list[int]:
    return find(script, lambda act: isinstance(act, DealCard) and act.area in DEALER)


def _up_card_down(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The dealer's first card is dealt face down like the others, and turned with them."""
    script = game.write(facts)
    first, *_, last = _dealt_to_dealer(script)
    act = script[first].act
    assert isinstance(act, DealCard)
    script[first] = Step(replace(act, face_up=False))
    script[last] = Step(script[last].act, plants.expected(game, "DEAL-UPCARD"))
    shown = find(script, lambda act: isinstance(act, RevealShared))[0]
    script[shown] = Step(RevealShared(DEALER[:2], DEALER))
    return script


def _hole_card_up(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """One of the dealer's hole cards is dealt face up."""
    script = game.write(facts)
    i = _dealt_to_dealer(script)[int(rng.integers(1, 5))]
    act = script[i].act
    assert isinstance(act, DealCard)
    script[i] = Step(replace(act, face_up=True), plants.expected(game, "DEAL-UPCARD"))
    return script


def _second_card_on_first(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The dealer's second card and those that follow are laid to the left of the first."""
    script = game.write(facts)
    first, *others = _dealt_to_dealer(script)
    act = script[first].act
    assert isinstance(act, DealCard)
    script[first] = Step(replace(act, area=DEALER[1]))
    for i in others:
        hole = script[i].act
        assert isinstance(hole, DealCard)
        script[i] = Step(replace(hole, area=DEALER[0]))
    script[others[-1]] = Step(script[others[-1]].act, plants.expected(game, "MS-DLR2"))
    shown = find(script, lambda act: isinstance(act, RevealShared))[0]
    script[shown] = Step(RevealShared((DEALER[0],), (DEALER[0], *DEALER[2:])))
    return script


def _dealer_extra_card(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The dealer takes six cards and play goes on."""
    script = game.write(facts)
    last = _dealt_to_dealer(script)[-1]
    more = DealCard(facts.stub[0], DEALER[1], pile=4)
    script.insert(last + 1, Step(more, plants.expected(game, "IRR-COUNT")))
    return script


def _fold_returned(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player who folds takes the wagers back."""
    script = game.write(facts)
    folds = find(script, lambda act: isinstance(act, Collect))
    shown = find(script, lambda act: isinstance(act, RevealShared))[0]
    i = plants.pick([k for k in folds if k < shown], rng)
    if i is None:
        return None
    act = script[i].act
    assert isinstance(act, Collect)
    script[i] = Step(TakeBack(act.seat), plants.expected(game, "FOLD-FORFEIT", act.seat))
    # The cards are racked first, so that it is seen that the player is out.
    script[i], script[i + 1] = script[i + 1], script[i]
    return script


_BASE = ("CAR-SET-NQ", "CAR-SET-LOSE", "CAR-SET-WIN", "CAR-SET-TIE")

GAME = Game(
    name="caribbean_stud",
    prefix="CAR",
    layout="caribbean_stud_7",
    paytables={"bonus": "A"},
    hand_cards=5,
    card_step_mm=(11.0, 17.0),
    deal_order="MS-ORDER",
    base=("ante",),
    sides=("bonus",),
    draw=draw_round,
    write=write_script,
    owed=owed,
    check_of=check_of,
    stacks=stacks,
    renamed={"hand": {"MS-DLR2": "HD-DLR", "MS-DLR35": "HD-DLR"}},
    follows={
        "MS-DOWN": ("IRR-FACEUP-1",),
        "IRR-COUNT": ("MS-ORDER", "MS-DLR35"),
        "REVEAL-WHEN": ("IRR-EXPOSED",),
        "DEAL-UPCARD": ("IRR-EXPOSED", "IRR-FACEUP-1", "REVEAL-WHEN"),
        "MS-DLR2": ("MS-DLR35",),
        "FOLD-FORFEIT": ("FOLD-COLLECT", "WAG-LOCK"),
    },
    own=(
        PlantKind(
            "deal_out_of_order", "two seats dealt in the wrong order", ("CAR-MS-ORDER",), plants.deal_out_of_order
        ),
        PlantKind(
            "early_reveal", "the hole cards shown before every seat has decided", ("CAR-REVEAL-WHEN",),
            plants.dealer_shown_early,
        ),
        PlantKind(
            "wrong_multiple", "a Bet that is not twice the Ante", ("CAR-BET-AMT",),
            plants.wrong_multiple("BET-AMT", (1.0, 3.0, 4.0, 2.5)),
        ),
        PlantKind("short_pay", "a winner paid too little", (*_BASE, "CAR-SET-CSB"), plants.short_pay),
        PlantKind("over_pay", "a winner paid too much", (*_BASE, "CAR-SET-CSB"), plants.over_pay),
        PlantKind(
            "wrong_settle_order", "two seats settled in the wrong order", ("CAR-SET-ORDER",), plants.wrong_settle_order
        ),
        PlantKind("card_face_up", "a player's card dealt face up", ("CAR-MS-DOWN",), plants.card_face_up, SINGLY),
        PlantKind("stub_exposed", "the stub racked with a card of it face up", ("CAR-MS-STUB-RACK",), plants.stub_exposed),
        PlantKind("extra_card", "a card too many dealt to a seat, play goes on", ("CAR-IRR-COUNT",), plants.extra_card),
        PlantKind("late_bet", "a wager raised after no more bets", ("CAR-WAG-LOCK",), plants.late_bet),
        PlantKind("loser_paid", "a losing wager paid", ("CAR-SET-LOSE", "CAR-SET-CSB"), plants.loser_paid),
        PlantKind("loser_left", "a losing wager not collected", ("CAR-SET-LOSE", "CAR-SET-CSB"), plants.loser_left),
        PlantKind("winner_collected", "a winning wager taken", (*_BASE, "CAR-SET-CSB"), plants.winner_collected),
        PlantKind("push_collected", "a wager that pushes taken", ("CAR-SET-NQ", "CAR-SET-TIE"), plants.push_collected),
        PlantKind(
            "deal_before_no_more_bets", "dealing begun before no more bets", ("CAR-MS-NMB",),
            plants.deal_before_no_more_bets,
        ),
        PlantKind("wager_order", "a side wager settled first", ("CAR-SET-WSEQ",), plants.wager_order),
        PlantKind("up_card_down", "the dealer's first card dealt face down", ("CAR-DEAL-UPCARD",), _up_card_down, SINGLY),
        PlantKind("hole_card_up", "a hole card dealt face up", ("CAR-DEAL-UPCARD",), _hole_card_up, SINGLY),
        PlantKind(
            "dealer_card_misplaced", "the dealer's second card laid to the left", ("CAR-MS-DLR2",),
            _second_card_on_first, SINGLY),
        PlantKind("dealer_extra_card", "six cards for the dealer, play goes on", ("CAR-IRR-COUNT",), _dealer_extra_card, SINGLY),
        PlantKind("fold_returned", "a folded hand's wagers given back", ("CAR-FOLD-FORFEIT",), _fold_returned, SINGLY),
    ),
)  # fmt: skip
