"""The investigator in a browser: a video dropped in and followed to its report, a round found by its cards."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import NO_CHROMIUM, free_port, opened_page, running
from service_fakes import TABLE
from test_review_queue import recordings

from service.access.door import COOKIE

HERE = Path(__file__).parent
WAIT_MS = 60_000
SHOTS = os.environ.get("PITWATCH_SHOTS")
"""A folder for pictures of what the test sees."""
DROPPED = """([content, name]) => {
  const bytes = Uint8Array.from(atob(content), c => c.charCodeAt(0)), given = new DataTransfer();
  given.items.add(new File([bytes], name, { type: "video/mp4" }));
  document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    folder = tmp_path_factory.mktemp("reviews")
    recordings(folder, "night.mp4")
    port = free_port()
    command = [sys.executable, str(HERE / "serve_reviews.py"), str(port), str(folder)]
    with running(command, port, lines=1, ends_within_s=30.0) as (address, (token,)):
        yield address, token.strip(), folder


@pytest.fixture
def page(served: tuple[str, str, Path]) -> Iterator[Any]:
    address, token, _ = served
    cookie = {"name": COOKIE, "value": token, "url": address}
    with opened_page(address, size=(1440, 900), wait_ms=WAIT_MS, cookie=cookie) as page:
        yield page


@pytest.mark.browser
@NO_CHROMIUM
def test_a_video_dropped_in_is_followed_to_its_report_and_a_round_found_by_its_cards(page: Any, served: tuple[str, str, Path]) -> None:  # fmt: skip
    from playwright.sync_api import expect

    content = base64.b64encode((served[2] / "recordings" / "night.mp4").read_bytes()).decode()
    page.goto("/reviews")
    page.wait_for_selector("#drop")
    page.evaluate(DROPPED, [base64.b64encode(b"no video").decode(), "broken.mp4"])
    expect(page.locator("#drop-said")).to_contain_text("broken.mp4: this is no video", timeout=WAIT_MS)
    page.evaluate(DROPPED, [content, "pit 2 night.mp4"])
    expect(page.locator("#drop-said")).to_have_text("pit 2 night.mp4 is in the queue", timeout=WAIT_MS)
    row = page.locator(".review").first
    expect(row).to_contain_text("pit 2 night.mp4", timeout=WAIT_MS)
    expect(row).to_contain_text("2 breaches in 1 round", timeout=WAIT_MS)
    row.get_by_text("Open").click()
    expect(page.locator(".found")).to_have_count(2, timeout=WAIT_MS)
    expect(page.locator(".found").first).to_contain_text("4th Street: turned while seat 4 had not decided")
    page.wait_for_function("document.querySelectorAll('#strip .finding').length === 2", timeout=WAIT_MS)
    assert page.locator("#strip rect.round").count() == 1
    page.wait_for_function("document.getElementById('video').readyState >= 1", timeout=WAIT_MS)
    page.get_by_role("button", name="Events").click()
    expect(page.locator(".happened")).to_have_count(3, timeout=WAIT_MS)
    expect(page.locator(".happened").nth(2)).to_contain_text("card turned · 4th Street · T♦")
    report = page.context.request.get(page.get_by_role("link", name="Report", exact=True).get_attribute("href"))
    assert "turned while seat 4 had not decided" in report.text()
    pdf = page.context.request.get(page.get_by_role("link", name="Report as PDF").get_attribute("href"))
    assert pdf.body().startswith(b"%PDF")
    page.goto("/reviews/rounds")
    page.locator("input[name=q]").fill("[Th 2d] Td")
    page.locator("input[name=q]").press("Enter")
    found = page.locator("tr.hit")
    expect(found).to_have_count(1, timeout=WAIT_MS)
    expect(found).to_contain_text("RIU-C1-WHEN, RIU-SET-ANTE")
    found.get_by_text(f"{TABLE}-r0001").click()
    expect(page.locator(".found")).to_have_count(2, timeout=WAIT_MS)
    page.get_by_role("button", name="Correct the time").click()
    began = page.locator(".card input")
    began.fill("yesterday")
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.locator(".q-notification")).to_contain_text("yesterday", timeout=WAIT_MS)
    began.fill("2026-11-20T22:00:00-05:00")
    if SHOTS:
        page.wait_for_timeout(500)
        page.screenshot(path=f"{SHOTS}/correct_time.png")
    began.press("Enter")
    expect(page.locator(".recorded")).to_contain_text("recorded 2026-11-21 03:00:00 UTC, corrected by", timeout=WAIT_MS)
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/corrected.png")
    page.goto("/reviews/rounds?q=nonsense")
    expect(page.get_by_text("'nonsense' is no search word")).to_be_visible(timeout=WAIT_MS)
