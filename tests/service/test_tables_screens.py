"""Setting tables up in a real browser: from an administrator's first start to a table that is watched, by hand and keyboard."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from browsing import NO_CHROMIUM, free_port, opened_page, running

from models.chip_matcher import face_text
from service.access.door import COOKIE

HERE = Path(__file__).parent
PATIENCE_MS = 90_000
PASSWORD = "seven green chips on a felt"

pytestmark = [
    pytest.mark.browser,
    NO_CHROMIUM,
]


@dataclass(frozen=True)
class Served:
    """A running service: where it is, the first administrator's password, a session's token, its folder."""

    address: str
    password: str
    token: str
    folder: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    port = free_port()
    folder = tmp_path_factory.mktemp("tables")
    command = [sys.executable, str(HERE / "serve_tables.py"), str(port), str(folder)]
    with running(command, port, lines=2) as (address, (password, token)):
        yield Served(address, password.strip(), token.strip(), folder)


@pytest.fixture
def page(served: Served) -> Iterator[Any]:
    """A page whose every complaint, and every request to another host, fails the test."""
    with opened_page(
        served.address,
        size=(1366, 768),
        wait_ms=PATIENCE_MS,
        complains=lambda said: "Content Security Policy" in said.text,
    ) as page:
        yield page


def test_from_the_first_start_to_a_table_that_is_calibrated_by_hand_and_watched(page: Any, served: Served) -> None:
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE_MS)
    page.goto(f"{served.address}/")
    page.fill("#name", "administrator")
    page.fill("#password", served.password)
    page.click("button")
    page.fill("#old", served.password)
    page.fill("#new", PASSWORD)
    page.fill("#again", PASSWORD)
    page.click("button")
    expect(page).to_have_url(f"{served.address}/tables")
    page.locator(".welcome a").click()
    page.fill("#f-camera-source", "camera.png")
    page.fill("#f-table_id", "riu-07")
    page.press("#f-camera-source", "Enter")
    found = page.locator(".found")
    expect(found).to_contain_text("found by its prints")
    handle = page.locator(".handle").nth(1)
    before = handle.get_attribute("aria-label")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + 12, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 15, box["y"] + 10, steps=3)
    expect(page.locator(".loupe")).to_be_visible()
    assert handle.get_attribute("aria-label") != before, "the point follows the pointer"
    page.mouse.up()
    expect(found).to_contain_text("snapped from your points")
    handle.focus()
    page.keyboard.press("Shift+ArrowRight")
    assert re.search(r": \d+\.\d, \d+\.\d px", handle.get_attribute("aria-label"))
    page.get_by_role("button", name="Reset").click()
    expect(found).to_contain_text("snapped from your points")
    expect(page.locator(".form-status")).to_have_text("In order")
    page.get_by_role("button", name="Add the table").click()
    card = page.locator('[data-table="riu-07"]')
    expect(card).to_contain_text("watching")
    kept = yaml.safe_load((served.folder / "tables" / "riu-07.yaml").read_text())
    assert [len(point) for point in kept["camera"]["corners_px"]] == [2, 2, 2, 2]
    card.get_by_role("button", name="Pause").click()
    page.locator("dialog button.main").click()
    expect(page.locator("dialog .wrong")).to_contain_text("A reason is needed")
    page.keyboard.type("the felt is changed")
    page.keyboard.press("Enter")
    expect(card).to_contain_text("the felt is changed; a declared coverage gap")
    card.get_by_role("button", name="Resume").click()
    expect(card).to_contain_text("watching")


def test_a_rules_submission_is_refused_while_it_is_typed_and_nothing_typed_is_lost(page: Any, served: Served) -> None:
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE_MS)
    page.context.add_cookies([{"name": COOKIE, "value": served.token, "url": served.address}])
    page.goto(f"{served.address}/tables/new")
    page.fill("#f-table_id", "lir-01")
    with page.expect_response(
        "**/api/tables/check"
    ):  # the check of what was typed ends after the camera's refusal and leaves it standing
        page.fill("#f-camera-source", "rtsp://8.8.8.8/one")
        page.get_by_role("button", name="Take a picture").click()
    page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    expect(page.locator("#f-camera-source-said")).to_contain_text("is not among the hosts of cameras.hosts")
    page.fill("#f-camera-source", "camera.png")
    page.select_option("#f-game", "let_it_ride")
    page.fill("#f-rules_submission-seats", "8")
    expect(page.locator("#f-rules_submission-seats-said")).to_contain_text("Must be from 1 to 7 (§ 643a.2(a)), got 8")
    expect(page.get_by_role("button", name="Add the table")).to_be_disabled()
    page.fill("#f-rules_submission-seats", "6")
    for wager in ("progressive3", "progressive5"):
        page.select_option(f"#f-rules_submission-paytables-{wager}", index=1)
    expect(page.locator('[data-key="rules_submission.paytables"]')).to_contain_text("§ 643a.2(b)(7)")
    page.select_option("#f-rules_submission-paytables-progressive5", "")
    page.select_option("#f-rules_submission-progressive_unit_cents", index=1)
    page.fill("#f-rules_submission-payout_limit_cents", "10")
    expect(page.locator("#f-rules_submission-payout_limit_cents-said")).to_contain_text("§ 643a.12(h)")
    page.fill("#f-rules_submission-payout_limit_cents", "")
    expect(page.locator(".form-status")).to_have_text("In order")
    page.get_by_role("button", name="As YAML").click()
    area = page.locator("textarea.yaml")
    area.fill(area.input_value().replace("seats: 6", "seats: 6\n  seating: 3"))
    expect(page.locator(".problems")).to_contain_text("rules_submission.seating: unknown key")
    area.fill(area.input_value().replace("\n  seating: 3", ""))
    expect(page.locator(".form-status")).to_have_text("In order")
    page.get_by_role("button", name="As a form").click()
    expect(page.locator("#f-table_id")).to_have_value("lir-01")
    picture = face_text(np.full((32, 32, 3), (70, 160, 200), np.uint8)).replace("\n", "\n    ")
    page.get_by_role("button", name="As YAML").click()
    area.fill(f"{area.input_value()}\nchips:\n  gold: 2500\nchip_faces:\n  gold: |-\n    {picture}\n")
    expect(page.locator(".form-status")).to_have_text("In order")
    page.get_by_role("button", name="As a form").click()
    expect(page.get_by_label("gold chips, dollars")).to_have_value("25")
    expect(page.get_by_label("red chips, dollars")).to_have_count(0)
    assert page.locator("img.disc").evaluate("(image) => image.naturalWidth") == 32
