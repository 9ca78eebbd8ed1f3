"""Receivers of webhooks: how far each was told, and the letters that could not be delivered."""

from __future__ import annotations

from nicegui.element import Element

from service.access.roles import Permission
from service.feed.webhooks import DeadLetter, Subscription, Webhooks
from service.screens.frame import Visitor, desk, div, text
from service.screens.parts import attempt, button
from service.screens.words import counted

PAGE = 100


def receivers_screen(who: Visitor) -> None:
    """Receivers of webhooks and dead letters."""
    about = "Programs that are told of alerts. A letter that cannot be delivered for three days is given up, and stays here."
    with desk(who, "/feed", "Receivers", about):
        _Receivers(who).build()


class _Receivers:
    def __init__(self, who: Visitor) -> None:
        self.who, self.webhooks = who, Webhooks(who.house.store)

    def build(self) -> None:
        self.known = div("list")
        text("h2", "Dead letters")
        self.letters = div("list")
        with div("act right"):
            self.older = button("Older", lambda: self.fill(self.last))
        self.last: int | None = None
        self.fill(None)

    def fill(self, before: int | None) -> None:
        """Shows the receivers, and the dead letters behind one."""
        self.who.now(Permission.FEED_MANAGE)
        names = {one.webhook_id: one for one in self.webhooks.subscriptions()}
        last = self.who.house.store.last_position()
        self.known.clear()
        with self.known, Element("table"):
            _heads("Receiver", "Told of", "Stands", "Last error", "Made by")
            with Element("tbody"):
                for one in names.values():
                    _receiver(one, last)
                if not names:
                    _empty("No receiver yet. Make one with POST /api/webhooks.", 5)
        found = self.webhooks.dead_letters(before=before, limit=PAGE + 1)
        self.last = found[PAGE - 1].number if len(found) > PAGE else None
        self.older.set_visibility(self.last is not None)
        self.letters.clear()
        with self.letters, Element("table"):
            _heads("No.", "Receiver", "Given up (UTC)", "Tries", "Last error", "Sent again", "")
            with Element("tbody"):
                for letter in found[:PAGE]:
                    self._letter(letter, names)
                if not found:
                    _empty("No dead letters: everything arrived or is still being tried.", 7)

    def _letter(self, letter: DeadLetter, names: dict[str, Subscription]) -> None:
        owner = names.get(letter.webhook_id)
        with Element("tr"):
            text("td", str(letter.number), "number")
            text("td", owner.url if owner is not None else f"{letter.webhook_id} (ended)", "wrap")
            text("td", letter.given_up_utc[:19].replace("T", " "), "when")
            text("td", str(letter.failures), "number")
            text("td", letter.last_error, "wrap")
            asked = f"asked {letter.asked_utc[:16].replace('T', ' ')}" if letter.asked_utc else ""
            text("td", f"arrived {letter.sent_utc[:16].replace('T', ' ')}" if letter.sent_utc else asked, "when")
            with Element("td").classes("end"):
                if owner is not None and letter.sent_utc is None and not letter.asked_utc:
                    again = text("button", "Send again", "link").props("type=button")
                    again.on("click", lambda _, number=letter.number: attempt(lambda: self.resend(number)))

    def resend(self, number: int) -> None:
        """Asks for a letter to be sent again."""
        self.who.now(Permission.FEED_MANAGE)
        self.webhooks.resend(number, now=self.who.house.now())
        self.who.note("webhooks.resend", f"dead letter {number}, on the screen")
        self.fill(None)


def _receiver(one: Subscription, last: int) -> None:
    wanted = [f"{name} {value}" for name in ("table_id", "game", "severity", "check_id", "origin", "kind", "text") if (value := getattr(one.wanted, name))]  # fmt: skip
    behind = max(0, last - one.position)
    with Element("tr"):
        text("td", one.url, "wrap")
        text("td", ", ".join(wanted) or "every alert", "wrap")
        with Element("td"):
            kind = "bad" if one.failures else "due" if behind else "good"
            said = f"{counted(one.failures, 'failed try').replace('trys', 'tries')}, " if one.failures else ""
            text("span", said + (f"{counted(behind, 'change')} behind" if behind else "up to date"), f"tag {kind}")
        text("td", one.last_error, "wrap")
        text("td", f"{one.made_by}, {one.made_utc[:10]}", "when")


def _heads(*names: str) -> None:
    with Element("thead"), Element("tr"):
        for name in names:
            text("th", name)


def _empty(said: str, columns: int) -> None:
    with Element("tr"):
        text("td", said, "quiet").props(f"colspan={columns}")
