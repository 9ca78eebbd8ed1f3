"""One module a game: what the generic engine needs to know of it.

A module `rules/games/<game>.py` has `PREFIX` (of its check ids), `VOIDING` (ids of checks after whose breach the chapter
voids the round), `checks(table)` (in the order in which they are asked) and `payout_records(ctx)` (every wager of a
finished round with what was owed and paid); with a Five Card Hand Bonus also `FCHB` (its names in a system's reports).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from rules.checks.base import Check, Context
from rules.records import PayoutRecord
from rules.table import TableConfig


@dataclass(frozen=True, slots=True)
class GameModule:
    """What the engine knows of a game; see the module."""

    game: str
    prefix: str
    voiding: frozenset[str]
    checks: Callable[[TableConfig], tuple[Check, ...]]
    payout_records: Callable[[Context], tuple[PayoutRecord, ...]]
    hand_bonus: tuple[str, ...] = ()


def game_module(game: str) -> GameModule:
    """The module of a game of `rules.law.GAMES`.

    Raises:
        KeyError: its rounds are not judged yet.
    """
    name = f"rules.games.{game}"
    if not game.isidentifier() or find_spec(name) is None:
        raise KeyError(game)
    module = importlib.import_module(name)
    return GameModule(
        game=game,
        prefix=module.PREFIX,
        voiding=frozenset(module.VOIDING),
        checks=module.checks,
        payout_records=module.payout_records,
        hand_bonus=getattr(module, "FCHB", ()),
    )
