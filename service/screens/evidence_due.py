"""What the retention lets go, and the order to delete it: shown first, confirmed by its number, named in chain and log."""

from __future__ import annotations

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.evidence.erasing import Deletions
from service.evidence.index import Scope
from service.evidence.retention import Due
from service.evidence.room import EvidenceRoom
from service.screens import words
from service.screens.frame import Visitor, div, text
from service.screens.parts import ask, button

MOST_SHOWN, MOST_AT_ONCE = 200, 1000


def fill_due(who: Visitor, room: EvidenceRoom) -> None:
    """Fills the place that is open with what is due; whoever keeps evidence can have it deleted."""
    _Due(who, Deletions(room, who.house.store)).build()


class _Due:
    def __init__(self, who: Visitor, deletions: Deletions) -> None:
        self.who, self.deletions = who, deletions

    def build(self) -> None:
        text("h2", "Due to be deleted")
        self.box = div("due")
        self.fill()

    def fill(self) -> None:
        found = self.deletions.due(lambda table_id: self.who.may(Permission.EVIDENCE_KEEP, table_id))
        self.box.clear()
        with self.box:
            with div("list"), Element("table"):
                _row("th", "Link", "Table", "What", "Class", "Why")
                for one in found[:MOST_SHOWN]:
                    _row("td", str(one.number), one.table_id, _what(one), one.klass, one.why)
                if not found:
                    _row("td", "Nothing is due.")
            if len(found) > MOST_SHOWN:
                text("div", f"and {len(found) - MOST_SHOWN:,} more", "quiet small")
            if found:
                with div("act"):
                    button("Delete what is due", lambda: self.ask(found[:MOST_AT_ONCE]), danger=True)

    def ask(self, found: list[Due]) -> None:
        films = sum(one.scope is Scope.CLIPS for one in found)
        about = f"{words.counted(len(found) - films, 'whole bundle')} with the pictures beside the alert, and the films alone of {words.counted(films, 'bundle')}. It can not be brought back. The alerts and their history stay, and the chain keeps a link for each with your name."  # fmt: skip

        def order(_: str) -> None:
            principal = self.who.now(Permission.EVIDENCE_KEEP)
            done = self.deletions.delete_due(
                {one.number for one in found}, by=principal.signature,
                may=lambda table_id: principal.may(Permission.EVIDENCE_KEEP, table_id),
            )  # fmt: skip
            for one in done:
                self.who.note("evidence.deleted", one.said, one.table_id)
            ui.notify(f"The evidence of {words.counted(len(done), 'alert')} was deleted", position="bottom-right")

        def wrong(entered: str) -> str:
            return "" if entered == str(len(found)) else f"Type {len(found)}, or cancel"

        title = f"Delete the evidence of {words.counted(len(found), 'alert')}?"
        ask(
            title, about, f"Type {len(found)} to confirm", "Delete for ever", order, self.fill, wrong=wrong, danger=True
        )


def _what(one: Due) -> str:
    return "its films" if one.scope is Scope.CLIPS else "all of it"


def _row(tag: str, *cells: str) -> None:
    with Element("tr"):
        for cell in cells:
            text(tag, cell, "wrap" if len(cell) > 24 else "")
