"""The latest samples of a training on its device. Needs torch (the `train` extra)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch


class Ring:
    """The latest samples; new ones go over the oldest.

    Args:
        size: how many are held.
        device: of torch, where they lie.
    """

    def __init__(self, size: int, device: str) -> None:
        self._size, self._device = size, device
        self.filled = self._next = 0
        self._kept: dict[str, Any] = {}

    def add(self, samples: Mapping[str, Any]) -> None:
        """Put samples in: tensors (n, ...) of the same n by name. The first to come tell what a sample has."""
        n = len(next(iter(samples.values())))
        if not self._kept:
            self._kept = {
                key: torch.zeros((self._size, *value.shape[1:]), dtype=value.dtype, device=self._device)
                for key, value in samples.items()
            }
        at = (self._next + torch.arange(n, device=self._device)) % self._size
        for key, value in samples.items():
            self._kept[key][at] = value.to(self._device)
        self._next = (self._next + n) % self._size
        self.filled = min(self._size, self.filled + n)

    def at(self, numbers: Any) -> dict[str, Any]:
        """The samples of these numbers (n,) int64, each below `filled`."""
        chosen = numbers.to(self._device)
        return {key: value[chosen] for key, value in self._kept.items()}
