"""Settlement: in which order, by whose hand, and every wager paid, pushed or collected as the cards demand.

What is compared is the winnings: chips that the dealer added to a wager against what the law owes for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rules.cards import CardError, parse_cards
from rules.checks.base import (
    Check,
    Context,
    Outcome,
    breach,
    compliant,
    hidden,
    not_applicable,
    undetermined,
)
from rules.checks.wagers import title
from rules.events import Face, HandOver, Side
from rules.findings import Verdict
from rules.hands import HandError
from rules.money import format_cents
from rules.rounds import PayoutRecord, Round, Step, Wager
from rules.settlement.raise_it_up import settle_seat
from rules.settlement.results import Outcome as Owed
from rules.settlement.results import SettlementError, WagerResult

NOMINAL_CENTS = 200
"""Stands for a stake of unknown amount: whether a wager wins does not depend on it."""
BASE = ("ante", "play", "blind")
CHECK_OF_WAGER: Mapping[str, str] = {
    "pair_plus": "RIU-SET-PP",
    "ante": "RIU-SET-ANTE",
    "play": "RIU-SET-PLAY",
    "blind": "RIU-SET-BLIND",
    "six_card_bonus": "RIU-SET-SCB",
}
"""The check that judges each wager."""
PARAGRAPH: Mapping[str, str] = {"pair_plus": ".12(a)", "ante": ".12(b)", "play": ".12(c)", "blind": ".12(d)"}


class _Seen(StrEnum):
    PAID = "paid"
    COLLECTED = "collected"
    KEPT = "kept"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class _Facts:
    """A wager with what the law says of it, or why that cannot be said."""

    wager: Wager
    seen: _Seen
    result: WagerResult | None
    exact: bool
    missing: str


def _seen(wager: Wager, closing: bool) -> _Seen:
    if wager.payouts:
        return _Seen.PAID
    if wager.removed is None:
        return _Seen.KEPT if closing and wager.gone_unseen is None else _Seen.UNKNOWN
    if wager.taken_by is Side.DEALER:
        return _Seen.COLLECTED
    return _Seen.KEPT if wager.taken_by is Side.PLAYER else _Seen.UNKNOWN


def _done(ctx: Context, seat: int) -> bool:
    """Whether the dealer is through with a seat: the next one was turned, or its chips are gone."""
    r = ctx.round
    since = r.settling_since
    if since is None:
        return False
    if ctx.closing:
        return True
    own = _turned_s(r, seat)
    if own is None:
        return False
    if any((t := _turned_s(r, other)) is not None and t > own for other in r.dealt_seats if other != seat):
        return True
    names = [w.name for w in ctx.table.law.wagers.values()]
    standing = [w for name in names if (w := r.wager(seat, name)) is not None]
    return bool(standing) and all(w.removed is not None for w in standing)


def _turned_s(r: Round, seat: int) -> float | None:
    """When the first card of a seat was turned for settlement."""
    since = r.settling_since
    area = f"seat{seat}.cards"
    if since is None:
        return None
    times = [c.turned.t_s for c in r.cards.values() if c.home == area and c.turned is not None and c.turned.t_s > since]
    return min(times) if times else None


def _facts(ctx: Context, seat: int, name: str) -> _Facts | None:
    r = ctx.round
    wager = r.wager(seat, name)
    if wager is None or not ctx.table.offers(name):
        return None
    seen = _seen(wager, ctx.closing)
    hand, board = r.hand(seat), r.board
    if hand is None or board is None:
        which = "the player's three cards" if hand is None else "the three community cards"
        return _Facts(wager, seen, None, False, f"{which} (not all were read)")
    folded = r.folded(seat)
    if name in BASE and folded is None:
        return _Facts(wager, seen, None, False, "whether the seat made a Play Wager or folded")
    stake = wager.stake_cents
    exact = stake is not None and stake > 0
    wagers = {name: stake if exact and stake is not None else NOMINAL_CENTS}
    try:
        results = settle_seat(
            parse_cards(hand),
            parse_cards(board),
            wagers,
            folded=bool(folded),
            paytables=ctx.table.paytables,
            readings=ctx.table.readings,
        )
    except (SettlementError, HandError, CardError) as error:
        return _Facts(wager, seen, None, False, str(error))
    return _Facts(wager, seen, results.get(name), exact, "the progressive meter")


def _judge_wager(ctx: Context, seat: int, name: str) -> Outcome | None:
    """One wager of a seat against what is owed for it."""
    r = ctx.round
    facts = _facts(ctx, seat, name) if _done(ctx, seat) else None
    if facts is None:
        return None
    wager, result = facts.wager, facts.result
    steps = [*wager.steps, *_card_steps(r, seat)]
    label = f"{title(name)} settled as the cards demand"
    if name in BASE and r.folded(seat) is True:
        return not_applicable("folded")
    since = r.settling_since or 0.0
    areas = [wager.area, f"seat{seat}.cards"]
    gap = hidden(ctx, label, areas, min(since, wager.placed.t_s), wager.steps[-1].t_s)
    if gap is not None:
        return gap
    if result is None:
        return undetermined(label, facts.missing, steps, area=wager.area)
    outcome = _compare(ctx, facts, result, steps)
    if outcome.verdict is Verdict.BREACH and ctx.void_due:
        return undetermined(outcome.expected, "whether the round is settled or void", steps, area=wager.area)
    return outcome


def _card_steps(r: Round, seat: int) -> list[Step]:
    cards = [c for c in r.cards.values() if c.home == f"seat{seat}.cards" or c.home.startswith("community")]
    return [step for c in cards for step in (c.turned, c.read) if step is not None]


def _compare(ctx: Context, facts: _Facts, result: WagerResult, steps: list[Step]) -> Outcome:
    wager, area = facts.wager, facts.wager.area
    way = result.way if facts.exact else f"{result.hand} {result.odds or result.outcome.value}".strip()
    owed = result.owed_cents if facts.exact or result.outcome is not Owed.WIN else None
    paid = wager.paid_cents
    amounts = {"area": area, "owed_cents": owed, "paid_cents": paid}
    if facts.seen is _Seen.UNKNOWN:
        return undetermined(way, "whose hand took the chips", steps, area=area, owed_cents=owed)
    if facts.seen is _Seen.COLLECTED:
        if result.outcome is Owed.LOSE:
            return compliant(way, "collected", steps, **{**amounts, "paid_cents": 0})
        return breach(way, "collected by the dealer", steps, **{**amounts, "paid_cents": 0})
    if facts.seen is _Seen.KEPT:
        if result.outcome in (Owed.PUSH, Owed.RETURNED):
            return compliant(way, "neither paid nor collected", steps, **amounts)
        if result.outcome is Owed.LOSE and wager.removed is not None:
            return breach(way, "taken back by the player", steps, **amounts)
        missing = "a payout; none was seen" if result.outcome is Owed.WIN else "where the chips went"
        return undetermined(way, missing, steps, area=area, owed_cents=owed)
    if result.outcome is not Owed.WIN:
        seen = f"paid {format_cents(paid)}" if paid else "paid"
        return breach(way, seen, steps, **amounts)
    if paid is None or owed is None:
        missing = "the amount of the payout" if paid is None else "the amount of the wager"
        return undetermined(way, missing, steps, **amounts)
    return _paid(ctx, facts, result, way, owed, paid, steps)


def _paid(
    ctx: Context, facts: _Facts, result: WagerResult, way: str, owed: int, paid: int, steps: list[Step]
) -> Outcome:
    wager, area = facts.wager, facts.wager.area
    if paid == owed:
        return compliant(way, f"paid {format_cents(paid)}", steps, area=area, owed_cents=owed, paid_cents=paid)
    smallest = min(ctx.table.chips.values())
    if owed % smallest and abs(paid - owed) < smallest:
        reading = f"rounding={ctx.table.reading('rounding')}"
        missing = f"how {format_cents(owed)} is rounded to chips; paid {format_cents(paid)}"
        return undetermined(way, missing, steps, area=area, owed_cents=owed, paid_cents=paid, readings=(reading,))
    locked = wager.amount_at(ctx.round.lock_s or wager.placed.t_s)
    if locked != wager.stake_cents and locked and wager.stake_cents and paid * wager.stake_cents == owed * locked:
        return undetermined(
            way, "which stake counts; it changed after the announcement", steps, area=area, owed_cents=owed,
            paid_cents=paid,
        )  # fmt: skip
    difference = abs(paid - owed)
    word = "too little" if paid < owed else "too much"
    seen = f"paid {format_cents(paid)}, {format_cents(difference)} {word}"
    return breach(way, seen, steps, area=area, owed_cents=owed, paid_cents=paid)


def wager_check(name: str) -> Check:
    """The check that a wager is paid, pushed or collected rightly (669a.11(i), 669a.12)."""

    def judge(ctx: Context, seat: int) -> Outcome | None:
        outcome = _judge_wager(ctx, seat, name)
        if outcome is None or name not in BASE:
            return outcome
        facts = _facts(ctx, seat, name)
        if facts is not None and facts.result is not None and facts.result.outcome is Owed.LOSE:
            return not_applicable("the hand is below a pair of 10s; see the check of collected wagers")
        return outcome

    return Check(CHECK_OF_WAGER[name], judge, per_seat=True)


def base_lost(ctx: Context, seat: int) -> Outcome | None:
    """Below a pair of 10s Ante, Blind and Play are collected (669a.11(i)(2)(i))."""
    r = ctx.round
    if not _done(ctx, seat) or r.folded(seat) is True:
        return None
    losing: list[tuple[str, Outcome]] = []
    for name in BASE:
        facts = _facts(ctx, seat, name)
        if facts is None:
            continue
        if facts.result is None:
            return undetermined("Ante, Blind and Play collected below a pair of 10s", facts.missing)
        if facts.result.outcome is not Owed.LOSE:
            return not_applicable("a pair of 10s or better")
        outcome = _judge_wager(ctx, seat, name)
        if outcome is not None:
            losing.append((name, outcome))
    if not losing:
        return None
    worst = min(losing, key=lambda item: _ORDER[item[1].verdict])
    name, outcome = worst
    if outcome.verdict is Verdict.COMPLIANT:
        steps = [step for _, o in losing for step in o.steps]
        return compliant(outcome.expected, "all collected", steps, paid_cents=0, owed_cents=0)
    if outcome.verdict is Verdict.BREACH:
        seen = f"{title(name)} {outcome.seen}"
        return breach(
            outcome.expected, seen, outcome.steps, area=outcome.area, owed_cents=0, paid_cents=outcome.paid_cents
        )
    return undetermined(outcome.expected, f"{title(name)}: {outcome.missing}", outcome.steps, area=outcome.area)


_ORDER = {Verdict.BREACH: 0, Verdict.UNDETERMINED: 1, Verdict.NOT_APPLICABLE: 2, Verdict.COMPLIANT: 3}


def order(ctx: Context, _: int) -> Outcome | None:
    """Seats are settled from the dealer's right, counterclockwise (669a.11(i))."""
    r = ctx.round
    if r.settling_since is None:
        return None
    expected = "seats settled from the highest down"
    turned = sorted((t, seat) for seat in r.dealt_seats if (t := _turned_s(r, seat)) is not None)
    for (t, seat), (later, higher) in itertools.pairwise(turned):
        if higher > seat and later - t > 0.1:
            seen = f"seat {seat} was turned {later - t:.1f} s before seat {higher}"
            steps = [_turn_step(r, seat), _turn_step(r, higher)]
            return breach(expected, seen, steps, seat=seat, area=f"seat{seat}.cards")
    if not ctx.closing:
        return None
    if len(turned) < 2:
        return not_applicable("fewer than two hands were turned")
    areas = [area for seat in r.dealt_seats for area in r.seat_areas(seat)]
    gap = hidden(ctx, expected, areas, r.settling_since, turned[-1][0])
    if gap is not None:
        return gap
    if any(higher > seat for (_t, seat), (_l, higher) in itertools.pairwise(turned)):
        return undetermined(expected, "which of two seats was turned first")
    return compliant(
        expected, "seats " + " ".join(str(seat) for _, seat in turned), [_turn_step(r, s) for _, s in turned]
    )


def _turn_step(r: Round, seat: int) -> Step | None:
    t = _turned_s(r, seat)
    return next(
        (c.turned for c in r.cards.values() if c.home == f"seat{seat}.cards" and c.turned and c.turned.t_s == t), None
    )


def revealed_by_dealer(ctx: Context, seat: int) -> Outcome | None:
    """The dealer turns the player's cards (669a.11(i))."""
    r = ctx.round
    t = _turned_s(r, seat)
    if t is None or not _done(ctx, seat):
        return None
    expected = "the cards turned by the dealer"
    hands = [
        s
        for s in r.hands.get(f"seat{seat}.cards", ())
        if isinstance(s.event, HandOver) and s.event.since_s - 0.3 <= t <= s.event.t_s + 1.0
    ]
    steps = [_turn_step(r, seat), *hands]
    sides = {s.event.side for s in hands if isinstance(s.event, HandOver)}
    if Side.DEALER in sides:
        return compliant(expected, "so turned", steps)
    if sides == {Side.PLAYER}:
        return breach(expected, "turned by the player", steps, area=f"seat{seat}.cards")
    return undetermined(expected, "whose hand turned the cards", steps) if ctx.closing else None


_GROUP = {"pair_plus": 0, "ante": 1, "play": 1, "blind": 1, "progressive": 2, "six_card_bonus": 3}
_GROUP_WORDS = ("Pair Plus", "Ante, Blind and Play", "Progressive", "Six Card Bonus")


def wager_order(ctx: Context, seat: int) -> Outcome | None:
    """Pair Plus, then Ante, Blind and Play, then the bonuses (669a.11(i)(1)-(3))."""
    r = ctx.round
    since = _turned_s(r, seat)
    if since is None or not _done(ctx, seat):
        return None
    expected = "Pair Plus, then Ante, Blind and Play, then Progressive and Six Card Bonus"
    acts: list[tuple[float, int, Step]] = []
    for name, group in _GROUP.items():
        wager = r.wager(seat, name)
        if wager is None:
            continue
        steps = [*wager.payouts, *([wager.removed] if wager.removed and wager.taken_by is Side.DEALER else [])]
        steps = [step for step in steps if step.t_s > since]
        if steps:
            acts.append((steps[0].t_s, group, steps[0]))
    acts.sort(key=lambda act: (act[0], act[2].index))
    for (t, group, step), (later, lower, other) in itertools.pairwise(acts):
        if lower < group and later - t > 0.3:
            seen = f"{_GROUP_WORDS[group]} {later - t:.1f} s before {_GROUP_WORDS[lower]}"
            return breach(expected, seen, [step, other])
    if len({group for _, group, _ in acts}) < 2:
        return not_applicable("one kind of wager was paid or collected") if ctx.closing else None
    return compliant(expected, "so settled", [step for _, _, step in acts]) if ctx.closing else None


def racked_by_hand(ctx: Context, _: int) -> Outcome | None:
    """After settling, the cards go to the rack hand by hand (669a.11(j))."""
    r = ctx.round
    since = r.settling_since
    if since is None or not ctx.closing:
        return None
    expected = "all cards to the discard rack after settling, hand by hand"
    gone = sorted(
        ((c.removed.t_s, c.home, c.removed, c.to_area) for c in r.cards.values() if c.removed is not None),
        key=lambda item: (item[0], item[2].index),
    )
    standing = [c for c in r.cards.values() if c.area is not None and c.face is Face.UP]
    if not r.cards_gone or standing:
        return undetermined(expected, "the end of the round; not all cards were seen to leave")
    gap = hidden(ctx, expected, (), since, r.now_s)
    if gap is not None:
        return gap
    if any(to != "discard_rack" for _, _, _, to in gone):
        return undetermined(expected, "where some of the cards went")
    homes = [home if not home.startswith("community") else "community" for _, home, _, _ in gone]
    times = [t for t, *_ in gone]
    first: dict[str, int] = {}
    for i, home in enumerate(homes):
        before = first.get(home)
        if before is not None and any(homes[j] != home and times[i] - times[j] > 0.5 and times[j] - times[before] > 0.5 for j in range(before + 1, i)):  # fmt: skip
            return undetermined(expected, "whether hands were mixed on the way to the rack", [item[2] for item in gone])
        first.setdefault(home, i)
    return compliant(expected, "so racked", [item[2] for item in gone])


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid, seats from the highest down."""
    records = []
    for seat in reversed(ctx.round.dealt_seats):
        for name in ("pair_plus", *BASE, "six_card_bonus"):
            facts = _facts(ctx, seat, name)
            if facts is None:
                continue
            outcome = _judge_wager(ctx, seat, name)
            result = facts.result
            certain = facts.seen in (_Seen.PAID, _Seen.COLLECTED) or (
                result is not None and result.outcome is not Owed.WIN and facts.seen is _Seen.KEPT
            )
            owed = None
            if result is not None and (facts.exact or result.outcome is not Owed.WIN):
                owed = result.owed_cents
            records.append(
                PayoutRecord(
                    seat=seat,
                    wager=name,
                    stake_cents=facts.wager.stake_cents,
                    outcome=result.outcome.value if result is not None else "",
                    owed_cents=owed,
                    paid_cents=facts.wager.paid_cents if certain else None,
                    verdict=outcome.verdict if outcome is not None else Verdict.UNDETERMINED,
                    way=result.way if result is not None and facts.exact else facts.missing if result is None else "",
                )
            )
    return tuple(records)


CHECKS = (
    Check("RIU-SET-ORDER", order),
    Check("RIU-SET-REVEAL", revealed_by_dealer, per_seat=True),
    Check("RIU-SET-WSEQ", wager_order, per_seat=True),
    Check("RIU-SET-BASE-L", base_lost, per_seat=True),
    *(wager_check(name) for name in CHECK_OF_WAGER),
    Check("RIU-END-RACK", racked_by_hand),
)
