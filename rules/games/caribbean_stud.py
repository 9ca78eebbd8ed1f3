"""Caribbean Stud Poker (58 Pa. Code Chapter 639a): the checks of a round, in the order in which they are asked."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from functools import lru_cache

from rules.cards import CardError, parse_cards
from rules.catalogue import METHODS
from rules.checks import (
    caribbean,
    electronic,
    hand_bonus,
    house,
    progressive,
    progressive_deal,
    settle_order,
    void,
    wagers,
)
from rules.checks.base import Check, Context
from rules.checks.caribbean import DECISION
from rules.checks.dealing import count_seat, dealer_count
from rules.checks.dealt_sides import face_down_seat
from rules.checks.irregular import stacks_down
from rules.checks.payment import NOMINAL_CENTS, Payments
from rules.checks.sequence import order
from rules.dated import law_day
from rules.hands import HandError, rank_five
from rules.money import Cents
from rules.paytables import Paytable, five_card_names, game_paytables
from rules.records import PayoutRecord
from rules.settlement.caribbean_stud import settle_qualified, settle_unqualified
from rules.settlement.results import Outcome, SettlementError, WagerResult, settle_by_line
from rules.table import TableConfig

GAME = "caribbean_stud"
PREFIX = "CAR"
VOIDING = ("CAR-REVEAL-WHEN", "CAR-IRR-EXPOSED", "CAR-IRR-COUNT", "CAR-IRR-SHOEJAM", "CAR-IRR-FACEUP-2")
"""Breaches after which the chapter voids the round (639a.13(a), (c), (d), (f))."""
UNREAD = "the {}'s five cards (not all were read)"
FCHB = ("fchb_player", "fchb_dealer", "five_card_hand_bonus")
"""Names of the Five Card Hand Bonus in the electronic system's reports."""


def settle(ctx: Context, seat: int, name: str, stake: int) -> WagerResult | str | None:
    """What Ante, Bet and Caribbean Stud Bonus are owed (639a.11(c)(3), (4))."""
    if name == "bonus":
        return _bonus(ctx, seat, stake)
    results = _base(ctx, seat, stake)
    if isinstance(results, str):
        return results
    return (DECISION.disputed(ctx.round, seat) if name == "bet" else "") or results[name]


def _bonus(ctx: Context, seat: int, stake: int) -> WagerResult | str:
    """The Caribbean Stud Bonus by the player's hand alone, or what is missing to tell."""
    hand = ctx.round.hand(seat)
    if hand is None:
        return UNREAD.format("player")
    try:
        table = game_paytables(GAME).table("bonus", ctx.table.paytables["bonus"])
        names = five_card_names(rank_five(parse_cards(hand)))
        line = table.line(names)
        return settle_by_line(Cents(stake), line.pay if line else None, hand=names[0], citation=table.citation)
    except (SettlementError, HandError, CardError) as error:
        return str(error)


def _base(ctx: Context, seat: int, stake: int) -> Mapping[str, WagerResult] | str:
    """Ante and Bet against the dealer's hand, or what is missing to tell."""
    r = ctx.round
    hand, dealer = r.hand(seat), r.group_hand("dealer", ctx.table.law.dealer_cards)
    if dealer is None:
        return UNREAD.format("player" if hand is None else "dealer")
    if r.folded(seat) is None:
        return "whether the seat made a Bet Wager or folded"
    return _owed(law_day(), hand, dealer, stake, ctx.table.readings["car.tie_break"])


@lru_cache(maxsize=4096)
def _owed(
    _day: datetime.date | None, hand: tuple[str, ...] | None, dealer: tuple[str, ...], stake: int, tie_break: str
) -> Mapping[str, WagerResult] | str:
    """What Ante and Bet are owed by the law of the day that is set, or why that cannot be said; a round asks the same after each of its events."""
    try:
        theirs = rank_five(parse_cards(dealer))
        whatever_he_has = settle_unqualified(theirs, Cents(stake), Cents(stake), _tables())
        if whatever_he_has is not None:
            return whatever_he_has
        if hand is None:
            return UNREAD.format("player")
        ours = rank_five(parse_cards(hand))
        return settle_qualified(ours, theirs, Cents(stake), Cents(stake), _tables(), tie_break)
    except (SettlementError, HandError, CardError) as error:
        return str(error)


def _tables() -> Mapping[str, Paytable]:
    return {name: game_paytables(GAME).table(name, "A") for name in ("ante", "bet")}


def _ends(outcome: Outcome) -> Callable[[Context, int], bool | str]:
    """Whether a seat's hand against the dealer's ends so; the Bet Wager tells all four ends apart."""

    def applies(ctx: Context, seat: int) -> bool | str:
        if ctx.round.folded(seat) is True:
            return False
        results = _base(ctx, seat, NOMINAL_CENTS)
        return results if isinstance(results, str) else results["bet"].outcome is outcome

    return applies


PAYMENTS = Payments(
    settle=settle,
    wagers=("ante", "bet", "bonus"),
    forfeited=("ante", "bet", "bonus"),
)


def _names(ctx: Context, seat: int) -> tuple[str, ...] | None:
    hand = ctx.round.hand(seat)
    if hand is None:
        return None
    best = rank_five(parse_cards(hand))
    return (best.label, *five_card_names(best))


def _holds(ctx: Context, seat: int) -> bool | None:
    """Whether a hand can earn the others an envy bonus: a fold's cards are in the rack (639a.11(c), CAR-A6)."""
    must = ctx.table.reading("envy.holder_must_wager") == "true"
    if must and progressive_deal.stake(ctx, "progressive", seat) is None:
        return False
    folded = ctx.round.folded(seat)
    return None if folded is None else not folded


PROGRESSIVE = progressive.Progressive(
    prefix=PREFIX,
    wager="progressive",
    names=_names,
    envy_names=_names,
    out=lambda ctx, seat: ctx.round.folded(seat),
    holds=_holds,
    barred=lambda _share: True,
    rows={**progressive.ROWS, "purse": "SET-PROG-PCT", "highest": "PROG-HIGHEST"},
)
"""639a.11(c)(5), 639a.12(d)."""


def _hand(ctx: Context, side: str, seat: int) -> tuple[str, ...] | None:
    """The five cards of a seat, or of the dealer."""
    r = ctx.round
    return r.group_hand("dealer", ctx.table.law.dealer_cards) if side == hand_bonus.DEALER else r.hand(seat)


def _hand_names(ctx: Context, side: str, seat: int) -> tuple[str, ...] | None:
    cards = _hand(ctx, side, seat)
    if cards is None:
        return None
    best = rank_five(parse_cards(cards))
    return (best.label, *five_card_names(best))


def _beaten(ctx: Context, seat: int) -> bool | None:
    """Whether a seat folded or the dealer's hand outranks its own."""
    if ctx.round.folded(seat) is True:
        return True
    ours, theirs = _hand(ctx, "player", seat), _hand(ctx, hand_bonus.DEALER, seat)
    if ours is None or theirs is None:
        return None
    return rank_five(parse_cards(theirs)).score > rank_five(parse_cards(ours)).score


HAND_BONUS = hand_bonus.HandBonus(
    prefix=PREFIX,
    sides={"player": ("fchb_player", "five_card_hand_bonus"), hand_bonus.DEALER: ("fchb_dealer",)},
    names=_hand_names,
    cards=_hand,
    beaten=_beaten,
    rows={
        "verify": "SET-FCHB-VERIFY", "floor": "FCHB-FLOOR", "credit": "FCHB-CREDIT", "cards": "FCHB-CARDS",
        "independent": "FCHB-INDEP", "pay": "FCHB-PAY", "both": "FCHB-BOTH", "split": "FCHB-SPLIT", "extra": "FCHB-EXTRA",
        "meter": "FCHB-METER",
    },
)  # fmt: skip
"""639a.11(c)(6), 639a.12(e)."""


def checks(table: TableConfig) -> tuple[Check, ...]:
    """The checks for a table of this game."""
    m = f"{PREFIX}-{METHODS[table.dealing]}"
    base = ("ante", "bet")
    return (
        *house.checks(PREFIX, table, electronic=(("progressive", "PROG"), ("five_card_hand_bonus", "FCHB"))),
        Check("CAR-ANTE-REQ", caribbean.ante_first, per_seat=True),
        Check("CAR-WAG-LOCK", caribbean.wagers_kept, per_seat=True),
        wagers.kept_undealt(PREFIX),
        wagers.offered("bonus", "CAR-CSB-OFFER", after_base=True),
        progressive_deal.after_base("CAR-PROG-AFTER"),
        electronic.offered("CAR-PROG-OFFER", "progressive"),
        electronic.offered("CAR-FCHB-OFFER", "five_card_hand_bonus", FCHB, after_base=True),
        electronic.locked("CAR-PROGSYS-LOCK", ("progressive",)),
        electronic.locked("CAR-EWS-LOCK", FCHB, at_first_card=True),
        Check(f"{m}-ORDER", stacks_down(order("dealer"))),
        *(() if table.dealing == "automated_shoe" else (Check(f"{m}-DOWN", face_down_seat, per_seat=True),)),
        *caribbean.dealing_checks(table.dealing),
        Check("CAR-IRR-COUNT", count_seat, per_seat=True),
        Check("CAR-IRR-COUNT", dealer_count),
                *DECISION.checks("BET-AMT", "BET-TURN"),
        Check("CAR-FOLD-FORFEIT", caribbean.fold_forfeits, per_seat=True),
        Check("CAR-CARDS-FINAL", DECISION.left_alone, per_seat=True),
        Check("CAR-IRR-EXPOSED", void.goes_on_after(("CAR-REVEAL-WHEN",), "a hole card was exposed early")),
        Check("CAR-SET-ORDER", settle_order.order),
        Check("CAR-SET-REVEAL", settle_order.revealed_by_dealer, per_seat=True),
        PAYMENTS.base_check("CAR-SET-NQ", base, _ends(Outcome.RETURNED)),
        PAYMENTS.base_check("CAR-SET-LOSE", base, _ends(Outcome.LOSE)),
        PAYMENTS.base_check("CAR-SET-WIN", base, _ends(Outcome.WIN)),
        PAYMENTS.base_check("CAR-SET-TIE", base, _ends(Outcome.PUSH)),
        PAYMENTS.wager_check("bonus", "CAR-SET-CSB"),
        Check("CAR-SET-WSEQ", settle_order.wager_order(
            {"ante": 0, "bet": 0, "bonus": 1}, ("Ante and Bet", "Caribbean Stud Bonus"), before_system=2), per_seat=True),
        *progressive.checks(PROGRESSIVE),
        *hand_bonus.checks(HAND_BONUS),
        Check("CAR-END-RACK", settle_order.racked_by_hand),
    )  # fmt: skip


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid."""
    return PAYMENTS.records(ctx)
