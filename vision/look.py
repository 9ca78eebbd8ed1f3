"""One look at an area: what the networks see in one frame, in table millimetres.

The detector gets the area from straight above at a fixed scale; each face-up card found is then cut from the camera
picture in its full resolution, its corners put on its own edges, and read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.detections import BACK, CHIP, FACE, HAND, STACK, Detections
from vision.chips import ChipColor, chip_color, ring_samples, white_reference
from vision.reading import HALF_PX, ReaderLike, read_cards
from vision.rectify import AreaView, refined_corners
from vision.source import Image

FloatArray = npt.NDArray[np.float64]

CHIP_RADIUS_MM = 19.5
CHIP_HEIGHT_MM = 3.3
MIN_CONFIDENCE = 0.3
"""Detections below are not looked at."""
HAND_CONFIDENCE = 0.5
"""From here on a hand over an area makes the look worthless."""


class DetectorLike(Protocol):
    """Finds cards, chips, stacks and hands; see `models.detector.Detector`."""

    def __call__(self, image_bgr: Image, min_confidence: float = 0.25, /) -> Detections:
        """Oriented boxes in the picture."""


@dataclass(frozen=True, slots=True)
class CardSight:
    """A card in one look.

    Attributes:
        center_mm: (x, y) of its middle on the table.
        corners_mm: (4, 2) upper left, upper right, lower right, lower left, up to a half turn.
        corners_px: (4, 2) the same in the camera picture, on the card's edges.
        face_up: which side is up.
        confidence: of the detector.
        detected_mm: (4, 2) the corners as the detector gave them.
        card: identity where read, else None.
        card_confidence: of the reading, 0 where there is none.
    """

    center_mm: tuple[float, float]
    corners_mm: FloatArray
    corners_px: FloatArray
    face_up: bool
    confidence: float
    detected_mm: FloatArray
    card: str | None = None
    card_confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class ChipSight:
    """A chip, or a stack of chips, in one look."""

    center_mm: tuple[float, float]
    center_px: tuple[float, float]
    radius_px: float
    confidence: float
    color: ChipColor
    stack: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """What one frame shows in one area.

    Attributes:
        frame: its index.
        t_s: its capture time.
        view: the area from straight above.
        hand: whether the detector saw a hand inside.
    """

    frame: int
    t_s: float
    view: Image
    cards: tuple[CardSight, ...]
    chips: tuple[ChipSight, ...]
    hand: bool


class Looker:
    """Looks at areas with the two networks.

    Args:
        camera: where the table lies in the picture.
        detector: finds things in a view.
        reader: reads cards.
    """

    def __init__(self, camera: Camera, detector: DetectorLike, reader: ReaderLike) -> None:
        self.camera = camera
        self.detector = detector
        self.reader = reader

    def look(self, image: Image, view: AreaView, polygon_mm: object, *, frame: int = 0, t_s: float = 0.0) -> Look:
        """What lies inside the polygon (by its middle) in this picture."""
        cut = view.cut(image)
        found = self.detector(cut, MIN_CONFIDENCE)
        corners_mm = view.table_from_view(found.corners_px - HALF_PX)
        centers = corners_mm.mean(axis=1) if len(found) else np.zeros((0, 2))
        polygon = np.asarray(polygon_mm, dtype=np.float32)[:, :2]
        inside = [cv2.pointPolygonTest(polygon, (float(x), float(y)), False) >= 0 for x, y in centers]
        cards = [
            self._card(image, corners_mm[i], int(found.class_id[i]), float(found.confidence[i]))
            for i in range(len(found))
            if inside[i] and found.class_id[i] in (FACE, BACK)
        ]
        chips = self._chips(image, found, corners_mm, inside, white_reference(cut))
        hand = any(
            found.class_id[i] == HAND
            and found.confidence[i] >= HAND_CONFIDENCE
            and _overlap(corners_mm[i], polygon) > 0.05
            for i in range(len(found))
        )
        return Look(frame, t_s, cut, tuple(self._read(image, cards)), tuple(chips), hand)

    def _card(self, image: Image, corners_mm: FloatArray, class_id: int, confidence: float) -> CardSight:
        corners_px = refined_corners(image, self.camera.image_from_table(corners_mm))
        refined_mm = self.camera.table_from_image(corners_px)
        x, y = refined_mm.mean(axis=0)
        return CardSight((float(x), float(y)), refined_mm, corners_px, class_id == FACE, confidence, corners_mm)

    def _read(self, image: Image, cards: list[CardSight]) -> list[CardSight]:
        up = [i for i, card in enumerate(cards) if card.face_up]
        tries = [[self.camera.image_from_table(cards[i].detected_mm), cards[i].corners_px] for i in up]
        for i, reading in zip(up, read_cards(image, tries, self.reader), strict=True):
            cards[i] = replace(
                cards[i], face_up=not reading.back, card=reading.card, card_confidence=reading.confidence
            )
        return cards

    def _chips(
        self, image: Image, found: Detections, corners_mm: FloatArray, inside: Sequence[bool], white: FloatArray
    ) -> list[ChipSight]:
        every = [i for i in range(len(found)) if found.class_id[i] in (CHIP, STACK)]
        middles = [corners_mm[i].mean(axis=0) for i in every]
        centers_px = self.camera.image_from_table(np.array(middles)) if every else np.zeros((0, 2))
        sights: list[ChipSight] = []
        for place, i in enumerate(every):
            if not inside[i]:
                continue
            x, y = (float(v) for v in middles[place])
            center = centers_px[place]
            rim = self.camera.image_from_table([(x + CHIP_RADIUS_MM, y), (x, y + CHIP_RADIUS_MM)])
            axes = rim - center
            stack = bool(found.class_id[i] == STACK)
            near = [p for p in range(len(every)) if 0 < np.hypot(*(middles[p] - middles[place])) < 2.2 * CHIP_RADIUS_MM]
            samples = ring_samples(image, center, axes, [centers_px[p] for p in near])
            color = ChipColor(None, 0.0) if stack else chip_color(samples, white)
            radius = float(np.linalg.norm(axes, axis=1).mean())
            at = (float(center[0]), float(center[1]))
            sights.append(ChipSight((x, y), at, radius, float(found.confidence[i]), color, stack))
        return sights


def _overlap(corners_mm: FloatArray, polygon: npt.NDArray[np.float32]) -> float:
    """Share of the polygon that a box covers."""
    area, _ = cv2.intersectConvexConvex(np.asarray(corners_mm, dtype=np.float32), polygon)
    return float(area) / max(1.0, float(cv2.contourArea(polygon)))
