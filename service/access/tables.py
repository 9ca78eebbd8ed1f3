"""The tables of the database that say who may come in, and the log of what they did."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base


class UserRow(Base):
    """An account of a person. Accounts are disabled, never deleted: the log names them."""

    __tablename__ = "users"
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(sa.String(80), unique=True)
    password: Mapped[str | None] = mapped_column(sa.String(200))
    must_change: Mapped[bool] = mapped_column(default=False)
    disabled: Mapped[bool] = mapped_column(default=False)
    issuer: Mapped[str | None] = mapped_column(sa.String(300))
    subject: Mapped[str | None] = mapped_column(sa.String(300))
    added_utc: Mapped[str] = mapped_column(sa.String(40))
    __table_args__ = (sa.UniqueConstraint("issuer", "subject", name="one_account_per_subject"),)


class GrantRow(Base):
    """A role of a person for a group of tables."""

    __tablename__ = "grants"
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.user_id"), primary_key=True)
    role: Mapped[str] = mapped_column(sa.String(20), primary_key=True)
    table_group: Mapped[str] = mapped_column(sa.String(80), primary_key=True)


class GroupRow(Base):
    """A group of tables by name: one row for each table in it."""

    __tablename__ = "table_groups"
    name: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    table_id: Mapped[str] = mapped_column(sa.String(80), primary_key=True)


class SessionRow(Base):
    """A signed-in browser; the token itself is only in its cookie."""

    __tablename__ = "sessions"
    sha256: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.user_id"), index=True)
    opened_utc: Mapped[str] = mapped_column(sa.String(40))
    used_utc: Mapped[str] = mapped_column(sa.String(40))
    ends_utc: Mapped[str] = mapped_column(sa.String(40), index=True)
    ended_utc: Mapped[str | None] = mapped_column(sa.String(40))
    address: Mapped[str] = mapped_column(sa.String(80))
    how: Mapped[str] = mapped_column(sa.String(20))


class KeyRow(Base):
    """A key of a program; the key itself was shown once."""

    __tablename__ = "api_keys"
    key_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    sha256: Mapped[str] = mapped_column(sa.String(64), unique=True)
    prefix: Mapped[str] = mapped_column(sa.String(20))
    label: Mapped[str] = mapped_column(sa.String(80))
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.user_id"), index=True)
    scopes: Mapped[str] = mapped_column(sa.Text)
    table_group: Mapped[str] = mapped_column(sa.String(80))
    made_utc: Mapped[str] = mapped_column(sa.String(40))
    ends_utc: Mapped[str] = mapped_column(sa.String(40))
    revoked_utc: Mapped[str | None] = mapped_column(sa.String(40))
    used_utc: Mapped[str | None] = mapped_column(sa.String(40))


class TicketRow(Base):
    """Something that works once and not for long: a sign-in link, a sign-in under way with an identity provider."""

    __tablename__ = "tickets"
    sha256: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(sa.String(20))
    user_id: Mapped[int | None] = mapped_column(sa.ForeignKey("users.user_id"))
    about: Mapped[str] = mapped_column(sa.Text)
    ends_utc: Mapped[str] = mapped_column(sa.String(40), index=True)
    used_utc: Mapped[str | None] = mapped_column(sa.String(40))


class ThrottleRow(Base):
    """Failed sign-ins of a name, an address, or both together."""

    __tablename__ = "throttles"
    key: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    failures: Mapped[int]
    last_utc: Mapped[str] = mapped_column(sa.String(40), index=True)
    until_utc: Mapped[str] = mapped_column(sa.String(40))


class JournalRow(Base):
    """One thing that someone did, chained to the one before. Never changed, never deleted."""

    __tablename__ = "journal"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at_utc: Mapped[str] = mapped_column(sa.String(40))
    who: Mapped[str] = mapped_column(sa.String(180))
    role: Mapped[str] = mapped_column(sa.String(80))
    what: Mapped[str] = mapped_column(sa.String(40))
    about: Mapped[str] = mapped_column(sa.Text)
    table_id: Mapped[str | None] = mapped_column(sa.String(80))
    address: Mapped[str] = mapped_column(sa.String(80))
    outcome: Mapped[str] = mapped_column(sa.String(20))
    before_sha256: Mapped[str] = mapped_column(sa.String(64))
    sha256: Mapped[str] = mapped_column(sa.String(64))
    __table_args__ = (
        sa.Index("journal_who", "who", "number"),
        sa.Index("journal_what", "what", "number"),
        sa.Index("journal_table", "table_id", "number"),
        sa.Index("journal_at", "at_utc", "number"),
    )
