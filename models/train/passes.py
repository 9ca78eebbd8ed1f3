"""Trains a network in passes over samples held in memory, kept on disk after every pass."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from models.train.command import Training
from models.train.rates import cosine

_WARMUP_STEPS = 100
_LAST_SHARE = 0.01
_MOST_GRADIENT = 2.0

Loss = Callable[[npt.NDArray[np.int64], np.random.Generator], Any]
"""Loss of the network, a scalar, on a batch of samples (numbers in 0..count), varied as the generator says."""


def in_passes(network: Any, run: Training, count: int, size: int, loss_of: Loss) -> None:
    """Train a network in place, `run.epochs` times over `count` samples in batches of `size`; AdamW, the rate falling as a cosine.

    Fewer samples than a batch holds are one batch. A checkpoint is written to `run.out` after every pass; where `run.resume`, training goes on from it. Where `run.minutes` are given the rate follows
    the clock and training ends with it. The network lies on `run.device` meanwhile; it is on the processor and in evaluation mode afterwards.

    Raises:
        ValueError: there is no sample.
    """
    import torch

    if count < 1:
        raise ValueError("no samples to train on; draw some, or name files that hold any")

    rng = np.random.default_rng(run.seed)
    network.to(run.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=run.rate, weight_decay=0.02)
    first, before_s, kept = 0, 0.0, run.out / "checkpoint.pt"
    if run.resume and kept.is_file():
        state = torch.load(kept, weights_only=True, map_location=run.device)
        network.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first, before_s = int(state["epoch"]), float(state.get("spent_s", 0.0))
    steps, started = max(1, count // size), time.monotonic()

    def share_of(epoch: int, step: int) -> float:
        if run.minutes is None:
            return (epoch + step / steps) / run.epochs
        return (before_s + time.monotonic() - started) / (60 * run.minutes)

    for epoch in itertools.count(first):
        if share_of(epoch, 0) >= 1:
            break
        network.train()
        total = torch.zeros((), device=run.device)
        order = rng.permutation(count)
        for step in range(steps):
            share = min(1.0, share_of(epoch, step))
            warm = min(1.0, (epoch * steps + step + 1) / _WARMUP_STEPS)
            rate = run.rate * warm * cosine(share, _LAST_SHARE)
            for group in optimizer.param_groups:
                group["lr"] = rate
            loss = loss_of(order[step * size : (step + 1) * size], rng)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), _MOST_GRADIENT)
            optimizer.step()
            total += loss.detach()
            if share >= 1:
                break
        spent_s = before_s + time.monotonic() - started
        state = {"net": network.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}
        torch.save(state | {"spent_s": spent_s}, kept)
        print(f"pass {epoch + 1} after {spent_s / 60:.1f} min: loss {float(total) / (step + 1):.3f}", flush=True)
    network.to("cpu").eval()
