"""Every route of the interface, asked with anything its description allows and much that it does not: never a server error.

Operations are taken from the description itself, so a new route is asked too. What streams without an end is left out.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from service_fakes import NOW, TABLE, finding, opener, session_of, setup

from rules.findings import finding_to_dict
from service.access.door import COOKIE
from service.access.settings import LimitSettings, Settings
from service.evidence.room import EvidenceRoom
from service.house import House
from service.live.table import LiveTable
from service.store import Store
from service.web.app import create_app

FEW, MANY = 3, 150
"""How often an operation is asked in `make test`, and in the slow run."""
SHAPE = {"code", "message", "where", "do"}
ENDLESS = "text/event-stream"
OWN = {"cookie", "host", "origin", "referer", "content-length", "transfer-encoding", "connection", "sec-fetch-site"}
"""Headers that say who asks and how, which the test sets itself."""


class Asked:
    """A service with a table, alerts and evidence, and an administrator who signs in anew before every question."""

    def __init__(self, folder: Path) -> None:
        room = EvidenceRoom.open(folder / "evidence", lambda: NOW)
        self.house = House(Store(f"sqlite:///{folder}/a.db"), evidence=room, settings=QUIET, now=lambda: NOW)
        house = self.house
        house.tables[TABLE] = LiveTable(setup(), "fake", house.store, house.feed, opened=opener())
        house.store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={}, game="raise_it_up")
        for number in range(1, 4):
            house.store.add_alert("run-1", finding_to_dict(finding(number, t_s=60.0 * number)), raised_utc=NOW)
        self.app = create_app(house, screens=False)
        self.client = TestClient(self.app, base_url="http://127.0.0.1:8080", raise_server_exceptions=False, follow_redirects=False)  # fmt: skip
        self.description = self.app.openapi()

    def ask(self, case: Any) -> Any:
        raw = case.as_transport_kwargs(base_url="http://127.0.0.1:8080")
        headers = {k: str(v) for k, v in (raw.get("headers") or {}).items() if k.lower() not in OWN}
        self.client.cookies.clear()
        self.client.cookies.set(COOKIE, session_of(self.house))
        parts = {k: raw[k] for k in ("params", "json", "data", "files") if raw.get(k) is not None}
        if isinstance(parts.get("data"), (bytes, str)):
            parts["content"] = parts.pop("data")
        return self.client.request(raw["method"], raw["url"], headers=headers, **parts)


QUIET = Settings(limits=LimitSettings(requests_per_s=10_000, burst=100_000))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    made = Asked(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.house.stop()


def described() -> list[str]:
    """Every operation as "GET /api/...", but those that never end."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        paths = Asked(Path(folder)).description["paths"]
    return [
        f"{method.upper()} {path}"
        for path, methods in paths.items()
        for method, one in methods.items()
        if ENDLESS not in json.dumps(one.get("responses", {}))
    ]


OPERATIONS = described()


def fuzz(asked: Asked, label: str, times: int) -> None:
    schema = schemathesis.openapi.from_dict(asked.description)
    method, path = label.split(" ", 1)
    operation = schema[path][method]
    strategies = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]

    @seed(zlib.crc32(label.encode()))
    @settings(
        max_examples=times, deadline=None, database=None, phases=[Phase.generate], print_blob=False,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.one_of(strategies))
    def ask(case: Any) -> None:
        answer = asked.ask(case)
        said = f"{label} answered {answer.status_code}: {answer.text[:2000]}"
        assert answer.status_code < 500, said
        if answer.status_code >= 400:
            body = answer.json()
            assert set(body) == {"error"}, said
            assert set(body["error"]) >= SHAPE - {"where"}, said
            assert body["error"]["message"], said

    ask()


@pytest.mark.parametrize("label", OPERATIONS)
def test_nothing_asked_is_a_server_error(asked: Asked, label: str) -> None:
    fuzz(asked, label, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("label", OPERATIONS)
def test_nothing_asked_often_is_a_server_error(asked: Asked, label: str) -> None:
    fuzz(asked, label, MANY)


def test_every_route_is_asked_but_streams() -> None:
    assert len(OPERATIONS) > 60
    assert any(label.startswith("POST /api/alerts/") for label in OPERATIONS)
    assert not any(label.endswith("/stream") for label in OPERATIONS)


@pytest.mark.parametrize(
    "address",
    [
        "/api/audit/rounds/942664092801499492515840",
        "/api/alerts?to_utc=8482-08-24T22:47:24Z",
        "/api/handover?from_utc=8928-07-20T03:29:22Z&to_utc=8928-07-20T22:18:00Z",
    ],
)
def test_what_is_larger_than_any_database_holds_is_said_so(asked: Asked, address: str) -> None:
    asked.client.cookies.clear()
    asked.client.cookies.set(COOKIE, session_of(asked.house))
    answer = asked.client.get(address)
    assert answer.status_code == 422, answer.text
    assert "larger than anything" in answer.json()["error"]["message"]
