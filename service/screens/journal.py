"""The log of who saw, exported and changed what, with filters, a check of its chain, and the way to take it along."""

from __future__ import annotations

from urllib.parse import urlencode

from nicegui import ui
from nicegui.element import Element

from service.access.journal import JournalEntry, JournalFilter
from service.access.roles import Permission
from service.screens.frame import Visitor, attempt, button, desk, div, text

PAGE_ROWS = 100
FIELD = "borderless dense options-dense hide-bottom-space clearable"
KINDS = {
    "sign-in": "signing in", "alerts.": "alerts", "evidence.": "evidence", "reviews.": "reviews", "audit.": "audit",
    "tables.": "tables", "people.": "people", "keys.": "keys", "key": "use of keys", "journal.": "this log",
}  # fmt: skip


def journal_screen(who: Visitor) -> None:
    """The log."""
    with desk(
        who,
        "/journal",
        "Log",
        "Who saw, exported and changed what. Rows are only added; each carries the hash of the one before.",
    ):
        _JournalScreen(who).build()


class _JournalScreen:
    def __init__(self, who: Visitor) -> None:
        self.who, self.journal = who, who.house.access.journal
        self.before: int | None = None

    def build(self) -> None:
        with div("fields"):
            self.name = ui.input("Who", on_change=self.again).props(f"{FIELD} debounce=400").classes("field")
            self.kind = ui.select(KINDS, label="What", on_change=self.again).props(FIELD).classes("field")
            self.table = ui.input("Table", on_change=self.again).props(f"{FIELD} debounce=400").classes("field")
            self.outcome = (
                ui.select(["done", "refused", "failed"], label="Outcome", on_change=self.again)
                .props(FIELD)
                .classes("field")
            )
            self.since = (
                ui.input("From (UTC)", on_change=self.again).props(f"{FIELD} type=date stack-label").classes("field")
            )
            self.until = (
                ui.input("Before (UTC)", on_change=self.again).props(f"{FIELD} type=date stack-label").classes("field")
            )
        with div("act between"):
            with div("act"):
                button("Check the chain", lambda: attempt(self.check))
                if self.who.may(Permission.JOURNAL_EXPORT):
                    self.export = text("a", "Take along as CSV").classes("plain")
            self.count = text("div", "").classes("quiet")
        self.verdict = div("")
        with div("list"), Element("table"):
            with Element("thead"), Element("tr"):
                for name in ("No.", "When (UTC)", "Who", "What", "About", "Table", "From", "Outcome"):
                    text("th", name)
            self.rows = Element("tbody")
        with div("act right"):
            self.newer = button("Newest", self.again)
            self.older = button("Older", self.turn)
        self.fill()

    def wanted(self) -> JournalFilter:
        """What the fields ask for, as far as they may see it."""
        return JournalFilter(
            who=self.name.value or None, what=self.kind.value or None, table_id=self.table.value or None,
            outcome=self.outcome.value or None, from_utc=self.since.value or None, to_utc=self.until.value or None,
            tables=self.who.principal.tables_for(Permission.JOURNAL_READ),
        )  # fmt: skip

    def again(self, *_: object) -> None:
        """From the newest row on."""
        self.before = None
        attempt(self.fill)

    def turn(self) -> None:
        """The next page."""
        self.before = self.last
        attempt(self.fill)

    def fill(self) -> None:
        self.who.now(Permission.JOURNAL_READ)
        wanted = self.wanted()
        found = self.journal.page(wanted, limit=PAGE_ROWS + 1, before=self.before)
        page = found[:PAGE_ROWS]
        self.last = page[-1].number if page else None
        self.older.set_visibility(len(found) > PAGE_ROWS)
        self.newer.set_visibility(self.before is not None)
        self.count.set_text(f"rows {page[0].number} to {page[-1].number}" if page else "no such row")
        if hasattr(self, "export"):
            asked = {
                "who": wanted.who,
                "what": wanted.what,
                "table_id": wanted.table_id,
                "outcome": wanted.outcome,
                "since": wanted.from_utc,
                "until": wanted.to_utc,
            }
            query = urlencode({name: value for name, value in asked.items() if value})
            self.export.props["href"] = "/api/journal.csv" + (f"?{query}" if query else "")
            self.export.update()
        self.rows.clear()
        with self.rows:
            for entry in page:
                _row(entry)

    def check(self) -> None:
        """Reads the whole chain."""
        self.who.now(Permission.JOURNAL_READ)
        found = self.journal.verify()
        self.who.note("journal.check", "the chain of the log, on the screen")
        self.verdict.clear()
        with self.verdict, div("verdict bad" if found.faults else "verdict good"):
            text("div", f"{found.rows} rows, " + (f"{len(found.faults)} faults" if found.faults else "the chain holds"))
            for fault in found.faults[:50]:
                text("div", fault)
            text("div", "Keep this head elsewhere; a later check with it shows whether anything was cut off:").classes(
                "quiet"
            )
            text("code", found.head)


def _row(entry: JournalEntry) -> None:
    with Element("tr"):
        text("td", str(entry.number)).classes("number")
        text("td", entry.at_utc[:19].replace("T", " ")).classes("when")
        with Element("td"):
            text("span", entry.who).classes("strong").tooltip(entry.role or "no role")
        text("td", entry.what).classes("when")
        text("td", entry.about).classes("wrap")
        text("td", entry.table_id or "").classes("when")
        text("td", entry.address).classes("when")
        with Element("td"):
            kind = {"done": "good", "refused": "bad"}.get(entry.outcome, "due")
            text("span", entry.outcome).classes(f"tag {kind}")
