"""Reviews over HTTP: ordered, followed, cancelled, read and exported; who may, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, signed_in
from test_review_queue import office_of, recordings, worker_of

from service.access.roles import Role
from service.house import House
from service.reviews.opening import ReviewChoices, open_reviews
from service.reviews.review import review_video
from service.store import Store
from service.web.app import create_app


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(Store(f"sqlite:///{tmp_path}/s.db"), now=lambda: NOW)
    house.office = office_of(house.store, tmp_path)
    yield house
    house.store.close()


def client_of(house: House, *roles: Role, tables: str = "*") -> Any:
    client = TestClient(create_app(house, screens=False), base_url="http://localhost")
    return signed_in(client, house, *roles, tables=tables)


@pytest.fixture
def client(house: House) -> Any:
    return client_of(house, Role.SUPERVISOR)


def done(house: House, client: Any) -> int:
    number = int(client.post("/api/reviews", json={"path": "night.mp4"}).json()[0]["id"])
    worker_of(house.store).work_once()
    return number


def test_a_recording_is_dropped_in_followed_and_read(house: House, client: Any, tmp_path: Path) -> None:
    content = (tmp_path / "recordings" / "night.mp4").read_bytes()
    answer = client.post(f"/api/reviews/upload?name=night.mp4&table_id={TABLE}", content=content)
    assert (answer.status_code, answer.json()["state"]) == (201, "waiting")
    number = answer.json()["id"]
    worker_of(house.store).work_once()
    review = client.get(f"/api/reviews/{number}").json()
    assert (review["state"], review["share"], review["breaches"], review["rounds"]) == ("done", 1.0, 2, 1)
    page = client.get(f"/api/reviews/{number}/report.html")
    assert "4th Street: turned while seat 4 had not decided" in page.text
    assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert client.get(f"/api/reviews/{number}/report.pdf").content.startswith(b"%PDF")
    timeline = client.get(f"/api/reviews/{number}/timeline").json()
    assert [one["round_id"] for one in timeline["rounds"]] == [f"{TABLE}-r0001"]
    assert [one["check_id"] for one in timeline["findings"]] == ["RIU-C1-WHEN", "RIU-SET-ANTE"]
    alerts = [client.get(f"/api/alerts/{one['alert_id']}").json() for one in timeline["findings"]]
    assert [one["finding_id"] for one in alerts] == [one["finding_id"] for one in timeline["findings"]]
    picture = client.get(timeline["findings"][0]["pictures"][0])
    assert (picture.status_code, picture.content[:2]) == (200, b"\xff\xd8")
    events = client.get(f"/api/reviews/{number}/events?from_s=0.5&to_s=3").json()
    assert [(one["title"], one["said"]) for one in events] == [
        ("card placed", "seat 4, cards · face down"),
        ("card turned", "4th Street · T♦"),
    ]


def test_the_recording_is_served_in_parts(house: House, client: Any, tmp_path: Path) -> None:
    number = done(house, client)
    whole = (tmp_path / "recordings" / "night.mp4").read_bytes()
    part = client.get(f"/api/reviews/{number}/video", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole)}"
    for asked, status in (("bytes=99999999-", 416), ("bytes=9-5", 400), ("lines=1-2", 400)):
        refused = client.get(f"/api/reviews/{number}/video", headers={"Range": asked})
        assert (refused.status_code, set(refused.json()["error"])) == (status, {"code", "message", "where", "do"})
        assert refused.headers.get("content-range") == (f"bytes */{len(whole)}" if status == 416 else None)
    assert part.headers["content-type"] == "video/mp4"
    (tmp_path / "recordings" / "night.mp4").unlink()
    assert client.get(f"/api/reviews/{number}/video").status_code == 404


def test_everything_can_be_taken_away(house: House, client: Any) -> None:
    number = done(house, client)
    for what, rows in (("events", 3), ("rounds", 1), ("payouts", 1), ("findings", 4)):
        lines = client.get(f"/api/reviews/{number}/export/{what}.jsonl")
        assert len([json.loads(line) for line in lines.text.splitlines()]) == rows
        table = client.get(f"/api/reviews/{number}/export/{what}.csv")
        assert table.headers["content-disposition"] == f'attachment; filename="review-{number}-{what}.csv"'
        found = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"), newline="")))
        parquet = pq.read_table(io.BytesIO(client.get(f"/api/reviews/{number}/export/{what}.parquet").content))
        assert (len(found), parquet.num_rows) == (rows, rows)
        assert list(found[0]) == parquet.column_names
    (payout,) = csv.DictReader(io.StringIO(client.get(f"/api/reviews/{number}/export/payouts.csv").content.decode("utf-8-sig")))  # fmt: skip
    assert (payout["owed_cents"], payout["paid_cents"], payout["difference_cents"]) == ("1500", "1000", "-500")
    assert client.get(f"/api/reviews/{number}/export/faces.csv").status_code == 404
    assert client.get(f"/api/reviews/{number}/export/events.xlsx").status_code == 400


def test_rounds_are_found_over_http(house: House, client: Any) -> None:
    number = done(house, client)
    found = client.get("/api/rounds", params={"q": "[Th 2d] Td ante.diff=-5 breach"}).json()["rounds"]
    assert [(one["round_id"], one["review_id"], one["checks"]) for one in found] == [
        (f"{TABLE}-r0001", number, ["RIU-C1-WHEN", "RIU-SET-ANTE"])
    ]
    alerts = [client.get(f"/api/alerts/{one}").json() for one in found[0]["alerts"]]
    assert [one["check_id"] for one in alerts] == found[0]["checks"]
    assert client.get("/api/rounds", params={"q": f"review:{number}"}).json()["rounds"] == found
    rounds = client.get("/api/rounds").json()["rounds"]
    assert client.get("/api/rounds", params={"limit": len(rounds)}).json()["next_before"] is None, "these are all"
    assert client.get("/api/rounds", params={"q": "As"}).json() == {"rounds": [], "next_before": None}
    wrong = client.get("/api/rounds", params={"q": "hand:nonsense"})
    assert (wrong.status_code, wrong.json()["error"]["where"]) == (400, "hand:nonsense")


def test_a_review_is_cancelled_and_started_again(client: Any) -> None:
    number = client.post("/api/reviews", json={"path": "night.mp4", "table_id": TABLE}).json()[0]["id"]
    assert client.post(f"/api/reviews/{number}/cancel").json()["state"] == "cancelled"
    assert client.get("/api/reviews?state=cancelled").json()["reviews"][0]["id"] == number
    assert client.post(f"/api/reviews/{number}/retry").json()["state"] == "waiting"
    assert client.get("/api/reviews?limit=1").json()["next_before_id"] is None, "there is no other"
    later = client.post("/api/reviews", json={"path": "night.mp4", "table_id": TABLE}).json()[0]["id"]
    assert client.get("/api/reviews?limit=1").json()["next_before_id"] == later
    assert client.get("/api/reviews?limit=2").json()["next_before_id"] is None
    assert client.get(f"/api/reviews?before_id={number}").json()["reviews"] == []


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/reviews", {"path": "../../etc/passwd"}, 400),
        ("POST", "/api/reviews", {"path": "night.mp4", "table_id": "other"}, 404),
        ("POST", "/api/reviews", {"path": "a\0b"}, 422),
        ("POST", "/api/reviews", {"path": "a" * 999}, 400),
        ("POST", "/api/reviews/upload?name=a.txt&table_id=" + TABLE, None, 400),
        ("GET", "/api/reviews/99", None, 404),
        ("GET", "/api/reviews/99999999999", None, 422),
        ("GET", "/api/reviews/1/report.html", None, 404),
        ("GET", "/api/reviews/1/evidence/..%2f..%2fx/a.jpg", None, 404),
        ("GET", "/api/reviews/1/evidence/abc/..%2frun.json", None, 404),
    ],
)
def test_what_is_wrong_says_so(client: Any, method: str, path: str, body: Any, status: int) -> None:
    client.post("/api/reviews", json={"path": "night.mp4"})
    answer = client.request(method, path, json=body)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "where", "do"}


def test_who_may_not_see_a_table_sees_none_of_its_reviews(house: House, client: Any) -> None:
    number = done(house, client)
    house.access.people.set_group("others", ["riu-99"])
    stranger = client_of(house, Role.SUPERVISOR, tables="others")
    assert stranger.get("/api/reviews").json()["reviews"] == []
    assert stranger.get("/api/rounds").json()["rounds"] == []
    for path in ("", "/video", "/report.html", "/report.pdf", "/timeline", "/events", "/export/payouts.csv"):
        assert stranger.get(f"/api/reviews/{number}{path}").status_code in (403, 404), path
    assert stranger.post("/api/reviews", json={"path": "night.mp4"}).status_code == 403
    assert (stranger.get("/api/reviews/tables").json(), client.get("/api/reviews/tables").json()) == ([], [TABLE])
    viewer = client_of(house, Role.VIEWER)
    assert viewer.get("/api/reviews").status_code == 403
    operator = client_of(house, Role.OPERATOR)
    assert operator.get(f"/api/reviews/{number}").status_code == 200
    assert operator.post(f"/api/reviews/{number}/cancel").status_code == 403
    assert operator.post(f"/api/reviews/upload?name=a.mp4&table_id={TABLE}", content=b"x").status_code == 403


def test_reading_and_ordering_are_logged(house: House, client: Any) -> None:
    number = done(house, client)
    client.get(f"/api/reviews/{number}/export/payouts.csv")
    client.get(f"/api/reviews/{number}/report.html")
    logged = [(entry.what, entry.about) for entry in house.access.journal.page()]
    assert ("reviews.export", f"payouts of review {number} as csv") in logged
    assert ("reviews.read", f"report of review {number}") in logged
    assert any(what == "reviews.order" for what, _ in logged)


def test_without_an_office_nothing_is_there(tmp_path: Path) -> None:
    house = House(Store(f"sqlite:///{tmp_path}/s.db"), now=lambda: NOW)
    answer = client_of(house).get("/api/reviews")
    assert (answer.status_code, answer.json()["error"]["message"]) == (404, "this service takes no reviews")
    house.store.close()


def test_reviews_finished_elsewhere_are_taken_in_once(tmp_path: Path) -> None:
    from test_review import fake

    from service.config import load_table

    root = recordings(tmp_path, "night.mp4")
    review_video(root / "night.mp4", load_table(root / "table.yaml"), tmp_path / "made", fake())
    house = House(Store(f"sqlite:///{tmp_path}/s.db"), now=lambda: NOW)
    for _ in range(2):
        open_reviews(
            house, ReviewChoices(tmp_path / "reviews", (root,), (root / "table.yaml",), 0), finished=[tmp_path / "made"]
        )
    client = client_of(house)
    (review,) = client.get("/api/reviews").json()["reviews"]
    assert (review["state"], review["name"], review["breaches"], review["rounds"]) == ("done", "night.mp4", 2, 1)
    assert client.get(f"/api/reviews/{review['id']}/video").status_code == 200
    assert client.get(f"/api/reviews/{review['id']}/report.pdf").status_code == 200
    house.store.close()
