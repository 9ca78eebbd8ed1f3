"""What is seen now, for evidence and the live screen, and the picture with it drawn on top."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.layout import Layout
from rules.events import Side
from vision.source import Image

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
    """A chip or a stack lying on the table; `color` None where unknown."""

    area: str
    center_px: tuple[float, float]
    radius_px: float
    color: str | None
    stack: bool


@dataclass(frozen=True, slots=True)
class SeenHand:
    """A hand; box (x0, y0, x1, y1) in the camera picture."""

    box_px: tuple[float, float, float, float]
    side: Side | None


@dataclass(frozen=True, slots=True)
class Seen:
    """The table as the watcher knows it after a frame."""

    frame: int
    t_s: float
    cards: tuple[SeenCard, ...] = ()
    chips: tuple[SeenChip, ...] = ()
    hands: tuple[SeenHand, ...] = ()


def draw_seen(image: Image, seen: Seen, layout: Layout, camera: Camera, *, highlight: tuple[str, ...] = ()) -> Image:
    """A copy of the camera picture with areas, cards, chips and hands drawn on it.

    Args:
        image: (h, w, 3) BGR.
        seen: what to draw.
        layout: its areas are outlined.
        camera: where they lie in the picture.
        highlight: names of areas to outline boldly in red.
    """
    out = image.copy()
    thin = max(1, round(image.shape[1] / 1200))
    for area in layout.areas:
        bold = area.name in highlight
        outline = camera.image_from_table(np.asarray(area.polygon_mm, dtype=np.float64))
        _outline(out, outline, (40, 40, 255) if bold else INK["area"], 3 * thin if bold else thin)
    for chip in seen.chips:
        center = round(chip.center_px[0]), round(chip.center_px[1])
        cv2.circle(out, center, round(chip.radius_px), INK["chip"], thin, cv2.LINE_AA)
        _label(
            out,
            "stack" if chip.stack else chip.color or "?",
            (center[0] - round(chip.radius_px), center[1]),
            INK["chip"],
            0.35 * thin,
        )
    for card in seen.cards:
        color = INK["down"] if not card.face_up else INK["up"] if card.card else INK["unread"]
        corners = np.asarray(card.corners_px)
        _outline(out, corners, color, 2 * thin)
        if card.face_up:
            x, y = corners.mean(axis=0)
            _label(out, card.card or "?", (round(x) - 14 * thin, round(y) + 6 * thin), color, 0.7 * thin)
    for hand in seen.hands:
        x0, y0, x1, y1 = (round(v) for v in hand.box_px)
        cv2.rectangle(out, (x0, y0), (x1, y1), INK["hand"], thin)
        _label(out, hand.side.value if hand.side else "hand", (x0 + 4, y0 + 16 * thin), INK["hand"], 0.5 * thin)
    return out


def _outline(image: Image, corners: npt.NDArray[np.float64], color: tuple[int, int, int], width: int) -> None:
    cv2.polylines(image, [np.round(corners * 8).astype(np.int32)], True, color, width, cv2.LINE_AA, shift=3)


def _label(image: Image, text: str, at: tuple[int, int], color: tuple[int, int, int], size: float) -> None:
    thick = max(1, round(size * 2))
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), thick + 2, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, color, thick, cv2.LINE_AA)
