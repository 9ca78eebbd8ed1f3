"""Cards that slope otherwise than the table are read where they lie, and nothing is read that only might be there."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from test_search import CAMERA, MARK, SIZE, FrameReader, MarkReader, Reading, outline, picture, unread

from datasets.draw.cards import CardDesign
from models.reader import Reader
from vision.looks.search import placed, search_unread, undisputed
from vision.stills.slopes import BEST, FIRST, FURTHER, LEAST_ALIKE, MOST_CARDS, OUTWEIGHING, Slants, search_slopes

Corners = npt.NDArray[np.float64]


PALE = np.full((SIZE[1], SIZE[0], 3), 200, np.uint8)


def sloping(across: float, along: float, slant: float, angle_deg: float = 0.0) -> Corners:
    """A card whose picture is so wide and long, as shares of a card's, and slanted."""
    corners = outline(0, 0) @ np.array([[across, 0.0], [slant * along, along]])
    angle = np.radians(angle_deg)
    return np.asarray(corners @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def drawn(card: str, corners: Corners) -> npt.NDArray[np.uint8]:
    """A card of our drawing, put into the picture by three of its corners."""
    face = cv2.cvtColor(CardDesign.random(np.random.default_rng(3)).face(card), cv2.COLOR_BGRA2BGR)
    h, w = face.shape[:2]
    own = np.array([[0, 0], [w, 0], [w, h]], np.float32)
    warp = cv2.getAffineTransform(own, CAMERA.image_from_table(corners)[:3].astype(np.float32))
    image = np.full((SIZE[1], SIZE[0], 3), (60, 90, 40), np.uint8)
    cv2.warpAffine(face, warp, SIZE, dst=image, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT)
    return image


@pytest.mark.parametrize(("across", "along", "slant"), [(0.75, 1.0, 0.0), (0.85, 0.95, -0.25), (1.0, 0.75, 0.1)])
@pytest.mark.parametrize("angle_deg", [0.0, 35.0])
def test_a_card_that_slopes_is_read_and_laid_where_it_is(
    across: float, along: float, slant: float, angle_deg: float, reader: Reader
) -> None:
    lies = sloping(across, along, slant, angle_deg)
    guessed = unread(outline(4.0, -3.0, angle_deg))
    (found,) = search_slopes(drawn("Qd", lies), [guessed], CAMERA, reader)
    assert found.card == "Qd"
    assert off_mm(found.corners_mm, lies) < min(8.0, off_mm(guessed.corners_mm, lies))
    assert np.allclose(found.corners_px, CAMERA.image_from_table(found.corners_mm))


def off_mm(found: Corners, lies: Corners) -> float:
    """How far the corners are off on average; a card looks alike turned by half."""
    return min(float(np.linalg.norm(found - np.roll(lies, k, axis=0), axis=1).mean()) for k in (0, 2))


def test_it_finds_what_upright_cuts_do_not(reader: Reader) -> None:
    image, guessed = drawn("7c", sloping(0.72, 0.95, -0.3)), unread(outline(0, 0))
    assert search_unread(image, [guessed], CAMERA, reader)[0].card is None
    assert search_slopes(image, [guessed], CAMERA, reader)[0].card == "7c"


def test_the_name_of_a_dark_card_is_not_believed(reader: Reader) -> None:
    lies = sloping(0.85, 0.95, -0.25)
    image, guessed = drawn("Qd", lies), unread(outline(4.0, -3.0))
    assert search_slopes(np.asarray(image // 2, np.uint8), [guessed], CAMERA, reader)[0].card == "Qd"
    named = Telling(*("Qd",) * LEAST_ALIKE)
    assert search_slopes(np.asarray(image // 6, np.uint8), [guessed], CAMERA, named)[0].card is None


def test_what_is_no_card_is_not_read(reader: Reader) -> None:
    noise = np.random.default_rng(5).integers(0, 255, (SIZE[1] // 8, SIZE[0] // 8, 3)).astype(np.uint8)
    image = np.asarray(cv2.resize(noise, SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)
    assert search_slopes(image, [unread(outline(0, 0))], CAMERA, reader)[0].card is None


@pytest.mark.parametrize("squeezed", [False, True], ids=["of exact size", "at a slope"])
def test_a_card_that_lies_across_its_outline_is_read(squeezed: bool) -> None:
    guessed = outline(0, 0)
    lies = np.roll(guessed, 1, axis=0) if squeezed else outline(0, 0, 90.0)
    image = picture(("Qd", lies))
    ((x, y),) = CAMERA.image_from_table([lies[:2].mean(axis=0) * 0.8 + lies.mean(axis=0) * 0.2]).tolist()
    cv2.circle(image, (round(x), round(y)), 9, MARK, -1)
    assert [card.card for card in search_unread(image, [unread(guessed)], CAMERA, MarkReader())] == [None]
    (found,) = search_slopes(image, [unread(guessed)], CAMERA, MarkReader())
    assert found.card == "Qd"
    assert min(np.abs(found.corners_mm - np.roll(lies, k, axis=0)).max() for k in range(4)) < 12.0
    (kept,) = undisputed(image, [found], CAMERA, MarkReader())
    assert kept.card == "Qd", "it is cut nearby as it was read"


class Telling(FrameReader):
    """Says these names one after the other, then nothing."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.names = list(names)

    def _read(self, crop: npt.NDArray[np.uint8]) -> Reading:
        self.seen += 1
        return Reading(self.names.pop() if self.names else None, 0.9)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("Qd",) * (LEAST_ALIKE - 1), None),
        (("Qd",) * LEAST_ALIKE, "Qd"),
        (("Qd",) * (OUTWEIGHING * 2 - 1) + ("7c",) * 2, None),
        (("Qd",) * (OUTWEIGHING * 2) + ("7c",) * 2, "Qd"),
        (("Qd",) * (OUTWEIGHING * 2) + ("7c",) * 2 + ("Ks",) * 2, "Qd"),
        ((), None),
    ],
)
def test_a_name_has_to_outweigh_the_others(names: tuple[str, ...], told: str | None) -> None:
    (found,) = search_slopes(PALE, [unread(outline(0, 0))], CAMERA, Telling(*names))
    assert found.card == told


def test_a_name_that_another_card_bears_tells_nothing() -> None:
    named = replace(unread(outline(120, 60)), card="Qd", card_confidence=0.99)
    cards = [named, unread(outline(0, 0))]
    assert search_slopes(PALE, cards, CAMERA, Telling(*("Qd",) * 20))[1].card is None
    told = search_slopes(PALE, cards, CAMERA, Telling(*("Qd",) * 20, *("7c",) * LEAST_ALIKE))
    assert told[1].card == "7c"
    both = search_slopes(PALE, [unread(outline(0, 0)), unread(outline(90, 0))], CAMERA, Telling(*("Qd",) * 900))
    assert [card.card for card in both] == ["Qd", None]


def test_backs_and_cards_with_a_name_are_left_alone_and_the_same_picture_is_read_alike() -> None:
    reader, card = FrameReader(), unread(outline(0, 0))
    named, back = replace(card, card="7c", card_confidence=0.99), replace(card, back=True, face_up=False)
    assert search_slopes(PALE, [named, back], CAMERA, reader) == [named, back]
    assert reader.seen == 0
    image = picture(("Qd", sloping(0.85, 0.95, 0.1)))
    first, again = (search_slopes(image, [card], CAMERA, FrameReader(200.0))[0] for _ in range(2))
    assert first.card == "Qd"
    assert np.array_equal(first.corners_mm, again.corners_mm)


def test_of_many_cards_the_surest_are_searched() -> None:
    cards = [replace(unread(outline(0, 0)), confidence=0.4 + i / 100) for i in range(MOST_CARDS + 3)]
    reader = Telling()
    search_slopes(PALE, cards, CAMERA, reader)
    assert reader.seen == MOST_CARDS * (FIRST + BEST * FURTHER)
    found = search_slopes(PALE, cards, CAMERA, Telling(*("Qd",) * LEAST_ALIKE))
    assert [card.card for card in found] == [None] * (MOST_CARDS + 2) + ["Qd"]


def test_cuts_are_drawn_about_the_outline() -> None:
    place = placed(outline(100.0, 50.0))
    ways = Slants.drawn(np.random.default_rng(0), FIRST).of(place)
    middles = np.array([way.middle_mm for way in ways])
    assert np.abs(middles.mean(axis=0) - (100.0, 50.0)).max() < 2.0
    areas = [abs(np.linalg.det(way.axes)) for way in ways]
    assert 0.8 < float(np.median(areas)) < 1.0
    assert np.linalg.norm(middles - (100.0, 50.0), axis=1).max() < 45.0
