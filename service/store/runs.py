"""Runs, their events and their closed rounds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from service.store.base import Base, Database, stamp
from service.store.tables import EventRow, RoundRow, RunRow


class Runs(Database):
    """What was watched, and what happened there."""

    def open_run(
        self, run_id: str, *, table_id: str, origin: str, opened_utc: datetime, about: Mapping[str, Any]
    ) -> None:
        """Records that a source is being watched; opening the same run again changes nothing."""
        with self.write() as session:
            if session.get(RunRow, run_id) is None:
                session.add(
                    RunRow(
                        run_id=run_id,
                        table_id=table_id,
                        origin=origin,
                        opened_utc=stamp(opened_utc),
                        about=json.dumps(about),
                    )
                )

    def add_events(self, run_id: str, lines: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Records events (number in the run, event as JSON values); numbers already recorded are left as they are."""
        rows = [
            {"run_id": run_id, "number": n, "t_s": e["t_s"], "kind": e["kind"], "event": json.dumps(e)}
            for n, e in lines
        ]
        self._insert_new(EventRow, rows, ("run_id", "number"))

    def add_rounds(self, run_id: str, rounds: Iterable[Mapping[str, Any]]) -> None:
        """Records closed rounds (JSON values with `round_id`)."""
        rows = [{"run_id": run_id, "round_id": str(r["round_id"]), "round": json.dumps(r)} for r in rounds]
        self._insert_new(RoundRow, rows, ("run_id", "round_id"))

    def events(self, run_id: str, *, from_s: float = 0.0, to_s: float = 1e12, limit: int = 500) -> list[dict[str, Any]]:
        """Events of a run between two capture times, in the order the engine got them."""
        query = sa.select(EventRow.event).where(EventRow.run_id == run_id, EventRow.t_s >= from_s, EventRow.t_s <= to_s)
        with self.read() as session:
            return [json.loads(text) for text in session.scalars(query.order_by(EventRow.number).limit(limit))]

    def rounds(self, run_id: str) -> list[dict[str, Any]]:
        """Closed rounds of a run, in the order they were recorded."""
        with self.read() as session:
            return [
                json.loads(text) for text in session.scalars(sa.select(RoundRow.round).where(RoundRow.run_id == run_id))
            ]

    def _insert_new(self, table: type[Base], rows: list[dict[str, Any]], key: tuple[str, ...]) -> None:
        if not rows:
            return
        with self.write() as session:
            for row in rows:
                if session.get(table, tuple(row[name] for name in key)) is None:
                    session.add(table(**row))
