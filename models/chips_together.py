"""Chips of one picture, named by what they look like beside one another.

    together = ChipsTogether(ChipReader(), ChipMatcher())
    blue, other = together(crops, ["blue", None])
    other.color  # "green": likely by itself, and it looks otherwise than the blue one

Chips of a house that have one colour look alike, and in one picture their light is alike too. So a chip that looks like none of those
surely called blue there is not blue: the colour it would have otherwise is surer by that, and a name that its look belies is taken back.
How alike two chips look is the chip matcher's to tell, which was trained on drawn houses of all colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from models.chip_matcher import ChipMatcher
from models.chip_reader import CLASS_NAMES, ChipReader, ChipReading, said

ALONE, ALONE_NONE = 0.95, 0.01
"""Threshold, and most probability of no chip, of a chip that its reader left open, lies alone, and is seen in a single picture, of which nobody is accused: of 16,000 crops of sets never
trained on one name in a hundred is wrong, colours without a name included (models/cards/chips.md). Where other chips rule colours out the reader's own threshold holds."""
OTHERWISE = 0.75
"""Likeness (cosine) to all chips of a colour below which a chip that is torn between that and another is of the other. Of 7,183 drawn chips with others of their colour in the picture 99.5% are as
like as 0.78 to one of these; of pairs of two colours 99.9% are less alike than 0.69. A name is only taken back where it is less than a stranger's to a house (`models.chip_matcher`), 0.60."""


class ChipsTogether:
    """Names the chips of a picture together.

    Args:
        reader: names single chips.
        matcher: tells how alike two chips look.
    """

    def __init__(self, reader: ChipReader, matcher: ChipMatcher) -> None:
        self._reader, self._matcher = reader, matcher

    def __call__(self, chips_bgr: npt.NDArray[np.uint8], names: Sequence[str | None]) -> list[ChipReading]:
        """What the chips are called once all are known.

        Args:
            chips_bgr: (n, 32, 32, 3) crops of the chips, from `models.chip_reader.rectify_chip`.
            names: what each is surely called by itself, None where that is open.

        Returns:
            One reading each, in order. Of a chip with a name it has that name, or none where the chip looks like none of the others
            called so; of one without, the name that it has if it lies alone, or none where that is open still.

        Raises:
            ValueError: crops of another shape or type, or not one name for each.
        """
        if len(chips_bgr) != len(names):
            raise ValueError(f"expected a name or None for each of {len(chips_bgr)} crops, got {len(names)}")
        if len(names) == 0:
            return []
        points = self._matcher.points(chips_bgr)
        alike = points @ points.T
        readings = []
        for i, (name, shares) in enumerate(zip(names, self._reader.shares(chips_bgr), strict=True)):
            others = [*names[:i], *names[i + 1 :]]
            limit = OTHERWISE if name is None else self._matcher.stranger
            belied = _belied(np.delete(alike[i], i) < limit, others)
            if name is None:
                readings.append(self._alone(shares, belied))
            else:
                readings.append(replace(said(shares, 0.0), color=None if name in belied else name))
        return readings

    def _alone(self, shares: npt.NDArray[np.float32], belied: Sequence[str]) -> ChipReading:
        """What is said of a chip that lies alone, of whose colours some are ruled out; nothing where the likeliest is."""
        plain = said(shares, ALONE, ALONE_NONE)
        if plain.likeliest in belied:
            return replace(plain, color=None)
        if plain.color is not None:
            return plain
        left = shares * ~np.isin(CLASS_NAMES, belied)
        return said(left / left.sum(), self._reader.threshold, ALONE_NONE)


def _belied(unlike: npt.NDArray[np.bool_], names: Sequence[str | None]) -> list[str]:
    """The colours by which others are called that all look otherwise."""
    alike = {name for name, other in zip(names, unlike, strict=True) if not other}
    return sorted({name for name in names if name is not None} - alike)
