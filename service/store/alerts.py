"""Alerts and their pictures: recording them once, finding them again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.errors import NotFoundError
from service.stamps import stamp
from service.store import cells, changes, search
from service.store.base import Database
from service.store.incidents import TOLERANCE_MS, incident_of
from service.store.records import Action, Alert, AlertFilter, AlertKind, Counts, Disposition, Order, Picture, Status
from service.store.tables import AlertRow, DispositionRow, EvidenceRow, RunRow, SightingRow

LAW_DAY = "law_day"
"""Kept beside what the finding says: the day by whose law it was judged."""


class Alerts(Database):
    """What rang."""

    def add_alert(
        self, run_id: str, finding: Mapping[str, Any], *, raised_utc: datetime, pictures: Sequence[Picture] = (),
        kind: AlertKind = AlertKind.FINDING, law_day: date | None = None,
    ) -> tuple[Alert, bool]:  # fmt: skip
        """Records a breach as an alert, with its evidence, in one transaction.

        Returns:
            The alert, and whether it is new; an incident already recorded never makes a second alert.
        """
        with self.write() as session:
            changes.lock(session)
            seq, new = put_alert(
                session, run_id, finding, raised_utc=raised_utc, pictures=pictures, kind=kind, law_day=law_day
            )
        return self.alert(seq), new

    def alert(self, seq: int) -> Alert:
        """One alert with its history.

        Raises:
            NotFoundError: there is none with this number.
        """
        with self.read() as session:
            found = load(session, [seq])
        if not found:
            raise NotFoundError(f"there is no alert {seq}", do="List them with GET /api/alerts")
        return found[0]

    def alerts_by_seq(self, seqs: Iterable[int]) -> dict[int, Alert]:
        """Some alerts by their numbers; those that do not exist are left out."""
        with self.read() as session:
            return {alert.seq: alert for alert in load(session, sorted(set(seqs)))}

    def seen_again(self, seqs: Iterable[int]) -> dict[int, list[str]]:
        """When other runs saw the incidents of some alerts again, as stamps, in no order."""
        row = SightingRow
        out: dict[int, list[str]] = {}
        with self.read() as session:
            query = sa.select(row.alert_seq, row.at_utc).where(row.alert_seq.in_(sorted(set(seqs))))
            for seq, at_utc in session.execute(query):
                out.setdefault(seq, []).append(at_utc)
        return out

    def alerts(
        self, wanted: AlertFilter = AlertFilter(), *, limit: int = 50, before_seq: int | None = None,
        oldest_first: bool = False, order: Order = Order.NEWEST,
    ) -> list[Alert]:  # fmt: skip
        """A page of alerts, newest first; `before_seq`, the last one of a page, gives the next.

        Args:
            wanted: which.
            limit: at most so many.
            before_seq: only those behind this one in the order asked for.
            oldest_first: in the order they were recorded instead, from `wanted.after_seq` on.
            order: newest first, or most severe first.
        """
        with self.read() as session:
            if oldest_first:
                # the cells do not help here: this is for following along, a batch at a time
                query = sa.select(AlertRow.seq).where(AlertRow.seq > wanted.after_seq, *search.plain(session, wanted))
                return load(session, session.scalars(query.order_by(AlertRow.seq).limit(limit)).all())
            before = session.get(AlertRow, before_seq) if before_seq is not None else None
            return load(session, search.page(session, wanted, limit=limit, before=before, order=order))

    def counts(self, wanted: AlertFilter = AlertFilter()) -> Counts:
        """How many alerts are wanted, by how they stand and by severity."""
        with self.read() as session:
            return search.counts(session, wanted)

    def count(self, wanted: AlertFilter = AlertFilter()) -> dict[str, int]:
        """How many alerts are wanted, by how they stand."""
        return dict(self.counts(wanted).by_status)

    def last_seq(self) -> int:
        """The number of the newest alert, 0 if there is none."""
        with self.read() as session:
            return session.scalar(sa.select(sa.func.max(AlertRow.seq))) or 0

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

    def forget_pictures(self, seq: int) -> int:
        """Erases the pictures of an alert; the alert, its history and what it says in words stay.

        SQLite overwrites what is deleted. PostgreSQL gives the place free at its next vacuum.

        Returns:
            How many there were.
        """
        with self.write() as session:
            if self.is_sqlite:
                session.execute(sa.text("PRAGMA secure_delete = ON"))
            gone = sa.delete(EvidenceRow).where(EvidenceRow.alert_seq == seq).returning(EvidenceRow.name)
            return len(session.execute(gone).all())


def put_alert(
    session: Session, run_id: str, finding: Mapping[str, Any], *, raised_utc: datetime, pictures: Sequence[Picture] = (),
    kind: AlertKind = AlertKind.FINDING, law_day: date | None = None,
) -> tuple[int, bool]:  # fmt: skip
    """Records an alert within a transaction that holds the lock of changes; an incident already recorded stays as it is.

    Returns:
        Its number, and whether it is new.
    """
    run = session.get(RunRow, run_id)
    if run is None:
        raise NotFoundError(f"there is no run {run_id}", do="Open it before anything is recorded of it")
    incident = incident_of(finding, origin=run.origin, scope=run.scope, run_id=run_id)
    at_ms = run.epoch_ms + round(float(finding["t_s"]) * 1000)
    if kind is AlertKind.CAMERA:
        known = lasting(session, run_id, finding)
    else:
        known = _known(session, run_id, finding["finding_id"], incident, at_ms)
    if known is not None:
        _seen_again(session, known, run_id, raised_utc)
        return known, False
    row = AlertRow(
        run_id=run_id, finding_id=finding["finding_id"], table_id=finding["table_id"], check_id=finding["check_id"],
        severity=finding["severity"], raised_utc=stamp(raised_utc), finding=_text(finding, law_day), origin=run.origin,
        game=run.game, kind=kind.value, citation=finding["citation"], status=Status.OPEN.value, assignee=None,
        incident=incident, incident_ms=at_ms, sort_key=0, cell_id=0,
    )  # fmt: skip
    cells.enter(session, row)
    session.add(row)
    session.flush()
    row.sort_key = search.sort_key(raised_utc, row.seq)
    session.add_all(
        EvidenceRow(alert_seq=row.seq, name=p.name, media_type=p.media_type, caption=p.caption, content=p.content)
        for p in pictures
    )
    changes.append(session, "raised", row.seq, None, row.raised_utc)
    return row.seq, True


def lasting(session: Session, run_id: str, finding: Mapping[str, Any]) -> int | None:
    """The alert that tells of the same place and has not ended; for what lasts, e.g. a camera that is lost."""
    run = session.get_one(RunRow, run_id)
    incident = incident_of(finding, origin=run.origin, scope=run.scope, run_id=run_id)
    ended = sa.exists().where(DispositionRow.alert_seq == AlertRow.seq, DispositionRow.action == Action.ENDED.value)
    query = sa.select(AlertRow.seq).where(AlertRow.incident == incident, ~ended)
    return session.scalar(query.order_by(AlertRow.seq.desc()).limit(1))


def _known(session: Session, run_id: str, finding_id: str, incident: str, at_ms: int) -> int | None:
    """The alert that already tells of this incident."""
    same = sa.select(AlertRow.seq).where(AlertRow.run_id == run_id, AlertRow.finding_id == finding_id)
    near = sa.select(AlertRow.seq).where(
        AlertRow.incident == incident,
        AlertRow.run_id != run_id,
        AlertRow.incident_ms.between(at_ms - TOLERANCE_MS, at_ms + TOLERANCE_MS),
    )
    found = session.scalar(same)
    return found if found is not None else session.scalar(near.order_by(AlertRow.seq).limit(1))


def _seen_again(session: Session, seq: int, run_id: str, at_utc: datetime) -> None:
    """Remembers that another run saw the incident too; saying it twice of the same run changes nothing."""
    if session.get_one(AlertRow, seq).run_id != run_id and session.get(SightingRow, (seq, run_id)) is None:
        session.add(SightingRow(alert_seq=seq, run_id=run_id, at_utc=stamp(at_utc)))


def judge_by(session: Session, run_id: str, day: date) -> None:
    """Says anew by the law of which day the alerts of a run are judged."""
    for row in session.scalars(sa.select(AlertRow).where(AlertRow.run_id == run_id)):
        row.finding = _text(json.loads(row.finding), day)


def _text(finding: Mapping[str, Any], law_day: date | None) -> str:
    return json.dumps(finding if law_day is None else {**finding, LAW_DAY: law_day.isoformat()})


def load(session: Session, seqs: Sequence[int]) -> list[Alert]:
    """Alerts with names of evidence and history, in the order of their numbers given."""
    rows = {row.seq: row for row in session.scalars(sa.select(AlertRow).where(AlertRow.seq.in_(seqs)))}
    shots: dict[int, list[tuple[str, str]]] = {}
    columns = (EvidenceRow.alert_seq, EvidenceRow.name, EvidenceRow.caption)
    query = sa.select(*columns).where(EvidenceRow.alert_seq.in_(seqs)).order_by(EvidenceRow.name)
    for seq, name, caption in session.execute(query):
        shots.setdefault(seq, []).append((name, caption))
    steps = history_of(session, seqs)
    again = sa.select(SightingRow.alert_seq, sa.func.count()).where(SightingRow.alert_seq.in_(seqs))
    more = {seq: number for seq, number in session.execute(again.group_by(SightingRow.alert_seq))}
    return [
        _alert(rows[seq], shots.get(seq, ()), steps.get(seq, ()), 1 + more.get(seq, 0)) for seq in seqs if seq in rows
    ]


def history_of(session: Session, seqs: Sequence[int]) -> dict[int, list[Disposition]]:
    """Every step of some alerts, oldest first."""
    out: dict[int, list[Disposition]] = {}
    query = sa.select(DispositionRow).where(DispositionRow.alert_seq.in_(seqs)).order_by(DispositionRow.number)
    for row in session.scalars(query):
        step = Disposition(
            Status(row.status), row.reason, row.by, row.at_utc, Action(row.action), row.assignee, row.number
        )
        out.setdefault(row.alert_seq, []).append(step)
    return out


def _alert(row: AlertRow, shots: Iterable[tuple[str, str]], steps: Iterable[Disposition], sightings: int) -> Alert:
    finding = json.loads(row.finding)
    day = finding.pop(LAW_DAY, None)
    return Alert(
        row.seq, row.run_id, row.origin, row.finding_id, row.table_id, row.check_id, row.severity, row.raised_utc,
        finding, tuple(shots), tuple(steps), Status(row.status), row.assignee, row.game, AlertKind(row.kind), sightings,
        None if day is None else date.fromisoformat(day),
    )  # fmt: skip
