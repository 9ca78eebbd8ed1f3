"""The shared checks in the other three games: progressives by their own rows, boxes, electronic locks, the second question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from game_rounds import PAYTABLES, Plan, build, table
from rounds import AT, Script, breaches, judge, verdicts

from rules.event_base import Source
from rules.events import DecisionAnnounced, ElectronicWagerAccepted, FloorDecision
from rules.findings import Verdict
from rules.house_events import AwardLit, BonusPaid, ConductReported, WagersLocked

PLANS: dict[str, Callable[..., Plan]] = {"caribbean_stud": car.plan, "let_it_ride": lir.plan, "dj_wild": djw.plan}
EXTRA = {"caribbean_stud": {}, "let_it_ride": {}, "dj_wild": {"extra": True}}
PREFIX = {"caribbean_stud": "CAR", "let_it_ride": "LIR", "dj_wild": "DJW"}


def wagered(game: str, wager: str, seats: Sequence[int], **more: object) -> Script:
    """A round with progressive wagers of 1.00 accepted from these seats."""
    script = build(PLANS[game](**EXTRA[game], **more))
    for seat in seats:
        event = ElectronicWagerAccepted(**AT, seat=seat, wager=wager, amount_cents=100)
        script.insert(event, after=script.names(f"wager:{seat}.")[-1], name=f"accept:{seat}", wait_s=0.05)
    return script


def award(script: Script, seat: int, wager: str, cents: int, source: Source = Source.INVENTORY) -> None:
    """The light, the floor's validation and the payout, after the seat's wagers were settled at the table."""
    settled = [name for act in ("pay", "take", "collect") for name in script.names(f"{act}:{seat}.")]
    after = max(settled, key=lambda name: script.get(name).t_s)
    script.insert(BonusPaid(**AT, seat=seat, wager=wager, amount_cents=cents, source=source), after=after, name=f"award:{seat}", wait_s=0.3)  # fmt: skip
    script.insert(
        FloorDecision(**AT, decision="validate_payout", seat=seat), after=after, name=f"floor:{seat}", wait_s=0.2
    )
    script.insert(AwardLit(**AT, seat=seat, wager=wager), after=after, name=f"lit:{seat}", wait_s=0.1)


def found(script: Script, game: str, wager: str, name: str) -> list[tuple[str, int | None]]:
    config: dict[str, Any] = {"paytables": {**PAYTABLES[game], wager: name}, "progressive_unit_cents": 100}
    return breaches(judge(script.events, table(game, **config)))


CASES = [
    ("caribbean_stud", "progressive", "A", 6, 200, "CAR-SET-PROG-PAY", "CAR-SET-PROG-VERIFY", 3),  # two pair 2 for 1
    ("let_it_ride", "progressive5", "A", 6, 900, "LIR-5CP-PAY", "LIR-5CP-VERIFY", 4),  # three 4s
    ("dj_wild", "progressive", "1", 1, 1000, "DJW-SET-PROG-W", "DJW-SET-PROG-L", 3),  # three 8s 9 to 1, and the stake
]


@pytest.mark.parametrize(
    ("game", "wager", "name", "seat", "cents", "pay", "verify", "loser"), CASES, ids=[c[0] for c in CASES]
)
def test_progressive_payouts(
    game: str, wager: str, name: str, seat: int, cents: int, pay: str, verify: str, loser: int
) -> None:
    honest = wagered(game, wager, (seat,))
    award(honest, seat, wager, cents)
    assert found(honest, game, wager, name) == []
    findings = judge(honest.events, table(game, paytables={**PAYTABLES[game], wager: name}, progressive_unit_cents=100))
    assert verdicts(findings, pay)[seat] is Verdict.COMPLIANT
    short = wagered(game, wager, (seat,))
    award(short, seat, wager, cents - 150)
    assert found(short, game, wager, name) == [(pay, seat)]
    nothing = wagered(game, wager, (loser,))
    award(nothing, loser, wager, 300)
    assert (verify, loser) in found(nothing, game, wager, name)


def test_three_card_progressive() -> None:
    """A mini-royal takes the meter, which does not come from the inventory container; a pair wins nothing."""
    script = wagered("let_it_ride", "progressive3", (3,))
    award(script, 3, "progressive3", 300)
    assert ("LIR-3CP-VERIFY", 3) in found(script, "let_it_ride", "progressive3", "A")


@pytest.mark.parametrize("game", PLANS)
def test_adjacent_boxes(game: str) -> None:
    def reported(other: int) -> Script:
        script = build(PLANS[game]())
        script.insert(ConductReported(**AT, what="second_position", seat=3, other_seat=other), after="nmb")
        return script

    check = f"{PREFIX[game]}-BOXES"
    assert breaches(judge(reported(4).events, table(game))) == [(check, 3)]
    assert breaches(judge(reported(4).events, table(game, adjacent_boxes=2))) == []
    assert breaches(judge(reported(5).events, table(game, adjacent_boxes=2))) == [(check, 3)]


@pytest.mark.parametrize("game", ["caribbean_stud", "let_it_ride"])
def test_electronic_system_locked_before_the_deal(game: str) -> None:
    paytables = {**PAYTABLES[game], "five_card_hand_bonus": "A"}
    for after, expected in (("nmb", []), ("deal:1.0", [(f"{PREFIX[game]}-MS-FCHB-LOCK", None)])):
        script = build(PLANS[game]())
        lock = WagersLocked(**AT, wager="five_card_hand_bonus")
        script.insert(lock, after="nmb" if after == "nmb" else "deal:3.0")
        assert breaches(judge(script.events, table(game, paytables=paytables))) == expected


def test_players_are_asked_about_bet_2_in_their_order() -> None:
    for first, second, expected in ((1, 3, []), (3, 1, [("LIR-D2-ORDER", 3)])):
        script = build(lir.plan())
        script.insert(DecisionAnnounced(**AT, seat=second, decision="ride"), after="placed:1", wait_s=0.6)
        script.insert(DecisionAnnounced(**AT, seat=first, decision="ride"), after="placed:1", wait_s=0.3)
        script.items.sort(key=lambda item: item[1].t_s)
        assert breaches(judge(script.events, table("let_it_ride"))) == expected
