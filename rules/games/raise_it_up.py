"""Raise It Up Stud Poker (58 Pa. Code Chapter 669a): the checks of a round, in the order in which they are asked."""

from __future__ import annotations

import datetime
from functools import lru_cache

from rules.cards import CardError, parse_cards
from rules.catalogue import METHODS, catalogue
from rules.checks import (
    conduct,
    dealing,
    dealt_sides,
    deck,
    electronic,
    irregular,
    opening,
    play,
    progressive,
    progressive_deal,
    settle_order,
    shuffle,
    streets,
    two_decks,
    wagers,
)
from rules.checks.base import Check, Context
from rules.checks.payment import NOMINAL_CENTS, Payments
from rules.dated import law_day
from rules.hands import HandError
from rules.records import PayoutRecord
from rules.settlement.raise_it_up import payout_names, progressive_names, settle_seat
from rules.settlement.results import Outcome, SettlementError, WagerResult
from rules.table import TableConfig

GAME = "raise_it_up"
PREFIX = "RIU"
VOIDING = (
    "RIU-C1-WHEN", "RIU-C2-WHEN", "RIU-C3-WHEN", "RIU-IRR-EXPOSED", "RIU-IRR-COUNT", "RIU-IRR-SHOEJAM", "RIU-IRR-FACEUP-2",
)  # fmt: skip
"""Breaches after which the chapter voids the round (669a.13(a), (c), (d), (f))."""


BASE = ("ante", "play", "blind")
Items = tuple[tuple[str, str], ...]


def settle(ctx: Context, seat: int, name: str, stake: int) -> WagerResult | str | None:
    """What Pair Plus, Ante, Play, Blind and Six Card Bonus are owed (669a.11(i), 669a.12)."""
    hand, board, folded = ctx.round.hand(seat), ctx.round.board, ctx.round.folded(seat)
    if hand is None or board is None:
        which = "the player's three cards" if hand is None else "the three community cards"
        return f"{which} (not all were read)"
    if name in BASE and folded is None:
        return "whether the seat made a Play Wager or folded"
    chosen = tuple(ctx.table.paytables.items()), tuple(ctx.table.readings.items())
    return _owed(law_day(), hand, board, name, stake, bool(folded), *chosen)


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
) -> WagerResult | str:
    """What a wager is owed by the law of the day that is set, or why that cannot be said; a round asks the same after each of its events."""
    wagers, tables = {name: cents}, dict(paytables)
    try:
        cards, community = parse_cards(hand), parse_cards(board)
        return settle_seat(cards, community, wagers, folded=folded, paytables=tables, readings=dict(readings))[name]
    except (SettlementError, HandError, CardError) as error:
        return str(error)


def _loses(ctx: Context, seat: int) -> bool | str:
    """Whether the hand of a seat that did not fold is below a pair of 10s: Ante, Play and Blind are lost together (669a.11(i)(2)(i))."""
    if ctx.round.folded(seat) is True:
        return False
    result = settle(ctx, seat, "play", NOMINAL_CENTS)
    return result if isinstance(result, str) else result is not None and result.outcome is Outcome.LOSE


PAYMENTS = Payments(
    settle=settle,
    wagers=("pair_plus", *BASE, "six_card_bonus"),
    forfeited=BASE,
)


def _names(ctx: Context, seat: int) -> tuple[str, ...] | None:
    hand, board = ctx.round.hand(seat), ctx.round.board
    if hand is None:
        return None
    if board is None:
        if ctx.table.reading("riu.progressive_cards") == "6":
            return None
        return progressive_names(parse_cards(hand), ctx.table.readings)
    return payout_names(parse_cards(hand), parse_cards(board), ctx.table.readings)


def _envy_names(ctx: Context, seat: int) -> tuple[str, ...] | None:
    hand = ctx.round.hand(seat)
    return None if hand is None else progressive_names(parse_cards(hand), ctx.table.readings)


def _holds(ctx: Context, seat: int) -> bool | None:
    """Whether a hand can earn the others an envy bonus: it was played, or lies there folded for a bonus (669a.11(f))."""
    folded = ctx.round.folded(seat)
    progressive_wager = progressive_deal.stake(ctx, "progressive", seat) is not None
    if ctx.table.reading("envy.holder_must_wager") == "true" and not progressive_wager:
        return False
    if folded is None:
        return None
    bonus = progressive_wager or ctx.round.wager(seat, "six_card_bonus") is not None
    return not folded or (bonus and ctx.table.reading("envy.folded_holder") == "true")


PROGRESSIVE = progressive.Progressive(
    prefix=PREFIX,
    wager="progressive",
    names=_names,
    envy_names=_envy_names,
    out=lambda ctx, seat: ctx.round.folded(seat),
    holds=_holds,
    barred=lambda share: share.percent == 100,
    rows=progressive.ROWS,
)
"""669a.11(i)(3)(i), 669a.12(e)."""


def _settlement() -> tuple[Check, ...]:
    groups = {"pair_plus": 0, **dict.fromkeys(BASE, 1), "progressive": 2, "six_card_bonus": 3}
    words = ("Pair Plus", "Ante, Blind and Play", "Progressive", "Six Card Bonus")
    return (
        Check("RIU-SET-ORDER", settle_order.order),
        Check("RIU-SET-REVEAL", settle_order.revealed_by_dealer, per_seat=True),
        Check("RIU-SET-WSEQ", settle_order.wager_order(groups, words, before_system=2), per_seat=True),
        PAYMENTS.base_check("RIU-SET-BASE-L", BASE, _loses),
        PAYMENTS.wager_check("pair_plus", "RIU-SET-PP"),
        *(PAYMENTS.wager_check(name, f"RIU-SET-{name.upper()}", but=_loses) for name in BASE),
        PAYMENTS.wager_check("six_card_bonus", "RIU-SET-SCB"),
        Check("RIU-END-RACK", settle_order.racked_by_hand),
    )


def _deal(method: str) -> tuple[Check, ...]:
    """The deal by one method."""
    return (
        Check(f"{method}-NMB", dealing.announced),
        Check(f"{method}-ELIGIBLE", dealing.eligible, per_seat=True, skipped=True),
        Check(f"{method}-ORDER", dealing.order),
        Check(f"{method}-DOWN", dealt_sides.face_down_seat, per_seat=True),
        Check(f"{method}-DOWN", streets.dealt_face_down, scope="community"),
        Check(f"{method}-COMM", dealing.community_last),
        Check(f"{PREFIX}-IRR-COUNT", dealing.count_seat, per_seat=True),
        Check(f"{PREFIX}-IRR-COUNT", dealing.count_community, scope="community"),
        Check(f"{method}-STUB-RACK", dealing.stub_racked),
    )


def checks(table: TableConfig) -> tuple[Check, ...]:
    """The checks for a table of this game."""
    known = catalogue(GAME)
    every = (
        *opening.checks(PREFIX),
        *shuffle.checks(PREFIX, table.dealing),
        *two_decks.checks(PREFIX),
        Check(f"{PREFIX}-ANTE-REQ", wagers.base_placed, per_seat=True),
        Check(f"{PREFIX}-BLIND-EQ", wagers.blind_equals_ante, per_seat=True),
        Check(f"{PREFIX}-WAG-LOCK", play.wagers_kept, per_seat=True),
        wagers.kept_undealt(PREFIX),
        wagers.offered("pair_plus", f"{PREFIX}-PP-OPT"),
        wagers.offered("six_card_bonus", f"{PREFIX}-SCB-OFFER"),
        electronic.offered(f"{PREFIX}-PROG-OFFER", "progressive"),
        electronic.locked(f"{PREFIX}-PROGSYS-LOCK", ("progressive",)),
        progressive_deal.after_base(f"{PREFIX}-PROG-AFTER"),
        *progressive_deal.checks(PREFIX, table.dealing),
        *_deal(f"{PREFIX}-{METHODS[table.dealing]}"),
        *irregular.checks(PREFIX),
        *deck.checks(PREFIX, table.dealing),
        *conduct.checks(PREFIX, table.dealing),
        conduct.one_position(PREFIX),
        conduct.silence(PREFIX),
        *streets.CHECKS,
        *play.CHECKS,
        *_settlement(),
        *progressive.checks(PROGRESSIVE),
    )
    return tuple(check for check in every if check.check_id in known)


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid."""
    return PAYMENTS.records(ctx)
