"""Writes training strips of the stack reader: `python -m datasets.crops.stacks --out FILE.npz --count N --seed S`.

Little scenes of stacks, single chips and what is neither are drawn as a camera anywhere over a table sees them, worn, and
each is unrolled as the watcher would unroll it, the foot a little off. Each batch has its own chip sets, so those of
other seeds were never seen.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from datasets.crops.detector import print_under, worn
from datasets.crops.detector_ground import ground
from datasets.crops.detector_scenes import Stock
from datasets.crops.pool import each_drawn
from datasets.draw.chips import ChipDesign
from datasets.render.compositor import Renderer
from datasets.render.look import Light, Look
from datasets.scene import CHIP_MM, ChipItem, Scene
from models.chip_reader import COLOR_NAMES
from models.stack_reader import MOST_CHIPS, UNKNOWN
from vision.looks.stacks import OtherHeights, Strip, away_from_camera, cut_strip

F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]
BATCH = 3000
"""Strips that share some chip sets."""
SETS = 48
"""Chip sets of a batch."""
STRIPS = 3
"""Strips cut of one pile, each about another foot."""
HEIGHTS_OFF = 0.025
"""Standard deviation, as a share, of heights as a calibration finds them."""
SIDE_PX = 320
"""Side of a scene's picture."""
TILTS_DEG, FIRST_TILTS = ((15.5, 30.0), (20.0, 55.0)), 0.45
"""Angles from the vertical, and how often they are of the first range."""
SCALES = (0.75, 2.5)
"""Pixels per millimetre, as often in each octave."""
DISTANCES_MM, AIM_MM = (1600.0, 3500.0), 600.0
"""How far the camera is, and how far beside the pile it may aim."""
ONE_COLOR, SORTED = 0.5, 0.8
"""Piles up to these shares are of one colour, and sorted by colour; the others are mixed."""
LOOSE_MM, LOOSE_SHARES, MOST_OFF_MM, LEAN_MM = (0.15, 0.4, 0.8), (0.3, 0.45, 0.25), 2.5, 0.12
"""How far chips lie off one another (standard deviation), how often, at most; and how much a pile leans, a chip."""
NEAT, TALL, BARE = 0.9, 0.93, 0.95
"""Places up to these shares have a pile that can be counted, one that is too high, and nothing; the others have chips spread."""
TALL_CHIPS = (11, 15)
"""Chips of piles that are too high, the end left out."""
SPREAD_STEP_MM, SPREAD_Z_MM = (8.0, 30.0), 1.8
"""How far the next chip of a spread lies off, and how high its middle."""
CROWDED, APART_MM = 0.3, ((46.0, 60.0), (60.0, 90.0))
"""How often piles stand as near to one another as the first range says, else the second; and both."""
ALONG_MM, BESIDE_MM = (1.6, 4.5), (1.3, 3.5)
"""How far a foot is guessed off along the view and beside it: standard deviation, at most."""
ON_TOP = 0.2
"""How often the upper chip of two to four is taken for the lowest."""
GROOVES = (0.1, 0.8)
"""Darkness of the grooves between chips."""
DARK_SIDES, SIDE = 0.6, (0.3, 1.0)
"""How often sides get less of the light than faces do, and what they get of it: evenly on a scale of factors. In the ray-traced tables it is a third to a half."""
COUNT_WEIGHTS = np.array([0.0, 8.0, 5.0, 4.0, 3.0, 2.5, 2.0, 2.0, 2.0, 2.0, 2.0])
"""How often piles of each height are drawn."""


@dataclass(frozen=True, slots=True)
class Pile:
    """What stands at a foot.

    Attributes:
        count: chips on one another; 0 = something that must be left unknown.
        colors: from the felt up.
    """

    count: int
    colors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """How a camera sees a place: angle from the vertical, and the scale there."""

    tilt_deg: float
    px_per_mm: float


def random_view(rng: np.random.Generator) -> View:
    """Any view in which sides are seen, up to 55 degrees, 0.75 to 2.5 px per mm."""
    first, other = TILTS_DEG
    tilt = float(rng.uniform(*first) if rng.random() < FIRST_TILTS else rng.uniform(*other))
    return View(tilt, float(np.exp(rng.uniform(*np.log(SCALES)))))


def camera_at(rng: np.random.Generator, view: View) -> Camera:
    """Return a camera that sees the table's origin under the view's angle, in the middle of a cut-out of its picture."""
    azimuth, distance = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(*DISTANCES_MM))
    tilt = math.radians(view.tilt_deg)
    away = distance * math.sin(tilt)
    position = (away * math.cos(azimuth), away * math.sin(azimuth), distance * math.cos(tilt))
    aim = tuple(float(v) for v in rng.uniform(-AIM_MM, AIM_MM, 2))
    size = (SIDE_PX, SIDE_PX)
    camera = Camera.looking_at(position, aim, float(rng.uniform(0, 360)), view.px_per_mm * distance, size)
    matrix = camera.matrix * np.array([[view.px_per_mm / camera.px_per_mm_at((0.0, 0.0))], [1.0], [1.0]])
    matrix[1, 1] = matrix[0, 0]
    matrix[:2, 2] = SIDE_PX / 2
    matrix[:2, 2] += SIDE_PX / 2 - replace(camera, matrix=matrix).image_from_table([(0.0, 0.0)])[0]
    return replace(camera, matrix=matrix)


def pile_colors(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Colours from the felt up: mostly of one kind, or sorted, or mixed anyhow."""
    kind = rng.random()
    kinds = 1 if kind < ONE_COLOR else int(rng.integers(2, 4))
    palette = [COLOR_NAMES[i] for i in rng.permutation(len(COLOR_NAMES))[:kinds]]
    drawn = sorted(int(i) for i in rng.integers(0, kinds, count))
    if kind > SORTED:
        drawn = [int(i) for i in rng.permutation(drawn)]
    return tuple(palette[i] for i in drawn)


def piled(
    rng: np.random.Generator, at_mm: F64, colors: tuple[str, ...], *, group: str, z_mm: float = 0.0
) -> list[ChipItem]:
    """Return chips on one another as hands leave them: each a little off, the whole leaning a little."""
    loose = float(rng.choice(LOOSE_MM, p=LOOSE_SHARES))
    lean = rng.normal(0, LEAN_MM, 2)
    chips: list[ChipItem] = []
    for k, color in enumerate(colors):
        x, y = at_mm + np.clip(rng.normal(0, loose, 2), -MOST_OFF_MM, MOST_OFF_MM) + lean * k
        angle = float(rng.uniform(0, 360))
        chips.append(ChipItem(color, (float(x), float(y)), z_mm + k * CHIP_MM[1], angle, len(chips), group))
    return chips


def random_pile(rng: np.random.Generator, at_mm: F64, group: str) -> tuple[Pile, list[ChipItem]]:
    """Return what stands at a place: mostly a neat pile, sometimes too many chips, none at all, or chips spread."""
    kind = rng.random()
    if kind < NEAT:
        count = int(rng.choice(MOST_CHIPS + 1, p=COUNT_WEIGHTS / COUNT_WEIGHTS.sum()))
        colors = pile_colors(rng, count)
        return Pile(count, colors), piled(rng, at_mm, colors, group=group)
    if kind < TALL:
        return Pile(UNKNOWN, ()), piled(rng, at_mm, pile_colors(rng, int(rng.integers(*TALL_CHIPS))), group=group)
    if kind < BARE:
        return Pile(UNKNOWN, ()), []
    angle, step = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(*SPREAD_STEP_MM))
    way = np.array([math.cos(angle), math.sin(angle)])
    first = at_mm - way * step * float(rng.uniform(0, 1))
    chips = piled(rng, first, pile_colors(rng, int(rng.integers(1, 3))), group=group)
    beside = np.asarray(chips[0].center_mm) + way * step
    return Pile(UNKNOWN, ()), [*chips, *piled(rng, beside, pile_colors(rng, 1), group=group, z_mm=SPREAD_Z_MM)]


def places(rng: np.random.Generator, px_per_mm: float) -> list[F64]:
    """Return the feet of a scene's piles: a turned grid, some near enough to hide a part of what stands behind."""
    near, far = APART_MM
    step = float(rng.uniform(*near) if rng.random() < CROWDED else rng.uniform(*far))
    reach = SIDE_PX / px_per_mm / 2 - 36.0
    turn = float(rng.uniform(0, 2 * math.pi))
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    grid = [rotation @ (step * np.array([i, k]) + rng.uniform(-3, 3, 2)) for i in range(-4, 5) for k in range(-4, 5)]
    inside = [at for at in grid if np.abs(at).max() <= reach]
    return [inside[int(i)] for i in rng.permutation(len(inside))[:9]]


def foot_guess(rng: np.random.Generator, camera: Camera, at_mm: F64, pile: Pile) -> F64:
    """Where the watcher would take the foot to be: its detector is a little off, and may take a low stack for a chip."""
    away, per_mm = away_from_camera(camera, at_mm)
    across = np.array([-away[1], away[0]])
    along_mm = float(np.clip(rng.normal(0, ALONG_MM[0]), -ALONG_MM[1], ALONG_MM[1]))
    if 2 <= pile.count <= 4 and rng.random() < ON_TOP:
        along_mm += (pile.count - 1) * CHIP_MM[1] * per_mm
    beside_mm = float(np.clip(rng.normal(0, BESIDE_MM[0]), -BESIDE_MM[1], BESIDE_MM[1]))
    return np.asarray(at_mm + away * along_mm + across * beside_mm, np.float64)


def drawn(
    rng: np.random.Generator, stock: Stock, view: View, chips: list[ChipItem], chip_set: ChipDesign
) -> tuple[U8, Camera]:
    """Return a worn picture of chips about the origin, and its camera."""
    camera = camera_at(rng, view)
    of_table = bool(rng.random() < 0.5)
    image = stock.table(rng, SIDE_PX, view.px_per_mm) if of_table else ground(rng, SIDE_PX, view.px_per_mm)
    scene = Scene(chips=tuple(chips))
    if not of_table:
        print_under(rng, image, scene, camera, view.px_per_mm)
    light = replace(Light.random(rng), groove=float(rng.uniform(*GROOVES)), side=side_light(rng))
    look = Look(stock.looks[0][0], chip_set, (), light)
    return worn(rng, stock, Renderer(camera, look, image).draw(scene)), camera


def side_light(rng: np.random.Generator) -> float:
    """Share of the light that reaches the sides of a scene's chips."""
    return float(np.exp(rng.uniform(*np.log(SIDE)))) if rng.random() < DARK_SIDES else 1.0


def samples(rng: np.random.Generator, stock: Stock, chip_set: ChipDesign) -> list[tuple[Strip, Pile, float]]:
    """Return strips of one scene, what stands there, and the felt's height in chips above the strip's zero."""
    view = random_view(rng)
    feet = places(rng, view.px_per_mm) or [np.zeros(2)]
    piles = [random_pile(rng, at, f"pile{k}") for k, at in enumerate(feet)]
    picture, camera = drawn(rng, stock, view, [chip for _, chips in piles for chip in chips], chip_set)
    found = []
    for at, (pile, _) in zip(feet, piles, strict=True):
        away, per_mm = away_from_camera(camera, at)
        for _ in range(STRIPS):
            foot = foot_guess(rng, camera, at, pile)
            strip = cut_strip(picture, OtherHeights(camera, float(np.exp(rng.normal(0, HEIGHTS_OFF)))), foot)
            if strip is not None:
                found.append((strip, pile, float((at - foot) @ away / (per_mm * CHIP_MM[1]))))
    return found


def batch(seed: int, first: int, count: int) -> dict[str, npt.NDArray[np.generic]]:
    """Return `count` strips with their truth as arrays."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, first, 6))
    stock = Stock(rng, "train", decks=1, faces=1, hands=0, tables=1)
    sets = [ChipDesign.random(rng) for _ in range(SETS)]
    kept: list[tuple[Strip, Pile, float]] = []
    while len(kept) < count:
        kept += samples(rng, stock, sets[int(rng.integers(SETS))])
    kept = kept[:count]
    colors = np.full((count, MOST_CHIPS), -1, np.int64)
    for i, (_, pile, _) in enumerate(kept):
        colors[i, : pile.count] = [COLOR_NAMES.index(c) for c in pile.colors]
    return {
        "images": np.stack([strip.image for strip, _, _ in kept]),
        "side_px": np.array([strip.side_px for strip, _, _ in kept], np.float32),
        "counts": np.array([pile.count for _, pile, _ in kept], np.int64),
        "colors": colors,
        "felt": np.array([felt for _, _, felt in kept], np.float32),
    }


def write(out: Path, count: int, seed: int, processes: int) -> None:
    """Write `count` strips to `out` (npz)."""
    out.parent.mkdir(parents=True, exist_ok=True)
    jobs = [(seed, start, min(BATCH, count - start)) for start in range(0, count, BATCH)]
    parts = list(each_drawn(processes, batch, jobs))
    arrays: dict[str, Any] = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    np.savez(out, **arrays)


def main() -> None:
    """Read the command line and write the strips."""
    parser = argparse.ArgumentParser(description="Write training strips of the stack reader.")
    parser.add_argument("--out", type=Path, required=True, help="file to write, .npz")
    parser.add_argument("--count", type=int, default=40000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    write(args.out, args.count, args.seed, args.processes)


if __name__ == "__main__":
    main()
