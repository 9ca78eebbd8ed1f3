"""Honest courses at the edge of the checks of procedure, in every game: nobody is accused, and nothing is called kept unseen."""

from __future__ import annotations

from typing import Any

import pytest
from case_kit import GAMES, Kit, Make, before, insert, played
from rounds import breaches, judge

from rules.events import DecisionAnnounced
from rules.findings import Verdict
from rules.house_events import ConductReported

AT: dict[str, Any] = {"table_id": "", "t_s": 1.0}
EVERY = pytest.mark.parametrize("prefix", GAMES)


def broken(make: Make, prefix: str, method: str = "MS") -> list[str]:
    """Rows broken in a case, without the game."""
    file = make(Kit(prefix, method))
    return [check_id.partition("-")[2] for check_id, _ in breaches(judge(file.events, file.table))]


def ends(make: Make, prefix: str, row: str) -> set[Verdict]:
    """How the check of a row ended."""
    file = make(Kit(prefix))
    return {f.verdict for f in judge(file.events, file.table) if f.check_id == f"{prefix}-{row}"}


@EVERY
@pytest.mark.parametrize("what", ["left_table", "cards_out_of_view", "touched_cards"])
def test_conduct_before_the_cards_is_none_of_the_round(prefix: str, what: str) -> None:
    """Who left the table between two rounds did not leave it in the next, where another sits at the seat (.7(b), .11(a))."""
    seat, other = (4, 3) if what == "touched_cards" else (3, None)
    report = ConductReported(**AT, seat=seat, what=what, other_seat=other)
    assert broken(before(report), prefix) == []
    assert len(broken(played(lambda s, k: insert(report, k.reveal)(s, k)), prefix)) == 1


@pytest.mark.parametrize(("after", "expected"), [("reveal:2", ["PLR-NOTALK"]), ("reveal:3", [])])
def test_cards_may_be_shown_once_all_community_cards_lie_open(after: str, expected: list[str]) -> None:
    """A hand may not be told "prior to the dealer revealing all of the community cards" (669a.11(a)(3))."""
    report = ConductReported(**AT, seat=3, what="showed_cards", other_seat=4)
    assert broken(played(insert(report, after)), "RIU") == expected


@EVERY
def test_a_decision_before_the_cards_is_none_of_the_round(prefix: str) -> None:
    """What a keypad told of a round that no camera saw is no fold of the next (.11)."""
    fold = DecisionAnnounced(**AT, seat=1, decision="fold")
    file = before(fold)(Kit(prefix))
    assert breaches(judge(file.events, file.table)) == []
    quiet = played()(Kit(prefix))
    verdicts = [[(f.check_id, f.seat, f.verdict) for f in judge(it.events, it.table)] for it in (file, quiet)]
    assert verdicts[0] == verdicts[1]
