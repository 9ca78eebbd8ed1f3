"""Signing in and out, and the interface for people, keys and the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from service.access.access import SignInError
from service.access.credentials import Key
from service.access.door import COOKIE, set_cookie
from service.access.journal import COLUMNS, JournalEntry, JournalFilter, head_from_text
from service.access.needs import Need, access_of, address_of, needing, needs, principal_of
from service.access.openid import OpenId, OpenIdError
from service.access.passwords import one_time_password
from service.access.people import Person
from service.access.roles import MATRIX, Permission, Role, permissions_named
from service.access.tables import ALL_TABLES
from service.errors import NotFoundError, ServiceError
from service.export.columns import Column, Kind
from service.export.csv_file import csv_lines
from service.screens.login import SAID, local_path, login_page, onward_page, password_page
from service.store.base import stamp
from service.web.answers import ErrorAnswer
from service.web.api import LARGEST_ID, Id, Moment, Text
from service.web.bodies import StrictRoute

logger = logging.getLogger(__name__)

SIGNING_IN = "pitwatch_signing_in"
OPEN = Need(None, is_open=True)
BEFORE_CHANGE = Need(None, before_change=True)
CSV_COLUMNS = tuple(Column(name, Kind.WHOLE if name == "number" else Kind.TEXT) for name in COLUMNS)
FormText = Annotated[str, Form(max_length=1000)]
pages = APIRouter(include_in_schema=False)
router = APIRouter(prefix="/api", tags=["access"], responses={401: {"model": ErrorAnswer}, 403: {"model": ErrorAnswer}}, route_class=StrictRoute)  # fmt: skip


# -- pages ------------------------------------------------------------------------------------------------------------


@pages.get("/login")
@needing(OPEN)
def show_login(request: Request, said: str = "", next_path: Annotated[str, Query(alias="next")] = "/") -> HTMLResponse:
    """The sign-in page; of `said` only its own sentences are shown."""
    return login_page(
        nonce=_nonce(request), said=said if said in SAID else "", next_path=next_path, provider=_provider(request)
    )


@pages.post("/login")
@needing(OPEN)
def sign_in(
    request: Request, name: FormText, password: FormText, next_path: Annotated[str, Form(alias="next")] = "/"
) -> Response:
    """Signs in by name and password."""
    access = access_of(request)
    try:
        token = access.sign_in(name, password, address=address_of(request))
    except SignInError as error:
        late = error.wait_s > 0
        return login_page(
            nonce=_nonce(request), said=f"{error.what[:1].upper()}{error.what[1:]}. {error.do}.", next_path=next_path, name=name[:200],
            provider=_provider(request), status=HTTPStatus.TOO_MANY_REQUESTS if late else HTTPStatus.UNAUTHORIZED,
            headers={"Retry-After": str(max(1, round(error.wait_s)))} if late else None,
        )  # fmt: skip
    answer = RedirectResponse(local_path(next_path), HTTPStatus.SEE_OTHER)
    set_cookie(answer, token, access, is_tls=request.scope["state"]["is_tls"])
    return answer


@pages.post("/logout")
@needing(BEFORE_CHANGE)
def sign_out(request: Request) -> Response:
    """Ends the session."""
    access_of(request).sign_out(principal_of(request), address=address_of(request))
    answer = RedirectResponse("/login?said=out", HTTPStatus.SEE_OTHER)
    answer.delete_cookie(COOKIE, path="/")
    return answer


@pages.get("/password")
@needing(BEFORE_CHANGE)
def show_password(request: Request) -> HTMLResponse:
    """The page to change one's password."""
    principal = principal_of(request)
    person = access_of(request).people.person(principal.user_id)
    return password_page(nonce=_nonce(request), name=person.name, must=person.must_change, asks_old=person.by_password)


@pages.post("/password")
@needing(BEFORE_CHANGE)
def change_password(request: Request, new: FormText, again: FormText, old: FormText = "") -> Response:
    """Changes one's own password; every other session of the account ends."""
    access, principal = access_of(request), principal_of(request)
    address = address_of(request)
    person = access.people.person(principal.user_id)
    try:
        if principal.key_label is not None:
            raise ServiceError("a key has no password", do="Sign in at /login")
        _verify_old(request, person, old)
        if new != again:
            raise ServiceError("the two new passwords differ", do="Type the new one twice")
        access.people.change_password(person.user_id, new, now=access.now())
    except ServiceError as error:
        access.note(principal, "password", "changed by its owner", address=address, outcome="refused")
        said = f"{error.what[:1].upper()}{error.what[1:]}." + (f" {error.do}." if error.do else "")
        return password_page(
            nonce=_nonce(request), name=person.name, must=person.must_change, asks_old=person.by_password, said=said,
            status=HTTPStatus.BAD_REQUEST,
        )  # fmt: skip
    access.note(principal, "password", "changed by its owner", address=address)
    answer = RedirectResponse(_first_way(request), HTTPStatus.SEE_OTHER)
    token = access.open_session(person, how="password", address=address)
    set_cookie(answer, token, access, is_tls=request.scope["state"]["is_tls"])
    return answer


def _first_way(request: Request) -> str:
    """Where someone goes who has just chosen a password: to the first table, where there is none yet and they may add it."""
    house = request.app.state.house
    adds = not house.tables and house.roster is not None and principal_of(request).may(Permission.TABLES_CONFIGURE)
    return "/tables" if adds else "/"


@pages.get("/auth/openid")
@needing(OPEN)
def begin_openid(request: Request, next_path: Annotated[str, Query(alias="next")] = "/") -> Response:
    """Sends the browser to the identity provider."""
    openid = _openid(request)
    try:
        begun = openid.begin(redirect_uri=_callback(request), next_path=local_path(next_path))
    except OpenIdError as error:
        logger.warning("single sign-on: %s", error)
        return RedirectResponse("/login?said=provider", HTTPStatus.SEE_OTHER)
    answer = RedirectResponse(begun.url, HTTPStatus.SEE_OTHER)
    answer.set_cookie(
        SIGNING_IN, begun.ticket.text, max_age=600, httponly=True, samesite="lax", path="/auth",
        secure=request.scope["state"]["is_tls"],
    )  # fmt: skip
    return answer


@pages.get("/auth/callback")
@needing(OPEN)
def finish_openid(request: Request, state: str = "", code: str = "") -> Response:
    """Where the identity provider sends the browser back to.

    The page that follows is one of our own that leads on by itself: the session's cookie is not sent while another site
    leads here.
    """
    openid = _openid(request)
    ticket = request.cookies.get(SIGNING_IN, "")
    try:
        token, next_path = openid.finish(ticket=ticket, state=state, code=code, address=address_of(request))
    except OpenIdError as error:
        answer: Response = RedirectResponse(f"/login?said={error.said}", HTTPStatus.SEE_OTHER)
    else:
        answer = onward_page(next_path, nonce=_nonce(request))
        set_cookie(answer, token, access_of(request), is_tls=request.scope["state"]["is_tls"])
    answer.delete_cookie(SIGNING_IN, path="/auth")
    return answer


def _openid(request: Request) -> OpenId:
    access = access_of(request)
    if access.settings.openid is None:
        raise NotFoundError("no identity provider is set up", do="Sign in at /login")
    return OpenId(access, access.settings.openid, access.http)


def _callback(request: Request) -> str:
    settings, is_tls = access_of(request).settings, request.scope["state"]["is_tls"]
    here = f"{'https' if is_tls else 'http'}://{request.headers.get('host', '')}"
    return f"{settings.public_url or here}/auth/callback"


def _verify_old(request: Request, person: Person, old: str) -> None:
    access, address = access_of(request), address_of(request)
    if not person.by_password:
        return
    wait_s = access.throttle.begin(person.name, address, now=access.now())
    if wait_s > 0:
        raise ServiceError("there were too many tries", do=f"Wait {max(1, round(wait_s))} seconds and try again")
    if access.people.by_password(person.name, old) is None:
        raise ServiceError("the present password is another one", do="Try again")
    access.throttle.succeeded(person.name, address)


def _nonce(request: Request) -> str:
    return str(request.scope["state"].get("nonce", ""))


def _provider(request: Request) -> str | None:
    openid = access_of(request).settings.openid
    return openid.label if openid is not None else None


# -- the one who asks -------------------------------------------------------------------------------------------------


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


# -- people -----------------------------------------------------------------------------------------------------------


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
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> PeoplePage:
    """Accounts, those shut out too."""
    found = access_of(request).people.page(after=after, limit=limit + 1)
    people = [_person(one) for one in found[:limit]]
    return PeoplePage(people=people, next_after=people[-1].id if len(found) > limit else None)


@router.post("/people", status_code=HTTPStatus.CREATED)
@needs(Permission.PEOPLE_MANAGE)
def add_person(request: Request, given: PersonCreate) -> OneTimePassword:
    """Adds an account; its one-time password is in the answer and nowhere else."""
    access, password = access_of(request), one_time_password()
    person = access.people.add(given.name, _pairs(given.roles), password=password, now=access.now())
    _note(request, "people.add", f"{person.name}: {_said(person)}")
    return OneTimePassword(person=_person(person), one_time_password=password)


@router.patch("/people/{person_id}")
@needs(Permission.PEOPLE_MANAGE)
def change_person(request: Request, person_id: Id, given: PersonChange) -> PersonPublic:
    """Grants other roles, shuts an account out, or lets it in again."""
    access = access_of(request)
    person = access.people.person(person_id)
    if given.roles is not None:
        person = access.people.set_roles(person_id, _pairs(given.roles))
        _note(request, "people.roles", f"{person.name}: {_said(person)}")
    if given.disabled is not None:
        person = access.people.disable(person_id, disabled=given.disabled, now=access.now())
        _note(request, "people.disable" if given.disabled else "people.enable", person.name)
    return _person(person)


@router.post("/people/{person_id}/password")
@needs(Permission.PEOPLE_MANAGE)
def reset_password(request: Request, person_id: Id) -> OneTimePassword:
    """Gives an account a new one-time password and ends its sessions."""
    access = access_of(request)
    password = access.people.new_password(person_id, now=access.now())
    person = access.people.person(person_id)
    _note(request, "people.password", person.name)
    return OneTimePassword(person=_person(person), one_time_password=password)


@router.post("/people/{person_id}/sign-out")
@needs(Permission.PEOPLE_MANAGE)
def end_sessions(request: Request, person_id: Id) -> PersonPublic:
    """Signs an account out everywhere."""
    access = access_of(request)
    person = access.people.person(person_id)
    access.people.end_sessions(person_id, now=access.now())
    _note(request, "people.sign-out", person.name)
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
    _note(request, "people.group", f"{name}: {', '.join(given.tables) or 'removed'}")
    return list_groups(request)


# -- keys -------------------------------------------------------------------------------------------------------------


class KeyPublic(BaseModel):
    """A key without the key."""

    id: int
    prefix: str = Field(description="how the key begins")
    label: str
    owner: str
    scopes: list[str]
    tables: str
    made_utc: str
    ends_utc: str
    revoked_utc: str | None
    used_utc: str | None


class KeyCreate(BaseModel):
    """A new key. It may do what its scopes and its owner may both do."""

    model_config = ConfigDict(extra="forbid")

    label: Text = Field(min_length=1, max_length=60, description="what it is for")
    scopes: list[Permission] = Field(min_length=1)
    tables: Text = Field(ALL_TABLES, min_length=1, max_length=80, description="name of a group of tables, * for all")
    days: int = Field(90, ge=1, le=730, description="how long it works")


class NewKey(BaseModel):
    """A new key, shown this once."""

    key: str
    about: KeyPublic


class KeyPage(BaseModel):
    """Keys, newest first."""

    keys: list[KeyPublic]
    next_before: int | None


@router.get("/keys")
@needs(Permission.KEYS_MANAGE)
def list_keys(
    request: Request,
    before: Annotated[int | None, Query(ge=1, le=LARGEST_ID)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> KeyPage:
    """Keys, those over and revoked too."""
    found = access_of(request).keys.page(before=before, limit=limit + 1)
    keys = [_key(one) for one in found[:limit]]
    return KeyPage(keys=keys, next_before=keys[-1].id if len(found) > limit else None)


@router.post("/keys", status_code=HTTPStatus.CREATED)
@needs(Permission.KEYS_MANAGE)
def make_key(request: Request, given: KeyCreate) -> NewKey:
    """Makes a key that acts for the one who makes it; the key is in the answer and nowhere else."""
    access, principal = access_of(request), principal_of(request)
    if principal.key_label is not None:
        raise ServiceError("a key cannot make keys", do="Sign in as a person")
    scopes = permissions_named(given.scopes)
    ends = access.now() + timedelta(days=given.days)
    key, token = access.keys.make(
        given.label, principal.user_id, scopes, ends=ends, now=access.now(), table_group=given.tables
    )
    _note(request, "keys.make", f"{key.label} ({key.prefix}…), {', '.join(key.scopes)}, until {key.ends_utc[:10]}")
    return NewKey(key=token.text, about=_key(key))


@router.post("/keys/{key_id}/revoke")
@needs(Permission.KEYS_MANAGE)
def revoke_key(request: Request, key_id: Id) -> KeyPublic:
    """Ends a key for good."""
    access = access_of(request)
    key = access.keys.revoke(key_id, now=access.now())
    _note(request, "keys.revoke", f"{key.label} ({key.prefix}…)")
    return _key(key)


# -- the log ----------------------------------------------------------------------------------------------------------


class JournalPage(BaseModel):
    """Rows of the log, newest first."""

    rows: list[dict[str, Any]]
    next_before: int | None


class JournalChecked(BaseModel):
    """What a verification of the log found."""

    rows: int
    head: str = Field(
        description="number and hash of the newest row; keep it elsewhere to prove later that nothing was cut off"
    )
    faults: list[str]


def journal_filter(
    request: Request,
    who: Annotated[Text | None, Query(max_length=180)] = None,
    what: Annotated[
        Text | None, Query(max_length=40, description="e.g. sign-in, or alerts. for all that begin so")
    ] = None,
    table_id: Annotated[Text | None, Query(max_length=80)] = None,
    outcome: Annotated[Text | None, Query(max_length=20, description="done, refused or failed")] = None,
    address: Annotated[Text | None, Query(max_length=80)] = None,
    since: Annotated[Moment | None, Query(description="from this moment on")] = None,
    until: Annotated[Moment | None, Query(description="before this moment")] = None,
) -> JournalFilter:
    """Which rows someone asks for, as far as they may see them."""
    tables = principal_of(request).tables_for(Permission.JOURNAL_READ)
    return JournalFilter(
        who, what, table_id, outcome, address, stamp(since) if since else None, stamp(until) if until else None, tables
    )


@router.get("/journal")
@needs(Permission.JOURNAL_READ, what="journal.read", about="the log")
def list_journal(
    request: Request,
    wanted: Annotated[JournalFilter, Depends(journal_filter)],
    before: Annotated[int | None, Query(ge=1, le=LARGEST_ID, description="only older rows than this one")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JournalPage:
    """Who saw, exported and changed what; reading it is logged too."""
    found = access_of(request).journal.page(wanted, limit=limit + 1, before=before)
    rows = [_row(entry) for entry in found[:limit]]
    return JournalPage(rows=rows, next_before=found[limit - 1].number if len(found) > limit else None)


@router.get("/journal.csv", response_class=StreamingResponse, responses={200: {"content": {"text/csv": {}}}})
@needs(Permission.JOURNAL_EXPORT, what="journal.export", about="the log as CSV")
def export_journal(request: Request, wanted: Annotated[JournalFilter, Depends(journal_filter)]) -> StreamingResponse:
    """The log as CSV, oldest first, up to this moment; the head of the chain stands in the last line."""
    journal = access_of(request).journal
    number, sha = journal.head()
    lines = csv_of(journal.rows(wanted, up_to=number), head=f"{number}:{sha}")
    return StreamingResponse(
        lines, media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="pitwatch-journal.csv"', "X-Journal-Head": f"{number}:{sha}"},
    )  # fmt: skip


@router.get("/journal/check")
@needs(Permission.JOURNAL_READ, what="journal.check", about="the chain of the log")
def check_journal(
    request: Request,
    head: Annotated[str | None, Query(max_length=90, description="a head noted earlier, NUMBER:SHA256")] = None,
) -> JournalChecked:
    """Reads the whole chain and names every row that was changed, removed, put in or cut off."""
    check = access_of(request).journal.verify(known_head=head_from_text(head) if head else None)
    return JournalChecked(rows=check.rows, head=check.head, faults=list(check.faults))


def csv_of(rows: Iterator[JournalEntry], *, head: str) -> Iterator[bytes]:
    """Rows as CSV, the head of the chain in the last line."""
    yield from csv_lines(CSV_COLUMNS, (_row(entry) for entry in rows))
    yield f"# head,{head}\r\n".encode()


def _row(entry: JournalEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in COLUMNS}


def _note(request: Request, what: str, about: str) -> None:
    access_of(request).note(principal_of(request), what, about, address=address_of(request))


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


def _key(key: Key) -> KeyPublic:
    return KeyPublic(
        id=key.key_id, prefix=key.prefix, label=key.label, owner=key.owner, scopes=list(key.scopes), tables=key.table_group,
        made_utc=key.made_utc, ends_utc=key.ends_utc, revoked_utc=key.revoked_utc, used_utc=key.used_utc,
    )  # fmt: skip
