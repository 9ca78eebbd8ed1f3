"""Who may be paid: a payout without the wager it is for, after a fold, or under a paytable that has none; and wagers that come too soon."""

from __future__ import annotations

from typing import Any

import cases_money as money
import pytest
from case_kit import TOLD, Edit, Kit, Make, played
from rounds import AT, Script, breaches, judge, last_act, verdicts

from rules.events import CardTurned, Face
from rules.findings import Verdict
from rules.house_events import BonusPaid

CAR = Kit("CAR")
FLUSH = {6: "9d 8d 7d 6d 5d"}
TENTH = (money.METER + 42) // 10
SURE = [*TOLD, "electronic_wager_accepted"]


def bonus(seat: int, wager: str, cents: int, **more: Any) -> Edit:
    event = BonusPaid(**AT, seat=seat, wager=wager, amount_cents=cents, source=money.INVENTORY, **more)
    return lambda s, _: s.insert(event, after=last_act(s, seat), name=f"bonus:{seat}")


def straight_flush(*edits: Edit, paytable: str = "D", first: int = TENTH, reports: list[str] = SURE) -> Make:
    """Seat 6 wins a tenth of the meter, seat 3 its envy bonus where the paytable has one."""
    envies = {3: 30_000} if paytable == "D" else {}
    percent = 21 if paytable == "D" else 53
    awards = {6: (first, money.CAGE if paytable == "D" else money.INVENTORY)}
    return money.progressive(
        "progressive", FLUSH, (3, 6), percent, awards, envies, *edits, paytable=paytable, reports=reports
    )


@pytest.mark.parametrize(
    ("paid", "row"),
    [
        (bonus(1, "envy", 30_000), "CAR-ENVY-PAY"),
        (bonus(1, "progressive", 900), "CAR-SET-PROG-VERIFY"),
        (bonus(1, "fchb_player", 5_000), "CAR-SET-FCHB-VERIFY"),
    ],
    ids=["envy", "progressive", "hand_bonus"],
)
def test_a_payout_without_the_wager_it_is_for(paid: Edit, row: str) -> None:
    """ "Players making a Progressive Payout Wager" (639a.11(c)(5)(v)); known where the system is sure to tell of every wager."""
    file = straight_flush(paid)(CAR)
    assert breaches(judge(file.events, file.table)) == [(row, 1)]
    unsure = straight_flush(paid, reports=TOLD)(CAR)
    found = judge(unsure.events, unsure.table)
    assert breaches(found) == []
    assert verdicts(found, row)[1] is Verdict.UNDETERMINED


def test_an_envy_bonus_under_a_paytable_that_has_none() -> None:
    """Paytables D, F, G and H carry it (639a.12(d)(6))."""
    file = straight_flush(bonus(3, "envy", 30_000), paytable="A", first=500_000)(CAR)
    assert ("CAR-ENVY-PAY", 3) in breaches(judge(file.events, file.table))


@pytest.mark.parametrize("read", [False, True], ids=["unread", "read"])
def test_a_fold_is_paid_no_progressive(read: bool) -> None:
    """All wagers are forfeited but the Five Card Hand Bonus (639a.11(b)); the envy bonus stays."""

    def edit(script: Script, _: Kit) -> None:
        for i, card in enumerate(["Qh", "Qc", "Qd", "6s", "4c"] if read else []):
            card_id = script.card_id(f"deal:4.{i}")
            up = CardTurned(**AT, area="seat4.cards", card_id=card_id, face=Face.UP, card=card)
            script.insert(up, after="fold-collect:4.ante", name=f"up:{i}", wait_s=0.01)
        for wager, cents in (("progressive", 900), ("envy", 30_000)):
            paid = BonusPaid(**AT, seat=4, wager=wager, amount_cents=cents, source=money.INVENTORY)
            script.insert(paid, after="turn-hand:6", name=f"bonus:{wager}", wait_s=0.05)

    cards = {**FLUSH, 4: "Qh Qc Qd 6s 4c"}
    file = money.progressive("progressive", cards, (4, 6), 21, {6: (TENTH, money.CAGE)}, {}, edit, paytable="D")(CAR)
    assert breaches(judge(file.events, file.table)) == [("CAR-FOLD-FORFEIT", 4)]


def early(name: str, base: str, by_s: float) -> Edit:
    def edit(script: Script, _: Kit) -> None:
        script.change(name, t_s=round(script.get(base).t_s - by_s, 2))
        script.items.sort(key=lambda item: item[1].t_s)

    return edit


@pytest.mark.parametrize(("by_s", "told"), [(5.0, True), (0.9, False)])
@pytest.mark.parametrize(
    ("prefix", "wager", "base", "row"),
    [
        ("CAR", "bonus", "ante", "CAR-CSB-OFFER"),
        ("LIR", "five_card_bonus", "bet3", "LIR-FCB-OFFER"),
        ("LIR", "three_card_bonus", "bet3", "LIR-TCB-OFFER"),
    ],
)
def test_an_additional_wager_comes_after_the_base_wagers(
    prefix: str, wager: str, base: str, row: str, by_s: float, told: bool
) -> None:
    """ "After placing an Ante Wager, a player may make the additional ..." (639a.7(d)(3), 643a.7(e), (f))."""
    kit = Kit(prefix)
    script = kit.script()
    seat = next(name.split(":")[1].split(".")[0] for name in script.names("wager:") if name.endswith(f".{wager}"))
    file = played(early(f"wager:{seat}.{wager}", f"wager:{seat}.{base}", by_s))(kit)
    found = breaches(judge(file.events, file.table))
    assert (found == [(row, int(seat))]) is told
    assert told or found == []
