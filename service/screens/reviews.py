"""The investigator's queue: recordings are dropped in or named, followed, cancelled, opened."""

from __future__ import annotations

import html
from collections.abc import Callable

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.errors import ServiceError
from service.reviews.office import Office
from service.reviews.queue import AGAIN, Ordered, State
from service.screens import words
from service.screens.frame import Visitor, add_script, desk, div, link, markup, text

REFRESH_S = 1.0
SHOWN = 50


def reviews_screen(who: Visitor) -> None:
    """The queue of reviews."""
    QueuePage(who).build()


class QueuePage:
    """One open window on the queue: recordings are dropped in, followed, cancelled, opened."""

    def __init__(self, who: Visitor) -> None:
        self.who, self.house = who, who.house
        self.known: object = None
        self.limit = SHOWN

    def build(self) -> None:
        """Lays out the page and keeps it up to date."""
        about = "Recordings into rounds, findings and payouts. A review that is cancelled or cut off goes on where it stopped."
        with desk(self.who, "/reviews", "Reviews", about, "reviews"):
            office = self.house.office
            if office is None:
                text("div", "This service takes no reviews. Start it with --review-folder FOLDER.", "box said wrong")
                return
            if self.who.may(Permission.REVIEWS_RUN):
                self._order(office)
            self.head = ui.label().classes("caption")
            self.list = div()
        self.refresh()
        ui.timer(REFRESH_S, self.refresh)

    def _order(self, office: Office) -> None:
        tables = [name for name in sorted(office.settings.tables) if self.who.may(Permission.REVIEWS_RUN, name)]
        zone = office.settings.zone
        clock = html.escape(str(zone) if zone else "UTC")
        options = "".join(f'<option value="{html.escape(name)}">{html.escape(name)}</option>' for name in tables)
        with div("order"):
            with div("box"):
                markup(f'<div class="line" style="margin:0"><span class="caption">Drop a recording of table</span><select id="drop-table" class="field" style="width:auto">{options}</select></div>')  # fmt: skip
                markup(f'<div class="line"><span class="caption">Recorded from, if you know ({clock})</span><input id="drop-began" type="datetime-local" step="1" class="field" style="width:auto" data-zone="{"" if zone else "Z"}"></div>')  # fmt: skip
                markup('<div id="drop" class="drop"><b>Drop a video here</b>, or click to choose one</div><input id="pick" type="file" accept="video/*,.mkv,.ts" multiple hidden><div id="drop-said" class="said" aria-live="polite"></div>')  # fmt: skip
            with div("box"):
                text("span", "Or name a recording or a folder", "caption")
                roots = ", ".join(map(str, office.settings.roots))
                with div("line"):
                    path = ui.input(placeholder="night-2026-11-20/").props("dense dark outlined").style("flex:1")
                    chosen = ui.select(["table.yaml beside it", *tables], value="table.yaml beside it").props("dense dark outlined options-dense")  # fmt: skip
                with div("line"):
                    button = text("button", "Put into the queue", "button first")
                    self.said = text("span", f"below {roots}" if roots else "no folder of recordings is set (--recordings)", "quiet small")  # fmt: skip
                button.on("click", lambda: self._order_folder(office, path.value, chosen.value))
        add_script("reviews_drop.js")

    def _order_folder(self, office: Office, path: str, chosen: str | None) -> None:
        table_id = None if chosen is None or " " in chosen else chosen
        try:
            principal = self.who.now(Permission.REVIEWS_RUN)
            found = office.order(
                path.strip(), table_id=table_id, by=principal.name, now=self.house.now(),
                may=lambda table: principal.verify(Permission.REVIEWS_RUN, table),
            )  # fmt: skip
            for one in found:
                self.who.note("reviews.order", f"review {one.review_id}, on the screen", one.table_id)
            said, kind = f"{words.counted(len(found), 'recording')} put into the queue", "positive"
        except ServiceError as error:
            said, kind = str(error), "warning"
        ui.notify(said, type=kind, position="bottom-right", multi_line=True)
        self.refresh()

    def refresh(self) -> None:
        """Draws the list anew where anything of it changed."""
        assert self.house.office is not None
        tables = self.who.principal.tables_for(Permission.REVIEWS_READ)
        found = self.house.office.queue.page(limit=self.limit, tables=tables)
        if found == self.known:
            return
        self.known = found
        waiting = sum(one.state is State.WAITING for one in found)
        self.head.set_text(f"{words.counted(len(found), 'review')}{f', {waiting} waiting' if waiting else ''}")
        self.list.clear()
        with self.list:
            for one in found:
                self._row(one)
            if not found:
                text("div", "Nothing has been reviewed yet.", "quiet")
            if len(found) == self.limit:
                text("button", "Show older ones", "button").on("click", self._more)

    def _more(self) -> None:
        self.limit += SHOWN
        self.refresh()

    def _row(self, one: Ordered) -> None:
        with div(f"review {one.state}").props(f'data-review="{one.review_id}"'):
            with div():
                text("div", one.name, "name")
                text("div", f"{one.review_id} · {one.table_id} · {one.game.replace('_', ' ')} · {one.ordered_by}, {one.ordered_utc[:16].replace('T', ' ')} UTC", "quiet small")  # fmt: skip
            with div():
                with div("progress"):
                    Element("i").style(f"width: {100 * (one.share or 0.0):.1f}%")
                text("div", standing(one), "quiet small number")
            with div("counts small number"):
                if one.t_s or one.state is State.DONE:
                    text("b", words.counted(one.breaches, "breach") if one.breaches == 1 else f"{one.breaches} breaches", "bad" if one.breaches else "")  # fmt: skip
                    text("span", f" in {words.counted(one.rounds, 'round')}", "quiet")
            with div("actions"):
                self._actions(one)
            if one.reason:
                text("div", one.reason, "reason")

    def _actions(self, one: Ordered) -> None:
        assert self.house.office is not None
        queue, may = self.house.office.queue, self.who.may(Permission.REVIEWS_RUN, one.table_id)
        if one.state is State.DONE:
            link("Open", f"/reviews/{one.review_id}", "button first")
        elif one.state in AGAIN and may:
            text("button", "Go on" if one.t_s else "Start again", "button").on("click", lambda: self._do(one, "reviews.retry", lambda: queue.retry(one.review_id)))  # fmt: skip
        elif one.cancel_wanted:
            text("span", "cancelling", "quiet small")
        elif may:
            text("button", "Cancel", "button").on("click", lambda: self._do(one, "reviews.cancel", lambda: queue.cancel(one.review_id, now=self.house.now())))  # fmt: skip

    def _do(self, one: Ordered, what: str, deed: Callable[[], object]) -> None:
        try:
            self.who.now(Permission.REVIEWS_RUN, one.table_id)
            deed()
            self.who.note(what, f"review {one.review_id}, on the screen", one.table_id)
        except ServiceError as error:
            ui.notify(str(error), type="warning", position="bottom-right")
        self.refresh()


def standing(one: Ordered) -> str:
    """How a review stands, in a line."""
    share = "" if one.share is None else f"{100 * one.share:.0f}%"
    of = f"{words.clock(one.t_s)} of {words.clock(one.of_s)}" if one.of_s else words.clock(one.t_s)
    if one.state is State.RUNNING and not one.t_s:
        return "finding the table"
    if one.state is State.RUNNING:
        speed = f"{one.speed:.1f}x" if one.speed else ""
        left = f"{words.clock(one.left_s)} left" if one.left_s is not None else ""
        return " · ".join(part for part in (share, of, speed, left) if part)
    if one.state is State.DONE:
        return f"done · {words.clock(one.of_s or one.t_s)} of recording"
    return f"{one.state} at {of}" if one.t_s else str(one.state)
