"""The chips of a single picture named together, once each was looked at by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from models.chip_reader import rectify_chip
from vision.frames.picture import Image
from vision.looks.chips import ChipColor, ChipReadingLike
from vision.looks.look import ChipSight, Looker
from vision.looks.stacks import away_from_camera

LEAST_SLANT = 0.1
"""Millimetres on the felt by which a millimetre of height shifts things, up to which the upper face of a stack lies where its box does: ten chips shift it by 3 mm there."""


class ChipsTogetherLike(Protocol):
    """Judges names of chips by one another; see `models.chips_together.ChipsTogether`."""

    def __call__(self, chips_bgr: Image, names: Sequence[str | None], /) -> Sequence[ChipReadingLike]:
        """One reading for each of (n, 32, 32, 3) pictures: with the name that it has, or none in its place; of one without, with that which it has if it lies alone."""


def named_together(
    image: Image, groups: Sequence[list[ChipSight]], looker: Looker, together: ChipsTogetherLike
) -> list[list[ChipSight]]:
    """The groups, without names that are not borne out by the other chips of the picture, and with those of chips that lie alone.

    Args:
        image: camera picture, BGR.
        groups: of chips that touch.
        looker: knows where the camera stands.
        together: judges the names.
    """
    seen = [chip for group in groups for chip in group if _shows_face(chip, looker)]
    if not seen:
        return list(groups)
    crops = np.stack([rectify_chip(image, *looker.disc_px(*chip.center_mm)) for chip in seen])
    readings = iter(together(crops, [chip.color.name for chip in seen]))
    return [
        [_named(chip, next(readings), alone=len(group) == 1) if _shows_face(chip, looker) else chip for chip in group]
        for group in groups
    ]


def is_stacked(chip: ChipSight) -> bool:
    """Whether it is chips on one another, or may be taken for that."""
    return chip.stack or (chip.count or 1) > 1


def _shows_face(chip: ChipSight, looker: Looker) -> bool:
    """Whether the upper face lies where the chip was found."""
    return not is_stacked(chip) or away_from_camera(looker.camera, chip.center_mm)[1] <= LEAST_SLANT


def _named(chip: ChipSight, reading: ChipReadingLike, *, alone: bool) -> ChipSight:
    """The chip as it is called now; one that had no name takes one only if it lies alone."""
    if reading.color == chip.color.name or (chip.color.name is None and not alone):
        return chip
    return replace(chip, color=ChipColor(reading.color, reading.confidence if reading.color else 0.0))
