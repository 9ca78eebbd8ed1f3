"""Hands of DJ Wild, where the four 2s and the joker are wild (§ 687a.6(b), (c))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

from second_settlement.cards import ACE, JOKER, Card
from second_settlement.hands import RUNS, TOP_OF_RUN, Category, Hand, five_card_hand, hand_of_ranks, hand_of_run


def is_wild(card: Card) -> bool:
    """§ 687a.6(b)."""
    return card == JOKER or card.rank == 2


def wild_hand(cards: Sequence[Card]) -> Hand:
    """The best hand that five cards can be, the wild ones standing for what serves best."""
    fixed = [card for card in cards if not is_wild(card)]
    if not fixed:
        return Hand(Category.FIVE_WILDS, ())
    if len(fixed) == len(cards):
        return five_card_hand(fixed)
    return max(_hands_within_reach(fixed, len(cards) - len(fixed)))


def _hands_within_reach(fixed: Sequence[Card], wilds: int) -> Iterator[Hand]:
    """Every hand worth a thought: more of the ranks held, each straight that holds them, the highest flush.

    A wild card beside other cards always makes a pair at least, so it never stands for a rank that is not held, but in a
    straight or a flush. In a flush it is no card that lies there already.
    """
    ranks = [card.rank for card in fixed]
    is_suited = len({card.suit for card in fixed}) == 1
    for added in combinations_with_replacement(sorted(set(ranks)), wilds):
        yield hand_of_ranks([*ranks, *added])
    if len(set(ranks)) == len(ranks):
        for run in RUNS:
            if run.issuperset(ranks):
                yield hand_of_run(TOP_OF_RUN[run], is_suited=is_suited)
    if is_suited:
        highest = [rank for rank in range(ACE, 1, -1) if rank not in ranks][:wilds]
        yield Hand(Category.FLUSH, tuple(sorted([*ranks, *highest], reverse=True)))
