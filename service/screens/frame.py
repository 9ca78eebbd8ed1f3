"""What all screens share: who looks at them, the bar with its ways, colours, and small building blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from service.access.needs import PAGES, address_of, principal_of
from service.access.roles import Permission, Principal
from service.errors import ServiceError
from service.house import House

HERE = Path(__file__).parent
STYLES = {name: (HERE / f"{name}.css").read_text(encoding="utf-8") for name in ("room", "desk")}
WAYS = (
    ("/", "Room"),
    ("/reviews", "Reviews"),
    ("/audit", "Audit"),
    ("/journal", "Log"),
    ("/people", "People"),
    ("/keys", "Keys"),
)
"""The ways in the bar; only those someone may go are shown."""
STILL_IN = """
<script>
setInterval(function () {
  fetch("/api/me").then(function (answer) { if (answer.status === 401) location.reload(); }).catch(function () {});
}, 15000);
</script>
"""
"""An open screen leads to the sign-in page soon after its session has ended."""


@dataclass(slots=True)
class Visitor:
    """Someone who looks at a screen.

    Attributes:
        house: the service.
        principal: who it was when the page was opened; what is done asks anew.
        address: where they are.
    """

    house: House
    principal: Principal
    address: str

    def may(self, permission: Permission, table_id: str | None = None) -> bool:
        """Whether something is shown to them at all."""
        return self.principal.may(permission, table_id)

    def now(self, permission: Permission, table_id: str | None = None) -> Principal:
        """They as they stand now.

        Raises:
            ServiceError: they may not (any more), or are not signed in any more.
        """
        return self.house.access.verify_now(self.principal, permission, table_id)

    def note(self, what: str, about: str, table_id: str | None = None) -> None:
        """Writes what they do into the log."""
        self.house.access.note(self.principal, what, about, table_id=table_id, address=self.address)


def visitor(house: House) -> Visitor:
    """Who opens the page that is being built."""
    request = ui.context.client.request
    return Visitor(house, principal_of(request), address_of(request))


def page_path() -> str:
    """The first part of the address of the page that is being built."""
    return "/" + str(ui.context.client.request.url.path).split("/")[1]


def ways(who: Visitor, here: str) -> None:
    """Links to the screens someone may see, their name, and the way out."""
    shown = [(path, name) for path, name in WAYS if (need := PAGES[path].permission) is None or who.may(need)]
    with div("ways"):
        for path, name in shown if len(shown) > 1 else ():
            way = TextElement(tag="a", text=name).classes("way on" if path == here else "way")
            way.props["href"] = path
    with div("me"):
        own = TextElement(tag="a", text=who.principal.name).classes("way")
        own.props["href"], own.props["title"] = "/password", "Change your password"
        with Element("form").props("method=post action=/logout"):
            TextElement(tag="button", text="Sign out").props("type=submit").classes("way")


def desk(who: Visitor, here: str, title: str, about: str) -> Element:
    """A page with the bar, a heading and room for its content, to be filled in a `with`."""
    for css in STYLES.values():
        ui.add_css(css)
    ui.add_body_html(STILL_IN)
    with div("desk"):
        with div("bar"):
            home = TextElement(tag="a", text="PITWATCH").classes("brand")
            home.props["href"] = "/"
            div("spacer")
            ways(who, here)
        with div("sheet"):
            with div("sheet-head"), div(""):
                text("h1", title)
                text("div", about).classes("quiet")
            return div("sheet-body")


def attempt(act: Callable[[], None]) -> bool:
    """Does something; what is wrong is said in the corner. Returns whether it was done."""
    try:
        act()
    except ServiceError as error:
        ui.notify(str(error), type="warning", position="bottom-right", multi_line=True)
        return False
    return True


def shown_once(title: str, secret: str, about: str, done: Callable[[], None]) -> None:
    """A secret that is shown this once."""

    def close() -> None:
        dialog.close()
        done()

    with ui.dialog(value=True).props("persistent") as dialog, div("card"):
        text("h2", title)
        text("div", about).classes("quiet")
        with div("secret"):
            text("code", secret)
        with div("act right"):
            button("Copy", lambda: ui.clipboard.write(secret))
            button("I have it", close, main=True)


def button(name: str, act: Callable[[], object], *, main: bool = False, danger: bool = False) -> Element:
    """A button in the style of the room."""
    kind = " main" if main else " confirm" if danger else ""
    made = text("button", name).props("type=button").classes(f"plain{kind}")
    made.on("click", lambda _: act())
    return made


def div(classes: str) -> Element:
    """A box."""
    return Element("div").classes(classes)


def text(tag: str, said: str) -> Element:
    """A text in an element; shown as it is, never as markup."""
    return ui.label(said) if tag == "div" else TextElement(tag=tag, text=said)
