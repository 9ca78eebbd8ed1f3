"""Single pictures: what `pitwatch see` says of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from models.chip_matcher import ChipMatcher
from models.chip_reader import ChipReader
from models.chips_together import ChipsTogether
from models.detector import Detector
from models.reader import Reader
from models.stack_reader import StackReader
from rules.table import CHIP_COLORS
from service.config import faces_of
from service.errors import ServiceError
from service.sight import readers_of_house
from service.textfiles import parse_yaml, read_text
from vision.frames.folder import read_picture
from vision.frames.picture import Image
from vision.stills.scale import ScaleError
from vision.stills.see import CHIP_VALUES, see

SCALE_ADVICE = "Give the scale that the table has in the picture, or none: it is estimated then"
"""What to do about a scale at which a picture would show more than a table."""


def see_pictures(
    images: Sequence[Path],
    *,
    px_per_mm: float | None = None,
    chips: Path | None = None,
    chips_spread: bool = False,
) -> Iterator[dict[str, Any]]:
    """What is seen in each picture, in their order, as JSON values.

    Args:
        images: picture files.
        px_per_mm: their scale, estimated for each if None.
        chips: a chip set's file, the default set if None.
        chips_spread: nobody stacks chips there, so that a chip seen alone is one chip.

    Raises:
        SourceError: a picture is missing or cannot be read.
        ServiceError: the chip set is none, or the scale is none of a picture of a table.
        ModelError: the networks' weights are missing or broken.
    """
    values, faces = load_chips(chips) if chips is not None else (CHIP_VALUES, {})
    for path in images:
        read_picture(path)
    threads = os.cpu_count() or 1
    detector, reader, usual = Detector(threads=threads), Reader(threads=threads), ChipReader()
    stack_reader = StackReader(single_pictures=True)
    chip_reader, counter = readers_of_house(faces, usual, stack_reader)
    together = None if faces else ChipsTogether(usual, ChipMatcher())
    for path in images:
        try:
            seen = see(
                read_picture(path),
                detector,
                reader,
                chip_reader,
                stack_reader=counter,
                together=together,
                px_per_mm=px_per_mm,
                chip_values=values,
                chips_spread=chips_spread,
            )
        except ScaleError as error:
            raise ServiceError(str(error), where=path, do=SCALE_ADVICE) from error
        yield {"image": str(path), **seen}


def load_chips(path: Path) -> tuple[Mapping[str, int], Mapping[str, Image]]:
    """A chip set: a YAML file that gives each colour its value in whole units, and the pictures of its chips where they were learned.

    Raises:
        ServiceError: no such file, not YAML, not colours with values, or not pictures of chips.
    """
    do = f"Write lines like 'red: 5'; colours are {', '.join(CHIP_COLORS)}"
    raw = parse_yaml(read_text(path, what="chip set", do=do), where=path, do=do)
    faces: Mapping[str, Image] = {}
    if isinstance(raw, Mapping) and set(raw) in ({"chips"}, {"chips", "chip_faces"}):
        faces = _faces(raw.get("chip_faces") or {}, path)
        raw = raw["chips"]
    if not isinstance(raw, Mapping) or not raw:
        raise ServiceError("this is no chip set", where=path, do=do)
    for color, value in raw.items():
        if color not in (faces or CHIP_COLORS):
            raise ServiceError(f"{color!r} is no chip colour", where=path, do=do)
        if type(value) is not int or value < 0:
            raise ServiceError(f"the value of {color} must be a whole number, got {value!r}", where=path, do=do)
    return {str(color): int(value) for color, value in raw.items()}, faces


def _faces(raw: object, path: Path) -> Mapping[str, Image]:
    if not isinstance(raw, Mapping) or not all(isinstance(part, str) for pair in raw.items() for part in pair):
        do = "Learn the chips anew: pitwatch chips learn"
        raise ServiceError("chip_faces holds no pictures of chips", where=path, do=do)
    return faces_of(raw, where=path)
