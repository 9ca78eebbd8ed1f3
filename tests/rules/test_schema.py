"""The schema accepts what is written and refuses what the reader refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from rounds import build, judge
from test_engine import events

from rules.events import Event, EventError, event_from_dict, event_to_dict
from rules.findings import finding_from_dict, finding_to_dict, finding_to_json
from rules.schema import event_schema, finding_schema

EVENT = Draft202012Validator(event_schema())
FINDING = Draft202012Validator(finding_schema())


def test_schemas_are_schemas() -> None:
    Draft202012Validator.check_schema(event_schema())
    Draft202012Validator.check_schema(finding_schema())
    assert json.loads(json.dumps(event_schema())) == event_schema()


def test_a_round_keeps_the_schema() -> None:
    for event in build().events:
        EVENT.validate(event_to_dict(event))


@settings(max_examples=60, deadline=None)
@given(events)
def test_whatever_is_written_keeps_the_schema(event: Event) -> None:
    EVENT.validate(event_to_dict(event))
    assert event_from_dict(event_to_dict(event)) == event


@pytest.mark.parametrize("card", ["Zz", "", "qD", "__", "10h", "Qd ", "QD"])
def test_both_refuse_a_card_that_is_none(card: str) -> None:
    events: dict[str, dict[str, Any]] = {
        "card": {"kind": "card_placed", "area": "seat1.cards", "card_id": 1, "face": "up"},
        "cards": {"kind": "cards_spread", "face": "up"},
        "magic_card": {"kind": "bonus_drawn"},
    }
    for name, fields in events.items():
        for one in ("Th", "Jo", card):
            raw = {"v": 1, "table_id": "t", "t_s": 1.0, **fields, name: ["2c", one] if name == "cards" else one}
            assert EVENT.is_valid(raw) == (one != card)
            if one != card:
                event_from_dict(raw)
                continue
            with pytest.raises(EventError, match=rf"field '{name}(\[1\])?': {card!r} is no card"):
                event_from_dict(raw)


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"kind": "card_flown"},
        {"area": 5},
        {"more": 1},
        {"amount_cents": -1},
        {"amount_cents": 10**11 + 1},
        {"by": "nobody"},
        {"confidence": 2},
        {"t_s": -1},
    ],
)
def test_both_refuse_the_same(change: dict[str, object]) -> None:
    raw = {"v": 1, "kind": "wager_placed", "table_id": "t", "t_s": 1.0, "area": "seat1.ante", "amount_cents": 500}
    EVENT.validate(raw)
    event_from_dict(raw)
    with pytest.raises(EventError):
        event_from_dict({**raw, **change})
    assert not EVENT.is_valid({**raw, **change})


def test_findings_keep_theirs_and_come_back() -> None:
    script = build()
    script.change("pay:1.ante", amount_cents=None)
    script.change("pay:1.play", amount_cents=500)
    for finding in judge(script.events):
        FINDING.validate(json.loads(finding_to_json(finding)))
        assert finding_to_json(finding_from_dict(finding_to_dict(finding))) == finding_to_json(finding)
