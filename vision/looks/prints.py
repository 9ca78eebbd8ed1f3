"""Tells the print of the felt from things lying on it: what looks like the drawing of the layout is no chip or card."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.drawing import draw_layout, table_from_drawing
from calibration.layout import Layout
from vision.frames.picture import Image
from vision.frames.rectify import AreaView

FloatArray = npt.NDArray[np.float64]

LIKE_PRINT, CHIP_LIKE_PRINT = 0.6, 0.8
"""Correlation with the drawing from which on the place of a card, or of a chip, shows the bare felt. The corners of a chip's box show the print
about it: in seven films 5,947 of 5,949 bare places correlated by more than 0.9, the others by 0.77 and 0.84; those of 736 chips by 0.79 at most, 25 of them by more than 0.6."""
LEAST_CONTRAST = 12.0
"""Standard deviation, in levels, that a drawing must have at a place to be compared there."""


class Prints:
    """The drawing of a layout, cut to the views of its areas."""

    def __init__(self, layout: Layout, px_per_mm: float) -> None:
        self._felt = _drawn(layout, px_per_mm)
        self._drawing_from_table = np.linalg.inv(table_from_drawing(layout, px_per_mm))

    def of(self, view: AreaView) -> Image:
        """The bare felt of a view, (h, w) uint8 grey."""
        x, y = (self._drawing_from_table @ [*view.origin_mm, 1.0])[:2]
        shift = np.array([[1.0, 0.0, -x], [0.0, 1.0, -y]])
        out = cv2.warpAffine(self._felt, shift, view.size_px, flags=cv2.INTER_LINEAR, borderValue=60)
        return np.asarray(out, dtype=np.uint8)


@lru_cache(maxsize=8)
def _drawn(layout: Layout, px_per_mm: float) -> Image:
    """The bare felt, (h, w) uint8 grey; tables with one layout share it."""
    felt, _ = draw_layout(layout, px_per_mm, felt_bgr=(60, 60, 60), ink_bgr=(220, 220, 220), accent_bgr=(200, 200, 200))
    return np.asarray(cv2.GaussianBlur(cv2.cvtColor(felt, cv2.COLOR_BGR2GRAY), (3, 3), 0), np.uint8)


def is_print(
    view: Image, bare: Image, corners_px: npt.ArrayLike, *, inner: float = 1.0, like: float = LIKE_PRINT
) -> bool:
    """Whether the box of a detection shows the bare print of the felt.

    Args:
        view: (h, w, 3) BGR.
        bare: (h, w) grey, `Prints.of` the same view.
        corners_px: (4, 2) the box in pixels of the view.
        inner: share of the box, about its middle, that is compared: the edge of a card looks like a printed frame.
        like: correlation from which on it does.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    corners = corners.mean(axis=0) + inner * (corners - corners.mean(axis=0))
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int), [view.shape[1], view.shape[0]])
    if (high - low < 8).any():
        return False
    drawn = bare[low[1] : high[1], low[0] : high[0]].astype(np.float64)
    if drawn.std() < LEAST_CONTRAST:
        return False
    seen = cv2.cvtColor(np.ascontiguousarray(view[low[1] : high[1], low[0] : high[0]]), cv2.COLOR_BGR2GRAY)
    scores = cv2.matchTemplate(
        cv2.copyMakeBorder(seen, 2, 2, 2, 2, cv2.BORDER_REPLICATE), drawn.astype(np.uint8), cv2.TM_CCOEFF_NORMED
    )
    return float(np.abs(scores).max()) > like
