"""Finds the single chips of a picture that shows a chip set, and says what is wrong with how they lie or are lit.

chips = find_chips(image, detector, px_per_mm)
faults = [*faults_of_place(chips), *faults_of_light(image, chips)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.detections import CHIP, STACK
from vision.frames.picture import Image
from vision.looks.look import CHIP_APART_MM, MIN_CONFIDENCE, ONE_CHIP_MM, SIZES_MM, DetectorLike
from vision.looks.reading import HALF_PX
from vision.looks.stacks import CHIP_RADIUS_MM
from vision.stills.scale import detected

FloatArray = npt.NDArray[np.float64]

LEAST_RADIUS_PX = 11.5
"""Smaller chips are not learned from: the chip reader was trained at 0.6 px per mm and more."""
TOUCH_SHARE = 0.95
"""Chips whose middles are nearer than this share of a chip's width overlap."""
BURNT = 250
"""A level from which on a colour is taken to be cut off by the camera."""
MOST_BURNT = 0.7
"""Share of a chip's own colour (its face without the inlay, which is white on many) that may be cut off in all three colours."""
INLAY_SHARE = 0.64
"""Share of the radius up to which the inlay of most chips reaches."""
MOST_UNEVEN = 15.0
"""Most that the lightness (CIE L, 0..100) of a face may differ between opposite sides: more is glare or the edge of a shadow."""


@dataclass(frozen=True, slots=True)
class FoundChip:
    """A single chip, or a stack, in the picture.

    Attributes:
        center_px: (x, y) of the middle of its face, the middle of the first pixel at (0, 0).
        radius_px: of its face.
        confidence: of the detector, 0..1.
        stack: it is more than one chip.
    """

    center_px: tuple[float, float]
    radius_px: float
    confidence: float
    stack: bool = False

    @property
    def axes_px(self) -> FloatArray:
        """(2, 2) vectors from the middle to the rim."""
        return np.eye(2) * self.radius_px


@dataclass(frozen=True, slots=True)
class ChipFault:
    """Why chips cannot be learned from.

    Attributes:
        what: is wrong.
        do: what to do about it.
        chips: numbers of the chips concerned, from 0.
    """

    what: str
    do: str
    chips: tuple[int, ...] = ()


def find_chips(image: Image, detector: DetectorLike, px_per_mm: float) -> list[FoundChip]:
    """Chips and stacks, left to right; what has not the size of either is left out.

    Args:
        image: (h, w, 3) BGR.
        detector: finds them.
        px_per_mm: scale of the picture.
    """
    found = detected(image, detector, px_per_mm, MIN_CONFIDENCE)
    kept: list[FoundChip] = []
    for i in np.argsort(-found.confidence, kind="stable"):
        class_id = int(found.class_id[i])
        if class_id not in (CHIP, STACK):
            continue
        corners = found.corners_px[i].astype(np.float64)
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
        low, high = (limit * px_per_mm for limit in SIZES_MM[class_id])
        middle = corners.mean(axis=0) - HALF_PX
        near = CHIP_APART_MM * px_per_mm
        if sides.min() < low or sides.max() > high or any(np.hypot(*(c.center_px - middle)) < near for c in kept):
            continue
        stack = class_id == STACK and sides.max() > ONE_CHIP_MM * px_per_mm
        x, y = (float(v) for v in middle)
        kept.append(FoundChip((x, y), float(sides.mean()) / 2, float(found.confidence[i]), stack))
    return sorted(kept, key=lambda chip: chip.center_px)


def chip_scale(chips: Sequence[FoundChip]) -> float | None:
    """Pixels per millimetre as the single chips tell it; None without any."""
    single = [chip.radius_px for chip in chips if not chip.stack]
    return float(np.median(single)) / CHIP_RADIUS_MM if single else None


def faults_of_place(chips: Sequence[FoundChip], size_px: tuple[int, int]) -> list[ChipFault]:
    """What is wrong with where chips lie: stacked, overlapping, cut off by the picture's edge, too small.

    Args:
        chips: those to learn from.
        size_px: width and height of the picture.
    """
    faults = []
    for i, chip in enumerate(chips):
        if chip.stack:
            faults.append(ChipFault("{0} is a stack", "Lay one chip of each colour singly", (i,)))
        low, high = np.subtract(chip.center_px, chip.radius_px), np.add(chip.center_px, chip.radius_px)
        if (low < -0.1 * chip.radius_px).any() or (high > np.array(size_px) + 0.1 * chip.radius_px).any():
            faults.append(ChipFault("{0} is cut off by the picture's edge", "Take all of it into the picture", (i,)))
        if chip.radius_px < LEAST_RADIUS_PX:
            text = f"{{0}} is {2 * chip.radius_px:.0f} px wide; at least {2 * LEAST_RADIUS_PX:.0f} are needed"
            faults.append(ChipFault(text, "Go nearer, or take a picture of more pixels", (i,)))
        for k in range(i + 1, len(chips)):
            apart = float(np.hypot(*np.subtract(chips[k].center_px, chip.center_px)))
            width = chip.radius_px + chips[k].radius_px
            if apart < TOUCH_SHARE * width:
                text = f"{{0}} and {{1}} overlap (their middles are {apart / width:.0%} of a chip's width apart)"
                faults.append(ChipFault(text, "Lay them a chip's width apart", (i, k)))
    return faults


def faults_of_light(image: Image, chips: Sequence[FoundChip]) -> list[ChipFault]:
    """What is wrong with the light on chips: burnt out, or glare or a shadow on a part of one."""
    faults = []
    for i, chip in enumerate(chips):
        body = _body(image, chip)
        burnt = float((body.min(axis=1) >= BURNT).mean())
        if burnt > MOST_BURNT:
            text = f"{{0}} is burnt out: {burnt:.0%} of its own colour is pure white"
            faults.append(ChipFault(text, "Take the picture with less light or a shorter exposure", (i,)))
            continue
        uneven = _unevenness(image, chip)
        if uneven > MOST_UNEVEN:
            text = f"{{0}} lies in glare or half in a shadow: its lightness differs by {uneven:.0f} of 100 from side to side"
            faults.append(ChipFault(text, "Move it, the lamp or the camera", (i,)))
    return faults


def body_color_lab(image: Image, chip: FoundChip) -> FloatArray:
    """(3,) CIE Lab of a chip's own colour: the middling one of the ring between inlay and edge."""
    return np.asarray(np.median(_lab(_body(image, chip)), axis=0), np.float64)


def _body(image: Image, chip: FoundChip) -> npt.NDArray[np.uint8]:
    """(n, 3) pixels of a face, without its inlay."""
    away = _offsets(image, chip)[2] / chip.radius_px
    return image[(away >= INLAY_SHARE) & (away <= 0.9)]


def _offsets(image: Image, chip: FoundChip) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(h, w) each: how far every pixel is from a chip's middle, to the right, down, and in all."""
    ys, xs = np.mgrid[0 : image.shape[0], 0 : image.shape[1]]
    right, down = xs - chip.center_px[0], ys - chip.center_px[1]
    return right, down, np.hypot(right, down)


def _unevenness(image: Image, chip: FoundChip) -> float:
    """How much the mean lightness of a face differs between opposite quarters: chips look the same all round."""
    right, down, away = _offsets(image, chip)
    inside = away <= 0.9 * chip.radius_px
    light = _lab(image[inside])[:, 0]
    turn = np.arctan2(down[inside], right[inside])
    means = []
    for start in np.arange(0, 2 * np.pi, np.pi / 4):
        off = np.abs((turn - start + np.pi) % (2 * np.pi) - np.pi)
        means.append(float(light[off <= np.pi / 4].mean()))
    return max(abs(means[k] - means[k + 4]) for k in range(4))


def _lab(pixels_bgr: npt.NDArray[np.uint8]) -> FloatArray:
    """(n, 3) CIE Lab of (n, 3) BGR."""
    rows = np.ascontiguousarray(pixels_bgr[None], np.float32) / np.float32(255)
    return np.asarray(cv2.cvtColor(rows, cv2.COLOR_BGR2LAB)[0], np.float64)
