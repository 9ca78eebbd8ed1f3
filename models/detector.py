"""Finds cards, chips, stacks and hands in a picture of the felt, as oriented boxes, with ONNX Runtime.

The network is meant for pictures at about `DETECTION_PX_PER_MM` pixels per millimetre (0.75 to 1.4 is fine). How it was
trained and how good it is stands in `models/cards/detector.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

from models.detections import BACK, CHIP, CLASS_NAMES, FACE, HAND, STACK, Detections
from models.errors import ModelError
from models.sessions import told_threshold

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]

DETECTION_PX_PER_MM = 1.0
"""Scale the network was trained for."""
WEIGHTS = Path(__file__).with_name("weights") / "detector.onnx"
"""The weights used when no path is given."""
TILE_PX, OVERLAP_PX = 640, 160
"""Larger pictures are cut into tiles of this side that share this much."""
SAME_IOU = {FACE: 0.66, BACK: 0.66, CHIP: 0.6, STACK: 0.5, HAND: 0.5}
"""Boxes of one class that overlap more are the same thing; fanned cards lie up to 0.6 over one another."""
SAME_CENTER = 0.17
"""So are cards whose centres are nearer than this share of a card's width: of a card so covered too little is seen."""
SAME_CARD_IOU = 0.8
"""A face and a back that overlap more are the same card; the surer one stays."""
STORED_LEAST = "least_confidence"
"""Under which a network's least confidence is stored with its weights (`models.train.likely`)."""
_CARDS = (FACE, BACK)
_STRIDE, _GREY, _CANDIDATES = 32, 114, 300


class Detector:
    """The detector's session.

    Args:
        path: an ONNX file; default is the one that comes with the package.
        threads: CPU threads of one call.

    Raises:
        ModelError: the weights are missing, damaged or of another network.
    """

    def __init__(self, path: Path | str | None = None, threads: int = 1) -> None:
        self.path = Path(path) if path is not None else WEIGHTS
        if not self.path.is_file():
            raise ModelError(
                f"detector weights {self.path} are missing; reinstall pitwatch or make them with "
                "`python -m models.train.detector`"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
            self._input = self._session.get_inputs()[0].name
            self.least_confidence = told_threshold(self._session, STORED_LEAST, 0.0)
            rows = self._run(np.zeros((1, 3, 64, 64), np.float32))
        except Exception as error:
            raise ModelError(f"detector weights {self.path} cannot be loaded, restore the file: {error}") from error
        expected = 4 + len(CLASS_NAMES) + 1
        if rows.ndim != 3 or rows.shape[1] != expected:
            raise ModelError(
                f"detector weights {self.path}: expected {expected} rows (box, {len(CLASS_NAMES)} classes, angle), "
                f"got output shape {rows.shape}; this is another network's file"
            )

    def __call__(self, image_bgr: U8, min_confidence: float = 0.25) -> Detections:
        """Return what is found in a picture.

        Args:
            image_bgr: (h, w, 3) uint8 of any size.
            min_confidence: least confidence, 0..1.

        Returns:
            Detections, best first; pixels with the centre of the first pixel at (0, 0).

        Raises:
            ValueError: it is no such picture, or what is less sure than the network works out is asked for (`models.train.likely`).
        """
        if min_confidence < self.least_confidence:
            raise ValueError(
                f"min_confidence: {self.least_confidence} is the least this network tells, got {min_confidence}"
            )
        if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
            raise ValueError(f"image_bgr: expected (h, w, 3) uint8, got {image_bgr.shape} {image_bgr.dtype}")
        found = []
        for (x0, y0, x1, y1), core in _tiles(image_bgr.shape[1], image_bgr.shape[0]):
            seen = self._tile(image_bgr[y0:y1, x0:x1], min_confidence)
            seen = seen.at(seen.corners_px + np.array([x0, y0], np.float32))
            middle = seen.corners_px.mean(axis=1)
            found.append(seen.only(np.all((middle >= core[:2]) & (middle < core[2:]), axis=1)))
        return suppress(Detections.joined(found))

    def _tile(self, tile: U8, min_confidence: float) -> Detections:
        h, w = tile.shape[:2]
        down, right = -h % _STRIDE, -w % _STRIDE
        padded = tile
        if down or right:
            grey = (_GREY, _GREY, _GREY)
            padded = np.asarray(cv2.copyMakeBorder(tile, 0, down, 0, right, cv2.BORDER_CONSTANT, value=grey), np.uint8)
        blob = np.ascontiguousarray(padded[None, :, :, ::-1].transpose(0, 3, 1, 2), np.float32)
        blob *= np.float32(1 / 255)
        return decode(self._run(blob)[0], min_confidence)

    def _run(self, blob: F32) -> F32:
        return np.asarray(self._session.run(None, {self._input: blob})[0], np.float32)


def decode(rows: F32, min_confidence: float) -> Detections:
    """What a network's output says, each thing more than once, best first.

    Args:
        rows: (10, anchors): centre x, y, width, height (pixels, from the picture's outer edge), a confidence for each
            class, angle of the width in radians.
        min_confidence: least confidence kept.
    """
    classes = len(CLASS_NAMES)
    scores = rows[4 : 4 + classes]
    best = scores.max(axis=0)
    chosen = np.flatnonzero(best >= min_confidence)
    chosen = chosen[np.argsort(-best[chosen], kind="stable")][:_CANDIDATES]
    x, y, w, h = rows[:4, chosen]
    angle = rows[4 + classes, chosen]
    long_side, short_side = np.maximum(w, h), np.minimum(w, h)
    angle = np.where(w >= h, angle, angle + np.pi / 2)
    down = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    flip = (down[:, 1] < -1e-6) | ((np.abs(down[:, 1]) <= 1e-6) & (down[:, 0] < 0))
    down[flip] *= -1
    right = np.stack([down[:, 1], -down[:, 0]], axis=1)
    a, b = right * short_side[:, None] / 2, down * long_side[:, None] / 2
    center = np.stack([x, y], axis=1) - 0.5
    corners = np.stack([center - a - b, center + a - b, center + a + b, center - a + b], axis=1)
    return Detections(
        corners.astype(np.float32),
        best[chosen].astype(np.float32),
        scores[:, chosen].argmax(axis=0).astype(np.int64),
    )


def rotated_iou(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the intersection over union of two convex quadrilaterals given by (4, 2) corners."""
    one, two = np.asarray(first, np.float32), np.asarray(second, np.float32)
    shared = float(cv2.intersectConvexConvex(one, two)[0])
    whole = abs(float(cv2.contourArea(one))) + abs(float(cv2.contourArea(two))) - shared
    return max(0.0, shared) / whole if whole > 0 else 0.0


def suppress(found: Detections) -> Detections:
    """Non-maximum suppression within each class, and among cards of either side; by descending confidence."""
    corners, class_id = found.corners_px, found.class_id
    order = np.argsort(-found.confidence, kind="stable")
    center = corners.mean(axis=1)
    reach = np.linalg.norm(corners - center[:, None], axis=2).max(axis=1) if len(corners) else np.zeros(0)
    width = np.linalg.norm(corners[:, [1, 2]] - corners[:, [0, 1]], axis=2).min(axis=1)
    kept: list[int] = []
    for i in order:
        mine = int(class_id[i])
        for k in kept:
            theirs = int(class_id[k])
            if mine == theirs:
                limit = SAME_IOU[mine]
            elif mine in _CARDS and theirs in _CARDS:
                limit = SAME_CARD_IOU
            else:
                continue
            apart = float(np.hypot(*(center[i] - center[k])))
            if mine in _CARDS and apart < SAME_CENTER * float(min(width[i], width[k])):
                break
            if apart < reach[i] + reach[k] and rotated_iou(corners[i], corners[k]) > limit:
                break
        else:
            kept.append(int(i))
    return found.only(np.array(kept, np.intp))


def _tiles(width: int, height: int) -> Iterator[tuple[tuple[int, int, int, int], F32]]:
    """Boxes of the tiles, each with the part (x0, y0, x1, y1) for whose centres it answers."""
    for y0, y1, top, bottom in _cuts(height):
        for x0, x1, left, right in _cuts(width):
            yield (x0, y0, x1, y1), np.array([left, top, right, bottom], np.float32)


def _cuts(length: int) -> list[tuple[int, int, float, float]]:
    if length <= TILE_PX:
        return [(0, length, -np.inf, np.inf)]
    count = -(-(length - OVERLAP_PX) // (TILE_PX - OVERLAP_PX))
    starts = [round(k * (length - TILE_PX) / (count - 1)) for k in range(count)]
    cuts = []
    for k, start in enumerate(starts):
        left = -np.inf if k == 0 else (start + starts[k - 1] + TILE_PX) / 2
        right = np.inf if k == count - 1 else (starts[k + 1] + start + TILE_PX) / 2
        cuts.append((start, start + TILE_PX, left, right))
    return cuts
