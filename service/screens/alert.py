"""An alert on a page of its own: to decide on, to send as a link, to print, to take along with its evidence."""

from __future__ import annotations

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.errors import NotFoundError
from service.screens import words
from service.screens.alert_parts import fill_facts, fill_law, fill_money, fill_shots, fill_state, fill_versus
from service.screens.alert_player import fill_player, fill_replay
from service.screens.alert_steps import Steps, fill_history
from service.screens.alert_story import Story, rests_on, story_of, unseen, way_of
from service.screens.evidence_state import fill_bundle
from service.screens.frame import Visitor, desk, div, link, shell, text
from service.screens.keyboard import Key, add_keys, show_keys
from service.store import Alert, AlertKind
from service.web.api import shown

REFRESH_S = 1.0
NOTICE = "The video is a copy for analysis, never the recording of record. The surveillance system's own recording decides where they differ."
PLAYER_KEYS = (
    Key((), "one picture back, on; with Shift ten", written=", ."),
    Key((), "play, stop", written="space"),
    Key((), "marks on, off", written="l"),
    Key((), "one step of the round back, on", written="[ ]"),
)


def alert_screen(who: Visitor, alert_id: int) -> None:
    """An alert."""
    try:
        alert = who.house.store.alert(alert_id)
        if not who.may(Permission.ALERTS_READ, alert.table_id):
            raise NotFoundError(f"there is no alert {alert_id}", do="Choose one of the room's list")
    except NotFoundError as error:
        with desk(who, "/", "There is no such alert", str(error)):
            return
    who.note("alerts.read", f"alert {alert_id}, on the screen", alert.table_id)
    AlertPage(who, alert).build()


class AlertPage:
    """One open window on an alert."""

    def __init__(self, who: Visitor, alert: Alert) -> None:
        self.who, self.alert = who, alert
        self.steps = Steps(who, lambda: alert.seq, self.refresh)
        self.position = who.house.store.last_position()

    def build(self) -> None:
        """Lays out the page and keeps it up to date."""
        alert, raw = self.alert, shown(self.alert)
        story = story_of(self.who.house, alert)
        keys = (Key(("Escape",), "back to the room", self.leave), *self.steps.keys(), *PLAYER_KEYS)
        with shell(self.who, "/", "room", "alert", "alert_page", "marks"), div("alert-page"):
            with div("alert-top"):
                with link("Room", f"/?alert={alert.seq}", "way noprint"):
                    text("kbd", "Esc")
                text("h1", f"Alert {alert.seq}")
                text("span", alert.check_id, "quiet")
                div("spacer")
                self._fill_ways(story, keys)
            with div("alert-columns"):
                with div("alert-main"):
                    self._fill_main(story)
                with div("alert-side"):
                    self._fill_side(story, raw)
            text("div", NOTICE, "notice small quiet")
        add_keys(keys)
        ui.timer(REFRESH_S, self.follow)

    def _fill_ways(self, story: Story, keys: tuple[Key, ...]) -> None:
        with div("act noprint"):
            stored = story.bundle is not None and story.bundle["state"] in ("stored", "clips_expired")
            if stored and self.who.may(Permission.EVIDENCE_EXPORT, self.alert.table_id):
                export = link("Export bundle", f"/api/alerts/{self.alert.seq}/bundle.zip", "plain small")
                export.props["download"] = True
            text("button", "Print", "plain small").props("type=button").on("click", js_handler="() => window.print()")
            with text("button", "Keys", "plain small").props("type=button") as more:
                text("kbd", "?")
            more.on("click", lambda _: show_keys(keys))

    def _fill_main(self, story: Story) -> None:
        if self.who.may(Permission.EVIDENCE_READ, self.alert.table_id):
            fill_player(self.alert, story)
        if self.alert.kind is not AlertKind.CAMERA:
            text("h2", "The round so far")
            fill_replay(self.alert, story)
        if self.who.may(Permission.EVIDENCE_READ, self.alert.table_id) and self.alert.evidence:
            text("h2", "Pictures")
            fill_shots(shown(self.alert)["evidence"])

    def _fill_side(self, story: Story, raw: dict[str, object]) -> None:
        self.head = div("alert-head")
        self._fill_head()
        fill_versus(raw)
        finding = self.alert.finding
        fill_money(finding["owed_cents"], finding["paid_cents"])
        _lines("The way there", way_of(self.alert, story.record))
        self._fill_rests(story)
        fill_law(raw)
        if self.alert.kind is not AlertKind.CAMERA:
            _lines(
                "Not seen in this round",
                unseen(story) or ["No gap in the view, no card left unread, no amount unknown"],
            )
        text("div", "Steps", "caption")
        self.history = div()
        self._fill_history()
        if story.bundle is not None:
            text("div", "Evidence", "caption")
            fill_bundle(self.who, self.alert)

    def _fill_head(self) -> None:
        self.head.clear()
        with self.head:
            with div("title-line"):
                text("div", self.alert.severity, f"severity {self.alert.severity}")
                fill_state(self.alert)
            text("div", words.title(self.alert.finding), "detail-title")
            fill_facts(self.who, self.alert)
            self.steps.buttons(self.alert)

    def _fill_history(self) -> None:
        self.history.clear()
        with self.history:
            fill_history(self.alert)

    def _fill_rests(self, story: Story) -> None:
        found = rests_on(self.alert, story)
        if not found:
            return
        text("div", "It rests on", "caption")
        with Element("table").classes("rests-on"):
            for event, kind, said in found:
                with Element("tr"):
                    text("td", words.clock(event["t_s"]), "number quiet")
                    text("td", f"{kind} · {said}" if said else kind)
                    text("td", f"{float(event.get('confidence', 1.0)):.1%}", "number quiet").props["title"] = (
                        "certainty"
                    )

    def follow(self) -> None:
        """Shows what others did with it meanwhile."""
        position = self.who.house.store.last_position()
        if position != self.position:
            self.position = position
            self.refresh()

    def refresh(self) -> None:
        """Brings up to date how it stands."""
        again = self.who.house.store.alert(self.alert.seq)
        if again != self.alert:
            self.alert = again
            self._fill_head()
            self._fill_history()

    def leave(self) -> None:
        """Back to the room, where it is open."""
        ui.navigate.to(f"/?alert={self.alert.seq}")


def _lines(caption: str, lines: list[str]) -> None:
    if lines:
        text("div", caption, "caption")
        with Element("ul").classes("lines"):
            for line in lines:
                text("li", line)
