"""When rounds were played, when recordings were made, and how far the audit has taken in what was seen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Adds the columns and indexes; the audit goes on where it was."""
    with op.batch_alter_table("round_facts") as table:
        table.add_column(sa.Column("opened_ms", sa.BigInteger))
        table.create_index("round_facts_by_time", ["opened_ms", "number"])
    with op.batch_alter_table("reviews") as table:
        table.add_column(sa.Column("recorded_at", sa.String(40), nullable=False, server_default=""))
        table.add_column(sa.Column("recorded_by", sa.String(200), nullable=False, server_default=""))
    dealers = sa.text("kind = 'dealer_changed'")
    op.create_index("events_of_dealers", "events", ["run_id", "number"], sqlite_where=dealers, postgresql_where=dealers)
    op.create_table(
        "audit_seen",
        sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False),
    )
    op.execute(
        "INSERT INTO audit_seen (one, number) SELECT 1, COALESCE(MAX(number), 0) FROM round_facts"
        " WHERE run_id IN (SELECT run_id FROM audit_runs)"
    )
    op.drop_table("audit_runs")
