"""Keys of a page: what each does, and the overlay that says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from service.screens.frame import add_script
from service.screens.parts import button, div, text


@dataclass(frozen=True, slots=True)
class Key:
    """Something the keyboard does.

    Attributes:
        names: as browsers call the keys, e.g. ("j", "ArrowDown"); empty where the page's own script does it.
        does: in a few words.
        act: what is done.
        written: how the keys are written, the names if empty.
    """

    names: tuple[str, ...]
    does: str
    act: Callable[[], object] = lambda: None
    written: str = ""


WRITTEN = {"ArrowDown": "↓", "ArrowUp": "↑", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc"}


def add_keys(keys: Sequence[Key]) -> None:
    """Makes the keys of the page that is being built work; `?` shows them all."""

    def show() -> None:
        show_keys(keys)

    acts = {name: key.act for key in keys for name in key.names} | {"?": show}

    def pressed(event: GenericEventArguments) -> Any:
        given: Any = event.args
        act = acts.get(str(given.get("key", "")) if isinstance(given, dict) else "")
        return act() if act is not None else None

    ui.on("pitwatch_key", pressed)
    ui.add_body_html(f"<script>window.pitwatchKeys = {json.dumps(sorted(acts))};</script>")
    add_script("keys.js")


def show_keys(keys: Sequence[Key]) -> None:
    """The overlay with all keys."""
    with ui.dialog(value=True) as dialog, div("card keys-card"):
        text("h2", "Keys")
        with Element("table").classes("keys"):
            for key in (*keys, Key(("?",), "these keys")):
                with Element("tr"):
                    with Element("td"):
                        for name in (key.written,) if key.written else key.names:
                            text("kbd", WRITTEN.get(name, name))
                    text("td", key.does)
        text("div", "Keys do nothing while you type in a field.", "quiet")
        with div("act right"):
            button("Close", dialog.close)
