"""The queue of reviews: ordered, claimed once, followed, cancelled, killed, tried again; on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import io
import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import yaml
from service_fakes import NOW, TABLE, mapping, opener, sight

import service.reviews.office as office_module
from service.config import TableSetup
from service.errors import ConflictError, NotFoundError, ServiceError
from service.reviews.checkpoint import OURS
from service.reviews.errors import DiskFullError
from service.reviews.office import RESULT, TABLE_FILE, Office, OfficeSettings, known_tables, shown_name
from service.reviews.queue import LOST_AFTER, MOST_DEATHS, Beat, Ordered, ReviewQueue, State
from service.reviews.rounds import find_rounds
from service.reviews.worker import Worker
from service.reviews.workers import Workers
from service.sight import Sight
from service.store import Store

LATER = NOW + LOST_AFTER + timedelta(seconds=1)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    yield store
    store.close()


@pytest.fixture
def plain_store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path}/plain.db")
    yield store
    store.close()


@cache
def tiny_clip() -> bytes:
    """A video of three pictures, encoded once: two encodings may differ, and a run is named by its video's bytes."""
    written = io.BytesIO()
    with av.open(written, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for value in (40, 80, 120):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), value, np.uint8), format="bgr24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return written.getvalue()


def tiny_video(path: Path) -> Path:
    path.write_bytes(tiny_clip())
    return path


def recordings(tmp_path: Path, *names: str) -> Path:
    root = tmp_path / "recordings"
    root.mkdir(exist_ok=True)
    (root / TABLE_FILE).write_text(yaml.safe_dump(mapping()))
    for name in names:
        tiny_video(root / name)
    return root


def office_of(store: Store, tmp_path: Path, **changes: Any) -> Office:
    root = recordings(tmp_path, "night.mp4")
    settings = OfficeSettings(tmp_path / "reviews", (root,), known_tables([root / TABLE_FILE]), spare_bytes=0)
    return Office(store, replace(settings, **changes))


def worker_of(store: Store, name: str = "w1", **changes: Any) -> Worker:
    values: dict[str, Any] = {"opened": opener(), "now": lambda: NOW, "checkpoint_every_s": 0.0, "ours": (*OURS, "service_fakes")}  # fmt: skip
    return Worker(store, name, **values | changes)


def add(queue: ReviewQueue, name: str = "night.mp4") -> Ordered:
    return queue.add(name=name, video=f"/v/{name}", folder="/r", table_id=TABLE, game="raise_it_up", by="ann", now=NOW)


async def blocks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def test_reviews_are_claimed_in_their_order_and_each_by_one_worker(store: Store) -> None:
    queue = ReviewQueue(store)
    ordered = [add(queue).review_id for _ in range(12)]
    claimed: list[tuple[str, int]] = []

    def claim(name: str) -> None:
        while (mine := queue.claim(name, now=NOW)) is not None:
            claimed.append((name, mine.review_id))

    threads = [threading.Thread(target=claim, args=(f"w{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for _, number in claimed) == ordered
    assert [one.review_id for one in queue.page(limit=5)] == ordered[:-6:-1]
    assert [one.review_id for one in queue.page(before=ordered[2])] == ordered[1::-1]
    assert queue.page(state=State.WAITING) == []
    assert queue.page(tables={"other"}) == []


def test_a_dead_workers_review_waits_again_and_the_dead_one_has_no_say(store: Store) -> None:
    queue = ReviewQueue(store)
    add(queue)
    first = queue.claim("w1", now=NOW)
    assert first is not None
    assert queue.beat(first, Beat(30.0, 100.0, 5.0, 1, 2), now=NOW)
    assert queue.release_lost(now=NOW + LOST_AFTER / 2) == []
    (released,) = queue.release_lost(now=LATER)
    assert (released.state, released.deaths, released.t_s) == (State.WAITING, 1, 30.0)
    second = queue.claim("w2", now=LATER)
    assert second is not None
    assert not queue.beat(first, Beat(99.0), now=LATER)
    assert not queue.end(first, State.DONE, now=LATER)
    assert queue.get(first.review_id).t_s == 30.0
    assert queue.end(second, State.DONE, now=LATER, run_id="run-1")
    assert queue.of_run("run-1") == queue.get(first.review_id)


def test_a_recording_that_keeps_killing_workers_is_set_aside_until_someone_tries_it_again(store: Store) -> None:
    queue = ReviewQueue(store)
    number = add(queue).review_id
    for death in range(1, MOST_DEATHS + 1):
        assert queue.claim(f"w{death}", now=NOW) is not None
        queue.release_lost(now=NOW, worker=f"w{death}")
    failed = queue.get(number)
    assert (failed.state, failed.deaths) == (State.FAILED, MOST_DEATHS)
    assert "died 3 times" in failed.reason
    assert queue.retry(number).state is State.WAITING
    mine = queue.claim("w9", now=NOW)
    assert mine is not None
    queue.beat(mine, Beat(50.0), now=NOW)
    queue.release_lost(now=NOW, worker="w9")
    assert queue.get(number).deaths == 1


def test_what_has_ended_is_not_cancelled_and_what_runs_not_started_again(store: Store) -> None:
    queue = ReviewQueue(store)
    number = add(queue).review_id
    assert queue.cancel(number, now=NOW).state is State.CANCELLED
    assert queue.cancel(number, now=NOW).state is State.CANCELLED
    assert queue.claim("w1", now=NOW) is None
    assert queue.retry(number).state is State.WAITING
    mine = queue.claim("w1", now=NOW)
    assert mine is not None
    with pytest.raises(ConflictError, match="it is running"):
        queue.retry(number)
    assert queue.cancel(number, now=NOW).cancel_wanted
    assert not queue.beat(mine, Beat(1.0), now=NOW)
    queue.end(mine, State.DONE, now=NOW)
    with pytest.raises(ConflictError, match="already done"):
        queue.cancel(number, now=NOW)
    with pytest.raises(NotFoundError, match="no review 99"):
        queue.get(99)


def test_share_and_time_left() -> None:
    one = Ordered(1, "n", "v", "f", "t", "g", "b", "u", State.RUNNING, "", False, 1, 0, "w", None, None, None, 30.0, 120.0, 6.0, 0, 0, None)  # fmt: skip
    assert (one.share, one.left_s) == (0.25, 15.0)
    assert replace(one, of_s=None).share is None
    assert replace(one, state=State.DONE, of_s=None).share == 1.0
    assert replace(one, speed=None).left_s is None


def test_a_recording_dropped_in_is_reviewed_recorded_and_found(plain_store: Store, tmp_path: Path) -> None:
    office = office_of(plain_store, tmp_path)
    content = (tmp_path / "recordings" / "night.mp4").read_bytes()
    parts = [content[:100], content[100:]]
    ordered = asyncio.run(office.receive("C:\\cctv\\night 1.MP4", blocks(*parts), table_id=TABLE, by="ann", now=NOW))
    assert (ordered.name, ordered.state, ordered.ordered_by) == ("night 1.MP4", State.WAITING, "ann")
    assert Path(ordered.video).read_bytes() == content
    done = worker_of(plain_store).work_once()
    assert done is not None
    assert (done.state, done.reason, done.share) == (State.DONE, "", 1.0)
    assert (office.result(done) / "report.pdf").read_bytes().startswith(b"%PDF")
    assert [found.round_id for found in find_rounds(plain_store, "Td breach", run_id=done.run_id)] == [f"{TABLE}-r0001"]
    assert worker_of(plain_store).work_once() is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("night.mp4", b"this is no video at all", "no video that can be read"),
        ("night.mp4", b"", "no video that can be read"),
        ("night.exe", b"x", "does not end like a video"),
        ("night", b"x", "does not end like a video"),
    ],
)
def test_what_is_no_video_is_refused_and_leaves_nothing(plain_store: Store, tmp_path: Path, name: str, content: bytes, message: str) -> None:  # fmt: skip
    office = office_of(plain_store, tmp_path)
    with pytest.raises(ServiceError, match=message) as refused:
        asyncio.run(office.receive(name, blocks(content), table_id=TABLE, by="ann", now=NOW))
    assert str(tmp_path) not in str(refused.value)
    assert list((tmp_path / "reviews").iterdir()) == []
    assert office.queue.page() == []


def test_an_upload_keeps_to_its_limit_and_to_the_room_there_is(plain_store: Store, tmp_path: Path) -> None:
    small = office_of(plain_store, tmp_path, upload_bytes=1000)
    with pytest.raises(ServiceError, match="larger than"):
        asyncio.run(small.receive("a.mp4", blocks(b"x" * 900, b"x" * 200), table_id=TABLE, by="ann", now=NOW))
    full = office_of(plain_store, tmp_path, spare_bytes=1 << 60)
    with pytest.raises(DiskFullError, match="no room"):
        asyncio.run(full.receive("a.mp4", blocks(b"x"), table_id=TABLE, by="ann", now=NOW))
    with pytest.raises(NotFoundError, match="no table 'x'"):
        asyncio.run(full.receive("a.mp4", blocks(b"x"), table_id="x", by="ann", now=NOW))

    async def broken() -> AsyncIterator[bytes]:
        yield b"x"
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        asyncio.run(small.receive("a.mp4", broken(), table_id=TABLE, by="ann", now=NOW))
    assert list((tmp_path / "reviews").iterdir()) == []


def test_an_upload_holds_up_nothing_else(plain_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads and writes the disk at length does so beside the loop that answers everyone."""
    asked: dict[str, bool] = {}

    def watched(module: Any, name: str) -> None:
        plain = getattr(module, name)

        def call(*args: Any, **options: Any) -> Any:
            asked[name] = asked.get(name, False) or threading.current_thread() is threading.main_thread()
            return plain(*args, **options)

        monkeypatch.setattr(module, name, call)

    for module, name in ((office_module, "verify_video"), (office_module, "recorded_of"), (os, "fsync")):
        watched(module, name)
    video = tiny_video(tmp_path / "a.mp4").read_bytes()
    office = office_of(plain_store, tmp_path)
    monkeypatch.setattr(office_module, "WRITTEN_BYTES", 1000)
    parts = (video[:400], video[400:2100], video[2100:])
    ordered = asyncio.run(office.receive("a.mp4", blocks(*parts), table_id=TABLE, by="ann", now=NOW))
    assert Path(ordered.video).read_bytes() == video
    assert asked == {"verify_video": False, "recorded_of": False, "fsync": False}


def test_a_folder_is_ordered_whole_with_the_table_beside_it(plain_store: Store, tmp_path: Path) -> None:
    office = office_of(plain_store, tmp_path)
    recordings(tmp_path, "b.mkv", "a.mp4")
    ordered = office.order(str(tmp_path / "recordings"), table_id=None, by="ann", now=NOW)
    assert [one.name for one in ordered] == ["a.mp4", "b.mkv", "night.mp4"]
    assert len({one.folder for one in ordered}) == 3
    assert office.order("a.mp4", table_id=TABLE, by="ann", now=NOW)[0].table_id == TABLE
    (tmp_path / "recordings" / "c.mp4").write_bytes(b"broken")
    with pytest.raises(ServiceError, match=r"c.mp4: this is no video"):
        office.order(str(tmp_path / "recordings"), table_id=None, by="ann", now=NOW)
    assert len(office.queue.page()) == 4


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret.mp4", "link.mp4", "missing.mp4", "/etc"])
def test_only_recordings_below_the_roots_are_reviewed(plain_store: Store, tmp_path: Path, path: str) -> None:
    office = office_of(plain_store, tmp_path)
    tiny_video(tmp_path / "secret.mp4")
    (tmp_path / "recordings" / "link.mp4").symlink_to(tmp_path / "secret.mp4")
    with pytest.raises(ServiceError, match="no such recording in the folders"):
        office.order(path, table_id=TABLE, by="ann", now=NOW)


@pytest.mark.parametrize(("given", "shown"), [("a/b\\c.MP4", "c.MP4"), ("x\x00\n.mp4", "x.mp4"), ("n" * 300 + ".mkv", "n" * 120 + ".mkv")])  # fmt: skip
def test_names_of_files_are_shown_without_folders(given: str, shown: str) -> None:
    assert shown_name(given) == shown


def test_a_table_is_judged_as_its_file_was_when_the_review_was_ordered(plain_store: Store, tmp_path: Path) -> None:
    office = office_of(plain_store, tmp_path)
    (ordered,) = office.order("night.mp4", table_id=TABLE, by="ann", now=NOW)
    (tmp_path / "recordings" / TABLE_FILE).write_text("broken: [")
    done = worker_of(plain_store).work_once()
    assert done is not None
    assert (done.review_id, done.state, done.reason) == (ordered.review_id, State.DONE, "")


def failing(error: Exception) -> Callable[[str, TableSetup], Sight]:
    def opened(_source: str, _table: TableSetup) -> Sight:
        raise error

    return opened


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ServiceError("no table is seen", do="Give its corners"), "no table is seen. Give its corners"),
        (ZeroDivisionError("oops"), "something went wrong in Pitwatch (ZeroDivisionError: oops)"),
    ],
)
def test_a_review_that_fails_says_why_and_can_be_tried_again(plain_store: Store, tmp_path: Path, error: Exception, reason: str) -> None:  # fmt: skip
    office = office_of(plain_store, tmp_path)
    office.order("night.mp4", table_id=TABLE, by="ann", now=NOW)
    failed = worker_of(plain_store, opened=failing(error)).work_once()
    assert failed is not None
    assert failed.state is State.FAILED
    assert reason in failed.reason
    office.queue.retry(failed.review_id)
    done = worker_of(plain_store).work_once()
    assert done is not None
    assert done.state is State.DONE


def bytes_of(folder: Path) -> dict[str, bytes]:
    """What a review left, without the path of its recording, which differs by where it was uploaded to."""
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*.json*")) if path.is_file()}


def wait_for(holds: Callable[[], object], seconds: float = 180.0) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def fake_workers(plain_store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    monkeypatch.setattr("service.reviews.workers.LOOK_EVERY_S", 0.05)
    workers = Workers(
        plain_store, 1, (sys.executable, str(Path(__file__).with_name("fake_worker.py"))), now=lambda: NOW
    )
    yield workers
    workers.stop()


def test_killed_cancelled_and_stopped_reviews_go_on_to_the_same_results(plain_store: Store, tmp_path: Path, fake_workers: Workers) -> None:  # fmt: skip
    """One recording reviewed whole; the same one killed, cancelled and interrupted by the end of the service."""
    office = office_of(plain_store, tmp_path)
    queue = office.queue
    (whole,) = office.order("night.mp4", table_id=TABLE, by="ann", now=NOW)
    worker_of(plain_store).work_once()
    (torn,) = office.order("night.mp4", table_id=TABLE, by="ann", now=NOW)
    number = torn.review_id
    fake_workers.start()
    wait_for(lambda: queue.get(number).t_s > 1.0)
    killed = int(queue.get(number).worker.rpartition(":")[2])
    assert fake_workers.pids() == [killed]
    import os

    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: queue.get(number).attempt == 2 and queue.get(number).state is State.RUNNING)
    queue.cancel(number, now=NOW)
    wait_for(lambda: queue.get(number).state is State.CANCELLED)
    assert not (Path(torn.folder) / RESULT).exists()
    queue.retry(number)
    wait_for(lambda: queue.get(number).state is State.RUNNING)
    fake_workers.stop()
    assert queue.get(number).state in (State.WAITING, State.DONE)
    worker_of(plain_store).work_once()
    assert queue.get(number).state is State.DONE
    assert bytes_of(Path(torn.folder) / RESULT) == bytes_of(Path(whole.folder) / RESULT)
    assert queue.get(number).run_id == queue.get(whole.review_id).run_id


def test_a_stopping_worker_gives_its_review_back(plain_store: Store, tmp_path: Path) -> None:
    office = office_of(plain_store, tmp_path)
    office.order("night.mp4", table_id=TABLE, by="ann", now=NOW)
    worker = worker_of(plain_store)

    def opened(source: str, _table: TableSetup) -> Sight:
        worker.stop.set()
        return sight(source)

    worker.opened = opened
    given_back = worker.work_once()
    assert given_back is not None
    assert (given_back.state, given_back.ended_utc) == (State.WAITING, None)


def test_a_full_disk_is_the_reason_of_a_failed_review_which_goes_on_when_there_is_room(
    plain_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = office_of(plain_store, tmp_path)
    (whole,) = office.order("night.mp4", table_id=TABLE, by="ann", now=NOW)
    worker_of(plain_store).work_once()
    (torn,) = office.order("night.mp4", table_id=TABLE, by="ann", now=NOW)
    with monkeypatch.context() as patch:
        full_after(4, patch)
        failed = worker_of(plain_store).work_once()
    assert failed is not None
    assert (failed.state, failed.review_id) == (State.FAILED, torn.review_id)
    assert "the disk is full" in failed.reason
    assert not (Path(torn.folder) / RESULT).exists()
    office.queue.retry(torn.review_id)
    done = worker_of(plain_store).work_once()
    assert done is not None
    assert (done.state, done.reason) == (State.DONE, "")
    assert bytes_of(Path(torn.folder) / RESULT) == bytes_of(Path(whole.folder) / RESULT)


def full_after(writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the nth write of a review on there is no room."""
    from service.reviews.work import WorkFolder

    count, add = itertools.count(1), WorkFolder.add

    def call(self: WorkFolder, *given: Any) -> None:
        if next(count) >= writes:
            raise DiskFullError("the disk is full (No space left on device)", where=self.path, do="Free some space")
        add(self, *given)

    monkeypatch.setattr(WorkFolder, "add", call)
