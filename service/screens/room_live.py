"""The live tables: one tab each, and the chosen one's picture with what is seen drawn on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.live.camera_faults import FAULTS
from service.live.table import LiveTable, TableState
from service.screens import words
from service.screens.alert_parts import game_name
from service.screens.frame import Visitor, add_script
from service.screens.parts import div, text


def standing_of(about: Mapping[str, Any]) -> tuple[str, bool]:
    """How a live table stands in a line, and whether what is seen of it can be judged; its picture may be an old one where not.

    >>> standing_of({"state": "watching", "detail": "", "t_s": 127, "rounds": 1, "health": {"gaps": []}})
    ('watching · 2:07 · 1 round closed', True)
    >>> standing_of({"state": "watching", "detail": "", "t_s": 127, "rounds": 1, "health": {"gaps": ["camera_black"]}})
    ('nothing is judged: the picture is dark', False)
    """
    state, gaps = str(about["state"]), about["health"]["gaps"]
    why = about["detail"] or ", ".join(FAULTS[gap][-1] if gap in FAULTS else gap.replace("_", " ") for gap in gaps)
    if state != TableState.WATCHING:
        return (why if why.startswith(state) else f"{state}: {why}") if why else state, False
    if gaps:
        return f"nothing is judged: {why}", False
    seen = f"{words.clock(about['t_s'])} · {words.counted(about['rounds'], 'round')} closed"
    return why or f"{state} · {seen}", True


class Live:
    """The tabs and the picture."""

    def __init__(self, who: Visitor) -> None:
        self.who = who
        self.table_id = next(iter(self.tables), None)
        self.ticked: object = None
        self.tabbed: object = None

    @property
    def tables(self) -> dict[str, LiveTable]:
        """The live tables that this person may see."""
        return {name: one for name, one in self.who.house.tables.items() if self.who.may(Permission.TABLES_READ, name)}

    def build_tabs(self) -> None:
        """Makes the place for the tabs."""
        self.tabs = div("tabs-live")

    def build_picture(self) -> None:
        """Makes the place for the picture and what was seen last."""
        for script in ("picture.js", "live_picture.js"):
            add_script(script)
        with div("picture-head"):
            self.title = ui.label().classes("picture-title")
            self.state = ui.label().classes("picture-state")
        self.frame = div("picture-frame")
        with self.frame:
            Element("img").props('id="live-picture" alt="the table as it is seen"')
        self.ticker = div("ticker")
        self.watch(self.table_id)

    def watch(self, table_id: str | None) -> None:
        """Shows a table's picture; a table that is not live changes nothing."""
        if table_id is not None and table_id not in self.tables:
            return
        self.table_id = table_id
        ui.run_javascript(f"window.pitwatchTable = {json.dumps(table_id)};")
        self.refresh()

    def refresh(self) -> None:
        """Brings the picture's words up to date; the picture itself comes by its own way."""
        table = self.tables.get(self.table_id or "")
        self.frame.set_visibility(table is not None)
        if table is None:
            self.title.set_text("No live table")
            self.state.set_text("Recordings only. To watch a table live: pitwatch serve --table table.yaml")
            return
        about = table.about()
        self.title.set_text(f"{about['table_id']} · {game_name(about['game'])}")
        said, judged = standing_of(about)
        self.state.set_text(said)
        for part in (self.frame, self.state):
            part.classes(add="" if judged else "off", remove="off" if judged else "")
        self._fill_ticker(table.last_events())

    def fill_tabs(self, standing: Mapping[str, int], choose: Callable[[str], object]) -> None:
        """The tabs, each with its table's state and how many alerts stand there."""
        key = [(one.table_id, one.state, standing.get(one.table_id, 0)) for one in self.tables.values()]
        if (key, self.table_id) == self.tabbed:
            return
        self.tabbed = (key, self.table_id)
        self.tabs.clear()
        with self.tabs:
            for table_id, state, number in key:
                with text("button", "", "tab on" if table_id == self.table_id else "tab").props("type=button") as tab:
                    div(f"dot {state}").props["title"] = str(state)
                    text("span", table_id)
                    if number:
                        text("span", f"{number:,}", "badge").props["title"] = "alerts to do"
                tab.on("click", lambda _, name=table_id: choose(name))

    def _fill_ticker(self, events: list[dict[str, Any]]) -> None:
        if self.ticked == (self.table_id, events):
            return
        self.ticked = (self.table_id, events)
        self.ticker.clear()
        with self.ticker:
            ui.label("Seen last").classes("caption")
            for raw in reversed(events):
                kind, said = words.event(raw)
                with div("tick"):
                    for one in (words.clock(raw["t_s"]), kind, said):
                        text("span", one)
