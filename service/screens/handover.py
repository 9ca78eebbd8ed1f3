"""The shift hand-over: what stands open at the end of a shift and what was decided in it; reads well on paper."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlencode

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.screens import words
from service.screens.frame import Visitor, desk, div, link, text
from service.screens.room_view import moment
from service.store import Alert, AlertFilter, Disposition, Handover
from service.web.api import LONGEST_SHIFT

SHIFT = timedelta(hours=8)
NAMES = {"confirm": "confirmed", "dismiss": "dismissed as false", "reopen": "reopened"}


def handover_screen(who: Visitor) -> None:
    """The shift hand-over."""
    asked = ui.context.client.request.query_params
    now = who.house.now()
    until = moment(asked.get("to", "")) or now
    since = moment(asked.get("from", "")) or until - SHIFT
    table_id = asked.get("table", "")[:80]
    about = "What stands open at the end of the shift, and what was decided in it, as it stood then."
    with desk(who, "/handover", "Shift hand-over", about, "alert", "handover"):
        _fill_form(since, until, table_id)
        if not timedelta(0) < until - since <= LONGEST_SHIFT:
            text("div", "A shift begins before it ends and lasts a week at most. Correct the times.", "said wrong")
            return
        who.note("alerts.handover", f"{since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC, on the screen")
        wanted = AlertFilter(table_id=table_id or None, tables=who.principal.tables_for(Permission.ALERTS_READ))
        found = who.house.store.handover(since, until, wanted)
        text(
            "div",
            f"Shift from {since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC{f', table {table_id}' if table_id else ''}, printed for {who.principal.name}",
            "printed",
        )
        _fill_figures(found)
        _fill_open(found)
        _fill_decided(found)
        with div("signatures"):
            text("div", "Handed over by, signature")
            text("div", "Taken over by, signature")


def _fill_form(since: datetime, until: datetime, table_id: str) -> None:
    with Element("form").props("method=get action=/handover").classes("handover-form noprint"):
        for name, label, value in (("from", "Shift began (UTC)", since), ("to", "ended (UTC)", until)):
            with Element("label"):
                text("span", label, "caption")
                Element("input").props(f'type=datetime-local name={name} value="{value:%Y-%m-%dT%H:%M}"').classes(
                    "plain-field"
                )
        with Element("label"):
            text("span", "Only table", "caption")
            table = Element("input").props("name=table placeholder=all maxlength=80").classes("plain-field")
            table.props["value"] = table_id
        text("button", "Show", "plain").props("type=submit")
        text("button", "Print", "plain").props("type=button").on("click", js_handler="() => window.print()")
        query = urlencode(
            {"from_utc": since.isoformat(), "to_utc": until.isoformat()} | ({"table_id": table_id} if table_id else {})
        )
        link("As JSON", f"/api/handover?{query}", "link")


def _fill_figures(found: Handover) -> None:
    steps = [step.action.value for _, step in found.decided]
    figures = (
        (found.raised, "raised in the shift"), (len(found.open) + found.left_out, "stand open"),
        (steps.count("confirm"), "confirmed"), (steps.count("dismiss"), "dismissed as false"), (steps.count("reopen"), "reopened"),
    )  # fmt: skip
    with div("handover-figures"):
        for number, said in figures:
            with div():
                text("b", f"{number:,}")
                text("div", said)


def _fill_open(found: Handover) -> None:
    text("h2", "Open, most severe first")
    _table(
        ("Alert", "Raised", "Table", "What", "State", "For"),
        [_open_row(alert) for alert in found.open],
        "Nothing stands open.",
    )
    if found.left_out:
        text("div", f"{found.left_out:,} more have no room in this list; narrow it to a table.", "said wrong")


def _open_row(alert: Alert) -> tuple[str, ...]:
    last = alert.history[-1] if alert.history else None
    said = words.title(alert.finding) + (f" ({last.by}: {last.reason})" if last is not None and last.reason else "")
    return (f"#{alert.seq}", _raised(alert), alert.table_id, f"{alert.severity} · {said} · {words.section(alert.finding['citation'])}", str(alert.status), alert.assignee or "")  # fmt: skip


def _raised(alert: Alert) -> str:
    """When it was raised, with the place in the recording where it was seen in one."""
    place = "" if alert.origin == "live" else f", recording {words.clock(alert.finding['t_s'])}"
    return f"{words.utc(alert.raised_utc)} UTC{place}"


def _fill_decided(found: Handover) -> None:
    text("h2", "Decided in the shift")
    rows = [_decided_row(alert, step) for alert, step in found.decided]
    _table(("Alert", "When", "Table", "What", "Decided", "By"), rows, "Nothing was decided.")


def _decided_row(alert: Alert, step: Disposition) -> tuple[str, ...]:
    said = f"{words.title(alert.finding)} · {words.section(alert.finding['citation'])}"
    decided = f"{NAMES[step.action.value]}: {step.reason}"
    return f"#{alert.seq}", f"{words.utc(step.at_utc)} UTC", alert.table_id, said, decided, step.by


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]], empty: str) -> None:
    with div("list"), Element("table"):
        with Element("thead"), Element("tr"):
            for head in heads:
                text("th", head)
        with Element("tbody"):
            for row in rows:
                with Element("tr"):
                    with Element("td").classes("number"):
                        link(row[0], f"/alerts/{row[0].removeprefix('#')}", "link")
                    for number, cell in enumerate(row[1:], start=1):
                        text("td", cell, "wrap" if number in (3, 4) else "when")
            if not rows:
                with Element("tr"):
                    text("td", empty, "quiet").props(f"colspan={len(heads)}")
