"""The queue of reviews, and what rounds are searched by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"


def upgrade() -> None:
    """Makes the tables of `service.reviews`."""
    _queue()
    _facts()
    _search()


def _queue() -> None:
    op.create_table(
        "reviews",
        sa.Column("review_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("video", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("table_id", sa.String(80), nullable=False, index=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("ordered_by", sa.String(80), nullable=False),
        sa.Column("ordered_utc", sa.String(40), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("cancel_wanted", sa.Boolean, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("deaths", sa.Integer, nullable=False),
        sa.Column("worker", sa.String(80), nullable=False),
        sa.Column("started_utc", sa.String(40)),
        sa.Column("beat_utc", sa.String(40)),
        sa.Column("ended_utc", sa.String(40)),
        sa.Column("t_s", sa.Double, nullable=False),
        sa.Column("of_s", sa.Double),
        sa.Column("speed", sa.Double),
        sa.Column("breaches", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("run_id", sa.String(80), index=True),
        sa.Index("reviews_by_state", "state", "review_id"),
        sqlite_autoincrement=True,
    )


def _facts() -> None:
    amounts = ("stake_cents", "owed_cents", "paid_cents", "difference_cents")
    op.create_table(
        "round_facts",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("run_id", sa.String(80), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("round_id", sa.String(80), nullable=False),
        sa.Column("table_id", sa.String(80), nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("opened_s", sa.Double, nullable=False),
        sa.Column("closed_s", sa.Double, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("community", sa.String(60), nullable=False),
        sa.Column("dealer", sa.String(60), nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in amounts),
        sa.Column("unknown", sa.Integer, nullable=False),
        sa.Column("breaches", sa.Integer, nullable=False),
        sa.UniqueConstraint("run_id", "round_id", name="one_round_one_fact"),
        sa.Index("round_facts_by_table", "table_id", "number"),
        sa.Index("round_facts_by_game", "game", "number"),
        sa.Index("round_facts_by_round", "round_id", "number"),
        sqlite_autoincrement=True,
    )


def _search() -> None:
    def number() -> sa.Column[int]:
        return sa.Column("number", sa.Integer, sa.ForeignKey("round_facts.number"), primary_key=True)

    for table, word, size in (("round_cards", "card", 2), ("round_hands", "hand", 40)):
        op.create_table(
            table,
            sa.Column(word, sa.String(size), primary_key=True),
            number(),
            sa.Column("place", sa.Integer, primary_key=True),
            sqlite_with_rowid=False,
        )
    amounts = ("stake", "owed", "paid", "difference")
    op.create_table(
        "round_wagers",
        number(),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("wager", sa.String(40), primary_key=True),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        *(sa.Column(f"{name}_cents", sa.BigInteger) for name in amounts),
        sa.Index("round_wagers_by_wager", "wager", "number"),
        *(sa.Index(f"round_wagers_by_{name}", f"{name}_cents", "number") for name in amounts),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "round_findings",
        number(),
        sa.Column("finding_id", sa.String(80), primary_key=True),
        sa.Column("check_id", sa.String(60), nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("section", sa.String(60), nullable=False),
        sa.Index("round_findings_by_verdict", "verdict", "number"),
        sa.Index("round_findings_by_check", "check_id", "number"),
        sa.Index("round_findings_by_section", "section", "number"),
        sqlite_with_rowid=False,
    )
