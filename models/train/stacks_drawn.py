"""Trains the stack reader on strips that are drawn while it learns, on a GPU: `python -m models.train.stacks_drawn --out DIR --minutes N`.

Needs the `train` extra (torch with CUDA and Triton). Every strip is new: `datasets.crops.stacks_torch` draws most of them on the GPU,
processes draw others as `datasets.crops.stacks` does, and the chips' pictures for both. `--val` names strips of seeds kept aside. What is
left is a checkpoint, written every two minutes, from which `--resume` goes on, and DIR/stacks.onnx (`--export-only` writes it anew).
"""

from __future__ import annotations

import argparse
import copy
import math
import multiprocessing
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from datasets.crops import stacks as scenes
from datasets.crops.stacks_art import art
from models.stack_reader import STRIP_SHAPE
from models.train.checkpoints import CHECKPOINT, follow, restore, save
from models.train.reader import write_onnx
from models.train.stacks import build, calibrate, half, load, loss_of_votes, planes, tensors, varied

ART_SETS, ART_BANK = 24, 4096
"""Chip sets drawn at a time, and kept on the device."""
PILES = 768
"""Piles drawn at a time on the device, three strips of each."""
FRESH_POOL, SCENE_POOL = 300_000, 2_000_000
"""Strips kept on the device of either kind, the oldest overwritten."""
SCENE_SHARE = 0.3
"""Share of a batch that processes have drawn."""
_WARMUP, _MOST_GRADIENT, _SAVE_S = 300, 2.0, 120.0


class Pool:
    """The latest strips on the device."""

    def __init__(self, size: int, device: str) -> None:
        self._size, self._device = size, device
        self.filled = self._next = 0
        self._kept: dict[str, Any] = {}

    def add(self, strips: Mapping[str, Any]) -> None:
        """Put strips in, over the oldest. The first to come tell what a strip has."""
        n = len(strips["counts"])
        if not self._kept:
            self._kept = {
                key: torch.zeros((self._size, *value.shape[1:]), dtype=value.dtype, device=self._device)
                for key, value in strips.items()
            }
        at = (self._next + torch.arange(n, device=self._device)) % self._size
        for key, value in strips.items():
            self._kept[key][at] = value.to(self._device)
        self._next = (self._next + n) % self._size
        self.filled = min(self._size, self.filled + n)

    def draw(self, n: int) -> dict[str, Any]:
        """A random batch."""
        at = torch.randint(self.filled, (n,), device=self._device)
        return {key: value[at] for key, value in self._kept.items()}


def _make_art(seed: int, out: Any) -> None:
    for k in range(1 << 30):
        out.put(art(seed * 100_003 + k, ART_SETS))


def _make_scenes(seed: int, out: Any) -> None:
    for k in range(1 << 30):
        out.put(scenes.batch(seed, k * scenes.BATCH, scenes.BATCH))


class Makers:
    """Processes that draw; each thing they made is handed to `taken` by `take`."""

    def __init__(self, make: Callable[[int, Any], None], count: int, seed: int, taken: Callable[[Any], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._lane: Any = context.Queue(maxsize=max(2, count))
        self._taken, self.count = taken, 0
        self._processes = [context.Process(target=make, args=(seed + k, self._lane), daemon=True) for k in range(count)]
        for process in self._processes:
            process.start()

    def take(self, *, wait: bool = False) -> None:
        """Take in one thing if there is any, or wait for it."""
        try:
            self._taken(self._lane.get(block=wait))
            self.count += 1
        except queue.Empty:
            pass

    def stop(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.kill()


def train(args: argparse.Namespace) -> None:
    """Train for `args.minutes` by the clock and leave `args.out`/checkpoint.pt."""
    from datasets.crops.stacks_torch import ArtBank, strips
    from datasets.render.draws import Draws

    out, device = args.out, args.device
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    net = build().to(device)
    slow = copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.02)
    step, before_s = 0, 0.0
    if args.resume and (out / CHECKPOINT).is_file():
        step, before_s = restore(out, net, slow, optimizer)
    first = args.seed * 1000 + step
    bank, fresh, drawn = ArtBank(ART_BANK, device), Pool(FRESH_POOL, device), Pool(SCENE_POOL, device)
    arts = Makers(_make_art, args.art_makers, first, bank.add)
    others = Makers(_make_scenes, args.makers, first + 500, lambda part: drawn.add(tensors(part, device)))
    draws = Draws(device, first)
    val = tensors(half(load(*args.val), 1), device) if args.val else None
    try:
        for _ in range(2 * args.art_makers):
            arts.take(wait=True)
        for _ in range(8):
            fresh.add(strips(draws, bank, PILES))
        net.train()
        started = saved = time.monotonic()
        loss_mean = torch.zeros((), device=device)
        while True:
            spent = before_s + time.monotonic() - started
            share = spent / (60 * args.minutes)
            if share >= 1:
                break
            arts.take()
            others.take()
            if step % args.every == 0:
                fresh.add(strips(draws, bank, PILES))
            rate = args.rate * min(1.0, (step + 1) / _WARMUP) * (0.005 + 0.995 * 0.5 * (1 + math.cos(math.pi * share)))
            for group in optimizer.param_groups:
                group["lr"] = rate
            part = int(args.batch * SCENE_SHARE) if drawn.filled >= 20_000 else 0
            batch = fresh.draw(args.batch - part)
            if part:
                other = drawn.draw(part)
                batch = {key: torch.cat([value, other[key].to(value.dtype)]) for key, value in batch.items()}
            batch = varied(batch)
            with torch.autocast(device, dtype=torch.bfloat16):
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
                print(
                    f"step {step} at {spent / 60:.2f} min: loss {float(loss_mean):.3f}, {arts.count * ART_SETS} chip sets, "
                    f"{others.count * scenes.BATCH} drawn by processes",
                    flush=True,
                )
            if time.monotonic() - saved > _SAVE_S:
                saved = time.monotonic()
                save(out, net, slow, optimizer, step, spent)
                if val is not None:
                    print(f"  kept aside: {told(slow, val)}", flush=True)
    finally:
        arts.stop()
        others.stop()
    save(out, net, slow, optimizer, step, args.minutes * 60)
    if val is not None:
        print(f"  kept aside: {told(slow, val)}", flush=True)


def told(net: Any, strips: Mapping[str, Any]) -> str:
    """Shares of piles of two and more, by what a chip shows of its side, whose number is right, and of which all is."""
    from models.stack_reader import judged

    net.eval()
    votes = []
    with torch.no_grad():
        for i in range(0, len(strips["counts"]), 1024):
            part = {key: value[i : i + 1024] for key, value in strips.items()}
            votes.append((net(planes(part)) + net(planes({**part, "images": part["images"].flip(3)}))).float() / 2)
    said = judged(torch.cat(votes).cpu().numpy(), 1.0)
    counts, colors = strips["counts"].cpu().numpy(), strips["colors"].cpu().numpy()
    side = strips["side_px"].cpu().numpy()
    number = np.array([n == count for (n, _, _), count in zip(said, counts, strict=True)])
    whole = number & np.array(
        [names == tuple(row[:count].tolist()) for (_, names, _), row, count in zip(said, colors, counts, strict=True)]
    )
    parts = []
    for low, high in ((1.35, 2.0), (2.0, 3.0), (3.0, 9.0)):
        here = (counts >= 2) & (side >= low) & (side < high)
        parts.append(f"{low} px {number[here].mean():.3f} {whole[here].mean():.3f}")
    return ", ".join(parts)


def export(out: Path, val: Sequence[Path]) -> Path:
    """Write the checkpoint in `out` as `out`/stacks.onnx, calibrated on one half of the validation strips if there are any."""
    net = build()
    net.load_state_dict(torch.load(out / CHECKPOINT, weights_only=True, map_location="cpu")["slow"])
    path = out / "stacks.onnx"
    write_onnx(net.eval(), path, 1.0, 0.99, example=torch.zeros(2, 7, *STRIP_SHAPE), name="stacks")
    if val:
        calibrate(path, val)
    return path


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoint and ONNX")
    parser.add_argument("--val", type=Path, nargs="*", default=[], help="validation strips (.npz) of other seeds")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-3, help="highest rate of learning")
    parser.add_argument("--batch", type=int, default=2048, help="strips a step")
    parser.add_argument("--every", type=int, default=2, help="steps after which new piles are drawn")
    parser.add_argument("--art-makers", type=int, default=4, help="processes that draw chips' pictures")
    parser.add_argument("--makers", type=int, default=11, help="processes that draw whole scenes")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--export-only", action="store_true", help="only write the checkpoint as ONNX")
    args = parser.parse_args()
    if not args.export_only:
        train(args)
    export(args.out, args.val)


if __name__ == "__main__":
    main()
