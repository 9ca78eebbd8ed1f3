"""Runs, events, rounds, alerts, evidence and dispositions, as they stood before there were migrations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None


def upgrade() -> None:
    """Makes the first tables."""
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(80), primary_key=True),
        sa.Column("table_id", sa.String(80), nullable=False, index=True),
        sa.Column("origin", sa.String(10), nullable=False),
        sa.Column("opened_utc", sa.String(40), nullable=False),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.create_table(
        "alerts",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("run_id", sa.String(80), sa.ForeignKey("runs.run_id"), nullable=False, index=True),
        sa.Column("finding_id", sa.String(80), nullable=False),
        sa.Column("table_id", sa.String(80), nullable=False, index=True),
        sa.Column("check_id", sa.String(60), nullable=False, index=True),
        sa.Column("severity", sa.String(20), nullable=False, index=True),
        sa.Column("raised_utc", sa.String(40), nullable=False),
        sa.Column("finding", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "finding_id", name="one_incident_one_alert"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "evidence",
        sa.Column("alert_seq", sa.Integer, sa.ForeignKey("alerts.seq"), primary_key=True),
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("media_type", sa.String(40), nullable=False),
        sa.Column("caption", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "dispositions",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("alert_seq", sa.Integer, sa.ForeignKey("alerts.seq"), nullable=False, index=True),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.String(80), nullable=False),
        sa.Column("at_utc", sa.String(40), nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(80), sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("t_s", sa.Double, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("event", sa.Text, nullable=False),
    )
    op.create_table(
        "rounds",
        sa.Column("run_id", sa.String(80), sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("round_id", sa.String(80), primary_key=True),
        sa.Column("round", sa.Text, nullable=False),
    )
