"""How far the sides of a card lie from where they lay at the look before, to a fraction of a pixel.

A card laid almost exactly on another reaches a pixel or two further at some sides, and nowhere less far: there the one below still ends. A
card that was pushed reaches less far on one side by as much as further on the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Difference = npt.NDArray[np.float32]
"""How much each pixel of a view, (h, w), differs from the area lying empty, in levels."""

REACH_PX, STEP_PX = 5.0, 0.25
"""A side is looked for so far in and out of where it was, in such steps."""
HALVES, SAMPLES = ((0.12, 0.48), (0.52, 0.88)), 14
"""Each side is looked at in two halves, corners left out, in so many places."""
LEAST_STEP = 25.0
"""Levels by which a card must differ from the ground beside it."""
FURTHER_PX, LEAST_FURTHER = 0.5, 2
"""So many halves of sides must lie so much further out, one of them by twice as much: of 40 looks at single cards that were not touched none moved by more than
0.19 px."""
NO_LESS = 0.4
"""No half may lie further in than so much of the farthest out. Another card's shadow takes 0.1 to 0.5 px, one pushed along has -1."""
LEAST_SEEN = 6
"""Halves, of eight, that must be made out."""


def side_shifts(before: Difference, now: Difference, outline_px: npt.ArrayLike) -> list[float]:
    """How far out each half of a card's four sides moved, in pixels; those that are not made out in both pictures are left out.

    Args:
        before, now: difference from the empty area at the two looks.
        outline_px: (4, 2) corners of the card at the first one.
    """
    corners = np.asarray(outline_px, np.float64)
    middle = corners.mean(axis=0)
    shifts = []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        outward = np.array([(b - a)[1], -(b - a)[0]]) / max(1e-9, float(np.linalg.norm(b - a)))
        outward = outward if outward @ (a - middle) > 0 else -outward
        for low, high in HALVES:
            line = a + np.linspace(low, high, SAMPLES)[:, None] * (b - a)
            then, there = _end_px(before, line, outward), _end_px(now, line, outward)
            if then is not None and there is not None:
                shifts.append(there - then)
    return shifts


def reaches_further(shifts: Sequence[float]) -> bool:
    """Whether a card came to lie on the one whose sides moved so."""
    if len(shifts) < LEAST_SEEN:
        return False
    farthest = max(shifts)
    further = sum(shift >= FURTHER_PX for shift in shifts)
    return farthest >= 2 * FURTHER_PX and further >= LEAST_FURTHER and min(shifts) >= -NO_LESS * farthest


def _end_px(difference: Difference, line: FloatArray, outward: FloatArray) -> float | None:
    """Where along `outward`, from a line (n, 2), the card ends: half-way between its level and that of the ground."""
    steps = np.arange(-REACH_PX, REACH_PX + STEP_PX / 2, STEP_PX)
    points = (line[:, None] + steps[None, :, None] * outward).astype(np.float32)
    level = np.median(cv2.remap(difference, points[..., 0], points[..., 1], cv2.INTER_LINEAR), axis=0)
    card, ground = float(np.percentile(level[: len(level) // 2], 75)), float(level[-6:].min())
    half = (card + ground) / 2
    inside = np.flatnonzero(level >= half)
    if card - ground < LEAST_STEP or not len(inside) or inside[-1] == len(level) - 1:
        return None
    i = int(inside[-1])
    return float(steps[i] + STEP_PX * (level[i] - half) / (level[i] - level[i + 1]))
