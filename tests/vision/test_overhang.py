"""A card laid almost exactly on another is told from one that was pushed, by fractions of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from vision.tracking.overhang import LEAST_SEEN, reaches_further, side_shifts
from vision.tracking.piles import Pile

Bytes = npt.NDArray[np.uint8]
FINE = 8
FELT = (60, 90, 30)
AT = np.array([60.3, 40.7])


def corners(at: npt.NDArray[np.float64], turn_deg: float = 0.0) -> npt.NDArray[np.float64]:
    """Of a card of 63 x 88 px whose middle is given."""
    turn = np.radians(turn_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    upright = np.array([[-31.5, -44.0], [31.5, -44.0], [31.5, 44.0], [-31.5, 44.0]])
    return np.asarray(upright @ rotation.T + at + 31.5, np.float64)


def view(*cards: npt.NDArray[np.float64], seed: int = 0) -> Bytes:
    """A felt with backs, drawn to an eighth of a pixel."""
    felt = np.full((170 * FINE, 190 * FINE, 3), FELT, np.uint8)
    for card in cards:
        inner = card.mean(axis=0) + (card - card.mean(axis=0)) * 0.86
        for outline, color in ((card, (235, 240, 240)), (inner, (60, 95, 35))):
            cv2.fillConvexPoly(felt, np.round((outline + 0.5) * FINE).astype(np.int32), color)
    small = cv2.resize(felt, (190, 170), interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(seed).normal(0, 3, small.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(small, (0, 0), 0.7) + noise, 0, 255), np.uint8)


def moved(before: Bytes, now: Bytes) -> list[float]:
    """How the sides of the first card moved."""
    empty = view(seed=5).astype(np.float32)
    then, there = (np.abs(picture.astype(np.float32) - empty).max(axis=2) for picture in (before, now))
    return side_shifts(then, there, corners(AT))


@pytest.mark.parametrize("off", [(1.3, 0.9), (-1.6, 0.3), (0.4, -1.5), (-1.2, -1.2)])
@pytest.mark.parametrize("turn_deg", [0.0, 1.5])
def test_a_card_on_another_reaches_further_and_nowhere_less(off: tuple[float, float], turn_deg: float) -> None:
    below, above = corners(AT), corners(AT + off, turn_deg)
    assert reaches_further(moved(view(below), view(below, above, seed=1)))
    assert not reaches_further(moved(view(below), view(above, seed=1))), "pushed along"


@pytest.mark.parametrize("off", [(0.0, 0.0), (0.3, 0.2)])
def test_next_to_no_overhang_tells_nothing(off: tuple[float, float]) -> None:
    below = corners(AT)
    assert not reaches_further(moved(view(below), view(below, corners(AT + off), seed=1)))
    assert max(map(abs, moved(view(below), view(below, seed=1)))) < 0.15


def test_a_card_of_the_felts_colour_or_of_which_little_is_seen_tells_nothing() -> None:
    below = corners(AT)
    alike = np.full((170, 190), 3.0, np.float32)
    assert side_shifts(alike, alike, below) == []
    assert not reaches_further([2.0] * (LEAST_SEEN - 1))
    assert reaches_further([2.0] * LEAST_SEEN)


@pytest.mark.parametrize(("laid", "more"), [(True, 1), (False, 0)])
def test_such_a_card_is_one_more_of_a_pile(laid: bool, more: int) -> None:
    below, above = corners(AT), corners(AT + np.array([1.3, 0.9]))
    pile, inside = Pile(), np.ones((170, 190), np.uint8)
    pile.cleared(view(seed=5), 100.0)
    for t_s, picture in ((0.0, view(below)), (2.0, view(below, above, seed=1) if laid else view(above, seed=1))):
        pile.visits = 1
        found = pile.look(t_s, picture, 100.0, inside, 1.0, dealer=True, cards_px=[below if t_s == 0.0 else above])
    assert (found, pile.sure) == (more, True)
    assert pile.cards == 1 + more
    assert pile.covers(above) == laid, "what shows another side then lies on the one below, or is that one turned"
