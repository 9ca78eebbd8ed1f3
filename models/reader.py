"""Reads rectified cards: which of 52 faces, a joker, a back, or unreadable.

    crops = np.stack([rectify_card(frame_bgr, corners) for corners in cards_corners_px])
    for reading in Reader()(crops):
        reading.card  # "Qd", "Jo", or None: not sure enough to say

The network sees every crop both ways up and the two votes are averaged. Confidences are calibrated on deck designs the
network was not trained on; below the threshold stored with the weights nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import numpy.typing as npt

from models.sessions import open_session, told_threshold

CARD_SIZE_MM = (63.5, 88.9)
"""Width and height of a playing card."""
READER_SIZE = (128, 192)
"""Width and height of a rectified card, px: 2 px a mm, what the index of a partly hidden card needs."""
LARGE = 1.2
"""Cards longer in the picture than this many times the crop are cut at twice the size first, so that no pixel is skipped."""
FINE_PX_PER_MM = 0.9
"""From this scale of the picture on a card is read by a lower threshold: most wrong names are of cards smaller than that."""
NO_FACE = 0.01
"""Probability of any face up to which one half turn is enough: of 880 cards of the bundled film half have less, and by the other half turn too none of them had a name, or was more or less surely a
back than 0.9; of 5,376 cuts beside cards of photographs 63% have less, and none of the 1,067 that are a face rather than not by both."""
FACE_NAMES: tuple[str, ...] = tuple(r + s for s in "cdhs" for r in "23456789TJQKA")
"""The 52 faces in the order of the network's outputs."""
CLASS_NAMES: tuple[str, ...] = (*FACE_NAMES, "Jo", "back", "unreadable")
"""All outputs in order."""
JOKER, BACK, UNREADABLE = 52, 53, 54
WEIGHTS = Path(__file__).parent / "weights" / "reader.onnx"
"""The weights used when none are named."""

_INPUT = "cards"
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Reading:
    """What one crop says.

    Attributes:
        card: rank and suit ("Qd") or "Jo"; None if it is a back, unreadable or below the threshold.
        confidence: calibrated probability of the likeliest class, 0..1.
        probabilities: (55,) float32, one for each of `CLASS_NAMES`.
    """

    card: str | None
    confidence: float
    probabilities: npt.NDArray[np.float32]

    @property
    def likeliest(self) -> str:
        """Name of the likeliest class, sure or not."""
        return CLASS_NAMES[int(np.argmax(self.probabilities))]

    @property
    def back_probability(self) -> float:
        """Probability that it is the back of a card."""
        return float(self.probabilities[BACK])

    @property
    def face_probability(self) -> float:
        """Probability that it is the face of a card, whichever."""
        return float(self.probabilities[: JOKER + 1].sum())


def rectify_card(image_bgr: npt.NDArray[np.uint8], corners_px: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Cut a card out of a picture, upright, as (192, 128, 3) BGR.

    `corners_px` (4, 2): upper left, upper right, lower right, lower left of the whole card, in half-open pixels of the
    picture (hidden parts and parts outside the picture included; the edge is repeated there).
    """
    quad = np.asarray(corners_px, np.float32).reshape(4, 2)
    longest = float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).max())
    finer = 2 if longest > LARGE * READER_SIZE[1] else 1
    w, h = READER_SIZE[0] * finer, READER_SIZE[1] * finer
    goal = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(quad - 0.5, goal)
    cut = cv2.warpPerspective(image_bgr, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if finer > 1:
        cut = cv2.resize(cut, READER_SIZE, interpolation=cv2.INTER_AREA)
    return cast(npt.NDArray[np.uint8], cut)


def card_px_per_mm(corners_px: npt.ArrayLike) -> float:
    """Scale at which a whole card with these corners (4, 2) is seen."""
    area = cv2.contourArea(np.asarray(corners_px, np.float32).reshape(4, 2))
    return float(np.sqrt(area / (CARD_SIZE_MM[0] * CARD_SIZE_MM[1])))


class Reader:
    """The reader's network in ONNX Runtime on the CPU; one object may be shared by threads."""

    def __init__(self, path: str | Path | None = None, threads: int = 1) -> None:
        """Load weights (`path`, else the ones that come with the project), to run on so many threads.

        Raises ModelError if the file is missing, broken or made for other classes.
        """
        self.path = Path(path) if path is not None else WEIGHTS
        self._session, self.temperature, self.threshold = open_session(
            self.path, "card reader", "models.train.reader", _INPUT, len(CLASS_NAMES), threads
        )
        self.threshold_fine = told_threshold(self._session, "threshold_fine", self.threshold)

    def __call__(
        self, cards_bgr: npt.NDArray[np.uint8] | Sequence[npt.NDArray[np.uint8]], px_per_mm: Sequence[float] | None = None
    ) -> list[Reading]:  # fmt: skip
        """Read crops (n, 192, 128, 3) uint8 BGR from `rectify_card`; one reading each, in order.

        `px_per_mm` is the scale of the picture each was cut from; unknown, it is taken to be small.

        Raises ValueError for another shape or type.
        """
        crops = np.asarray(cards_bgr)
        if len(crops) == 0:
            return []
        if crops.ndim != 4 or crops.shape[1:] != (READER_SIZE[1], READER_SIZE[0], 3) or crops.dtype != np.uint8:
            raise ValueError(f"expected uint8 crops (n, 192, 128, 3), got {crops.dtype} {crops.shape}")
        readings = []
        for probabilities, scale in zip(self.probabilities(crops), px_per_mm or [0.0] * len(crops), strict=True):
            best = int(np.argmax(probabilities))
            confidence = float(probabilities[best])
            said = confidence >= self.threshold_at(scale) and best <= JOKER
            readings.append(Reading(CLASS_NAMES[best] if said else None, confidence, probabilities))
        return readings

    def threshold_at(self, px_per_mm: float) -> float:
        """The least confidence of an answer, for a card of a picture of this scale."""
        return self.threshold_fine if px_per_mm >= FINE_PX_PER_MM else self.threshold

    def probabilities(self, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Calibrated probabilities (n, 55) of crops (n, 192, 128, 3), of what may show a face by both half turns."""
        votes = self._votes(crops)
        open_still = softmax(votes / self.temperature)[:, : JOKER + 1].sum(axis=1) >= NO_FACE
        if open_still.any():
            votes[open_still] = (votes[open_still] + self._votes(_half_turned(crops[open_still]))) / 2
        return softmax(votes / self.temperature)

    def logits(self, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """The network's raw votes (n, 55), averaged over both half turns."""
        return np.asarray((self._votes(crops) + self._votes(_half_turned(crops))) / 2, np.float32)

    def _votes(self, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        run: Any = self._session.run
        parts = [
            run(None, {_INPUT: np.ascontiguousarray(crops[i : i + _BATCH].transpose(0, 3, 1, 2), np.float32)})[0]
            for i in range(0, len(crops), _BATCH)
        ]
        return cast(npt.NDArray[np.float32], np.concatenate(parts))


def _half_turned(crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return crops[:, ::-1, ::-1]


def softmax(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Shares that sum to 1 along the last axis."""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True), np.float32)
