"""The surveillance room: the alert feed, the table as it is seen, and an alert opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments
from starlette.datastructures import QueryParams

from service.access.roles import Permission
from service.errors import NotFoundError
from service.screens.alert_steps import Steps, handlers
from service.screens.frame import Visitor, add_script, div, shell, text
from service.screens.keyboard import Key, add_keys, show_keys
from service.screens.room_detail import fill_detail
from service.screens.room_filters import Filters
from service.screens.room_live import Live
from service.screens.room_rows import Rows
from service.screens.room_view import View
from service.store import Alert, AlertFilter, Order

PAGE = 50
REFRESH_S = 0.5
EMPTY = "No alerts here. Breaches appear the moment they are decided."
EMPTY_NARROWED = "No alert fits this filter."


def room_screen(who: Visitor) -> None:
    """The surveillance room."""
    Room(who).build()


class Room:
    """One open browser window on the surveillance room."""

    def __init__(self, who: Visitor) -> None:
        self.who, self.house = who, who.house
        self.view = View.of(dict(ui.context.client.request.query_params))
        self.newest = self.house.store.last_seq()
        self.live = Live(who)
        self.rows = Rows(self.open, self.newest, self.house.now)
        self.filters = Filters(self.show, self.house.now)
        self.steps = Steps(who, lambda: self.view.alert or self.rows.cursor, self.stepped)
        self.known: object = None
        self.drawn_for = self.allowed
        self.position = -1
        self.standing: Mapping[str, int] = {}
        self.told: tuple[int, int] | None = None
        self.more = False

    @property
    def allowed(self) -> frozenset[str] | None:
        """The tables whose alerts they may see."""
        return self.who.principal.tables_for(Permission.ALERTS_READ)

    def build(self) -> None:
        """Lays out the window and keeps it up to date."""
        with shell(self.who, "/", "room", "alert"), div("room"):
            with div("strip"):
                self.live.build_tabs()
                div("spacer")
                text("button", "Sound", "way").props('id=sound type=button title="Sound on critical alerts"')
                with text("button", "Keys", "way").props("type=button") as keys:
                    text("kbd", "?")
                self.clock = ui.label().classes("clock")
            self.columns = div("columns")
            with self.columns:
                with div("pane feed"):
                    self.filters.build()
                    self.rows.build()
                    self.pager = div("pager")
                with div("pane picture-column"):
                    self.live.build_picture()
                self.detail = div("pane detail")
        for script in ("sound.js", "room_silent.js"):
            add_script(script)
        add_keys(self._keys())
        keys.on("click", lambda _: show_keys(self._keys()))
        ui.on("pitwatch_address", self._address_changed)
        self.rows.cursor = self.view.alert or None
        self._fill_detail()
        self.refresh()
        ui.timer(REFRESH_S, self.refresh)

    def _keys(self) -> tuple[Key, ...]:
        return (
            Key(("j", "ArrowDown"), "next alert", lambda: self.move(1)),
            Key(("k", "ArrowUp"), "alert before it", lambda: self.move(-1)),
            Key(("Enter",), "open it; once more: on its own page", self.enter),
            Key(("Escape",), "close it", lambda: self.show(replace(self.view, alert=0))),
            *self.steps.keys(),
            Key(("o",), "older alerts", self.older),
            Key(("n",), "back to the first page", lambda: self.show(replace(self.view, before=0))),
            Key(("f",), "filter", self.filters.fold),
        )

    # -- what is shown --------------------------------------------------------------------------------------------

    def show(self, view: View, *, remember: bool = True) -> None:
        """Shows another view, and says so in the address."""
        if remember and view != self.view:
            ui.navigate.history.push(view.address)
        opened = view.alert != self.view.alert
        self.view = view
        if opened:
            self._fill_detail()
        self.refresh()

    def _address_changed(self, event: GenericEventArguments) -> None:
        """Somebody went back or forward in the browser."""
        given: Any = event.args
        query = str(given.get("query", "")) if isinstance(given, dict) else ""
        self.show(View.of(dict(QueryParams(query.removeprefix("?")))), remember=False)

    def open(self, seq: int) -> None:
        """Opens an alert."""
        self.rows.choose(seq)
        self.show(replace(self.view, alert=seq))

    def enter(self) -> None:
        """Opens the chosen alert; the one that is open already on its own page."""
        if self.view.alert:
            ui.navigate.to(f"/alerts/{self.view.alert}")
        elif self.rows.cursor is not None:
            self.open(self.rows.cursor)

    def move(self, step: int) -> None:
        """Chooses the alert so many rows on; opens it where one is open. Beyond the last row older ones follow."""
        seq = self.rows.beside(step)
        if seq is None:
            if step > 0 and self.more:
                self.older()
            return
        self.rows.choose(seq)
        if self.view.alert:
            self.view = replace(self.view, alert=seq)
            ui.navigate.history.replace(self.view.address)
            self._fill_detail()

    def older(self) -> None:
        """The next page."""
        if self.more and self.rows.alerts:
            self.rows.choose(None)
            self.show(replace(self.view, before=self.rows.alerts[-1].seq, alert=0))

    def stepped(self) -> None:
        """Shows what a step changed."""
        self._fill_detail()
        self.refresh()

    # -- filling --------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Brings everything up to date that has changed."""
        self.clock.set_text(f"{datetime.now(UTC):%H:%M:%S} UTC")
        self.live.refresh()
        position, allowed = self.house.store.last_position(), self.allowed
        if allowed != self.drawn_for:
            self.drawn_for, self.position = allowed, -1
            self._fill_detail()
        if position != self.position:
            self.standing = self.house.store.by_table(AlertFilter(tables=self.allowed, standing=True))
            self._ring()
            self._follow_opened()
        self.live.fill_tabs(self.standing, self._watch)
        state = (position, self.view, self.filters.unfolded, allowed, self.house.now().date())
        if state != self.known:
            self.known, self.position = state, position
            self._fill_feed()

    def _watch(self, table_id: str) -> None:
        self.live.watch(table_id)
        self.refresh()

    def _fill_feed(self) -> None:
        store, view = self.house.store, self.view
        mine = AlertFilter(tables=self.allowed)
        everyone = replace(view, state="all").wanted(self.allowed)
        self.filters.fill(view, store.counts(everyone), store.choices(mine), self._people())
        wanted = view.wanted(self.allowed)
        found = store.alerts(wanted, limit=PAGE + 1, before_seq=view.before or None, order=Order(view.order))
        self.more = len(found) > PAGE
        self.rows.fill(found[:PAGE], empty=EMPTY_NARROWED if view.narrowed else EMPTY)
        if self.rows.cursor is None and view.before and found:
            self.rows.choose(found[0].seq)
        self.pager.clear()
        with self.pager:
            if view.before:
                newest = text("button", "First page", "link").props("type=button")
                newest.on("click", lambda _: self.show(replace(self.view, before=0)))
            if self.more:
                with text("button", "Older alerts", "link").props("type=button") as more:
                    text("kbd", "o")
                more.on("click", lambda _: self.older())

    def _people(self) -> list[str]:
        return sorted({person.name for person in handlers(self.who)} | {self.who.principal.name})

    def _ring(self) -> None:
        """Sounds for critical alerts that came since the last look, whatever the list is narrowed to."""
        last = self.house.store.last_seq()
        if last <= self.newest:
            return
        new = AlertFilter(tables=self.allowed, severity="critical", after_seq=self.newest)
        if self.house.store.alerts(new, limit=1, oldest_first=True):
            ui.run_javascript("window.pitwatchRing && window.pitwatchRing()")
        self.newest = last

    def _fill_detail(self) -> None:
        seq = self.view.alert
        self.columns.classes(add="opened" if seq else "", remove="" if seq else "opened")
        self.detail.set_visibility(bool(seq))
        self.detail.clear()
        if not seq:
            self.told = None
            return
        with self.detail:
            try:
                alert = self._readable(seq)
            except NotFoundError as error:
                ui.label(str(error)).classes("empty")
                return
            self.told = (seq, len(alert.history))
            self.live.watch(alert.table_id)
            fill_detail(self.who, alert, self.steps, close=lambda: self.show(replace(self.view, alert=0)))

    def _follow_opened(self) -> None:
        """Shows what others did with the alert that is open."""
        if self.told is None or self.told[0] != self.view.alert:
            return
        if len(self.house.store.alert(self.view.alert).history) != self.told[1]:
            self._fill_detail()

    def _readable(self, seq: int) -> Alert:
        """An alert that this person may read; reading it is logged.

        Raises:
            NotFoundError: there is none that they may read.
        """
        alert = self.house.store.alert(seq)
        if not self.who.may(Permission.ALERTS_READ, alert.table_id):
            raise NotFoundError(f"there is no alert {seq}", do="Choose one of the list")
        if self.told is None or self.told[0] != seq:
            self.who.note("alerts.read", f"alert {seq}, on the screen", alert.table_id)
        return alert
