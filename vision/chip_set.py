"""Learns what a house's chips are called from one picture with a chip of each value.

    chips = find_chips(image, detector, px_per_mm)
    learned = learn_chips(image, chips, chip_reader)
    learned[0].color   # what the chip reader calls it, in every light

The chip reader tells seven colours apart, whatever the maker. A set is learned by finding out which of them each chip is called:
every face is read turned, and in forty kinds of light made from the one of the picture. A chip that is called by two names,
nearly always by none, or by the name of another chip of the set, is refused: its wagers could not be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.chip_reader import rectify_chip
from vision.chip_finding import ChipFault, FoundChip, body_color_lab
from vision.chips import ChipReaderLike
from vision.source import Image

FloatArray = npt.NDArray[np.float64]

GAINS = (0.6, 0.8, 1.0, 1.25)
"""Brightness against that of the picture."""
WARMTHS = (-0.16, -0.08, 0.0, 0.08, 0.16)
"""Share by which the blue is raised and the red lowered (or the other way)."""
SOFTNESS_PX = (0.0, 0.9)
"""Gaussian blur of a crop."""
TURNS_DEG = (0.0, 30.0, 60.0)
"""Turns of a face; the chip reader itself turns by quarters."""
TRIES = len(GAINS) * len(WARMTHS) * len(SOFTNESS_PX) * len(TURNS_DEG)
"""In how many ways each chip is read."""
LEAST_NAMED = 0.2
"""Share of the ways in which a chip must be called by its name. The others may stay open: in such light its wagers have no amount, which is
told with the set; a wrong name is what makes a set useless."""
MOST_OTHERS = 0.01
"""Share of the ways in which it may be called by a name that no other chip of the set has."""


@dataclass(frozen=True, slots=True)
class LearnedChip:
    """What a chip is called.

    Attributes:
        color: its name, None where it has none.
        named: share of the ways in which it was called so.
        counts: how often it was called by each name; what is missing to `TRIES` was left open.
        lab: (3,) CIE Lab of its own colour.
    """

    color: str | None
    named: float
    counts: Counter[str]
    lab: FloatArray


def learn_chips(image: Image, chips: Sequence[FoundChip], chip_reader: ChipReaderLike) -> list[LearnedChip]:
    """Read every chip in many lights.

    Args:
        image: (h, w, 3) BGR.
        chips: single chips in it.
        chip_reader: names chips.
    """
    return [_learned(image, chip, chip_reader) for chip in chips]


def _learned(image: Image, chip: FoundChip, chip_reader: ChipReaderLike) -> LearnedChip:
    crops = [lit for turn in TURNS_DEG for lit in in_many_lights(_turned(image, chip, turn))]
    counts = Counter(reading.color for reading in chip_reader(np.stack(crops)) if reading.color is not None)
    color, times = counts.most_common(1)[0] if counts else (None, 0)
    return LearnedChip(color, times / len(crops), counts, body_color_lab(image, chip))


def _turned(image: Image, chip: FoundChip, turn_deg: float) -> Image:
    angle = np.radians(turn_deg)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return rectify_chip(image, chip.center_px, chip.axes_px @ turn)


def in_many_lights(crop: Image) -> list[Image]:
    """A crop (n, n, 3) BGR in each of the lights: darker and brighter, colder and warmer, sharp and soft."""
    out = []
    for softness in SOFTNESS_PX:
        soft = cv2.GaussianBlur(crop, (0, 0), softness) if softness else crop
        for gain in GAINS:
            for warmth in WARMTHS:
                cast = gain * np.array([1 - warmth, 1.0, 1 + warmth])
                out.append(np.clip(np.round(soft * cast), 0, 255).astype(np.uint8))
    return out


def faults_of_names(learned: Sequence[LearnedChip]) -> list[ChipFault]:
    """Why a set cannot be told apart: chips alike, chips called by several names or by none."""
    faults = []
    clear: set[int] = set()
    for i, chip in enumerate(learned):
        for k in range(i + 1, len(learned)):
            fault = _alike(learned, i, k)
            if fault is not None:
                faults.append(fault)
                clear |= {i, k}
        if i in clear:
            continue
        others = chip.counts.total() - (chip.counts[chip.color] if chip.color is not None else 0)
        if chip.color is None or chip.named < LEAST_NAMED or others > MOST_OTHERS * TRIES:
            said = ", ".join(f"{name} in {times}" for name, times in chip.counts.most_common())
            text = (
                f"{{0}} is not told surely: of {TRIES} ways of looking at it, it was called {said or 'nothing in any'}"
            )
            do = (
                "Take a sharper picture in even light; if that does not help, its colour is one Pitwatch cannot tell:"
                " leave the chip out (point at the others), and wagers with it have no amount"
            )
            faults.append(ChipFault(text, do, (i,)))
    return faults


def _alike(learned: Sequence[LearnedChip], i: int, k: int) -> ChipFault | None:
    """Whether two chips may be taken for one another."""
    first, second = learned[i], learned[k]
    if first.color is None or second.color is None:
        return None
    apart = float(np.linalg.norm(first.lab - second.lab))
    do = "Use chips whose colours differ more, or leave both out (point at the others): wagers with them then have no amount"
    if first.color == second.color:
        text = (
            f"{{0}} and {{1}} cannot be told apart: both are called {first.color}, in {first.named:.0%} and"
            f" {second.named:.0%} of {TRIES} ways of looking; their colours differ by {apart:.0f} (CIE Lab)"
        )
        return ChipFault(text, do, (i, k))
    crossed = first.counts[second.color], second.counts[first.color]
    if not any(crossed):
        return None
    text = (
        f"{{0}} and {{1}} may be taken for one another: {{0}} was called {second.color} in {crossed[0]}, {{1}} was called"
        f" {first.color} in {crossed[1]} of {TRIES} ways of looking; their colours differ by {apart:.0f} (CIE Lab)"
    )
    return ChipFault(text, do, (i, k))
