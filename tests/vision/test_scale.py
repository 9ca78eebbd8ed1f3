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
from vision.stills.scale import LEAST_PX_PER_MM, WIDTHS_MM, estimated_scale, unsqueezed

PICTURE = np.zeros((900, 1600, 3), np.uint8)


class Plates:
    """Finds plates of a card's shape, so many of each scale, however large a picture is made or stretched."""

    def __init__(self, *kinds: tuple[float, int, float], picture: Image = PICTURE) -> None:
        self.kinds = kinds
        self.size = np.array(picture.shape[1::-1])

    def __call__(self, image_bgr: np.ndarray, min_confidence: float = 0.25) -> Detections:
        shrink = np.array(image_bgr.shape[1::-1]) / self.size
        corners, confidence = [], []
        for row, (px_per_mm, count, sure) in enumerate(self.kinds):
            w, h = np.array(CARD_SIZE_MM) * px_per_mm
            for k in range(count):
                x, y = 20.0 + 100 * k, 40.0 + 200 * row
                corners.append(np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) * shrink)
                confidence.append(sure)
        return Detections(
            np.array(corners, np.float32).reshape(-1, 4, 2),
            np.array(confidence, np.float32),
            np.full(len(corners), BACK, np.int64),
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


class Sizes(Plates):
    """Plates that remember how large pictures were looked at."""

    def __init__(self, *kinds: tuple[float, int, float], picture: Image = PICTURE) -> None:
        super().__init__(*kinds, picture=picture)
        self.looked_at: list[tuple[int, ...]] = []

    def __call__(self, image_bgr: np.ndarray, min_confidence: float = 0.25) -> Detections:
        self.looked_at.append(image_bgr.shape[:2])
        return super().__call__(image_bgr, min_confidence)

    @property
    def widest_mm(self) -> float:
        return max(max(shape) for shape in self.looked_at) / DETECTION_PX_PER_MM


def test_once_enough_fits_a_scale_a_whole_table_is_not_tried() -> None:
    plates = Sizes((PICTURE.shape[1] / WIDTHS_MM[3], 6, 0.9))
    assert estimated_scale(PICTURE, plates, AllCards()) == pytest.approx(PICTURE.shape[1] / WIDTHS_MM[3], rel=0.02)
    assert plates.widest_mm == pytest.approx(WIDTHS_MM[5]), "two tries wider than the one that fits"


def test_one_thing_that_looks_like_a_card_settles_no_scale() -> None:
    false, true = PICTURE.shape[1] / WIDTHS_MM[0], PICTURE.shape[1] / WIDTHS_MM[7]
    found = estimated_scale(PICTURE, Plates((false, 1, 0.3), (true, 14, 0.9)), AllCards())
    assert found == pytest.approx(true, rel=0.02)


def test_of_a_square_the_other_shapes_are_tried_where_the_first_found_things_and_nowhere_far_from_there() -> None:
    square = np.zeros((PICTURE.shape[1], PICTURE.shape[1], 3), np.uint8)
    plates = Sizes((square.shape[1] / WIDTHS_MM[4], 8, 0.9), picture=square)
    shown, scale = unsqueezed(square, plates, AllCards())
    assert shown.shape == square.shape
    assert scale == pytest.approx(square.shape[1] / WIDTHS_MM[4], rel=0.02)
    tried = {round(np.log(w / h), 1) for h, w in plates.looked_at}
    assert tried == {0.0, 0.3, 0.6, -0.3, -0.6}, "as it is, and 4:3 and 16:9, lying and standing"
    assert plates.widest_mm < WIDTHS_MM[8], "whole tables are not"


def test_a_small_picture_is_not_enlarged_to_a_table_on_which_no_card_could_be_read() -> None:
    plates = Sizes((1.0, 5, 0.8))
    estimated_scale(PICTURE[:360, :640], plates, AllCards())
    assert plates.widest_mm <= 640 / LEAST_PX_PER_MM
    nothing = Sizes()
    estimated_scale(PICTURE, nothing, AllCards())
    assert nothing.widest_mm == pytest.approx(WIDTHS_MM[-1]), "of a large one a whole table is tried"
