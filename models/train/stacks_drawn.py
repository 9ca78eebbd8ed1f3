"""Trains the stack reader on strips that are drawn while it learns, on a GPU: `python -m models.train.stacks_drawn --out DIR --minutes N`.

Needs the `train` extra (torch with CUDA and Triton). Most strips are seen once or twice; they come from the module named by `--data`. `--val` names strips of seeds kept aside. What is
left is a checkpoint, written every two minutes, from which `--resume` goes on, and DIR/stacks.onnx (`--export-only` writes it anew).
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from models.train.by_clock import ByClock
from models.train.checkpoints import CHECKPOINT
from models.train.precision import autocast
from models.train.stacks import answers, build, export, half, load, loss_of_votes, planes, tensors, varied

DEFAULT_DATA = "datasets.crops.stacks_feed"
"""Module that draws strips: `Feed(seed, device, makers)` with `batch(n)`, `state()` and `stop()`."""
_WARMUP = 300


def train(args: argparse.Namespace) -> None:
    """Train for `args.minutes` by the clock and leave `args.out`/checkpoint.pt."""
    torch.manual_seed(args.seed)
    val = tensors(half(load(*args.val), 1), args.device) if args.val else None

    def kept(slow: Any) -> None:
        if val is not None:
            print(f"  kept aside: {told(slow, val)}", flush=True)

    run = ByClock(
        build().to(args.device), args.out, minutes=args.minutes, rate=args.rate, warmup=_WARMUP, last_share=0.005,
        resume=args.resume, kept=kept,
    )  # fmt: skip
    feed = importlib.import_module(args.data).Feed(args.seed * 1000 + run.step, args.device, args.makers)
    try:
        for spent in run.steps():
            batch = varied(feed.batch(args.batch))
            with autocast(args.device):
                votes = run.net(planes(batch))
            run.learn(loss_of_votes(votes.float(), batch))
            if run.step % 500 == 0:
                print(f"step {run.step} at {spent:.2f} min: loss {float(run.loss):.3f}, {feed.state()}", flush=True)
    finally:
        feed.stop()


def told(net: Any, strips: Mapping[str, Any]) -> str:
    """Shares of piles of two and more, by what a chip shows of its side, whose number is right, and of which all is."""
    net.eval()
    votes = []
    with torch.no_grad():
        for i in range(0, len(strips["counts"]), 1024):
            part = {key: value[i : i + 1024] for key, value in strips.items()}
            votes.append((net(planes(part)) + net(planes({**part, "images": part["images"].flip(3)}))).float() / 2)
    truth = {key: strips[key].cpu().numpy() for key in ("counts", "colors", "side_px")}
    whole, _, _, said = answers(torch.cat(votes).cpu().numpy(), truth, 1.0)
    number, side = said == truth["counts"], truth["side_px"]
    parts = []
    for low, high in ((1.35, 2.0), (2.0, 3.0), (3.0, 9.0)):
        here = (truth["counts"] >= 2) & (side >= low) & (side < high)
        parts.append(f"{low} px {number[here].mean():.3f} {whole[here].mean():.3f}")
    return ", ".join(parts)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoint and ONNX")
    parser.add_argument("--val", type=Path, nargs="*", default=[], help="validation strips (.npz) of other seeds")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-3, help="highest rate of learning")
    parser.add_argument("--batch", type=int, default=2048, help="strips a step")
    parser.add_argument(
        "--makers", type=int, default=11, help="processes that draw whole scenes; a third as many draw chips' pictures"
    )
    parser.add_argument("--data", default=DEFAULT_DATA, help="module that draws the strips")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--export-only", action="store_true", help="only write the checkpoint as ONNX")
    args = parser.parse_args()
    if not args.export_only:
        train(args)
    net = build()
    net.load_state_dict(torch.load(args.out / CHECKPOINT, weights_only=True, map_location="cpu")["slow"])
    export(net.eval(), args.out, args.val)


if __name__ == "__main__":
    main()
