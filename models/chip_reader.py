"""Names the colour of single chips from small pictures: one of seven colours, another one, or that no chip's face is seen.

    crops = np.stack([rectify_chip(frame_bgr, center, axes) for center, axes in chips])
    for reading in ChipReader()(crops):
        reading.color  # "green", or None: not sure enough to say, or no chip

The network sees every crop turned and shifted a little and the votes are averaged. Confidences are calibrated on chip sets it
was not trained on; below the threshold stored with the weights nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import numpy.typing as npt

from models.reader import softmax
from models.sessions import open_session

CHIP_CROP_PX = 32
"""Side of a crop."""
CROP_RADIUS_PX = 12.0
"""Radius of the chip in its crop: a little of what lies around it is seen too."""
COLOR_NAMES: tuple[str, ...] = ("white", "red", "green", "black", "purple", "orange", "blue")
"""Colours that are told apart, in the order of the network's outputs."""
CLASS_NAMES: tuple[str, ...] = (*COLOR_NAMES, "other", "none")
"""All outputs in order; "other": a chip of a colour without a name here; "none": no upper face of a chip, or too little of it."""
OTHER, NONE = 7, 8
VIEWS: tuple[tuple[int, int, int], ...] = ((0, 0, 0), (1, 1, 0), (2, -1, 0), (3, 0, 1), (0, 0, -1))
"""Quarter turns and shifts (right, down; px) in which a crop is looked at: its middle is known to about a millimetre."""
MOST_NONE = 0.05
"""Probability that no chip's face is seen up to which a colour is said: that there is a chip is the detector's to tell, and of a chip half
under another the reader alone would doubt it. A box between two rows of chips had 0.16, and was paid for; of 8,000 crops 92.9% are so answered, 93.3% at 0.2."""
NAMELESS = 0.1
"""How much rarer chips of a colour without a name are taken to be at a table, whose file says what each colour is worth, than among the crops
the network was trained on, where by their recipe one chip in twenty is such: its share is scaled by this (M. Saerens et al., Adjusting the outputs of a
classifier to new a priori probabilities, Neural Computation 14, 2002)."""
WEIGHTS = Path(__file__).parent / "weights" / "chips.onnx"
"""The weights used when none are named."""

INPUT = "chips"
"""Name of the input of networks that look at chips."""
_BATCH = 64


@dataclass(frozen=True, slots=True)
class ChipReading:
    """What one crop says.

    Attributes:
        color: one of `COLOR_NAMES`, None where unsure, of another colour, or where there is no chip.
        confidence: calibrated probability of the likeliest colour, "other" included, if there is a chip, 0..1.
        none_probability: probability that no chip's face is seen there.
        likeliest: the likeliest class, of `CLASS_NAMES`.
    """

    color: str | None
    confidence: float
    none_probability: float
    likeliest: str


def rectify_chip(
    image_bgr: npt.NDArray[np.uint8], center_px: npt.ArrayLike, axes_px: npt.ArrayLike
) -> npt.NDArray[np.uint8]:
    """Cut a chip out of a picture as a circle in the middle of (32, 32, 3) BGR.

    Args:
        image_bgr: (h, w, 3).
        center_px: (x, y) of the middle of its upper face, the middle of the first pixel at (0, 0).
        axes_px: (2, 2) image vectors from the middle to the rim along two table directions at right angles.
    """
    center, axes = np.asarray(center_px, np.float64), np.asarray(axes_px, np.float64)
    side, radius = 2 * CHIP_CROP_PX, 2 * CROP_RADIUS_PX
    middle = (side - 1) / 2
    goal = np.array([[middle, middle], [middle + radius, middle], [middle, middle + radius]], np.float32)
    source = np.stack([center, center + axes[0], center + axes[1]]).astype(np.float32)
    warp = cv2.getAffineTransform(source, goal)
    big = cv2.warpAffine(image_bgr, warp, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cast(npt.NDArray[np.uint8], cv2.resize(big, (CHIP_CROP_PX, CHIP_CROP_PX), interpolation=cv2.INTER_AREA))


def views(crops: npt.NDArray[np.uint8]) -> list[npt.NDArray[np.uint8]]:
    """Crops (n, 32, 32, 3) in each of `VIEWS`."""
    padded = np.pad(crops, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
    side = crops.shape[1]
    return [
        np.rot90(padded[:, 1 - down : 1 - down + side, 1 - right : 1 - right + side], turns, axes=(1, 2))
        for turns, right, down in VIEWS
    ]


def in_views(session: Any, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """What a network says of crops (n, 32, 32, 3) in each of `VIEWS`: (views, n, outputs).

    Raises ValueError for another shape or type.
    """
    if crops.ndim != 4 or crops.shape[1:] != (CHIP_CROP_PX, CHIP_CROP_PX, 3) or crops.dtype != np.uint8:
        raise ValueError(f"expected uint8 crops (n, 32, 32, 3), got {crops.dtype} {crops.shape}")
    turned = np.concatenate(views(crops))
    parts = [
        session.run(None, {INPUT: np.ascontiguousarray(turned[i : i + _BATCH].transpose(0, 3, 1, 2), np.float32)})[0]
        for i in range(0, len(turned), _BATCH)
    ]
    said = np.concatenate(parts)
    return cast(npt.NDArray[np.float32], said.reshape(len(VIEWS), len(crops), said.shape[-1]))


class ChipReader:
    """The chip reader's network in ONNX Runtime on the CPU; one object may be shared by threads."""

    def __init__(self, path: str | Path | None = None, threads: int = 1) -> None:
        """Load weights (`path`, else the ones that come with the project), to run on so many threads.

        Raises ModelError if the file is missing, broken or made for other classes.
        """
        self.path = Path(path) if path is not None else WEIGHTS
        self._session, self.temperature, self.threshold = open_session(
            self.path, "chip reader", "models.train.chips", INPUT, len(CLASS_NAMES), threads
        )

    def __call__(self, chips_bgr: npt.NDArray[np.uint8] | Sequence[npt.NDArray[np.uint8]]) -> list[ChipReading]:
        """Read crops (n, 32, 32, 3) uint8 BGR from `rectify_chip`; one reading each, in order.

        Raises ValueError for another shape or type.
        """
        crops = np.asarray(chips_bgr)
        return [said(shares, self.threshold) for shares in self.shares(crops)] if len(crops) else []

    def shares(self, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """How probably crops (n, 32, 32, 3) uint8 BGR are of each class, (n, 9), sums of 1.

        Raises ValueError for another shape or type.
        """
        votes = softmax(self.logits(crops) / self.temperature)
        votes[:, OTHER] *= NAMELESS
        return cast(npt.NDArray[np.float32], votes / votes.sum(axis=1, keepdims=True))

    def logits(self, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """The network's raw votes (n, 9), averaged over `VIEWS`."""
        return cast(npt.NDArray[np.float32], in_views(self._session, crops).mean(axis=0))


def said(shares: npt.NDArray[np.float32], threshold: float, most_none: float = MOST_NONE) -> ChipReading:
    """What is said of a chip whose classes are so probable (9,): its colour from a threshold on, where no chip is hardly probable."""
    none = float(shares[NONE])
    best = int(np.argmax(shares[:NONE]))
    sure = float(shares[best] / shares[:NONE].sum())
    named = best < OTHER and sure >= threshold and none <= most_none
    return ChipReading(CLASS_NAMES[best] if named else None, sure, none, CLASS_NAMES[int(np.argmax(shares))])
