"""Stacks that look like a spread: `python -m datasets.score.spreads [--count N] [--seed S] [--worst DIR]`.

Two stacks stand behind one another so that the upper face of the nearer one overlaps the other's. The true places of both faces
are handed to `vision.looks.spreads` as if the detector had found two single chips; whoever takes them for a spread would count two chips. Counted
are pictures in which heights explain the overlap, so that the felt is asked about.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets.crops.detector_scenes import Stock
from datasets.crops.stacks import View, camera_at, drawn, pile_colors, piled
from datasets.draw.chips import ChipDesign
from datasets.score.intervals import Share
from datasets.score.stacks import SCALES, keep, wager_view
from vision.looks.spreads import OVERLAP_MM, Felt, spread_out
from vision.looks.stacks import away_from_camera, top_of

TILT_DEG = (8.0, 40.0)
"""Angle between the view and straight down."""
APART_MM = (39.5, 46.0)
"""Between the middles of two stacks: side by side."""
NEARER, LEAST_SEEN_MM = (3, 13), 12.0
"""Chips of the nearer stack, and how far apart two faces are at least."""


def taken(count: int, seed: int, worst: Path | None = None) -> Iterator[bool]:
    """For each of `count` pairs of stacks whether they are taken for a spread; pictures of those go to `worst`."""
    cv2.setNumThreads(1)
    stock = Stock(np.random.default_rng((seed, 8)), "val", decks=1, faces=1, hands=0, tables=1)
    done, number = 0, 0
    while done < count:
        number += 1
        rng = np.random.default_rng((seed, number))
        view = View(float(rng.uniform(*TILT_DEG)), float(rng.uniform(*SCALES)))
        camera = camera_at(np.random.default_rng((seed, number, 1)), view)
        feet, chips = _feet(rng, away_from_camera(camera, np.zeros(2))[0]), _heights(rng)
        faces = [top_of(camera, foot, height) for foot, height in zip(feet, chips, strict=True)]
        centers = [(float(x), float(y)) for x, y in faces]
        apart = float(np.hypot(*(faces[1] - faces[0])))
        if not LEAST_SEEN_MM <= apart < OVERLAP_MM or any(spread_out(camera, centers, [True, True])):
            continue
        piles = [
            piled(rng, foot, _colors(rng, height), group=f"{k}")
            for k, (foot, height) in enumerate(zip(feet, chips, strict=True))
        ]
        scene = [chip for pile in piles for chip in pile]
        picture, _ = drawn(np.random.default_rng((seed, number, 1)), stock, view, scene, ChipDesign.random(rng))
        area = wager_view(camera)
        told = any(spread_out(camera, centers, [True, True], partial(Felt, area.cut(picture), area, centers)))
        done += 1
        if told and worst is not None:
            keep(worst / f"{number:05d}.png", picture, "{} before {} chips".format(*chips))
        yield told


def _feet(rng: np.random.Generator, away: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64]]:
    """Middles (2,) of the nearer and the farther stack on the felt, behind one another but for some 20 degrees."""
    gap, angle = float(rng.uniform(*APART_MM)), float(rng.normal(0, 0.35))
    cos, sin = np.cos(angle), np.sin(angle)
    way = np.array([[cos, -sin], [sin, cos]]) @ away
    return [np.asarray(-way * gap / 2), np.asarray(way * gap / 2)]


def _heights(rng: np.random.Generator) -> tuple[int, int]:
    """Chips of the nearer and of the farther stack."""
    near = int(rng.integers(NEARER[0], NEARER[1] + 1))
    return near, int(rng.integers(1, max(2, near - 1)))


def _colors(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """From the felt up, in half of the piles all alike."""
    return pile_colors(rng, count) if rng.random() < 0.5 else tuple(pile_colors(rng, 1) * count)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many are taken for a spread."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="pairs of stacks (default 300)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worst", type=Path, help="folder for pictures of those taken for a spread")
    given = parser.parse_args(arguments)
    wrong = list(taken(given.count, given.seed, given.worst))
    sys.stdout.write(f"pairs of stacks taken for a spread: {Share(sum(wrong), len(wrong))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
