"""What the reports of a review say: an investigator reads them as pages and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from service_fakes import NOW, finding, setup

from rules.findings import finding_to_dict
from service.evidence.page import render_page
from service.export.blocks import Facts, Figures, Text
from service.reviews.pdf_report import report_blocks
from service.reviews.report import render_report
from service.reviews.routes import timeline_rounds
from service.reviews.work import ROUNDS

ABOUT: dict[str, Any] = {
    "table_id": "riu-07", "video": "clip.mp4", "seconds": 60.0, "size_px": [960, 540], "fps": 30.0,
    "verdicts": {"compliant": 3, "undetermined": 0}, "sha256": {"video": "ab", "table": "cd"},
    "calibration": {"method": "features", "error_px": 0.1, "error_mm": 0.1, "sha256": "02"}, "versions": {"pitwatch": "0.1.0"},
    "table": {"configuration_sha256": "cd", "layout": "raise_it_up_6", "layout_sha256": "ef"},
    "source": {"live": False, "name": "clip.mp4", "recording_sha256": "ab"}, "film": {"missing": "none"},
    "networks_sha256": {}, "law_data_sha256": "01",
}  # fmt: skip


def round_of(*payouts: dict[str, Any], **cards: Any) -> dict[str, Any]:
    """A round of one seat."""
    known = {"community": [], "dealer": [], **cards}
    seat = {"seat": 2, "cards": ["Qc", "4d"], "folded": False, "wagers": [["ante", 1000]]}
    return {
        "round_id": "car-01-r0001", "number": 1, "opened_s": 1.0, "closed_s": 40.0, "complete": True, "seats": [seat],
        "payouts": list(payouts), **known,
    }  # fmt: skip


def paid(owed_cents: int | None, paid_cents: int | None, verdict: str = "breach") -> dict[str, Any]:
    """A wager that was settled."""
    return {
        "seat": 2, "wager": "ante", "stake_cents": 1000, "outcome": "win", "owed_cents": owed_cents, "paid_cents": paid_cents,
        "verdict": verdict, "way": "1 to 1",
    }  # fmt: skip


def page_of(*rounds: dict[str, Any], breaches: tuple[dict[str, Any], ...] = (), **about: Any) -> str:
    """The report as a page."""
    return render_report(
        setup(), about=ABOUT | about, breaches=breaches, undetermined=(), rounds=rounds, pictures=lambda _: (), made=NOW
    )


def paper_of(*rounds: dict[str, Any], breaches: tuple[dict[str, Any], ...] = (), **about: Any) -> list[Any]:
    """The report as it goes on paper."""
    given: Any = {"about": ABOUT | about, "breaches": breaches, "undetermined": (), "rounds": rounds}
    return list(report_blocks(setup(), **given, pictures=lambda _: ()))


CARDS = [
    ({"dealer": ["As", "Kd", None]}, "dealer: A♠ K♦ ? · seat 2: Q♣ 4♦"),
    ({"community": ["Td"], "dealer": []}, "community: T♦ · seat 2: Q♣ 4♦"),
]


@pytest.mark.parametrize(("cards", "said"), CARDS, ids=["dealer", "community"])
def test_a_report_shows_the_cards_that_a_round_had(cards: dict[str, Any], said: str) -> None:
    assert f">{said}</div>" in page_of(round_of(**cards))
    assert said in [one.text for one in paper_of(round_of(**cards)) if isinstance(one, Text)]


def test_a_bundle_shows_the_cards_of_the_dealer() -> None:
    page = render_page(
        finding=finding_to_dict(finding(1)), law={"citation": "§ 1", "sentence": ""}, events={}, about=ABOUT, captions={},
        record=round_of(dealer=["As", None]),
    )  # fmt: skip
    assert '<td>dealer</td><td class="number">A♠ ? </td>' in page


def test_the_timeline_names_the_cards_of_the_dealer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(path: Path) -> Iterator[dict[str, Any]]:
        assert path == tmp_path / ROUNDS
        yield round_of(dealer=["As", None])

    monkeypatch.setattr("service.reviews.routes.json_lines_of", lines)
    assert [one["dealer"] for one in timeline_rounds(tmp_path)] == ["A♠ ?"]


def test_what_was_paid_too_much_does_not_hide_what_was_paid_too_little() -> None:
    played = round_of(
        paid(5000, 7500), paid(7500, 5000), paid(5000, 5000, "compliant"), paid(None, 5000, "undetermined")
    )
    page = page_of(played)
    assert '<b class="bad">$25</b>paid too much' in page
    assert '<b class="bad">$25</b>paid too little' in page
    assert "The sums are of 3 payouts of which both amounts are known; 1 more is in none of them." in page
    figures = next(one for one in paper_of(played) if isinstance(one, Figures))
    assert figures.pairs[-2:] == [("$25", "paid too much"), ("$25", "paid too little")]


def test_a_breach_says_when_it_was_played_where_that_is_known() -> None:
    breach = finding_to_dict(finding(1, t_s=83.4))
    known = {"recorded_utc": "2026-11-21T03:00:00.000Z", "recorded_by": "said by its name"}
    place = "1:23 (began 1:21), {}round riu-07-r0001, 4th Street"
    for about, said in ((known, "played 2026-11-21 03:01:23 UTC, "), ({}, "")):
        assert f">{place.format(said)}</dd>" in page_of(breaches=(breach,), **about)
        facts = [pair for one in paper_of(breaches=(breach,), **about) if isinstance(one, Facts) for pair in one.pairs]
        assert ("When, where", place.format(said)) in facts
