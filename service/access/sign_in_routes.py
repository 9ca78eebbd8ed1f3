"""The pages to sign in and out and to change a password."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.access import SignInError
from service.access.door import COOKIE, set_cookie
from service.access.needs import Need, access_of, address_of, needing, principal_of
from service.access.openid import OpenId, OpenIdError
from service.access.people import Person
from service.access.roles import Permission
from service.errors import NotFoundError, ServiceError
from service.screens.login import SAID, local_path, login_page, onward_page, password_page

logger = logging.getLogger(__name__)

SIGNING_IN = "pitwatch_signing_in"
OPEN = Need(None, is_open=True)
BEFORE_CHANGE = Need(None, before_change=True)
FormText = Annotated[str, Form(max_length=1000)]
router = APIRouter(include_in_schema=False)


@router.get("/login")
@needing(OPEN)
def show_login(request: Request, said: str = "", next_path: Annotated[str, Query(alias="next")] = "/") -> HTMLResponse:
    """The sign-in page; of `said` only its own sentences are shown."""
    return login_page(
        nonce=_nonce(request), said=said if said in SAID else "", next_path=next_path, provider=_provider(request)
    )


@router.post("/login")
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


@router.post("/logout")
@needing(BEFORE_CHANGE)
def sign_out(request: Request) -> Response:
    """Ends the session."""
    access_of(request).sign_out(principal_of(request), address=address_of(request))
    answer = RedirectResponse("/login?said=out", HTTPStatus.SEE_OTHER)
    answer.delete_cookie(COOKIE, path="/")
    return answer


@router.get("/password")
@needing(BEFORE_CHANGE)
def show_password(request: Request) -> HTMLResponse:
    """The page to change one's password."""
    principal = principal_of(request)
    person = access_of(request).people.person(principal.user_id)
    return password_page(nonce=_nonce(request), name=person.name, must=person.must_change, asks_old=person.by_password)


@router.post("/password")
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


@router.get("/auth/openid")
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


@router.get("/auth/callback")
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
