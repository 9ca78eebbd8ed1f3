"""Side wagers in the long run, against counts worked out by hand."""

import doctest
from fractions import Fraction

import pytest

import rules.odds
from rules.hands import FiveCard
from rules.money import Cents
from rules.odds import LOSES, OddsError, envy_odds, side_wager_odds, six_card_counts, three_card_counts
from rules.paytables import Paytable, game_paytables


def _table(game: str, wager: str, name: str) -> Paytable:
    return game_paytables(game).table(wager, name)


def test_pair_plus_a_returns_what_its_counts_say() -> None:
    odds = side_wager_odds(_table("raise_it_up", "pair_plus", "A"))
    assert odds.counts == {
        "straight flush": 48,
        "three-of-a-kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        LOSES: 16440,
    }
    # 48 x 41 + 52 x 31 + 720 x 7 + 1096 x 5 + 3744 x 2 = 1968 + 1612 + 5040 + 5480 + 7488 = 21,588
    assert odds.expected_return() == Fraction(21588, 22100)
    assert odds.house_edge() == Fraction(512, 22100)
    assert odds.hit_rate() == Fraction(5660, 22100)


def test_three_of_a_kind_at_25_costs_five_times_its_chance() -> None:
    a, b = (side_wager_odds(_table("raise_it_up", "pair_plus", name)) for name in "AB")
    assert a.expected_return() - b.expected_return() == Fraction(5 * 52, 22100)


def test_without_ace_two_three_there_are_sixty_straights_less() -> None:
    odds = side_wager_odds(_table("raise_it_up", "pair_plus", "A"), ace_low=False)
    assert odds.counts["straight"] == 720 - 60  # 4^3 - 4
    assert odds.counts["straight flush"] == 48 - 4


@pytest.mark.parametrize(("name", "mini_royals"), [("A", 0), ("D", 4)])
def test_three_card_bonus_counts_the_mini_royal_where_it_has_a_row(name: str, mini_royals: int) -> None:
    odds = side_wager_odds(_table("let_it_ride", "three_card_bonus", name))
    assert odds.counts.get("mini-royal", 0) == mini_royals
    assert odds.counts["straight flush"] == 48 - mini_royals
    assert sum(odds.counts.values()) == odds.total == 22_100


def test_progressive_breaks_even_where_it_returns_the_wager() -> None:
    odds = side_wager_odds(_table("raise_it_up", "progressive", "A"))
    # one ace, king and queen of spades; 3 x 500 + 44 x 70 + 52 x 60 + 720 x 6 = 1500 + 3080 + 3120 + 4320 = 12,020
    assert odds.break_even("meter") == 22100 - 12020
    assert odds.expected_return({"meter": Fraction(10080)}) == 1
    with pytest.raises(OddsError, match="give what stands on 'meter'"):
        odds.expected_return()
    with pytest.raises(OddsError, match="no row pays from meter 'mega'"):
        odds.break_even("mega")


def test_six_card_hands_are_all_counted() -> None:
    counts = six_card_counts()
    assert sum(counts.values()) == 20_358_520  # c(52, 6)
    by_label = {
        category.label: sum(n for names, n in counts.items() if category.label in names) for category in FiveCard
    }
    assert by_label["royal flush"] == 188
    assert by_label["straight flush"] == 1656
    assert by_label["four-of-a-kind"] == 14664
    assert by_label["full house"] == 165984
    assert by_label["flush"] == 205792
    assert by_label["straight"] == 361620
    assert by_label["three-of-a-kind"] == 732160
    assert by_label["two pair"] == 2532816
    assert by_label["pair"] == 9730740
    assert by_label["high card"] == 6612900


def test_six_card_bonus_a_returns_what_its_counts_say() -> None:
    odds = side_wager_odds(_table("raise_it_up", "six_card_bonus", "A"))
    returned = 188 * 1001 + 1656 * 201 + 14664 * 51 + 165984 * 26 + 205792 * 21 + 361620 * 11 + 732160 * 6
    assert odds.expected_return() == Fraction(returned, 20_358_520)


def test_six_card_royals_have_rows_of_their_own_under_e() -> None:
    odds = side_wager_odds(_table("let_it_ride", "six_card_bonus", "E"))
    assert odds.counts["six-card royal flush of diamonds"] == 1
    assert odds.counts["six-card royal flush of hearts, spades or clubs"] == 3
    assert odds.counts["royal flush"] == 184


def test_the_counts_of_three_cards_name_the_rows() -> None:
    counts = three_card_counts()
    assert counts["mini-royal of spades", "mini-royal", "straight flush"] == 1
    assert counts["mini-royal of hearts, diamonds or clubs", "mini-royal", "straight flush"] == 3


def test_a_wager_that_a_decision_touches_is_refused() -> None:
    with pytest.raises(OddsError, match="raise_it_up play: not a wager on three or six cards"):
        side_wager_odds(_table("raise_it_up", "play", "A"))


def test_the_example_of_the_module_runs() -> None:
    assert doctest.testmod(rules.odds).failed == 0


def test_envy_by_the_hand_of_one_other_player() -> None:
    table = _table("raise_it_up", "progressive", "A")
    odds = envy_odds(table, Cents(100))
    assert odds.counts == {"mini-royal of spades": 1, "mini-royal of hearts, diamonds or clubs": 3, LOSES: 22_096}
    # 100.00 once and 25.00 three times in 22,100 hands, on a wager of 1.00
    assert odds.expected_return() == Fraction(100 + 3 * 25, 22_100)
    with pytest.raises(OddsError, match="no envy bonus"):
        envy_odds(_table("caribbean_stud", "progressive", "A"), Cents(100))


def test_envy_of_five_card_hands() -> None:
    odds = envy_odds(_table("caribbean_stud", "progressive", "D"), Cents(500))
    assert odds.counts["royal flush"] == 4
    assert odds.counts["straight flush"] == 36
    assert odds.expected_return() == Fraction(4 * 1000 + 36 * 300, 2_598_960)
