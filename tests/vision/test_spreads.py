"""Spread chips and stacks seen at an angle: a stack shows its side, and where felt is seen instead there is none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from test_counting import camera_at

from vision.frames.picture import Image
from vision.frames.rectify import AreaView
from vision.looks.spreads import Felt, gapped, spread_out, squeezed

GREEN, RED, WHITE, PRINT = (60, 110, 30), (40, 40, 190), (225, 230, 230), (120, 220, 230)
TILT = 25.0
"""`camera_at` stands on the side of greater y."""


def lies(*, side: tuple[int, int, int] | None = None, near: tuple[int, int, int] = RED, line: bool = False) -> Image:
    """A view of 2 px a mm: a chip in the middle and another behind it, maybe with the side of a stack before it."""
    rng = np.random.default_rng(4)
    cut = np.full((400, 400, 3), GREEN, np.uint8)
    if line:
        cv2.line(cut, _px((-40.0, 26.0)), _px((40.0, 26.0)), PRINT, 5)
    if side is not None:
        for shift in range(24, 0, -1):
            cv2.circle(cut, _px((0.0, float(shift) / 2)), 39, side, -1, cv2.LINE_AA)
    cv2.circle(cut, _px((4.0, -24.0)), 39, WHITE, -1, cv2.LINE_AA)
    cv2.circle(cut, _px((0.0, 0.0)), 39, near, -1, cv2.LINE_AA)
    return np.clip(cut + rng.normal(0, 3, cut.shape), 0, 255).astype(np.uint8)


VIEW = AreaView.around(np.array([[-65, -65], [65, -65], [65, 65], [-65, 65]]), camera_at(TILT), px_per_mm=2.0)


def _px(at_mm: tuple[float, float]) -> tuple[int, int]:
    x, y = VIEW.view_from_table(np.array([*at_mm, 0.0]))
    return round(float(x)), round(float(y))


CHIPS = [(0.0, 0.0), (4.0, -24.0)]


def told(cut: Image, chips: list[tuple[float, float]] = CHIPS, tilt_deg: float = TILT) -> list[bool]:
    return spread_out(camera_at(tilt_deg), chips, [True] * len(chips), lambda: Felt(cut, VIEW, chips))


def test_without_a_picture_an_overlap_that_a_stack_explains_stays_open() -> None:
    assert spread_out(camera_at(TILT), CHIPS, [True, True]) == [False, False]


def test_felt_before_the_nearer_chip_says_that_it_is_no_stack() -> None:
    assert told(lies()) == [True, True]
    assert told(lies(line=True)) == [True, True], "a printed line is felt"


@pytest.mark.parametrize("side", [RED, WHITE, (25, 25, 25), (150, 60, 60)])
def test_a_side_before_it_leaves_it_open(side: tuple[int, int, int]) -> None:
    assert told(lies(side=side)) == [False, False]


def test_a_chip_like_the_felt_leaves_it_open() -> None:
    assert told(lies(near=GREEN)) == [False, False]


def test_a_chip_that_is_known_to_be_one_is_no_stack_before_the_next() -> None:
    cut = lies()
    cv2.circle(cut, _px((30.0, 2.0)), 39, WHITE, -1, cv2.LINE_AA)
    assert told(cut, [*CHIPS, (30.0, 2.0)]) == [True, True, True]


def test_faces_that_overlap_are_a_spread_and_chips_side_by_side_are_not() -> None:
    camera = camera_at(10.0)
    assert spread_out(camera, [(0, 0), (22, 0), (70, 0)], [True] * 3) == [True, True, False]
    assert spread_out(camera, [(0, 0), (40, 0)], [True] * 2) == [False, False]


def test_an_overlap_that_a_tall_stack_before_a_chip_would_show_is_no_spread() -> None:
    behind = [(0.0, 0.0), (0.0, -24.0)]
    assert spread_out(camera_at(45.0), behind, [True, True]) == [False, False]
    assert spread_out(camera_at(10.0), behind, [True, True]) == [True, True]


def test_a_stacks_own_side_is_no_chip_that_its_upper_face_overlaps() -> None:
    camera = camera_at(25.0)
    side_and_face, row = [(0.0, 0.0), (2.0, -13.0)], [(0.0, 0.0), (13.0, 2.0)]
    assert spread_out(camera, side_and_face, [True, True]) == [False, False]
    assert spread_out(camera, row, [True, True]) == [True, True]


def test_a_row_with_one_step_twice_as_long_may_lack_a_chip() -> None:
    even = [(0.0, 0.0), (13.0, 1.0), (26.0, -1.0), (39.5, 0.5)]
    assert gapped(even, [True] * 4) == [False] * 4
    missed = [*even[:2], even[3]]
    assert gapped([*missed, (300.0, 0.0), (320.0, 0.0)], [True] * 5) == [True, True, True, False, False]
    heap = [(0.0, 0.0), (13.0, 0.0), (20.0, 22.0), (36.0, 10.0)]
    assert not any(gapped(heap, [True] * 4)), "chips thrown on a heap have no steps"
    assert not any(gapped(missed, [False] * 3))


def test_a_chip_found_between_two_of_an_even_row_is_left_open() -> None:
    row = [(0.0, 0.0), (20.5, 0.5), (41.0, 0.0), (64.5, -0.5)]
    assert not any(squeezed(row, [True] * 4))
    assert squeezed([*row, (53.1, 0.0)], [True] * 5) == [False, False, False, False, True], "film 2570"
    assert not any(squeezed([*row, (53.1, 0.0)], [True] * 4 + [False]))
    stake_and_payment = [(0.0, 0.0), (12.0, 0.0), (24.0, 0.0), (54.0, 0.0), (66.0, 0.0), (78.0, 0.0)]
    assert not any(squeezed(stake_and_payment, [True] * 6))
    assert not any(squeezed([(0.0, 0.0), (10.0, 0.0), (20.0, 0.0)], [True] * 3)), "two chips and one between are three"
