"""Strips for the stack reader that are drawn while it learns, on a GPU and by processes, for `models.train.stacks_drawn`.

Most are painted on the device (`datasets.crops.stacks_torch`), others drawn by processes as `datasets.crops.stacks` does; the chips'
pictures for the first come from processes too. Needs torch and Triton (the `train` extra on a machine with a GPU).
"""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Mapping
from typing import Any

import torch

from datasets.crops import stacks as scenes
from datasets.crops.stacks_art import art
from datasets.crops.stacks_torch import ArtBank, strips
from datasets.render.draws import Draws
from models.train.stacks import tensors

ART_SETS, ART_BANK = 24, 4096
"""Chip sets drawn at a time, and kept on the device."""
PILES, EVERY = 768, 2
"""Piles painted at a time on the device, three strips of each, and the batches between."""
FRESH_POOL, SCENE_POOL = 300_000, 2_000_000
"""Strips kept on the device of either kind, the oldest overwritten."""
SCENE_SHARE, LEAST_SCENES = 0.3, 20_000
"""Share of a batch that processes have drawn, once there are so many."""


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


class Feed:
    """Endless batches of strips.

    Args:
        seed: of all that is drawn.
        device: of torch, such as "cuda".
        makers: processes that draw scenes; a third as many, at least one, draw chips' pictures.
    """

    def __init__(self, seed: int, device: str, makers: int) -> None:
        self._bank, self._draws = ArtBank(ART_BANK, device), Draws(device, seed)
        self._fresh, self._scenes = Pool(FRESH_POOL, device), Pool(SCENE_POOL, device)
        artists = max(1, makers // 3)
        self._arts = Makers(_make_art, artists, seed, self._bank.add)
        self._others = Makers(_make_scenes, makers, seed + 500, lambda part: self._scenes.add(tensors(part, device)))
        self._batches = 0
        for _ in range(2 * artists):
            self._arts.take(wait=True)

    def batch(self, n: int) -> dict[str, Any]:
        """`n` strips with their truth on the device, images (n, 6, 72, 24), as `models.train.stacks.tensors` has them."""
        self._arts.take()
        self._others.take()
        if self._batches % EVERY == 0:
            self._fresh.add(strips(self._draws, self._bank, PILES))
        self._batches += 1
        part = int(n * SCENE_SHARE) if self._scenes.filled >= LEAST_SCENES else 0
        batch = self._fresh.draw(n - part)
        if part:
            other = self._scenes.draw(part)
            batch = {key: torch.cat([value, other[key].to(value.dtype)]) for key, value in batch.items()}
        return batch

    def state(self) -> str:
        """What has been drawn so far, in words."""
        return f"{self._arts.count * ART_SETS} chip sets, {self._others.count * scenes.BATCH} strips drawn by processes"

    def stop(self) -> None:
        """End the processes."""
        self._arts.stop()
        self._others.stop()
