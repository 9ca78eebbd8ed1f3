"""A copy made while the service writes is whole: the database of one moment, every bundle of its alerts, the chain."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from service_fakes import NOW, TABLE, finding, opener, setup

from rules.findings import finding_to_dict
from service.backup import back_up
from service.errors import ServiceError
from service.evidence.room import EvidenceRoom
from service.evidence.verify import verify
from service.house import House
from service.live.table import LiveTable
from service.store import Store


def test_a_copy_made_while_alerts_come_in_is_whole_and_opens(tmp_path: Path) -> None:
    room = EvidenceRoom.open(tmp_path / "evidence", lambda: NOW)
    house = House(Store(f"sqlite:///{tmp_path}/a.db"), evidence=room, now=lambda: NOW)
    table = LiveTable(setup(), "fake", house.store, house.feed, evidence=room, opened=opener(live=True), now=house.now)
    table._stop.wait = lambda timeout=None: True  # type: ignore[method-assign]
    house.store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={}, game="raise_it_up")
    writes = threading.Event()

    def write() -> None:
        number = 10
        while not writes.is_set():
            number += 1
            house.store.add_alert("run-1", finding_to_dict(finding(number, t_s=60.0 * number)), raised_utc=NOW)

    table._recorder.start()
    table._watch_once()
    room.writer.flush()
    writer = threading.Thread(target=write)
    writer.start()
    try:
        done = back_up(f"sqlite:///{tmp_path}/a.db", tmp_path / "evidence", tmp_path / "copy")
    finally:
        writes.set()
        writer.join()
    copy = Store(f"sqlite:///{tmp_path}/copy/pitwatch.db")
    assert len(copy.alerts(limit=100_000)) == done.alerts
    assert copy.last_position() == done.alerts, "every alert of the copy has its place in the order of changes"
    copy.close()
    assert done.bundles == verify(tmp_path / "copy" / "evidence").bundles == 2
    house.stop()


def test_a_copy_never_goes_over_another_one_and_says_what_it_cannot_copy(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path}/a.db").close()
    back_up(f"sqlite:///{tmp_path}/a.db", None, tmp_path / "copy")
    with pytest.raises(ServiceError, match="something already"):
        back_up(f"sqlite:///{tmp_path}/a.db", None, tmp_path / "copy")
    with pytest.raises(ServiceError, match="no database"):
        back_up(f"sqlite:///{tmp_path}/none.db", None, tmp_path / "other")
    with pytest.raises(ServiceError, match="only a SQLite file"):
        back_up("postgresql+psycopg://ann:secret@db/pitwatch", None, tmp_path / "third")


def test_a_copy_that_does_not_become_whole_leaves_no_folder(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path}/a.db").close()
    (tmp_path / "b.db").write_bytes(b"no database at all")
    (tmp_path / "evidence").mkdir()
    for name, says in (
        ("none.db", "there is no database"),
        ("b.db", "file is not a database"),
        ("a.db", "there is no evidence"),
    ):
        with pytest.raises(ServiceError, match=says):
            back_up(f"sqlite:///{tmp_path / name}", tmp_path / "evidence", tmp_path / "copy")
        assert not (tmp_path / "copy").exists()
