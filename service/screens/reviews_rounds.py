"""The search through every round, seen live or in a review."""

from __future__ import annotations

import html
from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.errors import ServiceError
from service.reviews.rounds import FoundRound, find_rounds
from service.screens import words
from service.screens.frame import Visitor, desk, div, link, markup, text

SHOWN = 50
HINTS = ("As Kd", "[As Kd]", "seat3:As", "community:Td", "hand:flush", "three:straight", "wager:pair_plus", "paid>500", "ante.diff<0", "breach", "undetermined", "check:RIU-SET-PLAY", "section:669a.11")  # fmt: skip
LONGEST = 500
"""Characters of a search that are looked at."""


def rounds_screen(who: Visitor) -> None:
    """The search through rounds."""
    RoundsPage(who).build(str(ui.context.client.request.query_params.get("q", ""))[:LONGEST])


class RoundsPage:
    """One open window on the search through rounds."""

    def __init__(self, who: Visitor) -> None:
        self.who, self.house = who, who.house
        self.found: list[FoundRound] = []
        self.text = ""

    def build(self, asked: str) -> None:
        """Lays out the page and searches what its address says."""
        about = "All words have to hold. Cards as As, Td, 9h; in brackets for one hand; amounts in dollars."
        with desk(self.who, "/reviews/rounds", "Rounds", about, "reviews"):
            with Element("form").classes("search").props('action="/reviews/rounds" method="get"'):
                Element("input").classes("field").props(f'name="q" value="{html.escape(asked)}" placeholder="As Kd breach" autofocus autocomplete="off" aria-label="search"')  # fmt: skip
                text("button", "Search", "button first").props('type="submit"')
            with div("hints"):
                for hint in HINTS:
                    link(hint, f"/reviews/rounds?q={quote(hint)}")
            self.said = ui.label().classes("said")
            self.table = div()
            self.more = text("button", "Show more", "button").on("click", self._more)
        self.text = asked
        self._more()

    def _more(self) -> None:
        before = self.found[-1].number if self.found else None
        try:
            tables = self.who.principal.tables_for(Permission.REVIEWS_READ)
            page = find_rounds(self.house.store, self.text, tables=tables, before=before, limit=SHOWN)
        except ServiceError as error:
            self.said.set_text(str(error))
            self.said.classes("wrong")
            self.more.set_visibility(False)
            return
        self.found += page
        self.more.set_visibility(len(page) == SHOWN)
        if not self.found:
            self.said.set_text("No round was found.")
        self.table.clear()
        with self.table:
            markup(self._rows())

    def _rows(self) -> str:
        if not self.found:
            return ""
        rows = "".join(map(_round_row, self.found))
        return f'<table class="rounds"><thead><tr><th>round</th><th>at</th><th>community, dealer</th><th>players</th><th class="right">wagered</th><th class="right">paid − owed</th><th>breaches</th></tr></thead><tbody>{rows}</tbody></table>'  # fmt: skip


def _round_row(one: FoundRound) -> str:
    name, at = html.escape(one.round_id), f"{one.opened_utc:%Y-%m-%d %H:%M:%S} UTC" if one.opened_utc else ""
    linked = name if one.review_id is None else f'<a href="/reviews/{one.review_id}?t={one.opened_s:.2f}">{name}</a>'
    into = "" if one.review_id is None else words.clock(one.opened_s)
    difference = words.dollars(one.difference_cents) if one.difference_cents else "–"
    seats = "<br>".join(f'<span class="quiet">{html.escape(seat)}</span> {_cards(cards)}' for seat, _, cards in (part.partition(": ") for part in one.players.split("; ") if part))  # fmt: skip
    dealer = f'<br><span class="quiet">dealer</span> {_cards(one.dealer)}' if one.dealer else ""
    return (
        f'<tr class="hit"><td>{linked}<div class="quiet small">{html.escape(one.review_name or "live")}</div></td>'
        f'<td class="number">{into}<div class="quiet small">{at}</div></td><td>{_cards(one.community)}{dealer}</td><td>{seats}</td>'
        f'<td class="right number">{words.dollars(one.stake_cents)}</td><td class="right number{" bad" if one.difference_cents else ""}">{difference}</td>'
        f'<td class="bad">{", ".join(map(_check, one.checks, one.alerts))}</td></tr>'
    )


def _check(check: str, alert: int | None) -> str:
    """A breach; a link to its alert where it has one of its own."""
    said = html.escape(check)
    return said if alert is None else f'<a class="bad" href="/alerts/{alert}" title="alert {alert}">{said}</a>'


def _cards(text: str) -> str:
    """Cards as people know them, red suits in red."""
    out = []
    for card in text.split():
        shown = words.card(None if card == "?" else card)
        out.append(f'<span class="red">{shown}</span>' if card[-1:] in ("d", "h") and card != "?" else shown)
    return f'<span class="cards">{" ".join(out)}</span>'
