"""Settled rounds to audit, small enough to reckon by hand."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rules.table import TableConfig
from service.audit.calendar import ShiftPlan
from service.audit.importing import Importer
from service.store.base import Database

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROUND: Mapping[str, Any] = {
    "id": "r1", "table": "riu-01", "at": "2026-10-01T06:00:30-04:00", "dealer_number": "117", "game": "669a",
    "config": {"meters_before": {}}, "community": ["3c", "2d", "9s"],
    "seats": [
        {"seat": 1, "wagers": {"ante": 1000, "blind": 1000, "pair_plus": 500}, "cards": ["3h", "2s", "Kd"],
         "decision": {"action": "play", "street": "third", "multiple": 3}},
    ],
    "paid": {"1": {"pair_plus": 0, "ante": 2000, "play": 7500, "blind": 1000}},
}  # fmt: skip
"""Two pair: the Ante 1 to 1, the Play Wager of 30.00 3 to 2, the Blind pushes, Pair Plus loses."""


def table(table_id: str = "riu-01", **changes: Any) -> TableConfig:
    """A table of Raise It Up with chips down to 50 cents."""
    raw = {
        "version": 1, "table_id": table_id, "game": "raise_it_up", "chips": {"white": 50, "red": 500},
        "rules_submission": {"dealing": "manual_shoe", "seats": 6, "paytables": {"pair_plus": "A"}},
    }  # fmt: skip
    return TableConfig.from_mapping(raw | changes)


def changed(**changes: Any) -> dict[str, Any]:
    """The round with some fields changed."""
    return copy.deepcopy(dict(ROUND)) | changes


def paid(**cents: int | None) -> dict[str, Any]:
    """What the round pays where some wagers of seat 1 are paid otherwise."""
    return {"1": ROUND["paid"]["1"] | cents}


def write_lines(path: Path, documents: Iterable[Mapping[str, Any] | str]) -> Path:
    """A file of JSON lines; texts are written as they are."""
    lines = (one if isinstance(one, str) else json.dumps(one) for one in documents)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def importer(url: str, **changes: Any) -> Importer:
    """An importer for the one table."""
    tables = changes.pop("tables", {"riu-01": table()})
    plan = changes.pop("plan", ShiftPlan())
    return Importer(Database(url), plan, tables, **changes)
