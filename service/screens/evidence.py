"""Where the evidence stands as a whole: room on the disk, alarms, how long what is kept, holds, and what is due."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.evidence.index import Entry, Scope
from service.evidence.retention import CLASSES
from service.evidence.room import EvidenceRoom
from service.screens.evidence_due import fill_due
from service.screens.evidence_state import kept
from service.screens.frame import Visitor, desk, div, link, text

REFRESH_S = 5.0
MOST_HELD = 500
NOTICE = "A copy for analysis, never the recording of record."


def evidence_screen(who: Visitor) -> None:
    """The evidence as a whole."""
    with desk(who, "/evidence", "Evidence", f"Bundles of alerts in a signed chain. {NOTICE}", "evidence"):
        if who.house.evidence is None:
            text("div", "This service keeps no evidence. Start it with --evidence FOLDER.", "quiet")
            return
        _Evidence(who, who.house.evidence).build()


class _Evidence:
    def __init__(self, who: Visitor, room: EvidenceRoom) -> None:
        self.who, self.room = who, room
        self.known: object = None

    def build(self) -> None:
        self.figures = div()
        text("h2", "How long what is kept")
        with div("list"), Element("table"):
            _row("th", "Class", "Bundles")
            for klass in CLASSES:
                _row("td", klass, kept(self.room.policy, klass))
        least = self.room.policy.legal_minimum_days
        said = (
            f"Nothing is deleted before {least} days."
            if least
            else "No legal minimum is configured, and without a policy nothing is ever deleted."
        )
        text("div", f"{said} Deleting is an order of its own and leaves a link in the chain.", "quiet")
        if self.who.may(Permission.EVIDENCE_KEEP):
            fill_due(self.who, self.room)
        text("h2", "Held")
        self.held = div("list")
        with div("act"):
            link("Newest signed head", "/api/evidence/head", "link")
            link("Public key", "/api/evidence/public.pem", "link")
        self.refresh()
        ui.timer(REFRESH_S, self.refresh)

    def refresh(self) -> None:
        """Draws anew what changed."""
        state, entries = self.room.storage(), self.room.vault.refresh().entries
        held = [entry for entry in entries.values() if entry.held is not None and self._may(entry)]
        key = ({**state, "free_bytes": state["free_bytes"] // 10_000_000}, [entry.link.number for entry in held])
        if key == self.known:
            return
        self.known = key
        self.figures.clear()
        with self.figures:
            _fill_figures(state, sum(Scope.BUNDLE in entry.expired for entry in entries.values()), len(held))
        self.held.clear()
        with self.held, Element("table"):
            _row("th", "Link", "Table", "Check", "By", "Since", "Why")
            for entry in held[:MOST_HELD]:
                assert entry.held is not None
                body, order = entry.link.body, entry.held
                _row("td", str(entry.link.number), str(body["table_id"]), str(body["check_id"]), str(order.body["by"]), order.time_utc[:10], str(order.body["why"]))  # fmt: skip
            if not held:
                _row("td", "Nothing is held.")

    def _may(self, entry: Entry) -> bool:
        return self.who.may(Permission.EVIDENCE_READ, str(entry.link.body["table_id"]))


def _fill_figures(state: dict[str, Any], expired: int, held: int) -> None:
    if state["alarm"]:
        text(
            "div",
            f"{state['alarm']}. New evidence is refused until there is room; alerts ring all the same.",
            "alarm-box",
        )
    with div("evidence-figures"):
        for number, said in (
            (f"{state['free_bytes'] / 1e9:,.1f} GB", f"free; {state['keep_free_bytes'] / 1e9:.1f} GB are always left"),
            (f"{state['bundles']:,}", f"bundles, {expired:,} deleted by retention"), (f"{held:,}", "held"),
            (f"{state['waiting']:,}", "wait to be written"), (f"{state['written']:,}", "written since the start"),
            (f"{state['refused']:,}", "refused since the start"),
        ):  # fmt: skip
            with div():
                text("b", number)
                text("div", said)


def _row(tag: str, *cells: str) -> None:
    with Element("tr"):
        for cell in cells:
            text(tag, cell, "wrap" if len(cell) > 24 else "")
