"""Trains the card reader, calibrates it on held-out decks and writes it as ONNX.

    python -m models.train.reader --out DIR [--deck-dir DIR] [--minutes N] [--seed N] [--resume]
    python -m models.train.reader --out DIR [--deck-dir DIR] --export-only

Needs the `train` extra (torch, onnx). One process or `--makers` of them make crops, this one learns from the latest ones; a checkpoint is
written every two minutes. `--deck-dir` holds decks written by `datasets.crops.reader_decks`; without it only the
project's own drawn designs are used. The crops come from the function named by `--data`.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional as fn

from models.reader import CLASS_NAMES, FINE_PX_PER_MM, JOKER, READER_SIZE
from models.train.by_clock import ByClock
from models.train.checkpoints import CHECKPOINT
from models.train.makers import Makers
from models.train.precision import autocast
from models.train.rings import Ring
from models.train.warm import take_up

Batch = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]
DEFAULT_DATA = "datasets.crops.reader"
"""Module that makes crops: `batches(seed, size, deck_dir)` and `held_out(seed, count, deck_dir)`."""
HELD_OUT_SEED, HELD_OUT_COUNT = 90210, 12000
"""Crops that are scored."""
CALIBRATION_SEEDS, CALIBRATION_COUNT = tuple(range(90211, 90217)), 8000
"""Crops that temperature and thresholds are set on, so many of each seed, each with its own drawn decks: a threshold that five wrong answers
in ten thousand set needs that many."""
GOAL_WRONG = 0.0005
"""Share of wrong among answered that the thresholds aim at, of all cards and of those seen at `FINE_PX_PER_MM` and more by themselves."""
_RING = 40000
_LEAST = 2000
"""Crops with which training begins."""
_FRESH = 64
"""New crops taken in for each step of 128 where rendering keeps pace: every crop is learned from about twice."""


class Block(nn.Module):  # type: ignore[misc,unused-ignore]
    """Two 3 x 3 convolutions beside a short cut."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(n, n, 3, padding=1, bias=False), nn.BatchNorm2d(n), nn.ReLU(inplace=True),
            nn.Conv2d(n, n, 3, padding=1, bias=False), nn.BatchNorm2d(n),
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        """Same shape in and out."""
        return fn.relu(x + self.body(x))


def build() -> Any:
    """The network: (n, 3, 192, 128) float BGR 0..255 to (n, 55) logits; the last grid keeps where things were seen."""

    def down(a: int, b: int, k: int = 3) -> list[Any]:
        conv = nn.Conv2d(a, b, k, stride=2, padding=k // 2, bias=False)
        return [conv, nn.BatchNorm2d(b), nn.ReLU(inplace=True)]

    return nn.Sequential(
        Stem(), Block(32), *down(32, 64), Block(64), Block(64), *down(64, 128), Block(128),
        Block(128), *down(128, 128), nn.Flatten(), nn.Dropout(0.25), nn.Linear(128 * 6 * 4, len(CLASS_NAMES)),
    )  # fmt: skip


class Stem(nn.Module):  # type: ignore[misc,unused-ignore]
    """(n, 3, 4 h, 4 w) BGR 0..255 to (n, 32, h, w): what halved pictures show, and what is lost by halving them, added up."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = Scale()
        self.coarse = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(3, 32, 5, 2, 2, bias=False), nn.BatchNorm2d(32))
        self.fine = nn.Sequential(
            nn.PixelUnshuffle(4), nn.Conv2d(48, 48, 3, 1, 1, bias=False), nn.BatchNorm2d(48), nn.ReLU(inplace=True),
            nn.Conv2d(48, 32, 3, 1, 1, bias=False), nn.BatchNorm2d(32),
        )  # fmt: skip
        nn.init.zeros_(self.fine[-1].weight)

    def forward(self, x: Any) -> Any:
        """See the class."""
        x = self.scale(x)
        return fn.relu(self.coarse(x) + self.fine(x))


class Scale(nn.Module):  # type: ignore[misc,unused-ignore]
    """Brings 0..255 to about -1..1."""

    def forward(self, x: Any) -> Any:
        """Same shape in and out."""
        return x * (1 / 64) - 2.0


def _make(module: str, seed: int, size: int, deck_dir: Path | None, out: Any) -> None:
    import cv2

    cv2.setNumThreads(1)
    source: Callable[[int, int, Path | None], Iterator[Batch]] = importlib.import_module(module).batches
    for batch in source(seed, size, deck_dir):
        out.put(batch)


def drawn_from(ring: Ring, rng: np.random.Generator, size: int) -> tuple[Any, Any]:
    """A random batch of a ring of crops for the network, (size, 3, 192, 128) floats and (size,) labels; every second crop turned by half."""
    crops = ring.at(torch.from_numpy(rng.integers(0, ring.filled, size)))
    images = crops["images"].permute(0, 3, 1, 2)
    images[::2] = images[::2].flip(2, 3)
    return images.float(), crops["labels"]


def varied(images: Any) -> Any:
    """Crops (n, 3, h, w) as if cut a little otherwise, in other light and noise: for those that are learned from more than a few times."""
    n, device = len(images), images.device
    turn = 0.015 * torch.randn(n, device=device)
    way = torch.zeros(n, 2, 3, device=device)
    zoom = 1 + 0.02 * torch.randn(n, 2, device=device)
    way[:, 0, 0], way[:, 1, 1] = zoom[:, 0], zoom[:, 1]
    way[:, 0, 1], way[:, 1, 0] = turn * READER_SIZE[1] / READER_SIZE[0], -turn * READER_SIZE[0] / READER_SIZE[1]
    way[:, :, 2] = 0.02 * torch.randn(n, 2, device=device)
    grid = fn.affine_grid(way, list(images.shape), align_corners=False)
    moved = fn.grid_sample(images, grid, padding_mode="border", align_corners=False)
    light = (0.05 * torch.randn(n, 3, 1, 1, device=device) + 0.12 * torch.randn(n, 1, 1, 1, device=device)).exp()
    noise = 4 * torch.randn(n, 1, 1, 1, device=device).relu() * torch.randn_like(moved)
    return (moved * light + noise).clamp(0, 255)


def _tensor(images: npt.NDArray[np.uint8]) -> Any:
    return torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2).float()


def train(
    out: Path,
    module: str,
    deck_dir: Path | None,
    minutes: float,
    seed: int,
    resume: bool,
    batch_size: int = 128,
    weights: Path | None = None,
    rate: float = 3e-3,
    device: str = "cpu",
    makers: int = 1,
) -> None:
    """Train for `minutes` of wall clock, from `weights` (ONNX) if given, and leave `out`/checkpoint.pt.

    On an accelerator each crop is learned from many times, `varied` each time.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    net = build().to(memory_format=torch.channels_last)
    if weights is not None:
        source: Callable[[int, int, Path | None], Iterator[Batch]] = importlib.import_module(module).batches
        take_up(net, weights, _tensor(next(source(seed, 512, deck_dir))[0]))
    run = ByClock(net.to(device), out, minutes=minutes, rate=rate, warmup=150, last_share=0.01, resume=resume)
    ring = Ring(_RING * makers, device)
    made = Makers(
        _make,
        [(module, seed + 1000 * run.step + k, _FRESH, deck_dir) for k in range(makers)],
        lambda batch: ring.add({"images": torch.from_numpy(batch[0]), "labels": torch.from_numpy(batch[1])}),
        most=12,
    )
    try:
        while ring.filled < _LEAST:
            made.take(wait=True)
        first = made.count
        right_mean = torch.zeros((), device=device)
        for spent in run.steps():
            made.take()
            images, labels = drawn_from(ring, rng, batch_size)
            if device != "cpu":
                images = varied(images)
            with autocast(device):
                logits = net(images.contiguous(memory_format=torch.channels_last))
            run.learn(fn.cross_entropy(logits.float(), labels, label_smoothing=0.02))
            right_mean = right_mean + 0.02 * ((logits.argmax(1) == labels).float().mean() - right_mean)
            if run.step % 50 == 0:
                print(
                    f"step {run.step} at {spent:.1f} min: loss {float(run.loss):.3f}, right {float(right_mean):.3f}, "
                    f"new crops {(made.count - first) * _FRESH}",
                    flush=True,
                )
    finally:
        made.stop()


def votes(net: Any, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Logits (n, 55) averaged over both half turns, as `models.reader.Reader.logits` gives them."""
    net.eval()
    parts = []
    with torch.no_grad():
        for i in range(0, len(images), 256):
            part = images[i : i + 256]
            parts.append((net(_tensor(part)) + net(_tensor(part[:, ::-1, ::-1]))).numpy() / 2)
    return np.concatenate(parts).astype(np.float32)


def calibrate(logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Temperature and threshold of the card reader, see `calibrate_on`."""
    return calibrate_on(logits, labels, last_said=JOKER, goal=GOAL_WRONG)


def calibrate_on(
    logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64], *, last_said: int, goal: float
) -> tuple[float, float]:
    """Temperature of least surprise, and the lowest threshold whose answers are wrong at most `goal` of the time.

    Classes up to `last_said` are answers; the others say that there is none.
    """

    def surprise(t: float) -> float:
        z = logits.astype(np.float64) / t
        z -= z.max(axis=1, keepdims=True)
        return float((np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(labels)), labels]).mean())

    temperature = min((float(t) for t in np.geomspace(0.3, 3.0, 60)), key=surprise)
    return temperature, threshold_of(logits, labels, temperature, last_said=last_said, goal=goal)


def threshold_of(
    logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64], temperature: float, *, last_said: int, goal: float
) -> float:
    """The lowest threshold whose answers are wrong at most `goal` of the time."""
    z = logits.astype(np.float64) / temperature
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    best, sure = p.argmax(axis=1), p.max(axis=1)
    said = best <= last_said
    order = np.argsort(-sure[said])
    wrong = np.cumsum((best != labels)[said][order])
    good = np.nonzero(wrong <= goal * np.arange(1, len(order) + 1))[0]
    lowest = float(sure[said][order][good[-1]]) if len(good) else 0.999
    return float(np.clip(lowest, 0.6, 0.9999))


def write_onnx(
    net: Any, path: Path, temperature: float, threshold: float, *, example: Any = None, name: str = "cards",
    threshold_fine: float | None = None,
) -> Path:  # fmt: skip
    """Write a classifier with its calibration for ONNX Runtime, any number of crops at a time.

    `example` is a batch for it (of cards by default), `name` its input's; `threshold_fine` is that of `models.reader.FINE_PX_PER_MM`.
    """
    if example is None:
        example = torch.zeros(2, 3, READER_SIZE[1], READER_SIZE[0])
    torch.onnx.export(
        net, (example,), str(path), input_names=[name], output_names=["logits"], opset_version=17, dynamo=False,
        dynamic_axes={name: {0: "n"}, "logits": {0: "n"}},
    )  # fmt: skip
    fine = {} if threshold_fine is None else {"threshold_fine": threshold_fine}
    tell(path, temperature=temperature, threshold=threshold, **fine)
    return path


def tell(path: Path, **calibration: float) -> None:
    """Store a calibration in an ONNX file, in place of the one that is there."""
    import onnx

    model = onnx.load(str(path))
    onnx.helper.set_model_props(model, {key: f"{value:.6f}" for key, value in calibration.items()})
    onnx.save(model, str(path))


def export(out: Path, module: str, deck_dir: Path | None) -> Path:
    """Calibrate the checkpoint in `out` on held-out decks and write `out`/reader.onnx, beside `held_out.npz` to score it on."""
    torch.set_num_threads(1)
    net = build()
    net.load_state_dict(torch.load(out / CHECKPOINT, weights_only=True, map_location="cpu")["slow"])
    net.eval()
    made: Callable[..., list[Any]] = importlib.import_module(module).held_out
    if not (out / "held_out.npz").is_file():
        crops = made(HELD_OUT_SEED, HELD_OUT_COUNT, deck_dir)
        np.savez(
            out / "held_out.npz", images=np.stack([c.image for c in crops]), labels=np.array([c.label for c in crops]),
            scale=np.array([c.px_per_mm for c in crops]), visible=np.array([c.visible for c in crops]),
            deck=np.array([c.deck for c in crops]),
        )  # fmt: skip
    parts = []
    for seed in CALIBRATION_SEEDS:
        crops = made(seed, CALIBRATION_COUNT, deck_dir)
        truth, scale = np.array([c.label for c in crops]), np.array([c.px_per_mm for c in crops])
        parts.append((votes(net, np.stack([c.image for c in crops])), truth, scale >= FINE_PX_PER_MM))
    logits, labels, near = (np.concatenate(part) for part in zip(*parts, strict=True))
    temperature, threshold = calibrate(logits, labels)
    fine = min(threshold, threshold_of(logits[near], labels[near], temperature, last_said=JOKER, goal=GOAL_WRONG))
    path = write_onnx(net, out / "reader.onnx", temperature, threshold, threshold_fine=fine)
    print(
        f"{path}: temperature {temperature:.3f}, threshold {threshold:.4f}, from {FINE_PX_PER_MM} px per mm on {fine:.4f}"
    )
    return path


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoint and ONNX")
    parser.add_argument("--deck-dir", type=Path, help="decks written by datasets.crops.reader_decks")
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--weights", type=Path, metavar="ONNX", help="start from these weights, not from nothing")
    parser.add_argument("--rate", type=float, default=3e-3, help="highest rate of learning")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda on a machine that has it")
    parser.add_argument("--makers", type=int, default=1, help="processes that make crops")
    parser.add_argument("--batch", type=int, default=128, help="crops a step")
    parser.add_argument("--train-only", action="store_true", help="leave the checkpoint, for --export-only later")
    parser.add_argument("--export-only", action="store_true", help="only calibrate and export the checkpoint")
    parser.add_argument("--data", default=DEFAULT_DATA, help="module that makes the crops")
    a = parser.parse_args()
    if not a.export_only:
        train(
            a.out, a.data, a.deck_dir, a.minutes, a.seed, a.resume, a.batch, a.weights, a.rate, a.device, a.makers
        )  # fmt: skip
    if not a.train_only:
        export(a.out, a.data, a.deck_dir)


if __name__ == "__main__":
    main()
