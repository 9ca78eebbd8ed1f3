"""Settled rounds judged: every verdict, the law of the day, and what is refused."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from audit_fakes import ROUND, changed, paid, table

from rules.settlement.results import SettlementError
from service.audit.bodies import unpack
from service.audit.calendar import ShiftPlan, read_plan
from service.audit.facts import AuditedRound, Verdict
from service.audit.judge import Judge
from service.errors import ServiceError

JUDGE = Judge(ShiftPlan(), {"riu-01": table()})


def verdicts(judged: AuditedRound) -> dict[str, Verdict]:
    return {fact.kind.wager: fact.verdict for fact in judged.facts}


def test_a_round_paid_right() -> None:
    judged = JUDGE.judge(ROUND)
    assert set(verdicts(judged).values()) == {Verdict.RIGHT}
    assert {f.kind.wager: (f.kind.line, f.staked_cents, f.owed_cents) for f in judged.facts} == {
        "pair_plus": ("lost", 500, 0),
        "ante": ("two pair 1 to 1", 1000, 2000),
        "play": ("two pair 3 to 2", 3000, 7500),
        "blind": ("push", 1000, 1000),
    }
    assert (judged.game, judged.dealer, judged.moment.day, judged.moment.shift) == (
        "raise_it_up",
        "117",
        "2026-10-01",
        "day",
    )
    assert unpack(judged.body)["config"]["paytables"] == {"pair_plus": "A"}


@pytest.mark.parametrize(
    ("wager", "cents", "verdict", "difference"),
    [
        ("play", 7400, Verdict.UNDER, -100), ("play", 7600, Verdict.OVER, 100), ("pair_plus", 1000, Verdict.OVER, 1000),
        ("blind", 0, Verdict.UNDER, -1000), ("ante", None, Verdict.UNDETERMINED, None),
    ],
    ids=["short", "too much", "a loser paid", "a push taken", "not known"],
)  # fmt: skip
def test_a_wager_paid_otherwise(wager: str, cents: int | None, verdict: Verdict, difference: int | None) -> None:
    judged = JUDGE.judge(changed(paid=paid(**{wager: cents})))
    fact = next(fact for fact in judged.facts if fact.kind.wager == wager)
    assert (fact.verdict, fact.difference_cents) == (verdict, difference)
    assert sum(v is not Verdict.RIGHT for v in verdicts(judged).values()) == 1


def test_a_wager_whose_payment_is_not_told_is_undetermined() -> None:
    without = {"1": {name: cents for name, cents in ROUND["paid"]["1"].items() if name != "play"}}
    assert verdicts(JUDGE.judge(changed(paid=without)))["play"] is Verdict.UNDETERMINED


def test_an_envy_bonus_paid_although_none_is_owed() -> None:
    judged = JUDGE.judge(changed(paid=paid(envy=500)))
    fact = judged.facts[-1]
    assert (fact.kind.wager, fact.kind.line, fact.owed_cents, fact.verdict) == ("envy", "not owed", 0, Verdict.OVER)


def test_amounts_end_at_a_billion_dollars() -> None:
    assert JUDGE.judge(changed(paid=paid(play=10**11))).facts
    for cents in (10**11 + 1, 5 * 10**18, 2**63):
        with pytest.raises(SettlementError, match=r"paid\.1\.play: expected at most 100000000000 cents"):
            JUDGE.judge(changed(paid=paid(play=cents)))


def test_a_round_that_owes_more_than_can_be_added_up_is_refused() -> None:
    rich = changed(id="rich")
    rich["seats"][0]["wagers"] |= {"ante": 5 * 10**10, "blind": 5 * 10**10}
    with pytest.raises(SettlementError, match="seat 1, play: 375000000000 cents are owed for 150000000000; at most"):
        JUDGE.judge(rich)


def test_a_fraction_of_the_smallest_chip_is_not_judged() -> None:
    coarse = Judge(ShiftPlan(), {"riu-01": table(chips={"white": 100, "red": 500})})
    odd = changed(paid=paid(ante=300, play=350, blind=100, pair_plus=0))
    odd["seats"][0]["wagers"] = {"ante": 150, "blind": 150, "pair_plus": 500}
    odd["seats"][0]["decision"]["multiple"] = 1
    odd["paid"]["1"]["blind"] = 150
    fact = next(fact for fact in coarse.judge(odd).facts if fact.kind.wager == "play")
    assert (fact.owed_cents, fact.verdict, fact.way) == (
        375,
        Verdict.UNDETERMINED,
        "how it is rounded to chips of 100 cents",
    )
    exact = next(fact for fact in JUDGE.judge(odd).facts if fact.kind.wager == "play")
    assert exact.verdict is Verdict.UNDETERMINED
    odd["paid"]["1"]["play"] = 200
    assert next(fact for fact in coarse.judge(odd).facts if fact.kind.wager == "play").verdict is Verdict.UNDER


@pytest.mark.parametrize(
    ("rounding", "cents", "owed", "verdict"),
    [("chip", 350, 350, Verdict.RIGHT), ("chip", 375, 350, Verdict.OVER), ("cent", 350, 375, Verdict.UNDER), ("cent", 375, 375, Verdict.RIGHT)],
)  # fmt: skip
def test_a_fraction_of_the_smallest_chip_as_the_house_reads_the_text(
    rounding: str, cents: int, owed: int, verdict: Verdict
) -> None:
    """ALL-A12: 3 to 2 on 1.50 is 2.25, with the stake of 1.50 in all 3.75; down to chips of 1.00 it is 2.00, in all 3.50."""
    house = Judge(ShiftPlan(), {"riu-01": table(chips={"white": 100, "red": 500}, readings={"rounding": rounding})})
    odd = changed(paid=paid(ante=300, play=cents, blind=150, pair_plus=0))
    odd["seats"][0]["wagers"] = {"ante": 150, "blind": 150, "pair_plus": 500}
    odd["seats"][0]["decision"]["multiple"] = 1
    fact = next(fact for fact in house.judge(odd).facts if fact.kind.wager == "play")
    assert (fact.owed_cents, fact.verdict) == (owed, verdict)


def test_a_round_before_the_text_was_in_force_is_not_judged_by_it() -> None:
    early = JUDGE.judge(changed(at="2019-11-01T12:00:00-04:00", paid=paid(play=0)))
    assert set(verdicts(early).values()) == {Verdict.UNDETERMINED}
    assert "on that day is not held" in early.facts[0].way
    on_the_day = JUDGE.judge(changed(at="2019-11-02T12:00:00-04:00", paid=paid(play=0)))
    assert verdicts(on_the_day)["play"] is Verdict.UNDER


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"paid": {"1": {"bet1": 500}}}, r"paid\.1\.bet1: the round has no such wager; seat 1 has pair_plus, ante, play, blind"),
        ({"paid": {"2": {"envy": 500}}}, r"paid\.2\.envy: the round has no such wager; seat 2 has none"),
        ({"paid": {"1": {"ante": -5}}}, r"paid\.1\.ante: expected a whole number of cents"),
        ({"paid": {"1": {"ante": 20.5}}}, r"paid\.1\.ante: expected a whole number of cents"),
        ({"at": "yesterday"}, r"at: expected a day and a time"),
        ({"at": "2026-10-01"}, r"at: expected a day and a time of day as 2026-10-01T06:00:30-04:00"),
        ({"at": "2026-W40-4"}, r"at: expected a day and a time of day"),
        ({"at": "20261001"}, r"at: expected a day and a time of day"),
        ({"table": "<b>"}, r"table: expected 1 to 64 letters"),
        ({"table": "riu-02"}, r"config\.paytables: missing, and there is no table file of riu-02"),
        ({"game": "639a"}, r"game: 639a, but the table file of riu-01 says raise_it_up"),
        ({"config": {"paytables": {"pair_plus": "B"}}}, r"config\.paytables: .* but the table file of riu-01 says"),
        ({"stakes": {"1": {"play": 1000}}}, r"stakes\.1\.play: expected 3000 cents, which the wagers and the decision make it"),
        ({"community": ["3c", "3c", "9s"]}, r"3c is there twice"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused_by_field(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettlementError, match=said):
        JUDGE.judge(changed(**changes))


def test_the_same_content_has_the_same_digest_whatever_its_order_and_undealt_cards() -> None:
    turned = dict(reversed(list(changed(deck=["5c"], expected={}).items())))
    assert JUDGE.judge(turned).digest == JUDGE.judge(ROUND).digest
    assert JUDGE.judge(changed(paid=paid(play=7400))).digest != JUDGE.judge(ROUND).digest


@pytest.mark.parametrize(
    ("at", "day", "shift"),
    [
        ("2026-10-01T05:59:59-04:00", "2026-09-30", "grave"), ("2026-10-01T06:00:00-04:00", "2026-10-01", "day"),
        ("2026-10-01T13:59:59-04:00", "2026-10-01", "day"), ("2026-10-01T14:00:00-04:00", "2026-10-01", "swing"),
        ("2026-10-01T22:00:00-04:00", "2026-10-01", "grave"),
    ],
)  # fmt: skip
def test_gaming_day_and_shift_change_to_the_second(at: str, day: str, shift: str) -> None:
    moment = ShiftPlan().moment(datetime.fromisoformat(at))
    assert (moment.day, moment.shift) == (day, shift)


def test_the_house_clock_decides_where_it_is_named() -> None:
    at = datetime.fromisoformat("2026-10-01T09:30:00+00:00")
    assert read_plan("", "").moment(at).shift == "day"
    local = read_plan("early=05:00,late=17:00", "America/New_York").moment(at)
    assert (local.day, local.shift, local.at_utc) == ("2026-10-01", "early", "2026-10-01T09:30:00.000Z")


@pytest.mark.parametrize(
    ("shifts", "zone"), [("day", ""), ("day=6", ""), ("a=06:00,b=05:00,c=07:00", ""), ("", "Mars/Base")]
)
def test_a_plan_that_cannot_be_read(shifts: str, zone: str) -> None:
    with pytest.raises(ServiceError):
        read_plan(shifts, zone)
