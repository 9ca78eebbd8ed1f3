"""Cases of the rules of single games: those of the games' own tests, and what these lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import game_rounds
import rounds
import test_caribbean_stud_checks as car
import test_checks as riu
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from case_kit import Edit, File, Kit, Make, change, played, swap
from cases_shared import told_order
from rounds import AT, Script

from rules.event_base import Side
from rules.events import CardTurned, DecisionAnnounced, WagerRemoved


@dataclass(frozen=True)
class Row:
    """A round of a game's tests with the checks that are broken in it."""

    name: str
    make: Callable[[], File]
    broken: frozenset[str]


def _file(script: Script, game: str, **config: object) -> File:
    table = rounds.table(**config) if game == "raise_it_up" else game_rounds.table(game, **config)
    return File.of(script.events, table)


def _game(built: Callable[..., Script], game: str, *how: object) -> File:
    """A round of a game, built so, at the game's usual table."""
    return _file(built(*how), game)


def _rows() -> list[Row]:
    made = []
    for name, seats, edit, expected in riu.BREAKING:
        made.append(Row(f"riu {name}", partial(_game, riu.built, "raise_it_up", seats, edit), _ids(expected)))  # fmt: skip
    for module in (car, djw):
        for name, change_, players, dealer, expected in module.BREAKING:
            made.append(Row(f"{module.GAME} {name}", partial(_game, module.built, module.GAME, change_, players, dealer), _ids(expected)))  # fmt: skip
    for name, change_, people, expected in lir.BREAKING:
        made.append(Row(f"let_it_ride {name}", partial(_game, lir.built, "let_it_ride", change_, people), _ids(expected)))  # fmt: skip
    for module in (lir, djw):
        for name, change_, expected in module.AUTO:
            if expected:
                made.append(Row(f"{module.GAME} automated {name}", partial(_automated, module, change_), _ids(expected)))  # fmt: skip
    return made


def _automated(module: Any, edit: Any) -> File:
    script = game_rounds.build(module.plan(dealing="automated_shoe"))
    edit(script)
    return _file(script, module.GAME, dealing="automated_shoe")


def _ids(expected: Sequence[tuple[str, int | None]]) -> frozenset[str]:
    return frozenset(check for check, _ in expected)


ROWS = _rows()
"""Every round of the games' tests that breaks something."""


def broken_alone(check_id: str, follows: frozenset[str]) -> Row | None:
    """The first round that breaks this check, and beside it nothing but what necessarily follows."""
    return next((row for row in ROWS if check_id in row.broken and row.broken - {check_id} <= follows), None)


# -- what the tests of the games lack ------------------------------------------------------------------------------------------


def moved(name: str, after: str, wait_s: float = 0.3) -> Edit:
    """An event told later, after another."""

    def edit(s: Script, _: Kit) -> None:
        item = s.items.pop(s.index(name))
        i = s.index(after)
        s.items.insert(i + 1, (item[0], replace(item[1], t_s=round(s.items[i][1].t_s + wait_s, 3))))

    return edit


def community_early(s: Script, k: Kit) -> None:
    if k.method == "AS":
        s.move("stack:community", before="stack:6", lead_s=0.2)
    else:
        s.swap("deal:6.2", "deal:community.4th")


def up_card_late(s: Script, _: Kit) -> None:
    s.move("upcard", before="reveal:dealer.1", lead_s=0.1)


def asked_about_bet_2(*seats: int) -> Edit:
    def edit(s: Script, _: Kit) -> None:
        for i, seat in enumerate(seats):
            told = DecisionAnnounced(**AT, seat=seat, decision="ride")
            s.insert(told, after="placed:1" if not i else f"told:{seats[i - 1]}", name=f"told:{seat}", wait_s=0.1)

    return edit


BREAKS: dict[str, Make] = {
    "RIU-HD-COMM": played(community_early),
    "RIU-AS-COMM": played(community_early),
    "CAR-HD-DLR": played(change("deal:dealer.2", area="dealer.3")),
    "CAR-AUTO-UPCARD": played(up_card_late),
    "LIR-HD-SCB-FIRST": played(lambda s, _: lir.bonus_cards_last(s)),
    "LIR-HD-COMM2": played(lambda s, _: second_left(s)),
    "LIR-D2-ORDER": played(asked_about_bet_2(3, 1, 6)),
    "LIR-D2-ASK": played(asked_about_bet_2(1, 3)),
    "DJW-HD-STACK": played(swap("deal:3.4", "deal:4.0")),
    "DJW-HD-DEALER": played(swap("deal:6.4", "deal:dealer.0")),
}


def third_box(s: Script, _: Kit) -> None:
    """The second and the third community card change places."""
    second, third = s.one(CardTurned, "reveal:2"), s.one(CardTurned, "reveal:3")
    s.change("reveal:2", area=third.area, card_id=third.card_id)
    s.change("reveal:3", area=second.area, card_id=second.card_id)


astray = change("rack:1.0", to_area="shoe")
BREAKS |= {f"{prefix}-END-RACK": played(astray) for prefix in ("RIU", "CAR", "LIR", "DJW")}
BREAKS |= {
    "RIU-C3-PLACE": played(third_box),
    "LIR-SET-ORDER": played(lambda s, _: car.settle_first(s, 1, 3)),
    "DJW-SET-ORDER": played(lambda s, _: djw.settle_first(s, 3)),
}


def second_left(s: Script) -> None:
    """The second community card to the left of the first."""
    row = next(row for row in lir.BREAKING if row[0] == "second_card_to_the_left")
    assert row[1] is not None
    row[1](s)


# -- kept at the edge -------------------------------------------------------------------------------------------------------------


def _riu(seats: Sequence[rounds.Seat]) -> Make:
    return played(plan={"seats": seats})


def voided(reveal: str, left: Edit | None = None) -> Make:
    """The dealer's cards shown before seat 6 decided, and the round broken off: every wager goes back to its player."""

    def edit(s: Script, k: Kit) -> None:
        s.drop("decide:6", "fold-collect", "fold-rack")
        stop = s.index(reveal) + 1
        s.items, s.t_s = s.items[:stop], s.items[stop - 1][1].t_s
        lying = {s.area(n) for n, _ in s.items if n.startswith(("wager:", "decide:", "play:"))}
        lying -= {s.area(n) for n in s.names("withdraw:")}
        if left is not None:
            left(s, k)
        for area in sorted(lying):
            s.add(f"back:{area}", WagerRemoved(**AT, area=area, by=Side.PLAYER), 0.3)

    return played(edit)


def told_late(seat: int, decision: str) -> Edit:
    """What a seat decided, entered after the card lay open."""
    return lambda s, _: s.add("told", DecisionAnnounced(**AT, seat=seat, decision=decision), 2.0)


def first_card_early(s: Script, k: Kit) -> None:
    """The first community card turned while the cards were dealt, and the round broken off after the deal."""
    lir.early_first(s)
    stop = s.index("stub") + 1
    s.items, s.t_s = s.items[:stop], s.items[stop - 1][1].t_s
    for name in s.names("wager:"):
        s.add("back", WagerRemoved(**AT, area=s.area(name), by=Side.PLAYER), 0.3)


def riu_voided(s: Script, k: Kit) -> None:
    """The third community card turned before seat 6 decided, which then says so; every wager goes back."""
    riu.early_reveal(s, "play:6", 3)
    s.drop("fold-collect", "fold-rack")
    stop = s.index("play:6") + 1
    s.items, s.t_s = s.items[:stop], s.items[stop - 1][1].t_s
    for name in [n for n, _ in s.items if n.startswith(("wager:", "play:"))]:
        s.add("back", WagerRemoved(**AT, area=s.area(name), by=Side.PLAYER), 0.3)


KEEPS: dict[str, Make] = {
    "RIU-SET-BASE-L": _riu(riu.changed(6, cards=("9h", "5c", "7s"))),
    "RIU-SET-ANTE": _riu(riu.changed(1, cards=("Th", "8c", "2d"))),
    "RIU-SET-BLIND": _riu([rounds.seat(2, "Ts Th 3c", 1, 3), rounds.seat(5, "2s 2d 7h", 0)]),
    "RIU-PLAY-AMT-1": _riu(riu.changed(1, multiple=3)),
    "RIU-PLAY-AMT-2": _riu(riu.changed(3, multiple=2)),
    "RIU-PLAY-AMT-3": _riu(riu.changed(6, multiple=1)),
    "RIU-FOLD-CARDS": _riu(riu.with_wagers(4, six_card_bonus=500)),
    "RIU-IRR-EXPOSED": played(riu_voided, readings={"decision.inference": "signals"}),
    "CAR-SET-NQ": played(plan={"dealer": car.BELOW}),
    "CAR-SET-WIN": played(plan={"dealer": ["Ah", "Ks", "4s", "3d", "2h"]}),
    "CAR-SET-TIE": played(plan={"players": car.changed(3, cards="Ac Ks 7h 5c 2s")}),
    "CAR-IRR-EXPOSED": voided("reveal:dealer.1", told_late(6, "bet")),
    "LIR-C1-WHEN": played(told_order(1, 3, 4, 6)),
    "LIR-C2-WHEN": played(plan={"players": [replace(p, decision="bet1 bet2") for p in lir.PLAYERS]}),
    "LIR-D2-ORDER": played(asked_about_bet_2(1, 3, 4, 6)),
    "LIR-D2-ASK": played(asked_about_bet_2(1, 3, 4, 6)),
    "LIR-IRR-EXPOSED": played(first_card_early),
    "DJW-SET-PUSH": played(plan={"players": djw.changed(3, cards="Kh Ks 9c 6s 3s")}),
    "DJW-SET-BB-W": played(plan={"dealer": djw.BEATEN}),
    "DJW-IRR-EXPOSED": voided("reveal:dealer.4", told_late(6, "raise")),
}
"""Rounds at the edge of a rule; the honest round of its game and dealing method where none stands here."""
