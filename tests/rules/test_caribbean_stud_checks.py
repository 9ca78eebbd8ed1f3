"""Caribbean Stud: for each check an event file that breaks it and nothing else, and one that keeps it at the edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import game_rounds
import pytest
from game_rounds import Plan, Player, build, player, table
from rounds import AT, Edit, Script, breaches, hands_told, judge, nobody_at, verdicts

from rules.events import (
    CardPlaced,
    CardTurned,
    CoverageGap,
    DecisionAnnounced,
    DeviceJammed,
    ElectronicWagerAccepted,
    Event,
    Face,
    GapCause,
    HandOver,
    PayoutPlaced,
    Side,
    StubCounted,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.findings import Severity, Verdict

GAME = "caribbean_stud"
DEALER = ["Ah", "Kd", "7c", "5s", "2h"]
"""Ace-king: the dealer qualifies."""
BELOW = ["Ad", "Qs", "Js", "Td", "9s"]
"""The best hand below ace-king."""
PLAYERS = (
    player(1, "Th Tc 4d 3s 2c", "bet", ante=1000, bonus=500),  # a pair of 10s: wins, bonus 1 to 1
    player(3, "Qh Jh 9c 6s 4c", "bet", ante=1000),  # queen high: loses
    player(4, "8c 7d 5h 3h 2d", "fold", ante=1000, bonus=500),
    player(6, "Jc Jd 8h 8d 3c", "bet", ante=2500),  # two pair: wins 2 to 1
)


found = partial(game_rounds.found, GAME)
changed = partial(game_rounds.changed, PLAYERS)
wagers = partial(game_rounds.rewagered, PLAYERS)


def plan(players: Sequence[Player] = PLAYERS, dealer: Sequence[str] = DEALER, **more: Any) -> Plan:
    return Plan(GAME, players, {"dealer": dealer}, **more)


def built(edit: Edit | None = None, players: Sequence[Player] = PLAYERS, dealer: Sequence[str] = DEALER) -> Script:
    script = build(plan(players, dealer))
    if edit is not None:
        edit(script)
    return script


def extra_card(area: str) -> CardPlaced:
    return CardPlaced(**AT, area=area, card_id=900, face=Face.DOWN)


def shift(script: Script, name: str, *, after: str, wait_s: float) -> None:
    """Put an event after another, that much later."""
    item = script.items.pop(script.index(name))
    i = script.index(after)
    script.items.insert(i + 1, (name, replace(item[1], t_s=round(script.items[i][1].t_s + wait_s, 3))))
    script.items.sort(key=lambda pair: pair[1].t_s)


def bet_after_the_hole_cards(script: Script) -> None:
    shift(script, "decide:6", after="reveal:dealer.4", wait_s=2.0)
    start = script.index("decide:6") + 1
    script.items[start:] = [(name, replace(e, t_s=e.t_s + 4.0)) for name, e in script.items[start:]]


def collected_early(script: Script) -> None:
    for name in ("fold-collect:4.ante", "fold-collect:4.bonus"):
        script.move(name, before="decide:6", lead_s=1.4)


def late_bet(area: str, by: Side = Side.PLAYER) -> WagerPlaced:
    return WagerPlaced(**AT, area=area, amount_cents=500, by=by)


def settle_first(script: Script, number: int, before: int) -> None:
    """Settle a seat before a higher one: exchange the blocks of their events."""
    names = [n for n, _ in script.items]
    mine = [i for i, n in enumerate(names) if n.partition(":")[0] in ("turn", "turn-hand", "pay", "collect", "take")]
    a = [i for i in mine if names[i].partition(":")[2].split(".")[0] == str(number)]
    b = [i for i in mine if names[i].partition(":")[2].split(".")[0] == str(before)]
    start_a, start_b = script.items[a[0]][1].t_s, script.items[b[0]][1].t_s
    length = script.items[a[-1]][1].t_s - start_a + 1.0
    rest = [(n, e) for i, (n, e) in enumerate(script.items) if i not in a]
    rest = [(n, e if e.t_s < start_b - 1e-9 else replace(e, t_s=round(e.t_s + length, 3))) for n, e in rest]
    own = [(script.items[i][0], replace(script.items[i][1], t_s=round(script.items[i][1].t_s - start_a + start_b, 3))) for i in a]  # fmt: skip
    script.items = sorted([*rest, *own], key=lambda item: item[1].t_s)


def hole_card_dealt_up(script: Script) -> None:
    script.change("deal:dealer.2", face=Face.UP, card="7c")
    script.drop("reveal:dealer.2")


def collect_a_winner(script: Script) -> None:
    script.insert(WagerRemoved(**AT, area="seat1.bet", by=Side.DEALER), after="pay:1.ante", name="collect:1.bet")
    script.drop("pay:1.bet", "take:1.bet")


BREAKING: list[tuple[str, Edit | None, Sequence[Player], Sequence[str], list[tuple[str, int | None]]]] = [
    ("bet_chips_before_the_deal", lambda s: s.drop("decide:6").insert(replace(late_bet("seat6.bet"), amount_cents=5000), after="wager:6.ante", name="decide:6"), PLAYERS, DEALER, [("CAR-ANTE-REQ", 6)]),
    ("late_bonus", lambda s: s.insert(late_bet("seat3.bonus"), after="deal:3.0"), PLAYERS, DEALER, [("CAR-WAG-LOCK", 3)]),
    ("ante_raised", lambda s: s.insert(WagerIncreased(**AT, area="seat3.ante", amount_cents=2000, by=Side.PLAYER), after="deal:3.1"), PLAYERS, DEALER, [("CAR-WAG-LOCK", 3)]),
    ("deal_before_nmb", lambda s: s.move("deal:1.0", before="nmb"), PLAYERS, DEALER, [("CAR-MS-NMB", None)]),
    ("cards_without_an_ante", lambda s: hands_told(nobody_at(s, 3)), PLAYERS, DEALER, [("CAR-MS-ELIGIBLE", 3)]),
    ("out_of_order", lambda s: s.swap("deal:3.1", "deal:4.1"), PLAYERS, DEALER, [("CAR-MS-ORDER", 4)]),
    ("dealer_first", lambda s: s.swap("deal:1.3", "deal:dealer.3"), PLAYERS, DEALER, [("CAR-MS-ORDER", None)]),
    ("face_up", lambda s: s.change("deal:3.1", face=Face.UP), PLAYERS, DEALER, [("CAR-MS-DOWN", 3)]),
    ("up_card_down", lambda s: s.change("deal:dealer.0", face=Face.DOWN, card=None).insert(CardTurned(**AT, area="dealer.1", card_id=s.card_id("deal:dealer.0"), face=Face.UP, card="Ah"), after="stub", name="upcard"), PLAYERS, DEALER, [("CAR-DEAL-UPCARD", None)]),
    ("hole_card_up", hole_card_dealt_up, PLAYERS, DEALER, [("CAR-DEAL-UPCARD", None), ("CAR-IRR-EXPOSED", None)]),
    ("second_card_on_the_first", lambda s: [s.change(f"deal:dealer.{i}", area="dealer.1") for i in range(1, 5)], PLAYERS, DEALER, [("CAR-MS-DLR2", None)]),
    ("third_card_beside", lambda s: s.change("deal:dealer.2", area="dealer.3"), PLAYERS, DEALER, [("CAR-MS-DLR35", None)]),
    ("second_card_on_the_first_and_the_third_not_seen", lambda s: s.drop("deal:dealer.2").change(*(f"deal:dealer.{i}" for i in (1, 3, 4)), area="dealer.1"), PLAYERS, DEALER, [("CAR-MS-DLR2", None)]),
    ("fourth_card_beside_and_the_fifth_not_seen", lambda s: s.drop("deal:dealer.4").change("deal:dealer.3", area="dealer.3"), PLAYERS, DEALER, [("CAR-MS-DLR35", None)]),
    ("six_cards", lambda s: s.insert(extra_card("seat3.cards"), after="deal:3.4", wait_s=0.2), PLAYERS, DEALER, [("CAR-IRR-COUNT", 3)]),
    ("dealer_six_cards", lambda s: s.insert(extra_card("dealer.2"), after="deal:dealer.4", wait_s=0.2), PLAYERS, DEALER, [("CAR-IRR-COUNT", None)]),
    ("stub_beside_rack", lambda s: s.change("stub", area="tray"), PLAYERS, DEALER, [("CAR-MS-STUB-RACK", None)]),
    ("bet_of_one_ante", None, changed(3, times=1.0), DEALER, [("CAR-BET-AMT", 3)]),
    ("bet_of_three_antes", None, changed(3, times=3.0), DEALER, [("CAR-BET-AMT", 3)]),
    ("bet_before_the_last_cards", lambda s: s.move("decide:1", before="deal:1.4", lead_s=1.3), PLAYERS, DEALER, [("CAR-BET-TURN", 1)]),
    ("fold_returned", lambda s: s.change("fold-collect:4.ante", by=Side.PLAYER), PLAYERS, DEALER, [("CAR-FOLD-FORFEIT", 4)]),
    ("fold_bonus_returned", lambda s: s.change("fold-collect:4.bonus", by=Side.PLAYER), PLAYERS, DEALER, [("CAR-FOLD-FORFEIT", 4)]),
    ("fold_collected_early", collected_early, PLAYERS, DEALER, [("CAR-FOLD-COLLECT", 4)]),
    ("hole_cards_before_a_decision", bet_after_the_hole_cards, PLAYERS, DEALER, [("CAR-IRR-EXPOSED", None), ("CAR-REVEAL-WHEN", None)]),
    ("cards_turned_after_the_decision", lambda s: s.insert(CardTurned(**AT, area="seat1.cards", card_id=s.card_id("deal:1.0"), face=Face.UP, card="Th"), after="decide:3"), PLAYERS, DEALER, [("CAR-CARDS-FINAL", 1)]),
    ("settle_order", lambda s: settle_first(s, 1, 3), PLAYERS, DEALER, [("CAR-SET-ORDER", 1)]),
    ("player_turns", lambda s: s.change("turn-hand:3", side=Side.PLAYER), PLAYERS, DEALER, [("CAR-SET-REVEAL", 3)]),
    ("ante_not_paid_below_ace_king", lambda s: s.drop("pay:3.ante").change("take:3.ante", by=Side.DEALER), PLAYERS, BELOW, [("CAR-SET-NQ", 3)]),
    ("bet_paid_below_ace_king", lambda s: s.insert(PayoutPlaced(**AT, area="seat1.bet", amount_cents=2000), after="pay:1.ante"), PLAYERS, BELOW, [("CAR-SET-NQ", 1)]),
    ("loser_paid", lambda s: s.insert(PayoutPlaced(**AT, area="seat3.ante", amount_cents=1000), after="turn-hand:3"), PLAYERS, DEALER, [("CAR-SET-LOSE", 3)]),
    ("loser_returned", lambda s: s.change("collect:3.bet", by=Side.PLAYER), PLAYERS, DEALER, [("CAR-SET-LOSE", 3)]),
    ("two_pair_paid_as_a_pair", lambda s: s.change("pay:6.bet", amount_cents=5000), PLAYERS, DEALER, [("CAR-SET-WIN", 6)]),
    ("winner_collected", collect_a_winner, PLAYERS, DEALER, [("CAR-SET-WIN", 1)]),
    ("tie_collected", lambda s: s.change("take:3.bet", by=Side.DEALER), changed(3, cards="Ac Ks 7h 5c 2s"), DEALER, [("CAR-SET-TIE", 3)]),
    ("bonus_short", lambda s: s.change("pay:1.bonus", amount_cents=400), PLAYERS, DEALER, [("CAR-SET-CSB", 1)]),
    ("bonus_of_a_pair_of_9s_paid", lambda s: s.drop("collect:1.bonus").insert(PayoutPlaced(**AT, area="seat1.bonus", amount_cents=500), after="pay:1.bet"), changed(1, cards="9h 9d 4d 3s 2c"), DEALER, [("CAR-SET-CSB", 1)]),
    ("bonus_first", lambda s: s.move("pay:1.bonus", before="pay:1.ante", lead_s=0.5), PLAYERS, DEALER, [("CAR-SET-WSEQ", 1)]),
    ("same_card_twice", lambda s: s.change("turn:1.0", card="Kd"), PLAYERS, DEALER, [("CAR-DECK-ONE", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "players", "dealer", "expected"), [row[1:] for row in BREAKING], ids=[row[0] for row in BREAKING])  # fmt: skip
def test_breaks_this_and_only_this(
    edit: Edit | None, players: Sequence[Player], dealer: Sequence[str], expected: list[tuple[str, int | None]]
) -> None:
    assert found(built(edit, players, dealer)) == expected


KEEPING: list[tuple[str, Edit | None, Sequence[Player], Sequence[str]]] = [
    ("honest", None, PLAYERS, DEALER),
    ("ace_king_qualifies", None, changed(3, cards="As Qd Js Td 9d"), ["Ah", "Ks", "4h", "3d", "2h"]),
    ("ace_queen_does_not", None, PLAYERS, BELOW),
    ("a_pair_of_10s_wins_the_bonus", None, PLAYERS, DEALER),
    ("a_pair_of_9s_loses_it", None, changed(1, cards="9h 9d 4d 3s 2c"), DEALER),
    ("tie", None, changed(3, cards="Ac Ks 7h 5c 2s"), DEALER),
    ("dealer_wins_with_a_pair", None, PLAYERS, ["Qc", "Qd", "7c", "5s", "2h"]),
    ("unknown_stacks", None, wagers(1, ante=None), DEALER),
    ("bet_not_counted", lambda s: s.change("decide:1", amount_cents=None), PLAYERS, DEALER),
    ("cards_not_read", lambda s: [s.change(f"turn:6.{i}", card=None) for i in range(5)], PLAYERS, DEALER),
    ("hole_card_not_read", lambda s: s.change("reveal:dealer.3", card=None), PLAYERS, DEALER),
    ("bet_missed", lambda s: s.drop("decide:6"), PLAYERS, DEALER),
    ("fold_missed", lambda s: s.drop("fold-collect:4", "fold-rack:4"), PLAYERS, DEALER),
    ("payout_missed", lambda s: s.drop("pay:6.bet"), PLAYERS, DEALER),
    ("dealt_card_missed", lambda s: s.drop("deal:3.2"), PLAYERS, DEALER),
    ("announcement_missed", lambda s: s.drop("nmb"), PLAYERS, DEALER),
    ("second_dealer_card_not_seen_and_the_others_on_the_first", lambda s: s.drop("deal:dealer.1").change(*(f"deal:dealer.{i}" for i in (2, 3, 4)), area="dealer.1"), PLAYERS, DEALER),
    ("second_card_on_the_first_and_a_seat_s_card_not_seen", lambda s: s.drop("deal:dealer.2", "deal:3.0").change(*(f"deal:dealer.{i}" for i in (1, 3, 4)), area="dealer.1"), PLAYERS, DEALER),
    ("a_dealer_card_not_seen_before_it_is_laid_out", lambda s: s.drop("deal:dealer.3"), PLAYERS, DEALER),
    ("every_hand_missed", lambda s: s.drop("examine", "fold:", "turn-hand"), PLAYERS, DEALER),
    ("bet_as_the_hole_cards_are_turned", lambda s: shift(s, "decide:6", after="reveal:dealer.1", wait_s=0.4), PLAYERS, DEALER),
    ("places_unknown", lambda s: [s.change(f"deal:dealer.{i}", area="dealer.cards") for i in range(5)], PLAYERS, DEALER),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "players", "dealer"), [row[1:] for row in KEEPING], ids=[row[0] for row in KEEPING])
def test_keeps_silent(edit: Edit | None, players: Sequence[Player], dealer: Sequence[str]) -> None:
    assert found(built(edit, players, dealer)) == []


def test_every_wager_is_judged_in_an_honest_round() -> None:
    findings = judge(built().events, table(GAME))
    assert verdicts(findings, "CAR-SET-WIN") == {1: Verdict.COMPLIANT, 6: Verdict.COMPLIANT}
    assert verdicts(findings, "CAR-SET-LOSE") == {3: Verdict.COMPLIANT}
    assert verdicts(findings, "CAR-SET-CSB") == {1: Verdict.COMPLIANT}
    assert verdicts(findings, "CAR-FOLD-FORFEIT") == {4: Verdict.COMPLIANT}
    assert verdicts(findings, "CAR-FOLD-COLLECT") == {4: Verdict.COMPLIANT}
    for name in ("CAR-DEAL-UPCARD", "CAR-REVEAL-WHEN", "CAR-MS-ORDER", "CAR-MS-DLR2", "CAR-MS-DLR35", "CAR-SET-ORDER"):
        assert verdicts(findings, name) == {None: Verdict.COMPLIANT}, name


@pytest.mark.parametrize(
    ("edit", "verdict"),
    [
        (lambda s: None, Verdict.UNDETERMINED),
        (lambda s: s.swap("deal:3.2", "deal:4.2"), Verdict.BREACH),
        (lambda s: s.swap("deal:6.3", "deal:dealer.3"), Verdict.UNDETERMINED),
        (lambda s: s.swap("deal:3.2", "deal:4.2").drop("deal:6.4"), Verdict.UNDETERMINED),
    ],
    ids=["in order", "two seats", "the dealer", "two seats, and a seat's card not made out"],
)
def test_an_order_of_seats_is_broken_though_a_hole_card_was_not_made_out(edit: Edit, verdict: Verdict) -> None:
    """Hole cards are squared up on one another: where one was not counted, every seat's five still show their order (film 3074)."""
    script = built(lambda s: (s.drop("deal:dealer.2"), edit(s)))
    orders = [f for f in judge(script.events, table(GAME)) if f.check_id == "CAR-MS-ORDER"]
    assert [f.verdict for f in orders] == [verdict]
    if verdict is Verdict.BREACH:
        assert orders[0].seat == 4
        assert orders[0].seen.endswith("of those not the dealer's, number 10 went to seat 4 instead of seat 3")


def test_owed_and_paid_are_written_out() -> None:
    script = built(lambda s: s.change("pay:6.bet", amount_cents=5000))
    finding = next(f for f in judge(script.events, table(GAME)) if f.verdict is Verdict.BREACH)
    assert (finding.owed_cents, finding.paid_cents) == (10000, 5000)
    assert finding.expected == "Bet two pair 2 to 1 on 50.00: 100.00 and the stake"
    assert finding.seen == "Bet paid 50.00, 50.00 too little"
    assert (finding.citation, finding.severity) == ("58 Pa. Code § 639a.11(c)(3)(ii)(B)", Severity.CRITICAL)


def test_hand_dealing_has_its_own_sections() -> None:
    script = built(lambda s: s.swap("deal:3.1", "deal:4.1").change("deal:dealer.0", face=Face.DOWN))
    findings = judge(script.events, table(GAME, dealing="hand"))
    cited = {f.check_id: f.citation for f in findings if f.verdict is Verdict.BREACH}
    assert cited["CAR-HD-ORDER"] == "58 Pa. Code § 639a.9(b)"
    assert cited["CAR-DEAL-UPCARD"] == "58 Pa. Code § 639a.9(b)(2)"


def test_a_breach_that_rests_on_a_reading_is_a_warning_and_says_so() -> None:
    """CAR-A1: nines with an ace against kings with a seven; literally the ace decides."""
    players = changed(3, cards="9s 9d Ac 5d 4s")
    script = build(plan(players, ["Kc", "Kh", "7s", "5c", "2h"]))
    script.change("collect:3.ante", by=Side.PLAYER)
    script.insert(PayoutPlaced(**AT, area="seat3.ante", amount_cents=1000), after="turn-hand:3")
    script.change("collect:3.bet", by=Side.PLAYER)
    script.insert(PayoutPlaced(**AT, area="seat3.bet", amount_cents=2000), after="turn-hand:3")
    finding = next(f for f in judge(script.events, table(GAME)) if f.verdict is Verdict.BREACH)
    assert (finding.check_id, finding.seat, finding.severity) == ("CAR-SET-LOSE", 3, Severity.WARNING)
    assert finding.text.endswith("No breach under car.tie_break=literal (CAR-A1).")
    assert finding.readings == ("car.tie_break=standard",)
    assert breaches(judge(script.events, table(GAME, readings={"car.tie_break": "literal"}))) == []


def automated(edit: Edit | None = None) -> Script:
    script = build(plan(dealing="automated_shoe"))
    if edit is not None:
        edit(script)
    return script


def other_card_turned(script: Script) -> None:
    script.change("upcard", area="dealer.5", card_id=script.card_id("deal:dealer.4"), card="2h")
    script.change("reveal:dealer.4", area="dealer.1", card_id=script.card_id("deal:dealer.0"), card="Ah")


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (None, []),
        (lambda s: s.swap("stack:1", "stack:3"), [("CAR-AS-ORDER", 3)]),
        (lambda s: s.change("stack:3", count=6), [("CAR-IRR-COUNT", 3)]),
        (other_card_turned, [("CAR-AUTO-UPCARD", None), ("CAR-IRR-EXPOSED", None)]),
        (lambda s: s.move("upcard", before="reveal:dealer.1", lead_s=0.1), [("CAR-AUTO-UPCARD", None)]),
    ],
    ids=["honest", "out_of_order", "six_in_a_stack", "other_card_turned", "none_turned_in_time"],
)
def test_automated_shoe(edit: Edit | None, expected: list[tuple[str, int | None]]) -> None:
    assert found(automated(edit), dealing="automated_shoe") == expected


def test_play_goes_on_after_the_shoe_jammed() -> None:
    script = automated(lambda s: s.insert(DeviceJammed(**AT, device="shoe"), after="stack:3"))
    assert ("CAR-IRR-SHOEJAM", None) in found(script, dealing="automated_shoe")


def test_wagers_returned_after_an_exposed_hole_card_are_what_the_law_wants() -> None:
    script = built()
    first = script.index("reveal:dealer.1")
    t = script.get("decide:6").t_s
    script.items = script.items[: script.index("decide:6")]
    script.t_s = t
    script.add("flash", CardTurned(**AT, area="dealer.2", card_id=109, face=Face.UP, card="Kd"), 0.2)
    assert first > 0
    script.add("asked", DecisionAnnounced(**AT, seat=6, decision="bet"), 2.0)
    for n in (1, 3, 6):
        script.add(f"back:{n}", WagerRemoved(**AT, area=f"seat{n}.ante", by=Side.PLAYER))
    script.add("back:4", WagerRemoved(**AT, area="seat4.ante", by=Side.PLAYER))
    findings = judge(script.events, table(GAME))
    assert breaches(findings) == [("CAR-REVEAL-WHEN", None)]
    assert verdicts(findings, "CAR-IRR-EXPOSED") == {None: Verdict.COMPLIANT}


def test_a_hole_card_dealt_up_is_one_however_many_of_the_others_are_only_probable() -> None:
    script = built(hole_card_dealt_up)
    for number in (3, 4):
        script.change(f"deal:dealer.{number}", confidence=0.45)
        script.drop(f"reveal:dealer.{number}")  # which would prove that it came
    assert ("CAR-DEAL-UPCARD", None) in breaches(judge(script.events, table(GAME)))
    script.change("deal:dealer.2", confidence=0.45)
    assert ("CAR-DEAL-UPCARD", None) not in breaches(judge(script.events, table(GAME)))


@pytest.mark.parametrize(
    ("besides", "accused"),
    [
        (lambda s: s.change("deal:dealer.4", confidence=0.45), True),
        (lambda s: s.change("deal:4.0", confidence=0.45), False),
        (lambda s: s.change("deal:4.4", confidence=0.45), False),  # no longer sure that none of the first was missed
        (lambda s: s.change("deal:dealer.0", confidence=0.45), False),
    ],
)
def test_a_first_card_dealt_down_is_one_whatever_came_later(besides: Edit, accused: bool) -> None:
    script = built(lambda s: s.change("deal:dealer.0", face=Face.DOWN, card=None))
    script.drop("deal:dealer.2", "reveal:dealer.2")
    besides(script)
    assert (("CAR-DEAL-UPCARD", None) in breaches(judge(script.events, table(GAME)))) is accused


def laid_on_the_others(place: str, number: int, side: Side = Side.DEALER) -> Edit:
    """A card dealt face up onto those that lie squared up, told as one of these turned."""

    def edit(script: Script) -> None:
        before, due = (script.one(CardPlaced, f"deal:{place}.{n}") for n in (number - 1, number))
        area = due.area
        turned = CardTurned(**AT, area=area, card_id=before.card_id, face=Face.UP, card="2s")
        script.insert(turned, after=f"deal:{place}.{number}", name="up", wait_s=0.0)
        over = HandOver(**AT, area=area, since_s=due.t_s - 0.1, side=side)
        script.insert(over, after="up", name="hand", wait_s=0.05)
        script.drop(f"deal:{place}.{number}", f"reveal:{place}.{number - 1}", f"reveal:{place}.{number}")

    return edit


@pytest.mark.parametrize(
    ("place", "number", "check"),
    [
        ("dealer", 4, ("CAR-DEAL-UPCARD", None)),
        ("dealer", 2, ("CAR-DEAL-UPCARD", None)),
        ("3", 2, ("CAR-MS-DOWN", 3)),
        ("4", 4, ("CAR-MS-DOWN", 4)),
    ],
)
def test_a_card_that_turns_up_where_the_next_was_due_was_not_dealt_face_down(
    place: str, number: int, check: tuple[str, int | None]
) -> None:
    assert check in breaches(judge(built(laid_on_the_others(place, number)).events, table(GAME)))
    by_player = built(laid_on_the_others(place, number, Side.PLAYER))
    assert check not in breaches(judge(by_player.events, table(GAME)))


@pytest.mark.parametrize(("place", "check"), [("dealer", ("CAR-DEAL-UPCARD", None)), ("3", ("CAR-MS-DOWN", 3))])
def test_it_matters_not_that_a_later_card_of_the_same_place_was_not_seen(
    place: str, check: tuple[str, int | None]
) -> None:
    script = built(laid_on_the_others(place, 2))
    script.drop(f"deal:{place}.4", f"reveal:{place}.4")
    assert check in breaches(judge(script.events, table(GAME)))


@pytest.mark.parametrize(
    "besides",
    [
        lambda s: s.drop("deal:1.3"),  # whose turn it was is not known
        lambda s: s.drop("hand"),
        lambda s: s.move("up", before="stub", lead_s=-0.2),  # the stub lay in the rack
        lambda s: s.drop("stub"),
        lambda s: s.change("up", earliest_s=s.get("deal:6.4").t_s - 0.5),
        lambda s: s.change("up", card=None),
        lambda s: s.change("up", confidence=0.45),
        lambda s: s.move("decide:1", before="up"),
    ],
)
def test_what_turned_up_is_left_open_where_the_course_of_the_deal_does_not_tell(besides: Edit) -> None:
    script = built(laid_on_the_others("dealer", 4))
    besides(script)
    assert ("CAR-DEAL-UPCARD", None) not in breaches(judge(script.events, table(GAME)))


def test_the_hand_that_took_cards_left_before_that_was_told_and_says_nothing_of_an_order() -> None:
    script = built(lambda s: s.change("fold-collect:4.ante", by=Side.PLAYER))
    taken = script.names("fold-rack:4.")
    first = script.get(taken[0]).t_s
    for number, name in enumerate(taken):
        script.change(name, t_s=round(first + 0.02 * number, 3), earliest_s=first - 0.4)
    over = HandOver(**AT, area="seat4.cards", since_s=first - 0.3, side=Side.DEALER)
    script.insert(over, after=taken[0], name="hand", wait_s=0.01)
    assert ("CAR-FOLD-FORFEIT", 4) in breaches(judge(script.events, table(GAME)))


def test_below_ace_king_it_does_not_matter_what_a_player_has_nor_whether_it_was_read() -> None:
    script = built(lambda s: s.change("pay:3.ante", amount_cents=500), dealer=BELOW)
    for number in (0, 1):
        script.change(f"turn:3.{number}", card=None, confidence=0.45)
    assert breaches(judge(script.events, table(GAME))) == [("CAR-SET-NQ", 3)]


def accepted(name: str) -> ElectronicWagerAccepted:
    return ElectronicWagerAccepted(**AT, seat=3, wager=name, amount_cents=100)


@pytest.mark.parametrize(
    ("wager", "paytable", "after", "check"),
    [
        ("progressive", "progressive", "nmb", "CAR-PROGSYS-LOCK"),
        ("fchb_player", "five_card_hand_bonus", "deal:1.0", "CAR-EWS-LOCK"),
        ("progressive", None, "wager:1.ante", "CAR-PROG-OFFER"),
        ("fchb_dealer", None, "wager:1.ante", "CAR-FCHB-OFFER"),
    ],
)
def test_electronic_wagers(wager: str, paytable: str | None, after: str, check: str) -> None:
    more = (
        {"paytables": {"bonus": "A", paytable: "A"}, "progressive_unit_cents": 100} if paytable == "progressive" else {}
    )
    more = more or ({"paytables": {"bonus": "A", paytable: "A"}} if paytable else {})
    assert (check, 3) in found(built(lambda s: s.insert(accepted(wager), after=after)), **more)
    if paytable:
        assert found(built(lambda s: s.insert(accepted(wager), after="wager:1.ante")), **more) == []


def test_bonus_that_is_not_offered() -> None:
    script = built(lambda s: s.insert(late_bet("seat3.bonus"), after="wager:3.ante"))
    assert ("CAR-CSB-OFFER", 3) in found(script, paytables={})


def test_fold_left_lying_when_it_was_announced() -> None:
    def edit(s: Script) -> None:
        s.insert(DecisionAnnounced(**AT, seat=4, decision="fold"), after="fold:4")
        for name in ("fold-collect:4.ante", "fold-collect:4.bonus"):
            s.move(name, before="rack:6.0", lead_s=0.5)

    assert found(built(edit)) == [("CAR-FOLD-COLLECT", 4)]


@pytest.mark.parametrize(
    ("sides", "told"),
    [((Side.DEALER,), True), ((Side.PLAYER,), False), ((Side.DEALER, Side.PLAYER), False), ((), False)],
    ids=["the dealer's hand", "the player's", "both", "none seen"],
)
def test_a_fold_is_shown_by_the_dealers_hand_taking_the_cards_though_the_rack_is_not_seen(
    sides: Sequence[Side], told: bool
) -> None:
    def edit(s: Script) -> None:
        s.change("fold-collect:4.ante", by=Side.PLAYER)
        racked = s.names("fold-rack:4")
        for name in racked:
            s.change(name, to_area=None)
        since_s = s.items[s.index(racked[0])][1].t_s - 0.2
        for side in sides:
            s.insert(HandOver(**AT, area="seat4.cards", since_s=since_s, side=side), after=racked[-1])

    assert (("CAR-FOLD-FORFEIT", 4) in found(built(edit))) == told


def test_which_of_the_wagers_of_a_fold_its_player_took_back_first_does_not_matter() -> None:
    def edit(s: Script) -> None:
        for name in ("fold-collect:4.ante", "fold-collect:4.bonus"):
            s.change(name, by=Side.PLAYER)
        s.change("fold-collect:4.bonus", earliest_s=s.get("fold-collect:4.ante").t_s - 0.1)

    assert ("CAR-FOLD-FORFEIT", 4) in found(built(edit))


def test_where_the_dealers_card_is_the_first_that_was_seen_an_announcement_before_it_proves_nothing() -> None:
    script = built()
    assert verdicts(judge(script.events, table(GAME)), "CAR-MS-NMB") == {None: Verdict.COMPLIANT}
    for seat in (1, 3, 4, 6):
        script.drop(f"deal:{seat}.0")
    assert verdicts(judge(script.events, table(GAME)), "CAR-MS-NMB") == {None: Verdict.UNDETERMINED}


@pytest.mark.parametrize("row", BREAKING, ids=[row[0] for row in BREAKING])
def test_gap_over_the_round_silences_what_needs_the_whole(
    row: tuple[str, Edit | None, Sequence[Player], Sequence[str], object],
) -> None:
    script = built(row[1], row[2], row[3])
    gap = CoverageGap(table_id=GAME, t_s=script.items[-1][1].t_s, cause=GapCause.BLOCKED, since_s=0.0)
    about_one_event = {"CAR-ANTE-REQ", "CAR-WAG-LOCK", "CAR-MS-NMB", "CAR-MS-DOWN", "CAR-DECK-ONE", "CAR-MS-STUB-RACK",
                       "CAR-SET-ORDER", "CAR-SET-REVEAL", "CAR-SET-WSEQ", "CAR-BET-TURN"}  # fmt: skip
    events: list[Event] = [gap, *script.events]
    assert {check for check, _ in breaches(judge(events, table(GAME)))} <= about_one_event


def test_stub_is_counted_against_the_cards_of_every_hand_and_the_dealer() -> None:
    """52 less 5 for each of four players and the dealer are 27."""
    right, wrong = built(), built()
    right.insert(StubCounted(**AT, count=27), after="stub")
    wrong.insert(StubCounted(**AT, count=26), after="stub")
    assert found(right) == []
    assert found(wrong) == [("CAR-MS-STUB-BADDECK", None)]


def test_where_everybody_folds_the_deal_ends_as_the_first_hand_is_collected() -> None:
    """No camera tells the rack, a fold is silent, and no Bet is made: the Antes that the dealer takes say that the cards were dealt."""
    fold = tuple(replace(one, decision="fold") for one in PLAYERS)
    script = built(lambda s: s.insert(extra_card("seat3.cards"), after="deal:3.4", wait_s=0.2), fold)
    seen = [event for name, event in script.items if name != "stub" and not isinstance(event, DecisionAnnounced)]
    assert [one for one in breaches(judge(seen, table(GAME))) if "COUNT" in one[0]] == [("CAR-IRR-COUNT", 3)]


def test_where_the_dealer_has_no_ace_king_the_ante_is_judged_though_a_card_of_the_player_was_not_seen() -> None:
    """639a.11(c)(3)(i): every remaining player's Ante is paid, whatever he holds."""
    script = built(lambda s: s.drop("pay:3.ante", "turn:3.0").change("take:3.ante", by=Side.DEALER), PLAYERS, BELOW)
    assert found(script) == [("CAR-SET-NQ", 3)]
    qualified = judge(built(lambda s: s.drop("turn:3.0")).events, table(GAME))
    assert verdicts(qualified, "CAR-SET-LOSE")[3] is Verdict.UNDETERMINED


def test_a_wager_raised_after_the_announcement_is_judged_though_the_first_card_was_hidden() -> None:
    late = WagerIncreased(**AT, area="seat3.bonus", amount_cents=2000, by=Side.PLAYER)
    script = built()
    first = next(name for name, event in script.items if isinstance(event, CardPlaced))
    script.insert(WagerPlaced(**AT, area="seat3.bonus", amount_cents=1000, by=Side.PLAYER), after="wager:3.ante")
    script.insert(late, after="nmb", wait_s=1.5, name="late")
    script.change(first, earliest_s=script.get("late").t_s - 0.4)
    assert ("CAR-WAG-LOCK", 3) in found(script)


@pytest.mark.parametrize(
    ("by", "missing"),
    [
        (Side.PLAYER, "what a changed wager amounts to, and so whether anything was added or taken"),
        (None, "whose hand changed the chips, or whether it was before the announcement"),
    ],
)
def test_what_is_not_known_of_a_wager_changed_late_is_said(by: Side | None, missing: str) -> None:
    more = WagerIncreased(**AT, area="seat3.ante", amount_cents=None, by=by)
    findings = judge(built(lambda s: s.insert(more, after="deal:3.1")).events, table(GAME))
    (lock,) = [f for f in findings if f.check_id == "CAR-WAG-LOCK" and f.seat == 3]
    assert (lock.verdict, lock.missing) == (Verdict.UNDETERMINED, missing)


def test_which_side_up_a_card_came_that_only_its_hand_proves_is_not_known() -> None:
    script = built()
    script.change("deal:1.2", confidence=0.45)
    assert verdicts(judge(script.events, table(GAME)), "CAR-MS-DOWN")[1] is Verdict.UNDETERMINED


def test_who_bets_once_no_wager_lies_any_more_may_bet_on_the_next_round() -> None:
    """Everybody folded; of the dealer's cards one was not seen to be turned, of a seat's one not to be racked. Film 2570."""
    folding = (player(2, "Th Tc 4d 3s 2c", "fold", ante=1000), player(5, "Qh Jh 9c 6s 4c", "fold", ante=1000))
    script = built(None, folding)
    script.drop("reveal:dealer.4", "fold-rack:5.4")
    bets = [
        WagerPlaced(table_id=GAME, t_s=t_s, area=area, amount_cents=5000, by=Side.PLAYER)
        for t_s, area in ((39.0, "seat2.ante"), (39.7, "seat5.ante"))
    ]
    after = HandOver(table_id=GAME, t_s=41.0, area="seat5.ante", side=Side.PLAYER, since_s=39.0)
    again = judge([*script.events, *bets, after], table(GAME))
    assert breaches(again) == []
    assert verdicts(again, "CAR-WAG-LOCK") == {2: Verdict.UNDETERMINED, 5: Verdict.UNDETERMINED}
    early = [replace(bet, t_s=bet.t_s - 8.0) for bet in bets[1:]]
    events = sorted([*script.events, *early], key=lambda event: event.t_s)
    assert ("CAR-WAG-LOCK", 5) in breaches(judge(events, table(GAME))), "an Ante lay there still: the round was played"


@pytest.mark.parametrize("corrected", [True, False])
def test_a_face_that_came_up_again_beside_its_card_may_be_that_card_moved(corrected: bool) -> None:
    """The dealer's hand is laid out card by card: what was read of one before was another's where it shows a face of its own now (film 2926)."""
    script = built()
    name = next(name for name, _ in script.items if name.startswith("reveal:dealer."))
    turned = script.get(name)
    script.change(name, card=script.one(CardPlaced, "deal:dealer.0").card)
    if corrected:
        script.insert(turned, after=name, name="again", wait_s=0.2)
    told = ("CAR-DECK-ONE", None) in breaches(judge(script.events, table(GAME)))
    assert told is not corrected


def test_chips_that_the_dealer_took_after_the_payment_are_not_called_paid() -> None:
    """Odds "to 1" leave the stake with the player (639a.12(a)); who took it is seen, where it went is not."""
    script = built()
    name = next(name for name in script.names("take:") if name.endswith(".ante") and name.replace("take", "pay") in script.names("pay:"))  # fmt: skip
    seat = int(name.split(":")[1].split(".")[0])
    honest = verdicts(judge(script.events, table(GAME)), "CAR-SET-WIN")
    assert honest[seat] is Verdict.COMPLIANT
    script.change(name, by=Side.DEALER)
    found = judge(script.events, table(GAME))
    assert verdicts(found, "CAR-SET-WIN")[seat] is Verdict.UNDETERMINED
    assert breaches(found) == []


@pytest.mark.parametrize(
    ("after", "wait_s", "edit", "accused"),
    [
        ("decide:6", 0.3, None, False),
        ("fold-collect:4.bonus", 1.3, None, True),
        ("fold-collect:4.bonus", 0.2, lambda s: s.change("fold-collect:4.ante", t_s=s.get("fold-collect:4.bonus").t_s), False),
        ("fold-collect:4.bonus", 1.3, lambda s: [s.change(f"fold-collect:4.{w}", by=None) for w in ("ante", "bonus")], False),
        ("reveal:dealer.1", 1.3, lambda s: s.drop("fold-collect:4"), True),
    ],
    ids=["in_turn", "after_the_folds_were_collected", "at_the_same_time", "by_nobody_known", "after_a_hole_card"],
)  # fmt: skip
def test_the_last_players_bet_is_taken_back(after: str, wait_s: float, edit: Edit | None, accused: bool) -> None:
    """Nobody bets after him: his turn is over once the dealer collects the folds (639a.11(c)), or shows a hole card."""
    script = built()
    script.drop("pay:6.bet", "take:6.bet")
    if after.startswith("reveal"):
        script.change(after, t_s=round(script.get("reveal:dealer.2").t_s - 1.5, 3))
    if edit is not None:
        edit(script)
    script.insert(WagerRemoved(**AT, area="seat6.bet", by=Side.PLAYER), after=after, name="back", wait_s=wait_s)
    script.items.sort(key=lambda item: item[1].t_s)
    assert (("CAR-WAG-LOCK", 6) in found(script)) is accused
