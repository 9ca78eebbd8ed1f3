"""Nothing is open but liveness and the sign-in page: every route, page, part and websocket, for strangers and for each role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, finding, opener, setup, signed_in
from starlette.routing import Mount
from starlette.websockets import WebSocketDisconnect

from rules.findings import finding_to_dict
from service.access.needs import PAGES, KnownRoute, RouteBook, needs
from service.access.roles import HOUSE_WIDE, MATRIX, Permission, Role, matrix_markdown
from service.access.settings import LimitSettings, Settings
from service.house import House
from service.live.table import LiveTable
from service.store import Picture, Store
from service.web.app import create_app

LOCAL = "http://127.0.0.1:8080"
OPEN = {"/health", "/login", "/auth/openid", "/auth/callback"}
FILLED = {"alert_id": "1", "name": "moment.jpg", "table_id": TABLE, "person_id": "1", "key_id": "1", "path": "nothing"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    settings = Settings(limits=LimitSettings(stranger_burst=10_000, burst=10_000))
    house = House(Store(f"sqlite:///{tmp_path_factory.mktemp('walk')}/walk.db"), settings=settings, now=lambda: NOW)
    house.store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    picture = Picture("moment.jpg", b"\xff\xd8 picture")
    house.store.add_alert("run-1", finding_to_dict(finding()), raised_utc=NOW, pictures=[picture])
    house.tables[TABLE] = LiveTable(setup(), "fake", house.store, house.feed, opened=opener())
    house.access.people.set_group("others", ["riu-99"])
    yield house
    house.store.close()


@pytest.fixture(scope="module")
def app(house: House) -> FastAPI:
    """With the screens, as it is served."""
    return create_app(house)


@pytest.fixture(scope="module")
def routes(app: FastAPI) -> list[tuple[str, str, KnownRoute]]:
    """Every method and address, parameters filled in."""
    out = []
    for route in RouteBook(app.routes).known:
        path = re.sub(r"\{(\w+)(:\w+)?\}", lambda found: FILLED.get(found[1], "1"), route.path)
        out += [(method, path, route) for method in sorted(route.methods - {"HEAD"})]
    return out


def test_there_are_routes_to_walk(app: FastAPI, routes: list[tuple[str, str, KnownRoute]]) -> None:
    assert len(routes) > 30
    assert [route.path for route in app.routes if isinstance(route, Mount)] == [""], "a mount the door does not know"


def test_a_stranger_gets_nothing(app: FastAPI, routes: list[tuple[str, str, KnownRoute]]) -> None:
    client = TestClient(app, base_url=LOCAL, follow_redirects=False)
    for method, path, _ in routes:
        if path in OPEN:
            continue
        for accept in ("application/json", "text/html"):
            answer = client.request(method, path, headers={"accept": accept, "origin": LOCAL})
            is_page = accept == "text/html" and method == "GET" and not path.startswith("/api/")
            assert answer.status_code == (303 if is_page else 401), (method, path, accept)
            if is_page:
                assert answer.headers["location"].startswith("/login")
            else:
                assert answer.json()["error"]["code"] == "unauthorized"


def test_only_these_are_open(routes: list[tuple[str, str, KnownRoute]]) -> None:
    assert {path for _, path, route in routes if route.need is not None and route.need.is_open} <= OPEN


def test_screens_and_their_parts_need_a_login(app: FastAPI, house: House) -> None:
    from nicegui import __version__

    client = TestClient(app, base_url=LOCAL, follow_redirects=False)
    part = f"/_nicegui/{__version__}/static/nicegui.js"
    for path in (
        *PAGES,
        part,
        "/_nicegui_ws/socket.io/?EIO=4&transport=polling",
        "/favicon.ico",
        "/nowhere",
        "/static/x",
    ):
        assert client.get(path).status_code == 401, path
    for path in PAGES:
        answer = client.get(path, headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["location"].startswith("/login")) == (303, True), path
    inside = signed_in(TestClient(app, base_url=LOCAL), house)
    assert inside.get(part).status_code == 200
    assert inside.get("/docs", headers={"accept": "text/html"}).status_code == 200
    assert inside.get("/nowhere", headers={"accept": "text/html"}).status_code == 404


def test_websockets_need_a_login_and_our_own_pages(app: FastAPI, house: House) -> None:
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    own = {"origin": LOCAL, "host": "127.0.0.1:8080"}
    for client, headers in (
        (TestClient(app, base_url=LOCAL), own),
        (signed_in(TestClient(app, base_url=LOCAL), house), own | {"origin": "http://evil.example"}),
    ):
        with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect(path, headers=headers):
            pass
        assert closed.value.code == 4403
    inside = signed_in(TestClient(app, base_url=LOCAL), house)
    with pytest.raises(WebSocketDisconnect) as closed, inside.websocket_connect(path, headers=own):
        pass
    assert "upgrade" in closed.value.reason, "it passed the door; only the test's own client is no browser"


@pytest.mark.parametrize("role", Role)
def test_a_role_gets_what_the_matrix_says_and_no_more(
    app: FastAPI, house: House, routes: list[tuple[str, str, KnownRoute]], role: Role
) -> None:
    client = signed_in(TestClient(app, base_url=LOCAL, follow_redirects=False), house, role)
    refused = 0
    for method, path, route in routes:
        need = route.need
        assert need is not None
        if need.permission is None or role in MATRIX[need.permission] or path.endswith("/stream"):
            continue
        answer = client.request(method, path, headers={"origin": LOCAL}, json={})
        assert answer.status_code == 403, (role, method, path)
        assert answer.json()["error"]["code"] == "forbidden"
        refused += 1
    assert refused or role is Role.ADMINISTRATOR
    for page, need in PAGES.items():
        may = need.permission is None or role in MATRIX[need.permission]
        if not may:
            assert client.get(page, headers={"accept": "text/html"}).status_code == 403, (role, page)


def test_a_role_for_other_tables_shows_nothing_of_this_one(app: FastAPI, house: House) -> None:
    client = signed_in(TestClient(app, base_url=LOCAL), house, *Role, tables="others")
    assert client.get("/api/alerts").json()["alerts"] == []
    assert client.get("/api/tables").json() == []
    for path in (
        "/api/alerts/1", "/api/alerts/1/events", "/api/alerts/1/evidence/moment.jpg", f"/api/tables/{TABLE}/picture.jpg",
        f"/api/alerts?table_id={TABLE}", "/api/people", "/api/keys",
    ):  # fmt: skip
        assert client.get(path).status_code == 403, path
    body = {"status": "confirmed", "reason": "x"}
    assert client.post("/api/alerts/1/disposition", json=body, headers={"origin": LOCAL}).status_code == 403
    assert house.store.alert(1).history == ()


def test_a_route_that_says_nothing_keeps_the_service_from_starting(house: House) -> None:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/told")
    @needs(Permission.ALERTS_READ)
    def told() -> None: ...

    @app.get("/silent")
    def silent() -> None: ...

    assert RouteBook(app.routes).without_need() == ["GET /silent"]


def test_the_documented_matrix_is_the_one_in_force() -> None:
    assert matrix_markdown() in (Path(__file__).resolve().parents[2] / "docs" / "access.md").read_text(), (
        "run `make docs`"
    )


def test_the_matrix_keeps_judging_and_running_apart() -> None:
    assert set(MATRIX) == set(Permission)
    assert all(roles for roles in MATRIX.values())
    assert Role.ADMINISTRATOR not in MATRIX[Permission.ALERTS_HANDLE] | MATRIX[Permission.ALERTS_REOPEN]
    changes = {p for p in Permission if not p.endswith((".read", ".export")) and p is not Permission.EVIDENCE_KEEP}
    assert not {p for p in changes if Role.VIEWER in MATRIX[p]}
    assert all(Role.AUDITOR not in MATRIX[p] for p in (Permission.ALERTS_HANDLE, Permission.TABLES_CONFIGURE))
    assert {Permission.PEOPLE_MANAGE, Permission.KEYS_MANAGE} <= HOUSE_WIDE
