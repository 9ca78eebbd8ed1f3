"""How many five-card hands avoid the cards of another hand and rank below it, counted without dealing them.

The number of hands that avoid five cards P is the sum over the subsets T of P of (-1)^|T| times the hands that contain T.
Those are counted once for every T up to exchange of suits: 13 cards, 169 pairs, 1,755 threes and 16,432 fours of a deck of
52. So a hand is met with all 1,533,939 hands of a dealer in 31 look-ups.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain, combinations
from math import comb

from rules.cards import DECK_52, DECK_53, SUITS, Card
from rules.hands import card_code, five_card_score, is_wild, rank_five_wild

WILD = 1 << 60
"""What a wild card adds to a code."""
Key = tuple[int, ...]


class Deck:
    """A deck as numbers.

    Args:
        cards: every card once; their places are the numbers used below.
        codes: a number for each card; the sum over five cards is what `score` takes.
        score: the rank of a hand, a higher number for a better one.
    """

    def __init__(self, cards: Sequence[Card], codes: Sequence[int], score: Callable[[int], int]) -> None:
        self.cards = tuple(cards)
        self.codes = tuple(codes)
        self.score = score
        self._bits = [(SUITS.index(c.suit), 1 << c.rank) if c.suit else (4, 1) for c in self.cards]

    def key(self, places: Iterable[int]) -> Key:
        """The same for all sets of cards that differ only by an exchange of suits."""
        masks = [0, 0, 0, 0, 0]
        for place in places:
            suit, bit = self._bits[place]
            masks[suit] |= bit
        joker = masks.pop()
        masks.sort()
        return (*masks, joker)

    def classes(self, count: int) -> dict[Key, tuple[int, tuple[int, ...]]]:
        """Sets of cards up to exchange of suits: how many each stands for, and one of them."""
        found: dict[Key, tuple[int, tuple[int, ...]]] = {}
        for places in combinations(range(len(self.cards)), count):
            key = self.key(places)
            known = found.get(key)
            found[key] = (1, places) if known is None else (known[0] + 1, known[1])
        return found


def plain_deck() -> Deck:
    """52 cards, ranked as poker hands."""
    return Deck(DECK_52, [card_code(card) for card in DECK_52], five_card_score)


def wild_deck() -> Deck:
    """53 cards of DJ Wild, the joker and every 2 wild (58 Pa. Code § 687a.6(b))."""
    codes = [WILD if is_wild(card) else card_code(card) for card in DECK_53]
    suits = {code: card for code, card in zip(codes, DECK_53, strict=True) if code != WILD}
    wilds = [card for card in DECK_53 if is_wild(card)]
    known: dict[int, int] = {}
    for count in range(6):
        for held in combinations(suits, count):
            code = sum(held) + WILD * (5 - count)
            if code not in known:
                known[code] = rank_five_wild([*(suits[c] for c in held), *wilds[: 5 - count]]).score
    return Deck(DECK_53, codes, known.__getitem__)


class Disjoint:
    """Counts of hands of a deck that avoid given cards, by rank.

    Attributes:
        scores: every rank a hand can have, ascending; below, a rank is named by its place here.
    """

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.scores: tuple[int, ...] = ()
        self._place: dict[int, int] = {}
        self._sorted: dict[int, list[int]] = {}
        self._summed: dict[int, list[int]] = {}
        self._build()

    def rank(self, places: Sequence[int]) -> int:
        """The rank of five cards as a place in `scores`."""
        codes = self.deck.codes
        return self._place[self.deck.score(sum(codes[place] for place in places))]

    def counts(self, avoided: Sequence[int], limits: Sequence[int], having: Sequence[int] = ()) -> list[int]:
        """Hands that avoid some cards and hold others, ranked below each of the limits.

        Args:
            avoided: places of the cards avoided, ascending, at most five.
            limits: places in `scores`; len(scores) counts all hands.
            having: places of cards that the hands hold.
        """
        subsets = [(0, 0, 0)]
        codes = self.deck.codes
        for place in avoided:
            bit, code = 1 << place, codes[place]
            subsets += [(mask | bit, total + code, size + 1) for mask, total, size in subsets]
        mask_held, code_held, held = sum(1 << place for place in having), sum(codes[p] for p in having), len(having)
        totals = [0] * len(limits)
        for mask, total, size in subsets:
            cards = size + held
            if cards < 3:
                summed = self._summed[mask | mask_held]
                values = [summed[limit] for limit in limits]
            elif cards < 5:
                listed = self._sorted[mask | mask_held]
                values = [bisect_left(listed, limit) for limit in limits]
            elif cards == 5:
                own = self._place[self.deck.score(total + code_held)]
                values = [own < limit for limit in limits]
            else:
                continue
            for i, value in enumerate(values):
                totals[i] += -value if size & 1 else value
        return totals

    def _build(self) -> None:
        deck, codes = self.deck, self.deck.codes
        everything = range(len(codes))
        pairs: dict[Key, Counter[int]] = {}
        for key, (_, held) in deck.classes(2).items():
            base, rest = sum(codes[i] for i in held), [codes[i] for i in everything if i not in held]
            pairs[key] = Counter(map(deck.score, (base + a + b + c for a, b, c in combinations(rest, 3))))
        self.scores = tuple(sorted(set(chain.from_iterable(pairs.values()))))
        self._place = {score: i for i, score in enumerate(self.scores)}
        singles: dict[Key, list[int]] = {}
        summed = {key: self._sum_up(counts, 1) for key, counts in pairs.items()}
        for i in everything:
            key = deck.key((i,))
            if key not in singles:
                counts: Counter[int] = Counter()
                for j in everything:
                    if j != i:
                        counts.update(pairs[deck.key((i, j))])
                singles[key] = self._sum_up(counts, 4)
        for i in everything:
            self._summed[_number((i,))] = singles[deck.key((i,))]
        for held in combinations(everything, 2):
            self._summed[_number(held)] = summed[deck.key(held)]
        every = [sum(column) for column in zip(*(self._summed[_number((i,))] for i in everything), strict=True)]
        self._summed[_number(())] = [count // 5 for count in every]
        self._list(3)
        self._list(4)

    def _sum_up(self, counts: Counter[int], times: int) -> list[int]:
        return [0, *accumulate(counts[score] // times for score in self.scores)]

    def _list(self, count: int) -> None:
        """For every set of three or four cards the ranks of all hands that hold it, ascending."""
        deck, codes = self.deck, self.deck.codes
        known: dict[Key, list[int]] = {}
        for held in combinations(range(len(codes)), count):
            key = deck.key(held)
            if key not in known:
                base, rest = sum(codes[i] for i in held), [c for i, c in enumerate(codes) if i not in held]
                totals = (base + sum(more) for more in combinations(rest, 5 - count))
                known[key] = sorted(self._place[deck.score(total)] for total in totals)
            self._sorted[_number(held)] = known[key]


def _number(held: Iterable[int]) -> int:
    return sum(1 << place for place in held)


@cache
def plain() -> Disjoint:
    """The counts of the deck of 52."""
    return Disjoint(plain_deck())


@cache
def wild() -> Disjoint:
    """The counts of the deck of 53 of DJ Wild."""
    return Disjoint(wild_deck())


def hands(counted: Disjoint) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Every hand up to exchange of suits: how many it stands for, its cards and its rank."""
    for count, places in counted.deck.classes(5).values():
        yield count, places, counted.rank(places)


def others(counted: Disjoint, having: int = 0) -> int:
    """Hands of a dealer that avoid a player's five cards and hold some others."""
    return comb(len(counted.deck.cards) - 5 - having, 5 - having)
