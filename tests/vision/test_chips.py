"""Chip colours under other lights, and amounts that are open where a colour is."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest

from datasets.draw.chips import ChipDesign
from vision.chips import amount_cents, chip_color, counted, ring_samples, white_reference

CENTS = {"white": 100, "red": 500, "green": 2500, "black": 10000}


def chip_picture(color: str, rng: np.random.Generator, light: np.ndarray) -> np.ndarray:
    top = np.asarray(ChipDesign.random(rng).top(color)).astype(np.float64)
    alpha = top[..., 3:] / 255
    flat = cv2.resize(
        top[..., :3] * alpha + np.array([60.0, 90, 40]) * (1 - alpha), (44, 44), interpolation=cv2.INTER_AREA
    )
    image = np.pad(flat, ((10, 10), (10, 10), (0, 0)))
    image[:10, :10] = 235
    return np.clip(image * light + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("color", ["white", "red", "green", "black", "purple", "orange", "blue"])
def test_colour_is_right_or_open_under_warm_dim_and_cool_light(color: str) -> None:
    rng = np.random.default_rng(11)
    said: Counter[str | None] = Counter()
    for light in ([0.75, 0.95, 1.0], [0.5, 0.55, 0.6], [1.0, 0.95, 0.85]) * 8:
        image = chip_picture(color, rng, np.array(light))
        samples = ring_samples(image, (31.5, 31.5), [(22, 0), (0, 22)])
        said[chip_color(samples, white_reference(image)).name] += 1
    assert said[color] >= 19
    assert sum(count for name, count in said.items() if name not in (color, None)) <= 1


def test_neighbour_lying_on_a_chip_does_not_give_its_colour() -> None:
    image = np.full((80, 120, 3), 60, np.uint8)
    image[:6, :6] = 240
    cv2.circle(image, (40, 40), 20, (30, 30, 210), -1)
    cv2.circle(image, (62, 40), 20, (60, 140, 20), -1)
    samples = ring_samples(image, (40, 40), [(20, 0), (0, 20)], [(62, 40)])
    assert chip_color(samples, white_reference(image)).name == "red"


def test_amounts_need_every_colour_and_its_value() -> None:
    assert counted(["red", "green", "red"]) == (("green", 1), ("red", 2))
    assert counted(["red", None]) is None
    assert amount_cents((("green", 1), ("red", 2)), CENTS) == 3500
    assert amount_cents((), CENTS) == 0
    assert amount_cents((("blue", 1),), CENTS) is None
    assert amount_cents(None, CENTS) is None
