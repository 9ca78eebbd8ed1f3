"""The player of an alert's clip, and the replay of its round: the places that the page's scripts fill."""

from __future__ import annotations

import html

from nicegui import ui

from service.screens.alert_story import Story
from service.screens.frame import add_script
from service.screens.parts import div, markup, text
from service.screens.replay import steps_of
from service.screens.replay_drawing import drawn_table, replay_data
from service.store import Alert

MARKS = (("cards", "Cards"), ("chips", "Chips"), ("areas", "Areas"), ("hands", "Hands"))
BUTTONS = (("first", "|◀", "first picture"), ("back", "◀", "one picture back"), ("play", "Play", "play, or stop"), ("on", "▶", "one picture on"), ("last", "▶|", "last picture"), ("moment", "Moment", "the moment the alert is about"))  # fmt: skip
KEYED = {"back": ",", "on": ".", "play": "space"}


def fill_player(alert: Alert, story: Story) -> None:
    """The clip, to be stepped through, with what was seen drawn on it."""
    if story.bundle is None or story.bundle["state"] not in ("stored", "clips_expired"):
        why = "This service keeps no clips." if story.bundle is None else f"No clip: {story.bundle['detail']}."
        text("div", f"{why} The pictures of the alert are below.", "empty box")
        return
    area = html.escape(str(alert.finding["area"] or ""))
    buttons = "".join(
        f'<button type="button" id="player-{name}" class="plain small" title="{about}">{label}{_key(KEYED.get(name))}</button>'
        for name, label, about in BUTTONS
    )
    marks = "".join(
        f'<button type="button" data-mark="{name}" class="mark-switch">{label}</button>' for name, label in MARKS
    )
    markup(
        f'<div id="player" class="player" data-alert="{alert.seq}" data-area="{area}"><div class="player-screen">'
        '<video id="player-film" muted playsinline preload="auto"></video><img id="player-still" alt="a picture of the clip">'
        '<svg id="player-marks" preserveAspectRatio="none"></svg></div>'
        '<input id="player-range" type="range" min="0" max="0" value="0" step="1" aria-label="picture of the clip">'
        f'<div class="player-bar"><div class="act noprint">{buttons}</div><div class="act noprint"><span class="quiet small">Marks</span>{marks}</div></div>'
        '<div id="player-said" class="quiet small number" aria-live="polite">Loading the clip</div></div>'
    )
    add_script("marks.js")
    add_script("alert_player.js")


def fill_replay(alert: Alert, story: Story) -> None:
    """The round so far, on a drawn table."""
    steps = steps_of(story.events, set(alert.finding.get("events", ())))
    if story.layout is None or not steps:
        text("div", "There are no events of a round to show.", "empty box")
        return
    with div("replay-box"):
        with div("replay-table"):
            markup(drawn_table(story.layout))
            markup(
                '<div class="player-bar"><div class="act noprint">'
                f'<button type="button" id="replay-back" class="plain small" title="one step back">◀{_key("[")}</button>'
                f'<button type="button" id="replay-on-step" class="plain small" title="one step on">▶{_key("]")}</button></div>'
                '<span id="replay-count" class="quiet small number"></span></div>'
                '<input id="replay-range" type="range" min="0" max="0" value="0" step="1" aria-label="step of the round">'
                '<div id="replay-said" class="replay-said number" aria-live="polite"></div>'
            )
            if not story.exact:
                text(
                    "div", "Drawn on the standard layout of the game; the table's own is not known here.", "small quiet"
                )
        markup('<div id="replay-list" class="replay-list"></div>', "replay-side")
    ui.add_body_html(f'<script type="application/json" id="replay-data">{replay_data(story.layout, steps)}</script>')
    add_script("alert_replay.js")


def _key(name: str | None) -> str:
    return f"<kbd>{html.escape(name)}</kbd>" if name else ""
