"""The investigator's screens: the queue of reviews, a recording with its timeline, and the search through rounds."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element

from service.access.needs import principal_of
from service.access.roles import Permission, Principal
from service.errors import NotFoundError, ServiceError
from service.house import House
from service.reviews.office import Office
from service.reviews.queue import AGAIN, Ordered, State
from service.reviews.rounds import FoundRound, find_rounds
from service.screens import words

HERE = Path(__file__).parent
STYLE = (HERE / "reviews.css").read_text(encoding="utf-8")
DROP = f"<script>{(HERE / 'reviews_drop.js').read_text(encoding='utf-8')}</script>"
PLAYER = f"<script>{(HERE / 'reviews_player.js').read_text(encoding='utf-8')}</script>"
REFRESH_S = 1.0
SHOWN = 50
HINTS = ("As Kd", "[As Kd]", "seat3:As", "community:Td", "hand:flush", "three:straight", "wager:pair_plus", "paid>500", "ante.diff<0", "breach", "undetermined", "check:RIU-SET-PLAY", "section:669a.11")  # fmt: skip
EXPORTS = (("events", "events"), ("rounds", "rounds"), ("payouts", "payouts"), ("findings", "findings"))


def add_review_screens(house: House) -> None:
    """Puts the investigator's pages on the screens."""

    def reviews() -> None:
        QueuePage(house, principal_of(ui.context.client.request)).build()

    def rounds(q: str = "") -> None:
        RoundsPage(house, principal_of(ui.context.client.request)).build(q[:500])

    def review(review_id: int, t: float = 0.0) -> None:
        build_player(house, principal_of(ui.context.client.request), review_id, t)

    ui.page("/reviews", title="Reviews · Pitwatch")(reviews)
    ui.page("/reviews/rounds", title="Rounds · Pitwatch")(rounds)
    ui.page("/reviews/{review_id}", title="Review · Pitwatch")(review)


def _div(kind: str = "") -> Element:
    return Element("div").classes(kind)


def _text(tag: str, text: str, kind: str = "") -> Element:
    element = Element(tag).classes(kind)
    element._text = text
    return element


def _link(text: str, target: str, kind: str = "") -> Element:
    element = _text("a", text, kind)
    element.props["href"] = target
    return element


def _markup(content: str, kind: str = "") -> None:
    ui.html(content, sanitize=False).classes(kind)


def _bar(on: str) -> None:
    with _div("bar"):
        _text("span", "PITWATCH", "brand")
        for name, target in (("Surveillance room", "/"), ("Reviews", "/reviews"), ("Rounds", "/reviews/rounds")):
            _link(name, target, "on" if name == on else "")


class QueuePage:
    """One open window on the queue: recordings are dropped in, followed, cancelled, opened."""

    def __init__(self, house: House, principal: Principal) -> None:
        self.house, self.principal = house, principal
        self.tables = principal.tables_for(Permission.REVIEWS_READ)
        self.known: object = None
        self.limit = SHOWN

    def build(self) -> None:
        """Lays out the page and keeps it up to date."""
        ui.add_css(STYLE)
        with _div("desk"):
            _bar("Reviews")
            with _div("sheet"):
                _text("h1", "Reviews")
                _text("div", "Recordings into rounds, findings and payouts. A review that is cancelled or cut off goes on where it stopped.", "quiet")  # fmt: skip
                office = self.house.office
                if office is None:
                    _text("div", "This service takes no reviews. Start it with --reviews FOLDER.", "box said wrong")
                    return
                if self.principal.may(Permission.REVIEWS_RUN):
                    self._order(office)
                self.head = _text("div", "", "caption")
                self.list = _div()
        self.list.style("margin-top: 10px")
        self.refresh()
        ui.timer(REFRESH_S, self.refresh)

    def _order(self, office: Office) -> None:
        tables = [name for name in sorted(office.settings.tables) if self.principal.may(Permission.REVIEWS_RUN, name)]
        options = "".join(f'<option value="{html.escape(name)}">{html.escape(name)}</option>' for name in tables)
        with _div("order"):
            with _div("box"):
                _markup(f'<div class="line" style="margin:0"><span class="caption">Drop a recording of table</span><select id="drop-table" class="field" style="width:auto">{options}</select></div>')  # fmt: skip
                _markup('<div id="drop" class="drop"><b>Drop a video here</b>, or click to choose one</div><input id="pick" type="file" accept="video/*,.mkv,.ts" multiple hidden><div id="drop-said" class="said" aria-live="polite"></div>')  # fmt: skip
            with _div("box"):
                _text("span", "Or name a recording or a folder", "caption")
                roots = ", ".join(map(str, office.settings.roots))
                with _div("line"):
                    path = ui.input(placeholder="night-2026-11-20/").props("dense dark outlined").style("flex:1")
                    chosen = ui.select(["table.yaml beside it", *tables], value="table.yaml beside it").props("dense dark outlined options-dense")  # fmt: skip
                with _div("line"):
                    button = _text("button", "Put into the queue", "button first")
                    self.said = _text("span", f"below {roots}" if roots else "no folder of recordings is set (--recordings)", "quiet small")  # fmt: skip
                button.on("click", lambda: self._order_folder(office, path.value, chosen.value))
        ui.add_body_html(DROP)

    def _order_folder(self, office: Office, path: str, chosen: str | None) -> None:
        table_id = None if chosen is None or " " in chosen else chosen
        try:
            found = office.order(
                path.strip(), table_id=table_id, by=self.principal.name, now=self.house.now(), may=self._may
            )
            text, kind = f"{words.counted(len(found), 'recording')} put into the queue", "positive"
        except ServiceError as error:
            text, kind = str(error), "warning"
        ui.notify(text, type=kind, position="bottom-right", multi_line=True)
        self.refresh()

    def _may(self, table_id: str) -> None:
        self.principal.verify(Permission.REVIEWS_RUN, table_id)

    def refresh(self) -> None:
        """Draws the list anew where anything of it changed."""
        assert self.house.office is not None
        found = self.house.office.queue.page(limit=self.limit, tables=self.tables)
        if found == self.known:
            return
        self.known = found
        waiting = sum(one.state is State.WAITING for one in found)
        self.head._text = f"{words.counted(len(found), 'review')}{f', {waiting} waiting' if waiting else ''}"
        self.head.update()
        self.list.clear()
        with self.list:
            for one in found:
                self._row(one)
            if not found:
                _text("div", "Nothing has been reviewed yet.", "quiet")
            if len(found) == self.limit:
                _text("button", "Show older ones", "button").on("click", self._more)

    def _more(self) -> None:
        self.limit += SHOWN
        self.refresh()

    def _row(self, one: Ordered) -> None:
        with _div(f"review {one.state}").props(f'data-review="{one.review_id}"'):
            with _div():
                _text("div", one.name, "name")
                _text("div", f"{one.review_id} · {one.table_id} · {one.game.replace('_', ' ')} · {one.ordered_by}, {one.ordered_utc[:16].replace('T', ' ')}", "quiet small")  # fmt: skip
            with _div():
                with _div("progress"):
                    Element("i").style(f"width: {100 * (one.share or 0.0):.1f}%")
                _text("div", standing(one), "quiet small number")
            with _div("counts small number"):
                if one.t_s or one.state is State.DONE:
                    _text("b", words.counted(one.breaches, "breach") if one.breaches == 1 else f"{one.breaches} breaches", "bad" if one.breaches else "")  # fmt: skip
                    _text("span", f" in {words.counted(one.rounds, 'round')}", "quiet")
            with _div("actions"):
                self._actions(one)
            if one.reason:
                _text("div", one.reason, "reason")

    def _actions(self, one: Ordered) -> None:
        assert self.house.office is not None
        queue, may = self.house.office.queue, self.principal.may(Permission.REVIEWS_RUN, one.table_id)
        if one.state is State.DONE:
            _link("Open", f"/reviews/{one.review_id}", "button first")
        elif one.state in AGAIN and may:
            _text("button", "Go on" if one.t_s else "Start again", "button").on("click", lambda: self._do(lambda: queue.retry(one.review_id)))  # fmt: skip
        elif one.cancel_wanted:
            _text("span", "cancelling", "quiet small")
        elif may:
            _text("button", "Cancel", "button").on("click", lambda: self._do(lambda: queue.cancel(one.review_id, now=self.house.now())))  # fmt: skip

    def _do(self, deed: Callable[[], object]) -> None:
        try:
            deed()
        except ServiceError as error:
            ui.notify(str(error), type="warning", position="bottom-right")
        self.refresh()


def standing(one: Ordered) -> str:
    """How a review stands, in a line."""
    share = "" if one.share is None else f"{100 * one.share:.0f}%"
    of = f"{words.clock(one.t_s)} of {words.clock(one.of_s)}" if one.of_s else words.clock(one.t_s)
    if one.state is State.RUNNING and not one.t_s:
        return "finding the table"
    if one.state is State.RUNNING:
        speed = f"{one.speed:.1f}x" if one.speed else ""
        left = f"{words.clock(one.left_s)} left" if one.left_s is not None else ""
        return " · ".join(part for part in (share, of, speed, left) if part)
    if one.state is State.DONE:
        return f"done · {words.clock(one.of_s or one.t_s)} of recording"
    return f"{one.state} at {of}" if one.t_s else str(one.state)


def build_player(house: House, principal: Principal, review_id: int, at_s: float) -> None:
    """A finished review: its recording, timeline, breaches and events."""
    ui.add_css(STYLE)
    with _div("desk"):
        _bar("Reviews")
        try:
            one = _visible(house, principal, review_id)
        except NotFoundError as error:
            with _div("sheet"):
                _text("h1", "There is no such review")
                _text("div", str(error), "quiet")
            return
        base = f"/api/reviews/{one.review_id}"
        with _div("theatre").props(f'id="theatre" data-review="{one.review_id}" data-at="{at_s:.3f}"'):
            with _div("stage"):
                _text("h1", one.name)
                _text("div", f"review {one.review_id} · table {one.table_id} · {words.counted(one.rounds, 'round')}, {one.breaches} breach{'' if one.breaches == 1 else 'es'} · {standing(one)}", "quiet small")  # fmt: skip
                _markup(f'<video id="video" src="{base}/video" controls preload="auto" playsinline style="margin-top:12px"></video><div id="unplayable" class="said wrong" hidden>This browser cannot play the recording. Timeline, breaches and pictures are there all the same; <a href="{base}/video">save the recording</a> to play it.</div><div id="strip" class="strip"></div><div class="legend"><span><i style="background:#274059"></i>round</span><span><i style="background:#e5534b"></i>critical</span><span><i style="background:#d9a441"></i>warning</span><span>Click or drag to move; arrow keys step a second, with Shift ten</span></div><div id="now" class="now"></div>')  # fmt: skip
                with _div("downloads"):
                    _link("Report", f"{base}/report.html").props('target="_blank"')
                    _link("Report as PDF", f"{base}/report.pdf").props('target="_blank"')
                    for name, what in EXPORTS:
                        with _div("group"):
                            _text("span", f"{name}: ")
                            for ending in ("csv", "parquet", "jsonl"):
                                _link(f"{ending} ", f"{base}/export/{what}.{ending}")
                    _link("Search these rounds", f"/reviews/rounds?q={quote(f'review:{one.review_id}')}")
            with _div("side"):
                _markup('<div class="tabs"><button data-list="breaches" class="on">Breaches</button><button data-list="events">Events</button></div>')  # fmt: skip
                _markup('<div id="list" class="list"></div>', "fill")
    if one.state is State.DONE:
        ui.add_body_html(PLAYER)


def _visible(house: House, principal: Principal, review_id: int) -> Ordered:
    if house.office is None:
        raise NotFoundError("this service takes no reviews", do="Start it with --reviews FOLDER")
    one = house.office.queue.get(review_id)
    if not principal.may(Permission.REVIEWS_READ, one.table_id):
        raise NotFoundError(f"there is no review {review_id}", do="List them with GET /api/reviews")
    return one


class RoundsPage:
    """One open window on the search through rounds."""

    def __init__(self, house: House, principal: Principal) -> None:
        self.house = house
        self.tables = principal.tables_for(Permission.REVIEWS_READ)
        self.found: list[FoundRound] = []
        self.text = ""

    def build(self, text: str) -> None:
        """Lays out the page and searches what its address says."""
        ui.add_css(STYLE)
        with _div("desk"):
            _bar("Rounds")
            with _div("sheet"):
                _text("h1", "Rounds")
                _text(
                    "div",
                    "All words have to hold. Cards as As, Td, 9h; in brackets for one hand; amounts in dollars.",
                    "quiet",
                )
                with Element("form").classes("search").props('action="/reviews/rounds" method="get"'):
                    Element("input").classes("field").props(f'name="q" value="{html.escape(text)}" placeholder="As Kd breach" autofocus autocomplete="off" aria-label="search"')  # fmt: skip
                    _text("button", "Search", "button first").props('type="submit"')
                with _div("hints"):
                    for hint in HINTS:
                        _link(hint, f"/reviews/rounds?q={quote(hint)}")
                self.said = _text("div", "", "said")
                self.table = _div()
                self.more = _text("button", "Show more", "button").on("click", self._more)
        self.text = text
        self._more()

    def _more(self) -> None:
        before = self.found[-1].number if self.found else None
        try:
            page = find_rounds(self.house.store, self.text, tables=self.tables, before=before, limit=SHOWN)
        except ServiceError as error:
            self.said._text = str(error)
            self.said.classes("wrong")
            self.more.set_visibility(False)
            return
        self.found += page
        self.more.set_visibility(len(page) == SHOWN)
        if not self.found:
            self.said._text = "No round was found."
        self.table.clear()
        with self.table:
            _markup(self._rows())

    def _rows(self) -> str:
        if not self.found:
            return ""
        queue = self.house.office.queue if self.house.office is not None else None
        reviews = {run: queue.of_run(run) if queue else None for run in {one.run_id for one in self.found}}
        rows = "".join(_round_row(one, reviews[one.run_id]) for one in self.found)
        return f'<table class="rounds"><thead><tr><th>round</th><th>at</th><th>community, dealer</th><th>players</th><th class="right">wagered</th><th class="right">paid − owed</th><th>breaches</th></tr></thead><tbody>{rows}</tbody></table>'  # fmt: skip


def _round_row(one: FoundRound, review: Ordered | None) -> str:
    name = html.escape(one.round_id)
    linked = f'<a href="/reviews/{review.review_id}?t={one.opened_s:.2f}">{name}</a>' if review else name
    difference = words.dollars(one.difference_cents) if one.difference_cents else "–"
    seats = "<br>".join(f'<span class="quiet">{html.escape(seat)}</span> {_cards(cards)}' for seat, _, cards in (part.partition(": ") for part in one.players.split("; ") if part))  # fmt: skip
    dealer = f'<br><span class="quiet">dealer</span> {_cards(one.dealer)}' if one.dealer else ""
    return (
        f'<tr class="hit"><td>{linked}<div class="quiet small">{html.escape(review.name) if review else "live"}</div></td>'
        f'<td class="number">{words.clock(one.opened_s)}</td><td>{_cards(one.community)}{dealer}</td><td>{seats}</td>'
        f'<td class="right number">{words.dollars(one.stake_cents)}</td><td class="right number{" bad" if one.difference_cents else ""}">{difference}</td>'
        f'<td class="bad">{html.escape(", ".join(one.checks))}</td></tr>'
    )


def _cards(text: str) -> str:
    """Cards as people know them, red suits in red."""
    out = []
    for card in text.split():
        shown = words.card(None if card == "?" else card)
        out.append(f'<span class="red">{shown}</span>' if card[-1:] in ("d", "h") and card != "?" else shown)
    return f'<span class="cards">{" ".join(out)}</span>'
