"""Cases of progressive wagers, envy bonuses, meters and the Five Card Hand Bonus, game by game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import game_rounds
import house
import rounds
import test_caribbean_stud_checks as car
import test_checks_progressive as riu
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from case_kit import Edit, File, Kit, Make, change, drop, electronic
from rounds import AT, Script

from rules.event_base import Source
from rules.events import CardRemoved, CardTurned, Event, Face, FloorDecision, MeterRead
from rules.house_events import AwardLit, BonusDrawn, BonusPaid

BREAKS: dict[str, Make] = {}
KEEPS: dict[str, Make] = {}


# -- Raise It Up: the rounds of the tests of the progressive ---------------------------------------------------------------------


def _riu(make: Any, *edits: Any) -> Make:
    def built(_: Kit) -> File:
        script = make()
        for edit in edits:
            edit(script)
        return File.of(script.events, house.prog())

    return built


def not_winning() -> Script:
    script = riu.played([rounds.seat(1, "2h 9h Jh", 3), riu.NOTHING], (1, 6))
    house.award(script, 1, 600)
    return script


def royal(cents: int) -> Script:
    script = riu.played([riu.ROYAL, riu.NOTHING], (3,))
    house.award(script, 3, cents)
    return script


def two_royals() -> Script:
    script = riu.played([rounds.seat(1, "Ad Kd Qd", 3), riu.ROYAL, riu.NOTHING], (1, 3, 6))
    for number in (1, 3):
        house.award(script, number, 50_000)
        house.envy(script, number, 2_500, after=f"award:{number}")
    house.envy(script, 6, 5_000, after="award:1")
    return script


def folded(paid: bool) -> Script:
    """Seat 6 folds a straight whose cards stay for its Progressive wager."""
    script = rounds.build([riu.SPADES, rounds.seat(6, "4d 5h 6s", 0)], riu.BOARD)
    house.progressive(script, (4, 6))
    script.drop("fold-rack:6")
    for i, card in enumerate(("4d", "5h", "6s")):
        up = CardTurned(**AT, area="seat6.cards", card_id=script.card_id(f"deal:6.{i}"), face=Face.UP, card=card)
        gone = CardRemoved(**AT, area="seat6.cards", card_id=up.card_id, to_area="discard_rack")
        script.insert(up, after="reveal:3", name=f"t{i}", wait_s=0.3)
        script.insert(gone, after="rack:4.2", wait_s=0.01 * i)
    house.award(script, 4, 500_028, source=Source.CAGE)
    script.insert(FloorDecision(**AT, decision="documentation_completed", seat=4), after="award:4")
    house.envy(script, 6, 10_000, after="award:4")
    if paid:
        script.insert(BonusPaid(**AT, seat=6, wager="progressive", amount_cents=600), after="envy:6")
    return script


def _change(name: str, **fields: object) -> Any:
    return lambda s: s.change(name, **fields)


def _drop(name: str) -> Any:
    return lambda s: s.drop(name)


BREAKS |= {
    "RIU-SET-PROG-VERIFY": _riu(not_winning),
    "RIU-SET-PROG-LIGHT": _riu(riu.straight, _drop("lit:1")),
    "RIU-SET-PROG-FLOOR": _riu(riu.straight, _drop("valid:1")),
    "RIU-SET-PROG-PAY": _riu(riu.straight, _change("award:1", amount_cents=500)),
    "RIU-SET-PROG-100": _riu(riu.spades, _change("award:4", source=Source.INVENTORY)),
    "RIU-SET-PROG-CARDS": _riu(riu.spades, _drop("paper")),
    "RIU-ENVY-PAY": _riu(riu.spades, _change("envy:1", amount_cents=2_500)),
    "RIU-ENVY-MULTI": _riu(two_royals, _change("envy:6", amount_cents=2_500)),
    "RIU-ENVY-OWN": _riu(two_royals, _change("envy:3", amount_cents=5_000)),
    "RIU-PAY-HIGHEST": _riu(lambda: royal(57_000)),
    "RIU-METER-RATE": _riu(riu.straight, _change("meter:after", amount_cents=500_026)),
    "RIU-METER-TURN": _riu(riu.spades, _change("award:4", amount_cents=500_000)),
    "RIU-FOLD-PROG": _riu(lambda: folded(paid=True)),
}
KEEPS |= {f"RIU-SET-PROG-{row}": _riu(riu.straight) for row in ("VERIFY", "LIGHT", "FLOOR", "PAY")}
KEEPS |= {f"RIU-{row}": _riu(riu.spades) for row in ("SET-PROG-100", "SET-PROG-CARDS", "ENVY-PAY", "METER-TURN")}
KEEPS |= {f"RIU-{row}": _riu(two_royals) for row in ("ENVY-MULTI", "ENVY-OWN")}
KEEPS |= {
    "RIU-PAY-HIGHEST": _riu(lambda: royal(50_000)),
    "RIU-METER-RATE": _riu(riu.straight, _change("meter:after", amount_cents=500_027)),
    "RIU-FOLD-PROG": _riu(lambda: folded(paid=False)),
}


# -- the other games -------------------------------------------------------------------------------------------------------------

METER = 500_000
"""Cents on the meter before the wagers."""


def paid(script: Script, seat: int, wager: str, cents: int, source: Source = Source.INVENTORY) -> None:
    """The light, the floor's validation, the payout and the papers, after the seat's cards were turned."""
    after = rounds.last_act(script, seat)
    steps: list[tuple[str, Event]] = [
        ("lit", AwardLit(**AT, seat=seat, wager=wager)),
        ("valid", FloorDecision(**AT, decision="validate_payout", seat=seat)),
        ("award", BonusPaid(**AT, seat=seat, wager=wager, amount_cents=cents, source=source)),
        ("paper", FloorDecision(**AT, decision="documentation_completed", seat=seat)),
    ]
    for i, (name, event) in reversed(list(enumerate(steps))):
        script.insert(event, after=after, name=f"{name}:{seat}", wait_s=0.02 * (i + 1))


def envy(script: Script, seat: int, cents: int) -> None:
    event = BonusPaid(**AT, seat=seat, wager="envy", amount_cents=cents, source=Source.INVENTORY)
    script.insert(event, after=rounds.last_act(script, seat), name=f"envy:{seat}", wait_s=0.12)


def meter(script: Script, name: str, before: int, after: int) -> None:
    script.insert(
        MeterRead(**AT, meter=name, amount_cents=before), after=script.names("wager:")[0], name="meter:before"
    )
    script.insert(MeterRead(**AT, meter=name, amount_cents=after), after="bank", name="meter:after")


def hands(
    players: Sequence[game_rounds.Player], cards: Mapping[int, str], plan: Mapping[str, Any] | None = None
) -> list[game_rounds.Player]:
    """The players with these cards; who held one of them has another of its rank, or a low one."""
    shared = {"dealer": car.DEALER, "community": lir.COMMUNITY, "six_cards": lir.SIX}
    if isinstance(players[0].wagers.get("blind"), int):
        shared = {"dealer": djw.DEALER, "extra": ["2c"]}
    elif "ante" in players[0].wagers:
        shared = {"dealer": car.DEALER}
    else:
        del shared["dealer"]
    shared |= {name: list(held) for name, held in (plan or {}).items() if name in shared and held is not True}
    used = {card for held in (*shared.values(), *(hand.split() for hand in cards.values())) for card in held}
    free = [r + s for r in "3456789TJQKA" for s in "hsdc"]
    made = []
    for p in players:
        if p.number in cards:
            made.append(replace(p, cards=cards[p.number]))
            continue
        own: list[str] = []
        for card in p.hand:
            if card in used:
                card = next(c for c in sorted(free, key=lambda c: c[0] != card[0]) if c not in used)
            used.add(card)
            own.append(card)
        made.append(replace(p, cards=" ".join(own)))
    return made


def progressive(
    wager: str,
    cards: Mapping[int, str],
    seats: tuple[int, ...],
    percent: int,
    awards: Mapping[int, tuple[int, Source]],
    envies: Mapping[int, int],
    *edits: Edit,
    paytable: str = "A",
    plan: Mapping[str, Any] | None = None,
    reseed: tuple[int, int] | None = None,
    **table: Any,
) -> Make:
    """A round with progressive wagers, its payouts and the meter.

    Args:
        wager: its name.
        cards: hands by seat, the others as in the standard round.
        seats: who wagered 1.00.
        percent: of each wager that goes to the meter.
        awards: cents and purse by seat.
        envies: cents by seat.
        edits: changes.
        paytable: its column.
        plan: other cards of the round.
        reseed: seat after whose payout the meter is read again, and what it shows then.
        table: further keys of the Rules Submission.
    """

    def make(kit: Kit) -> File:
        players = {"CAR": car, "LIR": lir, "DJW": djw}[kit.prefix].PLAYERS
        script = kit.script(players=hands(players, cards, plan), **(plan or {}))
        electronic(wager, seats=seats)(script, kit)
        meter(script, "prog.meter", METER, METER + len(seats) * percent)
        for seat, (cents, source) in awards.items():
            paid(script, seat, wager, cents, source)
        for seat, cents in envies.items():
            envy(script, seat, cents)
        if reseed is not None:
            script.insert(MeterRead(**AT, meter="prog.meter", amount_cents=reseed[1]), after=f"paper:{reseed[0]}", name="meter:reseed")  # fmt: skip
        for edit in edits:
            edit(script, kit)
        return File.of(script.events, kit.table(paytables={wager: paytable}, **table))

    return make


CAGE, INVENTORY = Source.CAGE, Source.INVENTORY
CAR_CARDS = {6: "9d 8d 7d 6d 5d", 3: "Qh Qc Qd 6s 4c"}
"""A straight flush, and three queens."""
SHARE = (METER + 42) // 10


def car_round(*edits: Edit) -> Make:
    return progressive(
        "progressive", CAR_CARDS, (3, 6), 21, {6: (SHARE, CAGE), 3: (900, INVENTORY)}, {3: 30_000}, *edits, paytable="D"
    )


def car_two(*edits: Edit) -> Make:
    """Two straight flushes: each holder has the other's envy bonus, seat 3 both."""
    cards = {**CAR_CARDS, 1: "9h 8h 7h 6h 5h"}
    first = (METER + 63) // 10
    then = (METER + 63 - first) // 10
    read = lambda s, _: s.insert(MeterRead(**AT, meter="prog.meter", amount_cents=METER + 63 - first), after="paper:6", name="meter:between")  # noqa: E731  # fmt: skip
    return progressive(
        "progressive", cards, (1, 3, 6), 21, {6: (first, CAGE), 3: (900, INVENTORY), 1: (then, CAGE)},
        {1: 30_000, 3: 60_000, 6: 30_000}, read, *edits, paytable="D",
    )  # fmt: skip


def nobody_paid(s: Script, _: Kit) -> None:
    """Seat 1, with a pair of 10s, is paid as if it had won."""
    paid(s, 1, "progressive", 300)


CAR_VERIFY = progressive(
    "progressive", CAR_CARDS, (1, 3, 6), 21, {6: ((METER + 63) // 10, CAGE), 3: (900, INVENTORY)},
    {1: 30_000, 3: 30_000}, nobody_paid, paytable="D",
)  # fmt: skip
BREAKS |= {
    "CAR-SET-PROG-VERIFY": CAR_VERIFY,
    "CAR-SET-PROG-LIGHT": car_round(drop("lit:3")),
    "CAR-SET-PROG-FLOOR": car_round(drop("valid:3")),
    "CAR-SET-PROG-PAY": car_round(change("award:3", amount_cents=800)),
    "CAR-SET-PROG-PCT": car_round(change("award:6", source=INVENTORY)),
    "CAR-SET-PROG-CARDS": car_round(drop("paper:6")),
    "CAR-ENVY-PAY": car_round(change("envy:3", amount_cents=29_900)),
    "CAR-ENVY-MULTI": car_two(change("envy:3", amount_cents=30_000)),
    "CAR-ENVY-OWN": car_two(change("envy:6", amount_cents=60_000)),
    "CAR-PROG-HIGHEST": car_round(change("award:6", amount_cents=SHARE + 4_000)),
    "CAR-METER-RATE": car_round(change("meter:after", amount_cents=METER + 40)),
    "CAR-METER-TURN": car_round(change("award:6", amount_cents=METER // 10 - 5)),
}
KEEPS |= {row: car_round() for row in BREAKS if row.startswith("CAR-")}
KEEPS["CAR-ENVY-MULTI"] = KEEPS["CAR-ENVY-OWN"] = car_two()

LIR5 = {6: "Qs Ks 9s", 3: "Th Tc 6h", 1: "8d 8c 2d"}
"""With a ten and a jack of spades: a straight flush, three tens, a pair of eights."""
LIR3 = {6: "As Ks Qs", 3: "Jh Th 9h"}
"""A mini-royal of spades, a straight flush."""


def lir5(*edits: Edit) -> Make:
    return progressive(
        "progressive5", LIR5, (3, 6), 21, {6: (SHARE, CAGE), 3: (900, INVENTORY)}, {3: 30_000}, *edits,
        plan={"community": ["Ts", "Js"]},
    )  # fmt: skip


def lir3(*edits: Edit) -> Make:
    return progressive(
        "progressive3", LIR3, (3, 6), 14, {6: (METER + 28, CAGE), 3: (7_000, INVENTORY)}, {3: 10_000}, *edits,
        reseed=(6, 100_000),
    )  # fmt: skip


def loser(wager: str) -> Edit:
    """Seat 3's hand does not win, and is paid."""
    return lambda s, _: paid(s, 1, wager, 300)


def lir_loser(wager: str) -> Make:
    base = {"progressive5": (LIR5, 21, {"community": ["Ts", "Js"]}), "progressive3": (LIR3, 14, {})}[wager]
    cards, percent, plan = base
    whole = METER + 3 * percent
    envies = {1: 30_000, 3: 30_000} if wager == "progressive5" else {1: 10_000, 3: 10_000}
    won = whole // 10 if wager == "progressive5" else whole
    return progressive(
        wager, cards, (1, 3, 6), percent, {6: (won, CAGE), 3: (900 if wager == "progressive5" else 7_000, INVENTORY)},
        envies, loser(wager), plan=plan, reseed=None if wager == "progressive5" else (6, 100_000),
    )  # fmt: skip


for _short, _made, _wager in (("5CP", lir5, "progressive5"), ("3CP", lir3, "progressive3")):
    _due = 900 if _short == "5CP" else 7_000
    _share = SHARE if _short == "5CP" else METER + 28
    BREAKS |= {
        f"LIR-{_short}-VERIFY": lir_loser(_wager),
        f"LIR-{_short}-LIGHT": _made(drop("lit:3")),
        f"LIR-{_short}-FLOOR": _made(drop("valid:3")),
        f"LIR-{_short}-PAY": _made(change("award:3", amount_cents=_due - 100)),
        f"LIR-{_short}-CARDS": _made(drop("paper:6")),
        f"LIR-{_short}-ENVY": _made(change("envy:3", amount_cents=100)),
        f"LIR-{_short}-HIGHEST": _made(change("award:6", amount_cents=_share + (4_000 if _short == "5CP" else 7_000))),
        f"LIR-{_short}-METER": _made(
            change("meter:after", amount_cents=METER + 20),
            change("award:6", amount_cents=(METER + 20) // (10 if _short == "5CP" else 1)),
        ),
        f"LIR-{_short}-TURN": _made(change("award:6", amount_cents=_share - 1)),
    }
    KEEPS |= {row: _made() for row in BREAKS if row.startswith(f"LIR-{_short}")}

ROYAL = {6: "As Ks Qs Js Ts"}
DJW_PLAN = {"extra": True}


def djw_round(*edits: Edit, reseed: int = 200_000) -> Make:
    """Seat 6 takes the meter with a royal flush, seat 1 has 9 to 1 and its stake on three 8s and the envy bonus."""
    return progressive(
        "progressive", ROYAL, (1, 6), 0, {6: (METER, CAGE), 1: (1000, INVENTORY)}, {1: 100_000}, *edits,
        paytable="1", plan=DJW_PLAN, reseed=(6, reseed), folded_hands_qualify_progressive=False,
    )  # fmt: skip


def djw_fold(*edits: Edit) -> Make:
    """Seat 5 folds with Trips and Progressive; the house lets no folded hand qualify."""
    return progressive(
        "progressive", {5: "9h 9s 9d 5d 3d"}, (5,), 0, {}, {}, *edits, paytable="1",
        plan={"extra": True, "dealer": ["Kd", "Kc", "8s", "6h", "3h"]}, folded_hands_qualify_progressive=False,
    )  # fmt: skip


def djw_loser(s: Script, _: Kit) -> None:
    paid(s, 3, "progressive", 300)


BREAKS |= {
    "DJW-SET-PROG-L": progressive("progressive", {}, (1, 3), 0, {1: (1000, INVENTORY)}, {}, djw_loser, paytable="1", plan=DJW_PLAN),
    "DJW-SET-PROG-W": djw_round(change("award:6", amount_cents=METER - 100)),
    "DJW-ENVY": djw_round(change("envy:1", amount_cents=30_000)),
    "DJW-METER-SEED": djw_round(reseed=0),
    "DJW-FOLD-PROG": djw_fold(lambda s, _: paid(s, 5, "progressive", 900)),
    "DJW-PROG-DENOM": progressive("progressive", {}, (3,), 0, {}, {}, change("accept:3", amount_cents=200), paytable="1", plan=DJW_PLAN),
}  # fmt: skip
KEEPS |= {
    row: djw_round() for row in ("DJW-SET-PROG-L", "DJW-SET-PROG-W", "DJW-ENVY", "DJW-METER-SEED", "DJW-PROG-DENOM")
}
KEEPS["DJW-FOLD-PROG"] = djw_fold()
for _method in ("MS", "HD"):
    BREAKS[f"DJW-{_method}-STARTGAME"] = djw_round(drop("lock"))
    KEEPS[f"DJW-{_method}-STARTGAME"] = djw_round()
BREAKS |= {f"DJW-{m}-EXTRA": djw_round(change("deal:extra.1", face=Face.UP, card="2c")) for m in ("MS", "HD", "AS")}
KEEPS |= {f"DJW-{m}-EXTRA": djw_round() for m in ("MS", "HD", "AS")}


# -- the Five Card Hand Bonus ----------------------------------------------------------------------------------------------------

FCHB_METER = 1_000_000
ACCOUNT = Source.ACCOUNT


def hand_bonus(
    wagers: Sequence[tuple[int, str]],
    payments: Sequence[tuple[int, str, int, Source]],
    cards: Mapping[int, str],
    *edits: Edit,
    plan: Mapping[str, Any] | None = None,
    drawn: BonusDrawn | None = None,
) -> Make:
    """A round with Five Card Hand Bonus Wagers of 1.00, their payouts and the meter.

    Args:
        wagers: seat and name of the wager.
        payments: seat, name, cents and purse.
        cards: hands by seat.
        edits: changes.
        plan: other cards of the round.
        drawn: what the system drew.
    """
    from rules.events import ElectronicWagerAccepted

    def make(kit: Kit) -> File:
        players = {"CAR": car, "LIR": lir}[kit.prefix].PLAYERS
        script = kit.script(players=hands(players, cards, plan), **(plan or {}))
        electronic("five_card_hand_bonus", seats=())(script, kit)
        script.drop("collect-chips")
        last = script.names("wager:")[-1]
        for seat, name in wagers:
            script.insert(ElectronicWagerAccepted(**AT, seat=seat, wager=name, amount_cents=100), after=last, name=f"accept:{seat}.{name}")  # fmt: skip
            last = f"accept:{seat}.{name}"
        meter(script, "fchb.meter", FCHB_METER, FCHB_METER + 13 * len(wagers))
        script.drop("bank")
        if drawn is not None:
            script.insert(drawn, after="nmb", name="drawn", wait_s=0.6)
        for i, (seat, name, cents, source) in enumerate(payments):
            entry = FloorDecision(**AT, decision="validate_payout", seat=seat)
            script.insert(entry, after=rounds.last_act(script, seat), name=f"valid:{seat}", wait_s=0.02)
            event = BonusPaid(**AT, seat=seat, wager=name, amount_cents=cents, source=source)
            script.insert(event, after=f"valid:{seat}", name=f"paid:{seat}.{name}", wait_s=0.02 * (i + 1))
            paper = FloorDecision(**AT, decision="documentation_completed", seat=seat)
            script.insert(paper, after=f"paid:{seat}.{name}", name=f"paper:{seat}", wait_s=0.02)
        script.items.sort(key=lambda item: item[1].t_s)
        for edit in edits:
            edit(script, kit)
        return File.of(script.events, kit.table(paytables={"five_card_hand_bonus": "A"}))

    return make


OWN = {"CAR": "fchb_player", "LIR": "fchb"}
FLUSH = {"CAR": {1: "Kc Jc 9c 6c 3c", 6: "Jd Js 8h 8d 3h"}, "LIR": {6: "As 9s 2s"}}
QUADS = {"CAR": {1: "Tc Td Th Ts 3s"}, "LIR": {6: "Td Tc Th", 1: "9h 8c 2d"}}
STRAIGHT_FLUSH = {"CAR": {1: "9d 8d 7d 6d 5d"}, "LIR": {6: "Ks Qs 9s"}}
WINNER = {"CAR": 1, "LIR": 6}
BOARD = {"CAR": {}, "LIR": {"community": ["Ts", "Js"]}}


def won(prefix: str, cards: Mapping[str, Mapping[int, str]], cents: int, source: Source, *edits: Edit, plan: Mapping[str, Any] | None = None) -> Make:  # fmt: skip
    """The winner of a game paid so much; seat 3 wagered too and has nothing."""
    seat, name = WINNER[prefix], OWN[prefix]
    return hand_bonus([(3, name), (seat, name)], [(seat, name, cents, source)], cards[prefix], *edits, plan=plan)


def tenth(prefix: str, *edits: Edit, source: Source = CAGE) -> Make:
    """A tenth of the meter, not paid to the account."""
    return won(prefix, STRAIGHT_FLUSH, (FCHB_METER + 26) // 10, source, *edits, plan=BOARD[prefix])


def extras(prefix: str, *edits: Edit, magic: str, lucky: str) -> Make:
    seat, name = WINNER[prefix], OWN[prefix]
    side = "player"
    return hand_bonus(
        [(3, name), (seat, name)],
        [(seat, name, 5_000, ACCOUNT), (seat, f"magic_{side}", 2_000, ACCOUNT), (3, f"lucky_{side}", 500, ACCOUNT)],
        FLUSH[prefix], *edits, drawn=BonusDrawn(**AT, magic_card=magic, lucky=lucky),
    )  # fmt: skip


def pay_the_other(prefix: str) -> Edit:
    return lambda s, _: s.insert(BonusPaid(**AT, seat=3, wager=OWN[prefix], amount_cents=5_000, source=ACCOUNT), after=rounds.last_act(s, 3))  # fmt: skip


for _p in ("CAR", "LIR"):
    _seat, _verify = WINNER[_p], "SET-FCHB-VERIFY" if _p == "CAR" else "FCHB-VERIFY"
    _card = "9c" if _p == "CAR" else "9s"
    BREAKS |= {
        f"{_p}-{_verify}": won(_p, FLUSH, 5_000, ACCOUNT, pay_the_other(_p)),
        f"{_p}-FCHB-FLOOR": won(_p, QUADS, 50_000, ACCOUNT, drop(f"valid:{_seat}")),
        f"{_p}-FCHB-CREDIT": won(_p, FLUSH, 5_000, INVENTORY),
        f"{_p}-FCHB-CARDS": tenth(_p, drop(f"paper:{_seat}")),
        f"{_p}-FCHB-PAY": won(_p, FLUSH, 4_900, ACCOUNT),
        f"{_p}-FCHB-EXTRA": extras(_p, magic=_card, lucky="seat4"),
        f"{_p}-FCHB-METER": won(_p, FLUSH, 5_000, ACCOUNT, change("meter:after", amount_cents=FCHB_METER + 20)),
    }
    KEEPS |= {
        f"{_p}-{row}": won(_p, FLUSH, 5_000, ACCOUNT) for row in (_verify, "FCHB-CREDIT", "FCHB-PAY", "FCHB-METER")
    }
    KEEPS |= {
        f"{_p}-FCHB-FLOOR": won(_p, QUADS, 50_000, ACCOUNT),
        f"{_p}-FCHB-CARDS": tenth(_p),
        f"{_p}-FCHB-EXTRA": extras(_p, magic=_card, lucky="seat3"),
    }

FULL_HOUSE = ["Ah", "Ad", "As", "7s", "7h"]
DEALER_FLUSH = ["Ah", "Kh", "7h", "5h", "2h"]
DEALER_STRAIGHT_FLUSH = ["9h", "8h", "7h", "6h", "5h"]
BOTH = [(1, "fchb_player"), (1, "fchb_dealer")]
TWO = [(1, "fchb_dealer"), (3, "fchb_dealer")]
PART = (FCHB_METER + 26) // 10 // 2
SPLIT = {1: "Th Tc 4d 3s 2c", 3: "Qd Jh 9c 6s 4c", 6: "Jc Jd 8s 8d 3c", 4: "8c 7d 5d 3h 2d"}


def beaten(*edits: Edit) -> Make:
    """A flush that loses to the dealer's full house."""
    return hand_bonus([(1, "fchb_player")], [(1, "fchb_player", 5_000, ACCOUNT)], FLUSH["CAR"], *edits, plan={"dealer": FULL_HOUSE})  # fmt: skip


def both(*edits: Edit) -> Make:
    paid_both = [(1, "fchb_player", 5_000, ACCOUNT), (1, "fchb_dealer", 5_000, ACCOUNT)]
    cards = {**FLUSH["CAR"], 3: "Qd Jh 9d 6s 4c", 6: "Jd Js 8s 8d 3s", 4: "8c 7d 5d 3d 2d"}
    return hand_bonus(BOTH, paid_both, cards, *edits, plan={"dealer": DEALER_FLUSH})


def split(*edits: Edit) -> Make:
    paid_two = [(1, "fchb_dealer", PART, CAGE), (3, "fchb_dealer", PART, CAGE)]
    return hand_bonus(TWO, paid_two, SPLIT, *edits, plan={"dealer": DEALER_STRAIGHT_FLUSH})


BREAKS |= {
    "CAR-FCHB-INDEP": beaten(drop("paid:1")),
    "CAR-FCHB-BOTH": both(drop("paid:1.fchb_dealer")),
    "CAR-FCHB-SPLIT": split(change("paid:3.fchb_dealer", amount_cents=PART - 100)),
}
KEEPS |= {"CAR-FCHB-INDEP": beaten(), "CAR-FCHB-BOTH": both(), "CAR-FCHB-SPLIT": split()}
