"""Let It Ride Poker as it is simulated (58 Pa. Code Chapter 643a)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from datasets.play import plants
from datasets.play.chips import COLORS, chips_for
from datasets.play.deal import rank_of, shuffled_deck, suit_of
from datasets.play.facts import Owed, RoundFacts, SeatFacts
from datasets.play.games import by_law
from datasets.play.games.base import SINGLY, Game, PlantKind, in_stacks
from datasets.play.players import choose_wagers
from datasets.play.script import (
    Act,
    Bump,
    Check,
    DealCard,
    DealStack,
    Examine,
    NoMoreBets,
    PlaceWagers,
    RackCards,
    RackStub,
    RevealShared,
    Script,
    Step,
    TurnCommunity,
    Withdraw,
    find,
    placements,
    settle_seat,
    steps,
)  # fmt: skip

BETS = ("bet1", "bet2", "bet3")
PLACES = tuple(f"community.{place}" for place in (1, 2, 3, 4))
COMMUNITY, MOVED_TO = PLACES[:2], PLACES[2]
"""Where two single cards are dealt to, and where the first is laid when it is turned (643a.11(c))."""
SIX_CARDS = tuple(f"six_cards.{place}" for place in (1, 2, 3))
GROUPS = (BETS, ("five_card_bonus",), ("three_card_bonus",), ("six_card_bonus",))
"""Wagers in the order in which a seat is settled (643a.11(f), (g))."""
SIDES = {"five_card_bonus": 0.35, "three_card_bonus": 0.45, "six_card_bonus": 0.3}


def rides(cards: Sequence[str], rng: np.random.Generator) -> bool:
    """Whether a player lets a bet ride on three or four known cards: a paying hand, or a good draw; not always wisely."""
    ranks = Counter(rank_of(card) for card in cards)
    pays = any(count >= 3 or (count == 2 and rank >= 10) for rank, count in ranks.items())
    pays = pays or sum(count >= 2 for count in ranks.values()) >= 2
    suited = len({suit_of(card) for card in cards}) == 1
    close = len(ranks) == len(cards) and max(ranks) - min(ranks) <= 4
    draws = suited and (len(cards) == 4 or close)
    return bool(rng.random() < (0.99 if pays else 0.9 if draws else 0.15))


def draw_round(rng: np.random.Generator, seats: Iterable[int], paytables: Mapping[str, str]) -> RoundFacts:
    """A dealt and decided round of honest players, with now and then a stack, a corrected wager or a bumped card."""
    numbers = sorted(seats)
    deck = list(shuffled_deck(rng))
    wagers = [choose_wagers(rng, BETS, SIDES) for _ in numbers]
    six = tuple(deck.pop(0) for _ in range(3)) if any("six_card_bonus" in w for w in wagers) else ()
    n = len(numbers)
    community = (deck[n], deck[2 * n + 1])
    players: list[SeatFacts] = []
    corrected: set[tuple[int, str]] = set()
    for place, number in enumerate(numbers):
        cards = (deck[place], deck[n + 1 + place], deck[2 * n + 2 + place])
        withdrawn = set()
        if not rides(cards, rng):
            withdrawn.add("bet1")
        if not rides((*cards, community[0]), rng):
            withdrawn.add("bet2")
        stacked = frozenset(wager for wager in wagers[place] if rng.random() < 0.03)
        if rng.random() < 0.08 and wagers[place]["bet3"] in (1000, 2000, 3000, 5000, 6000):
            corrected.add((number, "bet3"))
        players.append(
            SeatFacts(number, cards, wagers[place], withdrawn=frozenset(withdrawn), stacked=stacked)
        )  # fmt: skip
    bumped = f"seat{rng.choice(numbers)}.cards" if rng.random() < 0.25 else None
    shared = {"community": community, "six_cards": six}
    return RoundFacts(tuple(players), shared, tuple(deck[3 * n + 2 :]), paytables, frozenset(corrected), bumped)


def _ends(facts: RoundFacts) -> Mapping[int, Mapping[str, by_law.End]]:
    """How the wagers end that were not withdrawn."""
    ends = by_law.settled("643a", facts, None)
    return {s.seat: {w: end for w, end in ends[s.seat].items() if w not in s.withdrawn} for s in facts.seats}


def owed(facts: RoundFacts) -> Owed:
    """What the standing wagers win."""
    return by_law.owed(_ends(facts))


def check_of(facts: RoundFacts, seat: SeatFacts, wager: str) -> str:
    """The check that judges what is paid on a wager; the three bets by the hand."""
    side = {"five_card_bonus": "FCB", "three_card_bonus": "TCB", "six_card_bonus": "SCB"}
    if wager in side:
        return f"LIR-SET-{side[wager]}"
    return "LIR-SET-LOSE" if _ends(facts)[seat.seat][wager].outcome == "lose" else "LIR-SET-WIN"


def write_script(facts: RoundFacts) -> Script:
    """The acts of the round as the law wants them, from the first wager to the last card racked."""
    acts: list[Act] = [PlaceWagers(placements(facts)), NoMoreBets()]
    acts += [DealCard(card, place) for card, place in zip(facts.shared["six_cards"], SIX_CARDS, strict=False)]
    for i in range(3):
        acts += [DealCard(s.cards[i], f"seat{s.seat}.cards") for s in facts.seats]
        if i < 2:
            acts.append(DealCard(facts.shared["community"][i], COMMUNITY[i]))
    acts += [RackStub(), Examine(tuple(s.seat for s in facts.seats))]
    if facts.bumped is not None:
        acts.append(Bump(facts.bumped))
    acts += [_decision(s, "bet1") for s in facts.seats]
    acts.append(TurnCommunity(COMMUNITY[0], MOVED_TO))
    acts += [_decision(s, "bet2") for s in facts.seats]
    acts.append(TurnCommunity(COMMUNITY[1]))
    standing: list[str] = []
    six: list[Act] = [RevealShared(SIX_CARDS, SIX_CARDS)] if facts.shared["six_cards"] else []
    for number, wagers in reversed(list(owed(facts).items())):
        standing.append(f"seat{number}.cards")
        acts += settle_seat(facts.seat(number), wagers, GROUPS, {"six_card_bonus": six})
        if "six_card_bonus" in wagers:
            six = []
    acts.append(RackCards((*standing, *PLACES, *SIX_CARDS)))
    return steps(acts)


def stacks(facts: RoundFacts, script: Script) -> Script:
    """The round dealt from an automated shoe (643a.10(b)): of three community cards the left one is racked unseen."""
    three = (facts.stub[0], *facts.shared["community"])
    more = [Step(DealStack(three, PLACES[1], PLACES[:3])), Step(RackCards(PLACES[:1]))]
    if facts.shared["six_cards"]:
        more.append(Step(DealStack(facts.shared["six_cards"], SIX_CARDS[1], SIX_CARDS)))
    script = in_stacks(script, 3, more)
    first, second = find(script, lambda act: isinstance(act, TurnCommunity))
    script[first] = Step(TurnCommunity(PLACES[1], PLACES[3]))
    script[second] = Step(TurnCommunity(PLACES[2]))
    return script


def _decision(seat: SeatFacts, bet: str) -> Act:
    return Withdraw(seat.seat, bet) if bet in seat.withdrawn else Check(seat.seat)


def _early_reveal(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A community card is turned before the last seat has decided, which then takes its bet back."""
    script = game.write(facts)
    turns = find(script, lambda act: isinstance(act, TurnCommunity))
    options = [(k, i) for k, i in enumerate(turns, start=1) if isinstance(script[i - 1].act, Withdraw)]
    if not options:
        return None
    k, i = options[int(rng.integers(len(options)))]
    seat = script[i - 1].act.seat  # type: ignore[union-attr]
    found = plants.expected(game, f"C{k}-WHEN")
    found = (*found, *(replace(f, seat=seat) for f in found if not f.required))
    script[i - 1], script[i] = Step(script[i].act, found), script[i - 1]
    return script


def _wrong_community_card(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The card to the dealer's right is turned first, in its place, and the left one last."""
    script = game.write(facts)
    first, second = find(script, lambda act: isinstance(act, TurnCommunity))
    script[first] = Step(TurnCommunity(COMMUNITY[1]), plants.expected(game, "C1-WHICH"))
    script[second] = Step(TurnCommunity(COMMUNITY[0]))
    return script


def _unequal_bets(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A seat is dealt to although its three bets are not equal; the dealer settles them as they lie."""
    seats = [s for s in facts.seats if not s.stacked & set(BETS)]
    if not seats:
        return None
    seat = seats[int(rng.integers(len(seats)))]
    bet = BETS[int(rng.integers(3))]
    amounts = [cents for cents in (500, 1000, 1500, 2000, 2500, 5000) if cents != seat.wagers[bet]]
    changed = seat.with_wager(bet, int(rng.choice(amounts)))
    corrected = frozenset(key for key in facts.corrected if key[0] != seat.seat)
    script = game.write(replace(facts.with_seat(changed), corrected=corrected))
    return plants.at_no_more_bets(script, plants.expected(game, "THREE-EQ", seat.seat))


def _bet3_withdrawn(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player takes Bet 3 back at the second decision, instead of Bet 2."""
    ends = owed(facts)
    lost = [s.seat for s in facts.seats if "bet2" in s.withdrawn and not s.stacked]
    losers = [seat for seat in lost if ends[seat]["bet3"] is None]
    if not losers:
        return None
    seat = losers[int(rng.integers(len(losers)))]
    changed = facts.seat(seat)
    withdrawn = frozenset((*changed.withdrawn - {"bet2"}, "bet3"))
    script = game.write(facts.with_seat(replace(changed, withdrawn=withdrawn)))
    second = find(script, lambda act: isinstance(act, TurnCommunity))[1]
    asked = [i for i in find(script, lambda act: act == Check(seat)) if i < second][-1]
    script[asked] = Step(Withdraw(seat, "bet3"), plants.expected(game, "BET3-STAYS", seat))
    return script


def _partly_withdrawn(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player takes part of a bet back; the rest rides and is settled."""
    options = [
        (s, bet)
        for s in facts.seats
        for bet in ("bet1", "bet2")
        if bet not in s.withdrawn and not s.stacked and len(chips_for(s.wagers[bet])) >= 2
    ]
    if not options:
        return None
    seat, bet = options[int(rng.integers(len(options)))]
    kept = chips_for(seat.wagers[bet])[:-1]
    script = game.write(facts.with_seat(seat.with_wager(bet, sum(COLORS[color] for color in kept))))
    script[0] = Step(PlaceWagers(placements(facts)))
    decided = find(script, lambda act: act == Check(seat.seat) or act == Withdraw(seat.seat, "bet1"))
    i = decided[0] if bet == "bet1" else decided[1]
    found = plants.expected(game, "D1-WITHDRAW" if bet == "bet1" else "D2-WITHDRAW", seat.seat)
    script[i] = Step(Withdraw(seat.seat, bet, unaided=True, keep=len(kept)), found)
    return script


def _bet1_at_second(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player who let Bet 1 ride reaches for it at the second decision."""
    ends = owed(facts)
    riding = [s for s in facts.seats if not s.withdrawn and not s.stacked and ends[s.seat]["bet1"] is None]
    if not riding:
        return None
    seat = riding[int(rng.integers(len(riding)))]
    script = game.write(facts.with_seat(replace(seat, withdrawn=frozenset({"bet1"}))))
    first, second = find(script, lambda act: isinstance(act, TurnCommunity))
    early = find(script, lambda act: act == Withdraw(seat.seat, "bet1"))[0]
    asked = [i for i in find(script, lambda act: act == Check(seat.seat)) if first < i < second][-1]
    script[early] = Step(Check(seat.seat))
    late = Withdraw(seat.seat, "bet1", unaided=True)
    script[asked] = Step(late, plants.expected(game, "D1-RIDE", seat.seat))
    return script


def _six_cards_late(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The Six Card Bonus cards are dealt after the players' cards instead of first."""
    script = game.write(facts)
    six = find(script, lambda act: isinstance(act, DealCard) and act.area in SIX_CARDS)
    if not six:
        return None
    stub = find(script, lambda act: isinstance(act, RackStub))[0]
    moved = [Step(script[i].act) for i in six]
    moved[0] = Step(moved[0].act, plants.expected(game, "MS-SCB-FIRST"))
    return [*script[: six[0]], *script[six[-1] + 1 : stub], *moved, *script[stub:]]


def _six_cards_early(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The Six Card Bonus cards are turned before the players have decided."""
    script = game.write(facts)
    shown = find(script, lambda act: isinstance(act, RevealShared))
    if not shown:
        return None
    step = Step(script[shown[0]].act, plants.expected(game, "SCB-REVEAL"))
    del script[shown[0]]
    turn = find(script, lambda act: isinstance(act, TurnCommunity))[0]
    script.insert(turn + 1, step)
    return script


_PAID = ("LIR-SET-WIN", "LIR-SET-FCB", "LIR-SET-TCB", "LIR-SET-SCB")
_LOST = ("LIR-SET-LOSE", "LIR-SET-FCB", "LIR-SET-TCB", "LIR-SET-SCB")

GAME = Game(
    name="let_it_ride",
    prefix="LIR",
    layout="let_it_ride_6",
    paytables={"main": "A", "five_card_bonus": "A", "three_card_bonus": "A", "six_card_bonus": "B"},
    hand_cards=3,
    card_step_mm=(44.0, 56.0),
    deal_order="MS-ORDER",
    base=BETS,
    sides=tuple(SIDES),
    draw=draw_round,
    write=write_script,
    owed=owed,
    check_of=check_of,
    stacks=stacks,
    renamed={"automated_shoe": {"MS-SCB-FIRST": "AUTO-SCB-LAST"}},
    follows={
        "MS-DOWN": ("IRR-FACEUP-1",),
        "IRR-COUNT": ("MS-ORDER",),
        "C1-WHEN": ("IRR-EXPOSED", "D1-RIDE"),
        "C2-WHEN": ("IRR-EXPOSED", "D2-RIDE"),
        "C1-WHICH": ("IRR-EXPOSED",),
        "BET3-STAYS": ("WAG-LOCK",),
        "D1-RIDE": ("BET3-STAYS", "WAG-LOCK"),
        "MS-SCB-FIRST": ("MS-ORDER",),
    },
    own=(
        PlantKind(
            "deal_out_of_order", "two seats dealt in the wrong order", ("LIR-MS-ORDER",), plants.deal_out_of_order
        ),
        PlantKind(
            "early_reveal", "a community card turned before every seat has decided",
            ("LIR-C1-WHEN", "LIR-C2-WHEN"), _early_reveal,
        ),
        PlantKind("short_pay", "a winner paid too little", _PAID, plants.short_pay),
        PlantKind("over_pay", "a winner paid too much", _PAID, plants.over_pay),
        PlantKind("unequal_bets", "three bets that are not equal", ("LIR-THREE-EQ",), _unequal_bets),
        PlantKind(
            "wrong_settle_order", "two seats settled in the wrong order", ("LIR-SET-ORDER",), plants.wrong_settle_order
        ),
        PlantKind("card_face_up", "a player's card dealt face up", ("LIR-MS-DOWN",), plants.card_face_up, SINGLY),
        PlantKind(
            "stub_exposed", "the stub racked with a card of it face up", ("LIR-MS-STUB-RACK",), plants.stub_exposed, SINGLY
        ),
        PlantKind("extra_card", "a card too many dealt to a seat, play goes on", ("LIR-IRR-COUNT",), plants.extra_card),
        PlantKind("late_bet", "a wager raised after no more bets", ("LIR-WAG-LOCK",), plants.late_bet),
        PlantKind("loser_paid", "a losing wager paid", _LOST, plants.loser_paid),
        PlantKind("loser_left", "a losing wager not collected", _LOST, plants.loser_left),
        PlantKind("winner_collected", "a winning wager taken", _PAID, plants.winner_collected),
        PlantKind(
            "deal_before_no_more_bets", "dealing begun before no more bets", ("LIR-MS-NMB",),
            plants.deal_before_no_more_bets,
        ),
        PlantKind("wager_order", "a side wager settled first", ("LIR-SET-WSEQ",), plants.wager_order),
        PlantKind(
            "wrong_community_card", "the community card on the right turned first", ("LIR-C1-WHICH",),
            _wrong_community_card, SINGLY),
        PlantKind("bet3_withdrawn", "Bet 3 taken back", ("LIR-BET3-STAYS",), _bet3_withdrawn),
        PlantKind("bet1_withdrawn_late", "Bet 1 taken back at the second decision", ("LIR-D1-RIDE",), _bet1_at_second),
        PlantKind(
            "partly_withdrawn", "part of a bet taken back", ("LIR-D1-WITHDRAW", "LIR-D2-WITHDRAW"), _partly_withdrawn
        ),
        PlantKind("six_cards_late", "the Six Card Bonus cards not dealt first", ("LIR-MS-SCB-FIRST",), _six_cards_late, SINGLY),
        PlantKind(
            "six_cards_early", "the Six Card Bonus cards turned before settlement", ("LIR-SCB-REVEAL",), _six_cards_early
        ),
    ),
)  # fmt: skip
