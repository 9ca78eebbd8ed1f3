"""What the detector says of a picture, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CLASS_NAMES = ("face", "back", "chip", "stack", "hand")
"""Detector classes: face-up card, face-down card, a chip whose top is seen (alone or in a spread), a stack of two or more chips, a hand with its sleeve."""
FACE, BACK, CHIP, STACK, HAND = range(5)


@dataclass(frozen=True, slots=True)
class Detections:
    """Oriented boxes found in one picture, best first.

    Attributes:
        corners_px: (n, 4, 2) float32, pixels of the picture given; for cards upper left, upper right, lower right,
            lower left up to a half turn (whole card, hidden parts included), for others the box.
        confidence: (n,) float32 in 0..1.
        class_id: (n,) int64, index into CLASS_NAMES.
    """

    corners_px: npt.NDArray[np.float32]
    confidence: npt.NDArray[np.float32]
    class_id: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        n = len(self.confidence)
        if self.corners_px.shape != (n, 4, 2) or self.class_id.shape != (n,):
            raise ValueError(
                f"expected corners (n, 4, 2) and class_id (n,) for n={n}, got {self.corners_px.shape} and {self.class_id.shape}"
            )

    def __len__(self) -> int:
        return len(self.confidence)

    @classmethod
    def joined(cls, parts: Sequence[Detections]) -> Detections:
        """What several say of one picture, one after the other; `suppress` leaves each thing once. At least one part."""
        return cls(
            np.concatenate([part.corners_px for part in parts]),
            np.concatenate([part.confidence for part in parts]),
            np.concatenate([part.class_id for part in parts]),
        )

    def only(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Detections:
        """Those of a mask (n,), or of their numbers, in that order."""
        return Detections(self.corners_px[which], self.confidence[which], self.class_id[which])

    def at(self, corners_px: npt.NDArray[np.float32]) -> Detections:
        """The same with other corners (n, 4, 2)."""
        return Detections(np.ascontiguousarray(corners_px, np.float32), self.confidence, self.class_id)
