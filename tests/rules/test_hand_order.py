"""The order of five-card hands is that of two independent libraries: treys (pure Python) and phevaluator (C++).

Both number the 7,462 classes of hands from 1, the royal flush, to 7,462; ours is a score that grows. The fast test takes a
hand of each class, and some with other suits; the slow one takes all 2,598,960 hands.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement

import phevaluator
import pytest
import treys

from rules.cards import ACE, DECK_52, SUITS, Card
from rules.hands import card_code, five_card_score

CLASSES = 7_462
TREYS = {card: treys.Card.new(str(card)) for card in DECK_52}
PHEVALUATOR = {card: phevaluator.Card(str(card)) for card in DECK_52}
CODE = {card: card_code(card) for card in DECK_52}
Hand = tuple[Card, ...]


def one_of_each_class() -> Iterator[Hand]:
    """A hand of every class: each multiset of ranks in mixed suits, and each set of five ranks in one suit."""
    for ranks in combinations_with_replacement(range(2, ACE + 1), 5):
        if ranks[0] != ranks[-1]:
            yield tuple(Card(rank, SUITS[place % 4]) for place, rank in enumerate(ranks))
    for ranks in combinations(range(2, ACE + 1), 5):
        yield tuple(Card(rank, SUITS[0]) for rank in ranks)


def orders(hands: Iterable[Hand]) -> tuple[dict[int, set[int]], dict[int, set[int]], int]:
    """Our scores with the classes that each library gives the same hands, and how many hands there were."""
    evaluator = treys.Evaluator()
    theirs: dict[int, set[int]] = {}
    others: dict[int, set[int]] = {}
    count = 0
    for hand in hands:
        score = five_card_score(sum(CODE[card] for card in hand))
        theirs.setdefault(score, set()).add(evaluator.evaluate([], [TREYS[card] for card in hand]))
        others.setdefault(score, set()).add(phevaluator.evaluate_cards(*(PHEVALUATOR[card] for card in hand)))
        count += 1
    return theirs, others, count


def is_same_order(classes: dict[int, set[int]]) -> bool:
    """Whether each of our scores is one class of theirs, and better scores are better classes."""
    ascending = [classes[score] for score in sorted(classes)]
    return ascending == [{number} for number in range(len(ascending), 0, -1)]


def test_every_class_of_hands_stands_where_the_libraries_have_it() -> None:
    theirs, others, count = orders(one_of_each_class())
    assert len(theirs) == len(others) == count == CLASSES
    assert is_same_order(theirs)
    assert is_same_order(others)


def test_suits_change_no_class() -> None:
    """The same classes met by hands drawn at random: a score of ours is never two classes of theirs."""
    theirs, others, _ = orders(one_of_each_class())
    rng = random.Random(669)
    drawn_theirs, drawn_others, _ = orders(tuple(rng.sample(DECK_52, 5)) for _ in range(20_000))
    assert len(drawn_theirs) > 3_000
    assert all(theirs[score] == classes for score, classes in drawn_theirs.items())
    assert all(others[score] == classes for score, classes in drawn_others.items())


@pytest.mark.slow
def test_all_hands_stand_where_the_libraries_have_them() -> None:
    theirs, others, count = orders(combinations(DECK_52, 5))
    assert count == 2_598_960
    assert len(theirs) == len(others) == CLASSES
    assert is_same_order(theirs)
    assert is_same_order(others)
