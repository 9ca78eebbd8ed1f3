"""Who may come in (people, roles, sessions, keys) and the log of what they did, which the database itself keeps from being changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"

SQLITE_GUARDS = (
    "CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END",
    "CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END",
)
POSTGRESQL_GUARDS = (
    "CREATE FUNCTION journal_guard() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the journal is only added to'; END $$",
    "CREATE TRIGGER journal_guard BEFORE UPDATE OR DELETE OR TRUNCATE ON journal FOR EACH STATEMENT EXECUTE FUNCTION journal_guard()",
)


def upgrade() -> None:
    """Makes the tables of access and the guards of the log."""
    _people()
    _credentials()
    _journal()
    guards = POSTGRESQL_GUARDS if op.get_bind().dialect.name == "postgresql" else SQLITE_GUARDS
    for guard in guards:
        op.execute(guard)


def _people() -> None:
    op.create_table(
        "users",
        sa.Column("user_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(80), nullable=False, unique=True),
        sa.Column("password", sa.String(200)),
        sa.Column("must_change", sa.Boolean, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.Column("issuer", sa.String(300)),
        sa.Column("subject", sa.String(300)),
        sa.Column("added_utc", sa.String(40), nullable=False),
        sa.UniqueConstraint("issuer", "subject", name="one_account_per_subject"),
    )
    op.create_table(
        "grants",
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.user_id"), primary_key=True),
        sa.Column("role", sa.String(20), primary_key=True),
        sa.Column("table_group", sa.String(80), primary_key=True),
    )
    op.create_table(
        "table_groups",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("table_id", sa.String(80), primary_key=True),
    )


def _credentials() -> None:
    op.create_table(
        "sessions",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.user_id"), nullable=False, index=True),
        sa.Column("opened_utc", sa.String(40), nullable=False),
        sa.Column("used_utc", sa.String(40), nullable=False),
        sa.Column("ends_utc", sa.String(40), nullable=False, index=True),
        sa.Column("ended_utc", sa.String(40)),
        sa.Column("address", sa.String(80), nullable=False),
        sa.Column("how", sa.String(20), nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("prefix", sa.String(20), nullable=False),
        sa.Column("label", sa.String(80), nullable=False),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.user_id"), nullable=False, index=True),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("table_group", sa.String(80), nullable=False),
        sa.Column("made_utc", sa.String(40), nullable=False),
        sa.Column("ends_utc", sa.String(40), nullable=False),
        sa.Column("revoked_utc", sa.String(40)),
        sa.Column("used_utc", sa.String(40)),
    )
    op.create_table(
        "tickets",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.user_id")),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("ends_utc", sa.String(40), nullable=False, index=True),
        sa.Column("used_utc", sa.String(40)),
    )
    op.create_table(
        "throttles",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_utc", sa.String(40), nullable=False, index=True),
        sa.Column("until_utc", sa.String(40), nullable=False),
    )


def _journal() -> None:
    op.create_table(
        "journal",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at_utc", sa.String(40), nullable=False),
        sa.Column("who", sa.String(180), nullable=False),
        sa.Column("role", sa.String(80), nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("table_id", sa.String(80)),
        sa.Column("address", sa.String(80), nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("before_sha256", sa.String(64), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
    )
    for name, column in (("who", "who"), ("what", "what"), ("table", "table_id"), ("at", "at_utc")):
        op.create_index(f"journal_{name}", "journal", [column, "number"])
