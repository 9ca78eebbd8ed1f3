"""A finished review: its recording beside the timeline, the breaches and the events."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import ui

from service.access.roles import Permission, Principal
from service.errors import NotFoundError
from service.house import House
from service.reviews.correcting import correct_recording
from service.reviews.queue import Ordered, State
from service.screens import words
from service.screens.frame import Visitor, add_script, desk, div, link, markup, shell, text
from service.screens.parts import ask, button
from service.screens.reviews import standing

EXPORTS = (("events", "events"), ("rounds", "rounds"), ("payouts", "payouts"), ("findings", "findings"))


def player_screen(who: Visitor, review_id: int) -> None:
    """A finished review: its recording, timeline, breaches and events."""
    try:
        one = _visible(who.house, who.principal, review_id)
    except NotFoundError as error:
        with desk(who, "/reviews", "There is no such review", str(error)):
            return
    asked = str(ui.context.client.request.query_params.get("t", "0"))
    _build(who, one, float(asked) if asked.replace(".", "", 1).isdecimal() else 0.0)


def _build(who: Visitor, one: Ordered, at_s: float) -> None:
    with shell(who, "/reviews", "reviews"):
        base = f"/api/reviews/{one.review_id}"
        with div("theatre").props(f'id="theatre" data-review="{one.review_id}" data-at="{at_s:.3f}"'):
            with div("stage"):
                text("h1", one.name)
                text("div", f"review {one.review_id} · table {one.table_id} · {words.counted(one.rounds, 'round')}, {one.breaches} breach{'' if one.breaches == 1 else 'es'} · {standing(one)}", "quiet small")  # fmt: skip
                text("div", f"recorded {words.in_utc(one.recorded_at)}, {one.recorded_by}" if one.recorded_at else f"time of the recording not known: {one.recorded_by or 'nobody said when it was recorded'}", "quiet small recorded")  # fmt: skip
                if one.state is State.DONE and who.may(Permission.REVIEWS_RUN, one.table_id):
                    button("Correct the time", lambda: _ask_time(who, one)).classes("small")
                markup(f'<video id="video" src="{base}/video" controls preload="auto" playsinline style="margin-top:12px"></video><div id="unplayable" class="said wrong" hidden>This browser cannot play the recording. Timeline, breaches and pictures are there all the same; <a href="{base}/video">save the recording</a> to play it.</div><div id="strip" class="strip"></div><div class="legend"><span><i style="background:#274059"></i>round</span><span><i style="background:#e5534b"></i>critical</span><span><i style="background:#d9a441"></i>warning</span><span>Click or drag to move; arrow keys step a second, with Shift ten</span></div><div id="now" class="now"></div>')  # fmt: skip
                with div("downloads"):
                    link("Report", f"{base}/report.html").props('target="_blank"')
                    link("Report as PDF", f"{base}/report.pdf").props('target="_blank"')
                    for name, what in EXPORTS:
                        with div("group"):
                            text("span", f"{name}: ")
                            for ending in ("csv", "parquet", "jsonl"):
                                link(f"{ending} ", f"{base}/export/{what}.{ending}")
                    link("Search these rounds", f"/reviews/rounds?q={quote(f'review:{one.review_id}')}")
            with div("side"):
                markup('<div class="tabs"><button data-list="breaches" class="on">Breaches</button><button data-list="events">Events</button></div>')  # fmt: skip
                markup('<div id="list" class="list"></div>', "fill")
    if one.state is State.DONE:
        add_script("reviews_player.js")


def _ask_time(who: Visitor, one: Ordered) -> None:
    def order(began: str) -> None:
        house = who.house
        by = who.now(Permission.REVIEWS_RUN, one.table_id).signature
        done = correct_recording(house.store, one, began, plan=house.shifts, by=by, now=house.now())
        who.note("reviews.corrected", f"review {one.review_id}, {one.name}: {done.said}", one.table_id)

    about = "Its rounds, their day and shift in the audit and its reports follow. The log keeps what was said before, with your name."
    clock = "on the house's clock, or with its offset" if who.house.shifts.zone else "with its offset"
    ask(
        "When the recording began", about, f"Date and time {clock}", "Correct", order, ui.navigate.reload,
        value=one.recorded_at, example="2026-11-20T22:00:00-05:00",
    )  # fmt: skip


def _visible(house: House, principal: Principal, review_id: int) -> Ordered:
    if house.office is None:
        raise NotFoundError("this service takes no reviews", do="Start it with --review-folder FOLDER")
    one = house.office.queue.get(review_id)
    if not principal.may(Permission.REVIEWS_READ, one.table_id):
        raise NotFoundError(f"there is no review {review_id}", do="List them with GET /api/reviews")
    return one
