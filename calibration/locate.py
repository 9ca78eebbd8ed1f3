"""Finds a layout in a camera picture without help, or from four points given by hand.

Automatic: SIFT features of the drawing vote for a place (`features`), then the camera (pose, focal length, k1) is
fitted to some hundred patches of the drawing found to a fraction of a pixel (`refine`). Works on any felt colour, in any
turn, under partial cover. What is not surely the layout raises CalibrationError: never a guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import CalibrationError, Camera, camera_from_homography
from calibration.features import MIN_FEATURES, Features, RoughFit, picture_features, reference_features, rough_fits
from calibration.layout import Layout
from calibration.refine import (
    GOOD_CORRELATION,
    Levels,
    PatchShifts,
    anchor_points,
    fit_camera,
    measure_shifts,
    measured_levels,
)

Bytes = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

_POLARITIES = ((235, 205), (10, 25), (235, 20), (20, 235))
"""Grey of ink and of accent on the mid-grey felt of the reference: usual, dark prints on light felt, one of each."""
_MIN_PATCHES = 24
_MIN_SHARE = 0.10
_MIN_SPREAD_MM = 110.0
_MAX_ERROR_PX = 1.5
_MAX_TYPICAL_PX = 0.5
"""Median distance of patches from where a fitted camera puts them: 0.02 to 0.1 px on the right felt, half covered or not, 0.7
to 1.3 px where another game's felt is mistaken for it (areas of two games lie alike)."""


class _Picture:
    """A grey camera picture; its features are looked for once, however many layouts are tried on it."""

    def __init__(self, gray: Bytes) -> None:
        self.gray = gray

    @cached_property
    def features(self) -> Features:
        """What may be marks of a layout."""
        return picture_features(self.gray)

    @cached_property
    def mirrored(self) -> _Picture:
        """The same with left and right exchanged."""
        return _Picture(np.ascontiguousarray(self.gray[:, ::-1]))


class _MirroredError(CalibrationError):
    """The layout is there, but mirrored."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where the table is in the picture.

    Attributes:
        camera: the camera over the table.
        error_px: root mean square distance between drawing and picture over the patches used.
        error_mm: the same on the felt.
        inliers: number of patches (or points) the camera rests on.
        method: `features` or `corners`.
        levels: brightness of the prints against the felt, for `DriftWatch`.
    """

    camera: Camera
    error_px: float
    error_mm: float
    inliers: int
    method: str
    levels: Levels

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "camera": self.camera.to_json(),
            "error_px": self.error_px,
            "error_mm": self.error_mm,
            "inliers": self.inliers,
            "method": self.method,
            "levels": [self.levels.ink, self.levels.accent],
        }


def locate_layout(image_bgr: Bytes, layout: Layout) -> Calibration:
    """Find a layout in a picture.

    Args:
        image_bgr: (h, w, 3) or (h, w) uint8, at least 320 x 240.
        layout: what is printed on the felt.

    Raises:
        CalibrationError: the layout is not seen surely enough; the text says how far the search came.
    """
    return _located(_Picture(_gray(image_bgr)), layout)


def _located(picture: _Picture, layout: Layout) -> Calibration:
    found = _found_in(picture, layout)
    if isinstance(found, Calibration):
        return found
    if found >= _MIN_PATCHES // 2 and isinstance(_found_in(picture.mirrored, layout), Calibration):
        raise _mirrored_error(layout)
    height, width = picture.gray.shape[:2]
    seen = f"{found} of its marks were recognised" if found else "none of its marks was recognised"
    raise CalibrationError(
        f"layout {layout.name} not found in the {width} x {height} picture: {seen}, {_MIN_PATCHES} spread over the felt are needed; "
        "check that the camera shows this table and the layout is the right one, uncover the felt, or give the four corners by hand"
    )


def _found_in(picture: _Picture, layout: Layout) -> Calibration | int:
    """The layout's place; the most marks that were seen where it is not surely there."""
    if len(picture.features) < MIN_FEATURES:
        return 0
    size_px = (picture.gray.shape[1], picture.gray.shape[0])
    closest = 0
    for ink, accent in _POLARITIES:
        reference = reference_features(layout, ink, accent)
        levels = Levels((ink - 110) / 100, (accent - 110) / 100)
        for fit in rough_fits(picture.features, reference, size_px, tries=3):
            found = _refined(picture.gray, fit, layout, levels)
            if isinstance(found, Calibration):
                return found
            closest = max(closest, found)
    return closest


def _mirrored_error(layout: Layout) -> _MirroredError:
    return _MirroredError(
        f"the picture shows layout {layout.name} mirrored: words run backwards; turn off mirroring in the camera or player"
    )


def recognise_layout(image_bgr: Bytes, layouts: Iterable[Layout]) -> Layout | None:
    """Which of some layouts a picture shows, the one that most of its marks speak for; None if none of them.

    Args:
        image_bgr: (h, w, 3) or (h, w) uint8, at least 320 x 240.
        layouts: those to be tried, a second or two each.
    """
    picture = _Picture(_gray(image_bgr))
    found: list[tuple[int, Layout]] = []
    for layout in layouts:
        try:
            found.append((_located(picture, layout).inliers, layout))
        except CalibrationError:
            continue
    return max(found, key=lambda one: one[0], default=(0, None))[1]


def locate_near(image_bgr: Bytes, layout: Layout, camera: Camera, levels: Levels) -> Calibration:
    """Find a layout where a camera nearly puts it, up to 10 px away: after a nudge or a slow drift, several times faster.

    Args:
        image_bgr: (h, w, 3) or (h, w) uint8 of the camera's size.
        layout: what is printed on the felt.
        camera: about where it stands.
        levels: brightness of the prints there, from the calibration before.

    Raises:
        CalibrationError: the layout is not seen surely enough there.
    """
    found = _fitted(_gray(image_bgr), camera, layout, levels)
    if isinstance(found, Calibration):
        return found
    raise CalibrationError(
        f"layout {layout.name} is no longer where it was: {found} of its marks were recognised, {_MIN_PATCHES} are needed; "
        "look for it in the whole picture"
    )


def apart_px(camera: Camera, other: Camera, layout: Layout) -> float:
    """Root mean square distance, in pixels, between where two cameras put the corners of a layout's areas in view."""
    corners = np.vstack([np.array(area.polygon_mm) for area in layout.areas])
    here, there = camera.image_from_table(corners), other.image_from_table(corners)
    seen = ((np.nan_to_num(here, nan=-1.0) >= 0) & (here < camera.size_px)).all(axis=1) & np.isfinite(there).all(axis=1)
    return float(np.sqrt(np.mean(((here - there)[seen] ** 2).sum(axis=1)))) if seen.any() else math.inf


def _refined(gray: Bytes, fit: RoughFit, layout: Layout, levels: Levels) -> Calibration | int:
    """Fit the camera from a rough place; the number of patches seen where that is not convincing."""
    try:
        camera = camera_from_homography(fit.image_from_table, (gray.shape[1], gray.shape[0]))
        if not _plausible(camera, layout):
            return 0
        camera, _ = fit_camera(camera, fit.table_mm, fit.image_px, noise_px=1.0)
    except (CalibrationError, cv2.error, np.linalg.LinAlgError):
        return 0
    return _fitted(gray, camera, layout, levels)


def _fitted(gray: Bytes, camera: Camera, layout: Layout, levels: Levels) -> Calibration | int:
    """Fit a camera to patches of the drawing around it; the number of patches seen where that is not convincing."""
    shifts: PatchShifts | None = None
    try:
        for reach, most in ((10, 260), (5, 260), (3, 450)):
            if not _plausible(camera, layout):
                return 0
            shifts = measure_shifts(gray, camera, layout, levels, reach, _anchors_in_view(layout, camera, most))
            good = shifts.good
            if int(good.sum()) < _MIN_PATCHES:
                return int(good.sum())
            target = shifts.image_px[good] + shifts.shift_px[good]
            camera, residual = fit_camera(camera, shifts.table_mm[good], target, shifts.information[good])
            if reach == 10:
                levels = measured_levels(gray, camera, layout, levels)
    except (CalibrationError, cv2.error, np.linalg.LinAlgError):
        return 0
    assert shifts is not None
    return _judged(gray, camera, layout, levels, shifts, residual)


def _judged(
    gray: Bytes, camera: Camera, layout: Layout, levels: Levels, shifts: PatchShifts, residual: FloatArray
) -> Calibration | int:
    """Take a fitted camera if its patches are many, near and spread; else the number of those that are."""
    good = shifts.good
    near = residual < max(1.0, 3 * float(np.median(residual)))
    places = shifts.table_mm[good][near]
    count = int(near.sum())
    steady = int((shifts.unmoved[good][near] > 0.7 * GOOD_CORRELATION).sum())
    if min(count, steady) < _MIN_PATCHES or count < _MIN_SHARE * len(good) or _spread_mm(places) < _MIN_SPREAD_MM:
        return min(count, steady)
    if not _plausible(camera, layout):
        return 0
    if _mirrored(gray, camera, layout, levels):
        raise _mirrored_error(layout)
    error_px = float(np.sqrt(np.mean(residual[near] ** 2)))
    if error_px > _MAX_ERROR_PX or float(np.median(residual)) > _MAX_TYPICAL_PX:
        return count
    scale = camera.px_per_mm_at(tuple(places.mean(axis=0)))
    return Calibration(camera, error_px, error_px / scale, count, "features", levels)


def _anchors_in_view(layout: Layout, camera: Camera, most: int) -> FloatArray:
    """Places of the drawing that the camera shows, evenly thinned to at most `most`."""
    points = anchor_points(layout)
    px = np.nan_to_num(camera.image_from_table(points), nan=-1e9)
    points = points[((px > 0) & (px < np.array(camera.size_px))).all(axis=1)]
    return points[:: max(1, math.ceil(len(points) / most))]


def _mirrored(gray: Bytes, camera: Camera, layout: Layout, levels: Levels) -> bool:
    """Whether the drawing mirrored fits better: a felt is nearly symmetric, only its words are not."""
    places = _anchors_in_view(layout, camera, 200)
    scores = [
        float(np.clip(measure_shifts(gray, camera, layout, levels, 2, places, mirrored).unmoved, 0, 1).mean())
        for mirrored in (False, True)
    ]
    return scores[1] > scores[0]


def _spread_mm(points: FloatArray) -> float:
    """Smaller standard deviation of places on the felt: near 0 when they lie on one line or in one spot."""
    if len(points) < 3:
        return 0.0
    return float(np.sqrt(max(0.0, np.linalg.eigvalsh(np.cov(points.T))[0])))


def _plausible(camera: Camera, layout: Layout) -> bool:
    """Whether a camera over a table could be so: looks down, from a usual distance, and the felt keeps its shape."""
    if camera.tilt_deg > 70:
        return False
    points = np.vstack([np.array(layout.outline_mm), np.array([a.center_mm for a in layout.areas])])
    pixels = np.nan_to_num(camera.image_from_table(points), nan=-1e9)
    width, height = camera.size_px
    seen = ((pixels > -0.02 * width) & (pixels < np.array([1.02 * width, 1.02 * height]))).all(axis=1)
    if int(seen.sum()) < 4:
        return False
    scales = [camera.px_per_mm_at(tuple(point)) for point in points[seen]]
    return min(scales) > 0.15 and max(scales) < 10 and max(scales) < 5 * min(scales)


def _gray(image: Bytes) -> Bytes:
    if image.dtype != np.uint8 or image.ndim not in (2, 3) or min(image.shape[:2]) < 240:
        raise CalibrationError(
            f"picture: expected uint8 of at least 320 x 240, got {image.dtype} of shape {image.shape}"
        )
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def calibrate_by_corners(
    corners_px: npt.ArrayLike, layout: Layout, size_px: tuple[int, int], image_bgr: Bytes | None = None
) -> Calibration:
    """Calibrate from the four reference points of a layout, given by hand.

    Args:
        corners_px: (4, 2) pixels of `layout.corners_mm`, in that order (`layout.corner_names` says where they are).
        layout: the layout.
        size_px: width and height of the picture.
        image_bgr: the picture; where given, the camera is refined on it if it agrees with the points.

    Raises:
        CalibrationError: points missing, in the wrong order or on one line.
    """
    points = np.asarray(corners_px, dtype=np.float64)
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise CalibrationError(f"corners_px: expected 4 points [x, y], got shape {points.shape}")
    corners = np.array(layout.corners_mm)
    names = "; ".join(f"{i + 1}. {name}" for i, name in enumerate(layout.corner_names))
    if not cv2.isContourConvex(points.astype(np.float32)):
        raise CalibrationError(f"corners_px: the four points do not go round the table; the order is {names}")
    homography = cv2.getPerspectiveTransform(corners.astype(np.float32), points.astype(np.float32))
    try:
        camera = camera_from_homography(homography, size_px)
    except CalibrationError as error:
        raise CalibrationError(f"corners_px: {error}; the order is {names}") from error
    if not _plausible(camera, layout):
        raise CalibrationError(f"corners_px: no camera above the table sees the points so; the order is {names}")
    if image_bgr is not None:
        fit = RoughFit(np.asarray(homography, np.float64), corners, points)
        for ink, accent in _POLARITIES:
            found = _refined(_gray(image_bgr), fit, layout, Levels((ink - 110) / 100, (accent - 110) / 100))
            if isinstance(found, Calibration):
                return found
    left = camera.image_from_table(corners) - points
    error_px = float(np.sqrt(np.mean((left**2).sum(axis=1))))
    scale = camera.px_per_mm_at(tuple(corners.mean(axis=0)))
    return Calibration(camera, error_px, error_px / scale, 4, "corners", Levels(1.0, 0.9))
