"""A deck and its order out of the shoe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards of one deck without joker (58 Pa. Code § 669a.3(a))."""
DECK_WITH_JOKER = (*DECK, "Jo")
"""The 53 cards of DJ Wild (58 Pa. Code § 687a.3(a))."""


def shuffled_deck(rng: np.random.Generator, deck: Sequence[str] = DECK) -> tuple[str, ...]:
    """All cards of a deck in the order in which they leave the shoe."""
    return tuple(deck[i] for i in rng.permutation(len(deck)))


def rank_of(card: str) -> int:
    """Rank as a number, 2..14 with the ace high."""
    return RANKS.index(card[0]) + 2


def suit_of(card: str) -> str:
    """Suit letter, one of c, d, h, s."""
    return card[1]
