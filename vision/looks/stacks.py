"""The side of a stack as the calibrated camera shows it: cut out chip by chip, and where a stack's foot is.

Seen at an angle, each chip of a stack shifts what lies above it away from the camera's foot point. The cylinder's surface
is unrolled along that shift: a row of a *strip* is one height above the felt, four rows are one chip. Half of its channels follow
the side turned to the camera, where the chips' edges are; the other half follow the far rim, where the topmost chip ends
and the felt begins. From straight above there is nothing to unroll, and nothing is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from models.stack_reader import BELOW_ROWS, CHIP_ROWS, STRIP_SHAPE
from vision.frames.picture import Image

FloatArray = npt.NDArray[np.float64]

CHIP_RADIUS_MM = 19.5
CHIP_HEIGHT_MM = 3.3
LEAST_SIDE_PX, LEAST_SHIFT_MM = 1.0, 0.9
"""Where one chip shows less of its side than this, or shifts what lies on it by less on the felt (15 degrees from straight above), its
side does not tell one chip from two: nothing is cut."""
REACH = 0.8
"""Columns span this share of the chip's radius to either side; beyond, its rim runs along the view."""


class CameraLike(Protocol):
    """What is needed of a camera; see `calibration.camera.Camera`."""

    @property
    def position_mm(self) -> FloatArray:
        """(3,) where it is, in the table frame."""

    def image_from_table(self, points_mm: npt.ArrayLike) -> FloatArray:
        """(n, 2) pixels of (n, 3) table points."""


class OtherHeights:
    """A camera as if things stood so many times as high as they do above the felt, which lies where it lay.

    Args:
        camera: as it is.
        factor: of heights.
    """

    def __init__(self, camera: CameraLike, factor: float) -> None:
        self._camera, self._factor = camera, factor
        self.position_mm: FloatArray = np.asarray(camera.position_mm, np.float64) * (1.0, 1.0, 1.0 / factor)

    def image_from_table(self, points_mm: npt.ArrayLike) -> FloatArray:
        """(n, 2) pixels of (n, 3) table points."""
        return self._camera.image_from_table(np.asarray(points_mm, np.float64) * (1.0, 1.0, self._factor))


@dataclass(frozen=True, slots=True)
class Strip:
    """An unrolled stack.

    Attributes:
        image: (72, 24, 6) uint8, BGR along the near side and BGR along the far rim; row 16 is the felt.
        side_px: pixels of the camera picture that one chip shows of its side.
    """

    image: npt.NDArray[np.uint8]
    side_px: float


def away_from_camera(camera: CameraLike, at_mm: npt.ArrayLike) -> tuple[FloatArray, float]:
    """Direction (2,) on the felt in which height shifts things, and the shift in millimetres per millimetre of height."""
    eye = camera.position_mm
    way = np.asarray(at_mm, np.float64)[:2] - eye[:2]
    distance = float(np.hypot(*way))
    if distance < 1e-6:
        return np.array([1.0, 0.0]), 0.0
    return way / distance, distance / float(eye[2])


def side_px(camera: CameraLike, at_mm: npt.ArrayLike) -> float:
    """Pixels of the camera picture by which one chip's height shifts what lies on it."""
    x, y = np.asarray(at_mm, np.float64)[:2]
    low, high = camera.image_from_table([(x, y, 0.0), (x, y, CHIP_HEIGHT_MM)])
    return float(np.hypot(*(high - low)))


def foot_of(camera: CameraLike, corners_mm: npt.ArrayLike, *, stack: bool) -> FloatArray:
    """Middle of the lowest chip's underside (2,), from a detected box.

    Args:
        camera: over the table.
        corners_mm: (4, 2) corners of the box as if it lay on the felt.
        stack: the box is around the whole stack, else around the upper face of a single chip.
    """
    corners = np.asarray(corners_mm, np.float64)
    middle = corners.mean(axis=0)
    away, per_mm = away_from_camera(camera, middle)
    if not stack:
        return np.asarray(middle - away * per_mm * CHIP_HEIGHT_MM)
    return np.asarray(middle - away * max(0.0, longest_side(corners) - 2 * CHIP_RADIUS_MM) / 2)


def longest_side(corners: FloatArray) -> float:
    """Length of the longest side of a box (4, 2)."""
    return float(np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1).max())


def top_of(camera: CameraLike, foot_mm: npt.ArrayLike, chips: int) -> FloatArray:
    """Where on the felt the middle of the upper face of a stack is seen.

    Args:
        camera: sees it.
        foot_mm: (2,) where the stack stands.
        chips: how many it has.

    Returns:
        (2,) millimetres.
    """
    away, per_mm = away_from_camera(camera, foot_mm)
    height = chips * CHIP_HEIGHT_MM
    eye_z = float(camera.position_mm[2])
    return np.asarray(foot_mm, np.float64) + away * per_mm * height * eye_z / (eye_z - height)


def cut_strip(image: Image, camera: CameraLike, foot_mm: npt.ArrayLike) -> Strip | None:
    """Unroll the side of what stands on the felt; None where the view is too steep or too coarse to tell heights.

    Args:
        image: (h, w, 3) BGR as the camera gave it.
        camera: that gave it.
        foot_mm: (2,) where the stack stands.
    """
    foot = np.asarray(foot_mm, np.float64)
    away, per_mm = away_from_camera(camera, foot)
    shown = side_px(camera, foot)
    shift = per_mm * CHIP_HEIGHT_MM
    if not (shown >= LEAST_SIDE_PX and shift >= LEAST_SHIFT_MM):
        return None
    rows, columns = STRIP_SHAPE
    fine = 2 if shown / shift * 2 * REACH * CHIP_RADIUS_MM > 1.8 * columns else 1
    heights = (((np.arange(rows * fine) + 0.5) / fine - BELOW_ROWS) / CHIP_ROWS) * CHIP_HEIGHT_MM
    across = ((np.arange(columns * fine) + 0.5) / (columns * fine) * 2 - 1) * REACH * CHIP_RADIUS_MM
    maps = _surface_px(camera, foot, away, heights, across)
    sides = [
        cv2.resize(
            cv2.remap(image, side[..., 0], side[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
            (columns, rows),
            interpolation=cv2.INTER_AREA,
        )
        for side in maps
    ]
    return Strip(np.asarray(np.concatenate(sides, axis=2), np.uint8), shown)


def _surface_px(
    camera: CameraLike, foot: FloatArray, away: FloatArray, heights: FloatArray, across: FloatArray
) -> Sequence[npt.NDArray[np.float32]]:
    """Pixels (rows, columns, 2) of the near and of the far side of an upright cylinder."""
    beside = np.array([-away[1], away[0]])
    depth = np.sqrt(CHIP_RADIUS_MM**2 - across**2)
    found = []
    for sign in (-1.0, 1.0):
        rim = foot + across[:, None] * beside + sign * depth[:, None] * away
        points = np.empty((len(heights), len(across), 3))
        points[..., :2] = rim
        points[..., 2] = heights[:, None]
        pixels = camera.image_from_table(points.reshape(-1, 3)).reshape(len(heights), len(across), 2)
        found.append(np.nan_to_num(pixels, nan=-1e6).astype(np.float32))
    return found
