"""Trains the chip matcher: `python -m models.train.chip_matcher --data FILE.npz --val FILE.npz --out DIR [--epochs N] [--seed N]`.

Needs the `train` extra (torch, onnx). The crops come from `python -m datasets.crops.house_chips`. Every step takes some houses, learns
their chips from the crops laid out, some of them left out so that there are strangers, and names crops of their tables. Half of the
validation houses calibrate temperature and threshold, the others are scored. A checkpoint is written after every pass; `--resume`
goes on from it, `--score FILE.onnx` only measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from models.chip_matcher import POINT_SIZE, ChipMatcher
from models.chip_reader import CHIP_CROP_PX
from models.train import command
from models.train.chips import build as trunk
from models.train.chips import tensor, varied_crops
from models.train.command import Training
from models.train.passes import in_passes
from models.train.precision import autocast
from models.train.warm import take_up_convolutions

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
HOUSES, QUERIES = 16, 24
"""Houses of a step, and crops of the table of each."""
MOST_STRANGERS = 3
"""Of a house's chips at most so many are left out, as strangers."""
GOAL_WRONG = 0.0005
"""Share of wrong among answered that the threshold aims at, on the calibration half."""
NONE = -1
"""Number of a crop's chip where none is seen."""


class House:
    """Crops of one house: `laid_out` by chip, `images` and `chips` of its table."""

    def __init__(self, images: U8, chips: I64, laid_out: npt.NDArray[np.bool_]) -> None:
        self.laid_out = {int(c): images[laid_out & (chips == c)] for c in np.unique(chips[laid_out]) if c != NONE}
        self.images, self.chips = images[~laid_out], chips[~laid_out]


def load(*paths: Path) -> list[House]:
    """Houses of files. Raises SystemExit where one is not there."""
    houses = []
    for path in paths:
        if not path.is_file():
            raise SystemExit(f"{path}: not there; write it with `python -m datasets.crops.house_chips --out {path}`")
        with np.load(path) as file:
            images, of, chips, laid_out = (file[name] for name in ("images", "houses", "chips", "laid_out"))
        for number in np.unique(of):
            one = House(images[of == number], chips[of == number], laid_out[of == number])
            if len(one.laid_out) >= 3 and len(one.images) >= QUERIES:
                houses.append(one)
    return houses


def build() -> Any:
    """The network: (n, 3, 32, 32) float BGR 0..255 to points (n, 64), with the scale of likenesses and a stranger's likeness."""
    import torch
    from torch import nn

    network = nn.Module()
    network.points = trunk(POINT_SIZE, dropout=0.1)
    network.scale = nn.Parameter(torch.tensor(2.5))
    network.stranger = nn.Parameter(torch.tensor(0.5))
    return network


def train(run: Training) -> Path:
    """Train and write `run.out`/chip_matcher.onnx; returns its path. `run.weights`, a chip reader's or a matcher's, gives the convolutions."""
    import torch
    from torch.nn import functional as fn

    from models.train.reader import write_onnx

    run.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(run.seed)
    houses = load(*run.data)
    network = build()
    if run.weights is not None:
        take_up_convolutions(network.points, run.weights, tensor(np.concatenate([h.images[:8] for h in houses[:64]])))

    def loss_of(at: I64, rng: np.random.Generator) -> Any:
        episodes = [_episode(houses[i], rng) for i in at]
        crops = varied_crops(np.concatenate([part for e in episodes for part in (e[0], e[2])]), rng)
        with autocast(run.device):
            points = network.points(tensor(crops).to(run.device))
        points = fn.normalize(points.float(), dim=1)
        losses, start = [], 0
        for faces, of, queries, labels in episodes:
            own, table = (
                points[start : start + len(faces)],
                points[start + len(faces) : start + len(faces) + len(queries)],
            )
            start += len(faces) + len(queries)
            known = int(of.max()) + 1
            mean = torch.stack([own[torch.from_numpy(of == k).to(run.device)].mean(dim=0) for k in range(known)])
            likeness = table @ fn.normalize(mean, dim=1).T
            likeness = torch.cat([likeness, network.stranger.expand(len(queries), 1)], dim=1)
            truth = torch.from_numpy(labels).to(run.device)
            losses.append(fn.cross_entropy(likeness * network.scale.exp(), truth, label_smoothing=0.01))
        return torch.stack(losses).mean()

    in_passes(network, run, len(houses), run.batch or HOUSES, loss_of)
    example = torch.zeros(2, 3, CHIP_CROP_PX, CHIP_CROP_PX)
    path = write_onnx(network.points, run.out / "chip_matcher.onnx", 1.0, 0.99, example=example, name="chips")
    _tell(path, float((-network.scale.detach()).exp()), 0.99, float(network.stranger.detach()))
    calibrate(path, run.val)
    return path


def _episode(house: House, rng: np.random.Generator) -> tuple[U8, I64, U8, I64]:
    """Faces and which chip each is, and crops of the table with their chip's number, the number after the last for strangers."""
    all_chips = rng.permutation(list(house.laid_out))
    known = all_chips[: max(2, len(all_chips) - int(rng.integers(0, MOST_STRANGERS + 1)))]
    faces, of = [], []
    for k, chip in enumerate(known):
        crops = house.laid_out[int(chip)]
        taken = crops[rng.permutation(len(crops))[: int(rng.integers(1, len(crops) + 1))]]
        faces.append(taken)
        of += [k] * len(taken)
    at = rng.permutation(len(house.images))[:QUERIES]
    number = {int(chip): k for k, chip in enumerate(known)}
    labels = np.array([number.get(int(chip), len(known)) for chip in house.chips[at]], np.int64)
    return np.concatenate(faces), np.array(of, np.int64), house.images[at], labels


def _tell(path: Path, temperature: float, threshold: float, stranger: float) -> None:
    from models.train.reader import tell

    tell(path, temperature=temperature, threshold=threshold, stranger=stranger)


def _likenesses(matcher: ChipMatcher, houses: Sequence[House]) -> tuple[npt.NDArray[np.float32], I64, I64]:
    """Likenesses of all crops of tables with their house's faces (n, 7), -1 where there is no such; the right one's number, -1 for none; and the house."""
    rows, truth, of = [], [], []
    for number, house in enumerate(houses):
        chips = list(house.laid_out)
        faces = np.stack([matcher.points(house.laid_out[c][:1])[0] for c in chips])
        likeness = np.full((len(house.images), 7), -1.0, np.float32)
        likeness[:, : len(chips)] = matcher.points(house.images) @ faces.T
        rows.append(likeness)
        place = {chip: k for k, chip in enumerate(chips)}
        truth += [place.get(int(c), NONE) for c in house.chips]
        of += [number] * len(house.images)
    return np.concatenate(rows), np.array(truth), np.array(of)


def calibrate(onnx: Path, val: Sequence[Path]) -> None:
    """Store temperature and threshold told by half of the validation houses in a model; a house's faces are learned from one crop each."""
    from models.train.reader import calibrate_on

    matcher = ChipMatcher(onnx)
    likeness, truth, _ = _likenesses(matcher, load(*val)[::2])
    seen = truth != NONE
    votes = matcher.with_stranger(likeness)[seen] / 0.05
    temperature, threshold = calibrate_on(votes, truth[seen], last_said=6, goal=GOAL_WRONG)
    _tell(onnx, temperature * 0.05, threshold, matcher.stranger)


def score(onnx: Path, val: Sequence[Path]) -> dict[str, Any]:
    """Answered and right of answered on the scored half of the validation houses: chips known, strangers (each left out once), no chip."""
    matcher = ChipMatcher(onnx)
    likeness, truth, of = _likenesses(matcher, load(*val)[1::2])

    def said(likeness: npt.NDArray[np.float32]) -> I64:
        shares = matcher.shares_of(likeness)
        best, sure = shares.argmax(axis=1), shares.max(axis=1) >= matcher.threshold
        return np.where(sure & (best < likeness.shape[1]), best, NONE)

    seen = truth != NONE
    answers = said(likeness)
    without = likeness.copy()
    without[np.flatnonzero(seen), truth[seen]] = -1.0
    return {
        "houses": len(np.unique(of)),
        "temperature": round(matcher.temperature, 4),
        "threshold": round(matcher.threshold, 4),
        "known": {
            "crops": int(seen.sum()),
            "answered": int((answers[seen] != NONE).sum()),
            "right": int((answers == truth)[seen].sum()),
        },
        "strangers": {"crops": int(seen.sum()), "named": int((said(without)[seen] != NONE).sum())},
        "none": {"crops": int((~seen).sum()), "named": int((answers[~seen] != NONE).sum())},
    }


def main() -> None:
    """Command line."""
    command.run(__doc__, 40, train, calibrate, score)


if __name__ == "__main__":
    main()
