"""The first screen: the alert feed, the table as it is seen, and an alert opened."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.api import shown
from service.errors import ServiceError
from service.live import LiveTable
from service.screens import words
from service.screens.frame import Visitor, div, shell, text
from service.store import CLOSED, Alert, AlertFilter, Status

SHOWN_ROWS = 100
REFRESH_S = 0.5
FILTERS = ("all", "open", "critical", "live")
PICTURE_LOOP = """
<script>
(function () {
  function next() {
    const shown = document.getElementById("live-picture"), table = window.pitwatchTable;
    if (!shown || !table || document.hidden) { setTimeout(next, 400); return; }
    const coming = new Image();
    coming.onload = function () { shown.src = coming.src; setTimeout(next, 200); };
    coming.onerror = function () { setTimeout(next, 1000); };
    coming.src = "/api/tables/" + encodeURIComponent(table) + "/picture.jpg?width=1280&at=" + Date.now();
  }
  next();
})();
</script>
"""


def room_screen(who: Visitor) -> None:
    """The surveillance room."""
    Room(who).build()


class Room:
    """One open browser window on the surveillance room."""

    def __init__(self, who: Visitor) -> None:
        self.who, self.house, self.principal = who, who.house, who.principal
        self.table_id = next(iter(self.tables), None)
        self.filter = "all"
        self.opened: int | None = None
        self.newest = self.house.store.last_seq()
        self.known: object = None

    @property
    def tables(self) -> dict[str, LiveTable]:
        """The live tables that this person may see."""
        return {
            name: table for name, table in self.house.tables.items() if self.principal.may(Permission.TABLES_READ, name)
        }

    def build(self) -> None:
        """Lays out the window and keeps it up to date."""
        ui.add_body_html(PICTURE_LOOP)
        with shell(self.who, "/", "room"), div("room"):
            self.bar = div("strip")
            self.columns = div("columns")
            with self.columns:
                with div("pane feed"):
                    self.feed_head = div("head")
                    self.rows = div("rows")
                with div("pane picture-column"):
                    with div("picture-head"):
                        self.title = ui.label().classes("picture-title")
                        self.state = ui.label().classes("picture-state")
                    self.frame = div("picture-frame")
                    with self.frame:
                        Element("img").props('id="live-picture" alt="the table as it is seen"')
                    self.ticker = div("ticker")
                self.detail = div("pane detail")
        self.detail.set_visibility(False)
        self.frame.set_visibility(bool(self.tables))
        self.choose_table(self.table_id)
        self.refresh()
        ui.timer(REFRESH_S, self.refresh)

    def refresh(self) -> None:
        """Brings everything up to date that has changed."""
        self._fill_state()
        state = (self.house.store.last_position(), self.filter, self.opened, self.table_id)
        if state != self.known:
            self.known = state
            self._fill_bar()
            self._fill_feed()

    def choose_table(self, table_id: str | None) -> None:
        """Shows another table's picture."""
        self.table_id = table_id
        ui.run_javascript(f"window.pitwatchTable = {table_id!r};" if table_id else "window.pitwatchTable = null;")
        self.refresh()

    def choose_filter(self, name: str) -> None:
        """Shows other alerts."""
        self.filter = name
        self.refresh()

    def open(self, seq: int | None) -> None:
        """Opens an alert, or none."""
        self.opened = seq
        self.columns.classes(add="opened" if seq else "", remove="" if seq else "opened")
        self.detail.set_visibility(seq is not None)
        self.detail.clear()
        if seq is not None:
            with self.detail:
                alert = self.house.store.alert(seq)
                self.who.note("alerts.read", f"alert {seq}, on the screen", alert.table_id)
                self._fill_detail(alert)
        self.refresh()

    def dispose(self, seq: int, status: Status, reason: str) -> None:
        """Records a decision and shows it, or says why it cannot be recorded."""
        try:
            table_id = self.house.store.alert(seq).table_id
            who = self.who.now(Permission.ALERTS_HANDLE, table_id)
            self.house.store.dispose(seq, status, reason=reason, by=who.signature, at_utc=self.house.now())
            self.who.note("alerts.handle", f"alert {seq}: {status}", table_id)
        except ServiceError as error:
            ui.notify(str(error), type="warning", position="bottom-right")
            return
        self.open(seq)

    def _wanted(self) -> AlertFilter:
        return AlertFilter(
            tables=self.principal.tables_for(Permission.ALERTS_READ),
            status=Status.OPEN if self.filter == "open" else None,
            severity="critical" if self.filter == "critical" else None,
            origin="live" if self.filter == "live" else None,
        )

    def _fill_bar(self) -> None:
        self.bar.clear()
        counts = self.house.store.count(AlertFilter(tables=self.principal.tables_for(Permission.ALERTS_READ)))
        with self.bar:
            for table in self.tables.values():
                with div("tab on" if table.table_id == self.table_id else "tab") as tab:
                    div(f"dot {table.state}")
                    ui.label(table.table_id)
                tab.on("click", lambda _, name=table.table_id: self.choose_table(name))
            div("spacer")
            for status, kind in ((Status.OPEN, "critical"), (Status.CONFIRMED, ""), (Status.DISMISSED, "")):
                with div(f"figure {kind if counts[status] else ''}"):
                    text("b", str(counts[status]))
                    ui.label(str(status))
            self.clock = ui.label().classes("clock")

    def _fill_state(self) -> None:
        now = f"{datetime.now(UTC):%H:%M:%S} UTC"
        if hasattr(self, "clock"):
            self.clock.set_text(now)
        table = self.tables.get(self.table_id or "")
        if table is None:
            self.title.set_text("No live table")
            self.state.set_text("Recordings only. To watch a table live: pitwatch serve --table table.yaml")
            return
        about = table.about()
        self.title.set_text(f"{about['table_id']} · {about['game'].replace('_', ' ').title()}")
        self.state.set_text(
            about["detail"]
            or f"{about['state']} · {words.clock(about['t_s'])} · {words.counted(about['rounds'], 'round')} closed"
        )
        self._fill_ticker(table.last_events())

    def _fill_ticker(self, events: list[dict[str, Any]]) -> None:
        if getattr(self, "ticked", None) == events:
            return
        self.ticked = events
        self.ticker.clear()
        with self.ticker:
            ui.label("Seen last").classes("caption")
            for raw in reversed(events):
                kind, said = words.event(raw)
                with div("tick"):
                    for one in (words.clock(raw["t_s"]), kind, said):
                        text("span", one)

    def _fill_feed(self) -> None:
        self.feed_head.clear()
        with self.feed_head:
            text("h2", "Alerts")
            with div("filters"):
                for name in FILTERS:
                    chip = text("div", name).classes("filter on" if name == self.filter else "filter")
                    chip.on("click", lambda _, chosen=name: self.choose_filter(chosen))
        alerts = self.house.store.alerts(self._wanted(), limit=SHOWN_ROWS)
        self.rows.clear()
        with self.rows:
            if not alerts:
                ui.label("No alerts here. Breaches appear the moment they are decided.").classes("empty")
            for alert in alerts:
                self._fill_row(alert)
        self.newest = max(self.newest, self.house.store.last_seq())

    def _fill_row(self, alert: Alert) -> None:
        finding = alert.finding
        state = " closed" if alert.status in CLOSED else ""
        state += " on" if alert.seq == self.opened else ""
        state += " fresh" if alert.seq > self.newest else ""
        with div(f"row-alert {alert.severity}{state}") as row:
            with div("row-top"):
                text("div", alert.severity).classes(f"severity {alert.severity}")
                text(
                    "div",
                    f"{alert.raised_utc[11:19]} UTC"
                    if alert.origin == "live"
                    else f"recording {words.clock(finding['t_s'])}",
                )
            text("div", words.title(finding)).classes("row-text")
            with div("row-foot"):
                text("div", " · ".join([alert.table_id] + ([f"seat {finding['seat']}"] if finding["seat"] else [])))
                text("div", str(alert.status) if alert.status in CLOSED else words.section(finding["citation"]))
        row.on("click", lambda _, seq=alert.seq: self.open(seq))

    def _fill_detail(self, alert: Alert) -> None:
        raw = shown(alert)
        with div("head"):
            text("h2", f"Alert {alert.seq} · {alert.check_id}")
            text("div", "×").classes("close").on("click", lambda _: self.open(None))
        with div("detail-body"):
            with div(""):
                text("div", alert.severity).classes(f"severity {alert.severity}")
                text("div", raw["title"]).classes("detail-title")
            with div("facts"):
                place = f"seat {raw['seat']}" if raw["seat"] else "whole table"
                for fact in (
                    raw["table_id"],
                    f"round {raw['round_id'].rpartition('-r')[2].lstrip('0') or raw['round_id']}",
                    place,
                    f"at {words.clock(raw['t_s'])}",
                    alert.origin,
                    f"certainty {raw['confidence']:.0%}",
                ):
                    text("div", fact)
            with div("versus"):
                for caption, said in (("Expected", raw["expected"]), ("Seen", raw["seen"])):
                    with div(""):
                        text("div", caption).classes("caption")
                        text("div", said).classes("said")
            if raw["owed_cents"] is not None:
                _fill_money(raw["owed_cents"], raw["paid_cents"])
            with div("law"):
                text("div", raw["citation"]).classes("cited")
                if raw["law"]:
                    text("div", raw["law"]).classes("sentence")
                if raw["consequence"]:
                    text("div", f"Consequence: {raw['consequence']}").classes("then")
            self._fill_decision(alert)
            with div("shots"):
                _fill_shots(raw["evidence"])

    def _fill_decision(self, alert: Alert) -> None:
        if alert.status in CLOSED:
            last = alert.history[-1]
            text("div", f"{last.status} by {last.by}, {last.at_utc[:16].replace('T', ' ')} UTC: {last.reason}").classes(
                "closed-note"
            )
            return
        if not self.principal.may(Permission.ALERTS_HANDLE, alert.table_id):
            return
        reason = ui.input(placeholder="Reason").props("borderless dense").classes("reason")
        with div("act"):
            for name, status in (("Confirm breach", Status.CONFIRMED), ("Dismiss as false", Status.DISMISSED)):
                button = text("button", name).classes("plain confirm" if status is Status.CONFIRMED else "plain")
                button.on("click", lambda _, chosen=status: self.dispose(alert.seq, chosen, reason.value or ""))


def _fill_money(owed_cents: int, paid_cents: int | None) -> None:
    with div("money"):
        difference = None if paid_cents is None else paid_cents - owed_cents
        for caption, cents, kind in (
            ("Owed", owed_cents, ""),
            ("Paid", paid_cents, ""),
            ("Difference", difference, "off"),
        ):
            with div(""):
                text("div", caption).classes("caption")
                text("div", words.dollars(cents)).classes(f"sum {kind}")


def _fill_shots(evidence: list[dict[str, str]]) -> None:
    """Close-ups in order of time, then the whole table at the last moment; each leads to its full size."""
    close = [item for item in evidence if item["name"].endswith("_close.jpg")]
    whole = [item for item in evidence if item["name"].endswith("_marked.jpg")][-1:]
    for item in close + whole:
        with div("shot wide" if item in whole or len(close) == 1 else "shot") as shot:
            picture = Element("img").props('loading="lazy"')
            picture.props["src"], picture.props["alt"] = item["url"], item["caption"]
            text("div", item["caption"]).classes("caption")
        shot.on("click", lambda _, url=item["url"].replace("_close.jpg", "_marked.jpg"): _enlarge(url))


def _enlarge(url: str) -> None:
    with ui.dialog(value=True) as dialog, div("large") as frame:
        Element("img").props(f'src="{url}"')
    frame.on("click", dialog.close)
