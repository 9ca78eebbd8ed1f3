"""Raise It Up Stud Poker (58 Pa. Code Chapter 669a): the checks of a round, in the order in which they are asked."""

from __future__ import annotations

from rules.cards import parse_cards
from rules.catalogue import catalogue
from rules.checks import (
    conduct,
    dealing,
    deck,
    electronic,
    irregular,
    opening,
    play,
    progressive,
    progressive_deal,
    settling,
    shuffle,
    streets,
    two_decks,
    wagers,
)
from rules.checks.base import Check, Context
from rules.records import PayoutRecord
from rules.settlement.raise_it_up import payout_names, progressive_names
from rules.table import TableConfig

GAME = "raise_it_up"
PREFIX = "RIU"
VOIDING = (
    "RIU-C1-WHEN", "RIU-C2-WHEN", "RIU-C3-WHEN", "RIU-IRR-EXPOSED", "RIU-IRR-COUNT", "RIU-IRR-SHOEJAM", "RIU-IRR-FACEUP-2",
)  # fmt: skip
"""Breaches after which the chapter voids the round (669a.13(a), (c), (d), (f))."""


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


def checks(table: TableConfig) -> tuple[Check, ...]:
    """The checks for a table of this game."""
    known = catalogue(GAME)
    every = (
        *opening.checks(PREFIX),
        *shuffle.checks(PREFIX, table.dealing),
        *two_decks.checks(PREFIX),
        Check(f"{PREFIX}-ANTE-REQ", wagers.base_placed, per_seat=True),
        Check(f"{PREFIX}-BLIND-EQ", wagers.blind_equals_ante, per_seat=True),
        Check(f"{PREFIX}-WAG-LOCK", wagers.locked_wagers_kept, per_seat=True),
        wagers.offered("pair_plus", f"{PREFIX}-PP-OPT"),
        wagers.offered("six_card_bonus", f"{PREFIX}-SCB-OFFER"),
        electronic.offered(f"{PREFIX}-PROG-OFFER", "progressive"),
        electronic.locked(f"{PREFIX}-PROGSYS-LOCK", ("progressive",)),
        progressive_deal.after_base(f"{PREFIX}-PROG-AFTER"),
        *progressive_deal.checks(PREFIX, table.dealing),
        *dealing.checks(PREFIX, table.dealing),
        *irregular.checks(PREFIX),
        *deck.checks(PREFIX, table.dealing),
        *conduct.checks(PREFIX, table.dealing),
        conduct.one_position(PREFIX),
        conduct.silence(PREFIX),
        *streets.CHECKS,
        *play.CHECKS,
        *settling.CHECKS,
        *progressive.checks(PROGRESSIVE),
    )
    return tuple(check for check in every if check.check_id in known)


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid."""
    return settling.payout_records(ctx)
