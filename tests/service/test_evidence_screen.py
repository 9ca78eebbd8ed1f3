"""The evidence page in a browser: what is due is deleted after its number was typed, and an alert's evidence erased on request."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from browsing import NO_CHROMIUM, free_port, opened_page, running

from service.access.door import COOKIE

HERE = Path(__file__).parent
WAIT_MS = 120_000
SHOTS = os.environ.get("PITWATCH_SHOTS")
"""A folder for pictures of what the test sees."""


@pytest.mark.browser
@NO_CHROMIUM
def test_what_is_due_is_deleted_and_what_is_asked_for_erased(tmp_path: Path) -> None:
    from playwright.sync_api import expect

    port = free_port()
    command = [sys.executable, str(HERE / "serve_evidence.py"), str(port), str(tmp_path)]
    with running(command, port, lines=1) as (address, (token,)):
        cookie = {"name": COOKIE, "value": token.strip(), "url": address}
        with opened_page(address, size=(1400, 950), wait_ms=WAIT_MS, cookie=cookie) as page:
            expect.set_options(timeout=WAIT_MS)

            def shot(name: str) -> None:
                if SHOTS:
                    page.wait_for_timeout(500)
                    page.screenshot(path=f"{SHOTS}/{name}.png")

            page.goto(f"{address}/evidence")
            due = page.locator(".due")
            expect(due.locator("td", has_text="all of it")).to_have_count(2)
            expect(due.locator("td", has_text="its films")).to_have_count(1)
            due.get_by_role("button", name="Delete what is due").click()
            card = page.locator(".card")
            expect(card).to_contain_text("2 whole bundles")
            card.locator("input").fill("2")
            shot("due_asked")
            card.get_by_role("button", name="Delete for ever").click()
            expect(page.get_by_text("Type 3, or cancel")).to_be_visible()
            expect(due.locator("tr")).to_have_count(4)
            card.locator("input").fill("3")
            card.get_by_role("button", name="Delete for ever").click()
            expect(due).to_contain_text("Nothing is due.")
            shot("due_done")

            page.goto(f"{address}/alerts/4")
            page.get_by_role("button", name="Erase").click()
            page.locator(".card input").fill("a player asked")
            shot("erase_asked")
            page.get_by_role("button", name="Erase for ever").click()
            expect(page.get_by_text("nobody has decided this alert yet")).to_be_visible()
            page.goto(f"{address}/alerts/2")
            page.get_by_role("button", name="Erase").click()
            page.locator(".card input").fill("a player asked")
            page.get_by_role("button", name="Erase for ever").click()
            expect(page.locator(".bundle")).to_contain_text("erased on request: a player asked")
            shot("erased")
