"""What the service remembers: runs, events, rounds, alerts and what people decided about them. Append-only.

SQLite in write-ahead mode by default; any other SQLAlchemy URL (`postgresql+psycopg://...`) works the same. Nothing
is ever updated or deleted: an alert's status is the last disposition recorded for it. Nothing in here reads the clock;
whoever records says when.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

from service.errors import ConflictError, NotFoundError, ServiceError


class Status(StrEnum):
    """Where an alert stands with the people who work on it."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


CLOSED = (Status.CONFIRMED, Status.DISMISSED)


class _Base(DeclarativeBase):
    pass


class _Run(_Base):
    __tablename__ = "runs"
    run_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    table_id: Mapped[str] = mapped_column(sa.String(80), index=True)
    origin: Mapped[str] = mapped_column(sa.String(10))
    opened_utc: Mapped[str] = mapped_column(sa.String(40))
    about: Mapped[str] = mapped_column(sa.Text)


class _Alert(_Base):
    __tablename__ = "alerts"
    __table_args__ = (
        sa.UniqueConstraint("run_id", "finding_id", name="one_incident_one_alert"),
        {"sqlite_autoincrement": True},
    )
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"), index=True)
    finding_id: Mapped[str] = mapped_column(sa.String(80))
    table_id: Mapped[str] = mapped_column(sa.String(80), index=True)
    check_id: Mapped[str] = mapped_column(sa.String(60), index=True)
    severity: Mapped[str] = mapped_column(sa.String(20), index=True)
    raised_utc: Mapped[str] = mapped_column(sa.String(40))
    finding: Mapped[str] = mapped_column(sa.Text)


class _Evidence(_Base):
    __tablename__ = "evidence"
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"), primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    media_type: Mapped[str] = mapped_column(sa.String(40))
    caption: Mapped[str] = mapped_column(sa.Text)
    content: Mapped[bytes] = mapped_column(sa.LargeBinary)


class _Disposition(_Base):
    __tablename__ = "dispositions"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"), index=True)
    status: Mapped[str] = mapped_column(sa.String(20))
    reason: Mapped[str] = mapped_column(sa.Text)
    by: Mapped[str] = mapped_column(sa.String(80))
    at_utc: Mapped[str] = mapped_column(sa.String(40))


class _EventRow(_Base):
    __tablename__ = "events"
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    t_s: Mapped[float]
    kind: Mapped[str] = mapped_column(sa.String(40))
    event: Mapped[str] = mapped_column(sa.Text)


class _RoundRow(_Base):
    __tablename__ = "rounds"
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"), primary_key=True)
    round_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    round: Mapped[str] = mapped_column(sa.Text)


@dataclass(frozen=True, slots=True)
class Disposition:
    """What someone decided about an alert, when, and why."""

    status: Status
    reason: str
    by: str
    at_utc: str


@dataclass(frozen=True, slots=True)
class Alert:
    """A breach that rang. `seq` rises by one order for the whole store and is the id of the event stream.

    Attributes:
        origin: "live" or "review", how the run that found it looked at the table.
        finding: the finding as plain JSON values.
        evidence: (name, caption) of its pictures.
        history: every disposition, oldest first.
    """

    seq: int
    run_id: str
    origin: str
    finding_id: str
    table_id: str
    check_id: str
    severity: str
    raised_utc: str
    finding: Mapping[str, Any]
    evidence: tuple[tuple[str, str], ...] = ()
    history: tuple[Disposition, ...] = ()

    @property
    def status(self) -> Status:
        """The last disposition, open if there is none."""
        return self.history[-1].status if self.history else Status.OPEN


@dataclass(frozen=True, slots=True)
class AlertFilter:
    """Which alerts to list; None means any."""

    table_id: str | None = None
    severity: str | None = None
    check_id: str | None = None
    status: Status | None = None
    origin: str | None = None
    run_id: str | None = None
    after_seq: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture or file kept with an alert."""

    name: str
    content: bytes
    media_type: str = "image/jpeg"
    caption: str = ""


@dataclass(slots=True)
class Store:
    """The database behind the service; safe to use from several threads.

    Args:
        url: SQLAlchemy URL, e.g. `sqlite:///var/pitwatch.db`.

    Raises:
        ServiceError: the database cannot be opened.
    """

    url: str
    _engine: sa.Engine = field(init=False)
    _session: sessionmaker[Session] = field(init=False)

    def __post_init__(self) -> None:
        try:
            self._engine = sa.create_engine(self.url)
            if self._engine.dialect.name == "sqlite":
                sa.event.listen(self._engine, "connect", _sqlite_pragmas)
            _Base.metadata.create_all(self._engine)
        except (sa.exc.SQLAlchemyError, ImportError) as error:
            raise ServiceError(
                f"the database cannot be opened ({str(error).splitlines()[0]})",
                where=self.url,
                do="Check the URL and that its folder exists",
            ) from error
        self._session = sessionmaker(self._engine, expire_on_commit=False)

    def open_run(
        self, run_id: str, *, table_id: str, origin: str, opened_utc: datetime, about: Mapping[str, Any]
    ) -> None:
        """Records that a source is being watched; opening the same run again changes nothing."""
        with self._session.begin() as session:
            if session.get(_Run, run_id) is None:
                session.add(
                    _Run(
                        run_id=run_id,
                        table_id=table_id,
                        origin=origin,
                        opened_utc=_stamp(opened_utc),
                        about=json.dumps(about),
                    )
                )

    def add_events(self, run_id: str, lines: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Records events (number in the run, event as JSON values); numbers already recorded are left as they are."""
        rows = [
            {"run_id": run_id, "number": n, "t_s": e["t_s"], "kind": e["kind"], "event": json.dumps(e)}
            for n, e in lines
        ]
        self._insert_new(_EventRow, rows, ("run_id", "number"))

    def add_rounds(self, run_id: str, rounds: Iterable[Mapping[str, Any]]) -> None:
        """Records closed rounds (JSON values with `round_id`)."""
        rows = [{"run_id": run_id, "round_id": str(r["round_id"]), "round": json.dumps(r)} for r in rounds]
        self._insert_new(_RoundRow, rows, ("run_id", "round_id"))

    def add_alert(
        self, run_id: str, finding: Mapping[str, Any], *, raised_utc: datetime, pictures: Sequence[Picture] = ()
    ) -> tuple[Alert, bool]:
        """Records a breach as an alert, with its evidence, in one transaction.

        Returns:
            The alert, and whether it is new; the same finding of the same run never makes a second alert.
        """
        try:
            with self._session.begin() as session:
                row = _Alert(
                    run_id=run_id,
                    finding_id=finding["finding_id"],
                    table_id=finding["table_id"],
                    check_id=finding["check_id"],
                    severity=finding["severity"],
                    raised_utc=_stamp(raised_utc),
                    finding=json.dumps(finding),
                )
                session.add(row)
                session.flush()
                session.add_all(
                    _Evidence(
                        alert_seq=row.seq, name=p.name, media_type=p.media_type, caption=p.caption, content=p.content
                    )
                    for p in pictures
                )
                seq = row.seq
            return self.alert(seq), True
        except sa.exc.IntegrityError:
            with self._session() as session:
                known = session.scalar(
                    sa.select(_Alert.seq).where(_Alert.run_id == run_id, _Alert.finding_id == finding["finding_id"])
                )
            if known is None:
                raise
            return self.alert(known), False

    def alert(self, seq: int) -> Alert:
        """One alert with its history.

        Raises:
            NotFoundError: there is none with this number.
        """
        found = self._alerts(sa.select(_Alert).where(_Alert.seq == seq))
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
        query = sa.select(_Alert).where(_Alert.seq > wanted.after_seq)
        for column, value in (
            (_Alert.table_id, wanted.table_id),
            (_Alert.severity, wanted.severity),
            (_Alert.check_id, wanted.check_id),
            (_Alert.run_id, wanted.run_id),
        ):
            if value is not None:
                query = query.where(column == value)
        if wanted.origin is not None:
            query = query.where(_Alert.run_id.in_(sa.select(_Run.run_id).where(_Run.origin == wanted.origin)))
        if wanted.status is not None:
            query = query.where(_status_of_alert() == wanted.status.value)
        if before_seq is not None:
            query = query.where(_Alert.seq < before_seq)
        return self._alerts(query.order_by(_Alert.seq if oldest_first else _Alert.seq.desc()).limit(limit))

    def count(self, wanted: AlertFilter = AlertFilter()) -> dict[str, int]:
        """How many alerts of a table (or all) stand at each status."""
        status = _status_of_alert()
        query = sa.select(status, sa.func.count()).select_from(_Alert).group_by(status)
        if wanted.table_id is not None:
            query = query.where(_Alert.table_id == wanted.table_id)
        with self._session() as session:
            found = {str(name): int(n) for name, n in session.execute(query)}
        return {status.value: found.get(status.value, 0) for status in Status}

    def last_seq(self) -> int:
        """The number of the newest alert, 0 if there is none."""
        with self._session() as session:
            return session.scalar(sa.select(sa.func.max(_Alert.seq))) or 0

    def last_change(self) -> tuple[int, int]:
        """Newest alert and newest disposition; differs whenever a list of alerts would."""
        with self._session() as session:
            return (
                session.scalar(sa.select(sa.func.max(_Alert.seq))) or 0,
                session.scalar(sa.select(sa.func.max(_Disposition.number))) or 0,
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
        with self._session.begin() as session:
            session.add(
                _Disposition(alert_seq=seq, status=status.value, reason=reason.strip(), by=by, at_utc=_stamp(at_utc))
            )
        return self.alert(seq)

    def evidence(self, seq: int, name: str) -> Picture:
        """A picture of an alert by the name it was recorded under.

        Raises:
            NotFoundError: no such alert or no such picture.
        """
        with self._session() as session:
            row = session.get(_Evidence, (seq, name))
        if row is None:
            raise NotFoundError(
                f"alert {seq} has no evidence of this name", do=f"See the names in GET /api/alerts/{seq}"
            )
        return Picture(row.name, row.content, row.media_type, row.caption)

    def events(self, run_id: str, *, from_s: float = 0.0, to_s: float = 1e12, limit: int = 500) -> list[dict[str, Any]]:
        """Events of a run between two capture times, in the order the engine got them."""
        query = sa.select(_EventRow.event).where(
            _EventRow.run_id == run_id, _EventRow.t_s >= from_s, _EventRow.t_s <= to_s
        )
        with self._session() as session:
            return [json.loads(text) for text in session.scalars(query.order_by(_EventRow.number).limit(limit))]

    def rounds(self, run_id: str) -> list[dict[str, Any]]:
        """Closed rounds of a run, in the order they were recorded."""
        with self._session() as session:
            return [
                json.loads(text)
                for text in session.scalars(sa.select(_RoundRow.round).where(_RoundRow.run_id == run_id))
            ]

    def close(self) -> None:
        """Closes all connections."""
        self._engine.dispose()

    def _alerts(self, query: sa.Select[Any]) -> list[Alert]:
        with self._session() as session:
            rows = list(session.scalars(query))
            seqs = [row.seq for row in rows]
            shots: dict[int, list[tuple[str, str]]] = {}
            columns = (_Evidence.alert_seq, _Evidence.name, _Evidence.caption)
            for seq, name, caption in session.execute(
                sa.select(*columns).where(_Evidence.alert_seq.in_(seqs)).order_by(_Evidence.name)
            ):
                shots.setdefault(seq, []).append((name, caption))
            history: dict[int, list[Disposition]] = {}
            for d in session.scalars(
                sa.select(_Disposition).where(_Disposition.alert_seq.in_(seqs)).order_by(_Disposition.number)
            ):
                history.setdefault(d.alert_seq, []).append(Disposition(Status(d.status), d.reason, d.by, d.at_utc))
            runs = session.scalars(sa.select(_Run).where(_Run.run_id.in_({row.run_id for row in rows})))
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

    def _insert_new(self, table: type[_Base], rows: list[dict[str, Any]], key: tuple[str, ...]) -> None:
        if not rows:
            return
        with self._session.begin() as session:
            for row in rows:
                if session.get(table, tuple(row[name] for name in key)) is None:
                    session.add(table(**row))


def _status_of_alert() -> sa.ColumnElement[str]:
    last = (
        sa.select(_Disposition.status)
        .where(_Disposition.alert_seq == _Alert.seq)
        .order_by(_Disposition.number.desc())
        .limit(1)
        .correlate(_Alert)
        .scalar_subquery()
    )
    return sa.func.coalesce(last, Status.OPEN.value)


def _sqlite_pragmas(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
