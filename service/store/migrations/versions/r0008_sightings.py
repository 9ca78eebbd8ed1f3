"""Which runs saw an alert's incident again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "alert_sightings",
        sa.Column("alert_seq", sa.Integer, sa.ForeignKey("alerts.seq"), primary_key=True),
        sa.Column("run_id", sa.String(80), sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("at_utc", sa.String(40), nullable=False),
    )
