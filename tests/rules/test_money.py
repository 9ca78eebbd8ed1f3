import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.money import Basis, Cents, MeterShare, MoneyError, Odds, Push, format_cents, parse_pay


def test_three_to_two_returns_the_stake_and_one_and_a_half_of_it() -> None:
    odds = Odds(3, 2, Basis.TO)
    assert odds.winnings(Cents(3000)) == 4500  # 30.00 x 3 / 2
    assert odds.total_return(Cents(3000)) == 7500


def test_fifty_for_one_is_all_that_comes_back() -> None:
    odds = Odds(50, 1, Basis.FOR)
    assert odds.total_return(Cents(100)) == 5000 == odds.winnings(Cents(100))


def test_a_part_of_a_cent_is_dropped() -> None:
    assert Odds(3, 2, Basis.TO).winnings(Cents(1)) == 1  # 1.5 cents
    assert MeterShare(10, "meter").of(Cents(19)) == 1  # 1.9 cents


@pytest.mark.parametrize(
    ("text", "pay"),
    [
        ("3 to 2", Odds(3, 2, Basis.TO)),
        ("200,000 to 1", Odds(200000, 1, Basis.TO)),
        ("50 for 1", Odds(50, 1, Basis.FOR)),
        ("10% of meter", MeterShare(10, "meter")),
        ("push", Push()),
    ],
)
def test_a_cell_of_a_paytable_reads(text: str, pay: object) -> None:
    assert parse_pay(text) == pay
    assert str(pay) == text.replace(",", "")


@pytest.mark.parametrize("text", ["3:2", "3 to 0", "0 to 1", "-1 to 1", "0% of meter", "101% of meter", "Push", ""])
def test_any_other_cell_is_refused(text: str) -> None:
    with pytest.raises(MoneyError):
        parse_pay(text)


@pytest.mark.parametrize(("cents", "text"), [(0, "0.00"), (5, "0.05"), (123456, "1,234.56"), (-50, "-0.50")])
def test_cents_read_as_dollars(cents: int, text: str) -> None:
    assert format_cents(cents) == text


@settings(deadline=None)
@given(st.integers(1, 10**7), st.integers(1, 1000), st.integers(1, 5))
def test_a_higher_stake_never_returns_less(stake: int, numerator: int, denominator: int) -> None:
    odds = Odds(numerator, denominator, Basis.TO)
    assert odds.total_return(Cents(stake + 1)) > odds.total_return(Cents(stake)) >= stake


@settings(deadline=None)
@given(st.integers(0, 10**12), st.integers(1, 100))
def test_a_share_never_takes_more_than_the_meter_holds(balance: int, percent: int) -> None:
    assert 0 <= MeterShare(percent, "meter").of(Cents(balance)) <= balance
