"""The interface for people, their roles and the groups of tables that roles are for."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from service.access.needs import access_of, needs, note, principal_of
from service.access.passwords import one_time_password
from service.access.people import Person
from service.access.roles import ALL_TABLES, MATRIX, Permission, Role
from service.web.answers import ErrorAnswer
from service.web.bodies import StrictRoute
from service.web.fields import LARGEST_ID, Id, Text
from service.web.paging import PageSize, page_of

router = APIRouter(prefix="/api", tags=["access"], responses={401: {"model": ErrorAnswer}, 403: {"model": ErrorAnswer}}, route_class=StrictRoute)  # fmt: skip


class GrantPublic(BaseModel):
    """A role for a group of tables; `*` is every table."""

    model_config = ConfigDict(extra="forbid")

    role: Role
    tables: Text = Field(ALL_TABLES, min_length=1, max_length=80, description="name of a group of tables, * for all")


class MePublic(BaseModel):
    """Who asks, and what they may do."""

    name: str
    roles: list[Role]
    permissions: dict[str, list[str] | None] = Field(description="permission to tables, null for all tables")


@router.get("/me")
@needs(None)
def get_me(request: Request) -> MePublic:
    """Who you are here and what you may do."""
    principal = principal_of(request)
    held = {p: principal.tables_for(p) for p in Permission if principal.may(p)}
    permissions = {str(p): None if tables is None else sorted(tables) for p, tables in held.items()}
    return MePublic(name=principal.signature, roles=list(principal.roles), permissions=permissions)


@router.get("/roles")
@needs(None)
def list_roles(request: Request) -> dict[str, list[str]]:
    """Which role holds which permission."""
    return {role.value: [p.value for p in Permission if role in MATRIX[p]] for role in Role}


class PersonPublic(BaseModel):
    """An account."""

    id: int
    name: str
    roles: list[GrantPublic]
    disabled: bool
    must_change_password: bool
    signs_in_by: str = Field(description="password, link, or the identity provider's address")
    added_utc: str


class PersonCreate(BaseModel):
    """A new account."""

    model_config = ConfigDict(extra="forbid")

    name: Text = Field(min_length=1, max_length=80)
    roles: list[GrantPublic] = Field(min_length=1, max_length=50)


class PersonChange(BaseModel):
    """What shall be otherwise; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    roles: list[GrantPublic] | None = Field(None, max_length=50)
    disabled: bool | None = None


class OneTimePassword(BaseModel):
    """A password that is shown this once and must be changed at first sign-in."""

    person: PersonPublic
    one_time_password: str


class PeoplePage(BaseModel):
    """Accounts in the order they were added."""

    people: list[PersonPublic]
    next_after: int | None


@router.get("/people")
@needs(Permission.PEOPLE_MANAGE)
def list_people(
    request: Request,
    after: Annotated[int, Query(ge=0, le=LARGEST_ID)] = 0,
    limit: PageSize = 100,
) -> PeoplePage:
    """Accounts, those shut out too."""
    found = access_of(request).people.page(after=after, limit=limit + 1)
    people, last = page_of(found, limit, lambda person: person.user_id)
    return PeoplePage(people=[_person(one) for one in people], next_after=last)


@router.post("/people", status_code=HTTPStatus.CREATED)
@needs(Permission.PEOPLE_MANAGE)
def add_person(request: Request, given: PersonCreate) -> OneTimePassword:
    """Adds an account; its one-time password is in the answer and nowhere else."""
    access, password = access_of(request), one_time_password()
    person = access.people.add(given.name, _pairs(given.roles), password=password, now=access.now())
    note(request, "people.add", f"{person.name}: {_said(person)}")
    return OneTimePassword(person=_person(person), one_time_password=password)


@router.patch("/people/{person_id}")
@needs(Permission.PEOPLE_MANAGE)
def change_person(request: Request, person_id: Id, given: PersonChange) -> PersonPublic:
    """Grants other roles, shuts an account out, or lets it in again."""
    access = access_of(request)
    person = access.people.person(person_id)
    if given.roles is not None:
        person = access.people.set_roles(person_id, _pairs(given.roles))
        note(request, "people.roles", f"{person.name}: {_said(person)}")
    if given.disabled is not None:
        person = access.people.disable(person_id, disabled=given.disabled, now=access.now())
        note(request, "people.disable" if given.disabled else "people.enable", person.name)
    return _person(person)


@router.post("/people/{person_id}/password")
@needs(Permission.PEOPLE_MANAGE)
def reset_password(request: Request, person_id: Id) -> OneTimePassword:
    """Gives an account a new one-time password and ends its sessions."""
    access = access_of(request)
    password = access.people.new_password(person_id, now=access.now())
    person = access.people.person(person_id)
    note(request, "people.password", person.name)
    return OneTimePassword(person=_person(person), one_time_password=password)


@router.post("/people/{person_id}/sign-out")
@needs(Permission.PEOPLE_MANAGE)
def end_sessions(request: Request, person_id: Id) -> PersonPublic:
    """Signs an account out everywhere."""
    access = access_of(request)
    person = access.people.person(person_id)
    access.people.end_sessions(person_id, now=access.now())
    note(request, "people.sign-out", person.name)
    return _person(person)


@router.get("/table-groups")
@needs(Permission.PEOPLE_MANAGE)
def list_groups(request: Request) -> dict[str, list[str]]:
    """Groups of tables and the ids in them."""
    return {name: list(tables) for name, tables in access_of(request).people.groups().items()}


class GroupChange(BaseModel):
    """What is in a group of tables; nothing removes it."""

    model_config = ConfigDict(extra="forbid")

    tables: list[Annotated[Text, Field(min_length=1, max_length=80)]] = Field(max_length=1000)


@router.put("/table-groups/{name}")
@needs(Permission.PEOPLE_MANAGE)
def put_group(request: Request, name: Text, given: GroupChange) -> dict[str, list[str]]:
    """Makes a group of tables, or says anew what is in it."""
    access_of(request).people.set_group(name, given.tables)
    note(request, "people.group", f"{name}: {', '.join(given.tables) or 'removed'}")
    return list_groups(request)


def _pairs(roles: list[GrantPublic]) -> list[tuple[Role, str]]:
    return [(grant.role, grant.tables) for grant in roles]


def _said(person: Person) -> str:
    return ", ".join(f"{role} of {'all tables' if group == ALL_TABLES else group}" for role, group in person.roles)


def _person(person: Person) -> PersonPublic:
    way = person.issuer or ("password" if person.by_password else "link")
    return PersonPublic(
        id=person.user_id, name=person.name, roles=[GrantPublic(role=role, tables=group) for role, group in person.roles],
        disabled=person.disabled, must_change_password=person.must_change, signs_in_by=way, added_utc=person.added_utc,
    )  # fmt: skip
