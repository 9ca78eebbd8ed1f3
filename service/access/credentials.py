"""What someone comes in with: sessions of browsers, keys of programs, tickets that work once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from service.access.people import grants_of, tables_of, verify_group
from service.access.roles import ALL_TABLES, Permission, Principal
from service.access.tables import KeyRow, SessionRow, TicketRow, UserRow
from service.access.tokens import KEY, SESSION, TICKET, Token, new_token, sha256
from service.errors import NotFoundError, ServiceError
from service.stamps import moment_of, stamp
from service.store.base import Database

USED_EVERY = timedelta(seconds=60)
"""How exactly it is kept when something was last used; not every request writes."""
LONGEST_KEY = timedelta(days=730)


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is shown: never the key itself."""

    key_id: int
    prefix: str
    label: str
    owner: str
    scopes: tuple[str, ...]
    table_group: str
    made_utc: str
    ends_utc: str
    revoked_utc: str | None
    used_utc: str | None


@dataclass(slots=True)
class Sessions:
    """Sessions of browsers.

    Args:
        database: where they are kept.
        idle: a session ends when it was not used for so long,
        longest: and after so long in any case.
    """

    database: Database
    idle: timedelta
    longest: timedelta

    def open(self, user_id: int, *, how: str, address: str, now: datetime) -> Token:
        """Signs an account in; the token goes into the cookie."""
        token = new_token(SESSION)
        with self.database.write() as session:
            session.add(
                SessionRow(
                    sha256=token.sha256,
                    user_id=user_id,
                    opened_utc=stamp(now),
                    used_utc=stamp(now),
                    ends_utc=stamp(now + self.longest),
                    ended_utc=None,
                    address=address[:80],
                    how=how,
                )
            )
        return token

    def principal(self, credential: str, *, now: datetime) -> Principal | None:
        """Who a session belongs to, by the hash of its token; None if it has ended."""
        with self.database.read() as session:
            row = session.get(SessionRow, credential)
            if row is None or row.ended_utc is not None or stamp(now) >= row.ends_utc:
                return None
            unused = now - moment_of(row.used_utc)
            user = session.get(UserRow, row.user_id)
            if unused >= self.idle or user is None or user.disabled:
                return None
            grants = grants_of(session, user.user_id)
        if unused >= USED_EVERY:
            with self.database.write() as session:
                session.execute(
                    sa.update(SessionRow).where(SessionRow.sha256 == credential).values(used_utc=stamp(now))
                )
        return Principal(user.user_id, user.name, grants, credential, must_change_password=user.must_change)

    def end(self, credential: str, *, now: datetime) -> None:
        """Signs out; doing so again changes nothing."""
        with self.database.write() as session:
            session.execute(
                sa.update(SessionRow)
                .where(SessionRow.sha256 == credential, SessionRow.ended_utc.is_(None))
                .values(ended_utc=stamp(now))
            )


@dataclass(slots=True)
class Keys:
    """Keys of programs: some permissions of their owner, for some tables, until a day."""

    database: Database

    def make(
        self, label: str, owner_id: int, scopes: Iterable[Permission], *, ends: datetime, now: datetime, table_group: str = ALL_TABLES
    ) -> tuple[Key, Token]:  # fmt: skip
        """Makes a key; its token is to be shown once.

        Raises:
            ServiceError: no label, no scope, no such group, or the end is in the past or too far away.
        """
        wanted = sorted(scopes)
        if not label.strip() or len(label) > 60 or not label.isprintable():
            raise ServiceError("a key has a label of 1 to 60 signs that can be printed", do="Say what it is for")
        if not wanted:
            raise ServiceError("a key without a scope can do nothing", do="Give at least one, e.g. alerts.read")
        if not now < ends <= now + LONGEST_KEY:
            raise ServiceError(
                f"a key ends in the future and within {LONGEST_KEY.days} days", do="Give a day within that time"
            )
        token = new_token(KEY)
        with self.database.write() as session:
            verify_group(session, table_group)
            row = KeyRow(
                sha256=token.sha256, prefix=token.prefix, label=label.strip(), user_id=owner_id, scopes=json.dumps(wanted),
                table_group=table_group, made_utc=stamp(now), ends_utc=stamp(ends), revoked_utc=None, used_utc=None,
            )  # fmt: skip
            session.add(row)
            session.flush()
            key_id = row.key_id
        return self.key(key_id), token

    def principal(self, text: str, *, now: datetime) -> Principal | None:
        """Who a key belongs to and what it may; None if there is none, it was revoked or has ended, or its owner is shut out."""
        return self.of_sha256(sha256(text), now=now)

    def of_sha256(self, digest: str, *, now: datetime) -> Principal | None:
        """The same by the key's hash."""
        with self.database.read() as session:
            row = session.scalar(sa.select(KeyRow).where(KeyRow.sha256 == digest))
            if row is None:
                return None
            user = session.get(UserRow, row.user_id)
            over = row.revoked_utc is not None or stamp(now) >= row.ends_utc
            if over or user is None or user.disabled:
                return None
            grants = grants_of(session, user.user_id)
            tables = None if row.table_group == ALL_TABLES else tables_of(session, row.table_group)
        if row.used_utc is None or now - moment_of(row.used_utc) >= USED_EVERY:
            with self.database.write() as session:
                session.execute(sa.update(KeyRow).where(KeyRow.key_id == row.key_id).values(used_utc=stamp(now)))
        scopes = frozenset(Permission(name) for name in json.loads(row.scopes) if name in set(Permission))
        return Principal(user.user_id, user.name, grants, digest, row.label, scopes, tables)

    def revoke(self, key_id: int, *, now: datetime) -> Key:
        """Ends a key for good; doing so again changes nothing.

        Raises:
            NotFoundError: there is none.
        """
        self.key(key_id)
        with self.database.write() as session:
            session.execute(
                sa.update(KeyRow)
                .where(KeyRow.key_id == key_id, KeyRow.revoked_utc.is_(None))
                .values(revoked_utc=stamp(now))
            )
        return self.key(key_id)

    def key(self, key_id: int) -> Key:
        """A key by its number.

        Raises:
            NotFoundError: there is none.
        """
        found = self._keys(sa.select(KeyRow, UserRow.name).where(KeyRow.key_id == key_id))
        if not found:
            raise NotFoundError(f"there is no key {key_id}", do="List them with GET /api/keys")
        return found[0]

    def page(self, *, before: int | None = None, limit: int = 200) -> list[Key]:
        """Keys, newest first, those revoked too; `before` pages towards older ones."""
        query = sa.select(KeyRow, UserRow.name).order_by(KeyRow.key_id.desc()).limit(limit)
        return self._keys(query if before is None else query.where(KeyRow.key_id < before))

    def _keys(self, query: sa.Select[KeyRow, str]) -> list[Key]:
        with self.database.read() as session:
            rows = session.execute(query.join(UserRow, UserRow.user_id == KeyRow.user_id))
            return [
                Key(
                    row.key_id, row.prefix, row.label, owner, tuple(json.loads(row.scopes)), row.table_group,
                    row.made_utc, row.ends_utc, row.revoked_utc, row.used_utc,
                )
                for row, owner in rows
            ]  # fmt: skip


@dataclass(slots=True)
class Tickets:
    """Secrets that work once and not for long."""

    database: Database

    def issue(
        self, kind: str, *, ends: datetime, now: datetime, user_id: int | None = None, about: Mapping[str, Any] | None = None
    ) -> Token:  # fmt: skip
        """Makes a ticket; those long over are forgotten meanwhile."""
        token = new_token(TICKET)
        with self.database.write() as session:
            session.execute(sa.delete(TicketRow).where(TicketRow.ends_utc < stamp(now - timedelta(days=1))))
            session.add(
                TicketRow(
                    sha256=token.sha256,
                    kind=kind,
                    user_id=user_id,
                    about=json.dumps(about or {}),
                    ends_utc=stamp(ends),
                    used_utc=None,
                )
            )
        return token

    def redeem(self, kind: str, text: str, *, now: datetime) -> tuple[int | None, dict[str, Any]] | None:
        """The account and what was noted with a ticket, the first time it is shown in time; None ever after."""
        digest = sha256(text)
        with self.database.write() as session:
            used = session.execute(
                sa.update(TicketRow)
                .where(
                    TicketRow.sha256 == digest,
                    TicketRow.kind == kind,
                    TicketRow.used_utc.is_(None),
                    TicketRow.ends_utc > stamp(now),
                )
                .values(used_utc=stamp(now))
                .returning(TicketRow.user_id, TicketRow.about)
            ).first()
        return None if used is None else (used.user_id, json.loads(used.about))
