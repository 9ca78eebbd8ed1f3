"""Chips that the detector hardly sees are looked at once more, with the picture turned and mirrored.

A network trained on some tens of thousands of crops sees a chip of a spread with 0.9 the one way round and with 0.2 the other. Of 111 looks at
chips found with less than 0.5 the mean over five ways was above that for 47, of 27 at what was no chip there for none (four films,
docs/adr/0040). Where a chip lies is the mean of the boxes, each by its confidence (weighted boxes fusion: Solovyev, Wang and Gabruseva,
2021).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from models.detections import CHIP, STACK, Detections
from models.detector import rotated_iou, suppress
from vision.frames.picture import Image, largest_level

Detect = Callable[[Image, float], Detections]
F32 = npt.NDArray[np.float32]

WEAK_CHIP, SURE_CHIP = 0.15, 0.5
"""Chips found with less than the first are none. Those found with less than the second are looked at turned; beside one that stays so another may not be found at
all, and the amount is open: of 149 amounts told in four films the one with such a chip was wrong, seven of eight chips were found."""
LEAST_SAID = 0.05
"""What is said with less in one way counts as nothing there."""
SAME_BOX_IOU = 0.65
"""Two answers are of one thing from here on, 8 mm: at 0.45, two chips 21 mm apart, each found one way round and neither quite at its place, had become one between them."""
NEAR_SHARE = 0.35
"""A box whose corners lie farther from the others' than this share of its first side says that there is something, not where."""
TURNS = ((1, False), (2, False), (3, False), (0, True))
"""Quarter turns to the left, and whether mirrored after them; the picture as it is comes besides."""
SAME_LEVEL, SAME_PX = 16, 6
"""A view of which no more than so many pixels differ by more than so many levels shows the same, and is not turned again."""


class TurnedChips:
    """Remembers for one area what was found in its last view turned."""

    def __init__(self) -> None:
        self._view: Image | None = None
        self._said: list[tuple[F32, F32, npt.NDArray[np.int64]]] = []  # plain arrays, which a checkpoint may hold

    def added(self, view: Image, found: Detections, detect: Detect) -> Detections:
        """What was found, its chips with what the view turned says of them, where one of them is weak.

        Args:
            view: (h, w, 3) an area from straight above.
            found: in it as it is, down to `LEAST_SAID`.
            detect: the detector.
        """
        chips = _chips(found)
        weak = chips & (found.confidence >= WEAK_CHIP) & (found.confidence < SURE_CHIP)
        if not weak.any():
            return found
        if not self._shows(view):
            said = [seen_turned(view, *turn, detect, LEAST_SAID) for turn in TURNS]
            of_chips = [one.only(_chips(one)) for one in said]
            self._view, self._said = view, [(one.corners_px, one.confidence, one.class_id) for one in of_chips]
        turned = [Detections(*one) for one in self._said]
        return Detections.joined([found.only(~chips), fused([found.only(chips), *turned])])

    def _shows(self, view: Image) -> bool:
        if self._view is None or self._view.shape != view.shape:
            return False
        apart = largest_level(np.asarray(cv2.absdiff(view, self._view), np.uint8))
        return int(np.count_nonzero(apart > SAME_LEVEL)) <= SAME_PX


@dataclass(slots=True)
class _Thing:
    """What was said of one thing, a confidence for each way that found it."""

    corners: F32
    class_id: int
    said: dict[int, float] = field(default_factory=dict)
    boxes: list[tuple[float, F32]] = field(default_factory=list)

    def add(self, way: int, corners: F32, confidence: float) -> None:
        self.said[way] = confidence
        box = min(
            (np.roll(corners, k, axis=0) for k in range(4)), key=lambda one: float(np.abs(one - self.corners).sum())
        )
        if float(np.abs(box - self.corners).max()) <= NEAR_SHARE * float(np.linalg.norm(box[1] - box[0])):
            self.boxes.append((confidence, box))
            boxes, weights = [one for _, one in self.boxes], [share for share, _ in self.boxes]
            self.corners = np.ascontiguousarray(np.average(boxes, axis=0, weights=weights), np.float32)

    def confidence(self, ways: int) -> float:
        """The mean over all ways, nothing counting as 0, or what the picture as it is says, if that is more."""
        return max(self.said.get(0, 0.0), sum(self.said.values()) / ways)


def fused(said: Sequence[Detections]) -> Detections:
    """One answer of several about the same picture, the first about the picture as it is; best first.

    A thing is as sure as the mean of what is said of it, and no less sure than it is in the picture as it is.
    """
    every = [(float(c), way, i) for way, one in enumerate(said) for i, c in enumerate(one.confidence)]
    things: list[_Thing] = []
    for confidence, way, i in sorted(every, key=lambda one: (-one[0], one[1], one[2])):
        corners, class_id = said[way].corners_px[i], int(said[way].class_id[i])
        others = [thing for thing in things if way not in thing.said and thing.class_id == class_id]
        same = max(others, key=lambda thing: rotated_iou(thing.corners, corners), default=None)
        if same is None or rotated_iou(same.corners, corners) < SAME_BOX_IOU:
            same = _Thing(corners, class_id)
            things.append(same)
        same.add(way, corners, confidence)
    corners_px = np.array([thing.corners for thing in things], np.float32).reshape(-1, 4, 2)
    confidences = np.array([thing.confidence(len(said)) for thing in things], np.float32)
    class_ids = np.array([thing.class_id for thing in things], np.int64)
    return suppress(Detections(corners_px, confidences, class_ids))


def nearest(straight: Detections, corners_px: F32) -> npt.NDArray[np.float64]:
    """(2,) where the picture as it is shows a chip that lies within these corners, by its middle; their own middle where it shows none."""
    middle = corners_px.astype(np.float64).mean(axis=0)
    chips = straight.corners_px[straight.class_id == CHIP].astype(np.float64).mean(axis=1).reshape(-1, 2)
    apart = np.linalg.norm(chips - middle, axis=1)
    near = NEAR_SHARE * float(np.linalg.norm(corners_px[1] - corners_px[0]))
    return np.asarray(chips[int(apart.argmin())] if len(chips) and apart.min() <= near else middle, np.float64)


def _chips(found: Detections) -> npt.NDArray[np.bool_]:
    """(n,) which of them are chips or stacks."""
    return np.isin(found.class_id, (CHIP, STACK))


def seen_turned(view: Image, quarters: int, mirrored: bool, detect: Detect, least: float) -> Detections:
    """What is found in a picture turned to the left, and mirrored after that, in pixels of the picture as it was given.

    Args:
        view: (h, w, 3) BGR.
        quarters: turns of 90 degrees.
        mirrored: left and right exchanged.
        detect: finds things in the turned picture.
        least: confidence 0..1 from which on something is found.

    Returns:
        Detections whose corners begin where they did in the turned picture.
    """
    turned = np.rot90(view, quarters)
    shown = np.ascontiguousarray(turned[:, ::-1] if mirrored else turned)
    found = detect(shown, least)
    x, y = found.corners_px[..., 0], found.corners_px[..., 1]
    if mirrored:
        x = shown.shape[1] - 1 - x
    right, low = view.shape[1] - 1, view.shape[0] - 1
    back = {0: (x, y), 1: (right - y, x), 2: (right - x, low - y), 3: (y, low - x)}[quarters]
    corners = np.stack(back, axis=-1)
    if mirrored:
        corners = corners[:, ::-1]
    return found.at(corners)
