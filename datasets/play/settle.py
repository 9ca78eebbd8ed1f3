"""What the simulated dealer owes: hands ranked and wagers settled, apart from `rules` on purpose.

The truth of a simulated round must not come from the code that is judged with it, so hands are ranked here a second
time; only the odds are read from the cited data of `rules`.

Source: 58 Pa. Code §§ 669a.6(a)-(c), 669a.11(f), (g), (i), 669a.12(a)-(d), (f).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

from datasets.play.deal import rank_of, suit_of
from rules.money import Odds
from rules.paytables import game_paytables

ORDER_FIVE = (
    "nothing", "pair of 10s or better", "two pair", "three-of-a-kind", "straight", "flush", "full house",
    "four-of-a-kind", "straight flush", "royal flush",
)  # fmt: skip
"""Best-of-six hands as the paytables name them, lowest first; `nothing` is everything below a pair of tens."""
ORDER_THREE = ("nothing", "pair", "flush", "straight", "three-of-a-kind", "straight flush")
"""Three-card hands, lowest first; a straight outranks a flush (669a.6(c))."""
WAGERS = ("pair_plus", "ante", "play", "blind", "six_card_bonus")
"""Wagers in the order in which a seat is settled (669a.11(i))."""


@cache
def odds(wager: str, column: str) -> Mapping[str, Fraction]:
    """Winnings for one cent staked by hand, of a paytable ("A" where there is but one); a push is 0.

    Raises:
        PaytableError: the chapter has no such paytable.
    """
    lines = game_paytables("raise_it_up").table(wager, column).lines
    return {
        line.hand: Fraction(line.pay.numerator, line.pay.denominator) if isinstance(line.pay, Odds) else Fraction(0)
        for line in lines
    }


def three_card_hand(cards: Sequence[str]) -> str:
    """Name of a three-card hand in `ORDER_THREE`; ace, two, three counts as a straight."""
    ranks = sorted(rank_of(card) for card in cards)
    flush = len({suit_of(card) for card in cards}) == 1
    straight = ranks in ([2, 3, 14], [ranks[0], ranks[0] + 1, ranks[0] + 2])
    if straight and flush:
        return "straight flush"
    most = max(Counter(ranks).values())
    if most == 3:
        return "three-of-a-kind"
    if straight:
        return "straight"
    if flush:
        return "flush"
    return "pair" if most == 2 else "nothing"


def _five_card_hand(cards: Sequence[str]) -> str:
    ranks = sorted(rank_of(card) for card in cards)
    flush = len({suit_of(card) for card in cards}) == 1
    straight = ranks in ([2, 3, 4, 5, 14], list(range(ranks[0], ranks[0] + 5)))
    counts = Counter(ranks)
    shape = sorted(counts.values(), reverse=True)
    if straight and flush:
        return "royal flush" if ranks[0] == 10 else "straight flush"
    if shape[0] == 4:
        return "four-of-a-kind"
    if shape[:2] == [3, 2]:
        return "full house"
    if flush:
        return "flush"
    if straight:
        return "straight"
    if shape[0] == 3:
        return "three-of-a-kind"
    if shape[:2] == [2, 2]:
        return "two pair"
    pair = max((rank for rank, count in counts.items() if count == 2), default=0)
    return "pair of 10s or better" if pair >= 10 else "nothing"


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
    (ante,) = odds("ante", "A").values()
    tables: dict[str, tuple[Mapping[str, Fraction], str]] = {
        "pair_plus": (odds("pair_plus", paytables.get("pair_plus", "A")), three),
        "ante": (dict.fromkeys(ORDER_FIVE[1:], ante), best),
        "play": (odds("play", "A"), best),
        "blind": (odds("blind", "A"), best),
        "six_card_bonus": (odds("six_card_bonus", paytables.get("six_card_bonus", "B")), best),
    }
    out: dict[str, int | None] = {}
    for wager in WAGERS:
        if wager in wagers:
            table, hand = tables[wager]
            rate = table.get(hand)
            out[wager] = None if rate is None else int(rate * wagers[wager])
    return out
