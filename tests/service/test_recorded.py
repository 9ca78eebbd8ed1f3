"""When a recording was made: who says so, who wins, and what stays unknown; and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import av
import numpy as np
import pytest
import sqlalchemy as sa
from service_fakes import NOW, TABLE, setup, sight
from test_review_queue import office_of, worker_of

from service.audit.tables import AuditRoundRow
from service.audit.video import VideoRounds
from service.errors import ServiceError
from service.reviews.errors import ReviewError
from service.reviews.recorded import BESIDE, recorded_of
from service.reviews.review import Options, review_video
from service.reviews.rounds import find_rounds
from service.store import Store

EASTERN = ZoneInfo("America/New_York")
WHEN = datetime(2026, 2, 20, 22, 0, 5, tzinfo=EASTERN)


def container(path: Path, made: str) -> Path:
    with av.open(str(path), "w") as file:
        file.metadata["creation_time"] = made
        stream = file.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        file.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="bgr24")))
        file.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(
    ("name", "zone", "at"),
    [
        ("ch04_20260220220005.mp4", EASTERN, WHEN),
        ("2026-02-20 22.00.05.mkv", EASTERN, WHEN),
        ("riu-07_20260220T220005-0500.mp4", None, WHEN),
        ("20260221T030005Z_table.mp4", EASTERN, WHEN),
        ("20260220220005-20260220230005.mp4", EASTERN, WHEN),
        ("20260220-220005.mp4", None, None),
        ("night of 20 February.mp4", EASTERN, None),
        ("19700101000000.mp4", EASTERN, None),
        ("20260220990005.mp4", EASTERN, None),
        ("20270220220005.mp4", EASTERN, None),
        ("ch04_20251102013000.mp4", EASTERN, None),
        ("ch04_20250309023000.mp4", EASTERN, None),
        ("ch04_20251102T013000-0500.mp4", EASTERN, datetime(2025, 11, 2, 6, 30, tzinfo=UTC)),
        ("serial 1202602202200057.mp4", EASTERN, None),
    ],
)
def test_a_name_says_when_where_the_clock_is_known(name: str, zone: ZoneInfo | None, at: datetime | None) -> None:
    found = recorded_of(Path("/nowhere") / name, name, zone=zone, now=NOW)
    assert found.at == at
    assert found.by


@pytest.mark.parametrize(
    ("given", "said"), [("2025-11-02T01:30:00", "comes twice"), ("2025-03-09T02:30:00", "does not come")]
)
def test_a_time_that_the_clock_shows_twice_or_never_is_refused(given: str, said: str) -> None:
    with pytest.raises(ReviewError, match=f"{said} on the house's clock. Write it with its offset"):
        recorded_of(Path("/nowhere/a.mp4"), "a.mp4", given=given, zone=EASTERN, now=NOW)
    assert recorded_of(Path("/nowhere/a.mp4"), "a.mp4", given=given + "-05:00", zone=EASTERN, now=NOW).at is not None


def test_who_says_it_wins_over_a_file_beside_over_the_name_over_the_file_itself(tmp_path: Path) -> None:
    video, name = container(tmp_path / "night.mp4", "2026-02-20T03:00:00.000000Z"), "20260220220005Z.mp4"
    assert recorded_of(video, "night.mp4", now=NOW).at == datetime(2026, 2, 20, 3, tzinfo=UTC)
    assert "creation_time" in recorded_of(video, "night.mp4", now=NOW).by
    assert recorded_of(video, name, now=NOW).at == datetime(2026, 2, 20, 22, 0, 5, tzinfo=UTC)
    video.with_name("night.mp4" + BESIDE).write_text("recorded_at: 2026-02-19T22:00:00-05:00\n")
    assert recorded_of(video, name, now=NOW).at == datetime(2026, 2, 20, 3, tzinfo=UTC)
    said = recorded_of(video, name, given="2026-02-18T22:00:00", zone=EASTERN, now=NOW)
    assert (said.at, said.day) == (datetime(2026, 2, 18, 22, tzinfo=EASTERN), date(2026, 2, 18))
    assert recorded_of(container(tmp_path / "b.mp4", "1904-01-01T00:00:00Z"), "b.mp4", now=NOW).at is None


@pytest.mark.parametrize(
    ("given", "beside", "message"),
    [
        ("yesterday", "", "'yesterday' is no time"),
        ("2026-02-20T22:00:00", "", "does not say on which clock"),
        ("2030-02-20T22:00:00Z", "", "nothing was recorded at 2030"),
        ("", "recorded_at: soon", "'soon' is no time"),
        ("", "recorded: 2026", "there is no recorded_at"),
        ("", "a: [", "cannot be read"),
    ],
)
def test_what_is_no_time_is_refused_with_what_to_do(tmp_path: Path, given: str, beside: str, message: str) -> None:
    if beside:
        (tmp_path / f"a.mp4{BESIDE}").write_text(beside)
    with pytest.raises(ServiceError, match=message):
        recorded_of(tmp_path / "a.mp4", "a.mp4", given=given, now=NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path}/s.db")
    yield store
    store.close()


def test_day_shift_and_law_of_a_review_follow_from_its_time(store: Store, tmp_path: Path) -> None:
    days: list[Any] = []

    def opened(source: str, table: Any) -> Any:
        days.append(table.day)
        return sight(source)

    office = office_of(store, tmp_path, zone=EASTERN)
    with pytest.raises(ServiceError, match="is no time"):
        office.order("night.mp4", table_id=TABLE, by="ann", now=NOW, recorded="late")
    assert office.queue.page() == []
    office.order("night.mp4", table_id=TABLE, by="ann", now=NOW, recorded="2026-02-20T22:00:05")
    done = worker_of(store, opened=opened).work_once()
    assert done is not None
    assert (done.state, done.recorded_at, days) == ("done", "2026-02-20T22:00:05-05:00", [date(2026, 2, 20)])
    about = json.loads((office.result(done) / "run.json").read_text())
    assert about["recorded_utc"] == "2026-02-21T03:00:05.000Z"
    assert "2026-02-21 03:00:05 UTC" in (office.result(done) / "report.html").read_text()
    (found,) = find_rounds(store, "")
    assert found.opened_utc == WHEN + timedelta(seconds=0.4)
    VideoRounds(store, office_plan()).take()
    with store.read() as session:
        (row,) = session.scalars(sa.select(AuditRoundRow))
    assert (row.day, row.shift, row.at_utc) == ("2026-02-20", "grave", "2026-02-21T03:00:09.000Z")


def test_an_undated_recording_is_judged_by_the_law_in_force_today(tmp_path: Path) -> None:
    days: list[Any] = []

    def opened(source: str, table: Any) -> Any:
        days.append(table.day)
        return sight(source)

    review_video(Path("night.mp4"), setup(), tmp_path / "out", Options(opened=opened, now=lambda: NOW))
    assert days == [NOW.date()]


def office_plan() -> Any:
    from service.audit.calendar import read_plan

    return read_plan("", "America/New_York")
