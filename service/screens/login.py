"""Pages without scripts: signing in, changing the password, and what went wrong."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Any

import jinja2
from fastapi.responses import HTMLResponse

from service.access.passwords import LEAST_SIGNS

SAID = {
    "link": ("This link was used before or is over. Ask for a new one, or sign in.", False),
    "out": ("You are signed out.", True),
    "changed": ("Your password is changed. Sign in with the new one.", True),
    "provider": ("The sign-in was not completed. Try again.", False),
    "stranger": ("You are known there, but not here. Ask an administrator for access.", False),
}
"""What the sign-in page may be asked to say; nothing else in its address reaches the page."""


def login_page(
    *, nonce: str, said: str = "", next_path: str = "/", name: str = "", provider: str | None = None, status: int = HTTPStatus.OK,
    headers: dict[str, str] | None = None,
) -> HTMLResponse:  # fmt: skip
    """The sign-in page.

    Args:
        nonce: of this answer's content security policy.
        said: one of `SAID`, or a sentence of our own.
        next_path: where to go afterwards.
        name: filled in.
        provider: name of the identity provider, None if there is none.
    """
    text, good = SAID.get(said, (said, False))
    return _page(
        "login.html", status, headers, title="Sign in", nonce=nonce, said=text, good=good, next=local_path(next_path),
        name=name, provider=provider,
    )  # fmt: skip


def password_page(
    *, nonce: str, name: str, must: bool, asks_old: bool, said: str = "", status: int = HTTPStatus.OK
) -> HTMLResponse:
    """The page to change one's password.

    Args:
        must: nothing else is allowed before.
        asks_old: the present password must be given.
    """
    return _page(
        "password.html", status, None, title="Password", nonce=nonce, name=name, must=must, asks_old=asks_old, said=said,
        least=LEAST_SIGNS,
    )  # fmt: skip


def error_page(status: int, what: str, do: str, *, nonce: str) -> HTMLResponse:
    """What is wrong and what to do, for people."""
    heading = what[:1].upper() + what[1:]
    return _page("message.html", status, None, title="Pitwatch", nonce=nonce, heading=heading, text=f"{do}.", onward="")


def onward_page(path: str, *, nonce: str) -> HTMLResponse:
    """A page that leads on by itself: the first request of our own after coming from another site.

    Browsers do not send the session's cookie along while another site leads here, which is what keeps those sites out.
    """
    return _page(
        "message.html", HTTPStatus.OK, None, title="Pitwatch", nonce=nonce, heading="One moment", text="You are signed in.",
        onward=local_path(path),
    )  # fmt: skip


def local_path(path: str) -> str:
    """A path of this service, `/` for anything that could lead elsewhere."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if plain and len(path) <= 500 else "/"


def _page(template: str, status: int, headers: dict[str, str] | None, **values: Any) -> HTMLResponse:
    return HTMLResponse(environment().get_template(template).render(**values), status, headers)


@cache
def environment() -> jinja2.Environment:
    """The templates of plain pages, escaped by default."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("service"), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
