"""The door: passwords and waits, sessions that end, keys, links, other sites, too much at once, what is logged."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from service_fakes import NOW, QUICK, TABLE, finding, session_of, signed_in

from rules.findings import finding_to_dict
from service.access.access import SignInError
from service.access.door import COOKIE
from service.access.journal import JournalFilter
from service.access.masking import masked
from service.access.needs import principal_of
from service.access.opening import say_how_to_come_in
from service.access.passwords import PasswordError, verify_acceptable
from service.access.roles import Permission, Role
from service.access.settings import LimitSettings, OpenIdSettings, Settings, load_settings
from service.access.throttle import RequestRate
from service.errors import ServiceError
from service.house import House
from service.store import Picture, Store
from service.web.app import create_app

LOCAL = "http://127.0.0.1:8080"
OWN = {"origin": LOCAL}
PASSWORD = "seven green chips on a felt"


@dataclass
class Clock:
    """A clock that a test moves."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def house(tmp_path: Path, clock: Clock) -> Iterator[House]:
    house = House(Store(f"sqlite:///{tmp_path}/door.db"), now=clock)
    house.access.passwords.hasher = QUICK
    house.access.now_s = lambda: (clock.now - NOW).total_seconds()
    house.store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    picture = Picture("moment.jpg", b"\xff\xd8 picture")
    house.store.add_alert("run-1", finding_to_dict(finding()), raised_utc=NOW, pictures=[picture])
    yield house
    house.stop()


@pytest.fixture
def client(house: House) -> TestClient:
    return browser(house)


def browser(house: House, *, base_url: str = LOCAL) -> TestClient:
    return TestClient(create_app(house, screens=False), base_url=base_url, follow_redirects=False)


def person(house: House, name: str = "ann", *roles: Role) -> int:
    """An account with a password of its owner's."""
    made = house.access.people.add(name, [(role, "*") for role in roles or (Role.OPERATOR,)], now=house.now())
    house.access.people.change_password(made.user_id, PASSWORD, now=house.now())
    return made.user_id


def sign_in(client: httpx.Client, name: str = "ann", password: str = PASSWORD, **more: Any) -> httpx.Response:
    return client.post("/login", data={"name": name, "password": password}, headers=OWN, **more)


def logged(house: House, what: str) -> list[tuple[str, str, str]]:
    return [(e.who, e.about, e.outcome) for e in house.access.journal.page(JournalFilter(what=what))]


# -- signing in -------------------------------------------------------------------------------------------------------


def test_signing_in_and_out(client: TestClient, house: House) -> None:
    person(house)
    answer = sign_in(client, " Ann ")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert "Secure" not in cookie
    assert client.get("/api/me").json()["name"] == "ann"
    held = dict(client.cookies)
    assert client.post("/logout", headers=OWN).headers["location"] == "/login?said=out"
    assert client.get("/api/me", headers={"cookie": f"{COOKIE}={held[COOKIE]}"}).status_code == 401
    assert logged(house, "sign-in") == [("ann", "by password", "done")]
    assert logged(house, "sign-out") == [("ann", "", "done")]


def test_a_wrong_name_and_a_wrong_password_look_the_same(client: TestClient, house: House) -> None:
    person(house)
    tries = [sign_in(client, "ann", "wrong"), sign_in(client, "nobody", "wrong")]
    assert [answer.status_code for answer in tries] == [401, 401]
    first, second = (answer.text.replace('value="nobody"', "").replace('value="ann"', "") for answer in tries)
    strip = [text.split("</style>")[1] for text in (first, second)]
    assert strip[0] == strip[1]
    assert COOKIE not in client.cookies


def test_a_name_that_does_not_exist_costs_the_same_work(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    person(house)
    work: list[str] = []
    hasher = type(QUICK)
    real = hasher.verify

    def counted(self: Any, kept: str, given: str) -> bool:
        work.append(kept[:9])
        return real(self, kept, given)

    monkeypatch.setattr(hasher, "verify", counted)
    for name in ("ann", "nobody", ""):
        assert house.access.people.by_password(name, "wrong") is None
    assert work == ["$argon2id"] * 3


@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_waits_grow_and_are_the_same_for_names_that_do_not_exist(
    client: TestClient, house: House, clock: Clock, name: str
) -> None:
    person(house)
    waits = []
    for _ in range(9):
        answer = sign_in(client, name, "wrong")
        while answer.status_code == 429:
            waits.append(int(answer.headers["retry-after"]))
            clock.forward(seconds=waits[-1])
            answer = sign_in(client, name, "wrong")
        assert answer.status_code == 401
    assert waits == [2, 4, 8, 16]
    assert sign_in(client, name).status_code == 429, "the right password does not end the wait either"


def test_another_address_is_not_locked_out(client: TestClient, house: House) -> None:
    person(house)
    for _ in range(6):
        sign_in(client, "ann", "wrong")
    assert sign_in(client).status_code == 429
    assert house.access.throttle.wait_s("ann", "10.0.0.9", now=house.now()) == 0
    assert house.access.sign_in("ann", PASSWORD, address="10.0.0.9").text.startswith("pws_")


@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_many_tries_at_once_are_not_more_tries(database_url: str, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Forty tries that are all looked at in the same moment."""
    house = House(Store(database_url), now=lambda: NOW)
    person(house)
    seen: list[str] = []
    tried = threading.Barrier(40, timeout=30)

    def by_password(given: str, password: str) -> None:
        seen.append(password)
        time.sleep(0.05)

    monkeypatch.setattr(
        type(house.access.people), "by_password", lambda _, given, password: by_password(given, password)
    )

    def attempt(number: int) -> float:
        tried.wait()
        with pytest.raises(SignInError) as refused:
            house.access.sign_in(name, f"wrong {number}", address="10.0.0.9")
        return refused.value.wait_s

    with ThreadPoolExecutor(40) as pool:
        waits = list(pool.map(attempt, range(40)))
    assert (len(seen), sum(wait_s > 0 for wait_s in waits)) == (5, 35)
    house.stop()


def test_a_try_that_was_right_is_taken_back(house: House) -> None:
    """Whoever signs in often makes nobody wait: neither the name, nor the address it comes from."""
    person(house)
    for _ in range(40):
        house.access.sign_in("ann", PASSWORD, address="10.0.0.9")
    for _ in range(4):
        assert house.access.throttle.begin("ann", "10.0.0.9", now=NOW) == 0
    house.access.sign_in("ann", PASSWORD, address="10.0.0.9")
    assert house.access.throttle.wait_s("ann", "10.0.0.9", now=NOW) == 0


def test_one_address_cannot_try_many_names(house: House) -> None:
    for number in range(31):
        house.access.throttle.begin(f"name-{number}", "10.0.0.9", now=NOW)
    assert house.access.throttle.wait_s("fresh", "10.0.0.9", now=NOW) > 0
    assert house.access.throttle.wait_s("fresh", "10.0.0.8", now=NOW) == 0


@pytest.mark.parametrize(
    ("password", "part"),
    [("short", "at least 12"), ("x" * 300, "at most"), ("aaaaaaaaaaaaaaaa", "easy"), ("abcdefghijklmnop", "easy"), ("annabelle-annabelle", "the name")],
)  # fmt: skip
def test_passwords_that_cannot_be_taken(password: str, part: str) -> None:
    with pytest.raises(PasswordError, match=part):
        verify_acceptable(password, name="annabelle")
    verify_acceptable(PASSWORD, name="annabelle")


def test_a_disabled_account_is_out_at_once(client: TestClient, house: House) -> None:
    person(house, "boss", Role.ADMINISTRATOR)
    user_id = person(house)
    sign_in(client)
    house.access.people.disable(user_id, disabled=True, now=house.now())
    assert client.get("/api/me").status_code == 401
    assert sign_in(client).status_code == 401


def test_somebody_who_can_let_others_in_is_always_left(house: House) -> None:
    boss = person(house, "boss", Role.ADMINISTRATOR)
    with pytest.raises(ServiceError, match="nobody would be left"):
        house.access.people.disable(boss, disabled=True, now=NOW)
    with pytest.raises(ServiceError, match="nobody would be left"):
        house.access.people.set_roles(boss, [(Role.VIEWER, "*")])
    assert not house.access.people.person(boss).disabled


# -- sessions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("used_every_min", "minutes", "alive"), [(None, 29, True), (None, 31, False), (19, 11 * 60 + 50, True), (19, 12 * 60 + 1, False)]
)  # fmt: skip
def test_sessions_end_when_unused_and_in_any_case(
    client: TestClient, house: House, clock: Clock, used_every_min: int | None, minutes: int, alive: bool
) -> None:
    signed_in(client, house)
    passed = 0
    while used_every_min is not None and passed + used_every_min < minutes:
        clock.forward(minutes=used_every_min)
        passed += used_every_min
        assert client.get("/api/me").status_code == 200
    clock.forward(minutes=minutes - passed)
    assert client.get("/api/me").status_code == (200 if alive else 401)


def test_changing_the_password_ends_the_other_sessions(house: House) -> None:
    person(house)
    here, there = browser(house), browser(house)
    for one in (here, there):
        sign_in(one)
    wrong = {"old": "wrong", "new": "eight red chips on a felt", "again": "eight red chips on a felt"}
    assert here.post("/password", data=wrong, headers=OWN).status_code == 400
    right = wrong | {"old": PASSWORD}
    assert here.post("/password", data=right | {"again": "other words that differ"}, headers=OWN).status_code == 400
    assert here.post("/password", data=right, headers=OWN).status_code == 303
    assert [one.get("/api/me").status_code for one in (here, there)] == [200, 401]
    assert sign_in(there).status_code == 401
    assert sign_in(there, password=right["new"]).status_code == 303


def test_only_hashes_are_kept(client: TestClient, house: House, tmp_path: Path) -> None:
    person(house, "boss", Role.ADMINISTRATOR)
    sign_in(client, "boss")
    key = client.post("/api/keys", json={"label": "wall", "scopes": ["alerts.read"]}, headers=OWN).json()["key"]
    ticket = house.access.link("boss")
    house.store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"boss" in kept
    for secret in (PASSWORD, client.cookies[COOKIE], key, ticket):
        assert secret.encode() not in kept


# -- the first start --------------------------------------------------------------------------------------------------


def test_the_first_start_prints_a_password_once_and_asks_for_another(
    client: TestClient, house: House, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    for _ in range(2):
        say_how_to_come_in(house.access, LOCAL, by_link=False, say=said.append)
    assert len(said) == 3
    password = said[0].rsplit("[b]", 1)[1].removesuffix("[/b]")
    assert password not in caplog.text
    assert sign_in(client, "administrator", password).status_code == 303
    assert client.get("/api/alerts").status_code == 403
    assert client.get("/", headers={"accept": "text/html"}).headers["location"] == "/password"
    new = {"old": password, "new": PASSWORD, "again": PASSWORD}
    assert client.post("/password", data=new | {"new": password, "again": password}, headers=OWN).status_code == 400
    assert client.post("/password", data=new, headers=OWN).status_code == 303
    assert client.get("/api/alerts").status_code == 200
    assert client.get("/api/me").json()["roles"] == ["supervisor", "auditor", "administrator"]
    assert sign_in(browser(house), "administrator", password).status_code == 401


def test_a_link_signs_in_once_and_not_for_long(house: House, clock: Clock) -> None:
    said: list[str] = []
    say_how_to_come_in(house.access, LOCAL, by_link=True, say=said.append)
    link = said[0].split()[-1].removeprefix(LOCAL)
    client = browser(house)
    answer = client.get(f"{link}&table=riu-07")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?table=riu-07")
    assert client.get("/api/me").json()["name"] == "administrator"
    stranger = browser(house)
    assert stranger.get(link).headers["location"] == "/login?said=link"
    assert stranger.get("/api/me").status_code == 401
    late = house.access.link()
    clock.forward(minutes=16)
    assert stranger.get(f"/?ticket={late}").headers["location"] == "/login?said=link"
    assert stranger.get("/?ticket=pwt_made-up").headers["location"] == "/login?said=link"
    assert client.get("/?ticket=pwt_made-up").headers["location"] == "/", "who is in stays in"


# -- keys -------------------------------------------------------------------------------------------------------------


def test_a_key_may_what_its_scopes_and_its_owner_may(house: House, clock: Clock) -> None:
    boss = signed_in(browser(house), house, Role.ADMINISTRATOR, Role.SUPERVISOR)
    made = boss.post("/api/keys", json={"label": "wall", "scopes": ["alerts.read"], "days": 30}, headers=OWN).json()
    key, number = made["key"], made["about"]["id"]
    assert made["about"]["prefix"] == key[:12]
    assert key not in boss.get("/api/keys").text
    program = TestClient(create_app(house, screens=False), base_url=LOCAL, headers={"authorization": f"Bearer {key}"})
    assert program.get("/api/alerts").status_code == 200
    assert program.get("/api/alerts/1/evidence/moment.jpg").status_code == 403
    assert program.post("/api/alerts/1/disposition", json={"status": "confirmed", "reason": "x"}).status_code == 403
    assert program.get("/api/me").json()["permissions"] == {"alerts.read": None}
    mistyped = key[:-1] + ("1" if key.endswith("0") else "0")
    assert program.get("/api/alerts", headers={"authorization": f"Bearer {mistyped}"}).status_code == 401
    clock.forward(days=31)
    assert program.get("/api/alerts").status_code == 401
    clock.forward(days=-31)
    assert boss.post(f"/api/keys/{number}/revoke", headers=OWN).json()["revoked_utc"]
    assert program.get("/api/alerts").status_code == 401
    assert {entry[2] for entry in logged(house, "key")} == {"done", "refused"}


def test_a_key_ends_with_its_owner_and_is_limited_to_its_tables(house: House) -> None:
    person(house, "boss", Role.ADMINISTRATOR)
    owner = house.access.people.add("owner", [(Role.OPERATOR, "*")], now=NOW)
    house.access.people.set_group("others", ["riu-99"])
    keys = house.access.keys
    ends = NOW + timedelta(days=1)
    scopes = [Permission.ALERTS_READ, Permission.PEOPLE_MANAGE]
    _, token = keys.make("wall", owner.user_id, scopes, ends=ends, now=NOW, table_group="others")
    principal = keys.principal(token.text, now=NOW)
    assert principal is not None
    assert principal.signature == "owner (key wall)"
    assert principal.tables_for(Permission.ALERTS_READ) == frozenset({"riu-99"})
    assert not principal.may(Permission.PEOPLE_MANAGE), "its owner may not either"
    house.access.people.disable(owner.user_id, disabled=True, now=NOW)
    assert keys.principal(token.text, now=NOW) is None


def test_a_key_cannot_make_keys(house: House) -> None:
    boss = signed_in(browser(house), house, Role.ADMINISTRATOR)
    for label in (" ", "wall\x1b[2J"):
        unreadable = boss.post("/api/keys", json={"label": label, "scopes": ["alerts.read"]}, headers=OWN)
        assert "signs that can be printed" in unreadable.json()["error"]["message"], "it signs what stands in chains"
    key = boss.post("/api/keys", json={"label": "ops", "scopes": ["keys.manage"]}, headers=OWN).json()["key"]
    answer = browser(house).post(
        "/api/keys", json={"label": "more", "scopes": ["keys.manage"]}, headers={"authorization": f"Bearer {key}"}
    )
    assert answer.status_code == 400
    assert "cannot make keys" in answer.json()["error"]["message"]


# -- other sites ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": LOCAL}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": LOCAL + ".evil.example"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_pages_of_other_sites_change_nothing(
    client: TestClient, house: House, headers: dict[str, str], status: int
) -> None:
    signed_in(client, house)
    body = {"status": "acknowledged"}
    assert client.post("/api/alerts/1/disposition", json=body, headers=headers).status_code == status
    assert (house.store.alert(1).status == "acknowledged") is (status == 200)


def test_a_form_says_where_it_comes_from(client: TestClient, house: House) -> None:
    person(house)
    assert client.post("/login", data={"name": "ann", "password": PASSWORD}).status_code == 403
    assert sign_in(client).status_code == 303


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "https://evil.example", "/a\r\nb", ""])
def test_signing_in_leads_nowhere_else(client: TestClient, house: House, path: str) -> None:
    person(house)
    answer = client.post("/login", data={"name": "ann", "password": PASSWORD, "next": path}, headers=OWN)
    assert answer.headers["location"] == "/"


def test_a_file_opened_in_a_browser_leads_to_the_sign_in_page_and_not_to_json(client: TestClient) -> None:
    report = "/api/reviews/1/report.html"
    by_hand = {"accept": "text/html,*/*;q=0.8", "sec-fetch-mode": "navigate"}
    answer = client.get(report, headers=by_hand, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Fapi%2Freviews%2F1%2Freport.html")
    for program in (
        {"accept": "text/html"},
        {"sec-fetch-mode": "navigate"},
        {"accept": "text/html", "sec-fetch-mode": "cors"},
    ):
        assert client.get(report, headers=program).json()["error"]["code"] == "unauthorized"


# -- too much ---------------------------------------------------------------------------------------------------------


def test_nobody_asks_too_often(tmp_path: Path) -> None:
    limits = LimitSettings(requests_per_s=1, burst=5, stranger_requests_per_s=1, stranger_burst=3)
    house = House(Store(f"sqlite:///{tmp_path}/rate.db"), settings=Settings(limits=limits), now=lambda: NOW)
    house.access.now_s = lambda: 0.0
    client, stranger = signed_in(browser(house), house), browser(house)
    assert [client.get("/api/me").status_code for _ in range(6)] == [200] * 5 + [429]
    assert [stranger.get("/api/me").status_code for _ in range(4)] == [401] * 3 + [429]
    assert stranger.get("/login").headers["retry-after"] == "1"
    assert stranger.get("/health").status_code == 200
    house.access.now_s = lambda: 2.0
    assert client.get("/api/me").status_code == 200
    house.stop()


@pytest.mark.parametrize("path", ["/?ticket=x{}", "/auth/callback?state={}", "/api/me"])
def test_a_stranger_does_not_fill_the_log(tmp_path: Path, path: str) -> None:
    """Links, single sign-on and keys that are none: held back by the rate, and a row for all of them."""
    limits = LimitSettings(stranger_requests_per_s=1, stranger_burst=5)
    openid = OpenIdSettings(issuer="https://id.example", client_id="pitwatch")
    house = House(
        Store(f"sqlite:///{tmp_path}/log.db"), settings=Settings(limits=limits, openid=openid), now=lambda: NOW
    )
    house.access.now_s = lambda: 0.0
    stranger = browser(house)
    headers = {"authorization": "Bearer pwk_made-up"} if path == "/api/me" else {}
    answers = [stranger.get(path.format(number), headers=headers).status_code for number in range(7)]
    assert answers[0] in (303, 401)
    assert answers == [answers[0]] * 5 + [429] * 2
    assert [entry.outcome for entry in house.access.journal.page()] == ["refused"]
    house.stop()


def test_tries_that_are_not_looked_at_are_logged_once(client: TestClient, house: House, clock: Clock) -> None:
    person(house)
    for _ in range(9):
        sign_in(client, "ann", "wrong")
    assert [about for _, about, _ in logged(house, "sign-in")] == ["too many tries"] + ["by password"] * 5


def test_the_rate_remembers_no_more_than_it_must() -> None:
    rate = RequestRate(1.0, 2.0)
    for number in range(30_000):
        rate.wait_s(str(number), now_s=0.0)
    assert len(rate._left) == 20_000


@pytest.mark.parametrize("streamed", [False, True])
def test_nobody_sends_too_much(house: House, streamed: bool) -> None:
    client = signed_in(browser(house), house)
    block = b'{"status": "acknowledged", "reason": "' + b"x" * (1 << 20) + b'"}'
    sent: list[int] = []

    def pieces() -> Iterator[bytes]:
        for at in range(0, len(block), 1 << 16):
            sent.append(at)
            yield block[at : at + (1 << 16)]

    headers = OWN | {"content-type": "application/json"}
    answer = client.post("/api/alerts/1/disposition", content=pieces() if streamed else block, headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] in ("request_entity_too_large", "content_too_large")
    assert house.store.alert(1).history == ()


# -- streams that outlive their session -------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["signed out", "fewer tables", "nothing"])
def test_a_stream_ends_with_its_session_and_with_what_it_may_show(house: House, clock: Clock, change: str) -> None:
    token = session_of(house, Role.VIEWER)
    person(house, "boss", Role.ADMINISTRATOR)
    app = create_app(house, screens=False)
    house.access.people.set_group("others", ["riu-99"])
    people = house.access.people
    changes: dict[str, Callable[[], object]] = {
        "signed out": lambda: people.end_sessions(1, now=house.now()),
        "fewer tables": lambda: people.set_roles(1, [(Role.VIEWER, "others")]),
        "nothing": lambda: None,
    }
    got: list[bytes] = []

    async def scenario() -> None:
        scope = {
            "type": "http", "method": "GET", "path": "/api/alerts/stream", "raw_path": b"/api/alerts/stream", "query_string": b"since_id=0",
            "headers": [(b"host", b"127.0.0.1:8080"), (b"cookie", f"{COOKIE}={token}".encode())], "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8080), "scheme": "http", "http_version": "1.1", "root_path": "", "asgi": {"version": "3.0"},
        }  # fmt: skip
        over = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await over.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            got.append(message.get("body", b""))
            if got[-1].count(b"event: alert") and len(got) < 4:
                await asyncio.to_thread(changes[change])
                clock.forward(seconds=6)
                house.store.add_alert("run-1", finding_to_dict(finding(2)), raised_utc=NOW)
                house.feed.notify()
            if b"".join(got).count(b"event: alert") == 2:
                over.set()

        await app(scope, receive, send)

    asyncio.run(asyncio.wait_for(scenario(), 30))
    sent = b"".join(got).count(b"event: alert")
    assert sent == (2 if change == "nothing" else 1), "what rang afterwards is sent only to whom it may be shown"


# -- the log ----------------------------------------------------------------------------------------------------------


def test_what_is_seen_and_done_is_logged_with_its_outcome(house: House) -> None:
    ann = signed_in(browser(house), house, Role.OPERATOR, name="ann")
    ann.get("/api/alerts/1/evidence/moment.jpg")
    ann.get("/api/alerts/1/evidence/gone.jpg")
    ann.post("/api/alerts/1/disposition", json={"status": "confirmed", "reason": "seen on tape"}, headers=OWN)
    ann.get("/api/people")
    assert logged(house, "evidence.read") == [
        ("ann", "alert 1, gone.jpg", "failed"),
        ("ann", "alert 1, moment.jpg", "done"),
    ]
    assert logged(house, "alerts.handle") == [("ann", "alert 1", "done")]
    assert logged(house, "people.manage") == [("ann", "GET /api/people", "refused")]
    entry = house.access.journal.page(JournalFilter(what="alerts.handle"))[0]
    assert (entry.role, entry.table_id, entry.address, entry.at_utc) == (
        "operator",
        TABLE,
        "testclient",
        "2026-03-01T21:14:05.000Z",
    )
    assert house.store.alert(1).history[0].by == "ann"


@pytest.mark.parametrize(
    "query", [f"table_id={TABLE}&table_id=riu-99", f"table_id={TABLE}&table%5Fid=", "table_id=&table_id=x"]
)
def test_a_table_is_named_once(house: House, query: str) -> None:
    """What the door asks about and what is logged is the table that the route takes."""
    client = signed_in(browser(house), house, Role.SUPERVISOR)
    for method, path in (("GET", "/api/alerts"), ("POST", "/api/reviews/upload")):
        answer = client.request(method, f"{path}?name=a.mp4&{query}", headers=OWN)
        assert (answer.status_code, answer.json()["error"]["message"]) == (400, "table_id comes more than once")
    assert logged(house, "reviews.order") == []
    assert client.get(f"/api/alerts?table_id={TABLE}&x=1&x=2").status_code == 200


@pytest.mark.parametrize("number", ["1", "1.0", "+1", "%201", "1%20", "01", "1_", "0_1", "1e0"])
def test_however_a_number_is_written_its_table_is_asked_about(house: House, number: str) -> None:
    house.access.people.set_group("others", ["riu-99"])
    some = signed_in(browser(house), house, tables="others", name="some")
    asked = [some.get(f"/api/alerts/{number}{rest}") for rest in ("", "/events", "/evidence/moment.jpg", "/bundle")]
    asked += [some.post(f"/api/alerts/{number}/steps", json={"action": "acknowledge"}, headers=OWN)]
    assert {answer.status_code for answer in asked} <= {403, 422}
    assert house.store.alert(1).history == ()


def test_what_cannot_be_logged_is_not_shown(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in(browser(house), house)

    def broken(*_: Any, **__: Any) -> None:
        raise ServiceError("the disk is full")

    monkeypatch.setattr(type(house.access.journal), "write", broken)
    answer = client.get("/api/alerts/1/evidence/moment.jpg")
    assert answer.status_code == 500
    assert b"picture" not in answer.content
    assert "cannot be written" in answer.json()["error"]["message"]


def test_a_supervisor_of_some_tables_reads_only_their_rows(house: House) -> None:
    house.access.people.set_group("others", ["riu-99"])
    access = house.access
    boss = signed_in(browser(house), house, Role.SUPERVISOR, name="boss")
    some = signed_in(browser(house), house, Role.SUPERVISOR, tables="others", name="some")
    principal = access.sessions.principal(
        __import__("service.access.tokens", fromlist=["sha256"]).sha256(boss.cookies[COOKIE]), now=NOW
    )
    access.note(principal, "evidence.read", "alert 1", table_id=TABLE)
    access.note(principal, "evidence.read", "alert 2", table_id="riu-99")
    assert {row["table_id"] for row in boss.get("/api/journal").json()["rows"]} >= {TABLE, "riu-99"}
    assert {row["table_id"] for row in some.get("/api/journal").json()["rows"]} == {"riu-99"}
    assert "alert 1" not in some.get("/api/journal.csv").text


# -- behind a proxy, over TLS -----------------------------------------------------------------------------------------


def test_behind_a_proxy_that_is_believed(tmp_path: Path) -> None:
    settings = Settings(public_url="https://pitwatch.example", proxies=("testclient",))
    house = House(Store(f"sqlite:///{tmp_path}/proxy.db"), settings=settings, remote=True, now=lambda: NOW)
    house.access.passwords.hasher = QUICK
    person(house)
    client = browser(house, base_url="http://pitwatch.example")
    headers = {
        "origin": "https://pitwatch.example",
        "x-forwarded-for": "6.6.6.6, 10.1.1.1",
        "x-forwarded-proto": "https",
    }
    answer = client.post("/login", data={"name": "ann", "password": PASSWORD}, headers=headers)
    assert "Secure" in answer.headers["set-cookie"]
    assert "max-age" in answer.headers["strict-transport-security"]
    assert house.access.journal.page()[0].address == "10.1.1.1", "what the client itself wrote is not believed"
    house.stop()


def test_forwarded_addresses_of_strangers_are_not_believed(client: TestClient, house: House) -> None:
    sign_in(client, "ann", "wrong", extensions={})
    client.post("/login", data={"name": "ann", "password": "x"}, headers=OWN | {"x-forwarded-for": "6.6.6.6"})
    assert {entry.address for entry in house.access.journal.page()} == {"testclient"}


def test_headers_of_every_answer(client: TestClient, house: House) -> None:
    signed_in(client, house)
    for path in ("/health", "/login", "/api/alerts", "/api/nothing", "/docs", "/api/alerts/1/evidence/moment.jpg"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert (headers["x-content-type-options"], headers["x-frame-options"], headers["cache-control"]) == (
            "nosniff",
            "DENY",
            "no-store",
        ), path


def test_an_unexpected_error_has_the_headers_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "alert", lambda *_: 1 / 0)
    client = TestClient(create_app(house, screens=False), base_url=LOCAL, raise_server_exceptions=False)
    answer = signed_in(client, house).get("/api/tables/none/picture.jpg")
    assert answer.status_code == 404
    assert "content-security-policy" in answer.headers


# -- settings, command line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sesion: {}", "sesion"),
        ("session: {idle_minutes: 0}", "session.idle_minutes"),
        ("limits: {body_bytes: lots}", "limits.body_bytes"),
        ("openid: {issuer: 'http://id.example', client_id: x}", "https"),
        ("public_url: pitwatch.example", "public_url"),
        ("a: [", "not YAML"),
        ("public_url: https://a.example\npublic_url: https://b.example\n", "line 2.*'public_url' stands there twice"),
    ],
)
def test_settings_with_a_fault(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "settings.yaml").write_text(text)
    with pytest.raises(ServiceError, match=part):
        load_settings(tmp_path / "settings.yaml")


def test_the_documented_settings_are_in_order(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "access.md").read_text()
    (tmp_path / "settings.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    settings = load_settings(tmp_path / "settings.yaml")
    assert settings.cameras.hosts == ("10.20.0.0/16",)
    assert settings.openid is not None
    assert settings.openid.roles[1].tables == "pit one"


def test_the_way_back_in_from_the_terminal(
    house: House, clock: Clock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from service.cli import main

    person(house, "boss", Role.ADMINISTRATOR)
    where = ["--database", f"sqlite:///{tmp_path}/door.db"]

    def ran(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([*arguments, *where])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    assert ran("people", "add", "eve", "--role", "viewer:nowhere")[0] == 2
    status, out, _ = ran("people", "add", "eve", "--role", "viewer")
    assert (status, "one-time password" in out) == (0, True)
    assert "boss\tadministrator" in ran("people", "list")[1]
    clock.now = datetime.now(NOW.tzinfo)
    ticket = ran("people", "link", "boss")[1].strip().rpartition("=")[2]
    assert browser(house).get(f"/?ticket={ticket}").headers["location"] == "/"
    assert masked(f"/?ticket={ticket}") == "/?ticket=***"
    status, out, _ = ran("journal", "check")
    assert (status, "0 faults" in out) == (0, True)
    status, out, _ = ran("journal", "check", "--head", f"999:{'0' * 64}")
    assert (status, "row 999: cut off" in out) == (1, True)
    assert ran("people", "password", "nobody")[0] == 2


def test_the_one_who_asks_is_known_only_inside(house: House) -> None:
    with pytest.raises(AssertionError):
        principal_of(type("Outside", (), {"scope": {"state": {"principal": None}}})())
