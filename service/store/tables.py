"""The store's tables: runs, events, rounds, alerts with their evidence, and what was decided. Rows are only added."""

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


class AlertRow(Base):
    """A breach that rang."""

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


class EvidenceRow(Base):
    """A picture or file of an alert."""

    __tablename__ = "evidence"
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"), primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    media_type: Mapped[str] = mapped_column(sa.String(40))
    caption: Mapped[str] = mapped_column(sa.Text)
    content: Mapped[bytes] = mapped_column(sa.LargeBinary)


class DispositionRow(Base):
    """A step someone took with an alert."""

    __tablename__ = "dispositions"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    alert_seq: Mapped[int] = mapped_column(sa.ForeignKey("alerts.seq"), index=True)
    status: Mapped[str] = mapped_column(sa.String(20))
    reason: Mapped[str] = mapped_column(sa.Text)
    by: Mapped[str] = mapped_column(sa.String(80))
    at_utc: Mapped[str] = mapped_column(sa.String(40))


class EventRow(Base):
    """What happened at a table, as the engine got it."""

    __tablename__ = "events"
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
