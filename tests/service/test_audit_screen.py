"""The auditor's page in a browser: filtered, drilled down to a mispayment and its pictures, exported, sampled."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import NO_CHROMIUM, free_port, opened_page, running
from service_fakes import TABLE

from service.access.door import COOKIE

HERE = Path(__file__).parent
WAIT_MS = 120_000


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A served audit and the token of a session."""
    port = free_port()
    folder = tmp_path_factory.mktemp("audit")
    command = [sys.executable, str(HERE / "serve_audit.py"), str(port), str(folder)]
    with running(command, port, lines=1) as (address, (token,)):
        yield address, token.strip()


@pytest.mark.browser
@NO_CHROMIUM
def test_an_audit_filtered_drilled_down_and_exported(address: tuple[str, str]) -> None:
    from playwright.sync_api import expect

    where, token = address
    cookie = {"name": COOKIE, "value": token, "url": where}
    with opened_page(where, size=(1600, 950), wait_ms=WAIT_MS, cookie=cookie) as page:
        expect.set_options(timeout=WAIT_MS)
        page.goto(f"{where}/audit")
        rows = page.locator(".mispaid")
        expect(rows).to_have_count(4, timeout=WAIT_MS)
        figures = page.locator(".audit-figures")
        expect(figures).to_contain_text("12payouts checked")
        expect(figures).to_contain_text("6rounds, 1 of no known day")
        expect(page.locator(".audit-main")).to_contain_text(
            "Amounts are all that goes back to the player, the stake included"
        )
        expect(page.locator(".audit-books")).to_contain_text("agree")
        expect(page.locator(".audit-chart canvas")).to_be_visible()

        by_table = page.locator(".filters").get_by_text("table", exact=True)
        by_table.focus()
        page.keyboard.press("Enter")
        expect(by_table).to_have_attribute("aria-pressed", "true")
        expect(by_table).to_be_focused()
        page.locator(".audit-table td.name", has_text="riu-66").get_by_role("button").focus()
        page.keyboard.press("Enter")
        expect(figures).to_contain_text("2payouts checked", timeout=WAIT_MS)
        expect(rows).to_have_count(1)
        rows.first.focus()
        page.keyboard.press("Enter")
        opened = page.locator(".round")
        expect(opened).to_contain_text("two pair 3 to 2 on 10.00: 15.00 and the stake", timeout=WAIT_MS)
        expect(opened).to_contain_text("58 Pa. Code § 669a.12(c)")
        expect(opened.locator("a", has_text="Alert 1 · open")).to_have_attribute("href", "/alerts/1")
        expect(opened.locator(".seat-block .playing-card.red").first).to_contain_text("3♥")
        page.wait_for_function(
            "[...document.querySelectorAll('.round .shot img')].some(i => i.naturalWidth > 100)", timeout=WAIT_MS
        )

        with page.expect_download() as coming:
            page.get_by_text("Mispayments CSV").click()
        text = Path(coming.value.path()).read_text(encoding="utf-8-sig")
        assert text.splitlines()[0].startswith("day,at_utc,shift,table_id")
        assert ",riu-66," in text
        assert ",riu-01," not in text

        page.get_by_text("back to the list").click()
        page.locator(".audit-table td.name", has_text="riu-66").click()
        expect(figures).to_contain_text("12payouts checked", timeout=WAIT_MS)
        page.locator(".audit-table td.name", has_text=TABLE).click()
        expect(rows).to_have_count(1, timeout=WAIT_MS)
        rows.first.click()
        expect(opened).to_contain_text("Seat 4's Ante was paid $10 instead of $15.", timeout=WAIT_MS)
        page.wait_for_function("document.querySelector('.round video').readyState >= 1", timeout=WAIT_MS)
        assert page.evaluate("document.querySelector('.round video').duration") > 1.0, "the clip of the mispayment"
        page.get_by_text("back to the list").click()
        page.locator(".audit-table td.name", has_text=TABLE).click()
        expect(figures).to_contain_text("12payouts checked", timeout=WAIT_MS)
        page.locator(".audit-side .filters").get_by_text("samples").click()
        page.locator(".sample-form button").click()
        expect(page.locator(".sample-row").first).to_be_visible(timeout=WAIT_MS)
        bound = "6 of 6 rounds to check: if none of them differ or cannot be told, at most 1% differ"
        expect(page.locator(".sample")).to_contain_text(bound)
        page.locator(".sample-row").first.get_by_text("agrees", exact=True).click()
        expect(page.locator(".sample")).to_contain_text("1 of 6 checked", timeout=WAIT_MS)
