"""Exceptions and combinations of the chapters: what one sentence allows is no breach of another, and what it forbids is told though another was kept."""

from __future__ import annotations

from typing import Any

import pytest
from case_kit import Kit, insert, played
from rounds import Script, judge
from test_procedures_at_the_edge import broken, ends

from rules.event_base import Side
from rules.events import WagerRemoved
from rules.findings import Verdict
from rules.house_events import ConductReported

AT: dict[str, Any] = {"table_id": "", "t_s": 1.0}


# -- forfeited by telling of the hand (669a.11(a)(3)) ----------------------------------------------------------------------


def shown(s: Script, k: Kit) -> None:
    """Seat 1, which wins, shows its cards to seat 3 before the 4th Street card."""
    insert(ConductReported(**AT, seat=1, what="showed_cards", other_seat=3), "examine:6", name="shown")(s, k)


def collected(s: Script, _: Kit) -> None:
    """Every wager of seat 1 collected where it was to be paid or left."""
    for wager in ("ante", "blind", "play"):
        gone = WagerRemoved(**AT, area=f"seat1.{wager}", by=Side.DEALER)
        s.insert(gone, after="collect:1.pair_plus", wait_s=0.3, name=f"forfeit:{wager}")
    s.drop("pay:1", "take:1")


def collected_at_once(s: Script, _: Kit) -> None:
    """The same as soon as it was seen, at a seat that has not wagered on the hand."""
    s.drop("play:1", "pay:1", "take:1", "collect:1")
    for wager in ("ante", "blind", "pair_plus"):
        s.insert(WagerRemoved(**AT, area=f"seat1.{wager}", by=Side.DEALER), after="shown", name=f"forfeit:{wager}")


def test_collected_though_nobody_told_of_the_hand() -> None:
    assert broken(played(shown, collected, lambda s, _: s.drop("shown")), "RIU") == [
        "SET-ANTE",
        "SET-BLIND",
        "SET-PLAY",
    ]


@pytest.mark.parametrize("edit", [collected, collected_at_once])
def test_wagers_forfeited_by_telling_of_the_hand_may_be_collected(edit: Any) -> None:
    """A violation "shall result in a forfeiture of all wagers on that round by that person" (669a.11(a)(3))."""
    assert broken(played(shown, edit), "RIU") == ["PLR-NOTALK"]


def test_paid_though_the_player_told_of_the_hand_is_not_called_right() -> None:
    """Nor is it called wrong: whether the wagers were held forfeited, nobody says."""
    assert broken(played(shown), "RIU") == ["PLR-NOTALK"]
    file = played(shown)(Kit("RIU"))
    found = {f.verdict for f in judge(file.events, file.table) if f.check_id == "RIU-SET-PLAY" and f.seat == 1}
    assert found == {Verdict.UNDETERMINED}
    assert ends(played(), "RIU", "SET-PLAY") == {Verdict.COMPLIANT}


def test_no_other_chapter_forfeits_for_it() -> None:
    """639a has no such sentence: a winner whose wagers were collected was wronged."""
    wrong = played(shown, lambda s, _: s.change("pay:1.bet", amount_cents=1))
    assert broken(wrong, "CAR") == ["SET-WIN"]
