"""What stands on a meter at a player's turn: as `settle` has it, whatever was paid from it since it was read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import cases_money as money
import pytest
from case_kit import Edit, Kit, Make, change, drop, insert
from hypothesis import given
from hypothesis import strategies as st
from rounds import AT, Script, breaches, judge, verdicts

from rules.checks.meter_standing import Award, standing
from rules.events import FloorDecision, MeterRead
from rules.findings import Verdict
from rules.house_events import BonusPaid
from rules.money import Cents, MeterShare
from rules.paytables import game_paytables
from rules.records import Step
from rules.settlement.progressive import PROGRESSIVE, MeterBank

CAR, LIR, DJW = Kit("CAR"), Kit("LIR"), Kit("DJW")
TENTH, WHOLE = MeterShare(10, "meter"), MeterShare(100, "meter")
STRAIGHT_FLUSH = "9h 8h 7h 6h 5h"


def read(index: int, cents: int) -> Step:
    return Step(index, MeterRead(table_id="t", t_s=float(index), meter="prog.meter", amount_cents=cents))


def paid(index: int) -> Step:
    event = BonusPaid(table_id="t", t_s=float(index), seat=1, wager="progressive", amount_cents=1)
    return Step(index, event)


@given(st.integers(0, 10**9), st.lists(st.sampled_from([TENTH, WHOLE]), max_size=6))
def test_what_is_left_is_what_settle_leaves(cents: int, shares: list[MeterShare]) -> None:
    table = game_paytables("caribbean_stud").table("progressive", "D")
    bank = MeterBank({"prog.meter": cents})
    reseed = table.meters["meter"].reseed(Cents(100))
    awards = [
        Award(paid(2 + i), share, bank.pay(table, PROGRESSIVE, 1, share, Cents(100))) for i, share in enumerate(shares)
    ]
    found = standing([read(1, cents)], reversed(awards), paid(99), reseed)
    assert found is not None
    assert found[1] == bank.balance("prog.meter")
    assert [step.index for step in found[0]] == list(range(1, 2 + len(shares)))


def test_paid_otherwise_nobody_knows_what_is_left() -> None:
    def left(award: Award, turn: Step | None = None) -> object:
        return standing([read(1, 10_000)], [award], turn, Cents(5_000))

    assert left(Award(paid(2), TENTH, 999)) is None
    assert left(Award(paid(2), TENTH, None)) is None
    assert left(Award(paid(2), None, 1000)) is None
    assert left(Award(paid(2), WHOLE, 10_000)) == ([read(1, 10_000), paid(2)], 5_000)
    assert standing([read(1, 10_000)], [Award(paid(2), WHOLE, 10_000)], None, None) is None
    assert standing([], [], None, Cents(0)) is None


def test_what_was_paid_before_the_reading_or_after_the_turn_matters_not() -> None:
    awards = [Award(paid(1), TENTH, None), Award(paid(9), TENTH, None)]
    assert standing([read(2, 10_000)], awards, paid(5), Cents(0)) == ([read(2, 10_000)], 10_000)


def meters(*rows: tuple[str, int, int]) -> Edit:
    def edit(script: Script, _: Kit) -> None:
        for name, before, after in rows:
            money.meter(script, name, before, after)

    return edit


def two_straight_flushes(second: int) -> Make:
    """Seats 6 and 1 win a tenth of the meter each, and nobody read it in between."""
    cards = {**money.CAR_CARDS, 1: STRAIGHT_FLUSH}
    first = (money.METER + 63) // 10
    awards = {6: (first, money.CAGE), 3: (900, money.INVENTORY), 1: (second, money.CAGE)}
    envies = {1: 30_000, 3: 60_000, 6: 30_000}
    return money.progressive("progressive", cards, (1, 3, 6), 21, awards, envies, paytable="D")


@pytest.mark.parametrize(("off", "told"), [(0, []), (1, []), (2, [("CAR-METER-TURN", 1)])])
def test_a_tenth_of_what_the_first_left(off: int, told: list[tuple[str, int]]) -> None:
    stood = money.METER + 63
    file = two_straight_flushes((stood - stood // 10) // 10 + off)(CAR)
    assert breaches(judge(file.events, file.table)) == told


def test_a_tenth_of_what_the_meter_showed_before_the_first_is_too_much() -> None:
    file = two_straight_flushes((money.METER + 63) // 10)(CAR)
    assert breaches(judge(file.events, file.table)) == [("CAR-METER-TURN", 1)]


@pytest.mark.parametrize(
    ("paytable", "share", "cards", "awards", "rows"),
    [
        ("F", 11, {6: "As Ks Qs Js Ts", 1: STRAIGHT_FLUSH}, {6: 1_400_022, 1: 108_742},
         [("prog.mega", 1_400_000, 1_400_022), ("prog.major", 108_722, 108_742)]),
        ("G", 9, {6: "9d 8d 7d 6d 5d", 1: "Tc Td Th Ts 3s"}, {6: 108_741, 1: 28_806},
         [("prog.mega", 1_400_000, 1_400_018), ("prog.major", 108_727, 108_741), ("prog.minor", 28_800, 28_806)]),
    ],
    ids=["mega_then_major", "major_then_minor"],
)  # fmt: skip
def test_the_payout_of_one_meter_is_none_of_another(
    paytable: str, share: int, cards: Mapping[int, str], awards: Mapping[int, int], rows: list[tuple[str, int, int]]
) -> None:
    """Each jackpot is a meter of its own (639a.12(d)(1), (5))."""
    paid = {seat: (cents, money.CAGE) for seat, cents in awards.items()}
    envies = {1: 100_000} if paytable == "F" else {1: 30_000}
    if paytable == "F":
        envies[6] = 30_000
    make = money.progressive("progressive", cards, (1, 6), share, paid, envies, meters(*rows), paytable=paytable)
    file = make(CAR)
    findings = judge(file.events, file.table)
    assert [name for name, _ in breaches(findings) if name == "CAR-METER-TURN"] == []
    turns = verdicts(findings, "CAR-METER-TURN")
    assert (turns[1], turns[6]) == (Verdict.COMPLIANT, Verdict.COMPLIANT)


@pytest.mark.parametrize(("off", "told"), [(0, []), (1, []), (2, [("LIR-5CP-TURN", 3)])])
def test_let_it_ride_pays_what_is_left_too(off: int, told: list[tuple[str, int]]) -> None:
    stood = money.METER + 63
    first, second = stood // 10, (stood - stood // 10) // 10 + off
    cards = {6: "Qc Jc Tc", 3: "7c 6c 5c", 1: "2d 2s 3s"}
    awards, envies = {6: (first, money.CAGE), 3: (second, money.CAGE)}, {6: 30_000, 3: 30_000, 1: 60_000}
    plan = {"community": ["9c", "8c"]}
    file = money.progressive("progressive5", cards, (6, 3, 1), 21, awards, envies, paytable="A", plan=plan)(LIR)
    assert [one for one in breaches(judge(file.events, file.table)) if "TURN" in one[0]] == told


@pytest.mark.parametrize("whole", [False, True], ids=["left_by_the_first", "as_it_was_read"])
def test_the_dealers_hand_wins_a_share_of_what_a_players_hand_left(whole: bool) -> None:
    """A share for the dealer's hand is taken once, at the first such player's turn (639a.12(e)(2), CAR-A12)."""
    stood = money.FCHB_METER + 26
    first = stood // 10
    second = first if whole else (stood - first) // 10
    make = money.hand_bonus(
        [(6, "fchb_player"), (3, "fchb_dealer")],
        [(6, "fchb_player", first, money.CAGE), (3, "fchb_dealer", second, money.CAGE)],
        {6: STRAIGHT_FLUSH}, plan={"dealer": ["Kd", "Qd", "Jd", "Td", "9d"]},
    )  # fmt: skip
    file = make(CAR)
    told = breaches(judge(file.events, file.table))
    assert told == ([("CAR-FCHB-SPLIT", 3)] if whole else [])


@pytest.mark.parametrize(
    ("cents", "verdict"),
    [(1000, Verdict.COMPLIANT), (900, Verdict.UNDETERMINED), (850, Verdict.BREACH), (1100, Verdict.BREACH)],
)
def test_odds_to_1_bring_back_a_stake_that_was_collected_before_the_deal(cents: int, verdict: Verdict) -> None:
    """9 to 1 on 1.00 (687a.12(c)); a deviation of one stake accuses nobody (DJW-A11)."""
    file = money.djw_round(change("award:1", amount_cents=cents))(DJW)
    assert verdicts(judge(file.events, file.table), "DJW-SET-PROG-W")[1] is verdict


@pytest.mark.parametrize("make", [money.lir5, money.djw_round], ids=["let_it_ride", "dj_wild"])
def test_in_a_round_declared_void_nothing_is_owed(make: Callable[..., Make]) -> None:
    """All wagers are returned (643a.13, 687a.13): what was not paid is no breach, what was paid is not called right."""
    kit = LIR if make is money.lir5 else DJW
    reveal = "reveal:2" if make is money.lir5 else "reveal:dealer.4"
    void = insert(FloorDecision(**AT, decision="void_round"), reveal, name="void")
    unpaid = make(void, drop("pay:", "collect:", "award:", "envy:", "lit:", "valid:", "paper:"))(kit)
    assert breaches(judge(unpaid.events, unpaid.table)) == []
    settled = make(void)(kit)
    rows = {"LIR-5CP-PAY", "LIR-5CP-TURN", "LIR-5CP-ENVY", "DJW-SET-PROG-W", "DJW-ENVY"}
    said = {f.verdict for f in judge(settled.events, settled.table) if f.check_id in rows}
    assert said <= {Verdict.UNDETERMINED, Verdict.NOT_APPLICABLE}
    assert Verdict.UNDETERMINED in said


@pytest.mark.parametrize(("linked", "told"), [(False, [("CAR-FCHB-METER", None)]), (True, [])])
def test_other_tables_feed_the_meter_of_a_linked_hand_bonus(linked: bool, told: list[tuple[str, int | None]]) -> None:
    """A system of its own (639a.2(d)): the Progressive beside it need not be linked, and under paytable A may not be (639a.12(d)(3))."""
    more = change("meter:after", amount_cents=money.FCHB_METER + 2600)
    file = money.won("CAR", money.FLUSH, 5_000, money.ACCOUNT, more)(CAR)
    assert breaches(judge(file.events, replace(file.table, hand_bonus_linked=linked))) == told
