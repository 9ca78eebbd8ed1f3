"""The one table of the screens: which page lies at which address, and what it is called in the bar.

What each page needs stands in `service.access.needs.PAGES`, by the first part of its path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from re import Pattern
from typing import Any

from fastapi import FastAPI
from nicegui import ui
from starlette.convertors import Convertor
from starlette.routing import compile_path

from service.house import House
from service.screens.alert import alert_screen
from service.screens.audit import audit_screen
from service.screens.evidence import evidence_screen
from service.screens.frame import Visitor, desk, visitor
from service.screens.handover import handover_screen
from service.screens.journal import journal_screen
from service.screens.people import keys_screen, people_screen
from service.screens.receivers import receivers_screen
from service.screens.reviews import reviews_screen
from service.screens.reviews_player import player_screen
from service.screens.reviews_rounds import rounds_screen
from service.screens.room import room_screen
from service.screens.tables import new_table_screen, setup_screen, tables_screen

RECONNECT_S = 30.0
"""How long a browser on a busy machine may be away before its page begins anew."""


@dataclass(frozen=True, slots=True)
class Page:
    """A screen at an address.

    Attributes:
        path: as Starlette writes it, e.g. `/reviews/{review_id:int}`; earlier pages go first.
        screen: builds it for a visitor; parameters of the path come by their names.
        title: of the browser's window.
        way: its name in the bar; empty: no way leads there from every page.
    """

    path: str
    screen: Callable[..., None]
    title: str
    way: str = ""


SCREENS: tuple[Page, ...] = (
    Page("/", room_screen, "Room", "Room"),
    Page("/alerts/{alert_id:int}", alert_screen, "Alert"),
    Page("/handover", handover_screen, "Hand-over", "Hand-over"),
    Page("/tables", tables_screen, "Tables", "Tables"),
    Page("/tables/new", new_table_screen, "Add a table"),
    Page("/tables/{table_id}", setup_screen, "Table"),
    Page("/reviews", reviews_screen, "Reviews", "Reviews"),
    Page("/reviews/rounds", rounds_screen, "Rounds", "Rounds"),
    Page("/reviews/{review_id:int}", player_screen, "Review"),
    Page("/audit", audit_screen, "Audit", "Audit"),
    Page("/evidence", evidence_screen, "Evidence", "Evidence"),
    Page("/journal", journal_screen, "Log", "Log"),
    Page("/feed", receivers_screen, "Receivers", "Receivers"),
    Page("/people", people_screen, "People", "People"),
    Page("/keys", keys_screen, "Keys", "Keys"),
)
WAYS = tuple((page.path, page.way) for page in SCREENS if page.way)


def add_screens(app: FastAPI, house: House) -> None:
    """Puts the screens on the application."""

    def root() -> None:
        who = visitor(house, WAYS)
        page, parameters = page_at(str(ui.context.client.request.url.path))
        ui.page_title(f"{page.title} · Pitwatch")
        page.screen(who, **parameters)

    ui.run_with(
        app,
        root=root,
        title="Pitwatch",
        dark=True,
        show_welcome_message=False,
        tailwind=False,
        gzip_middleware_factory=None,
        reconnect_timeout=RECONNECT_S,
    )


def page_at(path: str) -> tuple[Page, dict[str, Any]]:
    """The page at an address, and the parameters of its path; where there is none, a page that says so.

    >>> page_at("/reviews/12")[1]
    {'review_id': 12}
    """
    for page, regex, convertors in _compiled():
        if (found := regex.match(path)) is not None:
            return page, {name: convertors[name].convert(value) for name, value in found.groupdict().items()}
    return NOWHERE, {}


def nowhere_screen(who: Visitor) -> None:
    """There is no page at this address."""
    with desk(who, "", "There is no such page", "Choose a way in the bar above."):
        pass


NOWHERE = Page("", nowhere_screen, "No such page")


@cache
def _compiled() -> tuple[tuple[Page, Pattern[str], dict[str, Convertor[Any]]], ...]:
    out = []
    for page in SCREENS:
        regex, _, convertors = compile_path(page.path)
        out.append((page, regex, convertors))
    return tuple(out)
