"""JSON Schema of events and findings, made from the very classes that read and write them."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from rules.cards import JOKER_TEXT, RANKS, SUITS
from rules.events import EVENT_TYPES, SCHEMA_VERSION, Event
from rules.findings import FINDING_VERSION, Finding
from rules.money import MOST_CENTS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

JsonSchema = dict[str, Any]


def event_schema() -> JsonSchema:
    """The schema of one event: one alternative for each kind, nothing else allowed."""
    return {
        "$schema": DIALECT,
        "$id": f"pitwatch-event-v{SCHEMA_VERSION}",
        "title": "Event",
        "description": "What was seen at a table or announced, one JSON object a line.",
        "type": "object",
        "required": ["v", "kind", "table_id", "t_s"],
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in sorted(EVENT_TYPES)],
        "$defs": {kind: _event(cls) for kind, cls in sorted(EVENT_TYPES.items())},
    }


def finding_schema() -> JsonSchema:
    """The schema of one finding."""
    properties = {"v": {"const": FINDING_VERSION}, **_properties(Finding)}
    return {
        "$schema": DIALECT,
        "$id": f"pitwatch-finding-v{FINDING_VERSION}",
        "title": "Finding",
        "description": (Finding.__doc__ or "").splitlines()[0],
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _event(cls: type[Event]) -> JsonSchema:
    properties: JsonSchema = {"v": {"const": SCHEMA_VERSION}, "kind": {"const": cls.kind}, **_properties(cls)}
    needed = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING]
    return {
        "type": "object",
        "description": " ".join((cls.__doc__ or "").split()),
        "properties": properties,
        "required": ["v", "kind", *needed],
        "additionalProperties": False,
    }


CARD = f"^([{RANKS}][{SUITS}]|{JOKER_TEXT})$"
"""A card as events name it."""
_LIMITS: Mapping[str, JsonSchema] = {
    "confidence": {"minimum": 0, "maximum": 1},
    "objectness": {"minimum": 0, "maximum": 1},
    "t_s": {"minimum": 0, "exclusiveMaximum": 1e10},
    "amount_cents": {"minimum": 0, "maximum": MOST_CENTS},
    "card": {"pattern": CARD},
    "magic_card": {"pattern": CARD},
    "since_s": {"minimum": 0},
    "count": {"minimum": 0},
    "cards_above": {"minimum": 0},
    "stacks": {"minimum": 0},
    "left_out": {"minimum": 0},
}


def _properties(cls: type) -> JsonSchema:
    hints = typing.get_type_hints(cls)
    return {f.name: _field(f.name, hints[f.name]) for f in dataclasses.fields(cls)}


def _field(name: str, hint: Any) -> JsonSchema:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = next(option for option in typing.get_args(hint) if option is not type(None))
        return {"anyOf": [_field(name, inner), {"type": "null"}]}
    if name == "chips":
        return {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
    if name == "day":
        return {"type": "string", "format": "date"}
    if name == "cards":
        return {"type": "array", "items": _field("card", str)}
    if typing.get_origin(hint) is tuple:
        return {"type": "array", "items": _field("", typing.get_args(hint)[0])}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    kind = {str: "string", int: "integer", float: "number", bool: "boolean"}[hint]
    return {"type": kind, **_LIMITS.get(name, {})}
