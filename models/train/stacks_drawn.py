"""Trains the stack reader on strips that are drawn while it learns, on a GPU: `python -m models.train.stacks_drawn --out DIR --minutes N`.

Needs the `train` extra (torch with CUDA and Triton). Most strips are seen once or twice; they come from the module named by `--data`. `--val` names strips of seeds kept aside. What is
left is a checkpoint, written every two minutes, from which `--resume` goes on, and DIR/stacks.onnx (`--export-only` writes it anew).
"""

from __future__ import annotations

import argparse
import copy
import importlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from models.train.checkpoints import CHECKPOINT, follow, restore, save
from models.train.precision import autocast
from models.train.rates import cosine
from models.train.stacks import answers, build, export, half, load, loss_of_votes, planes, tensors, varied

DEFAULT_DATA = "datasets.crops.stacks_feed"
"""Module that draws strips: `Feed(seed, device, makers)` with `batch(n)`, `state()` and `stop()`."""
_WARMUP, _MOST_GRADIENT, _SAVE_S = 300, 2.0, 120.0


def train(args: argparse.Namespace) -> None:
    """Train for `args.minutes` by the clock and leave `args.out`/checkpoint.pt."""
    out, device = args.out, args.device
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    net = build().to(device)
    slow = copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.02)
    step, before_s = 0, 0.0
    if args.resume and (out / CHECKPOINT).is_file():
        step, before_s = restore(out, net, slow, optimizer)
    val = tensors(half(load(*args.val), 1), device) if args.val else None
    feed = importlib.import_module(args.data).Feed(args.seed * 1000 + step, device, args.makers)
    try:
        net.train()
        started = saved = time.monotonic()
        loss_mean = torch.zeros((), device=device)
        while True:
            spent = before_s + time.monotonic() - started
            share = spent / (60 * args.minutes)
            if share >= 1:
                break
            rate = args.rate * min(1.0, (step + 1) / _WARMUP) * cosine(share, 0.005)
            for group in optimizer.param_groups:
                group["lr"] = rate
            batch = varied(feed.batch(args.batch))
            with autocast(device):
                votes = net(planes(batch))
            loss = loss_of_votes(votes.float(), batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), _MOST_GRADIENT)
            optimizer.step()
            step += 1
            follow(slow, net, min(0.998, 1 - 1 / (1 + step / 4)))
            loss_mean = loss_mean + 0.01 * (loss.detach() - loss_mean)
            if step % 500 == 0:
                print(f"step {step} at {spent / 60:.2f} min: loss {float(loss_mean):.3f}, {feed.state()}", flush=True)
            if time.monotonic() - saved > _SAVE_S:
                saved = time.monotonic()
                save(out, net, slow, optimizer, step, spent)
                if val is not None:
                    print(f"  kept aside: {told(slow, val)}", flush=True)
    finally:
        feed.stop()
    save(out, net, slow, optimizer, step, args.minutes * 60)
    if val is not None:
        print(f"  kept aside: {told(slow, val)}", flush=True)


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
