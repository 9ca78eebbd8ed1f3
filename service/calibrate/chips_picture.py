"""The picture a chip set was learned from, with what was found drawn on it."""

from __future__ import annotations

import cv2
import numpy as np

from service.calibrate.chips import ChipSet, money
from vision.frames.picture import Image

GOOD_BGR, BAD_BGR, INK_BGR = (80, 220, 80), (60, 60, 255), (255, 255, 255)
_SHIFT = 4


def chips_drawn(found: ChipSet) -> Image:
    """A copy of the picture: each chip circled, with its value and what it is called; red is what is wrong."""
    out = found.image.copy()
    wrong = {number for fault in found.faults for number in fault.chips}
    unit = max(1, round(max(out.shape[:2]) / 700))
    for number, chip in enumerate(found.chips):
        bgr = BAD_BGR if number in wrong else GOOD_BGR
        center = tuple(round(v * (1 << _SHIFT)) for v in chip.center_px)
        cv2.circle(out, center, round(1.06 * chip.radius_px * (1 << _SHIFT)), bgr, 2 * unit, cv2.LINE_AA, _SHIFT)
        cents = found.cents[number]
        lines = [money(cents) if cents is not None else f"{chip.center_px[0]:.0f},{chip.center_px[1]:.0f}"]
        if found.learned:
            lines.append(found.learned[number].color or "?")
        x, y = chip.center_px
        below = y + 1.06 * chip.radius_px
        room = below + 18 * unit * len(lines) + 4 < out.shape[0]
        start = below if room else y - 1.06 * chip.radius_px - 18 * unit * len(lines) - 4
        for row, text in enumerate(lines):
            _words(out, text, (x, start + (row + 0.65) * 18 * unit), bgr if row == 0 else INK_BGR, unit)
    return out


def _words(image: Image, text: str, middle: tuple[float, float], bgr: tuple[int, int, int], unit: int) -> None:
    size = 0.5 * unit
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, unit)
    x = float(np.clip(middle[0] - width / 2, 1, max(1, image.shape[1] - width - 1)))
    at = (round(x), round(middle[1] + height / 2))
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), unit + 2, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, bgr, unit, cv2.LINE_AA)
