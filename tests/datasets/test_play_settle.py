"""The simulator's own settlement against the settled rounds of the law and against the rules' own ranking."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.play.deal import DECK, shuffled_deck
from datasets.play.settle import ORDER_FIVE, ORDER_THREE, best_of_six, odds, three_card_hand, winnings


def test_a_shuffled_deck_holds_every_card_once() -> None:
    deck = shuffled_deck(np.random.default_rng(4))
    assert sorted(deck) == sorted(DECK)
    assert deck == shuffled_deck(np.random.default_rng(4))
    assert deck != shuffled_deck(np.random.default_rng(5))


@pytest.mark.parametrize(
    ("cards", "hand"),
    [
        ("As 2d 3c", "straight"),
        ("Ks As 2s", "flush"),
        ("Qh Kh Ah", "straight flush"),
        ("7h 7d 7c", "three-of-a-kind"),
        ("7h 7d 8c", "pair"),
        ("7h 9d 8c", "straight"),
        ("7h Jd 8c", "nothing"),
    ],
)
def test_three_card_hands(cards: str, hand: str) -> None:
    assert three_card_hand(cards.split()) == hand


@pytest.mark.parametrize(
    ("cards", "hand"),
    [
        ("Ts Th 2c 4d 6h 8s", "pair of 10s or better"),
        ("9s 9h 2c 4d 6h 8s", "nothing"),
        ("9s 9h 2c 2d 6h 8s", "two pair"),
        ("As 2h 3c 4d 5h 9s", "straight"),
        ("Qs Kh Ac 2d 3h 9s", "nothing"),
        ("2s 4s 6s 8s Ts 9h", "flush"),
        ("2s 2h 2c 8s 8h 9h", "full house"),
        ("2s 2h 2c 2d 8h 9h", "four-of-a-kind"),
        ("2s 3s 4s 5s 6s As", "straight flush"),
        ("Ts Js Qs Ks As 9s", "royal flush"),
    ],
)
def test_best_five_of_six(cards: str, hand: str) -> None:
    assert best_of_six(cards.split()) == hand


def test_each_wager_pays_its_own_odds() -> None:
    # Three nines with a pair in the hand: Pair Plus 1 to 1, Ante 1 to 1, Play 3 to 1, Blind 1 to 1, Six Card 5 to 1.
    stakes = {"ante": 1000, "blind": 1000, "play": 2000, "pair_plus": 500, "six_card_bonus": 500}
    paid = winnings(stakes, ["9s", "9h", "2c"], ["9d", "4h", "Js"], {"pair_plus": "A", "six_card_bonus": "B"})
    assert paid == {"pair_plus": 500, "ante": 1000, "play": 6000, "blind": 1000, "six_card_bonus": 2500}
    assert list(paid) == ["pair_plus", "ante", "play", "blind", "six_card_bonus"]


def test_two_pair_pays_three_to_two_and_pushes_the_blind() -> None:
    paid = winnings({"ante": 600, "blind": 600, "play": 600}, ["9s", "9h", "2c"], ["2d", "4h", "Js"], {})
    assert paid == {"ante": 600, "play": 900, "blind": 0}


def test_a_losing_hand_loses_every_wager() -> None:
    paid = winnings(
        {"ante": 600, "blind": 600, "play": 600, "pair_plus": 500}, ["9s", "8h", "2c"], ["3d", "4h", "Js"], {}
    )
    assert set(paid.values()) == {None}


def test_odds_name_only_hands_that_are_ranked_here() -> None:
    for wager, column in [("play", "A"), ("blind", "A"), *(("six_card_bonus", c) for c in "ABCD")]:
        assert set(odds(wager, column)) <= set(ORDER_FIVE)
    for column in "AB":
        assert set(odds("pair_plus", column)) == set(ORDER_THREE[1:])
    assert odds("blind", "A")["two pair"] == 0


def test_rounds_settle_as_the_rules_settle_them() -> None:
    """A thousand hands ranked here and in `rules`: the same winnings."""
    from rules.cards import parse_card
    from rules.hands import rank_best_of_six
    from rules.money import Cents, Odds
    from rules.paytables import five_card_names, game_paytables

    play = game_paytables("raise_it_up").table("play", "A")
    rng = np.random.default_rng(1)
    for _ in range(1000):
        cards = shuffled_deck(rng)[:6]
        line = play.line(five_card_names(rank_best_of_six([parse_card(c) for c in cards])))
        won = winnings({"play": 600}, cards[:3], cards[3:], {})["play"]
        owed = None
        if line is not None:
            assert isinstance(line.pay, Odds)
            owed = line.pay.winnings(Cents(600))
        assert won == owed, cards
