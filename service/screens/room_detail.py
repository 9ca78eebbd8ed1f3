"""An alert opened beside the feed: enough to decide most of them; the whole of it has a page of its own."""

from __future__ import annotations

from collections.abc import Callable

from service.screens.alert_parts import fill_facts, fill_law, fill_money, fill_shots, fill_state, fill_versus
from service.screens.alert_steps import Steps, fill_history
from service.screens.frame import Visitor, div, link, text
from service.store import Alert
from service.web.api import shown


def fill_detail(who: Visitor, alert: Alert, steps: Steps, *, close: Callable[[], object]) -> None:
    """Fills the place that is open with an alert."""
    raw = shown(alert)
    with div("head"):
        text("h2", f"Alert {alert.seq} · {alert.check_id}")
        with div("act"):
            with link("Whole alert", f"/alerts/{alert.seq}", "link"):
                text("kbd", "Enter")
            text("button", "×", "close").props('type=button aria-label="Close"').on("click", lambda _: close())
    with div("detail-body"):
        with div():
            with div("title-line"):
                text("div", alert.severity, f"severity {alert.severity}")
                fill_state(alert)
            text("div", raw["title"], "detail-title")
        fill_facts(who, alert)
        steps.buttons(alert)
        fill_versus(raw)
        fill_money(raw["owed_cents"], raw["paid_cents"])
        fill_law(raw)
        fill_shots(raw["evidence"])
        text("div", "Steps", "caption")
        fill_history(alert)
