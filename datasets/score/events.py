"""Events of a review against the simulator's: `python -m datasets.score.events FILM REVIEW [FILM REVIEW ...]`.

A seen event is right where a true one of its kind and place lies within half a second, and what it says of card or amount
does not contradict it; what it leaves open counts as right here and is told apart below. Each true event answers one. Events of hands,
gaps and of places the camera is not asked about (the discard rack) are left out, and so are the reading of a card that was placed and the
leaving of a stack that was never laid out as cards: the truth does not tell that.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from datasets.score.intervals import Share
from datasets.score.rounds import read_lines

WITHIN_S = 0.5
CARDS = ("card_placed", "stack_placed", "card_turned", "card_moved", "card_removed")
WAGERS = ("wager_placed", "wager_increased", "wager_decreased", "wager_removed")
PAYOUTS = ("payout_placed",)
GROUPS: Mapping[str, Sequence[str]] = {"cards": CARDS, "wagers": WAGERS, "payouts": PAYOUTS}

Event = dict[str, Any]


@dataclass(slots=True)
class EventScore:
    """Counts over films, by group.

    Attributes:
        true, seen, right: events.
        named: cards turned or placed face up whose name was told, of those right; `named_wrong` contradicted.
        amounts: wagers and payouts whose amount was told, of those right; `amounts_wrong` contradicted.
    """

    true: dict[str, int] = field(default_factory=lambda: dict.fromkeys(GROUPS, 0))
    seen: dict[str, int] = field(default_factory=lambda: dict.fromkeys(GROUPS, 0))
    right: dict[str, int] = field(default_factory=lambda: dict.fromkeys(GROUPS, 0))
    named: Share = field(default_factory=lambda: Share(0, 0))
    amounts: Share = field(default_factory=lambda: Share(0, 0))
    named_wrong: int = 0
    amounts_wrong: int = 0

    def f1(self, group: str) -> float:
        """Harmonic mean of precision and recall, 0..1."""
        total = self.true[group] + self.seen[group]
        return 2 * self.right[group] / total if total else 1.0

    def add(self, true: Sequence[Event], seen: Sequence[Event]) -> None:
        """Counts one film's events."""
        for group, kinds in GROUPS.items():
            ours, theirs = counted(true, kinds), counted(seen, kinds)
            pairs, contradicted = matched(ours, theirs)
            self.true[group] += len(ours)
            self.seen[group] += len(theirs)
            self.right[group] += len(pairs)
            faces = [(t, s) for t, s in pairs if t.get("card")]
            sums = [(t, s) for t, s in pairs if t.get("amount_cents") is not None]
            self.named += Share(sum(s.get("card") is not None for _, s in faces), len(faces))
            self.amounts += Share(sum(s.get("amount_cents") is not None for _, s in sums), len(sums))
            if group == "cards":
                self.named_wrong += contradicted
            else:
                self.amounts_wrong += contradicted


def counted(events: Sequence[Event], kinds: Sequence[str]) -> list[Event]:
    """The events of some kinds that are scored."""
    cards = {e["card_id"] for e in events if e["kind"] in CARDS and "card_id" in e and e["kind"] != "card_removed"}
    return [e for e in events if e["kind"] in kinds and (e["kind"] != "card_removed" or e["card_id"] in cards)]


def matched(true: Sequence[Event], seen: Sequence[Event]) -> tuple[list[tuple[Event, Event]], int]:
    """Pairs (true, seen), each event once, those that agree on card and amount first; and how many are left that contradict."""
    candidates = sorted(
        (_disagreement(t, s), abs(float(t["t_s"]) - float(s["t_s"])), i, k)
        for i, t in enumerate(true)
        for k, s in enumerate(seen)
        if t["kind"] == s["kind"] and t.get("area") == s.get("area") and abs(t["t_s"] - s["t_s"]) <= WITHIN_S
    )
    used_true: set[int] = set()
    used_seen: set[int] = set()
    pairs, contradicted = [], 0
    for disagreement, _, i, k in candidates:
        if i in used_true or k in used_seen:
            continue
        used_true.add(i)
        used_seen.add(k)
        if disagreement == 2:
            contradicted += 1
        else:
            pairs.append((true[i], seen[k]))
    return pairs, contradicted


def _disagreement(true: Event, seen: Event) -> int:
    """0 the same, 1 something left open, 2 a contradiction."""
    worst = 0
    for key in ("card", "amount_cents"):
        if true.get(key) is None:
            continue
        told = seen.get(key)
        worst = max(worst, 1 if told is None else 0 if told == true[key] else 2)
    return worst


def score_events(films: Sequence[tuple[Path, Path]]) -> EventScore:
    """Score pairs of a film's folder (`truth.jsonl`) and its review's (`events.jsonl`)."""
    score = EventScore()
    for film, review in films:
        true = [e for e in read_lines(film / "truth.jsonl") if e["type"] == "event"]
        score.add(true, read_lines(review / "events.jsonl"))
    return score


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the scores."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="a film's folder and its review's, in turn")
    given = parser.parse_args(arguments)
    if len(given.folders) % 2:
        parser.error("expected folders in pairs: a film and its review")
    score = score_events(list(zip(given.folders[::2], given.folders[1::2], strict=True)))
    table = Table(
        "events", "true", "seen", "seen of true", "right of seen", "F1", title=f"{len(given.folders) // 2} films"
    )
    for group in GROUPS:
        right = score.right[group]
        row = (
            str(Share(right, score.true[group])),
            str(Share(right, score.seen[group])),
            f"{100 * score.f1(group):.1f}%",
        )
        table.add_row(group, str(score.true[group]), str(score.seen[group]), *row)
    console = Console(width=150)
    console.print(table)
    console.print(f"cards named where the truth shows a face: {score.named}; named wrong: {score.named_wrong}")
    console.print(f"amounts told: {score.amounts}; told wrong: {score.amounts_wrong}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
