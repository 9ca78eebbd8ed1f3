"""A line that cannot be settled: the error names the line, the field, what it holds and what is expected."""

import contextlib
import copy
import json
from typing import Any

import pytest
from test_settlement_cases import CASES, round_of

from rules.settlement.results import SettlementError
from rules.settlement.rounds import settle_lines, settle_round

ROUND: dict[str, Any] = {
    "id": "r-1",
    "game": "669a",
    "config": {
        "dealing": "hand",
        "paytables": {"pair_plus": "A", "progressive": "A"},
        "progressive_unit": 100,
        "meters_before": {"prog.meter": 100000},
    },
    "community": ["2c", "7d", "9h"],
    "seats": [
        {
            "seat": 1,
            "wagers": {"ante": 1000, "blind": 1000, "pair_plus": 500, "progressive": 100},
            "cards": ["Th", "9c", "4s"],
            "decision": {"action": "play", "street": "fifth", "multiple": 1},
        }
    ],
}
REMOVE = object()


def _changed(path: str, value: object) -> dict[str, Any]:
    document = copy.deepcopy(ROUND)
    *parents, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    place: Any = document
    for step in parents:
        place = place[step]
    if value is REMOVE:
        del place[last]
    else:
        place[last] = value
    return document


def test_the_round_itself_is_settled() -> None:
    assert settle_round(ROUND)["meters_after"] == {"prog.meter": 100014}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("seats/0/cards/1", "10h", r"seats\[0\]\.cards\[1\]: '10h' is no card: expected a rank of 23456789TJQKA"),
        ("seats/0/cards/1", 9, r"seats\[0\]\.cards\[1\]: 9 is no card"),
        ("seats/0/cards/1", "Jo", r"seats\[0\]\.cards\[1\]: Jo is not in the deck of 52 cards"),
        ("seats/0/cards/1", "Th", "seat 1: Th is there twice, the other time in seat 1"),
        ("seats/0/cards/1", "9h", "community: 9h is there twice, the other time in seat 1"),
        ("seats/0/cards", ["Th", "9c"], r"seats\[0\]\.cards: expected 3 cards, got"),
        ("seats/0/cards", "Th 9c 4s", r"seats\[0\]\.cards: expected a list, got \"Th 9c 4s\""),
        ("seats/0/cards", REMOVE, r"seats\[0\]\.cards: missing"),
        ("seats/0/wagers/ante", REMOVE, r"seats\[0\]\.wagers\.ante: missing"),
        (
            "seats/0/wagers/ante",
            -1000,
            r"seats\[0\]\.wagers\.ante: expected a whole number of cents of at least 1, got -1000",
        ),
        ("seats/0/wagers/ante", 0, r"seats\[0\]\.wagers\.ante: expected a whole number of cents of at least 1, got 0"),
        ("seats/0/wagers/ante", 10.0, r"seats\[0\]\.wagers\.ante: expected a whole number of cents .* got 10.0"),
        ("seats/0/wagers/ante", "1000", r"seats\[0\]\.wagers\.ante: expected a whole number of cents .* got \"1000\""),
        ("seats/0/wagers/ante", True, r"seats\[0\]\.wagers\.ante: expected a whole number of cents .* got true"),
        (
            "seats/0/wagers/ante",
            10**11 + 1,
            r"seats\[0\]\.wagers\.ante: expected at most 100000000000 cents, got 1000000",
        ),
        ("config/meters_before/prog.meter", 5 * 10**18, r"prog\.meter: expected at most 100000000000 cents, got 5000"),
        ("seats/0/wagers/play", 1000, r"seats\[0\]\.wagers\.play: no wager of this game before the deal; those: ante"),
        ("seats/0/wagers/six_card_bonus", 100, r"config\.paytables\.six_card_bonus: missing, but seat 1 has a wager"),
        ("seats/0/wagers/progressive", 500, r"seats\[0\]\.wagers\.progressive: expected 100 cents, the one amount"),
        ("seats/0/wagers", REMOVE, r"seats\[0\]\.wagers: missing"),
        ("seats/0/seat", 7, r"seats\[0\]\.seat: expected a whole number 1 to 6, got 7"),
        ("seats/0/seat", REMOVE, r"seats\[0\]\.seat: missing"),
        ("seats/0/decision", REMOVE, r"seats\[0\]\.decision: missing"),
        (
            "seats/0/decision/action",
            "check",
            r"seats\[0\]\.decision\.action: expected one of play, fold, got \"check\"",
        ),
        ("seats/0/decision/multiple", 2, r"seats\[0\]\.decision\.multiple: expected a whole number 1 to 1, got 2"),
        ("seats/0/decision/street", "sixth", r"seats\[0\]\.decision\.street: expected one of third, fourth, fifth"),
        ("seats", [], "seats: expected at least one seat"),
        ("seats", REMOVE, "seats: missing"),
        ("seats/0", "seat 1", r"seats\[0\]: expected an object, got \"seat 1\""),
        ("community", ["2c", "7d"], "community: expected 3 cards"),
        ("community", REMOVE, "community: missing"),
        ("config", REMOVE, "config: missing"),
        ("config/paytables", REMOVE, "config.paytables: missing"),
        ("config/paytables/pair_plus", "C", r"config\.paytables\.pair_plus: .*no paytable 'C' .* it allows A, B"),
        ("config/paytables/pair_plus", 1, r"config\.paytables\.pair_plus: expected a text, got 1"),
        ("config/paytables/insurance", "A", r"config\.paytables\.insurance: no wager of this game"),
        ("config/meters_before", REMOVE, r"config\.meters_before: no balance for 'prog\.meter'"),
        (
            "config/meters_before/prog.meter",
            -5,
            r"config\.meters_before\.prog\.meter: expected a whole number of cents",
        ),
        ("config/readings", {"riu.pair_plus_on_fold": "maybe"}, "reading riu.pair_plus_on_fold: 'maybe' cannot"),
        ("config/readings", {"riu.colour": "red"}, "reading riu.colour: no amount rests on it"),
        ("game", "999a", 'game: expected one of 669a, 639a, 643a, 687a, got "999a"'),
        ("game", REMOVE, "game: missing"),
        ("id", REMOVE, "id: missing"),
        ("id", 7, "id: expected a text, got 7"),
        ("deck", ["2c", "2c"], r"deck\[1\]: 2c is there twice, the other time in deck\[0\]"),
        ("void", "jam", 'void: expected an object, got "jam"'),
        ("void", {}, "void.reason: missing"),
    ],
)
def test_what_is_wrong_is_named(path: str, value: object, message: str) -> None:
    with pytest.raises(SettlementError, match=message):
        settle_round(_changed(path, value))


def test_a_seat_twice() -> None:
    document = copy.deepcopy(ROUND)
    document["seats"].append(document["seats"][0] | {"cards": ["Td", "9d", "4d"]})
    with pytest.raises(SettlementError, match=r"seats\[1\]\.seat: seat 1 is there twice"):
        settle_round(document)


def test_unequal_bets_of_let_it_ride() -> None:
    document = {
        "id": "l-1",
        "game": "643a",
        "config": {"paytables": {"main": "A"}},
        "community": ["2c", "7d"],
        "seats": [
            {
                "seat": 1,
                "wagers": {"bet1": 500, "bet2": 500, "bet3": 1000},
                "cards": ["Th", "9c", "4s"],
                "decisions": {"bet1": "ride", "bet2": "ride"},
            }
        ],
    }
    with pytest.raises(SettlementError, match=r"seats\[0\]\.wagers\.bet3: expected the amount of bet1: 643a.7\(d\)"):
        settle_round(document)


def test_a_joker_without_its_replacement() -> None:
    document = {
        "id": "d-1",
        "game": "687a",
        "config": {"paytables": {"progressive": "1"}, "meters_before": {"prog.meter": 200000}},
        "dealer": {"cards": ["2c", "7d", "8h", "9h", "Ts"]},
        "seats": [
            {
                "seat": 1,
                "wagers": {"ante": 500, "blind": 500, "progressive": 100},
                "cards": ["Th", "9c", "4s", "Jo", "3c"],
                "decision": {"action": "raise"},
            }
        ],
    }
    with pytest.raises(SettlementError, match="replacement: missing"):
        settle_round(document)


def test_lines_give_one_line_each_and_name_the_line_that_is_wrong() -> None:
    good, bad = json.dumps(ROUND), json.dumps(_changed("game", "999a"))
    results = settle_lines([good, "\n", good, bad])
    first = json.loads(next(results))
    assert first == json.loads(next(results))
    assert list(first) == ["id", "seats", "meters_after"]
    assert first["seats"]["1"]["pair_plus"] == {"outcome": "lose", "return": 0}
    with pytest.raises(SettlementError, match=r"line 4 \(round r-1\): game: expected one of"):
        next(results)


def test_a_field_that_stands_there_twice_is_named_by_its_line() -> None:
    line = json.dumps(ROUND).replace('"ante": 1000', '"ante": 1000, "ante": 1')
    with pytest.raises(SettlementError, match=r"line 1: no JSON object: field 'ante' stands there twice"):
        list(settle_lines([line]))


def test_lines_explained_say_the_way() -> None:
    explained = json.loads(next(settle_lines([json.dumps(ROUND)], explain=True)))
    assert explained["seats"]["1"]["pair_plus"]["way"] == "high card is not paid: 5.00 collected"
    assert explained["meter_log"] == [["contribution", 1, "prog.meter", 14, 100014]]


@pytest.mark.parametrize("line", ["{", "nonsense", "[" * 100_000, "\x00"])
def test_what_is_no_json_is_named_by_its_line(line: str) -> None:
    with pytest.raises(SettlementError, match="line 1: no JSON object"):
        next(settle_lines([line]))


@pytest.mark.parametrize("line", ["[]", "7", "null", '"round"'])
def test_json_that_is_no_object_is_named_by_its_line(line: str) -> None:
    with pytest.raises(SettlementError, match="line 1: the line: expected an object"):
        next(settle_lines([line]))


JUNK: tuple[Any, ...] = (None, True, -1, 0, 10**30, 1.5, "", "Th", "dealer", [], ["Th"], {}, {"a": 1})


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every value of a document lies."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return ([at] if at else []) + [place for key, inner in steps for place in _places(inner, (*at, key))]


@pytest.mark.parametrize(("game", "case"), CASES[::4], ids=[case["name"] for _, case in CASES[::4]])
def test_whatever_stands_in_a_field_it_is_settled_or_refused(game: str, case: dict[str, Any]) -> None:
    document = round_of(game, case)
    for *parents, last in _places(document):
        for junk in JUNK:
            changed = copy.deepcopy(document)
            place: Any = changed
            for step in parents:
                place = place[step]
            place[last] = junk
            with contextlib.suppress(SettlementError):
                settle_round(changed)


def test_no_limit_where_the_chapter_has_none() -> None:
    document = _changed("config/max_payout", 5_000)
    with pytest.raises(SettlementError, match=r"config\.max_payout: .*669a"):
        settle_round(document)


WILD: dict[str, Any] = {
    "id": "d-1",
    "game": "687a",
    "config": {"dealing": "hand", "paytables": {"progressive": "1"}, "meters_before": {"prog.meter": 300_000}, "folded_hands_qualify_progressive": False},
    "dealer": {"cards": ["3c", "4d", "7h", "8s", "9c"]},
    "seats": [
        {"seat": 1, "wagers": {"ante": 500, "blind": 500}, "decision": {"action": "raise"}, "cards": ["Jo", "Ks", "Qs", "Js", "Ts"]},
        {"seat": 2, "wagers": {"ante": 500, "blind": 500, "progressive": 100}, "decision": {"action": "raise"}, "cards": ["Ad", "Kh", "5s", "9d", "3d"]},
    ],
}  # fmt: skip


def test_the_joker_needs_its_extra_card_for_the_envy_bonus_of_others() -> None:
    with pytest.raises(SettlementError, match="replacement: missing; seat 1 holds the joker"):
        settle_round(WILD)
    assert settle_round({**WILD, "replacement": "As"})["seats"]["2"]["envy"]["return"] == 100_000


@pytest.mark.parametrize(("paytable", "cents", "due"), [("1", 500, 100), ("2", 100, 500)])
def test_a_paytable_printed_for_one_amount(paytable: str, cents: int, due: int) -> None:
    """687a.12(c) prints seed and envy bonus for a wager of $1 and of $5."""
    document = copy.deepcopy({**WILD, "replacement": "As"})
    document["config"]["paytables"]["progressive"] = paytable
    document["seats"][1]["wagers"]["progressive"] = cents
    with pytest.raises(SettlementError, match=f"paytable {paytable} is printed for a wager of {due} cents"):
        settle_round(document)
