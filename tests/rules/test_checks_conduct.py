"""Equipment, objects, hands and conduct: what breaks each check and only it, and what keeps silent."""

from __future__ import annotations

import pytest
from house import AT, at, house, machine, prog
from rounds import SEATS, Script, breaches, build, judge

from rules.event_base import Hand, Reach
from rules.events import CardPlaced, DecisionAnnounced, Event
from rules.findings import Verdict
from rules.house_events import CardDrawn, ConductReported, DeckHeld, EquipmentSeen, ObjectSeen
from rules.table import TableConfig


def rows(script: Script, config: TableConfig | None = None) -> list[str]:
    found = breaches(judge(script.events, config or house(reports=[])))
    return [f"{check.removeprefix('RIU-')}:{seat}" for check, seat in found]


def with_event(event: Event, after: str = "deal:1.0") -> Script:
    script = build()
    script.insert(event, after=after)
    return script


BREAKING: list[tuple[Event, str, list[str]]] = [
    (ObjectSeen(**AT, area="seat3.ante", what="cash"), "wager:3.ante", ["WAG-CHIPS:3"]),
    (ConductReported(**AT, seat=3, what="verbal_wager"), "wager:3.ante", ["WAG-NOVERBAL:3"]),
    (ConductReported(**AT, seat=3, what="left_table"), "reveal:1", ["WAG-SEATED:3"]),
    (ConductReported(**AT, seat=3, what="not_seated"), "reveal:1", ["WAG-SEATED:3"]),
    (ConductReported(**AT, seat=3, what="second_position", other_seat=4), "reveal:1", ["ONE-POS:3"]),
    (ConductReported(**AT, seat=4, what="touched_cards", other_seat=3), "reveal:1", ["PLR-TOUCH:3"]),
    (ConductReported(**AT, seat=3, what="cards_out_of_view"), "reveal:1", ["PLR-VIEW:3"]),
    (ConductReported(**AT, seat=3, what="showed_cards", other_seat=4), "reveal:1", ["PLR-NOTALK:3"]),
    (CardDrawn(**AT, card_id=100, taken_by=Reach.FAR, placed_by=Reach.FAR), "nmb", ["MS-HANDS:None"]),
    (CardDrawn(**AT, card_id=100, taken_by=Reach.NEAR, placed_by=Reach.NEAR), "nmb", ["MS-HANDS:None"]),
]
KEEPING: list[tuple[Event, str]] = [
    (ObjectSeen(**AT, area="seat3.ante", what="plaque"), "wager:3.ante"),
    (ObjectSeen(**AT, area="seat3.ante", what="unknown"), "wager:3.ante"),
    (ObjectSeen(**AT, area="tray", what="cash"), "wager:3.ante"),
    (ConductReported(**AT, seat=3, what="touched_cards", other_seat=3), "reveal:1"),
    (ConductReported(**AT, seat=3, what="something_else"), "reveal:1"),
    (CardDrawn(**AT, card_id=100, taken_by=Reach.NEAR, placed_by=Reach.FAR), "nmb"),
]


@pytest.mark.parametrize(("event", "after", "expected"), BREAKING, ids=[row[2][0] for row in BREAKING])
def test_breaks_this_and_only_this(event: Event, after: str, expected: list[str]) -> None:
    assert rows(with_event(event, after)) == expected


@pytest.mark.parametrize(("event", "after"), KEEPING)
def test_keeps_silent(event: Event, after: str) -> None:
    assert rows(with_event(event, after)) == []


def test_the_held_deck() -> None:
    def held(*seen: tuple[Hand | None, bool | None]) -> list[str]:
        script = build()
        for i, (hand, over) in enumerate(seen):
            script.insert(DeckHeld(**AT, hand=hand, over_inventory=over), after=f"deal:{(1, 3, 4)[i]}.0")
        return rows(script, machine(dealing="hand", reports=[]))

    assert held((Hand.LEFT, True), (Hand.LEFT, True)) == []
    assert held((Hand.LEFT, True), (Hand.RIGHT, True)) == ["HD-ONEHAND:None"]
    assert held((Hand.LEFT, False)) == ["HD-OVERTIC:None"]
    assert held((None, None)) == []


@pytest.mark.parametrize(
    ("item", "row"),
    [
        ("discard_rack", "TBL-RACK"), ("drop_and_tip_box", "TBL-DROPTIP"), ("logo", "LAY-LOGO"), ("odds", "LAY-ODDS"),
        ("progressive_system", "PROGSYS"), ("progressive_device", "PROGSYS-DEV"), ("shoe", "MS-SHOELOC"),
    ],
)  # fmt: skip
def test_equipment_out_of_place_is_told_once(item: str, row: str) -> None:
    config = prog(reports=[])
    seen = EquipmentSeen(**AT, item=item, in_place=False)
    twice = [at(1.0, seen), *build().events, *build(t_s=200.0, first_card_id=300).events]
    found = [f for f in judge(twice, config) if f.verdict is Verdict.BREACH]
    assert [(f.check_id, f.round_id) for f in found] == [(f"RIU-{row}", "riu-test-r0001")]
    mended = EquipmentSeen(**AT, item=item, in_place=True)
    assert breaches(judge([at(1.0, seen), at(2.0, mended), *build().events], config)) == []


def test_a_device_is_missed_at_its_seat() -> None:
    events = [
        at(float(n), EquipmentSeen(**AT, item="progressive_device", in_place=n != 4, seat=n)) for n in range(1, 7)
    ]
    found = [f for f in judge([*events, *build().events], prog(reports=[])) if f.verdict is Verdict.BREACH]
    assert [(f.check_id, f.seen) for f in found] == [("RIU-PROGSYS-DEV", "not in its place at seat 4")]


def test_answers_entered_out_of_order() -> None:
    def answers(*seats: int) -> list[str]:
        script = build()
        after = "examine:6"
        for seat in seats:
            event = DecisionAnnounced(**AT, seat=seat, decision="check" if seat != 1 else "play")
            script.insert(event, after=after, name=f"told:{seat}", wait_s=0.05)
            after = f"told:{seat}"
        return rows(script)

    assert answers(1, 3, 4, 6) == []
    assert answers(1, 4, 6) == []
    assert answers(1, 4, 3, 6) == ["D1-ORDER:4"]


def test_a_known_card_keeps_its_back() -> None:
    script = build()
    script.change("deal:1.0", back="red")
    placed = script.get("deal:1.0")
    assert isinstance(placed, CardPlaced)
    assert placed.back == "red"
    assert len(SEATS) == 4
    assert rows(script) == []
