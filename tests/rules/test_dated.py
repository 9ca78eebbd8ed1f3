"""A round is judged by the law of its day, and every section has its dates."""

from __future__ import annotations

import datetime
import pickle

import pytest
from amended import amended  # noqa: F401
from rounds import breaches, build, judge, table

from rules.catalogue import catalogue
from rules.dated import law_of, section_date
from rules.engine import Engine
from rules.events import TableOpened
from rules.findings import Finding, Verdict
from rules.law import GAMES, game_law
from rules.paytables import game_paytables

DAY = datetime.date


def judged(day: datetime.date | None) -> list[Finding]:
    script = build()
    script.change("pay:1.ante", amount_cents=500)
    script.swap("deal:3.1", "deal:4.1")
    engine = Engine(table(), day=day)
    return [*engine.feed_all(script.events), *engine.close()]


@pytest.mark.parametrize("game", GAMES)
def test_every_section_has_its_dates(game: str) -> None:
    for section in range(1, 14):
        date = section_date(game, f".{section}(a)(1)")
        assert date.section == f".{section}"
        assert DAY(2012, 7, 7) <= date.effective <= date.checked
        assert "Pa.B." in date.source


def test_dates_agree_with_the_paytables() -> None:
    for game in GAMES:
        for columns in game_paytables(game).tables.values():
            for paytable in columns.values():
                assert paytable.effective == section_date(game, ".12").effective


def test_the_catalogue_carries_the_dates() -> None:
    rule = catalogue()["RIU-SET-ANTE"]
    assert rule.date is not None
    assert (rule.date.effective, rule.date.source) == (DAY(2019, 11, 2), "49 Pa.B. 6676")


def test_by_the_law_of_the_day() -> None:
    found = {
        day: breaches(judged(day))
        for day in (None, DAY(2019, 11, 2), DAY(2019, 11, 1), DAY(2016, 8, 27), DAY(2016, 8, 26))
    }
    both = [("RIU-MS-ORDER", 4), ("RIU-SET-ANTE", 1)]
    assert found[None] == found[DAY(2019, 11, 2)] == both
    assert found[DAY(2019, 11, 1)] == found[DAY(2016, 8, 27)] == [("RIU-MS-ORDER", 4)]
    assert found[DAY(2016, 8, 26)] == []


def test_what_the_older_text_decides_is_undetermined_and_says_why() -> None:
    ante = next(f for f in judged(DAY(2018, 1, 1)) if (f.check_id, f.seat) == ("RIU-SET-ANTE", 1))
    assert ante.verdict is Verdict.UNDETERMINED
    assert (
        ante.missing == "the law of 2018-01-01; the text held of § 669a.12 is in force since 2019-11-02 (49 Pa.B. 6676)"
    )


def test_the_day_comes_with_the_opening_of_the_table() -> None:
    script = build()
    script.change("pay:1.ante", amount_cents=500)
    old = TableOpened(table_id="riu-test", t_s=1.0, day="2018-01-01")
    assert breaches(judge([old, *script.events])) == []
    engine = Engine(table())
    engine.feed(old)
    again = pickle.loads(pickle.dumps(engine))
    assert breaches([*again.feed_all(script.events), *again.close()]) == []
    new = TableOpened(table_id="riu-test", t_s=2.0, day="2026-11-21")
    assert breaches(judge([old, new, *script.events])) == [("RIU-SET-ANTE", 1)]


@pytest.mark.usefixtures("amended")
def test_an_amended_text_binds_from_its_day_on() -> None:
    for day, odds, seats in ((DAY(2029, 12, 31), "1 to 1", 6), (DAY(2030, 1, 1), "2 to 1", 4), (None, "2 to 1", 4)):
        with law_of(day):
            assert str(game_paytables("raise_it_up").table("ante", "A").lines[0].pay) == odds
            assert game_law("raise_it_up").max_seats == seats
    config = table(seats=4)
    with law_of(DAY(2029, 12, 31)):
        honest = build()
    for day, found in ((DAY(2029, 12, 31), []), (DAY(2030, 1, 1), [("RIU-SET-ANTE", 1), ("RIU-SET-ANTE", 3)])):
        engine = Engine(config, day=day)
        assert breaches([*engine.feed_all(honest.events), *engine.close()]) == found


@pytest.mark.usefixtures("amended")
def test_a_day_that_begins_binds_the_rounds_dealt_from_then_on() -> None:
    with law_of(DAY(2029, 12, 31)):
        first, second, third = (build(t_s=300.0 * n, first_card_id=100 * (n + 1)).events for n in range(3))
    engine = Engine(table(seats=4), day=DAY(2029, 12, 31))
    found: list[Finding] = []
    for number, event in enumerate([*first, *second, *third]):
        if number == len(first) + 20:
            assert engine.round_id is not None, "in the middle of the second round"
            engine = pickle.loads(pickle.dumps(engine))
            engine.turn_to(DAY(2030, 1, 1))
        found += engine.feed(event)
    rang = [(f.round_id, f.check_id) for f in found if f.verdict is Verdict.BREACH]
    assert rang == [("riu-test-r0003", "RIU-SET-ANTE")] * 2


@pytest.mark.usefixtures("amended")
def test_what_an_event_says_of_the_day_holds_until_another_day_begins() -> None:
    with law_of(DAY(2029, 12, 31)):
        honest = build()
    engine = Engine(table(seats=4), day=DAY(2030, 1, 1))
    engine.feed(TableOpened(table_id="riu-test", t_s=1.0, day="2029-12-31"))
    engine.turn_to(DAY(2030, 1, 1))
    assert breaches([*engine.feed_all(honest.events), *engine.close()]) == []
