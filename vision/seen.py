"""What is seen now, for evidence and the live screen, and the picture with it drawn on top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.layout import Layout
from rules.events import GapCause, Side
from vision.change.coverage import OpenGap
from vision.frames.picture import Image

INK = {
    "area": (150, 150, 150),
    "up": (80, 220, 80),
    "down": (220, 170, 60),
    "unread": (0, 190, 255),
    "chip": (60, 220, 255),
    "hand": (90, 90, 255),
}
"""BGR colours of the overlay."""


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card lying on the table.

    Attributes:
        card_id: the same as in its events.
        corners_px: four (x, y) in the camera picture.
        face_up: which side is up.
        card: identity, None while unread.
    """

    card_id: int
    area: str
    corners_px: tuple[tuple[float, float], ...]
    face_up: bool
    card: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class SeenChip:
    """A chip or a stack lying on the table.

    Attributes:
        color: of the upper face, None where unknown.
        stack: taken for a stack.
        chips: colour of each chip from the felt up, None where unread; None where their number is unknown.
    """

    area: str
    center_px: tuple[float, float]
    radius_px: float
    color: str | None
    stack: bool
    chips: tuple[str | None, ...] | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What is written beside it, a word for each chip."""
        if self.chips is None:
            return ("stack",) if self.stack else (f"{self.color or '?'} or more",)
        return tuple(color or "?" for color in self.chips)


@dataclass(frozen=True, slots=True)
class SeenHand:
    """A hand; box (x0, y0, x1, y1) in the camera picture."""

    box_px: tuple[float, float, float, float]
    side: Side | None


@dataclass(frozen=True, slots=True)
class Seen:
    """The table as the watcher knows it after a frame.

    Attributes:
        gaps: why nothing is concluded now, empty where all is well; see `vision.change.coverage`.
        camera: where the table lay in this picture, None where that is not known apart.
    """

    frame: int
    t_s: float
    cards: tuple[SeenCard, ...] = ()
    chips: tuple[SeenChip, ...] = ()
    hands: tuple[SeenHand, ...] = ()
    gaps: tuple[OpenGap, ...] = ()
    camera: Camera | None = None


GAP_WORDS = {
    GapCause.LOST: "No pictures come: nothing is judged",
    GapCause.FROZEN: "The picture is frozen: nothing is judged",
    GapCause.BLACK: "The picture is dark: nothing is judged",
    GapCause.BLOCKED: "The view is blocked: nothing is judged",
    GapCause.CORRUPT: "The pictures are damaged: nothing is judged",
    GapCause.RESIZED: "The size of the pictures changed: nothing is judged until the table is found in them",
    GapCause.MOVED: "The camera was moved: nothing is judged until the table is found anew",
    GapCause.UNCALIBRATED: "Uncalibrated, the table is not found: nothing is judged",
    GapCause.PAUSED: "Paused: nothing is judged",
    GapCause.JOINED: "What lay here first was not seen to come",
}
"""What people are told of a gap that lasts."""
CHIP_INK = {
    "white": (240, 240, 240),
    "red": (70, 70, 240),
    "green": (90, 200, 60),
    "black": (40, 40, 40),
    "purple": (210, 80, 170),
    "orange": (40, 150, 255),
    "blue": (235, 150, 60),
}


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the camera picture, enlarged.

    Attributes:
        corner_px: (x, y) of its upper left corner in the camera picture.
        size_px: (width, height) of the part in the camera picture.
        factor: how many times it is enlarged.
    """

    corner_px: tuple[int, int]
    size_px: tuple[int, int]
    factor: float

    def cut(self, image: Image) -> Image:
        """The part of a picture, enlarged."""
        (x, y), (w, h) = self.corner_px, self.size_px
        part = image[y : y + h, x : x + w]
        how = cv2.INTER_CUBIC if self.factor > 1 else cv2.INTER_AREA
        return np.asarray(cv2.resize(part, None, fx=self.factor, fy=self.factor, interpolation=how), np.uint8)

    def place(self, points_px: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Where points of the camera picture lie in it."""
        return np.asarray((np.asarray(points_px, np.float64) - self.corner_px) * self.factor, np.float64)


def draw_seen(
    image: Image,
    seen: Seen,
    layout: Layout,
    camera: Camera,
    *,
    highlight: tuple[str, ...] = (),
    window: Window | None = None,
) -> Image:
    """A copy of the camera picture with areas, cards, chips and hands drawn on it.

    Args:
        image: (h, w, 3) BGR.
        seen: what to draw.
        layout: its areas are outlined.
        camera: where they lie in the picture, unless `seen` says so itself.
        highlight: names of areas to outline boldly in red.
        window: only this part of the picture, drawn on after it was enlarged.
    """
    window = window or Window((0, 0), (image.shape[1], image.shape[0]), 1.0)
    out = image.copy() if window.factor == 1.0 else window.cut(image)
    camera = seen.camera or camera
    thin = max(1, round(max(out.shape[1] / 1200, window.factor / 2)))
    corners_mm = [np.asarray(area.polygon_mm, dtype=np.float64) for area in layout.areas]
    corners_px = window.place(camera.image_from_table(np.concatenate(corners_mm)))
    outlines = np.split(corners_px, np.cumsum([len(corners) for corners in corners_mm])[:-1])
    bold = [area.name in highlight for area in layout.areas]
    _outlines(out, [outline for outline, one in zip(outlines, bold, strict=True) if not one], INK["area"], thin)
    _outlines(out, [outline for outline, one in zip(outlines, bold, strict=True) if one], (40, 40, 255), 2 * thin)
    for card in seen.cards:
        color = INK["down"] if not card.face_up else INK["up"] if card.card else INK["unread"]
        corners = window.place(card.corners_px)
        _outlines(out, [corners], color, 2 * thin)
        if card.face_up:
            size = 0.55 * thin * max(1.0, 0.75 * window.factor)
            x, y = corners.mean(axis=0)
            _label(out, card.card or "?", (round(x), round(y)), color, size)
    _draw_chips(out, seen.chips, window, thin)
    for hand in seen.hands:
        (x0, y0), (x1, y1) = np.round(window.place([hand.box_px[:2], hand.box_px[2:]])).astype(int).tolist()
        cv2.rectangle(out, (x0, y0), (x1, y1), INK["hand"], thin)
        text = hand.side.value if hand.side else "hand"
        _label(out, text, (x0 + 30 * thin, max(y0, 0) + 12 * thin), INK["hand"], 0.45 * thin)
    if seen.gaps:
        _banner(out, GAP_WORDS[seen.gaps[0].cause], thin)
    return out


def _draw_chips(out: Image, chips: tuple[SeenChip, ...], window: Window, thin: int) -> None:
    """Every chip ringed in its colour, every wager labelled once with its count by colour."""
    wagers: dict[str, list[SeenChip]] = {}
    for chip in chips:
        wagers.setdefault(chip.area, []).append(chip)
        x, y = window.place(chip.center_px)
        center, radius = (round(x), round(y)), round(chip.radius_px * window.factor)
        cv2.circle(out, center, radius, (0, 0, 0), 3 * thin, cv2.LINE_AA)
        cv2.circle(out, center, radius, CHIP_INK.get(chip.color or "", INK["unread"]), 2 * thin, cv2.LINE_AA)
    for wager in wagers.values():
        names = Counter(word for chip in wager for word in chip.words)
        text = " ".join(f"{count} {name}" for name, count in sorted(names.items()))
        centers = window.place([chip.center_px for chip in wager])
        below = float(centers[:, 1].max()) + window.factor * max(chip.radius_px for chip in wager) + 9 * thin
        size = 0.38 * thin * max(1.0, 0.6 * window.factor)
        _label(out, text, (round(float(centers[:, 0].mean())), round(below)), INK["chip"], size)


def _banner(image: Image, text: str, thin: int) -> None:
    """Write across the top why nothing is judged."""
    size = 0.6 * thin
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 2 * thin)
    cv2.rectangle(image, (0, 0), (image.shape[1], 3 * h), (30, 30, 170), -1)
    at = (max(0, (image.shape[1] - w) // 2), 2 * h)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), 2 * thin, cv2.LINE_AA)


def _outlines(
    image: Image, outlines: Sequence[npt.NDArray[np.float64]], color: tuple[int, int, int], width: int
) -> None:
    corners = [np.round(outline * 8).astype(np.int32) for outline in outlines]
    cv2.polylines(image, corners, True, color, width, cv2.LINE_AA, shift=3)


def _label(image: Image, text: str, middle: tuple[int, int], color: tuple[int, int, int], size: float) -> None:
    """Write a text about a place."""
    thick = max(1, round(size * 2))
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    at = (middle[0] - w // 2, middle[1] + h // 2)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), thick + 2, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, color, thick, cv2.LINE_AA)
