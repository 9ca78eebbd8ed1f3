"""Writes training crops of the chip matcher: `python -m datasets.crops.house_chips --out FILE.npz --sets N --seed S`.

Of every house's chip set one picture with a chip of each colour laid out, from which the house is learned, and scenes as on its table:
chips singly, spread, in stacks, under cards and hands. Half of the houses keep their light and camera from the one to the others. Colours are the usual ones, other makers' shades, and any at all.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from datasets.crops.chips import faces_of
from datasets.crops.detector import drawn_scene
from datasets.crops.detector_scenes import Stock, group_of_chips, random_scene
from datasets.crops.pool import each_drawn
from datasets.draw.chips import ChipDesign
from datasets.render.look import Look
from datasets.render.sensor import SensorLook
from datasets.scene import ChipItem, Scene
from models.chip_reader import COLOR_NAMES, NONE

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
BATCH = 48
"""Houses that share decks, hands and tables."""
CROPS = 36
"""Crops of each house's table."""
KEEPS_LIGHT = 0.5
"""Share of the houses whose table is filmed in the light of the picture learned from."""
FREE_SHARE = 0.35
"""Share of the chips of a set that have any colour at all."""
LEAST_APART_LAB = 18.0
"""Distance of the colours of a set's chips (CIE Lab, 1976); nearer ones a house would not tell apart either."""
STEP_MM = 62.0
"""From chip to chip where they are laid out."""
TURNS = 4
"""Crops of each chip laid out, each turned and a little off."""


class Crops(NamedTuple):
    """Crops of houses' chips.

    Attributes:
        images: (n, 32, 32, 3) BGR, as `models.chip_reader.rectify_chip` cuts them.
        houses: (n,) which house.
        chips: (n,) which chip of it, 0..6; -1 where no chip's face is seen.
        laid_out: (n,) it is of the picture to learn from.
    """

    images: U8
    houses: I64
    chips: I64
    laid_out: npt.NDArray[np.bool_]


def any_set(rng: np.random.Generator) -> ChipDesign:
    """A chip set of which some chips have any colour, none of them nearly another's."""
    design = ChipDesign.random(rng)
    bases = dict(design.bases)
    for name in bases:
        if rng.random() < FREE_SHARE:
            others = np.stack([_lab(bgr) for other, bgr in bases.items() if other != name])
            for _ in range(50):
                hsv = np.array(
                    [[[rng.integers(180), int(255 * rng.uniform(0, 1) ** 0.7), rng.integers(30, 250)]]], np.uint8
                )
                drawn = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]
                bgr = (int(drawn[0]), int(drawn[1]), int(drawn[2]))
                if float(np.linalg.norm(others - _lab(bgr), axis=1).min()) >= LEAST_APART_LAB:
                    bases[name] = bgr
                    break
    return replace(design, bases=tuple(bases.items()), _kept={})


def _lab(bgr: tuple[int, int, int]) -> npt.NDArray[np.float32]:
    one = np.asarray([[bgr]], np.float32) / np.float32(255)
    return np.asarray(cv2.cvtColor(one, cv2.COLOR_BGR2Lab)[0, 0], np.float32)


def house(rng: np.random.Generator, stock: Stock) -> tuple[list[U8], list[int], list[bool]]:
    """Crops of one house, which chip each shows, and whether it was laid out; `stock` has no look but the house's."""
    keeps = bool(rng.random() < KEEPS_LIGHT)
    own = SensorLook.random(rng, hard=float(rng.uniform(0.2, 0.8)))

    def light(hard: float) -> SensorLook:
        any_light = SensorLook.random(rng, hard)
        if not keeps:
            return any_light
        return replace(
            any_light,
            warmth=own.warmth + float(rng.normal(0, 0.03)),
            gain=own.gain * float(np.exp(rng.normal(0, 0.06))),
            gamma=own.gamma,
        )

    images: list[U8] = []
    chips: list[int] = []
    laid_out: list[bool] = []

    def take(crops: list[tuple[U8, int]], is_laid_out: bool) -> None:
        for image, label in crops:
            images.append(image)
            chips.append(-1 if label == NONE else label)
            laid_out.append(is_laid_out)

    sample = light(0.35)
    colors = [str(c) for c in rng.permutation(list(COLOR_NAMES))]
    drawn = drawn_scene(rng, stock, scene_of=lambda _: _laid_out(rng, colors), light=sample)
    for _ in range(TURNS):
        take([one for one in faces_of(rng, *drawn) if one[1] != NONE], True)
    before = len(images)
    names = stock.looks[0][0].names
    while images and len(images) - before < CROPS:
        drawn = drawn_scene(
            rng, stock, scene_of=lambda reach: _wagers(rng, names, reach), light=light(float(rng.uniform(0.2, 1.0)))
        )
        take(faces_of(rng, *drawn), False)
    return images[: before + CROPS], chips[: before + CROPS], laid_out[: before + CROPS]


def _laid_out(rng: np.random.Generator, colors: list[str]) -> Scene:
    """A chip of each colour in rows of three, singly."""
    chips = []
    for i, color in enumerate(colors):
        row, column = divmod(i, 3)
        at = (STEP_MM * np.array([column - 1, row - 1])) + rng.normal(0, 2, 2)
        chips.append(
            ChipItem(color, (float(at[0]), float(at[1])), 0.0, float(rng.uniform(0, 360)), 1000 + i, f"laid{i}")
        )
    return Scene(chips=tuple(chips))


def _wagers(rng: np.random.Generator, names: list[str], reach_mm: float) -> Scene:
    """A random scene with more chips than usual."""
    scene = random_scene(rng, names, reach_mm)
    chips: list[ChipItem] = list(scene.chips)
    for _ in range(int(rng.integers(1, 5))):
        group_of_chips(rng, reach_mm, chips)
    return replace(scene, chips=tuple(chips))


def batch(seed: int, first: int, count: int) -> Crops:
    """Crops of the houses `first` to `first + count`."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, first, 6))
    stock = Stock(rng, "train", decks=4, faces=4, hands=6, tables=1)
    looks = stock.looks
    parts = []
    for number in range(first, first + count):
        cards, look = looks[number % len(looks)]
        look = Look(cards, any_set(rng), look.hands)
        stock.looks = [(cards, look)]
        images, chips, laid_out = house(rng, stock)
        if images:
            houses = np.full(len(images), number, np.int64)
            parts.append(Crops(np.stack(images), houses, np.array(chips, np.int64), np.array(laid_out)))
    return Crops(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def write(out: Path, sets: int, seed: int, processes: int) -> None:
    """Write the crops of so many houses to `out` (npz)."""
    out.parent.mkdir(parents=True, exist_ok=True)
    jobs = [(seed, start, min(BATCH, sets - start)) for start in range(0, sets, BATCH)]
    parts = list(each_drawn(processes, batch, jobs))
    whole = Crops(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    np.savez(out, images=whole.images, houses=whole.houses, chips=whole.chips, laid_out=whole.laid_out)


def main() -> None:
    """Read the command line and write the crops."""
    parser = argparse.ArgumentParser(description="Write training crops of the chip matcher.")
    parser.add_argument("--out", type=Path, required=True, help="file to write, .npz")
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    write(args.out, args.sets, args.seed, args.processes)


if __name__ == "__main__":
    main()
