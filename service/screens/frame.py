"""What all screens share: who looks at them, and the one bar with the ways they may go, who they are, and the way out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from nicegui import ui
from nicegui.element import Element

from service.access.door import LOOKED_AT_AGAIN_S
from service.access.needs import PAGES, address_of, principal_of
from service.access.roles import Permission, Principal
from service.house import House
from service.screens.parts import attempt, button, div, link, markup, shown_once, text

HERE = Path(__file__).parent
BASE = ("base", "desk")
"""The styles of every page; a page names its own beside them."""
STILL_IN = """
<script>
setInterval(function () {
  fetch("/api/me").then(function (answer) { if (answer.status === 401) location.reload(); }).catch(function () {});
}, 15000);
</script>
"""
"""An open screen leads to the sign-in page soon after its session has ended."""

Way = tuple[str, str]
"""A way in the bar: its path and its name."""


@dataclass(slots=True)
class Visitor:
    """Someone who looks at a screen.

    Attributes:
        house: the service.
        opened: who it was when the page was opened.
        address: where they are.
        ways: the pages in the bar, whether they may go there or not.
    """

    house: House
    opened: Principal
    address: str
    ways: tuple[Way, ...] = ()
    _known: Principal = field(init=False)
    _asked_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._known, self._asked_s = self.opened, self.house.access.now_s()

    @property
    def principal(self) -> Principal:
        """They as they stood a few seconds ago; without any role once they are signed out. What is done asks anew (`now`)."""
        now_s = self.house.access.now_s()
        if now_s - self._asked_s >= LOOKED_AT_AGAIN_S:
            self._known = self.house.access.current(self.opened) or replace(self.opened, grants=())
            self._asked_s = now_s
        return self._known

    def may(self, permission: Permission, table_id: str | None = None) -> bool:
        """Whether something is shown to them at all."""
        return self.principal.may(permission, table_id)

    def now(self, permission: Permission, table_id: str | None = None) -> Principal:
        """They as they stand now.

        Raises:
            ServiceError: they may not (any more), or are not signed in any more.
        """
        return self.house.access.verify_now(self.opened, permission, table_id)

    def note(self, what: str, about: str, table_id: str | None = None) -> None:
        """Writes what they do into the log."""
        self.house.access.note(self.principal, what, about, table_id=table_id, address=self.address)

    def may_go(self, path: str) -> bool:
        """Whether they may open the page at a path."""
        need = PAGES.get("/" + path.split("/")[1])
        return need is not None and (need.permission is None or self.may(need.permission))


def visitor(house: House, ways: tuple[Way, ...] = ()) -> Visitor:
    """Who opens the page that is being built."""
    request = ui.context.client.request
    return Visitor(house, principal_of(request), address_of(request), ways)


def asset(name: str) -> str:
    """A style or script that lies beside the screens."""
    return (HERE / name).read_text(encoding="utf-8")


def add_script(name: str) -> None:
    """Puts a script that lies beside the screens on the page that is being built."""
    ui.add_body_html(f"<script>{asset(name)}</script>")


def shell(who: Visitor, here: str, *styles: str) -> Element:
    """A page with the one bar and nothing else, to be filled in a `with`; it has the height that is left.

    Args:
        who: looks at it.
        here: path of the way in the bar that leads here.
        styles: names of the page's own style files.
    """
    for name in (*BASE, *styles):
        ui.add_css(asset(f"{name}.css"))
    ui.add_body_html(STILL_IN)
    with div("frame"):
        with div("bar"):
            link("PITWATCH", "/", "brand")
            ways(who, here)
            div("spacer")
            me(who)
        alarm = who.house.evidence.storage()["alarm"] if who.house.evidence is not None else None
        if alarm:
            link(f"Evidence: {alarm}", "/evidence", "alarm")
        return div("below")


def ways(who: Visitor, here: str) -> None:
    """Links to the screens someone may see."""
    with Element("nav").classes("ways"):
        for path, name in who.ways:
            if who.may_go(path):
                link(name, path, "way on" if path == here else "way")


def me(who: Visitor) -> None:
    """Their name, and the way out."""
    with div("me"):
        own = link(who.principal.name, "/password", "way")
        own.props["title"] = "Change your password"
        with Element("form").props("method=post action=/logout"):
            text("button", "Sign out").props("type=submit").classes("way")


def desk(who: Visitor, here: str, title: str, about: str, *styles: str) -> Element:
    """A page with the bar, a heading and room for its content, to be filled in a `with`."""
    with shell(who, here, *styles), div("desk"), div("sheet"):
        with div("sheet-head"), div(""):
            text("h1", title)
            text("div", about).classes("quiet")
        return div("sheet-body")


__all__ = [
    "Visitor", "add_script", "asset", "attempt", "button", "desk", "div", "link", "markup", "shell", "shown_once", "text",
    "visitor",
]  # fmt: skip
