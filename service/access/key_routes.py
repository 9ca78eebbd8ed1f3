"""The interface for the keys of programs."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from service.access.credentials import Key
from service.access.needs import access_of, needs, note, principal_of
from service.access.roles import ALL_TABLES, Permission, permissions_named
from service.errors import ServiceError
from service.web.answers import ErrorAnswer
from service.web.bodies import StrictRoute
from service.web.fields import LARGEST_ID, Id, Text
from service.web.paging import PageSize, page_of

router = APIRouter(prefix="/api", tags=["access"], responses={401: {"model": ErrorAnswer}, 403: {"model": ErrorAnswer}}, route_class=StrictRoute)  # fmt: skip


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
    limit: PageSize = 100,
) -> KeyPage:
    """Keys, those over and revoked too."""
    found = access_of(request).keys.page(before=before, limit=limit + 1)
    keys, last = page_of(found, limit, lambda key: key.key_id)
    return KeyPage(keys=[_key(one) for one in keys], next_before=last)


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
    note(request, "keys.make", f"{key.label} ({key.prefix}…), {', '.join(key.scopes)}, until {key.ends_utc[:10]}")
    return NewKey(key=token.text, about=_key(key))


@router.post("/keys/{key_id}/revoke")
@needs(Permission.KEYS_MANAGE)
def revoke_key(request: Request, key_id: Id) -> KeyPublic:
    """Ends a key for good."""
    access = access_of(request)
    key = access.keys.revoke(key_id, now=access.now())
    note(request, "keys.revoke", f"{key.label} ({key.prefix}…)")
    return _key(key)


def _key(key: Key) -> KeyPublic:
    return KeyPublic(
        id=key.key_id, prefix=key.prefix, label=key.label, owner=key.owner, scopes=list(key.scopes), tables=key.table_group,
        made_utc=key.made_utc, ends_utc=key.ends_utc, revoked_utc=key.revoked_utc, used_utc=key.used_utc,
    )  # fmt: skip
