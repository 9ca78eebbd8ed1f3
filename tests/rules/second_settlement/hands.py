"""Hands of five cards (§ 639a.6(b), § 643a.6(b), § 669a.6(b), § 687a.6(c)) and of three (§ 643a.6(c), (d), § 669a.6(c))."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum, IntEnum, auto
from itertools import combinations
from typing import NamedTuple

from second_settlement.cards import ACE, KING, QUEEN, TEN, Card


class Category(IntEnum):
    """Hands of five cards, lowest first; one pair is two categories, since the paytables begin at a pair of tens."""

    HIGH_CARD = auto()
    PAIR_OF_NINES_OR_LOWER = auto()
    PAIR_OF_TENS_OR_BETTER = auto()
    TWO_PAIR = auto()
    THREE_OF_A_KIND = auto()
    STRAIGHT = auto()
    FLUSH = auto()
    FULL_HOUSE = auto()
    FOUR_OF_A_KIND = auto()
    STRAIGHT_FLUSH = auto()
    FIVE_OF_A_KIND = auto()
    """DJ Wild only; § 687a.6(c) leaves it out, the paytables of § 687a.12 have it between these two."""
    ROYAL_FLUSH = auto()
    FIVE_WILDS = auto()
    """DJ Wild only."""


class Hand(NamedTuple):
    """A hand that compares: by category, then by the ranks that decide within it, those held most often first."""

    category: Category
    ranks: tuple[int, ...]


class ThreeCards(Enum):
    """Hands of three cards, highest first. Their order decides nothing: each table says what a hand pays."""

    MINI_ROYAL_OF_SPADES = auto()
    MINI_ROYAL = auto()
    """Ace, king and queen of another suit."""
    STRAIGHT_FLUSH = auto()
    THREE_OF_A_KIND = auto()
    STRAIGHT = auto()
    FLUSH = auto()
    PAIR = auto()
    NOTHING = auto()


RUNS = (*(frozenset(range(top - 4, top + 1)) for top in range(ACE, 5, -1)), frozenset({ACE, 2, 3, 4, 5}))
"""The ranks of every straight, highest first; an ace goes below a 2 only with 3, 4 and 5 (§ .6(a))."""
TOP_OF_RUN = {run: ACE - place for place, run in enumerate(RUNS)}
BY_COUNTS = {
    (5,): Category.FIVE_OF_A_KIND,
    (4, 1): Category.FOUR_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (3, 1, 1): Category.THREE_OF_A_KIND,
    (2, 2, 1): Category.TWO_PAIR,
    (1, 1, 1, 1, 1): Category.HIGH_CARD,
}


def hand_of_ranks(ranks: Sequence[int]) -> Hand:
    """What five ranks are worth by their counts alone, suits and sequence left aside."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    counts, ordered = tuple(count for count, _ in groups), tuple(rank for _, rank in groups)
    if counts == (2, 1, 1, 1):
        is_high = ordered[0] >= TEN
        return Hand(Category.PAIR_OF_TENS_OR_BETTER if is_high else Category.PAIR_OF_NINES_OR_LOWER, ordered)
    return Hand(BY_COUNTS[counts], ordered)


def hand_of_run(top: int, *, is_suited: bool) -> Hand:
    """The straight, straight flush or royal flush that ends at this rank."""
    if not is_suited:
        return Hand(Category.STRAIGHT, (top,))
    return Hand(Category.ROYAL_FLUSH if top == ACE else Category.STRAIGHT_FLUSH, (top,))


def five_card_hand(cards: Sequence[Card]) -> Hand:
    """What five cards are, none of them wild."""
    is_suited = len({card.suit for card in cards}) == 1
    top = TOP_OF_RUN.get(frozenset(card.rank for card in cards))
    if top is not None:
        return hand_of_run(top, is_suited=is_suited)
    hand = hand_of_ranks([card.rank for card in cards])
    return max(hand, Hand(Category.FLUSH, hand.ranks)) if is_suited else hand


def best_five_card_hand(cards: Sequence[Card]) -> Hand:
    """The highest hand of any five of the cards."""
    return max(five_card_hand(five) for five in combinations(cards, 5))


def three_card_hand(cards: Sequence[Card]) -> ThreeCards:
    """What three cards are; ace, 2 and 3 are a straight (§ 643a.6(c)(4), (d)(4), § 669a.6(a))."""
    ranks = sorted(card.rank for card in cards)
    is_suited = len({card.suit for card in cards}) == 1
    is_run = ranks == [2, 3, ACE] or ranks == list(range(ranks[0], ranks[0] + 3))
    if is_suited and ranks == [QUEEN, KING, ACE]:
        return ThreeCards.MINI_ROYAL_OF_SPADES if cards[0].suit == "s" else ThreeCards.MINI_ROYAL
    if is_suited and is_run:
        return ThreeCards.STRAIGHT_FLUSH
    if is_run:
        return ThreeCards.STRAIGHT
    if is_suited:
        return ThreeCards.FLUSH
    return {1: ThreeCards.THREE_OF_A_KIND, 2: ThreeCards.PAIR, 3: ThreeCards.NOTHING}[len(set(ranks))]
