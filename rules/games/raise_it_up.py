"""Raise It Up Stud Poker (58 Pa. Code Chapter 669a): the checks of a round, in the order in which they are asked."""

from __future__ import annotations

from rules.checks import dealing, deck, play, settling, streets, wagers
from rules.checks.base import Check, Context
from rules.rounds import PayoutRecord
from rules.table import TableConfig

GAME = "raise_it_up"
PREFIX = "RIU"
VOIDING = ("RIU-C1-WHEN", "RIU-C2-WHEN", "RIU-C3-WHEN", "RIU-IRR-EXPOSED", "RIU-IRR-COUNT", "RIU-IRR-SHOEJAM")
"""Breaches after which the chapter voids the round (669a.13(c), (d), (f))."""


def checks(table: TableConfig) -> tuple[Check, ...]:
    """The checks for a table of this game."""
    return (
        *wagers.CHECKS,
        *dealing.checks(PREFIX, table.dealing),
        *deck.checks(PREFIX, table.dealing),
        *streets.CHECKS,
        *play.CHECKS,
        *settling.CHECKS,
    )


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid."""
    return settling.payout_records(ctx)
