"""Whether a card stands out from what lies around it.

A floor of parquet, a knitted blanket, a wall of bricks are made of rectangles that look like backs of cards, side by side. A card lies
on something else: along at least two of its sides what is seen inside differs from what is seen outside. A side along or across a card
whose face is read differs because of that card, which tells nothing of another.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from models.reader import card_px_per_mm
from vision.frames.picture import Image

FloatArray = npt.NDArray[np.float64]

NEAR_MM, FAR_MM, LINES = 2.0, 8.0, 4
"""What is compared: lines along a side, so far inside and outside of it."""
ALONG, SAMPLES = (0.12, 0.88), 25
"""The part of a side that is looked at, corners left out, and in how many places."""
LEAST_IN_PICTURE, LEAST_FREE = 0.7, 0.3
"""Shares of these places that must have their outside in the picture, and that must lie free of cards that are read."""
EDGE_MM = 1.5
"""So near a card's outline what is seen may be the card."""
STANDS_OUT = 12.0
"""Difference of two sides' medians, CIE Lab. 16 of 17 backs of ray-traced tables, on all kinds of felt and under other cards, have 28 and more on their
second-best side, the other one has only one side in the picture; of 198 blocks of parquet taken for backs 3 have more than this."""
_BLUR_MM = 0.7


def stands_out(image: Image, corners_px: npt.ArrayLike, faces_px: Sequence[npt.ArrayLike] = ()) -> bool:
    """Whether at least two of a card's sides (one, where no more are in the picture and free) divide what differs.

    Args:
        image: camera picture, BGR.
        corners_px: (4, 2) of the card in it.
        faces_px: (4, 2) each, of cards whose faces are read; what lies on them or beside them is not looked at.
    """
    corners = np.asarray(corners_px, np.float64)
    scale = card_px_per_mm(corners)
    low = np.floor(np.clip(corners.min(axis=0) - 2 * FAR_MM * scale, 0, None)).astype(int)
    high = np.ceil(corners.max(axis=0) + 2 * FAR_MM * scale).astype(int)
    cut = image[low[1] : high[1], low[0] : high[0]]
    if cut.size == 0:
        return False
    soft = cv2.GaussianBlur(cut, (0, 0), max(0.3, _BLUR_MM * scale))
    lab = np.asarray(cv2.cvtColor(soft.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)
    free = _free(lab.shape[:2], [np.asarray(face, np.float64) - low for face in faces_px], scale)
    found = sorted(_differences(lab, free, corners - low, scale), reverse=True)
    return bool(found) and found[min(1, len(found) - 1)] >= STANDS_OUT


def _free(shape: tuple[int, int], faces: Sequence[FloatArray], scale: float) -> npt.NDArray[np.float32]:
    """(h, w) 1 where no card that is read lies, and none within `EDGE_MM`, else 0."""
    free = np.ones(shape, np.float32)
    for face in faces:
        outline = np.round(face).astype(np.int32)
        cv2.fillConvexPoly(free, outline, 0.0)
        cv2.polylines(free, [outline], True, 0.0, max(1, round(2 * EDGE_MM * scale)))
    return free


def _differences(
    lab: npt.NDArray[np.float32], free: npt.NDArray[np.float32], corners: FloatArray, scale: float
) -> list[float]:
    """How much inside and outside differ along each side whose outside is in the picture and that lies free, CIE Lab."""
    middle, out = corners.mean(axis=0), []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inward = np.array([-(b - a)[1], (b - a)[0]]) / np.linalg.norm(b - a)
        inward = (inward if inward @ (middle - a) > 0 else -inward) * scale
        line = a + (b - a) * np.linspace(*ALONG, SAMPLES)[:, None]
        outside = line - inward * FAR_MM
        if not ((outside >= 0) & (outside < lab.shape[1::-1])).all(axis=1).mean() > LEAST_IN_PICTURE:
            continue
        across = np.stack([_beside(free, line, inward * sign) for sign in (1.0, -1.0)])
        line = line[across.min(axis=(0, 1)) > 0.5]
        if len(line) < LEAST_FREE * SAMPLES:
            continue
        inner, outer = (np.median(_beside(lab, line, inward * sign), axis=(0, 1)) for sign in (1.0, -1.0))
        out.append(float(np.linalg.norm(inner - outer)))
    return out


def _beside(picture: npt.NDArray[np.float32], line: FloatArray, step: FloatArray) -> npt.NDArray[np.float32]:
    """(LINES, n, ...) what is seen on lines beside one of n places; `step` is a millimetre away from it."""
    points = np.asarray(line + step * np.linspace(NEAR_MM, FAR_MM, LINES)[:, None, None], np.float32)
    return np.asarray(
        cv2.remap(picture, points[..., 0], points[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        np.float32,
    )
