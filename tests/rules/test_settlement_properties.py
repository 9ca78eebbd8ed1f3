"""What holds for every round: cards in any order, money conserved, payouts that grow with the stake and the hand."""

import itertools
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.cards import DECK_52, DECK_53, Card
from rules.hands import rank_best_of_six
from rules.settlement.progressive import MeterBank
from rules.settlement.raise_it_up import settle_seat
from rules.settlement.results import Outcome
from rules.settlement.rounds import settle_round

TABLES = {"pair_plus": "A", "six_card_bonus": "B", "progressive": "A"}
amounts = st.integers(1, 400).map(lambda chips: chips * 100)
six_cards = st.lists(st.sampled_from(DECK_52), min_size=6, max_size=6, unique=True)


def _wagers(ante: int, multiple: int, side: int) -> dict[str, int]:
    base = {"ante": ante, "blind": ante, "pair_plus": side, "six_card_bonus": side}
    return base | ({"play": ante * multiple} if multiple else {})


@settings(deadline=None)
@given(six_cards, amounts, st.integers(0, 3), amounts, st.randoms(use_true_random=False))
def test_the_order_of_the_cards_changes_nothing(
    cards: list[Card], ante: int, multiple: int, side: int, rng: random.Random
) -> None:
    hand, board = cards[:3], cards[3:]
    wagers = _wagers(ante, multiple, side)
    first = settle_seat(hand, board, wagers, folded=not multiple, paytables=TABLES)
    rng.shuffle(hand)
    rng.shuffle(board)
    assert settle_seat(hand, board, wagers, folded=not multiple, paytables=TABLES) == first


@settings(deadline=None)
@given(six_cards, amounts, st.integers(0, 3), amounts)
def test_every_result_adds_up(cards: list[Card], ante: int, multiple: int, side: int) -> None:
    wagers = _wagers(ante, multiple, side)
    results = settle_seat(cards[:3], cards[3:], wagers, folded=not multiple, paytables=TABLES)
    assert results.keys() == wagers.keys()
    for wager, result in results.items():
        assert result.stake_cents == wagers[wager]
        expected = {
            Outcome.WIN: result.stake_cents + result.owed_cents,  # every one of these wagers is paid "to"
            Outcome.LOSE: 0,
            Outcome.PUSH: result.stake_cents,
            Outcome.RETURNED: result.stake_cents,
        }
        assert result.return_cents == expected[result.outcome]
        assert (result.owed_cents > 0) == (result.outcome is Outcome.WIN)
        assert result.way


@settings(deadline=None)
@given(six_cards, amounts, st.integers(1, 3))
def test_a_higher_stake_never_returns_less(cards: list[Card], ante: int, multiple: int) -> None:
    less = settle_seat(cards[:3], cards[3:], _wagers(ante, multiple, 100), folded=False, paytables=TABLES)
    more = settle_seat(cards[:3], cards[3:], _wagers(ante + 100, multiple, 200), folded=False, paytables=TABLES)
    for wager, result in less.items():
        assert more[wager].return_cents >= result.return_cents
        assert more[wager].outcome is result.outcome


@settings(deadline=None)
@given(six_cards, six_cards)
def test_a_better_hand_never_pays_less(one: list[Card], other: list[Card]) -> None:
    lower, higher = sorted((one, other), key=lambda cards: rank_best_of_six(cards).score)
    wagers = {"ante": 1000, "blind": 1000, "play": 1000, "six_card_bonus": 500}
    little = settle_seat(lower[:3], lower[3:], wagers, folded=False, paytables=TABLES)
    much = settle_seat(higher[:3], higher[3:], wagers, folded=False, paytables=TABLES)
    for wager in wagers:
        assert much[wager].return_cents >= little[wager].return_cents


@st.composite
def rounds(draw: st.DrawFn) -> dict[str, Any]:
    """Rounds of the four games with all wagers offered, whatever the cards."""
    game = draw(st.sampled_from(["669a", "639a", "643a", "687a"]))
    deck = draw(st.permutations(DECK_53 if game == "687a" else DECK_52))
    cards = iter([str(card) for card in deck])

    def take(count: int) -> list[str]:
        return list(itertools.islice(cards, count))

    unit, ante = draw(st.sampled_from([100, 500])), draw(amounts)
    meters = {"prog.meter": draw(st.integers(0, 10**7))}
    config: dict[str, Any] = {"paytables": {}, "meters_before": meters, "progressive_unit": unit}
    document: dict[str, Any] = {"id": "drawn", "game": game, "config": config}
    base: dict[str, int] = {"ante": ante}
    each, fold_or = 5, draw(st.sampled_from(["play", "fold"]))
    decision: dict[str, Any] = {"action": fold_or}
    if game == "669a":
        each, base = 3, base | {"blind": ante, "pair_plus": 500, "six_card_bonus": 500}
        config["paytables"] = {"pair_plus": "B", "six_card_bonus": "D", "progressive": "A"}
        decision |= {"street": "third", "multiple": 3}
        document["community"] = take(3)
    elif game == "639a":
        base |= {"bonus": 500, "fchb_player": 100, "fchb_dealer": 100}
        config["paytables"] = {"bonus": "A", "progressive": "D", "five_card_hand_bonus": "A"}
        meters |= {"fchb.meter": draw(st.integers(0, 10**7)), "fchb.reserve": 0}
        document["dealer"] = {"cards": take(5)}
        decision = {"action": "bet" if fold_or == "play" else "fold"}
    elif game == "643a":
        each, base = 3, {"bet1": ante, "bet2": ante, "bet3": ante, "three_card_bonus": 500, "six_card_bonus": 500}
        config["paytables"] = {"main": "A", "three_card_bonus": "D", "six_card_bonus": "E", "progressive3": "A"}
        document |= {"community": take(2), "six_cards": take(3)}
    else:
        base |= {"blind": ante, "trips": 500, "bad_beat": 500}
        config["paytables"] = {"trips": "04", "bad_beat": "01", "progressive": "1" if unit == 100 else "2"}
        document |= {"dealer": {"cards": take(5)}, "replacement": take(1)[0]}
        decision = {"action": "raise" if fold_or == "play" else "fold"}
    progressive = "progressive3" if game == "643a" else "progressive"
    decisions = {"bet1": "ride", "bet2": "withdraw"}
    document["seats"] = [
        {
            "seat": seat,
            "cards": take(each),
            "wagers": base | {progressive: unit},
            "decision": decision,
            "decisions": decisions,
        }
        for seat in (1, 3, 4)
    ]
    return document


@settings(max_examples=150, deadline=None)
@given(rounds(), st.randoms(use_true_random=False))
def test_money_and_meters_are_conserved_in_every_game(document: dict[str, Any], rng: Any) -> None:
    settled = settle_round(document)
    assert settled["settle_order"] == [4, 3, 1]
    for seat in settled["seats"].values():
        assert all(result["net"] == result["return"] - result["wager"] >= -result["wager"] for result in seat.values())
    balances = dict(document["config"]["meters_before"])
    for kind, _, meter, amount, balance in settled["meter_log"]:
        if kind == "contribution":
            balances[meter] += amount
        elif amount < balances[meter] or balance == 0:
            balances[meter] -= amount  # a part of it, or all of a meter that is reseeded with nothing
        else:
            balances[meter] = balance  # all of it: reseeded
        assert balances[meter] == balance >= 0
    assert balances == settled["meters_after"]
    for seat in document["seats"]:
        rng.shuffle(seat["cards"])
    rng.shuffle(document["seats"])
    again = settle_round(document)
    assert again["seats"] == settled["seats"]


@settings(deadline=None)
@given(st.integers(0, 10**9), st.lists(st.sampled_from([100, 500]), max_size=6))
def test_a_meter_grows_by_what_is_added(balance: int, wagers: list[int]) -> None:
    from rules.money import Cents
    from rules.paytables import game_paytables

    table = game_paytables("raise_it_up").table("progressive", "A")
    bank = MeterBank({"prog.meter": balance})
    for seat, wager in enumerate(wagers, start=1):
        bank.contribute(table, "prog", seat, Cents(wager))
    assert bank.balances["prog.meter"] == balance + sum(wagers) * 14 // 100
    assert len(bank.log) == len(wagers)
