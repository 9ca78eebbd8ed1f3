"""How many chips a thing that looks like a chip or a stack is.

A chip's upper face tells nothing of what lies below it. One chip is one where its rim lies on a neighbour's (chips can only be
spread so), where its side is seen to be one chip high, or where the house says that chips are never stacked. Else nobody knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vision.frames.picture import Image
from vision.looks.chips import ChipColor, ChipReaderLike, chip_colors
from vision.looks.spreads import OVERLAP_MM, gapped, squeezed
from vision.looks.stacks import (
    CHIP_HEIGHT_MM,
    CHIP_RADIUS_MM,
    CameraLike,
    OtherHeights,
    away_from_camera,
    cut_strip,
    foot_of,
    longest_side,
)

FloatArray = npt.NDArray[np.float64]

LONGER_MM = 2.0
"""A thing found as a stack whose box is so much longer than a chip is not told as one chip, whatever its side looks like."""

NEARER_MM = (3.0, 6.0)
"""A stack is read again as if it stood so much nearer the camera: chips of which nothing was believed since its foot was guessed too high come into sight.
Of 480 drawn stacks seen at 20 to 45 degrees 240 were told without, 20 of them wrongly; of the 224 that are the same so, 9 (docs/adr/0016)."""


class StackReadingLike(Protocol):
    """What a stack reader says of one strip; see `models.stack_reader.StackReading`."""

    @property
    def count(self) -> int | None:
        """Chips on one another, None where unsure."""

    @property
    def colors(self) -> tuple[str, ...] | None:
        """Their colours from the felt up."""


class StackReaderLike(Protocol):
    """Counts chips; see `models.stack_reader.StackReader`."""

    def __call__(
        self, strips: Sequence[npt.NDArray[np.uint8]], side_px: Sequence[float], /
    ) -> Sequence[StackReadingLike]:
        """One reading for each strip (72, 24, 6)."""


@dataclass(frozen=True, slots=True)
class ChipCount:
    """How many chips, None where the picture does not tell; of more than one the colours from the felt up.

    `top` is the colour of the upper face where it had to be read anew, None where what is known stays.
    """

    count: int | None
    colors: tuple[str, ...] = ()
    top: ChipColor | None = None


class ChipCounts:
    """Counts chips in a camera picture.

    Args:
        camera: where the table lies in it.
        chip_reader: names upper faces.
        stack_reader: counts what is stacked; None = nothing is ever counted.
        chips_spread: the house has chips laid singly or spread.
        heights_off: heights above the felt may be so far off, as a share, as the camera tells them; a stack is told only where that makes no difference.
    """

    def __init__(
        self,
        camera: CameraLike,
        chip_reader: ChipReaderLike,
        stack_reader: StackReaderLike | None,
        *,
        chips_spread: bool,
        heights_off: float = 0.0,
    ) -> None:
        self.camera, self.chip_reader, self.stack_reader = camera, chip_reader, stack_reader
        self.chips_spread, self.heights_off = chips_spread, heights_off

    def __call__(
        self,
        image: Image,
        boxes_mm: Sequence[npt.ArrayLike],
        single: Sequence[bool],
        spread: Sequence[bool],
        colors: Sequence[ChipColor],
    ) -> list[ChipCount]:
        """One count for each thing.

        Args:
            image: camera picture, BGR.
            boxes_mm: (4, 2) box of each on the felt.
            single: whether the detector took it for one chip.
            spread: whether it lies in a spread.
            colors: of the upper faces of single chips.
        """
        read = self._read(image, boxes_mm, single, [not lies for lies in spread])
        middles = [np.asarray(box, np.float64).mean(axis=0) for box in boxes_mm]
        places = [(float(x), float(y)) for x, y in middles]
        uneven, between = gapped(places, spread), squeezed(places, single)
        out = []
        for i, (lies, one) in enumerate(zip(spread, single, strict=True)):
            found = read.get(i)
            if between[i] or (lies and uneven[i]):
                out.append(ChipCount(None))
            elif lies:
                out.append(ChipCount(1))
            elif found is None:
                out.append(ChipCount(1 if one and self.chips_spread else None))
            elif one and found.count not in (None, 1) and colors[i].name not in (None, found.colors[-1]):
                out.append(ChipCount(None))
            else:
                out.append(found)
        return self._standing_apart(boxes_mm, single, out)

    def _standing_apart(
        self, boxes_mm: Sequence[npt.ArrayLike], single: Sequence[bool], counts: Sequence[ChipCount]
    ) -> list[ChipCount]:
        """The counts, open where a stack and another thing would stand in one place: one of them is a part of the other."""
        out = list(counts)
        known = [i for i, count in enumerate(counts) if count.count is not None]
        feet = {i: foot_of(self.camera, boxes_mm[i], stack=not single[i]) for i in known}
        for i, k in itertools.combinations(known, 2):
            if max(counts[i].count or 0, counts[k].count or 0) > 1 and np.hypot(*(feet[i] - feet[k])) < OVERLAP_MM:
                out[i] = out[k] = ChipCount(None)
        return out

    def _read(
        self, image: Image, boxes_mm: Sequence[npt.ArrayLike], single: Sequence[bool], wanted: Sequence[bool]
    ) -> dict[int, ChipCount]:
        """What the sides say, for those of which they say anything."""
        if self.stack_reader is None:
            return {}
        feet = {i: foot_of(self.camera, boxes_mm[i], stack=not single[i]) for i, ask in enumerate(wanted) if ask}
        told = self._sides(image, self.camera, feet)
        stacks = {i: foot for i, foot in feet.items() if i in told and told[i][0] > 1}
        for camera, nearer_mm in self._other_views():
            again = self._sides(
                image,
                camera,
                {
                    i: foot - nearer_mm * away_from_camera(self.camera, foot)[0]
                    for i, foot in stacks.items()
                    if i in told
                },
            )
            told = {i: said for i, said in told.items() if i not in stacks or again.get(i) == said}
        tops = self._tops(image, {i: (feet[i], count) for i, (count, _) in told.items() if not single[i]})
        out = {}
        for i, (count, named) in told.items():
            if count == 1 and not single[i] and longest_side(np.asarray(boxes_mm[i])) > 2 * CHIP_RADIUS_MM + LONGER_MM:
                continue
            top = tops.get(i)
            if top is not None and (top.none or (count > 1 and top.name not in (None, named[-1]))):
                continue
            out[i] = ChipCount(count, named if count > 1 else (), top)
        return out

    def _other_views(self) -> list[tuple[CameraLike, float]]:
        """Cameras as which, and by how much nearer to them, a stack is read again."""
        heights = (1 - self.heights_off, 1 + self.heights_off) if self.heights_off else ()
        return [
            *((self.camera, nearer_mm) for nearer_mm in NEARER_MM),
            *((OtherHeights(self.camera, factor), 0.0) for factor in heights),
        ]

    def _sides(
        self, image: Image, camera: CameraLike, feet: Mapping[int, FloatArray]
    ) -> dict[int, tuple[int, tuple[str, ...]]]:
        """What the stack reader says of what stands at these feet, where it says anything: how many, and their colours."""
        strips = {i: strip for i, foot in feet.items() if (strip := cut_strip(image, camera, foot)) is not None}
        if self.stack_reader is None or not strips:
            return {}
        readings = self.stack_reader(
            [strip.image for strip in strips.values()], [strip.side_px for strip in strips.values()]
        )
        return {
            i: (reading.count, reading.colors)
            for i, reading in zip(strips, readings, strict=True)
            if reading.count is not None and reading.colors is not None
        }

    def _tops(self, image: Image, stacks: dict[int, tuple[FloatArray, int]]) -> dict[int, ChipColor]:
        """Colours of the upper faces of stacks of known height."""
        places = []
        for foot, count in stacks.values():
            x, y = foot
            z = count * CHIP_HEIGHT_MM
            rim = [(x, y, z), (x + CHIP_RADIUS_MM, y, z), (x, y + CHIP_RADIUS_MM, z)]
            center, right, down = self.camera.image_from_table(rim)
            places.append((center, np.stack([right - center, down - center])))
        return dict(zip(stacks, chip_colors(image, places, self.chip_reader), strict=True))
