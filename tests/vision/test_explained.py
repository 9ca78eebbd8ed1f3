"""Chips that are known are all that lies there, or another one may stick out from under them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from test_counting import camera_at

from calibration.camera import Camera
from vision.frames.picture import Image
from vision.stills.explained import explained

FELT, RED, WHITE, PRINT = (60, 110, 30), (40, 40, 190), (225, 230, 230), (120, 220, 230)
SPREAD = [(0.0, 0.0), (14.0, 3.0)]


def picture(
    camera: Camera, chips: list[tuple[float, float]], color: tuple[int, int, int] = RED, *, circle: bool = False
) -> Image:
    """Chips on felt with a grain, each on the edge of the one before, maybe within a printed circle."""
    image = np.full((480, 640, 3), FELT, np.uint8)
    angles = np.linspace(0, 2 * np.pi, 60)
    rim = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(60)])
    if circle:
        line = camera.image_from_table(rim * 42.0 + (*np.mean(chips, axis=0), 0.0))
        cv2.polylines(image, [np.round(line).astype(np.int32)], True, PRINT, 3, cv2.LINE_AA)
    for at in chips:
        for height, shade in ((0.0, 0.6), (3.3, 1.0)):
            disc = camera.image_from_table(rim * 19.5 + (*at, height))
            cv2.fillConvexPoly(image, np.round(disc).astype(np.int32), [shade * c for c in color], cv2.LINE_AA)
    return np.clip(image + np.random.default_rng(3).normal(0, 4, image.shape), 0, 255).astype(np.uint8)


def faces(camera: Camera, chips: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where on the felt their upper faces are seen."""
    seen = camera.table_from_image(camera.image_from_table([(*at, 3.3) for at in chips]))
    return [(float(x), float(y)) for x, y in seen]


@pytest.mark.parametrize("tilt_deg", [0.5, 30.0])
@pytest.mark.parametrize("circle", [False, True])
def test_felt_all_around_says_that_no_other_chip_lies_there(tilt_deg: float, circle: bool) -> None:
    camera = camera_at(tilt_deg)
    assert explained(picture(camera, SPREAD, circle=circle), camera, faces(camera, SPREAD))
    assert explained(picture(camera, SPREAD[:1], circle=circle), camera, faces(camera, SPREAD[:1]))


@pytest.mark.parametrize("tilt_deg", [0.5, 30.0])
@pytest.mark.parametrize("color", [RED, WHITE, (25, 25, 25)])
@pytest.mark.parametrize("found", [[0, 1], [1, 2], [1], [2]])
def test_a_chip_that_was_not_found_leaves_it_open(
    tilt_deg: float, color: tuple[int, int, int], found: list[int]
) -> None:
    camera, chips = camera_at(tilt_deg), [*SPREAD, (28.0, 4.0)]
    there = faces(camera, chips)
    assert explained(picture(camera, chips, color), camera, there)
    assert not explained(picture(camera, chips, color), camera, [there[i] for i in found])


def test_what_is_known_to_be_a_card_or_another_chip_leaves_nothing_open() -> None:
    camera, near = camera_at(0.5), (42.0, 12.0)
    image = picture(camera, [*SPREAD, near])
    chips = faces(camera, SPREAD)
    assert not explained(image, camera, chips)
    assert explained(image, camera, chips, faces(camera, [near]))
    card = np.array([[-85.0, -40.0], [-22.0, -40.0], [-22.0, 50.0], [-85.0, 50.0]])
    image = picture(camera, SPREAD)
    cv2.fillConvexPoly(image, np.round(camera.image_from_table(card)).astype(np.int32), WHITE)
    assert explained(image, camera, chips, (), [card])


def test_a_row_with_a_longer_step_may_lack_a_chip() -> None:
    camera, row = camera_at(0.5), [(0.0, 0.0), (14.0, 0.0), (28.0, 0.0), (36.5, 0.0)]
    assert explained(picture(camera, row[:3]), camera, row[:3])
    uneven = [row[0], row[1], row[3]]
    assert not explained(picture(camera, uneven), camera, uneven)


def test_where_no_felt_is_seen_nothing_is_said() -> None:
    camera = camera_at(0.5)
    assert not explained(
        picture(camera, SPREAD), camera, SPREAD, (), [np.array([[-300, -300], [300, -300], [300, 300], [-300, 300]])]
    )
