"""A recording time that was wrong is corrected after the review: rounds, books and reports follow, and the log says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from service_fakes import NOW, signed_in
from test_review_queue import office_of, worker_of
from test_review_resume import tree

from service.access.roles import Role
from service.audit.questions import Questions, Scope
from service.audit.reconciling import recount
from service.audit.tables import AuditRoundRow, ExceptionRow, RoundSumRow
from service.house import House
from service.reviews import correcting
from service.reviews.office import RESULT
from service.reviews.recorded import Recorded
from service.store import Store
from service.store.round_tables import RoundFactRow
from service.web.app import create_app

WRONG, RIGHT = "2026-02-20T23:00:00+00:00", "2026-02-21T15:30:00+00:00"


@pytest.fixture
def house(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A review of one round, ordered with the wrong time, and in the books."""
    house = House(Store(database_url), now=lambda: NOW)
    house.office = office_of(house.store, tmp_path)
    house.office.order("night.mp4", table_id=None, by="ann", now=NOW, recorded=WRONG)
    worker_of(house.store).work_once()
    house.seen.take()
    yield house
    house.store.close()


def client_of(house: House, *roles: Role) -> Any:
    return signed_in(
        TestClient(create_app(house, screens=False), base_url="http://localhost"),
        house,
        *roles,
        name=None if roles == (Role.OPERATOR,) else "bob",
    )


def books(house: House) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    with house.store.read() as session:
        rounds = [(r.day, r.shift, r.at_utc) for r in session.scalars(sa.select(AuditRoundRow))]
        wrong = [(r.day, r.shift, r.at_utc) for r in session.scalars(sa.select(ExceptionRow))]
        sums = [(r.day, r.shift, r.rounds, r.wagers) for r in session.scalars(sa.select(RoundSumRow))]
        opened = list(session.scalars(sa.select(RoundFactRow.opened_ms)))
    return rounds, wrong, sums, opened


def test_rounds_books_and_reports_follow_and_the_log_says_so(house: House) -> None:
    client, before = client_of(house, Role.SUPERVISOR, Role.AUDITOR), books(house)
    assert before[0] == [("2026-02-20", "grave", "2026-02-20T23:00:04.000Z")]
    answer = client.post("/api/reviews/1/recorded", json={"recorded": RIGHT})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["recorded_at"], answer.json()["recorded_by"]) == (RIGHT, "corrected by bob")
    rounds, wrong, sums, opened = books(house)
    place = ("2026-02-21", "swing", "2026-02-21T15:30:04.000Z")
    assert rounds == [place]
    assert wrong == [place] * len(before[1])
    assert sums == [(place[0], place[1], *before[2][0][2:])]
    assert opened == [before[3][0] + round((datetime.fromisoformat(RIGHT) - datetime.fromisoformat(WRONG)) / timedelta(milliseconds=1))]  # fmt: skip
    assert recount(Questions(house.store), Scope(), now=NOW, by="test").agrees
    found = client.get("/api/reviews/1/report.html").text
    assert "2026-02-21 15:30:00" in found.replace("T", " ")
    assert "2026-02-20 23:00" not in found.replace("T", " ")
    rows = client.get("/api/journal?what=reviews.corrected").json()["rows"]
    assert len(rows) == 1
    assert f"recorded at {WRONG} (said by whoever ordered the review) -> {RIGHT}" in rows[0]["about"]


def test_a_correction_gives_what_a_review_with_the_right_time_gives(house: House, tmp_path: Path) -> None:
    client_of(house, Role.SUPERVISOR).post("/api/reviews/1/recorded", json={"recorded": RIGHT})
    other = House(Store(f"sqlite:///{tmp_path}/other.db"), now=lambda: NOW)
    assert house.office is not None
    other.office = type(house.office)(other.store, house.office.settings)
    (second,) = other.office.order("night.mp4", table_id=None, by="ann", now=NOW, recorded=RIGHT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "service.reviews.worker.kept", lambda at, by: Recorded(datetime.fromisoformat(RIGHT), "corrected by bob")
        )
        worker_of(other.store).work_once()
    first = house.office.queue.get(1)
    assert tree(Path(first.folder) / RESULT) == tree(Path(second.folder) / RESULT)
    other.seen.take()
    assert books(house) == books(other)
    other.store.close()


def test_a_time_that_was_never_known_becomes_known(tmp_path: Path) -> None:
    house = House(Store(f"sqlite:///{tmp_path}/s.db"), now=lambda: NOW)
    house.office = office_of(house.store, tmp_path)
    house.office.order("night.mp4", table_id=None, by="ann", now=NOW)
    worker_of(house.store).work_once()
    house.seen.take()
    client = client_of(house, Role.SUPERVISOR)
    assert client.post("/api/reviews/1/recorded", json={"recorded": RIGHT}).status_code == 200
    again = client.post("/api/reviews/1/recorded", json={"recorded": RIGHT})
    assert again.status_code == 200
    rounds, _, sums, _ = books(house)
    assert [row[0] for row in rounds] == ["2026-02-21"]
    assert [(row[0], row[2]) for row in sums] == [("2026-02-21", 1)]
    house.store.close()


def test_what_is_no_time_or_another_law_is_refused(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    client, before = client_of(house, Role.SUPERVISOR), books(house)
    for given in ("yesterday", "2036-01-01T00:00:00+00:00", "2026-02-21T15:30:00"):
        assert client.post("/api/reviews/1/recorded", json={"recorded": given}).status_code == 400, given
    monkeypatch.setattr(correcting, "_same_law", lambda *_: False)
    other = client.post("/api/reviews/1/recorded", json={"recorded": RIGHT})
    assert (other.status_code, "the law of 2026-02-21 judges it otherwise" in other.text) == (409, True)
    assert client_of(house, Role.OPERATOR).post("/api/reviews/1/recorded", json={"recorded": RIGHT}).status_code == 403
    assert books(house) == before
    assert house.office is not None
    (again,) = house.office.order("night.mp4", table_id=None, by="ann", now=NOW)
    waiting = client.post(f"/api/reviews/{again.review_id}/recorded", json={"recorded": RIGHT})
    assert (waiting.status_code, "it is waiting" in waiting.text) == (409, True)
