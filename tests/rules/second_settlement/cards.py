"""Cards, ranked as § .6(a) of every chapter ranks them: ace high, all suits equal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

RANKS = "23456789TJQKA"
SUITS = "cdhs"
TEN, QUEEN, KING, ACE = 10, 12, 13, 14


class Card(NamedTuple):
    """A card; the joker has no rank of its own."""

    rank: int
    suit: str


JOKER = Card(0, "joker")
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The 52 cards as they are written in a round."""


def read_cards(texts: Iterable[str]) -> list[Card]:
    """Cards from their names, rank and suit (`Th`), the joker `Jo`."""
    return [JOKER if text == "Jo" else Card(RANKS.index(text[0]) + 2, text[1]) for text in texts]
