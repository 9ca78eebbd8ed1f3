"""A mistake of the program in a live table: seen by everybody, one alert, tried again later and later, no other table touched."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, setup, sight, signed_in

from rules.events import Event
from service.config import TableSetup
from service.errors import ServiceError
from service.house import House
from service.live.camera_faults import STEADY_S, CameraFaults
from service.live.failing import ANEW_AFTER, FAULT_RETRY_S, RETRY_S, Attempts, SourceEndedError
from service.live.table import LiveTable
from service.sight import Sight
from service.store import Store
from service.web.app import create_app
from vision.frames.frame import Frame
from vision.frames.source import SourceError


class Breaks:
    """A source whose table breaks in the middle so many times, then is watched to its end."""

    def __init__(self, times: int, error: Exception) -> None:
        self.times, self.error, self.opened = times, error, 0

    def __call__(self, source: str, table: TableSetup) -> Sight:
        self.opened += 1
        one = sight(source, table, live=True)
        if self.opened <= self.times:
            whole = one.watcher.frame

            def frame(frame: Frame) -> Sequence[Event]:
                if frame.index == 12:
                    raise self.error
                return whole(frame)

            one.watcher.frame = frame  # type: ignore[method-assign]
        return one


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(Store(f"sqlite:///{tmp_path}/h.db"), now=lambda: NOW)
    yield house
    house.stop()


def watched(house: House, opened: Any, *, tries: int, table_id: str = TABLE) -> tuple[LiveTable, list[float], list[dict[str, Any]]]:  # fmt: skip
    """Watches until it was tried again so often; the waits, and what the table said of itself meanwhile."""
    given = replace(setup(), table=replace(setup().table, table_id=table_id))
    table = LiveTable(
        given, f"rtsp://{table_id}", house.store, house.feed, opened=opened, now=house.now, meters=house.meters
    )
    waits: list[float] = []
    said: list[dict[str, Any]] = []

    def wait(timeout: float) -> bool:
        waits.append(timeout)
        said.append(table.about())
        if len(waits) == tries:
            table._stop.set()
        return False

    table._stop.wait = wait  # type: ignore[method-assign,assignment]
    house.tables[table_id] = table
    table._keep_watching()
    return table, waits, said


def test_a_mistake_of_the_program_is_told_by_the_table_the_feed_and_the_metrics(house: House) -> None:
    _, waits, said = watched(house, Breaks(99, TypeError("no len() of password=hunter2")), tries=6)
    assert waits == [*FAULT_RETRY_S, FAULT_RETRY_S[-1]]
    assert {one["state"] for one in said} == {"fault"}
    assert "something went wrong in Pitwatch, 6 times in a row: TypeError: no len()" in said[-1]["detail"]
    assert "trying again in 300 s" in said[-1]["detail"]
    assert "hunter2" not in said[-1]["detail"]
    assert (said[-1]["health"]["faults"], said[-1]["health"]["gaps"]) == (6, ["program_fault"])
    (alert,) = house.store.alerts()
    assert (alert.check_id, alert.severity, alert.kind.value, alert.status.value) == (
        "TABLE-FAULT",
        "critical",
        "camera",
        "open",
    )
    assert "a mistake in Pitwatch keeps it from being watched" in alert.finding["text"]
    client = signed_in(TestClient(create_app(house, screens=False), base_url="http://127.0.0.1:8080"), house)
    assert f'pitwatch_faults_total{{error="TypeError",table="{TABLE}"}} 6.0' in client.get("/metrics").text
    shown = client.get("/api/tables").json()[0]
    assert (shown["health"]["faults"], shown["health"]["rejected"]) == (6, 0)


def test_a_camera_that_fails_is_no_mistake_of_the_program(house: House) -> None:
    _, waits, said = watched(house, Breaks(99, SourceError("no route")), tries=6)
    assert waits == [*RETRY_S, RETRY_S[-1]]
    assert {one["state"] for one in said} == {"lost"}
    assert [alert.check_id for alert in house.store.alerts()] == ["CAMERA-LOST"]
    assert said[-1]["health"]["faults"] == 0


def test_other_tables_are_watched_on_while_one_fails(house: House) -> None:
    failing = threading.Thread(
        target=watched, args=(house, Breaks(99, KeyError("x"))), kwargs={"tries": 4, "table_id": "t-1"}
    )
    failing.start()
    table, _, said = watched(house, Breaks(0, KeyError("x")), tries=1, table_id="t-2")
    failing.join()
    assert {alert.check_id for alert in house.store.alerts() if alert.table_id == "t-1"} == {"TABLE-FAULT"}
    assert table.vitals.faults == 0
    assert said[0]["state"] == "lost", "its film has an end"
    assert said[0]["rounds"] >= 0
    assert table.vitals.frames == 100


def test_after_three_mistakes_in_a_row_the_open_round_is_left(house: House) -> None:
    asked: list[int] = []
    stored = LiveTable._stored_standing

    def counted(table: LiveTable) -> Any:
        asked.append(table._attempts.faults)
        return stored(table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LiveTable, "_stored_standing", counted)
        watched(house, Breaks(99, ZeroDivisionError()), tries=6)
    assert asked == list(range(ANEW_AFTER))


def test_what_counts_as_a_mistake_and_when_it_is_forgotten() -> None:
    attempts = Attempts()
    for known in (SourceError("x"), SourceEndedError("x"), OSError(28, "full"), ServiceError("x", do="y")):
        assert not attempts.broke(known, 0.0).is_fault
    assert (attempts.failures, attempts.faults) == (4, 0)
    assert [attempts.broke(ValueError("x"), 0.0).wait_s for _ in range(2)] == [1.0, 5.0]
    attempts.watched_since_s = 10.0
    assert attempts.broke(ValueError("x"), 10.0 + STEADY_S - 1).wait_s == 30.0
    attempts.watched_since_s = 100.0
    again = attempts.broke(ValueError("x"), 100.0 + STEADY_S)
    assert (again.wait_s, again.why.count("times in a row")) == (1.0, 0)


def test_one_alert_until_it_went_well_for_a_minute() -> None:
    faults = CameraFaults("t")
    (told,) = faults.failed(5.0, "TypeError").began
    for again in (10.0, 20.0):
        assert faults.feed((), again).ended == ()
        assert faults.failed(again + 1, "TypeError").began == ()
    assert faults.feed((), 30.0).ended == ()
    assert faults.feed((), 30.0 + STEADY_S).ended == (told,)
    assert len(faults.failed(200.0, "again").began) == 1
