"""Parts of an alert that the room and the alert's own page both show: what was expected and seen, money, law, pictures."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from nicegui import ui
from nicegui.element import Element

from service.access.roles import Permission
from service.reviews.queue import ReviewQueue
from service.reviews.recorded import kept
from service.screens import words
from service.screens.frame import Visitor
from service.screens.parts import div, link, text
from service.store import Alert, AlertKind

NAMES = {"raise_it_up": "Raise It Up", "caribbean_stud": "Caribbean Stud", "let_it_ride": "Let It Ride", "dj_wild": "DJ Wild"}  # fmt: skip
STATE_SAYS = {
    "open": "nobody has taken it up", "acknowledged": "somebody deals with it", "confirmed": "a breach, closed",
    "dismissed": "a false alert, closed",
}  # fmt: skip


BEFORE_S = 1.0
"""How long before its beginning a recording is opened."""


def game_name(game: str) -> str:
    """A game as people call it.

    >>> game_name("dj_wild"), game_name("new_game")
    ('DJ Wild', 'New Game')
    """
    return NAMES.get(game, game.replace("_", " ").title())


def round_name(round_id: str) -> str:
    """A round's number as people say it.

    >>> round_name("riu-66-r0003"), round_name("")
    ('round 3', 'no round')
    """
    number = round_id.rpartition("-r")[2].lstrip("0") or round_id
    return f"round {number}" if number else "no round"


def when(alert: Alert, today: date) -> str:
    """When it happened: of a live table the moment it rang, with its day where that is another one; of a recording the place in it.

    Args:
        alert: the alert.
        today: the day it is, in UTC.
    """
    if alert.origin != "live":
        return f"recording {words.clock(alert.finding['t_s'])}"
    return f"{words.utc(alert.raised_utc) if alert.raised_utc[:10] != str(today) else alert.raised_utc[11:19]} UTC"


def facts_of(alert: Alert, began: datetime | None = None) -> list[str]:
    """What an alert is about, in short.

    Args:
        alert: the alert.
        began: when the recording began in which it was seen; None where nobody knows, or where it was seen live.
    """
    finding = alert.finding
    place = f"seat {finding['seat']}" if finding["seat"] else "whole table"
    facts = [f"{alert.table_id} · {game_name(alert.game)}" if alert.game else alert.table_id]
    if alert.kind is not AlertKind.CAMERA:
        facts += [round_name(finding["round_id"]), place]
    if alert.origin == "live":
        facts += [f"at {words.clock(finding['t_s'])}", f"{words.utc(alert.raised_utc)} UTC", alert.origin]
    else:
        facts.append(f"at {words.clock(finding['t_s'])} of the recording")
        if began is None:
            facts.append("when it was played is not known")
        else:
            facts.append(f"played {began.astimezone(UTC) + timedelta(seconds=finding['t_s']):%Y-%m-%d %H:%M:%S} UTC")
        facts.append(f"reviewed {words.utc(alert.raised_utc)} UTC")
    if alert.kind is not AlertKind.CAMERA:
        facts.append(f"certainty {finding.get('confidence', 1.0):.1%}")
    if alert.sightings > 1:
        facts.append(f"seen in {alert.sightings} runs")
    return facts


def fill_facts(who: Visitor, alert: Alert) -> None:
    """What an alert is about, in a line; where it was seen in a recording, the way to that."""
    review = None if alert.origin == "live" else ReviewQueue(who.house.store).of_run(alert.run_id)
    began = None if review is None else kept(review.recorded_at, review.recorded_by).at
    with div("facts"):
        for fact in facts_of(alert, began):
            text("div", fact)
        if review is None:
            return
        if who.may(Permission.REVIEWS_READ, alert.table_id):
            since_s = max(0.0, float(alert.finding["since_s"]) - BEFORE_S)
            way = link(review.name, f"/reviews/{review.review_id}?t={since_s:.2f}", "link")
            way.props["title"] = "the recording at this place"
        else:
            text("div", review.name)


def fill_state(alert: Alert) -> None:
    """How it stands, and whose it is."""
    with div("state-line"):
        tag = text("span", str(alert.status), f"tag state-{alert.status}")
        tag.props["title"] = STATE_SAYS[alert.status]
        if alert.assignee:
            text("span", f"for {alert.assignee}", "tag")


def fill_versus(raw: dict[str, Any]) -> None:
    """What the law asks for beside what was seen."""
    with div("versus"):
        for caption, said in (("Expected", raw["expected"]), ("Seen", raw["seen"])):
            with div():
                text("div", caption, "caption")
                text("div", said, "said")


def fill_money(owed_cents: int | None, paid_cents: int | None) -> None:
    """What was owed and paid, where the alert is about that."""
    if owed_cents is None:
        return
    with div("money"):
        difference = None if paid_cents is None else paid_cents - owed_cents
        for caption, cents, kind in (
            ("Owed", owed_cents, ""),
            ("Paid", paid_cents, ""),
            ("Difference", difference, "off"),
        ):
            with div():
                text("div", caption, "caption")
                text("div", words.dollars(cents), f"sum {kind}")


def fill_law(raw: dict[str, Any]) -> None:
    """The section, the sentence of it that the project carries, and what it prescribes."""
    with div("law"):
        text("div", raw["citation"], "cited")
        if raw["law"]:
            text("div", raw["law"], "sentence")
        if raw["consequence"]:
            text("div", f"Consequence: {raw['consequence']}", "then")
        for reading in raw["readings"]:
            text("div", f"Rests on the reading {reading} of an ambiguous text", "small quiet")


def fill_shots(evidence: list[dict[str, str]]) -> None:
    """Close-ups in order of time, then the whole table at the last moment; each leads to its full size."""
    close = [item for item in evidence if item["name"].endswith("_close.jpg")]
    whole = [item for item in evidence if item["name"].endswith("_marked.jpg")][-1:]
    with div("shots"):
        for item in close + whole:
            with div("shot wide" if item in whole or len(close) == 1 else "shot") as shot:
                picture = Element("img").props('loading="lazy"')
                picture.props["src"], picture.props["alt"] = item["url"], item["caption"]
                text("div", item["caption"], "caption")
            shot.on("click", lambda _, url=item["url"].replace("_close.jpg", "_marked.jpg"): enlarge(url))


def enlarge(url: str) -> None:
    """A picture as large as the window."""
    with ui.dialog(value=True) as dialog, div("large") as frame:
        Element("img").props["src"] = url
    frame.on("click", dialog.close)
