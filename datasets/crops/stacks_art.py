"""Pictures of chip sets and grounds, for strips that are drawn on an accelerator (`datasets.crops.stacks_torch`)."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from datasets.crops.detector_ground import ground
from datasets.crops.detector_scenes import Stock
from datasets.crops.stacks import SCALES
from datasets.draw.chips import ChipDesign
from models.chip_reader import COLOR_NAMES

U8 = npt.NDArray[np.uint8]
TOP_PX, EDGE_SAMPLES = 96, 128
"""Side of a chip's picture, and colours around its side."""
GROUND_PX = 320
"""Side of a ground's picture."""


def art(seed: int, sets: int = 24) -> dict[str, U8]:
    """Return chips' pictures of `sets` chip sets, of all colours, and as many grounds, half of them printed tables."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, 23))
    stock = Stock(rng, "train", decks=1, faces=1, hands=0, tables=1)
    tops, edges, grounds = [], [], []
    for _ in range(sets):
        design = ChipDesign.random(rng)
        for color in COLOR_NAMES:
            tops.append(cv2.resize(design.top(color)[..., :3], (TOP_PX, TOP_PX), interpolation=cv2.INTER_AREA))
            spots = design.edge_colors(color)
            at = (np.arange(EDGE_SAMPLES) + 0.5) / EDGE_SAMPLES
            last = np.searchsorted([start for start, _ in spots], at, side="right") - 1
            edges.append(np.array([ink for _, ink in spots], np.uint8)[last])
        scale = float(np.exp(rng.uniform(*np.log(SCALES))))
        draw = stock.table if rng.random() < 0.5 else ground
        grounds.append(draw(rng, GROUND_PX, scale))
    return {"tops": np.stack(tops), "edges": np.stack(edges), "grounds": np.stack(grounds)}
