"""The few distributions an audit rests on, exact, without an approximation that fails for rare mistakes.

Intervals of a share are Wilson's (E. B. Wilson, JASA 22, 1927), from `datasets.score.intervals`. Control limits are
quantiles of the binomial distribution itself: with two mistakes in a thousand payouts the normal limits of the textbook's
p-chart fall below zero. Sample sizes come from the hypergeometric distribution, drawing without putting back; the limits
of a rate seen in a sample are Clopper and Pearson's (Biometrika 26, 1934), which never cover less than they say.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

TAIL = 0.00135
"""Each tail outside three standard deviations of a normal distribution, which control limits take by custom."""


def binomial_quantile(count: int, share: float, at: float) -> int:
    """The smallest k such that at most k of `count` has a probability of at least `at`, each having `share`.

    >>> binomial_quantile(10, 0.5, 0.5), binomial_quantile(1000, 0.0, 0.99)
    (5, 0)
    """
    if share <= 0.0 or count == 0:
        return 0
    if share >= 1.0:
        return count
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if binomial_cdf(middle, count, share) >= at:
            high = middle
        else:
            low = middle + 1
    return low


def binomial_cdf(k: int, count: int, share: float) -> float:
    """The probability of at most k of `count`, each having `share`; summed from the largest term outwards."""
    if k >= count:
        return 1.0
    if k < 0:
        return 0.0
    if share <= 0.0:
        return 1.0
    if share >= 1.0:
        return 0.0
    mode = min(k, int((count + 1) * share))
    top = _binomial_pmf(mode, count, share)
    odds = share / (1.0 - share)
    total = term = top
    for i in range(mode, 0, -1):
        term *= i / ((count - i + 1) * odds)
        total += term
        if term < total * 1e-17:
            break
    term = top
    for i in range(mode, k):
        term *= (count - i) * odds / (i + 1)
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, total)


def _binomial_pmf(k: int, count: int, share: float) -> float:
    log = math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
    return math.exp(log + k * math.log(share) + (count - k) * math.log1p(-share))


@dataclass(frozen=True, slots=True)
class Limits:
    """The number of mistakes that chance alone explains: from `low` to `high`, both included."""

    low: int
    high: int

    def holds(self, seen: int) -> bool:
        """Whether a number is within them."""
        return self.low <= seen <= self.high


def control_limits(count: int, share: float) -> Limits:
    """Limits for a point of a p-chart, by the exact quantiles of the binomial distribution.

    Args:
        count: payouts checked at the point.
        share: of mistakes over the whole chart (its centre line).

    >>> control_limits(1000, 0.002)
    Limits(low=0, high=7)
    """
    high = binomial_quantile(count, share, 1.0 - TAIL)
    low = binomial_quantile(count, share, TAIL)
    return Limits(low, high)


def exact_interval(hits: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share.

    >>> low, high = exact_interval(0, 59)
    >>> low, round(high, 4)
    (0.0, 0.0606)
    """
    if total == 0:
        return 0.0, 1.0
    tail = (1.0 - confidence) / 2.0
    low = 0.0 if hits == 0 else _solve(lambda p: 1.0 - binomial_cdf(hits - 1, total, p) >= tail)
    high = 1.0 if hits == total else _solve(lambda p: binomial_cdf(hits, total, p) <= tail)
    return low, high


def upper_limit(hits: int, total: int, confidence: float) -> float:
    """The rate that is exceeded with a probability of at most 1 - confidence, having seen `hits` of `total`."""
    if total == 0 or hits >= total:
        return 1.0
    return _solve(lambda p: binomial_cdf(hits, total, p) <= 1.0 - confidence)


def _solve(reached: Callable[[float], bool]) -> float:
    """The smallest share for which something that becomes true with a rising share is true."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if reached(middle):
            high = middle
        else:
            low = middle
    return high


def hypergeometric_cdf(k: int, population: int, wrong: int, drawn: int) -> float:
    """The probability of at most k wrong ones among `drawn` of a population with `wrong` wrong ones.

    >>> round(hypergeometric_cdf(0, 10, 2, 3), 6)
    0.466667
    """
    least = max(0, drawn - (population - wrong))
    if k < least:
        return 0.0
    if k >= min(drawn, wrong):
        return 1.0
    total = _log_choose(population, drawn)
    return min(
        1.0,
        sum(
            math.exp(_log_choose(wrong, i) + _log_choose(population - wrong, drawn - i) - total)
            for i in range(least, k + 1)
        ),
    )


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def sample_size(population: int, *, confidence: float, tolerable: float, allowed: int = 0) -> int:
    """How many to draw so that a population with more than the tolerable rate wrong shows itself.

    Args:
        population: how many there are.
        confidence: 0..1, with which it is to show itself.
        tolerable: 0..1, the rate that is still borne.
        allowed: how many wrong ones the sample may hold and still pass.

    Returns:
        The smallest number for which, if the rate were the tolerable one, more than `allowed` wrong ones would be found
        with at least that confidence; the whole population where no smaller number does.

    >>> sample_size(576_000, confidence=0.95, tolerable=0.01)
    298
    """
    wrong = math.floor(tolerable * population) + 1
    if wrong > population or wrong <= allowed:
        return population
    low, high = min(allowed + 1, population), population
    while low < high:
        middle = (low + high) // 2
        if hypergeometric_cdf(allowed, population, wrong, middle) <= 1.0 - confidence:
            high = middle
        else:
            low = middle + 1
    return low
