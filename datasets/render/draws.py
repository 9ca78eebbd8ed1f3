"""Random numbers on an accelerator, all from one seed. Needs torch (the `train` extra)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch


class Draws:
    """Random tensors on a device.

    Args:
        device: of torch, such as "cuda".
        seed: the same seed on the same device gives the same numbers.
    """

    def __init__(self, device: str, seed: int) -> None:
        self.device = device
        self._generator = torch.Generator(device=device).manual_seed(seed)

    def uniform(self, shape: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> Any:
        """Between `low` and `high`."""
        return low + (high - low) * torch.rand(shape, device=self.device, generator=self._generator)

    def normal(self, shape: tuple[int, ...], deviation: Any = 1.0) -> Any:
        """Of mean 0."""
        return deviation * torch.randn(shape, device=self.device, generator=self._generator)

    def chance(self, shape: tuple[int, ...], share: float) -> Any:
        """True so often."""
        return self.uniform(shape) < share

    def whole(self, shape: tuple[int, ...], below: int) -> Any:
        """0 to `below` - 1."""
        return torch.randint(below, shape, device=self.device, generator=self._generator)

    def choice(self, shape: tuple[int, ...], weights: Sequence[float]) -> Any:
        """Each number as often as its weight says."""
        shares = torch.tensor(list(weights), dtype=torch.float32, device=self.device)
        flat = torch.multinomial(shares, math.prod(shape), replacement=True, generator=self._generator)
        return flat.reshape(shape)
