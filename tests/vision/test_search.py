"""Cards that lie beside their outline are found where they can be read, and nothing is read that only might be there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from models.reader import CARD_SIZE_MM
from vision.looks.look import CardSight
from vision.looks.search import search_unread, undisputed
from vision.stills.pose import straight_above

PX_PER_MM, SIZE = 2.0, (640, 480)
CAMERA = straight_above(SIZE, PX_PER_MM)
INKS = {"Qd": (40, 40, 220), "7c": (40, 200, 40)}


class Reading:
    """What `FrameReader` says."""

    back_probability = 0.0

    def __init__(self, card: str | None, face: float) -> None:
        self.card, self.confidence, self.face_probability = card, 0.995 if card else 0.3, face
        self.likeliest = card or "unreadable"


class FrameReader:
    """Knows a card only where its white rim is seen on all sides of its coloured middle."""

    def __init__(self, least_white: float = 235.0) -> None:
        self.least_white, self.seen = least_white, 0

    def __call__(self, cards_bgr: npt.NDArray[np.uint8], px_per_mm: Sequence[float] | None = None) -> list[Reading]:
        return [self._read(crop) for crop in cards_bgr]

    def _read(self, crop: npt.NDArray[np.uint8]) -> Reading:
        self.seen += 1
        h, w = crop.shape[:2]
        rim = np.concatenate([crop[3:8].reshape(-1, 3), crop[h - 8 : h - 3].reshape(-1, 3), crop[:, 3:8].reshape(-1, 3), crop[:, w - 8 : w - 3].reshape(-1, 3)])  # fmt: skip
        white = float(rim.mean())
        middle = crop[h // 2 - 12 : h // 2 + 12, w // 2 - 12 : w // 2 + 12].reshape(-1, 3).mean(axis=0)
        name = next((card for card, ink in INKS.items() if float(np.abs(middle - ink).max()) < 40), None)
        return Reading(name if white >= self.least_white else None, white / 255)


def outline(x_mm: float, y_mm: float, angle_deg: float = 0.0) -> npt.NDArray[np.float64]:
    angle = np.radians(angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]]) * CARD_SIZE_MM
    return np.asarray(corners @ turn.T + (x_mm, y_mm))


def picture(*cards: tuple[str, npt.NDArray[np.float64]]) -> npt.NDArray[np.uint8]:
    image = np.full((SIZE[1], SIZE[0], 3), (60, 90, 40), np.uint8)
    for name, corners in cards:
        px = CAMERA.image_from_table(corners)
        middle = px.mean(axis=0)
        cv2.fillPoly(image, [np.round(px * 16).astype(np.int32)], (245, 245, 245), cv2.LINE_AA, shift=4)
        inner = middle + 0.6 * (px - middle)
        cv2.fillPoly(image, [np.round(inner * 16).astype(np.int32)], INKS[name], cv2.LINE_AA, shift=4)
    return image


def unread(corners: npt.NDArray[np.float64]) -> CardSight:
    x, y = corners.mean(axis=0)
    return CardSight((float(x), float(y)), corners, CAMERA.image_from_table(corners), True, 0.9, corners)


@pytest.mark.parametrize("off_mm", [(10.0, 0.0), (-9.0, 14.0), (3.0, -18.0)])
@pytest.mark.parametrize("angle_deg", [0.0, 35.0, -80.0])
def test_a_card_beside_its_outline_is_read_and_laid_where_it_is(off_mm: tuple[float, float], angle_deg: float) -> None:
    lies, guessed = outline(0, 0, angle_deg), outline(*off_mm, angle_deg)
    (found,) = search_unread(picture(("Qd", lies)), [unread(guessed)], CAMERA, FrameReader(200.0))
    assert found.card == "Qd"
    assert np.abs(found.corners_mm - lies).max() < 6.0
    assert np.allclose(found.corners_px, CAMERA.image_from_table(found.corners_mm))


def test_two_names_are_none() -> None:
    image = picture(("Qd", outline(-14, 0)), ("7c", outline(14, 60)))

    class Either(FrameReader):
        def _read(self, crop: npt.NDArray[np.uint8]) -> Reading:
            self.seen += 1
            return Reading("Qd" if self.seen % 2 else "7c", 0.9)

    card = unread(outline(0, 0))
    assert search_unread(image, [card], CAMERA, Either()) == [card]


def test_a_name_read_at_one_place_only_is_none() -> None:
    class Once(FrameReader):
        def _read(self, crop: npt.NDArray[np.uint8]) -> Reading:
            self.seen += 1
            return Reading("Qd" if self.seen == 20 else None, 0.2)

    card = unread(outline(0, 0))
    assert search_unread(picture(), [card], CAMERA, Once()) == [card]


def test_a_neighbour_that_was_read_is_not_read_again_in_its_place() -> None:
    lies = outline(0, 0)
    named = replace(unread(lies), card="Qd", card_confidence=0.99)
    beside = unread(outline(12, 10))
    assert search_unread(picture(("Qd", lies)), [named, beside], CAMERA, FrameReader(200.0)) == [named, beside]


def test_backs_and_cards_that_were_read_are_left_alone() -> None:
    reader = FrameReader()
    cards = [replace(unread(outline(0, 0)), back=True), replace(unread(outline(80, 0)), card="7c")]
    assert search_unread(picture(), cards, CAMERA, reader) == cards
    assert reader.seen == 0


class Leaning(FrameReader):
    """Reads one name where a card is cut as it lies, and another where the cut leans."""

    def __init__(self, upright: str, leaning: str | None, most: int = 99) -> None:
        super().__init__()
        self.upright, self.leaning, self.most = upright, leaning, most

    def _read(self, crop: npt.NDArray[np.uint8]) -> Reading:
        corners = np.stack([crop[2, 2], crop[2, -3], crop[-3, 2], crop[-3, -3]]).astype(float)
        leans = corners.mean() <= 200
        self.most -= leans
        return Reading(self.leaning if leans and self.most >= 0 else self.upright, 0.9)


@pytest.mark.parametrize(("leaning", "told"), [("7c", None), ("Qd", "Qd"), (None, "Qd"), ("9h", "Qd")])
def test_a_name_is_told_where_no_cut_nearby_bears_another(leaning: str | None, told: str | None) -> None:
    card = replace(unread(outline(0, 0)), card="Qd", card_confidence=0.997)
    beside = replace(unread(outline(45, 0)), card="9h", card_confidence=0.99)
    reader = Leaning("Qd", leaning)
    (found, other) = undisputed(picture(("Qd", outline(0, 0))), [card, replace(beside, back=True)], CAMERA, reader)
    assert (found.card, found.face_up) == (told, True)
    assert found.card_confidence == (0.997 if told else 0.0)
    assert other.apart_mm(beside) == 0.0


class Stretching(FrameReader):
    """Reads another name where the card's middle is wider in the cut than it should be, and none where it leans."""

    def _read(self, crop: npt.NDArray[np.uint8]) -> Reading:
        red = np.abs(crop.astype(int) - INKS["Qd"]).max(axis=2) < 60
        wide, high = float(red[crop.shape[0] // 2].mean()), float(red.any(axis=1).mean())
        return Reading("7c" if wide > 0.7 else "Qd" if max(abs(wide - 0.6), abs(high - 0.6)) < 0.02 else None, 0.9)


def test_a_name_is_not_told_where_a_squeezed_cut_bears_another() -> None:
    card = replace(unread(outline(0, 0)), card="Qd", card_confidence=0.997)
    image = picture(("Qd", outline(0, 0)))
    (found,) = undisputed(image, [card], CAMERA, Stretching())
    assert found.card is None
    (kept,) = undisputed(image, [card], CAMERA, Leaning("Qd", None))
    assert kept.card == "Qd"


def test_a_name_that_most_cuts_nearby_bear_outweighs_another() -> None:
    card = replace(unread(outline(0, 0)), card="Qd", card_confidence=0.997)
    (found,) = undisputed(picture(("Qd", outline(0, 0))), [card], CAMERA, Leaning("Qd", "7c", most=1))
    assert found.card == "Qd"


def test_a_card_weakly_found_must_bear_its_name_in_other_cuts_too() -> None:
    card = replace(unread(outline(0, 0)), card="Qd", card_confidence=0.997, confidence=0.2)
    image = picture(("Qd", outline(0, 0)))
    for reader, told in ((FrameReader(150.0), "Qd"), (FrameReader(256.0), None)):
        assert undisputed(image, [card], CAMERA, reader, weak_below=0.35)[0].card == told
        assert undisputed(image, [card], CAMERA, reader, weak_below=0.15)[0].card == "Qd"


MARK = (220, 60, 20)


class MarkReader(FrameReader):
    """Knows a card only where its middle fills the cut as it should, and a mark stands at its upper or lower end."""

    def _read(self, crop: npt.NDArray[np.uint8]) -> Reading:
        h, w = crop.shape[:2]
        red, mark = (np.abs(crop.astype(int) - ink).max(axis=2) < 70 for ink in (INKS["Qd"], MARK))
        rows, columns = np.flatnonzero(red.any(axis=1)), np.flatnonzero(red.any(axis=0))
        if not len(rows) or not mark.any():
            return Reading(None, 0.1)
        fills = np.abs(np.array([np.ptp(rows) / h, np.ptp(columns) / w]) - 0.6).max() < 0.07
        amid = np.abs(np.array([rows.mean() / h, columns.mean() / w]) - 0.5).max() < 0.1
        at = np.array(np.nonzero(mark)).mean(axis=1) / (h, w) - 0.5
        fits = bool(fills and amid and abs(at[0]) > 0.3 > abs(at[1]))
        return Reading("Qd" if fits else None, 0.9 if fits else 0.2)
