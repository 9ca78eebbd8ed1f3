"""Finds a layout roughly in a picture: SIFT features of the drawing, votes for its place, a robust homography."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.layout import Layout
from calibration.refine import print_masks

FloatArray = npt.NDArray[np.float64]
Single = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

REFERENCE_PX_PER_MM = 1.0
_PICTURE_WIDTH = 1600
"""Pictures wider than this are made smaller before features are looked for."""
_NEIGHBOURS = 6
_REFERENCE_FEATURES = 3500
_PICTURE_FEATURES = 4000
_MIN_VOTES = 16
MIN_FEATURES = 8
"""Fewer than these cannot vote for a place."""
_TURNS = 24
_WHOLE = 4000
"""Descriptors are whole numbers, of this length: their products then add up below 2**24, exactly, whatever order the linear algebra of a
machine with more or fewer cores adds them in."""


@dataclass(frozen=True, slots=True)
class Features:
    """Keypoints: (n, 2) places, (n,) sizes and angles in radians (counter-clockwise in a y-down picture negative), (n, 128) descriptors of one length."""

    points: FloatArray
    sizes: FloatArray
    angles: FloatArray
    descriptors: Single

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True, slots=True)
class RoughFit:
    """A place for the layout: homography pixels from table, and the matched points behind it."""

    image_from_table: FloatArray
    table_mm: FloatArray
    image_px: FloatArray


def evened(gray: Bytes) -> Bytes:
    """Return a picture with local brightness and contrast evened out, so that light fall-off does not matter."""
    values = gray.astype(np.float32)
    size = max(gray.shape) / 40
    small = cv2.resize(values, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    mean = cv2.GaussianBlur(small, (0, 0), size / 4)
    spread = cv2.GaussianBlur(cv2.absdiff(small, mean), (0, 0), size / 4)
    shape = (gray.shape[1], gray.shape[0])
    mean, spread = cv2.resize(mean, shape), cv2.resize(spread, shape)
    out: Bytes = np.clip(110 + 45 * (values - mean) / (spread + 6.0), 0, 255).astype(np.uint8)
    return out


def _sift(gray: Bytes, count: int) -> Features:
    detector = cv2.SIFT.create(count, 3, 0.03, 12, 1.6)
    points, descriptors = detector.detectAndCompute(gray, None)
    if descriptors is None or len(points) == 0:
        return Features(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros((0, 128), np.float32))
    rooted = np.sqrt(descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-6), dtype=np.float32)
    whole = np.rint(rooted * _WHOLE).astype(np.float32)
    places = np.array([p.pt for p in points], dtype=np.float64)
    return Features(places, np.array([p.size for p in points]), np.radians([p.angle for p in points]), whole)


@lru_cache(maxsize=24)
def reference_features(layout: Layout, ink_level: int, accent_level: int) -> Features:
    """Features of a layout's drawing on mid-grey felt; places in table millimetres, angles as in the drawing."""
    ink, accent, drawing_from_table = print_masks(layout, REFERENCE_PX_PER_MM)
    picture = np.full(ink.shape, 110.0, dtype=np.float32)
    picture += ink * (ink_level - picture)
    picture += accent * (accent_level - picture)
    found = _sift(cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.uint8), _REFERENCE_FEATURES)
    to_table = np.linalg.inv(drawing_from_table)
    table = found.points @ to_table[:2, :2].T + to_table[:2, 2]
    return Features(table, found.sizes / REFERENCE_PX_PER_MM, found.angles, found.descriptors)


def picture_features(gray: Bytes) -> Features:
    """Features of a camera picture, places in its pixels."""
    scale = min(1.0, _PICTURE_WIDTH / max(gray.shape))
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else gray
    found = _sift(evened(np.asarray(small, dtype=np.uint8)), _PICTURE_FEATURES)
    points = (found.points + 0.5) / scale - 0.5
    return Features(points, found.sizes / scale, found.angles, found.descriptors)


def _matches(picture: Features, reference: Features) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], FloatArray]:
    """Best neighbours of each picture feature: picture index, reference index, weight."""
    like = picture.descriptors @ reference.descriptors.T / np.float32(_WHOLE**2)
    k = min(_NEIGHBOURS, like.shape[1] - 1)
    every = np.arange(len(like))
    best = np.empty((len(like), k), np.int64)
    values = np.empty((len(like), k))
    for place in range(k):  # some passes over all of it are far faster than to sort a part
        best[:, place] = like.argmax(axis=1)
        values[:, place] = like[every, best[:, place]]
        like[every, best[:, place]] = -1.0
    top = values[:, :1]
    # What looks alike in the drawing (the words of six seats) shares its vote; what looks like nothing has none.
    weight = np.exp((values - top) / 0.02) * np.clip((top - 0.88) / 0.08, 0, 1)
    weight /= np.maximum(np.exp((values - top) / 0.02).sum(axis=1, keepdims=True), 1e-9)
    rows = np.repeat(np.arange(len(picture)), k)
    flat_weight = weight.ravel()
    keep = flat_weight > 0.04
    return rows[keep], best.ravel()[keep], flat_weight[keep]


def rough_fits(picture: Features, reference: Features, size_px: tuple[int, int], tries: int = 8) -> Iterator[RoughFit]:
    """Yield places for the layout, the most voted first; nothing where nothing matches."""
    if min(len(picture), len(reference)) < MIN_FEATURES:
        return
    rows, columns, weight = _matches(picture, reference)
    if len(rows) < 8:
        return
    px, mm = picture.points[rows], reference.points[columns]
    scale = np.log2(picture.sizes[rows] / reference.sizes[columns])
    turn = np.mod(picture.angles[rows] - reference.angles[columns], 2 * np.pi)
    # Where the middle of the felt would be in the picture if the view were a similarity (the drawing's x runs against the table's).
    middle = reference.points.mean(axis=0)
    away = (middle - mm) * np.array([-1.0, 1.0]) * np.exp2(scale)[:, None]
    cos, sin = np.cos(turn), np.sin(turn)
    center = px + np.column_stack([cos * away[:, 0] - sin * away[:, 1], sin * away[:, 0] + cos * away[:, 1]])
    cell = 0.09 * max(size_px)
    center = np.clip(center, -20 * max(size_px), 20 * max(size_px))
    space = np.column_stack([center / cell, turn / (2 * np.pi / _TURNS), scale / 0.5])
    used = np.zeros(len(rows), dtype=bool)
    for _ in range(tries):
        member = _fullest(space, np.where(used, 0.0, weight))
        used |= member
        # Members are the bin's votes; the same feature may vote once only.
        pick = np.flatnonzero(member)
        if len(pick) < 8:
            return
        fit, inlier = cv2.findHomography(mm[pick], px[pick], cv2.RANSAC, 0.006 * max(size_px), None, 3000, 0.999)
        if fit is None or inlier is None or int(inlier.sum()) < 8:
            continue
        image_from_table = np.asarray(fit, dtype=np.float64)
        inside = _projected(image_from_table, mm)
        near = np.linalg.norm(inside - px, axis=1) < 0.008 * max(size_px)
        if len(np.unique(rows[near])) < _MIN_VOTES:
            continue
        yield RoughFit(image_from_table, mm[near], px[near])


def _fullest(space: FloatArray, weight: FloatArray) -> npt.NDArray[np.bool_]:
    """Votes in and around the fullest cell of the vote space (x, y, turn, log scale)."""
    best_total, best_cell = -1.0, np.zeros(4)
    for shift in (0.0, 0.5):
        cells = np.floor(space + shift)
        cells[:, 2] = np.mod(cells[:, 2], _TURNS)
        low = cells.min(axis=0)
        spans = (cells.max(axis=0) - low + 1).astype(np.int64)
        keys = np.ravel_multi_index(tuple((cells - low).astype(np.int64).T), tuple(spans))
        names, where = np.unique(keys, return_inverse=True)
        total = np.bincount(where.ravel(), weights=weight)
        top = int(total.argmax())
        if total[top] > best_total:
            found = np.array(np.unravel_index(int(names[top]), tuple(spans)), dtype=np.float64) + low
            best_total, best_cell = float(total[top]), found + 0.5 - shift
    gap = np.abs(space - best_cell)
    gap[:, 2] = np.minimum(gap[:, 2], _TURNS - gap[:, 2])
    return np.asarray((gap < np.array([1.5, 1.5, 1.5, 1.2])).all(axis=1) & (weight > 0))


def _projected(homography: FloatArray, points: FloatArray) -> FloatArray:
    ones = np.column_stack([points, np.ones(len(points))]) @ homography.T
    depth = np.where(np.abs(ones[:, 2:]) < 1e-9, 1e-9, ones[:, 2:])
    return np.asarray(ones[:, :2] / depth, dtype=np.float64)
