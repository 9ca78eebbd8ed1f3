"""The auditor's page: how accurate the payouts were, filtered, drilled down to the round, and exported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import run, ui

from service.access.roles import Permission
from service.audit.exceptions import Exceptions
from service.audit.questions import FIELDS, By, Questions, Row, Scope, Trend, limited, read_days
from service.audit.reconciling import Reconciliation, reconcile, recount
from service.errors import ServiceError
from service.screens.audit_exceptions import fill_mispayment
from service.screens.audit_figures import chart_options, fill_figures, span
from service.screens.audit_filters import Filters
from service.screens.audit_round import fill_round
from service.screens.audit_samples import SamplesPane
from service.screens.audit_table import fill_table
from service.screens.frame import Visitor, div, shell, text
from service.screens.parts import choice, mark, opens
from service.screens.words import counted

GROUPS = (By.GAME, By.TABLE, By.WAGER, By.LINE, By.SHIFT, By.DEALER)
TABS = ("mispayments", "undetermined", "samples")
PAGE = 60


def audit_screen(who: Visitor) -> None:
    """The auditor's page."""
    AuditPage(who).build()


class AuditPage:
    """One open browser window on the audit."""

    def __init__(self, who: Visitor) -> None:
        self.who, self.house = who, who.house
        self.questions: Questions = who.house.questions
        self.exceptions = Exceptions(self.questions)
        self.samples = SamplesPane(self)
        self.by, self.tab = By.GAME, TABS[0]
        choices = self._choices()
        self.filters = Filters(choices, self.choose, may_export=who.may(Permission.AUDIT_EXPORT))

    def _choices(self) -> dict[By, list[str]]:
        self.house.seen.refresh(self.house.now())
        return self.questions.choices(self.who.principal.tables_for(Permission.AUDIT_READ))

    def build(self) -> None:
        """Lays out the window and fills it."""
        with shell(self.who, "/audit", "audit"), div("audit"):
            with div("audit-filters"):
                self.scope = self.filters.build()
            with div("audit-columns"):
                with div("audit-main"):
                    self._build_main()
                with div("audit-side"):
                    with div("head"), div("filters"):
                        self.tabs = {name: choice(name, partial(self.show_tab, name)) for name in TABS}
                    self.side = div("audit-list")
        ui.timer(0.01, self.refresh, once=True)

    def _build_main(self) -> None:
        self.figures = div("audit-figures")
        with div("audit-card"):
            with div("head"):
                text("h2", "Mispayments in 1,000 payouts, by day")
                self.odd = ui.label().classes("audit-note")
            self.chart = ui.echart({"series": []}).classes("audit-chart")
        with div("audit-card grow"):
            with div("head"):
                with div("filters"):
                    self.groups = {by: choice(by.value, partial(self.group, by)) for by in GROUPS}
                self.books = div("audit-books")
            self.table = div("audit-table")
        self.span = ui.label().classes("audit-note")

    @property
    def allowed(self) -> Scope:
        """The scope within what this person may see."""
        return limited(self.scope, self.who.principal.tables_for(Permission.AUDIT_READ))

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
        self.tab = name
        await self.refresh()

    async def drill(self, value: str) -> None:
        """Filters by a row that was clicked; a second click takes the filter away."""
        field = FIELDS[self.by]
        chosen = () if getattr(self.scope, field) == (value,) else (value,)
        self.filters.selects[self.by].set_value(list(chosen))

    async def refresh(self) -> None:
        """Asks everything again and shows it."""
        scope, by = self.allowed, self.by
        whole, undated, rows, trend, books = await run.io_bound(self._ask, scope, by)
        self.figures.clear()
        with self.figures:
            fill_figures(whole, undated)
        self.span.set_text(span(whole))
        self._fill_chart(trend)
        for one, chip in self.groups.items():
            mark(chip, on=one is by)
        self._fill_books(books)
        self.table.clear()
        with self.table:
            fill_table(rows, whole, by, self.drill)
        self.filters.lead(self.scope, by)
        await self.fill_side()

    def _ask(self, scope: Scope, by: By) -> tuple[Row, str, list[Row], Trend, Reconciliation]:
        ask = self.questions
        rows = ask.table(scope, (by,))
        return ask.whole(scope), ask.undated(scope), rows, ask.trend(scope), reconcile(ask, scope, rows)

    def _fill_chart(self, trend: Trend) -> None:
        self.chart.options.clear()
        self.chart.options.update(chart_options(trend))
        self.chart.update()
        odd = sum(point.is_out for point in trend.points)
        centre = f"{1000 * trend.centre:.2f} in 1,000 over all days"
        self.odd.set_text(f"{centre} · {counted(odd, 'day') if odd else 'no day'} beyond the limits")
        self.odd.classes(add="off" if odd else "", remove="" if odd else "off")

    def _fill_books(self, books: Reconciliation) -> None:
        self.books.clear()
        with self.books:
            ways = len(books.accounts)
            said = f"totals added up in {ways} ways agree" if books.agrees else "TOTALS DO NOT AGREE"
            text("div", said, "agree" if books.agrees else "disagree")
            text("button", "recount", "plain small").on("click", self._recount)
        if not books.agrees:
            ui.notify("; ".join(books.disagreements), type="negative", position="bottom-right", timeout=0)

    async def _recount(self) -> None:
        try:
            who = self.who.now(Permission.AUDIT_READ)
        except ServiceError as error:
            ui.notify(str(error), type="warning", position="bottom-right")
            return
        ui.notify("Adding up every payout again ...", position="bottom-right")
        scope = limited(self.scope, who.tables_for(Permission.AUDIT_READ))
        self.who.note("audit.recount", "every payout added up again, on the screen")
        found = await run.io_bound(lambda: recount(self.questions, scope, now=self.house.now(), by=who.signature))
        if found.agrees:
            said = f"{found.accounts[0].tally.wagers:,} payouts added up again: all agree"
            ui.notify(said, type="positive", position="bottom-right", timeout=8000)
        else:
            ui.notify("; ".join(found.disagreements), type="negative", position="bottom-right", timeout=0)

    async def fill_side(self) -> None:
        """Fills the list at the side."""
        for name, chip in self.tabs.items():
            mark(chip, on=name == self.tab)
        self.side.clear()
        if self.tab == "samples":
            with self.side:
                await self.samples.build()
            return
        await self.more("")

    async def more(self, before: str) -> None:
        """Adds a page of mispayments to the list."""
        scope, undetermined = self.allowed, self.tab == "undetermined"
        page = await run.io_bound(
            lambda: self.exceptions.page(scope, undetermined=undetermined, before=before, limit=PAGE + 1)
        )
        with self.side:
            if not page and not before:
                ui.label("None here.").classes("empty")
            for one in page[:PAGE]:
                opens(fill_mispayment(one), partial(self.open_round, one.round_seq))
            if len(page) > PAGE:
                button = text("button", "older", "plain older")

                async def go_on() -> None:
                    button.delete()
                    await self.more(page[PAGE - 1].key)

                button.on("click", go_on)

    async def open_round(self, round_seq: int, back: Callable[[], Any] | None = None) -> None:
        """Opens a round at the side."""
        detail = await run.io_bound(self.exceptions.round, round_seq)
        if not self.who.may(Permission.AUDIT_READ, detail.table_id):
            return
        self.who.note("audit.read", f"round {round_seq}")
        self.side.clear()
        with self.side:
            text("button", "back to the list", "plain small back").on("click", back or self.fill_side)
            fill_round(self.house, detail)
