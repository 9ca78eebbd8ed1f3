"""Notices that the camera has been nudged: the prints of the felt are no longer where the calibration puts them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import CalibrationError, Camera
from calibration.layout import Layout
from calibration.refine import (
    PATCH_PX,
    Levels,
    Patches,
    PatchShifts,
    anchor_points,
    drawn_patches,
    shifts_of,
    turned_camera,
)

Bytes = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

MOVED_PX = 2.0
"""A shift from here on counts as moved. A nudge of 3 px is measured to some 0.3 px, a still picture to 0.2 px."""
_REACH_PX = 14
_PLACES = 48
_MIN_SEEN = 6
_AGREE_PX = 1.5
_MARGIN_PX = PATCH_PX // 2 + _REACH_PX + 2
_LEAST_TEXTURE = 6.0
"""Standard deviation, in levels, of a piece of a picture that can be found again."""


@dataclass(frozen=True, slots=True)
class Drift:
    """One look at the picture.

    Attributes:
        shift_px: typical distance of the prints from where the camera puts them; None when too little of the felt was
            seen to say (covered, dark, or moved by more than is searched).
        seen: number of printed places recognised, where `shift_px` is known: that agree.
        looked_at: number of printed places looked at.
    """

    shift_px: float | None
    seen: int
    looked_at: int

    @property
    def moved(self) -> bool | None:
        """Whether the picture moved by MOVED_PX or more; None = cannot be said."""
        return None if self.shift_px is None else self.shift_px >= MOVED_PX


class DriftWatch:
    """Compares pictures of one camera with where it puts the prints; some 10 ms a look, no picture is kept.

    Hands, cards and chips cover some places at any time: only places that look like their print count, and those that
    agree.

    Args:
        camera: where the table was found.
        layout: its felt.
        levels: brightness of its prints; None where the drawing is not recognised (corners given by hand on a felt that
            is printed otherwise): then the first picture given to `learn` stands for the drawing.
    """

    def __init__(self, camera: Camera, layout: Layout, levels: Levels | None) -> None:
        self.camera = camera
        self._patches: Patches | None = None
        self._shifts: PatchShifts | None = None
        if levels is not None:
            places = _in_view(anchor_points(layout), camera)
            places = places[_chosen(places)]
            self._patches = drawn_patches(camera, layout, levels, _REACH_PX, places)

    @property
    def is_ready(self) -> bool:
        """Whether there is something to compare with."""
        return self._patches is not None

    def learn(self, gray: Bytes) -> None:
        """Take the felt of this picture for what is to be found again."""
        found = cv2.goodFeaturesToTrack(gray, 4 * _PLACES, 0.02, PATCH_PX)
        points = np.zeros((0, 2)) if found is None else np.asarray(found, np.float64).reshape(-1, 2)
        table = self.camera.table_from_image(points)
        table = _in_view(table[np.isfinite(table).all(axis=1)], self.camera)
        px = self.camera.image_from_table(table)
        corners = np.round(px).astype(np.int64) - PATCH_PX // 2
        pieces = np.array([gray[y : y + PATCH_PX, x : x + PATCH_PX] for x, y in corners], np.float32).reshape(
            -1, PATCH_PX, PATCH_PX
        )
        clear = pieces.reshape(len(pieces), -1).std(axis=1) >= _LEAST_TEXTURE
        chosen = _chosen(table[clear])
        self._patches = Patches(table[clear][chosen], px[clear][chosen], corners[clear][chosen], pieces[clear][chosen])

    def look(self, gray: Bytes) -> Drift:
        """Compare one picture, (h, w) uint8 of the camera's size.

        Raises:
            CalibrationError: a picture of another size: the camera's settings changed, calibrate anew.
        """
        width, height = self.camera.size_px
        if (gray.shape[1], gray.shape[0]) != (width, height):
            raise CalibrationError(
                f"picture is {gray.shape[1]} x {gray.shape[0]}, calibrated was {width} x {height}; calibrate anew"
            )
        self._shifts = None
        if self._patches is None:
            return Drift(None, 0, 0)
        shifts = shifts_of(gray, self._patches, _REACH_PX)
        good = shifts.good
        seen = int(good.sum())
        if seen < _MIN_SEEN:
            return Drift(None, seen, len(good))
        moved, sure = shifts.shift_px[good], shifts.information[good]
        common = _common_shift(moved, sure)
        # A turn of the camera moves places differently: what remains after the common shift counts too, up to a limit.
        left = np.linalg.norm(np.einsum("nij,nj->ni", sure, moved - common), axis=1)
        agree = left < _AGREE_PX + 0.5 * float(np.linalg.norm(common))
        if int(agree.sum()) < max(_MIN_SEEN, 0.4 * len(left)):
            return Drift(None, seen, len(good))
        self._shifts = _part(shifts, np.flatnonzero(good)[agree])
        spread = float(np.sqrt(np.mean(left[agree] ** 2)))
        return Drift(float(np.hypot(np.linalg.norm(common), max(0.0, spread - 0.3))), int(agree.sum()), len(good))

    def followed(self) -> Camera | None:
        """The camera turned to where the last look saw the prints; None if it could not say."""
        if self._shifts is None:
            return None
        try:
            return turned_camera(self.camera, self._shifts.table_mm, self._shifts.image_px + self._shifts.shift_px)
        except (CalibrationError, np.linalg.LinAlgError):
            return None

    def at(self, camera: Camera) -> DriftWatch:
        """The same pieces of a picture that was learnt, looked for where another camera puts them."""
        moved = DriftWatch.__new__(DriftWatch)
        moved.camera, moved._patches, moved._shifts = camera, None, None
        if self._patches is not None:
            px = camera.image_from_table(self._patches.table_mm)
            kept = _inside(px, camera)
            corners = np.round(px[kept]).astype(np.int64) - PATCH_PX // 2
            moved._patches = Patches(self._patches.table_mm[kept], px[kept], corners, self._patches.pieces[kept])
        return moved


def _part(shifts: PatchShifts, which: npt.NDArray[np.int64]) -> PatchShifts:
    return PatchShifts(
        shifts.table_mm[which],
        shifts.image_px[which],
        shifts.shift_px[which],
        shifts.information[which],
        shifts.correlation[which],
        shifts.unmoved[which],
    )


def _inside(px: FloatArray, camera: Camera) -> npt.NDArray[np.bool_]:
    known = np.nan_to_num(px, nan=-1e9)
    return np.asarray(((known > _MARGIN_PX) & (known < np.array(camera.size_px) - _MARGIN_PX)).all(axis=1))


def _in_view(points_mm: FloatArray, camera: Camera) -> FloatArray:
    return points_mm[_inside(camera.image_from_table(points_mm), camera)] if len(points_mm) else points_mm


def _chosen(points: FloatArray) -> npt.NDArray[np.int64]:
    """Indices of at most _PLACES points, far from each other."""
    if len(points) <= _PLACES:
        return np.arange(len(points))
    chosen = [0]
    distance = np.linalg.norm(points - points[0], axis=1)
    while len(chosen) < _PLACES:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.array(chosen)


def _common_shift(shifts: FloatArray, sure: FloatArray) -> FloatArray:
    """The shift most places agree on: least squares with outliers losing their say, started from the best single place."""
    information = np.einsum("nij,nkj->nik", sure, sure)
    spread = np.linalg.norm(np.einsum("nij,mnj->mni", sure, shifts[:, None, :] - shifts[None, :, :]), axis=2)
    common = shifts[int(np.minimum(spread, 2.0).sum(axis=1).argmin())]
    for _ in range(6):
        left = np.linalg.norm(np.einsum("nij,nj->ni", sure, shifts - common), axis=1)
        weight = 1.0 / (1.0 + (left / 0.7) ** 2) ** 2
        normal = np.einsum("n,nij->ij", weight, information) + 1e-9 * np.eye(2)
        common = np.linalg.solve(normal, np.einsum("n,nij,nj->i", weight, information, shifts))
    return np.asarray(common, dtype=np.float64)
