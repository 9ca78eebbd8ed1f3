"""The whole way, nothing faked: the bundled film through networks, watcher and law to findings."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from datasets.clips import BUNDLED
from datasets.score.rounds import label, match_findings, read_lines
from service.config import load_table
from service.reviews.review import review_video


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundled") / "review"
    review_video(BUNDLED / "video.mp4", load_table(BUNDLED / "table.yaml"), out)
    return out


def test_every_planted_mistake_is_found_and_none_that_was_not_made(reviewed: Path) -> None:
    planted = [line for line in read_lines(BUNDLED / "truth.jsonl") if line["type"] == "finding"]
    breaches = [line for line in read_lines(reviewed / "findings.jsonl") if line["verdict"] == "breach"]
    _, missed, others = match_findings([p for p in planted if p["required"]], breaches)
    _, _, false = match_findings([p for p in planted if not p["required"]], others)
    assert [label(item) for item in missed] == []
    assert [label(item) for item in false] == []
    assert len({p["check_id"] for p in planted if p["required"]}) >= 4


def test_every_breach_has_its_section_and_pictures(reviewed: Path) -> None:
    for line in read_lines(reviewed / "findings.jsonl"):
        if line["verdict"] == "breach":
            assert line["citation"].startswith("58 Pa. Code § 669a.")
            assert list((reviewed / "evidence" / line["finding_id"]).glob("*_marked.jpg")), label(line)


def test_payouts_add_up(reviewed: Path) -> None:
    with (reviewed / "payouts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    known = [row for row in rows if row["difference_cents"]]
    assert known
    for row in known:
        assert int(row["paid_cents"]) - int(row["owed_cents"]) == int(row["difference_cents"])
    short = [row for row in known if int(row["difference_cents"]) < 0]
    assert len(short) == 1, [json.dumps(row) for row in short]
