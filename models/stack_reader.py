"""Counts the chips of a stack seen at an angle and names their colours from the felt up.

    strip = cut_strip(frame_bgr, camera, foot_mm)  # vision.stacks; None from straight above
    reading = StackReader()([strip.image], [strip.side_px], [strip.chip_rows])[0]
    reading.count, reading.colors  # 3, ("red", "red", "green"), or None: not sure enough to say

A count is given only where the picture excludes the others: confidences are calibrated on chip sets that the network was
not trained on, and below the threshold stored with the weights nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from models.chip_reader import COLOR_NAMES
from models.reader import softmax
from models.sessions import open_session

STRIP_SHAPE = (72, 24)
"""Rows and columns of a strip."""
CHIP_ROWS, BELOW_ROWS = 4, 16
"""Rows that a chip takes (fewer where the view is steep), and rows below the felt."""
MOST_CHIPS = 10
"""Highest stack that is counted."""
UNKNOWN = 0
"""Count class: no stack, more than ten chips, chips spread, or too little seen."""
OUTPUTS = MOST_CHIPS + 1 + MOST_CHIPS * len(COLOR_NAMES) + 1
"""Count classes, a colour for each place from below, and where the felt is (chips above the strip's own zero)."""
WEIGHTS = Path(__file__).parent / "weights" / "stacks.onnx"
"""The weights used when none are named."""

_INPUT = "stacks"
_BATCH = 64
Logits = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class StackReading:
    """What one strip says.

    Attributes:
        count: chips on one another, 1..10; None where unsure.
        colors: one of `models.chip_reader.COLOR_NAMES` for each, from the felt up; None where unsure.
        confidence: calibrated probability that all of it is right: of the count where it is one, else of count and colours.
    """

    count: int | None
    colors: tuple[str, ...] | None
    confidence: float


def strip_input(
    images: npt.NDArray[np.uint8], side_px: npt.ArrayLike, chip_rows: npt.ArrayLike
) -> npt.NDArray[np.float32]:
    """(n, 8, 72, 24) for the network: strips (n, 72, 24, 6), pixels a chip shows and rows it takes as constant planes."""
    planes = np.empty((len(images), 8, *STRIP_SHAPE), np.float32)
    planes[:, :6] = images.transpose(0, 3, 1, 2)
    shown = 255.0 * np.sqrt(np.clip(np.asarray(side_px, np.float32) / 8.0, 0.0, 1.0))
    taken = 255.0 * np.asarray(chip_rows, np.float32) / CHIP_ROWS
    planes[:, 6] = shown[:, None, None]
    planes[:, 7] = taken[:, None, None]
    return planes


def judged(logits: Logits, temperature: float) -> list[tuple[int, tuple[int, ...], float]]:
    """For each row of (n, OUTPUTS): likeliest count (0 = unknown), colours' indices from below, joint probability."""
    counts = softmax(logits[:, : MOST_CHIPS + 1] / temperature)
    stop = MOST_CHIPS + 1 + MOST_CHIPS * len(COLOR_NAMES)
    inks = softmax(logits[:, MOST_CHIPS + 1 : stop].reshape(-1, len(COLOR_NAMES)) / temperature)
    inks = inks.reshape(len(logits), MOST_CHIPS, len(COLOR_NAMES))
    out = []
    for shares, places in zip(counts, inks, strict=True):
        best = int(np.argmax(shares))
        named = tuple(int(i) for i in places[:best].argmax(axis=1))
        sure = float(shares[best])
        if best > 1:
            sure *= float(np.prod(places[:best].max(axis=1)))
        out.append((best, named, sure))
    return out


class StackReader:
    """The stack reader's network in ONNX Runtime on the CPU; one object may be shared by threads."""

    def __init__(self, path: str | Path | None = None, threads: int = 1) -> None:
        """Load weights (`path`, else the ones that come with the project), to run on so many threads.

        Raises ModelError if the file is missing, broken or made for other classes.
        """
        self.path = Path(path) if path is not None else WEIGHTS
        self._session, self.temperature, self.threshold = open_session(
            self.path, "stack reader", "models.train.stacks", _INPUT, OUTPUTS, threads
        )

    def __call__(
        self, strips: Sequence[npt.NDArray[np.uint8]], side_px: Sequence[float], chip_rows: Sequence[float]
    ) -> list[StackReading]:
        """Read strips (72, 24, 6) uint8 from `vision.stacks.cut_strip`; one reading each, in order.

        Raises ValueError for another shape or type.
        """
        if len(strips) == 0:
            return []
        images = np.asarray(strips)
        if images.ndim != 4 or images.shape[1:] != (*STRIP_SHAPE, 6) or images.dtype != np.uint8:
            raise ValueError(f"expected uint8 strips (n, 72, 24, 6), got {images.dtype} {images.shape}")
        readings = []
        for count, named, sure in judged(self.logits(images, side_px, chip_rows), self.temperature):
            if count == UNKNOWN or sure < self.threshold:
                readings.append(StackReading(None, None, sure))
            else:
                readings.append(StackReading(count, tuple(COLOR_NAMES[i] for i in named), sure))
        return readings

    def logits(self, images: npt.NDArray[np.uint8], side_px: npt.ArrayLike, chip_rows: npt.ArrayLike) -> Logits:
        """The network's raw votes (n, OUTPUTS), of each strip and its mirror image together."""
        shown, taken = np.asarray(side_px, np.float32), np.asarray(chip_rows, np.float32)
        run: Any = self._session.run
        parts = []
        for i in range(0, len(images), _BATCH):
            part = strip_input(images[i : i + _BATCH], shown[i : i + _BATCH], taken[i : i + _BATCH])
            both = [run(None, {_INPUT: np.ascontiguousarray(view)})[0] for view in (part, part[..., ::-1])]
            parts.append((both[0] + both[1]) / 2)
        return cast(Logits, np.concatenate(parts))
