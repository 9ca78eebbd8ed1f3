"""What a check ends in: one verdict with what was expected, what was seen, and what it rests on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

FINDING_VERSION = 1


class Verdict(StrEnum):
    """How a check ended. Only a breach becomes an alert; undetermined checks are counted and listed."""

    COMPLIANT = "compliant"
    BREACH = "breach"
    UNDETERMINED = "undetermined"
    NOT_APPLICABLE = "not_applicable"


class Severity(StrEnum):
    """What a breach weighs: money or integrity, a procedure not followed, or advice."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The end of one check of one round (and seat).

    Attributes:
        finding_id: stable: the same table, round, check, seat and area give the same id.
        check_id: row of the catalogue, e.g. "RIU-BLIND-EQ".
        verdict: how it ended.
        severity: what a breach of this check weighs.
        citation: e.g. "58 Pa. Code § 669a.11(e)".
        table_id: the table.
        round_id: "{table_id}-r0001" and so on, counted from the start of the events.
        seat: seat 1 is farthest to the dealer's left; None for checks of the whole table.
        area: the layout area it concerns, or None.
        t_s: capture time at which it was decided.
        since_s: capture time of the first event it rests on.
        expected: what the law asks for here, in words.
        seen: what was seen, in words.
        text: one sentence for the floor, what happened and what the law says.
        missing: for undetermined, what evidence was missing; else "".
        events: indices of the events it rests on, counted from 0 in the order they were fed.
        frames: frames of those events, ascending.
        owed_cents: settlement checks: winnings owed, without the stake; else None.
        paid_cents: settlement checks: winnings paid, None where unknown.
        consequence: what the chapter prescribes, "" where it prescribes nothing.
        readings: switches of ambiguous texts it rests on, as "name=value".
        confidence: 0..1, the weakest of the events it rests on.
    """

    finding_id: str
    check_id: str
    verdict: Verdict
    severity: Severity
    citation: str
    table_id: str
    round_id: str
    seat: int | None
    area: str | None
    t_s: float
    since_s: float
    expected: str
    seen: str
    text: str
    missing: str = ""
    events: tuple[int, ...] = ()
    frames: tuple[int, ...] = ()
    owed_cents: int | None = None
    paid_cents: int | None = None
    consequence: str = ""
    readings: tuple[str, ...] = ()
    confidence: float = 1.0


def finding_id(table_id: str, round_id: str, check_id: str, seat: int | None, area: str | None = None) -> str:
    """A stable short name: 16 hex digits of a hash over what is judged, not over how it ended."""
    key = "\x1f".join((table_id, round_id, check_id, "" if seat is None else str(seat), area or ""))
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def finding_to_dict(finding: Finding) -> dict[str, Any]:
    """A finding as plain JSON values."""
    out: dict[str, Any] = {"v": FINDING_VERSION}
    for item in dataclasses.fields(finding):
        value = getattr(finding, item.name)
        if isinstance(value, float):
            value = round(value, 6)
        elif isinstance(value, tuple):
            value = list(value)
        out[item.name] = value
    return out


def finding_to_json(finding: Finding) -> str:
    """A finding as one line of JSON, always the same bytes for the same finding."""
    return json.dumps(finding_to_dict(finding), separators=(",", ":"), ensure_ascii=False)


def finding_from_dict(raw: dict[str, Any]) -> Finding:
    """A finding from `finding_to_dict`'s values.

    Raises:
        ValueError: another version or missing fields.
    """
    if raw.get("v") != FINDING_VERSION:
        raise ValueError(f"finding: field 'v' must be {FINDING_VERSION}, got {raw.get('v')!r}")
    values = {item.name: raw[item.name] for item in dataclasses.fields(Finding) if item.name in raw}
    values["verdict"] = Verdict(values["verdict"])
    values["severity"] = Severity(values["severity"])
    for name in ("events", "frames", "readings"):
        values[name] = tuple(values.get(name, ()))
    return Finding(**values)
