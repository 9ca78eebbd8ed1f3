"""The discard rack: the stub that comes into it empty is told once; what else happens there is not."""

from __future__ import annotations

import pytest
from drawn import Arm, Card, DrawnTable, Things, frames, reach, watcher_of

from rules.events import Event, HandOver, StackPlaced
from vision.frames.frame import Frame

RACKED_S = 2.0
DEALER_HOME = (300.0, -180.0)


@pytest.fixture(scope="module")
def table() -> DrawnTable:
    return DrawnTable(rack=True)


def told(events: list[Event]) -> list[StackPlaced]:
    """What was told of the rack, and that nothing else was."""
    assert {event.kind for event in events if event.kind != "coverage_gap"} <= {"hand_over", "stack_placed"}
    return [event for event in events if isinstance(event, StackPlaced)]


def reached(table: DrawnTable, t_s: float, *at_s: float) -> tuple[Arm, ...]:
    """The dealer's arm, which reaches into the rack at some moments."""
    return tuple(one for start in at_s for one in reach(t_s, start - 0.6, DEALER_HOME, table.center("discard_rack")))


def cards(table: DrawnTable, count: int, *, face: bool = False) -> tuple[Card, ...]:
    x, y = table.center("discard_rack")
    return tuple(Card("Qd", (x + 1.0 * i, y), up=face and i == count - 1) for i in range(count))


def seen(
    table: DrawnTable, counts: dict[float, int], seconds: float, *, face: bool = False, before: int = 0
) -> list[Event]:
    """Events of a rack whose cards become so many at some moments, each under the dealer's hand."""

    def scene(t_s: float) -> Things:
        lying = [count for at_s, count in counts.items() if t_s >= at_s]
        return Things(cards=cards(table, lying[-1] if lying else before, face=face), arms=reached(table, t_s, *counts))

    watcher = watcher_of(table)
    return [event for frame in frames(table, scene, seconds) for event in watcher.frame(frame)] + watcher.close()


def test_the_stub_is_told_once_when_it_came(table: DrawnTable) -> None:
    (racked,) = told(seen(table, {RACKED_S: 1, 4.0: 2}, 6.0))
    assert (racked.area, racked.exposed, racked.count) == ("discard_rack", False, None)
    assert racked.t_s == pytest.approx(RACKED_S, abs=0.5)
    assert racked.confidence > 0.8


def test_emptied_for_the_next_round_it_is_told_again(table: DrawnTable) -> None:
    first, second = told(seen(table, {RACKED_S: 1, 4.0: 0, 6.0: 1}, 8.0))
    assert [first.t_s, second.t_s] == pytest.approx([RACKED_S, 6.0], abs=0.5)


def test_cards_that_lay_there_at_the_first_look_did_not_come(table: DrawnTable) -> None:
    assert told(seen(table, {RACKED_S: 2}, 4.0, before=1)) == []


def test_a_hand_that_only_reaches_in_racks_nothing(table: DrawnTable) -> None:
    events = seen(table, {RACKED_S: 0}, 4.0)
    assert told(events) == []
    assert any(isinstance(event, HandOver) and event.area == "discard_rack" for event in events)


def test_a_face_on_top_is_a_card_exposed(table: DrawnTable) -> None:
    (racked,) = told(seen(table, {RACKED_S: 1}, 4.0, face=True))
    assert racked.exposed


def test_after_pictures_that_were_missed_nothing_is_told(table: DrawnTable) -> None:
    watcher, events = watcher_of(table), []

    def frame(index: int, count: int) -> Frame:
        return Frame(index, index / 15, table.draw(Things(cards=cards(table, count))))

    for index in range(30):
        events += watcher.frame(frame(index, 0))
    watcher.lost(2.0)
    for index in range(30, 75):
        events += watcher.frame(frame(index, 1))
    assert told(events + watcher.close()) == []
