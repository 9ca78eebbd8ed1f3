"""Chips: cut from the camera picture and named by the chip reader, counted one by one, and summed to cents.

Where one colour is unknown the amount is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.chip_reader import rectify_chip
from vision.source import Image

SURE_OF_NONE = 0.9
"""Probability from which on the chip reader overrules the detector: there is no chip."""


class ChipReadingLike(Protocol):
    """What a chip reader says of one chip; see `models.chip_reader.ChipReading`."""

    @property
    def color(self) -> str | None:
        """Name of its colour, None where unsure."""

    @property
    def confidence(self) -> float:
        """Of the likeliest class, 0..1."""

    @property
    def none_probability(self) -> float:
        """That no chip's face is seen there, 0..1."""


class ChipReaderLike(Protocol):
    """Names chips; see `models.chip_reader.ChipReader`."""

    def __call__(self, chips_bgr: Image, /) -> Sequence[ChipReadingLike]:
        """One reading for each of (n, 32, 32, 3) pictures."""


@dataclass(frozen=True, slots=True)
class ChipColor:
    """A colour with its confidence 0..1; `name` None where unsure, `none` where there surely is no chip."""

    name: str | None
    confidence: float
    none: bool = False


def chip_colors(
    image: Image, places: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]], reader: ChipReaderLike
) -> list[ChipColor]:
    """Name single chips.

    Args:
        image: camera picture, BGR.
        places: for each chip the middle of its face, the middle of the first pixel at (0, 0), and (2, 2) image vectors
            from there to its rim.
        reader: names chips.
    """
    if not places:
        return []
    crops = np.stack([rectify_chip(image, center, axes) for center, axes in places])
    return [
        ChipColor(reading.color, reading.confidence if reading.color else 0.0, reading.none_probability >= SURE_OF_NONE)
        for reading in reader(crops)
    ]


def counted(colors: Iterable[str | None]) -> tuple[tuple[str, int], ...] | None:
    """Chips by colour, sorted by name; None where one colour is unknown."""
    names = list(colors)
    if any(name is None for name in names):
        return None
    return tuple(sorted(Counter(name for name in names if name is not None).items()))


def amount_cents(chips: tuple[tuple[str, int], ...] | None, values_cents: Mapping[str, int]) -> int | None:
    """What chips are worth in cents; None where they are unknown or one colour has no value at this table."""
    if chips is None or any(color not in values_cents for color, _ in chips):
        return None
    return sum(values_cents[color] * count for color, count in chips)
