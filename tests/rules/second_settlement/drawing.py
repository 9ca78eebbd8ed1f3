"""Cards and amounts that lie at the edges of the law oftener than chance would have them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from second_settlement.cards import DECK, RANKS, SUITS, read_cards
from second_settlement.hands import Hand, five_card_hand

WILD = (*("2" + suit for suit in SUITS), "Jo")
RUN_RANKS = tuple(("A" + RANKS)[start : start + 5] for start in range(10))
"""The ranks of every straight, from ace to 5 up to 10 to ace."""
ODD_AMOUNTS = (1, 1, 3, 7, 33, 99, 100, 101, 250, 333, 500, 1000, 1501, 2500, 12_345, 100_000, 250_000, 1_000_000)
"""Cents: whole chips, and what leaves parts of a cent."""
LARGE_AMOUNT = 99_999_999


def amount(rng: random.Random) -> int:
    """A wager in cents."""
    return rng.choice((*ODD_AMOUNTS, rng.randrange(1, 5000), LARGE_AMOUNT))


def balance(rng: random.Random) -> int:
    """What stands on a meter, in cents, often one of which a tenth is no whole cent."""
    return rng.choice((0, 1, 9, 19, 100_000, 999_999, 1_000_009, rng.randrange(10**7)))


def _of_ranks(rng: random.Random, ranks: Iterable[str], suit: str | None = None) -> list[str]:
    return [rank + (suit or rng.choice(SUITS)) for rank in ranks]


def _of_counts(rng: random.Random, *counts: int, among: str = RANKS) -> list[str]:
    """Different ranks, each this many times; the first is one of `among`."""
    first = rng.choice(among)
    ranks = [first, *rng.sample([rank for rank in RANKS if rank != first], len(counts) - 1)]
    return [rank + suit for rank, count in zip(ranks, counts, strict=True) for suit in rng.sample(SUITS, count)]


def _wrapped(rng: random.Random) -> list[str]:
    """Five ranks in sequence over the ace, which are no straight."""
    start = rng.randrange(10, 13)
    ranks = [RANKS[place % 13] for place in range(start, start + 5)]
    return _of_ranks(rng, ranks, rng.choice((None, rng.choice(SUITS))))


def _high_cards(rng: random.Random, *ranks: str) -> list[str]:
    """These ranks and lower ones: around an ace-king, with which the dealer is in play."""
    rest = rng.sample(RANKS[: RANKS.index(ranks[-1])], 5 - len(ranks))
    return _of_ranks(rng, [*ranks, *rest])


Shape = Callable[[random.Random], list[str]]
SUITED_RUNS: tuple[Shape, ...] = (
    lambda rng: _of_ranks(rng, "TJQKA", rng.choice(SUITS)),
    lambda rng: _of_ranks(rng, "TJQKA", rng.choice(SUITS)),
    lambda rng: _of_ranks(rng, "A2345", rng.choice(SUITS)),
    lambda rng: _of_ranks(rng, rng.choice(RUN_RANKS), rng.choice(SUITS)),
    lambda rng: _of_ranks(rng, rng.choice(RUN_RANKS), rng.choice(SUITS)),
)
SIX_CARD_ROYAL: Shape = lambda rng: _of_ranks(rng, "9TJQKA", rng.choice(SUITS))  # noqa: E731
FIVE_CARD_SHAPES: tuple[Shape, ...] = (
    *SUITED_RUNS,
    lambda rng: _of_ranks(rng, rng.choice(RUN_RANKS)),
    lambda rng: _of_ranks(rng, "A2345"),
    lambda rng: _of_ranks(rng, rng.sample(RANKS, 5), rng.choice(SUITS)),
    _wrapped,
    lambda rng: _of_counts(rng, 4, 1),
    lambda rng: _of_counts(rng, 3, 2),
    lambda rng: _of_counts(rng, 3, 1, 1),
    lambda rng: _of_counts(rng, 2, 2, 1),
    lambda rng: _of_counts(rng, 2, 1, 1, 1),
    lambda rng: _of_counts(rng, 2, 1, 1, 1, among="9TJ"),
    lambda rng: _high_cards(rng, "A", "K"),
    lambda rng: _high_cards(rng, "A", "K", "Q", "J"),
    lambda rng: _high_cards(rng, "A", "Q"),
)
THREE_CARD_SHAPES: tuple[Shape, ...] = (
    lambda rng: _of_ranks(rng, "AKQ", rng.choice(SUITS)),
    lambda rng: _of_ranks(rng, "AKQ", "s"),
    lambda rng: _of_ranks(rng, "AKQ"),
    lambda rng: _of_ranks(rng, "A23", rng.choice(SUITS)),
    lambda rng: _of_ranks(rng, "A23"),
    lambda rng: _of_ranks(rng, "KA2", rng.choice((None, rng.choice(SUITS)))),
    lambda rng: _of_ranks(rng, rng.choice(RUN_RANKS)[:3], rng.choice(SUITS)),
    lambda rng: _of_ranks(rng, rng.choice(RUN_RANKS)[:3]),
    lambda rng: _of_ranks(rng, rng.sample(RANKS, 3), rng.choice(SUITS)),
    lambda rng: _of_counts(rng, 3),
    lambda rng: _of_counts(rng, 2, 1),
)
TRIES = 40


class Deal:
    """Cards dealt from one deck, each of them once."""

    def __init__(self, rng: random.Random, *, has_joker: bool = False) -> None:
        self.rng = rng
        self.free: list[str] = [*DECK, *(["Jo"] if has_joker else [])]
        rng.shuffle(self.free)

    def take(self, cards: Iterable[str]) -> list[str]:
        """These cards, which are free."""
        taken = list(cards)
        for card in taken:
            self.free.remove(card)
        return taken

    def any(self, count: int) -> list[str]:
        """Cards as they come."""
        return self.take(self.free[:count])

    def filled(self, cards: Sequence[str], size: int) -> list[str]:
        """These cards and others as they come, in any order."""
        hand = self.take(cards)
        hand += self.any(size - len(hand))
        self.rng.shuffle(hand)
        return hand

    def shaped(self, shapes: Sequence[Shape]) -> list[str]:
        """Free cards of one of the shapes, not taken yet; empty where none was found."""
        for _ in range(TRIES):
            cards = self.rng.choice(shapes)(self.rng)
            if len(set(cards)) == len(cards) and set(cards) <= set(self.free):
                self.rng.shuffle(cards)
                return cards
        return []

    def board(self, size: int, *, of_shape: int) -> list[str]:
        """Cards that all players share, some of them of one shape, often of a straight flush."""
        shapes = self.rng.choice((FIVE_CARD_SHAPES, SUITED_RUNS))
        return self.filled(self.shaped(shapes)[:of_shape], size)

    def same_ranks(self, cards: Sequence[str]) -> list[str]:
        """Free cards of the same ranks in other suits, not taken yet, for a tie; a wild card for the joker."""
        suits = dict(zip(SUITS, self.rng.sample(SUITS, 4), strict=True))
        others = [self.rng.choice(WILD) if card == "Jo" else card[0] + suits[card[1]] for card in cards]
        return others if len(set(others)) == len(others) and set(others) <= set(self.free) else []

    def completing(self, board: Sequence[str]) -> list[str]:
        """Up to three free cards, not taken yet, that make something high with the cards of the board."""
        ways = [[rank + suit for rank in ranks] for ranks in RUN_RANKS for suit in SUITS]
        ways += [[rank + suit for suit in SUITS] for rank in sorted({card[0] for card in board})]
        missing = [[card for card in way if card not in board] for way in ways]
        fitting = [cards for cards in missing if len(cards) <= 3 and set(cards) <= set(self.free)]
        return self.rng.choice(fitting) if fitting else []

    def with_wild(self, cards: Sequence[str]) -> list[str]:
        """The cards with some of them replaced by free wild ones, not taken yet."""
        wild = [card for card in WILD if card in self.free and card not in cards]
        count = min(len(wild), len(cards), self.rng.choice((1, 1, 1, 2, 2, 3, 4, 5)))
        kept = self.rng.sample(list(cards), len(cards) - count)
        return [*kept, *self.rng.sample(wild, count)]


def best_for_joker(hand: Sequence[str], free: Sequence[str]) -> str:
    """The free card that makes the most of a hand in the joker's place."""

    def worth(card: str) -> Hand:
        return five_card_hand(read_cards(card if held == "Jo" else held for held in hand))

    return max((card for card in free if card != "Jo"), key=worth)
