"""What a route or a page needs: said where it is written, held by the door, default nothing is let through.

    @router.get("/alerts/{alert_id}/evidence/{name}")
    @needs(Permission.EVIDENCE_READ, what="evidence.read", about="alert {alert_id}, {name}", table_of=table_of_alert)
    def get_evidence(...): ...

A route without `needs` is refused, and `create_app` does not start with one. Pages are listed in `PAGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from re import Pattern
from typing import Any, TypeVar

from fastapi.routing import iter_route_contexts
from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute, Mount

from service.access.access import Access
from service.access.roles import Permission, Principal

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
TableOf = Callable[[Any, Mapping[str, str]], str | None]
_MARK = "__pitwatch_needs__"


@dataclass(frozen=True, slots=True)
class Need:
    """What must be there before a route runs.

    Attributes:
        permission: for the table of the request where one is named; None: being signed in is enough.
        is_open: not even that (liveness, the sign-in page).
        what: written into the log under this name, with the outcome; None: not logged.
        about: what is logged as the thing it was done to; `{name}` stands for parameters of the path.
        seldom: goes on all the time; logged once an hour.
        upload: a file comes with it; the larger limit holds for the body.
        table_of: the table it is about, from the house and the parameters; the parameter `table_id` if not given.
        before_change: allowed to someone who must change the password first.
    """

    permission: Permission | None
    is_open: bool = False
    what: str | None = None
    about: str = ""
    seldom: bool = False
    upload: bool = False
    table_of: TableOf | None = None
    before_change: bool = False


LIVENESS = Need(None, is_open=True)
SIGNED_IN = Need(None)
PAGES: dict[str, Need] = {
    "/": Need(Permission.ALERTS_READ),
    "/alerts": Need(Permission.ALERTS_READ),
    "/handover": Need(Permission.ALERTS_READ),
    "/evidence": Need(Permission.EVIDENCE_READ),
    "/tables": Need(Permission.TABLES_READ),
    "/audit": Need(Permission.AUDIT_READ),
    "/reviews": Need(Permission.REVIEWS_READ),
    "/feed": Need(Permission.FEED_MANAGE),
    "/people": Need(Permission.PEOPLE_MANAGE),
    "/keys": Need(Permission.KEYS_MANAGE),
    "/journal": Need(Permission.JOURNAL_READ, what="journal.read", about="the log, on the screen"),
}
"""Screens by the first part of their path."""
PARTS = ("/_nicegui/", "/_nicegui_ws/")
"""What the screens are made of; being signed in is enough."""


def needs(
    permission: Permission | None, *, what: str | None = None, about: str = "", seldom: bool = False, upload: bool = False,
    table_of: TableOf | None = None,
) -> Callable[[Endpoint], Endpoint]:  # fmt: skip
    """Says what a route needs; goes below the router's own decorator. See `Need` for the arguments."""
    return needing(Need(permission, what=what, about=about, seldom=seldom, upload=upload, table_of=table_of))


def needing(need: Need) -> Callable[[Endpoint], Endpoint]:
    """The same for the few routes that need something unusual."""

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MARK, need)
        return endpoint

    return mark


def principal_of(request: HTTPConnection) -> Principal:
    """Who asks; only where the door let someone in."""
    principal = request.scope["state"]["principal"]
    assert isinstance(principal, Principal)
    return principal


def address_of(request: HTTPConnection) -> str:
    """Where a request came from; behind a proxy that is believed, from before it."""
    return str(request.scope["state"]["address"])


def access_of(request: HTTPConnection) -> Access:
    """The service's door-keeper."""
    access = request.scope["state"]["access"]
    assert isinstance(access, Access)
    return access


def note(request: HTTPConnection, what: str, about: str) -> None:
    """Writes into the log what the one who asks has done."""
    access_of(request).note(principal_of(request), what, about, address=address_of(request))


@dataclass(frozen=True, slots=True)
class KnownRoute:
    """A route as the door knows it."""

    path: str
    methods: frozenset[str]
    regex: Pattern[str]
    need: Need | None


class RouteBook:
    """Finds what a request needs among the routes of an application.

    Args:
        routes: of the application, once all are there.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self.known = tuple(_known(routes))

    def need(self, method: str, path: str) -> tuple[Need | None, dict[str, str]]:
        """What a request needs and the parameters of its path; None if nothing is there."""
        other: tuple[Need | None, dict[str, str]] | None = None
        for route in self.known:
            found = route.regex.match(path)
            if found is None:
                continue
            if not route.methods or method in route.methods:
                return route.need, found.groupdict()
            other = other or (route.need, found.groupdict())
        if other is not None:
            return other
        if path.startswith(PARTS) or path == "/favicon.ico":
            return SIGNED_IN, {}
        first = "/" + path.split("/")[1]
        return (None if path.startswith("/api/") else PAGES.get(first)), {}

    def methods(self, path: str) -> list[str]:
        """By which methods something is at a path, in the order of their names; what answers for all other paths is nothing."""
        there = (route for route in self.known if not route.path.endswith("/{path:path}") and route.regex.match(path))
        return sorted({method for route in there for method in route.methods})

    def without_need(self) -> list[str]:
        """Routes that say nothing; the service does not start with one."""
        return [f"{' '.join(sorted(route.methods))} {route.path}" for route in self.known if route.need is None]


def _known(routes: Sequence[BaseRoute]) -> Iterator[KnownRoute]:
    for context in iter_route_contexts(routes):
        if not isinstance(context.original_route, Mount):
            need = getattr(context.endpoint, _MARK, None)
            yield KnownRoute(str(context.path), frozenset(context.methods or ()), context.path_regex, need)
