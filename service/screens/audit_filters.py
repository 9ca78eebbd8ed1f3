"""The audit's filters: days, tables, games, wagers, lines, shifts, dealers, and what can be taken along of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from service.audit.questions import FIELDS, WORDS, By, Scope
from service.screens.audit_words import name_of
from service.screens.parts import div, link

PARAMETERS = {"first": "from", "last": "to", **WORDS}
EXPORTS = ("PDF report", "CSV", "Parquet", "Mispayments CSV")


class Filters:
    """The line of filters.

    Args:
        choices: what there is to choose from, by what it filters.
        choose: called with the fields of the scope that change.
        may_export: also show what can be taken along.
    """

    def __init__(
        self, choices: dict[By, list[str]], choose: Callable[..., Awaitable[None]], *, may_export: bool
    ) -> None:
        self.choices, self.choose, self.may_export = choices, choose, may_export
        self.selects: dict[By, Any] = {}
        self.exports: dict[str, Any] = {}

    def build(self) -> Scope:
        """Lays out the line; returns the scope it stands at: all rounds, those of no known day too."""
        days = self.choices[By.DAY]
        for name, label in (("first", "from"), ("last", "to")):
            entry = ui.input(label).props("dense outlined type=date stack-label").classes("audit-date")
            if days:
                entry.props(f"min={days[0]} max={days[-1]}").tooltip(f"days from {days[0]} to {days[-1]}")
            entry.on_value_change(lambda event, field=name: self.choose(**{field: event.value or ""}))
        for by, field in FIELDS.items():
            labels = {value: name_of(by, value) for value in self.choices[by]}
            select = ui.select(labels, multiple=True, label=by.value, value=[], with_input=len(labels) > 12)
            select.props("dense outlined clearable options-dense stack-label").classes(f"audit-select pick-{by}")
            select.on_value_change(lambda event, name=field: self.choose(**{name: tuple(event.value or ())}))
            self.selects[by] = select
        div("spacer")
        if self.may_export:
            with div("audit-exports"):
                self.exports = {name: link(name, "#", "plain small") for name in EXPORTS}
        return Scope()

    def lead(self, scope: Scope, by: By) -> None:
        """Makes what can be taken along that of a scope."""
        pairs = [
            (PARAMETERS[name], value)
            for name, given in scope.as_json().items()
            for value in ([given] if isinstance(given, str) else given)
        ]
        plain, grouped = urlencode(pairs), urlencode([*pairs, ("by", by.value)])
        targets = (f"report.pdf?{plain}", f"accuracy.csv?{grouped}", f"accuracy.parquet?{grouped}", f"mispayments.csv?{plain}")  # fmt: skip
        for name, target in zip(EXPORTS, targets, strict=True):
            if name in self.exports:
                self.exports[name].props["href"] = f"/api/audit/export/{target}"
                self.exports[name].update()
