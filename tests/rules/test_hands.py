"""Hands against the definitions of 58 Pa. Code § 669a.6, § 643a.6 and § 687a.6, and counted over whole decks."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.cards import DECK_52, DECK_53, Card, parse_cards
from rules.hands import (
    FiveCard,
    HandError,
    ThreeCard,
    card_code,
    five_card_score,
    is_ace_king_or_better,
    is_six_card_royal,
    is_wild,
    rank_best_of_six,
    rank_five,
    rank_five_wild,
    rank_three,
)

hands_of_five_wild = st.lists(st.sampled_from(DECK_53), min_size=5, max_size=5, unique=True)
hands_of_six = st.lists(st.sampled_from(DECK_52), min_size=6, max_size=6, unique=True)


@pytest.mark.parametrize(
    ("cards", "label"),
    [
        ("As Ks Qs Js Ts", "royal flush"),
        ("Ks Qs Js Ts 9s", "straight flush"),
        ("5h 4h 3h 2h Ah", "straight flush"),
        ("9c 9d 9h 9s 2c", "four-of-a-kind"),
        ("9c 9d 9h 2s 2c", "full house"),
        ("Ac Kc Qc Jc 9c", "flush"),
        ("As Ks Qs Js Th", "straight"),
        ("5h 4h 3h 2h As", "straight"),
        ("Qs Ks As 2s 3h", "high card"),  # 669a.6(a): no sequence around the corner
        ("9c 9d 9h 3s 2c", "three-of-a-kind"),
        ("9c 9d 3h 3s 2c", "two pair"),
        ("9c 9d 4h 3s 2c", "pair"),
        ("Ac Kd Qh Js 9c", "high card"),
    ],
)
def test_five_cards_are_named(cards: str, label: str) -> None:
    assert rank_five(parse_cards(cards)).label == label


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("Kc Kd 4h 3s 2c", "Qc Qd Ah Ks Jc"),  # the pair before the kickers
        ("Kc Kd Ah 3s 2c", "Kh Ks Qh Js Tc"),  # then the highest kicker
        ("Kc Kd Ah 3s 4c", "Kh Ks Ad 3c 2h"),  # then the last
        ("6c 5d 4h 3s 2c", "5h 4c 3d 2d As"),  # the ace is low in 5-4-3-2-A
        ("3c 3d 3h 2s 2c", "2d 2h 2s Ac Ah"),  # the three of a full house before the pair
        ("Ac Jc 4c 3c 2c", "Ah Th 9h 8h 7h"),
        ("Ac Ad 2h 2s 3c", "Kc Kd Qh Qs Ac"),
    ],
)
def test_within_a_category_the_ranks_decide(higher: str, lower: str) -> None:
    assert rank_five(parse_cards(higher)).score > rank_five(parse_cards(lower)).score


def test_suits_are_equal() -> None:
    assert rank_five(parse_cards("Ac Kd Qh Js 9c")) == rank_five(parse_cards("As Kh Qd Jc 9d"))


@pytest.mark.parametrize(
    ("cards", "yes"), [("9c 9d Ah Ks Qc", False), ("Tc Td 4h 3s 2c", True), ("3c 3d 2h 2s 4c", True)]
)
def test_pair_of_tens_or_better_at_nines_tens_and_low_two_pair(cards: str, yes: bool) -> None:
    assert rank_five(parse_cards(cards)).is_pair_of_tens_or_better is yes


@pytest.mark.parametrize(
    ("cards", "yes"), [("Ac Kd 4h 3s 2c", True), ("Ac Qd Jh Ts 9c", False), ("2c 2d 3h 4s 5c", True)]
)
def test_ace_king_or_better_at_its_edge(cards: str, yes: bool) -> None:
    assert is_ace_king_or_better(rank_five(parse_cards(cards))) is yes


@pytest.mark.parametrize(
    ("cards", "label"),
    [
        ("As Ks Qs", "straight flush"),
        ("3h 2h Ah", "straight flush"),
        ("7c 7d 7h", "three-of-a-kind"),
        ("9c Td Jh", "straight"),
        ("Ac 2d 3h", "straight"),
        ("Kc Ad 2h", "high card"),
        ("9c 2c Jc", "flush"),
        ("9c 9d Jh", "pair"),
        ("9c 8d Jh", "high card"),
    ],
)
def test_three_cards_are_named(cards: str, label: str) -> None:
    assert rank_three(parse_cards(cards)).label == label


def test_among_three_cards_the_straight_beats_the_flush() -> None:
    assert rank_three(parse_cards("4c 3d 2h")).category > rank_three(parse_cards("Ac Kc Jc")).category
    assert rank_five(parse_cards("6c 5d 4h 3s 2c")).category < rank_five(parse_cards("7c 5c 4c 3c 2c")).category


def test_the_other_reading_of_ace_two_three() -> None:
    assert rank_three(parse_cards("Ac 2d 3h"), ace_low=False).category is ThreeCard.HIGH_CARD
    assert rank_three(parse_cards("Ac 2c 3c"), ace_low=False).category is ThreeCard.FLUSH
    assert rank_three(parse_cards("4d 2d 3d"), ace_low=False).category is ThreeCard.STRAIGHT_FLUSH


@pytest.mark.parametrize(("cards", "yes"), [("Ad Kd Qd", True), ("Kd Qd Jd", False), ("Ad Kd Qs", False)])
def test_mini_royal(cards: str, yes: bool) -> None:
    assert rank_three(parse_cards(cards)).is_mini_royal is yes


@pytest.mark.parametrize(
    ("cards", "yes"), [("Ad Kd Qd Jd Td 9d", True), ("Ad Kd Qd Jd Td 8d", False), ("Ad Kd Qd Jd Td 9h", False)]
)
def test_six_card_royal(cards: str, yes: bool) -> None:
    assert is_six_card_royal(parse_cards(cards)) is yes
    assert rank_best_of_six(parse_cards(cards)).category is FiveCard.ROYAL_FLUSH


@pytest.mark.parametrize(
    ("cards", "label"),
    [
        ("2c 2d 2h 2s Jo", "five wilds"),
        ("2c 2d 2h 2s Th", "royal flush"),
        ("2c 2d 2h 2s 9h", "five-of-a-kind"),
        ("9c 9d 9h 9s 2c", "five-of-a-kind"),
        ("Ah Kh Qh 2c Jo", "royal flush"),
        ("Ah Kh Qd 2c Jo", "straight"),  # three-of-a-kind is lower
        ("9h 8h 6h 2c Jo", "straight flush"),
        ("Ac 3c 4c 5c 2d", "straight flush"),
        ("9c 9d 9h 4s Jo", "four-of-a-kind"),
        ("9c 9d 4h 4s Jo", "full house"),
        ("9c Jc 4c 3c Jo", "flush"),
        ("9c Jd 4h 2s Jo", "three-of-a-kind"),
        ("9c Jd 4h 3s Jo", "pair"),
        ("9c Jd 4h 3s Ks", "high card"),
    ],
)
def test_hands_with_deuces_and_joker_wild_are_named(cards: str, label: str) -> None:
    assert rank_five_wild(parse_cards(cards)).label == label


def test_a_wild_flush_takes_the_highest_missing_rank() -> None:
    assert rank_five_wild(parse_cards("Kc Jc 9c 4c 2d")).ranks == (14, 13, 11, 9, 4)
    assert rank_five_wild(parse_cards("Ac Jc 9c 4c 2d")).ranks == (14, 13, 11, 9, 4)


def test_five_of_a_kind_lies_between_royal_and_straight_flush() -> None:
    royal = rank_five_wild(parse_cards("Ah Kh Qh Jh Th"))
    fives = rank_five_wild(parse_cards("9c 9d 9h 9s 2c"))
    straight = rank_five_wild(parse_cards("Kc Qc Jc Tc 9c"))
    assert royal.score > fives.score > straight.score


@pytest.mark.parametrize(
    ("reading", "order"),
    [
        ("below_royal", ["royal flush", "five-of-a-kind", "straight flush", "four-of-a-kind"]),
        ("above_royal", ["five-of-a-kind", "royal flush", "straight flush", "four-of-a-kind"]),
        ("below_straight_flush", ["royal flush", "straight flush", "five-of-a-kind", "four-of-a-kind"]),
        ("as_four", ["royal flush", "straight flush", "four-of-a-kind", "four-of-a-kind"]),
    ],
)
def test_five_of_a_kind_stands_where_the_reading_has_it(reading: str, order: list[str]) -> None:
    hands = ["Ah Kh Qh Jh Th", "9c 9d 9h 9s 2c", "Kc Qc Jc Tc 9c", "8c 8d 8h 8s Kc"]
    ranks = [rank_five_wild(parse_cards(hand), five_of_a_kind=reading) for hand in hands]
    ranks.sort(key=lambda rank: -rank.score)
    assert [rank.label for rank in ranks] == order
    assert [rank.place for rank in ranks] == sorted((rank.place for rank in ranks), reverse=True)


def test_four_wild_cards_take_the_best_hand_of_the_reading() -> None:
    hand = parse_cards("Ac 2c 2d 2h 2s")
    assert rank_five_wild(hand).label == "royal flush"
    assert rank_five_wild(hand, five_of_a_kind="above_royal").label == "five-of-a-kind"
    assert (
        rank_five_wild(parse_cards("9c 2c 2d 2h 2s"), five_of_a_kind="below_straight_flush").label == "straight flush"
    )


def test_a_wild_card_repeats_a_card_of_a_flush_only_where_the_reading_lets_it() -> None:
    with_ace, without = parse_cards("Ac Jc 9c 4c 2d"), parse_cards("Kc Jc 9c 4c 2d")
    assert rank_five_wild(with_ace, duplicates=True).ranks == (14, 14, 11, 9, 4)
    assert rank_five_wild(without, duplicates=True) == rank_five_wild(without)
    assert rank_five_wild(parse_cards("Ac Jd 9c 4c 2d"), duplicates=True).label == "pair"


@pytest.mark.parametrize(
    ("rank", "cards"),
    [(rank_three, "Ac Kc"), (rank_five, "Ac Kc Qc Jc"), (rank_best_of_six, "Ac Kc Qc Jc 9c"), (rank_five_wild, "Ac")],
)
def test_a_wrong_number_of_cards_is_refused(rank: object, cards: str) -> None:
    with pytest.raises(HandError, match="expected"):
        rank(parse_cards(cards))  # type: ignore[operator]


def test_a_joker_is_refused_where_nothing_is_wild() -> None:
    with pytest.raises(HandError, match="joker"):
        rank_five(parse_cards("Ac Kc Qc Jc Jo"))


@settings(deadline=None)
@given(st.permutations(DECK_52))
def test_the_order_of_the_cards_does_not_matter(deck: list[Card]) -> None:
    for count, rank in ((3, rank_three), (5, rank_five), (6, rank_best_of_six), (5, rank_five_wild)):
        assert rank(deck[:count]) == rank(sorted(deck[:count]))


@settings(deadline=None)
@given(hands_of_six)
def test_the_best_of_six_is_the_best_of_its_six_fives(cards: list[Card]) -> None:
    assert rank_best_of_six(cards) == max((rank_five(five) for five in combinations(cards, 5)), key=lambda r: r.score)


def test_the_best_of_six_suited_cards_is_the_best_of_its_six_fives() -> None:
    for cards in combinations([card for card in DECK_52 if card.suit == "h"], 6):
        assert rank_best_of_six(cards).score == max(rank_five(five).score for five in combinations(cards, 5))


@settings(deadline=None)
@given(hands_of_five_wild)
def test_wild_cards_never_lower_a_hand(cards: list[Card]) -> None:
    if not any(card.is_joker for card in cards):
        assert rank_five_wild(cards).score >= rank_five(cards).score


def _by_trying(cards: list[Card]) -> int:
    """The best hand with one to three wild cards, by putting every card of the deck in their places."""
    natural = [card for card in cards if not is_wild(card)]
    free = [card for card in DECK_52 if card not in natural]
    best = max(rank_five([*natural, *filled]).score for filled in combinations(free, 5 - len(natural)))
    if len({card.rank for card in natural}) == 1:
        fives = FiveCard.FIVE_OF_A_KIND << 20 | natural[0].rank << 16
        best = max(best, fives)
    return best


def test_wild_hands_match_trying_every_card() -> None:
    rng = random.Random(687)
    wild, plain = [c for c in DECK_53 if is_wild(c)], [c for c in DECK_53 if not is_wild(c)]
    for wilds, times in ((1, 150), (2, 40), (3, 4)):
        for _ in range(times):
            cards = rng.sample(wild, wilds) + rng.sample(plain, 5 - wilds)
            assert rank_five_wild(cards).score == _by_trying(cards), cards


# Counts from combinatorics, C(n, k) written c(n, k):
THREE_CARD_COUNTS = {
    ThreeCard.STRAIGHT_FLUSH: 48,  # 12 sequences, A-2-3 among them, x 4 suits
    ThreeCard.THREE_OF_A_KIND: 52,  # 13 x c(4, 3)
    ThreeCard.STRAIGHT: 720,  # 12 x (4^3 - 4)
    ThreeCard.FLUSH: 1096,  # 4 x (c(13, 3) - 12)
    ThreeCard.PAIR: 3744,  # 13 x c(4, 2) x 48
    ThreeCard.HIGH_CARD: 16440,  # the rest of c(52, 3) = 22,100
}
FIVE_CARD_COUNTS = {
    FiveCard.ROYAL_FLUSH: 4,
    FiveCard.STRAIGHT_FLUSH: 36,  # 9 x 4
    FiveCard.FOUR_OF_A_KIND: 624,  # 13 x 48
    FiveCard.FULL_HOUSE: 3744,  # 13 x 4 x 12 x 6
    FiveCard.FLUSH: 5108,  # 4 x (c(13, 5) - 10)
    FiveCard.STRAIGHT: 10200,  # 10 x (4^5 - 4)
    FiveCard.THREE_OF_A_KIND: 54912,  # 13 x 4 x c(12, 2) x 4^2
    FiveCard.TWO_PAIR: 123552,  # c(13, 2) x 6^2 x 44
    FiveCard.PAIR: 1098240,  # 13 x 6 x c(12, 3) x 4^3
    FiveCard.HIGH_CARD: 1302540,  # (c(13, 5) - 10) x (4^5 - 4), c(52, 5) = 2,598,960 in all
}


def test_all_three_card_hands() -> None:
    counts = Counter(rank_three(cards).category for cards in combinations(DECK_52, 3))
    assert counts == THREE_CARD_COUNTS
    assert sum(counts.values()) == 22_100


def test_all_five_card_hands() -> None:
    codes = [card_code(card) for card in DECK_52]
    counts = Counter(map(five_card_score, map(sum, combinations(codes, 5))))
    by_category: Counter[FiveCard] = Counter()
    for score, count in counts.items():
        by_category[FiveCard(score >> 20)] += count
    assert by_category == FIVE_CARD_COUNTS
    assert sum(counts.values()) == 2_598_960
    assert len(counts) == 7462  # classes of equal rank: the known number of different five-card hands


@pytest.mark.slow
def test_all_six_card_hands() -> None:
    """Best five of six over c(52, 6) = 20,358,520, against counts published for the best hand of six cards."""
    counts = Counter(rank_best_of_six(cards).category for cards in combinations(DECK_52, 6))
    assert sum(counts.values()) == 20_358_520
    assert counts == {
        FiveCard.ROYAL_FLUSH: 188,  # 4 x 47
        FiveCard.STRAIGHT_FLUSH: 1656,  # 36 x 46: any sixth card but the next higher one of the suit
        FiveCard.FOUR_OF_A_KIND: 14664,  # 13 x c(48, 2)
        FiveCard.FULL_HOUSE: 165984,
        FiveCard.FLUSH: 205792,
        FiveCard.STRAIGHT: 361620,
        FiveCard.THREE_OF_A_KIND: 732160,
        FiveCard.TWO_PAIR: 2532816,
        FiveCard.PAIR: 9730740,
        FiveCard.HIGH_CARD: 6612900,
    }


@pytest.mark.slow
def test_all_wild_hands() -> None:
    """All c(53, 5) = 2,869,685 hands of DJ Wild."""
    counts = Counter(rank_five_wild(cards).category for cards in combinations(DECK_53, 5))
    assert sum(counts.values()) == 2_869_685
    assert counts[FiveCard.FIVE_WILDS] == 1
    # n cards of one rank and 5 - n wild: 12 x (c(4,4) x 5 + c(4,3) x 10 + c(4,2) x 10 + c(4,1) x 5), less the
    # single ten to ace with four wild cards, a royal flush: 5 x 4 x 5
    assert counts[FiveCard.FIVE_OF_A_KIND] == 12 * (5 + 40 + 60 + 20) - 100
    # for each suit 5 - w of its five cards ten to ace and w of the five wild cards, w of 0 to 4
    assert counts[FiveCard.ROYAL_FLUSH] == 4 * (1 + 5 * 5 + 10 * 10 + 10 * 10 + 5 * 5)
