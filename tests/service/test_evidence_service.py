"""Evidence in the running service: every alert gets its bundle, over HTTP too; what cannot be stored is said, not lost."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, finding, opener, setup, signed_in

from rules.findings import finding_to_dict
from service.access.roles import Role
from service.errors import ServiceError
from service.evidence.bundle import AREAS
from service.evidence.chain import BUNDLES
from service.evidence.film import RingFilm
from service.evidence.index import Scope
from service.evidence.keys import read_public
from service.evidence.retention import Policy, due, read_policy
from service.evidence.room import EvidenceRoom
from service.evidence.standing import status_of
from service.evidence.vault import Vault
from service.evidence.verify import read_kept, verify
from service.evidence.writer import WAITING_AT_MOST, Writer
from service.house import House
from service.live.table import LiveTable
from service.store import AlertFilter, AlertKind, Picture, Status, Store
from service.web.app import create_app
from vision.frames.frame import Frame

LOCAL = "http://127.0.0.1:8080"
LAW = AlertFilter(kind=AlertKind.FINDING)
"""Alerts of the law; that the source ended rings too, sooner or later."""


class Clock:
    """A wall clock that is set by hand."""

    def __init__(self) -> None:
        self.time = NOW

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


def open_house(folder: Path, clock: Callable[[], datetime]) -> House:
    room = EvidenceRoom.open(folder / "evidence", clock, Policy(keep_free_bytes=0))
    return House(Store(f"sqlite:///{folder}/s.db"), evidence=room, now=clock)


@pytest.fixture
def house(tmp_path: Path, clock: Clock) -> Iterator[House]:
    house = open_house(tmp_path, clock)
    yield house
    house.stop()


def room_of(house: House) -> EvidenceRoom:
    assert house.evidence is not None
    return house.evidence


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, TestClient]]:
    """A live table that was watched to its end: two alerts with their bundles."""
    folder, clock = tmp_path_factory.mktemp("played"), Clock()
    house = open_house(folder, clock)
    table = LiveTable(
        setup(), "fake", house.store, house.feed, evidence=house.evidence, opened=opener(seconds=4.0), now=clock
    )
    table.start()
    until = time.monotonic() + 60
    while table.state.value != "stopped" and time.monotonic() < until:
        time.sleep(0.02)
    room_of(house).writer.flush()
    yield house, signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house, name="ann")
    house.stop()


def test_every_alert_of_a_live_table_gets_a_bundle(played: tuple[House, TestClient]) -> None:
    house, client = played
    alerts = house.store.alerts(oldest_first=True)
    assert [alert.check_id for alert in alerts] == ["RIU-C1-WHEN", "RIU-SET-ANTE"]
    for alert in alerts:
        bundle = client.get(f"/api/alerts/{alert.seq}/bundle").json()
        assert bundle["state"] == "stored"
        assert {"clip.mp4", "seen.jsonl", "areas.json", "seal.json", "index.html"} <= set(bundle["files"])
    report = verify(room_of(house).vault.folder)
    assert report.genuine, report.issues
    assert report.bundles == 2


def test_a_bundle_is_fetched_and_verified_alone(played: tuple[House, TestClient], tmp_path: Path) -> None:
    _, client = played
    pem = client.get("/api/evidence/public.pem")
    answer = client.get("/api/alerts/1/bundle.zip")
    assert answer.content == client.get("/api/alerts/1/bundle.zip").content
    (tmp_path / "bundle.zip").write_bytes(answer.content)
    key = read_public(pem.content, where="http")
    assert key.fingerprint == pem.headers["X-Key-Fingerprint"]
    report = verify(tmp_path / "bundle.zip", key=key)
    assert report.genuine, report.issues
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        seal = json.loads(archive.read(next(name for name in archive.namelist() if name.endswith("seal.json"))))
    assert seal["link"]["body"]["raised_utc"] == "2026-03-01T21:14:05.000Z"


def test_a_clip_answers_to_range_and_is_stepped_through(played: tuple[House, TestClient]) -> None:
    _, client = played
    whole = client.get("/api/alerts/1/clip.mp4")
    assert (whole.status_code, whole.headers["content-type"], whole.headers["accept-ranges"]) == (
        200,
        "video/mp4",
        "bytes",
    )
    part = client.get("/api/alerts/1/clip.mp4", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    frames = client.get("/api/alerts/1/frames").json()
    assert frames["size_px"] == [960, 540]
    assert frames["frames"][30]["cards"][0]["card"] == "Td"
    (outlines,) = frames["areas"]
    assert all(len(corners) >= 3 for corners in outlines.values())
    assert "community.4th" in outlines
    assert client.get("/api/alerts/1/frames/30.jpg").content[:2] == b"\xff\xd8"
    beyond = client.get(f"/api/alerts/1/frames/{len(frames['frames'])}.jpg")
    assert (beyond.status_code, beyond.json()["error"]["code"]) == (404, "not_found")


def test_a_bundle_of_before_without_outlines_is_stepped_through(played: tuple[House, TestClient]) -> None:
    house, client = played
    name = client.get("/api/alerts/1/bundle").json()["name"]
    outlines = room_of(house).vault.folder / BUNDLES / name / AREAS
    aside = outlines.rename(outlines.with_name("aside"))
    try:
        shown = client.get("/api/alerts/1/frames").json()
    finally:
        aside.rename(outlines)
    assert shown["areas"] == []
    assert shown["frames"][30]["cards"][0]["card"] == "Td"
    assert verify(room_of(house).vault.folder).genuine


def test_chain_and_head_are_shown_and_a_kept_head_verifies(played: tuple[House, TestClient], tmp_path: Path) -> None:
    house, client = played
    first = client.get("/api/evidence/chain", params={"limit": 2}).json()
    assert [link["kind"] for link in first["links"]] == ["opened", "bundle"]
    rest = client.get("/api/evidence/chain", params={"after": first["next_after"]}).json()
    assert rest["next_after"] is None
    assert rest["links"][0]["number"] == 3
    (tmp_path / "head.json").write_bytes(client.get("/api/evidence/head").content)
    assert verify(room_of(house).vault.folder, kept=read_kept(tmp_path / "head.json")).genuine


def test_what_is_not_there_is_said_in_the_one_shape(played: tuple[House, TestClient]) -> None:
    house, client = played
    house.store.open_run("other", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    alert, _ = house.store.add_alert("other", finding_to_dict(finding(7, t_s=900.0)), raised_utc=NOW)
    assert client.get(f"/api/alerts/{alert.seq}/bundle").json()["state"] == "pending"
    for path in (
        f"alerts/{alert.seq}/bundle.zip",
        f"alerts/{alert.seq}/clip.mp4",
        "alerts/999/bundle",
        "alerts/999/frames",
    ):
        answer = client.get(f"/api/{path}")
        assert answer.status_code == 404, path
        assert set(answer.json()["error"]) == {"code", "message", "where", "do"}


def test_only_who_may_takes_a_bundle_out_or_keeps_it(played: tuple[House, TestClient]) -> None:
    house, _ = played
    house.access.people.set_group("others", ["riu-99"])
    app = create_app(house, screens=False)
    operator = signed_in(TestClient(app, base_url=LOCAL), house, Role.OPERATOR)
    elsewhere = signed_in(TestClient(app, base_url=LOCAL), house, Role.SUPERVISOR, tables="others")
    assert operator.get("/api/alerts/1/frames").status_code == 200
    for path in ("alerts/1/bundle.zip", "evidence/chain", "evidence/due"):
        assert operator.get(f"/api/{path}").status_code == 403, path
    assert operator.post("/api/alerts/1/hold", json={"why": "mine"}).status_code == 403
    for path in ("alerts/1/bundle", "alerts/1/clip.mp4", "alerts/1/bundle.zip", "evidence/chain"):
        assert elsewhere.get(f"/api/{path}").status_code == 403, path
    assert TestClient(app, base_url=LOCAL).get("/api/evidence/head").status_code == 401


@pytest.mark.parametrize("why", ["   ", "a\0b", "a\x1b[2Jb", "a\u202eb"])
def test_a_reason_that_says_nothing_readable_does_not_come_into_the_chain(
    played: tuple[House, TestClient], why: str
) -> None:
    house, client = played
    links = len(room_of(house).vault.refresh().entries), room_of(house).vault.head().count
    for act in ("hold", "release", "erase"):
        answer = client.post(f"/api/alerts/1/{act}", json={"why": why})
        assert answer.status_code in (400, 409, 422), act
        assert set(answer.json()["error"]) == {"code", "message", "where", "do"}
    assert (len(room_of(house).vault.refresh().entries), room_of(house).vault.head().count) == links


def test_a_hold_over_http_stops_a_deletion(played: tuple[House, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    house, client = played
    room = room_of(house)
    monkeypatch.setattr(room, "policy", Policy(1, bundles_days={"critical": 30}, clips_days={"critical": 7}))
    monkeypatch.setattr(room, "now", lambda: NOW + timedelta(days=8))
    assert [(one["number"], one["scope"]) for one in client.get("/api/evidence/due").json()] == [
        (2, "clips"),
        (3, "clips"),
    ]
    held = client.post("/api/alerts/1/hold", json={"why": " appeal,\n file 7 "}).json()
    assert (held["held"]["by"], held["held"]["why"]) == ("ann", "appeal, file 7")
    assert client.post("/api/alerts/1/hold", json={"why": "again"}).status_code == 409
    assert [one["number"] for one in client.get("/api/evidence/due").json()] == [3]
    gone = client.post("/api/evidence/expire", json={"numbers": [2, 3]}).json()
    assert [one["number"] for one in gone] == [3]
    assert client.get("/api/alerts/2/bundle").json()["state"] == "clips_expired"
    assert "deleted by ann" in client.get("/api/alerts/2/clip.mp4").json()["error"]["do"]
    assert client.post("/api/alerts/1/release", json={"why": "over"}).json()["held"] is None
    assert verify(room.vault.folder).genuine


def test_a_full_disk_is_an_alarm_and_the_alert_rings_all_the_same(house: House) -> None:
    room = room_of(house)
    room.vault.keep_free_bytes = 10**18
    table = LiveTable(setup(), "fake", house.store, house.feed, evidence=room, opened=opener(live=True), now=house.now)
    table.start()
    until = time.monotonic() + 60
    while house.store.last_seq() < 2 and time.monotonic() < until:
        time.sleep(0.02)
    table.stop(30.0)
    room.writer.flush()
    client = signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house)
    assert len(house.store.alerts(LAW)) == 2
    bundle = client.get("/api/alerts/1/bundle").json()
    assert bundle["state"] == "not_stored"
    assert bundle["detail"].startswith("evidence not stored: disk full")
    storage = client.get("/api/evidence/storage").json()
    assert storage["alarm"].startswith("evidence not stored: disk full")
    assert storage["refused"] >= 2
    report = verify(room.vault.folder)
    assert report.genuine
    assert report.links == 1 + storage["refused"]


def test_what_a_kill_prevented_is_written_at_the_next_start(tmp_path: Path, clock: Clock) -> None:
    house = open_house(tmp_path, clock)
    house.store.open_run("live-1", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    house.store.add_events(
        "live-1", [(1, {"kind": "card_turned", "t_s": 1.9, "area": "community.4th", "face": "up", "card": "Td"})]
    )
    picture = Picture("1.jpg", b"\xff\xd8 picture", caption="turned")
    house.store.add_alert("live-1", finding_to_dict(finding()), raised_utc=NOW, pictures=[picture])
    house.stop()
    for _ in range(2):
        again = open_house(tmp_path, clock)
        again.start()
        state = room_of(again).state_of(again.store.alert(1))
        assert state["state"] == "stored"
        assert {"1.jpg", "events.jsonl", "finding.json"} <= set(state["files"])
        assert "clip.mp4" not in state["files"]
        folder = room_of(again).vault.folder
        again.stop()
    about = json.loads(next((folder / "bundles").iterdir()).joinpath("about.json").read_text())
    assert "stopped before the film" in about["film"]["missing"]
    report = verify(folder)
    assert report.genuine, report.issues
    assert report.bundles == 1


def test_a_queue_that_is_full_refuses_rather_than_stall_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    writer, refused = Writer(), []

    class Target:
        def write(self, job: Any, about: Any) -> None:
            pytest.fail("nothing is written here")

        def refuse(self, job: Any, reason: str) -> None:
            refused.append(reason)

    monkeypatch.setattr(writer, "_thread", object())
    job: Any = type("Job", (), {"wanted": type("W", (), {"finding": {"finding_id": "x"}})})
    for _ in range(WAITING_AT_MOST + 2):
        writer.submit(job, None, Target())  # type: ignore[arg-type]
    assert refused == [f"more than {WAITING_AT_MOST} bundles were waiting"] * 2
    assert writer.alarm == f"evidence not stored: {refused[0]}"


def test_a_frame_that_cannot_be_kept_does_not_stop_the_table(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: RingFilm, frame: Frame) -> None:
        raise ValueError("no such picture")

    monkeypatch.setattr(RingFilm, "add", broken)
    table = LiveTable(
        setup(), "fake", house.store, house.feed, evidence=house.evidence, opened=opener(live=True), now=house.now
    )
    table.start()
    until = time.monotonic() + 60
    while house.store.last_seq() < 2 and time.monotonic() < until:
        time.sleep(0.02)
    table.stop(30.0)
    assert len(house.store.alerts(LAW)) == 2
    room_of(house).writer.flush()
    state = room_of(house).state_of(house.store.alert(1))
    assert state["state"] == "stored"
    assert "clip.mp4" not in state["files"]


YEAR = """
legal_minimum_days: 30
bundles_days: {critical: 365, warning: 90, dismissed: 30, confirmed: 2000}
clips_days: {critical: 60}
"""


def test_classes_follow_what_was_decided(tmp_path: Path, house: House, clock: Clock) -> None:
    (tmp_path / "retention.yaml").write_text(YEAR)
    policy = read_policy(tmp_path / "retention.yaml")
    room, store = room_of(house), house.store
    store.open_run("run", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    for number in (1, 2, 3):
        store.add_alert("run", finding_to_dict(finding(number, t_s=100.0 * number)), raised_utc=NOW)
    store.dispose(2, Status.DISMISSED, reason="a glitch", by="ann", at_utc=NOW)
    store.dispose(3, Status.CONFIRMED, reason="seen", by="ann", at_utc=NOW)
    from service.evidence.intake import recover

    assert recover(room, store) == 3
    by_number = {e.link.body["finding_id"]: n for n, e in room.vault.index.entries.items()}
    one, two, three = (by_number[store.alert(seq).finding_id] for seq in (1, 2, 3))

    def due_on(days: int) -> list[tuple[int, str, str]]:
        index, moment = room.vault.refresh(), NOW + timedelta(days=days)
        return [(d.number, d.scope.value, d.klass) for d in due(policy, index, lambda e: status_of(store, e), moment)]

    assert due_on(29) == []
    assert due_on(30) == [(two, "bundle", "dismissed")]
    assert sorted(due_on(60)) == sorted([(one, "clips", "critical"), (two, "bundle", "dismissed")])
    assert (one, "bundle", "critical") in due_on(365)
    assert three not in [number for number, _, _ in due_on(1999)]
    assert three in [number for number, _, _ in due_on(2000)]
    assert list(due(Policy(), room.vault.index, lambda e: "open", NOW + timedelta(days=40_000))) == []
    assert list(due(policy, room.vault.index, lambda e: None, NOW + timedelta(days=40_000))) == []
    room.vault.hold(one, by="ann", why="court", now=NOW)
    assert one not in [number for number, _, _ in due_on(5000)]
    room.vault.expire(two, Scope.BUNDLE, by="retention", why="old", now=NOW)
    assert two not in [number for number, _, _ in due_on(5000)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bundles_days: {critical: 9}", "legal_minimum_days: Field required"),
        ("legal_minimum_days: 30\nbundles_days: {critical: 9}", "bundles_days.critical: 9 days are less than the legal minimum of 30"),
        ("legal_minimum_days: 30\nclips_days: {grave: 90}", "clips_days.grave: no such class"),
        ("legal_minimum_days: 30\nkeep: 2", "keep: Extra inputs"),
        ("legal_minimum_days: [", "this is not YAML"),
        ("keep_free_mb: 5\nkeep_free_mb: 6", "key 'keep_free_mb' stands there twice"),
        ("legal_minimum_days: 0", "greater than or equal to 1"),
    ],
)  # fmt: skip
def test_a_bad_retention_file_is_refused_whole(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "retention.yaml").write_text(text)
    with pytest.raises(ServiceError, match=r"retention\.yaml[:,] ") as error:
        read_policy(tmp_path / "retention.yaml")
    assert said in str(error.value)


def test_a_service_without_evidence_says_so(tmp_path: Path) -> None:
    house = House(Store(f"sqlite:///{tmp_path}/s.db"))
    client = signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house)
    answer = client.get("/api/evidence/chain")
    assert (answer.status_code, answer.json()["error"]["message"]) == (404, "this service keeps no evidence")
    house.stop()


def test_the_vault_of_a_service_signs_a_last_head(tmp_path: Path, clock: Clock) -> None:
    house = open_house(tmp_path, clock)
    house.start()
    clock.time += timedelta(hours=3)
    house.stop()
    head = Vault(tmp_path / "evidence", clock()).head()
    assert (head.count, head.serial, head.time_utc) == (1, 2, "2026-03-02T00:14:05.000Z")
