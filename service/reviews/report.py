"""The report of a review: one page that needs nothing else, for people who were not there."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

import jinja2

from service.config import TableSetup
from service.evidence.pictures import decode, encode, shrunk
from service.law import sentence
from service.screens import words
from service.store import Picture

CLOSE_PX, WHOLE_PX = 640, 1000
"""Widths of the pictures in a report; all of them lie beside it in full size."""


Undetermined: TypeAlias = Sequence[tuple[tuple[str, str, str], int]]
"""((check, citation, what was missing), how often), the most frequent first."""


def undetermined_of(findings: Iterable[Mapping[str, Any]]) -> Undetermined:
    """What could not be decided, and why."""
    counted = Counter(
        (f["check_id"], f["citation"], f.get("missing") or "not said")
        for f in findings
        if f["verdict"] == "undetermined"
    )
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))


def render_report(
    setup: TableSetup, *, about: Mapping[str, Any], breaches: Sequence[Mapping[str, Any]], undetermined: Undetermined,
    rounds: Sequence[Mapping[str, Any]], pictures: Callable[[str], Sequence[Picture]], made: datetime,
) -> str:  # fmt: skip
    """The page as HTML.

    Args:
        setup: the table that was judged, with the day whose law judged it.
        about: what was reviewed, with which parts (`run.json`).
        breaches: in order of time, as JSON values.
        undetermined: see `undetermined_of`.
        rounds: closed rounds with their payouts, as JSON values.
        pictures: gives those of a breach by its finding id.
        made: when the report was made.
    """
    page = _environment().get_template("report.html")
    return page.render(
        table=setup.table,
        about=about,
        made=f"{made.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        breaches=[
            dict(f)
            | {
                "title": words.title(f),
                "played": words.played(about, f["t_s"]),
                "law": sentence(f["citation"], setup.day),
                "shots": _shots(pictures(f["finding_id"])),
            }
            for f in breaches
        ],
        undetermined=undetermined,
        verdicts=about["verdicts"],
        rounds=rounds,
        by_round=Counter(f["round_id"] for f in breaches),
        totals=totals_of(rounds),
    )


def totals_of(rounds: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Cents paid too much and too little, each for itself, over the payouts of which both amounts are known; how many are and are not."""
    out = {"over": 0, "under": 0, "known": 0, "unknown": 0}
    for record in rounds:
        for payout in record.get("payouts", ()):
            if payout.get("owed_cents") is None or payout.get("paid_cents") is None:
                out["unknown"] += 1
            else:
                difference = payout["paid_cents"] - payout["owed_cents"]
                out["known"] += 1
                out["over" if difference > 0 else "under"] += abs(difference)
    return out


def sums_said(totals: Mapping[str, int]) -> str:
    """What the sums of a report are of, in a sentence.

    >>> sums_said({"known": 3, "unknown": 1})
    'The sums are of 3 payouts of which both amounts are known; 1 more is in none of them.'
    """
    unknown = totals["unknown"]
    rest = f"; {unknown} more {'is' if unknown == 1 else 'are'} in none of them" if unknown else ""
    return f"The sums are of {words.counted(totals['known'], 'payout')} of which both amounts are known{rest}."


def cards_said(record: Mapping[str, Any]) -> str:
    """The cards of a round in a line: the community's and the dealer's where the round had any, then every seat's.

    >>> cards_said({"community": [], "dealer": ["As", None], "seats": [{"seat": 2, "folded": True, "cards": []}]})
    'dealer: A♠ ? · seat 2 (folded): not seen'
    """
    said = [(name, record.get(name) or ()) for name in ("community", "dealer") if record.get(name)]
    said += [(f"seat {s['seat']}{' (folded)' if s['folded'] else ''}", s["cards"]) for s in record["seats"]]
    return " · ".join(f"{name}: {' '.join(map(words.card, cards)) or 'not seen'}" for name, cards in said)


def _shots(pictures: Sequence[Picture]) -> list[tuple[str, str]]:
    """(caption, data URL) of the pictures to show, small enough to be kept in the page."""
    close = [p for p in pictures if p.name.endswith("_close.jpg")]
    whole = [p for p in pictures if p.name.endswith("_marked.jpg")][-1:]
    out = []
    for picture, width_px in [(p, CLOSE_PX) for p in close] + [(p, WHOLE_PX) for p in whole]:
        small = encode(shrunk(decode(picture.content), width_px), 78)
        out.append((picture.caption, "data:image/jpeg;base64," + base64.b64encode(small).decode()))
    return out


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("service"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "clock": words.clock,
        "dollars": words.dollars,
        "section": words.section,
        "area": words.area,
        "card": words.card,
        "recorded": words.recorded,
        "cards_said": cards_said,
        "sums_said": sums_said,
    }
    return environment
