"""The door: nothing reaches a route or a page that did not pass here.

In this order: the host's name, pages of other sites, how often a stranger asks, who asks, whether the password must be
changed first, how often they ask, what the route needs, for which table, how much they send. What the route says is to
be logged is logged with its outcome before the answer leaves; if it cannot be logged, there is no answer.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from math import ceil
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from anyio import to_thread
from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.access.access import Access
from service.access.needs import PARTS, Need, RouteBook
from service.access.roles import Permission, Principal, refusal
from service.access.tokens import Token
from service.errors import NotFoundError, ServiceError
from service.web.answers import error_answer

logger = logging.getLogger(__name__)

COOKIE = "pitwatch_session"
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
LOOKED_AT_AGAIN_S = 5.0
"""How often it is looked at again whether someone with an open stream or screen is still signed in."""
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
"""What a page of another site could send without asking first."""


@dataclass(slots=True)
class Visit:
    """A request at the door.

    Attributes:
        headers: names in small letters.
        address: where it comes from.
        is_tls: it came encrypted, to here or to a proxy that is believed.
        query: parameters, the first of each name.
        repeated: names of parameters that come more than once.
    """

    scope: Scope
    headers: dict[str, str]
    address: str
    is_tls: bool
    query: dict[str, str]
    repeated: frozenset[str]

    @property
    def path(self) -> str:
        """Without what comes after the question mark."""
        return str(self.scope["path"])

    @property
    def method(self) -> str:
        """GET for a websocket too."""
        return str(self.scope.get("method", "GET"))

    @property
    def is_page(self) -> bool:
        """Whether a person waits for a page, and not a program for an answer."""
        return (
            self.scope["type"] == "http"
            and self.method in ("GET", "HEAD")
            and "text/html" in self.headers.get("accept", "")
            and not self.path.startswith(("/api/", *PARTS))
        )

    @property
    def is_opened(self) -> bool:
        """Whether a person opened it in a browser: a page, or a file that a page leads to."""
        by_hand = self.method == "GET" and self.headers.get("sec-fetch-mode") == "navigate"
        return self.is_page or (by_hand and "text/html" in self.headers.get("accept", ""))


class Door:
    """Lets in who may come in.

    Args:
        app: what lies behind it.
        routes: the application whose routes say what they need.
        access: who may come in.
        house: handed to `table_of` of a need.
    """

    def __init__(self, app: ASGIApp, *, routes: FastAPI, access: Access, house: Any) -> None:
        self.app, self.routes, self.access, self.house = app, routes, access, house
        self._book: RouteBook | None = None

    @property
    def book(self) -> RouteBook:
        """What the routes need, read once."""
        if self._book is None:
            self._book = RouteBook(self.routes.routes)
        return self._book

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Checks a request before anything else sees it."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        visit = self._visit(scope)
        need, parameters = self.book.need(visit.method, visit.path)
        state = scope.setdefault("state", {})
        state |= {"access": self.access, "address": visit.address, "is_tls": visit.is_tls, "principal": None}
        answer = None if visit.path == "/health" else self._stranger(visit, need)
        principal: Principal | None = None
        if answer is None and (need is None or not need.is_open):
            try:
                principal, answer = await to_thread.run_sync(self._known, visit, need, parameters)
            except (ServiceError, SQLAlchemyError):
                logger.exception("nobody can be let in")
                answer = error_answer(
                    HTTPStatus.SERVICE_UNAVAILABLE, "nobody can be let in now; the reason is in the log", do="Try again"
                )
            state["principal"] = principal
        if answer is not None:
            return await _refuse(answer, scope, receive, send)
        passing = _Passing(self, visit, need or Need(None), parameters, principal, receive, send)
        try:
            await self.app(scope, passing.receive, passing.send)
        except (TooLargeError, SignedOutError):
            logger.info("ended %s", visit.path)

    def _visit(self, scope: Scope) -> Visit:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        query = {name: values[0] for name, values in asked.items()}
        repeated = frozenset(name for name, values in asked.items() if len(values) > 1)
        client = scope.get("client")
        address, is_tls = str(client[0]) if client else "-", scope.get("scheme") in ("https", "wss")
        proxies = self.access.settings.proxies
        if address in proxies:
            hops = [hop.strip() for hop in headers.get("x-forwarded-for", "").split(",") if hop.strip()]
            address = next((hop for hop in reversed(hops) if hop not in proxies), address)[:80]
            is_tls = headers.get("x-forwarded-proto", "").split(",")[-1].strip() == "https"
            scope["scheme"] = (
                ("wss" if scope["type"] == "websocket" else "https") if is_tls else scope.get("scheme", "http")
            )
        return Visit(scope, headers, address, is_tls, query, repeated)

    def _stranger(self, visit: Visit, need: Need | None) -> Response | None:
        """Refuses what is refused to everyone."""
        host = visit.headers.get("host", "")
        public = urlsplit(self.access.settings.public_url or "").netloc
        if not self.access.remote and host != public and _name_of(host) not in LOCAL_HOSTS:
            return error_answer(
                HTTPStatus.FORBIDDEN, "this service answers on localhost only", do="Start it with --allow-remote"
            )
        if is_cross_site(visit, {host, public} - {""}):
            return error_answer(HTTPStatus.FORBIDDEN, "requests from pages of other sites are refused")
        if need is not None and need.is_open:
            return self._too_often(self.access.stranger_rate.wait_s(visit.address, now_s=self.access.now_s()))
        return None

    def _known(
        self, visit: Visit, need: Need | None, parameters: Mapping[str, str]
    ) -> tuple[Principal | None, Response | None]:
        """Says who asks and whether they may; runs in a thread, since it asks the database."""
        principal = self.access.principal(
            cookie=cookie_of(visit.headers), bearer=_bearer(visit.headers), address=visit.address
        )
        access = self.access
        rate, who = (
            (access.stranger_rate, visit.address) if principal is None else (access.known_rate, principal.credential)
        )
        busy = self._too_often(rate.wait_s(who, now_s=access.now_s()))
        if busy is not None:
            return principal, busy
        if visit.query.get("ticket") and visit.method == "GET" and visit.scope["type"] == "http":
            return principal, self._by_link(visit, principal)
        if principal is None:
            return None, self._unknown(visit)
        if principal.must_change_password and (need is None or not need.before_change):
            if visit.is_page:
                return principal, RedirectResponse("/password", HTTPStatus.SEE_OTHER)
            return principal, error_answer(
                HTTPStatus.FORBIDDEN, "the one-time password must be changed first", do="Open /password in a browser"
            )
        if need is None:
            return principal, _not_there(visit)
        return principal, self._may(principal, visit, need, parameters)

    def _may(self, principal: Principal, visit: Visit, need: Need, parameters: Mapping[str, str]) -> Response | None:
        """Refuses what the route's need does not allow, and logs that."""
        if need.permission is None:
            return None
        if not principal.may(need.permission):
            return self._forbidden(principal, visit, need, parameters, None)
        try:
            table_id = self._table(visit, need, parameters)
        except ServiceError as error:
            status = HTTPStatus.NOT_FOUND if isinstance(error, NotFoundError) else HTTPStatus.BAD_REQUEST
            return error_answer(status, error.what, where=error.where, do=error.do)
        if table_id is not None and not principal.may(need.permission, table_id):
            return self._forbidden(principal, visit, need, parameters, table_id)
        return None

    def _table(self, visit: Visit, need: Need, parameters: Mapping[str, str]) -> str | None:
        if need.table_of is not None:
            return need.table_of(self.house, parameters)
        if "table_id" in visit.repeated:
            raise ServiceError("table_id comes more than once", where="table_id", do="Name one table")
        return parameters.get("table_id") or visit.query.get("table_id") or None

    def _forbidden(
        self, principal: Principal, visit: Visit, need: Need, parameters: Mapping[str, str], table_id: str | None
    ) -> Response:
        assert need.permission is not None
        what, do = refusal(need.permission, table_id)
        about = _about(need, parameters) or f"{visit.method} {visit.path}"
        self.access.note(
            principal, need.what or str(need.permission), about, table_id=table_id, address=visit.address, outcome="refused"
        )  # fmt: skip
        if visit.is_opened:
            from service.screens.login import error_page

            return error_page(HTTPStatus.FORBIDDEN, what, do, nonce=visit.scope["state"].get("nonce", ""))
        return error_answer(HTTPStatus.FORBIDDEN, what, where=visit.path, do=do)

    def _by_link(self, visit: Visit, principal: Principal | None) -> Response:
        """Signs in by a sign-in link; the ticket is taken out of the address either way."""
        token = self.access.redeem_link(visit.query["ticket"], address=visit.address)
        rest = {name: value for name, value in visit.query.items() if name != "ticket"}
        if token is None and principal is None:
            return RedirectResponse("/login?said=link", HTTPStatus.SEE_OTHER)
        answer = RedirectResponse(visit.path + (f"?{urlencode(rest)}" if rest else ""), HTTPStatus.SEE_OTHER)
        if token is not None:
            set_cookie(answer, token, self.access, is_tls=visit.is_tls)
        return answer

    def _unknown(self, visit: Visit) -> Response:
        if visit.is_opened:
            asked = visit.path + (f"?{urlencode(visit.query)}" if visit.query else "")
            onward = "" if asked == "/" else f"?next={quote(asked, safe='')}"
            return RedirectResponse(f"/login{onward}", HTTPStatus.SEE_OTHER)
        return error_answer(
            HTTPStatus.UNAUTHORIZED, "you are not signed in", where=visit.path,
            do="Sign in at /login, or send a key as 'Authorization: Bearer KEY'", headers={"WWW-Authenticate": "Bearer"},
        )  # fmt: skip

    def _too_often(self, wait_s: float) -> Response | None:
        if wait_s <= 0:
            return None
        wait = str(max(1, ceil(wait_s)))
        return error_answer(
            HTTPStatus.TOO_MANY_REQUESTS, "too many requests", do=f"Wait {wait} s", headers={"Retry-After": wait}
        )


class _Passing:
    """A request on its way in and its answer on its way out: how much is sent, whether they are still signed in, the log."""

    def __init__(
        self, door: Door, visit: Visit, need: Need, parameters: Mapping[str, str], principal: Principal | None,
        receive: Receive, send: Send,
    ) -> None:  # fmt: skip
        self.access, self.door, self.visit, self.need, self.parameters = door.access, door, visit, need, parameters
        self.principal, self.inner_receive, self.out = principal, receive, send
        limits = self.access.settings.limits
        self.most_bytes = limits.upload_bytes if need.upload else limits.body_bytes
        self.got_bytes = 0
        self.seen_s = self.access.now_s()
        self.over = self.started = False

    async def receive(self) -> Message:
        if self.visit.scope["type"] == "websocket":
            message = await self.inner_receive()
            return message if await self._still_in() else {"type": "websocket.disconnect", "code": 4401}
        if not self.got_bytes and int(_digits(self.visit.headers.get("content-length", ""))) > self.most_bytes:
            await self._too_large()
        message = await self.inner_receive()
        self.got_bytes += len(message.get("body", b""))
        if self.got_bytes > self.most_bytes:
            await self._too_large()
        return message

    async def send(self, message: Message) -> None:
        if self.over:
            return
        if message["type"] == "http.response.start":
            self.started = True
            if not await self._log(int(message["status"])):
                self.over = True
                answer = error_answer(
                    HTTPStatus.INTERNAL_SERVER_ERROR, "the log cannot be written, so nothing is shown"
                )
                return await answer(self.visit.scope, self.inner_receive, self.out)
        elif not await self._still_in():
            self.over = True
            if self.visit.scope["type"] == "websocket":
                return await self.out({"type": "websocket.close", "code": 4401})
            await self.out({"type": "http.response.body", "body": b"", "more_body": False})
            raise SignedOutError
        await self.out(message)

    async def _still_in(self) -> bool:
        """Looks now and then whether someone with a long-lasting answer is still signed in, for the tables it began with."""
        now_s = self.access.now_s()
        if self.principal is None or now_s - self.seen_s < LOOKED_AT_AGAIN_S:
            return True
        self.seen_s = now_s
        again = await to_thread.run_sync(self.access.current, self.principal)
        if again is None or self.need.permission is None:
            return again is not None
        asked = self.need.permission
        return again.may(asked) and again.tables_for(asked) == self.principal.tables_for(asked)

    async def _log(self, status: int) -> bool:
        need, principal = self.need, self.principal
        if need.what is None or principal is None:
            return True
        try:
            await to_thread.run_sync(self._write, need, principal, status)
        except (ServiceError, SQLAlchemyError):
            logger.exception("the log cannot be written")
            return False
        return True

    def _write(self, need: Need, principal: Principal, status: int) -> None:
        about = _about(need, self.parameters)
        try:
            table_id = self.door._table(self.visit, need, self.parameters)
        except ServiceError:
            table_id = None
        if need.seldom and status < HTTPStatus.BAD_REQUEST:
            self.access.note_seldom(principal, need.what or "", about, table_id=table_id, address=self.visit.address)
            return
        outcome = "done" if status < HTTPStatus.BAD_REQUEST else "failed"
        self.access.note(
            principal, need.what or "", about, table_id=table_id, address=self.visit.address, outcome=outcome
        )

    async def _too_large(self) -> None:
        if not self.started:
            answer = error_answer(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {self.most_bytes} bytes", where=self.visit.path,
                do="Send less, or raise limits.upload_bytes in the settings", headers={"Connection": "close"},
            )  # fmt: skip
            await answer(self.visit.scope, self.inner_receive, self.out)
        self.over = True
        raise TooLargeError


class SignedOutError(OSError):
    """The one who listens is not signed in any more; an OSError ends a stream as if they had left."""


class TooLargeError(Exception):
    """More was sent than the route takes; answered already."""


def set_cookie(answer: Response, token: Token, access: Access, *, is_tls: bool) -> None:
    """Hands a session's token to the browser, out of reach of scripts and of other sites."""
    longest_s = int(access.settings.session.absolute.total_seconds())
    answer.set_cookie(COOKIE, token.text, max_age=longest_s, httponly=True, samesite="strict", secure=is_tls, path="/")


def cookie_of(headers: Mapping[str, str], name: str = COOKIE) -> str | None:
    """A cookie of a request."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return found.value if found is not None else None


def is_cross_site(visit: Visit, hosts: set[str]) -> bool:
    """Whether a request that could change something comes from a page of another site.

    A key in the header cannot be sent by such a page, so requests with one are not asked where they come from. Browsers
    name the origin of everything else that could change something; a form without one is refused.
    """
    headers = visit.headers
    if visit.scope["type"] == "http" and visit.method in SAFE_METHODS:
        return False
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None:
        return urlsplit(origin).netloc not in hosts
    if site is not None:
        return site not in ("same-origin", "none")
    is_form = headers.get("content-type", "").split(";")[0].strip().lower() in FORM_TYPES
    return is_form and "authorization" not in headers


def _bearer(headers: Mapping[str, str]) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None


def _name_of(host: str) -> str:
    """The host's name without its port; an IPv6 address keeps its brackets."""
    return host if ":" not in host.rpartition("]")[2] else host.rpartition(":")[0]


def _digits(text: str) -> str:
    return text if text.isascii() and text.isdigit() and len(text) < 20 else "0"


def _about(need: Need, parameters: Mapping[str, str]) -> str:
    return need.about.format_map({name: str(value)[:200] for name, value in parameters.items()})


def _not_there(visit: Visit) -> Response:
    if visit.is_page:
        from service.screens.login import error_page

        nonce = visit.scope["state"].get("nonce", "")
        return error_page(HTTPStatus.NOT_FOUND, "There is no such page", "Go back to the room", nonce=nonce)
    return error_answer(HTTPStatus.NOT_FOUND, "Not Found", where=visit.path, do="See /docs for what there is")


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        return await send({"type": "websocket.close", "code": 4403})
    await answer(scope, receive, send)


__all__ = ["COOKIE", "LOCAL_HOSTS", "Door", "Permission", "TooLargeError", "cookie_of", "set_cookie"]
