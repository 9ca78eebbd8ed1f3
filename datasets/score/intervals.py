"""Shares with their 95% intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `total`; the interval is Wilson's score interval (E. B. Wilson, JASA 22, 1927), which holds near 0 and 1."""

    hits: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.total:
            raise ValueError(f"expected 0 <= hits <= total, got {self.hits} of {self.total}")

    @property
    def value(self) -> float:
        """The share, 0..1; NaN of nothing."""
        return self.hits / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper end of the 95% interval, 0..1.

        >>> low, high = Share(95, 100).interval
        >>> round(low, 3), round(high, 3)
        (0.888, 0.978)
        """
        if not self.total:
            return 0.0, 1.0
        n, p = self.total, self.value
        middle = p + Z_95**2 / (2 * n)
        half = Z_95 * math.sqrt(p * (1 - p) / n + Z_95**2 / (4 * n * n))
        scale = 1 + Z_95**2 / n
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)

    def __add__(self, other: Share) -> Share:
        return Share(self.hits + other.hits, self.total + other.total)

    def __str__(self) -> str:
        if not self.total:
            return "no sample"
        low, high = self.interval
        return f"{100 * self.value:.1f}% ({self.hits}/{self.total}; {100 * low:.1f}-{100 * high:.1f})"
