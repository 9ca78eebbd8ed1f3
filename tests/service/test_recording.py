"""Nothing recorded is lost or doubled: spool, recorder without a database, a live table's faults, what is measured."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, closed_round, finding, opener, setup, signed_in

from rules.findings import finding_to_dict
from service.bench.kills import kill_often
from service.errors import ServiceError
from service.feed import Feed
from service.feed.metrics import Meters
from service.house import House
from service.live.camera_faults import FAULTS, CameraFaults
from service.live.recorder import Recorder
from service.live.spool import HEAD, Spool
from service.live.table import LiveTable
from service.store import Action, AlertFilter, AlertKind, Picture, Store
from service.store.incidents import UTC_SCOPE
from service.store.recording import Ended, NewAlert, RecordedStep, step_from_bytes, step_to_bytes
from service.web.app import create_app
from vision.frames.source import SourceError

RUN: dict[str, Any] = {
    "run_id": "run-1", "table_id": TABLE, "origin": "live", "opened_utc": "2026-03-01T21:14:05.000Z", "game": "raise_it_up",
    "scope": UTC_SCOPE, "epoch_utc": "2026-03-01T21:14:05.000Z", "about": {},
}  # fmt: skip


def step(number: int) -> RecordedStep:
    raised = NewAlert(finding_to_dict(finding(number, t_s=60.0 * number)), NOW, (Picture("1.jpg", b"\xff\xd8\x00"),))
    events = ({"t_s": 60.0 * number, "kind": "card_turned"},)
    return RecordedStep(RUN, number, events, (closed_round(f"r{number}"),), (raised,))


def wait_for(met: Callable[[], bool]) -> None:
    until_s = time.monotonic() + 60.0
    while not met():
        assert time.monotonic() < until_s, "it never came"
        time.sleep(0.01)


def test_a_spool_gives_back_in_order_what_it_was_given_also_after_a_crash(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "deep" / "a.spool")
    for record in (b"one", b"", b"three" * 1000):
        spool.append(record)
    spool.drop_first()
    spool.close()
    again = Spool(tmp_path / "deep" / "a.spool")
    out = []
    while (taken := again.first()) is not None:
        out.append(taken)
        again.drop_first()
    assert out == [b"one", b"", b"three" * 1000], "what was taken out but not yet cut away comes again"
    assert (len(again), again.path.stat().st_size) == (0, 0)


@pytest.mark.parametrize("cut", [1, 7, 8, 9, 12])
def test_a_record_cut_off_by_a_crash_is_cut_away_and_the_others_stay(tmp_path: Path, cut: int) -> None:
    spool = Spool(tmp_path / "a.spool")
    spool.append(b"whole")
    spool.append(b"broken")
    spool.close()
    path = tmp_path / "a.spool"
    path.write_bytes(path.read_bytes()[:-cut] + (b"" if cut < 9 else b"x"))
    again = Spool(path)
    assert (len(again), again.first()) == (1, b"whole")
    again.append(b"next")
    again.drop_first()
    assert again.first() == b"next"


def broken_spool(path: Path, harm: str) -> tuple[bytes, list[bytes]]:
    """A spool of five records of which the third is damaged; its bytes, and the records that are whole still."""
    spool = Spool(path)
    records = [step_to_bytes(step(number)) for number in range(1, 6)]
    for record in records:
        spool.append(record)
    spool.close()
    content = bytearray(path.read_bytes())
    begins = sum(len(record) + HEAD.size for record in records[:2])
    ends = begins + HEAD.size + len(records[2])
    match harm:
        case "a byte of it":
            content[begins + 100] ^= 0x41
        case "its length":
            content[begins : begins + 4] = b"\xff\xff\xff\xff"
        case "its length, which fits":
            content[begins : begins + 4] = (len(records[2]) + 40).to_bytes(4, "big")
        case "half of it is gone":
            del content[begins + len(records[2]) // 2 : ends]
    path.write_bytes(content)
    return bytes(content[begins : len(content) - sum(len(r) + HEAD.size for r in records[3:])]), [
        *records[:2],
        *records[3:],
    ]


@pytest.mark.parametrize("harm", ["a byte of it", "its length", "its length, which fits", "half of it is gone"])
def test_damage_in_the_middle_is_put_aside_and_every_whole_record_stays(
    tmp_path: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.spool"
    damaged, whole = broken_spool(path, harm)
    again = Spool(path)
    assert (len(again), again.damaged) == (4, 1)
    assert (tmp_path / "a.damaged").read_bytes() == damaged
    assert "that were acknowledged cannot be read" in caplog.text
    with pytest.raises(ServiceError, match="another process"):
        Spool(path)
    again.append(b"next")
    again.close()
    for _ in range(2):
        again, out = Spool(path), list[bytes]()
        while len(out) < 5:
            kept = again.first()
            assert kept is not None
            out.append(kept)
            again.drop_first() if len(out) < 5 else None
        again.close()
        path.write_bytes(b"".join(HEAD.pack(len(r), zlib.crc32(r)) + r for r in out))
    assert out == [*whole, b"next"]
    assert (tmp_path / "a.damaged").read_bytes() == damaged, "once"


def test_a_last_record_that_is_all_there_but_wrong_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "a.spool"
    spool = Spool(path)
    for record in (b"one", b"two"):
        spool.append(record)
    spool.close()
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    again = Spool(path)
    assert (len(again), again.first(), again.damaged) == (1, b"one", 1)
    assert (tmp_path / "a.damaged").read_bytes().endswith(b"tw!")


def test_what_is_damaged_is_never_cut_away_where_it_cannot_be_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "a.spool"
    broken_spool(path, "a byte of it")
    before = path.read_bytes()
    (tmp_path / "a.damaged").mkdir()
    with pytest.raises(ServiceError, match="cannot be put aside"):
        Spool(path)
    assert path.read_bytes() == before


def test_records_around_damage_reach_the_store_and_the_table_says_what_did_not(tmp_path: Path) -> None:
    broken_spool(tmp_path / "a.spool", "a byte of it")
    meters = Meters()
    recorder = Recorder(TABLE, Store(f"sqlite:///{tmp_path}/a.db"), Feed(), meters, tmp_path / "a.spool")
    recorder.start()
    wait_for(lambda: recorder.waiting == 0)
    recorder.stop()
    assert [alert.finding["t_s"] for alert in recorder.store.alerts(oldest_first=True)] == [60.0, 120.0, 240.0, 300.0]
    assert recorder.rejected == 1


def test_two_processes_cannot_share_a_spool(tmp_path: Path) -> None:
    first = Spool(tmp_path / "a.spool")
    with pytest.raises(ServiceError, match="another process"):
        Spool(tmp_path / "a.spool")
    first.close()
    Spool(tmp_path / "a.spool").close()


def test_a_step_is_the_same_after_its_way_over_the_disk() -> None:
    whole = step(3)
    over = RecordedStep(RUN, alerts=whole.alerts, ended=(Ended(whole.alerts[0].finding, NOW, "over"),))
    assert step_from_bytes(step_to_bytes(whole)) == whole
    assert step_from_bytes(step_to_bytes(over)) == over


def test_a_step_recorded_again_changes_nothing(database_url: str) -> None:
    store = Store(database_url)
    assert [len(store.record(step(number))) for number in (1, 1, 2)] == [1, 0, 1]
    assert len(store.events("run-1")) == 2
    assert [r["round_id"] for r in store.rounds("run-1")] == ["r1", "r2"]
    assert store.last_position() == 2
    assert store.evidence(1, "1.jpg").content == b"\xff\xd8\x00"


def test_while_the_database_is_away_steps_wait_and_then_all_are_there_once(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, meters = Store(database_url), Meters()
    away = threading.Event()
    away.set()
    real = Store.record

    def record(self: Store, one: RecordedStep) -> frozenset[str]:
        if away.is_set():
            raise sa.exc.OperationalError("connect", None, Exception("connection refused"))
        return real(self, one)

    monkeypatch.setattr(Store, "record", record)
    monkeypatch.setattr("service.live.recorder.RETRY_S", (0.01,))
    recorder = Recorder(TABLE, store, Feed(), meters, tmp_path / "a.spool")
    recorder.start()
    for number in range(1, 6):
        recorder.record(step(number), time.monotonic())
    recorder.measure()
    assert recorder.waiting == 5
    assert meters.registry.get_sample_value("pitwatch_queue_records", {"table": TABLE}) == 5
    recorder.stop()

    second = Recorder(TABLE, store, Feed(), meters, tmp_path / "b.spool")
    (tmp_path / "b.spool").write_bytes((tmp_path / "a.spool").read_bytes())
    away.clear()
    second.start()
    second.record(step(6), time.monotonic())
    wait_for(lambda: second.waiting == 0)
    second.stop()
    assert [alert.finding["t_s"] for alert in store.alerts(oldest_first=True)] == [60.0 * n for n in range(1, 7)]
    assert meters.registry.get_sample_value("pitwatch_frame_to_alert_seconds_count", {"table": TABLE}) == 6


def test_while_a_postgresql_takes_no_writes_steps_wait(
    tmp_path: Path, new_database: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A standby that has not taken over yet, or an administrator who moves the database."""
    url = new_database("postgresql")
    name = sa.make_url(url).database
    monkeypatch.setattr("service.live.recorder.RETRY_S", (0.01,))

    def read_only(switch: str) -> None:
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            connection.execute(sa.text("SET default_transaction_read_only = off"))
            connection.execute(sa.text(f"ALTER DATABASE {name} SET default_transaction_read_only = {switch}"))

    recorder = Recorder(TABLE, Store(url), Feed(), Meters(), tmp_path / "a.spool")
    read_only("on")
    recorder.store.close()
    recorder.start()
    recorder.record(step(1), time.monotonic())
    time.sleep(0.5)
    assert (recorder.waiting, recorder.rejected) == (1, 0)
    read_only("off")
    recorder.store.close()
    wait_for(lambda: recorder.waiting == 0)
    recorder.stop()
    assert (len(recorder.store.alerts()), recorder.rejected) == (1, 0)
    recorder.store.close()


def test_a_step_that_can_never_be_recorded_holds_up_no_other(tmp_path: Path) -> None:
    recorder = Recorder(TABLE, Store(f"sqlite:///{tmp_path}/a.db"), Feed(), Meters(), tmp_path / "a.spool")
    recorder.start()
    recorder.record(RecordedStep(RUN, events=({"kind": "no time"},)), time.monotonic())
    recorder.record(step(1), time.monotonic())
    wait_for(lambda: recorder.waiting == 0)
    recorder.stop()
    assert len(recorder.store.alerts()) == 1
    assert len(Spool(tmp_path / "a.rejected")) == 1


def test_a_step_stored_the_moment_it_is_on_disk_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that stores wins against the one that records."""
    keep = Spool.append

    def stored_at_once(spool: Spool, record: bytes) -> None:
        keep(spool, record)
        recorder._wake.set()
        wait_for(lambda: not len(spool))
        time.sleep(0.05)

    recorder = Recorder(TABLE, Store(f"sqlite:///{tmp_path}/a.db"), Feed(), Meters(), tmp_path / "a.spool")
    recorder.start()
    monkeypatch.setattr(Spool, "append", stored_at_once)
    for number in (1, 2):
        recorder.record(step(number), time.monotonic())
    recorder.settle(10.0)
    assert (recorder.waiting, recorder.store.counts(AlertFilter()).total) == (0, 2)
    monkeypatch.setattr(Spool, "append", lambda *_: (_ for _ in ()).throw(OSError("the disk is gone")))
    with pytest.raises(OSError, match="disk is gone"):
        recorder.record(step(3), time.monotonic())
    assert len(recorder._since) == recorder.waiting == 0
    recorder.stop()


@pytest.mark.parametrize("harm", ["no such file can be made", "the disk is full"])
def test_a_step_that_can_be_neither_stored_nor_put_aside_waits_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setattr("service.live.recorder.RETRY_S", (0.01,))
    rejected, append, tried = tmp_path / "a.rejected", Spool.append, threading.Event()
    if harm == "no such file can be made":
        rejected.mkdir()

    def full(self: Spool, record: bytes) -> None:
        if self.path == rejected:
            tried.set()
            raise OSError(28, "No space left on device")
        append(self, record)

    recorder = Recorder(TABLE, Store(f"sqlite:///{tmp_path}/a.db"), Feed(), Meters(), tmp_path / "a.spool")
    recorder.start()
    with monkeypatch.context() as patch:
        if harm == "the disk is full":
            patch.setattr(Spool, "append", full)
        recorder.record(RecordedStep(RUN, events=({"kind": "no time"},)), time.monotonic())
        recorder.record(step(1), time.monotonic())
        tried.wait(0.2)
        assert recorder._thread is not None
        assert recorder._thread.is_alive()
        assert (recorder.waiting, recorder.rejected) == (2, 0)
    if harm == "no such file can be made":
        rejected.rmdir()
    wait_for(lambda: recorder.waiting == 0)
    recorder.stop()
    assert (len(recorder.store.alerts()), len(Spool(rejected)), recorder.rejected) == (1, 1, 1)


def test_a_recorder_whose_thread_died_records_again_once_it_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(TABLE, Store(f"sqlite:///{tmp_path}/a.db"), Feed(), Meters(), tmp_path / "a.spool")
    monkeypatch.setattr(Recorder, "_keep_storing", lambda self: None)
    recorder.start()
    recorder.record(step(1), time.monotonic())
    assert recorder._thread is not None
    recorder._thread.join()
    monkeypatch.undo()
    recorder.start()
    wait_for(lambda: recorder.waiting == 0)
    recorder.stop()
    assert len(recorder.store.alerts()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("recording", [False, True])
def test_a_live_table_killed_at_random_points_loses_and_doubles_nothing(
    tmp_path: Path, empty_database_url: str, recording: bool
) -> None:
    out = kill_often(empty_database_url, tmp_path, kills=10, seed=7, recording=recording)
    assert (out.lost, out.doubled) == (0, 0)
    assert out.alerts >= out.taken > 0


@dataclass(frozen=True)
class Lasting:
    cause: str
    since_s: float


def test_a_fault_of_the_camera_rings_within_three_seconds_once_and_ends() -> None:
    faults = CameraFaults(TABLE)
    told: list[tuple[float, list[str], list[str]]] = []
    for tenth in range(200):
        t_s = tenth / 10
        gaps = [Lasting("camera_black", 5.0)] if 5.5 <= t_s < 12.0 else []
        gaps += [Lasting("camera_blocked", 14.0)] if 14.5 <= t_s < 15.0 else []
        news = faults.feed(gaps, t_s)
        if news.began or news.ended:
            told.append((t_s, [f["check_id"] for f in news.began], [f["check_id"] for f in news.ended]))
    assert told == [(6.5, ["CAMERA-BLACK"], []), (12.0, [], ["CAMERA-BLACK"])]


def test_what_the_camera_lacks_is_one_alert_until_it_ends_also_across_restarts(database_url: str) -> None:
    store = Store(database_url)
    lost = CameraFaults(TABLE).lost(100.0, "no route to host").began[0]
    for run in ("run-1", "run-2"):
        at = RecordedStep(RUN | {"run_id": run}, alerts=(NewAlert(lost, NOW, kind=AlertKind.CAMERA),))
        store.record(at)
    later = NOW + timedelta(minutes=5)
    for _ in range(2):
        store.record(RecordedStep(RUN | {"run_id": "run-2"}, ended=(Ended(lost, later, "the table is seen again"),)))
    store.record(
        RecordedStep(
            RUN | {"run_id": "run-2"}, alerts=(NewAlert(lost | {"finding_id": "x"}, later, kind=AlertKind.CAMERA),)
        )
    )
    second, first = store.alerts(AlertFilter(kind=AlertKind.CAMERA))
    assert [(one.action, one.by) for one in first.history] == [(Action.ENDED, "pitwatch")]
    assert (first.status, second.history, first.check_id) == ("open", (), "CAMERA-LOST")
    assert set(FAULTS) >= {"camera_lost", "camera_black", "camera_frozen", "camera_moved", "camera_corrupt"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(Store(f"sqlite:///{tmp_path}/h.db"), now=lambda: NOW)
    yield house
    house.stop()


def test_a_live_table_goes_through_its_spool_and_a_lost_camera_rings(house: House, tmp_path: Path) -> None:
    tries: list[int] = []

    def flaky(source: str, table: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise SourceError("no route to rtsp://ann:secret@10.0.0.9/1")
        return opener(seconds=3.0)(source, table)

    table = LiveTable(
        setup(), "rtsp://10.0.0.9/1", house.store, house.feed, opened=flaky, now=lambda: NOW, meters=house.meters,
        spool=tmp_path / "spool",
    )  # fmt: skip
    house.tables[TABLE] = table
    table._stop.wait = lambda timeout=None: False  # type: ignore[method-assign]
    table.start()
    wait_for(lambda: table.state == "stopped" and table.waiting == 0)
    alerts = house.store.alerts(oldest_first=True)
    assert [(a.check_id, a.kind) for a in alerts] == [
        ("CAMERA-LOST", "camera"), ("RIU-C1-WHEN", "finding"), ("RIU-SET-ANTE", "finding"),
    ]  # fmt: skip
    assert "secret" not in alerts[0].finding["seen"]
    assert [one.action for one in alerts[0].history] == ["ended"]
    gap = house.store.events(alerts[1].run_id)[0]
    assert (gap["kind"], gap["cause"]) == ("coverage_gap", "camera_lost")
    client = signed_in(TestClient(create_app(house, screens=False), base_url="http://127.0.0.1:8080"), house)
    client.post("/api/alerts/2/disposition", json={"status": "confirmed", "reason": "seen"})
    said = client.get("/metrics").text
    for line in (
        f'pitwatch_frames_total{{table="{TABLE}"}} 30.0', f'pitwatch_reconnects_total{{table="{TABLE}"}} 1.0',
        f'pitwatch_coverage_gaps_total{{cause="CAMERA-LOST",table="{TABLE}"}} 1.0', 'pitwatch_rule_precision{rule="RIU-C1-WHEN"} 1.0',
        'pitwatch_alerts_total{kind="camera",rule="CAMERA-LOST",severity="critical"} 1.0', "pitwatch_dead_letters 0.0",
        f'pitwatch_queue_records{{table="{TABLE}"}} 0.0', f'pitwatch_frame_to_alert_seconds_count{{table="{TABLE}"}} 3.0',
    ):  # fmt: skip
        assert line in said, said
