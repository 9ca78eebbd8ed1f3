"""Chips: cut from the camera picture and named by the chip reader, counted one by one, and summed to cents.

Where one colour is unknown the amount is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.chip_reader import rectify_chip
from vision.frames.picture import Image

Place = tuple[npt.ArrayLike, npt.ArrayLike]
"""Where a chip's face lies in a picture: its middle, the middle of the first pixel at (0, 0), and (2, 2) vectors from there to its rim."""
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

    @property
    def likeliest(self) -> str:
        """The likeliest colour, or another word where none is."""


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
    image: Image,
    places: Sequence[Place],
    reader: ChipReaderLike,
    better: Sequence[Callable[[Sequence[int]], Sequence[Place]]] = (),
) -> list[ChipColor]:
    """Name single chips.

    Args:
        image: camera picture, BGR.
        places: of their faces.
        reader: names chips.
        better: each finds other places of these chips (numbers in `places`). What is left open is looked at there again, and named
            where that look is sure of what the first took for likeliest.
    """
    readings = _read(image, places, reader)
    for places_of in better:
        unsure = [i for i, said in enumerate(readings) if said.color is None and said.none_probability < SURE_OF_NONE]
        if not unsure:
            break
        for i, said in zip(unsure, _read(image, places_of(unsure), reader), strict=True):
            if said.color is not None and said.color == readings[i].likeliest:
                readings[i] = said
    return [
        ChipColor(reading.color, reading.confidence if reading.color else 0.0, reading.none_probability >= SURE_OF_NONE)
        for reading in readings
    ]


def _read(image: Image, places: Sequence[Place], reader: ChipReaderLike) -> list[ChipReadingLike]:
    """What the reader says of each place."""
    return list(reader(np.stack([rectify_chip(image, *place) for place in places]))) if places else []


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
