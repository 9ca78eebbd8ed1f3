"""The store's tables. Rows are only added; an alert's present status and assignee stand beside it, changed only together
with the step that says so. Pictures are deleted with the bundle they are copies of (`service.evidence.erasing`).
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base


class RunRow(Base):
    """One source watched, live or in a review."""

    __tablename__ = "runs"
    run_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    table_id: Mapped[str] = mapped_column(sa.String(80), index=True)
    origin: Mapped[str] = mapped_column(sa.String(10))
    opened_utc: Mapped[str] = mapped_column(sa.String(40))
    about: Mapped[str] = mapped_column(sa.Text)
    game: Mapped[str] = mapped_column(sa.String(40), server_default="")
    scope: Mapped[str] = mapped_column(sa.String(80), server_default="")
    epoch_ms: Mapped[int] = mapped_column(sa.BigInteger, server_default="0")


class AlertRow(Base):
    """Something that rang."""

    __tablename__ = "alerts"
    __table_args__ = (
        sa.UniqueConstraint("run_id", "finding_id", name="one_incident_one_alert"),
        sa.Index("ix_alerts_newest", "sort_key", "cell_id", "seq"),  # all of them end in what is asked for, so that
        sa.Index("ix_alerts_cell", "cell_id", "sort_key", "seq"),  # an index alone answers (index-only scans)
        sa.Index("ix_alerts_severity", "severity", "sort_key", "seq"),
        sa.Index("ix_alerts_assignee", "assignee", "sort_key", "cell_id", "seq"),
        sa.Index("ix_alerts_run", "run_id", "sort_key", "cell_id", "seq"),
        sa.Index("ix_alerts_incident", "incident", "incident_ms"),
        {"sqlite_autoincrement": True},
    )
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"))
    finding_id: Mapped[str] = mapped_column(sa.String(80))
    table_id: Mapped[str] = mapped_column(sa.String(80))
    check_id: Mapped[str] = mapped_column(sa.String(60))
    severity: Mapped[str] = mapped_column(sa.String(20))
    raised_utc: Mapped[str] = mapped_column(sa.String(40))
    finding: Mapped[str] = mapped_column(sa.Text)
    origin: Mapped[str] = mapped_column(sa.String(10), server_default="live")
    game: Mapped[str] = mapped_column(sa.String(40), server_default="")
    kind: Mapped[str] = mapped_column(sa.String(10), server_default="finding")
    citation: Mapped[str] = mapped_column(sa.String(200), server_default="")
    status: Mapped[str] = mapped_column(sa.String(20), server_default="open")
    assignee: Mapped[str | None] = mapped_column(sa.String(80))
    incident: Mapped[str] = mapped_column(sa.String(40), server_default="")
    incident_ms: Mapped[int] = mapped_column(sa.BigInteger, server_default="0")
    sort_key: Mapped[int] = mapped_column(sa.BigInteger, server_default="0")
    cell_id: Mapped[int] = mapped_column(sa.Integer, server_default="0")


class SightingRow(Base):
    """Another run, after a restart or in a replay, that saw an alert's incident again."""

    __tablename__ = "alert_sightings"
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"), primary_key=True)
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"), primary_key=True)
    at_utc: Mapped[str] = mapped_column(sa.String(40))


class CellRow(Base):
    """How many alerts agree in everything lists are filtered by; every alert belongs to one cell."""

    __tablename__ = "alert_cells"
    __table_args__ = (
        sa.UniqueConstraint(
            "table_id", "game", "check_id", "severity", "origin", "kind", "citation", "status", name="one_cell"
        ),
        sa.Index("ix_alert_cells_status", "status", "severity"),
    )
    cell_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    table_id: Mapped[str] = mapped_column(sa.String(80))
    game: Mapped[str] = mapped_column(sa.String(40))
    check_id: Mapped[str] = mapped_column(sa.String(60))
    severity: Mapped[str] = mapped_column(sa.String(20))
    origin: Mapped[str] = mapped_column(sa.String(10))
    kind: Mapped[str] = mapped_column(sa.String(10))
    citation: Mapped[str] = mapped_column(sa.String(200))
    status: Mapped[str] = mapped_column(sa.String(20))
    alerts: Mapped[int] = mapped_column(sa.Integer)


class EvidenceRow(Base):
    """A picture or file of an alert."""

    __tablename__ = "evidence"
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"), primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    media_type: Mapped[str] = mapped_column(sa.String(40))
    caption: Mapped[str] = mapped_column(sa.Text)
    content: Mapped[bytes] = mapped_column(sa.LargeBinary)


class DispositionRow(Base):
    """A step someone took with an alert, and how the alert stood after it."""

    __tablename__ = "dispositions"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"), index=True)
    status: Mapped[str] = mapped_column(sa.String(20))
    reason: Mapped[str] = mapped_column(sa.Text)
    by: Mapped[str] = mapped_column(sa.String(80))
    at_utc: Mapped[str] = mapped_column(sa.String(40), index=True)
    action: Mapped[str] = mapped_column(sa.String(20), server_default="comment")
    assignee: Mapped[str | None] = mapped_column(sa.String(80))


class ChangeRow(Base):
    """What happened to which alert, in the order of commits; see `service.store.changes`."""

    __tablename__ = "changes"
    position: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(sa.String(20))
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"))
    step: Mapped[int | None] = mapped_column(sa.Integer)
    at_utc: Mapped[str] = mapped_column(sa.String(40))


class HeadRow(Base):
    """The one row that is locked to write: the last position of `changes`."""

    __tablename__ = "changes_head"
    one: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(sa.BigInteger)


class EventRow(Base):
    """What happened at a table, as the engine got it."""

    __tablename__ = "events"
    __table_args__ = (
        sa.Index(
            "events_of_dealers", "run_id", "number",
            sqlite_where=sa.text("kind = 'dealer_changed'"), postgresql_where=sa.text("kind = 'dealer_changed'"),
        ),
    )  # fmt: skip
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    t_s: Mapped[float] = mapped_column(sa.Double)
    kind: Mapped[str] = mapped_column(sa.String(40))
    event: Mapped[str] = mapped_column(sa.Text)


class RoundRow(Base):
    """A closed round."""

    __tablename__ = "rounds"
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"), primary_key=True)
    round_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    round: Mapped[str] = mapped_column(sa.Text)


class StandingRow(Base):
    """How a live table stood after an event; with the events since then its round goes on. Replaced by the next one."""

    __tablename__ = "standings"
    table_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"))
    number: Mapped[int] = mapped_column(sa.Integer)
    basis: Mapped[str] = mapped_column(sa.String(80))
    state: Mapped[bytes] = mapped_column(sa.LargeBinary)
