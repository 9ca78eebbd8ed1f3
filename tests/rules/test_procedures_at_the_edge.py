"""Honest courses at the edge of the checks of procedure, in every game: nobody is accused, and nothing is called kept unseen."""

from __future__ import annotations

from typing import Any

import pytest
from case_kit import DEVICE, GAMES, Kit, Make, before, insert, played
from rounds import breaches, judge

from rules.events import DecisionAnnounced, DeviceJammed, Event, FloorDecision
from rules.findings import Verdict
from rules.house_events import ConductReported, EquipmentSeen, ObjectSeen

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


@EVERY
@pytest.mark.parametrize(
    "early",
    [DeviceJammed(**AT, device="shuffler"), DeviceJammed(**AT, device="shoe"), FloorDecision(**AT, decision="void_round")],
    ids=["shuffler", "shoe", "floor"],
)  # fmt: skip
def test_what_came_before_the_cards_does_not_void_the_round(prefix: str, early: Event) -> None:
    """A shuffler that jams between two rounds only has the cards reshuffled (.13(e)): what is paid in the next is judged."""
    wrong = played(lambda s, _: s.change(s.names("pay:")[0], amount_cents=1), shuffler=DEVICE, reports=[])
    assert len(broken(wrong, prefix)) == 1
    assert broken(before(early, then=wrong), prefix) == broken(wrong, prefix)


@EVERY
def test_a_shuffler_that_jams_during_a_round_does_not_void_it(prefix: str) -> None:
    """It has the other of two decks in it (.3(b)(2), .13(e))."""
    jam = DeviceJammed(**AT, device="shuffler", back="blue")
    wrong = played(lambda s, _: s.change(s.names("pay:")[0], amount_cents=1), shuffler=DEVICE, reports=[])
    jammed = played(
        lambda s, k: insert(jam, k.reveal)(s, k),
        lambda s, _: s.change(s.names("pay:")[0], amount_cents=1),
        shuffler=DEVICE, reports=[],
    )  # fmt: skip
    assert broken(jammed, prefix) == broken(wrong, prefix)


@EVERY
def test_cash_that_is_changed_for_chips_is_no_wager(prefix: str) -> None:
    """Laid in a betting area before any chips, or once settlement began, it may buy chips for the wager (.7(a))."""

    def cash(kit: Kit) -> ObjectSeen:
        return ObjectSeen(**AT, area=f"seat3.{kit.base}", what="cash")

    for make in (
        lambda kit: before(cash(kit))(kit),
        lambda kit: played(lambda s, k: s.insert(cash(k), after=s.names("rack:")[0]))(kit),
    ):
        assert broken(make, prefix) == []
        assert Verdict.UNDETERMINED in ends(make, prefix, "WAG-CHIPS")


@EVERY
@pytest.mark.parametrize("item", ["progressive_system", "progressive_device"])
def test_a_table_without_a_progressive_wager_needs_no_system(prefix: str, item: str) -> None:
    """The chapters ask for one where the wager is offered (669a.2(c), 639a.2(c), 643a.2(d))."""
    assert broken(before(EquipmentSeen(**AT, item=item, in_place=False)), prefix) == []
