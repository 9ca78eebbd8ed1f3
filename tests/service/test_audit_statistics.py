"""The audit's distributions against sums over every case and published tables."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from service.audit.statistics import (
    TAIL,
    binomial_cdf,
    binomial_quantile,
    control_limits,
    exact_interval,
    hypergeometric_cdf,
    sample_size,
    upper_limit,
)


@pytest.mark.parametrize(("count", "share"), [(1, 0.5), (7, 0.1), (40, 0.02), (300, 0.35), (300, 0.999)])
def test_binomial_sums_are_those_of_exact_fractions(count: int, share: float) -> None:
    p = Fraction(share)
    total = Fraction(0)
    for k in range(count + 1):
        total += math.comb(count, k) * p**k * (1 - p) ** (count - k)
        assert binomial_cdf(k, count, share) == pytest.approx(float(total), abs=1e-11)


def test_a_quantile_is_the_smallest_number_that_reaches_it() -> None:
    for count, share in ((50, 0.02), (2000, 0.002), (40_000, 0.0005)):
        for at in (TAIL, 0.5, 1 - TAIL):
            k = binomial_quantile(count, share, at)
            assert binomial_cdf(k, count, share) >= at
            assert k == 0 or binomial_cdf(k - 1, count, share) < at


def test_control_limits_never_go_below_zero_and_hold_the_centre() -> None:
    for count in (1, 30, 1000, 100_000):
        limits = control_limits(count, 0.0006)
        assert 0 <= limits.low <= count * 0.0006 <= limits.high + 1
        assert limits.holds(limits.high)
        assert not limits.holds(limits.high + 1)


def test_clopper_pearson_against_published_limits() -> None:
    low, high = exact_interval(10, 100)
    assert (round(low, 4), round(high, 4)) == (0.0490, 0.1762)
    assert exact_interval(0, 0) == (0.0, 1.0)
    assert exact_interval(5, 5)[1] == 1.0
    assert upper_limit(0, 59, 0.95) == pytest.approx(1 - 0.05 ** (1 / 59), abs=1e-9)


def test_hypergeometric_sums_are_those_of_exact_fractions() -> None:
    population, wrong, drawn = 60, 7, 20
    total = 0
    for k in range(wrong + 1):
        total += math.comb(wrong, k) * math.comb(population - wrong, drawn - k)
        assert hypergeometric_cdf(k, population, wrong, drawn) == pytest.approx(
            total / math.comb(population, drawn), abs=1e-11
        )


@pytest.mark.parametrize("allowed", [0, 1, 3])
def test_a_sample_is_the_smallest_that_shows_it(allowed: int) -> None:
    population, tolerable = 5000, 0.02
    size = sample_size(population, confidence=0.9, tolerable=tolerable, allowed=allowed)
    wrong = math.floor(tolerable * population) + 1
    assert hypergeometric_cdf(allowed, population, wrong, size) <= 0.1
    assert hypergeometric_cdf(allowed, population, wrong, size - 1) > 0.1


def test_a_population_too_small_is_checked_whole() -> None:
    assert sample_size(40, confidence=0.99, tolerable=0.01) == 40
    assert sample_size(1, confidence=0.95, tolerable=0.5) == 1
