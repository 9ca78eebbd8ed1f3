"""Alerts, their pictures, and what people decided about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from service.errors import ConflictError, NotFoundError, ServiceError
from service.store.base import Database, stamp
from service.store.records import CLOSED, Alert, AlertFilter, Disposition, Picture, Status
from service.store.tables import AlertRow, DispositionRow, EvidenceRow, RunRow


class Alerts(Database):
    """Breaches that rang."""

    def add_alert(
        self, run_id: str, finding: Mapping[str, Any], *, raised_utc: datetime, pictures: Sequence[Picture] = ()
    ) -> tuple[Alert, bool]:
        """Records a breach as an alert, with its evidence, in one transaction.

        Returns:
            The alert, and whether it is new; the same finding of the same run never makes a second alert.
        """
        try:
            with self.write() as session:
                row = AlertRow(
                    run_id=run_id,
                    finding_id=finding["finding_id"],
                    table_id=finding["table_id"],
                    check_id=finding["check_id"],
                    severity=finding["severity"],
                    raised_utc=stamp(raised_utc),
                    finding=json.dumps(finding),
                )
                session.add(row)
                session.flush()
                session.add_all(
                    EvidenceRow(
                        alert_seq=row.seq, name=p.name, media_type=p.media_type, caption=p.caption, content=p.content
                    )
                    for p in pictures
                )
                seq = row.seq
            return self.alert(seq), True
        except sa.exc.IntegrityError:
            with self.read() as session:
                known = session.scalar(
                    sa.select(AlertRow.seq).where(
                        AlertRow.run_id == run_id, AlertRow.finding_id == finding["finding_id"]
                    )
                )
            if known is None:
                raise
            return self.alert(known), False

    def alert(self, seq: int) -> Alert:
        """One alert with its history.

        Raises:
            NotFoundError: there is none with this number.
        """
        found = self._alerts(sa.select(AlertRow).where(AlertRow.seq == seq))
        if not found:
            raise NotFoundError(f"there is no alert {seq}", do="List them with GET /api/alerts")
        return found[0]

    def alerts(
        self,
        wanted: AlertFilter = AlertFilter(),
        *,
        limit: int = 50,
        before_seq: int | None = None,
        oldest_first: bool = False,
    ) -> list[Alert]:
        """Alerts, newest first; `before_seq` pages towards older ones, `wanted.after_seq` gives newer ones only."""
        query = sa.select(AlertRow).where(AlertRow.seq > wanted.after_seq)
        for column, value in (
            (AlertRow.table_id, wanted.table_id),
            (AlertRow.severity, wanted.severity),
            (AlertRow.check_id, wanted.check_id),
            (AlertRow.run_id, wanted.run_id),
        ):
            if value is not None:
                query = query.where(column == value)
        if wanted.origin is not None:
            query = query.where(AlertRow.run_id.in_(sa.select(RunRow.run_id).where(RunRow.origin == wanted.origin)))
        if wanted.status is not None:
            query = query.where(_status_of_alert() == wanted.status.value)
        if before_seq is not None:
            query = query.where(AlertRow.seq < before_seq)
        return self._alerts(query.order_by(AlertRow.seq if oldest_first else AlertRow.seq.desc()).limit(limit))

    def count(self, wanted: AlertFilter = AlertFilter()) -> dict[str, int]:
        """How many alerts of a table (or all) stand at each status."""
        status = _status_of_alert()
        query = sa.select(status, sa.func.count()).select_from(AlertRow).group_by(status)
        if wanted.table_id is not None:
            query = query.where(AlertRow.table_id == wanted.table_id)
        with self.read() as session:
            found = {str(name): int(n) for name, n in session.execute(query)}
        return {status.value: found.get(status.value, 0) for status in Status}

    def last_seq(self) -> int:
        """The number of the newest alert, 0 if there is none."""
        with self.read() as session:
            return session.scalar(sa.select(sa.func.max(AlertRow.seq))) or 0

    def last_change(self) -> tuple[int, int]:
        """Newest alert and newest disposition; differs whenever a list of alerts would."""
        with self.read() as session:
            return (
                session.scalar(sa.select(sa.func.max(AlertRow.seq))) or 0,
                session.scalar(sa.select(sa.func.max(DispositionRow.number))) or 0,
            )

    def dispose(self, seq: int, status: Status, *, reason: str, by: str, at_utc: datetime) -> Alert:
        """Records what someone decided about an alert.

        Raises:
            NotFoundError: no such alert.
            ConflictError: the alert is already closed differently.
            ServiceError: closing without a reason.
        """
        alert = self.alert(seq)
        if status is Status.OPEN:
            raise ServiceError(
                "an alert cannot be set back to open",
                where=f"alert {seq}",
                do="Use acknowledged, confirmed or dismissed",
            )
        if status in CLOSED and not reason.strip():
            raise ServiceError(f"an alert is {status} with a reason", where=f"alert {seq}", do="Give a reason")
        if alert.status == status:
            return alert
        if alert.status in CLOSED:
            raise ConflictError(
                f"it is already {alert.status}", where=f"alert {seq}", do="A closed alert stays as it was closed"
            )
        with self.write() as session:
            session.add(
                DispositionRow(alert_seq=seq, status=status.value, reason=reason.strip(), by=by, at_utc=stamp(at_utc))
            )
        return self.alert(seq)

    def evidence(self, seq: int, name: str) -> Picture:
        """A picture of an alert by the name it was recorded under.

        Raises:
            NotFoundError: no such alert or no such picture.
        """
        with self.read() as session:
            row = session.get(EvidenceRow, (seq, name))
        if row is None:
            raise NotFoundError(
                f"alert {seq} has no evidence of this name", do=f"See the names in GET /api/alerts/{seq}"
            )
        return Picture(row.name, row.content, row.media_type, row.caption)

    def _alerts(self, query: sa.Select[Any]) -> list[Alert]:
        with self.read() as session:
            rows = list(session.scalars(query))
            seqs = [row.seq for row in rows]
            shots: dict[int, list[tuple[str, str]]] = {}
            columns = (EvidenceRow.alert_seq, EvidenceRow.name, EvidenceRow.caption)
            for seq, name, caption in session.execute(
                sa.select(*columns).where(EvidenceRow.alert_seq.in_(seqs)).order_by(EvidenceRow.name)
            ):
                shots.setdefault(seq, []).append((name, caption))
            history: dict[int, list[Disposition]] = {}
            for d in session.scalars(
                sa.select(DispositionRow).where(DispositionRow.alert_seq.in_(seqs)).order_by(DispositionRow.number)
            ):
                history.setdefault(d.alert_seq, []).append(Disposition(Status(d.status), d.reason, d.by, d.at_utc))
            runs = session.scalars(sa.select(RunRow).where(RunRow.run_id.in_({row.run_id for row in rows})))
            origins = {run.run_id: run.origin for run in runs}
        return [
            Alert(
                row.seq,
                row.run_id,
                origins[row.run_id],
                row.finding_id,
                row.table_id,
                row.check_id,
                row.severity,
                row.raised_utc,
                json.loads(row.finding),
                tuple(shots.get(row.seq, ())),
                tuple(history.get(row.seq, ())),
            )
            for row in rows
        ]


def _status_of_alert() -> sa.ColumnElement[str]:
    last = (
        sa.select(DispositionRow.status)
        .where(DispositionRow.alert_seq == AlertRow.seq)
        .order_by(DispositionRow.number.desc())
        .limit(1)
        .correlate(AlertRow)
        .scalar_subquery()
    )
    return sa.func.coalesce(last, Status.OPEN.value)
