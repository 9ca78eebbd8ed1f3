"""The audit's figures: what a scope comes to, and the trend of mispayments by day."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from rules.money import format_cents
from service.audit.questions import Row, Trend
from service.audit.report import AMOUNTS, interval, percent
from service.screens.parts import div, text


def fill_figures(whole: Row, undated: str) -> None:
    """Fills the place that is open with what a scope comes to, and what is to be said of rounds of no known day."""
    tally, share = whole.tally, whole.accuracy
    boxes = (
        (f"{whole.rounds:,}", ", ".join(filter(None, ("rounds", undated))), ""),
        (f"{tally.checked:,}", "payouts checked", ""),
        (f"{tally.undetermined:,}", "undetermined", ""),
        (
            percent(share.value if share.total else None),
            f"right, {interval(whole)}%" if share.total else "right",
            "good",
        ),
        (f"{tally.over:,}", f"paid over: ${format_cents(tally.over_cents)}", "over" if tally.over else ""),
        (f"{tally.under:,}", f"paid under: ${format_cents(tally.under_cents)}", "under" if tally.under else ""),
    )
    for number, said, kind in boxes:
        with div(f"audit-figure {kind}"):
            text("b", number)
            ui.label(said)


def span(whole: Row) -> str:
    """What was staked and paid, in a line."""
    tally = whole.tally
    unpriced = f" · {tally.unpriced:,} of unknown amount" if tally.unpriced else ""
    sums = f"staked ${format_cents(tally.staked_cents)} · paid ${format_cents(tally.paid_cents)}{unpriced}"
    return f"{sums} · {AMOUNTS}"


def chart_options(trend: Trend) -> dict[str, Any]:
    """The trend as ECharts draws it: mispayments in 1,000, the rate of all days, and the limits."""
    points = [point for point in trend.points if point.tally.checked]

    def scaled(count: float, checked: int) -> float:
        return round(1000 * count / checked, 4)

    values = [
        {
            "value": scaled(p.tally.mispaid, p.tally.checked),
            "symbolSize": 9 if p.is_out else 5,
            "itemStyle": {"color": "#e5534b" if p.is_out else "#5f9bd1"},
        }
        for p in points
    ]
    limit = {
        "type": "line",
        "step": "middle",
        "symbol": "none",
        "silent": True,
        "lineStyle": {"color": "#d9a441", "type": "dashed", "width": 1},
    }
    axis = {"axisLine": {"lineStyle": {"color": "#33404c"}}, "axisLabel": {"color": "#8593a1", "fontSize": 11}}
    return {
        "animation": False,
        "grid": {"left": 44, "right": 16, "top": 14, "bottom": 26},
        "tooltip": {"trigger": "axis", "backgroundColor": "#171d24", "borderColor": "#33404c", "textStyle": {"color": "#d6dde4", "fontSize": 12}},
        "xAxis": {"type": "category", "data": [p.day[5:] for p in points], **axis},
        "yAxis": {"type": "value", "min": 0, "splitLine": {"lineStyle": {"color": "#1c242c"}}, **axis},
        "series": [
            {"name": "upper limit", "data": [scaled(p.limits.high, p.tally.checked) for p in points], **limit},
            {"name": "lower limit", "data": [scaled(p.limits.low, p.tally.checked) for p in points], **limit},
            {"name": "all days", "type": "line", "symbol": "none", "data": [round(1000 * trend.centre, 4)] * len(points), "lineStyle": {"color": "#5b6874", "width": 1}},
            {"name": "mispayments in 1,000", "type": "line", "data": values, "lineStyle": {"color": "#5f9bd1", "width": 1.5}},
        ],
    }  # fmt: skip
