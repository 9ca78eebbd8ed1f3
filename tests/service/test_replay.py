"""What an alert's page shows: the round played again, what was not seen, the way to an amount, and the room's address."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from service_fakes import LAYOUT, NOW, TABLE, finding

from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    CoverageGap,
    Event,
    Face,
    GapCause,
    HandOver,
    PayoutPlaced,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
    event_to_dict,
)
from rules.findings import Verdict, finding_to_dict
from rules.records import PayoutRecord, RoundRecord
from service.house import House
from service.reviews.results import plain
from service.screens.alert_story import rests_on, story_of, unseen, way_of
from service.screens.pages import SCREENS, WAYS, page_at
from service.screens.replay import steps_of
from service.screens.replay_drawing import drawn_table, replay_data
from service.screens.room_view import STATES, View
from service.store import AlertFilter, Status, Store


def on(kind: type[Event], t_s: float, **fields: Any) -> dict[str, Any]:
    return event_to_dict(kind(table_id=TABLE, t_s=t_s, **fields))


ROUND = (
    on(WagerPlaced, 1.0, area="seat4.ante", amount_cents=1000),
    on(WagerIncreased, 1.5, area="seat4.ante", amount_cents=1500),
    on(WagerPlaced, 2.0, area="seat4.blind", amount_cents=None),
    on(CardPlaced, 3.0, area="seat4.cards", card_id=1, face=Face.DOWN),
    on(HandOver, 3.5, area="seat4.cards", since_s=3.2),
    on(CardPlaced, 4.0, area="community.4th", card_id=2, face=Face.UP),
    on(CoverageGap, 5.0, cause=GapCause.BLOCKED, since_s=4.5),
    on(CardTurned, 6.0, area="seat4.cards", card_id=1, face=Face.UP, card="Jo"),
    on(PayoutPlaced, 7.0, area="seat4.ante", amount_cents=1000),
    on(PayoutPlaced, 7.2, area="seat4.ante", amount_cents=500),
    on(WagerRemoved, 8.0, area="seat4.ante"),
    on(CardMoved, 8.5, area="discard_rack", from_area="seat4.cards", card_id=1),
    on(CardRemoved, 9.0, area="community.4th", card_id=2),
)


def test_a_round_is_played_again_step_by_step() -> None:
    steps = steps_of(enumerate(ROUND, start=100), {105})
    assert [step.number for step in steps] == [n for n in range(100, 113) if n != 104]
    assert [step.number for step in steps if step.rests] == [105]
    at = {step.number: step for step in steps}
    assert at[101].chips == (("seat4.ante", 1500),)
    assert at[102].chips == (("seat4.ante", 1500), ("seat4.blind", None))
    assert at[105].cards == (("seat4.cards", False, None), ("community.4th", True, None))
    assert at[107].cards[0] == ("seat4.cards", True, "Jo")
    assert at[109].paid == (("seat4.ante", 1500),)
    assert (at[110].paid, at[110].chips) == ((), (("seat4.blind", None),))
    assert at[112].cards == (("discard_rack", True, "Jo"),)
    read = steps_of(enumerate((*ROUND[:6], on(CardRead, 6.0, area="community.4th", card_id=2, card="Td"))), ())
    assert read[-1].cards[-1] == ("community.4th", True, "Td")
    assert 104 in [step.number for step in steps_of(enumerate(ROUND, start=100), {104})]


def test_the_drawing_has_every_area_and_its_data_cannot_leave_the_page() -> None:
    svg = drawn_table(LAYOUT)
    assert svg.count('class="area ') == len(LAYOUT.areas)
    assert "seat 6" in svg
    (step,) = steps_of(enumerate(ROUND[:1]), ())
    data = replay_data(LAYOUT, [replace(step, said="</script><b>")])
    assert "<" not in data
    raw = json.loads(data)
    assert raw["steps"][0]["said"] == "</script><b>"
    seat1, dealer_right = raw["places"]["seat1.cards"], raw["places"]["discard_rack"]
    assert seat1["x"] > 0 > dealer_right["x"], "seat 1 is farthest to the dealer's left, at the right of the picture"
    assert raw["places"]["community.4th"]["cards"] is True


def books(number: int, opened_s: float, closed_s: float, *payouts: PayoutRecord) -> dict[str, Any]:
    """A closed round as it is recorded."""
    round_id = f"{TABLE}-r{number:04d}"
    record = RoundRecord(
        round_id=round_id, number=number, opened_s=opened_s, closed_s=closed_s, complete=True, seats=(), community=(),
        payouts=payouts,
    )  # fmt: skip
    values: dict[str, Any] = plain(record)
    return values


@pytest.fixture
def house(tmp_path: Path) -> House:
    store = Store(f"sqlite:///{tmp_path}/s.db")
    store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={}, game="raise_it_up")
    return House(store, now=lambda: NOW)


def ring(house: House, **changes: Any) -> int:
    raw = finding_to_dict(finding(2, t_s=8.0, **changes))
    return house.store.add_alert("run-1", raw, raised_utc=NOW)[0].seq


def test_the_story_of_an_alert_without_a_bundle_comes_from_the_store(house: House) -> None:
    house.store.add_events("run-1", enumerate(ROUND))
    house.store.add_rounds("run-1", [books(1, 0.0, 1.2)])
    alert = house.store.alert(ring(house, events=(5, 7)))
    story = story_of(house, alert)
    assert [number for number, _ in story.events] == list(range(1, 12))
    assert (story.record, story.bundle) == (None, None)
    assert story.layout is not None
    assert (story.layout.name, story.exact) == ("raise_it_up_6", False)
    assert [said for _, _, said in rests_on(alert, story)] == ["4th Street · face up", "seat 4, cards · joker"]
    assert unseen(story) == [
        "Nothing was seen from 0:04 to 0:05: the whole table (camera blocked)",
        "A face-up card was not read: 4th Street",
        "The amount of chips is unknown: seat 4, Blind at 0:02",
    ]


def test_the_way_to_an_amount_comes_from_the_books_of_the_round(house: House) -> None:
    payout = PayoutRecord(
        seat=4, wager="ante", stake_cents=1500, outcome="win", owed_cents=1500, paid_cents=1000, verdict=Verdict.BREACH,
        way="pair 1 to 1 on $15", due_cents=3000, hand="pair", odds="1 to 1",
    )  # fmt: skip
    house.store.add_rounds("run-1", [books(2, 0.5, 9.0, replace(payout, wager="blind", way="a push"), payout)])
    owed = house.store.alert(ring(house, area="seat4.ante", seat=4, owed_cents=1500, paid_cents=1000))
    story = story_of(house, owed)
    assert way_of(owed, story.record) == [
        "Hand: pair",
        "Odds: 1 to 1",
        "pair 1 to 1 on $15",
        "Must go back in all: $30",
    ]
    conduct = house.store.alert(ring(house, finding_id="d" * 16, check_id="RIU-C2-WHEN"))
    assert way_of(conduct, story.record) == []


def test_a_view_and_its_address_say_the_same() -> None:
    view = View(
        state="all", order="newest", table="riu 07&x", rule="RIU-SET-ANTE", since="2026-11-21T20:00", before=12, alert=3
    )
    from starlette.datastructures import QueryParams

    assert View.of(dict(QueryParams(view.address.removeprefix("/?")))) == view
    assert View().address == "/"
    assert View.of({"state": "nonsense", "order": "x", "alert": "-4", "until": "soon", "table": "\n"}) == View()
    assert view.wanted(frozenset({"a"})).tables == frozenset({"a"})
    assert View().wanted(None) == AlertFilter(standing=True)
    assert View(state="dismissed").wanted(None).status is Status.DISMISSED
    assert View(state="dismissed").wanted(None, any_state=True) == AlertFilter()
    for state in STATES:
        View(state=state).wanted(None)


def test_every_page_is_found_at_its_address() -> None:
    assert {page_at(path)[0].way for path, _ in WAYS} == {name for _, name in WAYS}
    page, parameters = page_at("/alerts/12")
    assert (page.title, parameters) == ("Alert", {"alert_id": 12})
    assert page_at("/alerts/x")[0].title == "No such page"
    assert len({page.path for page in SCREENS}) == len(SCREENS)
