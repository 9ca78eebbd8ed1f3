"""Wagers that a system took before the deal, so that no chips of them lie on the table; and decks that are removed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cases_money as money
import house
import pytest
from case_kit import TOLD, Edit, File, Kit, Make, change, count_stub, drop, electronic, played
from rounds import AT, Script, breaches, judge, verdicts

from rules.events import CardPlaced, CardRemoved, DeckChanged, Event, Side, WagerPlaced, WagerRemoved
from rules.findings import Verdict

LIR, DJW = Kit("LIR"), Kit("DJW")


def five_card_bonus(*edits: Edit) -> Make:
    """Seat 1 wins 2 to 1 on 5.00 that the dealer collected before the deal (643a.8(b)(1))."""

    def taken(script: Script, kit: Kit) -> None:
        electronic("five_card_bonus", seats=(1,), cents=500)(script, kit)
        gone = WagerRemoved(**AT, area="seat1.five_card_bonus", by=Side.DEALER)
        script.insert(gone, after="lock", name="collected")
        script.drop("take:1.five_card_bonus")

    return played(taken, *edits)


@pytest.mark.parametrize(
    ("cents", "verdict"),
    [
        (1000, Verdict.COMPLIANT),
        (1500, Verdict.COMPLIANT),
        (300, Verdict.BREACH),
        (2000, Verdict.BREACH),
        (None, Verdict.UNDETERMINED),
    ],
)
def test_a_bonus_that_a_system_took_is_paid_by_its_table(cents: int | None, verdict: Verdict) -> None:
    pay = "pay:1.five_card_bonus"
    edit = drop(pay) if cents is None else change(pay, amount_cents=cents)
    file = five_card_bonus(edit)(LIR)
    found = judge(file.events, file.table)
    assert verdicts(found, "LIR-SET-FCB")[1] is verdict
    assert breaches(found) == ([("LIR-SET-FCB", 1)] if verdict is Verdict.BREACH else [])


@pytest.mark.parametrize(("qualifies", "told"), [(True, True), (None, True), (False, False)])
def test_cards_stay_for_a_progressive_that_a_system_took(qualifies: bool | None, told: bool) -> None:
    """Cards of players with a Progressive Bonus Wager are not collected with the folds (687a.11(c)); its chips went before the deal."""
    more: dict[str, Any] = {} if qualifies is None else {"folded_hands_qualify_progressive": qualifies}
    file = money.progressive("progressive", {}, (4,), 0, {}, {}, paytable="1", plan=money.DJW_PLAN, **more)(DJW)
    assert breaches(judge(file.events, file.table)) == ([("DJW-FOLD-COLLECT", 4)] if told else [])


def stopped(kit: Kit, *, changed: bool) -> list[Event]:
    """A round given up after its stub was counted one card short, and the next one from the same deck or from another."""
    first = kit.script(t_s=10.0)
    count_stub(-1)(first, kit)
    name = next(name for name, event in first.items if event.kind == "stub_counted")
    first.items = first.items[: first.index(name) + 1]
    end_s = first.items[-1][1].t_s
    back: list[Event] = []
    for event in first.events:
        if isinstance(event, WagerPlaced):
            back.append(WagerRemoved(**AT, area=event.area, by=Side.PLAYER))
        elif isinstance(event, CardPlaced):
            back.append(CardRemoved(**AT, area=event.area, card_id=event.card_id, to_area="discard_rack"))
    back = [
        replace(event, table_id=first.table_id, t_s=round(end_s + 2 + 0.2 * i, 2))
        for i, event in enumerate(sorted(back, key=lambda event: event.kind, reverse=True))
    ]
    if changed:
        back.append(DeckChanged(table_id=first.table_id, t_s=300.0))
    following = kit.script(t_s=400.0, first_card_id=3000)
    house.between(following)
    return [*(event for _, event in first.items), *back, *following.events]


@pytest.mark.parametrize("prefix", ["RIU", "CAR", "LIR", "DJW"])
@pytest.mark.parametrize("changed", [False, True])
def test_a_deck_whose_stub_was_not_whole_is_removed(prefix: str, changed: bool) -> None:
    """ "the entire deck of cards shall be removed from the table" (.8(h), (i))."""
    kit = Kit(prefix)
    file = File.of(stopped(kit, changed=changed), kit.table(reports=[*TOLD, "deck_changed"]))
    told = [one for one in breaches(judge(file.events, file.table)) if one[0].endswith("BADDECK")]
    assert told == ([] if changed else [(f"{prefix}-MS-STUB-BADDECK", None)])
    unsure = judge(file.events, kit.table())
    assert [one for one in breaches(unsure) if one[0].endswith("BADDECK")] == []
