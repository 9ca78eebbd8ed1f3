"""A training that ends with the clock, kept on disk meanwhile. Needs torch (the `train` extra)."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from models.train.checkpoints import CHECKPOINT, follow, restore, save
from models.train.rates import cosine

_SAVE_S, _MOST_GRADIENT, _SLOWEST = 120.0, 2.0, 0.998


class ByClock:
    """A network that learns for so many minutes (AdamW, the rate falling as a cosine), and the same followed slowly, which is what is used.

    Args:
        net: the network, on its device.
        out: folder for checkpoints, one every two minutes and one at the end.
        minutes: by the clock, those before a resumption included.
        rate: highest rate of learning.
        warmup: steps until it is reached.
        last_share: share of it that is left in the end.
        resume: go on from the checkpoint in `out`, if there is one.
        kept: called with the slow network after each checkpoint.

    Attributes:
        step: steps done.
        loss: about the mean loss of the last fifty steps.
    """

    def __init__(
        self,
        net: Any,
        out: Path,
        *,
        minutes: float,
        rate: float,
        warmup: int,
        last_share: float,
        resume: bool,
        kept: Callable[[Any], None] = lambda slow: None,
    ) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.net, self.out = net, out
        self._end_s, self._rate, self._warmup, self._last_share, self._kept = (
            60 * minutes,
            rate,
            warmup,
            last_share,
            kept,
        )
        self._slow = copy.deepcopy(net)
        self._optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.02)
        self.step, self._before_s = 0, 0.0
        if resume and (out / CHECKPOINT).is_file():
            self.step, self._before_s = restore(out, net, self._slow, self._optimizer)
        self.loss = torch.zeros((), device=next(net.parameters()).device)

    def steps(self) -> Iterator[float]:
        """Minutes spent, as long as there is time for a step; whoever takes one calls `learn` before the next."""
        self.net.train()
        started = saved = time.monotonic()
        while (spent_s := self._before_s + time.monotonic() - started) < self._end_s:
            share = min(1.0, (self.step + 1) / self._warmup) * cosine(spent_s / self._end_s, self._last_share)
            for group in self._optimizer.param_groups:
                group["lr"] = self._rate * share
            yield spent_s / 60
            if time.monotonic() - saved > _SAVE_S:
                saved = time.monotonic()
                self._save(spent_s)
        self._save(self._end_s)

    def learn(self, loss: Any) -> None:
        """One step down the gradient of a loss."""
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), _MOST_GRADIENT)
        self._optimizer.step()
        self.step += 1
        follow(self._slow, self.net, min(_SLOWEST, 1 - 1 / (1 + self.step / 4)))
        self.loss = self.loss + 0.02 * (loss.detach() - self.loss)

    def _save(self, spent_s: float) -> None:
        save(self.out, self.net, self._slow, self._optimizer, self.step, spent_s)
        self._kept(self._slow)
