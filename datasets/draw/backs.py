"""Card backs of our own: lattices, diapers, dots, stripes, scrolls, sunbursts and plain, with borders and medallions."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from datasets.draw.glyphs import GlyphStyle, random_family, text_mask
from datasets.draw.pips import PipStyle, pip_mask
from datasets.draw.shapes import Bgr, Image, ellipse, fill, hsv, line, pick, rounded_mask, stamp, vary

_COLORS: tuple[Bgr, ...] = (
    (150, 50, 20), (40, 25, 175), (110, 35, 25), (35, 35, 35), (50, 110, 25), (120, 30, 90), (20, 90, 190), (90, 90, 95),
    (200, 120, 40), (60, 60, 120), (30, 140, 190),
)  # fmt: skip

_PLAIN = 7
"""Kind of pattern: none."""


def _level(
    rng: np.random.Generator, w: int, h: int, kind: int, periods_px: tuple[float, float] = (10, 44)
) -> npt.NDArray[np.float32]:
    """Height of a pattern, about in px: above 0 one colour, below the other."""
    return np.asarray(_wave(rng, w, h, kind, float(rng.uniform(*periods_px))), np.float32)


def _wave(rng: np.random.Generator, w: int, h: int, kind: int, period: float) -> Any:
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    x, y = x - w / 2, y - h / 2
    if kind == 0:  # diagonal lattice
        s = rng.uniform(0.6, 1.6)
        a, b = (x + s * y) / period % 1, (x - s * y) / period % 1
        width = rng.uniform(0.12, 0.4)
        return np.maximum(width - np.abs(a - 0.5), width - np.abs(b - 0.5)) * period
    if kind == 1:  # diamonds and squares
        s = rng.uniform(0.6, 1.4)
        return (np.abs(x / period % 1 - 0.5) + np.abs(s * y / period % 1 - 0.5) - rng.uniform(0.3, 0.65)) * period
    if kind == 2:  # dots
        shift = (np.floor(y / period) % 2) * 0.5
        return (rng.uniform(0.15, 0.4) - np.hypot((x / period + shift) % 1 - 0.5, y / period % 1 - 0.5)) * period
    if kind == 3:  # stripes
        t = rng.uniform(0, np.pi)
        return np.sin((x * np.cos(t) + y * np.sin(t)) * 2 * np.pi / period) * period / 3
    if kind == 4:  # scrolls, alike under a half turn
        f = 2 * np.pi / (2.2 * period)
        return (
            np.sin(np.abs(x) * f + 2 * np.sin(np.abs(y) * f * 0.7))
            * np.cos(np.abs(y) * f - np.sin(np.abs(x) * f))
            * period
            / 3
        )
    if kind == 5:  # sunburst
        n = int(rng.integers(8, 40))
        return np.sin(np.arctan2(y, x) * n + np.hypot(x, y) / period * rng.choice([0.0, 2.0])) * np.hypot(x, y) / n
    if kind == 6:  # rings
        return np.sin(np.hypot(x, y * rng.uniform(0.6, 1)) * 2 * np.pi / period) * period / 4
    return np.full((h, w), -9.0, np.float32)  # _PLAIN


def draw_fine_back(rng: np.random.Generator, size_px: tuple[int, int], radius: float) -> Image:
    """A back whose fine pattern, or none, runs to its edges, as `draw_back`: from afar one colour, and beside others one area."""
    w, h = size_px
    dark = vary(rng, pick(rng, _COLORS), 25)
    base = np.array(
        dark if rng.random() < 0.5 else hsv(rng.uniform(0, 360), rng.uniform(0, 0.7), rng.uniform(0.3, 1)), float
    )
    light = base + float(rng.uniform(0.2, 1.0)) * (np.array(vary(rng, (240, 240, 240), 10), float) - base)
    kind = int(pick(rng, (0, 1, 2, 3, 4, _PLAIN), (1, 1, 1, 1, 1, 2)))
    alpha = np.clip(_level(rng, w, h, kind, (8.0, 22.0)) + 0.5, 0, 1)[..., None]
    img = (base * (1 - alpha) + light * alpha).round().astype(np.uint8)
    return np.dstack([img, rounded_mask(w, h, radius)])


def draw_back(rng: np.random.Generator, size_px: tuple[int, int], radius: float) -> Image:
    """A random back as BGRA of `size_px` (w, h) with corners rounded by `radius` px."""
    w, h = size_px
    base = (
        vary(rng, pick(rng, _COLORS), 18)
        if rng.random() < 0.75
        else hsv(rng.uniform(0, 360), rng.uniform(0.3, 1), rng.uniform(0.25, 0.9))
    )
    light = (
        vary(rng, (248, 248, 248), 4)
        if rng.random() < 0.7
        else hsv(rng.uniform(0, 360), rng.uniform(0.1, 0.5), rng.uniform(0.7, 1))
    )
    paper = vary(rng, (250, 250, 250), 3)
    img = np.empty((h, w, 3), np.uint8)
    img[:] = paper
    border = round(pick(rng, (0.0, rng.uniform(1.0, 2.5), rng.uniform(2.5, 6.0)), (0.3, 0.2, 0.5)) * w / 63.5)
    iw, ih = w - 2 * border, h - 2 * border
    kind = int(pick(rng, range(8), (4, 3, 2, 1.5, 2, 1, 1, 1.5)))
    alpha = np.clip(_level(rng, iw, ih, kind) + 0.5, 0, 1)[..., None]
    if rng.random() < 0.3 and kind < 5:
        alpha = np.maximum(alpha, np.clip(_level(rng, iw, ih, 2) + 0.5, 0, 1)[..., None])
    inner = np.asarray(base) * (1 - alpha) + np.asarray(light) * alpha
    img[border : border + ih, border : border + iw] = inner.round().astype(np.uint8)
    if rng.random() < 0.5:
        for k in range(int(rng.integers(1, 3))):
            m = border + round(w * rng.uniform(0.02, 0.05)) * (k + 1)
            cv2.rectangle(
                img, (m, m), (w - 1 - m, h - 1 - m), pick(rng, (light, base)), int(rng.integers(2, 7)), cv2.LINE_AA
            )
    if rng.random() < 0.45:
        _medallion(rng, img, base, light)
    if rng.random() < 0.12:
        _corner_marks(rng, img, light)
    mask = rounded_mask(w, h, radius)
    return np.dstack([img, mask])


def _medallion(rng: np.random.Generator, img: Image, base: Bgr, light: Bgr) -> None:
    h, w = img.shape[:2]
    r = w * rng.uniform(0.1, 0.32)
    tall = pick(rng, (1.0, rng.uniform(0.7, 1.6)))
    ground, ink = (base, light) if rng.random() < 0.6 else (light, base)
    ring = ellipse((w / 2, h / 2), (r, r * tall), 60)
    fill(img, ring, ground)
    line(img, ring, ink, w * 0.01, closed=True)
    if rng.random() < 0.5:
        line(img, ellipse((w / 2, h / 2), (r * 0.86, r * tall * 0.86), 60), ink, w * 0.006, closed=True)
    size = max(6, round(r * min(1.0, tall) * 1.0))
    what = rng.random()
    if what < 0.5:
        mask = pip_mask("cdhs"[int(rng.integers(4))], size, PipStyle.random(rng, int(rng.integers(4))))
    elif what < 0.8:
        word = "".join(rng.choice(list("ABDEJKQRTV"), int(rng.integers(1, 4))))
        mask = text_mask(word, max(6, round(size * 1.3 / len(word))), GlyphStyle.random(rng, random_family(rng)))
    else:
        n = int(rng.integers(5, 9))
        t = np.arange(2 * n) * np.pi / n
        rr = np.where(np.arange(2 * n) % 2, 0.2, 0.5) * size
        mask = np.zeros((size + 2, size + 2), np.uint8)
        fill(mask, np.stack([size / 2 + rr * np.sin(t), size / 2 - rr * np.cos(t)], axis=1), 255)
    stamp(img, mask, ink, (w - mask.shape[1]) / 2, (h - mask.shape[0]) / 2)


def _corner_marks(rng: np.random.Generator, img: Image, light: Bgr) -> None:
    w = img.shape[1]
    mask = pip_mask("cdhs"[int(rng.integers(4))], round(w * 0.12), PipStyle.random(rng, 0))
    for _ in range(2):
        stamp(img, mask, light, w * 0.12, w * 0.12)
        stamp(img, mask, light, w * 0.88 - mask.shape[1], w * 0.12)
        img[:] = img[::-1, ::-1].copy()
