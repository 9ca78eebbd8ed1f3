"""Small drawing tools shared by cards, chips, felts and hands: smooth curves, filled masks, blending.

Pictures are BGR or BGRA uint8 arrays of shape (height, width, channels); masks are uint8 (height, width), 255 = inside;
points are float arrays (n, 2) of pixel x, y.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]
Bgr = tuple[int, int, int]

_SHIFT = 4


def smooth(points: Sequence[tuple[float, float]], closed: bool = False, steps: int = 8) -> Points:
    """Catmull-Rom curve through the points, with `steps` samples between two of them."""
    p = np.asarray(points, float)
    ends = (p[-1:], p[:2]) if closed else (p[:1] * 2 - p[1:2], p[-1:] * 2 - p[-2:-1])
    q = np.concatenate([ends[0], p, ends[1]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    out = []
    for i in range(len(q) - 3):
        a, b, c, d = q[i : i + 4]
        out.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3))
    if not closed:
        out.append(p[-1:])
    return cast(Points, np.concatenate(out))


def bezier(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, d: npt.ArrayLike, steps: int = 16) -> Points:
    """Cubic curve from a to d with handles b and c."""
    t = np.linspace(0, 1, steps)[:, None]
    pa, pb, pc, pd = (np.asarray(v, float) for v in (a, b, c, d))
    return cast(Points, (1 - t) ** 3 * pa + 3 * (1 - t) ** 2 * t * pb + 3 * (1 - t) * t**2 * pc + t**3 * pd)


def ellipse(center: npt.ArrayLike, radii: Sequence[float], steps: int = 40, turn: float = 0.0) -> Points:
    """Points of an ellipse, turned by `turn` radians."""
    t = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    x, y = radii[0] * np.cos(t), radii[1] * np.sin(t)
    middle = np.asarray(center, float)
    turned = np.stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)], axis=1)
    return np.asarray(turned + middle, np.float64)


def fill(image: Image, points: npt.ArrayLike, color: Sequence[int] | int) -> None:
    """Fill a polygon with soft edges, in place."""
    p = np.round(np.asarray(points, float) * (1 << _SHIFT)).astype(np.int32)
    value = (color,) if isinstance(color, int) else tuple(int(c) for c in color)
    cv2.fillPoly(image, [p], value, cv2.LINE_AA, _SHIFT)


def line(image: Image, points: npt.ArrayLike, color: Sequence[int] | int, width: float, closed: bool = False) -> None:
    """Draw a polyline with soft edges, in place."""
    p = np.round(np.asarray(points, float) * (1 << _SHIFT)).astype(np.int32)
    value = (color,) if isinstance(color, int) else tuple(int(c) for c in color)
    cv2.polylines(image, [p], closed, value, max(1, round(width)), cv2.LINE_AA, _SHIFT)


def stamp(image: Image, mask: Image, color: Sequence[int], x: float, y: float) -> None:
    """Paint `color` through `mask` with its upper left corner at (x, y), cut at the picture's edge, in place."""
    h, w = mask.shape[:2]
    x0, y0 = round(x), round(y)
    xa, ya, xb, yb = max(0, x0), max(0, y0), min(image.shape[1], x0 + w), min(image.shape[0], y0 + h)
    if xa >= xb or ya >= yb:
        return
    alpha = mask[ya - y0 : yb - y0, xa - x0 : xb - x0, None].astype(np.uint16)
    part = image[ya:yb, xa:xb, :3].astype(np.uint16)
    ink = np.asarray(color[:3], np.uint16)
    image[ya:yb, xa:xb, :3] = ((part * (255 - alpha) + ink * alpha + 127) // 255).astype(np.uint8)


def over(image: Image, sprite: Image, x: float, y: float) -> None:
    """Lay a BGRA sprite on a BGR picture with its upper left corner at (x, y), in place."""
    h, w = sprite.shape[:2]
    x0, y0 = round(x), round(y)
    xa, ya, xb, yb = max(0, x0), max(0, y0), min(image.shape[1], x0 + w), min(image.shape[0], y0 + h)
    if xa >= xb or ya >= yb:
        return
    part = sprite[ya - y0 : yb - y0, xa - x0 : xb - x0]
    alpha = part[..., 3:].astype(np.uint16)
    below = image[ya:yb, xa:xb, :3].astype(np.uint16)
    image[ya:yb, xa:xb, :3] = ((below * (255 - alpha) + part[..., :3] * alpha + 127) // 255).astype(np.uint8)


@lru_cache(maxsize=64)
def rounded_mask(width: int, height: int, radius: float) -> Image:
    """Mask of a rectangle with round corners, soft at its edge. Do not write into it: it is shared."""
    scale = 3
    big = np.zeros((height * scale, width * scale), np.uint8)
    r = max(1.0, radius * scale)
    w, h = width * scale, height * scale
    corners = []
    for cx, cy, start in ((w - r, h - r, 0.0), (r, h - r, 0.5), (r, r, 1.0), (w - r, r, 1.5)):
        t = np.linspace(start * np.pi, (start + 0.5) * np.pi, 16)
        corners.append(np.stack([cx + r * np.cos(t), cy + r * np.sin(t)], axis=1))
    fill(big, np.concatenate(corners) - 0.5, 255)
    return cast(Image, cv2.resize(big, (width, height), interpolation=cv2.INTER_AREA))


def mix(a: Sequence[float], b: Sequence[float], share: float) -> Bgr:
    """Colour between a (share 0) and b (share 1)."""
    c = [round(float(x) * (1 - share) + float(y) * share) for x, y in zip(a, b, strict=True)]
    return (min(255, max(0, c[0])), min(255, max(0, c[1])), min(255, max(0, c[2])))


def hsv(hue_deg: float, saturation: float, value: float) -> Bgr:
    """BGR of a hue in degrees, saturation and value in 0..1."""
    px = np.array([[[hue_deg % 360 / 2, saturation * 255, value * 255]]]).round().clip(0, 255).astype(np.uint8)
    b, g, r = (int(v) for v in cv2.cvtColor(px, cv2.COLOR_HSV2BGR)[0, 0])
    return (b, g, r)


def vary(rng: np.random.Generator, color: Sequence[float], spread: float = 12.0) -> Bgr:
    """A colour near the one given."""
    c = np.clip(np.asarray(color, float) + rng.normal(0, spread, 3), 0, 255).round().astype(int)
    return (int(c[0]), int(c[1]), int(c[2]))


def vary_within(rng: np.random.Generator, color: Bgr, by: int) -> Bgr:
    """A colour of whose three levels each differs by at most so much, every difference alike."""
    b, g, r = (int(np.clip(level + rng.integers(-by, by + 1), 0, 255)) for level in color)
    return b, g, r


def pick(rng: np.random.Generator, options: Sequence[Any], weights: Sequence[float] | None = None) -> Any:
    """One of the options, all alike or by weight."""
    if weights is None:
        return options[int(rng.integers(len(options)))]
    w = np.asarray(weights, float)
    return options[int(rng.choice(len(options), p=w / w.sum()))]
