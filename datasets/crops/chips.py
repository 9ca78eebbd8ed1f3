"""Writes training crops of the chip reader: `python -m datasets.crops.chips --out FILE.npz --count N --seed S`.

Little scenes as for the detector, with chips singly, spread, in stacks, on cards and under hands, are drawn, lit and
worn; every chip whose face is seen is cut out as the watcher would cut it, its middle and size a little off. Between
them lie crops of places where no chip is. Each batch has its own chip sets, so those of other seeds were never seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets.crops.detector import drawn_scene
from datasets.crops.detector_scenes import Stock
from datasets.crops.pool import each_drawn
from datasets.draw.chips import ODD_COLORS, ChipDesign
from datasets.render.shapes import Projector
from datasets.render.truth import SceneTruth
from datasets.scene import CHIP_MM, ChipItem, Scene
from models.chip_reader import COLOR_NAMES, NONE, OTHER, rectify_chip

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
BATCH = 500
"""Crops that share a few chip sets."""
VISIBLE, HIDDEN = 0.35, 0.15
"""A face seen at least this much has its colour; one seen less than the other is none; between, nobody could say."""
AWAY_MM = 12.0
"""A place farther than this from every chip's middle is no chip."""
EDGE_PX = 12
"""Chips whose middle is nearer to the picture's edge are left out."""
SETS, BARE_SETS = 8, 2
"""Chip sets of a batch, and how many of them surely have no inlay: nothing but the colour tells such chips."""
ODD_SHARE = 0.45
"""Share of batches in whose sets two colours are others, without a name."""


def crops_of_scene(
    rng: np.random.Generator, stock: Stock, odd: Collection[str] = ()
) -> list[tuple[U8, int]]:  # fmt: skip
    """Return (crop, class) of a random scene, none of a grey picture; see `models.chip_reader.CLASS_NAMES`.

    Chips called by a colour in `odd` have another one in the stock's sets.
    """
    return faces_of(rng, *drawn_scene(rng, stock), odd)


def faces_of(
    rng: np.random.Generator,
    scene: Scene,
    picture: U8,
    truth: SceneTruth,
    camera: Projector,
    odd: Collection[str] = (),
) -> list[tuple[U8, int]]:
    """Return (crop, class) of a drawn scene, none of a grey picture."""
    if np.array_equal(picture[..., 0], picture[..., 2]):
        return []
    out = []
    middles = [np.asarray(chip.center_mm) for chip in scene.chips]
    side = picture.shape[0]
    for item in truth.items:
        chip = item.item
        if not isinstance(chip, ChipItem) or HIDDEN < item.visible_fraction < VISIBLE:
            continue
        middle = item.corners_px.mean(axis=0)
        if item.visible_fraction <= HIDDEN and any(
            other is not chip and np.hypot(*np.subtract(other.center_mm, chip.center_mm)) < AWAY_MM
            for other in scene.chips
        ):
            continue
        if (middle < EDGE_PX).any() or (middle > side - EDGE_PX).any():
            continue
        named = OTHER if chip.color in odd else COLOR_NAMES.index(chip.color)
        label = named if item.visible_fraction >= VISIBLE else NONE
        out.append((_cut(rng, camera, picture, np.asarray(chip.center_mm), chip.z_mm + CHIP_MM[1]), label))
    for _ in range(int(rng.random() < 0.5) + len(out) // 5):
        place = rng.uniform(-1, 1, 2) * 110
        if middles and rng.random() < 0.5:
            way = rng.normal(0, 1, 2)
            place = middles[int(rng.integers(len(middles)))] + way / np.hypot(*way) * rng.uniform(13, 30)
        near = min((float(np.hypot(*(place - middle))) for middle in middles), default=np.inf)
        if near > AWAY_MM:
            out.append((_cut(rng, camera, picture, place, 0.0), NONE))
    return out


def _cut(
    rng: np.random.Generator, camera: Projector, picture: U8, middle_mm: npt.NDArray[np.float64], z_mm: float
) -> U8:
    middle = middle_mm + np.clip(rng.normal(0, 1.3, 2), -3.5, 3.5)
    radius, angle = CHIP_MM[0] / 2 * float(rng.uniform(0.9, 1.1)), float(rng.uniform(0, 2 * np.pi))
    one = radius * np.array([np.cos(angle), np.sin(angle)])
    rim = [middle, middle + one, middle + np.array([-one[1], one[0]])]
    center, first, second = camera.image_from_table([(*point, z_mm) for point in rim])
    return rectify_chip(picture, center, np.stack([first - center, second - center]))


def _bare(rng: np.random.Generator) -> ChipDesign:
    """A chip set without an inlay."""
    chips = ChipDesign.random(rng)
    while chips.inlay > 0:
        chips = ChipDesign.random(rng)
    return chips


def batch(seed: int, first: int, count: int) -> tuple[U8, I64]:
    """Return `count` crops (n, 32, 32, 3) and their classes."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, first, 5))
    stock = Stock(rng, "train", decks=SETS, faces=1, hands=4, tables=1)
    for _, look in stock.looks[:BARE_SETS]:
        look.chips = _bare(rng)
    odd: dict[str, str] = {}
    if rng.random() < ODD_SHARE:
        odd = {str(color): str(rng.choice(list(ODD_COLORS))) for color in rng.choice(COLOR_NAMES, 2, replace=False)}
    for _, look in stock.looks:
        for color, other in odd.items():
            if isinstance(look.chips, ChipDesign):
                look.chips = look.chips.in_odd_color(color, other)
    crops: list[tuple[U8, int]] = []
    while len(crops) < count:
        crops += crops_of_scene(rng, stock, odd)
    crops = crops[:count]
    return np.stack([picture for picture, _ in crops]), np.array([label for _, label in crops], np.int64)


def write(out: Path, count: int, seed: int, processes: int) -> None:
    """Write `count` crops to `out` (npz with `images` and `labels`)."""
    out.parent.mkdir(parents=True, exist_ok=True)
    jobs = [(seed, start, min(BATCH, count - start)) for start in range(0, count, BATCH)]
    parts = list(each_drawn(processes, batch, jobs))
    np.savez(out, images=np.concatenate([p[0] for p in parts]), labels=np.concatenate([p[1] for p in parts]))


def main() -> None:
    """Read the command line and write the crops."""
    parser = argparse.ArgumentParser(description="Write training crops of the chip reader.")
    parser.add_argument("--out", type=Path, required=True, help="file to write, .npz")
    parser.add_argument("--count", type=int, default=60000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    write(args.out, args.count, args.seed, args.processes)


if __name__ == "__main__":
    main()
