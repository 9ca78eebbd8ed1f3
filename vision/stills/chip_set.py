"""Learns a house's chips from one picture with a chip of each value.

    chips = find_chips(image, detector, px_per_mm)
    learned = learn_chips(image, chips, chip_reader, chip_matcher)
    learned[0].color   # its name from now on
    learned[0].face    # its picture, with which chips are compared

The chip reader tells seven usual colours apart, whatever the maker; the chip matcher compares a chip with the pictures of the house's own.
A chip that the reader calls by a usual name gets that name, any other the nearest one that is free. Then every face is read turned, and
in forty kinds of light made from the one of the picture. A chip that is nearly always left open, or called by the name of another chip of the set, is refused: its
wagers could not be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from models.chip_matcher import ChipMatcher, HouseChips
from models.chip_reader import ChipReader, rectify_chip
from vision.frames.picture import Image
from vision.looks.chips import ChipReadingLike
from vision.stills.chip_finding import ChipFault, FoundChip, body_color_lab

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


OTHER_COLORS_LAB: Mapping[str, tuple[float, float, float]] = {
    "pink": (75, 30, 2), "rose": (60, 45, 15), "crimson": (38, 55, 30), "maroon": (25, 30, 15), "brown": (40, 15, 30), "tan": (70, 8, 25), "gold": (70, 8, 55), "yellow": (88, -5, 75), "amber": (65, 35, 65),
    "lime": (80, -40, 60), "olive": (50, -8, 40), "mint": (85, -25, 10), "teal": (50, -28, -8), "turquoise": (75, -30, -10), "light blue": (75, -8, -25),
    "navy": (18, 10, -30), "indigo": (28, 30, -50), "lavender": (70, 18, -25), "magenta": (50, 70, -25), "plum": (35, 35, -15), "grey": (55, 0, 0), "silver": (75, 0, 0), "cream": (92, 0, 12),
    "charcoal": (25, 0, 0),
}  # fmt: skip
"""Names for chips that the chip reader calls by none, or by another's, with a typical CIE Lab: to speak of them, not to tell them by."""


TORN = 0.1
"""Share of the ways in which a chip that is hardly named looks most like another: the other is why."""


@dataclass(frozen=True, slots=True)
class LearnedChip:
    """What a chip is called.

    Attributes:
        color: its name, None where it has none.
        named: share of the ways in which it was called so.
        counts: how often it was called by each name; what is missing to `TRIES` was left open.
        likeliest: how often each name was the likeliest, said or not.
        lab: (3,) CIE Lab of its own colour.
        face: (32, 32, 3) BGR, its picture as `models.chip_reader.rectify_chip` cuts it.
    """

    color: str | None
    named: float
    counts: Counter[str]
    lab: FloatArray
    face: Image | None = None
    likeliest: Counter[str] = field(default_factory=Counter)


def learn_chips(
    image: Image, chips: Sequence[FoundChip], chip_reader: ChipReader, chip_matcher: ChipMatcher
) -> list[LearnedChip]:
    """Name every chip and read it in many lights.

    Args:
        image: (h, w, 3) BGR.
        chips: single chips in it.
        chip_reader: knows the usual colours.
        chip_matcher: compares chips with one another.
    """
    if not chips:
        return []
    looks = [
        np.stack([lit for turn in TURNS_DEG for lit in in_many_lights(_turned(image, chip, turn))]) for chip in chips
    ]
    labs = [body_color_lab(image, chip) for chip in chips]
    names = names_of([_called(chip_reader(crops)) for crops in looks], labs)
    faces = [_turned(image, chip, 0.0) for chip in chips]
    house = HouseChips(dict(zip(names, faces, strict=True)), chip_reader, chip_matcher)
    learned = []
    for name, face, crops, lab in zip(names, faces, looks, labs, strict=True):
        said = house(crops)
        counts = _called(said)
        likeliest = Counter(one.likeliest for one in said)
        learned.append(LearnedChip(name, counts[name] / len(crops), counts, lab, face, likeliest))
    return learned


def _called(readings: Sequence[ChipReadingLike]) -> Counter[str]:
    return Counter(said.color for said in readings if said.color is not None)


def names_of(called: Sequence[Counter[str]], labs: Sequence[FloatArray]) -> list[str]:
    """A name of its own for each chip: what the chip reader calls it, else the nearest colour that is free.

    Args:
        called: how often the chip reader called each chip by each usual name, of `TRIES` times.
        labs: (3,) CIE Lab of the chips' own colours.
    """
    names: dict[int, str] = {}
    for i in sorted(range(len(called)), key=lambda i: -max(called[i].values(), default=0)):
        name, times = called[i].most_common(1)[0] if called[i] else ("", 0)
        clear = times >= LEAST_NAMED * TRIES and called[i].total() - times <= MOST_OTHERS * TRIES
        if clear and name not in names.values():
            names[i] = name
    for i in range(len(called)):
        if i not in names:
            free = [name for name in OTHER_COLORS_LAB if name not in names.values()]
            near = min(free, key=lambda name: float(np.linalg.norm(np.subtract(OTHER_COLORS_LAB[name], labs[i]))))
            names[i] = near
    return [names[i] for i in range(len(called))]


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
                "Take a sharper picture in even light; if that does not help, leave the chip open (--leave-open), and wagers"
                " with it have no amount"
            )
            faults.append(ChipFault(text, do, (i,)))
    return faults


def _alike(learned: Sequence[LearnedChip], i: int, k: int) -> ChipFault | None:
    """Whether two chips may be taken for one another, or neither is told because of the other."""
    first, second = learned[i], learned[k]
    if first.color is None or second.color is None:
        return None
    apart = float(np.linalg.norm(first.lab - second.lab))
    do = "Use chips whose colours differ more, or leave both open (--leave-open): wagers with them then have no amount"
    crossed = first.counts[second.color], second.counts[first.color]
    if any(crossed):
        text = (
            f"{{0}} and {{1}} may be taken for one another: {{0}} was called {second.color} in {crossed[0]}, {{1}} was called"
            f" {first.color} in {crossed[1]} of {TRIES} ways of looking; their colours differ by {apart:.0f} (CIE Lab)"
        )
        return ChipFault(text, do, (i, k))
    torn = first.likeliest[second.color], second.likeliest[first.color]
    if min(first.named, second.named) >= LEAST_NAMED or max(torn) < TORN * TRIES:
        return None
    text = (
        f"{{0}} and {{1}} cannot be told apart: {{0}} looked most like {{1}} in {torn[0]}, {{1}} most like {{0}} in {torn[1]} of {TRIES}"
        f" ways of looking; their colours differ by {apart:.0f} (CIE Lab)"
    )
    return ChipFault(text, do, (i, k))
