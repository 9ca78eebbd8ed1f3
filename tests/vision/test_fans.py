"""Cards of a fan that the detector overlooked are read between those it found, and nothing is read that only might be there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from models.reader import CARD_SIZE_MM
from vision.looks.look import CardSight
from vision.stills.fans import search_fans
from vision.stills.pose import straight_above

PX_PER_MM, SIZE = 2.0, (640, 480)
CAMERA = straight_above(SIZE, PX_PER_MM)
INKS = {"Qd": (40, 40, 220), "7c": (40, 200, 40), "As": (30, 30, 30)}
U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]


class Reading:
    """What `IndexReader` says."""

    back_probability = 0.0

    def __init__(self, card: str | None, likely: str | None = None, confidence: float = 0.3) -> None:
        self.card, self.confidence, self.face_probability = card, 0.995 if card else confidence, 0.9
        self.likeliest = card or likely or "unreadable"


class IndexReader:
    """Knows a card by the coloured index in its upper left corner, where it is cut nearly right."""

    def __init__(self) -> None:
        self.seen = 0

    def __call__(self, cards_bgr: U8, px_per_mm: Sequence[float] | None = None) -> list[Reading]:
        self.seen += len(cards_bgr)
        return [Reading(self.name(crop)) for crop in cards_bgr]

    def name(self, crop: U8) -> str | None:
        h, w = crop.shape[:2]
        index = crop[int(0.07 * h) : int(0.21 * h), int(0.07 * w) : int(0.17 * w)].reshape(-1, 3).mean(axis=0)
        return next((card for card, ink in INKS.items() if float(np.abs(index - ink).max()) < 60), None)


class Always(IndexReader):
    """Reads one card wherever it looks."""

    def name(self, crop: U8) -> str | None:
        return "7c"


def outline(x_mm: float, y_mm: float, angle_deg: float = 0.0) -> F64:
    angle = np.radians(angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]]) * CARD_SIZE_MM
    return np.asarray(corners @ turn.T + (x_mm, y_mm))


def picture(*cards: tuple[str, F64]) -> U8:
    image = np.full((SIZE[1], SIZE[0], 3), (60, 90, 40), np.uint8)
    for name, corners in cards:
        px = CAMERA.image_from_table(corners)
        right, down = px[1] - px[0], px[3] - px[0]
        index = px[0] + np.array([[0.05, 0.05], [0.19, 0.05], [0.19, 0.23], [0.05, 0.23]]) @ np.stack([right, down])
        for points, bgr in ((px, (200, 200, 200)), (index, INKS[name])):
            cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], bgr, cv2.LINE_AA, shift=4)
    return image


def sight(corners: F64, card: str | None = None) -> CardSight:
    x, y = corners.mean(axis=0)
    at = CAMERA.image_from_table(corners)
    return CardSight((float(x), float(y)), corners, at, True, 0.9, corners, card, 0.99 if card else 0.0)


@pytest.mark.parametrize("turned_deg", [0.0, 40.0, 170.0])
@pytest.mark.parametrize("upside_down", [False, True])
def test_a_card_between_two_of_a_fan_is_found_by_its_index(turned_deg: float, upside_down: bool) -> None:
    angle = np.radians(turned_deg)
    x, y = float(np.cos(angle)), float(np.sin(angle))
    first, hidden, last = (outline(mm * x, mm * y, turned_deg - 0.3 * mm) for mm in (-20.0, 0.0, 20.0))
    image = picture(("Qd", first), ("7c", hidden), ("As", last))
    seen = [sight(first, "Qd"), sight(np.roll(last, 2, axis=0) if upside_down else last, "As")]
    found = search_fans(image, seen, CAMERA, IndexReader())
    assert found[:2] == seen
    (card,) = found[2:]
    assert card.card == "7c"
    assert card.face_up
    assert np.abs(card.corners_mm - hidden).max() < 6.0
    assert np.allclose(card.corners_px, CAMERA.image_from_table(card.corners_mm))


def test_an_outline_without_a_name_where_a_card_is_read_is_that_card() -> None:
    first, hidden, last = (outline(mm, 0.0) for mm in (-20.0, 0.0, 20.0))
    image = picture(("Qd", first), ("7c", hidden), ("As", last))
    seen = [sight(first, "Qd"), sight(outline(2.0, 3.0)), sight(last, "As")]
    found = search_fans(image, seen, CAMERA, IndexReader())
    assert [card.card for card in found] == ["Qd", "7c", "As"]


def test_a_name_that_another_card_of_the_picture_bears_is_read_nowhere_else() -> None:
    first, hidden, last = (outline(mm, 0.0) for mm in (-20.0, 0.0, 20.0))
    image = picture(("Qd", first), ("7c", hidden), ("As", last))
    seen = [sight(first, "Qd"), sight(last, "As"), sight(outline(0.0, 95.0), "7c")]
    assert search_fans(image, seen, CAMERA, IndexReader()) == seen


def test_a_name_read_all_over_the_place_is_none() -> None:
    seen = [sight(outline(-30.0, 0.0), "Qd"), sight(outline(30.0, 0.0), "As")]
    assert search_fans(picture(), seen, CAMERA, Always()) == seen


def test_two_names_in_one_place_are_none() -> None:
    class Either(IndexReader):
        def name(self, crop: U8) -> str | None:
            self.turn = not getattr(self, "turn", False)
            return "7c" if self.turn else "Kh"

    seen = [sight(outline(-10.5, 0.0), "Qd"), sight(outline(10.5, 0.0), "As")]
    assert search_fans(picture(), seen, CAMERA, Either()) == seen


class Unsure(IndexReader):
    """Takes a card for likely that `IndexReader` knows, so likely."""

    def __init__(self, confidence: float) -> None:
        super().__init__()
        self.confidence = confidence

    def __call__(self, cards_bgr: U8, px_per_mm: Sequence[float] | None = None) -> list[Reading]:
        return [Reading(None, said.card, self.confidence) for said in super().__call__(cards_bgr, px_per_mm)]


def test_a_card_that_is_likely_at_many_places_is_found_and_not_read() -> None:
    first, hidden, last = (outline(mm, 0.0) for mm in (-20.0, 0.0, 20.0))
    image = picture(("Qd", first), ("7c", hidden), ("As", last))
    seen = [sight(first, "Qd"), sight(last, "As")]
    (card,) = search_fans(image, seen, CAMERA, Unsure(0.8))[2:]
    assert (card.card, card.card_confidence, card.face_up, card.back) == (None, 0.0, True, False)
    assert card.confidence == pytest.approx(0.8)
    assert np.abs(card.corners_mm - hidden).max() < 6.0
    assert np.allclose(card.corners_px, CAMERA.image_from_table(card.corners_mm))
    assert search_fans(image, seen, CAMERA, Unsure(0.6)) == seen, "not likely enough"
    borne = [*seen, sight(outline(0.0, 95.0), "7c")]
    assert search_fans(image, borne, CAMERA, Unsure(0.8)) == borne, "it lies elsewhere"
    for name in (None, "Qh"):
        outlined = [*seen, sight(outline(8.0, 3.0), name)]
        assert search_fans(image, outlined, CAMERA, Unsure(0.8)) == outlined, "that card is found"


def test_a_card_likely_at_few_places_or_all_over_the_place_is_not_found() -> None:
    class Seldom(Unsure):
        def name(self, crop: U8) -> str | None:
            self.calls = getattr(self, "calls", 0) + 1
            return "7c" if self.calls % 12 == 0 else None

    class Everywhere(Unsure):
        def name(self, crop: U8) -> str | None:
            return "7c"

    seen = [sight(outline(-20.0, 0.0), "Qd"), sight(outline(20.0, 0.0), "As")]
    assert search_fans(picture(), seen, CAMERA, Seldom(0.9)) == seen
    apart = [sight(outline(-30.0, 0.0), "Qd"), sight(outline(30.0, 0.0), "As")]
    assert search_fans(picture(), apart, CAMERA, Everywhere(0.9)) == apart


def test_between_cards_side_by_side_or_across_one_another_or_backs_nothing_is_read() -> None:
    first = sight(outline(-32.0, 0.0), "Qd")
    for other in (
        sight(outline(32.0, 0.0), "As"),
        sight(outline(10.0, 0.0, 80.0), "As"),
        replace(sight(outline(8.0, 0.0)), face_up=False, back=True),
    ):
        reader = Always()
        assert search_fans(picture(), [first, other], CAMERA, reader) == [first, other]
        assert reader.seen == 0
