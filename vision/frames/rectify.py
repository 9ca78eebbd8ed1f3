"""Cuts pieces out of the camera picture: areas as seen from straight above at a fixed scale, and single cards upright.

Pixels have the centre of the first pixel at (0, 0), as OpenCV and `calibration.camera` have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.frames.picture import Image

FloatArray = npt.NDArray[np.float64]

DETECTION_PX_PER_MM = 1.0
"""Scale of what the detector is given: a card is 63 x 89 pixels."""
LEAST_STEP = 24.0
"""Sum over the colours of the least change of level that counts as a card's edge."""
AREA_MARGIN_MM = 50.0
"""How far a crop reaches beyond its area, so that a card whose middle lies inside is seen whole."""
VIEW_SIGNS = np.array([-1.0, 1.0])
"""Direction of table x and y along the pixels of a view."""
MAPPED_AT_ONCE = 1 << 16
"""Pixels of a view whose places are reckoned at once, so that they stay in the processor's cache."""


@dataclass(frozen=True)
class AreaView:
    """A rectangle of the felt as seen from straight above, the dealer's edge at its top: pixel x grows with falling table
    x and pixel y with rising table y, as in `calibration.drawing`.

    Attributes:
        origin_mm: (2,) table position of the middle of pixel (0, 0): largest x, smallest y.
        px_per_mm: scale.
        size_px: width and height.
        map_px: (h * oversample, w * oversample, 2) float32, pixel of the camera picture for each pixel.
        oversample: how many times finer `map_px` is than the view, against aliasing where the camera is sharper.
    """

    origin_mm: FloatArray
    px_per_mm: float
    size_px: tuple[int, int]
    map_px: npt.NDArray[np.float32]
    oversample: int

    @classmethod
    def around(
        cls,
        polygon_mm: object,
        camera: Camera,
        *,
        margin_mm: float = AREA_MARGIN_MM,
        px_per_mm: float = DETECTION_PX_PER_MM,
    ) -> AreaView:
        """The view of an area's bounding rectangle and a margin."""
        corners = np.asarray(polygon_mm, dtype=np.float64)[:, :2]
        low, high = corners.min(axis=0) - margin_mm, corners.max(axis=0) + margin_mm
        width, height = (int(np.ceil(v)) for v in (high - low) * px_per_mm)
        local = camera.px_per_mm_at((low + high) / 2) / px_per_mm
        oversample = int(np.clip(np.round(local), 1, 4))
        origin = np.array([high[0], low[1]])
        maps = np.empty((height * oversample, width * oversample, 2), np.float32)
        rows = max(1, MAPPED_AT_ONCE // maps.shape[1])
        for top in range(0, len(maps), rows):
            ys, xs = np.mgrid[top : min(top + rows, len(maps)), 0 : maps.shape[1]]
            fine = (np.stack([xs.ravel(), ys.ravel()], axis=1) + 0.5) / oversample - 0.5
            pixels = camera.image_from_table(origin + fine * VIEW_SIGNS / px_per_mm)
            maps[top : top + rows] = np.nan_to_num(pixels, nan=-1e6).reshape(-1, maps.shape[1], 2)
        return cls(origin, px_per_mm, (width, height), maps, oversample)

    @property
    def place(self) -> tuple[float, ...]:
        """What tells the view of one area from those of others."""
        return (*self.origin_mm, *self.size_px)

    def cut(self, image: Image) -> Image:
        """The view of a camera picture, (h, w, 3) uint8; what lies outside the picture is black."""
        no_map: Any = None  # the first one holds both coordinates
        out = cv2.remap(image, self.map_px, no_map, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        if self.oversample > 1:
            out = cv2.resize(out, self.size_px, interpolation=cv2.INTER_AREA)
        return np.asarray(out, dtype=np.uint8)

    def beyond(self, size_px: tuple[int, int], margin_px: int) -> npt.NDArray[np.bool_] | None:
        """(h, w) what of the view lies outside a picture of this size, or so near to its border; None where nothing does."""
        x, y = self.map_px[..., 0], self.map_px[..., 1]
        out = np.logical_or.reduce([x < 0, y < 0, x > size_px[0] - 1, y > size_px[1] - 1])
        if not out.any():
            return None
        width, height = self.size_px
        coarse = out.reshape(height, self.oversample, width, self.oversample).any(axis=(1, 3)).astype(np.uint8)
        around = np.ones((2 * margin_px + 1, 2 * margin_px + 1), np.uint8)
        return np.asarray(cv2.dilate(coarse, around)).astype(bool)

    def table_from_view(self, points_px: npt.ArrayLike) -> FloatArray:
        """(..., 2) table millimetres of (..., 2) pixels of the view."""
        return np.asarray(
            self.origin_mm + np.asarray(points_px, dtype=np.float64) * VIEW_SIGNS / self.px_per_mm, dtype=np.float64
        )

    def view_from_table(self, points_mm: npt.ArrayLike) -> FloatArray:
        """(..., 2) pixels of the view of (..., 2) table millimetres."""
        return np.asarray(
            (np.asarray(points_mm, dtype=np.float64)[..., :2] - self.origin_mm) * VIEW_SIGNS * self.px_per_mm,
            dtype=np.float64,
        )


def bilinear(image: Image, points_px: npt.ArrayLike) -> FloatArray:
    """(h, w, 3) levels of a picture at (h, w, 2) places between its pixels."""
    points = np.asarray(points_px, dtype=np.float32)
    x, y = np.ascontiguousarray(points[..., 0]), np.ascontiguousarray(points[..., 1])
    return np.asarray(cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.float64)


def refined_corners(image: Image, corners_px: npt.ArrayLike, *, reach: float = 0.075) -> FloatArray:
    """Corners of a card moved onto its own edges.

    Along each side, lines across it are searched for the strongest step in brightness or colour; a line is laid through
    the steps that agree, and sides too poor in steps (covered by another card) stay where they were.

    Args:
        image: camera picture, BGR.
        corners_px: (4, 2) corners as detected.
        reach: how far to look on either side, in card widths.

    Returns:
        (4, 2) corners; those given where the edges do not tell or would move a corner by more than `reach`.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    width = min(np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[2] - corners[1]))
    if width < 12:
        return corners
    radius = max(2.0, reach * float(width))
    best = corners
    for share in (1.0, 0.6):
        lines = [_edge_line(image, best[i], best[(i + 1) % 4], share * radius) for i in range(4)]
        found = np.array([_crossing(lines[i - 1], lines[i]) for i in range(4)])
        moved = np.linalg.norm(found - corners, axis=1)
        if not np.isfinite(found).all() or (moved > 1.5 * radius).any():
            break
        best = found
    return best


def _edge_line(image: Image, start: FloatArray, end: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """A point and direction of the card's side between two corners."""
    along = end - start
    length = float(np.linalg.norm(along))
    direction = along / length
    normal = np.array([direction[1], -direction[0]])
    shares = _shares(max(8, min(40, int(length / 2))))
    offsets = np.arange(-radius, radius + 0.25, 0.5)
    points = start + shares[:, None, None] * along + offsets[None, :, None] * normal
    sampled = bilinear(image, points)
    smooth = (sampled[:, :-2] + sampled[:, 1:-1] + sampled[:, 2:]) / 3.0
    step = np.abs(smooth[:, 2:] - smooth[:, :-2]).sum(axis=2)
    found = _best_line(step)
    if found is None:
        return start, direction
    middle = offsets[2:-2]
    slope = (middle[found[1]] - middle[found[0]]) / (shares[-1] - shares[0])
    offset = middle[found[0]] - slope * shares[0]
    first, last = start + offset * normal, end + (slope + offset) * normal
    line = last - first
    return first, np.asarray(line / np.linalg.norm(line), dtype=np.float64)


def _best_line(step: FloatArray) -> tuple[int, int] | None:
    """Columns, in the first and last row, of the straight line over which the steps are largest; None where none is.

    Single strong steps (a print crossing) are capped at what most rows reach.
    """
    rows, columns = step.shape
    most = np.sort(step.max(axis=1))
    cap = float((most[(rows - 1) // 2] + most[rows // 2]) / 2)
    if cap < LEAST_STEP:
        return None
    at, likely = _lines_across(rows, columns)
    score = np.minimum(step, 1.4 * cap).ravel().take(at).mean(axis=0)
    score *= likely
    best = int(score.argmax())
    if score.flat[best] < 0.5 * cap:
        return None
    return best // columns, best % columns


@lru_cache(maxsize=64)
def _shares(count: int) -> FloatArray:
    """So many places along a side, its corners left out."""
    return np.linspace(0.12, 0.88, count)


@lru_cache(maxsize=256)
def _lines_across(rows: int, columns: int) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Every straight line from the first row of a grid to its last.

    Returns:
        (rows, columns, columns) the places that the line from one column to another passes, in the flat grid, and (columns, columns) how likely it is: a
        line far from the middle must be clearly better.
    """
    ends = np.arange(columns)
    share = np.linspace(0.0, 1.0, rows)[:, None, None]
    at = np.round(ends[None, :, None] * (1 - share) + ends[None, None, :] * share).astype(np.intp)
    away = np.abs(ends - (columns - 1) / 2) / max(1.0, columns / 2)
    return at + columns * np.arange(rows)[:, None, None], 1.0 - 0.15 * (away[:, None] + away[None, :])


def _crossing(first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]) -> FloatArray:
    (p, d), (q, e) = first, second
    determinant = d[0] * e[1] - d[1] * e[0]
    if abs(determinant) < 0.2:
        return np.full(2, np.nan)
    gap = q - p
    return np.asarray(p + d * ((gap[0] * e[1] - gap[1] * e[0]) / determinant), dtype=np.float64)
