"""How each live table stands at the end of its last round, so that a round goes on after a restart."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "standings",
        sa.Column("table_id", sa.String(80), primary_key=True),
        sa.Column("run_id", sa.String(80), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("basis", sa.String(80), nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )
