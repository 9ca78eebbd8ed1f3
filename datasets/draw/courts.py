"""Jacks, queens and kings of our own: two-way figures with robes, crowns and patterns, in several styles."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from datasets.draw.glyphs import GlyphStyle, text_mask
from datasets.draw.pips import PipStyle, pip_mask
from datasets.draw.shapes import Bgr, Image, ellipse, fill, hsv, line, mix, pick, smooth, stamp, vary

FAMILIES = 6
"""Court families: 0 classic, 1 geometric, 2 one-way portrait, 3 rich pattern, 4 emblem with letter, 5 one colour."""

_CLASSIC: tuple[Bgr, ...] = ((40, 40, 205), (45, 190, 245), (170, 70, 30), (30, 30, 30))


@dataclass(frozen=True, slots=True)
class CourtStyle:
    """How a deck's courts look; `seed` gives each figure its own cut."""

    family: int
    palette: tuple[Bgr, ...]
    outline: float
    skin: Bgr
    frame: bool
    seed: int

    @staticmethod
    def random(rng: np.random.Generator, family: int) -> CourtStyle:
        """A court style of a family."""
        kind = rng.random()
        if kind < 0.5:
            palette = tuple(vary(rng, c, 15) for c in _CLASSIC)
        elif kind < 0.8:
            base = rng.uniform(0, 360)
            palette = tuple(
                hsv(base + rng.uniform(0, 360), rng.uniform(0.3, 0.95), rng.uniform(0.3, 0.95)) for _ in range(4)
            )
        else:
            base = rng.uniform(0, 360)
            palette = tuple(hsv(base + 25 * i, rng.uniform(0.15, 0.6), rng.uniform(0.5, 0.95)) for i in range(4))
        skin = pick(rng, ((215, 225, 245), (190, 210, 240), (255, 255, 255), (150, 185, 225)))
        return CourtStyle(
            family, palette, rng.uniform(0.004, 0.014), skin, bool(rng.random() < 0.75), int(rng.integers(1 << 31))
        )


def _pattern(rng: np.random.Generator, h: int, w: int, a: Bgr, b: Bgr, c: Bgr) -> Image:
    y, x = np.mgrid[0:h, 0:w].astype(np.float32) / max(w, 1)
    kind = int(rng.integers(6))
    f = rng.uniform(8, 26)
    turn = rng.uniform(0, np.pi)
    u, v = x * np.cos(turn) + y * np.sin(turn), -x * np.sin(turn) + y * np.cos(turn)
    if kind == 0:
        level = np.sin(u * f * 2)
    elif kind == 1:
        level = np.sin(u * f * 2) * np.sin(v * f * 2)
    elif kind == 2:
        level = np.abs((u * f) % 2 - 1) + np.abs((v * f) % 2 - 1) - 0.9
    elif kind == 3:
        level = np.sin(np.hypot(x - 0.5, y - 0.9) * f * 4)
    elif kind == 4:
        level = 0.35 - np.hypot((u * f) % 1 - 0.5, (v * f) % 1 - 0.5)
    else:
        level = np.sin(u * f * 2 + 1.5 * np.sin(v * f))
    out = np.empty((h, w, 3), np.uint8)
    out[:] = a
    out[level > 0] = b
    out[np.abs(level) < 0.08] = c
    return out


def _paste(image: Image, points: np.ndarray, texture: Image, edge: Bgr, width: float) -> None:
    mask = np.zeros(image.shape[:2], np.uint8)
    fill(mask, points, 255)
    inside = mask > 127
    image[inside] = texture[inside]
    line(image, points, edge, width, closed=True)


def _crown(
    img: Image, rank: str, rng: np.random.Generator, s: CourtStyle, cx: float, cy: float, r: float, ink: Bgr, lw: float
) -> None:
    gold, second = s.palette[1], s.palette[int(rng.integers(4))]
    top = cy - 1.0 * r
    if rank == "K":
        n = int(rng.integers(3, 6))
        xs = np.linspace(-1.1, 1.1, 2 * n + 1) * r + cx
        ys = [top - (0.75 * r if i % 2 else 0.25 * r) for i in range(2 * n + 1)]
        p = np.array([*zip(xs, ys, strict=True), (cx + 0.95 * r, top + 0.15 * r), (cx - 0.95 * r, top + 0.15 * r)])
        fill(img, p, gold)
        line(img, p, ink, lw, closed=True)
        for i in range(1, 2 * n + 1, 2):
            fill(img, ellipse((xs[i], ys[i]), (0.13 * r, 0.13 * r), 12), second)
    elif rank == "Q":
        p = smooth(
            [
                (cx - 0.9 * r, top + 0.2 * r),
                (cx - 0.8 * r, top - 0.3 * r),
                (cx - 0.4 * r, top - 0.05 * r),
                (cx, top - 0.5 * r),
                (cx + 0.4 * r, top - 0.05 * r),
                (cx + 0.8 * r, top - 0.3 * r),
                (cx + 0.9 * r, top + 0.2 * r),
            ]
        )
        fill(img, p, gold)
        line(img, p, ink, lw, closed=True)
        for dx, dy in ((-0.8, -0.35), (0, -0.55), (0.8, -0.35)):
            fill(img, ellipse((cx + dx * r, top + dy * r), (0.1 * r, 0.1 * r), 12), second)
    else:
        p = np.array(
            [
                (cx - 1.1 * r, top + 0.25 * r),
                (cx - 0.9 * r, top - 0.3 * r),
                (cx + 0.8 * r, top - 0.45 * r),
                (cx + 1.1 * r, top + 0.2 * r),
            ]
        )
        fill(img, p, second)
        line(img, p, ink, lw, closed=True)
        feather = smooth(
            [
                (cx + 0.7 * r, top - 0.2 * r),
                (cx + 1.2 * r, top - 0.7 * r),
                (cx + 1.6 * r, top - 0.2 * r),
                (cx + 1.2 * r, top + 0.1 * r),
            ],
            closed=True,
        )
        fill(img, feather, gold)
        line(img, feather, ink, lw, closed=True)


def _head(
    img: Image, rank: str, rng: np.random.Generator, s: CourtStyle, cx: float, cy: float, r: float, ink: Bgr, lw: float
) -> None:
    hair = pick(rng, (s.palette[1], (60, 60, 60), (70, 110, 150), (210, 210, 210), (40, 70, 140)))
    long = 1.5 if rank == "Q" else 1.05
    fill(img, ellipse((cx, cy + 0.2 * r * long), (1.15 * r, 1.1 * r * long)), hair)
    if s.family == 1:
        face = np.array(
            [
                (cx - 0.8 * r, cy - r),
                (cx + 0.8 * r, cy - r),
                (cx + 0.75 * r, cy + 0.6 * r),
                (cx, cy + 1.15 * r),
                (cx - 0.75 * r, cy + 0.6 * r),
            ]
        )
    else:
        face = ellipse((cx, cy), (0.8 * r, 1.08 * r))
    fill(img, face, s.skin)
    line(img, face, ink, lw, closed=True)
    for side in (-1, 1):
        line(img, [(cx + side * 0.5 * r, cy - 0.25 * r), (cx + side * 0.18 * r, cy - 0.25 * r)], ink, lw)
        fill(img, ellipse((cx + side * 0.33 * r, cy - 0.08 * r), (0.1 * r, 0.08 * r), 10), ink)
    line(img, [(cx, cy - 0.1 * r), (cx + 0.14 * r, cy + 0.3 * r), (cx - 0.02 * r, cy + 0.33 * r)], ink, lw)
    line(img, [(cx - 0.22 * r, cy + 0.56 * r), (cx + 0.22 * r, cy + 0.56 * r)], (60, 60, 190), lw * 1.3)
    if rank == "K":
        beard = smooth(
            [
                (cx - 0.8 * r, cy + 0.3 * r),
                (cx - 0.5 * r, cy + 1.3 * r),
                (cx, cy + 1.6 * r),
                (cx + 0.5 * r, cy + 1.3 * r),
                (cx + 0.8 * r, cy + 0.3 * r),
                (cx, cy + 0.75 * r),
            ],
            closed=True,
        )
        fill(img, beard, hair)
        line(img, beard, ink, lw, closed=True)


def _attribute(
    img: Image, rank: str, rng: np.random.Generator, s: CourtStyle, w: int, h: int, ink: Bgr, lw: float
) -> None:
    x = w * rng.uniform(0.84, 0.92)
    if rank == "K":
        line(img, [(x, h * 0.12), (x, h)], s.palette[2], lw * 4)
        line(img, [(x - 0.08 * w, h * 0.72), (x + 0.07 * w, h * 0.72)], s.palette[1], lw * 4)
    elif rank == "Q":
        cx, cy, r = w * 0.2, h * rng.uniform(0.6, 0.72), w * 0.035
        line(img, [(cx, cy), (cx + 0.05 * w, h)], (40, 120, 40), lw * 2)
        n = int(rng.integers(4, 7))
        for i in range(n):
            t = 2 * np.pi * i / n
            fill(img, ellipse((cx + r * 1.3 * np.cos(t), cy + r * 1.3 * np.sin(t)), (r, r), 14), s.palette[0])
        fill(img, ellipse((cx, cy), (r * 0.8, r * 0.8), 14), s.palette[1])
    else:
        line(img, [(x, h * 0.2), (x - 0.02 * w, h)], (60, 100, 150), lw * 3)
        axe = np.array([(x, h * 0.14), (x + 0.07 * w, h * 0.22), (x, h * 0.36), (x - 0.05 * w, h * 0.24)])
        fill(img, axe, s.palette[2])
        line(img, axe, ink, lw, closed=True)


def _half(rank: str, suit: str, s: CourtStyle, w: int, h: int, paper: Bgr, ink: Bgr, pips: PipStyle) -> Image:
    rng = np.random.default_rng([s.seed, "JQK".index(rank), "cdhs".index(suit)])
    img = np.empty((h, w, 3), np.uint8)
    img[:] = paper
    lw = max(1.0, s.outline * w)
    edge = (25, 25, 25) if s.family != 5 else ink
    if s.family == 5:
        tones = tuple(mix(ink, paper, t) for t in (0.0, 0.3, 0.55, 0.8))
        s = CourtStyle(1 if rng.random() < 0.3 else 0, tones, s.outline, mix(paper, ink, 0.08), s.frame, s.seed)
    cx, cy, r = w * rng.uniform(0.44, 0.56), h * rng.uniform(0.36, 0.42), w * rng.uniform(0.13, 0.16)
    order = rng.permutation(4)
    col = [s.palette[int(i)] for i in order]
    robe = np.array(
        [
            (cx - 0.12 * w, cy + r),
            (w * 0.08, h * rng.uniform(0.66, 0.8)),
            (0, h * 0.98),
            (0, h),
            (w, h),
            (w, h * 0.98),
            (w * 0.92, h * rng.uniform(0.66, 0.8)),
            (cx + 0.12 * w, cy + r),
        ]
    )
    rich = s.family == 3
    texture = (
        _pattern(rng, h, w, col[0], col[1], edge)
        if rich or rng.random() < 0.5
        else np.full((h, w, 3), col[0], np.uint8)
    )
    _paste(img, robe, texture, edge, lw)
    panel_w = w * rng.uniform(0.10, 0.2)
    panel = np.array([(cx - panel_w, h), (cx - panel_w * 0.6, cy + r), (cx + panel_w * 0.6, cy + r), (cx + panel_w, h)])
    _paste(img, panel, _pattern(rng, h, w, col[2], col[3], edge), edge, lw)
    for side in (-1, 1):
        for k in range(int(rng.integers(1, 4))):
            x0 = cx + side * (panel_w * 1.25 + k * w * 0.09)
            line(
                img,
                [(x0, h), (cx + side * (0.13 + 0.05 * k) * w, cy + r * (1.2 + 0.25 * k))],
                col[(k + 2) % 4],
                lw * rng.uniform(2, 5),
            )
    collar = smooth(
        [(cx - 0.2 * w, cy + r * 1.15), (cx, cy + r * 1.9), (cx + 0.2 * w, cy + r * 1.15), (cx, cy + r * 1.2)],
        closed=True,
    )
    fill(img, collar, col[3])
    line(img, collar, edge, lw, closed=True)
    _attribute(img, rank, rng, s, w, h, edge, lw)
    _head(img, rank, rng, s, cx, cy, r, edge, lw)
    _crown(img, rank, rng, s, cx, cy, r, edge, lw)
    hand = ellipse((w * rng.uniform(0.25, 0.75), h * 0.86), (0.06 * w, 0.05 * w))
    fill(img, hand, s.skin)
    line(img, hand, edge, lw, closed=True)
    mark = pip_mask(suit, max(4, round(w * 0.2)), pips)
    stamp(img, mask=mark, color=ink, x=w * 0.04, y=h * 0.05)
    return img


def court_picture(
    card: str, style: CourtStyle, size_px: tuple[int, int], paper: Bgr, ink: Bgr, pips: PipStyle, glyphs: GlyphStyle
) -> Image:
    """The picture (BGR, height x width of `size_px` (w, h)) in the middle of a jack, queen or king such as "Qd"."""
    rank, suit = card[0], card[1]
    w, h = size_px
    if style.family == 4:
        img = np.empty((h, w, 3), np.uint8)
        img[:] = mix(paper, style.palette[1], 0.12)
        letter = text_mask(rank, round(h * 0.42), glyphs)
        stamp(img, letter, ink, (w - letter.shape[1]) / 2, h * 0.1)
        mark = pip_mask(suit, round(h * 0.26), pips)
        stamp(img, mark, ink, (w - mark.shape[1]) / 2, h * 0.64)
    elif style.family == 2:
        img = _half(rank, suit, style, w, h, mix(paper, style.palette[3], 0.1), ink, pips)
    else:
        top = _half(rank, suit, style, w, (h + 1) // 2, paper, ink, pips)
        img = np.concatenate([top, top[::-1, ::-1][(h % 2) :]])
        line(img, [(0, h / 2), (w, h / 2)], (40, 40, 40), max(1.0, style.outline * w))
    if style.frame:
        cv2.rectangle(img, (0, 0), (w - 1, h - 1), mix(ink, style.palette[2], 0.5), 2)
    return img
