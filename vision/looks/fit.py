"""Lays a rectangle of a card's exact size, or a chip's circle, onto the edges in a view, starting from where the detector saw it.

The detector's boxes are a few millimetres and degrees off; a card's size is known, and a chip's. So only place and angle are searched,
coarsely first, for the outline along which brightness steps most; a part may be covered by another card or chip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.reader import CARD_SIZE_MM
from vision.frames.picture import Image

FloatArray = npt.NDArray[np.float64]
Pose = tuple[float, float, float]
"""Column and row of a card's middle, and the angle of its upper side in degrees."""
Stage = tuple[float, float, float, float]
"""Degrees to either side and their step, millimetres to either side and their step."""

SAMPLES = 15
"""Places on each side where the step is looked at."""
STAGES: tuple[Stage, ...] = ((14.0, 3.5, 6.0, 2.0), (3.0, 1.0, 1.5, 0.75))
"""Search about where a card was detected, coarse and fine."""
MOST_STEP = 40.0
"""Levels a pixel above which a step counts no more: a bright print beside a card must not outweigh its sides."""
LEAST_GAIN = 1.1
"""How much better than where it was an outline must fit to be taken."""
POOR_FIT, TURNED_GAIN, TURNED_STEP, TURNED_REACH = 60.0, 1.8, 5.0, (10.0, 2.5)
"""An outline that scores less than the first fits nothing (136 at most: three sides and two fifths of `MOST_STEP`). So many times as good, and no poor fit, must be one at any angle, searched in
steps of so many degrees and so many millimetres to either side and their step: of one detection in twenty of hard pictures the angle is farther off than the search reaches."""
RIM_SAMPLES, RIM_COVERED = 48, 0.3
"""Places on a chip's rim where the step is looked at, and the share of them that may be covered."""
RIM_STAGES = ((4.0, 1.0), (1.0, 0.25))
"""Search for a chip's middle: millimetres to either side and their step."""
MOST_RIM_STEP = 80.0
"""As `MOST_STEP`, for chips, whose rims step more."""
RIM_AWAY = 0.3
"""Share of its score that a rim loses at the end of the search."""


@dataclass(frozen=True)
class Edges:
    """Steps of brightness in a view, in levels a pixel.

    Attributes:
        gradient: (h, w, 2) float32 along x and y, of the colour that steps most.
    """

    gradient: npt.NDArray[np.float32]

    @classmethod
    def of(cls, view: Image, beyond: npt.NDArray[np.bool_] | None = None) -> Edges:
        """The steps of a view; none where it shows what lies `beyond` the picture, (h, w): the picture's border is no card's side."""
        soft = cv2.GaussianBlur(view, (3, 3), 0)
        along_x, along_y = (cv2.split(cv2.Sobel(soft, cv2.CV_16S, dx, 1 - dx)) for dx in (1, 0))
        gx, gy = np.array(along_x[0]), np.array(along_y[0])
        most = _squared(gx, gy)
        for x, y in zip(along_x[1:], along_y[1:], strict=True):
            steps = _squared(x, y)
            more = cv2.compare(steps, most, cv2.CMP_GT)
            for kept, this in ((gx, x), (gy, y), (most, steps)):
                cv2.copyTo(this, more, kept)
        gradient = np.asarray(cv2.merge([gx, gy]), np.float32) * np.float32(0.125)
        if beyond is not None:
            gradient[beyond] = 0.0
        return cls(gradient)


def _squared(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """x * x + y * y."""
    return np.asarray(np.multiply(x, x, dtype=np.int32) + np.multiply(y, y, dtype=np.int32), np.int32)


def fitted_card(
    edges: Edges, corners_px: npt.ArrayLike, px_per_mm: float, *, size_px: tuple[float, float] | None = None
) -> FloatArray:
    """(4, 2) corners of the card in pixels of the view, in the order given, with the exact size of a card.

    Args:
        edges: of the view.
        corners_px: (4, 2) upper left, upper right, lower right, lower left as detected.
        px_per_mm: scale of the view.
        size_px: width and height to fit instead, where the view is not from straight above.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    center = corners.mean(axis=0)
    size = size_px or (CARD_SIZE_MM[0] * px_per_mm, CARD_SIZE_MM[1] * px_per_mm)
    across = corners[1] + corners[2] - corners[0] - corners[3]
    angle = float(np.degrees(np.arctan2(across[1], across[0])))
    x, y = center
    start = _score(edges, x, y, angle, size)
    pose, score = _searched(edges, (x, y, angle), STAGES, size, px_per_mm)
    if score < LEAST_GAIN * start:
        pose, score = (x, y, angle), start
    if score < POOR_FIT:
        turned, better = _searched(
            edges, _at_any_angle(edges, (x, y, angle), size, px_per_mm), STAGES[1:], size, px_per_mm
        )
        pose = turned if better >= max(POOR_FIT, TURNED_GAIN * score) and _within(edges, turned, size) else pose
    return np.asarray(_corners(np.array([pose]), size)[0], dtype=np.float64)


def _searched(
    edges: Edges, start: Pose, stages: Sequence[Stage], size_px: tuple[float, float], px_per_mm: float
) -> tuple[Pose, float]:
    """The pose about a start at which an outline fits best, and its score."""
    x, y, angle = start
    for turn, turn_step, shift, shift_step in stages:
        turns = np.arange(-turn, turn + 1e-6, turn_step)
        shifts = np.arange(-shift, shift + 1e-6, shift_step) * px_per_mm
        xs, ys, angles = x + shifts, y + shifts, angle + turns
        scores = _scores(edges, xs, ys, angles, size_px)
        away_x, away_y = np.abs(xs - start[0]), np.abs(ys - start[1])
        away = np.maximum(away_x[:, None], away_y[None, :]) / (8.0 * px_per_mm)
        scores *= (1.0 - 0.1 * away)[:, :, None]
        i, j, k = np.unravel_index(int(scores.argmax()), scores.shape)
        x, y, angle = float(xs[i]), float(ys[j]), float(angles[k])
    return (x, y, angle), _score(edges, x, y, angle, size_px)


def _at_any_angle(edges: Edges, start: Pose, size_px: tuple[float, float], px_per_mm: float) -> Pose:
    """The pose at which an outline fits best near a place, whatever its angle, a quarter turn to either side at most."""
    reach, step = TURNED_REACH
    shifts = np.arange(-reach, reach + 1e-6, step) * px_per_mm
    angles = start[2] + np.arange(-90.0, 90.0, TURNED_STEP)
    scores = _scores(edges, start[0] + shifts, start[1] + shifts, angles, size_px)
    i, j, k = np.unravel_index(int(scores.argmax()), scores.shape)
    return float(start[0] + shifts[i]), float(start[1] + shifts[j]), float(angles[k])


def _within(edges: Edges, pose: Pose, size_px: tuple[float, float]) -> bool:
    """Whether a card at a pose lies in the view: beyond its border the steps along it go on for ever."""
    corners, (height, width) = _corners(np.array([pose]), size_px)[0], edges.gradient.shape[:2]
    return bool((corners >= 0).all() and (corners <= (width - 1, height - 1)).all())


def fitted_disc(edges: Edges, middle_px: npt.ArrayLike, radius_px: float, px_per_mm: float) -> FloatArray:
    """(2,) middle of a chip's face in pixels of the view, at most some 4 mm from where it was detected, in x and in y.

    Args:
        edges: of the view.
        middle_px: (2,) as detected.
        radius_px: of a chip in the view.
        px_per_mm: scale of the view.
    """
    start = np.asarray(middle_px, dtype=np.float64)
    height, width = edges.gradient.shape[:2]
    turn = np.arange(RIM_SAMPLES) * (2 * np.pi / RIM_SAMPLES)
    outward = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    covered = round(RIM_SAMPLES * RIM_COVERED)
    middle = start
    for reach, step in RIM_STAGES:
        shifts = np.arange(-reach, reach + 1e-6, step) * px_per_mm
        xs, ys = middle[0] + shifts, middle[1] + shifts
        columns = _pixels(xs[:, None] + radius_px * outward[:, 0], width)
        rows = _pixels(ys[:, None] + radius_px * outward[:, 1], height)
        gradient = edges.gradient[rows[None], columns[:, None]]
        steps = np.minimum(np.abs((gradient * outward).sum(axis=-1)), MOST_RIM_STEP)
        scores = np.sort(steps, axis=-1)[..., covered:].mean(axis=-1)
        away = np.hypot((xs - start[0])[:, None], (ys - start[1])[None]) / (RIM_STAGES[0][0] * px_per_mm)
        i, k = np.unravel_index(int((scores * (1.0 - RIM_AWAY * away**2)).argmax()), scores.shape)
        middle = np.array([xs[i], ys[k]])
    return middle


def _score(edges: Edges, x: float, y: float, angle: float, size_px: tuple[float, float]) -> float:
    """See `_scores`, of one place."""
    return float(_scores(edges, np.array([x]), np.array([y]), np.array([angle]), size_px)[0, 0, 0])


def _corners(poses: FloatArray, size_px: tuple[float, float]) -> FloatArray:
    """(n, 4, 2) corners of cards at (n, 3) poses: middle in pixels and angle in degrees."""
    half_w, half_h = (0.5 * side for side in size_px)
    local = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]])
    cos, sin = np.cos(np.radians(poses[:, 2])), np.sin(np.radians(poses[:, 2]))
    rotation = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
    return np.asarray(np.einsum("nij,kj->nki", rotation, local) + poses[:, None, :2], dtype=np.float64)


def _scores(
    edges: Edges, xs: FloatArray, ys: FloatArray, angles: FloatArray, size_px: tuple[float, float]
) -> FloatArray:
    """How much brightness steps across the outlines of cards, the weakest side counting less: it may be covered.

    Args:
        edges: of the view.
        xs, ys: columns and rows of their middles.
        angles: degrees.
        size_px: width and height of a card.

    Returns:
        (columns, rows, angles): every column with every row with every angle.
    """
    height, width = edges.gradient.shape[:2]
    corners = _corners(np.column_stack([np.zeros((len(angles), 2)), angles]), size_px)
    following = np.roll(corners, -1, axis=1)
    share = np.linspace(0.1, 0.9, SAMPLES)[:, None]
    points = corners[:, :, None] * (1 - share) + following[:, :, None] * share
    columns = _pixels(xs[:, None, None, None] + points[..., 0], width)
    rows = _pixels(ys[:, None, None, None] + points[..., 1], height)
    gradient = edges.gradient.reshape(-1, 2).take(columns[:, None] + width * rows[None], axis=0)
    along = following - corners
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    step = gradient[..., 0] * along[..., None, 1]
    step -= gradient[..., 1] * along[..., None, 0]
    np.abs(step, out=step)
    sides = np.minimum(step, MOST_STEP, out=step).mean(axis=-1)
    return np.asarray(sides.sum(axis=-1) - 0.6 * sides.min(axis=-1), dtype=np.float64)


def _pixels(places: FloatArray, count: int) -> npt.NDArray[np.intp]:
    """The nearest pixels, or those at the border."""
    return np.clip(np.round(places), 0, count - 1).astype(np.intp)
