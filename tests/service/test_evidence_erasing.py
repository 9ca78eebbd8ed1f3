"""Evidence deleted when it is due and erased on request: files and copies, never below the legal minimum, never what is held."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, finding, signed_in
from test_evidence_service import LOCAL, Clock, open_house, room_of

from rules.findings import finding_to_dict
from service.access.roles import Role
from service.evidence.erasing import Deletions
from service.evidence.index import Scope
from service.evidence.intake import recover
from service.evidence.retention import Policy
from service.evidence.verify import verify
from service.house import House
from service.store import Action, Picture
from service.web.app import create_app

SHOWN = b"\xff\xd8 a hand over the felt \xff\xd9"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def house(tmp_path: Path, clock: Clock) -> Iterator[House]:
    """Three alerts with their bundles: dismissed, confirmed, open; the first class is due after 60 days."""
    house = open_house(tmp_path, lambda: NOW)  # so that nobody is signed out while the years go by
    room_of(house).now = clock
    house.store.open_run("live-1", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    for number, action in ((1, Action.DISMISS), (2, Action.CONFIRM), (3, None)):
        alert, _ = house.store.add_alert("live-1", finding_to_dict(finding(number, t_s=100.0 * number)), raised_utc=NOW, pictures=[Picture("1.jpg", SHOWN, caption="turned")])  # fmt: skip
        if action is not None:
            house.store.take_step(alert.seq, action, by="ann", at_utc=NOW, reason="looked at")
        recover(room_of(house), house.store)
    room_of(house).policy = Policy(30, bundles_days={"dismissed": 60, "confirmed": 2000})
    yield house
    house.stop()


def client_of(house: House, *roles: Role, tables: str = "*") -> Any:
    client = TestClient(create_app(house, screens=False), base_url=LOCAL)
    return signed_in(client, house, *roles, tables=tables)


def logged(house: House) -> list[tuple[str, str, str]]:
    rows = client_of(house, Role.AUDITOR).get("/api/journal?what=evidence.&limit=100").json()["rows"]
    return [(row["what"], row["about"], row["outcome"]) for row in rows]


def test_what_is_due_goes_with_the_copies_in_the_database(house: House, clock: Clock) -> None:
    client = client_of(house, Role.SUPERVISOR)
    clock.time = NOW + timedelta(days=59)
    assert client.get("/api/evidence/due").json() == []
    assert client.post("/api/evidence/expire", json={"numbers": [2, 3, 4]}).json() == []
    clock.time = NOW + timedelta(days=61)
    due = client.get("/api/evidence/due").json()
    assert [(one["number"], one["scope"]) for one in due] == [(2, "bundle")]
    assert len(client.post("/api/evidence/expire", json={"numbers": [2, 3, 4]}).json()) == 1
    assert [len(house.store.alert(seq).evidence) for seq in (1, 2, 3)] == [0, 1, 1]
    assert client.get("/api/alerts/1/evidence/1.jpg").status_code == 404
    assert client.get("/api/alerts/1").json()["text"]
    assert verify(room_of(house).vault.folder).genuine
    whats = logged(house)
    assert any(what == "evidence.deleted" and about.startswith("bundle 2 (") for what, about, _ in whats), whats
    assert ("evidence.expire", "bundles that are due", "done") in whats


def test_what_is_deleted_is_overwritten_in_the_file(house: House, clock: Clock, tmp_path: Path) -> None:
    clock.time = NOW + timedelta(days=61)
    for seq in (2, 3):
        house.store.forget_pictures(seq)
    before = tmp_path / "s.db"
    with sqlite3.connect(before) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert SHOWN in before.read_bytes()
    client_of(house, Role.SUPERVISOR).post("/api/evidence/expire", json={"numbers": [2]})
    with sqlite3.connect(before) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert SHOWN not in before.read_bytes()


@pytest.mark.parametrize(
    ("seq", "days", "said"),
    [
        (3, 90, "nobody has decided this alert"),
        (1, 29, "it is evidence until 2026-03-31: the legal minimum is 30 days"),
    ],
)
def test_evidence_is_not_erased_on_request(house: House, clock: Clock, seq: int, days: int, said: str) -> None:
    clock.time = NOW + timedelta(days=days)
    answer = client_of(house, Role.SUPERVISOR).post(f"/api/alerts/{seq}/erase", json={"why": "asked for"})
    assert answer.status_code == 409
    assert said in answer.json()["error"]["message"]
    assert len(house.store.alert(seq).evidence) == 1
    assert ("evidence.erase", f"evidence of alert {seq}", "failed") in logged(house)


def test_what_is_held_or_has_no_minimum_is_not_erased(house: House, clock: Clock) -> None:
    client, room = client_of(house, Role.SUPERVISOR), room_of(house)
    clock.time = NOW + timedelta(days=90)
    client.post("/api/alerts/1/hold", json={"why": "appeal"})
    held = client.post("/api/alerts/1/erase", json={"why": "asked for"})
    assert (held.status_code, "holds it: appeal" in held.json()["error"]["message"]) == (409, True)
    room.policy = Policy()
    unset = client.post("/api/alerts/2/erase", json={"why": "asked for"})
    assert (unset.status_code, "no legal minimum is set" in unset.json()["error"]["message"]) == (409, True)
    assert [len(house.store.alert(seq).evidence) for seq in (1, 2)] == [1, 1]


def test_an_erasure_on_request_leaves_words_and_a_link(house: House, clock: Clock) -> None:
    client, folder = client_of(house, Role.SUPERVISOR), room_of(house).vault.folder
    clock.time = NOW + timedelta(days=31)
    assert client.post("/api/alerts/2/erase", json={"why": " \n "}).status_code == 400
    assert house.store.alert(2).evidence != ()
    state = client.post("/api/alerts/2/erase", json={"why": "a player asked"}).json()
    assert (state["state"], "erased on request: a player asked" in state["detail"]) == ("expired", True)
    assert state["files"] == []
    assert house.store.alert(2).evidence == ()
    assert "legal minimum" not in client.post("/api/alerts/2/erase", json={"why": "again"}).text
    report = verify(folder)
    assert (report.genuine, any("erased on request" in note for note in report.notes)) == (True, True)
    assert client_of(house, Role.OPERATOR).post("/api/alerts/1/erase", json={"why": "x"}).status_code == 403


def test_copies_that_a_crash_left_go_at_the_next_start(house: House, clock: Clock) -> None:
    room = room_of(house)
    room.vault.expire(2, Scope.BUNDLE, by="ann", why="due", now=NOW)
    assert len(house.store.alert(1).evidence) == 1
    assert Deletions(room, house.store).finish() == 1
    assert [len(house.store.alert(seq).evidence) for seq in (1, 2, 3)] == [0, 1, 1]
    assert Deletions(room, house.store).finish() == 0
