"""Let It Ride: for each check an event file that breaks it and nothing else, and one that keeps it at the edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import game_rounds
import pytest
from game_rounds import Plan, Player, build, hand, player, table
from rounds import AT, Edit, Script, altered, breaches, hands_told, judge, nobody_at, verdicts

from rules.event_base import Source
from rules.events import (
    CardPlaced,
    CardTurned,
    CoverageGap,
    DecisionAnnounced,
    ElectronicWagerAccepted,
    Event,
    Face,
    GapCause,
    PayoutPlaced,
    Side,
    StubCounted,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.findings import Severity, Verdict
from rules.house_events import BonusPaid, WagersLocked

GAME = "let_it_ride"
COMMUNITY = ["Ts", "4s"]
SIX = ["Ad", "3d", "8h"]
BETS = {"bet1": 1000, "bet2": 1000, "bet3": 1000}
PLAYERS = (
    player(1, "Th 8c 2d", "", **BETS, five_card_bonus=500, three_card_bonus=500),  # a pair of 10s: wins, bonus too
    player(3, "9c 9d 6h", "bet1", **BETS, three_card_bonus=500),  # a pair of 9s: loses, three cards win
    player(4, "Kh Qd 7c", "bet1 bet2", **BETS, six_card_bonus=500),  # nothing
    player(6, "4h 4d Jc", "", bet1=2500, bet2=2500, bet3=2500),  # three 4s: wins 3 to 1
)


found = partial(game_rounds.found, GAME)
changed = partial(game_rounds.changed, PLAYERS)
wagers = partial(game_rounds.rewagered, PLAYERS)


def plan(players: Sequence[Player] = PLAYERS, community: Sequence[str] = COMMUNITY, **more: Any) -> Plan:
    shared = {"community": community}
    if any("six_card_bonus" in p.wagers for p in players):
        shared["six_cards"] = SIX
    return Plan(GAME, players, shared, **more)


def built(
    edit: Edit | None = None, players: Sequence[Player] = PLAYERS, community: Sequence[str] = COMMUNITY
) -> Script:
    script = build(plan(players, community))
    if edit is not None:
        edit(script)
    return script


def taken(area: str, by: Side | None = Side.PLAYER) -> WagerRemoved:
    return WagerRemoved(**AT, area=area, by=by)


def late_withdrawal(script: Script, *, attended: bool) -> None:
    """Seat 6 takes Bet 1 back after the first community card lay open."""
    script.insert(taken("seat6.bet1"), after="ride:1.bet2", name="back", wait_s=0.6)
    if attended:
        script.insert(hand(script.get("ride:1.bet2").t_s, "seat6.bet1", Side.DEALER), after="ride:1.bet2", name="moved", wait_s=0.3)  # fmt: skip
    script.drop("pay:6.bet1", "take:6.bet1")


def late_second_withdrawal(script: Script, *, attended: bool) -> None:
    """Seat 6 takes Bet 2 back after the second community card lay open."""
    script.insert(taken("seat6.bet2"), after="reveal:2", name="back", wait_s=1.3)
    if attended:
        script.insert(hand(script.get("reveal:2").t_s, "seat6.bet2", Side.DEALER), after="reveal:2", name="moved", wait_s=1.2)  # fmt: skip
    start = script.index("back") + 1
    script.items[start:] = [(n, replace(e, t_s=round(e.t_s + 2.0, 3))) for n, e in script.items[start:]]
    script.drop("pay:6.bet2", "take:6.bet2")


def third_bet_back(script: Script) -> None:
    script.insert(taken("seat6.bet3"), after="ride:1.bet2", name="back", wait_s=0.6)
    script.drop("pay:6.bet3", "take:6.bet3")


def part_of_bet_1(script: Script, by: Side | None = Side.PLAYER) -> None:
    script.insert(WagerDecreased(**AT, area="seat6.bet1", amount_cents=1000, by=by), after="ride:6.bet1")
    script.change("pay:6.bet1", amount_cents=3000)


def part_of_bet_3(script: Script, by: Side | None = Side.PLAYER) -> None:
    """Seat 6 takes 15.00 of Bet 3 back after the first community card lay open."""
    script.insert(WagerDecreased(**AT, area="seat6.bet3", amount_cents=1000, by=by), after="ride:1.bet2", wait_s=0.6)
    script.change("pay:6.bet3", amount_cents=3000)


def second_at_the_heels(script: Script) -> None:
    item = script.items.pop(script.index("reveal:2"))
    first = script.get("reveal:1").t_s
    script.items.insert(script.index("placed:1") + 1, (item[0], replace(item[1], t_s=round(first + 0.8, 3))))


def right_card_first(script: Script) -> None:
    first, second = script.card_id("reveal:1"), script.card_id("reveal:2")
    assert first != second
    script.change("reveal:1", area="community.2", card_id=second).change("reveal:2", area="community.1", card_id=first)
    script.drop("placed:1")


def bonus_card_shown(script: Script) -> None:
    script.insert(CardTurned(**AT, area="six_cards.1", card_id=script.card_id("deal:six_cards.1"), face=Face.UP, card="Ad"), after="reveal:1")  # fmt: skip
    script.drop("reveal:six.1")


def four_bonus_cards(script: Script) -> None:
    fourth = CardPlaced(**AT, area="six_cards.4", card_id=900, face=Face.DOWN)
    script.insert(fourth, after="deal:six_cards.3", wait_s=0.2)


def early_first(script: Script) -> None:
    """The first community card is turned before the last card is dealt."""
    script.move("reveal:1", before="deal:4.2", lead_s=0.7)


def bonus_cards_last(script: Script) -> None:
    names = [f"deal:six_cards.{i}" for i in (1, 2, 3)]
    items = [script.items[script.index(name)] for name in names]
    script.drop("deal:six_cards")
    t = script.get("deal:6.2").t_s
    for i, (name, event) in enumerate(items):
        script.items.insert(script.index("stub"), (name, replace(event, t_s=round(t + 0.2 * (i + 1), 3))))


BREAKING: list[tuple[str, Edit | None, Sequence[Player], list[tuple[str, int | None]]]] = [
    ("unequal", lambda s: [s.change(f"{what}:6.bet3", amount_cents=c) for what, c in (("wager", 1500), ("pay", 4500))], PLAYERS, [("LIR-THREE-EQ", 6)]),
    ("two_bets", lambda s: hands_told(s.drop("wager:3.bet2", "collect:3.bet2")), PLAYERS, [("LIR-THREE-EQ", 3)]),
    ("late_bonus", lambda s: s.insert(WagerPlaced(**AT, area="seat6.three_card_bonus", amount_cents=500, by=Side.PLAYER), after="deal:3.0"), PLAYERS, [("LIR-WAG-LOCK", 6)]),
    ("bet_1_again", lambda s: s.insert(WagerIncreased(**AT, area="seat1.bet3", amount_cents=2000, by=Side.PLAYER), after="reveal:1"), PLAYERS, [("LIR-WAG-LOCK", 1)]),
    ("bonus_withdrawn", lambda s: s.insert(taken("seat1.three_card_bonus"), after="examine:1").drop("collect:1.three"), PLAYERS, [("LIR-WAG-LOCK", 1)]),
    ("deal_before_nmb", lambda s: s.move("deal:six_cards.1", before="nmb"), PLAYERS, [("LIR-MS-NMB", None)]),
    ("cards_without_wagers", lambda s: hands_told(nobody_at(s, 6)), PLAYERS, [("LIR-MS-ELIGIBLE", 6)]),
    ("out_of_order", lambda s: s.swap("deal:3.1", "deal:4.1"), PLAYERS, [("LIR-MS-ORDER", 4)]),
    ("community_card_too_soon", lambda s: s.swap("deal:6.0", "deal:community.1"), PLAYERS, [("LIR-MS-ORDER", None)]),
    ("bonus_cards_last", bonus_cards_last, PLAYERS, [("LIR-MS-SCB-FIRST", None)]),
    ("face_up", lambda s: s.change("deal:3.1", face=Face.UP), PLAYERS, [("LIR-MS-DOWN", 3)]),
    ("second_card_to_the_left", lambda s: s.change("deal:community.2", area="community.0").change("reveal:2", area="community.0").change("reveal:1", area="community.0", card_id=s.card_id("reveal:2")).change("reveal:2", card_id=s.card_id("deal:community.1"), area="community.1").change("placed:1", area="community.3", card_id=s.card_id("reveal:1")), PLAYERS, [("LIR-MS-COMM2", None)]),
    ("four_cards", lambda s: s.insert(CardPlaced(**AT, area="seat3.cards", card_id=900, face=Face.DOWN), after="deal:3.2", wait_s=0.2), PLAYERS, [("LIR-IRR-COUNT", 3)]),
    ("three_community_cards", lambda s: s.insert(CardPlaced(**AT, area="community.2", card_id=900, face=Face.DOWN), after="deal:community.2", wait_s=0.2), PLAYERS, [("LIR-IRR-COUNT", None)]),
    ("stub_beside_rack", lambda s: s.change("stub", area="tray"), PLAYERS, [("LIR-MS-STUB-RACK", None)]),
    ("first_card_while_dealing", early_first, PLAYERS, [("LIR-C1-WHEN", None), ("LIR-IRR-EXPOSED", None)]),
    ("first_card_before_a_withdrawal", lambda s: late_withdrawal(s, attended=True), PLAYERS, [("LIR-C1-WHEN", None), ("LIR-IRR-EXPOSED", None)]),
    ("second_card_at_the_heels", second_at_the_heels, PLAYERS, [("LIR-C2-WHEN", None), ("LIR-IRR-EXPOSED", None)]),
    ("second_card_before_a_withdrawal", lambda s: late_second_withdrawal(s, attended=True), PLAYERS, [("LIR-C2-WHEN", None), ("LIR-IRR-EXPOSED", None)]),
    ("right_card_first", right_card_first, PLAYERS, [("LIR-C1-WHICH", None)]),
    ("left_card_left", lambda s: s.drop("placed:1").change("rack:community.1", area="community.1"), PLAYERS, [("LIR-C1-WHICH", None)]),
    ("bet_1_back_late", lambda s: late_withdrawal(s, attended=False), PLAYERS, [("LIR-D1-RIDE", 6)]),
    ("bet_2_back_late", lambda s: late_second_withdrawal(s, attended=False), PLAYERS, [("LIR-D2-RIDE", 6)]),
    ("part_of_bet_3", part_of_bet_3, PLAYERS, [("LIR-BET3-STAYS", 6)]),
    ("part_of_bet_3_by_a_hand_not_made_out", partial(part_of_bet_3, by=None), PLAYERS, []),
    ("part_of_bet_1", part_of_bet_1, PLAYERS, [("LIR-D1-WITHDRAW", 6)]),
    ("part_of_bet_1_by_a_hand_not_made_out", partial(part_of_bet_1, by=None), PLAYERS, [("LIR-D1-WITHDRAW", 6)]),
    ("part_of_bet_2", lambda s: s.insert(WagerDecreased(**AT, area="seat6.bet2", amount_cents=1000, by=Side.PLAYER), after="ride:6.bet2").change("pay:6.bet2", amount_cents=3000), PLAYERS, [("LIR-D2-WITHDRAW", 6)]),
    ("bet_3_back", third_bet_back, PLAYERS, [("LIR-BET3-STAYS", 6)]),
    ("cards_left_face_up", lambda s: s.insert(CardTurned(**AT, area="seat6.cards", card_id=s.card_id("deal:6.0"), face=Face.UP, card="4h"), after="ride:6.bet2"), PLAYERS, [("LIR-CARDS-FINAL", 6)]),
    ("four_bonus_cards", four_bonus_cards, PLAYERS, [("LIR-SCB-COUNT", None)]),
    ("bonus_card_shown", bonus_card_shown, PLAYERS, [("LIR-SCB-REVEAL", None)]),
    ("player_turns", lambda s: s.change("turn-hand:3", side=Side.PLAYER), PLAYERS, [("LIR-SET-REVEAL", 3)]),
    ("a_pair_of_9s_paid", lambda s: s.drop("collect:3.bet3").insert(PayoutPlaced(**AT, area="seat3.bet3", amount_cents=1000), after="collect:3.bet2"), PLAYERS, [("LIR-SET-LOSE", 3)]),
    ("a_pair_of_9s_returned", lambda s: s.change("collect:3.bet3", by=Side.PLAYER), PLAYERS, [("LIR-SET-LOSE", 3)]),
    ("three_4s_short", lambda s: s.change("pay:6.bet2", amount_cents=5000), PLAYERS, [("LIR-SET-WIN", 6)]),
    ("five_card_bonus_short", lambda s: s.change("pay:1.five_card_bonus", amount_cents=300), PLAYERS, [("LIR-SET-FCB", 1)]),
    ("three_card_bonus_short", lambda s: s.change("pay:3.three_card_bonus", amount_cents=200), PLAYERS, [("LIR-SET-TCB", 3)]),
    ("six_card_bonus_returned", lambda s: s.change("collect:4.six_card_bonus", by=Side.PLAYER), PLAYERS, [("LIR-SET-SCB", 4)]),
    ("bonus_first", lambda s: s.move("pay:1.five_card_bonus", before="pay:1.bet1", lead_s=0.5), PLAYERS, [("LIR-SET-WSEQ", 1)]),
    ("same_card_twice", lambda s: s.change("turn:1.1", card="Kh"), PLAYERS, [("LIR-DECK-ONE", None)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "players", "expected"), [row[1:] for row in BREAKING], ids=[row[0] for row in BREAKING]
)
def test_breaks_this_and_only_this(
    edit: Edit | None, players: Sequence[Player], expected: list[tuple[str, int | None]]
) -> None:
    assert found(built(edit, players)) == expected


KEEPING: list[tuple[str, Edit | None, Sequence[Player]]] = [
    ("honest", None, PLAYERS),
    ("a_pair_of_10s_wins", None, changed(1, cards="Th 9s 2d")),
    ("a_pair_of_9s_loses", None, changed(1, cards="9h 9s 2d", wagers={**BETS})),
    ("everyone_withdraws_both", None, [replace(p, decision="bet1 bet2") for p in PLAYERS]),
    ("nobody_withdraws", None, [replace(p, decision="") for p in PLAYERS]),
    ("no_six_card_bonus", None, changed(4, wagers={**BETS})),
    ("bet_not_counted", lambda s: s.change("wager:6.bet1", amount_cents=None), PLAYERS),
    ("dealers_hand_missed", lambda s: s.drop("move"), PLAYERS),
    ("player_unseen", lambda s: [s.change(f"withdraw:4.{b}", by=None) for b in ("bet1", "bet2")], PLAYERS),
    ("the_dealers_hand_taken_for_the_players", lambda s: [s.change(f"withdraw:1.{b}", by=Side.DEALER) for b in ("bet1", "bet2")], [replace(PLAYERS[0], decision="bet1 bet2"), *PLAYERS[1:]]),
    ("cards_not_read", lambda s: [s.change(f"turn:6.{i}", card=None) for i in range(3)], PLAYERS),
    ("community_card_not_read", lambda s: s.change("reveal:1", card=None), PLAYERS),
    ("payout_missed", lambda s: s.drop("pay:6.bet2"), PLAYERS),
    ("dealt_card_missed", lambda s: s.drop("deal:3.2"), PLAYERS),
    ("announcement_missed", lambda s: s.drop("nmb"), PLAYERS),
    ("first_community_card_missed", lambda s: s.drop("deal:community.1"), PLAYERS),
    ("first_community_card_not_seen_to_be_turned", lambda s: s.drop("reveal:1", "placed:1"), PLAYERS),
    ("withdrawn_as_the_card_is_turned", lambda s: s.drop("ride:6.bet1", "pay:6.bet1", "take:6.bet1").insert(taken("seat6.bet1"), after="reveal:1", wait_s=0.4), PLAYERS),
    ("looked_again_in_time", lambda s: s.insert(CardTurned(**AT, area="seat6.cards", card_id=s.card_id("deal:6.0"), face=Face.UP, card="4h"), after="examine:6", name="up").insert(CardTurned(**AT, area="seat6.cards", card_id=s.card_id("deal:6.0"), face=Face.DOWN), after="up", name="down"), PLAYERS),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "players"), [row[1:] for row in KEEPING], ids=[row[0] for row in KEEPING])
def test_keeps_silent(edit: Edit | None, players: Sequence[Player]) -> None:
    assert found(built(edit, players)) == []


def test_every_wager_is_judged_in_an_honest_round() -> None:
    findings = judge(built().events, table(GAME))
    ok = Verdict.COMPLIANT
    assert verdicts(findings, "LIR-SET-WIN") == {1: ok, 6: ok}
    assert verdicts(findings, "LIR-SET-LOSE") == {3: ok, 4: ok}
    assert verdicts(findings, "LIR-SET-FCB") == {1: ok}
    assert verdicts(findings, "LIR-SET-TCB") == {1: ok, 3: ok}
    assert verdicts(findings, "LIR-SET-SCB") == {4: ok}
    assert verdicts(findings, "LIR-D1-WITHDRAW") == {3: ok, 4: ok}
    assert verdicts(findings, "LIR-D1-RIDE") == {1: ok, 6: ok}
    for name in ("LIR-MS-ORDER", "LIR-MS-SCB-FIRST", "LIR-C1-WHICH", "LIR-SCB-REVEAL", "LIR-SET-ORDER", "LIR-MS-COMM2"):
        assert verdicts(findings, name) == {None: ok}, name


@pytest.mark.parametrize(
    ("bet", "after", "check"), [("bet3", "ride:1.bet2", "LIR-BET3-STAYS"), ("bet1", "ride:1.bet2", "LIR-D1-RIDE")]
)
def test_a_bet_taken_before_settlement_by_nobody_known_is_not_called_let_ride(bet: str, after: str, check: str) -> None:
    """It stayed at seat 1; of seat 6 nobody can tell whether its player took it back."""

    def edit(script: Script) -> None:
        script.insert(taken(f"seat6.{bet}", by=None), after=after, name="gone", wait_s=0.6)
        script.drop(f"pay:6.{bet}", f"take:6.{bet}")

    findings = judge(built(edit).events, table(GAME))
    assert breaches(findings) == []
    assert verdicts(findings, check) == {**verdicts(judge(built().events, table(GAME)), check), 6: Verdict.UNDETERMINED}


def test_silence_is_no_early_card() -> None:
    findings = judge(built(lambda s: s.drop("ride", "examine")).events, table(GAME))
    assert breaches(findings) == []
    assert verdicts(findings, "LIR-C1-WHEN") == {None: Verdict.UNDETERMINED}


def test_decisions_that_were_entered() -> None:
    late = built(lambda s: s.insert(DecisionAnnounced(**AT, seat=6, decision="ride"), after="reveal:2", wait_s=1.2))
    assert found(late)[0] == ("LIR-C2-WHEN", None)


def test_owed_and_paid_are_written_out() -> None:
    script = built(lambda s: s.change("pay:6.bet2", amount_cents=5000))
    finding = next(f for f in judge(script.events, table(GAME)) if f.verdict is Verdict.BREACH)
    assert (finding.owed_cents, finding.paid_cents) == (7500, 5000)
    assert finding.expected == "Bet2 three-of-a-kind 3 to 1 on 25.00: 75.00 and the stake"
    assert finding.citation == "58 Pa. Code § 643a.11(f)(2)"


def test_a_bonus_paid_for_1_is_a_warning() -> None:
    """LIR-A6: with the other reading of the odds of the Five Card Bonus the payout is a stake less."""
    script = built(None, wagers(6, five_card_bonus=500))  # three 4s
    config = table(GAME, readings={"lir.fcb_basis": "for"})
    owed = {f.seat: f.owed_cents for f in judge(script.events, table(GAME)) if f.check_id == "LIR-SET-FCB"}
    for_one = {f.seat: f.owed_cents for f in judge(script.events, config) if f.check_id == "LIR-SET-FCB"}
    assert (owed, for_one) == ({1: 1000, 6: 2000}, {1: 500, 6: 1500})
    script.change("pay:6.five_card_bonus", amount_cents=1500)
    findings = [f for f in judge(script.events, table(GAME)) if f.verdict is Verdict.BREACH]
    assert [(f.check_id, f.severity) for f in findings] == [("LIR-SET-FCB", Severity.WARNING)]
    assert findings[0].text.endswith("No breach under lir.fcb_basis=for (LIR-A6).")


AUTO: list[tuple[str, Edit | None, list[tuple[str, int | None]]]] = [
    ("honest", None, []),
    ("out_of_order", lambda s: s.swap("stack:1", "stack:3"), [("LIR-AS-ORDER", 3)]),
    ("four_in_a_stack", lambda s: s.change("stack:3", count=4), [("LIR-IRR-COUNT", 3)]),
    ("community_first", lambda s: s.move("stack:community", before="stack:1", lead_s=0.4), [("LIR-AUTO-COMM-LAST", None)]),
    ("right_card_racked", lambda s: (s.change("third:community.0", area="community.2", card_id=s.card_id("deal:community.2")), [s.change(n, area="community.0", card_id=s.card_id("deal:community.0")) for n in ("reveal:2", "rack:community.2")], s.change("placed:1", area="community.3")), [("LIR-AUTO-THIRD", None), ("LIR-C1-WHICH", None)]),
    ("third_exposed", lambda s: s.insert(CardTurned(**AT, area="community.0", card_id=s.card_id("deal:community.0"), face=Face.UP, card="2c"), after="deal:community.2", name="flash"), [("LIR-AUTO-THIRD", None)]),
    ("bonus_stack_first", lambda s: s.move("stack:six_cards", before="stack:community", lead_s=0.4), [("LIR-AUTO-SCB-LAST", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), [row[1:] for row in AUTO], ids=[row[0] for row in AUTO])
def test_automated_shoe(edit: Edit | None, expected: list[tuple[str, int | None]]) -> None:
    script = build(plan(dealing="automated_shoe"))
    if edit is not None:
        edit(script)
    assert found(script, dealing="automated_shoe") == expected


def test_community_cards_first_from_a_shoe_that_reshuffles() -> None:
    script = build(plan(dealing="automated_shoe"))
    script.move("stack:community", before="stack:1", lead_s=0.4)
    config = replace(table(GAME, dealing="automated_shoe"), reshuffler=True)
    assert breaches(judge(script.events, config)) == []


@pytest.mark.parametrize(
    ("wager", "after", "check"),
    [
        ("progressive3", "nmb", "LIR-PROGSYS-LOCK"),
        ("progressive5", "nmb", "LIR-PROGSYS-LOCK"),
        ("five_card_bonus", "nmb", "LIR-FCBSYS"),
        ("fchb", "deal:1.0", "LIR-EWS-LOCK"),
        ("progressive3", "wager:1.bet1", "LIR-3CP-OFFER"),
        ("progressive5", "wager:1.bet1", "LIR-5CP-OFFER"),
        ("fchb", "wager:1.bet1", "LIR-FCHB-OFFER"),
    ],
)
def test_electronic_wagers(wager: str, after: str, check: str) -> None:
    event = ElectronicWagerAccepted(**AT, seat=3, wager=wager, amount_cents=100)
    assert (check, 3) in found(built(lambda s: s.insert(event, after=after)))


@pytest.mark.parametrize(
    ("wager", "check"),
    [("five_card_bonus", "LIR-FCB-OFFER"), ("three_card_bonus", "LIR-TCB-OFFER"), ("six_card_bonus", "LIR-SCB-OFFER")],
)
def test_side_wagers_that_are_not_offered(wager: str, check: str) -> None:
    placed = WagerPlaced(**AT, area=f"seat6.{wager}", amount_cents=500, by=Side.PLAYER)
    assert (check, 6) in found(built(lambda s: s.insert(placed, after="wager:6.bet3")), paytables={"main": "A"})


def test_stub_is_counted_against_every_hand_the_board_and_the_bonus_cards() -> None:
    """52 less 3 for each of four players, 2 and 3 are 35."""
    right, wrong = built(), built()
    right.insert(StubCounted(**AT, count=35), after="stub")
    wrong.insert(StubCounted(**AT, count=34), after="stub")
    assert found(right) == []
    assert found(wrong) == [("LIR-MS-STUB-BADDECK", None)]


@pytest.mark.parametrize("row", BREAKING, ids=[row[0] for row in BREAKING])
def test_gap_over_the_round_silences_what_needs_the_whole(
    row: tuple[str, Edit | None, Sequence[Player], object],
) -> None:
    script = built(row[1], row[2])
    gap = CoverageGap(table_id=GAME, t_s=script.items[-1][1].t_s, cause=GapCause.BLOCKED, since_s=0.0)
    about_one_event = {"LIR-WAG-LOCK", "LIR-MS-NMB", "LIR-MS-DOWN", "LIR-DECK-ONE", "LIR-MS-STUB-RACK", "LIR-SET-ORDER",
                       "LIR-SET-REVEAL", "LIR-SET-WSEQ", "LIR-D1-RIDE", "LIR-D2-RIDE", "LIR-D1-WITHDRAW", "LIR-D2-WITHDRAW",
                       "LIR-BET3-STAYS", "LIR-SCB-COUNT", "LIR-SCB-REVEAL"}  # fmt: skip
    events: list[Event] = [gap, *script.events]
    assert {check for check, _ in breaches(judge(events, table(GAME)))} <= about_one_event


@pytest.mark.parametrize(("earliest_s", "verdict"), [(None, Verdict.BREACH), (0.3, Verdict.UNDETERMINED)])
def test_a_card_shown_before_a_second_card_of_unknown_moment_accuses_nobody(
    earliest_s: float | None, verdict: Verdict
) -> None:
    script = built()
    shown = CardTurned(**AT, area="seat6.cards", card_id=script.card_id("deal:6.0"), face=Face.UP, card="4h")
    script.insert(shown, after="ride:6.bet2")
    before_s = None if earliest_s is None else script.get("new").t_s - earliest_s
    script.change("reveal:2", earliest_s=before_s)
    assert verdicts(judge(script.events, table(GAME)), "LIR-CARDS-FINAL")[6] is verdict


def test_a_part_of_a_bet_weighs_more_than_a_bet_taken_without_the_dealer() -> None:
    """A player withdraws a bet or lets it ride; a part of it is neither (643a.11(b), LIR-A19)."""
    script = built(part_of_bet_1)
    findings = judge(script.events, table(GAME))
    part = next(f for f in findings if f.check_id == "LIR-D1-WITHDRAW" and f.verdict is Verdict.BREACH)
    assert part.severity is Severity.CRITICAL


@pytest.mark.parametrize(
    ("edit", "check"), [(part_of_bet_1, "LIR-D1-WITHDRAW"), (part_of_bet_3, "LIR-BET3-STAYS")], ids=["bet 1", "bet 3"]
)
def test_a_part_taken_of_which_it_is_not_known_how_much_leaves_its_check_open(edit: Edit, check: str) -> None:
    """Chips were taken from the bet; whether fewer lie there is not known, so it neither stayed nor was broken up."""
    script = built(edit)
    events = [altered(e, amount_cents=None) if isinstance(e, WagerDecreased) else e for e in script.events]
    assert verdicts(judge(script.events, table(GAME)), check)[6] is Verdict.BREACH
    assert verdicts(judge(events, table(GAME)), check)[6] is Verdict.UNDETERMINED


# -- community cards that came face up -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
def test_a_community_card_dealt_face_up_voids_the_round(number: int) -> None:
    """It is exposed before the dealer may reveal it (643a.13(d)); who goes on and settles does so in a void round."""

    def up(script: Script) -> None:
        script.change(f"deal:community.{number}", face=Face.UP, card=COMMUNITY[number - 1])
        script.drop(f"reveal:{number}")

    assert found(built(up)) == [("LIR-IRR-EXPOSED", None), ("LIR-MS-DOWN", None)]
    stopped = built(up)
    stopped.items = stopped.items[: stopped.index("stub") + 1]
    stopped.t_s = stopped.items[-1][1].t_s
    for p in PLAYERS:
        for wager in p.wagers:
            stopped.add(f"back:{p.number}.{wager}", taken(f"seat{p.number}.{wager}"))
    assert found(stopped) == [("LIR-MS-DOWN", None)]
    assert verdicts(judge(stopped.events, table(GAME)), "LIR-IRR-EXPOSED") == {None: Verdict.COMPLIANT}


def test_the_third_card_of_a_stack_that_came_face_up_was_exposed() -> None:
    """The card that goes to the rack from an automated stack is not to be seen (643a.10(b)); it was not racked unseen."""
    script = build(plan(dealing="automated_shoe"))
    script.change("deal:community.0", face=Face.UP, card="2c")
    assert found(script, dealing="automated_shoe") == [("LIR-AUTO-THIRD", None)]


# -- a bet that rode and is taken back with the dealer's help --------------------------------------------------------------


def said(script: Script) -> None:
    """Every seat's answer about Bet 1 is entered."""
    for p in PLAYERS:
        kind, answer = ("withdraw", "withdraw") if "bet1" in p.decision else ("ride", "ride")
        script.insert(DecisionAnnounced(**AT, seat=p.number, decision=answer), after=f"{kind}:{p.number}.bet1")


def test_a_bet_said_to_ride_that_the_dealer_hands_back() -> None:
    """The first community card was not turned early: the seat had decided, and its bet was to stay (643a.11(b)(1))."""
    script = built(said)
    late_withdrawal(script, attended=True)
    assert found(script) == [("LIR-D1-RIDE", 6)]
    assert verdicts(judge(script.events, table(GAME)), "LIR-C1-WHEN") == {None: Verdict.COMPLIANT}


@pytest.mark.parametrize("attended", [True, False])
def test_a_bet_said_to_be_withdrawn_whose_chips_go_late(attended: bool) -> None:
    """The seat had decided, and did not let the bet ride: neither was the card early, nor the bet taken back."""

    def withdraws(script: Script) -> None:
        said(script)
        script.items = [
            (n, replace(e, decision="withdraw") if isinstance(e, DecisionAnnounced) and e.seat == 6 else e)
            for n, e in script.items
        ]

    script = built(withdraws)
    late_withdrawal(script, attended=attended)
    assert found(script) == []


def test_a_bet_handed_back_once_players_were_asked_about_the_second() -> None:
    """The seat was asked about Bet 1 too late, or changed its mind: which, nobody can tell, and no round is void for it."""
    script = built()
    for bet, wait_s in (("bet1", 0.8), ("bet2", 1.4)):
        script.insert(taken(f"seat6.{bet}"), after="ride:6.bet2", name=f"back:{bet}", wait_s=wait_s)
        script.insert(hand(script.get("ride:6.bet2").t_s, f"seat6.{bet}", Side.DEALER), after="ride:6.bet2", name=f"hand:{bet}", wait_s=0.5)  # fmt: skip
        script.drop(f"pay:6.{bet}", f"take:6.{bet}")
    script.items.sort(key=lambda item: item[1].t_s)
    assert found(script) == []
    findings = judge(script.events, table(GAME))
    assert verdicts(findings, "LIR-C1-WHEN") == {None: Verdict.UNDETERMINED}
    assert verdicts(findings, "LIR-D1-RIDE")[6] is Verdict.UNDETERMINED


def test_an_answer_entered_twice_shows_no_early_card() -> None:
    """Seat 6 had let Bet 2 ride before the second card was turned; its answer came once more after it."""

    def twice(script: Script) -> None:
        answer = DecisionAnnounced(**AT, seat=6, decision="ride")
        script.insert(answer, after="ride:6.bet2", wait_s=0.2)
        script.insert(answer, after="reveal:2", wait_s=1.5)
        script.items.sort(key=lambda item: item[1].t_s)

    assert found(built(twice)) == []
    late = built(lambda s: s.insert(DecisionAnnounced(**AT, seat=6, decision="ride"), after="reveal:2", wait_s=1.5))
    assert ("LIR-C2-WHEN", None) in found(late)


def test_answers_of_every_seat_show_that_the_second_card_was_in_time() -> None:
    script = built()
    for p in PLAYERS:
        kind = "withdraw" if "bet2" in p.decision else "ride"
        answer = DecisionAnnounced(**AT, seat=p.number, decision=kind)
        script.insert(answer, after=f"{kind}:{p.number}.bet2", wait_s=0.1)
    assert verdicts(judge(script.events, table(GAME)), "LIR-C2-WHEN") == {None: Verdict.COMPLIANT}


# -- a shoe that reshuffles by itself --------------------------------------------------------------------------------------

RESHUFFLES = {"dealing": "automated_shoe", "shuffler": {"automated": True, "reshuffles": True, "approval": "X"}}


@pytest.mark.parametrize(("left", "expected"), [(36, ["STUB-BADDECK"]), (35, []), (34, []), (33, ["STUB-BADDECK"])])
def test_two_community_cards_alone_from_a_shoe_that_reshuffles(left: int, expected: list[str]) -> None:
    """They may be dispensed as two, none of which is racked, so that one card more is left (643a.10(g), LIR-A11)."""
    script = build(plan(dealing="automated_shoe"))
    script.drop("deal:community.0", "third")
    script.change("stack:community", count=None)
    script.insert(StubCounted(**AT, count=left), after="stub", wait_s=0.1)
    assert [check.partition("-AS-")[2] for check, _ in found(script, **RESHUFFLES)] == expected


def test_six_card_bonus_cards_in_any_place_from_a_shoe_that_reshuffles() -> None:
    """The order of the stacks is that of a shoe that does not (643a.10(b), (g), LIR-A11)."""
    script = build(plan(dealing="automated_shoe"))
    script.move("stack:six_cards", before="stack:community", lead_s=0.4)
    assert found(script, **RESHUFFLES) == []
    assert found(script, dealing="automated_shoe") == [("LIR-AUTO-SCB-LAST", None)]


# -- envy bonuses of both progressive wagers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paid", "broken"),
    [
        ((10_000, 100_000), {}),
        ((110_000,), {}),
        ((100_000,), {"LIR-3CP-ENVY": (10_000, 0)}),
        ((10_000,), {"LIR-5CP-ENVY": (100_000, 0)}),
        ((10_000, 50_000), {"LIR-5CP-ENVY": (100_000, 50_000)}),
        ((20_000, 100_000), {"LIR-3CP-ENVY": (10_000, 20_000)}),
        ((50_000,), None),
        ((), {"LIR-3CP-ENVY": (10_000, 0), "LIR-5CP-ENVY": (100_000, 0)}),
    ],
)
def test_envy_bonuses_of_both_progressives(paid: Sequence[int], broken: dict[str, tuple[int, int]] | None) -> None:
    """Seat 1 holds a mini-royal of spades and a royal flush (643a.12(d)(5), (e)(5)); a payment is for the wager that its amount fits."""
    players = [player(1, "As Ks Qs", "", **BETS), player(3, "9c 9d 6h", "", **BETS)]
    script = built(None, players, ["Js", "Ts"])
    for wager in ("progressive3", "progressive5"):
        made = ElectronicWagerAccepted(**AT, seat=3, wager=wager, amount_cents=100)
        script.insert(made, after=script.names("wager:3.")[-1], name=f"made:{wager}")
    for cents in paid:
        script.insert(BonusPaid(**AT, seat=3, wager="envy", amount_cents=cents, source=Source.INVENTORY), after=script.names("take:1")[-1], wait_s=0.2)  # fmt: skip
    config = table(
        GAME, paytables={"main": "A", "progressive3": "A", "progressive5": "A"}, progressive_unit_cents=100,
        readings={"lir.progressive": "both"}, reports=["bonus_paid"],
    )  # fmt: skip
    envies = [f for f in judge(script.events, config) if f.check_id.endswith("-ENVY") and f.seat == 3]
    told = {f.check_id: (f.owed_cents, f.paid_cents) for f in envies if f.verdict is Verdict.BREACH}
    assert told == (broken or {})
    kept = Verdict.UNDETERMINED if broken is None else Verdict.COMPLIANT
    assert {f.verdict for f in envies if f.check_id not in told} <= {kept}
    assert len(envies) == 2


@pytest.mark.parametrize("name", ["five_card_hand_bonus", "fchb", "fchb_player"])
def test_the_lock_of_the_hand_bonus_by_the_names_of_its_system(name: str) -> None:
    """643a.8(b)(3): the wager is reported as `fchb` or by its name in the Rules Submission."""
    config = {"paytables": {"main": "A", "five_card_hand_bonus": "A"}, "reports": ["wagers_locked"]}
    script = built(None, [player(1, "Th 8c 2d", "", **BETS), player(3, "9c 9d 6h", "bet1", **BETS)])
    assert found(script, **config) == [("LIR-MS-FCHB-LOCK", None)]
    script.insert(WagersLocked(**AT, wager=name), after="nmb")
    assert found(script, **config) == []


@pytest.mark.parametrize(
    ("bet", "after", "expected"),
    [
        ("bet2", "ride:6.bet1", [("LIR-WAG-LOCK", 6)]),
        ("bet2", "ride:1.bet1", [("LIR-WAG-LOCK", 6)]),
        ("bet1", "deal:3.2", []),
        ("bet1", "deal:community.2", [("LIR-WAG-LOCK", 6)]),
        ("bet1", "ride:1.bet1", []),
        ("bet2", "ride:1.bet2", []),
    ],
)
def test_a_bet_is_withdrawn_at_its_own_question(bet: str, after: str, expected: list[tuple[str, int | None]]) -> None:
    """Bet 1 once the cards are dealt and examined, Bet 2 once the first community card is exposed (643a.7(c), .11(b), (d))."""
    script = built()
    script.insert(taken(f"seat6.{bet}"), after=after, name="back", wait_s=0.2)
    script.insert(hand(script.get(after).t_s, f"seat6.{bet}", Side.DEALER), after=after, name="moved", wait_s=0.1)
    script.drop(f"pay:6.{bet}", f"take:6.{bet}")
    assert found(script) == expected
    ends = verdicts(judge(script.events, table(GAME)), f"LIR-D{bet[-1]}-WITHDRAW")
    assert (ends.get(6) is Verdict.COMPLIANT) is (not expected)
