"""Counts the chips of a stack seen at an angle and names their colours from the felt up.

    strip = cut_strip(frame_bgr, camera, foot_mm)  # vision.looks.stacks; None from straight above
    reading = StackReader()([strip.image], [strip.side_px])[0]
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
from models.sessions import open_session, told_threshold

STRIP_SHAPE = (72, 24)
"""Rows and columns of a strip."""
CHIP_ROWS, BELOW_ROWS = 4, 16
"""Rows that a chip takes, and rows below the felt."""
MOST_CHIPS = 10
"""Highest stack that is counted."""
UNKNOWN = 0
"""Count class: no stack, more than ten chips, chips spread, or too little seen."""
BASE, TOP, OTHER, COLORS = 0, 1, 2, 3
"""What the network says of each row: votes for the felt being there, for the topmost upper edge, for there being no stack that
can be counted (its mean counts), and from `COLORS` on for the colour of the chip there."""
OUTPUTS = COLORS + len(COLOR_NAMES)
"""Votes for each row."""
SINGLE_SIDE_PX = 2.0
"""Where a chip shows less of its side than this, stacks and single chips are told by thresholds of their own."""
LEAST_AGREEMENT = 0.01
"""Felt and upper edge that agree less than this on any number of chips are no stack."""
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


def strip_input(images: npt.NDArray[np.uint8], side_px: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """(n, 7, 72, 24) for the network: strips (n, 72, 24, 6), and the pixels a chip shows as a constant plane."""
    planes = np.empty((len(images), 7, *STRIP_SHAPE), np.float32)
    planes[:, :6] = images.transpose(0, 3, 1, 2)
    shown = 255.0 * np.sqrt(np.clip(np.asarray(side_px, np.float32) / 8.0, 0.0, 1.0))
    planes[:, 6] = shown[:, None, None]
    return planes


def judged(logits: Logits, temperature: float) -> list[tuple[int, tuple[int, ...], float]]:
    """For each of (n, 72, OUTPUTS): likeliest count (0 = unknown), colours' indices from below, joint probability.

    A number of chips is as likely as the felt and the topmost edge lie so many chips apart.
    """
    votes = np.asarray(logits / np.float32(temperature), np.float32)
    base, top = softmax(votes[..., BASE]), softmax(votes[..., TOP])
    other = 1.0 / (1.0 + np.exp(-votes[..., OTHER].mean(axis=1)))
    together = np.zeros((len(votes), MOST_CHIPS, STRIP_SHAPE[0]))
    for n in range(1, MOST_CHIPS + 1):
        together[:, n - 1, : -CHIP_ROWS * n] = base[:, : -CHIP_ROWS * n] * top[:, CHIP_ROWS * n :]
    agreement = together.sum(axis=2)
    counts = (1 - other[:, None]) * agreement / (agreement.sum(axis=1, keepdims=True) + LEAST_AGREEMENT)
    out: list[tuple[int, tuple[int, ...], float]] = []
    for i, shares in enumerate(counts):
        best = int(np.argmax(shares))
        sure = float(shares[best])
        if sure <= 0.5:
            out.append((UNKNOWN, (), 1 - sure))
            continue
        felt_row = float(together[i, best] @ np.arange(STRIP_SHAPE[0]) / agreement[i, best])
        inks = _inks(votes[i, :, COLORS:], felt_row, best + 1)
        named = tuple(int(k) for k in inks.argmax(axis=1))
        out.append((best + 1, named, sure * float(np.prod(inks.max(axis=1))) if best else sure))
    return out


def _inks(votes: Logits, felt_row: float, count: int) -> npt.NDArray[np.float32]:
    """Probability of each colour (count, 7) of the chips above a row, from the felt up."""
    middles = felt_row + (np.arange(count) + 0.5) * CHIP_ROWS
    rows = np.clip(np.round(middles[:, None] + (-1, 0, 1)), 0, STRIP_SHAPE[0] - 1).astype(np.int64)
    return softmax(votes[rows].mean(axis=1))


def threshold_name(*, single: bool, little: bool) -> str:
    """What a threshold is called where it is stored with the weights: of one chip or of more, where less than `SINGLE_SIDE_PX` of a side is seen or more."""
    return "threshold" + ("_single" if single else "") + ("_little" if little else "")


class StackReader:
    """The stack reader's network in ONNX Runtime on the CPU; one object may be shared by threads."""

    def __init__(self, path: str | Path | None = None, threads: int = 1, *, single_pictures: bool = False) -> None:
        """Load weights, to run on so many threads.

        Args:
            path: the weights, those that come with the project if None.
            threads: to run on.
            single_pictures: nobody is accused by what is read; one answer in fifty may be wrong instead of one in two hundred.

        Raises:
            ModelError: the file is missing, broken or made for other classes.
        """
        self.path = Path(path) if path is not None else WEIGHTS
        self._session, self.temperature, self.threshold = open_session(
            self.path, "stack reader", "models.train.stacks", _INPUT, OUTPUTS, threads
        )
        of = "_pictures" if single_pictures else ""
        self.threshold = told_threshold(self._session, f"threshold{of}", self.threshold)
        self._thresholds = {
            (single, little): told_threshold(
                self._session, threshold_name(single=single, little=little) + of, self.threshold
            )
            for single in (False, True)
            for little in (False, True)
        }

    def __call__(self, strips: Sequence[npt.NDArray[np.uint8]], side_px: Sequence[float]) -> list[StackReading]:
        """Read strips (72, 24, 6) uint8 from `vision.looks.stacks.cut_strip`; one reading each, in order.

        Raises ValueError for another shape or type.
        """
        if len(strips) == 0:
            return []
        images = np.asarray(strips)
        if images.ndim != 4 or images.shape[1:] != (*STRIP_SHAPE, 6) or images.dtype != np.uint8:
            raise ValueError(f"expected uint8 strips (n, 72, 24, 6), got {images.dtype} {images.shape}")
        readings = []
        read = judged(self.logits(images, side_px), self.temperature)
        for (count, named, sure), shown in zip(read, side_px, strict=True):
            if count == UNKNOWN or sure < self.threshold_of(count, shown):
                readings.append(StackReading(None, None, sure))
            else:
                readings.append(StackReading(count, tuple(COLOR_NAMES[i] for i in named), sure))
        return readings

    def threshold_of(self, count: int, side_px: float) -> float:
        """The least confidence with which so many chips are said to stand where one shows so much of its side."""
        return self._thresholds[count == 1, side_px < SINGLE_SIDE_PX]

    def logits(self, images: npt.NDArray[np.uint8], side_px: npt.ArrayLike) -> Logits:
        """The network's raw votes (n, 72, OUTPUTS), of each strip and its mirror image together."""
        shown = np.asarray(side_px, np.float32)
        run: Any = self._session.run
        parts = []
        for i in range(0, len(images), _BATCH):
            part = strip_input(images[i : i + _BATCH], shown[i : i + _BATCH])
            both = [run(None, {_INPUT: np.ascontiguousarray(view)})[0] for view in (part, part[..., ::-1])]
            parts.append((both[0] + both[1]) / 2)
        return cast(Logits, np.concatenate(parts))


class SingleChips:
    """A stack reader that tells single chips only: of a house with colours that it does not know stacks stay open."""

    def __init__(self, reader: StackReader) -> None:
        self._reader = reader

    def __call__(self, strips: Sequence[npt.NDArray[np.uint8]], side_px: Sequence[float]) -> list[StackReading]:
        """As the stack reader does."""
        return [
            said if said.count == 1 else StackReading(None, None, said.confidence)
            for said in self._reader(strips, side_px)
        ]
