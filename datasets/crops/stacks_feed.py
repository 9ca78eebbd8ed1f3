"""Strips for the stack reader that are drawn while it learns, on a GPU and by processes, for `models.train.stacks_drawn`.

Most are painted on the device (`datasets.crops.stacks_torch`), others drawn by processes as `datasets.crops.stacks` does; the chips'
pictures for the first come from processes too. Needs torch and Triton (the `train` extra on a machine with a GPU).
"""

from __future__ import annotations

from typing import Any

import torch

from datasets.crops import stacks as scenes
from datasets.crops.stacks_art import art
from datasets.crops.stacks_torch import ArtBank, strips
from datasets.render.draws import Draws
from models.train.makers import Makers
from models.train.rings import Ring
from models.train.stacks import tensors

ART_SETS, ART_BANK = 24, 4096
"""Chip sets drawn at a time, and kept on the device."""
PILES, EVERY = 768, 2
"""Piles painted at a time on the device, three strips of each, and the batches between."""
FRESH_POOL, SCENE_POOL = 300_000, 2_000_000
"""Strips kept on the device of either kind, the oldest overwritten."""
SCENE_SHARE, LEAST_SCENES = 0.3, 20_000
"""Share of a batch that processes have drawn, once there are so many."""


def _make_art(seed: int, out: Any) -> None:
    for k in range(1 << 30):
        out.put(art(seed * 100_003 + k, ART_SETS))


def _make_scenes(seed: int, out: Any) -> None:
    for k in range(1 << 30):
        out.put(scenes.batch(seed, k * scenes.BATCH, scenes.BATCH))


class Feed:
    """Endless batches of strips.

    Args:
        seed: of all that is drawn.
        device: of torch, such as "cuda".
        makers: processes that draw scenes; a third as many, at least one, draw chips' pictures.
    """

    def __init__(self, seed: int, device: str, makers: int) -> None:
        self._bank, self._draws = ArtBank(ART_BANK, device), Draws(device, seed)
        self._fresh, self._scenes = Ring(FRESH_POOL, device), Ring(SCENE_POOL, device)
        artists = max(1, makers // 3)
        self._arts = Makers(_make_art, [(seed + k,) for k in range(artists)], self._bank.add, most=artists + 1)
        self._others = Makers(
            _make_scenes,
            [(seed + 500 + k,) for k in range(makers)],
            lambda part: self._scenes.add(tensors(part, device)),
            most=makers + 1,
        )
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
        batch = self._any(self._fresh, n - part)
        if part:
            other = self._any(self._scenes, part)
            batch = {key: torch.cat([value, other[key].to(value.dtype)]) for key, value in batch.items()}
        return batch

    def _any(self, ring: Ring, n: int) -> dict[str, Any]:
        return ring.at(self._draws.whole((n,), ring.filled))

    def state(self) -> str:
        """What has been drawn so far, in words."""
        return f"{self._arts.count * ART_SETS} chip sets, {self._others.count * scenes.BATCH} strips drawn by processes"

    def stop(self) -> None:
        """End the processes."""
        self._arts.stop()
        self._others.stop()
