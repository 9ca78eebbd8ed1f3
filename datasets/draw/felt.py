"""Grounds of our own: casino felts, plain and printed, woods, cloths, tiles, and clutter, for backgrounds."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.draw.glyphs import GlyphStyle, random_family, text_mask
from datasets.draw.pips import PipStyle, pip_mask
from datasets.draw.shapes import Bgr, Image, ellipse, fill, hsv, line, mix, pick, stamp, vary

FELT_COLORS: tuple[Bgr, ...] = (
    (60, 110, 30), (85, 125, 20), (45, 75, 20), (120, 60, 20), (90, 35, 20), (35, 25, 120), (30, 20, 80), (55, 50, 50),
    (35, 32, 32), (100, 40, 80), (110, 100, 20), (60, 90, 130), (150, 110, 60), (170, 165, 160),
)  # fmt: skip
_WORDS = (
    "AKQJ",
    "10 5",
    "2 5 10",
    "ABRAKADABRA",
    "TABAK",
    "BAR",
    "EAT",
    "BET",
    "BRAVO",
    "TARTE",
    "OKRA",
    "DEBATE",
    "25 50 100",
    "REVERT",
)


def _cloud(rng: np.random.Generator, h: int, w: int, cell: float) -> np.ndarray:
    size = (max(2, round(w / cell)), max(2, round(h / cell)))
    small = rng.normal(0, 1, (size[1], size[0])).astype(np.float32)
    return cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)


def _add(img: Image, change: np.ndarray) -> Image:
    if change.ndim == 2:
        change = change[..., None]
    return np.asarray((img.astype(np.float32) + change).clip(0, 255), np.uint8)


def plain_felt(rng: np.random.Generator, size_px: tuple[int, int], color: Bgr | None = None) -> Image:
    """Felt of one colour with fibre speckle and worn clouds, BGR of `size_px` (w, h)."""
    w, h = size_px
    img = np.empty((h, w, 3), np.uint8)
    img[:] = vary(rng, pick(rng, FELT_COLORS), 14) if color is None else color
    speckle = rng.normal(0, rng.uniform(1, 7), (h, w)).astype(np.float32)
    if rng.random() < 0.5:
        speckle = cv2.GaussianBlur(speckle, (3, 3), 0) * 1.6
    return _add(img, speckle + _cloud(rng, h, w, rng.uniform(30, 150)) * rng.uniform(0, 6))


def tabletop(rng: np.random.Generator, size_px: tuple[int, int]) -> Image:
    """A smooth white, grey or cream table, BGR of `size_px` (w, h): hardly darker than paper, brighter towards its lamp."""
    w, h = size_px
    img = np.empty((h, w, 3), np.uint8)
    img[:] = hsv(rng.uniform(0, 360), rng.uniform(0, 0.12), rng.uniform(0.6, 0.97))
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j].astype(np.float32)
    way = rng.uniform(0, 2 * np.pi)
    lamp = (x * np.cos(way) + y * np.sin(way)) * rng.uniform(0, 22)
    return _add(img, lamp + rng.normal(0, rng.uniform(0.3, 2), (h, w)) + _cloud(rng, h, w, 120) * rng.uniform(0, 4))


WOODS: tuple[Bgr, ...] = (
    (60, 100, 150), (40, 65, 105), (110, 150, 190), (25, 40, 70), (170, 205, 230), (150, 190, 215), (190, 215, 230), (80, 125, 165),
)  # fmt: skip
"""Oak, walnut, pine, wenge, birch, maple, ash, cherry, BGR."""


def wood(rng: np.random.Generator, size_px: tuple[int, int]) -> Image:
    """Boards or parquet of any wood, from birch to wenge, BGR of `size_px` (w, h); a third of them pale as under a strong lamp."""
    w, h = size_px
    upright = rng.random() < 0.5
    y, x = np.mgrid[0 : (w if upright else h), 0 : (h if upright else w)].astype(np.float32)
    rows, columns = y.shape
    wide = float(rng.uniform(18, 70) if rng.random() < 0.5 else rng.uniform(60, 400))
    long = wide * float(rng.uniform(1.2, 5) if rng.random() < 0.3 else rng.uniform(3, 12))
    board = np.floor(y / wide)
    along = x + (np.sin(board * 12.9898) * 43758.5453 % 1.0) * long
    number = np.sin(board * 78.233 + np.floor(along / long) * 37.719) * 43758.5453 % 1.0
    shift = number * 997.0
    fine = cv2.resize(rng.normal(0, 1, (rows, max(2, columns // 24))).astype(np.float32), (columns, rows))
    rings = np.sin((y + shift + 14 * _cloud(rng, rows, columns, 90)) * rng.uniform(0.02, 0.12) * 2 * np.pi) * 0.5 + 0.5
    grain = rng.uniform(0.1, 0.5) ** 2 * rings + rng.uniform(0.01, 0.07) * fine + rng.uniform(0, 0.22) * (number - 0.5)
    out = np.asarray(vary(rng, pick(rng, WOODS), 14), np.float32) * (1 - grain[..., None])
    if rng.random() < 0.75:
        gap = float(rng.uniform(0.8, 2.5))
        joint = (y % wide < gap) | (along % long < gap)
        out *= np.where(joint, rng.uniform(0.45, 0.95), 1.0)[..., None]
    if rng.random() < 0.33:
        out = 255.0 - (255.0 - out) * rng.uniform(0.15, 0.7)
    out = np.asarray(out.clip(0, 255), np.uint8)
    return np.ascontiguousarray(out.transpose(1, 0, 2) if upright else out)


def _cloth(rng: np.random.Generator, w: int, h: int) -> Image:
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    t, p = rng.uniform(0, np.pi), rng.uniform(6, 60)
    u, v = (x * np.cos(t) + y * np.sin(t)) / p, (-x * np.sin(t) + y * np.cos(t)) / p
    a, b = (
        hsv(rng.uniform(0, 360), rng.uniform(0, 0.7), rng.uniform(0.2, 1)),
        hsv(rng.uniform(0, 360), rng.uniform(0, 0.7), rng.uniform(0.2, 1)),
    )
    kind = int(rng.integers(4))
    if kind == 0:
        share = ((u % 1 < 0.5).astype(np.float32) + (v % 1 < 0.5)) / 2
    elif kind == 1:
        share = ((np.floor(u) + np.floor(v)) % 2).astype(np.float32)
    elif kind == 2:
        share = (np.hypot(u % 1 - 0.5, v % 1 - 0.5) < 0.3).astype(np.float32)
    else:
        share = (np.sin(u * 6) > rng.uniform(-0.5, 0.8)).astype(np.float32)
    out = np.asarray(a) * (1 - share[..., None]) + np.asarray(b) * share[..., None]
    return _add(out.astype(np.uint8), rng.normal(0, 4, (h, w)))


def _prints(rng: np.random.Generator, img: Image) -> None:
    h, w = img.shape[:2]
    inks = ((235, 235, 235), (60, 190, 230), (40, 40, 200), (220, 200, 120))
    ink = vary(rng, pick(rng, inks), 12)
    for _ in range(int(rng.integers(2, 9))):
        x, y, r = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(14, 90)
        width = rng.uniform(1, 4)
        kind = int(rng.integers(6))
        if kind == 0:
            line(img, ellipse((x, y), (r, r * rng.uniform(0.6, 1)), 60), ink, width, closed=True)
        elif kind == 1:
            box = cv2.boxPoints(((x, y), (r * 1.6, r * rng.uniform(0.7, 2.4)), rng.uniform(0, 180)))
            line(img, box, ink, width, closed=True)
        elif kind == 2:
            big = rng.uniform(1, 4) * w
            t = np.linspace(0, 2 * np.pi, 300)
            line(img, np.stack([x + big * np.cos(t), y + big + big * np.sin(t)], 1), ink, width)
        elif kind == 3:
            mask = pip_mask("cdhs"[int(rng.integers(4))], round(r), PipStyle.random(rng, int(rng.integers(4))))
            stamp(img, mask, mix(img[min(h - 1, int(y)), min(w - 1, int(x))].tolist(), ink, rng.uniform(0.2, 1)), x, y)
        else:
            words = str(pick(rng, _WORDS)).split()
            style = GlyphStyle.random(rng, random_family(rng))
            for i, word in enumerate(words):
                mask = text_mask(word, max(8, round(r * rng.uniform(0.2, 0.6))), style)
                m = cv2.getRotationMatrix2D((mask.shape[1] / 2, mask.shape[0] / 2), rng.uniform(-180, 180), 1)
                side = max(mask.shape) + 2
                m[:, 2] += [(side - mask.shape[1]) / 2, (side - mask.shape[0]) / 2]
                stamp(img, np.asarray(cv2.warpAffine(mask, m, (side, side)), np.uint8), ink, x + i * side * 0.6, y)


def _clutter(rng: np.random.Generator, img: Image) -> None:
    h, w = img.shape[:2]
    for _ in range(int(rng.integers(1, 6))):
        x, y, r = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(10, 110)
        color = hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.1, 1))
        if rng.random() < 0.4:
            white = rng.random() < 0.4
            color = vary(rng, (240, 240, 240), 8) if white else color
            box = cv2.boxPoints(((x, y), (r, r * rng.uniform(0.2, 3)), rng.uniform(0, 180)))
            fill(img, np.add(box, (4, 5)), mix(img[min(h - 1, int(y)), min(w - 1, int(x))].tolist(), (0, 0, 0), 0.5))
            fill(img, box, color)
            for share in np.arange(0.1, 0.9, 0.15) if rng.random() < 0.4 else ():
                line(
                    img,
                    [box[0] * (1 - share) + box[1] * share, box[3] * (1 - share) + box[2] * share],
                    mix(color, (0, 0, 0), 0.5),
                    1,
                )
        elif rng.random() < 0.6:
            for k, share in enumerate((1.0, 0.88, 0.8, 0.3)):
                fill(img, ellipse((x, y), (r * share, r * share), 60), mix(color, (255, 255, 255), 0.2 * (k % 3)))
        else:
            pts = np.add(np.cumsum(rng.normal(0, r * 0.3, (12, 2)), axis=0), (x, y))
            line(img, pts, color, rng.uniform(1, 9))


def felt_texture(rng: np.random.Generator, size_px: tuple[int, int]) -> Image:
    """A random ground, BGR of `size_px` (w, h): mostly felts with prints, also woods, cloths, bare tables and clutter."""
    w, h = size_px
    kind = rng.random()
    if kind < 0.5:
        img = plain_felt(rng, size_px)
    elif kind < 0.72:
        img = wood(rng, size_px)
    elif kind < 0.84:
        img = _cloth(rng, w, h)
    elif kind < 0.9:
        img = plain_felt(rng, size_px, vary(rng, (225, 228, 230), 15))
    else:
        img = plain_felt(rng, size_px, hsv(rng.uniform(0, 360), rng.uniform(0, 0.8), rng.uniform(0.1, 0.95)))
    if rng.random() < 0.55:
        _prints(rng, img)
    if rng.random() < 0.3:
        _clutter(rng, img)
    if rng.random() < 0.15:
        level = _cloud(rng, h, w, max(w, h) / 2)
        img = _add(img, level * 14)
    return img
