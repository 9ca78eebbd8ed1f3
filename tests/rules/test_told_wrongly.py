"""Rounds told with several things wrong at once, by which an honest dealer or player was accused (`datasets.score.courses`); told rightly, the same is a breach."""

from __future__ import annotations

from dataclasses import replace

import pytest
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from game_rounds import build as build_game
from game_rounds import table
from rounds import Script, breaches, build, judge, verdicts

from rules.events import HandOver, Side, WagerPlaced
from rules.findings import Verdict

AT = {"table_id": "", "t_s": 0.0}
GAMES = {"caribbean_stud": car, "let_it_ride": lir, "dj_wild": djw}


def script_of(game: str) -> Script:
    return build() if game == "raise_it_up" else build_game(GAMES[game].plan())


def alleged(game: str, script: Script) -> list[tuple[str, int | None]]:
    return breaches(judge(script.events, None if game == "raise_it_up" else table(game)))


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize(
    ("game", "seat", "check"), [("raise_it_up", 6, "RIU-PLAY-AMT-3"), ("caribbean_stud", 6, "CAR-BET-AMT"), ("dj_wild", 6, "DJW-RAISE-AMT")]
)  # fmt: skip
def test_an_ante_of_the_next_round_is_none_of_this_one(game: str, seat: int, check: str, *, seen: bool) -> None:
    """The Ante was not made out; its player lays the next one while cards still lie there."""
    script = script_of(game)
    ante = script.get(f"wager:{seat}.ante")
    if not seen:
        reached = HandOver(**AT, area=f"seat{seat}.ante", since_s=ante.t_s - 0.3, side=Side.PLAYER)
        script.insert(reached, after=f"wager:{seat}.ante", name="hand")
        script.drop(*(f"{what}:{seat}.ante" for what in ("wager", "collect", "pay", "take")))
    last = script.names("rack:")[-1]
    script.insert(replace(ante, amount_cents=700), after=script.names("rack:")[0], name="next", wait_s=0.02)  # type: ignore[call-arg]
    script.items.append((last, replace(script.get(last), t_s=script.items[-1][1].t_s + 2.0)))
    found = judge(script.events, None if game == "raise_it_up" else table(game))
    assert breaches(found) == []
    assert (verdicts(found, check)[seat] is Verdict.COMPLIANT) is seen


@pytest.mark.parametrize("by", [Side.PLAYER, None])
def test_a_base_wager_found_once_settlement_began_was_not_made_out_before(by: Side | None) -> None:
    """Chips that nobody known laid where none were made out may have lain there since before the deal; a player lays them for the next round."""
    script = build()
    script.drop("wager:3.blind", "pay:3.blind", "take:3.blind")
    late = WagerPlaced(**AT, area="seat3.blind", amount_cents=1000, by=by)
    script.insert(late, after="turn-hand:3", name="found")
    assert (("RIU-ANTE-REQ", 3) in breaches(judge(script.events))) is (by is Side.PLAYER)
