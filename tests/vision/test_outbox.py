"""Events held until nothing earlier can come, told in order."""

from __future__ import annotations

from rules.events import CardMoved, CardRemoved, CardTurned, Event, Face, WagerRemoved
from vision.observation.outbox import Outbox


def gone(t_s: float, earliest_s: float | None = None) -> WagerRemoved:
    return WagerRemoved(table_id="t1", t_s=t_s, earliest_s=earliest_s, area="seat3.ante")


def times(events: list[Event]) -> list[float]:
    return [event.t_s for event in events]


def test_events_leave_in_the_order_of_their_times_up_to_the_horizon() -> None:
    box = Outbox()
    box.add([gone(3.0), gone(1.0)])
    box.add([gone(2.0)])
    assert times(box.ready(2.5)) == [1.0, 2.0]
    assert times(box.ready(float("inf"))) == [3.0]


def test_what_happened_before_what_is_told_is_told_late_with_the_moment_it_may_have_been() -> None:
    box = Outbox()
    box.ready(5.0)
    box.add([gone(4.0), gone(4.5, earliest_s=3.0), gone(6.0)])
    first, second, third = box.ready(10.0)
    assert (first.t_s, first.earliest_s) == (5.0, 4.0)
    assert (second.t_s, second.earliest_s) == (5.0, 3.0)
    assert (third.t_s, third.earliest_s) == (6.0, None)


def test_an_event_is_taken_back_until_it_is_told() -> None:
    box, first, late = Outbox(), gone(1.0), gone(0.5)
    box.add([first])
    assert box.take_back(first)
    assert box.ready(2.0) == []
    box.add([late])
    assert box.take_back(late)
    box.add([first])
    box.ready(9.0)
    assert not box.take_back(first)


def test_at_one_moment_what_goes_comes_before_what_comes() -> None:
    box = Outbox()
    turned = CardTurned(table_id="t1", t_s=1.0, area="dealer.4", card_id=1, face=Face.UP)
    moved = CardMoved(table_id="t1", t_s=1.0, area="dealer.4", from_area="dealer.2", card_id=1)
    removed = CardRemoved(table_id="t1", t_s=1.0, area="dealer.1", card_id=2)
    box.add([turned, moved, removed])
    assert box.ready(1.0) == [moved, removed, turned]
