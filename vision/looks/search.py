"""Cards that lie beside their outline, found by reading.

Under another card, or white on white, an outline may be laid onto a print or onto a neighbour's edge, two centimetres off; what is
cut out by it is no card that a reader knows. The reader knows a card only where it is cut nearly right. So the outline is tried at
places around, and where several of them are read alike and none otherwise, there the card lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.reader import CARD_SIZE_MM
from vision.frames.picture import Image
from vision.looks.look import SAME_CARD_MM, CardSight
from vision.looks.reading import ReaderLike, ReadingLike, cut_cards

FloatArray = npt.NDArray[np.float64]

ACROSS_MM, ALONG_MM = np.arange(-20.0, 21.0, 5.0), np.arange(-25.0, 26.0, 5.0)
"""Shifts of the outline along its short and its long sides."""
FARTHEST_MM = 25.0
"""The longest of them."""
BEST, TURNS_DEG, STEP_MM = 8, (-12.0, -6.0, 6.0, 12.0), 2.5
"""So many of the places most like a card's face are tried further: turned, and shifted a little."""
LEAST_ALIKE = 2
"""Places that must be read alike."""
SQUEEZED = ((0.88, 1.0), (1.0, 0.88), (0.8, 1.0), (1.0, 0.8), (0.88, 0.88), (1.1, 1.1), (0.75, 0.9), (0.9, 0.75))
"""Shares of a card's width and length by which a name is tried too, for cards that slope otherwise than the table: a blurred club on a cut that is too long looks like a spade."""
OUTWEIGHING = 3
"""So many cuts nearby that bear a card's name outweigh one that bears another: beside a name that was wrong two did, beside two that were right six."""
NEIGHBOUR_MM = 90.0
"""A card that was read this near may be read again from places shifted onto it: its name tells nothing."""
_CORNERS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a card may lie: its middle, (2, 2) vectors along its short and its long sides, of length 1 and at right angles where it does not slope, and how long the sides are, a card's if nothing else is said."""

    middle_mm: FloatArray
    axes: FloatArray
    size_mm: tuple[float, float] = CARD_SIZE_MM

    @property
    def corners_mm(self) -> FloatArray:
        """(4, 2) its corners."""
        return np.asarray(self.middle_mm + (_CORNERS * self.size_mm) @ self.axes)

    def shifted(self, across_mm: float, along_mm: float) -> Place:
        """The same, moved along its sides."""
        return replace(self, middle_mm=self.middle_mm + np.array([across_mm, along_mm]) @ self.axes)

    def turned(self, angle_deg: float) -> Place:
        """The same, turned about its middle."""
        cos, sin = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
        return replace(self, axes=self.axes @ np.array([[cos, sin], [-sin, cos]]))

    def squeezed(self, across: float, along: float) -> Place:
        """The same of these shares of its width and its length."""
        return replace(self, size_mm=(self.size_mm[0] * across, self.size_mm[1] * along))

    def slanted(self, plane: FloatArray, shift_mm: FloatArray) -> Place:
        """What becomes of it where its plane does this (2, 2) and it is moved along its sides: a parallelogram."""
        return replace(self, middle_mm=self.middle_mm + shift_mm @ self.axes, axes=plane.T @ self.axes)

    def other_way(self) -> tuple[Place, Place]:
        """A card that lies across this one: of exact size, and squeezed into its outline, as one is that slopes otherwise than the table."""
        axes = np.stack([self.axes[1], -self.axes[0]])
        return Place(self.middle_mm, axes), Place(self.middle_mm, axes, self.size_mm[::-1])

    def nearer_to(self, cards: Sequence[CardSight], than: Place) -> bool:
        """Whether it lies nearer to where one of the cards was found than to another place: it is that card's then."""
        own = np.hypot(*(self.middle_mm - than.middle_mm))
        return any(np.hypot(*np.subtract(card.center_mm, self.middle_mm)) < own for card in cards)


Read = tuple[Place, ReadingLike]


def search_unread(
    image: Image,
    cards: Sequence[CardSight],
    camera: Camera,
    reader: ReaderLike,
    within_mm: float = FARTHEST_MM,
    before: Sequence[CardSight] = (),
) -> list[CardSight]:
    """The cards, those found anew that show their face, were not read, and can be read beside their outline.

    Args:
        image: camera picture, BGR.
        cards: in it.
        camera: where the table lies in it.
        reader: reads upright cards.
        within_mm: how far off along either side of the outline a card is looked for.
        before: cards read in earlier pictures, still lying where they lay: where one was is tried first.
    """
    out = list(cards)
    for i, card in enumerate(cards):
        if card.card is not None or card.back:
            continue
        near = [other for other in out if other is not card and other.apart_mm(card) < NEIGHBOUR_MM]
        there = [
            placed(old.corners_mm) for old in before if old.card is not None and old.apart_mm(card) <= SAME_CARD_MM
        ]
        tries = _Tries(image, camera, reader, near, placed(card.corners_mm))
        found = tries.beside(within_mm, there)
        if found is not None:
            out[i] = laid(card, *found, camera)
    return out


def undisputed(
    image: Image, cards: Sequence[CardSight], camera: Camera, reader: ReaderLike, weak_below: float = 0.0
) -> list[CardSight]:
    """The cards, without the names of those that bear another one where they are cut turned, shifted or squeezed a little, and their own not so often that it outweighs the other.

    Args:
        image: camera picture, BGR.
        cards: in it.
        camera: where the table lies in it.
        reader: reads upright cards.
        weak_below: cards found more weakly than this must bear their name in some of these cuts too.
    """
    out = list(cards)
    for i, card in enumerate(cards):
        if card.card is None:
            continue
        others = {other.card for other in cards if other.apart_mm(card) < NEIGHBOUR_MM}
        place = placed(card.corners_mm)
        cuts = [*_nearby(place), *(place.squeezed(*shares) for shares in SQUEEZED)]
        read = [reading.card for _, reading in read_at(image, cuts, camera, reader) if reading.card is not None]
        disputing = sum(name not in others for name in read)
        least = LEAST_ALIKE if card.confidence < weak_below else 0
        if read.count(card.card) < max(OUTWEIGHING * disputing, least):
            out[i] = replace(card, card=None, card_confidence=0.0)
    return out


@dataclass(frozen=True, slots=True)
class _Tries:
    """Tries to read a card, where it was outlined and elsewhere, as none of those near."""

    image: Image
    camera: Camera
    reader: ReaderLike
    near: Sequence[CardSight]
    start: Place

    def beside(self, within_mm: float, there: Sequence[Place]) -> Read | None:
        """Where it can be read beside its outline, and what; None where no name is read at several places, or two are."""
        again = self._agreed(self._read([place for at in there for place in (at, *_nearby(at))])) if there else None
        if again is not None:
            return again
        shifts = [(x, y) for x in ACROSS_MM for y in ALONG_MM if max(abs(x), abs(y)) <= within_mm]
        return self._about([self.start.shifted(*shift) for shift in shifts])

    def _about(self, places: Sequence[Place]) -> Read | None:
        """What is read alike at some places, and at those near the ones most like a card's face."""
        first = self._read(places)
        close = [near for place in likeliest(first, BEST) for near in _nearby(place)]
        return self._agreed([*first, *self._read(close)])

    def _read(self, places: Sequence[Place]) -> list[Read]:
        return read_at(self.image, places, self.camera, self.reader)

    def _agreed(self, tried: Sequence[Read]) -> Read | None:
        others = {other.card for other in self.near}
        told = [
            (place, reading)
            for place, reading in tried
            if reading.card is not None
            and reading.card not in others
            and not place.nearer_to(self.near, than=self.start)
        ]
        if len(told) < LEAST_ALIKE or len({reading.card for _, reading in told}) != 1:
            return None
        return max(told, key=lambda one: one[1].confidence)


def read_at(image: Image, places: Sequence[Place], camera: Camera, reader: ReaderLike) -> list[Read]:
    """What is read where a card is cut at each of these places."""
    outlines = [camera.image_from_table(place.corners_mm) for place in places]
    return list(zip(places, cut_cards(image, outlines, reader), strict=True))


def likeliest(tried: Sequence[Read], most: int) -> list[Place]:
    """So many of the places: those with a name, then those most like a card's face."""
    best = sorted(tried, key=lambda one: (one[1].card is not None, one[1].face_probability), reverse=True)
    return [place for place, _ in best[:most]]


def placed(corners_mm: FloatArray) -> Place:
    """The place of an outline (4, 2), made rectangular."""
    across = corners_mm[1] - corners_mm[0] + corners_mm[2] - corners_mm[3]
    along = corners_mm[3] - corners_mm[0] + corners_mm[2] - corners_mm[1]
    size_mm = float(np.linalg.norm(across)) / 2, float(np.linalg.norm(along)) / 2
    across = across / np.linalg.norm(across)
    beside = np.array([-across[1], across[0]])
    return Place(corners_mm.mean(axis=0), np.stack([across, beside if beside @ along > 0 else -beside]), size_mm)


def _nearby(place: Place) -> list[Place]:
    steps = ((STEP_MM, 0.0), (-STEP_MM, 0.0), (0.0, STEP_MM), (0.0, -STEP_MM))
    return [*(place.turned(angle) for angle in TURNS_DEG), *(place.shifted(*step) for step in steps)]


def laid(card: CardSight, place: Place, reading: ReadingLike, camera: Camera) -> CardSight:
    """The card, read and laid at a place."""
    corners = place.corners_mm
    x, y = place.middle_mm
    return replace(
        card,
        center_mm=(float(x), float(y)),
        corners_mm=corners,
        corners_px=camera.image_from_table(corners),
        face_up=True,
        card=reading.card,
        card_confidence=reading.confidence,
    )
