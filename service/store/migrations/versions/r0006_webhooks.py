"""Webhook subscriptions and dead letters."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "webhooks",
        sa.Column("webhook_id", sa.String(40), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("secret", sa.String(120), nullable=False),
        sa.Column("wanted", sa.Text, nullable=False),
        sa.Column("made_utc", sa.String(40), nullable=False),
        sa.Column("made_by", sa.String(80), nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("next_ms", sa.BigInteger, nullable=False),
        sa.Column("leased_ms", sa.BigInteger, nullable=False),
        sa.Column("last_error", sa.Text, nullable=False),
    )
    op.create_table(
        "dead_letters",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("webhook_id", sa.String(40), nullable=False, index=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_error", sa.Text, nullable=False),
        sa.Column("given_up_utc", sa.String(40), nullable=False),
        sa.Column("asked_utc", sa.String(40)),
        sa.Column("sent_utc", sa.String(40)),
    )
