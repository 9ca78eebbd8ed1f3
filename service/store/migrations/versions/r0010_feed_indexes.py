"""Indexes that answer the feed alone, and one for alerts by severity."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"

COLUMNS = {
    "ix_alerts_newest": ("sort_key", "cell_id", "seq"),
    "ix_alerts_cell": ("cell_id", "sort_key", "seq"),
    "ix_alerts_assignee": ("assignee", "sort_key", "cell_id", "seq"),
    "ix_alerts_run": ("run_id", "sort_key", "cell_id", "seq"),
}


def upgrade() -> None:
    """Puts the number of the alert behind the columns of each index."""
    for name, columns in COLUMNS.items():
        op.drop_index(name, "alerts")
        op.create_index(name, "alerts", list(columns))
    op.create_index("ix_alerts_severity", "alerts", ["severity", "sort_key", "seq"])
