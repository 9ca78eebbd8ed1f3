"""Casino chips of our own drawing: base colours with edge spots, moulds, inlays and printed values.

A `ChipDesign` is one house's chip set: one drawing for each colour. The rim's spots go on down the chip's side;
`edge_colors` gives them for drawing the cylinder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from datasets.draw.glyphs import GlyphStyle, random_family, text_mask
from datasets.draw.pips import PipStyle, pip_mask
from datasets.draw.shapes import Bgr, Image, ellipse, fill, line, mix, pick, stamp, vary

CHIP_PX_PER_MM = 8
"""Scale of the drawn tops."""
CHIP_SIZE_PX = 312
"""Side of the square picture of a top (39 mm)."""
CHIP_COLORS: Mapping[str, Bgr] = {
    "white": (235, 238, 240),
    "red": (40, 35, 185),
    "green": (70, 115, 20),
    "black": (32, 30, 30),
    "purple": (130, 45, 95),
    "orange": (35, 115, 235),
    "blue": (165, 75, 25),
}
"""Usual colours, BGR."""
_VALUES = {"white": "1", "red": "5", "green": "25", "black": "100", "purple": "500", "orange": "1000", "blue": "10"}
_SPOTS: tuple[Bgr, ...] = (
    (240, 240, 240), (40, 200, 245), (190, 90, 30), (40, 40, 200), (90, 170, 60), (40, 130, 240), (200, 120, 220), (30, 30, 30),
    (200, 200, 60),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChipDesign:
    """One chip set. `spots` edge spots of `spot_share` of their sector; radii are shares of the chip's radius."""

    seed: int
    bases: tuple[tuple[str, Bgr], ...]
    spots: int
    spot_share: float
    spot_depth: float
    style: str
    inlay: float
    inlay_light: bool
    printed: bool
    dollar: bool
    mould: str
    wear: float
    glyph: GlyphStyle
    _kept: dict[str, Image] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def random(rng: np.random.Generator) -> ChipDesign:
        """A random set of chips in all of `CHIP_COLORS`."""
        u = rng.uniform
        return ChipDesign(
            seed=int(rng.integers(1 << 31)),
            bases=tuple((name, vary(rng, color, 10)) for name, color in CHIP_COLORS.items()),
            spots=int(pick(rng, (4, 5, 6, 8), (3, 1, 4, 3))),
            spot_share=u(0.25, 0.5),
            spot_depth=u(0.14, 0.3),
            style=pick(rng, ("plain", "duo", "tri", "bars", "wedge"), (4, 2, 1, 2, 1)),
            inlay=u(0.42, 0.66),
            inlay_light=bool(rng.random() < 0.6),
            printed=bool(rng.random() < 0.88),
            dollar=bool(rng.random() < 0.4),
            mould=pick(rng, ("none", "suits", "dots", "ring", "hats"), (3, 2, 2, 2, 1)),
            wear=u(0, 1) ** 2,
            glyph=GlyphStyle.random(rng, random_family(rng)),
        )

    def top(self, color: str) -> Image:
        """The upper face of a chip as BGRA (312, 312, 4). Kept: do not write into it.

        Raises KeyError for a colour that is not in `CHIP_COLORS`.
        """
        if color not in self._kept:
            self._kept[color] = _draw_top(self, color)
        return self._kept[color]

    def edge_colors(self, color: str) -> tuple[tuple[float, Bgr], ...]:
        """Side of the chip as (start, BGR): the colour holds from `start` to the next start.

        `start` is a share of the way round in 0..1, from the picture's +x axis towards its +y axis (clockwise as drawn).
        """
        base = dict(self.bases)[color]
        out: list[tuple[float, Bgr]] = []
        for a, b, ink in _sectors(self, color):
            out += [(a / (2 * np.pi), ink), (b / (2 * np.pi), base)]
        return tuple(sorted(out))


def _spot_inks(d: ChipDesign, color: str) -> tuple[Bgr, Bgr]:
    rng = np.random.default_rng([d.seed, list(CHIP_COLORS).index(color)])
    base = np.asarray(dict(d.bases)[color], float)
    far = [c for c in _SPOTS if float(np.abs(base - c).sum()) > 220]
    first = far[0] if rng.random() < 0.45 and color != "white" else pick(rng, far)
    return vary(rng, first, 8), vary(rng, pick(rng, far), 8)


def _sectors(d: ChipDesign, color: str) -> list[tuple[float, float, Bgr]]:
    one, two = _spot_inks(d, color)
    sector = 2 * np.pi / d.spots
    out = []
    for i in range(d.spots):
        a, width = i * sector + 0.01, sector * d.spot_share
        if d.style == "duo":
            out += [(a, a + width / 2, one), (a + width / 2, a + width, two)]
        elif d.style == "tri":
            out += [
                (a, a + width / 3, one),
                (a + width / 3, a + width * 2 / 3, two),
                (a + width * 2 / 3, a + width, one),
            ]
        elif d.style == "bars":
            out += [(a, a + width * 0.38, one), (a + width * 0.62, a + width, one)]
        else:
            out.append((a, a + width, one))
    return out


def _arc(cx: float, r0: float, r1: float, a: float, b: float, taper: float) -> np.ndarray:
    t = np.linspace(a, b, 12)
    m = (a + b) / 2
    inner = m + (t[::-1] - m) * taper
    return np.concatenate(
        [
            np.stack([cx + r1 * np.cos(t), cx + r1 * np.sin(t)], 1),
            np.stack([cx + r0 * np.cos(inner), cx + r0 * np.sin(inner)], 1),
        ]
    )


def _draw_top(d: ChipDesign, color: str) -> Image:
    n = CHIP_SIZE_PX
    c = r = n / 2
    base = dict(d.bases)[color]
    rng = np.random.default_rng([d.seed, list(CHIP_COLORS).index(color), 3])
    img = np.empty((n, n, 3), np.uint8)
    img[:] = base
    taper = 0.3 if d.style == "wedge" else 1.0
    for a, b, ink in _sectors(d, color):
        fill(img, _arc(c, r * (1 - d.spot_depth), r * 1.02, a, b, taper), ink)
    _mould(d, img, base, c, r)
    if d.style != "wedge" or d.printed:
        ground = vary(rng, (235, 238, 240), 6) if d.inlay_light else mix(base, (255, 255, 255), 0.18)
        if color == "white" and d.inlay_light:
            ground = mix(ground, _spot_inks(d, color)[0], 0.12)
        disk = ellipse((c, c), (r * d.inlay, r * d.inlay), 80)
        fill(img, disk, ground)
        line(img, disk, _spot_inks(d, color)[0], 0.02 * n, closed=True)
        if d.printed:
            text = ("$" if d.dollar else "") + _VALUES[color]
            height = round(min(r * d.inlay * 0.95, 1.9 * r * d.inlay / (0.75 * len(text) + 0.5)))
            mask = text_mask(text, height, d.glyph)
            limit = round(r * d.inlay * 1.6)
            if mask.shape[1] > limit:
                size = (limit, max(4, mask.shape[0] * limit // mask.shape[1]))
                mask = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.uint8)
            ink = (30, 30, 30) if sum(ground) > 380 else (240, 240, 240)
            stamp(img, mask, pick(rng, (ink, ink, mix(ink, base, 0.5))), c - mask.shape[1] / 2, c - mask.shape[0] / 2)
    soft = _age(d, img, rng)
    mask = np.zeros((n * 3, n * 3), np.uint8)
    cv2.circle(mask, (n * 3 // 2, n * 3 // 2), n * 3 // 2 - 2, (255,), -1)
    return np.dstack([soft, cv2.resize(mask, (n, n), interpolation=cv2.INTER_AREA)])


def _mould(d: ChipDesign, img: Image, base: Bgr, c: float, r: float) -> None:
    ink = mix(base, (0, 0, 0), 0.25) if sum(base) > 200 else mix(base, (255, 255, 255), 0.15)
    mid = (1 - d.spot_depth * 0.5) * r
    if d.mould in ("suits", "hats"):
        for i in range(2 * d.spots):
            t = (i + 0.5) * np.pi / d.spots + np.pi * d.spot_share / d.spots
            mask = pip_mask("cdhs"[i % 4] if d.mould == "suits" else "s", round(r * 0.13), PipStyle())
            stamp(img, mask, ink, c + mid * np.cos(t) - mask.shape[1] / 2, c + mid * np.sin(t) - mask.shape[0] / 2)
    elif d.mould == "dots":
        for t in np.linspace(0, 2 * np.pi, 8 * d.spots, endpoint=False):
            rr = r * (0.97 - d.spot_depth)
            fill(img, ellipse((c + rr * np.cos(t), c + rr * np.sin(t)), (0.025 * r, 0.025 * r), 10), ink)
    elif d.mould == "ring":
        line(img, ellipse((c, c), (r * (1 - d.spot_depth), r * (1 - d.spot_depth)), 80), ink, 0.02 * r, closed=True)


def _age(d: ChipDesign, img: Image, rng: np.random.Generator) -> Image:
    n = img.shape[0]
    y, x = np.mgrid[0:n, 0:n].astype(np.float32) / n - 0.5
    rim = np.clip((np.hypot(x, y) - 0.47) / 0.03, 0, 1) * 22
    noise = cv2.resize(rng.normal(0, 1, (n // 6, n // 6)).astype(np.float32), (n, n)) * (2 + 7 * d.wear)
    out = img.astype(np.float32) - rim[..., None] + noise[..., None] + (6 * d.wear)
    return np.asarray(out.clip(0, 255).round(), np.uint8)
