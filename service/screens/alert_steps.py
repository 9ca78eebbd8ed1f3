"""What a person does with an alert from a screen: by a button or by its key, with words where words are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nicegui import ui
from nicegui.element import Element

from service.access.people import Person
from service.access.roles import ALL_TABLES, MATRIX, Permission
from service.screens.frame import Visitor
from service.screens.keyboard import Key
from service.screens.parts import attempt, button, div, text
from service.store import CLOSED, Action, Alert, Status

MOST_PEOPLE = 500
REASONS = {
    Action.CONFIRM: ("Seen on the clip", "Floor informed", "Seen on the recording of record"),
    Action.DISMISS: (
        "A card was misread", "Chips were miscounted", "A hand covered the view", "The floorperson had decided so",
        "Not what the table was playing",
    ),
    Action.REOPEN: ("New evidence", "Closed by mistake"),
    Action.COMMENT: (),
}  # fmt: skip
"""What is offered to choose from; anything else may be written."""
ASKED = {
    Action.CONFIRM: "Confirm the breach", Action.DISMISS: "Dismiss as false", Action.REOPEN: "Reopen", Action.COMMENT: "Comment",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """A step on offer: its key, its name on the button, what it is."""

    key: str
    name: str
    action: Action


OFFERS = (
    Offer("a", "Acknowledge", Action.ACKNOWLEDGE),
    Offer("c", "Confirm breach", Action.CONFIRM),
    Offer("d", "Dismiss as false", Action.DISMISS),
    Offer("r", "Reopen", Action.REOPEN),
    Offer("m", "Comment", Action.COMMENT),
    Offer("s", "Assign", Action.ASSIGN),
)


@dataclass(slots=True)
class Steps:
    """Takes steps with alerts for someone.

    Attributes:
        who: takes them.
        current: the number of the alert that keys mean, None if none.
        done: called after every step that was taken.
    """

    who: Visitor
    current: Callable[[], int | None]
    done: Callable[[], None]

    def keys(self) -> tuple[Key, ...]:
        """The keys of all steps."""
        return tuple(Key((one.key,), _said(one), lambda action=one.action: self.by_key(action)) for one in OFFERS)  # type: ignore[misc]

    def offered(self, alert: Alert) -> tuple[Offer, ...]:
        """The steps that make sense now and that this person may take."""
        if not self.who.may(Permission.ALERTS_HANDLE, alert.table_id):
            return ()
        closed = alert.status in CLOSED
        fits = {
            Action.ACKNOWLEDGE: alert.status is Status.OPEN, Action.CONFIRM: not closed, Action.DISMISS: not closed,
            Action.REOPEN: closed and self.who.may(Permission.ALERTS_REOPEN, alert.table_id), Action.COMMENT: True,
            Action.ASSIGN: not closed,
        }  # fmt: skip
        return tuple(one for one in OFFERS if fits[one.action])

    def buttons(self, alert: Alert) -> None:
        """The buttons of all steps on offer, each with its key."""
        with div("act steps noprint"):
            for one in self.offered(alert):
                kind = " confirm" if one.action is Action.CONFIRM else ""
                with text("button", one.name, f"plain small{kind}").props("type=button") as made:
                    text("kbd", one.key)
                made.on("click", lambda _, action=one.action: self.ask(alert.seq, action))

    def by_key(self, action: Action) -> None:
        """A step with the alert that keys mean; says so where it makes no sense."""
        seq = self.current()
        if seq is None:
            ui.notify("Choose an alert first, with j and k", position="bottom-right")
            return
        alert = self.who.house.store.alert(seq)
        if action in {one.action for one in self.offered(alert)}:
            self.ask(seq, action)
        elif not self.who.may(
            Permission.ALERTS_REOPEN if action is Action.REOPEN else Permission.ALERTS_HANDLE, alert.table_id
        ):
            ui.notify("Your role does not allow this", type="warning", position="bottom-right")
        else:
            ui.notify(f"Alert {seq} is {alert.status}", position="bottom-right")

    def ask(self, seq: int, action: Action) -> None:
        """Takes a step, after asking for the words or the person it needs."""
        if action is Action.ACKNOWLEDGE:
            attempt(lambda: self.take(seq, action))
        elif action is Action.ASSIGN:
            self._ask_person(seq)
        else:
            self._ask_reason(seq, action)

    def take(self, seq: int, action: Action, *, reason: str = "", assignee: str | None = None) -> None:
        """Records a step and shows it.

        Raises:
            ServiceError: it cannot be taken, or they may not.
        """
        house = self.who.house
        table_id = house.store.alert(seq).table_id
        needed = Permission.ALERTS_REOPEN if action is Action.REOPEN else Permission.ALERTS_HANDLE
        by = self.who.now(needed, table_id).signature
        house.store.take_step(seq, action, by=by, at_utc=house.now(), reason=reason, assignee=assignee)
        self.who.note("alerts.handle", f"alert {seq}: {action}", table_id)
        house.feed.notify()
        self.done()

    def _ask_reason(self, seq: int, action: Action) -> None:
        with ui.dialog(value=True) as dialog, div("card"):
            text("h2", f"{ASKED[action]} · alert {seq}")
            label = "Comment" if action is Action.COMMENT else "Reason"
            given = (
                ui.input(label, autocomplete=list(REASONS[action])).props("borderless dense autofocus").classes("field")
            )
            with div("offers"):
                for reason in REASONS[action]:
                    text("button", reason, "plain small").props("type=button").on(
                        "click", lambda _, chosen=reason: given.set_value(chosen)
                    )
            with div("act right"):
                button("Cancel", dialog.close)
                button(
                    ASKED[action], lambda: enter(), main=action is not Action.CONFIRM, danger=action is Action.CONFIRM
                )

        def enter() -> None:
            if attempt(lambda: self.take(seq, action, reason=str(given.value or ""))):
                dialog.close()

        given.on("keydown.enter", enter)

    def _ask_person(self, seq: int) -> None:
        alert = self.who.house.store.alert(seq)
        names = [one.name for one in handlers(self.who, alert.table_id)]
        me = self.who.principal.name
        chosen = me if me in names and alert.assignee != me else alert.assignee or (names[0] if names else None)
        with ui.dialog(value=True) as dialog, div("card"):
            text("h2", f"Assign · alert {seq}")
            person = ui.select(names, value=chosen if chosen in names else None, label="To whom", with_input=True)
            person.props("borderless dense options-dense autofocus").classes("field")
            with div("act right"):
                button("Cancel", dialog.close)
                if alert.assignee is not None:
                    button("Nobody", lambda: enter(None))
                button("Assign", lambda: enter(person.value), main=True)

        def enter(name: str | None) -> None:
            if attempt(lambda: self.take(seq, Action.ASSIGN, assignee=name)):
                dialog.close()

        person.on("keydown.enter", lambda: enter(person.value))


def handlers(who: Visitor, table_id: str | None = None) -> list[Person]:
    """Who may deal with alerts of a table, or of any, by name."""
    people = who.house.access.people
    groups = people.groups()
    roles = MATRIX[Permission.ALERTS_HANDLE]

    def may(person: Person) -> bool:
        return not person.disabled and any(
            role in roles and (table_id is None or group == ALL_TABLES or table_id in groups.get(group, ()))
            for role, group in person.roles
        )

    return sorted(filter(may, people.page(limit=MOST_PEOPLE)), key=lambda person: person.name)


def fill_history(alert: Alert) -> None:
    """Every step that was taken with an alert: what, by whom, when, why."""
    with Element("ol").classes("history"):
        _step("raised", "", alert.raised_utc, "")
        for one in alert.history:
            named = f"assigned to {one.assignee}" if one.assignee else "assigned to nobody"
            what = named if one.action is Action.ASSIGN else DONE[one.action]
            _step(what, one.by, one.at_utc, one.reason)


DONE = {
    Action.ACKNOWLEDGE: "acknowledged", Action.COMMENT: "commented", Action.CONFIRM: "confirmed", Action.DISMISS: "dismissed",
    Action.REOPEN: "reopened", Action.ENDED: "over",
}  # fmt: skip


def _step(what: str, by: str, at_utc: str, why: str) -> None:
    with Element("li"):
        with div("step-head"):
            text("b", what + (f" by {by}" if by else ""))
            text("span", f"{at_utc[:19].replace('T', ' ')} UTC", "quiet number")
        if why:
            text("div", why, "step-why")


def _said(one: Offer) -> str:
    words = {Action.CONFIRM: ", with a reason", Action.DISMISS: ", with a reason", Action.REOPEN: ", with a reason"}
    return one.name[:1].lower() + one.name[1:] + words.get(one.action, "")
