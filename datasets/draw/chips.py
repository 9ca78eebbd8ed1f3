"""Casino chips of our own drawing: base colours with edge spots, moulds, inlays and printed values.

A `ChipDesign` is one house's chip set: one drawing for each colour. The rim's spots go on down the chip's side;
`edge_colors` gives them for drawing the cylinder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from datasets.draw.glyphs import GlyphStyle, random_family, text_mask
from datasets.draw.pips import PipStyle, pip_mask
from datasets.draw.shapes import Bgr, Image, ellipse, fill, line, mix, pick, stamp, vary

CHIP_SIZE_PX = 312
"""Side of the square picture of a top (39 mm at 8 px per mm)."""
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
OTHER_SHADES: Mapping[str, tuple[Bgr, ...]] = {
    "white": ((222, 232, 236), (212, 214, 214)),
    "red": ((70, 50, 175), (35, 30, 140), (65, 45, 200)),
    "green": ((110, 125, 10), (60, 95, 45), (75, 140, 40)),
    "black": ((56, 40, 32), (42, 42, 44)),
    "purple": ((120, 50, 125), (115, 45, 70)),
    "orange": ((50, 135, 240), (20, 105, 230)),
    "blue": ((205, 135, 15), (120, 45, 25), (185, 95, 60)),
}
"""Other makers' shades of the usual colours, BGR."""
ODD_COLORS: Mapping[str, Bgr] = {
    "pink": (175, 130, 235),
    "yellow": (50, 205, 235),
    "gold": (60, 165, 205),
    "brown": (40, 65, 110),
    "light blue": (215, 175, 110),
}
"""Colours of chips that are none of the usual ones, BGR."""
SHADE_SHARE = 0.5
"""Share of a set's colours that have another maker's shade."""
RICH_SHARE, BARE_SHARE = 0.3, 0.15
"""Shares of chip sets with a large inlay full of pictures, the chip's own colour left to a narrow rim; and without an inlay, with small
spots."""
_VALUES = {"white": "1", "red": "5", "green": "25", "black": "100", "purple": "500", "orange": "1000", "blue": "10"}
_SPOTS: tuple[Bgr, ...] = (
    (240, 240, 240), (40, 200, 245), (190, 90, 30), (40, 40, 200), (90, 170, 60), (40, 130, 240), (200, 120, 220), (30, 30, 30),
    (200, 200, 60),
)  # fmt: skip


_PALE: Bgr = (236, 238, 240)


@dataclass(frozen=True, slots=True)
class ChipDesign:
    """One chip set. `spots` edge spots of `spot_share` of their sector; radii are shares of the chip's radius.

    `rich` sets have an inlay full of little pictures; without an inlay its radius is 0.
    """

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
    rich: bool = False
    _kept: dict[str, Image] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def random(rng: np.random.Generator) -> ChipDesign:
        """A random set of chips in all of `CHIP_COLORS`."""
        u = rng.uniform
        plain = ChipDesign(
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
        own = np.random.default_rng([plain.seed, 17])
        plain = replace(plain, bases=tuple((name, _shade(own, name, base)) for name, base in plain.bases))
        kind = own.random()
        if kind < RICH_SHARE:
            return replace(
                plain, rich=True, inlay=float(own.uniform(0.54, 0.7)), spot_depth=float(own.uniform(0.12, 0.22))
            )
        if kind < RICH_SHARE + BARE_SHARE:
            small = float(own.uniform(0.08, 0.25)), float(own.uniform(0.1, 0.2))
            return replace(plain, inlay=0.0, printed=False, spots=8, spot_share=small[0], spot_depth=small[1])
        return plain

    def in_odd_color(self, color: str, odd: str) -> ChipDesign:
        """The same set, whose `color` has one of `ODD_COLORS` in its place."""
        rng = np.random.default_rng([self.seed, list(ODD_COLORS).index(odd)])
        drawn = vary(rng, ODD_COLORS[odd], 10)
        bases = tuple((name, drawn if name == color else base) for name, base in self.bases)
        return replace(self, bases=bases, _kept={})

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


def _shade(rng: np.random.Generator, name: str, usual: Bgr) -> Bgr:
    """The usual shade of a colour, or another maker's."""
    if rng.random() >= SHADE_SHARE:
        return usual
    return vary(rng, pick(rng, OTHER_SHADES[name]), 10)


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
    if d.rich:
        _picture(d, img, base, np.random.default_rng([d.seed, list(CHIP_COLORS).index(color), 5]))
    elif d.inlay and (d.style != "wedge" or d.printed):
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


def _picture(d: ChipDesign, img: Image, base: Bgr, rng: np.random.Generator) -> None:
    """A large inlay: pale, silver or tinted ground, little cards, suits and stars all over, rings, something in the middle."""
    c, r = CHIP_SIZE_PX / 2, CHIP_SIZE_PX / 2 * d.inlay
    pale, silver, tinted = (232, 236, 238), (185, 188, 190), mix(base, (255, 255, 255), float(rng.uniform(0.2, 0.8)))
    ground = vary(rng, pick(rng, (pale, silver, tinted, base), (4, 2, 4, 2)), 8)
    disk = ellipse((c, c), (r, r), 80)
    fill(img, disk, ground)
    line(
        img,
        disk,
        pick(rng, (base, _PALE, _spot_inks(d, "red")[1])),
        float(rng.uniform(0.01, 0.04)) * CHIP_SIZE_PX,
        closed=True,
    )
    inks = [_PALE, silver, (40, 40, 40), vary(rng, (40, 35, 185), 15), mix(base, (0, 0, 0), 0.4), vary(rng, ground, 40)]
    count, away = int(rng.integers(3, 11)), float(rng.uniform(0.5, 0.75)) * r
    start, size = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.2, 0.42)) * r
    shape = pick(rng, ("cards", "suits", "disks", "mixed"))
    for i in range(count):
        t = start + 2 * np.pi * i / count
        at = np.array([c + away * np.cos(t), c + away * np.sin(t)])
        kind = pick(rng, ("cards", "suits", "disks")) if shape == "mixed" else shape
        if kind == "cards":
            right, down = np.array([-np.sin(t), np.cos(t)]) * size * 0.36, np.array([np.cos(t), np.sin(t)]) * size * 0.5
            fill(img, [at - right - down, at + right - down, at + right + down, at - right + down], _PALE)
            fill(img, ellipse(at, (size * 0.15, size * 0.15), 10), pick(rng, inks))
        elif kind == "suits":
            mask = pip_mask("cdhs"[i % 4], max(6, round(size)), PipStyle())
            stamp(img, mask, pick(rng, inks), at[0] - mask.shape[1] / 2, at[1] - mask.shape[0] / 2)
        else:
            fill(img, ellipse(at, (size * 0.4, size * 0.4), 16), pick(rng, inks))
    if rng.random() < 0.6:
        middle = float(rng.uniform(0.25, 0.5)) * r
        fill(img, ellipse((c, c), (middle, middle), 40), pick(rng, (ground, _PALE, base)))
    mask = pip_mask("cdhs"[int(rng.integers(4))], max(8, round(0.4 * r)), PipStyle())
    if d.printed:
        mask = text_mask(_VALUES["red" if rng.random() < 0.5 else "green"], max(8, round(0.4 * r)), d.glyph)
    stamp(img, mask, pick(rng, inks[2:5]), c - mask.shape[1] / 2, c - mask.shape[0] / 2)


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
