"""Rounds seen live are searched and audited like those of a review: same cards, hands, wagers, findings and payouts."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from service_fakes import NOW, SIZE, TABLE, closed_round, opener, setup, sight

from service.audit.questions import By, Questions, Scope
from service.audit.tables import AuditRoundRow, ExceptionRow
from service.audit.video import VideoRounds
from service.feed import Feed
from service.live.closing import REMEMBERED, Closing
from service.live.picture import LivePicture
from service.live.table import LiveTable, TableState
from service.reviews.checkpoint import OURS
from service.reviews.record import record_review
from service.reviews.review import Options, review_video
from service.reviews.rounds import find_rounds
from service.store import Store
from vision.frames.frame import Frame
from vision.seen import Seen

SEARCHES = ("", "[Th 2d]", "seat4:Th", "community:Td", "wager:ante", "ante.diff=-5", "paid=10", "breach", "undetermined",
            "check:RIU-SET-BLIND", "section:669a.12", f"table:{TABLE}", "game:raise_it_up", "breach undetermined Td")  # fmt: skip


def play_live(store: Store, folder: Path, **options: Any) -> None:
    """Watches the script as a camera's, through the spool."""
    table = LiveTable(
        setup(), "rtsp://camera/1", store, Feed(), opened=opener(seconds=4.0), now=lambda: NOW, spool=folder / "spool", **options
    )  # fmt: skip
    table._stop.wait = lambda timeout=None: False  # type: ignore[method-assign]
    table.start()
    until_s = time.monotonic() + 60.0
    while table.state is not TableState.STOPPED or table.waiting:
        assert time.monotonic() < until_s, "it never ended"
        time.sleep(0.01)
    table.stop()


def play_review(store: Store, folder: Path) -> None:
    def opened(source: str, _table: object) -> Any:
        return sight(source)

    options = Options(now=lambda: NOW, opened=opened, ours=(*OURS, "service_fakes"))
    review_video(Path("clip.mp4"), setup(), folder / "out", options)
    record_review(store, folder / "out", now=NOW)


@pytest.fixture
def store(database_url: str) -> Any:
    store = Store(database_url)
    yield store
    store.close()


def test_a_round_seen_live_is_found_and_audited_like_a_reviewed_one(store: Store, tmp_path: Path) -> None:
    books = VideoRounds(store)
    play_live(store, tmp_path)
    assert (books.take(), books.take()) == (1, 0)
    play_review(store, tmp_path)
    assert (books.take(), books.take()) == (1, 0)
    for text in SEARCHES:
        reviewed, live = find_rounds(store, text)
        assert (live.run_id[:5], reviewed.run_id[:7]) == ("live-", "review-"), text
        apart = {"number": 0, "run_id": "", "opened_ms": None, "alerts": ()}
        assert live.model_copy(update=apart) == reviewed.model_copy(update=apart)
        assert (live.breaches, live.checks) == (2, ("RIU-C1-WHEN", "RIU-SET-ANTE"))
    assert live.opened_utc == NOW + timedelta(seconds=0.4), "a camera's first picture tells when capture time 0 was"
    assert reviewed.opened_utc is None, "of a recording nobody said when it was made"
    with store.read() as session:
        one, other = session.scalars(sa.select(AuditRoundRow).order_by(AuditRoundRow.round_seq))
        paid = session.execute(sa.select(*(getattr(ExceptionRow, name) for name in ("seat", "kind_id", "owed_cents", "paid_cents", "verdict", "note"))).order_by(ExceptionRow.round_seq)).all()  # fmt: skip
    assert (one.day, one.shift, one.at_utc) == ("2026-03-01", "swing", "2026-03-01T21:14:09.000Z")
    assert (other.day, other.shift, other.at_utc) == ("unknown", "unknown", "")
    assert (one.wagers, len(paid), paid[0]) == (1, 2, paid[1])


def test_a_round_of_no_known_day_is_in_the_books_but_on_no_day(store: Store) -> None:
    store.open_run("r", table_id=TABLE, origin="review", opened_utc=NOW, about={}, game="raise_it_up")
    payout = {"seat": 1, "wager": "ante", "stake_cents": 500, "outcome": "push", "due_cents": 500, "returned_cents": 500, "verdict": "compliant"}  # fmt: skip
    store.add_rounds("r", [closed_round("a", payouts=[payout]), closed_round("b")])
    assert VideoRounds(store).take() == 2
    questions = Questions(store)
    assert questions.whole(Scope()).rounds == 2
    for days in (("2020-01-01", ""), ("", "2030-12-31"), ("2020-01-01", "2030-12-31")):
        assert questions.whole(Scope(*days)).rounds == 0
    assert [row.key for row in questions.table(Scope(), (By.DAY,))] == [("unknown",)]
    assert questions.trend(Scope()).points == ()
    assert questions.choices()[By.DAY] == []


def test_a_finding_after_its_round_closed_is_added_to_it(store: Store) -> None:
    store.open_run("r", table_id=TABLE, origin="live", opened_utc=NOW, about={}, game="raise_it_up")
    late = {
        "finding_id": "f1",
        "check_id": "RIU-C1-WHEN",
        "verdict": "breach",
        "citation": "§ 669a.11(c)",
        "round_id": "a",
    }
    assert store.add_rounds("r", [closed_round("a")]) == 1
    assert store.add_rounds("r", [closed_round("a")], [late]) == 0
    (found,) = find_rounds(store, "check:RIU-C1-WHEN")
    assert (found.round_id, found.breaches, found.checks) == ("a", 1, ("RIU-C1-WHEN",))


def test_rounds_of_many_writers_are_numbered_in_the_order_of_their_commits(new_database: Callable[..., str]) -> None:
    """What the audit reads up to a number is all there is up to it: nothing is committed behind its back."""
    store = Store(new_database("postgresql"))
    store.open_run("r", table_id=TABLE, origin="live", opened_utc=NOW, about={}, game="raise_it_up")

    def write(writer: int) -> None:
        for number in range(8):
            store.add_rounds("r", [closed_round(f"r{writer}{number}")])

    books, taken = VideoRounds(store), 0
    with ThreadPoolExecutor(3) as writers:
        written = [writers.submit(write, writer) for writer in range(3)]
        while not all(one.done() for one in written):
            taken += books.take()
        for one in written:
            one.result()
    assert taken + books.take() == 24
    store.close()


def test_findings_wait_until_their_round_is_closed() -> None:
    closing = Closing()
    early, other = ({"round_id": name, "verdict": "undetermined"} for name in ("a", "b"))
    assert closing.ready([early, other, {"round_id": "a", "verdict": "compliant"}], []) == ()
    assert closing.ready([], [{"round_id": "a"}]) == (early,)
    assert closing.ready([early], []) == (early,), "of a round that is closed already"
    for number in range(REMEMBERED + 5):
        closing.ready([], [{"round_id": f"r{number}"}])
    assert len(closing._closed) == REMEMBERED


def test_a_picture_is_taken_often_only_where_somebody_looks() -> None:
    picture, view = LivePicture(), sight().view

    def taken(since: int, until: int) -> int:
        shown: set[int] = set()
        for index in range(since, until):
            image = np.full((SIZE[1], SIZE[0], 3), index % 256, np.uint8)
            picture.show(Frame(index, index / 10.0, image), Seen(index, index / 10.0), view)
            raw = picture.raw()
            assert raw is not None
            shown.add(int(raw[0, 0, 0]))
        return len(shown)

    assert LivePicture().jpeg(0.0) is None
    assert taken(0, 40) == 4
    assert picture.jpeg(3.9, marked=False) is not None
    assert taken(40, 80) == 20
    assert taken(80, 300) in (45, 46, 47)


def test_hands_do_not_push_what_was_seen_last_out_of_the_room(store: Store) -> None:
    table = LiveTable(setup(), "rtsp://camera/1", store, Feed(), opened=opener(seconds=4.0), now=lambda: NOW)
    hands = [{"kind": "hand_over", "t_s": 2.0 + i / 30} for i in range(30)]
    cards = [{"kind": "card_placed", "t_s": 1.0 + i} for i in range(20)]
    table._remember(0, [*cards, *hands, {"kind": "wager_placed", "t_s": 30.0}])
    assert table.last_events() == [*cards[-11:], {"kind": "wager_placed", "t_s": 30.0}]
    table._remember(51, hands)
    assert table.last_events()[-1]["kind"] == "wager_placed"
