"""Cards and chips in a single picture of any size, without a table around it: what `pitwatch see` prints.

The detector knows things at one scale, so the picture is brought to it: with the scale given, at once; else the picture
is tried at several scales and the one is taken at which the things found have the size of cards and chips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.detections import BACK, CHIP, FACE, STACK, Detections
from models.reader import rectify_card
from vision.chips import ChipReaderLike, amount_cents, chip_colors, counted
from vision.fit import Edges, fitted_card
from vision.look import DetectorLike
from vision.reading import HALF_PX, ReaderLike, read_cards
from vision.rectify import CARD_SIZE_MM, DETECTION_PX_PER_MM, refined_corners
from vision.source import Image
from vision.stacks import CHIP_RADIUS_MM

FloatArray = npt.NDArray[np.float64]

CHIP_VALUES: Mapping[str, int] = {"white": 1, "red": 5, "green": 25, "black": 100, "purple": 500, "orange": 1000}
"""Worth of each colour in dollars where no chip set is given; blue is a colour without a value."""
WIDTHS_MM = (260.0, 370.0, 520.0, 740.0, 1050.0, 1500.0, 2100.0, 3000.0)
"""How much of a table the longer side of a picture may show, tried one after the other."""
MIN_CONFIDENCE = 0.35
"""Detections below are not given."""
TOUCH_MM = 43.0
"""Chips whose middles are nearer than this touch: a chip is 39 mm wide."""
SIZE_LATITUDE = 1.3
"""How far a card's side may be from its size, as a factor, at the right scale: tilt and crops change it."""
CHIP_WEIGHT = 0.1
"""What a chip counts against a card in the choice of the scale: rings of any size look like chips."""
MAX_TRIED_PX = 1600
"""Longest side of a picture on which scales are tried."""


@dataclass(frozen=True, slots=True)
class _Chip:
    center_px: FloatArray
    confidence: float
    color: str | None
    stack: bool


def see(
    image: Image,
    detector: DetectorLike,
    reader: ReaderLike,
    chip_reader: ChipReaderLike,
    *,
    px_per_mm: float | None = None,
    chip_values: Mapping[str, int] = CHIP_VALUES,
    min_confidence: float = MIN_CONFIDENCE,
) -> dict[str, Any]:
    """Everything seen in a picture, as plain JSON values.

    Args:
        image: (h, w, 3) uint8 BGR.
        detector: finds cards and chips.
        reader: reads cards.
        chip_reader: names chips.
        px_per_mm: scale of the picture where known; else estimated.
        chip_values: worth of each colour, in any unit.
        min_confidence: detections below are left out.

    Returns:
        `px_per_mm` (None where nothing was found to estimate it from), `cards` and `chips` as the command documents.
    """
    if px_per_mm is not None and not 0.01 < px_per_mm < 1000:
        raise ValueError(f"px_per_mm must be a scale in pixels per millimetre between 0.01 and 1000, got {px_per_mm}")
    scale = px_per_mm if px_per_mm is not None else estimated_scale(image, detector, reader)
    if scale is None:
        return {"px_per_mm": None, "cards": [], "chips": []}
    found = detected(image, detector, scale, min_confidence)
    return {
        "px_per_mm": round(scale, 4),
        "cards": _cards(image, found, reader, scale),
        "chips": _chip_groups(image, found, chip_reader, scale, chip_values),
    }


def detected(image: Image, detector: DetectorLike, px_per_mm: float, min_confidence: float) -> Detections:
    """Detections in pixels of the picture, found at the detector's own scale."""
    small = _scaled(image, px_per_mm)
    found = detector(small, min_confidence)
    back = np.array([image.shape[1] / small.shape[1], image.shape[0] / small.shape[0]], np.float32)
    return Detections((found.corners_px * back).astype(np.float32), found.confidence, found.class_id)


def _scaled(image: Image, px_per_mm: float) -> Image:
    """The picture at the detector's own scale."""
    factor = DETECTION_PX_PER_MM / px_per_mm
    height, width = image.shape[:2]
    size = max(32, round(width * factor)), max(32, round(height * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, size, interpolation=method), dtype=np.uint8)


def estimated_scale(image: Image, detector: DetectorLike, reader: ReaderLike) -> float | None:
    """Pixels per millimetre at which the things in the picture have their sizes; None where nothing is found.

    What has the size of a card at a scale must also look like one to the reader: at a wrong scale the detector takes parts
    of cards and of the ground for cards.
    """
    longest = max(image.shape[:2])
    shrink = min(1.0, MAX_TRIED_PX / longest)
    small = image
    if shrink < 1:
        small = np.asarray(cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    best: tuple[float, float] | None = None
    for width_mm in WIDTHS_MM:
        scale = float(longest * shrink / width_mm)
        score, seen_scale = _fit(small, detected(small, detector, scale, 0.3), scale, reader)
        if score > 0 and (best is None or score > best[0]):
            best = score, seen_scale
    if best is None:
        return None
    refined = _fit(small, detected(small, detector, best[1], 0.3), best[1], reader)
    chosen = refined[1] if refined[0] >= 0.7 * best[0] else best[1]
    return float(chosen / shrink)


def _fit(image: Image, found: Detections, px_per_mm: float, reader: ReaderLike) -> tuple[float, float]:
    """How well detections fit a scale, and the scale their sizes tell."""
    fits = [
        (i, off, size)
        for i in range(len(found))
        if (sized := _sized(found.corners_px[i], int(found.class_id[i]), px_per_mm)) is not None
        for off, size in (sized,)
    ]
    if not fits:
        return 0.0, px_per_mm
    cards = [i for i, _, _ in fits if found.class_id[i] != CHIP]
    believed = dict(zip(cards, _believed(image, [found.corners_px[i] for i in cards], reader), strict=True))
    weights = np.array(
        [float(found.confidence[i]) ** 2 * (1.0 - off) * believed.get(i, CHIP_WEIGHT) * px_per_mm for i, off, _ in fits]
    )
    if weights.sum() <= 0:
        return 0.0, px_per_mm
    scales = np.array([px_per_mm * size for _, _, size in fits])
    order = np.argsort(scales)
    share = np.cumsum(weights[order])
    middle = order[int(np.searchsorted(share, share[-1] / 2))]
    return float(share[-1]), float(scales[int(middle)])


def _sized(corners_px: npt.NDArray[np.float32], class_id: int, px_per_mm: float) -> tuple[float, float] | None:
    """How far a box is from the size of its class (0 exact, 1 as far as allowed), and its size as a share of it."""
    if class_id not in (FACE, BACK, CHIP):
        return None
    sides = np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1)
    short, long = sorted((float(sides[0::2].mean()), float(sides[1::2].mean())))
    goal = (2 * CHIP_RADIUS_MM, 2 * CHIP_RADIUS_MM) if class_id == CHIP else CARD_SIZE_MM
    ratios = np.array([short / goal[0], long / goal[1]]) / px_per_mm
    off = float(np.abs(np.log(ratios)).max() / np.log(SIZE_LATITUDE))
    return (off, float(np.sqrt(ratios.prod()))) if off <= 1.0 else None


def _believed(image: Image, corners_px: Sequence[npt.NDArray[np.float32]], reader: ReaderLike) -> list[float]:
    """How much each box looks like a card to the reader, 0..1."""
    if not corners_px:
        return []
    readings = reader(np.stack([rectify_card(image, corners) for corners in corners_px]))
    return [max(reading.face_probability, reading.back_probability) for reading in readings]


def _cards(image: Image, found: Detections, reader: ReaderLike, px_per_mm: float) -> list[dict[str, Any]]:
    which = [i for i in range(len(found)) if found.class_id[i] in (FACE, BACK)]
    if not which:
        return []
    rough = [found.corners_px[i].astype(np.float64) - HALF_PX for i in which]
    fine = _on_edges(image, rough, px_per_mm)
    readings = read_cards(image, list(zip(rough, fine, strict=True)), reader)
    cards = []
    for i, corners, reading in zip(which, fine, readings, strict=True):
        back = reading.card is None and (reading.back or found.class_id[i] == BACK)
        confidence = reading.confidence if reading.card else float(found.confidence[i])
        cards.append(
            {
                "card": "back" if back else reading.card,
                "confidence": round(confidence, 4),
                "corners_px": [[round(float(x), 2), round(float(y), 2)] for x, y in corners + HALF_PX],
            }
        )
    return cards


def _on_edges(image: Image, rough: Sequence[FloatArray], px_per_mm: float) -> list[FloatArray]:
    """Corners laid onto the cards' edges: first the whole outline at the size it was seen, then side by side."""
    small = _scaled(image, px_per_mm)
    edges = Edges.of(small)
    factor = np.array([small.shape[1] / image.shape[1], small.shape[0] / image.shape[0]])
    fine = []
    for corners in rough:
        seen = (corners + HALF_PX) * factor - HALF_PX
        sides = np.linalg.norm(seen - np.roll(seen, -1, axis=0), axis=1)
        size = float(sides[0::2].mean()), float(sides[1::2].mean())
        fitted = fitted_card(edges, seen, DETECTION_PX_PER_MM, size_px=size)
        fine.append(refined_corners(image, (fitted + HALF_PX) / factor - HALF_PX))
    return fine


def _chip_groups(
    image: Image, found: Detections, chip_reader: ChipReaderLike, px_per_mm: float, values: Mapping[str, int]
) -> list[dict[str, Any]]:
    chips = _chips(image, found, chip_reader)
    groups: list[list[_Chip]] = []
    for chip in chips:
        near = [
            g for g in groups if any(np.linalg.norm(chip.center_px - o.center_px) < TOUCH_MM * px_per_mm for o in g)
        ]
        merged = [chip, *(other for group in near for other in group)]
        groups = [group for group in groups if all(group is not other for other in near)] + [merged]
    return [_group(group, values) for group in groups]


def _chips(image: Image, found: Detections, chip_reader: ChipReaderLike) -> list[_Chip]:
    which = [i for i in range(len(found)) if found.class_id[i] in (CHIP, STACK)]
    places = []
    for i in which:
        corners = found.corners_px[i].astype(np.float64)
        axes = np.stack([corners[1] - corners[0], corners[2] - corners[1]]) / 2
        places.append((corners.mean(axis=0) - HALF_PX, axes))
    chips: list[_Chip] = []
    for i, (center, _), color in zip(which, places, chip_colors(image, places, chip_reader), strict=True):
        stack = bool(found.class_id[i] == STACK)
        if stack or not color.none:
            chips.append(_Chip(center + HALF_PX, float(found.confidence[i]), None if stack else color.name, stack))
    return chips


def _group(group: Sequence[_Chip], values: Mapping[str, int]) -> dict[str, Any]:
    stacked = any(chip.stack for chip in group)
    kind = "stack" if stacked else "single" if len(group) == 1 else "spread"
    colors = None if stacked else counted(chip.color for chip in group)
    center = np.mean([chip.center_px for chip in group], axis=0)
    return {
        "kind": kind,
        "center_px": [round(float(center[0]), 2), round(float(center[1]), 2)],
        "colors": dict(colors) if colors is not None else None,
        "count": None if stacked else len(group),
        "amount": amount_cents(colors, values),
        "confidence": round(min(chip.confidence for chip in group), 4),
    }
