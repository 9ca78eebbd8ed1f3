"""How well chips are counted: `python -m datasets.score.stacks [--count N] [--seed S] [--worst DIR] [--weights ONNX] [--single-pictures] [--stills DIR]`, part of `make eval`.

Each scene is one wager as a camera over a table sees it in one frame, drawn with a chip set of its own that no network was trained
on, worn as the training pictures are, and looked at as the watcher looks: detector, chip reader, stack reader. An answer is a
number of chips of every colour; it is right when it is the wager's. Grey pictures are left out. `--single-pictures` answers with the thresholds of
`pitwatch see`, of which nobody is accused, though its camera is known here and heights are not tried otherwise; `--stills` scores ray-traced stills with their cameras so (`NN.jpg` with `NN.json`).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from calibration.camera import Camera
from datasets.crops.detector_scenes import Stock
from datasets.crops.stacks import View, drawn, pile_colors, piled
from datasets.draw.chips import ChipDesign
from datasets.scene import CHIP_MM, ChipItem
from datasets.score.intervals import Share
from models.chip_reader import ChipReader
from models.detector import Detector
from models.reader import Reader
from models.stack_reader import MOST_CHIPS, StackReader
from vision.frames.rectify import AreaView
from vision.looks.look import Look, Looker
from vision.looks.stacks import away_from_camera, foot_of

U8 = npt.NDArray[np.uint8]
DEFAULT_COUNT, DEFAULT_SEED = 150, 2026
AREA_MM = 48.0
"""Half the side of the betting area."""
_AREA = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * AREA_MM
SCALES = (1.2, 2.0)
"""Pixels per millimetre."""
SPREAD_MM = (20.5, 30.0)
"""Step of a spread row: from each top half seen to nearly side by side."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table: what lies there, and under which angles it is seen.

    Attributes:
        name: of the row.
        tilt_deg: least and greatest angle between the view and straight down.
        chips: draws what lies about the origin.
    """

    name: str
    tilt_deg: tuple[float, float]
    chips: Callable[[np.random.Generator], list[ChipItem]]


@dataclass(frozen=True, slots=True)
class Result:
    """One wager: what lay there, what was said (None: nothing), and the view."""

    kind: str
    truth: Counter[str]
    told: Counter[str] | None
    view: View


def stack(rng: np.random.Generator) -> list[ChipItem]:
    """Two to ten chips on one another."""
    return piled(rng, np.zeros(2), pile_colors(rng, int(rng.integers(2, MOST_CHIPS + 1))), group="stack")


def single(rng: np.random.Generator) -> list[ChipItem]:
    """One chip."""
    return piled(rng, np.zeros(2), pile_colors(rng, 1), group="one")


def spread(rng: np.random.Generator) -> list[ChipItem]:
    """Two to four chips in a row, each on the edge of the one before."""
    count, step = int(rng.integers(2, 5)), float(rng.uniform(*SPREAD_MM))
    turn = float(rng.uniform(0, 2 * math.pi))
    way = np.array([math.cos(turn), math.sin(turn)])
    chips: list[ChipItem] = []
    for k, color in enumerate(pile_colors(rng, count)):
        at = way * step * (k - (count - 1) / 2) + rng.normal(0, 0.7, 2)
        chips += piled(rng, at, (color,), group=f"{k}", z_mm=0.0 if k == 0 else CHIP_MM[1] / 2 + 0.01 * k)
    return chips


KINDS = (
    Kind("stacks of 2 to 10, 20 to 30 degrees", (20.0, 30.0), stack),
    Kind("stacks of 2 to 10, 30 to 45 degrees", (30.0, 45.0), stack),
    Kind("stacks of 2 to 10, 6 to 20 degrees", (6.0, 20.0), stack),
    Kind("stacks of 2 to 10, straight above (0 to 6 degrees)", (0.0, 6.0), stack),
    Kind("one chip, 20 to 45 degrees", (20.0, 45.0), single),
    Kind("one chip, 6 to 20 degrees", (6.0, 20.0), single),
    Kind("one chip, straight above (0 to 6 degrees)", (0.0, 6.0), single),
    Kind("spread of 2 to 4, 0 to 30 degrees", (0.0, 30.0), spread),
)


def told(look: Look) -> Counter[str] | None:
    """Chips by colour as a look tells them, None where it leaves any of it open."""
    piles = [chip.chips for chip in look.chips]
    names = [name for pile in piles if pile is not None for name in pile]
    if not piles or any(pile is None for pile in piles) or any(name is None for name in names):
        return None
    return Counter(str(name) for name in names)


def results(
    kinds: Sequence[Kind],
    count: int,
    seed: int,
    *,
    weights: Path | None = None,
    worst: Path | None = None,
    single_pictures: bool = False,
) -> Iterator[Result]:
    """Draw and look at `count` wagers of each kind; pictures of wrong answers go to `worst`.

    `weights` are the stack reader's, those of the project if None; `single_pictures` as of `models.stack_reader.StackReader`.
    """
    cv2.setNumThreads(1)
    detector, reader, chip_reader = Detector(), Reader(), ChipReader()
    stack_reader = StackReader(weights, single_pictures=single_pictures)
    stock = Stock(np.random.default_rng((seed, 8)), "val", decks=1, faces=1, hands=0, tables=1)
    for number, kind in enumerate(kinds):
        done = 0
        rng = np.random.default_rng((seed, number, 9))
        while done < count:
            view = View(float(rng.uniform(*kind.tilt_deg)), float(rng.uniform(*SCALES)))
            chips = kind.chips(rng)
            picture, camera = drawn(rng, stock, view, chips, ChipDesign.random(rng))
            if np.array_equal(picture[..., 0], picture[..., 2]):
                continue
            done += 1
            looker = Looker(camera, detector, reader, chip_reader, stack_reader=stack_reader)
            said = told(_look(looker, picture, camera))
            truth = Counter(chip.color for chip in chips)
            if worst is not None and said is not None and said != truth:
                keep(worst / f"{number}_{done:04d}.png", picture, f"{dict(truth)} taken for {dict(said)}")
            yield Result(kind.name, truth, said, view)


def _look(looker: Looker, picture: U8, camera: Camera) -> Look:
    return looker.look(picture, wager_view(camera), _AREA, turned=True)


def wager_view(camera: Camera) -> AreaView:
    """The betting area about the origin and what stands out of it, as the watcher looks at it."""
    return AreaView.around(_AREA, camera, margin_mm=35.0)


def keep(path: Path, picture: U8, words: str) -> None:
    """Write a picture twice as large, with words in its corner. Raises OSError where that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    cv2.putText(image, words, (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 255, 255), 1, cv2.LINE_AA)
    if not cv2.imwrite(str(path), image):
        raise OSError(f"{path}: cannot write; is the disk full or the folder read-only?")


VALUES = {1: "white", 5: "red", 25: "green", 100: "black", 500: "purple", 1000: "orange"}
"""The chip set of the ray-traced stills, dollars."""
FOUND_MM, SEEN = 25.0, 0.5
"""A group counts as found where a chip or stack is seen this near; groups seen less are left out."""


def still_results(folder: Path, weights: Path | None = None) -> Iterator[Result]:
    """Look at every single chip and stack of ray-traced stills, each by itself; `weights` as for `results`.

    Raises FileNotFoundError where there are none.
    """
    paths = sorted(path for path in folder.glob("*.json") if path.with_suffix(".jpg").is_file())
    if not paths:
        raise FileNotFoundError(f"{folder}: no stills (NN.jpg with NN.json) are there; name the folder that has them")
    detector, reader, chip_reader = Detector(), Reader(), ChipReader()
    stack_reader = StackReader(weights, single_pictures=True)
    for path in paths:
        truth = json.loads(path.read_text())
        picture = np.asarray(cv2.imread(str(path.with_suffix(".jpg"))), np.uint8)
        camera = _camera(truth)
        looker = Looker(camera, detector, reader, chip_reader, stack_reader=stack_reader)
        for group in truth["chip_groups"]:
            if group["kind"] not in ("stack", "single") or group["visible_fraction"] < SEEN:
                continue
            foot = np.asarray(group["base_center_mm"][:2])
            tilt = math.degrees(math.atan(away_from_camera(camera, foot)[1]))
            low = next(low for low in (20, 6, 0) if tilt >= low)
            name = f"{group['kind']}, {({20: '20 degrees and more', 6: '6 to 20 degrees', 0: '0 to 6 degrees'})[low]}"
            lies = Counter(VALUES[value] for value in group["denominations"])
            yield Result(
                name, lies, _told_at(looker, picture, camera, foot), View(tilt, camera.px_per_mm_at(foot.tolist()))
            )


def _camera(truth: Mapping[str, Any]) -> Camera:
    seen = truth["camera"]
    distortion = np.resize(np.asarray(seen["dist"], np.float64), 5)
    return Camera(
        np.asarray(seen["K"], np.float64), distortion, np.asarray(seen["R_cam_from_table"], np.float64),
        np.asarray(seen["t_cam_from_table_mm"], np.float64), (int(truth["width"]), int(truth["height"])),
    )  # fmt: skip


def _told_at(looker: Looker, picture: U8, camera: Camera, foot_mm: npt.NDArray[np.float64]) -> Counter[str] | None:
    """What is told of the one thing that stands at a place."""
    polygon = foot_mm + _AREA
    look = looker.look(picture, AreaView.around(polygon, camera), polygon, turned=True)
    near = [
        (float(np.hypot(*(foot_of(camera, np.tile(chip.center_mm, (4, 1)), stack=False) - foot_mm))), i)
        for i, chip in enumerate(look.chips)
    ]
    distance, index = min(near, default=(math.inf, -1))
    if distance > FOUND_MM:
        return None
    return told(replace(look, chips=(look.chips[index],)))


def shares(found: Sequence[Result]) -> dict[str, tuple[Share, Share, Share]]:
    """By kind: answered of all, exact of answered, and given a wrong number of all."""
    out = {}
    for name in dict.fromkeys(result.kind for result in found):
        mine = [result for result in found if result.kind == name]
        answered = [result for result in mine if result.told is not None]
        right = sum(result.told == result.truth for result in answered)
        wrong = sum(result.told.total() != result.truth.total() for result in answered if result.told is not None)
        out[name] = Share(len(answered), len(mine)), Share(right, len(answered)), Share(wrong, len(mine))
    return out


def print_shares(found: Sequence[Result], console: Console) -> None:
    """One table, a row for each kind."""
    table = Table("wagers", "answered", "exact of answered", "given a wrong number, of all", title="chips counted")
    for name, row in shares(found).items():
        table.add_row(name, *(str(share) for share in row))
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--count", type=int, default=DEFAULT_COUNT, help=f"wagers of each kind (default {DEFAULT_COUNT})"
    )
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--worst", type=Path, help="folder for pictures of wrong answers")
    parser.add_argument("--weights", type=Path, help="the stack reader's weights (default: the project's)")
    parser.add_argument(
        "--single-pictures", action="store_true", help="answer as of pictures of which nobody is accused"
    )
    parser.add_argument("--stills", type=Path, help="folder of ray-traced stills to score instead")
    given = parser.parse_args(arguments)
    if given.stills:
        found = still_results(given.stills, given.weights)
    else:
        found = results(
            KINDS,
            given.count,
            given.seed,
            weights=given.weights,
            worst=given.worst,
            single_pictures=given.single_pictures,
        )
    print_shares(sorted(found, key=lambda result: result.kind) if given.stills else list(found), Console(width=150))
    return 0


if __name__ == "__main__":
    sys.exit(main())
