"""Training that is kept on disk: a network, the same followed slowly, the optimizer, and how long it took. Needs torch (the `train` extra)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

CHECKPOINT = "checkpoint.pt"
"""The file in a training's folder."""


def follow(slow: Any, net: Any, keep: float) -> None:
    """Move the weights of `slow` towards those of `net`, by 1 - `keep` of the way, in place."""
    with torch.no_grad():
        for a, b in zip(slow.state_dict().values(), net.state_dict().values(), strict=True):
            if a.dtype.is_floating_point:
                a.mul_(keep).add_(b, alpha=1 - keep)
            else:
                a.copy_(b)


def save(out: Path, net: Any, slow: Any, optimizer: Any, step: int, spent_s: float) -> None:
    """Write all of it to the folder `out`, in place of what is there. Raises OSError where that fails."""
    state = {
        "net": net.state_dict(),
        "slow": slow.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "spent_s": spent_s,
    }
    torch.save(state, out / "checkpoint.tmp")
    (out / "checkpoint.tmp").replace(out / CHECKPOINT)


def restore(out: Path, net: Any, slow: Any, optimizer: Any) -> tuple[int, float]:
    """Take up what `save` wrote, in place; returns the steps done and the seconds spent."""
    device = next(net.parameters()).device
    state = torch.load(out / CHECKPOINT, weights_only=True, map_location=device)
    net.load_state_dict(state["net"])
    slow.load_state_dict(state["slow"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"]), float(state["spent_s"])
