"""Raise It Up Stud Poker (58 Pa. Code Chapter 669a): the checks of a round, in the order in which they are asked."""

from __future__ import annotations

from rules.checks import dealing, deck, play, settling, streets, wagers
from rules.checks.base import Check
from rules.checks.settling import payout_records
from rules.table import TableConfig

__all__ = ["GAME", "PREFIX", "checks", "payout_records"]

GAME = "raise_it_up"
PREFIX = "RIU"


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
