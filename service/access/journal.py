"""Who saw, exported and changed what: a log that is only added to, each row chained to the one before.

A row's hash covers everything in it and the hash before it, so a row changed, removed, put in or moved breaks the chain
at that place. Cutting off the end, or writing the whole chain anew, shows against a head kept elsewhere: `verify` takes
one, and every CSV export ends with one.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

import sqlalchemy as sa

from service.access.masking import masked
from service.access.tables import JournalRow
from service.errors import ServiceError
from service.stamps import stamp
from service.store.base import Database

NOBODY = "(nobody)"
LOWEST = -(2**31)
START = "0" * 64
"""What stands before the first row."""
TRIES = 40
"""How often a row is tried again when another process wrote one at the same moment."""
BATCH = 1000
COLUMNS = (
    "number",
    "at_utc",
    "who",
    "role",
    "what",
    "about",
    "table_id",
    "address",
    "outcome",
    "before_sha256",
    "sha256",
)
_HASHED = COLUMNS[:-1]


@dataclass(frozen=True, slots=True)
class Deed:
    """What someone did.

    Attributes:
        what: dotted words, e.g. `evidence.read`, `sign-in`, `alerts.handle`.
        about: the thing it was done to, in words a person understands.
        who: who did it; `(nobody)` if nobody is known.
        role: the roles it held.
        table_id: the table it is about, None if it is about the house.
        address: where the request came from.
        outcome: `done`, `refused` or `failed`.
    """

    what: str
    about: str
    who: str = NOBODY
    role: str = ""
    table_id: str | None = None
    address: str = ""
    outcome: str = "done"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A row as it is read."""

    number: int
    at_utc: str
    who: str
    role: str
    what: str
    about: str
    table_id: str | None
    address: str
    outcome: str
    before_sha256: str
    sha256: str


@dataclass(frozen=True, slots=True)
class JournalFilter:
    """Which rows to list; None means any.

    Attributes:
        what: exactly this, or everything below it if it ends with a dot (`alerts.`).
        from_utc, to_utc: from this moment on, and before that one; texts as the store keeps them.
        tables: only rows about these tables; rows about the house are then left out.
    """

    who: str | None = None
    what: str | None = None
    table_id: str | None = None
    outcome: str | None = None
    address: str | None = None
    from_utc: str | None = None
    to_utc: str | None = None
    tables: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class JournalCheck:
    """What a verification found: rows read, the head, and every fault with its place."""

    rows: int
    head: str
    faults: tuple[str, ...]


@dataclass(slots=True)
class Journal:
    """The log. Safe to use from several threads and several processes at once.

    Args:
        database: where it is kept.
        pause: waits between two tries.
    """

    database: Database
    pause: Callable[[float], None] = time.sleep
    _lock: Lock = field(default_factory=Lock, init=False)

    def write(self, deed: Deed, *, at: datetime) -> JournalEntry:
        """Adds a row; it is in the database when this returns.

        Raises:
            ServiceError: it could not be written; what was to be done must then not be done.
        """
        for attempt in range(TRIES):
            try:
                with self._lock, self.database.write() as session:
                    before = session.execute(
                        sa.select(JournalRow.number, JournalRow.sha256).order_by(JournalRow.number.desc()).limit(1)
                    ).first()
                    number, sha = (before.number, before.sha256) if before else (0, START)
                    entry = _entry(number + 1, deed, sha, at)
                    session.add(JournalRow(**{name: getattr(entry, name) for name in COLUMNS}))
            except (sa.exc.IntegrityError, sa.exc.OperationalError):
                self.pause(0.002 * (attempt + 1))
                continue
            return entry
        raise ServiceError("the log cannot be written", do="See that the database is there and not full")

    def page(
        self, wanted: JournalFilter = JournalFilter(), *, limit: int = 100, before: int | None = None
    ) -> list[JournalEntry]:
        """Rows, newest first; `before` pages towards older ones."""
        query = _filtered(wanted).order_by(JournalRow.number.desc()).limit(limit)
        if before is not None:
            query = query.where(JournalRow.number < before)
        with self.database.read() as session:
            return [_read(row) for row in session.scalars(query)]

    def rows(self, wanted: JournalFilter = JournalFilter(), *, up_to: int | None = None) -> Iterator[JournalEntry]:
        """Every row, oldest first, read in batches."""
        after = LOWEST
        while True:
            query = _filtered(wanted).where(JournalRow.number > after).order_by(JournalRow.number).limit(BATCH)
            if up_to is not None:
                query = query.where(JournalRow.number <= up_to)
            with self.database.read() as session:
                batch = [_read(row) for row in session.scalars(query)]
            yield from batch
            if len(batch) < BATCH:
                return
            after = batch[-1].number

    def head(self) -> tuple[int, str]:
        """Number and hash of the newest row."""
        newest = self.page(limit=1)
        return (newest[0].number, newest[0].sha256) if newest else (0, START)

    def verify(self, *, known_head: tuple[int, str] | None = None) -> JournalCheck:
        """Reads the whole chain and names every place where it does not hold.

        Args:
            known_head: number and hash noted earlier and kept elsewhere; shows an end cut off or a chain written anew.
        """
        faults: list[str] = []
        count, expected, before, at = 0, 1, START, {0: START}
        for entry in self.rows():
            count += 1
            if entry.number != expected:
                faults.append(
                    f"row {expected} to {entry.number - 1}: missing"
                    if entry.number > expected
                    else f"row {entry.number}: put in"
                )
            elif entry.before_sha256 != before:
                faults.append(f"row {entry.number}: does not follow the row before it")
            if entry.sha256 != _sha256(entry):
                faults.append(f"row {entry.number}: was changed")
            expected, before = entry.number + 1, entry.sha256
            if known_head is not None and entry.number == known_head[0]:
                at[entry.number] = entry.sha256
        if known_head is not None and at.get(known_head[0]) != known_head[1]:
            gone = known_head[0] >= expected
            faults.append(f"row {known_head[0]}: {'cut off' if gone else 'is not the one that was noted'}")
        return JournalCheck(count, f"{expected - 1}:{before}", tuple(faults))


def head_from_text(text: str) -> tuple[int, str]:
    """A head as `number:sha256`.

    Raises:
        ServiceError: this is none.
    """
    number, _, sha = text.strip().partition(":")
    if not number.isascii() or not number.isdigit() or len(sha) != 64 or set(sha) - set("0123456789abcdef"):
        raise ServiceError(f"this is no head of a log: {text[:90]!r}", do="Give it as NUMBER:SHA256")
    return int(number), sha


def _entry(number: int, deed: Deed, before: str, at: datetime) -> JournalEntry:
    entry = JournalEntry(
        number=number, at_utc=stamp(at), who=_short(deed.who, 180), role=_short(deed.role, 80), what=_short(deed.what, 40),
        about=_short(masked(deed.about), 2000), table_id=deed.table_id and _short(deed.table_id, 80), address=_short(deed.address, 80),
        outcome=_short(deed.outcome, 20), before_sha256=before, sha256="",
    )  # fmt: skip
    return JournalEntry(**{name: getattr(entry, name) for name in _HASHED}, sha256=_sha256(entry))


def _short(text: str, most: int) -> str:
    """Printable and not longer than its column, so that what is hashed is what is kept."""
    clean = "".join(sign if sign.isprintable() else "?" for sign in text)
    return clean if len(clean) <= most else clean[: most - 1] + "…"


def _sha256(entry: JournalEntry) -> str:
    said = [getattr(entry, name) for name in _HASHED]
    return hashlib.sha256(json.dumps(said, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _read(row: JournalRow) -> JournalEntry:
    return JournalEntry(**{name: getattr(row, name) for name in COLUMNS})


def _filtered(wanted: JournalFilter) -> sa.Select[JournalRow]:
    query = sa.select(JournalRow)
    for column, value in (
        (JournalRow.who, wanted.who),
        (JournalRow.table_id, wanted.table_id),
        (JournalRow.outcome, wanted.outcome),
        (JournalRow.address, wanted.address),
    ):
        if value is not None:
            query = query.where(column == value)
    if wanted.what is not None:
        below = wanted.what.endswith(".")
        last = wanted.what[:-1] + "/"
        query = query.where(
            (JournalRow.what >= wanted.what) & (JournalRow.what < last) if below else JournalRow.what == wanted.what
        )
    if wanted.from_utc is not None:
        query = query.where(JournalRow.at_utc >= wanted.from_utc)
    if wanted.to_utc is not None:
        query = query.where(JournalRow.at_utc < wanted.to_utc)
    if wanted.tables is not None:
        query = query.where(JournalRow.table_id.in_(sorted(wanted.tables)))
    return query
