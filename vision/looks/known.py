"""Cards that were read often enough are not read again while their picture is the same.

A card that lies where it lay shows the networks the same at every rest of its area, and reading is the dearest part of a look. What
is remembered was read in several looks, each sure and all alike; a few pixels that differ are enough to have it read again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames.picture import Image, largest_level
from vision.looks.reading import CardReading

FloatArray = npt.NDArray[np.float64]

OFTEN = 3
"""Looks that must have read a card, all the same: as many as a rest has."""
SAME_PLACE_PX = 2.0
"""Most by which corners of one card differ between looks; they are searched in steps of 0.75 mm."""
SAME_LEVEL = 16
"""Levels by which a pixel of any colour must differ to count."""
SAME_PX = 6
"""Most pixels that may differ: a single pip covers some sixty, an edge moved by a quarter of a millimetre twenty."""
MOST_KEPT = 12
"""Cards kept an area; the one not seen for longest goes first."""


@dataclass(slots=True, eq=False)
class _Known:
    """A card, its piece of the view, and what it was read as in successive looks."""

    corners_px: FloatArray
    corner_px: tuple[int, int]
    piece: Image
    readings: list[CardReading] = field(default_factory=list)

    def shows(self, view: Image, corners_px: FloatArray) -> bool:
        """Whether the card at these corners, or the same after a half turn, is this one, unchanged."""
        turned = np.roll(corners_px, 2, axis=0)
        if min(float(np.abs(way - self.corners_px).max()) for way in (corners_px, turned)) > SAME_PLACE_PX:
            return False
        (x, y), (h, w) = self.corner_px, self.piece.shape[:2]
        apart = largest_level(np.asarray(cv2.absdiff(view[y : y + h, x : x + w], self.piece), np.uint8))
        mask = np.zeros((h, w), np.uint8)
        cv2.fillConvexPoly(mask, np.round(self.corners_px - self.corner_px).astype(np.int32), 1)
        return int(np.count_nonzero(apart[mask > 0] > SAME_LEVEL)) <= SAME_PX


class KnownCards:
    """What was read in one area."""

    def __init__(self) -> None:
        self._cards: list[_Known] = []

    def reading(self, view: Image, corners_px: FloatArray, *, down: bool = False) -> CardReading | None:
        """What the card at these corners surely is, None where it has to be read.

        Args:
            view: (h, w, 3) the area from straight above.
            corners_px: (4, 2) of the card in it.
            down: the detector sees its back; read as one, that is known at once, since there is no name to be sure of.
        """
        known = self._find(view, corners_px)
        if known is None or not known.readings:
            return None
        if len(known.readings) < (1 if down and known.readings[-1].back else OFTEN):
            return None
        self._cards.remove(known)
        self._cards.append(known)
        confidence = float(np.mean([reading.confidence for reading in known.readings]))
        return replace(known.readings[-1], confidence=confidence)

    def learn(self, view: Image, corners_px: FloatArray, reading: CardReading) -> None:
        """Remember what a card was read as; whatever lay there otherwise is forgotten.

        Args:
            view: (h, w, 3) it was read in.
            corners_px: (4, 2) its outline in the view.
            reading: what it was read as; neither card nor back forgets it.
        """
        known = self._find(view, corners_px)
        self._cards = [card for card in self._cards if card is known or not _overlap(card.corners_px, corners_px)]
        if reading.card is None and not reading.back:
            self._cards = [card for card in self._cards if card is not known]
            return
        if known is None:
            low = np.maximum(np.floor(corners_px.min(axis=0)).astype(int), 0)
            high = np.minimum(np.ceil(corners_px.max(axis=0)).astype(int) + 1, view.shape[1::-1])
            if (high <= low).any():
                return
            (x0, y0), (x1, y1) = low.tolist(), high.tolist()
            known = _Known(corners_px, (x0, y0), view[y0:y1, x0:x1].copy())
            self._cards = [*self._cards, known][-MOST_KEPT:]
        if known.readings and _said(known.readings[-1]) != _said(reading):
            known.readings.clear()
        known.readings.append(reading)

    def _find(self, view: Image, corners_px: FloatArray) -> _Known | None:
        return next((known for known in self._cards if known.shows(view, corners_px)), None)


def _said(reading: CardReading) -> tuple[str | None, bool]:
    return reading.card, reading.back


def _overlap(one_px: FloatArray, other_px: FloatArray) -> bool:
    """Whether two cards' middles are nearer than a quarter of a card."""
    return float(np.hypot(*(one_px.mean(axis=0) - other_px.mean(axis=0)))) < 16.0
