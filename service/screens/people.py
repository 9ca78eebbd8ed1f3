"""Screens of the administrator: people with their roles, groups of tables, keys of programs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from nicegui import ui
from nicegui.element import Element

from service.access.credentials import Key
from service.access.passwords import one_time_password
from service.access.people import Person
from service.access.roles import ALL_TABLES, WHAT_IT_ALLOWS, Permission, Role, permissions_named
from service.errors import ServiceError
from service.screens.frame import Visitor, attempt, button, desk, div, shown_once, text

MOST_SHOWN = 500
ALL = "all tables"
FIELD = "borderless dense options-dense hide-bottom-space"


def people_screen(who: Visitor) -> None:
    """Accounts, their roles, and groups of tables."""
    with desk(who, "/people", "People", "Who may come in, what they may do, and for which tables."):
        _PeopleScreen(who).build()


def keys_screen(who: Visitor) -> None:
    """Keys of programs."""
    with desk(
        who, "/keys", "Keys", "What programs come in with. A key may do what its scopes and its maker may both do."
    ):
        _KeysScreen(who).build()


class _PeopleScreen:
    def __init__(self, who: Visitor) -> None:
        self.who, self.people = who, who.house.access.people

    def build(self) -> None:
        with div("row-head"):
            div("")
            button("Add a person", self.ask_new, main=True)
        self.list = div("list")
        with div("row-head"):
            with div(""):
                text("h2", "Groups of tables")
                text("div", "A role can be granted for a group only.").classes("quiet")
            button("Add a group", lambda: self.ask_group("", ()))
        self.groups = div("list")
        self.fill()

    def fill(self) -> None:
        self.list.clear()
        with self.list, Element("table"):
            _heads("Name", "Roles", "Comes in by", "State", "")
            with Element("tbody"):
                for person in self.people.page(limit=MOST_SHOWN):
                    self._row(person)
        self.groups.clear()
        with self.groups, Element("table"):
            _heads("Group", "Tables", "")
            with Element("tbody"):
                for name, tables in self.people.groups().items():
                    with Element("tr"):
                        _cell(name)
                        _cell(", ".join(tables), "wrap")
                        with Element("td").classes("end"):
                            _link("Change", partial(self.ask_group, name, tables))

    def _row(self, person: Person) -> None:
        with Element("tr").classes("off" if person.disabled else ""):
            with Element("td"):
                text("span", person.name).classes("strong")
            with Element("td").classes("wrap"):
                for role, group in person.roles:
                    text("span", f"{role} · {_group(group)}").classes("tag")
            _cell(person.issuer or ("password" if person.by_password else "link"))
            with Element("td"):
                state = (
                    ("shut out", "bad")
                    if person.disabled
                    else ("must change password", "due")
                    if person.must_change
                    else ("active", "good")
                )
                text("span", state[0]).classes(f"tag {state[1]}")
            with Element("td").classes("end"):
                _link("Change", lambda: self.ask_change(person))

    def ask_new(self) -> None:
        with ui.dialog(value=True) as dialog, div("card"):
            text("h2", "Add a person")
            name = ui.input("Name").props(FIELD).classes("field")
            grants = _Grants(self.people.groups(), [(Role.OPERATOR, ALL_TABLES)])
            with div("act right"):
                button("Cancel", dialog.close)
                button("Add", lambda: attempt(add), main=True)

        def add() -> None:
            self.who.now(Permission.PEOPLE_MANAGE)
            password = one_time_password()
            person = self.people.add(
                str(name.value or ""), grants.chosen(), password=password, now=self.who.house.now()
            )
            self.who.note("people.add", f"{person.name}: {_said(person)}")
            dialog.close()
            shown_once(
                f"{person.name} is added", password,
                "The one-time password, shown only now. It must be changed at the first sign-in.", self.fill,
            )  # fmt: skip

    def ask_change(self, person: Person) -> None:
        with ui.dialog(value=True) as dialog, div("card"):
            text("h2", person.name)
            grants = _Grants(self.people.groups(), list(person.roles))
            with div("act"):
                button("New one-time password", lambda: attempt(new_password))
                button("Sign out everywhere", lambda: attempt(sign_out))
                label = "Let in again" if person.disabled else "Shut out"
                button(label, lambda: attempt(shut), danger=not person.disabled)
            with div("act right"):
                button("Cancel", dialog.close)
                button("Save roles", lambda: attempt(save), main=True)

        def done(what: str, about: str) -> None:
            self.who.note(what, about)
            dialog.close()
            self.fill()

        def save() -> None:
            self.who.now(Permission.PEOPLE_MANAGE)
            changed = self.people.set_roles(person.user_id, grants.chosen())
            done("people.roles", f"{person.name}: {_said(changed)}")

        def shut() -> None:
            self.who.now(Permission.PEOPLE_MANAGE)
            self.people.disable(person.user_id, disabled=not person.disabled, now=self.who.house.now())
            done("people.enable" if person.disabled else "people.disable", person.name)

        def sign_out() -> None:
            self.who.now(Permission.PEOPLE_MANAGE)
            self.people.end_sessions(person.user_id, now=self.who.house.now())
            done("people.sign-out", person.name)

        def new_password() -> None:
            self.who.now(Permission.PEOPLE_MANAGE)
            password = self.people.new_password(person.user_id, now=self.who.house.now())
            done("people.password", person.name)
            shown_once(f"A new password for {person.name}", password, "One-time, shown only now.", lambda: None)

    def ask_group(self, name: str, tables: tuple[str, ...]) -> None:
        with ui.dialog(value=True) as dialog, div("card"):
            text("h2", "Group of tables")
            called = ui.input("Name", value=name).props(FIELD).classes("field")
            called.set_enabled(not name)
            ids = ui.input("Tables, separated by commas", value=", ".join(tables)).props(FIELD).classes("field")
            known = ", ".join(self.who.house.tables)
            text("div", f"Live now: {known or 'none'}. Without a table the group is removed.").classes("quiet")
            with div("act right"):
                button("Cancel", dialog.close)
                button("Save", lambda: attempt(save), main=True)

        def save() -> None:
            self.who.now(Permission.PEOPLE_MANAGE)
            chosen = [one.strip() for one in str(ids.value or "").split(",") if one.strip()]
            self.people.set_group(str(called.value or "").strip(), chosen)
            self.who.note("people.group", f"{called.value}: {', '.join(chosen) or 'removed'}")
            dialog.close()
            self.fill()


class _Grants:
    """Roles of a person while they are chosen: a line for each, with the tables it is for."""

    def __init__(self, groups: dict[str, tuple[str, ...]], held: list[tuple[Role, str]]) -> None:
        self.groups = {ALL_TABLES: ALL} | {name: name for name in groups}
        self.held: list[list[str]] = [[role.value, group] for role, group in held]
        self.box = div("grants")
        self.fill()

    def fill(self) -> None:
        self.box.clear()
        with self.box:
            for line in self.held:
                with div("grant"):
                    _select([role.value for role in Role], line[0], partial(line.__setitem__, 0))
                    _select(self.groups, line[1], partial(line.__setitem__, 1))
                    _link("Take away", partial(self.drop, line))
            with div("act"):
                _link("Add a role", self.add)

    def add(self) -> None:
        self.held.append([Role.VIEWER.value, ALL_TABLES])
        self.fill()

    def drop(self, line: list[str]) -> None:
        self.held = [one for one in self.held if one is not line]
        self.fill()

    def chosen(self) -> list[tuple[Role, str]]:
        if not self.held:
            raise ServiceError("nobody comes in without a role", do="Add one, or shut the account out")
        return [(Role(role), group) for role, group in self.held]


class _KeysScreen:
    def __init__(self, who: Visitor) -> None:
        self.who, self.keys = who, who.house.access.keys

    def build(self) -> None:
        with div("row-head"):
            div("")
            button("Make a key", self.ask_new, main=True)
        self.list = div("list")
        self.fill()

    def fill(self) -> None:
        self.list.clear()
        with self.list, Element("table"):
            _heads("Key", "For", "May", "Tables", "Made by", "Last used (UTC)", "Ends", "")
            with Element("tbody"):
                for key in self.keys.page(limit=MOST_SHOWN):
                    self._row(key)

    def _row(self, key: Key) -> None:
        over = key.ends_utc <= self.who.house.now().isoformat()
        with Element("tr").classes("off" if key.revoked_utc or over else ""):
            with Element("td"):
                text("code", f"{key.prefix}…")
            _cell(key.label)
            with Element("td").classes("wrap"):
                for scope in key.scopes:
                    text("span", scope).classes("tag")
            _cell(_group(key.table_group))
            _cell(key.owner)
            _cell(_when(key.used_utc) if key.used_utc else "never", "when")
            _cell("revoked" if key.revoked_utc else key.ends_utc[:10], "when")
            with Element("td").classes("end"):
                if not key.revoked_utc:
                    _link("Revoke", lambda: attempt(lambda: self.revoke(key)))

    def revoke(self, key: Key) -> None:
        self.who.now(Permission.KEYS_MANAGE)
        self.keys.revoke(key.key_id, now=self.who.house.now())
        self.who.note("keys.revoke", f"{key.label} ({key.prefix}…)")
        self.fill()

    def ask_new(self) -> None:
        groups = {ALL_TABLES: ALL} | {name: name for name in self.who.house.access.people.groups()}
        with ui.dialog(value=True) as dialog, div("card"):
            text("h2", "Make a key")
            label = ui.input("What it is for").props(FIELD).classes("field")
            scopes = (
                ui.select(
                    {p.value: f"{p.value}: {WHAT_IT_ALLOWS[p]}" for p in Permission},
                    multiple=True,
                    label="What it may do",
                )
                .props(f"{FIELD} use-chips")
                .classes("field")
            )
            with div("fields"):
                tables = ui.select(groups, value=ALL_TABLES, label="Tables").props(FIELD).classes("field")
                days = ui.number("Days it works", value=90, min=1, max=730, precision=0).props(FIELD).classes("field")
            with div("act right"):
                button("Cancel", dialog.close)
                button("Make the key", lambda: attempt(make), main=True)

        def make() -> None:
            maker = self.who.now(Permission.KEYS_MANAGE)
            now = self.who.house.now()
            ends = now + timedelta(days=int(days.value or 0))
            wanted = permissions_named(scopes.value or [])
            key, token = self.keys.make(
                str(label.value or ""), maker.user_id, wanted, ends=ends, now=now, table_group=str(tables.value)
            )
            self.who.note(
                "keys.make", f"{key.label} ({key.prefix}…), {', '.join(key.scopes)}, until {key.ends_utc[:10]}"
            )
            dialog.close()
            shown_once(
                f"The key for {key.label}", token.text, "Shown only now. Send it as Authorization: Bearer …", self.fill
            )


def _heads(*names: str) -> None:
    with Element("thead"), Element("tr"):
        for name in names:
            text("th", name)


def _cell(said: str, classes: str = "") -> None:
    text("td", said).classes(classes)


def _link(name: str, act: Callable[[], object]) -> None:
    text("button", name).props("type=button").classes("link").on("click", lambda _: act())


def _select(options: list[str] | dict[str, str], value: str, chosen: Callable[[str], object]) -> None:
    ui.select(options, value=value, on_change=lambda event: chosen(event.value)).props(FIELD).classes("field")


def _group(name: str) -> str:
    return ALL if name == ALL_TABLES else name


def _said(person: Person) -> str:
    return ", ".join(f"{role} of {_group(group)}" for role, group in person.roles)


def _when(utc: str) -> str:
    return utc[:16].replace("T", " ")
