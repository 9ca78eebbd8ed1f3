"""Who is told by webhook, how far, and what could not be delivered. The outbox itself is the one order of changes."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base


class WebhookRow(Base):
    """A subscription, and where its delivery stands."""

    __tablename__ = "webhooks"
    webhook_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    url: Mapped[str] = mapped_column(sa.Text)
    secret: Mapped[str] = mapped_column(sa.String(120))
    wanted: Mapped[str] = mapped_column(sa.Text)
    made_utc: Mapped[str] = mapped_column(sa.String(40))
    made_by: Mapped[str] = mapped_column(sa.String(80))
    active: Mapped[bool]
    position: Mapped[int] = mapped_column(sa.BigInteger)
    failures: Mapped[int]
    next_ms: Mapped[int] = mapped_column(sa.BigInteger)
    leased_ms: Mapped[int] = mapped_column(sa.BigInteger)
    last_error: Mapped[str] = mapped_column(sa.Text)


class DeadLetterRow(Base):
    """A message that was given up; it can be sent again."""

    __tablename__ = "dead_letters"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    webhook_id: Mapped[str] = mapped_column(sa.String(40), index=True)
    position: Mapped[int] = mapped_column(sa.BigInteger)
    failures: Mapped[int]
    last_error: Mapped[str] = mapped_column(sa.Text)
    given_up_utc: Mapped[str] = mapped_column(sa.String(40))
    asked_utc: Mapped[str | None] = mapped_column(sa.String(40))
    sent_utc: Mapped[str | None] = mapped_column(sa.String(40))
