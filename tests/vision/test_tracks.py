"""Several looks at one rest made into one statement."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import Card, card_corners

from vision.looks.look import CardSight, Look
from vision.tracking.tracks import Consensus, consensus, faintly_changed, fused, same_cards, same_faces


def look(*cards: tuple[float, str | None]) -> Look:
    """A look that found faces at places along a line (mm), named or not."""
    sights = []
    for x_mm, name in cards:
        corners = card_corners(Card("Qd", (x_mm, 0.0), up=True))
        sights.append(CardSight((x_mm, 0.0), corners, corners, True, 0.9, corners, name, 0.99 if name else 0.0))
    return Look(0, 0.0, np.zeros((2, 2, 3), np.uint8), tuple(sights), (), False)


def names(told: Consensus) -> list[str | None]:
    """What each card is called by its looks."""
    return [
        found[0] if (found := fused([(s.card, s.card_confidence) for s in card.sights])) else None
        for card in told.cards
    ]


def test_two_cards_of_a_fan_stay_two_in_whatever_order_they_are_found() -> None:
    told = consensus(
        [look((0.0, "Qc"), (13.0, "4d")), look((13.2, "4d"), (0.1, "Qc")), look((0.0, "Qc"), (12.9, "4d"))]
    )
    assert names(told) == ["Qc", "4d"]
    assert [card.share for card in told.cards] == [1.0, 1.0]
    assert told.settled


def test_the_lower_one_of_a_fan_that_one_look_misses_is_not_the_upper_one() -> None:
    told = consensus(
        [look((0.0, "Qc")), look((13.0, "4d")), look((0.0, "Qc"), (13.0, "4d")), look((0.0, "Qc"), (13.0, "4d"))]
    )
    assert names(told) == ["Qc", "4d"]


def test_a_card_read_otherwise_in_the_same_place_is_one_and_has_no_name() -> None:
    told = consensus([look((0.0, "8h")), look((1.0, "8d")), look((0.0, "8h"))])
    assert names(told) == [None]
    assert [card.share for card in told.cards] == [1.0]


def test_two_looks_saw_the_same_cards_only_with_the_same_sides_names_and_places() -> None:
    one = look((0.0, "Kc"), (40.0, "4d"))
    assert same_cards(one, look((41.0, "4d"), (0.5, "Kc")))
    for other in (look((0.0, "Kc")), look((0.0, "Kc"), (49.0, "4d")), look((0.0, "Kc"), (40.0, None)), look()):
        assert not same_cards(one, other)
    assert not same_cards(look(), look())
    assert same_faces(one, look((100.0, "2c")))


OUTLINE = np.array([[80, 60], [143, 60], [143, 148], [80, 148]], float)


@pytest.mark.parametrize(
    ("changed", "faint"),
    [
        ([], False),
        ([(80, 60, 143, 148)], True),
        ([(0, 0, 220, 220)], False),
        ([(0, 0, 112, 220)], False),
        ([(60, 90, 170, 120)], False),
        ([(80, 60, 143, 148), (20, 0, 75, 220)], True),
    ],
    ids=["nothing", "the card", "the light", "a shadow over half of it", "a sleeve across", "something beside it"],
)
def test_a_card_of_the_felts_colour_differs_by_little_all_over_and_nowhere_else(
    changed: list[tuple[int, int, int, int]], faint: bool
) -> None:
    levels = np.random.default_rng(4).integers(0, 3, (220, 220)).astype(np.uint8)
    for x0, y0, x1, y1 in changed:
        levels[y0:y1, x0:x1] += 12
    assert faintly_changed(levels, OUTLINE) == faint


def test_an_outline_outside_the_view_has_not_changed() -> None:
    assert not faintly_changed(np.full((40, 40), 20, np.uint8), OUTLINE)
