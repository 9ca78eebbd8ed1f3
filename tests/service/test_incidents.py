"""One incident is one alert: seen twice, after a restart, in a replay; and two incidents stay two."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from service_fakes import NOW, TABLE, finding

from rules.findings import finding_to_dict
from service.store import Store
from service.store.incidents import UTC_SCOPE, source_scope


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    yield store
    store.close()


def run(store: Store, name: str, *, scope: str = "", late_s: float | None = None, origin: str = "live") -> None:
    epoch = None if late_s is None else NOW + timedelta(seconds=late_s)
    store.open_run(name, table_id=TABLE, origin=origin, opened_utc=NOW, about={}, scope=scope, epoch_utc=epoch)


def ring(store: Store, name: str, number: int, t_s: float, **changes: Any) -> bool:
    raw = finding_to_dict(finding(number, t_s=t_s, **changes))
    raw["finding_id"] = f"{number:016d}"
    return store.add_alert(name, raw, raised_utc=NOW)[1]


def test_a_camera_watched_again_after_a_restart_rings_once(store: Store) -> None:
    run(store, "before", scope=UTC_SCOPE, late_s=0.0)
    run(store, "after", scope=UTC_SCOPE, late_s=100.0)
    assert ring(store, "before", 7, t_s=120.0)
    assert not ring(store, "after", 1, t_s=21.3)
    assert ring(store, "after", 2, t_s=60.0)
    assert ring(store, "after", 3, t_s=21.3, area="community.5th")
    assert ring(store, "after", 4, t_s=21.3, check_id="RIU-C2-WHEN")


def test_a_recording_played_again_by_another_process_rings_once(store: Store) -> None:
    for name, scope in (("one", "file:a"), ("two", "file:a"), ("other file", "file:b")):
        run(store, name, scope=scope)
    assert ring(store, "one", 1, t_s=30.0)
    assert not ring(store, "two", 1, t_s=30.0)
    assert ring(store, "other file", 1, t_s=30.0)


def test_a_review_is_an_inquiry_of_its_own(store: Store) -> None:
    run(store, "live", scope="file:a")
    run(store, "review", scope="file:a", origin="review")
    assert ring(store, "live", 1, t_s=30.0)
    assert ring(store, "review", 1, t_s=30.0)


def test_runs_of_which_nothing_is_known_share_nothing(store: Store) -> None:
    run(store, "one")
    run(store, "two")
    assert ring(store, "one", 1, t_s=30.0)
    assert ring(store, "two", 1, t_s=30.0)


def test_two_rounds_of_one_run_are_two_incidents_however_close(store: Store) -> None:
    run(store, "one", scope=UTC_SCOPE, late_s=0.0)
    assert ring(store, "one", 1, t_s=30.0)
    assert ring(store, "one", 2, t_s=31.0)


def test_a_recording_is_known_by_its_content(tmp_path: Path) -> None:
    names = {}
    for name, content in (
        ("a", b"x" * 9_000_000),
        ("copy", b"x" * 9_000_000),
        ("b", b"x" * 8_999_999 + b"y"),
        ("c", b""),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        names[name] = source_scope(path)
    assert names["a"] == names["copy"]
    assert len(set(names.values())) == 3
    assert source_scope(tmp_path).startswith("folder:")


def test_runs_that_see_an_incident_again_are_counted_once_each(store: Store) -> None:
    for number, name in enumerate(("first", "second", "third")):
        run(store, name, scope=UTC_SCOPE, late_s=100.0 * number)
    assert ring(store, "first", 7, t_s=320.0)
    assert store.alert(1).sightings == 1
    for name, t_s in (("second", 220.0), ("second", 220.0), ("third", 120.0), ("first", 320.0)):
        assert not ring(store, name, 7, t_s=t_s)
    assert store.alert(1).sightings == 3
    assert [alert.sightings for alert in store.alerts()] == [3]
