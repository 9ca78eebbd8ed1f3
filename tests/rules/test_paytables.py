"""The data file of the paytables, and looking up a line."""

import copy
import datetime
from importlib.resources import files
from typing import Any

import pytest
import yaml

from rules.cards import parse_cards
from rules.hands import rank_best_of_six, rank_five, rank_three
from rules.money import Basis, Cents, MeterShare, Odds
from rules.paytables import (
    Paytable,
    PaytableError,
    all_paytables,
    five_card_names,
    game_paytables,
    parse_paytables,
    six_card_names,
    three_card_names,
)

TABLES = [table for game in all_paytables().values() for columns in game.tables.values() for table in columns.values()]
IDS = [f"{table.game}-{table.wager}-{table.name}" for table in TABLES]

HAND_NAMES = {
    *("five wilds", "royal flush", "five-of-a-kind", "straight flush", "four-of-a-kind", "full house", "flush"),
    *("straight", "three-of-a-kind", "two pair", "pair of 10s or better", "pair", "pair or less"),
    *("three-of-a-kind or less", "any", "mini-royal", "mini-royal of spades"),
    *("mini-royal of hearts, diamonds or clubs", "six-card royal flush of diamonds"),
    "six-card royal flush of hearts, spades or clubs",
}


def _document() -> dict[str, Any]:
    text = files("rules.data").joinpath("paytables.yaml").read_text(encoding="utf-8")
    return copy.deepcopy(yaml.safe_load(text))


@pytest.mark.parametrize("table", TABLES, ids=IDS)
def test_every_table_has_law_dates_and_known_hands(table: Paytable) -> None:
    chapter = game_paytables(table.game).chapter
    assert table.citation.startswith(f"58 Pa. Code § {chapter}.12(")
    assert datetime.date(2012, 1, 1) < table.effective <= table.checked
    assert table.lines
    assert {line.hand for line in table.lines} <= HAND_NAMES
    for citation, has in ((table.meters_citation, table.meters), (table.envy_citation, table.envy)):
        assert citation.startswith(f"58 Pa. Code § {chapter}.12(") if has else True


@pytest.mark.parametrize("table", TABLES, ids=IDS)
def test_a_better_hand_never_pays_less(table: Paytable) -> None:
    pays = [line.pay.numerator / line.pay.denominator for line in table.lines if isinstance(line.pay, Odds)]
    assert pays == sorted(pays, reverse=True)


@pytest.mark.parametrize("table", TABLES, ids=IDS)
def test_every_share_has_its_meter(table: Paytable) -> None:
    for line in table.lines:
        if isinstance(line.pay, MeterShare):
            assert line.pay.meter in table.meters


def test_numbers_of_tables_by_chapter() -> None:
    counts = {name: sum(map(len, game.tables.values())) for name, game in all_paytables().items()}
    # Raise It Up: 2 Pair Plus, Ante, Play, Blind, Progressive, 4 Six Card Bonus
    # Caribbean: Ante, Bet, 3 Bonus, 8 Progressive, Five Card Hand Bonus
    # Let It Ride: 2 + 7 Five Card Bonus, 6 Three Card Bonus, 2 + 4 Progressive, Five Card Hand Bonus, 5 Six Card Bonus
    # DJ Wild: Ante, Raise, Blind, 2 Progressive, 4 Trips of two columns, 4 Bad Beat
    assert counts == {"raise_it_up": 10, "caribbean_stud": 14, "let_it_ride": 27, "dj_wild": 17}


@pytest.mark.parametrize(
    ("game", "wager", "name", "hand", "pay"),
    [
        ("raise_it_up", "pair_plus", "B", "three-of-a-kind", "25 to 1"),
        ("raise_it_up", "play", "A", "two pair", "3 to 2"),
        ("raise_it_up", "blind", "A", "two pair", "push"),
        ("raise_it_up", "six_card_bonus", "C", "straight", "9 to 1"),
        ("raise_it_up", "progressive", "A", "straight flush", "70 for 1"),
        ("caribbean_stud", "progressive", "A", "straight flush", "5000 for 1"),
        ("caribbean_stud", "progressive", "G", "four-of-a-kind", "100% of minor"),
        ("let_it_ride", "main", "B", "royal flush", "500 to 1"),
        ("let_it_ride", "five_card_bonus", "G", "four-of-a-kind", "400 to 1"),
        ("let_it_ride", "six_card_bonus", "E", "six-card royal flush of diamonds", "200000 to 1"),
        ("dj_wild", "trips", "06 natural", "royal flush", "400 to 1"),
        ("dj_wild", "bad_beat", "02", "straight flush", "5000 to 1"),
    ],
)
def test_single_cells(game: str, wager: str, name: str, hand: str, pay: str) -> None:
    line = game_paytables(game).table(wager, name).line([hand])
    assert line is not None
    assert str(line.pay) == pay


def test_a_hand_without_a_row_is_not_paid() -> None:
    progressive = game_paytables("caribbean_stud").table("progressive", "E")
    assert progressive.line(["straight"]) is None
    assert progressive.line(["flush"]) is not None


def test_pair_of_tens_row_at_nines_and_tens() -> None:
    play = game_paytables("raise_it_up").table("play", "A")
    assert play.line(five_card_names(rank_five(parse_cards("9c 9d Ah Ks Qc")))) is None
    tens = play.line(five_card_names(rank_five(parse_cards("Tc Td 4h 3s 2c"))))
    assert tens is not None
    assert (tens.hand, str(tens.pay)) == ("pair of 10s or better", "1 to 1")


def test_names_go_from_the_most_telling_to_the_least() -> None:
    assert three_card_names(rank_three(parse_cards("As Ks Qs"))) == (
        "mini-royal of spades",
        "mini-royal",
        "straight flush",
    )
    assert three_card_names(rank_three(parse_cards("Ah Kh Qh")))[0] == "mini-royal of hearts, diamonds or clubs"
    six = parse_cards("Ad Kd Qd Jd Td 9d")
    assert six_card_names(six, rank_best_of_six(six))[:2] == ("six-card royal flush of diamonds", "royal flush")
    high = rank_five(parse_cards("Ac Kd Qh Js 9c"))
    assert five_card_names(high) == ("high card", "pair or less", "three-of-a-kind or less", "any")


def test_mini_royal_without_its_row_pays_as_a_straight_flush() -> None:
    names = three_card_names(rank_three(parse_cards("Ah Kh Qh")))
    law = game_paytables("let_it_ride")
    for letter, pay in (("A", "40 to 1"), ("D", "50 to 1")):
        line = law.table("three_card_bonus", letter).line(names)
        assert line is not None
        assert str(line.pay) == pay


def test_meters_start_and_grow_by_the_wager_offered() -> None:
    table = game_paytables("caribbean_stud").table("progressive", "A")
    meter, reserve = table.meters["meter"], table.meters["reserve"]
    assert meter.reseed(Cents(500)) == 5_000_000  # $10,000 for 1, a $5 wager: $50,000
    assert (meter.increment(Cents(500)), reserve.increment(Cents(500))) == (265, 75)  # 53% and 15% of $5.00
    assert game_paytables("dj_wild").table("progressive", "1").meters["meter"].increment(Cents(100)) == 0


def test_envy_is_by_the_receivers_wager() -> None:
    table = game_paytables("raise_it_up").table("progressive", "A")
    assert table.envy_for(Cents(100), ["mini-royal of spades"]) == ("mini-royal of spades", 10_000)
    assert table.envy_for(Cents(500), ["mini-royal of hearts, diamonds or clubs"]) == (
        "mini-royal of hearts, diamonds or clubs",
        12_500,
    )
    assert table.envy_for(Cents(100), ["straight flush"]) is None
    with pytest.raises(PaytableError, match=r"for a wager of \$1 or \$5, not of 200 cents"):
        table.envy_for(Cents(200), ["mini-royal of spades"])


def test_envy_only_on_tables_that_carry_it() -> None:
    law = game_paytables("caribbean_stud")
    carrying = [name for name, table in law.tables["progressive"].items() if table.envy]
    assert carrying == ["D", "F", "G", "H"]


def test_odds_for_and_odds_to_stay_apart() -> None:
    fixed = game_paytables("let_it_ride").table("progressive5", "A").line(["full house"])
    bonus = game_paytables("let_it_ride").table("five_card_bonus", "A").line(["full house"])
    assert fixed is not None
    assert bonus is not None
    assert fixed.pay == Odds(50, 1, Basis.FOR)
    assert bonus.pay == Odds(75, 1, Basis.TO)


@pytest.mark.parametrize(
    ("game", "wager", "name", "message"),
    [
        ("raise_it_up", "pair_plus", "C", r"no paytable 'C' in 58 Pa. Code § 669a.12\(a\); it allows A, B"),
        ("raise_it_up", "insurance", "A", "no wager 'insurance'"),
        ("baccarat", "main", "A", "no game 'baccarat'"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(game: str, wager: str, name: str, message: str) -> None:
    with pytest.raises(PaytableError, match=message):
        game_paytables(game).table(wager, name)


def test_a_row_short_of_a_cell_is_refused() -> None:
    document = _document()
    document["raise_it_up"]["wagers"]["pair_plus"]["odds"]["flush"] = ["4 to 1"]
    with pytest.raises(PaytableError, match=r"raise_it_up.pair_plus: 'flush' has 1 cells, there are 2 columns"):
        parse_paytables(document, source="test.yaml")


def test_a_cell_that_is_no_payout_is_refused() -> None:
    document = _document()
    document["raise_it_up"]["wagers"]["pair_plus"]["odds"]["flush"][0] = "four to one"
    with pytest.raises(PaytableError, match=r"test.yaml: raise_it_up.pair_plus: .*'four to one' is no payout"):
        parse_paytables(document, source="test.yaml")


def test_a_table_without_its_law_is_refused() -> None:
    document = _document()
    del document["dj_wild"]["wagers"]["blind"]["citation"]
    with pytest.raises(PaytableError, match=r"dj_wild.blind: KeyError 'citation'"):
        parse_paytables(document, source="test.yaml")
