"""The HTTP interface: lists, evidence, dispositions, one error shape, and a stream without gap or double."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, finding, opener, setup, signed_in

from rules.findings import finding_to_dict
from service.house import House
from service.live.table import LiveTable
from service.store import AlertFilter, Picture, Status, Store
from service.web.api import shown
from service.web.app import create_app
from service.web.bodies import StrictRoute
from vision.frames.source import SourceError

LOCAL = "http://127.0.0.1:8080"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(Store(f"sqlite:///{tmp_path}/api.db"), now=lambda: NOW)
    house.store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    yield house
    house.stop()


@pytest.fixture
def client(house: House) -> TestClient:
    return signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house, name="ann")


def ring(house: House, *numbers: int, **changes: Any) -> None:
    for number in numbers:
        pictures = [Picture("moment.jpg", b"\xff\xd8 picture")]
        house.store.add_alert("run-1", finding_to_dict(finding(number, **changes)), raised_utc=NOW, pictures=pictures)
    house.feed.notify()


def test_an_alert_carries_its_law_and_its_pictures(client: TestClient, house: House) -> None:
    ring(house, 1)
    alert = client.get("/api/alerts/1").json()
    assert alert["citation"] == "58 Pa. Code § 669a.11(c)"
    assert alert["law"].startswith("Once all players have either checked or placed a Play Wager")
    assert alert["status"] == "open"
    assert alert["history"] == []
    picture = client.get(alert["evidence"][0]["url"])
    assert (picture.status_code, picture.headers["content-type"], picture.content) == (
        200,
        "image/jpeg",
        b"\xff\xd8 picture",
    )


def test_pages_are_newest_first_and_join(client: TestClient, house: House) -> None:
    ring(house, *range(1, 6))
    first = client.get("/api/alerts", params={"limit": 2}).json()
    second = client.get("/api/alerts", params={"limit": 10, "before_id": first["next_before_id"]}).json()
    assert [a["id"] for a in first["alerts"] + second["alerts"]] == [5, 4, 3, 2, 1]
    assert first["last_id"] == 5
    assert second["next_before_id"] is None


def test_filters(client: TestClient, house: House) -> None:
    ring(house, 1)
    ring(house, 2, severity="warning")
    for query, ids in (
        ({"severity": "critical"}, [1]),
        ({"table_id": "x"}, []),
        ({"origin": "review"}, []),
        ({"status": "open"}, [2, 1]),
    ):
        assert [a["id"] for a in client.get("/api/alerts", params=query).json()["alerts"]] == ids, query


def test_dispositions(client: TestClient, house: House) -> None:
    ring(house, 1)
    assert client.post("/api/alerts/1/disposition", json={"status": "confirmed"}).status_code == 400
    done = client.post("/api/alerts/1/disposition", json={"status": "confirmed", "reason": "seen on tape"}).json()
    assert done["status"] == "confirmed"
    assert done["history"] == [
        {
            "action": "confirm",
            "status": "confirmed",
            "reason": "seen on tape",
            "by": "ann",
            "at_utc": "2026-03-01T21:14:05.000Z",
            "assignee": None,
        }
    ]
    assert client.post("/api/alerts/1/disposition", json={"status": "dismissed", "reason": "no"}).status_code == 409


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/api/alerts/77", None, 404, "not_found"),
        ("GET", "/api/alerts/seven", None, 422, "invalid"),
        ("GET", "/api/alerts/99999999999999999999", None, 422, "invalid"),
        ("GET", "/api/alerts?table_id=%00", None, 422, "invalid"),
        ("GET", "/api/alerts?from_utc=0001-01-01", None, 422, "invalid"),
        ("GET", "/api/alerts?before_id=9223372036854775808", None, 422, "invalid"),
        ("GET", "/api/alerts?limit=0", None, 422, "invalid"),
        ("GET", "/api/alerts?severity=loud", None, 422, "invalid"),
        ("GET", "/api/alerts/1/evidence/nothing.jpg", None, 404, "not_found"),
        ("GET", "/api/alerts/1/evidence/..%2F..%2Fstore.py", None, 404, "not_found"),
        ("GET", "/api/alerts/1/evidence/%2Fetc%2Fpasswd", None, 404, "not_found"),
        ("GET", "/api/tables/none/picture.jpg", None, 404, "not_found"),
        ("GET", "/api/nothing", None, 404, "not_found"),
        ("DELETE", "/api/alerts/1", None, 405, "method_not_allowed"),
        ("DELETE", "/api/nothing", None, 404, "not_found"),
        ("GET", "/api/alerts?before_id=77", None, 404, "not_found"),
        ("POST", "/api/alerts/1/disposition", {"status": "open"}, 422, "invalid"),
        ("POST", "/api/alerts/1/disposition", {"status": "confirmed", "reason": "x", "by": "bob"}, 422, "invalid"),
        ("POST", "/api/alerts/77/disposition", {"status": "confirmed", "reason": "x"}, 404, "not_found"),
    ],
)
def test_every_error_has_one_shape(
    client: TestClient, house: House, method: str, path: str, body: Any, status: int, code: str
) -> None:
    ring(house, 1)
    answer = client.request(method, path, json=body)
    assert answer.status_code == status
    assert answer.json().keys() == {"error"}
    error = answer.json()["error"]
    assert error.keys() == {"code", "message", "where", "do"}
    assert error["code"] == code
    assert error["message"]


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        ("DELETE", "/api/alerts/1", 405, "GET"),
        ("OPTIONS", "/api/alerts/1", 405, "GET"),
        ("HEAD", "/api/alerts", 405, "GET"),
        ("GET", "/api/alerts/1/steps", 405, "POST"),
        ("PATCH", "/api/tables/riu-07/config", 405, "GET, PUT"),
        ("POST", "/metrics", 405, "GET"),
        ("HEAD", "/health", 200, None),
        ("HEAD", "/api/nothing", 404, None),
        ("OPTIONS", "/api/nothing", 404, None),
    ],
)
def test_a_method_that_is_not_taken_says_which_are(
    client: TestClient, method: str, path: str, status: int, allowed: str | None
) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers.get("allow")) == (status, allowed)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"action": "comment", "reason": "seen", "reason": "not seen"}', "field 'reason' stands there twice"),
        (b'{"action": "comment", "reason": {"a": 1, "a": 2}}', "field 'a' stands there twice"),
        (b'{"action": "comment", "reason": "\xff"}', "invalid start byte"),
        (b"[" * 100_000, "nested too deeply"),
        (b"{", "JSON decode error"),
    ],
)
def test_a_body_of_json_is_read_as_strictly_as_a_file(client: TestClient, house: House, body: bytes, said: str) -> None:
    ring(house, 1)
    answer = client.post("/api/alerts/1/steps", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid")
    assert said in answer.json()["error"]["message"]
    assert house.store.alert(1).history == ()


def test_every_route_that_takes_json_reads_it_strictly(house: House) -> None:
    app = create_app(house, screens=False)
    routes = [context.original_route for context in iter_route_contexts(app.routes)]
    taking = [
        route
        for route in routes
        if isinstance(route, APIRoute) and route.body_field is not None and route.path.startswith("/api/")
    ]
    assert len(taking) > 15
    assert [route.path for route in taking if not isinstance(route, StrictRoute)] == []


def test_an_unexpected_error_has_the_same_shape_and_tells_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(Store, "last_position", broken)
    app = create_app(house, screens=False)
    client = signed_in(TestClient(app, base_url=LOCAL, raise_server_exceptions=False), house)
    answer = client.get("/api/alerts")
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal_server_error"
    assert "secret" not in answer.text


def test_only_localhost_by_name_is_answered_unless_asked_otherwise(client: TestClient) -> None:
    assert client.get("/api/alerts", headers={"host": "evil.example"}).status_code == 403
    assert client.get("/health", headers={"host": "evil.example"}).json() == {"status": "ok"}
    for host in ("localhost:8080", "127.0.0.1", "[::1]:8080"):
        assert client.get("/api/alerts", headers={"host": host}).status_code == 200, host


def test_other_sites_cannot_send_anything(client: TestClient, house: House) -> None:
    ring(house, 1)
    body = {"status": "dismissed", "reason": "x"}
    answer = client.post("/api/alerts/1/disposition", json=body, headers={"origin": "http://evil.example"})
    assert answer.status_code == 403
    assert client.post("/api/alerts/1/disposition", json=body, headers={"origin": LOCAL}).status_code == 200


class Listener:
    """Reads an event stream piece by piece, as a client would."""

    def __init__(self, house: House, after: int) -> None:
        self.gone = False
        self.ids: list[int] = []
        self.comments = 0
        self.lines = house.feed.stream(
            house.store, AlertFilter(), after=after, shown=shown, heartbeat_s=0.05, gone=self._gone
        )

    async def _gone(self) -> bool:
        return self.gone

    async def until(self, count: int) -> None:
        async for piece in self.lines:
            if piece.startswith("id: "):
                head, event, data, *_ = piece.split("\n")
                assert event == "event: alert"
                assert json.loads(data.removeprefix("data: "))["id"] == int(head.removeprefix("id: "))
                self.ids.append(int(head.removeprefix("id: ")))
            self.comments += piece.startswith(":")
            if len(self.ids) >= count:
                return

    async def leave(self) -> None:
        self.gone = True
        async for _ in self.lines:
            pass


def test_a_stream_resumes_without_gap_or_double(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.feed.stream.BATCH", 4)

    async def scenario() -> tuple[list[int], list[int]]:
        ring(house, 1, 2)
        first = Listener(house, after=0)
        await first.until(2)
        await asyncio.to_thread(ring, house, 3)
        await first.until(3)
        await first.leave()
        ring(house, 4, 5)
        second = Listener(house, after=first.ids[-1])
        await second.until(2)
        writer = asyncio.create_task(asyncio.to_thread(ring, house, *range(6, 26)))
        await second.until(22)
        await writer
        await second.leave()
        return first.ids, second.ids

    first, second = asyncio.run(asyncio.wait_for(scenario(), 60))
    assert first == [1, 2, 3]
    assert second == [*range(4, 26)]


def test_a_quiet_stream_says_that_it_lives(house: House) -> None:
    async def scenario() -> int:
        listener = Listener(house, after=0)
        asyncio.get_running_loop().call_later(0.3, ring, house, 1)
        await listener.until(1)
        await listener.leave()
        return listener.comments

    assert asyncio.run(asyncio.wait_for(scenario(), 10)) >= 1


def test_a_stream_tells_steps_as_they_stood_then_and_what_other_processes_record(house: House) -> None:
    """Another process is another store on the same database, with a feed of its own."""

    async def scenario() -> list[tuple[str, str, str]]:
        ring(house, 1)
        other = House(Store(house.store.url), now=lambda: NOW)
        lines = other.feed.stream(other.store, AlertFilter(), after=0, shown=shown)
        told: list[tuple[str, str, str]] = []
        async for piece in lines:
            if piece.startswith("id: "):
                _, event, data, *_ = piece.split("\n")
                body = json.loads(data.removeprefix("data: "))
                told.append((event.removeprefix("event: "), body["change"]["kind"], body["status"]))
                if len(told) == 1:
                    for status in (Status.ACKNOWLEDGED, Status.CONFIRMED):
                        house.store.dispose(1, status, reason="seen", by="ann", at_utc=NOW)
            if len(told) == 3:
                break
        await lines.aclose()  # type: ignore[attr-defined]
        assert other.feed.clients == 0
        return told

    assert asyncio.run(asyncio.wait_for(scenario(), 30)) == [
        ("alert", "raised", "open"), ("change", "acknowledge", "acknowledged"), ("change", "confirm", "confirmed")
    ]  # fmt: skip


def test_steps_and_hand_over_over_http(client: TestClient, house: House) -> None:
    ring(house, 1, 2)
    for body, status in (
        ({"action": "acknowledge"}, "acknowledged"), ({"action": "assign", "assignee": "ben"}, "acknowledged"),
        ({"action": "dismiss", "reason": "glare"}, "dismissed"), ({"action": "reopen", "reason": "no glare"}, "open"),
    ):  # fmt: skip
        assert client.post("/api/alerts/1/steps", json=body).json()["status"] == status
    assert client.post("/api/alerts/1/steps", json={"action": "ended", "reason": "x"}).status_code == 422
    found = client.get("/api/alerts", params={"assignee": "ben", "section": "669a.11", "order": "severity"}).json()
    assert ([a["id"] for a in found["alerts"]], found["counts"]["by_status"]["open"]) == ([1], 1)
    shift = {"from_utc": "2026-03-01T14:00:00Z", "to_utc": "2026-03-01T22:00:00"}
    handed = client.get("/api/handover", params=shift).json()
    assert [a["id"] for a in handed["open"]] == [2, 1]
    assert [(d["step"]["action"], d["step"]["by"]) for d in handed["decided"]] == [
        ("dismiss", "ann"),
        ("reopen", "ann"),
    ]
    assert handed["raised"] == 2
    assert client.get("/api/handover", params={"from_utc": "2026-03-01", "to_utc": "2026-02-01"}).status_code == 400


def test_a_stream_refuses_an_id_that_is_none(client: TestClient) -> None:
    answer = client.get("/api/alerts/stream", headers={"last-event-id": "yesterday"})
    assert answer.status_code == 400
    assert "Last-Event-ID" in answer.json()["error"]["message"]


def test_a_live_table_is_listed_pictured_and_rings_once(house: House) -> None:
    table = LiveTable(
        setup(), "fake", house.store, house.feed, repeat=True, opened=opener(seconds=3.0), now=lambda: NOW
    )
    house.tables[TABLE] = table
    table.now = lambda: NOW
    for _ in range(2):
        table._stop.wait = lambda timeout=None: False  # type: ignore[method-assign]
        table._watch_once()
    client = signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house)
    alerts = client.get("/api/alerts").json()["alerts"]
    assert [(a["check_id"], a["id"]) for a in alerts] == [("RIU-SET-ANTE", 2), ("RIU-C1-WHEN", 1)]
    assert {e["name"] for e in alerts[1]["evidence"]} >= {"1.jpg", "2_marked.jpg", "2_close.jpg"}
    assert [e["kind"] for e in client.get("/api/alerts/1/events").json()] == [
        "wager_placed",
        "card_placed",
        "card_turned",
    ]
    picture = client.get(f"/api/tables/{TABLE}/picture.jpg?width=320")
    assert picture.content[:2] == b"\xff\xd8"
    assert picture.headers["x-frame-index"] == "20"  # nobody had asked for one before


def test_a_live_table_that_fails_is_shown_as_lost_and_tried_again(house: House) -> None:
    tries = []

    def failing(source: str, _setup: Any) -> Any:
        tries.append(source)
        raise SourceError("camera gone")

    table = LiveTable(setup(), "rtsp://x", house.store, house.feed, opened=failing)
    waits: list[float] = []

    def wait(timeout: float) -> None:
        waits.append(timeout)
        if len(waits) == 3:
            table._stop.set()

    table._stop.wait = wait  # type: ignore[method-assign,assignment]
    table._keep_watching()
    assert len(tries) == 3
    assert waits == [1.0, 2.0, 5.0]
    assert "camera gone" in table.detail
