"""What the feed is narrowed by: states as chips with their counts, everything else in a panel that folds out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from nicegui import ui

from service.screens.alert_parts import game_name
from service.screens.parts import button, div, text
from service.screens.room_view import ALL, STANDING, STATES, View
from service.store import CLOSED, SEVERITIES, Choices, Counts, Order, Status

NAMES = {STANDING: "to do", ALL: "all"}
SAYS = {"person": "for", "origin": "seen in", "since": "from", "until": "before"}
FIELD = "dense outlined options-dense clearable stack-label hide-bottom-space"
SPANS = (("last hour", 1), ("8 hours", 8), ("24 hours", 24))


class Filters:
    """The chips and the panel.

    Args:
        show: called with the view that was chosen.
        now: the wall clock.
    """

    def __init__(self, show: Callable[[View], object], now: Callable[[], datetime]) -> None:
        self.show, self.now = show, now
        self.unfolded = False
        self.view = View()
        self.known: object = None
        self.own: View | None = None

    def build(self) -> None:
        """Makes the place for them."""
        self.chips = div("chips")
        self.narrowed = div("narrowed")
        self.panel = div("filter-panel")

    def fill(self, view: View, counts: Counts, choices: Choices, people: list[str]) -> None:
        """Shows what a view is narrowed by, and how many alerts each state has."""
        self.view = view
        plain = replace(view, alert=0, before=0)
        key = (plain, dict(counts.by_status), choices, tuple(people), self.unfolded)
        if key == self.known:
            return
        rebuilt = plain != self.own and (self.known is None or self._frame_of(key) != self._frame_of(self.known))
        self.known = key
        self._fill_chips(plain, counts)
        self._fill_narrowed(plain)
        if rebuilt:
            self._fill_panel(plain, choices, people)

    @staticmethod
    def _frame_of(key: Any) -> object:
        """What the panel depends on; counts, and what is chosen in it, must not take a field from under somebody's hands."""
        return key[0], key[2:]

    def fold(self) -> None:
        """Folds the panel out, or away."""
        self.unfolded, self.own = not self.unfolded, None
        self.show(self.view)

    def _fill_chips(self, view: View, counts: Counts) -> None:
        numbers = dict(counts.by_status)
        numbers[STANDING] = sum(number for name, number in numbers.items() if Status(name) not in CLOSED)
        numbers[ALL] = counts.total
        self.chips.clear()
        with self.chips:
            for state in STATES:
                with text("button", NAMES.get(state, state), "filter on" if state == view.state else "filter") as chip:
                    text("span", f"{numbers[state]:,}" + ("" if counts.exact else "+"), "number")
                chip.props("type=button").on("click", lambda _, chosen=state: self._change(state=chosen))

    def _fill_narrowed(self, view: View) -> None:
        self.narrowed.clear()
        with self.narrowed:
            newest = view.order == Order.NEWEST
            order = text("button", "newest first" if newest else "most severe first", "link").props("type=button")
            order.props["title"] = "Change the order"
            other = Order.SEVERITY if newest else Order.NEWEST
            order.on("click", lambda _: self._change(order=other.value))
            for name in view.narrowed:
                drop = text(
                    "button", f"{SAYS.get(name, name)} {_written(name, getattr(view, name))} ×", "tag drop"
                ).props("type=button")
                drop.on("click", lambda _, field=name: self._change(**{field: ""}))
            div("spacer")
            with text("button", "Filter", "link").props("type=button") as unfold:
                text("kbd", "f")
            unfold.on("click", lambda _: self.fold())

    def _fill_panel(self, view: View, choices: Choices, people: list[str]) -> None:
        self.panel.clear()
        self.panel.set_visibility(self.unfolded)
        if not self.unfolded:
            return
        with self.panel:
            self._select("table", "table", {name: name for name in choices.tables})
            self._select("game", "game", {name: game_name(name) for name in choices.games if name})
            self._select("rule", "rule", {name: name for name in choices.checks})
            self._select("severity", "severity", {name: name for name in SEVERITIES})
            self._select("person", "assigned to", {name: name for name in people})
            self._select("origin", "seen", {"live": "live", "review": "in a recording"})
            self._moment("since", "raised from (UTC)")
            self._moment("until", "raised before (UTC)")
            with div("act wide"):
                for name, hours in SPANS:
                    button(name, lambda h=hours: self._since(h)).classes("small")  # type: ignore[misc]
                button("Clear", lambda: self.show(View(state=view.state, order=view.order))).classes("small")

    def _select(self, field: str, label: str, options: dict[str, str]) -> None:
        chosen = getattr(self.view, field)
        if chosen and chosen not in options:
            options = {**options, chosen: chosen}
        select = ui.select(options, value=chosen or None, label=label, with_input=len(options) > 10)
        select.props(FIELD).classes(f"field pick-{field}")
        select.on_value_change(lambda event: self._choose(field, event.value or ""))

    def _moment(self, field: str, label: str) -> None:
        entry = ui.input(label, value=getattr(self.view, field)).classes(f"field pick-{field}")
        entry.props("dense outlined type=datetime-local stack-label hide-bottom-space")
        entry.on("change", lambda _: self._choose(field, str(entry.value or "")))

    def _since(self, hours: int) -> None:
        self._change(since=f"{self.now() - timedelta(hours=hours):%Y-%m-%dT%H:%M}", until="")

    def _choose(self, field: str, value: str) -> None:
        """Something was chosen in the panel, which shows it already."""
        changed = self._changed(**{field: value})
        self.own = replace(changed, alert=0)
        self.show(changed)

    def _change(self, **fields: Any) -> None:
        self.own = None
        self.show(self._changed(**fields))

    def _changed(self, **fields: Any) -> View:
        """The view with some fields changed, on its first page again; what is no value of a field is left out."""
        changed = replace(self.view, before=0, **fields)
        return View.of({name: str(getattr(changed, name)) for name in View.__dataclass_fields__})


def _written(name: str, value: str) -> str:
    """What is chosen, as people read it."""
    if name == "game":
        return game_name(value)
    return value.replace("T", " ") if name in ("since", "until") else value
