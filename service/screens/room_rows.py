"""The list of alerts: one row an incident, the chosen one marked; only what changed is drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime

from nicegui import ui
from nicegui.element import Element

from service.screens import words
from service.screens.alert_parts import when
from service.screens.parts import div, text
from service.store import CLOSED, Alert, Status


class Rows:
    """The rows.

    Args:
        open_alert: called with the number of an alert that was clicked.
        newest: alerts with a larger number are new on this page.
        now: the wall clock.
    """

    def __init__(self, open_alert: Callable[[int], object], newest: int, now: Callable[[], datetime]) -> None:
        self.open_alert, self.newest, self.now = open_alert, newest, now
        self.alerts: list[Alert] = []
        self.shown: dict[int, Element] = {}
        self.cursor: int | None = None
        self.known: object = None

    def build(self) -> None:
        """Makes the place for them."""
        self.box = div("rows").props('role=list aria-label="Alerts"')

    def fill(self, alerts: Sequence[Alert], *, empty: str) -> None:
        """Shows these alerts, the chosen one still chosen where it is among them."""
        today = self.now().date()
        key = ([(one.seq, one.status, one.assignee, one.sightings) for one in alerts], empty, today)
        self.alerts = list(alerts)
        if key == self.known:
            return
        self.known = key
        self.box.clear()
        with self.box:
            if not alerts:
                ui.label(empty).classes("empty")
            self.shown = {one.seq: self._row(one, today) for one in alerts}
        self.newest = max([self.newest, *(one.seq for one in alerts)])

    def choose(self, seq: int | None) -> None:
        """Marks another row, and brings it into view."""
        for number, on in ((self.cursor, False), (seq, True)):
            if number in self.shown:
                self.shown[number].classes(add="on" if on else "", remove="" if on else "on")
        self.cursor = seq
        if seq in self.shown:
            row = self.shown[seq].html_id
            ui.run_javascript(f"document.getElementById('{row}')?.scrollIntoView({{block: 'nearest'}})")

    def beside(self, step: int) -> int | None:
        """The alert so many rows on from the chosen one; the first where none is chosen; None beyond either end."""
        numbers = [one.seq for one in self.alerts]
        if self.cursor not in numbers:
            return numbers[0] if numbers else None
        at = numbers.index(self.cursor) + step
        return numbers[at] if 0 <= at < len(numbers) else None

    def _row(self, alert: Alert, today: date) -> Element:
        finding = alert.finding
        kind = f"row-alert {alert.severity}" + (" closed" if alert.status in CLOSED else "")
        kind += (" on" if alert.seq == self.cursor else "") + (" fresh" if alert.seq > self.newest else "")
        with div(kind).props(f'role=listitem data-alert="{alert.seq}"') as row:
            with div("row-top"):
                text("div", alert.severity, f"severity {alert.severity}")
                with div("row-tags"):
                    if alert.sightings > 1:
                        text("span", f"×{alert.sightings}", "times").props["title"] = "runs that saw this incident"
                    if alert.status is not Status.OPEN:
                        text("span", str(alert.status), f"tag state-{alert.status}")
                    if alert.assignee:
                        text("span", alert.assignee, "tag")
                    text("span", when(alert, today))
            text("div", words.title(finding), "row-text")
            with div("row-foot"):
                text("div", " · ".join([alert.table_id] + ([f"seat {finding['seat']}"] if finding["seat"] else [])))
                text("div", words.section(finding["citation"]))
        row.on("click", lambda _, seq=alert.seq: self.open_alert(seq))
        return row
