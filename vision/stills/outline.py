"""The outline of a card that stands out against its ground, whatever the perspective.

The detector gives rectangles; under a camera at an angle a card's picture is none. Where nothing lies on a card and the ground is
darker, its own brightness tells the four sides.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from models.detector import rotated_iou
from vision.frames.picture import Image

FloatArray = npt.NDArray[np.float64]

REACH = 1.5
"""How far around the box to look, as a share of it."""
LEAST_SIDE_PX = 14
"""Boxes smaller than this tell nothing."""
LEAST_CONTRAST = 18.0
"""Levels by which a card must differ from its ground."""
LEAST_FILLED, LEAST_OVERLAP = 0.94, 0.6
"""Share of the outline that is the card, and overlap (IoU) of outline and box: below, it was something else too."""


def bright_outline(image: Image, corners_px: npt.ArrayLike) -> FloatArray | None:
    """Corners of the bright thing with four sides that lies about where a card was detected.

    Args:
        image: camera picture, BGR.
        corners_px: (4, 2) corners of the detection, the middle of the first pixel at (0, 0).

    Returns:
        (4, 2) corners in the order given; None where no such thing stands out.
    """
    box = np.asarray(corners_px, dtype=np.float64)
    middle = box.mean(axis=0)
    low = np.floor((box - middle).min(axis=0) * REACH + middle).astype(int)
    high = np.ceil((box - middle).max(axis=0) * REACH + middle).astype(int) + 1
    low, high = np.maximum(low, 0), np.minimum(high, (image.shape[1], image.shape[0]))
    if (high - low).min() < LEAST_SIDE_PX:
        return None
    crop = image[low[1] : high[1], low[0] : high[0]]
    mask = _bright(crop, box - low)
    if mask is None:
        return None
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    x, y = middle - low
    around = [c for c in contours if len(c) > 8 and cv2.pointPolygonTest(c, (float(x), float(y)), False) >= 0]
    if not around:
        return None
    hull = cv2.convexHull(max(around, key=cv2.contourArea))
    if len(hull) < 4:
        return None
    quad = cv2.approxPolyN(hull, 4, ensure_convex=True).reshape(-1, 2).astype(np.float64)
    filled = float(cv2.contourArea(max(around, key=cv2.contourArea)))
    if len(quad) != 4 or filled < LEAST_FILLED * abs(cv2.contourArea(quad.astype(np.float32))):
        return None
    ordered = _ordered_as(quad + low, box)
    return ordered if rotated_iou(ordered, box) >= LEAST_OVERLAP else None


def _bright(crop: Image, box: FloatArray) -> npt.NDArray[np.uint8] | None:
    """What of a cut-out is as bright as the card; None where card and ground are alike."""
    grey = cv2.GaussianBlur(crop.min(axis=2), (3, 3), 0)
    inside = np.zeros(grey.shape, np.uint8)
    middle = box.mean(axis=0)
    cv2.fillConvexPoly(inside, np.round((box - middle) * 0.9 + middle).astype(np.int32), 1)
    outside = np.ones(grey.shape, np.uint8)
    cv2.fillConvexPoly(outside, np.round((box - middle) * 1.15 + middle).astype(np.int32), 0)
    if not inside.any() or not outside.any():
        return None
    stock, ground = float(np.percentile(grey[inside > 0], 70)), float(np.median(grey[outside > 0]))
    if stock - ground < LEAST_CONTRAST:
        return None
    mask = (grey > (stock + ground) / 2).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)


def _ordered_as(quad: FloatArray, box: FloatArray) -> FloatArray:
    """The same corners, each as near as can be to the box's corner of its number."""
    ways = [np.roll(way, shift, axis=0) for way in (quad, quad[::-1]) for shift in range(4)]
    return min(ways, key=lambda way: float(np.linalg.norm(way - box, axis=1).sum()))
