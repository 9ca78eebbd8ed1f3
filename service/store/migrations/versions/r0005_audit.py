"""The audit: imports, rounds, facts, exceptions, sums, samples, recounts."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision: str | None = "0004"

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def measures() -> list[sa.Column[Any]]:
    """The columns of every table of sums."""
    counts = ("wagers", "right", "over", "under", "undetermined", "unpriced")
    cents = ("staked_cents", "owed_cents", "paid_cents", "over_cents", "under_cents")
    return [
        *(sa.Column(name, sa.Integer, nullable=False) for name in counts),
        *(sa.Column(name, BIG, nullable=False) for name in cents),
    ]


def upgrade() -> None:
    """Makes the audit's tables."""
    op.create_table(
        "audit_exceptions",
        sa.Column("round_seq", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("mispaid", sa.Boolean(), nullable=False),
        sa.Column("at_utc", sa.String(length=40), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("table_id", sa.String(length=80), nullable=False),
        sa.Column("shift", sa.String(length=64), nullable=False),
        sa.Column("dealer", sa.String(length=64), nullable=False),
        sa.Column("round_id", sa.String(length=80), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("kind_id", sa.Integer(), nullable=False),
        sa.Column("staked_cents", BIG, nullable=True),
        sa.Column("owed_cents", BIG, nullable=True),
        sa.Column("paid_cents", BIG, nullable=True),
        sa.Column("verdict", sa.SmallInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("round_seq", "number"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "audit_exceptions_dealer",
        "audit_exceptions",
        ["mispaid", "dealer", "at_utc", "round_seq", "number"],
        unique=False,
    )
    op.create_index(
        "audit_exceptions_table",
        "audit_exceptions",
        ["mispaid", "table_id", "at_utc", "round_seq", "number"],
        unique=False,
    )
    op.create_index(
        "audit_exceptions_time", "audit_exceptions", ["mispaid", "at_utc", "round_seq", "number"], unique=False
    )
    op.create_table(
        "audit_facts",
        sa.Column("round_seq", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("kind_id", sa.Integer(), nullable=False),
        sa.Column("staked_cents", BIG, nullable=True),
        sa.Column("owed_cents", BIG, nullable=True),
        sa.Column("paid_cents", BIG, nullable=True),
        sa.Column("verdict", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("round_seq", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_imports",
        sa.Column("import_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("form", sa.String(length=20), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("began_utc", sa.String(length=40), nullable=False),
        sa.Column("ended_utc", sa.String(length=40), nullable=True),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("wagers", sa.Integer(), nullable=False),
        sa.Column("known", sa.Integer(), nullable=False),
        sa.Column("rejected", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("import_id"),
        sa.UniqueConstraint("content"),
    )
    op.create_table(
        "audit_kinds",
        sa.Column("kind_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("wager", sa.String(length=40), nullable=False),
        sa.Column("line", sa.String(length=120), nullable=False),
        sa.PrimaryKeyConstraint("kind_id"),
        sa.UniqueConstraint("game", "wager", "line", name="one_kind_one_number"),
    )
    op.create_table(
        "audit_recounts",
        sa.Column("recount_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at_utc", sa.String(length=40), nullable=False),
        sa.Column("by", sa.String(length=80), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("agrees", sa.Boolean(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("recount_id"),
    )
    op.create_table(
        "audit_rounds",
        sa.Column("round_seq", BIG, autoincrement=True, nullable=False),
        sa.Column("table_id", sa.String(length=80), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("round_id", sa.String(length=80), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("shift", sa.String(length=64), nullable=False),
        sa.Column("dealer", sa.String(length=64), nullable=False),
        sa.Column("at_utc", sa.String(length=40), nullable=False),
        sa.Column("run_id", sa.String(length=80), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=True),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        *measures(),
        sa.PrimaryKeyConstraint("round_seq"),
        sa.UniqueConstraint("table_id", "day", "round_id", name="one_round_once"),
    )
    op.create_index("ix_audit_rounds_day", "audit_rounds", ["day"], unique=False)
    op.create_table(
        "audit_runs",
        sa.Column("run_id", sa.String(80), primary_key=True),
        sa.Column("rounds", sa.Integer(), nullable=False),
    )
    op.create_table(
        "audit_samples",
        sa.Column("sample_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("made_utc", sa.String(length=40), nullable=False),
        sa.Column("by", sa.String(length=80), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("population", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sample_id"),
    )
    op.create_table(
        "audit_sums_dealer",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("table_id", sa.String(length=80), nullable=False),
        sa.Column("shift", sa.String(length=64), nullable=False),
        sa.Column("kind_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("dealer", sa.String(length=64), nullable=False),
        *measures(),
        sa.PrimaryKeyConstraint("day", "table_id", "shift", "kind_id", "dealer"),
        sqlite_with_rowid=False,
    )
    op.create_index("audit_sums_dealer_one", "audit_sums_dealer", ["dealer", "day"], unique=False)
    op.create_table(
        "audit_sums_full",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("table_id", sa.String(length=80), nullable=False),
        sa.Column("shift", sa.String(length=64), nullable=False),
        sa.Column("kind_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("dealer", sa.String(length=64), nullable=False),
        *measures(),
        sa.PrimaryKeyConstraint("day", "table_id", "shift", "kind_id", "dealer"),
        sqlite_with_rowid=False,
    )
    op.create_index("audit_sums_full_dealer", "audit_sums_full", ["dealer", "day"], unique=False)
    op.create_index("audit_sums_full_kind", "audit_sums_full", ["kind_id", "day"], unique=False)
    op.create_table(
        "audit_sums_line",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("table_id", sa.String(length=80), nullable=False),
        sa.Column("shift", sa.String(length=64), nullable=False),
        sa.Column("kind_id", sa.Integer(), autoincrement=False, nullable=False),
        *measures(),
        sa.PrimaryKeyConstraint("day", "table_id", "shift", "kind_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_sums_rounds",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("table_id", sa.String(length=80), nullable=False),
        sa.Column("shift", sa.String(length=64), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("dealer", sa.String(length=64), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        *measures(),
        sa.PrimaryKeyConstraint("day", "table_id", "shift", "game", "dealer"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_sums_wager",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("table_id", sa.String(length=80), nullable=False),
        sa.Column("shift", sa.String(length=64), nullable=False),
        sa.Column("kind_id", sa.Integer(), autoincrement=False, nullable=False),
        *measures(),
        sa.PrimaryKeyConstraint("day", "table_id", "shift", "kind_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_bodies",
        sa.Column("round_seq", BIG, autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_seq"],
            ["audit_rounds.round_seq"],
        ),
        sa.PrimaryKeyConstraint("round_seq"),
    )
    op.create_table(
        "audit_rejects",
        sa.Column("import_id", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"],
            ["audit_imports.import_id"],
        ),
        sa.PrimaryKeyConstraint("import_id", "line"),
    )
    op.create_table(
        "audit_sample_results",
        sa.Column("result_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("result", sa.String(length=20), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=80), nullable=False),
        sa.Column("at_utc", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["sample_id"],
            ["audit_samples.sample_id"],
        ),
        sa.PrimaryKeyConstraint("result_id"),
    )
    op.create_index("audit_sample_results_of", "audit_sample_results", ["sample_id", "number"], unique=False)
    op.create_table(
        "audit_sample_rounds",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("round_seq", BIG, nullable=False),
        sa.Column("stratum", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_seq"],
            ["audit_rounds.round_seq"],
        ),
        sa.ForeignKeyConstraint(
            ["sample_id"],
            ["audit_samples.sample_id"],
        ),
        sa.PrimaryKeyConstraint("sample_id", "number"),
    )
