"""Flat pictures prepared for warping: premultiplied alpha and smaller copies, so that nothing shimmers when small."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]

_STEP = math.sqrt(2.0)


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A small picture ready to be laid over another: `out = under * keep / 255 + paint`.

    Attributes:
        x_px, y_px: upper left corner in the full picture (may be negative).
        paint: (h, w, 3) uint8, premultiplied colour; None = only darkens.
        keep: (h, w, 3) uint8, 255 minus alpha.
    """

    x_px: int
    y_px: int
    paint: U8 | None
    keep: U8

    @property
    def box_px(self) -> tuple[int, int, int, int]:
        """Half-open pixel box (x0, y0, x1, y1) of the patch in the full picture."""
        h, w = self.keep.shape[:2]
        return self.x_px, self.y_px, self.x_px + w, self.y_px + h


def lay(image: U8, patch: Patch, origin_px: tuple[int, int] = (0, 0)) -> None:
    """Lay `patch` over `image` in place; `origin_px` is where `image` starts in the full picture."""
    x0, y0, x1, y1 = patch.box_px
    ox, oy = origin_px
    h, w = image.shape[:2]
    cx0, cy0, cx1, cy1 = max(x0, ox), max(y0, oy), min(x1, ox + w), min(y1, oy + h)
    if cx0 >= cx1 or cy0 >= cy1:
        return
    roi = image[cy0 - oy : cy1 - oy, cx0 - ox : cx1 - ox]
    keep = patch.keep[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0]
    under = cv2.multiply(roi, keep, scale=1 / 255.0)
    if patch.paint is not None:
        under = cv2.add(under, patch.paint[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0])
    roi[:] = under


@dataclass(slots=True, eq=False)
class Sprite:
    """A BGRA picture with its smaller copies.

    Args:
        bgra: (h, w, 4) uint8, straight alpha.
        px_per_mm: scale of the picture.
    """

    bgra: U8
    px_per_mm: float
    _levels: dict[int, tuple[U8, float, float]] = field(default_factory=dict)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the full picture."""
        return self.bgra.shape[1], self.bgra.shape[0]

    def level(self, target_px_per_mm: float) -> tuple[U8, float, float]:
        """Return (premultiplied BGRA with a clear border of one pixel, x scale, y scale) just above the target scale."""
        ratio = self.px_per_mm / max(target_px_per_mm, 1e-3)
        step = max(0, math.floor(math.log(ratio, _STEP) + 0.15)) if ratio > 1 else 0
        if step not in self._levels:
            self._levels[step] = self._shrunk(_STEP**step)
        return self._levels[step]

    def _shrunk(self, factor: float) -> tuple[U8, float, float]:
        h, w = self.bgra.shape[:2]
        *colors, alpha = cv2.split(self.bgra)
        premultiplied = cv2.merge([*(cv2.multiply(color, alpha, scale=1 / 255.0) for color in colors), alpha])
        nw, nh = max(2, round(w / factor)), max(2, round(h / factor))
        if (nw, nh) != (w, h):
            premultiplied = cv2.resize(premultiplied, (nw, nh), interpolation=cv2.INTER_AREA)
        bordered = cv2.copyMakeBorder(premultiplied, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
        return np.asarray(bordered, np.uint8), nw / w, nh / h

    def warp(
        self,
        quad_px: F64,
        target_px_per_mm: float,
        shade: float = 1.0,
        *,
        within_px: tuple[int, int, int, int] | None = None,
    ) -> Patch | None:
        """Return the picture warped so that its corners (clockwise from upper left) fall on `quad_px`, or None if empty.

        Args:
            quad_px: (4, 2), pixel centres at whole numbers.
            target_px_per_mm: scale in the result, to choose the smaller copy.
            shade: factor on the colours.
            within_px: half-open (x0, y0, x1, y1); what lies outside is left out.
        """
        if not np.isfinite(quad_px).all() or abs(_area(quad_px)) < 0.5:
            return None
        texture, sx, sy = self.level(target_px_per_mm)
        w, h = self.size_px
        x0, y0 = (int(v) for v in np.floor(quad_px.min(axis=0)) - 1)
        x1, y1 = (int(v) for v in np.ceil(quad_px.max(axis=0)) + 2)
        if within_px is not None:
            x0, y0, x1, y1 = max(x0, within_px[0]), max(y0, within_px[1]), min(x1, within_px[2]), min(y1, within_px[3])
        if not (0 < x1 - x0 <= 8000 and 0 < y1 - y0 <= 8000):
            return None
        # The outer edges of the picture lie half a pixel outside the outermost pixel centres; the border adds one.
        left, top, right, bottom = 0.5, 0.5, w * sx + 0.5, h * sy + 0.5
        source = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
        matrix = cv2.getPerspectiveTransform(source, (quad_px - (x0, y0)).astype(np.float32))
        warped = cv2.warpPerspective(texture, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        paint = np.asarray(cv2.cvtColor(warped, cv2.COLOR_BGRA2BGR), np.uint8)
        if shade != 1.0:
            paint = np.asarray(cv2.convertScaleAbs(paint, alpha=shade), np.uint8)
        keep = cv2.merge([cv2.bitwise_not(cv2.extractChannel(warped, 3))] * 3)
        return Patch(x0, y0, paint, np.asarray(keep, np.uint8))


def _area(polygon: F64) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def shadow_mask(polygon_px: F64, blur_px: float) -> tuple[int, int, U8] | None:
    """Return (x, y, (h, w) uint8 mask) of a blurred filled convex polygon, or None when it is empty or too big."""
    if not np.isfinite(polygon_px).all():
        return None
    margin = int(2 * blur_px) + 2
    x0, y0 = (int(v) for v in np.floor(polygon_px.min(axis=0)) - margin)
    x1, y1 = (int(v) for v in np.ceil(polygon_px.max(axis=0)) + margin + 1)
    if x1 - x0 > 6000 or y1 - y0 > 6000:
        return None
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    points = np.round((polygon_px - (x0, y0)) * 16).astype(np.int32)
    cv2.fillConvexPoly(mask, points, (255,), lineType=cv2.LINE_AA, shift=4)
    kernel = 2 * max(1, round(blur_px)) + 1
    mask = np.asarray(cv2.blur(cv2.blur(mask, (kernel, kernel)), (kernel, kernel)), np.uint8)
    return x0, y0, mask


def darkening(x_px: int, y_px: int, mask: U8, strength: float) -> Patch:
    """Return a patch that darkens by `strength` (0..1) where the mask is 255."""
    keep = cv2.convertScaleAbs(mask, alpha=-strength, beta=0.0)
    keep = cv2.bitwise_not(keep)
    return Patch(x_px, y_px, None, np.asarray(cv2.merge([keep] * 3), np.uint8))
