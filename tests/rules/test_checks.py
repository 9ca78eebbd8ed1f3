"""Each check: an event file that breaks it and nothing else, and one that keeps it at the edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from rounds import AT, SEATS, Edit, Script, Seat, breaches, build, hands_told, judge, nobody_at, seat, table, verdicts

from rules.cards import DECK_52
from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    CoverageGap,
    DecisionAnnounced,
    DeckChanged,
    DeviceJammed,
    ElectronicWagerAccepted,
    Event,
    Face,
    GapCause,
    HandOver,
    NoMoreBets,
    PayoutPlaced,
    ShufflerCounted,
    Side,
    StackPlaced,
    StubCounted,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.findings import Verdict
from rules.table import TableConfig


def increased(area: str, cents: int, by: Side | None = Side.PLAYER) -> WagerIncreased:
    return WagerIncreased(**AT, area=area, amount_cents=cents, by=by)


def hand(area: str, side: Side = Side.PLAYER) -> HandOver:
    return HandOver(**AT, area=area, since_s=0.0, side=side)


def changed(number: int, **fields: Any) -> Sequence[Seat]:
    """The usual seats, one of them changed."""
    return [replace(p, **fields) if p.number == number else p for p in SEATS]


def with_wagers(number: int, **wagers: int | None) -> Sequence[Seat]:
    return [replace(p, wagers={**p.wagers, **wagers}) if p.number == number else p for p in SEATS]


def built(seats: Sequence[Seat], edit: Edit | None = None) -> Script:
    script = build(seats)
    if edit is not None:
        edit(script)
    return script


def early_reveal(script: Script, late: str, street: int) -> None:
    """Turn a community card before this decision."""
    script.move(f"reveal:{street}", before=late, lead_s=0.7)


def extra_card(script: Script) -> None:
    card = CardPlaced(**AT, area="seat3.cards", card_id=900, face=Face.DOWN)
    script.insert(card, after="deal:3.2", wait_s=0.25)


def wrong_box(script: Script) -> None:
    first, second = script.get("reveal:1"), script.get("reveal:2")
    assert isinstance(first, CardTurned)
    assert isinstance(second, CardTurned)
    script.change("reveal:1", area=second.area, card_id=second.card_id)
    script.change("reveal:2", area=first.area, card_id=first.card_id)


def settle_first(script: Script, number: int, before: int) -> None:
    """Settle a seat before a higher one: exchange the times of their blocks."""
    own = [
        item
        for item in script.items
        if f":{number}." in item[0] and item[0].split(":")[0] in ("turn", "pay", "collect", "take")
    ]
    own += [item for item in script.items if item[0] == f"turn-hand:{number}"]
    shift = script.get(f"turn:{before}.0").t_s - 8.0 - own[0][1].t_s
    moved = {name: replace(event, t_s=event.t_s + shift) for name, event in own}
    script.items = [(name, moved.get(name, event)) for name, event in script.items]
    gap = 8.0
    script.items = [
        (n, e if n in moved or e.t_s < script.get(f"turn:{before}.0").t_s else replace(e, t_s=e.t_s + gap))
        for n, e in script.items
    ]
    script.items = [(n, replace(e, t_s=e.t_s + gap) if n in moved else e) for n, e in script.items]
    script.items.sort(key=lambda item: item[1].t_s)


def fold_at_second(script: Script) -> None:
    script.drop("fold", "check:4.2")
    for wager in ("ante", "blind"):
        script.insert(WagerRemoved(**AT, area=f"seat4.{wager}", by=Side.DEALER), after="play:3")


def player_turns(script: Script) -> None:
    script.change("turn-hand:3", side=Side.PLAYER)


def bonus_hand_racked(script: Script) -> None:
    """A folded hand with a bonus wager goes to the rack like one without."""
    script.drop("rack:4", "turn:4", "turn-hand:4")
    for i in range(3):
        script.insert(build().get(f"fold-rack:4.{i}"), after="fold-collect:4.blind", name=f"r{i}")


def slid_into_its_box(script: Script) -> None:
    """Two community cards lie in each other's box and are put right once they are turned."""
    wrong_box(script)
    for street, own, other in ((1, "4th", "5th"), (2, "5th", "4th")):
        name = f"reveal:{street}"
        moved = CardMoved(**AT, area=f"community.{own}", from_area=f"community.{other}", card_id=script.card_id(name))
        script.insert(moved, after=name)


def wager_order(script: Script) -> None:
    script.move("collect:3.six_card_bonus", before="pay:3.pair_plus")
    script.change("collect:3.six_card_bonus", t_s=script.get("pay:3.pair_plus").t_s - 0.5)


def taken_back_in_play(script: Script) -> None:
    """A wager that would lose, gone before it is settled: no business of settlement."""
    script.drop("collect:6.blind")
    script.insert(WagerRemoved(**AT, area="seat6.blind", by=Side.PLAYER), after="check:6.2")


BREAKING: list[tuple[str, Sequence[Seat], Edit | None, list[tuple[str, int | None]]]] = [
    ("blind_not_equal", with_wagers(1, blind=1500), None, [("RIU-BLIND-EQ", 1)]),
    ("no_blind", SEATS, lambda s: hands_told(s.drop("wager:1.blind", "take:1.blind")), [("RIU-ANTE-REQ", 1)]),
    ("cards_without_wagers", SEATS, lambda s: hands_told(nobody_at(s, 6)), [("RIU-MS-ELIGIBLE", 6)]),
    (
        "late_bet",
        SEATS,
        lambda s: s.insert(increased("seat3.pair_plus", 1000), after="deal:4.0"),
        [("RIU-WAG-LOCK", 3)],
    ),
    (
        "late_new_bet",
        SEATS,
        lambda s: s.insert(
            WagerPlaced(**AT, area="seat6.pair_plus", amount_cents=500, by=Side.PLAYER), after="deal:4.0"
        ),
        [("RIU-WAG-LOCK", 6)],
    ),
    ("taken_back_in_play", SEATS, taken_back_in_play, [("RIU-WAG-LOCK", 6)]),
    ("deal_before_nmb", SEATS, lambda s: s.move("deal:1.0", before="nmb"), [("RIU-MS-NMB", None)]),
    ("out_of_order", SEATS, lambda s: s.swap("deal:3.1", "deal:4.1"), [("RIU-MS-ORDER", 4)]),
    ("face_up", SEATS, lambda s: s.change("deal:3.1", face=Face.UP), [("RIU-MS-DOWN", 3)]),
    ("community_between", SEATS, lambda s: s.swap("deal:6.2", "deal:community.4th"), [("RIU-MS-COMM", None)]),
    ("extra_card", SEATS, extra_card, [("RIU-IRR-COUNT", 3)]),
    (
        "stub_beside_rack",
        SEATS,
        lambda s: s.change("stub", area="tray"),
        [("RIU-MS-STUB-RACK", None)],
    ),
    ("play_4x_first", changed(1, multiple=4), None, [("RIU-PLAY-AMT-1", 1)]),
    ("play_half_first", changed(1, multiple=1.5), None, [("RIU-PLAY-AMT-1", 1)]),
    ("play_3x_second", changed(3, multiple=3), None, [("RIU-PLAY-AMT-2", 3)]),
    ("play_2x_third", changed(6, multiple=2), None, [("RIU-PLAY-AMT-3", 6)]),
    ("play_twice", SEATS, lambda s: s.insert(increased("seat1.play", 4000), after="reveal:2"), [("RIU-PLAY-ONCE", 1)]),
    (
        "early_first",
        SEATS,
        lambda s: early_reveal(s, "check:6.1", 1),
        [("RIU-C1-WHEN", None), ("RIU-IRR-EXPOSED", None)],
    ),
    (
        "early_second",
        SEATS,
        lambda s: early_reveal(s, "check:6.2", 2),
        [("RIU-C2-WHEN", None), ("RIU-IRR-EXPOSED", None)],
    ),
    (
        "early_third",
        SEATS,
        lambda s: early_reveal(s, "play:6", 3),
        [("RIU-C3-WHEN", None), ("RIU-IRR-EXPOSED", None)],
    ),
    ("wrong_box", SEATS, wrong_box, [("RIU-C1-PLACE", None), ("RIU-C2-PLACE", None)]),
    ("settle_order", SEATS, lambda s: settle_first(s, 1, 3), [("RIU-SET-ORDER", 1)]),
    ("player_turns", SEATS, player_turns, [("RIU-SET-REVEAL", 3)]),
    ("bonus_first", SEATS, wager_order, [("RIU-SET-WSEQ", 3)]),
    ("ante_short", SEATS, lambda s: s.change("pay:1.ante", amount_cents=500), [("RIU-SET-ANTE", 1)]),
    ("play_over", SEATS, lambda s: s.change("pay:1.play", amount_cents=3500), [("RIU-SET-PLAY", 1)]),
    (
        "blind_paid_on_a_push",
        SEATS,
        lambda s: s.insert(PayoutPlaced(**AT, area="seat1.blind", amount_cents=1000), after="pay:1.play"),
        [("RIU-SET-BLIND", 1)],
    ),
    (
        "blind_collected_on_a_push",
        SEATS,
        lambda s: s.change("take:1.blind", by=Side.DEALER),
        [("RIU-SET-BLIND", 1)],
    ),
    ("pair_plus_short", SEATS, lambda s: s.change("pay:3.pair_plus", amount_cents=400), [("RIU-SET-PP", 3)]),
    (
        "winner_collected",
        SEATS,
        lambda s: s.drop("pay:1.ante").change("take:1.ante", by=Side.DEALER),
        [("RIU-SET-ANTE", 1)],
    ),
    (
        "loser_paid",
        SEATS,
        lambda s: s.insert(PayoutPlaced(**AT, area="seat6.ante", amount_cents=1000), after="turn-hand:6"),
        [("RIU-SET-BASE-L", 6)],
    ),
    ("loser_returned", SEATS, lambda s: s.change("collect:6.play", by=Side.PLAYER), [("RIU-SET-BASE-L", 6)]),
    (
        "bonus_paid_on_nothing",
        SEATS,
        lambda s: s.insert(PayoutPlaced(**AT, area="seat6.six_card_bonus", amount_cents=2500), after="collect:6.blind"),
        [("RIU-SET-SCB", 6)],
    ),
    ("folded_early", SEATS, fold_at_second, [("RIU-FOLD-ONLY3", 4)]),
    (
        "bonus_hand_racked",
        with_wagers(4, six_card_bonus=500),
        bonus_hand_racked,
        [("RIU-FOLD-CARDS", 4)],
    ),
    (
        "same_card_twice",
        SEATS,
        lambda s: s.change("turn:1.0", card="Kh"),
        [("RIU-DECK-ONE", None)],
    ),
    (
        "shown_before_deciding",
        SEATS,
        lambda s: s.insert(CardTurned(**AT, area="seat6.cards", card_id=103, face=Face.UP), after="examine:6"),
        [("RIU-D1-FACEDOWN", 6)],
    ),
    (
        "fold_returned",
        SEATS,
        lambda s: s.change("fold-collect:4.ante", "fold-collect:4.blind", by=Side.PLAYER).insert(
            DecisionAnnounced(**AT, seat=4, decision="fold"), after="fold:4"
        ),
        [("RIU-FOLD-COLLECT", 4)],
    ),
]


@pytest.mark.parametrize(("name", "seats", "edit", "expected"), BREAKING, ids=[row[0] for row in BREAKING])
def test_breaks_this_and_only_this(
    name: str, seats: Sequence[Seat], edit: Edit | None, expected: list[tuple[str, int | None]]
) -> None:
    assert breaches(judge(built(seats, edit).events)) == expected


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ({"brown": 1}, {"brown": 2}, "increased from 1 brown to 2 brown chips"),
        ({"brown": 1}, {"brown": 1, "gold": 1}, "increased from 1 brown to 1 brown and 1 gold chips"),
        ({"brown": 2}, {"brown": 1}, "decreased from 2 brown to 1 brown chips"),
        ({"brown": 1}, {"gold": 5}, None),
        ({"brown": 1}, {"brown": 1}, None),
        (None, {"brown": 2}, None),
        ({"brown": 1}, None, None),
    ],
)
def test_chips_of_unknown_worth_added_late_are_a_change_all_the_same(
    before: dict[str, int] | None, now: dict[str, int] | None, told: str | None
) -> None:
    script = build(with_wagers(3, pair_plus=None))
    first = None if before is None else tuple(before.items())
    then = None if now is None else tuple(now.items())
    script.change("wager:3.pair_plus", chips=first)
    late = WagerIncreased(**AT, area="seat3.pair_plus", amount_cents=None, chips=then, by=Side.PLAYER)
    script.insert(late, after="deal:4.0")
    (finding,) = [f for f in judge(script.events) if f.check_id == "RIU-WAG-LOCK" and f.seat == 3]
    assert finding.verdict is (Verdict.UNDETERMINED if told is None else Verdict.BREACH)
    assert told is None or told in finding.text


KEEPING: list[tuple[str, Sequence[Seat], Edit | None]] = [
    ("honest", SEATS, None),
    ("corrected_before_the_announcement", SEATS, lambda s: s.insert(increased("seat1.pair_plus", 1000), after="wager:1.pair_plus")),
    ("chips_at_rest_just_after_the_announcement", SEATS, lambda s: s.insert(increased("seat3.pair_plus", 1000), after="nmb")),
    ("play_one_time_at_first", changed(1, multiple=1), None),
    ("play_one_time_at_second", changed(3, multiple=1), None),
    ("play_unknown_amount", SEATS, lambda s: s.change("play:1", amount_cents=None)),
    ("unknown_stacks", with_wagers(1, ante=None, blind=None), None),
    ("one_tap_missed", SEATS, lambda s: s.drop("check:6.1")),
    ("all_taps_of_a_seat_missed", SEATS, lambda s: s.drop("check:6", "examine:6")),
    ("an_early_tap_missed", SEATS, lambda s: s.drop("check:3.1")),
    ("every_hand_missed", SEATS, lambda s: s.drop("check", "examine", "fold:", "turn-hand")),
    ("cards_not_read", SEATS, lambda s: s.change(*s.names("turn:3."), card=None)),
    ("payout_not_counted", SEATS, lambda s: s.change("pay:1.ante", amount_cents=None)),
    ("payout_missed", SEATS, lambda s: s.drop("pay:1.ante")),
    ("payout_in_two", SEATS, lambda s: s.change("pay:1.play", amount_cents=1000).insert(PayoutPlaced(**AT, area="seat1.play", amount_cents=2000), after="pay:1.play")),
    ("unknown_hand_took_it", SEATS, lambda s: s.change("collect:6.ante", by=None)),
    ("a_dealt_card_missed", SEATS, lambda s: s.drop("deal:3.1")),
    ("a_wager_missed", SEATS, lambda s: s.drop("wager:3.blind", "take:3.blind", "wager:3.ante", "pay:3.ante", "take:3.ante", "deal:3.2")),
    ("announcement_missed", SEATS, lambda s: s.drop("nmb")),
    ("stub_missed", SEATS, lambda s: s.drop("stub")),
    ("two_cards_at_once", SEATS, lambda s: s.change("deal:4.1", t_s=s.get("deal:3.1").t_s - 0.01)),
    ("slid_into_its_box", SEATS, slid_into_its_box),
    ("same_card_read_in_doubt", SEATS, lambda s: s.change("turn:1.0", card="Kh", confidence=0.6)),
    ("blind_pays_on_trips", [seat(2, "Ts Th 3c", 1, 3), seat(5, "2s 2d 7h", 0)], None),
    ("one_player", [seat(5, "2s 2d 7h", 3)], None),
    ("folded_with_bonus", with_wagers(4, six_card_bonus=500), None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "seats", "edit"), KEEPING, ids=[row[0] for row in KEEPING])
def test_keeps_silent(name: str, seats: Sequence[Seat], edit: Edit | None) -> None:
    assert breaches(judge(built(seats, edit).events)) == []


@pytest.mark.parametrize(
    ("name", "edit", "check", "number"),
    [
        ("ante_unknown", lambda s: s.change("wager:1.ante", amount_cents=None), "RIU-BLIND-EQ", 1),
        ("ante_unknown_play", lambda s: s.change("wager:1.ante", amount_cents=None), "RIU-PLAY-AMT-1", 1),
        ("cards_unknown", lambda s: s.change("turn:3.1", card=None), "RIU-SET-ANTE", 3),
        ("payout_unknown", lambda s: s.change("pay:1.ante", amount_cents=None), "RIU-SET-ANTE", 1),
        ("hand_unknown", lambda s: s.change("collect:6.ante", by=None), "RIU-SET-BASE-L", 6),
        ("tap_unknown", lambda s: s.drop("check:6.1"), "RIU-C1-WHEN", None),
        ("card_unknown", lambda s: s.drop("deal:3.1"), "RIU-IRR-COUNT", 3),
        ("order_unknown", lambda s: s.drop("deal:3.1"), "RIU-MS-ORDER", None),
        ("face_unknown", lambda s: s.drop("deal:3.1"), "RIU-MS-DOWN", 3),
        ("announcement_unknown", lambda s: s.drop("nmb"), "RIU-MS-NMB", None),
        ("first_card_unknown", lambda s: s.drop("deal:1.0"), "RIU-MS-NMB", None),
    ],
)
def test_says_what_was_missing(name: str, edit: Edit, check: str, number: int | None) -> None:
    found = [f for f in judge(built(SEATS, edit).events) if f.check_id == check and f.seat == number]
    assert [f.verdict for f in found] == [Verdict.UNDETERMINED]
    assert found[0].missing


def end_at_seat_3(check: str, turned: dict[str, str | None]) -> list[Verdict]:
    """How a check of seat 3 ends, its Ante being paid 15.00 too much and these cards of it turned to those faces, or not read."""
    script = build()
    script.change("pay:3.ante", amount_cents=2500)
    for number, card in turned.items():
        script.change(f"turn:3.{number}", card=card)
    return [f.verdict for f in judge(script.events) if f.check_id == check and f.seat == 3]


def test_a_card_that_was_not_read_leaves_nothing_open_where_the_end_is_the_same_whichever_it_is() -> None:
    """Two aces win the Ante whatever lies beside them; what the Pair Plus pays depends on whether a third is among them."""
    assert end_at_seat_3("RIU-SET-ANTE", {"2": None}) == [Verdict.BREACH]
    elsewhere = ["Th", "8c", "2d", "Kh", "5c", "7s", "Td", "4s", "9c", "Ac", "Ad"]
    for card in map(str, DECK_52):
        if card not in elsewhere:
            assert end_at_seat_3("RIU-SET-ANTE", {"2": card}) == [Verdict.BREACH]
    assert end_at_seat_3("RIU-SET-PP", {"2": None}) == [Verdict.UNDETERMINED]
    assert end_at_seat_3("RIU-SET-ANTE", {"1": None, "2": None}) == [Verdict.UNDETERMINED]
    assert end_at_seat_3("RIU-SET-ANTE", {"1": None}) == [Verdict.UNDETERMINED]


@pytest.mark.parametrize("confidence", [0.9, 0.45])
def test_what_is_said_of_a_hand_with_an_unread_card_names_it(confidence: float) -> None:
    """It does not rest on that card being one face up: which side up it lies changes nothing of what is owed."""
    script = build()
    script.change("pay:3.ante", amount_cents=2500)
    script.change("turn:3.2", card=None, confidence=confidence)
    (finding,) = [f for f in judge(script.events) if f.check_id == "RIU-SET-ANTE" and f.seat == 3]
    assert "one card was not read; whichever it is, the end is the same" in finding.text
    assert (finding.owed_cents, finding.paid_cents) == (1000, 2500)
    assert script.index("turn:3.2") in finding.events
    assert finding.confidence > 0.5


@pytest.mark.parametrize(("others", "found"), [(0.9, [("RIU-SET-ORDER", 1)]), (0.45, [])])
def test_a_hand_is_turned_as_surely_as_the_surest_card_turned_at_that_moment(
    others: float, found: list[tuple[str, int]]
) -> None:
    script = built(SEATS, lambda s: settle_first(s, 1, 3))
    t_s = script.get("turn:1.0").t_s
    for card, confidence in enumerate((0.45, others, others)):
        script.change(f"turn:1.{card}", t_s=t_s, confidence=confidence)
    assert [finding for finding in breaches(judge(script.events)) if finding[0] == "RIU-SET-ORDER"] == found


@pytest.mark.parametrize("row", BREAKING, ids=[row[0] for row in BREAKING])
def test_gap_over_the_round_silences_what_needs_the_whole(row: tuple[str, Sequence[Seat], Edit | None, object]) -> None:
    """Nothing was seen of the table all along: no check may end in a breach that rests on a stretch of time."""
    script = built(row[1], row[2])
    last = script.items[-1][1].t_s
    gap = CoverageGap(table_id="riu-test", t_s=last, cause=GapCause.BLOCKED, since_s=0.0)
    found = judge([gap, *script.events])
    about_one_event = {"RIU-WAG-LOCK", "RIU-MS-NMB", "RIU-MS-DOWN", "RIU-DECK-ONE", "RIU-PLAY-ONCE", "RIU-MS-STUB-RACK", "RIU-SET-ORDER",
                       "RIU-SET-REVEAL", "RIU-SET-WSEQ", "RIU-FOLD-ONLY3"}  # fmt: skip
    assert {check for check, _ in breaches(found)} <= about_one_event


def test_gap_over_one_area_leaves_the_others_alone() -> None:
    script = build()
    gap = CoverageGap(**AT, cause=GapCause.BLOCKED, since_s=script.get("wager:1.ante").t_s - 1, area="seat1.ante")
    script.insert(gap, after="deal:1.0")
    found = judge(script.events)
    assert verdicts(found, "RIU-BLIND-EQ") == {
        1: Verdict.UNDETERMINED, 3: Verdict.COMPLIANT, 4: Verdict.COMPLIANT, 6: Verdict.COMPLIANT,
    }  # fmt: skip


def test_without_required_signals_silence_is_no_breach() -> None:
    """ALL-A25: where checks need not be shown, an early card is never inferred from a missing tap."""
    script = build()
    early_reveal(script, "check:6.1", 1)
    found = judge(script.events, table(readings={}))
    assert breaches(found) == []
    assert verdicts(found, "RIU-C1-WHEN") == {None: Verdict.UNDETERMINED}


def test_card_turned_while_cards_are_still_dealt_needs_no_signals() -> None:
    script = build()
    script.move("reveal:1", before="deal:community.5th")
    assert ("RIU-C1-WHEN", None) in breaches(judge(script.events, table(readings={})))


def test_play_wager_after_an_early_card_belongs_to_the_decision_it_cut_short() -> None:
    seats = [seat(1, "Th 8c 2d", 1), seat(2, "Ac Ad 6h", 2, 2), seat(6, "Kh 5c 7s", 1, 3)]
    script = build(seats)
    early_reveal(script, "play:6", 1)
    assert breaches(judge(script.events)) == [("RIU-C1-WHEN", None), ("RIU-IRR-EXPOSED", None)]


@pytest.mark.parametrize("changed_by", [WagerDecreased, WagerIncreased])
def test_chips_of_a_play_wager_that_was_not_made_out_do_not_tell_when_it_was_made(
    changed_by: type[WagerDecreased | WagerIncreased],
) -> None:
    script = build([seat(1, "Th 8c 2d", 1), seat(2, "Ac Ad 6h", 2, 2), seat(6, "Kh 5c 7s", 3, 3)])
    script.drop("play:6")
    part = changed_by(**AT, area="seat6.play", amount_cents=None, by=Side.PLAYER)
    script.insert(part, after="turn:6.2")
    assert breaches(judge(script.events)) == []


def test_wagers_returned_after_an_early_card_is_what_the_law_wants() -> None:
    seats = [seat(1, "Th 8c 2d", 0), seat(2, "Ac Ad 6h", 0), seat(6, "Kh 5c 7s", 0)]
    script = build(seats)
    early_reveal(script, "check:6.1", 1)
    start = script.index("check:1.2")
    script.items = script.items[:start]
    script.t_s = script.items[-1][1].t_s
    script.add("tap", HandOver(**AT, area="seat6.cards", since_s=script.t_s, side=Side.PLAYER), 1.0)
    for n in (1, 2, 6):
        for wager in ("ante", "blind"):
            script.add(f"back:{n}.{wager}", WagerRemoved(**AT, area=f"seat{n}.{wager}", by=Side.PLAYER))
    found = judge(script.events)
    assert breaches(found) == [("RIU-C1-WHEN", None)]
    assert verdicts(found, "RIU-IRR-EXPOSED") == {None: Verdict.COMPLIANT}


def test_fraction_of_a_chip_is_not_judged() -> None:
    """3 to 2 on 5.00 is 7.50; the chapter says nothing of rounding, and there is no chip of 0.50."""
    seats = [seat(4, "Ks 2d 8h", 3, ante=500, blind=500)]
    for paid, verdict in (
        (700, Verdict.UNDETERMINED),
        (800, Verdict.UNDETERMINED),
        (750, Verdict.COMPLIANT),
        (600, Verdict.BREACH),
    ):
        script = build(seats, ("Kd", "6c", "2s"))
        script.change("pay:4.play", amount_cents=paid)
        assert verdicts(judge(script.events), "RIU-SET-PLAY")[4] is verdict


def test_owed_and_paid_are_written_out() -> None:
    script = build([seat(2, "Ks 2d 8h", 1, 3)], ("Kd", "6c", "2s"))
    script.change("pay:2.play", amount_cents=3000)
    finding = next(f for f in judge(script.events) if f.verdict is Verdict.BREACH)
    assert (finding.check_id, finding.owed_cents, finding.paid_cents) == ("RIU-SET-PLAY", 4500, 3000)
    assert finding.expected == "two pair 3 to 2 on 30.00: 45.00 and the stake"
    assert finding.seen == "paid 30.00, 15.00 too little"
    assert finding.citation == "58 Pa. Code § 669a.12(c)"


@pytest.mark.parametrize(
    ("wager", "config"),
    [("pair_plus", {"six_card_bonus": "B"}), ("six_card_bonus", {"pair_plus": "A"})],
)
def test_wager_that_is_not_offered(wager: str, config: dict[str, str]) -> None:
    script = build([seat(2, "Ks 2d 8h", 1)])
    placed = WagerPlaced(**AT, area=f"seat2.{wager}", amount_cents=500, by=Side.PLAYER)
    script.insert(placed, after="wager:2.ante")
    expected = "RIU-PP-OPT" if wager == "pair_plus" else "RIU-SCB-OFFER"
    assert breaches(judge(script.events, table(paytables=config))) == [(expected, 2)]


def with_progressive(**more: object) -> TableConfig:
    return table(
        paytables={"pair_plus": "A", "six_card_bonus": "B", "progressive": "A"}, progressive_unit_cents=100, **more
    )


def test_progressive_wager_after_the_announcement() -> None:
    wager = ElectronicWagerAccepted(**AT, seat=3, wager="progressive", amount_cents=100)
    late, early = build(), build()
    late.insert(wager, after="nmb")
    early.insert(wager, after="wager:3.pair_plus")
    assert breaches(judge(late.events, with_progressive())) == [("RIU-PROGSYS-LOCK", 3)]
    assert breaches(judge(early.events, with_progressive())) == []
    assert breaches(judge(early.events)) == [("RIU-PROG-OFFER", 3)]


def test_folded_player_paid_a_progressive() -> None:
    script = build()
    script.insert(WagerPlaced(**AT, area="seat4.progressive", amount_cents=100, by=Side.PLAYER), after="wager:4.ante")
    script.insert(PayoutPlaced(**AT, area="seat4.progressive", amount_cents=600), after="turn-hand:3")
    assert ("RIU-FOLD-PROG", 4) in breaches(judge(script.events, with_progressive()))


def test_deck_in_play_too_long_is_told_once() -> None:
    old = DeckChanged(table_id="riu-test", t_s=0.0)
    rounds = [build(t_s=8 * 3600 + 60.0 + 200 * n, first_card_id=100 * (n + 1)).events for n in range(2)]
    assert breaches(judge([old, *rounds[0], *rounds[1]])) == [("RIU-DECK-CHG-SHOE", None)]
    assert breaches(judge([old, *build(t_s=8 * 3600 - 60.0).events])) == []


def test_deck_that_the_shuffler_did_not_count_right() -> None:
    config = table(shuffler={"automated": True, "counts_cards": True})
    bad = ShufflerCounted(table_id="riu-test", t_s=1.0, count=51)
    assert breaches(judge([bad, *build().events], config)) == [("RIU-SHUF-COUNT", None)]
    good = ShufflerCounted(table_id="riu-test", t_s=2.0, count=52)
    assert breaches(judge([bad, good, *build().events], config)) == []


def test_stub_counted_every_five_rounds() -> None:
    events: list[Event] = [StubCounted(table_id="riu-test", t_s=1.0, count=0)]
    for n in range(6):
        script = build(t_s=10.0 + 200 * n, first_card_id=100 * (n + 1))
        if n == 0:
            script.insert(StubCounted(**AT, count=37), after="deal:community.6th")
        events += script.events
    found = judge(events)
    assert [(f.check_id, f.round_id) for f in found if f.verdict is Verdict.BREACH] == [
        ("RIU-MS-STUB-5RND", "riu-test-r0006")
    ]


def test_stub_that_shows_a_wrong_deck_or_a_misdeal() -> None:
    wrong = build()
    wrong.insert(StubCounted(**AT, count=36), after="deal:community.6th")
    assert ("RIU-MS-STUB-BADDECK", None) in breaches(judge(wrong.events))
    misdealt = build()
    extra_card(misdealt)
    misdealt.insert(StubCounted(**AT, count=36), after="deal:community.6th")
    found = breaches(judge(misdealt.events))
    assert ("RIU-MS-STUB-MISDEAL", None) in found
    assert ("RIU-MS-STUB-BADDECK", None) not in found


def test_play_goes_on_after_the_shoe_jammed() -> None:
    script = build()
    script.insert(DeviceJammed(**AT, device="shoe"), after="deal:6.2")
    config = table(dealing="automated_shoe", shuffler={"automated": True, "counts_cards": False})
    assert ("RIU-IRR-SHOEJAM", None) in breaches(judge(script.events, config))


def stacks(order: Sequence[int], count: int | None = 3) -> list[Event]:
    """The deal of an automated shoe."""
    events: list[Event] = []
    t = 20.0
    for n in sorted(order):
        for wager in ("ante", "blind"):
            events.append(
                WagerPlaced(
                    table_id="riu-test", t_s=5.0 + n / 10, area=f"seat{n}.{wager}", amount_cents=500, by=Side.PLAYER
                )
            )
    events.append(NoMoreBets(table_id="riu-test", t_s=15.0))
    for i, n in enumerate(order):
        t += 1.0
        events.append(StackPlaced(table_id="riu-test", t_s=t, area=f"seat{n}.cards", count=count if i == 0 else 3))
    events.append(StackPlaced(table_id="riu-test", t_s=t + 1, area="community.4th", count=3))
    events.append(StackPlaced(table_id="riu-test", t_s=t + 2, area="discard_rack"))
    events.append(HandOver(table_id="riu-test", t_s=t + 5, area="seat1.cards", since_s=t + 4, side=Side.PLAYER))
    return events


def test_automated_shoe_gives_stacks_from_the_left() -> None:
    config = table(dealing="automated_shoe", shuffler={"automated": True, "counts_cards": False})
    assert breaches(judge(stacks([1, 2, 5]), config)) == []
    assert breaches(judge(stacks([1, 5, 2]), config)) == [("RIU-AS-ORDER", 5)]
    assert breaches(judge(stacks([1, 2, 5], count=4), config)) == [("RIU-IRR-COUNT", 1)]


@pytest.mark.parametrize(
    ("earliest_s", "verdict"), [(14.2, Verdict.UNDETERMINED), (15.4, Verdict.COMPLIANT), (None, Verdict.COMPLIANT)]
)
def test_a_first_card_that_may_have_come_before_the_announcement_is_left_open(
    earliest_s: float | None, verdict: Verdict
) -> None:
    config = table(dealing="automated_shoe", shuffler={"automated": True, "counts_cards": False})
    events = stacks([1, 2, 5])
    first = next(i for i, event in enumerate(events) if isinstance(event, StackPlaced))
    events[first] = replace(events[first], t_s=15.6, earliest_s=earliest_s)
    found = [f for f in judge(events, config) if f.check_id == "RIU-AS-NMB"]
    assert [f.verdict for f in found] == [verdict]


def laid_out(
    names: Sequence[str | None],
    *,
    confidence: float = 0.95,
    taken_s: float | None = None,
    earliest_s: float | None = None,
) -> list[Event]:
    """Cards of seat 1's stack laid face up beside one another, tenths of a second apart, hidden since `earliest_s`; the first one taken away meanwhile."""
    cards: list[Event] = [
        CardPlaced(
            table_id="riu-test",
            t_s=60.0 + k / 10,
            earliest_s=earliest_s,
            confidence=confidence,
            area="seat1.cards",
            card_id=100 + k,
            face=Face.UP,
            card=name,
        )
        for k, name in enumerate(names)
    ]
    if taken_s is not None:
        cards.append(CardRemoved(table_id="riu-test", t_s=taken_s, area="seat1.cards", card_id=100))
    return sorted(cards, key=lambda event: event.t_s)


def read_later(names: Sequence[str]) -> list[Event]:
    """The faces of the cards laid out, read surely two seconds after they came."""
    return [
        CardRead(
            table_id="riu-test", t_s=62.0 + k / 10, confidence=0.95, area="seat1.cards", card_id=100 + k, card=name
        )
        for k, name in enumerate(names)
    ]


@pytest.mark.parametrize(
    ("shown", "proved"),
    [
        (laid_out(["8h", None, "6h", "Kd"]), True),
        (laid_out(["8h", "Jh", "6h"]), False),
        (laid_out(["8h", "Jh", "6h", "8h"]), False),
        (laid_out(["8h", "Jh", "6h", "Kd"], confidence=0.55), True),
        (laid_out(["8h", None, "6h", "Kd"], confidence=0.85), False),
        (laid_out(["8h", "Jh", "6h", "Kd"], confidence=0.45), False),
        (laid_out(["8h", "Jh", "6h", "Kd"], earliest_s=58.9), True),
        (laid_out(["8h", "Jh", "6h", "Kd"], taken_s=60.25), False),
        (laid_out(["8h", "Jh", "6h", "Kd"], taken_s=61.0), True),
        ([*laid_out(["8h", "Jh", "6h", None], confidence=0.45), *read_later(["8h", "Jh", "6h", "Kd"])], True),
        ([*laid_out(["8h", "Jh", "6h", None], confidence=0.45), *read_later(["8h", "Jh", "6h"])], False),
    ],
)
def test_more_cards_laid_out_of_a_stack_than_it_may_hold_prove_its_number(shown: list[Event], proved: bool) -> None:
    config = table(dealing="automated_shoe", shuffler={"automated": True, "counts_cards": False})
    found = judge([*stacks([1, 2, 5], count=None), *shown], config)
    counted = [f for f in found if f.check_id == "RIU-IRR-COUNT" and f.seat == 1]
    assert [f.verdict for f in counted] == [Verdict.BREACH if proved else Verdict.UNDETERMINED]
    if proved:
        assert counted[0].seen == "4 cards of the stack laid out"
    assert not [pair for pair in breaches(found) if pair[0] == "RIU-IRR-COUNT" and pair[1] != 1]


def test_hand_dealing_has_its_own_sections() -> None:
    config = table(dealing="hand", shuffler={"automated": True, "counts_cards": False})
    script = build()
    script.swap("deal:3.1", "deal:4.1")
    finding = next(f for f in judge(script.events, config) if f.verdict is Verdict.BREACH)
    assert (finding.check_id, finding.citation) == ("RIU-HD-ORDER", "58 Pa. Code § 669a.9(b)")
