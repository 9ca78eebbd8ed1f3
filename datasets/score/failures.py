"""What went wrong in single pictures: kinds of failure, and pictures with what was seen drawn on them.

An `Album` is given to the scores of `datasets.score.stills`; every picture with a failure is written into its folder as
SET/NN_NAME.jpg, NN the number of failures, so that the worst of a set come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
SHOWN_PX = 1100
"""Pictures are drawn with their longer side at least this long, at most twice it."""
SEEN_BGR, BACK_BGR, OPEN_BGR, CHIP_BGR, WRONG_BGR = (
    (80, 220, 80),
    (230, 160, 60),
    (0, 200, 255),
    (220, 120, 220),
    (60, 60, 255),
)
JPEG_QUALITY = 88


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that went wrong.

    Attributes:
        kind: of failure, e.g. "not found".
        words: what it is about, e.g. the card's name.
        at_px: (x, y) where known.
    """

    kind: str
    words: str = ""
    at_px: tuple[float, float] | None = None


class Album:
    """Writes pictures of failures.

    Args:
        folder: made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, stem: str, image: U8, answer: Mapping[str, Any], failures: Sequence[Failure]) -> None:
        """Write one picture, unless nothing failed.

        Args:
            name: of the set.
            stem: of the picture's file.
            image: the picture, BGR.
            answer: of `vision.stills.see.see`.
            failures: in it.

        Raises:
            OSError: it cannot be written.
        """
        if not failures:
            return
        path = self.folder / name / f"{len(failures):02d}_{stem}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        ok, data = cv2.imencode(
            ".jpg", failure_drawn(image, answer, failures), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
        )
        assert ok
        path.write_bytes(data.tobytes())


def failure_drawn(image: U8, answer: Mapping[str, Any], failures: Sequence[Failure]) -> U8:
    """The picture, enlarged where it is small: cards found (green named, yellow unread, blue backs), chips, failures in red."""
    factor = SHOWN_PX / max(image.shape[:2])
    factor = min(1.0, 2 * factor) if factor < 1 else factor
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    out = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=method), np.uint8)
    for card in answer["cards"]:
        bgr = BACK_BGR if card["card"] == "back" else OPEN_BGR if card["card"] is None else SEEN_BGR
        quad = np.round(np.asarray(card["corners_px"], np.float64) * factor).astype(np.int32)
        cv2.polylines(out, [quad], True, bgr, 2, cv2.LINE_AA)
        _words(out, str(card["card"] or "?"), np.mean(quad, axis=0), bgr)
    for group in answer["chips"]:
        x, y = np.asarray(group["center_px"]) * factor
        cv2.circle(out, (round(float(x)), round(float(y))), 9, CHIP_BGR, 2, cv2.LINE_AA)
    for failure in failures:
        if failure.at_px is not None:
            x, y = np.asarray(failure.at_px) * factor
            cv2.drawMarker(
                out, (round(float(x)), round(float(y))), WRONG_BGR, cv2.MARKER_TILTED_CROSS, 14, 2, cv2.LINE_AA
            )
            _words(out, f"{failure.words} {failure.kind}".strip(), (x, y + 16), WRONG_BGR, 0.42)
    rest = "; ".join(f"{one.words} {one.kind}".strip() for one in failures if one.at_px is None)
    if rest:
        _words(out, rest, (out.shape[1] / 2, 14), WRONG_BGR)
    return out


def _words(image: U8, text: str, middle: npt.ArrayLike, bgr: tuple[int, int, int], size: float = 0.55) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
    x, y = np.asarray(middle, np.float64)
    at = (max(1, round(float(x) - width / 2)), round(float(y) + height / 2))
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, bgr, 1, cv2.LINE_AA)
