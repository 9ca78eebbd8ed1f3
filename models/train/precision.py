"""The numbers that a training reckons in."""

from __future__ import annotations

import contextlib
from typing import Any


def autocast(device: str) -> contextlib.AbstractContextManager[Any]:
    """Sixteen-bit numbers (bfloat16) where `device`, "cpu" or "cuda", is quick with them; else all thirty-two.

    A processor without AVX-512 emulates them: a stack reader's step took ten times as long.
    """
    import torch

    if device == "cpu" and torch.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2"):
        return contextlib.nullcontext()
    quick: contextlib.AbstractContextManager[Any] = torch.autocast(device, dtype=torch.bfloat16)
    return quick
