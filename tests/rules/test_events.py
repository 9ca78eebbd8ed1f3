"""Events survive the disk unchanged, and what is not an event is refused with line and field."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.events import (
    EVENT_TYPES,
    CardPlaced,
    EventError,
    Face,
    WagerPlaced,
    event_from_dict,
    event_to_dict,
    event_to_json,
    events_from_lines,
    seat_of,
    wager_of,
)

WAGER = WagerPlaced(table_id="t", t_s=1.5, area="seat1.ante", amount_cents=1500, chips=(("green", 1), ("red", 2)))


@given(
    t_s=st.floats(0, 1e6).map(lambda value: round(value, 6)),
    amount=st.none() | st.integers(0, 10**9),
    frames=st.lists(st.integers(0, 10**6)).map(tuple),
)
def test_an_event_survives_the_disk(t_s: float, amount: int | None, frames: tuple[int, ...]) -> None:
    event = WagerPlaced(table_id="riu-07", t_s=t_s, area="seat2.play", amount_cents=amount, frames=frames)
    assert list(events_from_lines([event_to_json(event)])) == [event]


@pytest.mark.parametrize("objectness", [-0.1, 1.5, "sure"])
def test_how_surely_a_card_lies_there_is_kept_where_it_is_known_and_must_be_a_share(objectness: object) -> None:
    card = CardPlaced(table_id="t", t_s=2.0, area="seat1.cards", card_id=4, face=Face.UP, objectness=0.9)
    assert list(events_from_lines([event_to_json(card)])) == [card]
    assert "objectness" not in event_to_json(replace(card, objectness=None))
    with pytest.raises(EventError, match="line 1: field 'objectness'"):
        list(events_from_lines([json.dumps({**event_to_dict(card), "objectness": objectness})]))


def test_chips_and_enums_survive_the_disk() -> None:
    card = CardPlaced(table_id="t", t_s=2.0, area="seat1.cards", card_id=4, face=Face.UP, card="Qd", confidence=0.5)
    assert list(events_from_lines([event_to_json(WAGER), "", event_to_json(card)])) == [WAGER, card]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"kind": "card_eaten"}, "'kind'"),
        ({"v": 9}, "'v'"),
        ({"amount_cents": "15"}, "'amount_cents'"),
        ({"amount_cents": -1}, "'amount_cents'"),
        ({"amount_cents": True}, "'amount_cents'"),
        ({"t_s": None}, "'t_s'"),
        ({"t_s": -1.0}, "'t_s'"),
        ({"t_s": float("nan")}, "'t_s'"),
        ({"confidence": 1.5}, "'confidence'"),
        ({"chips": {"red": 0}}, "'chips'"),
        ({"frames": [1.5]}, "'frames'"),
        ({"colour": "red"}, "'colour'"),
        ({"by": "floor"}, "'by'"),
    ],
)
def test_a_forged_event_is_refused_with_its_field(change: dict[str, object], word: str) -> None:
    raw = json.loads(event_to_json(WAGER)) | change
    with pytest.raises(EventError, match=word):
        event_from_dict(raw)


def test_a_broken_line_is_named() -> None:
    with pytest.raises(EventError, match=r"night\.jsonl, line 2"):
        list(events_from_lines([event_to_json(WAGER), "{"], name="night.jsonl"))


def test_a_missing_field_is_named() -> None:
    raw = json.loads(event_to_json(WAGER))
    del raw["area"]
    with pytest.raises(EventError, match="'area'"):
        event_from_dict(raw)


@pytest.mark.parametrize(
    ("area", "seat", "wager"),
    [
        ("seat3.ante", 3, "ante"),
        ("seat12.cards", 12, None),
        ("community.4th", None, None),
        ("tray", None, None),
        ("seat².ante", None, None),
        ("seat٣.ante", None, None),
        ("seat.ante", None, None),
    ],
)
def test_areas_name_seat_and_wager(area: str, seat: int | None, wager: str | None) -> None:
    assert (seat_of(area), wager_of(area)) == (seat, wager)


def test_kinds_are_unique() -> None:
    assert len(EVENT_TYPES) == len({cls.__name__ for cls in EVENT_TYPES.values()})
