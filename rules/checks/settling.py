"""Settlement: every wager of Raise It Up paid, pushed or collected as the cards demand.

What is compared is the winnings: chips that the dealer added to a wager against what the law owes for it.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from functools import lru_cache

from rules.cards import CardError, parse_cards
from rules.checks.base import Check, Context, Outcome, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.payment import NOMINAL_CENTS, ORDER, Facts, card_steps, compare, payout_record, seen_of
from rules.checks.settle_order import is_done, order, racked_by_hand, revealed_by_dealer, title, wager_order
from rules.dated import law_day
from rules.findings import Verdict
from rules.hands import HandError
from rules.records import PayoutRecord
from rules.settlement.raise_it_up import settle_seat
from rules.settlement.results import Outcome as Owed
from rules.settlement.results import SettlementError, WagerResult

Items = tuple[tuple[str, str], ...]
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


def _facts(ctx: Context, seat: int, name: str) -> Facts | None:
    r = ctx.round
    wager = r.wager(seat, name)
    if wager is None or not ctx.table.offers(name):
        return None
    seen = seen_of(wager, ctx.closing)
    hand, board = r.hand(seat), r.board
    if hand is None or board is None:
        which = "the player's three cards" if hand is None else "the three community cards"
        return Facts(wager, seen, None, False, f"{which} (not all were read)")
    folded = r.folded(seat)
    if name in BASE and folded is None:
        return Facts(wager, seen, None, False, "whether the seat made a Play Wager or folded")
    stake = wager.stake_cents
    exact = stake is not None and stake > 0
    cents = stake if exact and stake is not None else NOMINAL_CENTS
    chosen = tuple(ctx.table.paytables.items()), tuple(ctx.table.readings.items())
    owed = _owed(law_day(), hand, board, name, cents, bool(folded), *chosen)
    if isinstance(owed, str):
        return Facts(wager, seen, None, False, owed)
    return Facts(wager, seen, owed, exact, "the progressive meter")


@lru_cache(maxsize=4096)
def _owed(
    _day: datetime.date | None,
    hand: tuple[str, ...],
    board: tuple[str, ...],
    name: str,
    cents: int,
    folded: bool,
    paytables: Items,
    readings: Items,
) -> WagerResult | str | None:
    """What a wager is owed by the law of the day that is set, or why that cannot be said; a round asks the same after each of its events."""
    try:
        results = settle_seat(
            parse_cards(hand),
            parse_cards(board),
            {name: cents},
            folded=folded,
            paytables=dict(paytables),
            readings=dict(readings),
        )
    except (SettlementError, HandError, CardError) as error:
        return str(error)
    return results.get(name)


def _judge_wager(ctx: Context, seat: int, name: str, facts: Facts | None) -> Outcome | None:
    """One wager of a seat against what is owed for it."""
    r = ctx.round
    if facts is None or not is_done(ctx, seat):
        return None
    wager, result = facts.wager, facts.result
    steps = [*wager.steps, *card_steps(r, seat)]
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
    outcome = compare(ctx, facts, result, steps)
    if outcome.verdict is Verdict.BREACH and ctx.void_due:
        return undetermined(outcome.expected, "whether the round is settled or void", steps, area=wager.area)
    return outcome


def wager_check(name: str) -> Check:
    """The check that a wager is paid, pushed or collected rightly (669a.11(i), 669a.12)."""

    def judge(ctx: Context, seat: int) -> Outcome | None:
        if not is_done(ctx, seat):
            return None
        facts = _facts(ctx, seat, name)
        if name in BASE and facts is not None and facts.result is not None and facts.result.outcome is Owed.LOSE:
            return not_applicable("the hand is below a pair of 10s; see the check of collected wagers")
        return _judge_wager(ctx, seat, name, facts)

    return Check(CHECK_OF_WAGER[name], judge, per_seat=True, by_names=True)


def base_lost(ctx: Context, seat: int) -> Outcome | None:
    """Below a pair of 10s Ante, Blind and Play are collected (669a.11(i)(2)(i))."""
    r = ctx.round
    if not is_done(ctx, seat) or r.folded(seat) is True:
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
        outcome = _judge_wager(ctx, seat, name, facts)
        if outcome is not None:
            losing.append((name, outcome))
    if not losing:
        return None
    worst = min(losing, key=lambda item: ORDER[item[1].verdict])
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


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid, seats from the highest down."""
    records = []
    for seat in reversed(ctx.round.dealt_seats):
        for name in ("pair_plus", *BASE, "six_card_bonus"):
            facts = _facts(ctx, seat, name)
            if facts is None:
                continue
            records.append(payout_record(seat, name, facts, _judge_wager(ctx, seat, name, facts)))
    return tuple(records)


_GROUP = {"pair_plus": 0, "ante": 1, "play": 1, "blind": 1, "progressive": 2, "six_card_bonus": 3}
_GROUP_WORDS = ("Pair Plus", "Ante, Blind and Play", "Progressive", "Six Card Bonus")

CHECKS = (
    Check("RIU-SET-ORDER", order),
    Check("RIU-SET-REVEAL", revealed_by_dealer, per_seat=True),
    Check("RIU-SET-WSEQ", wager_order(_GROUP, _GROUP_WORDS), per_seat=True),
    Check("RIU-SET-BASE-L", base_lost, per_seat=True, by_names=True),
    *(wager_check(name) for name in CHECK_OF_WAGER),
    Check("RIU-END-RACK", racked_by_hand),
)
