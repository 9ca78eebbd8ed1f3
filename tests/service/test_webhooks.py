"""Webhooks: signed, in order, tried again until they arrive, given up visibly, and never to addresses that may not be reached."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from service_fakes import NOW, TABLE, finding, signed_in

from rules.findings import finding_to_dict
from service.access.addresses import WEBHOOKS, AddressPolicy, Target
from service.access.roles import Role
from service.access.settings import Settings, WebhookSettings
from service.errors import ServiceError
from service.feed.delivery import GIVE_UP_AFTER, Delivery, post
from service.feed.messages import check_secret, new_secret
from service.feed.targets import verify_target_url
from service.feed.webhooks import Webhooks
from service.house import House
from service.store import Action, AlertFilter, Store
from service.web.api import shown
from service.web.app import create_app

SECRET = "whsec_" + base64.b64encode(b"twenty-four bytes of it!").decode()
LOCAL = AddressPolicy(WEBHOOKS.schemes, WEBHOOKS.named_schemes, ("receiver.example", "127.0.0.1"))


def ring(store: Store, number: int, at: datetime = NOW, **changes: Any) -> int:
    return store.add_alert("run-1", finding_to_dict(finding(number, **changes)), raised_utc=at)[0].seq


class Receiver:
    """Takes messages like someone else's server; `answers` gives the status of each try."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.tries = 0
        self.answer = 204

    def __call__(self, target: Target, body: str, headers: Mapping[str, str]) -> int:
        self.tries += 1
        if self.answer == 0:
            raise httpx.ConnectError("connection refused")
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
        key = base64.b64decode(SECRET.removeprefix("whsec_"))
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == expected
        if self.answer in (204, 500):
            self.got.append((headers["webhook-id"], json.loads(body)))
        return self.answer


def delivery(store: Store, receiver: Receiver, **options: Any) -> Delivery:
    policy = AddressPolicy(WEBHOOKS.schemes, WEBHOOKS.named_schemes, ("10.0.0.7",))
    return Delivery(store, shown, policy, send=receiver, dice=random.Random(4), **options)


def subscribe(store: Store, wanted: AlertFilter = AlertFilter()) -> str:
    return Webhooks(store).subscribe("https://10.0.0.7/hook", wanted, by="ann", now=NOW, secret=SECRET).webhook_id


def test_a_receiver_that_fails_for_an_hour_gets_everything_in_order_and_can_drop_doubles(store: Store) -> None:
    receiver = Receiver()
    sender = delivery(store, receiver)
    subscribe(store)
    for minute in range(0, 121):
        now = NOW + timedelta(minutes=minute)
        # for an hour: no connection, then it takes messages but answers with an error, then a redirect
        receiver.answer = 204 if not 20 <= minute < 80 else (0, 500, 302)[minute // 20 % 3]
        if minute < 90 and minute % 3 == 0:
            seq = ring(store, minute, at=now)
            if minute % 2:
                store.take_step(seq, Action.DISMISS, by="ann", at_utc=now, reason="glare")
        sender.deliver_due(now)
    once = dict(receiver.got)
    assert [event["data"]["change"]["position"] for event in once.values()] == list(range(1, 46))
    assert len(receiver.got) > len(once), "the receiver that answered 500 got something twice, with the same id"
    assert receiver.tries < 60 + 45
    first = receiver.got[0][1]
    assert (first["specversion"], first["type"], first["subject"]) == ("1.0", "pitwatch.alert.raised", "alerts/1")
    assert first["data"]["check_id"] == "RIU-C1-WHEN"
    assert first["id"] == receiver.got[0][0]
    assert Webhooks(store).subscriptions()[0].failures == 0


def test_a_message_sent_again_says_the_same_although_the_alert_has_moved_on(store: Store) -> None:
    receiver = Receiver()
    sender, _ = delivery(store, receiver), subscribe(store)
    seq = ring(store, 1)
    receiver.answer = 500
    sender.deliver_due(NOW)
    store.take_step(seq, Action.CONFIRM, by="ann", at_utc=NOW, reason="seen")
    receiver.answer = 204
    sender.deliver_due(NOW + timedelta(minutes=1))
    (first_id, first), (again_id, again), (_, step) = receiver.got
    assert (first_id, first) == (again_id, again)
    assert (step["type"], step["data"]["status"], step["data"]["change"]["by"]) == (
        "pitwatch.alert.confirm",
        "confirmed",
        "ann",
    )


def test_a_message_sent_again_says_the_same_although_another_run_saw_the_incident_meanwhile(store: Store) -> None:
    receiver = Receiver()
    sender, _ = delivery(store, receiver), subscribe(store)
    for number, answer in ((1, 500), (2, 204)):
        at, receiver.answer = NOW + timedelta(minutes=number), answer
        store.open_run(
            f"again-{number}", table_id=TABLE, origin="live", opened_utc=at, about={}, scope="utc", epoch_utc=NOW
        )
        alert, _ = store.add_alert(f"again-{number}", finding_to_dict(finding(1)), raised_utc=at)
        assert alert.sightings == number
        if number == 2:
            store.take_step(alert.seq, Action.CONFIRM, by="ann", at_utc=at, reason="seen")
        sender.deliver_due(at)
    (first, again, step) = receiver.got
    assert first == again
    assert (first[1]["data"]["sightings"], step[1]["data"]["sightings"]) == (1, 2)


def test_a_slow_receiver_is_told_by_one_process_alone_and_of_the_time_it_is(store: Store) -> None:
    clock, other = [NOW], Receiver()
    lags: list[float] = []
    second = delivery(store, other, now=lambda: clock[0])

    def slow(_target: Target, _body: str, headers: Mapping[str, str]) -> int:
        lags.append(clock[0].timestamp() - int(headers["webhook-timestamp"]))
        clock[0] += timedelta(seconds=40)
        second.deliver_due(clock[0])
        return 204

    subscribe(store)
    for number in range(1, 9):
        ring(store, number)
    first = Delivery(store, shown, delivery(store, other).policy, send=slow, now=lambda: clock[0])
    assert first.deliver_due(clock[0]) == 8
    assert (other.tries, max(lags)) == (0, 0.0)
    assert Webhooks(store).subscriptions()[0].position == 8


def test_a_subscription_gets_what_it_wants_from_its_beginning_on(store: Store) -> None:
    ring(store, 1)
    receiver = Receiver()
    sender = delivery(store, receiver)
    subscribe(store, AlertFilter(severity="critical", table_id=TABLE))
    ring(store, 2)
    ring(store, 3, severity="warning")
    assert sender.deliver_due(NOW) == 1
    assert [event["data"]["id"] for _, event in receiver.got] == [2]
    assert Webhooks(store).subscriptions()[0].position == 3


def test_what_cannot_be_delivered_for_three_days_is_a_dead_letter_that_can_be_sent_again(store: Store) -> None:
    receiver = Receiver()
    sender, hook = delivery(store, receiver), subscribe(store)
    ring(store, 1)
    receiver.answer = 0
    late = NOW + GIVE_UP_AFTER + timedelta(minutes=1)
    sender.deliver_due(NOW)
    sender.deliver_due(late)
    (letter,) = Webhooks(store).dead_letters(hook)
    assert (letter.position, letter.failures, letter.sent_utc) == (1, 2, None)
    assert "connection refused" in letter.last_error
    ring(store, 2, at=late)
    receiver.answer = 204
    sender.deliver_due(late + timedelta(hours=2))
    Webhooks(store).resend(letter.number, now=late)
    assert sender.deliver_due(late + timedelta(hours=2)) == 1
    assert [event["data"]["id"] for _, event in receiver.got] == [2, 1]
    assert Webhooks(store).dead_letters()[0].sent_utc is not None
    assert sender.deliver_due(late + timedelta(hours=3)) == 0


def test_a_receiver_that_is_gone_is_told_nothing_more(store: Store) -> None:
    receiver = Receiver()
    sender, _ = delivery(store, receiver), subscribe(store)
    receiver.answer = 410
    for number in (1, 2):
        ring(store, number)
        sender.deliver_due(NOW + timedelta(hours=number))
    assert receiver.tries == 1
    assert not Webhooks(store).subscriptions()[0].active


def test_two_processes_do_not_deliver_the_same(store: Store) -> None:
    receivers = [Receiver(), Receiver()]
    senders = [delivery(Store(store.url), receiver) for receiver in receivers]
    subscribe(store)
    for number in range(1, 9):
        ring(store, number)
    threads = [threading.Thread(target=sender.deliver_due, args=(NOW,)) for sender in senders]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    got = [message_id for receiver in receivers for message_id, _ in receiver.got]
    assert len(got) == len(set(got)) == 8


class Taking(HTTPServer):
    """A server that keeps what it was sent: path, host and body."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str | None, bytes]] = []
        super().__init__(("127.0.0.1", 0), Answering)


class Answering(BaseHTTPRequestHandler):
    """A real receiver: takes /ok, sends /away elsewhere."""

    server: Taking

    def do_POST(self) -> None:
        self.server.taken.append(
            (self.path, self.headers["host"], self.rfile.read(int(self.headers["content-length"])))
        )
        self.send_response(200 if self.path == "/ok" else 307)
        self.send_header("location", "/ok")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def test_over_the_wire_the_checked_address_is_called_and_no_redirect_followed() -> None:
    server = Taking()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://receiver.example:{server.server_port}"
    try:
        statuses = [
            post(verify_target_url(base + path, LOCAL, resolve=lambda *_: ["127.0.0.1"]), "{}", {"webhook-id": "x"})
            for path in ("/ok", "/away")
        ]
    finally:
        server.shutdown()
        server.server_close()
    assert statuses == [200, 307]
    assert server.taken == [(path, f"receiver.example:{server.server_port}", b"{}") for path in ("/ok", "/away")]


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("http://hook.example/x", ["93.184.216.34"]), ("https://hook.example/x", ["127.0.0.1"]), ("https://hook.example/x", ["169.254.169.254"]),
        ("https://hook.example/x", ["93.184.216.34", "10.0.0.1"]), ("https://[::ffff:127.0.0.1]/x", ["::ffff:127.0.0.1"]),
        ("https://hook.example/x", ["fe80::1"]), ("ftp://hook.example/x", ["93.184.216.34"]), ("https://user:pw@hook.example/", ["93.184.216.34"]),
    ],
)  # fmt: skip
def test_addresses_inside_are_refused(url: str, addresses: list[str]) -> None:
    with pytest.raises(ServiceError):
        verify_target_url(url, resolve=lambda *_: addresses)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_c2hvcnQ=", "whsec_!!!", SECRET.removeprefix("whsec_")])
def test_a_secret_that_is_none_is_refused_without_repeating_it(secret: str) -> None:
    with pytest.raises(ServiceError, match="no secret") as refused:
        check_secret(secret)
    assert len(secret) < 7 or secret not in str(refused.value)
    assert check_secret(new_secret())


def test_webhooks_over_http_show_their_secret_once(database_url: str) -> None:
    settings = Settings(webhooks=WebhookSettings(hosts=("10.0.0.7",)))
    house = House(Store(database_url), settings=settings, now=lambda: NOW)
    client = TestClient(create_app(house, screens=False), base_url="http://127.0.0.1:8080")
    signed_in(client, house, Role.ADMINISTRATOR)
    made = client.post("/api/webhooks", json={"url": "https://10.0.0.7/x", "wanted": {"severity": "critical"}}).json()
    assert made["secret"].startswith("whsec_")
    listed = client.get("/api/webhooks")
    assert made["secret"] not in listed.text
    assert (listed.json()[0]["wanted"]["severity"], listed.json()[0]["behind"]) == ("critical", 0)
    assert made["secret"] not in repr(Webhooks(house.store).subscriptions())
    assert client.post("/api/webhooks", json={"url": "https://192.168.0.1/x"}).status_code == 400
    assert client.post("/api/dead-letters/7/resend").status_code == 404
    assert client.get("/api/dead-letters").json() == []
    assert client.delete(f"/api/webhooks/{made['webhook_id']}").status_code == 204
    assert client.delete(f"/api/webhooks/{made['webhook_id']}").status_code == 404
    house.stop()
