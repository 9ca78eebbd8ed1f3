"""Base games played best, and hands counted against combinatorics."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from math import comb

import pytest

from rules.cards import DECK_52, DECK_53
from rules.disjoint import Disjoint, plain, plain_deck
from rules.hands import FiveCard, card_code, five_card_score, rank_five_wild, rank_three
from rules.odds import five_card_counts, three_card_counts
from rules.odds_play import caribbean_stud, dj_wild, let_it_ride, raise_it_up
from rules.odds_wild import bad_beat_odds, trips_counts, trips_odds

FIVE = {
    "royal flush": 4, "straight flush": 36, "four-of-a-kind": 624, "full house": 3_744, "flush": 5_108,
    "straight": 10_200, "three-of-a-kind": 54_912, "two pair": 123_552, "pair": 1_098_240, "high card": 1_302_540,
}  # fmt: skip
"""Worked out by hand, e.g. a pair: 13 x c(4, 2) x c(12, 3) x 4^3."""


@cache
def counted() -> Disjoint:
    return plain()


def test_let_it_ride_costs_what_is_published() -> None:
    """3.51 % of one bet under the usual paytable."""
    odds = let_it_ride("A")
    assert odds.hands == 22_100
    assert f"{float(100 * odds.edge):.2f}" == "3.51"
    assert let_it_ride("B").edge > odds.edge


def test_five_card_hands_by_class_are_those_of_combinatorics() -> None:
    counts: Counter[str] = Counter()
    for names, number in five_card_counts().items():
        counts[next(c.label for c in FiveCard if c.label in names)] += number
    assert dict(counts) == FIVE
    assert sum(FIVE.values()) == comb(52, 5) == 2_598_960


def test_three_card_hands_are_those_of_combinatorics() -> None:
    counts = Counter(rank_three(cards).label for cards in combinations(DECK_52, 3))
    assert sum(counts.values()) == 22_100 == sum(three_card_counts().values())
    assert counts == {
        "straight flush": 12 * 4, "three-of-a-kind": 13 * 4, "straight": 12 * 60, "flush": (comb(13, 3) - 12) * 4,
        "pair": 13 * 6 * 48, "high card": (comb(13, 3) - 12) * 60,
    }  # fmt: skip


def test_hands_up_to_suits_stand_for_all() -> None:
    deck = plain_deck()
    assert [len(deck.classes(size)) for size in (1, 2, 3)] == [13, 169, 1755]
    assert [sum(count for count, _ in deck.classes(size).values()) for size in (1, 2, 3)] == [52, 1326, 22_100]


@pytest.mark.slow
def test_five_card_hands_one_by_one() -> None:
    codes = [card_code(card) for card in DECK_52]
    counts = Counter(five_card_score(sum(hand)) >> 20 for hand in combinations(codes, 5))
    assert {FiveCard(category).label: number for category, number in counts.items()} == FIVE


@pytest.mark.slow
def test_dj_wild_hands_one_by_one() -> None:
    """Every one of the 2,869,685, against what the naturals left beside each number of wild cards allow."""
    counts: Counter[str] = Counter()
    for hand in combinations(DECK_53, 5):
        counts[rank_five_wild(hand).label] += 1
    assert sum(counts.values()) == comb(53, 5) == 2_869_685
    assert counts["five wilds"] == 1
    # 1 to 4 natural cards of a rank and wild ones beside; with four wild ones, 10s to aces are rather a royal flush
    of_a_rank = comb(4, 4) * 5 + comb(4, 3) * 10 + comb(4, 2) * 10
    assert counts["five-of-a-kind"] == 12 * of_a_rank + 7 * comb(4, 1) * 5 == 1_400
    # natural royal flushes, and with one to four wild cards
    assert counts["royal flush"] == 4 * sum(comb(5, 5 - wild) * comb(5, wild) for wild in range(5)) == 1_004


@pytest.mark.slow
def test_counts_of_disjoint_hands_are_those_one_by_one() -> None:
    disjoint = counted()
    places = (0, 14, 27, 41, 50)
    rest = [i for i in range(52) if i not in places]
    limits = (200, 1500, 4000, len(disjoint.scores))
    ranks = sorted(disjoint.rank(hand) for hand in combinations(rest, 5))
    assert disjoint.counts(places, limits) == [sum(rank < limit for rank in ranks) for limit in limits]
    shown = (rest[7],)
    held = [disjoint.rank(hand) for hand in combinations(rest, 5) if rest[7] in hand]
    assert disjoint.counts(places, limits, shown) == [sum(rank < limit for rank in held) for limit in limits]


@pytest.mark.slow
def test_caribbean_stud_costs_what_is_published() -> None:
    """5.224 % of the Ante with perfect play."""
    odds = caribbean_stud()
    assert odds.hands == 2_598_960
    assert f"{float(100 * odds.edge):.3f}" == "5.224"


@pytest.mark.slow
def test_dj_wild_costs_what_is_published() -> None:
    """About 3.47 % of the Ante."""
    odds = dj_wild()
    assert odds.hands == 2_869_685
    assert f"{float(100 * odds.edge):.2f}" == "3.47"


@pytest.mark.slow
def test_raise_it_up_played_best() -> None:
    """Counted hand by hand: a quarter of the hands are played at once, at three times the Ante."""
    odds = raise_it_up()
    assert odds.hands == 22_100
    assert f"{float(100 * odds.edge):.4f}" == "3.5022"
    assert f"{float(100 * odds.play):.4f}" == "24.5973"


@pytest.mark.slow
def test_trips_of_dj_wild() -> None:
    """All 2,869,685 hands by name, natural or with a wild card, are those of `rank_five_wild`."""
    counts: Counter[str] = Counter()
    for (label, _), number in trips_counts().items():
        counts[label] += number
    assert sum(counts.values()) == comb(53, 5)
    assert (counts["royal flush"], counts["five-of-a-kind"], counts["five wilds"]) == (1_004, 1_400, 1)
    natural = {label: number for (label, column), number in trips_counts().items() if column == "natural"}
    # twelve ranks, and beside them any card but a 2, which would make five of a kind
    assert natural["four-of-a-kind"] == 12 * 44
    assert natural["royal flush"] == 4
    assert f"{float(100 * trips_odds('04').house_edge()):.4f}" == "6.1569"


@pytest.mark.slow
def test_bad_beat_of_dj_wild() -> None:
    odds = bad_beat_odds("01")
    assert odds.total == comb(53, 5) * comb(48, 5)
    # five-of-a-kind is beaten by royal flushes and five wilds only
    assert odds.counts["royal flush"] == 4
    assert f"{float(100 * odds.house_edge()):.4f}" == "56.5440"
    assert bad_beat_odds("01", two_way=True).hit_rate() == 2 * odds.hit_rate()
