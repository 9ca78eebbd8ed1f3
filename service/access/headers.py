"""What browsers are told about every answer: where scripts may come from, who may frame it, what may be kept.

The screens (NiceGUI) begin with a few inline scripts and a module map. They are allowed by a nonce made anew for every
page, which is put on the script tags of the page's own template and nowhere else: everything people typed reaches the
page as data with `<` escaped. Vue compiles templates in the browser, so `unsafe-eval` cannot be left out, and styles are
added by script while the page runs, so neither can inline styles; nothing may be loaded from, sent to, or framed by any
other host. Plain pages (sign-in, errors) get neither.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COMMON = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # not no-referrer: with that, browsers send our own forms with "Origin: null", which the door refuses
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()",
}
_REST = "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
PLAIN_POLICY = f"default-src 'none'; img-src 'self' data:; style-src 'nonce-{{nonce}}'; {_REST}"
"""For pages without scripts, and for everything that is no page."""
SCREEN_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; " + _REST
)  # fmt: skip
"""For the screens."""
TLS_HEADER = "max-age=31536000"
_SCRIPT = re.compile(rb"<script(?=[\s>])")
_LARGEST_PAGE = 16 * 1024 * 1024


class Headers:
    """Puts the headers on every answer, and the nonce on the scripts of the screens.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on; its answer comes back with the headers."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        nonce = secrets.token_urlsafe(16)
        headers = [(name, value) for name, value in scope["headers"] if name != b"x-forwarded-prefix"]
        scope = {**scope, "headers": headers}
        scope.setdefault("state", {})["nonce"] = nonce
        await self.app(scope, receive, _Answer(scope, send, nonce).send)


class _Answer:
    """One answer on its way out; a screen is held back until it is whole, to put the nonce in."""

    def __init__(self, scope: Scope, send: Send, nonce: str) -> None:
        self.scope, self.out, self.nonce = scope, send, nonce
        self.held: Message | None = None
        self.body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            is_screen = "x-nicegui-content" in headers and headers.get("content-type", "").startswith("text/html")
            self._add(headers, SCREEN_POLICY if is_screen else PLAIN_POLICY)
            if is_screen and "content-encoding" not in headers:
                self.held = message
                return
        elif self.held is not None:
            self.body += message.get("body", b"")
            assert len(self.body) <= _LARGEST_PAGE, "a screen of this size is no screen"
            if message.get("more_body", False):
                return
            page = _SCRIPT.sub(b'<script nonce="' + self.nonce.encode() + b'"', bytes(self.body))
            MutableHeaders(raw=self.held["headers"])["Content-Length"] = str(len(page))
            await self.out(self.held)
            self.held, message = None, {"type": "http.response.body", "body": page}
        await self.out(message)

    def _add(self, headers: MutableHeaders, policy: str) -> None:
        for name, value in COMMON.items():
            headers.setdefault(name, value)
        headers.setdefault("Content-Security-Policy", policy.format(nonce=self.nonce))
        if not _may_be_kept(self.scope["path"]):
            headers["Cache-Control"] = "no-store"
        if self.scope.get("scheme") == "https":
            headers["Strict-Transport-Security"] = TLS_HEADER


def _may_be_kept(path: str, parts: Sequence[str] = ("/_nicegui/",)) -> bool:
    """Only the parts the screens are made of are kept by browsers; what was seen of a table is not."""
    return path.startswith(tuple(parts))
