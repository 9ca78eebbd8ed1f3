"""Tables of closed rounds and what they are searched by: cards, hands, wagers, findings."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base


class RoundFactRow(Base):
    """A closed round as it is listed.

    `number` rises with every round, in the order in which they were committed: it is the key that lists page by, and that
    the audit goes by. `opened_ms` is the round's beginning in milliseconds since 1970, None where nobody knows it.
    """

    __tablename__ = "round_facts"
    __table_args__ = (
        sa.UniqueConstraint("run_id", "round_id", name="one_round_one_fact"),
        sa.Index("round_facts_by_table", "table_id", "number"),
        sa.Index("round_facts_by_game", "game", "number"),
        sa.Index("round_facts_by_round", "round_id", "number"),
        sa.Index("round_facts_by_time", "opened_ms", "number"),
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
    opened_ms: Mapped[int | None] = mapped_column(sa.BigInteger)


class RoundCardRow(Base):
    """A card of a round and where it lay: a seat, `COMMUNITY` or `DEALER` of `service.store.round_facts`."""

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
