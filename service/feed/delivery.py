"""Sending webhooks: in order for each subscription, tried again with back-off, given up after three days, never lost.

The outbox is the one order of changes, written in the transaction of the alert or step itself. A subscription remembers
the position up to which it was told; after a crash the message at hand is sent again with the same id. Several processes
may deliver: a subscription is leased by one at a time.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx
import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.access.addresses import WEBHOOKS, AddressPolicy, Target
from service.errors import ServiceError
from service.feed.messages import headers_of, message_of
from service.feed.tables import DeadLetterRow, WebhookRow
from service.feed.targets import verify_target_url
from service.feed.told import Shown, Told, fits, read
from service.feed.webhooks import Subscription, subscription
from service.stamps import moment_of, stamp
from service.store import Store

logger = logging.getLogger(__name__)

FIRST_WAIT_S, LONGEST_WAIT_S, JITTER = 5.0, 3600.0, 0.2
GIVE_UP_AFTER = timedelta(days=3)
"""A message that cannot be delivered for so long after its change becomes a dead letter."""
BATCH = 10
LEASE = timedelta(minutes=3)
"""Longer than a batch to a receiver that is always slow."""
ANSWER_S = 10.0
"""How long a receiver may take."""
GONE = 410
"""A receiver that answers so wants no more."""
EVERY_S = 1.0

Post = Callable[[Target, str, Mapping[str, str]], int]
"""Sends a body with headers; gives the status of the answer, or raises `httpx.HTTPError`."""


def post(target: Target, body: str, headers: Mapping[str, str]) -> int:
    """Sends a message to the address that was checked and to no other; follows no redirects."""
    url, host, extensions = target.pinned()
    with httpx.Client(timeout=ANSWER_S, follow_redirects=False, trust_env=False) as client:
        request = client.build_request("POST", url, content=body, headers={**headers, **host}, extensions=extensions)
        answer = client.send(request, stream=True)
        answer.close()
        return answer.status_code


def wait_s(failures: int, dice: random.Random) -> float:
    """How long to wait after so many failures in a row: twice as long each time, an hour at most, and a little at random.

    >>> 4.0 <= wait_s(1, random.Random(1)) <= 6.0, wait_s(99, random.Random(1)) <= 4320.0
    (True, True)
    """
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(failures - 1, 20)) * dice.uniform(1 - JITTER, 1 + JITTER)


@dataclass(slots=True)
class Delivery:
    """Delivers what is due; a thread of its own calls it, or a test with its own time.

    Args:
        store: with the subscriptions and changes.
        shown: an alert as JSON values.
        policy: which receivers may be reached.
        send: how a message is sent.
        dice: for the jitter.
    """

    store: Store
    shown: Shown
    policy: AddressPolicy = WEBHOOKS
    send: Post = post
    dice: random.Random = field(default_factory=random.Random)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Begins to deliver in a thread of its own."""
        self._thread = threading.Thread(target=self._keep_delivering, name="webhooks", daemon=True)
        self._thread.start()

    def stop(self, wait_s: float = 5.0) -> None:
        """Ends delivering after the message at hand."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(wait_s)

    def deliver_due(self, now: datetime) -> int:
        """Tries everything that is due at a moment, whatever time that takes; returns how many messages arrived."""
        begun, sent = self.now(), 0

        def passed() -> datetime:
            return now + (self.now() - begun)

        for one in self._due(now):
            if self._lease(one.webhook_id, passed()):
                sent += self._deliver(one, passed)
        return sent + self._resend(passed())

    def _keep_delivering(self) -> None:
        while not self._stop.is_set():
            try:
                sent = self.deliver_due(self.now())
            except Exception:  # the outermost loop: the database may be away
                logger.exception("webhooks cannot be delivered now, trying again")
                sent = 0
            if not sent:
                self._stop.wait(EVERY_S)

    def _due(self, now: datetime) -> list[Subscription]:
        with self.store.read() as session:
            last = self.store.last_position()
            query = sa.select(WebhookRow).where(
                WebhookRow.active, WebhookRow.next_ms <= _ms(now), WebhookRow.leased_ms <= _ms(now), WebhookRow.position < last
            )  # fmt: skip
            return [subscription(row) for row in session.scalars(query)]

    def _lease(self, webhook_id: str, now: datetime) -> bool:
        """Makes this process the only one that delivers to a subscription for a while."""
        free = (WebhookRow.webhook_id == webhook_id, WebhookRow.leased_ms <= _ms(now))
        with self.store.write() as session:
            done = session.execute(sa.update(WebhookRow).where(*free).values(leased_ms=_ms(now + LEASE)))
            return bool(getattr(done, "rowcount", 0))

    def _deliver(self, one: Subscription, clock: Callable[[], datetime]) -> int:
        with self.store.read() as session:
            row = session.get(WebhookRow, one.webhook_id)
            if row is None:
                return 0
            one = subscription(row)
        sent, position, failures = 0, one.position, one.failures
        for told in read(self.store, position, limit=BATCH):
            if fits(told.alert, one.wanted):
                status, problem = self._try(one, told, clock())
                now = clock()  # a slow receiver has taken its time, and the lease begins anew after each message
                if status == GONE:
                    self._keep(one, position, failures + 1, now, problem=problem, active=False)
                    return sent
                if problem and now - moment_of(told.change.at_utc) < GIVE_UP_AFTER:
                    self._keep(one, position, failures + 1, now, problem=problem)
                    return sent
                if problem:
                    failures += 1
                    self._give_up(one, told, failures, problem, now)
                else:
                    sent, failures = sent + 1, 0
                self._keep(one, told.change.position, failures, now, leased=True)
            position = told.change.position
        self._keep(one, position, failures, clock())
        return sent

    def _try(self, one: Subscription, told: Told, now: datetime) -> tuple[int, str]:
        """Sends a message once; (status, "") if it arrived, else (status or 0, what went wrong)."""
        message = message_of(told, one.webhook_id, self.shown)
        try:
            status = self.send(
                verify_target_url(one.url, self.policy), message.body, headers_of(message, one.secret, now)
            )
        except (httpx.HTTPError, ServiceError, OSError) as error:
            return 0, f"{type(error).__name__}: {str(error)[:300]}"
        return status, "" if 200 <= status < 300 else f"answered with status {status}"

    def _keep(
        self, one: Subscription, position: int, failures: int, now: datetime, *, problem: str = "", active: bool = True, leased: bool = False
    ) -> None:  # fmt: skip
        values = {"position": position, "failures": failures, "active": active, "last_error": problem}
        values["leased_ms"] = _ms(now + LEASE) if leased else 0
        values["next_ms"] = _ms(now + timedelta(seconds=wait_s(failures, self.dice))) if problem else 0
        with self.store.write() as session:
            session.execute(sa.update(WebhookRow).where(WebhookRow.webhook_id == one.webhook_id).values(values))
        if problem:
            logger.warning("webhook %s was not delivered (%s), failure %d", one.webhook_id, problem, failures)

    def _give_up(self, one: Subscription, told: Told, failures: int, problem: str, now: datetime) -> None:
        with self.store.write() as session:
            row = DeadLetterRow(webhook_id=one.webhook_id, position=told.change.position, failures=failures)
            row.last_error, row.given_up_utc, row.asked_utc, row.sent_utc = problem, stamp(now), None, None
            session.add(row)
        logger.error("webhook %s: change %d is a dead letter (%s)", one.webhook_id, told.change.position, problem)

    def _resend(self, now: datetime) -> int:
        """Sends dead letters that someone asked for, once each."""
        sent = 0
        with self.store.read() as session:
            asked = list(session.scalars(sa.select(DeadLetterRow).where(DeadLetterRow.asked_utc.is_not(None), DeadLetterRow.sent_utc.is_(None))))  # fmt: skip
            rows = {row.webhook_id: row for row in session.scalars(sa.select(WebhookRow))}
        for letter in asked:
            row = rows.get(letter.webhook_id)
            problem = "the subscription has ended"
            if row is not None:
                (told,) = read(self.store, letter.position - 1, limit=1)
                _, problem = self._try(subscription(row), told, now)
            with self.store.write() as session:
                _answered(session, letter.number, problem, now)
            sent += not problem
        return sent


def _answered(session: Session, number: int, problem: str, now: datetime) -> None:
    letter = session.get(DeadLetterRow, number)
    if letter is None:
        return
    if problem:
        letter.asked_utc, letter.last_error, letter.failures = None, problem, letter.failures + 1
    else:
        letter.sent_utc = stamp(now)


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
