"""Amounts that are open where a colour is, and chips cut out as circles however the camera stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from models.chip_reader import CHIP_CROP_PX, CROP_RADIUS_PX, rectify_chip
from vision.looks.chips import ChipColor, Place, amount_cents, chip_colors, counted

CENTS = {"white": 100, "red": 500, "green": 2500, "black": 10000}


def test_a_chip_seen_obliquely_fills_its_circle() -> None:
    image = np.zeros((120, 120, 3), np.uint8)
    cv2.ellipse(image, (60, 55), (30, 18), 20, 0, 360, (255, 255, 255), -1)
    c, s = np.cos(np.radians(20)), np.sin(np.radians(20))
    crop = rectify_chip(image, (60, 55), [(30 * c, 30 * s), (-18 * s, 18 * c)])
    y, x = np.mgrid[:CHIP_CROP_PX, :CHIP_CROP_PX] - (CHIP_CROP_PX - 1) / 2
    distance = np.hypot(x, y)
    assert crop[distance < CROP_RADIUS_PX - 1.5].min() > 200
    assert crop[distance > CROP_RADIUS_PX + 1.5].max() < 60


def test_chips_are_named_in_order_and_none_is_told() -> None:
    class Reader:
        def __call__(self, crops: np.ndarray) -> list[object]:
            bright = crops.reshape(len(crops), -1).mean(axis=1)
            return [
                type(
                    "R",
                    (),
                    {
                        "color": "white" if b > 99 else None,
                        "confidence": 0.9,
                        "none_probability": 0.95 * (b < 9),
                        "likeliest": "white",
                    },
                )
                for b in bright
            ]

    image = np.zeros((60, 160, 3), np.uint8)
    image[:, :40], image[:, 100:] = 200, 60
    axes = [(8, 0), (0, 8)]
    said = chip_colors(image, [((20, 30), axes), ((70, 30), axes), ((130, 30), axes)], Reader())  # type: ignore[arg-type]
    assert said == [ChipColor("white", 0.9), ChipColor(None, 0.0, none=True), ChipColor(None, 0.0)]
    assert chip_colors(image, [], Reader()) == []  # type: ignore[arg-type]


class Sure:
    """Names white what is bright, and takes what is half so for white too, without being sure."""

    def __call__(self, crops: np.ndarray) -> list[object]:
        middles = crops[:, 16, 16].astype(int)
        return [
            type(
                "R",
                (),
                {
                    "color": ("white" if b > 99 else "red") if b > 99 or g > r else None,
                    "confidence": 0.9,
                    "none_probability": 0.95 * (b < 9),
                    "likeliest": "white" if b > 49 else "red",
                },
            )
            for b, g, r in middles
        ]


def test_what_is_not_sure_is_looked_at_once_more_where_its_rim_lies() -> None:
    image = np.zeros((60, 260, 3), np.uint8)
    image[:, 40:80], image[:, 80:120], image[:, 120:160], image[:, 160:200] = 60, 200, 60, (30, 90, 30)
    axes = [(8, 0), (0, 8)]
    places = [((x, 30), axes) for x in (20, 60, 100, 140)]
    asked: list[int] = []

    def better(unsure: Sequence[int]) -> Sequence[Place]:
        asked.extend(unsure)
        return [((180 if i == 3 else 100, 30), axes) for i in unsure]

    said = chip_colors(image, places, Sure(), (better,))  # type: ignore[arg-type]
    assert asked == [1, 3]
    assert [color.name for color in said] == [None, "white", "white", None]
    assert [color.none for color in said] == [True, False, False, False]


def test_what_stays_open_is_looked_at_in_the_next_place() -> None:
    image = np.zeros((60, 260, 3), np.uint8)
    image[:, 80:120], image[:, 120:160] = 60, 200
    places: list[Place] = [((100.0, 30.0), np.array([(8.0, 0.0), (0.0, 8.0)]))]
    there = [((140.0, 30.0), places[0][1])]
    tried: list[str] = []

    def tries(name: str, at: Sequence[Place]) -> Callable[[Sequence[int]], Sequence[Place]]:
        return lambda unsure: tried.append(name) or at  # type: ignore[func-returns-value]

    better = (tries("as before", places), tries("beside", there), tries("never asked", places))
    assert [color.name for color in chip_colors(image, places, Sure(), better)] == ["white"]  # type: ignore[arg-type]
    assert tried == ["as before", "beside"]


def test_amounts_need_every_colour_and_its_value() -> None:
    assert counted(["red", "green", "red"]) == (("green", 1), ("red", 2))
    assert counted(["red", None]) is None
    assert amount_cents((("green", 1), ("red", 2)), CENTS) == 3500
    assert amount_cents((), CENTS) == 0
    assert amount_cents((("blue", 1),), CENTS) is None
    assert amount_cents(None, CENTS) is None
