"""Trains the chip reader: `python -m models.train.chips --data FILE.npz --val FILE.npz --out DIR [--epochs N] [--seed N]`.

Needs the `train` extra (torch, onnx). The crops come from `python -m datasets.crops.chips`. Half of the validation crops
calibrate temperature and threshold (those of usual colours), the other half is scored. A checkpoint is written after every pass; `--resume` goes
on from it, `--score FILE.onnx` only measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.chip_reader import CHIP_CROP_PX, CLASS_NAMES, COLOR_NAMES, OTHER, ChipReader
from models.train import command
from models.train.command import Training
from models.train.passes import in_passes
from models.train.precision import autocast
from models.train.warm import take_up

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
BATCH = 128
"""Crops a step unless told otherwise."""
MOST_SHIFT_PX = 2
"""Crops are shifted by up to this in training, on top of the scatter they were cut with."""
GOAL_WRONG = 0.001
"""Share of wrong among answered that the threshold aims at, on the calibration half."""


def build(outputs: int = len(CLASS_NAMES), dropout: float = 0.2) -> Any:
    """The network: (n, 3, 32, 32) float BGR 0..255 to (n, outputs), the chip reader's logits unless told otherwise."""
    from torch import nn

    from models.train.reader import Block, Scale

    def down(a: int, b: int) -> list[Any]:
        conv = nn.Conv2d(a, b, 3, stride=2, padding=1, bias=False)
        return [conv, nn.BatchNorm2d(b), nn.ReLU(inplace=True)]

    return nn.Sequential(
        Scale(), *down(3, 32), Block(32), *down(32, 64), Block(64), *down(64, 96), Block(96),
        nn.Flatten(), nn.Dropout(dropout), nn.Linear(96 * 16, outputs),
    )  # fmt: skip


def load(*paths: Path) -> tuple[U8, I64]:
    """Crops and classes of files. Raises SystemExit where one is not there."""
    parts = []
    for path in paths:
        if not path.is_file():
            raise SystemExit(f"{path}: not there; write it with `python -m datasets.crops.chips --out {path}`")
        parts.append(np.load(path))
    return np.concatenate([part["images"] for part in parts]), np.concatenate([part["labels"] for part in parts])


def train(run: Training) -> Path:
    """Train in batches of `BATCH` unless told otherwise and write `run.out`/chips.onnx; returns its path."""
    import torch
    from torch.nn import functional as fn

    from models.train.reader import write_onnx

    run.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(run.seed)
    images, labels = load(*run.data)
    net = build()
    if run.weights is not None:
        take_up(net, run.weights, tensor(images[:512]))

    def loss_of(at: I64, rng: np.random.Generator) -> Any:
        with autocast(run.device):
            logits = net(tensor(varied_crops(images[at], rng)).to(run.device))
        truth = torch.from_numpy(labels[at]).to(run.device)
        return fn.cross_entropy(logits.float(), truth, label_smoothing=0.02)

    in_passes(net, run, len(labels), run.batch or BATCH, loss_of)
    example = torch.zeros(2, 3, CHIP_CROP_PX, CHIP_CROP_PX)
    path = write_onnx(net, run.out / "chips.onnx", 1.0, 0.99, example=example, name="chips")
    calibrate(path, run.val)
    return path


def calibrate(onnx: Path, val: Sequence[Path]) -> None:
    """Store temperature and threshold told by half of the validation crops in a model.

    Chips of colours without a name are left out: houses choose theirs from the others.
    """
    from models.train.reader import calibrate_on, tell

    crops, truth = load(*val)
    half = (np.arange(len(truth)) % 2 == 0) & (truth != OTHER)
    votes = ChipReader(onnx).logits(crops[half])
    temperature, threshold = calibrate_on(votes, truth[half], last_said=len(COLOR_NAMES) - 1, goal=GOAL_WRONG)
    tell(onnx, temperature=temperature, threshold=threshold)


def varied_crops(images: U8, rng: np.random.Generator) -> U8:
    """A batch turned by quarters, mirrored, shifted, and its light changed a little."""
    images = np.rot90(images, int(rng.integers(4)), axes=(1, 2))
    right, down = rng.integers(0, 2 * MOST_SHIFT_PX + 1, 2)
    edge = ((0, 0), (MOST_SHIFT_PX, MOST_SHIFT_PX), (MOST_SHIFT_PX, MOST_SHIFT_PX), (0, 0))
    images = np.pad(images, edge, mode="edge")[:, down : down + CHIP_CROP_PX, right : right + CHIP_CROP_PX]
    if rng.random() < 0.5:
        images = images[:, :, ::-1]
    tint = np.exp(rng.normal(0, 0.05, (len(images), 1, 1, 3)) + rng.normal(0, 0.1, (len(images), 1, 1, 1)))
    varied = np.clip(images * tint, 0, 255).astype(np.uint8)
    for index in np.flatnonzero(rng.random(len(varied)) < 0.4):
        varied[index] = _coarse_color(varied[index], float(rng.uniform(0.5, 2.0)))
    return varied


def _coarse_color(image: U8, sigma_px: float) -> U8:
    """A crop whose colour is coarser than its light, as video coders leave it."""
    parts = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2YCrCb)
    parts[..., 1:] = cv2.GaussianBlur(parts[..., 1:], (0, 0), sigma_px)
    return np.asarray(cv2.cvtColor(parts, cv2.COLOR_YCrCb2BGR), np.uint8)


def tensor(images: U8) -> Any:
    """Pictures (n, h, w, 3) as a float tensor (n, 3, h, w)."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2).float()


def score(onnx: Path, val: Sequence[Path]) -> dict[str, Any]:
    """Answered and right of answered, by colour, on the scored half of the validation crops."""
    reader = ChipReader(onnx)
    images, labels = load(*val)
    half = np.arange(len(labels)) % 2 == 1
    readings, truth = reader(images[half]), labels[half]
    result: dict[str, Any] = {"crops": int(half.sum()), "threshold": round(reader.threshold, 4)}
    for k, name in enumerate(CLASS_NAMES):
        mine = [r for r, label in zip(readings, truth, strict=True) if label == k]
        said = [r.color for r in mine if r.color is not None]
        if name not in COLOR_NAMES:
            result[name] = {"crops": len(mine), "named_a_color": len(said)}
        else:
            result[name] = {"crops": len(mine), "answered": len(said), "right": sum(c == name for c in said)}
    return result


def main() -> None:
    """Command line."""
    command.run(__doc__, 14, train, calibrate, score)


if __name__ == "__main__":
    main()
