"""How fast anyone may try: failed sign-ins with growing waits, and requests a second.

A try counts as failed until it was right. Failures are counted in the database, for a name, an address, and both together, also for names that do not exist, so
that neither waiting nor restarting nor another process helps. Requests are counted in memory.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Session

from service.access.tables import ThrottleRow
from service.access.tokens import sha256
from service.stamps import moment_of, stamp
from service.store.base import Database

FORGOTTEN_AFTER = timedelta(hours=1)
"""Failures older than this no longer count."""
NEVER = stamp(datetime(1970, 1, 1, tzinfo=UTC))
MOST_KEPT = 20_000
"""How many who ask are remembered for the request rate; the one that asked longest ago is forgotten first."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """After so many failures each further one doubles the wait, up to the longest."""

    free: int
    longest_s: float

    def wait_s(self, failures: int) -> float:
        """Seconds to wait after so many failures.

        >>> Backoff(5, 900).wait_s(4), Backoff(5, 900).wait_s(5), Backoff(5, 900).wait_s(8), Backoff(5, 900).wait_s(99)
        (0.0, 2.0, 16.0, 900.0)
        """
        return 0.0 if failures < self.free else min(self.longest_s, 2.0 ** min(40, failures - self.free + 1))


PAIR, NAME, ADDRESS = Backoff(5, 900.0), Backoff(15, 60.0), Backoff(30, 900.0)
"""One name from one address waits up to 15 minutes; a name alone at most one, so that nobody can lock others out."""


@dataclass(slots=True)
class SignInThrottle:
    """Counts failed sign-ins."""

    database: Database

    def wait_s(self, name: str, address: str, *, now: datetime) -> float:
        """Seconds until this name may be tried from this address again, 0 if now."""
        keys = [key for key, _ in _keys(name, address)]
        with self.database.read() as session:
            rows = session.scalars(sa.select(ThrottleRow).where(ThrottleRow.key.in_(keys)))
            waits = [(moment_of(row.until_utc) - now).total_seconds() for row in rows]
        return max([0.0, *waits])

    def begin(self, name: str, address: str, *, now: datetime) -> float:
        """Counts a try as failed before it is looked at, so that many at once are not more than one after the other.

        Returns:
            Seconds to wait, and then nothing is counted and nothing may be looked at; 0 if it may.
        """
        with self.database.write() as session:
            session.execute(sa.delete(ThrottleRow).where(ThrottleRow.last_utc < stamp(now - FORGOTTEN_AFTER)))
            rows = _locked(session, name, address)
            wait_s = max((moment_of(row.until_utc) - now).total_seconds() for row, _ in rows)
            if wait_s > 0:
                return wait_s
            for row, backoff in rows:
                row.failures += 1
                row.last_utc = stamp(now)
                row.until_utc = stamp(now + timedelta(seconds=backoff.wait_s(row.failures)))
        return 0.0

    def succeeded(self, name: str, address: str) -> None:
        """Takes back a try that was right, and forgets the failures of this name from this address."""
        with self.database.write() as session:
            pair, *others = _locked(session, name, address)
            session.delete(pair[0])
            for row, backoff in others:
                row.failures = max(0, row.failures - 1)
                ends = moment_of(row.last_utc) + timedelta(seconds=backoff.wait_s(row.failures))
                row.until_utc = stamp(ends)


def _locked(session: Session, name: str, address: str) -> list[tuple[ThrottleRow, Backoff]]:
    """The rows of a try, made where there is none, which nobody else changes until the session ends."""
    fresh = {"failures": 0, "last_utc": NEVER, "until_utc": NEVER}
    insert = (sqlite_insert if session.get_bind().dialect.name == "sqlite" else postgresql_insert)(ThrottleRow)
    keys = _keys(name, address)
    for key, _ in keys:
        session.execute(insert.values(key=key, **fresh).on_conflict_do_nothing())
    return [(session.get_one(ThrottleRow, key, with_for_update=True), backoff) for key, backoff in keys]


def _keys(name: str, address: str) -> tuple[tuple[str, Backoff], ...]:
    return (
        (sha256(f"pair {address} {name}"), PAIR),
        (sha256(f"name {name}"), NAME),
        (sha256(f"address {address}"), ADDRESS),
    )


@dataclass(slots=True)
class RequestRate:
    """A bucket for each who asks: `burst` at once, filled again at `per_s`.

    Args:
        per_s: requests a second in the long run.
        burst: requests at once.
    """

    per_s: float
    burst: float
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def wait_s(self, who: str, *, now_s: float) -> float:
        """Takes one request out of a bucket; seconds to wait if it is empty, else 0.

        Args:
            who: names the bucket.
            now_s: a clock that only rises.
        """
        with self._lock:
            left, seen_s = self._left.get(who, (self.burst, now_s))
            left = min(self.burst, left + max(0.0, now_s - seen_s) * self.per_s)
            wait_s = 0.0 if left >= 1.0 else (1.0 - left) / self.per_s
            self._left[who] = (left if wait_s else left - 1.0, now_s)
            self._left.move_to_end(who)
            while len(self._left) > MOST_KEPT:
                self._left.popitem(last=False)
        return wait_s
