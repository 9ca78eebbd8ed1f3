"""DJ Wild: for each check an event file that breaks it and nothing else, and one that keeps it at the edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import game_rounds
import pytest
from game_rounds import Plan, Player, build, hand, player, table
from rounds import AT, Edit, Script, altered, breaches, hands_told, judge, nobody_at, verdicts

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
    ShufflerCounted,
    Side,
    StubCounted,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.findings import Severity, Verdict

GAME = "dj_wild"
BASE = {"ante": 1000, "blind": 1000}
DEALER = ["Kd", "Kc", "9h", "6h", "3h"]
"""A pair of kings."""
PLAYERS = (
    player(
        1, "8c 8d 8h 5s 4c", "raise", **BASE, trips=500, bad_beat=500
    ),  # three 8s: wins, Trips natural, Bad Beat lost
    player(3, "Qc Jd 7c 6s 4d", "raise", **BASE),  # queen high: loses
    player(4, "Tc 9d 7d 5h 3c", "fold", **BASE, bad_beat=500),
    player(5, "Th 9s 7s 5d 3d", "fold", **BASE, trips=500),
    player(6, "Ah As Jo 7h 4h", "raise", ante=2500, blind=2500),  # three aces with the joker
)


found = partial(game_rounds.found, GAME)
changed = partial(game_rounds.changed, PLAYERS)
wagers = partial(game_rounds.rewagered, PLAYERS)


def plan(players: Sequence[Player] = PLAYERS, dealer: Sequence[str] = DEALER, **more: Any) -> Plan:
    shared = {"dealer": dealer, **({"extra": ["2c"]} if more.pop("extra", False) else {})}
    return Plan(GAME, players, shared, **more)


def built(edit: Edit | None = None, players: Sequence[Player] = PLAYERS, dealer: Sequence[str] = DEALER) -> Script:
    script = build(plan(players, dealer))
    if edit is not None:
        edit(script)
    return script


def raise_after_the_dealers_cards(script: Script) -> None:
    item = script.items.pop(script.index("decide:6"))
    i = script.index("reveal:dealer.4")
    t = script.items[i][1].t_s
    script.items[i + 1 :] = [(n, replace(e, t_s=round(e.t_s + 4.0, 3))) for n, e in script.items[i + 1 :]]
    script.items.insert(i + 1, (item[0], replace(item[1], t_s=round(t + 2.0, 3))))


def collected_early(script: Script) -> None:
    for name in ("ante", "blind", "bad_beat"):
        script.move(f"fold-collect:4.{name}", before="decide:6", lead_s=1.4)


def round_robin(script: Script) -> None:
    """One card at a time to each player."""
    numbers = [p.number for p in PLAYERS]
    names = [f"deal:{n}.{i}" for n in numbers for i in range(5)]
    times = [script.get(name).t_s for name in names]
    order = [f"deal:{n}.{i}" for i in range(5) for n in numbers]
    events = {name: script.get(name) for name in names}
    start = script.index(names[0])
    script.items[start : start + len(names)] = [
        (n, replace(events[n], t_s=t)) for n, t in zip(order, times, strict=True)
    ]


def settle_first(script: Script, number: int) -> None:
    """Settle a seat before every other one."""
    kinds = ("turn", "turn-hand", "pay", "collect", "take")
    mine = [i for i, (n, _) in enumerate(script.items) if n.partition(":")[0] in kinds]
    own = [i for i in mine if script.items[i][0].partition(":")[2].split(".")[0] == str(number)]
    start, first = script.items[own[0]][1].t_s, script.items[mine[0]][1].t_s
    length = script.items[own[-1]][1].t_s - start + 1.0
    rest = [(n, e if e.t_s < first else replace(e, t_s=round(e.t_s + length, 3))) for i, (n, e) in enumerate(script.items) if i not in own]  # fmt: skip
    block = [(script.items[i][0], replace(script.items[i][1], t_s=round(script.items[i][1].t_s - start + first, 3))) for i in own]  # fmt: skip
    script.items = sorted([*rest, *block], key=lambda item: item[1].t_s)


def blind_after_the_next_seat(script: Script) -> None:
    """Seat 6's Blind is paid after seat 5 was settled."""
    script.drop("take:6.blind")
    item = script.items.pop(script.index("pay:6.raise"))
    i = script.index("collect:5.trips")
    script.items.insert(i + 1, (item[0], replace(item[1], t_s=round(script.items[i][1].t_s + 0.7, 3))))
    script.drop("take:6.raise")


def player_card_shown(script: Script, by: Side) -> None:
    script.insert(CardTurned(**AT, area="seat1.cards", card_id=script.card_id("deal:1.0"), face=Face.UP, card="8c"), after="examine:6", name="shown", wait_s=0.3)  # fmt: skip
    script.insert(hand(script.get("shown").t_s - 0.2, "seat1.cards", by), after="shown", name="shown-hand", wait_s=0.2)


def card_shown_by_an_unseen_hand(script: Script) -> None:
    player_card_shown(script, Side.DEALER)
    script.drop("shown-hand")


def collect_a_winner(script: Script) -> None:
    script.insert(WagerRemoved(**AT, area="seat1.raise", by=Side.DEALER), after="pay:1.ante", name="collect:1.raise")
    script.drop("pay:1.raise", "take:1.raise")


VOID = ("DJW-IRR-EXPOSED", None)
BEATEN = ["Kd", "Kc", "Ks", "6h", "3h"]
"""Three kings: three 8s lose, and the Bad Beat wins."""

BREAKING: list[tuple[str, Edit | None, Sequence[Player], Sequence[str], list[tuple[str, int | None]]]] = [
    ("no_blind", lambda s: hands_told(s.drop("wager:3.blind", "collect:3.blind")), PLAYERS, DEALER, [("DJW-ANTE-REQ", 3)]),
    ("blind_not_equal", None, wagers(3, blind=1500), DEALER, [("DJW-BLIND-EQ", 3)]),
    ("late_trips", lambda s: s.insert(WagerPlaced(**AT, area="seat3.trips", amount_cents=500, by=Side.PLAYER), after="deal:3.0"), PLAYERS, DEALER, [("DJW-WAG-LOCK", 3)]),
    ("ante_raised", lambda s: s.insert(WagerIncreased(**AT, area="seat3.ante", amount_cents=2000, by=Side.PLAYER), after="deal:3.1"), PLAYERS, DEALER, [("DJW-WAG-LOCK", 3)]),
    ("deal_before_nmb", lambda s: s.move("deal:1.0", before="nmb"), PLAYERS, DEALER, [("DJW-MS-NMB", None)]),
    ("cards_without_wagers", lambda s: hands_told(nobody_at(s, 3)), PLAYERS, DEALER, [("DJW-MS-ELIGIBLE", 3)]),
    ("one_card_at_a_time", round_robin, PLAYERS, DEALER, [("DJW-DEAL-STACK", None)]),
    ("out_of_order", lambda s: s.swap("deal:3.4", "deal:4.0"), PLAYERS, DEALER, [("DJW-DEAL-STACK", 4)]),
    ("face_up", lambda s: s.change("deal:3.1", face=Face.UP), PLAYERS, DEALER, [VOID, ("DJW-MS-DOWN", 3)]),
    ("dealer_before_a_player", lambda s: s.swap("deal:6.4", "deal:dealer.0"), PLAYERS, DEALER, [("DJW-MS-DEALER", None)]),
    ("dealer_card_up", lambda s: s.change("deal:dealer.1", face=Face.UP, card="Kc").drop("reveal:dealer.1"), PLAYERS, DEALER, [VOID, ("DJW-MS-DEALER", None)]),
    ("six_cards", lambda s: s.insert(CardPlaced(**AT, area="seat3.cards", card_id=900, face=Face.DOWN), after="deal:3.4", wait_s=0.2), PLAYERS, DEALER, [("DJW-IRR-COUNT", 3)]),
    ("dealer_six_cards", lambda s: s.insert(CardPlaced(**AT, area="dealer.cards", card_id=900, face=Face.DOWN), after="deal:dealer.4", wait_s=0.2), PLAYERS, DEALER, [("DJW-IRR-COUNT-DLR", None)]),
    ("stub_beside_rack", lambda s: s.change("stub", area="tray"), PLAYERS, DEALER, [("DJW-MS-STUB-RACK", None)]),
    ("raise_of_one_ante", None, changed(3, times=1.0), DEALER, [("DJW-RAISE-AMT", 3)]),
    ("raise_of_four_antes", None, changed(3, times=4.0), DEALER, [("DJW-RAISE-AMT", 3)]),
    ("raise_before_the_cards", lambda s: s.drop("decide:6").insert(WagerPlaced(**AT, area="seat6.raise", amount_cents=5000, by=Side.PLAYER), after="wager:6.ante", name="decide:6"), PLAYERS, DEALER, [("DJW-RAISE-TURN", 6)]),
    ("fold_returned", lambda s: s.change("fold-collect:4.ante", by=Side.PLAYER), PLAYERS, DEALER, [("DJW-FOLD-FORFEIT", 4)]),
    ("fold_bad_beat_returned", lambda s: s.change("fold-collect:4.bad_beat", by=Side.PLAYER), PLAYERS, DEALER, [("DJW-FOLD-BB", 4)]),
    ("fold_trips_collected", lambda s: s.insert(WagerRemoved(**AT, area="seat5.trips", by=Side.DEALER), after="fold-collect:5.ante", name="gone", wait_s=0.3).drop("collect:5.trips"), PLAYERS, DEALER, [("DJW-FOLD-TRIPS", 5)]),
    ("fold_collected_early", collected_early, PLAYERS, DEALER, [("DJW-FOLD-COLLECT", 4)]),
    ("dealers_cards_before_a_raise", raise_after_the_dealers_cards, PLAYERS, DEALER, [VOID, ("DJW-REVEAL-WHEN", None)]),
    ("players_card_shown_by_the_dealer", lambda s: player_card_shown(s, Side.DEALER), PLAYERS, DEALER, [VOID]),
    ("one_seat_between_another", blind_after_the_next_seat, PLAYERS, DEALER, [("DJW-SET-ONEATATIME", 6)]),
    ("collected_unseen", lambda s: s.move("collect:3.ante", before="turn:3.0", lead_s=0.6), PLAYERS, DEALER, [("DJW-SET-EVAL", 3)]),
    ("loser_paid", lambda s: s.insert(PayoutPlaced(**AT, area="seat3.ante", amount_cents=1000), after="turn-hand:3"), PLAYERS, DEALER, [("DJW-SET-LOSE", 3)]),
    ("loser_returned", lambda s: s.change("collect:3.blind", by=Side.PLAYER), PLAYERS, DEALER, [("DJW-SET-LOSE", 3)]),
    ("raise_short", lambda s: s.change("pay:1.raise", amount_cents=1000), PLAYERS, DEALER, [("DJW-SET-WIN", 1)]),
    ("blind_paid_on_trips", lambda s: s.insert(PayoutPlaced(**AT, area="seat1.blind", amount_cents=1000), after="pay:1.raise"), PLAYERS, DEALER, [("DJW-SET-WIN", 1)]),
    ("winner_collected", collect_a_winner, PLAYERS, DEALER, [("DJW-SET-WIN", 1)]),
    ("push_collected", lambda s: s.change("take:3.ante", by=Side.DEALER), changed(3, cards="Kh Ks 9c 6s 3s"), DEALER, [("DJW-SET-PUSH", 3)]),
    ("trips_short", lambda s: s.change("pay:1.trips", amount_cents=500), PLAYERS, DEALER, [("DJW-SET-TRIPS", 1)]),
    ("trips_of_a_fold_paid", lambda s: s.insert(PayoutPlaced(**AT, area="seat5.trips", amount_cents=500), after="turn-hand:5").drop("collect:5.trips"), PLAYERS, DEALER, [("DJW-SET-TRIPS", 5)]),
    ("bad_beat_of_a_winner_returned", lambda s: s.change("collect:1.bad_beat", by=Side.PLAYER), PLAYERS, DEALER, [("DJW-SET-BB-L", 1)]),
    ("bad_beat_short", lambda s: s.change("pay:1.bad_beat", amount_cents=500), PLAYERS, BEATEN, [("DJW-SET-BB-W", 1)]),
    ("trips_first", lambda s: s.move("pay:1.trips", before="pay:1.ante", lead_s=0.5), PLAYERS, DEALER, [("DJW-SET-WSEQ", 1)]),
    ("same_card_twice", lambda s: s.change("turn:1.3", card="Jd"), PLAYERS, DEALER, [("DJW-DECK-ONE", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "players", "dealer", "expected"), [row[1:] for row in BREAKING], ids=[row[0] for row in BREAKING])  # fmt: skip
def test_breaks_this_and_only_this(
    edit: Edit | None, players: Sequence[Player], dealer: Sequence[str], expected: list[tuple[str, int | None]]
) -> None:
    assert found(built(edit, players, dealer)) == expected


KEEPING: list[tuple[str, Edit | None, Sequence[Player], Sequence[str]]] = [
    ("honest", None, PLAYERS, DEALER),
    ("push", None, changed(3, cards="Kh Ks 9c 6s 3s"), DEALER),
    ("bad_beat_wins", None, PLAYERS, BEATEN),
    ("a_2_played_as_a_2_is_natural", None, changed(1, cards="Ac Jc 9c 5c 2c"), DEALER),
    ("five_wilds", None, changed(6, cards="2s 2h 2d 2c Jo"), DEALER),
    ("unknown_stacks", None, wagers(1, ante=None, blind=None), DEALER),
    ("raise_not_counted", lambda s: s.change("decide:1", amount_cents=None), PLAYERS, DEALER),
    ("cards_not_read", lambda s: [s.change(f"turn:6.{i}", card=None) for i in range(5)], PLAYERS, DEALER),
    ("dealers_card_not_read", lambda s: s.change("reveal:dealer.3", card=None), PLAYERS, DEALER),
    ("raise_missed", lambda s: s.drop("decide:6"), PLAYERS, DEALER),
    ("folds_missed", lambda s: s.drop("fold-collect", "fold-rack"), PLAYERS, DEALER),
    ("payout_missed", lambda s: s.drop("pay:6.ante"), PLAYERS, DEALER),
    ("dealt_card_missed", lambda s: s.drop("deal:3.2"), PLAYERS, DEALER),
    ("own_card_shown", lambda s: player_card_shown(s, Side.PLAYER), PLAYERS, DEALER),
    ("card_shown_by_an_unseen_hand", card_shown_by_an_unseen_hand, PLAYERS, DEALER),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "players", "dealer"), [row[1:] for row in KEEPING], ids=[row[0] for row in KEEPING])
def test_keeps_silent(edit: Edit | None, players: Sequence[Player], dealer: Sequence[str]) -> None:
    assert found(built(edit, players, dealer)) == []


def test_every_wager_is_judged_in_an_honest_round() -> None:
    findings = judge(built().events, table(GAME))
    ok = Verdict.COMPLIANT
    assert verdicts(findings, "DJW-SET-WIN") == {1: ok, 6: ok}
    assert verdicts(findings, "DJW-SET-LOSE") == {3: ok}
    assert verdicts(findings, "DJW-SET-TRIPS") == {1: ok, 5: ok}
    assert verdicts(findings, "DJW-SET-BB-L") == {1: ok}
    assert verdicts(findings, "DJW-FOLD-FORFEIT") == {4: ok, 5: ok}
    assert verdicts(findings, "DJW-FOLD-BB") == {4: ok}
    assert verdicts(findings, "DJW-FOLD-TRIPS") == {5: ok}
    assert verdicts(findings, "DJW-FOLD-COLLECT") == {4: ok, 5: ok}
    for name in (
        "DJW-DEAL-STACK",
        "DJW-MS-DEALER",
        "DJW-REVEAL-WHEN",
        "DJW-SET-ORDER",
        "DJW-SET-ONEATATIME",
        "DJW-IRR-COUNT-DLR",
    ):
        assert verdicts(findings, name) == {None: ok}, name


@pytest.mark.parametrize(
    ("first", "alternatives"), [(1, "djw.settle_order=literal"), (3, "")], ids=["literal", "none_of_the_readings"]
)
def test_order_of_settlement(first: int, alternatives: str) -> None:
    """DJW-A7: the text has the player on the left first and then goes counterclockwise."""
    script = built(lambda s: settle_first(s, first))
    findings = [f for f in judge(script.events, table(GAME)) if f.verdict is Verdict.BREACH]
    assert [f.check_id for f in findings] == ["DJW-SET-ORDER"]
    assert (f"No breach under {alternatives} (DJW-A7)." in findings[0].text) == bool(alternatives)
    if alternatives:
        assert found(script, readings={"djw.settle_order": "literal"}) == []


def test_one_card_at_a_time_is_another_reading() -> None:
    script = built(round_robin)
    finding = next(f for f in judge(script.events, table(GAME)) if f.verdict is Verdict.BREACH)
    assert finding.severity is Severity.WARNING
    assert finding.text.endswith("No breach under djw.deal=single (DJW-A20).")
    assert found(script, readings={"djw.deal": "single"}) == []


def test_trips_of_a_deuce_that_is_a_deuce() -> None:
    """DJW-A5: paid as natural or as with a wild card; the other reading makes the breach a warning."""
    script = built(None, changed(1, cards="Ac Jc 9c 5c 2c"))
    owed = script.one(PayoutPlaced, "pay:1.trips").amount_cents
    other = next(
        f.owed_cents
        for f in judge(script.events, table(GAME, readings={"djw.natural": "no_wild_present"}))
        if f.check_id == "DJW-SET-TRIPS" and f.seat == 1
    )
    assert (owed, other) == (12500, 2000)  # flush 25 to 1 natural, 4 to 1 with a wild card
    script.change("pay:1.trips", amount_cents=other)
    finding = next(f for f in judge(script.events, table(GAME)) if f.verdict is Verdict.BREACH)
    assert (finding.check_id, finding.severity) == ("DJW-SET-TRIPS", Severity.WARNING)
    assert "No breach under djw.natural=no_wild_present" in finding.text


def test_a_player_who_shows_an_own_card_voids_the_round_only_by_the_other_reading() -> None:
    script = built(lambda s: player_card_shown(s, Side.PLAYER))
    assert found(script, readings={"djw.own_exposure_voids": "true"}) == [VOID]


@pytest.mark.parametrize(("side", "accused"), [(Side.DEALER, True), (Side.PLAYER, False), (None, False)])
def test_an_ante_is_not_missing_where_a_hand_reached_for_its_place(side: Side | None, accused: bool) -> None:
    script = built(lambda s: s.drop("wager:6.ante", "pay:6.ante", "take:6.ante"))
    hands_told(script)
    script.insert(hand(script.get("wager:6.blind").t_s - 1.0, "seat6.ante", side), after="wager:5.blind", name="reach")
    assert (("DJW-ANTE-REQ", 6) in found(script)) == accused


@pytest.mark.parametrize(("by", "sure"), [(Side.DEALER, 1.0), (None, 1.0), (Side.PLAYER, 0.4)])
def test_a_payment_on_a_raise_that_was_not_made_out_is_no_raise_after_cards_were_shown(
    by: Side | None, sure: float
) -> None:
    script = built(lambda s: s.drop("decide:6"))
    paid = script.one(PayoutPlaced, "pay:6.raise")
    i = script.index("pay:6.raise")
    placed = WagerPlaced(
        table_id=paid.table_id, t_s=paid.t_s, confidence=sure, area=paid.area, amount_cents=None, by=by
    )
    script.items[i] = ("pay:6.raise", placed)
    assert found(script) == []


def test_trips_are_settled_although_the_round_is_void() -> None:
    def edit(s: Script) -> None:
        raise_after_the_dealers_cards(s)
        s.change("pay:1.trips", amount_cents=500)

    assert ("DJW-SET-TRIPS", 1) in found(built(edit))


AUTO: list[tuple[str, Edit | None, list[tuple[str, int | None]]]] = [
    ("honest", None, []),
    ("out_of_order", lambda s: s.swap("stack:1", "stack:3"), [("DJW-AS-ORDER", 3)]),
    ("six_in_a_stack", lambda s: s.change("stack:3", count=6), [("DJW-IRR-COUNT", 3)]),
    ("dealer_first", lambda s: s.move("stack:dealer", before="stack:6", lead_s=0.4), [("DJW-AS-DEALER", None)]),
]


@pytest.mark.parametrize(("edit", "expected"), [row[1:] for row in AUTO], ids=[row[0] for row in AUTO])
def test_automated_shoe(edit: Edit | None, expected: list[tuple[str, int | None]]) -> None:
    script = build(plan(dealing="automated_shoe"))
    if edit is not None:
        edit(script)
    assert found(script, dealing="automated_shoe") == expected


PROGRESSIVE = {"paytables": {"trips": "04", "bad_beat": "01", "progressive": "1"}, "progressive_unit_cents": 100}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (None, []),
        (lambda s: s.change("deal:extra.1", face=Face.UP, card="2c"), [("DJW-MS-EXTRA", None)]),
        (lambda s: s.insert(CardPlaced(**AT, area="extra.1", card_id=900, face=Face.DOWN), after="deal:extra.1"), [("DJW-MS-EXTRA", None)]),
        (lambda s: s.swap("deal:extra.1", "deal:dealer.4"), [("DJW-MS-EXTRA", None)]),
    ],
    ids=["honest", "face_up", "two_cards", "before_the_dealer"],
)  # fmt: skip
def test_extra_card(edit: Edit | None, expected: list[tuple[str, int | None]]) -> None:
    script = build(plan(extra=True))
    if edit is not None:
        edit(script)
    assert found(script, **PROGRESSIVE) == expected


def test_missing_extra_card_is_not_seen_and_no_breach() -> None:
    findings = judge(built().events, table(GAME, **PROGRESSIVE))
    assert breaches(findings) == []
    assert verdicts(findings, "DJW-MS-EXTRA") == {None: Verdict.UNDETERMINED}


def test_progressive_wager_of_another_amount() -> None:
    def accepted(cents: int) -> ElectronicWagerAccepted:
        return ElectronicWagerAccepted(**AT, seat=3, wager="progressive", amount_cents=cents)

    for cents, expected in ((100, []), (500, [("DJW-PROG-DENOM", 3)])):
        script = build(plan(extra=True))
        script.insert(accepted(cents), after="wager:3.blind")
        assert found(script, **PROGRESSIVE) == expected
    assert ("DJW-PROG-OFFER", 3) in found(built(lambda s: s.insert(accepted(100), after="wager:3.blind")))


@pytest.mark.parametrize(("wager", "check"), [("trips", "DJW-TRIPS-OFFER"), ("bad_beat", "DJW-BB-OFFER")])
def test_side_wagers_that_are_not_offered(wager: str, check: str) -> None:
    placed = WagerPlaced(**AT, area=f"seat3.{wager}", amount_cents=500, by=Side.PLAYER)
    assert (check, 3) in found(built(lambda s: s.insert(placed, after="wager:3.blind")), paytables={})


def test_fold_with_trips_racked() -> None:
    def edit(s: Script) -> None:
        s.drop("turn:5", "turn-hand:5", "rack:5", "collect:5")
        for i in range(5):
            event = altered(s.get("fold-rack:4.0"), area="seat5.cards", card_id=s.card_id(f"deal:5.{i}"))
            s.insert(event, after="fold-collect:5.blind", name=f"racked:5.{i}")

    assert found(built(edit)) == [("DJW-FOLD-COLLECT", 5)]


def test_deck_of_53() -> None:
    config = {"shuffler": {"automated": True, "counts_cards": True}}
    for count, expected in ((53, []), (52, [("DJW-SHUF-COUNT", None)])):
        event = ShufflerCounted(table_id=GAME, t_s=1.0, count=count)
        assert breaches(judge([event, *built().events], table(GAME, **config))) == expected


def test_stub_is_counted_against_every_hand_and_the_dealer() -> None:
    """53 less 5 for each of five players and the dealer are 23; with the extra card 22."""
    for extra, count in ((False, 23), (True, 22)):
        script = build(plan(extra=extra))
        script.insert(StubCounted(**AT, count=count), after="stub")
        assert found(script) == []
    wrong = built(lambda s: s.insert(StubCounted(**AT, count=22), after="stub"))
    assert found(wrong) == [("DJW-MS-STUB-BADDECK", None)]


@pytest.mark.parametrize("row", BREAKING, ids=[row[0] for row in BREAKING])
def test_gap_over_the_round_silences_what_needs_the_whole(
    row: tuple[str, Edit | None, Sequence[Player], Sequence[str], object],
) -> None:
    script = built(row[1], row[2], row[3])
    gap = CoverageGap(table_id=GAME, t_s=script.items[-1][1].t_s, cause=GapCause.BLOCKED, since_s=0.0)
    about_one_event = {"DJW-WAG-LOCK", "DJW-MS-NMB", "DJW-MS-DOWN", "DJW-MS-DEALER", "DJW-DECK-ONE", "DJW-MS-STUB-RACK",
                       "DJW-SET-WSEQ", "DJW-RAISE-TURN", "DJW-FOLD-TRIPS", "DJW-SET-ONEATATIME", "DJW-SET-EVAL",
                       "DJW-IRR-EXPOSED", "DJW-SET-REVEAL"}  # fmt: skip
    events: list[Event] = [gap, *script.events]
    assert {check for check, _ in breaches(judge(events, table(GAME)))} <= about_one_event


def test_chips_the_dealer_lays_where_no_wager_was_seen_are_none() -> None:
    """They pay a wager that was not made out; with it, it is no Ante of which the Raise would be too small."""
    script = built()
    ante = script.get("wager:1.ante")
    assert isinstance(ante, WagerPlaced)
    script.drop("wager:1.ante", "pay:1.ante")
    script.insert(replace(ante, amount_cents=2000, by=Side.DEALER), after="turn:1.4", wait_s=1.0)
    assert breaches(judge(script.events, table(GAME))) == []


# -- folds ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wager", "check"), [("ante", "DJW-FOLD-FORFEIT"), ("blind", "DJW-FOLD-FORFEIT"), ("bad_beat", "DJW-FOLD-BB")]
)
def test_a_wager_that_a_fold_forfeited_is_not_paid(wager: str, check: str) -> None:
    """687a.11(b), (b)(2): seat 4's cards went to the rack before the dealer's were shown; its wager stayed, and was paid."""

    def paid(script: Script) -> None:
        script.drop(f"fold-collect:4.{wager}")
        after = script.names("take:1")[-1]
        script.insert(PayoutPlaced(**AT, area=f"seat4.{wager}", amount_cents=4500), after=after, wait_s=0.3)

    findings = [f for f in judge(built(paid).events, table(GAME)) if f.verdict is Verdict.BREACH]
    assert [(f.check_id, f.seat, f.owed_cents, f.paid_cents) for f in findings] == [(check, 4, 0, 4500)]


def test_trips_of_a_fold_taken_just_before_the_dealers_cards_is_not_called_left_there() -> None:
    """687a.11(b)(1): with the fold, or as the dealer's cards were shown: nobody can tell."""
    script = built()
    script.drop("collect:5.trips")
    gone = WagerRemoved(**AT, area="seat5.trips", by=Side.DEALER)
    script.insert(gone, after="reveal:dealer.0", name="gone", wait_s=-0.5)
    script.items.sort(key=lambda item: item[1].t_s)
    assert verdicts(judge(script.events, table(GAME)), "DJW-FOLD-TRIPS") == {5: Verdict.UNDETERMINED}


# -- Trips of a void round ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paid", "loser", "ends"),
    [
        (3000, Side.DEALER, {1: Verdict.COMPLIANT, 5: Verdict.COMPLIANT}),
        (500, Side.DEALER, {1: Verdict.BREACH, 5: Verdict.COMPLIANT}),
        (None, Side.PLAYER, {1: Verdict.UNDETERMINED, 5: Verdict.BREACH}),
    ],
    ids=["settled", "paid_short", "returned"],
)
def test_trips_is_settled_though_the_round_is_void(paid: int | None, loser: Side, ends: dict[int, Verdict]) -> None:
    """687a.13(d): one of the dealer's cards was shown before the raises, the others never; Trips asks for the player's alone."""
    script = built()
    script.items = script.items[: script.index("examine:6") + 1]
    script.t_s = script.items[-1][1].t_s
    shown = CardTurned(**AT, area="dealer.cards", card_id=script.card_id("deal:dealer.0"), face=Face.UP, card=DEALER[0])
    script.add("shown", shown, 1.0)
    script.add("said", DecisionAnnounced(**AT, seat=6, decision="raise"), 2.0)
    for p in PLAYERS:
        for wager in (name for name in p.wagers if name != "trips"):
            script.add(f"back:{p.number}.{wager}", WagerRemoved(**AT, area=f"seat{p.number}.{wager}", by=Side.PLAYER))
    for p in reversed([p for p in PLAYERS if "trips" in p.wagers]):
        for i, face in enumerate(p.hand):
            turned = CardTurned(**AT, area=f"seat{p.number}.cards", card_id=script.card_id(f"deal:{p.number}.{i}"), face=Face.UP, card=face)  # fmt: skip
            script.add(f"turn:{p.number}.{i}", turned, 0.1)
        if p.number == 1 and paid is not None:
            script.add("pay", PayoutPlaced(**AT, area="seat1.trips", amount_cents=paid))
        gone = WagerRemoved(**AT, area=f"seat{p.number}.trips", by=Side.PLAYER if p.number == 1 else loser)
        script.add(f"gone:{p.number}", gone)
    findings = judge(script.events, table(GAME))
    assert verdicts(findings, "DJW-SET-TRIPS") == ends
    assert verdicts(findings, "DJW-IRR-EXPOSED") == {None: Verdict.COMPLIANT}


@pytest.mark.parametrize(
    ("after", "expected"),
    [("decide:3", []), ("decide:6", [("DJW-WAG-LOCK", 3)]), ("reveal:dealer.4", [("DJW-SET-LOSE", 3)])],
    ids=["in_turn", "after_the_next_player", "after_the_dealers_cards"],
)
def test_a_raise_that_its_player_takes_back(after: str, expected: list[tuple[str, int | None]]) -> None:
    """No wager is withdrawn "except as provided in" .11(b) (687a.7(c)); until the next player raised the seat may still be deciding."""
    script = built()
    script.drop("collect:3.raise")
    gone = WagerRemoved(**AT, area="seat3.raise", by=Side.PLAYER)
    script.insert(gone, after=after, wait_s=1.3 if after == "decide:6" else 0.3)
    script.items.sort(key=lambda item: item[1].t_s)
    assert found(script) == expected


# -- the count of the stub ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "left", "expected"), [(True, 22, []), (False, 22, []), (True, 21, ["DJW-MS-STUB-BADDECK"])]
)
def test_an_extra_card_that_was_not_seen_shows_no_wrong_deck(seen: bool, left: int, expected: list[str]) -> None:
    """53 less 5 for each of six hands and the extra card, which no check misses (687a.8(f), (i)), are 22."""
    script = build(plan(extra=True))
    script.insert(StubCounted(**AT, count=left), after="stub", wait_s=0.1)
    if not seen:
        script.drop("deal:extra", "rack:extra")
    offered = {"paytables": {"trips": "04", "bad_beat": "01", "progressive": "1"}, "progressive_unit_cents": 100}
    assert [check for check, _ in found(script, **offered)] == expected
    if not seen:
        ends = verdicts(judge(script.events, table(GAME, **offered)), "DJW-MS-STUB-BADDECK")
        assert ends == {None: Verdict.UNDETERMINED}
