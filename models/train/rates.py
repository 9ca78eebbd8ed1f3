"""How the rate of learning falls."""

from __future__ import annotations

import math


def cosine(share: float, last: float) -> float:
    """Factor of the highest rate after a share 0..1 of a training: 1 at its beginning, `last` at its end, half a cosine between."""
    return last + (1 - last) * 0.5 * (1 + math.cos(math.pi * share))
