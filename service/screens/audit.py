"""The auditor's page: how accurate the payouts were, filtered, drilled down to the round, and exported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from nicegui import run, ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from rules.money import format_cents
from service.access.roles import Permission, Principal
from service.audit.exceptions import Exceptional, Exceptions
from service.audit.questions import By, Questions, Row, Scope, Trend, limited, read_days
from service.audit.reconciling import Reconciliation, reconcile, recount
from service.audit.report import interval, percent
from service.errors import ServiceError
from service.house import House
from service.screens.audit_round import fill_round
from service.screens.audit_samples import SamplesPane
from service.screens.words import counted

STYLE = Path(__file__).with_name("room.css").read_text(encoding="utf-8") + Path(__file__).with_name("audit.css").read_text(encoding="utf-8")  # fmt: skip
GROUPS = (By.GAME, By.TABLE, By.WAGER, By.LINE, By.SHIFT, By.DEALER)
FILTERS = {
    By.TABLE: "tables",
    By.GAME: "games",
    By.WAGER: "wagers",
    By.LINE: "lines",
    By.SHIFT: "shifts",
    By.DEALER: "dealers",
}
PARAMETERS = {
    "first": "from",
    "last": "to",
    "tables": "table",
    "games": "game",
    "wagers": "wager",
    "lines": "line",
    "shifts": "shift",
    "dealers": "dealer",
}
MOST_ROWS = 250
PAGE = 60


class AuditPage:
    """One open browser window on the audit."""

    def __init__(self, house: House, principal: Principal, address: str) -> None:
        self.house, self.principal, self.address = house, principal, address
        self.questions: Questions = house.questions
        self.exceptions = Exceptions(house.questions)
        self.scope, self.by, self.order = Scope(), By.GAME, "key"
        self.undetermined = False

    def build(self) -> None:
        """Lays out the window and fills it."""
        ui.add_css(STYLE)
        self.house.seen.refresh(self.house.now())
        choices = self.questions.choices()
        with _div("audit"):
            with _div("bar"):
                ui.label("PITWATCH").classes("brand")
                _link("Alerts", "/").classes("tab")
                _link("Payout audit", "/audit").classes("tab on")
                _div("spacer")
                self.span = ui.label().classes("clock")
                ui.label(self.principal.name).classes("clock")
            with _div("audit-filters"):
                self._build_filters(choices)
            with _div("audit-columns"):
                with _div("audit-main"):
                    self.figures = _div("audit-figures")
                    with _div("audit-card"):
                        with _div("head"):
                            _text("h2", "Mispayments in 1,000 payouts, by day")
                            self.odd = ui.label().classes("audit-note")
                        self.chart = ui.echart({"series": []}).classes("audit-chart")
                    with _div("audit-card grow"):
                        with _div("head"):
                            with _div("filters") as self.groups:
                                pass
                            self.books = _div("audit-books")
                        self.table = _div("audit-table")
                with _div("audit-side"):
                    with _div("head"), _div("filters") as self.tabs:
                        pass
                    self.side = _div("audit-list")
        self.samples = SamplesPane(self)
        self.tab = "mispayments"
        ui.timer(0.01, self.refresh, once=True)

    def _build_filters(self, choices: dict[By, list[str]]) -> None:
        allowed = self.principal.tables_for(Permission.AUDIT_READ)
        if allowed is not None:
            choices[By.TABLE] = [name for name in choices[By.TABLE] if name in allowed]
        days = choices[By.DAY]
        for name, label, value in (
            ("first", "from", days[0] if days else ""),
            ("last", "to", days[-1] if days else ""),
        ):
            entry = ui.input(label, value=value).props("dense outlined type=date stack-label").classes("audit-date")
            entry.on_value_change(lambda event, field=name: self.choose(**{field: event.value or ""}))
            days_given: dict[str, Any] = {name: value}
            self.scope = replace(self.scope, **days_given)
        self.selects: dict[By, Any] = {}
        for by, field in FILTERS.items():
            labels = {value: _name(by, value) for value in choices[by]}
            select = ui.select(labels, multiple=True, label=by.value, value=[], with_input=len(labels) > 12)
            select.props("dense outlined clearable options-dense stack-label").classes(f"audit-select pick-{by}")
            select.on_value_change(lambda event, name=field: self.choose(**{name: tuple(event.value or ())}))
            self.selects[by] = select
        _div("spacer")
        if self.principal.may(Permission.AUDIT_EXPORT):
            with _div("audit-exports"):
                self.exports = {
                    name: _link(name, "#").classes("plain small")
                    for name in ("PDF report", "CSV", "Parquet", "Mispayments CSV")
                }
        else:
            self.exports = {}

    @property
    def allowed(self) -> Scope:
        """The scope within what this person may see."""
        return limited(self.scope, self.principal.tables_for(Permission.AUDIT_READ))

    async def choose(self, **changes: Any) -> None:
        """Changes the filters; an impossible pair of days is said and not taken."""
        changed = replace(self.scope, **changes)
        try:
            read_days(changed.first, changed.last)
        except ServiceError as error:
            ui.notify(str(error), type="warning", position="bottom-right")
            return
        self.scope = changed
        await self.refresh()

    async def group(self, by: By) -> None:
        """Counts by another property."""
        self.by = by
        await self.refresh()

    async def show_tab(self, name: str) -> None:
        """Shows another list at the side."""
        self.tab, self.undetermined = name, name == "undetermined"
        await self.refresh()

    async def refresh(self) -> None:
        """Asks everything again and shows it."""
        scope, by = self.allowed, self.by
        whole, rows, trend, books = await run.io_bound(self._ask, scope, by)
        self._fill_figures(whole)
        self._fill_chart(trend)
        self._fill_groups()
        self._fill_books(books)
        self._fill_table(rows, whole)
        self._fill_exports()
        await self.fill_side()

    def _ask(self, scope: Scope, by: By) -> tuple[Row, list[Row], Trend, Reconciliation]:
        rows = self.questions.table(scope, (by,))
        return self.questions.whole(scope), rows, self.questions.trend(scope), reconcile(self.questions, scope, rows)

    # -- the main column ------------------------------------------------------------------------------------------

    def _fill_figures(self, whole: Row) -> None:
        tally, share = whole.tally, whole.accuracy
        self.figures.clear()
        boxes = (
            (f"{whole.rounds:,}", "rounds", ""),
            (f"{tally.checked:,}", "payouts checked", ""),
            (f"{tally.undetermined:,}", "undetermined", ""),
            (percent(share.value if share.total else None), f"right, {interval(whole)}", "good"),
            (f"{tally.over:,}", f"paid over: ${format_cents(tally.over_cents)}", "over" if tally.over else ""),
            (f"{tally.under:,}", f"paid under: ${format_cents(tally.under_cents)}", "under" if tally.under else ""),
        )
        with self.figures:
            for number, said, kind in boxes:
                with _div(f"audit-figure {kind}"):
                    _text("b", number)
                    ui.label(said)
        unpriced = f" · {tally.unpriced:,} of unknown amount" if tally.unpriced else ""
        self.span.set_text(
            f"staked ${format_cents(tally.staked_cents)} · paid ${format_cents(tally.paid_cents)}{unpriced}"
        )

    def _fill_chart(self, trend: Trend) -> None:
        self.chart.options.clear()
        self.chart.options.update(chart_options(trend))
        self.chart.update()
        odd = sum(point.is_out for point in trend.points)
        centre = f"{1000 * trend.centre:.2f} in 1,000 over all days"
        self.odd.set_text(f"{centre} · {counted(odd, 'day') if odd else 'no day'} beyond the limits")
        self.odd.classes(add="off" if odd else "", remove="" if odd else "off")

    def _fill_groups(self) -> None:
        self.groups.clear()
        with self.groups:
            for by in GROUPS:
                chip = _text("div", by.value).classes("filter on" if by is self.by else "filter")
                chip.on("click", lambda _, chosen=by: self.group(chosen))

    def _fill_books(self, books: Reconciliation) -> None:
        self.books.clear()
        with self.books:
            ways = len(books.accounts)
            said = f"totals added up in {ways} ways agree" if books.agrees else "TOTALS DO NOT AGREE"
            _text("div", said).classes("agree" if books.agrees else "disagree")
            _text("button", "recount").classes("plain small").on("click", self._recount)
        if not books.agrees:
            ui.notify("; ".join(books.disagreements), type="negative", position="bottom-right", timeout=0)

    async def _recount(self) -> None:
        ui.notify("Adding up every payout again ...", position="bottom-right")
        by = self.principal.signature
        found = await run.io_bound(lambda: recount(self.questions, self.allowed, now=self.house.now(), by=by))
        said = (
            f"{found.accounts[0].tally.wagers:,} payouts added up again: all agree"
            if found.agrees
            else "; ".join(found.disagreements)
        )
        ui.notify(
            said,
            type="positive" if found.agrees else "negative",
            position="bottom-right",
            timeout=8000 if found.agrees else 0,
        )

    def _fill_table(self, rows: Sequence[Row], whole: Row) -> None:
        worst = min((row.accuracy.interval[0] for row in rows if row.accuracy.total), default=0.0)
        self.table.clear()
        heads = (self.by.value, "checked", "undet.", "over", "under", "over $", "under $", "accuracy", "95% interval")
        with self.table, Element("table"):
            with Element("thead"), Element("tr"):
                for head in heads:
                    _text("th", head)
            with Element("tbody"):
                if not rows:
                    with Element("tr"):
                        _text("td", "No payouts here. Bring rounds in with: pitwatch import").props(
                            "colspan=9"
                        ).classes("empty")
                for row in rows[:MOST_ROWS]:
                    self._fill_row(row, worst)
                if rows:
                    self._fill_row(whole, worst, total=True)
        if len(rows) > MOST_ROWS:
            with self.table:
                ui.label(f"{len(rows) - MOST_ROWS} more in the export").classes("audit-note")

    def _fill_row(self, row: Row, worst: float, *, total: bool = False) -> None:
        tally, share = row.tally, row.accuracy
        low, high = share.interval
        with Element("tr").classes("total" if total else "") as line:
            _text("td", "all" if total else _name(self.by, row.key[0])).classes("name")
            for number, kind in (
                (tally.checked, ""),
                (tally.undetermined, "faint"),
                (tally.over, "over"),
                (tally.under, "under"),
            ):
                _text("td", f"{number:,}").classes(kind if number else "zero")
            for cents, kind in ((tally.over_cents, "over"), (tally.under_cents, "under")):
                _text("td", format_cents(cents)).classes(kind if cents else "zero")
            _text("td", percent(share.value if share.total else None))
            with Element("td").classes("whisker-cell"):
                if share.total:
                    span = max(1.0 - worst, 1e-9)
                    left, width = 100 * (low - worst) / span, 100 * (high - low) / span
                    with _div("whisker"):
                        _div("bar-part").style(f"left:{left:.2f}%;width:{max(width, 0.8):.2f}%")
                        _div("dot-part").style(f"left:{100 * (share.value - worst) / span:.2f}%")
        line.tooltip(f"{interval(row)} %")
        if not total:
            line.on("click", lambda _, value=row.key[0]: self.drill(value))

    async def drill(self, value: str) -> None:
        """Filters by a row that was clicked; a second click takes the filter away."""
        field = FILTERS[self.by]
        chosen = () if getattr(self.scope, field) == (value,) else (value,)
        self.selects[self.by].set_value(list(chosen))

    def _fill_exports(self) -> None:
        pairs = [
            (PARAMETERS[name], value)
            for name, given in self.scope.as_json().items()
            for value in ([given] if isinstance(given, str) else given)
        ]
        plain, grouped = urlencode(pairs), urlencode([*pairs, ("by", self.by.value)])
        targets = {
            "PDF report": f"report.pdf?{plain}", "CSV": f"accuracy.csv?{grouped}", "Parquet": f"accuracy.parquet?{grouped}",
            "Mispayments CSV": f"mispayments.csv?{plain}",
        }  # fmt: skip
        for name, link in self.exports.items():
            link.props["href"] = f"/api/audit/export/{targets[name]}"
            link.update()

    # -- the side -------------------------------------------------------------------------------------------------

    async def fill_side(self) -> None:
        """Fills the list at the side."""
        self.tabs.clear()
        with self.tabs:
            for name in ("mispayments", "undetermined", "samples"):
                chip = _text("div", name).classes("filter on" if name == self.tab else "filter")
                chip.on("click", lambda _, chosen=name: self.show_tab(chosen))
        self.side.clear()
        if self.tab == "samples":
            with self.side:
                await self.samples.build()
            return
        await self.more("")

    async def more(self, before: str) -> None:
        """Adds a page of mispayments to the list."""
        scope, undetermined = self.allowed, self.undetermined
        page = await run.io_bound(
            lambda: self.exceptions.page(scope, undetermined=undetermined, before=before, limit=PAGE + 1)
        )
        with self.side:
            if not page and not before:
                ui.label("None here.").classes("empty")
            for one in page[:PAGE]:
                self._fill_mispayment(one)
            if len(page) > PAGE:
                button = _text("button", "older").classes("plain older")

                async def go_on() -> None:
                    button.delete()
                    await self.more(page[PAGE - 1].key)

                button.on("click", go_on)

    def _fill_mispayment(self, one: Exceptional) -> None:
        off = one.difference_cents
        kind = "unknown" if off is None else "over" if off > 0 else "under" if off < 0 else "unknown"
        with _div(f"mispaid {kind}") as row:
            with _div("row-top"):
                _text("div", f"{one.day} · {one.at_utc[11:16]} UTC · {one.shift}")
                _text("div", f"dealer {one.dealer or 'not known'}")
            with _div("mispaid-what"):
                _text("div", f"{one.table_id} · {_name(By.WAGER, one.wager)}, seat {one.seat}")
                _text("div", _signed(off)).classes("amount")
            with _div("row-foot"):
                _text("div", f"{one.line} on {_money(one.staked_cents)}")
                _text("div", f"owed {_money(one.owed_cents)}, paid {_money(one.paid_cents)}")
        row.on("click", lambda _, seq=one.round_seq: self.open_round(seq))

    async def open_round(self, round_seq: int, back: Callable[[], Any] | None = None) -> None:
        """Opens a round at the side."""
        detail = await run.io_bound(self.exceptions.round, round_seq)
        if not self.principal.may(Permission.AUDIT_READ, detail.table_id):
            return
        self.house.access.note(self.principal, "audit.read", f"round {round_seq}", address=self.address)
        self.side.clear()
        with self.side:
            _text("button", "back to the list").classes("plain small back").on("click", back or self.fill_side)
            fill_round(self.house, detail)


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


def _name(by: By, value: str) -> str:
    if by in (By.GAME, By.WAGER):
        return value.replace("_", " ")
    return value or "not known"


def _money(cents: int | None) -> str:
    return "unknown" if cents is None else f"${format_cents(cents)}"


def _signed(cents: int | None) -> str:
    return (
        "unknown" if cents is None else f"{'+' if cents > 0 else '−' if cents < 0 else ''}${format_cents(abs(cents))}"
    )


def _div(classes: str) -> Element:
    return Element("div").classes(classes)


def _text(tag: str, text: str) -> Element:
    return ui.label(text) if tag == "div" else TextElement(tag=tag, text=text)


def _link(text: str, target: str) -> Element:
    link = TextElement(tag="a", text=text)
    link.props["href"] = target
    return link
