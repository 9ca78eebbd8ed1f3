"""The small building blocks of all screens: boxes, texts, links, buttons, and saying what went wrong."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from service.errors import ServiceError


def div(classes: str = "") -> Element:
    """A box."""
    return Element("div").classes(classes)


def text(tag: str, said: str, classes: str = "") -> Element:
    """A text in an element; shown as it is, never as markup."""
    return (ui.label(said) if tag == "div" else TextElement(tag=tag, text=said)).classes(classes)


def link(said: str, target: str, classes: str = "") -> Element:
    """A link to another page of ours."""
    made = text("a", said, classes)
    made.props["href"] = target
    return made


def markup(content: str, classes: str = "") -> Element:
    """Markup of our own making; whatever came from elsewhere must have been escaped before."""
    return ui.html(content, sanitize=False).classes(classes)


def opens(row: Element, act: Callable[[], object]) -> Element:
    """Makes a row open something, by a click and by the keyboard."""
    row.props("tabindex=0 role=button").classes("opens")
    row.on("click", lambda _: act())
    row.on("keydown.enter", lambda _: act())
    return row


def choice(name: str, act: Callable[[], object]) -> Element:
    """One of several things to choose from that exclude each other; `mark` shows which one is chosen."""
    made = text("button", name, "filter").props("type=button")
    made.on("click", lambda _: act())
    return made


def mark(chosen: Element, *, on: bool) -> None:
    """Shows whether a choice is the one that is taken; it stays where it is, and keeps the focus."""
    chosen.classes(add="on" if on else "", remove="" if on else "on").props(f"aria-pressed={str(on).lower()}")


def button(name: str, act: Callable[[], object], *, main: bool = False, danger: bool = False) -> Element:
    """A button in the style of the room."""
    kind = " main" if main else " confirm" if danger else ""
    made = text("button", name).props("type=button").classes(f"plain{kind}")
    made.on("click", lambda _: act())
    return made


def attempt(act: Callable[[], None]) -> bool:
    """Does something; what is wrong is said in the corner. Returns whether it was done."""
    try:
        act()
    except ServiceError as error:
        ui.notify(str(error), type="warning", position="bottom-right", multi_line=True)
        return False
    return True


def ask(
    title: str, about: str, label: str, act: str, order: Callable[[str], None], done: Callable[[], object],
    *, wrong: Callable[[str], str] | None = None, danger: bool = False, value: str = "", example: str = "",
) -> None:  # fmt: skip
    """A dialog with one line to fill in.

    Args:
        title, about, label, act: what it is about, in more words, what to enter, and the button's name.
        order: what is done with what was entered.
        done: afterwards, once that went well.
        wrong: what is wrong with what was entered, "" for nothing; without it whatever `order` refuses.
        danger: the button is one that nothing brings back.
        value, example: what stands in the line at first, and what it looks like where it is empty.
    """
    with ui.dialog(value=True) as dialog, div("card"):
        text("h2", title)
        text("div", about, "quiet")
        line = (
            ui.input(label, value=value, placeholder=example or None)
            .props("borderless dense autofocus")
            .classes("field")
        )
        with div("act right"):
            button("Cancel", dialog.close)
            button(act, lambda: enter(), main=not danger, danger=danger)

    def enter() -> None:
        entered = str(line.value or "").strip()
        if wrong is not None and (said := wrong(entered)):
            ui.notify(said, type="warning", position="bottom-right")
        elif attempt(lambda: order(entered)):
            dialog.close()
            done()

    line.on("keydown.enter", enter)


def reasoned(entered: str) -> str:
    """What is wrong with a reason."""
    return "" if entered else "A reason is needed"


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
