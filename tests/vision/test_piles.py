"""How the covered ground grows when cards are laid on cards."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from vision.piles import Pile

Bytes = npt.NDArray[np.uint8]
INSIDE = np.ones((200, 240), np.uint8)


def view(*cards: tuple[float, float], seed: int = 0) -> Bytes:
    """A felt at 1 px per mm with backs whose upper left corners are given."""
    felt = np.full((200, 240, 3), (60, 90, 30), np.uint8)
    for x, y in cards:
        box = np.round([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]]).astype(np.int32)
        cv2.fillConvexPoly(felt, box, (240, 240, 240))
        inner = box + np.array([[5, 5], [-5, 5], [-5, -5], [5, -5]], np.int32)
        cv2.fillConvexPoly(felt, inner, (60, 95, 35))
    noise = np.random.default_rng(seed).normal(0, 3, felt.shape)
    return np.clip(felt + noise, 0, 255).astype(np.uint8)


@pytest.fixture
def pile() -> Pile:
    pile = Pile()
    pile.cleared(view(), 100.0)
    pile.visits = 1
    assert not pile.look(0.0, view((40, 40)), 100.0, INSIDE, 1.0, dealer=True), "the first card is no card on another"
    return pile


def look(
    pile: Pile, *cards: tuple[float, float], visits: int = 1, dealer: bool | None = True, t_s: float = 0.6
) -> bool:
    pile.visits = visits
    return pile.look(t_s, view(*cards, seed=len(cards)), 100.0, INSIDE, 1.0, dealer=dealer)


def test_each_card_laid_beside_the_one_below_counts(pile: Pile) -> None:
    assert look(pile, (40, 40), (53, 42))
    assert look(pile, (40, 40), (53, 42), (66, 38))
    assert not pile.open


def test_a_card_pushed_along_or_squared_up_is_none_more(pile: Pile) -> None:
    assert not look(pile, (52, 46))
    assert look(pile, (52, 46), (64, 46))
    assert not look(pile, (60, 46), (64, 46))
    assert not look(pile, (60, 46), (64, 46), visits=0)


def test_what_came_in_several_visits_or_by_another_hand_is_open(pile: Pile) -> None:
    assert not look(pile, (40, 40), (53, 40), (66, 40), visits=2)
    assert pile.open
    pile.cleared(view(), 100.0)
    look(pile, (40, 40))
    assert not look(pile, (40, 40), (53, 42), dealer=False)
    assert pile.open


def test_after_several_visits_a_strip_like_the_others_is_one_card(pile: Pile) -> None:
    assert look(pile, (40, 40), (52, 40))
    assert look(pile, (40, 40), (52, 40), (65, 40), visits=3)
    assert not look(pile, (40, 40), (52, 40), (65, 40), (77, 40), (90, 40), visits=3)
    assert pile.open


def test_light_that_changes_is_no_card(pile: Pile) -> None:
    pile.visits = 1
    darker = (view((40, 40)) * 0.8).astype(np.uint8)
    assert not pile.look(0.6, darker, 80.0, INSIDE, 1.0, dealer=True)
    assert not pile.open


def test_a_card_by_a_hand_not_made_out_counts_while_the_deal_to_the_place_goes_on(pile: Pile) -> None:
    assert look(pile, (40, 40), (53, 40), dealer=None, t_s=0.6)
    assert look(pile, (40, 40), (53, 40), (66, 40), dealer=None, t_s=1.2)
    assert not look(pile, (40, 40), (53, 40), (66, 40), (79, 40), dealer=None, t_s=4.0)
    assert pile.open


def test_ground_unlike_that_of_the_other_cards_is_no_card_of_a_hand_not_made_out(pile: Pile) -> None:
    assert look(pile, (40, 40), (53, 40), dealer=None, t_s=0.6)
    assert not look(pile, (40, 40), (53, 40), (90, 40), dealer=None, t_s=1.2)
    assert pile.open
