"""Where the sides of a card end, to a fraction of a pixel, whatever the perspective.

Cards are of paper and mostly lie on something darker: across a side the picture falls from light to dark, and the outermost fall is the card's
edge (frames of backs and courts lie within, shadows on the felt rise again). A straight line is laid through the places
that agree; a side that lies on other cards, or under them, has none.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames.picture import Image
from vision.looks.reading import HALF_PX

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

MOST_WIDTH_PX, SOFT_PX = 120.0, 0.8
"""Pictures of which cards are wider are made smaller: their edges are soft, and bent by more than a pixel. How far all are softened."""
ALONG = np.linspace(0.14, 0.86, 16)
"""Where sides are measured, as shares of their length: corners are round."""
REACHES = (0.07, 0.042, 0.034)
"""How far about a side its edge is searched, pass by pass, as a share of the cards' width."""
LEAST_REACHES_PX = (3.0, 2.5, 2.0)
STEP_PX = 0.5
LEAST_FALL, OUTERMOST = 4.0, 0.5
"""Levels a pixel by which an edge falls at least, and the share of the steepest fall that the outermost has to have."""
STRAIGHT_PX, LEAST_STRAIGHT = 0.45, 0.6
"""A side is seen where so many of the places lie so near to one line."""
MOST_MOVED = 0.25
"""Corners that move farther, as a share of the cards' width, are another thing's."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A try at a card's corners.

    Attributes:
        corners_px: (4, 2) upper left, upper right, lower right, lower left, the middle of the first pixel at (0, 0).
        seen: (4,) which sides, from each corner to the next, were seen; the others are only guessed.
    """

    corners_px: FloatArray
    seen: BoolArray

    @classmethod
    def whole(cls, corners_px: npt.ArrayLike) -> Outline:
        """All of whose sides are believed."""
        return cls(np.asarray(corners_px, np.float64), np.ones(4, np.bool_))


def measured(image: Image, corners_px: Sequence[npt.ArrayLike]) -> list[Outline]:
    """Outlines laid onto the sides that are seen.

    Args:
        image: (h, w, 3) BGR.
        corners_px: (4, 2) rough corners of each card, its sides off by a few pixels.

    Returns:
        One outline for each, in order; sides that are not seen stay where they were.
    """
    if len(corners_px) == 0:
        return []
    corners = np.array([np.asarray(one, np.float64) for one in corners_px])
    width = float(np.median(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)))
    factor = min(1.0, MOST_WIDTH_PX / max(width, 1.0))
    grey = _grey(image, factor)
    given, width = (corners + HALF_PX) * factor - HALF_PX, width * factor
    quads, seen = given, np.zeros(given.shape[:2], np.bool_)
    for share, least in zip(REACHES, LEAST_REACHES_PX, strict=True):
        starts, ends, found = _lines(grey, quads, max(least, share * width))
        crossed = _crossings(starts, ends)
        near = np.linalg.norm(crossed - given, axis=-1).max(axis=1) < MOST_MOVED * width
        quads = np.where(near[:, None, None], crossed, quads)
        seen = found & near[:, None]
    quads = (quads + HALF_PX) / factor - HALF_PX
    return [Outline(quad, sides) for quad, sides in zip(quads, seen, strict=True)]


def _grey(image: Image, factor: float) -> npt.NDArray[np.float32]:
    """A picture's brightness, made smaller by this factor and softened a little."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if factor < 1.0:
        grey = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), SOFT_PX), np.float32)


def _lines(
    grey: npt.NDArray[np.float32], quads: FloatArray, reach_px: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Two points (n, 4, 2) of the line through each side's edge, of the side itself where none is found, and whether one is."""
    starts, ends = quads, np.roll(quads, -1, axis=1)
    along = ends - starts
    across = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    across /= np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-9)
    outwards = (starts + ends) / 2 - quads.mean(axis=1, keepdims=True)
    across *= np.sign((outwards * across).sum(axis=-1, keepdims=True))
    off, found = _falls(grey, starts[:, :, None] + ALONG[:, None] * along[:, :, None], across, reach_px)
    agree = _agreeing(off, found)
    seen = agree.sum(axis=-1) >= LEAST_STRAIGHT * len(ALONG)
    weight = agree + 1e-9
    total = weight.sum(axis=-1)
    middle, level = (weight * ALONG).sum(axis=-1) / total, (weight * off).sum(axis=-1) / total
    arm = ALONG - middle[..., None]
    slope = (weight * arm * off).sum(axis=-1) / ((weight * arm**2).sum(axis=-1) + 1e-9)
    first = np.where(seen, level - slope * middle, 0.0)
    last = np.where(seen, level + slope * (1 - middle), 0.0)
    return starts + first[..., None] * across, ends + last[..., None] * across, seen


def _falls(
    grey: npt.NDArray[np.float32], places: FloatArray, across: FloatArray, reach_px: float
) -> tuple[FloatArray, BoolArray]:
    """How far outwards of places (n, 4, m, 2) the picture falls from light to dark last, and whether it does."""
    beyond = np.arange(-reach_px - 1.0, reach_px + 1.0 + 1e-6, STEP_PX)
    at = (places[..., None, :] + beyond[:, None] * across[:, :, None, None, :]).astype(np.float32)
    rows = at.reshape(-1, places.shape[2] * len(beyond), 2)
    levels = cv2.remap(grey, rows[..., 0], rows[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    levels = levels.reshape(*places.shape[:3], len(beyond)).astype(np.float64)
    fall = (levels[..., :-2] - levels[..., 2:]) / (2 * STEP_PX)
    inner = fall[..., 1:-1]
    peaks = (inner >= fall[..., :-2]) & (inner >= fall[..., 2:]) & (inner >= LEAST_FALL)
    peaks &= inner >= OUTERMOST * inner.max(axis=-1, keepdims=True)
    last = peaks.shape[-1] - 1 - np.argmax(peaks[..., ::-1], axis=-1)
    before, top, after = (np.take_along_axis(fall, (last + k)[..., None], axis=-1)[..., 0] for k in range(3))
    bend = before - 2 * top + after
    fine = np.divide(0.5 * (before - after), bend, out=np.zeros_like(bend), where=np.abs(bend) > 1e-9)
    found = np.take_along_axis(peaks, last[..., None], axis=-1)[..., 0]
    return beyond[2:-2][last] + np.clip(fine, -0.5, 0.5) * STEP_PX, found


def _agreeing(off: FloatArray, found: BoolArray) -> BoolArray:
    """(n, 4, m) which places lie on the line that most of their side lie on."""
    count = off.shape[-1]
    best = np.zeros(off.shape, np.bool_)
    for i, k in itertools.combinations(range(count), 2):
        if k - i < count // 3:
            continue
        slope = (off[..., k] - off[..., i]) / (k - i)
        line = off[..., i, None] + slope[..., None] * (np.arange(count) - i)
        near = (np.abs(off - line) <= STRAIGHT_PX) & found & (found[..., i] & found[..., k])[..., None]
        more = near.sum(axis=-1) > best.sum(axis=-1)
        best = np.where(more[..., None], near, best)
    return best


def _crossings(starts: FloatArray, ends: FloatArray) -> FloatArray:
    """(n, 4, 2) where each side's line meets that of the side before; where they hardly do, far away."""
    before_start, before = np.roll(starts, 1, axis=1), np.roll(ends - starts, 1, axis=1)
    side = ends - starts
    gap = starts - before_start
    turn = before[..., 0] * side[..., 1] - before[..., 1] * side[..., 0]
    share = (gap[..., 0] * side[..., 1] - gap[..., 1] * side[..., 0]) / np.where(np.abs(turn) < 1e-9, 1e-9, turn)
    return np.asarray(before_start + share[..., None] * before)
