"""One module a game: what the generic engine needs to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from rules.checks.base import Check, Context
from rules.law import GAMES
from rules.rounds import PayoutRecord
from rules.table import TableConfig


@dataclass(frozen=True, slots=True)
class Game:
    """A game as its module says it.

    Attributes:
        name: one of `rules.law.GAMES`.
        prefix: with which the names of its checks begin, e.g. "RIU".
        checks: the checks for a table, in the order in which they are asked.
        payout_records: every wager of a finished round with what was owed and paid.
    """

    name: str
    prefix: str
    checks: Callable[[TableConfig], Sequence[Check]]
    payout_records: Callable[[Context], Sequence[PayoutRecord]]


@cache
def games() -> Mapping[str, Game]:
    """Every game by its name: each is one module of this package named after it."""
    modules = {name: import_module(f"rules.games.{name}") for name in GAMES if find_spec(f"rules.games.{name}")}
    return {name: Game(name, m.PREFIX, m.checks, m.payout_records) for name, m in modules.items()}
