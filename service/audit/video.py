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
from service.audit.facts import AuditedRound
from service.audit.keeping import Keeper, Placed
from service.audit.seen import seen_round
from service.audit.tables import SeenRow
from service.store.base import Database
from service.store.round_tables import RoundFactRow
from service.store.rounds import zero_utc
from service.store.tables import AlertRow, EventRow, RoundRow, RunRow

BATCH = 500
SELDOM_S = 5.0
"""How often a screen looks for new rounds."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alert of a round, as a mispayment links to it."""

    alert_id: int
    seat: int | None
    area: str | None
    text: str


@dataclass(frozen=True, slots=True)
class _Run:
    """A run whose rounds are taken in: when its capture time 0 was (None unknown), and who dealt since when."""

    zero: datetime | None
    dealers: list[tuple[float, str]]

    def at(self, t_s: float) -> datetime | None:
        """The moment of a capture time."""
        return None if self.zero is None else self.zero + timedelta(seconds=t_s)

    def dealer(self, t_s: float) -> str:
        """Who dealt then, "" where nobody said."""
        return next((dealer for since, dealer in reversed(self.dealers) if since <= t_s), "")


@dataclass(slots=True)
class VideoRounds:
    """Keeps the audit's books up to date with the store, by the order in which rounds were committed."""

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
        new = 0
        while self._is_behind():
            new += self._take_part()
        return new

    def _is_behind(self) -> bool:
        with self.database.read() as session:
            last = session.scalar(sa.select(sa.func.max(RoundFactRow.number))) or 0
            return last > (session.scalar(sa.select(SeenRow.number)) or 0)

    def _take_part(self) -> int:
        """The next rounds, and how far the books are with them, in one transaction."""
        fact = RoundFactRow
        with self.database.write() as session:
            seen = session.scalars(sa.select(SeenRow).with_for_update()).one()
            query = (
                sa.select(fact.number, fact.run_id, fact.table_id, fact.game, fact.closed_s, RoundRow.round)
                .join(RoundRow, (RoundRow.run_id == fact.run_id) & (RoundRow.round_id == fact.round_id))
                .where(fact.number > seen.number)
                .order_by(fact.number)
                .limit(BATCH)
            )
            rows = session.execute(query).all()
            runs = {run_id: _run(session, run_id) for run_id in {row.run_id for row in rows}}
            batch = [Placed(self._judged(row, runs[row.run_id])) for row in rows]
            kept = self._keeper.keep(session, batch)
            seen.number = rows[-1].number if rows else session.scalar(sa.select(sa.func.max(fact.number))) or 0
        return kept.rounds

    def _judged(self, row: Any, run: _Run) -> AuditedRound:
        return seen_round(
            json.loads(row.round), table_id=row.table_id, game=row.game, plan=self.plan, source=row.run_id, run_id=row.run_id,
            at=run.at(row.closed_s), dealer=run.dealer(row.closed_s),
        )  # fmt: skip

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


def _run(session: Session, run_id: str) -> _Run:
    changed = sa.text("kind = 'dealer_changed'")
    query = sa.select(EventRow.event).where(EventRow.run_id == run_id, changed).order_by(EventRow.number)
    events = [json.loads(text) for text in session.scalars(query)]
    dealers = [(float(event["t_s"]), str(event["dealer"])) for event in events]
    return _Run(zero_utc(session.get_one(RunRow, run_id)), dealers)
