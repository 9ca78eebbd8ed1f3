"""How the paytables are typed in: a column of a printed table, row by row from the top."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from second_settlement.hands import Category, ThreeCards


class Share(NamedTuple):
    """A line of a paytable that pays a part of a meter."""

    percent: int
    meter: str = "meter"


class Terms(NamedTuple):
    """A meter's reseed "for 1" of the wager, and its rate of progression in percent."""

    reseed_for_1: int
    percent: int


Line = Category | ThreeCards
Pay = int | Fraction | Share
Table = dict[Line, Pay]
Paytables = dict[str, dict[str, Table]]
"""By wager, then by the name of the paytable."""
MeterTerms = dict[str, dict[str, dict[str, Terms]]]
"""By wager, then by the name of the paytable, then by meter."""
ONLY = "only"
"""The name of a paytable that the chapter gives no choice of."""

FROM_ROYAL_FLUSH = (
    Category.ROYAL_FLUSH,
    Category.STRAIGHT_FLUSH,
    Category.FOUR_OF_A_KIND,
    Category.FULL_HOUSE,
    Category.FLUSH,
    Category.STRAIGHT,
    Category.THREE_OF_A_KIND,
    Category.TWO_PAIR,
    Category.PAIR_OF_TENS_OR_BETTER,
)
"""The rows of a table of five-card hands."""
FROM_STRAIGHT_FLUSH = (
    ThreeCards.STRAIGHT_FLUSH,
    ThreeCards.THREE_OF_A_KIND,
    ThreeCards.STRAIGHT,
    ThreeCards.FLUSH,
    ThreeCards.PAIR,
)
"""The rows of a table of three-card hands."""
FROM_MINI_ROYAL = (ThreeCards.MINI_ROYAL, *FROM_STRAIGHT_FLUSH)
FROM_MINI_ROYAL_OF_SPADES = (ThreeCards.MINI_ROYAL_OF_SPADES, *FROM_MINI_ROYAL)
NAMED_WIDER: dict[Line, Line] = {
    ThreeCards.MINI_ROYAL_OF_SPADES: ThreeCards.MINI_ROYAL,
    ThreeCards.MINI_ROYAL: ThreeCards.STRAIGHT_FLUSH,
}
"""What a hand is to a table that does not name it apart."""


def column(rows: Sequence[Line], *pays: Pay) -> Table:
    """A column from its first row down; the rows below its end are not paid."""
    return dict(zip(rows, pays, strict=False))


def pay_of(table: Table, hand: Line) -> Pay | None:
    """What the table pays on a hand, None where it does not name it."""
    while hand not in table and hand in NAMED_WIDER:
        hand = NAMED_WIDER[hand]
    return table.get(hand)
