"""The picture of a calibrated table with its areas, prints and reference points drawn on it."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.drawing import words_polygons
from calibration.layout import AreaKind, Fill, Stroke
from service.calibrate.find import Found
from vision.frames.picture import Image

INK = {
    AreaKind.WAGER: (60, 220, 255),
    AreaKind.CARDS: (80, 220, 80),
    AreaKind.COMMUNITY: (80, 220, 80),
    AreaKind.TRAY: (230, 170, 90),
    AreaKind.SHOE: (230, 170, 90),
    AreaKind.RACK: (230, 170, 90),
}
PRINT_BGR, CORNER_BGR = (210, 90, 255), (60, 60, 255)
_SHIFT = 4


def drawn(found: Found) -> Image:
    """A copy of the picture: prints as the calibration puts them (thin), areas, seats, the reference points."""
    out = found.image.copy()
    camera, layout = found.camera, found.layout
    thin = max(1, round(out.shape[1] / 1400))

    def outline(points_mm: object, bgr: tuple[int, int, int], width: int, *, closed: bool = True) -> None:
        px = camera.image_from_table(_dense(np.asarray(points_mm, np.float64), closed=closed))
        if np.isfinite(px).all() and np.abs(px).max() < 20_000:
            fixed = np.round(px * (1 << _SHIFT)).astype(np.int32)
            cv2.polylines(out, [fixed], closed, bgr, width, cv2.LINE_AA, _SHIFT)

    for shape in layout.prints:
        if isinstance(shape, Stroke):
            outline(shape.points_mm, PRINT_BGR, 1, closed=shape.closed)
        else:
            for polygon in (shape.points_mm,) if isinstance(shape, Fill) else words_polygons(shape):
                outline(polygon, PRINT_BGR, 1)
    outline(layout.outline_mm, PRINT_BGR, thin)
    for area in layout.areas:
        outline(area.polygon_mm, INK[area.kind], 2 * thin)
    for area in layout.areas:
        if area.seat is None:
            _words(out, area.name, camera.image_from_table([area.center_mm])[0], INK[area.kind], thin)
    for seat in range(1, layout.seats + 1):
        middle = np.mean([area.center_mm for area in layout.areas_of(seat=seat, kind=AreaKind.CARDS)], axis=0)
        _words(out, f"seat {seat}", camera.image_from_table([middle])[0], (255, 255, 255), 2 * thin)
    for number, (x, y) in enumerate(camera.image_from_table(layout.corners_mm), 1):
        if 0 <= x < out.shape[1] and 0 <= y < out.shape[0]:
            cv2.drawMarker(out, (round(x), round(y)), CORNER_BGR, cv2.MARKER_CROSS, 24 * thin, 2 * thin, cv2.LINE_AA)
            _words(out, str(number), (x + 14 * thin, y - 14 * thin), CORNER_BGR, 2 * thin)
    return out


def _dense(points: np.ndarray, *, closed: bool) -> np.ndarray:
    """The same line with points along its long parts, so that a lens may bend it."""
    following = np.roll(points, -1, axis=0) if closed else points[1:]
    starts = points if closed else points[:-1]
    parts = [
        start + (end - start) * np.linspace(0, 1, max(2, int(np.linalg.norm(end - start) / 30) + 1))[:-1, None]
        for start, end in zip(starts, following, strict=True)
    ]
    return np.vstack(parts if closed else [*parts, points[-1:]])


def _words(image: Image, text: str, middle: object, bgr: tuple[int, int, int], thin: int) -> None:
    x, y = np.asarray(middle, np.float64)
    if not (np.isfinite([x, y]).all() and 0 <= x < image.shape[1] and 0 <= y < image.shape[0]):
        return
    size = 0.36 * thin
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thin)
    at = (round(x - w / 2), round(y + h / 2))
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), thin + 2, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, bgr, thin, cv2.LINE_AA)
