"""The command line of networks that are trained in passes over crops kept in files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RATE = 2e-3
"""Highest learning rate, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Training:
    """One training run.

    Attributes:
        data, val: crops to train on, and of other seeds to calibrate and score on (.npz).
        out: folder for checkpoint and ONNX.
        epochs: passes over the data.
        seed: of all randomness.
        resume: go on from the checkpoint in `out`.
        weights: ONNX file to start from, None = from nothing.
        rate: highest learning rate.
        device: of torch, "cpu" or "cuda".
        minutes: train for so long, in as many passes as there is time for; None = `epochs` passes.
        batch: samples a step, None = what the network was trained with so far.
    """

    data: Sequence[Path]
    val: Sequence[Path]
    out: Path
    epochs: int
    seed: int
    resume: bool = False
    weights: Path | None = None
    rate: float = RATE
    device: str = "cpu"
    minutes: float | None = None
    batch: int | None = None


def run(
    doc: str | None,
    epochs: int,
    train: Callable[[Training], Path],
    calibrate: Callable[[Path, Sequence[Path]], None],
    score: Callable[[Path, Sequence[Path]], dict[str, Any]],
) -> None:
    """Read the command line, train unless `--score` or `--calibrate` names a model, and print its scores.

    Args:
        doc: of the module; its first line describes the command.
        epochs: passes unless told otherwise.
        train: trains and returns the ONNX file.
        calibrate: stores in an ONNX file what the validation crops tell of its certainty.
        score: measures an ONNX file on validation crops.
    """
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("--data", type=Path, nargs="+", help="training crops (.npz)")
    parser.add_argument("--val", type=Path, nargs="+", required=True, help="validation crops (.npz) of other seeds")
    parser.add_argument("--out", type=Path, default=Path("training-run"), help="folder for checkpoint and ONNX")
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=RATE, help="highest learning rate")
    parser.add_argument("--weights", type=Path, metavar="ONNX", help="start from these weights, not from nothing")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda on a machine that has it")
    parser.add_argument("--minutes", type=float, help="train for so long instead of so many passes")
    parser.add_argument("--batch", type=int, help="samples a step")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--score", type=Path, metavar="ONNX", help="only measure this model")
    parser.add_argument(
        "--calibrate", type=Path, metavar="ONNX", help="only set this model's thresholds anew, and measure it"
    )
    args = parser.parse_args()
    onnx = args.score or args.calibrate
    if args.calibrate is not None:
        calibrate(args.calibrate, args.val)
    elif onnx is None and args.data is None:
        parser.error("--data is needed to train")
    onnx = onnx or train(
        Training(
            args.data, args.val, args.out, args.epochs, args.seed, args.resume, args.weights, args.rate, args.device,
            args.minutes, args.batch,
        )
    )  # fmt: skip
    print(json.dumps(score(onnx, args.val), indent=1))
