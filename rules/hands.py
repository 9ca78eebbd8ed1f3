"""Poker hands: three cards, five cards, the best five of six, and five cards with deuces and joker wild.

A hand becomes a `HandRank`: a category and a score. Between hands of the same kind a higher score is the better hand
and equal scores are an exact tie, suits being equal. Scores come from tables keyed by the multiset of ranks, built once,
so that all hands of a deck can be enumerated in seconds.

Source: 58 Pa. Code § 669a.6 (three cards, five cards), § 643a.6 (three and six cards), § 639a.6 (comparison within a
category), § 687a.6 (wild cards). The three-card list puts the straight above the flush, the five-card list the flush
above the straight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement

from rules.cards import ACE, JACK, KING, QUEEN, SUIT_SHIFT, TEN, Card, format_cards, rank_words


class HandError(ValueError):
    """The wrong number of cards, or a joker in a game without wild cards."""


class FiveCard(IntEnum):
    """Five-card hands, worst first; the two highest but one exist only with wild cards.

    Source: 58 Pa. Code § 669a.6(b); § 687a.6(b), with five-of-a-kind between royal and straight flush, where the
    paytables of § 687a.12(b) and (d) have it.
    """

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    FIVE_OF_A_KIND = 9
    ROYAL_FLUSH = 10
    FIVE_WILDS = 11

    @property
    def label(self) -> str:
        """The name used in paytables and results, e.g. "three-of-a-kind"."""
        return _label(self.name)


class ThreeCard(IntEnum):
    """Three-card hands, worst first: the straight beats the flush. Source: 58 Pa. Code § 669a.6(c)."""

    HIGH_CARD = 0
    PAIR = 1
    FLUSH = 2
    STRAIGHT = 3
    THREE_OF_A_KIND = 4
    STRAIGHT_FLUSH = 5

    @property
    def label(self) -> str:
        """The name used in paytables and results, e.g. "three-of-a-kind"."""
        return _label(self.name)


def _label(name: str) -> str:
    return name.lower().replace("_", "-" if "_OF_" in name else " ")


_CATEGORY_SHIFT = 20
"""Below the category five ranks of four bits each, the most significant for the comparison first."""


@dataclass(frozen=True, slots=True)
class HandRank:
    """What a five-card hand is worth.

    Attributes:
        category: its place in the list of hands.
        score: category and ranks in one number; higher is better, equal is an exact tie.
    """

    category: FiveCard
    score: int

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks (2..14) in the order in which hands of the category are compared, e.g. pair, then kickers."""
        return tuple(rank for shift in (16, 12, 8, 4, 0) if (rank := self.score >> shift & 15))

    @property
    def place(self) -> int:
        """The category's place: higher is better, also under a reading that changes places (`rank_five_wild`)."""
        return self.score >> _CATEGORY_SHIFT

    @property
    def label(self) -> str:
        """The category's name."""
        return self.category.label

    @property
    def words(self) -> str:
        """The hand as spoken, with the rank that matters below two pair: "pair of nines", "queen high", "flush"."""
        if self.category is FiveCard.PAIR:
            return f"pair of {rank_words(self.ranks[0], plural=True)}"
        return f"{rank_words(self.ranks[0])} high" if self.category is FiveCard.HIGH_CARD else self.label

    @property
    def is_pair_of_tens_or_better(self) -> bool:
        """Whether it is a pair of 10s or better (58 Pa. Code §§ 669a.11(i)(2), 643a.11(g)(1))."""
        if self.category is FiveCard.PAIR:
            return self.ranks[0] >= TEN
        return self.category > FiveCard.PAIR


_RANK_MASK = (1 << SUIT_SHIFT) - 1
_RANK_CODE: dict[int, int] = {rank: 5 ** (rank - 2) for rank in range(2, ACE + 1)}
_FIVE_SUITED = frozenset(5 << (3 * place) for place in range(4))
_THREE_SUITED = frozenset(3 << (3 * place) for place in range(4))


def card_code(card: Card) -> int:
    """A number for enumerations: the sum over a hand's cards is what `five_card_score` takes."""
    return card.code


def _pack(category: FiveCard, ranks: Sequence[int]) -> int:
    padded = (*ranks, 0, 0, 0, 0, 0)[:5]
    score = int(category)
    for rank in padded:
        score = score << 4 | rank
    return score


def _straight_top(ranks: Sequence[int], length: int, *, ace_low: bool = True) -> int:
    """The highest rank of the straight that `ranks` (descending, distinct) are, an ace counted low as 1; else 0."""
    if ranks[0] - ranks[-1] == length - 1:
        return ranks[0]
    if ace_low and ranks[0] == ACE and tuple(ranks[1:]) == tuple(range(length, 1, -1)):
        return length
    return 0


_BY_COUNTS = {
    (5,): FiveCard.FIVE_OF_A_KIND,
    (4, 1): FiveCard.FOUR_OF_A_KIND,
    (3, 2): FiveCard.FULL_HOUSE,
    (3, 1, 1): FiveCard.THREE_OF_A_KIND,
    (2, 2, 1): FiveCard.TWO_PAIR,
    (2, 1, 1, 1): FiveCard.PAIR,
}


def _score_ranks(ranks: Sequence[int], *, suited: bool) -> int:
    """Score five ranks from first principles; the tables are filled with this."""
    counts = {rank: list(ranks).count(rank) for rank in ranks}
    ordered = sorted(counts, key=lambda rank: (-counts[rank], -rank))
    if len(ordered) < 5:
        return _pack(_BY_COUNTS[tuple(counts[rank] for rank in ordered)], ordered)
    top = _straight_top(ordered, 5)
    if top:
        if not suited:
            return _pack(FiveCard.STRAIGHT, (top,))
        return _pack(FiveCard.ROYAL_FLUSH if top == ACE else FiveCard.STRAIGHT_FLUSH, (top,))
    return _pack(FiveCard.FLUSH if suited else FiveCard.HIGH_CARD, ordered)


def _rank_key(ranks: Iterable[int]) -> int:
    return sum(_RANK_CODE[rank] for rank in ranks)


_ALL_RANKS = range(2, ACE + 1)
_PLAIN = {
    _rank_key(ranks): _score_ranks(ranks, suited=False)
    for ranks in combinations_with_replacement(_ALL_RANKS, 5)
    if ranks[0] != ranks[-1]
}
_SUITED = {_rank_key(ranks): _score_ranks(ranks, suited=True) for ranks in combinations(_ALL_RANKS, 5)}


def five_card_score(code: int) -> int:
    """The score of five cards of one deck, given the sum of their `card_code`s."""
    return (_SUITED if code >> SUIT_SHIFT in _FIVE_SUITED else _PLAIN)[code & _RANK_MASK]


def six_card_code_score(code: int, cards: Sequence[Card]) -> int:
    """The score of the best five of six cards, given the sum of their `card_code`s; the cards count only for a flush."""
    suits = code >> SUIT_SHIFT
    if suits & (suits << 1 | suits << 2) & 0o4444:
        return six_card_score(cards)
    return _six_plain()[code & _RANK_MASK]


@cache
def _six_plain() -> dict[int, int]:
    """Best five of six ranks where no five of them are of one suit."""
    table: dict[int, int] = {}
    for ranks in combinations_with_replacement(_ALL_RANKS, 6):
        if max(map(ranks.count, ranks)) <= 4:
            table[_rank_key(ranks)] = max(_PLAIN[_rank_key(five)] for five in combinations(ranks, 5))
    return table


@cache
def _six_suited() -> dict[int, int]:
    """Best flush of the five or six ranks of one suit."""
    six = {
        _rank_key(ranks): max(_SUITED[_rank_key(five)] for five in combinations(ranks, 5))
        for ranks in combinations(_ALL_RANKS, 6)
    }
    return {**_SUITED, **six}


def six_card_score(cards: Sequence[Card]) -> int:
    """The score of the best five of six cards.

    Five of one suit among six leave room for at most a pair beside them, so the flush in that suit is the best hand.
    """
    code = sum(map(card_code, cards))
    suits = code >> SUIT_SHIFT
    for place, suit in enumerate("cdhs"):
        if suits >> (3 * place) & 7 >= 5:
            return _six_suited()[sum(_RANK_CODE[card.rank] for card in cards if card.suit == suit)]
    return _six_plain()[code & _RANK_MASK]


def _verify(cards: Sequence[Card], count: int, *, joker: bool = False) -> None:
    if len(cards) != count:
        raise HandError(f"expected {count} cards, got {len(cards)}: {' '.join(map(str, cards))}")
    if not joker and any(card.is_joker for card in cards):
        raise HandError(f"a joker among {' '.join(map(str, cards))}: this hand is of a deck of 52 cards")


@cache
def _rank(score: int) -> HandRank:
    return HandRank(FiveCard(score >> _CATEGORY_SHIFT), score)


_PLAIN_RANKS = {key: _rank(score) for key, score in _PLAIN.items()}
_SUITED_RANKS = {key: _rank(score) for key, score in _SUITED.items()}


def rank_five(cards: Sequence[Card]) -> HandRank:
    """Rank five cards of a deck without wild cards.

    Raises:
        HandError: if they are not five, or one is the joker.
    """
    try:
        a, b, c, d, e = cards
        code = a.code + b.code + c.code + d.code + e.code
        return (_SUITED_RANKS if code >> SUIT_SHIFT in _FIVE_SUITED else _PLAIN_RANKS)[code & _RANK_MASK]
    except (KeyError, ValueError):
        _verify(cards, 5)
    raise HandError(f"{format_cards(cards)}: one deck has each card once")


def rank_best_of_six(cards: Sequence[Card]) -> HandRank:
    """Rank the best five of six cards, e.g. a player's three and the three community cards (669a.11(i)(2)).

    Raises:
        HandError: if they are not six, or one is the joker.
    """
    _verify(cards, 6)
    return _rank(six_card_score(cards))


def is_wild(card: Card) -> bool:
    """Whether the card is wild in DJ Wild: the joker and every 2 (58 Pa. Code § 687a.6(b))."""
    return card.is_joker or card.rank == 2


FIVE_OF_A_KIND_RANKS = ("below_royal", "above_royal", "below_straight_flush", "as_four")
"""Where five-of-a-kind stands, which 687a.6(c) does not say (DJW-A3); the first is taken by default."""
_PLACES: dict[str, dict[FiveCard, FiveCard]] = {
    "above_royal": {FiveCard.FIVE_OF_A_KIND: FiveCard.ROYAL_FLUSH, FiveCard.ROYAL_FLUSH: FiveCard.FIVE_OF_A_KIND},
    "below_straight_flush": {
        FiveCard.FIVE_OF_A_KIND: FiveCard.STRAIGHT_FLUSH,
        FiveCard.STRAIGHT_FLUSH: FiveCard.FIVE_OF_A_KIND,
    },
}
"""Categories that change places against the order of `FiveCard`, each way."""


def rank_five_wild(cards: Sequence[Card], *, five_of_a_kind: str = "below_royal", duplicates: bool = False) -> HandRank:
    """Rank five cards of DJ Wild, every 2 and the joker standing for the card that makes the best hand.

    A wild card may stand for any rank and suit, a 2 for itself too, but not for a card already in the hand except in a
    five-of-a-kind. Five wild cards are a hand of their own, the highest.

    Args:
        cards: the five cards.
        five_of_a_kind: where five-of-a-kind stands, one of `FIVE_OF_A_KIND_RANKS`; scores compare only under one of them.
        duplicates: whether a wild card may repeat a card of a flush (DJW-A1).

    Raises:
        HandError: if they are not five.
    """
    _verify(cards, 5, joker=True)
    natural = [card for card in cards if not is_wild(card)]
    suited = len({card.suit for card in natural}) <= 1
    score = _wild_score(tuple(sorted(card.rank for card in natural)), suited, five_of_a_kind, duplicates)
    category = FiveCard(score >> _CATEGORY_SHIFT)
    return HandRank(_PLACES.get(five_of_a_kind, {}).get(category, category), score)


@cache
def _wild_score(natural: tuple[int, ...], suited: bool, five_of_a_kind: str, duplicates: bool) -> int:
    if not natural:
        return _pack(FiveCard.FIVE_WILDS, ())
    best = 0
    for filled in combinations_with_replacement(_ALL_RANKS, 5 - len(natural)):
        ranks = natural + filled
        score = _score_ranks(ranks, suited=suited and len(set(ranks)) == 5)
        if duplicates and suited and score >> _CATEGORY_SHIFT < FiveCard.FLUSH:
            score = _pack(FiveCard.FLUSH, sorted(ranks, reverse=True))
        best = max(best, _placed(score, five_of_a_kind))
    return best


def _placed(score: int, five_of_a_kind: str) -> int:
    """A score with its category where the reading has it."""
    category, ranks = FiveCard(score >> _CATEGORY_SHIFT), score & ((1 << _CATEGORY_SHIFT) - 1)
    if five_of_a_kind == "as_four" and category is FiveCard.FIVE_OF_A_KIND:
        rank = ranks >> 16
        return _pack(FiveCard.FOUR_OF_A_KIND, (rank, rank))
    return _PLACES.get(five_of_a_kind, {}).get(category, category) << _CATEGORY_SHIFT | ranks


@dataclass(frozen=True, slots=True)
class ThreeCardRank:
    """What a three-card hand is worth.

    Attributes:
        category: its place in the list of three-card hands.
        ranks: its ranks (2..14) in the order of comparison; (3,) for a straight of ace, 2 and 3.
        suit: the one suit of the three cards, "" if they are of more.
    """

    category: ThreeCard
    ranks: tuple[int, ...]
    suit: str

    @property
    def label(self) -> str:
        """The category's name."""
        return self.category.label

    @property
    def is_mini_royal(self) -> bool:
        """Whether it is ace, king and queen of one suit (58 Pa. Code §§ 669a.12(e)(1), 643a.6(c)(1))."""
        return self.category is ThreeCard.STRAIGHT_FLUSH and self.ranks[0] == ACE


def rank_three(cards: Sequence[Card], *, ace_low: bool = True) -> ThreeCardRank:
    """Rank three cards.

    Args:
        cards: the player's three cards.
        ace_low: whether ace, 2 and 3 are a straight. 669a.6(a) names only the five-card case, 643a.6(c)(4) names this
            one; the default reading counts it in both chapters (RIU-A5, `three_card.ace_low`).

    Raises:
        HandError: if they are not three, or one is the joker.
    """
    _verify(cards, 3)
    code = sum(map(card_code, cards))
    suited = code >> SUIT_SHIFT in _THREE_SUITED
    category, ranks = _three_table(ace_low)[code & _RANK_MASK, suited]
    return ThreeCardRank(category, ranks, cards[0].suit if suited else "")


@cache
def _three_table(ace_low: bool) -> dict[tuple[int, bool], tuple[ThreeCard, tuple[int, ...]]]:
    table: dict[tuple[int, bool], tuple[ThreeCard, tuple[int, ...]]] = {}
    for ranks in combinations_with_replacement(_ALL_RANKS, 3):
        for suited in (False, True) if len(set(ranks)) == 3 else (False,):
            table[_rank_key(ranks), suited] = _three_category(ranks, suited=suited, ace_low=ace_low)
    return table


def _three_category(ranks: Sequence[int], *, suited: bool, ace_low: bool) -> tuple[ThreeCard, tuple[int, ...]]:
    counts = {rank: list(ranks).count(rank) for rank in ranks}
    ordered = tuple(sorted(counts, key=lambda rank: (-counts[rank], -rank)))
    if len(ordered) == 1:
        return ThreeCard.THREE_OF_A_KIND, ordered
    if len(ordered) == 2:
        return ThreeCard.PAIR, ordered
    top = _straight_top(ordered, 3, ace_low=ace_low)
    if top:
        return ThreeCard.STRAIGHT_FLUSH if suited else ThreeCard.STRAIGHT, (top,)
    return ThreeCard.FLUSH if suited else ThreeCard.HIGH_CARD, ordered


def is_ace_king_or_better(hand: HandRank) -> bool:
    """Whether the dealer of Caribbean Stud qualifies: a pair or better, or ace and king (58 Pa. Code § 639a.11(c))."""
    return hand.category > FiveCard.HIGH_CARD or hand.ranks[:2] == (ACE, KING)


def is_six_card_royal(cards: Sequence[Card]) -> bool:
    """Whether six cards are a six-card royal flush: ace to 9 of one suit (58 Pa. Code § 643a.6(e))."""
    wanted = {ACE, KING, QUEEN, JACK, TEN, 9}
    return len({card.suit for card in cards}) == 1 and {card.rank for card in cards} == wanted
