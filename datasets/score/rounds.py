"""Violations found and false alerts of whole rounds, from video alone.

Each clip is reviewed by the command people use, in a process of its own, and its breaches are matched with the truth the
simulator wrote: the same check at the same seat, at most `MATCH_S` apart or in the same round. A breach without a match is a false alert; what
follows from a planted mistake but need not be said (`"required": false`) is neither missed nor false.
"""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.play.chips_still import CHIPS
from datasets.score.intervals import Share

TAUGHT = "table.learned.yaml"
"""Name of a table's file with its chips learned."""
MATCH_S = 20.0
"""A breach may be reported when its evidence is complete, some seconds after the mistake was made; in its own round at any time (cards too many of a
hand show when it is laid out)."""

_log = logging.getLogger(__name__)


class ReviewFailedError(RuntimeError):
    """`pitwatch review` ended with an error; the text is what it printed."""


@dataclass(frozen=True, slots=True)
class ClipScore:
    """One clip: what was planted, what was found, what was accused without cause."""

    clip: str
    rounds: int
    expected: tuple[str, ...]
    found: tuple[str, ...]
    missed: tuple[str, ...]
    false_alerts: tuple[str, ...]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def match_findings(
    expected: Sequence[dict[str, Any]], breaches: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """(found, missed, false): each breach answers at most one expected finding of its check and seat, the nearest in time.

    Args:
        expected: truth findings with `check_id`, `seat` (or None) and `t_s`.
        breaches: reported findings with the same fields.
    """
    left = list(breaches)
    found, missed = [], []
    for item in sorted(expected, key=lambda finding: float(finding["t_s"])):
        fits = [
            other
            for other in left
            if other["check_id"] == item["check_id"]
            and item.get("seat") in (None, other.get("seat"))
            and (abs(float(other["t_s"]) - float(item["t_s"])) <= MATCH_S or _in_its_round(other, item))
        ]
        if not fits:
            missed.append(item)
            continue
        left.remove(min(fits, key=lambda other: abs(float(other["t_s"]) - float(item["t_s"]))))
        found.append(item)
    return found, missed, left


def _in_its_round(breach: dict[str, Any], finding: dict[str, Any]) -> bool:
    number = finding.get("round")
    return number is not None and str(breach.get("round_id")).endswith(f"-r{number:04d}")


def label(finding: dict[str, Any]) -> str:
    """A finding in a few words, for the list of misses."""
    seat = f" seat {finding['seat']}" if finding.get("seat") else ""
    return f"{finding['check_id']}{seat} at {float(finding['t_s']):.1f} s"


def rounds_judged(review: Path) -> int:
    """How many different rounds the findings of a review speak of."""
    return len({item["round_id"] for item in read_lines(review / "findings.jsonl") if item["round_id"] is not None})


def learned(folder: Path) -> Path:
    """The table's file of a simulated clip with its chips learned from the installer's picture, as `pitwatch chips learn --leave-open` does; beside `table.yaml`.

    The same file as before where they were learned before or cannot be learned.
    """
    table, taught = folder / "table.yaml", folder / TAUGHT
    chips = [item for item in read_lines(folder / "truth.jsonl") if item["type"] == "chip"]
    if taught.exists():
        return taught
    if not chips:
        return table
    command = [sys.executable, "-m", "service.cli", "chips", "learn", str(folder / CHIPS)]
    command += ["--leave-open", "--table", str(taught)]
    for chip in chips:
        x, y = chip["center_px"]
        command += ["--at", f"{x},{y}={chip['cents'] / 100:.2f}"]
    shutil.copyfile(table, taught)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        taught.unlink()
        _log.warning("%s: chips not learned: %s", folder.name, done.stderr.strip())
        return table
    return taught


def score_clip(folder: Path, out: Path) -> ClipScore:
    """Review one simulated clip (`video.mp4`, `table.yaml`, `truth.jsonl`) and compare.

    The table's chips are learned from the installer's picture first, where there is one.

    Raises:
        ReviewFailedError: the review did not end well.
    """
    command = [sys.executable, "-m", "service.cli", "review", str(folder / "video.mp4")]
    command += ["--table", str(learned(folder)), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReviewFailedError(f"{folder}: exit status {done.returncode}: {done.stderr.strip()[-2000:]}")
    truth = read_lines(folder / "truth.jsonl")
    planted = [item for item in truth if item["type"] == "finding"]
    expected = [item for item in planted if item.get("required", True)]
    allowed = [item for item in planted if not item.get("required", True)]
    breaches = [item for item in read_lines(out / "findings.jsonl") if item["verdict"] == "breach"]
    found, missed, others = match_findings(expected, breaches)
    _, _, false = match_findings(allowed, others)
    return ClipScore(
        clip=folder.name,
        rounds=rounds_judged(out),
        expected=tuple(map(label, expected)),
        found=tuple(map(label, found)),
        missed=tuple(map(label, missed)),
        false_alerts=tuple(map(label, false)),
    )


def total(scores: Sequence[ClipScore]) -> tuple[Share, int, int]:
    """(violations found, false alerts, rounds) over all clips."""
    found = Share(sum(len(s.found) for s in scores), sum(len(s.expected) for s in scores))
    return found, sum(len(s.false_alerts) for s in scores), sum(s.rounds for s in scores)
