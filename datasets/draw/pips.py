"""The four suit signs as curves, in many proportions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import cv2
import numpy as np

from datasets.draw.shapes import Image, Points, bezier, ellipse, fill

SUITS = "cdhs"
FAMILIES = 4
"""Number of families `PipStyle.random` knows."""


@dataclass(frozen=True, slots=True)
class PipStyle:
    """Proportions: `lobe` how full, `cleft` how deep, `waist` how bent the sides, `foot` how wide the stem, `wide` overall."""

    family: int = 0
    lobe: float = 0.5
    cleft: float = 0.5
    waist: float = 0.0
    foot: float = 0.5
    wide: float = 0.88

    @staticmethod
    def random(rng: np.random.Generator, family: int) -> PipStyle:
        """A set of signs: 0 classic, 1 plump, 2 slim and bent, 3 angular."""
        u = rng.uniform
        ranges = (
            ((0.4, 0.6), (-0.1, 0.15)),
            ((0.65, 1.0), (-0.2, 0.0)),
            ((0.2, 0.45), (0.15, 0.45)),
            ((0.0, 0.25), (-0.05, 0.1)),
        )
        lobe, waist = ranges[family]
        return PipStyle(family, u(*lobe), u(0.2, 0.8), u(*waist), u(0.2, 0.8), u(0.78, 1.0))


def _heart(s: PipStyle) -> Points:
    top = 0.05 + 0.02 * s.lobe
    dip = 0.16 + 0.14 * s.cleft
    side = 0.98 + 0.12 * s.lobe
    right = np.concatenate(
        [
            bezier((0.5, dip), (0.56, top - 0.02), (0.71, top - 0.07), (0.86, top + 0.06)),
            bezier(
                (0.86, top + 0.06), (0.98 + 0.04 * s.lobe, top + 0.164), (side, 0.42), (0.84 - 0.10 * s.waist, 0.60)
            ),
            bezier((0.84 - 0.10 * s.waist, 0.60), (0.70 - 0.2 * s.waist, 0.74), (0.56, 0.86), (0.5, 1.0)),
        ]
    )
    left = right[::-1] * (-1, 1) + (1, 0)
    return cast(Points, np.concatenate([right, left]))


def _stem(s: PipStyle, top: float) -> Points:
    w = 0.12 + 0.16 * s.foot
    right = bezier((0.5 + 0.035, top), (0.5 + 0.04, 0.82), (0.5 + w * 0.5, 0.94), (0.5 + w, 1.0))
    return cast(Points, np.concatenate([right, right[::-1] * (-1, 1) + (1, 0)]))


def _parts(suit: str, s: PipStyle) -> list[Points]:
    if suit == "h":
        return [_heart(s)]
    if suit == "d":
        b = 0.5 * s.waist
        half = 0.40 - 0.06 * s.cleft
        c = ((0.5, 0.0), (0.5 + half, 0.5), (0.5, 1.0), (0.5 - half, 0.5))
        out = []
        for i in range(4):
            p, q = np.array(c[i]), np.array(c[(i + 1) % 4])
            m = (p + q) / 2 * (1 - b) + np.array([0.5, 0.5]) * b
            out.append(bezier(p, (p + 2 * m) / 3, (q + 2 * m) / 3, q, 10))
        return [cast(Points, np.concatenate(out))]
    if suit == "s":
        body = np.asarray(_heart(s) * (1, -0.86) + (0, 0.88), np.float64)
        return [body, _stem(s, 0.6)]
    r = 0.215 + 0.035 * s.lobe
    spread = 0.255 + 0.02 * s.cleft
    foot = 0.585
    return [
        ellipse((0.5, r + 0.01), (r, r)),
        ellipse((0.5 - spread, foot), (r, r)),
        ellipse((0.5 + spread, foot), (r, r)),
        ellipse((0.5, 0.47), (0.12, 0.14)),
        _stem(s, 0.45),
    ]


@lru_cache(maxsize=2048)
def pip_mask(suit: str, height: int, style: PipStyle) -> Image:
    """Mask of a suit sign (`c`, `d`, `h` or `s`) `height` pixels high. Do not write into it: it is shared."""
    if suit not in SUITS:
        raise ValueError(f"no suit {suit!r}: c, d, h or s")
    h = height * 3
    big = np.zeros((h, round(h * 1.2)), np.uint8)
    width = h * style.wide * (1.0 if suit != "d" else 0.96)
    for part in _parts(suit, style):
        fill(big, (part - (0.5, 0)) * (width, h - 1) + (big.shape[1] / 2, 0), 255)
    xs = np.nonzero(big.any(axis=0))[0]
    big = np.ascontiguousarray(big[:, xs[0] : xs[-1] + 1])
    return cast(Image, cv2.resize(big, (max(1, round(big.shape[1] / 3)), height), interpolation=cv2.INTER_AREA))
