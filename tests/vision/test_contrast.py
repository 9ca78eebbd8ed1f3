"""A card stands out from what it lies on; a block of parquet lies among others like it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from vision.stills.contrast import stands_out

Bytes = npt.NDArray[np.uint8]
PX_PER_MM = 1.5


def card(x: float, y: float) -> npt.NDArray[np.float64]:
    corners_mm: npt.NDArray[np.float64] = np.array([[0, 0], [63.5, 0], [63.5, 88.9], [0, 88.9]]) + np.array((x, y))
    return corners_mm * PX_PER_MM


def felt(*backs: tuple[float, float], back_bgr: tuple[int, int, int] = (150, 60, 50)) -> Bytes:
    """Backs without a border on green felt, noise over all."""
    image = np.full((450, 600, 3), (70, 110, 40), np.uint8)
    for x, y in backs:
        cv2.fillConvexPoly(image, np.round(card(x, y)).astype(np.int32), back_bgr)
    return np.clip(image + np.random.default_rng(1).normal(0, 6, image.shape), 0, 255).astype(np.uint8)


def parquet() -> Bytes:
    """Blocks as large as cards with dark joints, each a little lighter or darker than the next."""
    rng = np.random.default_rng(2)
    image = np.zeros((450, 600, 3), np.uint8)
    for x in range(0, 400, 64):
        for y in range(0, 300, 90):
            shade = tuple(int(v) for v in np.array([90, 130, 170]) + rng.normal(0, 3))
            cv2.fillConvexPoly(image, np.round(card(x, y)).astype(np.int32), shade)
    return np.clip(image + rng.normal(0, 6, image.shape), 0, 255).astype(np.uint8)


def test_a_back_on_felt_stands_out_at_any_angle() -> None:
    image = felt((100, 100))
    assert stands_out(image, card(100, 100))
    middle = card(100, 100).mean(axis=0)
    turn = cv2.getRotationMatrix2D(tuple(middle), 33, 1.0)
    turned = np.asarray(cv2.warpAffine(image, turn, (600, 450), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    assert stands_out(turned, card(100, 100) @ turn[:, :2].T + turn[:, 2])


def test_a_back_on_others_like_it_stands_out_where_it_lies_on_felt() -> None:
    assert stands_out(felt((100, 100), (130, 120)), card(100, 100))


@pytest.mark.parametrize("at", [(64, 90), (192, 90), (64, 180)])
def test_a_block_of_parquet_does_not(at: tuple[float, float]) -> None:
    assert not stands_out(parquet(), card(*at))


def test_a_card_at_the_edge_of_the_picture_is_judged_by_the_side_that_is_seen() -> None:
    assert stands_out(felt((-3, 100)), card(-3, 100))
    assert not stands_out(felt(), card(-3, 100))
    assert not stands_out(felt((100, 100)), card(2000, 100)), "nothing of it is in the picture"


WHITE = (235, 238, 240)


def test_what_differs_because_of_a_card_that_is_read_tells_of_no_other() -> None:
    image = felt((100, 100), back_bgr=WHITE)
    half_over_it = card(131.75, 100)
    assert stands_out(image, half_over_it), "felt on one side, a white card along the others"
    assert not stands_out(image, half_over_it, [card(100, 100)])


@pytest.mark.parametrize("at", [(131.75, 100), (100, 150), (163.5, 100), (125, 130)])
def test_a_back_under_or_beside_a_card_that_is_read_stands_out_by_its_free_sides(at: tuple[float, float]) -> None:
    image = felt(at)
    cv2.fillConvexPoly(image, np.round(card(100, 100)).astype(np.int32), WHITE)
    assert stands_out(image, card(*at), [card(100, 100)])


def test_of_a_back_that_cards_hide_all_round_nothing_is_known() -> None:
    image = felt((100, 100), back_bgr=WHITE)
    assert not stands_out(image, card(100, 100), [card(95, 95), card(105, 105)])
