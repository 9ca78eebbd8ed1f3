"""The audit's table: one row a game, table, wager, line, shift or dealer, with its accuracy and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.element import Element

from rules.money import format_cents
from service.audit.questions import By, Row
from service.audit.report import interval, percent
from service.screens.audit_words import name_of
from service.screens.parts import div, text

MOST_ROWS = 250


def fill_table(rows: Sequence[Row], whole: Row, by: By, drill: Callable[[str], object]) -> None:
    """Fills the place that is open.

    Args:
        rows: in the order shown.
        whole: the row of all of them together.
        by: what they are counted by.
        drill: called with the key of a row that was clicked.
    """
    worst = min((row.accuracy.interval[0] for row in rows if row.accuracy.total), default=0.0)
    heads = (by.value, "checked", "undet.", "over", "under", "over $", "under $", "accuracy", "95% interval")
    with Element("table"):
        with Element("thead"), Element("tr"):
            for head in heads:
                text("th", head)
        with Element("tbody"):
            if not rows:
                with Element("tr"):
                    text("td", "No payouts here. Bring rounds in with: pitwatch import", "empty").props("colspan=9")
            for row in rows[:MOST_ROWS]:
                _fill_row(row, by, worst).on("click", lambda _, value=row.key[0]: drill(value))
            if rows:
                _fill_row(whole, by, worst, total=True)
    if len(rows) > MOST_ROWS:
        ui.label(f"{len(rows) - MOST_ROWS} more in the export").classes("audit-note")


def _fill_row(row: Row, by: By, worst: float, *, total: bool = False) -> Element:
    tally, share = row.tally, row.accuracy
    low, high = share.interval
    with Element("tr").classes("total" if total else "") as line:
        with Element("td").classes("name"):
            name = "all" if total else name_of(by, row.key[0])
            text("span", name) if total else text("button", name, "drill").props("type=button")
        for number, kind in (
            (tally.checked, ""),
            (tally.undetermined, "faint"),
            (tally.over, "over"),
            (tally.under, "under"),
        ):
            text("td", f"{number:,}").classes(kind if number else "zero")
        for cents, kind in ((tally.over_cents, "over"), (tally.under_cents, "under")):
            text("td", format_cents(cents)).classes(kind if cents else "zero")
        text("td", percent(share.value if share.total else None))
        with Element("td").classes("whisker-cell"):
            if share.total:
                span = max(1.0 - worst, 1e-9)
                left, width = 100 * (low - worst) / span, 100 * (high - low) / span
                with div("whisker"):
                    div("bar-part").style(f"left:{left:.2f}%;width:{max(width, 0.8):.2f}%")
                    div("dot-part").style(f"left:{100 * (share.value - worst) / span:.2f}%")
    if share.total:
        line.tooltip(f"{interval(row)}%")
    return line
