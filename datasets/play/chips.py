"""The simulated tables' chips: what they are worth, and how many an amount takes."""

from __future__ import annotations

COLORS = {"white": 100, "red": 500, "green": 2500, "black": 10000, "purple": 50000, "orange": 100000}
"""The simulated tables' chip set, cents per colour."""
MAX_CHIPS = 4
"""Chips of one wager or payout at most, so that they lie in one row of an area."""


def chips_for(cents: int) -> tuple[str, ...]:
    """Colours of the fewest chips that make an amount, highest first.

    Raises:
        ValueError: the amount is no sum of chips.
    """
    out: list[str] = []
    for color, value in sorted(COLORS.items(), key=lambda item: -item[1]):
        count, cents = divmod(cents, value)
        out += [color] * count
    if cents:
        raise ValueError(
            f"no chips make the remaining {cents} cents; the smallest chip is worth {min(COLORS.values())}"
        )
    return tuple(out)


def payable(cents: int) -> bool:
    """Whether an amount is a row of chips."""
    return cents > 0 and cents % min(COLORS.values()) == 0 and len(chips_for(cents)) <= MAX_CHIPS
