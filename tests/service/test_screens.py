"""The service as it really runs: the stream over HTTP, and the first screen in a browser, without any other host."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsing import NO_CHROMIUM, free_port, opened_page, running
from typer.testing import CliRunner

from service.access.door import COOKIE
from service.cli import app

HERE = Path(__file__).parent
WAIT_MS = 90_000


def browser_test(test: Any) -> Any:
    """A test that needs a browser."""
    return pytest.mark.browser(NO_CHROMIUM(test))


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
    port = free_port()
    database = tmp_path_factory.mktemp("served") / "served.db"
    command = [sys.executable, str(HERE / "serve_fakes.py"), str(port), str(database)]
    with running(command, port, lines=2) as (address, (token, ticket)):
        yield Served(address, token.strip(), ticket.strip())


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


@pytest.fixture
def page(served: Served) -> Iterator[Any]:
    """A signed-in page whose complaints, and requests to other hosts, fail the test."""
    read_stream(served, 2, **{"Last-Event-ID": "0"})
    with opened_page(
        served.address,
        size=(1500, 900),
        wait_ms=WAIT_MS,
        complains=lambda said: said.type == "error",
        cookie=served.cookie_of_browser,
    ) as page:
        yield page


def type_in_dialog(page: Any, text: str, *, closes: bool = True) -> None:
    """Types into the field that a dialog put the cursor in, ends with Enter, and waits until the dialog is gone."""
    page.wait_for_function("document.activeElement.closest('.q-dialog') && document.activeElement.tagName === 'INPUT'")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    if closes:
        page.wait_for_function("!document.querySelector('.q-dialog')")


@browser_test
def test_an_operator_handles_an_alert_by_keyboard_alone(page: Any, served: Served) -> None:
    from playwright.sync_api import expect

    page.goto("/?state=all&order=newest")
    rows, detail, keys = page.locator(".row-alert"), page.locator(".detail"), page.keyboard
    expect(rows).to_have_count(2, timeout=WAIT_MS)
    expect(rows.first).to_contain_text("Seat 4, Ante: $10", timeout=WAIT_MS)
    page.wait_for_function("document.getElementById('live-picture').naturalWidth >= 900")
    first_picture = page.locator("#live-picture").get_attribute("src")
    keys.press("j")
    keys.press("ArrowDown")
    expect(rows.nth(1)).to_have_class(re.compile(r"\bon\b"), timeout=WAIT_MS)
    keys.press("Enter")
    expect(detail).to_contain_text("58 Pa. Code § 669a.11(c)", timeout=WAIT_MS)
    expect(detail).to_contain_text("Once all players have either checked or placed a Play Wager")
    expect(detail).to_contain_text("turned while seat 4 had not decided")
    page.wait_for_function("[...document.querySelectorAll('.shot img')].some(i => i.naturalWidth > 500)")
    keys.press("a")
    expect(detail).to_contain_text("acknowledged by person-1", timeout=WAIT_MS)
    keys.press("d")
    type_in_dialog(page, "", closes=False)
    expect(page.get_by_text("an alert is dismissed with a reason")).to_be_visible(timeout=WAIT_MS)
    type_in_dialog(page, "mad crook: seat 4 had left")
    expect(detail).to_contain_text("dismissed by person-1", timeout=WAIT_MS)
    expect(detail).to_contain_text("mad crook: seat 4 had left")
    keys.press("r")
    type_in_dialog(page, "it had not")
    expect(detail).to_contain_text("reopened by person-1", timeout=WAIT_MS)
    keys.press("s")
    page.wait_for_function("document.activeElement.closest('.q-dialog')")
    keys.press("Enter")
    expect(detail).to_contain_text("assigned to person-1", timeout=WAIT_MS)
    page.wait_for_function("!document.querySelector('.q-dialog')")
    keys.press("?")
    expect(page.locator(".keys")).to_contain_text("dismiss as false, with a reason", timeout=WAIT_MS)
    keys.press("Escape")
    expect(page.locator(".keys")).to_have_count(0, timeout=WAIT_MS)
    assert page.locator("#live-picture").get_attribute("src") != first_picture
    alert = httpx.get(f"{served.address}/api/alerts/1", cookies=served.cookies).json()
    assert [step["action"] for step in alert["history"]] == ["acknowledge", "dismiss", "reopen", "assign"]
    assert (alert["status"], alert["assignee"]) == ("open", "person-1")


@browser_test
def test_a_picture_that_does_not_come_leaves_the_last_one(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "picture.jpg" in request.url else None)
    page.goto("/")
    shown = page.locator("#live-picture")
    page.wait_for_function("document.getElementById('live-picture').naturalWidth >= 900")
    assert len(asked) == len(set(asked)), "every picture is asked for once"
    page.evaluate("""() => {
      const come = window.fetch;
      window.kept = 0;
      window.fetch = (...asked) => String(asked[0]).includes("picture.jpg")
        ? (window.kept++, Promise.resolve(new Response("", { status: 404 }))) : come(...asked);
    }""")
    page.wait_for_function("window.kept >= 2", timeout=WAIT_MS)
    last = shown.get_attribute("src")
    page.wait_for_function("window.kept >= 4", timeout=WAIT_MS)
    assert shown.get_attribute("src") == last
    assert shown.evaluate("image => image.complete && image.naturalWidth >= 900")
    page.evaluate("() => { window.pitwatchTable = 'another'; window.kept = 0; }")
    page.wait_for_function("window.kept >= 1", timeout=WAIT_MS)
    assert shown.get_attribute("src") is None, "another table's picture is not shown as this one's"
    assert shown.evaluate("image => getComputedStyle(image).visibility") == "hidden"


@browser_test
def test_the_address_keeps_the_view_and_the_way_back(page: Any, served: Served) -> None:
    from playwright.sync_api import expect

    page.goto("/?state=all&rule=RIU-SET-ANTE")
    rows = page.locator(".row-alert")
    expect(rows).to_have_count(1, timeout=WAIT_MS)
    page.get_by_text("rule RIU-SET-ANTE ×").click()
    expect(rows).to_have_count(2, timeout=WAIT_MS)
    page.locator(".chips .filter", has_text="dismissed").click()
    expect(page.get_by_text("No alerts here.")).to_be_visible(timeout=WAIT_MS)
    expect(page).to_have_url(f"{served.address}/?state=dismissed")
    page.go_back()
    expect(rows).to_have_count(2, timeout=WAIT_MS)
    page.keyboard.press("f")
    page.locator(".pick-severity").click()
    page.locator(".q-menu").get_by_text("warning").click()
    expect(page.get_by_text("No alert fits this filter.")).to_be_visible(timeout=WAIT_MS)
    expect(page).to_have_url(re.compile("severity=warning"), timeout=WAIT_MS)
    page.reload()
    expect(page.get_by_text("severity warning ×")).to_be_visible(timeout=WAIT_MS)
    expect(rows).to_have_count(0)
    sound = page.locator("#sound")
    sound.click()
    expect(sound).to_have_text(re.compile("Sound on|Sound: no audio here"), timeout=WAIT_MS)
    sound.click()
    expect(sound).to_have_text("Sound off", timeout=WAIT_MS)
    page.reload()
    expect(sound).to_have_text("Sound off", timeout=WAIT_MS)


@browser_test
def test_an_alert_on_its_own_page_is_stepped_through_replayed_and_exported(
    page: Any, served: Served, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    for _ in range(600):
        if httpx.get(f"{served.address}/api/alerts/1/bundle", cookies=served.cookies).json()["state"] == "stored":
            break
        time.sleep(0.2)
    page.goto("/alerts/1")
    said, keys = page.locator("#player-said"), page.keyboard
    expect(said).to_have_text(re.compile(r"^picture \d+ of \d+ · 0:02"), timeout=WAIT_MS)
    page.wait_for_function("document.getElementById('player-still').naturalWidth >= 900")
    number = int(said.text_content().split()[1])
    keys.press(".")
    expect(said).to_contain_text(f"picture {number + 1} of", timeout=WAIT_MS)
    keys.press(",")
    keys.press(",")
    expect(said).to_contain_text(f"picture {number - 1} of", timeout=WAIT_MS)
    page.wait_for_function(f"document.getElementById('player-still').src.endsWith('/frames/{number - 2}.jpg')")
    marks = page.locator("#player-marks .mark")
    assert marks.count() > 40
    keys.press("l")
    expect(marks).to_have_count(0)
    page.locator("[data-mark=cards]").click()
    expect(marks).to_have_count(1)
    now = page.locator("#replay-said")
    expect(now).to_contain_text("card turned · 4th Street · T♦ · the alert rests on this")
    expect(page.locator("#replay-cards .card")).to_have_count(2)
    keys.press("[")
    expect(now).to_contain_text("card placed · seat 4, cards · face down")
    expect(page.locator("#replay-cards .card")).to_have_count(1)
    expect(page.locator("#replay-chips .chip")).to_have_text("$15")
    keys.press("m")
    type_in_dialog(page, "no cards, no chips: , . [ ]")
    expect(page.locator(".history")).to_contain_text("commented by person-1", timeout=WAIT_MS)
    with page.expect_download() as coming:
        page.get_by_text("Export bundle").click()
    archive = tmp_path / "bundle.zip"
    archive.write_bytes(Path(coming.value.path()).read_bytes())
    key = tmp_path / "public.pem"
    key.write_bytes(httpx.get(f"{served.address}/api/evidence/public.pem", cookies=served.cookies).content)
    report = CliRunner().invoke(app, ["verify", str(archive), "--key", str(key)])
    assert report.exit_code == 0, report.output
    keys.press("Escape")
    expect(page.locator(".detail")).to_contain_text("Alert 1", timeout=WAIT_MS)


@browser_test
def test_the_shift_is_handed_over_and_evidence_and_receivers_are_shown(page: Any, served: Served) -> None:
    from playwright.sync_api import expect

    page.goto("/handover")
    expect(page.locator(".handover-figures")).to_contain_text("2raised in the shift", timeout=WAIT_MS)
    expect(page.locator(".list").first).to_contain_text("4th Street: turned while seat 4 had not decided")
    page.goto("/handover?from=2026-01-02T00:00&to=2026-01-01T00:00")
    expect(page.get_by_text("A shift begins before it ends")).to_be_visible(timeout=WAIT_MS)
    page.goto("/evidence")
    expect(page.locator(".evidence-figures")).to_contain_text("bundles, 0 deleted by retention", timeout=WAIT_MS)
    expect(page.get_by_text("Nothing is held.")).to_be_visible()
    page.goto("/feed")
    expect(page.get_by_text("No dead letters")).to_be_visible(timeout=WAIT_MS)
    page.goto("/alerts/999")
    expect(page.get_by_text("There is no such alert")).to_be_visible(timeout=WAIT_MS)


@browser_test
def test_a_room_that_hears_nothing_of_the_service_says_so(page: Any) -> None:
    from playwright.sync_api import expect

    deaf: list[bool] = []

    def through(route: Any) -> None:
        server = route.connect_to_server()
        server.on_message(lambda message: None if deaf else route.send(message))

    page.route_web_socket(re.compile("_nicegui_ws"), through)
    page.goto("/?state=all")
    expect(page.locator(".row-alert")).to_have_count(2, timeout=WAIT_MS)
    expect(page.locator(".strip .clock")).to_contain_text("UTC", timeout=WAIT_MS)
    said = page.locator(".silent-service")
    expect(said).to_have_count(0)
    deaf.append(True)
    expect(said).to_contain_text("Nothing has come from the service since", timeout=30_000)
    deaf.clear()
    expect(said).to_have_count(0, timeout=WAIT_MS)


@browser_test
def test_the_tables_page_says_that_the_service_does_not_answer_only_while_it_does_not(served: Served) -> None:
    from playwright.sync_api import expect

    with opened_page(served.address, size=(1200, 800), wait_ms=WAIT_MS, cookie=served.cookie_of_browser) as page:
        page.goto("/tables")
        expect(page.locator(".table-card")).to_have_count(1, timeout=WAIT_MS)
        page.route("**/api/tables", lambda route: route.abort())
        said = page.locator("#tables > .wrong")
        expect(said).to_contain_text("does not answer", timeout=WAIT_MS)
        page.unroute("**/api/tables")
        expect(said).to_have_text("", timeout=WAIT_MS)


def box_of(page: Any, selector: str) -> tuple[float, float, float, float]:
    """Where an element lies, px: left, top, right, bottom."""
    found = page.locator(selector).first.bounding_box()
    assert found is not None, f"{selector} is not shown"
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


@browser_test
@pytest.mark.parametrize("width", [1024, 390], ids=["a small screen", "a telephone"])
def test_a_narrow_window_hides_nothing_that_is_needed(page: Any, width: int) -> None:
    from playwright.sync_api import expect

    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/?state=all&alert=1")
    expect(page.locator(".detail")).to_contain_text("Whole alert", timeout=WAIT_MS)
    for needed in (".me form button", ".detail .detail-title", ".detail .steps button"):
        left, _, right, _ = box_of(page, needed)
        assert 0 <= left <= right <= width, f"{needed} lies outside"
    page.goto("/alerts/1")
    expect(page.locator(".alert-side")).to_contain_text("Expected", timeout=WAIT_MS)
    main, side = box_of(page, ".alert-main"), box_of(page, ".alert-side")
    assert max(main[2], side[2]) <= width
    assert main[2] <= side[0] or main[1] >= side[3] or side[1] >= main[3], "the columns lie on one another"
