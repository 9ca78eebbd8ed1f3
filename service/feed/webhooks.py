"""Subscriptions to webhooks: made, listed, ended; and the letters that could not be delivered."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field
from datetime import datetime

import sqlalchemy as sa

from service.errors import NotFoundError
from service.feed.messages import check_secret, new_secret
from service.feed.tables import DeadLetterRow, WebhookRow
from service.stamps import stamp
from service.store import AlertFilter, Store

KEPT = ("table_id", "game", "severity", "check_id", "origin", "kind", "text")
"""What of a filter a subscription keeps."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """Who is told what, and how far.

    Attributes:
        secret: never shown again after it was made, never logged.
        position: up to which change everything was delivered, given up or not wanted.
        failures: tries of the next message that failed, one after the other.
        next_ms: not tried again before this moment, milliseconds since 1970.
    """

    webhook_id: str
    url: str
    secret: str = field(repr=False)
    wanted: AlertFilter
    made_utc: str
    made_by: str
    active: bool
    position: int
    failures: int
    next_ms: int
    last_error: str


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that was given up."""

    number: int
    webhook_id: str
    position: int
    failures: int
    last_error: str
    given_up_utc: str
    asked_utc: str | None
    sent_utc: str | None


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The subscriptions in a store."""

    store: Store

    def subscribe(
        self, url: str, wanted: AlertFilter, *, by: str, now: datetime, secret: str | None = None
    ) -> Subscription:
        """Begins to tell a receiver of everything from now on; its address was checked by the caller."""
        row = WebhookRow(
            webhook_id=f"wh{secrets.token_hex(8)}", url=url, secret=check_secret(secret) if secret else new_secret(),
            wanted=json.dumps({name: value for name, value in asdict(wanted).items() if name in KEPT and value is not None}),
            made_utc=stamp(now), made_by=by, active=True, position=self.store.last_position(), failures=0, next_ms=0,
            leased_ms=0, last_error="",
        )  # fmt: skip
        with self.store.write() as session:
            session.add(row)
        return subscription(row)

    def subscriptions(self) -> list[Subscription]:
        """Every subscription, oldest first."""
        with self.store.read() as session:
            rows = session.scalars(sa.select(WebhookRow).order_by(WebhookRow.made_utc, WebhookRow.webhook_id))
            return [subscription(row) for row in rows]

    def end(self, webhook_id: str) -> None:
        """Ends a subscription; what it was not told yet is not told any more.

        Raises:
            NotFoundError: there is none.
        """
        with self.store.write() as session:
            session.delete(_need(session.get(WebhookRow, webhook_id), webhook_id))

    def dead_letters(
        self, webhook_id: str | None = None, *, before: int | None = None, limit: int = 100
    ) -> list[DeadLetter]:
        """Messages that were given up, newest first."""
        query = sa.select(DeadLetterRow).order_by(DeadLetterRow.number.desc()).limit(limit)
        if webhook_id is not None:
            query = query.where(DeadLetterRow.webhook_id == webhook_id)
        if before is not None:
            query = query.where(DeadLetterRow.number < before)
        with self.store.read() as session:
            return [dead_letter(row) for row in session.scalars(query)]

    def resend(self, number: int, *, now: datetime) -> DeadLetter:
        """Asks for a dead letter to be sent again; it keeps its id, so a receiver that has it can drop it.

        Raises:
            NotFoundError: there is none, or its subscription has ended.
        """
        with self.store.write() as session:
            row = session.get(DeadLetterRow, number)
            if row is None:
                raise NotFoundError(f"there is no dead letter {number}", do="List them with GET /api/dead-letters")
            _need(session.get(WebhookRow, row.webhook_id), row.webhook_id)
            row.asked_utc, row.sent_utc = stamp(now), None
        return dead_letter(row)


def _need(row: WebhookRow | None, webhook_id: str) -> WebhookRow:
    if row is None:
        raise NotFoundError(f"there is no webhook {webhook_id!r}", do="List them with GET /api/webhooks")
    return row


def subscription(row: WebhookRow) -> Subscription:
    """A row as a value."""
    return Subscription(
        row.webhook_id, row.url, row.secret, AlertFilter(**json.loads(row.wanted)), row.made_utc, row.made_by, row.active,
        row.position, row.failures, row.next_ms, row.last_error,
    )  # fmt: skip


def dead_letter(row: DeadLetterRow) -> DeadLetter:
    """A row as a value."""
    return DeadLetter(
        row.number, row.webhook_id, row.position, row.failures, row.last_error, row.given_up_utc, row.asked_utc, row.sent_utc
    )  # fmt: skip
