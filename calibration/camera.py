"""The camera over the table: from table millimetres to pixels and back.

Table frame: origin at the middle of the dealer's edge, x to the dealer's right, y towards the players, z up,
millimetres. Camera frame as OpenCV has it: x to the right of the picture, y down, z along the view. Pixels are floats
with the centre of the first pixel at (0, 0), as OpenCV has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

DEFAULT_FOCAL_WIDTHS = 1.2
"""Focal length assumed, in widths of the picture, where a view too near the vertical does not tell it."""

_UNDISTORT_STOP = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-10)


class CalibrationError(ValueError):
    """The table cannot be found, or a camera is impossible; the text says what was seen and what to do."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera with a lens, placed in the table frame.

    Attributes:
        matrix: (3, 3) float64, focal lengths and principal point in pixels.
        distortion: (5,) float64, OpenCV's k1, k2, p1, p2, k3.
        rotation: (3, 3) float64, camera from table.
        translation_mm: (3,) float64, the table's origin in the camera frame.
        size_px: width and height of the picture.
    """

    matrix: FloatArray
    distortion: FloatArray
    rotation: FloatArray
    translation_mm: FloatArray
    size_px: tuple[int, int]

    def __post_init__(self) -> None:
        shapes = {"matrix": (3, 3), "distortion": (5,), "rotation": (3, 3), "translation_mm": (3,)}
        for name, shape in shapes.items():
            value = np.array(getattr(self, name), dtype=np.float64)
            if value.shape != shape or not np.isfinite(value).all():
                raise CalibrationError(
                    f"camera {name}: expected finite numbers of shape {shape}, got shape {value.shape}"
                )
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        width, height = self.size_px
        if width < 1 or height < 1:
            raise CalibrationError(f"camera size_px: expected width and height of at least 1, got {self.size_px}")
        object.__setattr__(self, "size_px", (int(width), int(height)))

    @classmethod
    def looking_at(
        cls,
        position_mm: Sequence[float],
        aim_mm: Sequence[float],
        roll_deg: float,
        focal_px: float,
        size_px: tuple[int, int],
        k1: float = 0.0,
    ) -> Camera:
        """Return a camera at `position_mm` whose principal axis meets `aim_mm` (x, y or x, y, z).

        With `roll_deg` 0 the dealer's edge is at the top of the picture; 180 puts it at the bottom. A positive roll
        turns the camera clockwise, so the table turns counter-clockwise in the picture.
        """
        position = np.asarray(position_mm, dtype=np.float64)
        aim = np.zeros(3)
        aim[: len(aim_mm)] = aim_mm
        forward = aim - position
        distance = float(np.linalg.norm(forward))
        if distance < 1e-6:
            raise CalibrationError(f"camera position and aim are the same point {tuple(position)}; move one of them")
        forward /= distance
        down = np.array([0.0, 1.0, 0.0]) - forward[1] * forward
        if np.linalg.norm(down) < 1e-6:
            raise CalibrationError("camera looks along the table's y axis: it must look down at the table")
        down /= np.linalg.norm(down)
        right = np.cross(down, forward)
        cos, sin = math.cos(math.radians(roll_deg)), math.sin(math.radians(roll_deg))
        rotation = np.stack([cos * right + sin * down, cos * down - sin * right, forward])
        width, height = size_px
        matrix = np.array([[focal_px, 0.0, width / 2], [0.0, focal_px, height / 2], [0.0, 0.0, 1.0]])
        return cls(matrix, np.array([k1, 0.0, 0.0, 0.0, 0.0]), rotation, -rotation @ position, size_px)

    @cached_property
    def position_mm(self) -> FloatArray:
        """(3,) where the camera is, in the table frame."""
        return np.asarray(-self.rotation.T @ self.translation_mm, dtype=np.float64)

    @cached_property
    def tilt_deg(self) -> float:
        """Angle between the view and straight down; 0 = looks down vertically."""
        return math.degrees(math.acos(float(np.clip(-self.rotation[2, 2], -1.0, 1.0))))

    @cached_property
    def homography(self) -> FloatArray:
        """(3, 3) undistorted pixels from table millimetres at z = 0 (exact for pictures when there is no distortion)."""
        return np.asarray(
            self.matrix @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], self.translation_mm]),
            dtype=np.float64,
        )

    def image_from_table(self, points_mm: npt.ArrayLike) -> FloatArray:
        """Return (n, 2) pixels of (n, 3) or (n, 2) table points (z = 0); NaN for points behind the camera."""
        points = np.atleast_2d(np.asarray(points_mm, dtype=np.float64))
        in_camera = points @ self.rotation[:, : points.shape[1]].T + self.translation_mm
        depth = np.where(in_camera[:, 2] > 1e-6, in_camera[:, 2], np.nan)
        x_lens, y_lens = self._through_lens(in_camera[:, 0] / depth, in_camera[:, 1] / depth)
        u = self.matrix[0, 0] * x_lens + self.matrix[0, 1] * y_lens + self.matrix[0, 2]
        v = self.matrix[1, 1] * y_lens + self.matrix[1, 2]
        return np.column_stack([u, v])

    def _through_lens(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where the lens draws rays (x, y, 1)."""
        if not self.distortion.any():
            return x, y
        k1, k2, p1, p2, k3 = self.distortion
        r2 = x * x + y * y
        radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
        return x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y

    def undistorted(self, points_px: npt.ArrayLike) -> FloatArray:
        """Return (n, 2) pixels as a lens without distortion would have drawn them."""
        points = np.ascontiguousarray(np.atleast_2d(np.asarray(points_px, dtype=np.float64)))
        if not self.distortion.any() or len(points) == 0:
            return points.copy()
        flat = cv2.undistortPoints(
            points.reshape(-1, 1, 2), self.matrix, self.distortion, None, None, self.matrix, _UNDISTORT_STOP
        )
        return np.asarray(flat, dtype=np.float64).reshape(-1, 2)

    def table_from_image(self, points_px: npt.ArrayLike, z_mm: float = 0.0) -> FloatArray:
        """Return (n, 2) table millimetres where the rays of (n, 2) pixels meet the plane at height `z_mm`.

        NaN for rays that never meet it.
        """
        flat = self.undistorted(points_px)
        y = (flat[:, 1] - self.matrix[1, 2]) / self.matrix[1, 1]
        x = (flat[:, 0] - self.matrix[0, 2] - self.matrix[0, 1] * y) / self.matrix[0, 0]
        rays = np.column_stack([x, y, np.ones(len(x))]) @ self.rotation
        rise = z_mm - self.position_mm[2]
        with np.errstate(divide="ignore", invalid="ignore"):
            along = rise / rays[:, 2]
        along = np.where(np.isfinite(along) & (along > 0), along, np.nan)
        return np.asarray(self.position_mm[:2] + along[:, None] * rays[:, :2], dtype=np.float64)

    def px_per_mm_at(self, point_mm: Sequence[float]) -> float:
        """Return the scale at a table point: square root of the area a square millimetre covers in pixels."""
        base = np.zeros(3)
        base[: len(point_mm)] = point_mm
        step = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        here, right, down = self.image_from_table(base + step)
        (a, b), (c, d) = right - here, down - here
        return math.sqrt(abs(a * d - b * c))

    def to_json(self) -> dict[str, Any]:
        """Return plain numbers for a JSON file; `from_json` reads them."""
        return {
            "matrix": self.matrix.tolist(),
            "distortion": self.distortion.tolist(),
            "rotation": self.rotation.tolist(),
            "translation_mm": self.translation_mm.tolist(),
            "size_px": list(self.size_px),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Camera:
        """Read what `to_json` wrote; CalibrationError names a missing or malformed key."""
        try:
            arrays = [
                np.array(data[k], dtype=np.float64) for k in ("matrix", "distortion", "rotation", "translation_mm")
            ]
            width, height = data["size_px"]
        except (KeyError, TypeError, ValueError) as error:
            raise CalibrationError(f"camera file: key missing or not numbers: {error}") from error
        return cls(arrays[0], arrays[1], arrays[2], arrays[3], (int(width), int(height)))


def camera_from_homography(
    image_from_table: npt.ArrayLike, size_px: tuple[int, int], focal_px: float | None = None, k1: float = 0.0
) -> Camera:
    """Return the camera with square pixels and centred principal point that best explains a homography.

    Args:
        image_from_table: (3, 3), undistorted pixels from table millimetres at z = 0.
        size_px: width and height of the picture.
        focal_px: the focal length where it is known. None: it is taken from the homography where the tilt tells it,
            else DEFAULT_FOCAL_WIDTHS times the width.
        k1: radial distortion to put into the camera, not used in the fit.

    Raises:
        CalibrationError: the homography maps the felt to a line or to behind the camera.
    """
    h = np.array(image_from_table, dtype=np.float64)
    if h.shape != (3, 3) or not np.isfinite(h).all() or abs(np.linalg.det(h)) < 1e-15 * np.linalg.norm(h) ** 3:
        raise CalibrationError("homography: expected an invertible (3, 3) matrix of finite numbers")
    width, height = size_px
    center = np.array([width / 2, height / 2])
    shift = np.array([[1.0, 0.0, -center[0]], [0.0, 1.0, -center[1]], [0.0, 0.0, 1.0]])
    hc = shift @ h
    focal = focal_px if focal_px is not None else (_focal_of(hc, width) or DEFAULT_FOCAL_WIDTHS * width)
    matrix = np.array([[focal, 0.0, center[0]], [0.0, focal, center[1]], [0.0, 0.0, 1.0]])
    m = np.diag([1 / focal, 1 / focal, 1.0]) @ hc
    m = m / math.sqrt(float(np.linalg.norm(m[:, 0]) * np.linalg.norm(m[:, 1])))
    for sign in (1.0, -1.0):
        r1, r2, t = sign * m[:, 0], sign * m[:, 1], sign * m[:, 2]
        u, _, vt = np.linalg.svd(np.column_stack([r1, r2, np.cross(r1, r2)]))
        rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
        if t[2] > 0 and (-rotation.T @ t)[2] > 0:
            break
    else:
        raise CalibrationError("homography: shows the table mirrored or from below; check the order of the corners")
    table = _visible_grid(h, size_px)
    target = cv2.perspectiveTransform(table[None, :, :2], h)[0]
    rvec, tvec = cv2.solvePnPRefineLM(
        table, target, matrix, np.zeros(5), cv2.Rodrigues(rotation)[0], t.reshape(3, 1).copy()
    )
    rotation = np.asarray(cv2.Rodrigues(rvec)[0], dtype=np.float64)
    return Camera(
        matrix, np.array([k1, 0.0, 0.0, 0.0, 0.0]), rotation, np.asarray(tvec, np.float64).reshape(3), size_px
    )


def _focal_of(hc: FloatArray, width: int) -> float | None:
    """Focal length from the orthogonality of the table's axes, or None where the view is too near the vertical."""
    h1, h2 = hc[:, 0], hc[:, 1]
    left = np.array([h1[0] * h2[0] + h1[1] * h2[1], (h1[0] ** 2 + h1[1] ** 2 - h2[0] ** 2 - h2[1] ** 2) / 2])
    right = -np.array([h1[2] * h2[2], (h1[2] ** 2 - h2[2] ** 2) / 2])
    strength = float(np.linalg.norm(right))
    scale = float(np.linalg.norm(h1[:2]) * np.linalg.norm(h2[:2]))
    if strength <= 1e-30:
        return None
    inverse_square = float(left @ right) / float(left @ left) if left @ left > 0 else 0.0
    # `left` is what a tilt changes, relative to the scale: below 0.6% (about 6 degrees) noise decides it.
    if inverse_square <= 0 or np.linalg.norm(left) / scale < 0.006:
        return None
    focal = math.sqrt(1.0 / inverse_square)
    return focal if 0.3 * width < focal < 8.0 * width else None


def _visible_grid(h: FloatArray, size_px: tuple[int, int]) -> FloatArray:
    """(n, 3) table points spread over what the picture shows of the table's plane."""
    width, height = size_px
    xs, ys = np.meshgrid(np.linspace(0, width - 1, 7), np.linspace(0, height - 1, 5))
    pixels = np.column_stack([xs.ravel(), ys.ravel(), np.ones(xs.size)])
    back = pixels @ np.linalg.inv(h).T
    side = np.sign(back[len(back) // 2, 2])
    keep = back[:, 2] * side > 0.2 * abs(back[len(back) // 2, 2])
    back = back[keep]
    return np.ascontiguousarray(np.column_stack([back[:, :2] / back[:, 2:], np.zeros(len(back))]))
