"""Takes the rounds of live tables and reviews, as the store has them, into the audit's books."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.audit.calendar import ShiftPlan
from service.audit.keeping import Keeper, Placed
from service.audit.seen import seen_round
from service.audit.tables import AuditRunRow
from service.store.base import Database, moment_of
from service.store.tables import AlertRow, EventRow, RoundRow, RunRow

BATCH = 500
SELDOM_S = 5.0
"""How often a screen looks for new rounds; counting them takes longer the more there are."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alert of a round, as a mispayment links to it."""

    alert_id: int
    seat: int | None
    area: str | None
    text: str


@dataclass(slots=True)
class VideoRounds:
    """Keeps the audit's books up to date with the store."""

    database: Database
    plan: ShiftPlan = field(default_factory=ShiftPlan)
    _keeper: Keeper = field(default_factory=Keeper)
    _taken: datetime | None = None

    def refresh(self, now: datetime) -> None:
        """Takes in what is new, unless that was done a moment ago."""
        if self._taken is None or not timedelta(0) <= now - self._taken < timedelta(seconds=SELDOM_S):
            self._taken = now
            self.take()

    def take(self) -> int:
        """Take in every closed round that is not in the books yet; how many were new."""
        count = sa.func.count()
        with self.database.read() as session:
            there = {
                run_id: int(n)
                for run_id, n in session.execute(sa.select(RoundRow.run_id, count).group_by(RoundRow.run_id))
            }
            taken = {run_id: n for run_id, n in session.execute(sa.select(AuditRunRow.run_id, AuditRunRow.rounds))}
        return sum(self._take_run(run_id) for run_id, rounds in there.items() if rounds != taken.get(run_id, 0))

    def _take_run(self, run_id: str) -> int:
        with self.database.write() as session:
            run = session.get_one(RunRow, run_id)
            records = [
                json.loads(text) for text in session.scalars(sa.select(RoundRow.round).where(RoundRow.run_id == run_id))
            ]
            about = json.loads(run.about)
            begins = self._begins(session, run, about)
            dealers = _dealers(session, run_id)
            batch = [
                Placed(
                    seen_round(
                        record, table_id=run.table_id, game=about.get("game", ""), plan=self.plan, source=run_id, run_id=run_id,
                        at=begins + timedelta(seconds=float(record["closed_s"])), dealer=_at(dealers, float(record["closed_s"])),
                    )
                )
                for record in records
            ]  # fmt: skip
            new = sum(self._keeper.keep(session, batch[i : i + BATCH]).rounds for i in range(0, len(batch), BATCH))
            row = session.get(AuditRunRow, run_id)
            if row is None:
                session.add(AuditRunRow(run_id=run_id, rounds=len(records)))
            else:
                row.rounds = len(records)
        return new

    def _begins(self, session: Session, run: RunRow, about: Mapping[str, Any]) -> datetime:
        """When capture time was 0: as the recording says, else counted back from when the run was opened."""
        if isinstance(about.get("recorded_utc"), str):
            return moment_of(about["recorded_utc"])
        first = session.scalar(
            sa.select(EventRow.t_s).where(EventRow.run_id == run.run_id).order_by(EventRow.number).limit(1)
        )
        return moment_of(run.opened_utc) - timedelta(seconds=first or 0.0 if run.origin == "live" else 0.0)

    def alarms(self, run_id: str, record: Mapping[str, Any]) -> list[Alarm]:
        """The alerts that a round raised, in order of time."""
        query = sa.select(AlertRow.seq, AlertRow.finding).where(AlertRow.run_id == run_id).order_by(AlertRow.seq)
        found = []
        with self.database.read() as session:
            for seq, text in session.execute(query):
                finding = json.loads(text)
                if finding["round_id"] == record["round_id"]:
                    found.append(Alarm(seq, finding.get("seat"), finding.get("area"), finding["text"]))
        return found


def _dealers(session: Session, run_id: str) -> list[tuple[float, str]]:
    query = sa.select(EventRow.event).where(EventRow.run_id == run_id, EventRow.kind == "dealer_changed")
    events = [json.loads(text) for text in session.scalars(query.order_by(EventRow.number))]
    return [(float(event["t_s"]), str(event["dealer"])) for event in events]


def _at(dealers: list[tuple[float, str]], t_s: float) -> str:
    return next((dealer for since, dealer in reversed(dealers) if since <= t_s), "")
