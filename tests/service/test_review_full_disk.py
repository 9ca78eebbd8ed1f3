"""A review that runs out of disk, wherever it writes: it says so, keeps what is done, and ends in the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from full_disk import FullDatabase, full_disk
from service_fakes import NOW
from test_review_queue import office_of, worker_of
from test_review_resume import review, tree

from service.errors import ServiceError
from service.export.errors import ExportError
from service.export.formats import Format
from service.reviews.errors import DiskFullError
from service.reviews.queue import State
from service.reviews.results import write_export
from service.reviews.review import work_folder
from service.reviews.work import CHECKPOINT
from service.store import Store

SAMPLED = 5
"""Places at which the fast test fills the disk; the slow one takes them all."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """The results of a review that always had room, and how many writes it took."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch, full_disk(patch, folder) as disk:
        review(folder / "out")
    return tree(folder / "out"), disk.writes


def fills_at(room: int, whole: dict[str, bytes], folder: Path, patch: pytest.MonkeyPatch) -> None:
    """A review for which there is room for so many writes, then for all of them."""
    out = folder / "out"
    with full_disk(patch, folder, room) as disk:
        with pytest.raises(ServiceError, match=r"No space left on device.*Free some space") as failed:
            review(out)
        assert disk.over, "the disk was full"
        assert isinstance(failed.value, DiskFullError), failed.value
        assert not out.exists(), f"half a result after {room} writes"
        marked = (work_folder(out) / CHECKPOINT).read_bytes() if (work_folder(out) / CHECKPOINT).exists() else None
        with pytest.raises(DiskFullError):  # started again while nothing fits
            review(out)
        assert marked is None or (work_folder(out) / CHECKPOINT).read_bytes() == marked, "the work done was thrown away"
    review(out)
    assert tree(out) == whole, f"other results after {room} writes"
    assert [path.name for path in folder.iterdir()] == ["out"]


@pytest.mark.parametrize("part", range(SAMPLED))
def test_a_full_disk_at_the_nth_write_costs_nothing_but_time(
    whole: tuple[dict[str, bytes], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    results, writes = whole
    fills_at(part * (writes - 1) // (SAMPLED - 1), results, tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_full_disk_at_every_write_costs_nothing_but_time(
    whole: tuple[dict[str, bytes], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, writes = whole
    for room in range(writes):
        fills_at(room, results, tmp_path, monkeypatch)
        shutil.rmtree(tmp_path / "out")


def test_an_export_that_does_not_fit_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    review(tmp_path / "out")
    for form in Format:
        path = tmp_path / f"payouts.{form.value}"
        with full_disk(monkeypatch, tmp_path) as disk:
            write_export(tmp_path / "out", "payouts", form, path)
        kept = path.read_bytes()
        for room in range(disk.writes):
            with full_disk(monkeypatch, tmp_path, room), pytest.raises(ExportError, match=r"No space left.*Free some"):
                write_export(tmp_path / "out", "payouts", form, path)
            assert path.read_bytes() == kept
            assert not list(tmp_path.glob(".*part"))


def test_a_full_database_fails_the_review_and_says_so_until_there_is_room(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/s.db")
    office, pages = office_of(store, tmp_path), FullDatabase(store.engine)
    (ordered,) = office.order("night.mp4", table_id=None, by="ann", now=NOW)
    refused = 0
    for more in (0, 1, 3, 6, 10):
        pages.limit(more)
        failed = worker_of(store).work_once()
        assert failed is not None
        if failed.state is State.FAILED:
            refused += 1
            assert failed.reason.startswith(
                "the disk of the database is full. Free some space and start the review again"
            )
            office.queue.retry(ordered.review_id)
    assert refused >= 2
    pages.limit(None)
    done = office.queue.get(ordered.review_id)
    done = done if done.state is State.DONE else worker_of(store).work_once() or done
    assert (done.state, done.attempt) == (State.DONE, refused + 1)
    assert recorded(store) == recorded_whole(tmp_path / "other")
    store.close()


def recorded(store: Store) -> dict[str, list[Any]]:
    """What a review puts into the database."""
    names = ("events", "rounds", "alerts", "evidence", "round_facts", "round_cards", "round_wagers")
    with store.engine.connect() as connection:
        return {name: list(connection.exec_driver_sql(f"SELECT * FROM {name}")) for name in names}


def recorded_whole(folder: Path) -> dict[str, list[Any]]:
    """What a database holds after the same review that always had room."""
    folder.mkdir()
    store = Store(f"sqlite:///{folder}/s.db")
    office_of(store, folder).order("night.mp4", table_id=None, by="ann", now=NOW)
    worker_of(store).work_once()
    try:
        return recorded(store)
    finally:
        store.close()


@pytest.mark.parametrize("sizes", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_a_disk_of_its_own_that_is_full_with_recording_results_and_database_on_it(tmp_path: Path, sizes: int) -> None:
    """A real file system (tmpfs) of limited size; films and database write to it past Python."""
    script = Path(__file__).with_name("small_disk.py")
    command = ["unshare", "--map-root-user", "--mount", sys.executable, str(script), str(tmp_path), str(sizes)]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*command[:3], "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("this machine lets nobody mount a file system of their own (unshare)")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": "."})
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert (said["same"], said["sizes"]) == (sizes, sizes)
    assert said["failed"] >= sizes - 1
