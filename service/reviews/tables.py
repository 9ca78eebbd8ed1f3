"""Tables of the queue of reviews, and of what rounds are searched by: cards, hands, wagers, findings."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base

STAMP = sa.String(40)


class ReviewRow(Base):
    """A review that was ordered, and how it stands."""

    __tablename__ = "reviews"
    __table_args__ = (sa.Index("reviews_by_state", "state", "review_id"), {"sqlite_autoincrement": True})
    review_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(sa.String(200))
    video: Mapped[str] = mapped_column(sa.Text)
    folder: Mapped[str] = mapped_column(sa.Text)
    table_id: Mapped[str] = mapped_column(sa.String(80), index=True)
    game: Mapped[str] = mapped_column(sa.String(40))
    ordered_by: Mapped[str] = mapped_column(sa.String(80))
    ordered_utc: Mapped[str] = mapped_column(STAMP)
    state: Mapped[str] = mapped_column(sa.String(20))
    reason: Mapped[str] = mapped_column(sa.Text, default="")
    cancel_wanted: Mapped[bool] = mapped_column(default=False)
    attempt: Mapped[int] = mapped_column(default=0)
    deaths: Mapped[int] = mapped_column(default=0)
    worker: Mapped[str] = mapped_column(sa.String(80), default="")
    started_utc: Mapped[str | None] = mapped_column(STAMP)
    beat_utc: Mapped[str | None] = mapped_column(STAMP)
    ended_utc: Mapped[str | None] = mapped_column(STAMP)
    t_s: Mapped[float] = mapped_column(sa.Double, default=0.0)
    of_s: Mapped[float | None] = mapped_column(sa.Double)
    speed: Mapped[float | None] = mapped_column(sa.Double)
    breaches: Mapped[int] = mapped_column(default=0)
    rounds: Mapped[int] = mapped_column(default=0)
    run_id: Mapped[str | None] = mapped_column(sa.String(80), index=True)


class RoundFactRow(Base):
    """A closed round as it is listed; `number` rises with every round and is the key lists page by."""

    __tablename__ = "round_facts"
    __table_args__ = (
        sa.UniqueConstraint("run_id", "round_id", name="one_round_one_fact"),
        sa.Index("round_facts_by_table", "table_id", "number"),
        sa.Index("round_facts_by_game", "game", "number"),
        sa.Index("round_facts_by_round", "round_id", "number"),
        {"sqlite_autoincrement": True},
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.run_id"))
    round_id: Mapped[str] = mapped_column(sa.String(80))
    table_id: Mapped[str] = mapped_column(sa.String(80))
    game: Mapped[str] = mapped_column(sa.String(40))
    opened_s: Mapped[float] = mapped_column(sa.Double)
    closed_s: Mapped[float] = mapped_column(sa.Double)
    complete: Mapped[bool]
    community: Mapped[str] = mapped_column(sa.String(60))
    dealer: Mapped[str] = mapped_column(sa.String(60))
    players: Mapped[str] = mapped_column(sa.Text)
    stake_cents: Mapped[int] = mapped_column(sa.BigInteger)
    owed_cents: Mapped[int] = mapped_column(sa.BigInteger)
    paid_cents: Mapped[int] = mapped_column(sa.BigInteger)
    difference_cents: Mapped[int] = mapped_column(sa.BigInteger)
    unknown: Mapped[int]
    breaches: Mapped[int]


class RoundCardRow(Base):
    """A card of a round and where it lay: a seat, `COMMUNITY` or `DEALER` of `service.reviews.index`."""

    __tablename__ = "round_cards"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012
    card: Mapped[str] = mapped_column(sa.String(2), primary_key=True)
    number: Mapped[int] = mapped_column(sa.ForeignKey("round_facts.number"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)


class RoundHandRow(Base):
    """What a hand of a round was worth: `flush` by the game's own hand, `three:flush` by the player's three cards."""

    __tablename__ = "round_hands"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012
    hand: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    number: Mapped[int] = mapped_column(sa.ForeignKey("round_facts.number"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)


class RoundWagerRow(Base):
    """A wager of a round with its amounts in cents, None where unknown."""

    __tablename__ = "round_wagers"
    __table_args__ = (
        sa.Index("round_wagers_by_wager", "wager", "number"),
        sa.Index("round_wagers_by_stake", "stake_cents", "number"),
        sa.Index("round_wagers_by_owed", "owed_cents", "number"),
        sa.Index("round_wagers_by_paid", "paid_cents", "number"),
        sa.Index("round_wagers_by_difference", "difference_cents", "number"),
        {"sqlite_with_rowid": False},
    )
    number: Mapped[int] = mapped_column(sa.ForeignKey("round_facts.number"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    wager: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    outcome: Mapped[str] = mapped_column(sa.String(20))
    verdict: Mapped[str] = mapped_column(sa.String(20))
    stake_cents: Mapped[int | None] = mapped_column(sa.BigInteger)
    owed_cents: Mapped[int | None] = mapped_column(sa.BigInteger)
    paid_cents: Mapped[int | None] = mapped_column(sa.BigInteger)
    difference_cents: Mapped[int | None] = mapped_column(sa.BigInteger)


class RoundFindingRow(Base):
    """A breach or an undetermined check of a round."""

    __tablename__ = "round_findings"
    __table_args__ = (
        sa.Index("round_findings_by_verdict", "verdict", "number"),
        sa.Index("round_findings_by_check", "check_id", "number"),
        sa.Index("round_findings_by_section", "section", "number"),
        {"sqlite_with_rowid": False},
    )
    number: Mapped[int] = mapped_column(sa.ForeignKey("round_facts.number"), primary_key=True)
    finding_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    check_id: Mapped[str] = mapped_column(sa.String(60))
    verdict: Mapped[str] = mapped_column(sa.String(20))
    section: Mapped[str] = mapped_column(sa.String(60))
