"""What the simulated dealer owes: hands ranked and wagers settled, apart from `rules` on purpose.

The truth of a simulated round must not come from the code that is judged with it, so hands are ranked here a second
time; only the odds are read from the cited data of `rules`.

Source: 58 Pa. Code §§ 669a.6(a)-(c), 669a.11(f), (g), (i), 669a.12(a)-(d), (f).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from datasets.play.deal import rank_of, suit_of

ORDER_FIVE = (
    "nothing", "pair_10s_plus", "two_pair", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind",
    "straight_flush", "royal_flush",
)  # fmt: skip
"""Best-of-six hands as the paytables name them, lowest first; `nothing` is everything below a pair of tens."""
ORDER_THREE = ("nothing", "3c_pair", "3c_flush", "3c_straight", "3c_three_of_a_kind", "3c_straight_flush")
"""Three-card hands, lowest first; a straight outranks a flush (669a.6(c))."""

PLAY = dict(zip(ORDER_FIVE[1:], map(Fraction, ("1", "3/2", "3", "4", "5", "6", "10", "20", "100")), strict=True))
BLIND = dict(zip(ORDER_FIVE[1:], map(Fraction, (0, 0, 1, 2, 3, 4, 30, 200, 1000)), strict=True))
PAIR_PLUS = {
    "A": dict(zip(ORDER_THREE[1:], map(Fraction, (1, 4, 6, 30, 40)), strict=True)),
    "B": dict(zip(ORDER_THREE[1:], map(Fraction, (1, 4, 6, 25, 40)), strict=True)),
}
SIX_CARD_BONUS = {
    "A": dict(zip(ORDER_FIVE[3:], map(Fraction, (5, 10, 20, 25, 50, 200, 1000)), strict=True)),
    "B": dict(zip(ORDER_FIVE[3:], map(Fraction, (5, 10, 15, 25, 50, 200, 1000)), strict=True)),
    "C": dict(zip(ORDER_FIVE[3:], map(Fraction, (8, 9, 15, 20, 100, 200, 1000)), strict=True)),
    "D": dict(zip(ORDER_FIVE[3:], map(Fraction, (7, 10, 15, 20, 100, 200, 1000)), strict=True)),
}
WAGERS = ("pair_plus", "ante", "play", "blind", "six_card_bonus")
"""Wagers in the order in which a seat is settled (669a.11(i))."""


def three_card_hand(cards: Sequence[str]) -> str:
    """Name of a three-card hand in `ORDER_THREE`; ace, two, three counts as a straight."""
    ranks = sorted(rank_of(card) for card in cards)
    flush = len({suit_of(card) for card in cards}) == 1
    straight = ranks in ([2, 3, 14], [ranks[0], ranks[0] + 1, ranks[0] + 2])
    if straight and flush:
        return "3c_straight_flush"
    most = max(Counter(ranks).values())
    if most == 3:
        return "3c_three_of_a_kind"
    if straight:
        return "3c_straight"
    if flush:
        return "3c_flush"
    return "3c_pair" if most == 2 else "nothing"


def _five_card_hand(cards: Sequence[str]) -> str:
    ranks = sorted(rank_of(card) for card in cards)
    flush = len({suit_of(card) for card in cards}) == 1
    straight = ranks in ([2, 3, 4, 5, 14], list(range(ranks[0], ranks[0] + 5)))
    counts = Counter(ranks)
    shape = sorted(counts.values(), reverse=True)
    if straight and flush:
        return "royal_flush" if ranks[0] == 10 else "straight_flush"
    if shape[0] == 4:
        return "four_of_a_kind"
    if shape[:2] == [3, 2]:
        return "full_house"
    if flush:
        return "flush"
    if straight:
        return "straight"
    if shape[0] == 3:
        return "three_of_a_kind"
    if shape[:2] == [2, 2]:
        return "two_pair"
    pair = max((rank for rank, count in counts.items() if count == 2), default=0)
    return "pair_10s_plus" if pair >= 10 else "nothing"


def best_of_six(cards: Sequence[str]) -> str:
    """Name in `ORDER_FIVE` of the best five of five or six cards."""
    return max((_five_card_hand(five) for five in combinations(cards, 5)), key=ORDER_FIVE.index)


def winnings(
    wagers: Mapping[str, int], cards: Sequence[str], community: Sequence[str], paytables: Mapping[str, str]
) -> dict[str, int | None]:
    """What each wager of a seat wins.

    Args:
        wagers: stake in cents by wager, only those still standing.
        cards: the player's three cards.
        community: the three community cards.
        paytables: chosen paytable of `pair_plus` and `six_card_bonus`.

    Returns:
        Winnings in cents by wager, in the order of settling: 0 is a push, None a loss.
    """
    best = best_of_six((*cards, *community))
    three = three_card_hand(cards)
    tables: dict[str, tuple[Mapping[str, Fraction], str]] = {
        "pair_plus": (PAIR_PLUS[paytables.get("pair_plus", "A")], three),
        "ante": (dict.fromkeys(ORDER_FIVE[1:], Fraction(1)), best),
        "play": (PLAY, best),
        "blind": (BLIND, best),
        "six_card_bonus": (SIX_CARD_BONUS[paytables.get("six_card_bonus", "B")], best),
    }
    out: dict[str, int | None] = {}
    for wager in WAGERS:
        if wager in wagers:
            table, hand = tables[wager]
            odds = table.get(hand)
            out[wager] = None if odds is None else int(odds * wagers[wager])
    return out
