"""The one place that decides who comes in: people, sessions, keys, links, and the log of what they do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx

from service.access.credentials import Keys, Sessions, Tickets
from service.access.journal import NOBODY, Deed, Journal
from service.access.passwords import Passwords
from service.access.people import FIRST_NAME, People, Person, account_name
from service.access.roles import Permission, Principal
from service.access.settings import Settings
from service.access.throttle import RequestRate, SignInThrottle
from service.access.tokens import KEY, SESSION, TICKET, Token, sha256
from service.errors import NotFoundError, ServiceError
from service.store.base import Database

LINK = "sign-in"
"""The kind of a sign-in link's ticket."""
NOTED_AGAIN_S = 3600.0
"""How often the use of a key, or looking at a live table, is noted in the log."""
MOST_NOTED = 10_000


class SignInError(ServiceError):
    """Nobody was signed in. Says the same whether the name or the password was wrong.

    Attributes:
        wait_s: how long to wait before trying again, 0 if not at all.
    """

    def __init__(self, what: str, *, do: str, wait_s: float = 0.0) -> None:
        super().__init__(what, do=do)
        self.wait_s = wait_s


@dataclass(slots=True)
class Access:
    """Who may come in and what they may do.

    Args:
        database: where all of it is kept.
        settings: how long, how fast, what may be reached.
        remote: other machines may ask too, by any host name.
        now: the wall clock.
        now_s: a clock that only rises.
        passwords: makes and checks hashes.
        http: how the identity provider is reached; None for the network.
    """

    database: Database
    settings: Settings = field(default_factory=Settings)
    remote: bool = False
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    now_s: Callable[[], float] = time.monotonic
    passwords: Passwords = field(default_factory=Passwords)
    http: Callable[[], httpx.BaseTransport | None] = lambda: None
    people: People = field(init=False)
    sessions: Sessions = field(init=False)
    keys: Keys = field(init=False)
    tickets: Tickets = field(init=False)
    journal: Journal = field(init=False)
    throttle: SignInThrottle = field(init=False)
    known_rate: RequestRate = field(init=False)
    stranger_rate: RequestRate = field(init=False)
    _noted: dict[str, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.people = People(self.database, self.passwords)
        self.sessions = Sessions(self.database, self.settings.session.idle, self.settings.session.absolute)
        self.keys, self.tickets = Keys(self.database), Tickets(self.database)
        self.journal, self.throttle = Journal(self.database), SignInThrottle(self.database)
        limits = self.settings.limits
        self.known_rate = RequestRate(limits.requests_per_s, limits.burst)
        self.stranger_rate = RequestRate(limits.stranger_requests_per_s, limits.stranger_burst)

    def sign_in(self, name: str, password: str, *, address: str) -> Token:
        """Signs someone in by name and password.

        Raises:
            SignInError: they do not belong together, or it was tried too often.
        """
        now, clean = self.now(), account_name(name)[:200]
        wait_s = self.throttle.begin(clean, address, now=now)
        if wait_s > 0:
            self.note_refused(Deed("sign-in", "too many tries", clean, address=address, outcome="refused"))
            raise SignInError(
                "there were too many tries", do=f"Wait {max(1, round(wait_s))} seconds and try again", wait_s=wait_s
            )
        person = self.people.by_password(clean, password)
        if person is None:
            self.journal.write(Deed("sign-in", "by password", clean, address=address, outcome="refused"), at=now)
            raise SignInError("name and password do not belong together", do="Try again, or ask an administrator")
        self.throttle.succeeded(clean, address)
        return self.open_session(person, how="password", address=address)

    def open_session(self, person: Person, *, how: str, address: str) -> Token:
        """Signs a person in who has shown who they are, and notes it."""
        roles = ", ".join(dict.fromkeys(role.value for role, _ in person.roles))
        token = self.sessions.open(person.user_id, how=how, address=address, now=self.now())
        self.journal.write(Deed("sign-in", f"by {how}", person.name, roles, address=address), at=self.now())
        return token

    def link(self, name: str = FIRST_NAME) -> str:
        """A ticket that signs a person in once, to be handed to that person alone.

        Raises:
            NotFoundError: there is no such account, or it is shut out.
        """
        person = self.people.named(name)
        if person is None or person.disabled:
            raise NotFoundError(f"there is no account {name!r} that may sign in", do="See pitwatch people")
        ends = self.now() + self.settings.session.ticket
        return self.tickets.issue(LINK, user_id=person.user_id, ends=ends, now=self.now()).text

    def redeem_link(self, text: str, *, address: str) -> Token | None:
        """Signs in whoever brings a sign-in link's ticket the first time; None if it is none (any more)."""
        used = self.tickets.redeem(LINK, text, now=self.now()) if text.startswith(TICKET) else None
        if used is None or used[0] is None:
            self.note_refused(Deed("sign-in", "by link", address=address, outcome="refused"))
            return None
        person = self.people.person(used[0])
        return None if person.disabled else self.open_session(person, how="link", address=address)

    def principal(self, *, cookie: str | None, bearer: str | None, address: str) -> Principal | None:
        """Who asks, by the session in the cookie or the key in the header; None if nobody is known."""
        if bearer is not None:
            found = self.keys.principal(bearer, now=self.now()) if bearer.startswith(KEY) else None
            if found is None:
                self.note_refused(Deed("key", "unknown, over or revoked", address=address, outcome="refused"))
            else:
                used = Deed("key", f"key {found.key_label}", found.signature, _roles(found), address=address)
                self._note_seldom(f"{found.credential} {address}", used)
            return found
        if cookie is not None and cookie.startswith(SESSION):
            return self.sessions.principal(sha256(cookie), now=self.now())
        return None

    def current(self, principal: Principal) -> Principal | None:
        """The same one as it stands now: with its present roles, None if it has been signed out or shut out."""
        if principal.key_label is None:
            return self.sessions.principal(principal.credential, now=self.now())
        return self.keys.of_sha256(principal.credential, now=self.now())

    def sign_out(self, principal: Principal, *, address: str) -> None:
        """Ends the session."""
        self.sessions.end(principal.credential, now=self.now())
        self.note(principal, "sign-out", "", address=address)

    def note(
        self, principal: Principal | None, what: str, about: str, *, table_id: str | None = None, address: str = "", outcome: str = "done"
    ) -> None:  # fmt: skip
        """Writes into the log; raises if it cannot be written, so that what is not logged does not happen."""
        who, roles = (principal.signature, _roles(principal)) if principal else (NOBODY, "")
        self.journal.write(Deed(what, about, who, roles, table_id, address, outcome), at=self.now())

    def note_seldom(self, principal: Principal, what: str, about: str, *, table_id: str | None, address: str) -> None:
        """The same for what goes on all the time, such as looking at a live table: once an hour."""
        deed = Deed(what, about, principal.signature, _roles(principal), table_id, address)
        self._note_seldom(f"{principal.credential} {what} {about} {address}", deed)

    def note_refused(self, deed: Deed) -> None:
        """A stranger who was not let in: once an hour for each address, so that nobody fills the log from outside."""
        self._note_seldom(f"refused {deed.what} {deed.about} {deed.address}", deed)

    def verify_now(self, principal: Principal, permission: Permission, table_id: str | None = None) -> Principal:
        """For what is done in an open page: the one who does it as it stands now, if it still may.

        Raises:
            ForbiddenError: it may not (any more).
            SignInError: it is not signed in any more.
        """
        again = self.current(principal)
        if again is None or again.must_change_password:
            raise SignInError("you are not signed in any more", do="Load this page again")
        again.verify(permission, table_id)
        return again

    def _note_seldom(self, key: str, deed: Deed) -> None:
        now_s = self.now_s()
        if now_s - self._noted.get(key, -NOTED_AGAIN_S) < NOTED_AGAIN_S:
            return
        if len(self._noted) >= MOST_NOTED:
            self._noted.clear()
        self._noted[key] = now_s
        self.journal.write(deed, at=self.now())


def _roles(principal: Principal) -> str:
    return ", ".join(principal.roles)
