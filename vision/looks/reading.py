"""Reads cards from a picture whose corners are known only roughly.

Each card is cut twice, by the corners as detected and by the corners put on the card's own edges: where one cut is off
(the edge of a print or of a neighbour was taken for the card's), the other is usually right. Two different answers are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.reader import card_px_per_mm, rectify_card
from vision.frames.picture import Image

FloatArray = npt.NDArray[np.float64]

HALF_PX = 0.5
"""The networks count pixels from the corner of the first, OpenCV and the camera from its middle."""
BACK_CERTAINTY = 0.9
"""From here on the reader overrules the detector on which side is up."""
BOTH_CERTAIN = 0.99
"""From here on a card that the detector saw face down, too, is not read by other corners. No other try named any of 1,439 such cards of two films."""
FACE_CERTAINTY = 0.5
"""From here on a card that cannot be read is believed to show its face; below, a white back is as likely."""


class ReadingLike(Protocol):
    """What a reader says of one card; see `models.reader.Reading`."""

    @property
    def card(self) -> str | None:
        """Rank and suit or "Jo", None where unsure."""

    @property
    def confidence(self) -> float:
        """Of the likeliest class, 0..1."""

    @property
    def likeliest(self) -> str:
        """The likeliest class: a card's name, sure or not, or another word."""

    @property
    def back_probability(self) -> float:
        """That it is the back of a card, 0..1."""

    @property
    def face_probability(self) -> float:
        """That it is the face of a card, whichever, 0..1."""


class ReaderLike(Protocol):
    """Reads upright card pictures; see `models.reader.Reader`."""

    def __call__(self, cards_bgr: Image, px_per_mm: Sequence[float] | None = None, /) -> Sequence[ReadingLike]:
        """One reading for each of (n, 192, 128, 3) pictures, cut from pictures of these scales."""


@dataclass(frozen=True, slots=True)
class CardReading:
    """What is known of one card: `card` None where unsure, `back` where it surely shows its back, `face` where its face."""

    card: str | None
    confidence: float
    back: bool
    face: bool


def read_cards(
    image: Image,
    corners_px: Sequence[Sequence[FloatArray]],
    reader: ReaderLike,
    taken_for_backs: Sequence[bool] | None = None,
) -> list[CardReading]:
    """Read cards, each given by one or more tries at its corners.

    Args:
        image: camera picture, BGR.
        corners_px: for each card, (4, 2) corners per try, the middle of the first pixel at (0, 0).
        reader: reads upright cards.
        taken_for_backs: which cards the detector saw face down. Where the reader, surely, says so too by the first try, there
            is nothing to read and no other try is made; None: all tries of all cards are.
    """
    down = taken_for_backs or [False] * len(corners_px)
    first = [tries[:1] if back else tries for tries, back in zip(corners_px, down, strict=True)]
    readings = _read_all(image, first, reader)
    unsure = [
        i for i, back in enumerate(down) if back and readings[i] and readings[i][0].back_probability < BOTH_CERTAIN
    ]
    for i, rest in zip(unsure, _read_all(image, [corners_px[i][1:] for i in unsure], reader), strict=True):
        readings[i] += rest
    return [_agreed(found) for found in readings]


def _read_all(image: Image, corners_px: Sequence[Sequence[FloatArray]], reader: ReaderLike) -> list[list[ReadingLike]]:
    """What each try at each card says, all of them read at once."""
    every = [corners for tries in corners_px for corners in tries]
    readings = iter(cut_cards(image, every, reader) if every else [])
    return [[next(readings) for _ in tries] for tries in corners_px]


def cut_cards(image: Image, corners_px: Sequence[FloatArray], reader: ReaderLike) -> list[ReadingLike]:
    """One reading for each outline (4, 2), the middle of the first pixel at (0, 0)."""
    cuts = np.stack([rectify_card(image, corners + HALF_PX) for corners in corners_px])
    return list(reader(cuts, [card_px_per_mm(corners) for corners in corners_px]))


def _agreed(readings: Sequence[ReadingLike]) -> CardReading:
    answers = {reading.card for reading in readings if reading.card is not None}
    if len(answers) == 1:
        (card,) = answers
        return CardReading(card, max(reading.confidence for reading in readings if reading.card == card), False, True)
    face = max(reading.face_probability for reading in readings) >= FACE_CERTAINTY
    back = not answers and max(reading.back_probability for reading in readings) >= BACK_CERTAINTY
    return CardReading(None, 0.0, back, face)
