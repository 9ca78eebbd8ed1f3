"""`settle_seat`, as the engine calls it for one seat."""

import pytest

from rules.cards import parse_cards
from rules.hands import HandError
from rules.paytables import PaytableError
from rules.settlement.progressive import MeterBank
from rules.settlement.raise_it_up import WAGERS, settle_seat
from rules.settlement.results import Outcome, SettlementError

BOARD = parse_cards("2c 7d 9h")


def test_results_come_in_the_order_of_settlement() -> None:
    wagers = dict.fromkeys(("six_card_bonus", "blind", "play", "pair_plus", "ante"), 500)
    results = settle_seat(
        parse_cards("Th Td 4s"), BOARD, wagers, folded=False, paytables={"pair_plus": "A", "six_card_bonus": "A"}
    )
    assert list(results) == [wager for wager in WAGERS if wager in wagers]


def test_what_the_house_puts_down_is_without_the_stake() -> None:
    result = settle_seat(
        parse_cards("Th Td 9s"), BOARD, {"ante": 1000, "blind": 1000, "play": 3000}, folded=False, paytables={}
    )
    play = result["play"]
    assert (play.outcome, play.owed_cents, play.return_cents, play.net_cents) == (Outcome.WIN, 4500, 7500, 4500)
    assert (play.odds, play.hand, play.citation) == ("3 to 2", "two pair", "58 Pa. Code § 669a.12(c)")
    assert result["blind"].owed_cents == 0


def test_a_share_of_an_unknown_meter_is_left_out_not_guessed() -> None:
    royal = parse_cards("As Ks Qs")
    wagers = {"ante": 100, "blind": 100, "play": 100, "progressive": 100}
    results = settle_seat(royal, BOARD, wagers, folded=False, paytables={"progressive": "A"})
    assert "progressive" not in results
    known = settle_seat(
        royal, BOARD, wagers, folded=False, paytables={"progressive": "A"}, meters=MeterBank({"prog.meter": 123456})
    )
    assert known["progressive"].return_cents == 123456
    assert known["progressive"].way == (
        "mini-royal of spades 100% of the prog.meter at 1,234.56: 1,234.56 in all, the stake was collected before"
    )


def test_fixed_progressive_odds_need_no_meter() -> None:
    wagers = {"ante": 100, "blind": 100, "play": 100, "progressive": 100}
    results = settle_seat(parse_cards("3c 4d 5h"), BOARD, wagers, folded=False, paytables={"progressive": "A"})
    assert results["progressive"].return_cents == 600
    assert results["progressive"].way == "straight 6 for 1 on 1.00: 6.00 in all, the stake was collected before"


def test_the_progressive_of_all_six_cards_under_the_other_reading() -> None:
    wagers = {"ante": 100, "blind": 100, "play": 100, "progressive": 100}
    hand, tables = parse_cards("Ac Qd 8h"), {"progressive": "A"}
    assert settle_seat(hand, BOARD, wagers, folded=False, paytables=tables)["progressive"].outcome is Outcome.LOSE
    six = settle_seat(hand, BOARD, wagers, folded=False, paytables=tables, readings={"riu.progressive_cards": "6"})
    assert six["progressive"].return_cents == 600  # 9-8-7 with the board


@pytest.mark.parametrize(
    ("wagers", "folded", "tables", "message"),
    [
        ({"ante": 100, "insurance": 100}, False, {}, "no wager 'insurance'"),
        ({"ante": 100, "pair_plus": 100}, False, {}, "'pair_plus', which the Rules Submission does not offer"),
        ({"ante": 100, "blind": 100, "play": 100}, True, {}, "a Play Wager of a hand that folded"),
    ],
)
def test_what_cannot_be_settled_is_refused(
    wagers: dict[str, int], folded: bool, tables: dict[str, str], message: str
) -> None:
    with pytest.raises(SettlementError, match=message):
        settle_seat(parse_cards("Th Td 4s"), BOARD, wagers, folded=folded, paytables=tables)


def test_a_wrong_paytable_and_a_wrong_number_of_cards_are_refused() -> None:
    with pytest.raises(PaytableError, match="it allows A, B"):
        settle_seat(parse_cards("Th Td 4s"), BOARD, {"pair_plus": 100}, folded=False, paytables={"pair_plus": "Z"})
    with pytest.raises(HandError, match="expected 6 cards, got 5"):
        settle_seat(parse_cards("Th Td"), BOARD, {"ante": 100}, folded=False, paytables={})
