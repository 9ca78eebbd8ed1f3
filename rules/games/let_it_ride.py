"""Let It Ride Poker (58 Pa. Code Chapter 643a): the checks of a round, in the order in which they are asked."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from rules.cards import CardError, parse_cards
from rules.catalogue import METHODS
from rules.checks import (
    electronic,
    hand_bonus,
    house,
    let_it_ride,
    let_it_ride_cards,
    progressive,
    progressive_deal,
    settle_order,
    void,
    wagers,
)
from rules.checks.base import Check, Context
from rules.checks.dealing import count_seat
from rules.checks.dealt_sides import face_down_seat
from rules.checks.irregular import stacks_down
from rules.checks.let_it_ride import BETS, withdrawn
from rules.checks.payment import Payments
from rules.checks.progressive_facts import Names
from rules.checks.sequence import comes, order
from rules.dated import law_day
from rules.hands import HandError, HandRank, rank_best_of_six, rank_five, rank_three
from rules.money import Basis, Cents, MeterShare, Odds
from rules.paytables import Paytable, five_card_names, game_paytables, six_card_names, three_card_names
from rules.records import PayoutRecord
from rules.rounds import Round
from rules.settlement.let_it_ride import settle_bets
from rules.settlement.results import Outcome, SettlementError, WagerResult, settle_by_line
from rules.table import TableConfig

GAME = "let_it_ride"
PREFIX = "LIR"
VOIDING = (
    "LIR-C1-WHEN", "LIR-C2-WHEN", "LIR-IRR-EXPOSED", "LIR-IRR-COUNT", "LIR-IRR-SHOEJAM", "LIR-IRR-FACEUP-2",
)  # fmt: skip
"""Breaches after which the chapter voids the round (643a.13(a), (c), (d), (f))."""
FCHB = ("fchb", "fchb_player", "five_card_hand_bonus")
"""Names of the Five Card Hand Bonus in the electronic system's reports."""


def settle(ctx: Context, seat: int, name: str, stake: int) -> WagerResult | str | None:
    """What a Let It Ride Wager, Five, Three or Six Card Bonus is owed (643a.11(f), (g))."""
    r, table = ctx.round, ctx.table
    hand = r.hand(seat)
    if hand is None:
        return "the player's three cards (not all were read)"
    others = _others(r, name)
    if isinstance(others, str):
        return others
    wrong = [words for check, words in let_it_ride_cards.SIX_CARDS_WRONG.items() if check in ctx.breaches]
    if name == "six_card_bonus" and wrong and table.reading("lir.scb_irregularity") == "scb_only":
        return f"whether the wager is returned; {wrong[0]}"
    limit = table.payout_limit_cents
    with_stake = table.reading("lir.limit_basis") == "with_stake"
    if name in BETS and limit is not None and (name != "bet1" or with_stake):
        return _limited(ctx, seat, (*hand, *others), limit, name, with_stake=with_stake)
    rides = tuple(bet for bet in BETS if bet != name or withdrawn(r, seat, bet) is None) if name in BETS else ()
    chosen = table.paytables["main" if name in BETS else name]
    return _owed(law_day(), hand, others, name, stake, rides, limit, chosen, tuple(table.readings.items()))


def _others(r: Round, name: str) -> tuple[str, ...] | str:
    """The cards that count for a wager with the player's own, or what is missing to tell."""
    if name == "three_card_bonus":
        return ()
    if name == "six_card_bonus":
        return r.group_hand("six_cards", 3) or "the three Six Card Bonus cards (not all were read)"
    return r.board or "the two community cards (not all were read)"


@lru_cache(maxsize=4096)
def _owed(
    _day: datetime.date | None,
    hand: tuple[str, ...],
    others: tuple[str, ...],
    name: str,
    stake: int,
    rides: tuple[str, ...],
    limit: int | None,
    paytable: str,
    items: tuple[tuple[str, str], ...],
) -> WagerResult | str:
    """What a wager is owed by the law of the day that is set, or why that cannot be said; a round asks the same after each of its events."""
    readings = dict(items)
    table = game_paytables(GAME).table("main" if name in BETS else name, paytable)
    try:
        three = parse_cards(hand)
        if name == "three_card_bonus":
            names = three_card_names(rank_three(three, ace_low=readings["three_card.ace_low"] == "true"))
            return _by_line(table, names, names[-1], stake)
        if name == "six_card_bonus":
            six = (*three, *parse_cards(others))
            names = six_card_names(six, rank_best_of_six(six))
            return _by_line(table, names, names[0], stake)
        best = rank_five((*three, *parse_cards(others)))
        if name == "five_card_bonus":
            return _five(table, best, stake, readings)
        return settle_bets(best, Cents(stake), rides, table, None if limit is None else Cents(limit))[name]
    except (SettlementError, HandError, CardError) as error:
        return str(error)


def _by_line(table: Paytable, names: Sequence[str], otherwise: str, stake: int) -> WagerResult:
    """A bonus by the line of its paytable; a hand without one goes by another name."""
    line = table.line(names)
    return settle_by_line(
        Cents(stake), line.pay if line else None, hand=line.hand if line else otherwise, citation=table.citation
    )


def _limited(
    ctx: Context, seat: int, five: Sequence[str], limit: int, name: str, *, with_stake: bool
) -> WagerResult | str:
    """A bet under the payout limit, which the bets before it used up first (643a.12(h))."""
    r = ctx.round
    riding = [bet for bet in BETS if (w := r.wager(seat, bet)) is not None and withdrawn(r, seat, bet) is None]
    stakes = {w.stake_cents for bet in riding if (w := r.wager(seat, bet)) is not None}
    if len(stakes) != 1 or None in stakes:
        return "the amount of every bet, which the payout limit counts together"
    stake = next(iter(stakes)) or 0
    table = game_paytables(GAME).table("main", ctx.table.paytables["main"])
    try:
        best = rank_five(parse_cards(five))
        return settle_bets(best, Cents(stake), riding, table, Cents(limit), with_stake=with_stake)[name]
    except (SettlementError, HandError, CardError) as error:
        return str(error)


def _five(table: Paytable, best: HandRank, stake: int, readings: Mapping[str, str]) -> WagerResult:
    names = five_card_names(best)
    line = table.line(names)
    pay = line.pay if line else None
    if isinstance(pay, Odds):
        pay = replace(pay, basis=Basis(readings["lir.fcb_basis"]))
    result = settle_by_line(Cents(stake), pay, hand=names[0], citation=table.citation)
    if result.outcome is Outcome.WIN and readings["lir.fcb_basis"] == "for":
        return replace(result, owed_cents=Cents(result.return_cents - stake))  # the stake lies there already (LIR-A6)
    return result


def _bets(outcome: Outcome) -> Callable[[Context, int], bool | str]:
    """Whether a seat's hand ends so: a pair of 9s or lower loses, a pair of 10s or better wins (643a.11(f))."""

    def applies(ctx: Context, seat: int) -> bool | str:
        result = settle(ctx, seat, "bet3", 100)
        return result if isinstance(result, str) else result is not None and result.outcome is outcome

    return applies


PAYMENTS = Payments(
    settle=settle,
    wagers=(*BETS, "five_card_bonus", "three_card_bonus", "six_card_bonus"),
    withdrawable=BETS[:2],
)


def _three_names(ctx: Context, seat: int) -> tuple[str, ...] | None:
    hand = ctx.round.hand(seat)
    ace_low = ctx.table.reading("three_card.ace_low") == "true"
    return None if hand is None else three_card_names(rank_three(parse_cards(hand), ace_low=ace_low))


def _five_names(ctx: Context, seat: int) -> tuple[str, ...] | None:
    hand, board = ctx.round.hand(seat), ctx.round.board
    if hand is None or board is None:
        return None
    best = rank_five(parse_cards((*hand, *board)))
    return (best.label, *five_card_names(best))


def _progressive(wager: str, short: str, names: Names, barred: Callable[[MeterShare], bool]) -> progressive.Progressive:
    ends = {"verify": "VERIFY", "light": "LIGHT", "floor": "FLOOR", "pay": "PAY", "cards": "CARDS", "envy_pay": "ENVY",
            "highest": "HIGHEST", "rate": "METER", "turn": "TURN"}  # fmt: skip

    def holds(ctx: Context, seat: int) -> bool | None:
        must = ctx.table.reading("envy.holder_must_wager") == "true"
        return not must or progressive_deal.stake(ctx, wager, seat) is not None

    return progressive.Progressive(
        prefix=PREFIX, wager=wager, names=names, envy_names=names, out=lambda _ctx, _seat: False, holds=holds,
        barred=barred, rows={what: f"{short}-{end}" for what, end in ends.items()},
        beside=lambda: [other for other in PROGRESSIVES if other.wager != wager],
    )  # fmt: skip


PROGRESSIVES = (
    _progressive("progressive3", "3CP", _three_names, lambda share: share.percent == 100),
    _progressive("progressive5", "5CP", _five_names, lambda _share: True),
)
"""643a.11(g)(3), (4), 643a.12(d), (e)."""


def _all_five(ctx: Context, _side: str, seat: int) -> tuple[str, ...] | None:
    """A seat's three cards with the two community cards."""
    hand, board = ctx.round.hand(seat), ctx.round.board
    return None if hand is None or board is None else (*hand, *board)


HAND_BONUS = hand_bonus.HandBonus(
    prefix=PREFIX,
    sides={"player": ("fchb", "fchb_player", "five_card_hand_bonus")},
    names=lambda ctx, _side, seat: _five_names(ctx, seat),
    cards=_all_five,
    beaten=None,
    rows={"verify": "FCHB-VERIFY", "floor": "FCHB-FLOOR", "credit": "FCHB-CREDIT", "cards": "FCHB-CARDS",
          "pay": "FCHB-PAY", "extra": "FCHB-EXTRA", "meter": "FCHB-METER"},
)  # fmt: skip
"""643a.11(g)(5), 643a.12(f)."""


def dealing_checks(table: TableConfig) -> tuple[Check, ...]:
    """The deal: single cards with the community cards between, or stacks with the community's after."""
    m = f"{PREFIX}-{METHODS[table.dealing]}"
    if table.dealing == "automated_shoe":
        return (
            Check(f"{m}-ORDER", stacks_down(order())),
            Check("LIR-AUTO-COMM-LAST", let_it_ride_cards.community_last),
            Check("LIR-AUTO-THIRD", let_it_ride_cards.third_racked),
            Check("LIR-AUTO-SCB-LAST", let_it_ride_cards.six_cards_last),
        )
    return (
        Check(f"{m}-SCB-FIRST", comes("six_cards", before=("seats", "community"))),
        Check(f"{m}-ORDER", order("community")),
        Check(f"{m}-DOWN", face_down_seat, per_seat=True),
        Check(f"{m}-DOWN", let_it_ride_cards.community_down, scope="community"),
        Check(f"{m}-COMM2", let_it_ride_cards.second_right),
    )


def checks(table: TableConfig) -> tuple[Check, ...]:
    """The checks for a table of this game."""
    devices = [(wager, "PROG") for wager in ("progressive3", "progressive5") if table.offers(wager)]
    devices = devices or [("progressive5", "PROG")]
    groups = {**dict.fromkeys(BETS, 0), "five_card_bonus": 1, "three_card_bonus": 2, "six_card_bonus": 3}
    return (
        *house.checks(PREFIX, table, electronic=(*devices, ("five_card_bonus", "FCB"), ("five_card_hand_bonus", "FCHB"))),
        *let_it_ride.checks(),
        *let_it_ride_cards.CHECKS,
        wagers.offered("five_card_bonus", "LIR-FCB-OFFER", after_base=True),
        wagers.offered("three_card_bonus", "LIR-TCB-OFFER", after_base=True),
        wagers.offered("six_card_bonus", "LIR-SCB-OFFER"),
        electronic.offered("LIR-3CP-OFFER", "progressive3", after_base=True),
        electronic.offered("LIR-5CP-OFFER", "progressive5", after_base=True),
        electronic.offered("LIR-FCHB-OFFER", "five_card_hand_bonus", FCHB, after_base=True),
        electronic.locked("LIR-FCBSYS", ("five_card_bonus",)),
        electronic.locked("LIR-PROGSYS-LOCK", ("progressive3", "progressive5")),
        electronic.locked("LIR-EWS-LOCK", FCHB, at_first_card=True),
        *dealing_checks(table),
        Check("LIR-IRR-COUNT", count_seat, per_seat=True),
        Check("LIR-IRR-COUNT", let_it_ride_cards.community_count),
        Check("LIR-CARDS-FINAL", let_it_ride.left_alone, per_seat=True),
        Check("LIR-IRR-EXPOSED", void.goes_on_after(
            ("LIR-C1-WHEN", "LIR-C2-WHEN"), "a community card was exposed early", let_it_ride_cards.SIX_CARDS_WRONG)),
        Check("LIR-SET-ORDER", settle_order.order),
        Check("LIR-SET-REVEAL", settle_order.revealed_by_dealer, per_seat=True),
        PAYMENTS.base_check("LIR-SET-LOSE", BETS, _bets(Outcome.LOSE)),
        PAYMENTS.base_check("LIR-SET-WIN", BETS, _bets(Outcome.WIN)),
        PAYMENTS.wager_check("five_card_bonus", "LIR-SET-FCB"),
        PAYMENTS.wager_check("three_card_bonus", "LIR-SET-TCB"),
        PAYMENTS.wager_check("six_card_bonus", "LIR-SET-SCB"),
        Check("LIR-SET-WSEQ", settle_order.wager_order(
            groups, ("the Let It Ride Wagers", "Five Card Bonus", "Three Card Bonus", "Six Card Bonus"), before_system=1), per_seat=True),
        *(check for wager in PROGRESSIVES for check in progressive.checks(wager)),
        *hand_bonus.checks(HAND_BONUS),
        Check("LIR-END-RACK", settle_order.racked_by_hand),
    )  # fmt: skip


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid."""
    return PAYMENTS.records(ctx)
