"""`pitwatch people` and `pitwatch journal`: for whoever may read the database on this machine, also when nobody can sign in."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.access.roles import ALL_TABLES, Role, role_named
from service.commands.database import DEFAULT_DATABASE, DatabaseUrl
from service.errors import NotFoundError

if TYPE_CHECKING:
    from service.access.access import Access
    from service.access.people import Person

people = typer.Typer(help="People and how they come in.", no_args_is_help=True)
journal = typer.Typer(help="The log of who saw, exported and changed what.", no_args_is_help=True)

SettingsFile = Annotated[
    Path | None, typer.Option("--settings", help="the service's settings file", show_default=False)
]
Name = Annotated[str, typer.Argument(help="sign-in name", show_default=False)]


@people.command(name="list")
def list_people(database: DatabaseUrl = DEFAULT_DATABASE) -> None:
    """List the accounts with their roles."""
    with _opened(database) as access:
        for person in _all(access):
            state = "shut out" if person.disabled else "must change the password" if person.must_change else ""
            typer.echo("\t".join((person.name, _roles(person), state)).rstrip())


@people.command()
def add(
    name: Name,
    role: Annotated[list[str], typer.Option("--role", help=f"{', '.join(Role)}; for a group of tables ROLE:GROUP; may be given several times", show_default=False)],
    database: DatabaseUrl = DEFAULT_DATABASE,
) -> None:  # fmt: skip
    """Add an account; its one-time password is printed once."""
    from service.access.passwords import one_time_password

    with _opened(database) as access:
        password = one_time_password()
        person = access.people.add(name, [_granted(one) for one in role], password=password, now=access.now())
        _note(access, "people.add", f"{person.name}: {_roles(person)}")
        typer.echo(f"{person.name} signs in with this one-time password, shown only now: {password}")


@people.command()
def password(name: Name, database: DatabaseUrl = DEFAULT_DATABASE) -> None:
    """Give an account a new one-time password and end its sessions."""
    with _opened(database) as access:
        person = _named(access, name)
        new = access.people.new_password(person.user_id, now=access.now())
        _note(access, "people.password", person.name)
        typer.echo(f"{person.name} signs in with this one-time password, shown only now: {new}")


@people.command()
def link(
    name: Name = "administrator",
    url: Annotated[str, typer.Option(help="where the screens are")] = "http://localhost:8080",
    database: DatabaseUrl = DEFAULT_DATABASE,
    settings: SettingsFile = None,
) -> None:
    """Print a link that signs an account in, once and not for long."""
    with _opened(database, settings) as access:
        person = _named(access, name)
        ticket = access.link(person.name)
        _note(access, "people.link", person.name)
        typer.echo(f"{url.rstrip('/')}/?ticket={ticket}")


@journal.command()
def check(
    head: Annotated[str, typer.Option(help="a head noted earlier, NUMBER:SHA256; shows an end that was cut off")] = "",
    database: DatabaseUrl = DEFAULT_DATABASE,
) -> None:
    """Read the whole log and name every row that was changed, removed, put in or cut off; exit status 1 if any was."""
    from service.access.journal import head_from_text

    with _opened(database) as access:
        found = access.journal.verify(known_head=head_from_text(head) if head else None)
    for fault in found.faults:
        typer.echo(fault)
    typer.echo(f"{found.rows} rows, {len(found.faults)} faults, head {found.head}")
    if found.faults:
        raise typer.Exit(1)


@contextmanager
def _opened(url: str, settings: Path | None = None) -> Iterator[Access]:
    from service.access.access import Access
    from service.access.settings import Settings, load_settings
    from service.store import Database
    from service.store.base import verify_there

    verify_there(url)
    database = Database(url)
    try:
        yield Access(database, load_settings(settings) if settings else Settings())
    finally:
        database.close()


def _all(access: Access) -> Iterator[Person]:
    after = 0
    while page := access.people.page(after=after):
        yield from page
        after = page[-1].user_id


def _named(access: Access, name: str) -> Person:
    person = access.people.named(name)
    if person is None:
        raise NotFoundError(f"there is no account {name!r}", do="List them with pitwatch people list")
    return person


def _granted(text: str) -> tuple[Role, str]:
    role, _, group = text.partition(":")
    return role_named(role), group or ALL_TABLES


def _roles(person: Person) -> str:
    return ", ".join(role.value if group == ALL_TABLES else f"{role}:{group}" for role, group in person.roles)


def _note(access: Access, what: str, about: str) -> None:
    from service.access.journal import Deed

    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    access.journal.write(Deed(what, about, f"(terminal) {user}"), at=access.now())
