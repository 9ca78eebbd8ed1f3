"""The violations of the worked examples as event files: every one told under its id, and only what follows from it.

The names are those of the examples (`CAR-E14` and so on); what each shows stands beside it. Settlements of the examples
are in test_settle_rounds.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from game_rounds import Plan, build, player, table
from rounds import AT, Edit, Script, breaches, judge, last_act

from rules.catalogue import Status, catalogue
from rules.event_base import Agent, Source
from rules.events import (
    CardPlaced,
    CardTurned,
    DeckChanged,
    DeviceJammed,
    ElectronicWagerAccepted,
    Event,
    Face,
    ShufflerCounted,
    Side,
    WagerPlaced,
    WagerRemoved,
)
from rules.house_events import BonusPaid, CardDrawn, CardFoundFaceUp, CardsShuffled, DeviceState, WagersLocked

REFERENCE = Path(os.environ.get("PITWATCH_REFERENCE") or Path(__file__).parents[2].parent / "shared")
SHUFFLER = {"automated": True, "counts_cards": False}


@dataclass(frozen=True, slots=True)
class Case:
    """One example: the honest round, what is done to it, what the table is, and which checks must speak."""

    name: str
    plan: Plan
    edit: Edit | None
    expected: Sequence[str]
    config: dict[str, Any] = field(default_factory=dict)
    before: Sequence[Event] = ()
    also: Sequence[str] = ()


def shown(script: Script, area: str, key: str, card: str, after: str, wait_s: float = 0.3) -> None:
    card_id = script.card_id(f"deal:{key}")
    script.insert(CardTurned(**AT, area=area, card_id=card_id, face=Face.UP, card=card), after=after, name="shown", wait_s=wait_s)  # fmt: skip


def found_face_up(script: Script, ids: Sequence[int], to: str, after: str) -> None:
    for card_id in ids:
        script.insert(CardPlaced(**AT, area=to, card_id=card_id, face=Face.UP, card="2s"), after=after, name=f"to{card_id}", wait_s=0.2)  # fmt: skip
        script.insert(
            CardFoundFaceUp(**AT, card_id=card_id, card="2s"), after=after, name=f"found{card_id}", wait_s=0.1
        )


def drawn(script: Script, to: str, after: str) -> None:
    script.insert(CardPlaced(**AT, area=to, card_id=950, face=Face.DOWN), after=after, name="gone", wait_s=0.2)
    script.insert(CardDrawn(**AT, card_id=950, in_error=True), after=after, name="drawn", wait_s=0.1)


def illegal_bets(s: Script) -> None:
    s.move("decide:6", before="deal:1.4", lead_s=1.3)
    shown(s, "seat1.cards", "1.0", "Th", after="decide:3")


def wager_errors(s: Script) -> None:
    s.change("wager:1.bet3", amount_cents=1500)
    s.change("pay:1.bet3", amount_cents=1500)
    lir.third_bet_back(s)
    s.insert(WagerPlaced(**AT, area="seat3.bet1", amount_cents=1000, by=Side.PLAYER), after="placed:1", name="again")
    s.insert(WagerRemoved(**AT, area="seat3.bet1", by=Side.PLAYER), after="turn-hand:3", name="again-gone")


def illegal_raises(s: Script) -> None:
    s.change("wager:1.blind", amount_cents=500)
    s.drop("decide:6")
    placed = WagerPlaced(**AT, area="seat6.raise", amount_cents=5000, by=Side.PLAYER)
    s.insert(placed, after="wager:6.ante", name="decide:6")


def void_after(s: Script, name: str, seats: Sequence[tuple[int, Sequence[str]]]) -> None:
    """The round ends there: the players take everything back."""
    i = s.index(name) + 1
    s.t_s = s.items[i - 1][1].t_s + 2.0
    s.items = s.items[:i]
    for seat, wagers in seats:
        for wager in wagers:
            s.add(f"back:{seat}.{wager}", WagerRemoved(**AT, area=f"seat{seat}.{wager}", by=Side.PLAYER), 0.3)


def hand_bonuses_paid(s: Script) -> None:
    """Quads 500 for 1, full houses of seat 2 and the dealer 100 for 1, a flush 50 for 1; no floorperson for seat 1."""
    wagers = [
        (1, "fchb_player", 50_000),
        (2, "fchb_player", 10_000),
        (2, "fchb_dealer", 10_000),
        (3, "fchb_player", 5_000),
    ]
    last = s.names("wager:")[-1]
    for seat, name, cents in wagers:
        s.insert(
            ElectronicWagerAccepted(**AT, seat=seat, wager=name, amount_cents=100), after=last, name=f"{seat}{name}"
        )
        last = f"{seat}{name}"
        paid = BonusPaid(**AT, seat=seat, wager=name, amount_cents=cents, source=Source.ACCOUNT)
        s.insert(paid, after=last_act(s, seat), name=f"paid:{seat}{name}")
    s.insert(WagersLocked(**AT, wager="five_card_hand_bonus"), after="nmb")


HAND_BONUS_PLAYERS = [
    player(1, "9h 9d 9s 9c 3h", "bet", ante=1000),
    player(2, "Kc Kd Kh 4s 4d", "bet", ante=1000),
    player(3, "Ac Jc 8c 6c 2c", "bet", ante=1000),
]
HAND_BONUS = {"paytables": {"five_card_hand_bonus": "A"}, "reports": ["floor_decision"]}
AUTO = {"dealing": "automated_shoe"}
CAR, LIR, DJW = car.plan, lir.plan, djw.plan
CAR_CHANGED = [replace(p, times={1: 1.0, 3: 3.0}.get(p.number, 2.0)) for p in car.PLAYERS]
CASES = [
    Case("CAR-E11", CAR(HAND_BONUS_PLAYERS, ["As", "Ah", "Ad", "7h", "7d"]), hand_bonuses_paid, ["CAR-FCHB-FLOOR"], HAND_BONUS),
    Case("CAR-E14", CAR(CAR_CHANGED), illegal_bets, ["CAR-BET-AMT", "CAR-BET-AMT", "CAR-BET-TURN", "CAR-CARDS-FINAL"]),
    Case("CAR-E15", CAR(), lambda s: found_face_up(s, [950], "discard_rack", "deal:3.1"), []),
    Case("CAR-E15", CAR(), lambda s: found_face_up(s, [950], "seat3.cards", "deal:3.1"), ["CAR-IRR-FACEUP-1"], also=["CAR-IRR-COUNT", "CAR-MS-DOWN"]),
    Case("CAR-E15", CAR(), lambda s: found_face_up(s, [950, 951], "discard_rack", "deal:3.1"), ["CAR-IRR-FACEUP-2"]),
    Case("CAR-E16", CAR(), lambda s: drawn(s, "discard_rack", "deal:3.1"), ["CAR-IRR-DRAWN"]),
    Case("CAR-E17", CAR(), lambda s: s.insert(car.extra_card("dealer.2"), after="deal:dealer.4", wait_s=0.2), ["CAR-IRR-COUNT"]),
    Case("CAR-E18", CAR(), car.bet_after_the_hole_cards, ["CAR-IRR-EXPOSED", "CAR-REVEAL-WHEN"]),
    Case("CAR-E19", CAR(dealing="automated_shoe"), car.other_card_turned, ["CAR-AUTO-UPCARD", "CAR-IRR-EXPOSED"], AUTO),
    Case("CAR-E20", CAR(), lambda s: shown(s.change("deal:dealer.0", face=Face.DOWN, card=None), "dealer.1", "dealer.0", "Ah", "stub"), ["CAR-DEAL-UPCARD"]),
    Case("CAR-E21", CAR(dealing="automated_shoe"), lambda s: s.insert(DeviceJammed(**AT, device="shoe"), after="stack:3"), ["CAR-IRR-SHOEJAM"], AUTO),
    Case("CAR-E21", CAR(), None, ["CAR-IRR-SHUFJAM"], {"shuffler": SHUFFLER, "reports": ["cards_shuffled"]}, [CardsShuffled(table_id=car.GAME, t_s=1.0, by=Agent.DEVICE, complete=False)], also=["CAR-SHUF-WHEN", "CAR-SHUF-METHOD"]),
    Case("CAR-E21", CAR(), None, ["CAR-IRR-OOS"], {}, [DeviceState(table_id=car.GAME, t_s=1.0, device="shuffler", usable=False)]),
    Case("LIR-E14", LIR(), wager_errors, ["LIR-BET3-STAYS", "LIR-THREE-EQ", "LIR-WAG-LOCK"]),
    Case("LIR-E15", LIR(dealing="automated_shoe"), lir.AUTO[4][1], ["LIR-AUTO-THIRD"], AUTO, also=["LIR-C1-WHICH"]),
    Case("LIR-E15", LIR(dealing="automated_shoe"), lir.AUTO[5][1], ["LIR-AUTO-THIRD"], AUTO),
    Case("LIR-E16", LIR(), lir.bonus_cards_last, ["LIR-MS-SCB-FIRST"]),
    Case("LIR-E17", LIR(), lambda s: found_face_up(s, [950], "community.2", "deal:3.1"), ["LIR-IRR-FACEUP-1"], also=["LIR-IRR-COUNT", "LIR-IRR-EXPOSED", "LIR-MS-DOWN", "LIR-MS-COMM2", "LIR-MS-ORDER"]),
    Case("LIR-E17", LIR(), lambda s: found_face_up(s, [950, 951], "discard_rack", "deal:3.1"), ["LIR-IRR-FACEUP-2"]),
    Case("LIR-E18", LIR(), lambda s: drawn(s, "discard_rack", "deal:3.1"), ["LIR-IRR-DRAWN"]),
    Case("LIR-E19", LIR(), lambda s: s.insert(CardPlaced(**AT, area="seat1.cards", card_id=900, face=Face.DOWN), after="deal:1.2", wait_s=0.2), ["LIR-IRR-COUNT"]),
    Case("LIR-E20", LIR(), lir.second_at_the_heels, ["LIR-C2-WHEN", "LIR-IRR-EXPOSED"]),
    Case("LIR-E21", LIR(dealing="automated_shoe"), lambda s: s.insert(DeviceJammed(**AT, device="shoe"), after="stack:3"), ["LIR-IRR-SHOEJAM"], AUTO),
    Case("LIR-E21", LIR(), None, ["LIR-IRR-OOS"], {}, [DeviceState(table_id=lir.GAME, t_s=1.0, device="shuffler", usable=False)]),
    Case("LIR-E22", LIR(dealing="automated_shoe"), lambda s: s.move("stack:community", before="stack:1", lead_s=0.4), ["LIR-AUTO-COMM-LAST"], AUTO),
    Case("LIR-E24", LIR(), lambda s: lir.late_second_withdrawal(s, attended=True), ["LIR-C2-WHEN", "LIR-IRR-EXPOSED"]),
    Case("DJW-E14", DJW(), djw.raise_after_the_dealers_cards, ["DJW-IRR-EXPOSED"], also=["DJW-REVEAL-WHEN"]),
    Case("DJW-E15", DJW([replace(p, times={1: 1.0, 3: 4.0}.get(p.number, 2.0)) for p in djw.PLAYERS]), illegal_raises, ["DJW-BLIND-EQ", "DJW-RAISE-AMT", "DJW-RAISE-AMT", "DJW-RAISE-TURN"]),
    Case("DJW-E16", DJW(), lambda s: found_face_up(s, [950], "discard_rack", "deal:3.1"), []),
    Case("DJW-E16", DJW(), lambda s: found_face_up(s, [950, 951], "discard_rack", "deal:3.1"), ["DJW-IRR-FACEUP-2"]),
    Case("DJW-E17", DJW(), lambda s: drawn(s, "discard_rack", "deal:3.1"), ["DJW-IRR-DRAWN"]),
    Case("DJW-E18", DJW(), lambda s: s.insert(CardPlaced(**AT, area="seat3.cards", card_id=900, face=Face.DOWN), after="deal:3.4", wait_s=0.2), ["DJW-IRR-COUNT"]),
    Case("DJW-E19", DJW(), lambda s: s.insert(CardPlaced(**AT, area="dealer.cards", card_id=900, face=Face.DOWN), after="deal:dealer.4", wait_s=0.2), ["DJW-IRR-COUNT-DLR"]),
    Case("DJW-E20", DJW(dealing="automated_shoe"), lambda s: s.insert(DeviceJammed(**AT, device="shoe"), after="stack:3"), ["DJW-IRR-SHOEJAM"], AUTO),
    Case("DJW-E20", DJW(), None, ["DJW-IRR-OOS"], {}, [DeviceState(table_id=djw.GAME, t_s=1.0, device="shuffler", usable=False)]),
    Case("DJW-E21", DJW(), None, ["DJW-SHUF-COUNT"], {"shuffler": {"automated": True, "counts_cards": True}}, [ShufflerCounted(table_id=djw.GAME, t_s=1.0, count=52)]),
    Case("DJW-E22", DJW(), djw.round_robin, ["DJW-DEAL-STACK"]),
]  # fmt: skip


def told(case: Case) -> list[str]:
    script = build(case.plan)
    if case.edit is not None:
        case.edit(script)
    events = [*case.before, *sorted(script.events, key=lambda event: event.t_s)]
    return [name for name, _ in breaches(judge(events, table(case.plan.game, **case.config)))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}:{'+'.join(case.expected) or 'none'}")
def test_violations_are_told(case: Case) -> None:
    found = told(case)
    extra = list(found)
    for name in case.expected:
        assert name in extra, found
        extra.remove(name)
    assert set(extra) <= set(case.also)


def test_same_backs_in_two_rounds() -> None:
    """CAR-E22: the red deck in rounds 7 and 8."""
    events: list[Event] = [DeckChanged(table_id=car.GAME, t_s=0.5, back=back) for back in ("red", "blue")]
    for n in range(2):
        script = build(car.plan(t_s=10.0 + 200.0 * n, first_card_id=100 * (n + 1)))
        events += [replace(e, back="red") if isinstance(e, CardPlaced) else e for e in script.events]
    names = [name for name, _ in breaches(judge(events, table(car.GAME, shuffler=SHUFFLER, decks=2)))]
    assert "CAR-DECK-ALT" in names


def test_wagers_returned_after_the_irregularity() -> None:
    """CAR-E24, LIR-E24: everything goes back to the players, as the law wants; only the cause is told."""
    seats = [(n, ("bet1", "bet2", "bet3")) for n in (1, 6)] + [(3, ("bet2", "bet3")), (4, ("bet3",))]
    script = build(
        lir.plan([replace(p, wagers={w: p.wagers[w] for w in ("bet1", "bet2", "bet3")}) for p in lir.PLAYERS])
    )
    lir.second_at_the_heels(script)
    script.items.sort(key=lambda item: item[1].t_s)
    script.drop("move:4.bet2", "withdraw:4.bet2")
    void_after(script, "reveal:2", [*seats, (4, ("bet2",))])
    assert [name for name, _ in breaches(judge(script.events, table(lir.GAME)))] == ["LIR-C2-WHEN"]


def test_every_example_with_a_violation_stands_here() -> None:
    path = REFERENCE / "law" / "examples.json"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    here = {case.name for case in CASES} | {"CAR-E22", "CAR-E24"}
    games = {"CAR": "caribbean_stud", "LIR": "let_it_ride", "DJW": "dj_wild"}
    for entry in json.loads(path.read_text()):
        if entry["violations"] == "none" or entry["game"] not in games or entry["id"] in here:
            continue
        rules = catalogue(games[entry["game"]])
        names = [name for name in rules if name in entry["violations"]]
        assert names
        assert all(rules[name].status is not Status.IMPLEMENTED for name in names), entry["id"]
