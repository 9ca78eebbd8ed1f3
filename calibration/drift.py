"""Notices that the camera has been nudged: the prints of the felt are no longer where the calibration puts them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import CalibrationError
from calibration.layout import Layout
from calibration.locate import Calibration
from calibration.refine import anchor_points, measure_shifts

Bytes = npt.NDArray[np.uint8]

MOVED_PX = 3.0
"""A shift of the picture from here on counts as moved."""
_REACH_PX = 14
_PLACES = 48
_MIN_SEEN = 6
_AGREE_PX = 1.5


@dataclass(frozen=True, slots=True)
class Drift:
    """One look at the picture.

    Attributes:
        shift_px: typical distance of the prints from where the calibration puts them; None when too little of the felt
            was seen to say (covered, dark, or moved by more than is searched).
        seen: number of printed places recognised.
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
    """Compares pictures of one camera with its calibration; about 20 ms a look, no picture is kept.

    Hands, cards and chips cover some places at any time: only places that look like their print count, and those that
    agree. `moved` is said after `needed` looks in a row agree, so that one odd picture does not ring.
    """

    def __init__(self, calibration: Calibration, layout: Layout, needed: int = 3) -> None:
        if needed < 1:
            raise ValueError(f"needed: expected at least 1, got {needed}")
        self._calibration, self._layout, self._needed = calibration, layout, needed
        self._places = self._choose()
        self._recent: list[Drift] = []

    def look(self, image_bgr: Bytes) -> Drift:
        """Compare one picture, (h, w, 3) or (h, w) uint8 of the calibrated size.

        Raises:
            CalibrationError: a picture of another size: the camera's settings changed, calibrate anew.
        """
        camera = self._calibration.camera
        if (image_bgr.shape[1], image_bgr.shape[0]) != camera.size_px:
            got = f"{image_bgr.shape[1]} x {image_bgr.shape[0]}"
            raise CalibrationError(
                f"picture is {got}, calibrated was {camera.size_px[0]} x {camera.size_px[1]}; calibrate anew"
            )
        gray = image_bgr if image_bgr.ndim == 2 else np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
        shifts = measure_shifts(gray, camera, self._layout, self._calibration.levels, _REACH_PX, self._places)
        good = shifts.good
        drift = Drift(None, 0, len(good))
        if int(good.sum()) >= _MIN_SEEN:
            moved, sure = shifts.shift_px[good], shifts.information[good]
            common = _common_shift(moved, sure)
            # A turn of the camera moves places differently: what remains after the common shift counts too, up to a limit.
            left = np.linalg.norm(np.einsum("nij,nj->ni", sure, moved - common), axis=1)
            agree = left < _AGREE_PX + 0.5 * float(np.linalg.norm(common))
            if int(agree.sum()) >= max(_MIN_SEEN, 0.4 * len(left)):
                spread = float(np.sqrt(np.mean(left[agree] ** 2)))
                drift = Drift(
                    float(np.hypot(np.linalg.norm(common), max(0.0, spread - 0.3))), int(agree.sum()), len(good)
                )
        self._recent = [*self._recent, drift][-self._needed :]
        return drift

    @property
    def moved(self) -> bool | None:
        """True when the last `needed` looks all say so, False when one of them says it did not, None when unknown."""
        answers = [drift.moved for drift in self._recent]
        if False in answers:
            return False
        if len(answers) == self._needed and answers.count(True) == self._needed:
            return True
        return None

    def _choose(self) -> npt.NDArray[np.float64]:
        """Places in view, spread over the felt."""
        camera = self._calibration.camera
        points = anchor_points(self._layout)
        px = camera.image_from_table(points)
        inside = ((px > 48) & (px < np.array(camera.size_px) - 48)).all(axis=1)
        points = points[inside]
        if len(points) <= _PLACES:
            return points
        chosen = [0]
        distance = np.linalg.norm(points - points[0], axis=1)
        while len(chosen) < _PLACES:
            chosen.append(int(distance.argmax()))
            distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
        return points[chosen]


def _common_shift(shifts: npt.NDArray[np.float64], sure: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
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
