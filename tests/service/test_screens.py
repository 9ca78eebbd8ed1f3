"""The service as it really runs: the stream over HTTP, and the first screen in a browser, without any other host."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from service.access.door import COOKIE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Served:
    """A running service: where it is, the token of a session that may do everything, and a sign-in link's ticket."""

    address: str
    token: str
    ticket: str

    @property
    def cookies(self) -> dict[str, str]:
        return {COOKIE: self.token}

    @property
    def cookie_of_browser(self) -> dict[str, str]:
        return {"name": COOKIE, "value": self.token, "url": self.address}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    database = tmp_path_factory.mktemp("served") / "served.db"
    server = subprocess.Popen(
        [sys.executable, str(HERE / "serve_fakes.py"), str(port), str(database)],
        cwd=HERE.parents[1],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    token, ticket = server.stdout.readline().strip(), server.stdout.readline().strip()
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert server.poll() is None, "the service ended by itself"
            try:
                if httpx.get(f"{address}/health", timeout=1.0).status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        yield Served(address, token, ticket)
    finally:
        server.terminate()
        server.wait(15)


def read_stream(served: Served, count: int, **headers: str) -> list[int]:
    """The ids of the next alerts of the stream."""
    ids: list[int] = []
    address = f"{served.address}/api/alerts/stream"
    with httpx.stream("GET", address, headers=headers, cookies=served.cookies, timeout=30.0) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("data: "):
                ids.append(json.loads(line.removeprefix("data: "))["id"])
            if len(ids) == count:
                break
    return ids


def test_the_stream_resumes_over_http(served: Served) -> None:
    assert read_stream(served, 2, **{"Last-Event-ID": "0"}) == [1, 2]
    assert read_stream(served, 1, **{"Last-Event-ID": "1"}) == [2]


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed; install chromium to test the screens")
def test_an_alert_is_opened_and_closed_in_the_browser(served: Served) -> None:
    from playwright.sync_api import expect, sync_playwright

    read_stream(served, 2, **{"Last-Event-ID": "0"})
    address = served.address
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-quic"]
        )
        try:
            page = browser.new_page(viewport={"width": 1500, "height": 900})
            strangers: list[str] = []
            faults: list[str] = []
            page.on(
                "request",
                lambda r: strangers.append(r.url) if not r.url.startswith((address, "data:", "blob:")) else None,
            )
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
            page.context.add_cookies([served.cookie_of_browser])
            page.goto(address)
            rows = page.locator(".row-alert")
            expect(rows).to_have_count(2, timeout=20_000)
            expect(rows.first).to_contain_text("Seat 4, Ante: $10")
            page.wait_for_function("document.getElementById('live-picture').naturalWidth >= 900", timeout=20_000)
            first_picture = page.locator("#live-picture").get_attribute("src")
            rows.nth(1).click()
            detail = page.locator(".detail")
            expect(detail).to_contain_text("58 Pa. Code § 669a.11(c)")
            expect(detail).to_contain_text("Once all players have either checked or placed a Play Wager")
            expect(detail).to_contain_text("turned while seat 4 had not decided")
            page.wait_for_function(
                "[...document.querySelectorAll('.shot img')].some(i => i.naturalWidth > 500)", timeout=20_000
            )
            detail.get_by_text("Dismiss as false").click()
            expect(page.get_by_text("an alert is dismissed with a reason")).to_be_visible()
            detail.locator("input").fill("seat 4 had left the table")
            detail.get_by_text("Dismiss as false").click()
            expect(detail).to_contain_text("dismissed by person-1")
            expect(rows.nth(1)).to_contain_text("dismissed")
            assert page.locator("#live-picture").get_attribute("src") != first_picture
            assert strangers == []
            assert faults == []
        finally:
            browser.close()
    alert = httpx.get(f"{address}/api/alerts/1", cookies=served.cookies).json()
    assert (alert["status"], alert["history"][0]["reason"]) == ("dismissed", "seat 4 had left the table")
