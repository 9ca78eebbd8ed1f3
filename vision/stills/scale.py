"""How many pixels a millimetre has in a picture of an unknown table: tried, until what is found has the size of cards and chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from models.detections import BACK, CHIP, FACE, Detections
from models.reader import CARD_SIZE_MM, rectify_card
from vision.frames.picture import Image
from vision.frames.rectify import DETECTION_PX_PER_MM
from vision.looks.look import DetectorLike
from vision.looks.reading import ReaderLike
from vision.looks.stacks import CHIP_RADIUS_MM

WIDTHS_MM = (130.0, 185.0, 260.0, 370.0, 520.0, 740.0, 1050.0, 1500.0, 2100.0, 3000.0)
"""How much of a table the longer side of a picture may show, tried one after the other."""
LEAST_PX_PER_MM = 0.25
"""Scales below are not tried: a card is 16 px wide there and nobody reads it, and of a small picture enlarged so much most of the time went there."""
SIZE_LATITUDE = 1.3
"""How far a card's side may be from its size, as a factor, at the right scale: tilt and crops change it."""
CHIP_WEIGHT = 0.1
"""What a chip counts against a card in the choice of the scale: rings of any size look like chips."""
SHAPES, LEAST_BETTER = (1.0, 4 / 3, 16 / 9, 3 / 4, 9 / 16), 1.3
"""Width over height that a square picture may have had, lying or standing, and how much better things must fit for it to be stretched."""
REFINED = 3
"""So many of the scales that fit best are tried again at the scale that the things found there tell: those between two tries fit
badly at either."""
ENOUGH = 1.5
"""Things that fit one scale as well as so many sure cards do settle that scales far from it need not be tried."""
FAR_LESS, FAR = 0.2, 2.1
"""What fits less than this share of the best, and shows so many times as much of a table, is not refined; after two wider tries in a row that fit as little no
wider one is made."""
MAX_TRIED_PX = 1600
"""Longest side of a picture on which scales are tried."""
MOST_MM = 5000.0
"""Longest side of what is looked at."""


class ScaleError(ValueError):
    """A scale at which a picture would show more than any table: brought to the detector's own, it would fill the memory."""


def detected(image: Image, detector: DetectorLike, px_per_mm: float, min_confidence: float) -> Detections:
    """Detections in pixels of the picture, found at the detector's own scale.

    Args:
        image: (h, w, 3) BGR.
        detector: finds things at the scale it was trained at.
        px_per_mm: scale of the picture.
        min_confidence: 0..1.
    """
    small = scaled(image, px_per_mm)
    found = detector(small, min_confidence)
    back = np.array([image.shape[1] / small.shape[1], image.shape[0] / small.shape[0]], np.float32)
    return found.at(found.corners_px * back)


def scaled(image: Image, px_per_mm: float) -> Image:
    """The picture at the detector's own scale.

    Raises:
        ScaleError: at this scale it would show more than `MOST_MM`.
    """
    factor = DETECTION_PX_PER_MM / px_per_mm
    height, width = image.shape[:2]
    shown_mm = max(height, width) / px_per_mm
    if shown_mm > MOST_MM:
        raise ScaleError(
            f"at {px_per_mm:g} px per mm the picture would show {shown_mm / 1000:.1f} m, more than a table ({MOST_MM / 1000:.0f} m)"
        )
    size = max(32, round(width * factor)), max(32, round(height * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, size, interpolation=method), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class _Try:
    """What was found at one scale.

    Attributes:
        score: how well it fits.
        px_per_mm: the scale that the sizes found tell, in pixels of the picture that was looked at.
        width_mm: how much of a table the longer side shows at the scale tried.
    """

    score: float
    px_per_mm: float
    width_mm: float

    def outdoes(self, other: _Try, times: float) -> bool:
        """Whether another try fits far less, and shows more of a table, more than so many times as much."""
        return other.width_mm > times * self.width_mm and other.score < FAR_LESS * self.score


def estimated_scale(image: Image, detector: DetectorLike, reader: ReaderLike) -> float | None:
    """Pixels per millimetre at which the things in the picture have their sizes; None where nothing is found.

    What has the size of a card at a scale must also look like one to the reader: at a wrong scale the detector takes parts
    of cards and of the ground for cards.
    """
    best = _best_scale(image, detector, reader)
    return best.px_per_mm if best is not None else None


def unsqueezed(image: Image, detector: DetectorLike, reader: ReaderLike) -> tuple[Image, float | None]:
    """The picture stretched to what it was before it was squeezed into a square, and the scale told by what lies in it.

    No camera takes square pictures; data sets and chat programs make them. A square picture is tried in the usual shapes
    (`SHAPES`), and the one in which what is found has the shapes of cards and chips is taken. Others are left as they are.
    """
    height, width = image.shape[:2]
    if height != width:
        return image, estimated_scale(image, detector, reader)
    picture, chosen = image, None
    rival: _Try | None = None
    for shape in SHAPES:
        was, handicap = image, 1.0
        if shape != 1.0:
            size = round(height * max(shape, 1.0)), round(height * max(1 / shape, 1.0))
            was = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_CUBIC), np.uint8)
            handicap = LEAST_BETTER * max(shape, 1 / shape) ** 0.5  # a stretched one has the finer scale
        found = _best_scale(was, detector, reader, replace(rival, score=rival.score * handicap) if rival else None)
        if found is not None and (rival is None or found.score / handicap > rival.score):
            rival = replace(found, score=found.score / handicap)
            picture, chosen = was, found.px_per_mm
    return picture, chosen


def _best_scale(image: Image, detector: DetectorLike, reader: ReaderLike, rival: _Try | None = None) -> _Try | None:
    """The scale that what is found fits best, in pixels of this picture, or None where nothing fits.

    Args:
        image: (h, w, 3) BGR.
        detector: finds things.
        reader: tells what looks like cards.
        rival: what has to be fitted better for this to be of use; None where it is of use anyhow.
    """
    longest = max(image.shape[:2])
    shrink = min(1.0, MAX_TRIED_PX / longest)
    small = image
    if shrink < 1:
        small = np.asarray(cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def tried_at(px_per_mm: float, width_mm: float) -> _Try:
        score, seen = _fit(small, detected(small, detector, px_per_mm, 0.3), px_per_mm, reader)
        return _Try(score, seen, width_mm)

    tries: list[_Try] = []
    for width_mm in WIDTHS_MM:
        if longest < LEAST_PX_PER_MM * width_mm:
            continue
        scale = float(longest * shrink / width_mm)
        tries.append(tried_at(scale, width_mm))
        best = max(tries, key=lambda tried: tried.score)
        settled = [rival] if rival is not None else []
        if best.score >= ENOUGH * longest * shrink / best.width_mm:
            settled.append(best)
        if len(tries) > 1 and any(all(goal.outdoes(last, 1.0) for last in tries[-2:]) for goal in settled):
            break
    likeliest = sorted((t for t in tries if t.score > 0), key=lambda tried: tried.score, reverse=True)[:REFINED]
    if not likeliest:
        return None
    goals = [likeliest[0], rival] if rival is not None else likeliest[:1]
    near = [one for one in likeliest if not any(goal.outdoes(one, FAR) for goal in goals)]
    refined = [tried_at(one.px_per_mm, one.width_mm) for one in near]
    chosen = max([*refined, likeliest[0]], key=lambda tried: tried.score)
    return replace(chosen, px_per_mm=chosen.px_per_mm / shrink)


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
