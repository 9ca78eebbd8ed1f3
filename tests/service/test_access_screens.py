"""The ways in and the administrator's screens in a real browser, which also says whether the content security policy holds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import CHROMIUM, NO_CHROMIUM, free_port, opened_page, running

PATIENCE_MS = 60_000
PASSWORD = "seven green chips on a felt"
POLICY_SAYS = re.compile("Content.Security.Policy|Refused to", re.IGNORECASE)

pytestmark = [
    pytest.mark.browser,
    NO_CHROMIUM,
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """A service started for the first time, as a user starts it: its address, and what it printed."""
    port, complaints = free_port(), list[str]()
    database = tmp_path_factory.mktemp("first") / "first.db"
    command = [
        sys.executable, "-m", "service.cli", "serve", "--port", str(port), "--database", f"sqlite:///{database}",
        "--tables", str(database.with_name("tables")),
    ]  # fmt: skip
    with running(command, port, lines=2, complaints=complaints) as (address, printed):
        yield address, printed
    password = printed[0].split()[-1]
    assert password not in complaints[0], "the one-time password stands in the log"


@pytest.fixture
def page(served: tuple[str, list[str]]) -> Iterator[Any]:
    """A page whose every complaint, and every request to another host, fails the test."""
    with opened_page(
        served[0],
        size=(1400, 860),
        wait_ms=PATIENCE_MS,
        complains=lambda said: POLICY_SAYS.search(said.text) is not None,
        script="addEventListener('securitypolicyviolation', e => console.error('Refused to ' + e.violatedDirective + ' ' + e.blockedURI))",
    ) as page:
        yield page


def test_a_new_administrator_s_first_start(page: Any, served: tuple[str, list[str]]) -> None:
    from playwright.sync_api import expect

    address, printed = served
    page.goto(f"{address}/people")
    expect(page).to_have_url(f"{address}/login?next=%2Fpeople")
    page.fill("#name", "administrator")
    page.fill("#password", "a guess that is wrong")
    page.click("button")
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    page.fill("#password", printed[0].split()[-1])
    page.click("button")
    expect(page).to_have_url(f"{address}/password")
    page.fill("#old", printed[0].split()[-1])
    page.fill("#new", PASSWORD)
    page.fill("#again", PASSWORD)
    page.click("button")
    expect(page.locator(".welcome")).to_contain_text("Add the first table", timeout=PATIENCE_MS)
    page.goto(f"{address}/people")
    page.get_by_text("Add a person").click()
    page.locator(".card input").first.fill("Ann.Okafor")
    page.locator(".card button", has_text="Add").last.click()
    secret = page.locator(".secret code")
    expect(secret).to_have_text(re.compile("^[a-z0-9]{5}(-[a-z0-9]{5}){3}$"))
    page.get_by_text("I have it").click()
    expect(page.locator(".list").first).to_contain_text("ann.okafor")
    expect(page.locator(".list").first).to_contain_text("must change password")
    page.goto(f"{address}/keys")
    expect(page.get_by_text("Make a key")).to_be_visible()
    page.goto(f"{address}/journal")
    expect(page.locator(".list")).to_contain_text("people.add")
    expect(page.locator(".list")).to_contain_text("ann.okafor: operator of all tables")
    page.get_by_text("Check the chain").click()
    expect(page.locator(".verdict")).to_contain_text("the chain holds")
    with page.expect_download() as taken:
        page.get_by_text("Take along as CSV").click()
    assert taken.value.suggested_filename == "pitwatch-journal.csv"
    page.goto(f"{address}/docs")
    expect(page.get_by_text("/api/alerts/{alert_id}/evidence/{name}")).to_be_visible()
    page.goto(f"{address}/journal")
    page.get_by_text("Sign out").click()
    expect(page).to_have_url(f"{address}/login?said=out")
    page.goto(f"{address}/")
    expect(page).to_have_url(f"{address}/login")


def test_the_policy_stops_scripts_that_are_not_ours(served: tuple[str, list[str]]) -> None:
    """The watch for complaints would see one: a script without the page's nonce is refused and said so."""
    from playwright.sync_api import sync_playwright

    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("console", lambda one: said.append(one.text))
        page.goto(f"{served[0]}/login")
        page.evaluate(
            "() => { const s = document.createElement('script'); s.textContent = 'window.got = 1'; document.body.append(s); }"
        )
        assert page.evaluate("() => window.got") is None
        browser.close()
    assert any(POLICY_SAYS.search(one) for one in said)
