"""What players of every game wager: amounts of few chips."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

ANTES = (600, 1000, 1000, 2000, 2000, 3000, 5000, 5000, 6000, 10000, 10000, 20000)
"""Antes in cents, all even in dollars so that 3 to 2 is payable in chips; few chips each."""
SIDE_WAGERS = (500, 500, 1000, 2500)


def choose_wagers(
    rng: np.random.Generator, base: tuple[str, ...], sides: Mapping[str, float], antes: tuple[int, ...] = ANTES
) -> dict[str, int]:
    """Wagers before the deal: the same amount on each of `base`, and side wagers by their chance."""
    amount = int(rng.choice(antes))
    stakes = dict.fromkeys(base, amount)
    for wager, chance in sides.items():
        if rng.random() < chance:
            stakes[wager] = int(rng.choice(SIDE_WAGERS))
    return stakes
