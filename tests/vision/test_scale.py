"""The scale of a picture of an unknown table: tried, and told by what is found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from drawn import DrawnReading

from models.detections import BACK, Detections
from models.reader import CARD_SIZE_MM
from vision.frames.picture import Image
from vision.frames.rectify import DETECTION_PX_PER_MM
from vision.stills.scale import LEAST_PX_PER_MM, WIDTHS_MM, estimated_scale

PICTURE = np.zeros((900, 1600, 3), np.uint8)


class Plates:
    """Finds plates of a card's shape, so many of each scale, however large they are made."""

    def __init__(self, *kinds: tuple[float, int, float]) -> None:
        self.kinds = kinds

    def __call__(self, image_bgr: np.ndarray, min_confidence: float = 0.25) -> Detections:
        shrink = image_bgr.shape[1] / PICTURE.shape[1]
        corners, confidence = [], []
        for row, (px_per_mm, count, sure) in enumerate(self.kinds):
            w, h = np.array(CARD_SIZE_MM) * px_per_mm
            for k in range(count):
                x, y = 20.0 + 100 * k, 40.0 + 200 * row
                corners.append(np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) * shrink)
                confidence.append(sure)
        return Detections(
            np.array(corners, np.float32), np.array(confidence, np.float32), np.full(len(corners), BACK, np.int64)
        )


class AllCards:
    """Believes of everything that it is a card's back."""

    def __call__(self, cards_bgr: Image, px_per_mm: Sequence[float] | None = None) -> list[DrawnReading]:
        return [DrawnReading(None, 0.0, back_probability=0.9, face_probability=0.05) for _ in cards_bgr]


@pytest.mark.parametrize("told", [0.79, 1.0, 1.3])
def test_things_tell_the_scale_between_two_tries(told: float) -> None:
    assert estimated_scale(PICTURE, Plates((told, 5, 0.8)), AllCards()) == pytest.approx(told, rel=0.02)


def test_a_scale_that_is_not_among_the_tries_wins_over_a_worse_one_that_is() -> None:
    tried = PICTURE.shape[1] / WIDTHS_MM[7]
    between = float(tried / np.sqrt(WIDTHS_MM[8] / WIDTHS_MM[7]) * 0.93)
    assert estimated_scale(PICTURE, Plates((tried, 10, 0.6), (between, 12, 0.8)), AllCards()) == pytest.approx(
        between, rel=0.02
    )


def test_a_small_picture_is_not_enlarged_to_a_table_on_which_no_card_could_be_read() -> None:
    looked_at: list[int] = []

    class Sizes(Plates):
        def __call__(self, image_bgr: np.ndarray, min_confidence: float = 0.25) -> Detections:
            looked_at.append(max(image_bgr.shape[:2]))
            return super().__call__(image_bgr, min_confidence)

    small = PICTURE[:360, :640]
    estimated_scale(small, Sizes((1.0, 5, 0.8)), AllCards())
    assert max(looked_at) * DETECTION_PX_PER_MM <= 640 / LEAST_PX_PER_MM
    looked_at.clear()
    estimated_scale(PICTURE, Sizes((1.0, 5, 0.8)), AllCards())
    assert max(looked_at) == round(WIDTHS_MM[-1] * DETECTION_PX_PER_MM), "of a large one a whole table is tried"
