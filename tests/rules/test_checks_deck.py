"""Opening, shuffle, cut, idle table, two decks and irregularities: what breaks each check and only it, and its edge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from case_kit import Edit as CaseEdit
from case_kit import Kit, count_stub, played
from house import AT, FULL, at, between, house, machine, opened, two_decks
from rounds import Edit, Script, altered, breaches, build, judge, verdicts

from rules.event_base import Agent, Face, GapCause, Side
from rules.events import (
    CardPlaced,
    CardRemoved,
    CoverageGap,
    DeckChanged,
    DeviceJammed,
    Event,
    FloorDecision,
    StubCounted,
    WagerRemoved,
)
from rules.findings import Verdict
from rules.house_events import (
    CardDrawn,
    CardFoundFaceUp,
    CardsIdle,
    CardsShuffled,
    CardsSpread,
    CardsWashed,
    CoverCardInserted,
    DeckLoaded,
    DeckStacked,
    DeviceState,
    RackSeen,
)
from rules.table import TableConfig


def test_an_honest_opening_is_compliant() -> None:
    found = judge(opened().events, house())
    assert breaches(found) == []
    ids = ("INSPECT", "FLOOR", "SPREAD", "FAN", "FIRSTPLAYER", "WASH", "SHUFFLE")
    assert [verdicts(found, f"RIU-OPEN-{row}")[None] for row in ids] == [Verdict.COMPLIANT] * 7
    for row in (
        "SHUF-METHOD",
        "SHUF-STACK",
        "CUT-REQ",
        "CUT-BYDEALER",
        "CUT-DEPTH",
        "CUT-BOTTOM",
        "CUT-SHOE",
        "MS-LOAD",
    ):
        assert verdicts(found, f"RIU-{row}")[None] is Verdict.COMPLIANT, row


OPENING: list[tuple[str, Edit, str]] = [
    ("never_inspected", lambda s: s.drop("inspect"), "OPEN-INSPECT"),
    ("inspected_late", lambda s: s.swap("inspect", "spread"), "OPEN-INSPECT"),
    ("not_verified", lambda s: s.drop("verify"), "OPEN-FLOOR"),
    ("verified_late", lambda s: s.insert(FloorDecision(**AT, decision="inspection_verified"), after="reveal:1").drop("verify"), "OPEN-FLOOR"),
    ("one_missing", lambda s: s.change("spread", cards=FULL[:-1], count=51), "OPEN-SPREAD"),
    ("one_twice", lambda s: s.change("spread", cards=(*FULL, "Kc")), "OPEN-SPREAD"),
    ("a_joker_among_them", lambda s: s.change("spread", cards=(*FULL, "Jo"), count=53), "OPEN-SPREAD"),
    ("spread_face_down", lambda s: s.change("spread", face=Face.DOWN, cards=None), "OPEN-SPREAD"),
    ("counted_wrong", lambda s: s.change("spread", cards=None, count=51), "OPEN-SPREAD"),
    ("no_spread", lambda s: s.drop("spread"), "OPEN-SPREAD"),
    ("out_of_sequence", lambda s: s.change("spread", cards=(FULL[1], FULL[0], *FULL[2:])), "OPEN-FAN"),
    ("suits_mixed", lambda s: s.change("spread", cards=(*FULL[:7], *FULL[13:], *FULL[7:13])), "OPEN-FAN"),
    ("nobody_there", lambda s: s.change("spread", player_present=False), "OPEN-FIRSTPLAYER"),
    ("no_wash", lambda s: s.drop("wash"), "OPEN-WASH"),
    ("washed_face_up", lambda s: s.change("wash", face=Face.UP), "OPEN-WASH"),
    ("washed_after_the_shuffle", lambda s: s.swap("wash", "shuffle"), "OPEN-WASH"),
    ("shuffled_by_a_player", lambda s: s.change("shuffle", by=Agent.PLAYER), "SHUF-METHOD"),
    ("broken_off", lambda s: s.change("shuffle", complete=False), "SHUF-METHOD"),
    ("two_stacks", lambda s: s.change("stack", stacks=2), "SHUF-STACK"),
    ("one_card_left_beside", lambda s: s.change("stack", left_out=1), "SHUF-STACK"),
    ("cut_by_a_player", lambda s: s.change("cover", by=Side.PLAYER), "CUT-BYDEALER"),
    ("nine_cards_above", lambda s: s.change("cover", cards_above=9), "CUT-DEPTH"),
    ("upper_cards_back_on_top", lambda s: s.change("cut", to_bottom=False), "CUT-BOTTOM"),
    ("cut_stack_elsewhere", lambda s: s.change("load", into="tray"), "CUT-SHOE"),
    ("loaded_by_a_player", lambda s: s.change("load", by=Agent.PLAYER), "MS-LOAD"),
    ("loaded_before_the_cut", lambda s: s.swap("load", "cover"), "MS-LOAD"),
    ("one_card_withheld", lambda s: s.change("load", count=51), "MS-LOAD"),
    ("recut_after_the_first_card", lambda s: s.insert(FloorDecision(**AT, decision="recut"), after="deal:1.0"), "CUT-RECUT"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "edit", "row"), OPENING, ids=[row[0] for row in OPENING])
def test_breaks_this_and_only_this(name: str, edit: Edit, row: str) -> None:
    script = opened()
    edit(script)
    extra = {"CUT-BOTTOM"} if name == "loaded_before_the_cut" else set()
    found = {check.removeprefix("RIU-") for check, _ in breaches(judge(script.events, house()))}
    assert found - extra == {row}


def test_dealt_without_a_shuffle_of_the_new_deck() -> None:
    script = opened()
    script.drop("shuffle", "cover", "cut", "stack")
    assert breaches(judge(script.events, house())) == [("RIU-OPEN-SHUFFLE", None)]


def recut_in_time(script: Script) -> None:
    script.insert(FloorDecision(**AT, decision="recut"), after="cut")
    script.insert(CoverCardInserted(**AT, by=Side.DEALER, cards_above=12), after="cut", wait_s=0.5)


def preinspected(script: Script) -> None:
    script.change("new", preinspected=True)
    script.drop("inspect", "verify", "spread", "wash", "shuffle")


KEEPING: list[tuple[str, Edit, TableConfig | None]] = [
    ("ten_cards_above", lambda s: s.change("cover", cards_above=10), None),
    ("depth_unknown", lambda s: s.change("cover", cards_above=None), None),
    ("king_down_to_ace", lambda s: s.change("spread", cards=tuple(reversed(FULL))), None),
    ("ace_above_the_king", lambda s: s.change("spread", cards=tuple(c for suit in "shdc" for c in [f"{r}{suit}" for r in "23456789TJQKA"])), None),
    ("recut_before_the_first_card", recut_in_time, None),
    ("washed_again", lambda s: s.insert(CardsWashed(**AT), after="wash"), None),
    ("nothing_told_and_nothing_promised", lambda s: s.drop("inspect", "verify", "spread", "wash", "shuffle", "stack", "cover", "cut", "load"), house(reports=[])),
    ("preinspected", preinspected, None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "edit", "config"), KEEPING, ids=[row[0] for row in KEEPING])
def test_keeps_silent(name: str, edit: Edit, config: TableConfig | None) -> None:
    script = opened()
    edit(script)
    assert breaches(judge(script.events, config or house())) == []


def test_preinspected_cards_must_be_cut() -> None:
    script = opened()
    script.change("new", preinspected=True)
    script.drop("inspect", "verify", "spread", "wash", "shuffle", "cover", "cut")
    assert breaches(judge(script.events, house())) == [("RIU-CUT-REQ", None)]


def test_a_gap_over_the_opening_proves_nothing() -> None:
    script = opened()
    script.drop("inspect", "verify", "spread", "wash", "shuffle", "cover", "cut", "stack")
    gap = CoverageGap(table_id="riu-test", t_s=995.0, cause=GapCause.BLOCKED, since_s=901.0)
    events = script.events
    found = judge([events[0], gap, *events[1:]], house())
    assert breaches(found) == []
    assert verdicts(found, "RIU-OPEN-SPREAD")[None] is Verdict.UNDETERMINED


# -- between two rounds ---------------------------------------------------------------------------------------------


def second(edit: Edit | None = None, by: Agent = Agent.DEALER) -> list[Event]:
    """An opening, a round, the shuffle, and a round changed by `edit`."""
    script = build(t_s=2000.0, first_card_id=300)
    between(script, by)
    if edit is not None:
        edit(script)
    return [*opened().events, *script.events]


def rows(events: list[Event], config: TableConfig | None = None) -> list[str]:
    return [check.removeprefix("RIU-") for check, _ in breaches(judge(events, config or house()))]


def test_shuffled_and_cut_between_rounds() -> None:
    assert rows(second()) == []
    assert rows(second(lambda s: s.drop("shuffle", "stack", "cover", "cut"))) == ["SHUF-WHEN"]
    assert rows(second(lambda s: s.drop("cover", "cut"))) == ["CUT-REQ"]


def test_shuffle_ordered_by_the_floor() -> None:
    ordered = FloorDecision(**AT, decision="reshuffle")
    assert rows(second(lambda s: s.insert(ordered, after="stack", wait_s=0.5))) == ["SHUF-WHEN"]
    assert rows(second(lambda s: s.insert(ordered, after="shuffle", wait_s=-1.0))) == []


def test_cards_from_a_shuffler_are_not_cut() -> None:
    assert rows(second(by=Agent.DEVICE), machine()) == []
    cover = CoverCardInserted(**AT, by=Side.DEALER, cards_above=20)
    assert rows(second(lambda s: s.insert(cover, after="stack"), Agent.DEVICE), machine()) == ["SHUF-ASM-DEAL"]


def test_a_deck_dealt_by_hand_comes_from_the_shuffler() -> None:
    config = machine(dealing="hand")
    script = build(t_s=2000.0)
    between(script, Agent.DEALER)
    assert rows(script.events, config) == ["HD-ASM"]
    script = build(t_s=2000.0)
    between(script, Agent.DEVICE)
    assert rows(script.events, config) == []


def test_idle_table() -> None:
    def idle(place: str, minutes: float, face: Face = Face.DOWN, *, asked: bool = False) -> Edit:
        def edit(script: Script) -> None:
            t = script.items[0][1].t_s - 20.0
            own: list[tuple[str, Event]] = [
                ("idle", at(t, CardsIdle(**AT, place=place, since_s=t - 60 * minutes, face=face)))
            ]
            if asked:
                own.insert(0, ("asked", at(t - 1.0, FloorDecision(**AT, decision="spread_face_up"))))
            if place == "spread":
                own.append(("wash", at(t + 1.0, CardsWashed(**AT))))
            script.items = [*own, *script.items]

        return edit

    def dealt_from_the_spread(script: Script) -> None:
        idle("spread", 9)(script)
        script.drop("wash")

    assert rows(second(idle("shoe", 5.0))) == ["IDLE-SPREAD"]
    assert rows(second(idle("shoe", 4.9))) == []
    assert rows(second(idle("discard_rack", 9))) == ["IDLE-SPREAD"]
    assert rows(second(idle("spread", 9))) == []
    assert rows(second(idle("spread", 9, Face.UP))) == ["IDLE-SPREAD"]
    assert rows(second(idle("spread", 9, Face.UP, asked=True))) == []
    assert rows(second(dealt_from_the_spread)) == ["IDLE-REOPEN"]
    device = machine(shuffler={"automated": True, "counts_cards": True, "reshuffles": True, "approval": "GL-7"})
    assert rows(second(idle("shoe", 9), Agent.DEVICE), device) == []


# -- two decks ------------------------------------------------------------------------------------------------------


def coloured(script: Script, back: str) -> Script:
    script.items = [(n, replace(e, back=back) if isinstance(e, CardPlaced) else e) for n, e in script.items]
    return script


def pair(first: str, then: str) -> list[Event]:
    found: list[Event] = [
        DeckChanged(table_id="riu-test", t_s=1.0 + i, deck=name, back=back, design="bee", preinspected=True)
        for i, (name, back) in enumerate((("A", "red"), ("B", "blue")))
    ]
    for n, back in enumerate((first, then)):
        script = coloured(build(t_s=1000.0 * (n + 1), first_card_id=100 + 300 * n), back)
        between(script, Agent.DEVICE, back)
        found += script.events
    return found


def test_two_decks_alternate() -> None:
    found = judge(pair("red", "blue"), two_decks())
    assert breaches(found) == []
    assert verdicts(found, "RIU-DECK-ALT")[None] is Verdict.COMPLIANT
    assert rows(pair("red", "red"), two_decks()) == ["DECK-ALT"]


def test_two_decks_differ_in_colour_and_not_in_design() -> None:
    events = pair("red", "blue")
    assert rows([events[0], altered(events[1], back="red"), *events[2:]], two_decks()) == ["DECK-TWO-COLOR"] * 2
    assert rows([events[0], altered(events[1], design="rider"), *events[2:]], two_decks()) == ["DECK-TWO-COLOR"] * 2


def test_a_card_of_the_other_deck() -> None:
    script = coloured(build(t_s=1000.0), "red")
    script.change("deal:3.1", back="blue")
    assert rows(script.events, two_decks()) == ["DECK-TWO-STORED"]
    assert rows(script.events, house()) == ["DECK-ONE"]
    script.change("deal:3.1", confidence=0.7)
    assert rows(script.events, house()) == []


def test_one_deck_in_the_rack() -> None:
    for backs, found in ((("red", "red"), []), (("red", "blue"), ["DECK-RACK-ONE"])):
        script = coloured(build(t_s=1000.0), "red")
        script.insert(RackSeen(**AT, backs=backs), after="stub")
        assert rows(script.events, two_decks()) == found


def test_both_decks_spread_together() -> None:
    for count, found in ((52, []), (104, ["OPEN-TWODECKS"])):
        script = coloured(opened(), "red")
        script.change("new", back="red", deck="A")
        script.change("shuffle", by=Agent.DEVICE)
        script.drop("cover", "cut")
        spread = CardsSpread(**AT, face=Face.UP, count=count, back="blue")
        script.insert(spread, after="spread")
        assert rows(script.events, two_decks()) == found


def test_each_of_two_decks_has_its_own_hours() -> None:
    def dealt(back: str, hours: float) -> list[str]:
        decks = [
            DeckChanged(table_id="riu-test", t_s=0.0, deck="A", back="red", preinspected=True),
            DeckChanged(table_id="riu-test", t_s=3600.0, deck="B", back="blue", preinspected=True),
        ]
        script = coloured(build(t_s=3600 * hours), back)
        between(script, Agent.DEVICE, back)
        return rows([*decks, *script.events], two_decks())

    assert dealt("red", 7.99) == []
    assert dealt("red", 8.01) == ["DECK-CHG-SHOE"]
    assert dealt("blue", 8.5) == []
    assert dealt("blue", 9.01) == ["DECK-CHG-SHOE"]


# -- the stub -------------------------------------------------------------------------------------------------------


def test_stub_due_after_the_sixth_round_without_a_count() -> None:
    for rounds, found in ((6, []), (7, ["MS-STUB-5RND"])):
        events: list[Event] = []
        for n in range(rounds):
            script = build(t_s=10.0 + 200 * n, first_card_id=100 * (n + 1))
            if n == 1:
                script.insert(StubCounted(**AT, count=37), after="deal:community.6th")
            events += script.events
        assert rows(events, house(reports=[])) == found


def test_stub_is_counted_face_down_on_the_layout_and_racked_unexposed() -> None:
    def counted(**fields: Any) -> list[str]:
        script = build()
        script.insert(StubCounted(**AT, count=37, **fields), after="deal:community.6th")
        return rows(script.events)

    assert counted() == []
    assert counted(face=Face.UP) == ["MS-STUB-DOWN"]
    assert counted(place="hand") == ["MS-STUB-DOWN"]
    script = build()
    script.insert(StubCounted(**AT, count=37), after="deal:community.6th")
    script.change("stub", exposed=True)
    assert rows(script.events) == ["MS-STUB-OK"]
    script.change("stub", exposed=False, area="tray")
    assert rows(script.events) == ["MS-STUB-OK"]
    script = build()
    script.change("stub", exposed=True)
    assert rows(script.events) == ["MS-STUB-RACK"]


@pytest.mark.parametrize("exposed", [False, True])
def test_cards_racked_after_the_count_may_be_those_of_a_player(exposed: bool) -> None:
    """A card went before the stack came, nobody said where to: what was racked may be that card."""
    script = build()
    script.insert(StubCounted(**AT, count=37), after="deal:community.6th")
    script.change("stub", exposed=exposed)
    gone = replace(script.one(CardRemoved, "fold-rack:4.0"), to_area=None)
    script.drop("fold-rack:4")
    script.insert(gone, after="examine:1", name="gone")
    script.move("gone", before="stub")
    assert verdicts(judge(script.events), "RIU-MS-STUB-OK")[None] is Verdict.UNDETERMINED
    script.change("gone", to_area="discard_rack")
    assert verdicts(judge(script.events), "RIU-MS-STUB-OK")[None] is (Verdict.BREACH if exposed else Verdict.COMPLIANT)


def test_where_a_stub_goes_whose_count_is_wrong_is_not_laid_down() -> None:
    """669a.8(g) speaks of a whole deck; of another count (h) says what is to happen."""
    script = build()
    script.insert(StubCounted(**AT, count=36), after="deal:community.6th")
    script.change("stub", exposed=True)
    assert verdicts(judge(script.events), "RIU-MS-STUB-OK")[None] is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize("exposed", [False, True])
@pytest.mark.parametrize(("hidden", "verdict"), [(False, Verdict.COMPLIANT), (True, Verdict.UNDETERMINED)])
def test_what_is_racked_once_a_card_is_gone_may_be_that_one(exposed: bool, hidden: bool, verdict: Verdict) -> None:
    """Of a card that may have gone before nobody said where to; one that went to the rack is told apart from the stub."""
    script = build()
    script.change("stub", exposed=exposed)
    gone = replace(script.one(CardRemoved, "fold-rack:4.0"), to_area=None)
    script.drop("fold-rack:4")
    since_s = script.get("stub").t_s - 0.5 if hidden else None
    script.insert(replace(gone, earliest_s=since_s), after="stub", name="gone")
    found = verdicts(judge(script.events), "RIU-MS-STUB-RACK")[None]
    assert found is (Verdict.BREACH if exposed and not hidden else verdict)
    script.drop("gone")
    script.insert(gone, after="examine:1", name="gone")
    script.move("gone", before="stub")
    assert verdicts(judge(script.events), "RIU-MS-STUB-RACK")[None] is Verdict.UNDETERMINED
    script.change("gone", to_area="discard_rack")
    assert verdicts(judge(script.events), "RIU-MS-STUB-RACK")[None] is not Verdict.UNDETERMINED


# -- irregularities -------------------------------------------------------------------------------------------------


def burned(script: Script, card_id: int, after: str, area: str = "discard_rack") -> None:
    script.insert(CardFoundFaceUp(**AT, card_id=card_id, card="2h"), after=after, name=f"found:{card_id}")
    script.insert(CardPlaced(**AT, area=area, card_id=card_id, face=Face.UP, card="2h"), after=f"found:{card_id}")


def test_a_card_found_face_up_is_racked() -> None:
    script = build()
    burned(script, 900, "deal:3.1")
    found = judge(script.events, house())
    assert breaches(found) == []
    assert verdicts(found, "RIU-IRR-FACEUP-1")[None] is Verdict.COMPLIANT
    script = build()
    burned(script, 900, "deal:3.1", "shoe")
    assert rows(script.events) == ["IRR-FACEUP-1"]


def test_a_card_found_face_up_and_dealt() -> None:
    script = build()
    card = script.get("deal:3.1")
    assert isinstance(card, CardPlaced)
    script.insert(CardFoundFaceUp(**AT, card_id=card.card_id), after="deal:1.1")
    assert rows(script.events) == ["IRR-FACEUP-1"]


def test_a_second_card_found_face_up_voids_the_round() -> None:
    script = build()
    burned(script, 900, "deal:1.1")
    burned(script, 901, "deal:3.1")
    assert "IRR-FACEUP-2" in rows(script.events)
    stop = script.index("deal:4.1")
    script.items = script.items[:stop]
    script.t_s = script.items[-1][1].t_s
    for seat in (1, 3, 4, 6):
        for wager in [n.split(".")[1] for n in build().names(f"wager:{seat}.")]:
            script.add(f"back:{seat}.{wager}", WagerRemoved(**AT, area=f"seat{seat}.{wager}", by=Side.PLAYER))
    for name in [n for n in script.names("deal:")]:
        placed = script.get(name)
        assert isinstance(placed, CardPlaced)
        script.add(f"gone:{name}", CardRemoved(**AT, area=placed.area, card_id=placed.card_id, to_area="discard_rack"))
    found = judge(script.events, house())
    assert breaches(found) == []
    assert verdicts(found, "RIU-IRR-FACEUP-2")[None] is Verdict.COMPLIANT


def test_a_card_drawn_in_error_is_the_next_card() -> None:
    card = build().get("deal:3.1")
    assert isinstance(card, CardPlaced)
    drawn = CardDrawn(**AT, card_id=card.card_id, in_error=True)
    script = build()
    script.insert(drawn, after="deal:1.1")
    found = judge(script.events, house())
    assert breaches(found) == []
    assert verdicts(found, "RIU-IRR-DRAWN")[None] is Verdict.COMPLIANT
    late = build()
    late.insert(drawn, after="deal:6.0")
    assert rows(late.events) == ["IRR-DRAWN"]
    racked = build()
    racked.insert(replace(drawn, card_id=900), after="deal:1.1", name="drawn")
    racked.insert(CardPlaced(**AT, area="discard_rack", card_id=900, face=Face.DOWN), after="drawn")
    assert rows(racked.events) == ["IRR-DRAWN"]


def test_a_deck_of_a_jammed_shuffle() -> None:
    def jammed(again: bool) -> list[str]:
        script = build(t_s=2000.0, first_card_id=300)
        between(script, Agent.DEVICE)
        script.change("shuffle", complete=False)
        if again:
            script.insert(CardsShuffled(**AT, by=Agent.DEVICE), after="shuffle", wait_s=1.0)
        return rows([*opened().events, *script.events], machine())

    assert jammed(True) == []
    assert jammed(False) == ["IRR-SHUFJAM"]
    script = build(t_s=2000.0, first_card_id=300)
    between(script, Agent.DEVICE)
    script.insert(DeviceJammed(**AT, device="shuffler"), after="shuffle", wait_s=1.0)
    assert rows([*opened().events, *script.events], machine()) == ["IRR-SHUFJAM"]


def test_a_device_out_of_use_is_marked() -> None:
    for marked, found in ((True, []), (False, ["IRR-OOS"])):
        state = DeviceState(**AT, device="shuffler", usable=False, marked=marked)
        assert rows([at(1.0, state), *build(t_s=100.0).events], machine()) == found
    back = DeviceState(**AT, device="shuffler", usable=True)
    assert rows([at(1.0, replace(state, marked=False)), at(2.0, back), *build(t_s=100.0).events], machine()) == []


def test_two_stacks_put_together_again() -> None:
    script = opened()
    script.change("stack", stacks=2)
    script.insert(DeckStacked(**AT), after="stack")
    script.insert(DeckLoaded(**AT, into="shoe"), after="load")
    assert rows(script.events) == []


def racked_face_up(into: str = "discard_rack") -> CaseEdit:
    """A card found face up in the course of the deal, and where it was put."""

    def edit(script: Script, kit: Kit) -> None:
        third = [name for name, _ in script.items if name.startswith("deal:")][2]
        script.insert(CardFoundFaceUp(**AT, card_id=990, card="2h"), after=third, name="found", wait_s=0.1)
        if into:
            put = CardPlaced(**AT, area=into, card_id=990, face=Face.UP, card="2h")
            script.insert(put, after="found", name="racked", wait_s=0.1)

    return edit


@pytest.mark.parametrize("prefix", ["RIU", "CAR", "LIR", "DJW"])
@pytest.mark.parametrize(("off", "into", "verdict"), [
    (-1, "discard_rack", Verdict.COMPLIANT),
    (0, "discard_rack", Verdict.BREACH),
    (-2, "discard_rack", Verdict.BREACH),
    (-1, "", Verdict.UNDETERMINED),
])  # fmt: skip
def test_a_card_racked_because_it_lay_face_up_is_none_of_the_stub(
    prefix: str, off: int, into: str, verdict: Verdict
) -> None:
    """It "shall be placed in the discard rack" (.13(a)), and is a card of the deck all the same (.8(g), (h))."""
    kit = Kit(prefix)
    file = played(racked_face_up(into), count_stub(off))(kit)
    found = judge(file.events, file.table)
    assert verdicts(found, f"{prefix}-MS-STUB-BADDECK")[None] is verdict
