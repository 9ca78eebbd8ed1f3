"""The audit's tables. Facts are only added; the sums beside them are kept in the same transaction."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""SQLite numbers rows by itself only in a column of the type INTEGER."""


class ImportRow(Base):
    """A file taken in, or the part of it that was before an interruption.

    `lines` says how far it is taken in; it changes together with the facts, in one transaction.
    """

    __tablename__ = "audit_imports"
    import_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    content: Mapped[str] = mapped_column(sa.String(64), unique=True)
    name: Mapped[str] = mapped_column(sa.String(400))
    form: Mapped[str] = mapped_column(sa.String(20))
    about: Mapped[str] = mapped_column(sa.Text)
    began_utc: Mapped[str] = mapped_column(sa.String(40))
    ended_utc: Mapped[str | None] = mapped_column(sa.String(40))
    lines: Mapped[int] = mapped_column(default=0)
    rounds: Mapped[int] = mapped_column(default=0)
    wagers: Mapped[int] = mapped_column(default=0)
    known: Mapped[int] = mapped_column(default=0)
    rejected: Mapped[int] = mapped_column(default=0)


class RejectRow(Base):
    """A line that was not taken in, and why."""

    __tablename__ = "audit_rejects"
    import_id: Mapped[int] = mapped_column(sa.ForeignKey("audit_imports.import_id"), primary_key=True)
    line: Mapped[int] = mapped_column(primary_key=True)
    reason: Mapped[str] = mapped_column(sa.Text)
    text: Mapped[str] = mapped_column(sa.Text)


class KindRow(Base):
    """A sort of wager: game, wager and line of the paytable; the line is "" for all lines together."""

    __tablename__ = "audit_kinds"
    __table_args__ = (sa.UniqueConstraint("game", "wager", "line", name="one_kind_one_number"),)
    kind_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    game: Mapped[str] = mapped_column(sa.String(40))
    wager: Mapped[str] = mapped_column(sa.String(40))
    line: Mapped[str] = mapped_column(sa.String(120))


class AuditRoundRow(Base):
    """A round with the sums of its facts, counted when it was taken in, apart from all other sums."""

    __tablename__ = "audit_rounds"
    __table_args__ = (sa.UniqueConstraint("table_id", "day", "round_id", name="one_round_once"),)
    round_seq: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    table_id: Mapped[str] = mapped_column(sa.String(80))
    day: Mapped[str] = mapped_column(sa.String(10), index=True)
    round_id: Mapped[str] = mapped_column(sa.String(80))
    game: Mapped[str] = mapped_column(sa.String(40))
    shift: Mapped[str] = mapped_column(sa.String(64))
    dealer: Mapped[str] = mapped_column(sa.String(64))
    at_utc: Mapped[str] = mapped_column(sa.String(40))
    run_id: Mapped[str] = mapped_column(sa.String(80), default="")
    import_id: Mapped[int | None]
    line: Mapped[int | None]
    digest: Mapped[bytes] = mapped_column(sa.LargeBinary)
    wagers: Mapped[int]
    right: Mapped[int]
    over: Mapped[int]
    under: Mapped[int]
    undetermined: Mapped[int]
    unpriced: Mapped[int]
    staked_cents: Mapped[int] = mapped_column(BIG)
    owed_cents: Mapped[int] = mapped_column(BIG)
    paid_cents: Mapped[int] = mapped_column(BIG)
    over_cents: Mapped[int] = mapped_column(BIG)
    under_cents: Mapped[int] = mapped_column(BIG)


class BodyRow(Base):
    """The round as it came, packed."""

    __tablename__ = "audit_bodies"
    round_seq: Mapped[int] = mapped_column(
        BIG, sa.ForeignKey("audit_rounds.round_seq"), primary_key=True, autoincrement=False
    )
    body: Mapped[bytes] = mapped_column(sa.LargeBinary)


class FactRow(Base):
    """One wager of a round; its day, table, shift and dealer are those of the round.

    No foreign keys: facts are only ever written together with their round, and two look-ups for each of millions of them
    would cost more than all else.
    """

    __tablename__ = "audit_facts"
    __table_args__ = ({"sqlite_with_rowid": False},)
    round_seq: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(sa.SmallInteger)
    kind_id: Mapped[int]
    staked_cents: Mapped[int | None] = mapped_column(BIG)
    owed_cents: Mapped[int | None] = mapped_column(BIG)
    paid_cents: Mapped[int | None] = mapped_column(BIG)
    verdict: Mapped[int] = mapped_column(sa.SmallInteger)


class ExceptionRow(Base):
    """A wager that was not paid right, or whose payment is not determined, with all that one asks of it."""

    __tablename__ = "audit_exceptions"
    __table_args__ = (
        sa.Index("audit_exceptions_time", "mispaid", "at_utc", "round_seq", "number"),
        sa.Index("audit_exceptions_table", "mispaid", "table_id", "at_utc", "round_seq", "number"),
        sa.Index("audit_exceptions_dealer", "mispaid", "dealer", "at_utc", "round_seq", "number"),
        {"sqlite_with_rowid": False},
    )
    round_seq: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    mispaid: Mapped[bool]
    at_utc: Mapped[str] = mapped_column(sa.String(40))
    day: Mapped[str] = mapped_column(sa.String(10))
    table_id: Mapped[str] = mapped_column(sa.String(80))
    shift: Mapped[str] = mapped_column(sa.String(64))
    dealer: Mapped[str] = mapped_column(sa.String(64))
    round_id: Mapped[str] = mapped_column(sa.String(80))
    seat: Mapped[int] = mapped_column(sa.SmallInteger)
    kind_id: Mapped[int]
    staked_cents: Mapped[int | None] = mapped_column(BIG)
    owed_cents: Mapped[int | None] = mapped_column(BIG)
    paid_cents: Mapped[int | None] = mapped_column(BIG)
    verdict: Mapped[int] = mapped_column(sa.SmallInteger)
    note: Mapped[str] = mapped_column(sa.Text)


class _Sums:
    """Counts and cents of all facts that share the key; every measure of `service.audit.facts.Tally`."""

    wagers: Mapped[int]
    right: Mapped[int]
    over: Mapped[int]
    under: Mapped[int]
    undetermined: Mapped[int]
    unpriced: Mapped[int]
    staked_cents: Mapped[int] = mapped_column(BIG)
    owed_cents: Mapped[int] = mapped_column(BIG)
    paid_cents: Mapped[int] = mapped_column(BIG)
    over_cents: Mapped[int] = mapped_column(BIG)
    under_cents: Mapped[int] = mapped_column(BIG)


class _Key:
    """Days first, so that a range of days is one stretch of the primary key."""

    day: Mapped[str] = mapped_column(sa.String(10), primary_key=True, sort_order=-9)
    table_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True, sort_order=-8)
    shift: Mapped[str] = mapped_column(sa.String(64), primary_key=True, sort_order=-7)


class _KindKey(_Key):
    kind_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, sort_order=-6)


class WagerSumRow(_KindKey, _Sums, Base):
    """By day, table, shift, game and wager: the smallest, for most questions."""

    __tablename__ = "audit_sums_wager"
    __table_args__ = ({"sqlite_with_rowid": False},)


class LineSumRow(_KindKey, _Sums, Base):
    """By day, table, shift, game, wager and line."""

    __tablename__ = "audit_sums_line"
    __table_args__ = ({"sqlite_with_rowid": False},)


class DealerSumRow(_KindKey, _Sums, Base):
    """By day, table, shift, dealer, game and wager."""

    __tablename__ = "audit_sums_dealer"
    __table_args__ = (sa.Index("audit_sums_dealer_one", "dealer", "day"), {"sqlite_with_rowid": False})
    dealer: Mapped[str] = mapped_column(sa.String(64), primary_key=True, sort_order=-4)


class FullSumRow(_KindKey, _Sums, Base):
    """By day, table, shift, dealer, game, wager and line: for questions of dealer and line together."""

    __tablename__ = "audit_sums_full"
    __table_args__ = (
        sa.Index("audit_sums_full_dealer", "dealer", "day"),
        sa.Index("audit_sums_full_kind", "kind_id", "day"),
        {"sqlite_with_rowid": False},
    )
    dealer: Mapped[str] = mapped_column(sa.String(64), primary_key=True, sort_order=-4)


class RoundSumRow(_Key, _Sums, Base):
    """By day, table, shift, game and dealer, with the number of rounds."""

    __tablename__ = "audit_sums_rounds"
    __table_args__ = ({"sqlite_with_rowid": False},)
    game: Mapped[str] = mapped_column(sa.String(40), primary_key=True, sort_order=-5)
    dealer: Mapped[str] = mapped_column(sa.String(64), primary_key=True, sort_order=-4)
    rounds: Mapped[int]


class SeenRow(Base):
    """The one row that says up to which round of the store the books have taken in what was seen."""

    __tablename__ = "audit_seen"
    one: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int]


class SampleRow(Base):
    """A plan for rounds to be checked by eye."""

    __tablename__ = "audit_samples"
    sample_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    made_utc: Mapped[str] = mapped_column(sa.String(40))
    by: Mapped[str] = mapped_column(sa.String(80))
    plan: Mapped[str] = mapped_column(sa.Text)
    population: Mapped[int]
    size: Mapped[int]


class SampleRoundRow(Base):
    """A round drawn for a sample, and what was found by eye; the last result entered counts, earlier ones are kept."""

    __tablename__ = "audit_sample_rounds"
    sample_id: Mapped[int] = mapped_column(sa.ForeignKey("audit_samples.sample_id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    round_seq: Mapped[int] = mapped_column(BIG, sa.ForeignKey("audit_rounds.round_seq"))
    stratum: Mapped[str] = mapped_column(sa.String(200))


class SampleResultRow(Base):
    """What someone saw when checking a round of a sample by eye."""

    __tablename__ = "audit_sample_results"
    __table_args__ = (sa.Index("audit_sample_results_of", "sample_id", "number"),)
    result_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    sample_id: Mapped[int] = mapped_column(sa.ForeignKey("audit_samples.sample_id"))
    number: Mapped[int]
    result: Mapped[str] = mapped_column(sa.String(20))
    note: Mapped[str] = mapped_column(sa.Text)
    by: Mapped[str] = mapped_column(sa.String(80))
    at_utc: Mapped[str] = mapped_column(sa.String(40))


class RecountRow(Base):
    """A recount of every fact against the sums kept."""

    __tablename__ = "audit_recounts"
    recount_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    at_utc: Mapped[str] = mapped_column(sa.String(40))
    by: Mapped[str] = mapped_column(sa.String(80))
    scope: Mapped[str] = mapped_column(sa.Text)
    agrees: Mapped[bool]
    report: Mapped[str] = mapped_column(sa.Text)
