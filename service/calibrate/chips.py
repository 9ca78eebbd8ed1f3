"""The chips of a house, learned from one picture: what `pitwatch chips learn` does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from pathlib import Path

import numpy as np

from models.chip_matcher import ChipMatcher, face_text
from models.chip_reader import ChipReader
from models.detector import Detector
from models.reader import Reader
from service.errors import ServiceError
from service.screens.words import counted
from vision.frames.folder import read_picture
from vision.frames.picture import Image
from vision.looks.chips import chip_colors
from vision.stills.chip_finding import ChipFault, FoundChip, chip_scale, faults_of_light, faults_of_place, find_chips
from vision.stills.chip_set import LearnedChip, faults_of_names, learn_chips
from vision.stills.scale import WIDTHS_MM, estimated_scale
from vision.stills.see import BothWays

MOST_CENTS = 100_000_000
"""Highest value of a chip, as in a table's file."""
SAME_PLACE_SHARE = 0.5
"""In a row, chips whose middles are nearer from left to right than this share of a chip's width have no order."""


@dataclass(frozen=True, slots=True)
class Pointed:
    """A chip told by where it lies: a place in the picture (px) and its value."""

    at_px: tuple[float, float]
    cents: int


@dataclass(frozen=True, slots=True)
class ChipSet:
    """What was learned.

    Attributes:
        picture: the picture's name.
        image: the picture.
        chips: where they were found, left to right.
        cents: the value of each, None where it is not known or left open.
        learned: what each is called, () where it did not come to that.
        faults: what is wrong with them; () = the set may be used.
    """

    picture: Path
    image: Image
    chips: tuple[FoundChip, ...]
    cents: tuple[int | None, ...]
    learned: tuple[LearnedChip, ...] = ()
    faults: tuple[ChipFault, ...] = ()

    @property
    def values_cents(self) -> dict[str, int]:
        """Cents of each colour, by value."""
        both = zip(self.cents, self.learned, strict=True)
        pairs = sorted((cents, chip.color) for cents, chip in both if cents and chip.color)
        return {color: cents for cents, color in pairs}

    @property
    def faces(self) -> dict[str, str]:
        """The picture of each colour's chip as text for a table's file, by value."""
        of = {chip.color: face_text(chip.face) for chip in self.learned if chip.color and chip.face is not None}
        valued = list(self.values_cents)
        return {color: of[color] for color in [*valued, *sorted(of.keys() - valued)]}

    def left_open(self) -> ChipSet:
        """The same without values of the chips that cannot be told surely; their pictures stay, so that they are not taken for others."""
        if not self.learned:
            return self
        unsure = {number for fault in self.faults for number in fault.chips}
        cents = tuple(None if number in unsure else cents for number, cents in enumerate(self.cents))
        if not any(cents):
            return self
        return replace(self, cents=cents, faults=())

    def name(self, number: int) -> str:
        """A chip as an installer knows it: by its value or, without one, by where it lies."""
        cents, (x, y) = self.cents[number], self.chips[number].center_px
        return f"the chip worth {money(cents)}" if cents is not None else f"the chip at {x:.0f},{y:.0f}"

    def said(self, fault: ChipFault) -> str:
        """What is wrong, with the chips named."""
        return fault.what.format(*(self.name(number) for number in fault.chips))

    def verify(self) -> None:
        """Raises ServiceError with everything that is wrong."""
        if not self.faults:
            return
        whole = "; ".join(self.said(fault) for fault in self.faults)
        steps = list(dict.fromkeys(fault.do for fault in self.faults))
        raise ServiceError(whole, where=self.picture, do=". ".join(steps))


def learn(
    picture: Path, cents: Sequence[int] = (), pointed: Sequence[Pointed] = (), px_per_mm: float | None = None
) -> ChipSet:
    """Finds a chip of each value in a picture and names it; what is wrong stands in the answer.

    Args:
        picture: a picture file.
        cents: values of the chips from left to right; or
        pointed: the chips by where they lie; what else is found is left out.
        px_per_mm: scale, told by the chips if None.

    Raises:
        SourceError: the picture is missing or cannot be read.
        ModelError: the networks' weights are missing or broken.
    """
    image = read_picture(picture)
    chip_reader = ChipReader()
    chips, values, faults = _placed(image, px_per_mm, chip_reader, cents, pointed)
    height, width = image.shape[:2]
    faults = faults or faults_of_place(chips, (width, height))
    if faults:
        return ChipSet(picture, image, tuple(chips), tuple(values), (), tuple(faults))
    learned = learn_chips(image, chips, chip_reader, ChipMatcher())
    faults = [*faults_of_light(image, chips), *faults_of_names(learned)]
    return ChipSet(picture, image, tuple(chips), tuple(values), tuple(learned), tuple(faults))


def _placed(
    image: Image, px_per_mm: float | None, chip_reader: ChipReader, cents: Sequence[int], pointed: Sequence[Pointed]
) -> tuple[list[FoundChip], list[int | None], list[ChipFault]]:
    """The chips with their values, at the scale given or told.

    Where a scale tells nothing, as in a picture of a whole table with its prints, others are tried: until a chip is found at every place pointed at,
    or any where none was; what is found in a row at another scale must not be some of the chips only.
    """
    detector = Detector(threads=os.cpu_count() or 1)
    scales = [px_per_mm]
    if px_per_mm is None:
        scales = [estimated_scale(image, detector, Reader()), *(max(image.shape[:2]) / width for width in WIDTHS_MM)]
    first = None
    for scale in scales:
        found = [] if scale is None else _found(image, scale, detector, chip_reader, pointed, told=px_per_mm is None)
        placed = _pointed(found, pointed) if pointed else _in_a_row(found, cents)
        if not placed[2] or (found and not pointed):
            return placed
        first = first or placed
    assert first is not None
    return first


def _found(
    image: Image, scale: float, detector: Detector, chip_reader: ChipReader, pointed: Sequence[Pointed], *, told: bool
) -> list[FoundChip]:
    """The chips of a picture, looked at again at the scale that they tell if that is asked for; no prints, except where one was pointed at."""
    both = BothWays(detector)
    found = find_chips(image, both, scale)
    of_chips = chip_scale(found)
    if of_chips is not None and told:
        found = find_chips(image, both, of_chips)
    colors = chip_colors(image, [(chip.center_px, chip.axes_px) for chip in found], chip_reader)
    return [
        chip
        for chip, color in zip(found, colors, strict=True)
        if not color.none or any(_holds(chip, one.at_px) for one in pointed)
    ]


def _holds(chip: FoundChip, at_px: tuple[float, float]) -> bool:
    return float(np.hypot(*np.subtract(chip.center_px, at_px))) <= chip.radius_px


def _in_a_row(
    found: list[FoundChip], cents: Sequence[int]
) -> tuple[list[FoundChip], list[int | None], list[ChipFault]]:
    """The chips with the values told from left to right."""
    open_values: list[int | None] = [None] * len(found)
    if not found:
        do = "Lay the chips singly on plain felt and take them sharply from above, or tell the scale with --px-per-mm"
        return [], [], [ChipFault("no chip is found", do)]
    if len(found) != len(cents):
        places = ", ".join(f"{x:.0f},{y:.0f}" for x, y in (chip.center_px for chip in found))
        text = f"{counted(len(found), 'chip')} found (at {places}), but {counted(len(cents), 'value')} given"
        do = "Give one value for each chip from left to right, or say which chip is which with --at X,Y=VALUE"
        return found, open_values, [ChipFault(text, do)]
    faults = []
    for i, (chip, after) in enumerate(pairwise(found)):
        if after.center_px[0] - chip.center_px[0] < SAME_PLACE_SHARE * (chip.radius_px + after.radius_px):
            text = "{0} and {1} lie above one another, so that left to right says nothing"
            faults.append(
                ChipFault(text, "Lay the chips in one row, or say which is which with --at X,Y=VALUE", (i, i + 1))
            )
    return found, open_values if faults else list(cents), faults


def _pointed(
    found: list[FoundChip], pointed: Sequence[Pointed]
) -> tuple[list[FoundChip], list[int | None], list[ChipFault]]:
    """The chips pointed at with their values."""
    chips: dict[int, int] = {}
    faults = []
    for one in pointed:
        near = [i for i, chip in enumerate(found) if _holds(chip, one.at_px)]
        best = min(near, key=lambda i: float(np.hypot(*np.subtract(found[i].center_px, one.at_px))), default=None)
        x, y = one.at_px
        if best is None:
            places = ", ".join(f"{cx:.0f},{cy:.0f}" for cx, cy in (chip.center_px for chip in found)) or "nowhere"
            text = f"no chip is found at {x:g},{y:g} (chips are found at {places})"
            faults.append(ChipFault(text, "Point at the middle of a chip that lies singly"))
        elif best in chips:
            text = f"{x:g},{y:g} lies on a chip that was pointed at before"
            faults.append(ChipFault(text, "Point at every chip once"))
        else:
            chips[best] = one.cents
    order = sorted(chips)
    return [found[i] for i in order], [chips[i] for i in order], faults


def money(cents: int) -> str:
    """A value as it is typed and printed: 25, 0.50."""
    return f"{cents // 100}" if cents % 100 == 0 else f"{cents // 100}.{cents % 100:02d}"


def read_values(text: str) -> list[int]:
    """Values in dollars, separated by commas, as cents.

    Raises:
        ServiceError: one is none.
    """
    return [read_value(part, where="--values") for part in text.split(",")]


def read_value(text: str, *, where: str) -> int:
    """A value in dollars as cents.

    Raises:
        ServiceError: it is none.
    """
    do = "Give dollars, e.g. 25 or 0.50"
    try:
        cents = Decimal(text.strip().removeprefix("$")) * 100
    except InvalidOperation as error:
        raise ServiceError(f"{text.strip()!r} is no value", where=where, do=do) from error
    if not cents.is_finite() or cents != int(cents) or not 1 <= cents <= MOST_CENTS:
        most = money(MOST_CENTS)
        raise ServiceError(f"a chip is worth 0.01 to {most} in whole cents, got {text.strip()}", where=where, do=do)
    return int(cents)


def read_pointed(text: str) -> Pointed:
    """A chip from `X,Y=VALUE`.

    Raises:
        ServiceError: it is none.
    """
    place, equals, value = text.partition("=")
    try:
        x, y = (float(part) for part in place.split(","))
        if not equals or not np.isfinite([x, y]).all():
            raise ValueError(text)
    except ValueError as error:
        raise ServiceError(
            f"{text!r} is no chip", where="--at", do="Give place in pixels and value, e.g. --at 412,118=25"
        ) from error
    return Pointed((x, y), read_value(value, where="--at"))
