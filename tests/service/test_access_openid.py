"""Single sign-on against a small identity provider: the whole way, and every way in which it must not work."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey
from service_fakes import NOW

from service.access.journal import JournalFilter
from service.access.roles import Role
from service.access.settings import OpenIdSettings, Settings
from service.house import House
from service.store import Store
from service.web.app import create_app

LOCAL = "http://127.0.0.1:8080"
ISSUER = "https://id.casino.example/floor"
KEY, OTHER_KEY = (
    RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"}, private=True) for kid in ("k1", "k2")
)
CLIENT, SECRET = "pitwatch", "s3cret"


@dataclass
class Provider:
    """Signs in `claims` without asking; checks what a real one checks of the client."""

    claims: dict[str, Any]
    change: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
    sign: Callable[[dict[str, Any]], str] = lambda claims: jwt.encode({"alg": "RS256", "kid": "k1"}, claims, KEY)
    issuer: str = ISSUER
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    down: bool = False

    def authorize(self, url: str) -> dict[str, str]:
        """What the browser brings back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert url.startswith(f"{ISSUER}/authorize?")
        assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == ("code", CLIENT, "S256")
        assert asked["redirect_uri"] == f"{LOCAL}/auth/callback"
        assert "openid" in asked["scope"].split()
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def answer(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise httpx.ConnectError("no route")
        if request.url.path.endswith("/.well-known/openid-configuration"):
            names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
            return httpx.Response(
                200, json={"issuer": self.issuer} | {name: f"{ISSUER}/{path}" for name, path in names.items()}
            )
        if request.url.path.endswith("/keys"):
            return httpx.Response(200, json=KeySet([KEY]).as_dict(private=False))
        return self._token(request)

    def _token(self, request: httpx.Request) -> httpx.Response:
        form = {name: values[0] for name, values in parse_qs(request.content.decode()).items()}
        asked = self.codes.pop(form["code"], None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        )
        if (
            asked is None
            or request.headers["authorization"] != f"Basic {basic}"
            or challenge != asked["code_challenge"]
        ):
            return httpx.Response(400, json={"error": "invalid_grant"})
        now = int(NOW.timestamp())
        claims = {"iss": ISSUER, "aud": CLIENT, "nonce": asked["nonce"], "iat": now, "exp": now + 300} | self.claims
        return httpx.Response(
            200, json={"access_token": "at", "token_type": "Bearer", "id_token": self.sign(self.change(claims))}
        )


@pytest.fixture
def provider() -> Provider:
    return Provider({"sub": "u-17", "preferred_username": "Ann.Okafor", "groups": ["surveillance", "choir"]})


@pytest.fixture
def house(tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("PITWATCH_OPENID_SECRET", SECRET)
    roles = [
        {"value": "surveillance", "role": "operator"},
        {"value": "leads", "role": "supervisor"},
        {"value": "it", "role": "administrator"},
    ]
    openid = OpenIdSettings.model_validate(
        {"issuer": ISSUER, "client_id": CLIENT, "client_secret_env": "PITWATCH_OPENID_SECRET", "roles": roles}
    )
    house = House(Store(f"sqlite:///{tmp_path}/openid.db"), settings=Settings(openid=openid), now=lambda: NOW)
    house.access.http = lambda: httpx.MockTransport(provider.answer)
    house.access.people.add("boss", [(Role.ADMINISTRATOR, "*")], now=NOW)
    yield house
    house.stop()


def browser(house: House) -> TestClient:
    return TestClient(create_app(house, screens=False), base_url=LOCAL, follow_redirects=False)


def come_in(client: TestClient, provider: Provider, next_path: str = "/journal") -> httpx.Response:
    begun = client.get("/auth/openid", params={"next": next_path})
    assert begun.status_code == 303
    answer: httpx.Response = client.get("/auth/callback", params=provider.authorize(begun.headers["location"]))
    return answer


def refused(house: House, answer: httpx.Response, client: TestClient, said: str = "provider") -> None:
    assert (answer.status_code, answer.headers["location"]) == (303, f"/login?said={said}")
    assert client.get("/api/me").status_code == 401
    newest = house.access.journal.page(JournalFilter(what="sign-in", outcome="refused"))[0]
    assert SECRET not in newest.about


def test_someone_the_provider_knows_comes_in(house: House, provider: Provider) -> None:
    client = browser(house)
    assert "/auth/openid" in client.get("/login").text
    answer = come_in(client, provider)
    assert answer.status_code == 200
    assert '0;url=/journal"' in answer.text
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    me = client.get("/api/me").json()
    assert (me["name"], me["roles"]) == ("ann.okafor", ["operator"])
    again = browser(house)
    provider.claims["groups"] = ["leads"]
    come_in(again, provider)
    assert again.get("/api/me").json() | {"permissions": 0} == {
        "name": "ann.okafor",
        "roles": ["supervisor"],
        "permissions": 0,
    }
    assert client.get("/api/me").json()["roles"] == ["supervisor"], "roles given anew hold at once, everywhere"
    assert len(house.access.people.page()) == 2


def test_an_account_that_is_there_is_not_taken_over(house: House, provider: Provider) -> None:
    provider.claims["preferred_username"] = "boss"
    client = browser(house)
    come_in(client, provider)
    assert client.get("/api/me").json() | {"permissions": 0} == {
        "name": "boss-2",
        "roles": ["operator"],
        "permissions": 0,
    }


@pytest.mark.parametrize("groups", [[], ["choir"], None, "nobody", [{"x": 1}]])
def test_someone_without_a_role_stays_outside(house: House, provider: Provider, groups: Any) -> None:
    provider.claims["groups"] = groups
    client = browser(house)
    refused(house, come_in(client, provider), client, "stranger")
    assert len(house.access.people.page()) == 1


def test_someone_shut_out_here_stays_outside(house: House, provider: Provider) -> None:
    come_in(browser(house), provider)
    house.access.people.disable(2, disabled=True, now=NOW)
    client = browser(house)
    refused(house, come_in(client, provider), client, "stranger")


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "another"}, {"aud": "someone-else"}, {"iss": "https://id.evil.example"}, {"exp": int(NOW.timestamp()) - 3600},
        {"exp": None}, {"sub": None}, {"nonce": None}, {"azp": "someone-else"}, {"iat": int(NOW.timestamp()) + 3600},
    ],
    ids=str,
)  # fmt: skip
def test_tokens_that_are_not_for_this_sign_in(house: House, provider: Provider, change: dict[str, Any]) -> None:
    provider.change = lambda claims: {name: value for name, value in (claims | change).items() if value is not None}
    client = browser(house)
    refused(house, come_in(client, provider), client)


def _unsigned(claims: dict[str, Any]) -> str:
    parts = [
        base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in ({"alg": "none"}, claims)
    ]
    return ".".join([*parts, ""])


@pytest.mark.parametrize(
    "sign",
    [
        _unsigned,
        lambda claims: jwt.encode({"alg": "RS256", "kid": "k1"}, claims, OTHER_KEY),
        lambda claims: jwt.encode({"alg": "RS256", "kid": "k2"}, claims, OTHER_KEY),
        lambda claims: jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(KEY.as_pem(private=False)), algorithms=["HS256"]),
        lambda claims: "rubbish",
    ],
    ids=["unsigned", "another key", "a key nobody knows", "public key as a secret", "rubbish"],
)  # fmt: skip
def test_tokens_nobody_vouches_for(house: House, provider: Provider, sign: Callable[[dict[str, Any]], str]) -> None:
    provider.sign = sign
    client = browser(house)
    refused(house, come_in(client, provider), client)


def test_a_sign_in_ends_in_the_browser_that_began_it_once(house: House, provider: Provider) -> None:
    victim, attacker = browser(house), browser(house)
    brought = provider.authorize(attacker.get("/auth/openid").headers["location"])
    refused(house, victim.get("/auth/callback", params=brought), victim)
    victim.get("/auth/openid")
    refused(house, victim.get("/auth/callback", params=brought), victim)
    assert attacker.get("/auth/callback", params=brought).status_code == 200
    other = browser(house)
    refused(house, other.get("/auth/callback", params=brought), other)
    refused(house, other.get("/auth/callback"), other)


def test_a_provider_that_is_down_or_another_one(house: House, provider: Provider) -> None:
    client = browser(house)
    provider.issuer = "https://id.evil.example"
    assert client.get("/auth/openid").headers["location"] == "/login?said=provider"
    provider.issuer, provider.down = ISSUER, True
    assert client.get("/auth/openid").headers["location"] == "/login?said=provider"
    assert "not completed" in client.get("/login?said=provider").text


def test_without_a_provider_there_is_no_such_way(tmp_path: Path) -> None:
    house = House(Store(f"sqlite:///{tmp_path}/none.db"), now=lambda: NOW)
    client = browser(house)
    assert client.get("/auth/openid").status_code == 404
    assert "/auth/openid" not in client.get("/login").text
    house.stop()


def test_next_leads_nowhere_else(house: House, provider: Provider) -> None:
    answer = come_in(browser(house), provider, "https://evil.example/")
    assert '0;url=/"' in answer.text
