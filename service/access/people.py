"""People: accounts with passwords, the roles granted to them, and groups of tables."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.access.passwords import Passwords, one_time_password, verify_acceptable
from service.access.roles import ALL_TABLES, FIRST_ROLES, Grant, Role
from service.access.tables import GrantRow, GroupRow, SessionRow, UserRow
from service.errors import ConflictError, NotFoundError, ServiceError
from service.stamps import stamp
from service.store.base import Database

FIRST_NAME = "administrator"
_NAME = re.compile(r"[\w.@+-]{1,80}", re.ASCII)
_GROUP = re.compile(r"[\w .-]{1,80}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Person:
    """An account as it is shown.

    Attributes:
        roles: (role, group of tables) pairs; the group `*` is every table.
        by_password: it has a password; otherwise it comes in by an identity provider or a sign-in link.
    """

    user_id: int
    name: str
    roles: tuple[tuple[Role, str], ...]
    must_change: bool
    disabled: bool
    by_password: bool
    issuer: str | None
    added_utc: str


@dataclass(slots=True)
class People:
    """Accounts and their roles.

    Args:
        database: where they are kept.
        passwords: makes and checks hashes.
    """

    database: Database
    passwords: Passwords = field(default_factory=Passwords)

    def is_empty(self) -> bool:
        """Whether there is no account yet."""
        with self.database.read() as session:
            return session.scalar(sa.select(UserRow.user_id).limit(1)) is None

    def begin(self, *, now: datetime) -> str | None:
        """Makes the first account where there is none.

        Returns:
            Its one-time password, which must be changed at first sign-in; None if there are accounts already.
        """
        if not self.is_empty():
            return None
        password = one_time_password()
        try:
            self.add(FIRST_NAME, [(role, ALL_TABLES) for role in FIRST_ROLES], password=password, now=now)
        except ConflictError:
            return None
        return password

    def begin_without_password(self, *, now: datetime) -> None:
        """Makes the first account where there is none, to be entered by a sign-in link only."""
        if self.is_empty():
            self.add(FIRST_NAME, [(role, ALL_TABLES) for role in FIRST_ROLES], now=now)

    def add(
        self, name: str, roles: Iterable[tuple[Role, str]], *, now: datetime, password: str | None = None,
        issuer: str | None = None, subject: str | None = None,
    ) -> Person:  # fmt: skip
        """Adds an account; a password given is a one-time one.

        Raises:
            ServiceError: the name cannot be one, or a group does not exist.
            ConflictError: there is an account of this name.
        """
        clean = account_name(name)
        if not _NAME.fullmatch(clean):
            raise ServiceError(
                f"this cannot be a name: {name[:80]!r}", do="Use letters, digits and . _ - + @, at most 80 of them"
            )
        kept = None if password is None else self.passwords.hash(password)
        try:
            with self.database.write() as session:
                row = UserRow(
                    name=clean, password=kept, must_change=password is not None, disabled=False, issuer=issuer, subject=subject,
                    added_utc=stamp(now),
                )  # fmt: skip
                session.add(row)
                session.flush()
                _grant(session, row.user_id, roles)
                user_id = row.user_id
        except sa.exc.IntegrityError as error:
            raise ConflictError(f"there is already an account {clean}", do="Choose another name") from error
        return self.person(user_id)

    def person(self, user_id: int) -> Person:
        """An account by its number.

        Raises:
            NotFoundError: there is none.
        """
        found = self._people(sa.select(UserRow).where(UserRow.user_id == user_id))
        if not found:
            raise NotFoundError(f"there is no account {user_id}", do="List them with GET /api/people")
        return found[0]

    def named(self, name: str) -> Person | None:
        """An account by its name."""
        return next(iter(self._people(sa.select(UserRow).where(UserRow.name == account_name(name)))), None)

    def of_subject(self, issuer: str, subject: str) -> Person | None:
        """The account of someone an identity provider knows."""
        query = sa.select(UserRow).where(UserRow.issuer == issuer, UserRow.subject == subject)
        return next(iter(self._people(query)), None)

    def page(self, *, after: int = 0, limit: int = 200) -> list[Person]:
        """Accounts in the order they were added; `after` pages on."""
        return self._people(sa.select(UserRow).where(UserRow.user_id > after).order_by(UserRow.user_id).limit(limit))

    def by_password(self, name: str, password: str) -> Person | None:
        """The account of this name and password; takes as long where there is none. A disabled one is none."""
        clean = account_name(name)
        with self.database.read() as session:
            row = session.scalar(sa.select(UserRow).where(UserRow.name == clean))
        kept = row.password if row is not None and not row.disabled else None
        if not self.passwords.matches(kept, password) or row is None or kept is None:
            return None
        if self.passwords.is_outdated(kept):
            with self.database.write() as session:
                session.execute(
                    sa.update(UserRow)
                    .where(UserRow.user_id == row.user_id)
                    .values(password=self.passwords.hash(password))
                )
        return self.person(row.user_id)

    def change_password(self, user_id: int, new: str, *, now: datetime) -> None:
        """Sets a password that its owner chose, and ends every session of the account.

        Raises:
            PasswordError: it cannot be taken, or is the one there was.
        """
        person = self.person(user_id)
        verify_acceptable(new, name=person.name)
        with self.database.read() as session:
            before = session.scalar(sa.select(UserRow.password).where(UserRow.user_id == user_id))
        if self.passwords.matches(before, new):
            raise ServiceError("this is the password there was", do="Choose a new one")
        self._set(user_id, password=self.passwords.hash(new), must_change=False)
        self.end_sessions(user_id, now=now)

    def new_password(self, user_id: int, *, now: datetime) -> str:
        """Gives an account a one-time password, ends its sessions, and returns it."""
        self.person(user_id)
        password = one_time_password()
        self._set(user_id, password=self.passwords.hash(password), must_change=True)
        self.end_sessions(user_id, now=now)
        return password

    def disable(self, user_id: int, *, disabled: bool, now: datetime) -> Person:
        """Shuts an account out, or lets it in again; its sessions and keys end with it.

        Raises:
            ConflictError: it is the last one that could let others in.
        """
        self.person(user_id)
        with self.database.write() as session:
            session.execute(sa.update(UserRow).where(UserRow.user_id == user_id).values(disabled=disabled))
            _verify_an_administrator_is_left(session)
        if disabled:
            self.end_sessions(user_id, now=now)
        return self.person(user_id)

    def set_roles(self, user_id: int, roles: Iterable[tuple[Role, str]]) -> Person:
        """Gives an account exactly these roles.

        Raises:
            ServiceError: a group does not exist.
            ConflictError: nobody would be left who could let others in.
        """
        self.person(user_id)
        with self.database.write() as session:
            session.execute(sa.delete(GrantRow).where(GrantRow.user_id == user_id))
            _grant(session, user_id, roles)
            _verify_an_administrator_is_left(session)
        return self.person(user_id)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Groups of tables and what is in them."""
        out: dict[str, list[str]] = {}
        with self.database.read() as session:
            for row in session.scalars(sa.select(GroupRow).order_by(GroupRow.name, GroupRow.table_id)):
                out.setdefault(row.name, []).append(row.table_id)
        return {name: tuple(tables) for name, tables in out.items()}

    def set_group(self, name: str, tables: Sequence[str]) -> None:
        """Makes a group of tables, or says anew what is in it; without tables it is removed.

        Raises:
            ServiceError: this cannot be a name.
            ConflictError: it would be removed while a role is granted for it.
        """
        if not _GROUP.fullmatch(name) or name != name.strip():
            raise ServiceError(f"this cannot be a group's name: {name[:80]!r}", do="Use letters, digits, spaces, . _ -")
        if any(not table or len(table) > 80 for table in tables):
            raise ServiceError("a table's id has 1 to 80 signs", where=f"group {name}", do="Give ids of tables")
        with self.database.write() as session:
            if not tables and session.scalar(sa.select(GrantRow.user_id).where(GrantRow.table_group == name).limit(1)):
                raise ConflictError("roles are granted for this group", where=name, do="Take those roles away first")
            session.execute(sa.delete(GroupRow).where(GroupRow.name == name))
            session.add_all(GroupRow(name=name, table_id=table) for table in dict.fromkeys(tables))

    def end_sessions(self, user_id: int, *, now: datetime) -> None:
        """Signs an account out everywhere."""
        with self.database.write() as session:
            session.execute(
                sa.update(SessionRow)
                .where(SessionRow.user_id == user_id, SessionRow.ended_utc.is_(None))
                .values(ended_utc=stamp(now))
            )

    def _set(self, user_id: int, *, password: str, must_change: bool) -> None:
        with self.database.write() as session:
            session.execute(
                sa.update(UserRow).where(UserRow.user_id == user_id).values(password=password, must_change=must_change)
            )

    def _people(self, query: sa.Select[UserRow]) -> list[Person]:
        with self.database.read() as session:
            rows = list(session.scalars(query))
            held: dict[int, list[tuple[Role, str]]] = {}
            ids = [row.user_id for row in rows]
            for grant in session.scalars(sa.select(GrantRow).where(GrantRow.user_id.in_(ids))):
                held.setdefault(grant.user_id, []).append((Role(grant.role), grant.table_group))
        order = list(Role)
        return [
            Person(
                row.user_id, row.name,
                tuple(sorted(held.get(row.user_id, ()), key=lambda one: (order.index(one[0]), one[1]))),
                row.must_change, row.disabled, row.password is not None, row.issuer, row.added_utc,
            )
            for row in rows
        ]  # fmt: skip


def account_name(text: str) -> str:
    """A name as accounts are found by it: however it was typed, one spelling."""
    return unicodedata.normalize("NFKC", text).strip().lower()


def grants_of(session: Session, user_id: int) -> tuple[Grant, ...]:
    """What an account may do, groups resolved to their tables."""
    out = []
    for row in session.scalars(sa.select(GrantRow).where(GrantRow.user_id == user_id)):
        tables = None if row.table_group == ALL_TABLES else tables_of(session, row.table_group)
        out.append(Grant(Role(row.role), tables))
    return tuple(out)


def tables_of(session: Session, group: str) -> frozenset[str]:
    """The tables of a group."""
    return frozenset(session.scalars(sa.select(GroupRow.table_id).where(GroupRow.name == group)))


def verify_group(session: Session, group: str) -> None:
    """Does nothing if a group exists.

    Raises:
        ServiceError: it does not.
    """
    if group != ALL_TABLES and not tables_of(session, group):
        raise ServiceError(
            f"there is no group of tables {group!r}", do=f"Make it first, or use {ALL_TABLES} for all tables"
        )


def _grant(session: Session, user_id: int, roles: Iterable[tuple[Role, str]]) -> None:
    for role, group in dict.fromkeys(roles):
        verify_group(session, group)
        session.add(GrantRow(user_id=user_id, role=role.value, table_group=group))
    session.flush()


def _verify_an_administrator_is_left(session: Session) -> None:
    session.flush()
    left = session.scalar(
        sa.select(GrantRow.user_id)
        .join(UserRow, UserRow.user_id == GrantRow.user_id)
        .where(
            GrantRow.role == Role.ADMINISTRATOR.value, GrantRow.table_group == ALL_TABLES, UserRow.disabled.is_(False)
        )
        .limit(1)
    )
    if left is None:
        raise ConflictError(
            "nobody would be left who could let others in", do="Make someone else administrator of all tables first"
        )
