"""Letters and figures as pen strokes: one skeleton per character, drawn with a pen of chosen weight, contrast and serifs.

The skeletons are this project's own. A character's box is 1 high (upper edge y = 0, foot y = 1); its width is given with
it. Many typefaces come from one skeleton by the pen: weight, contrast between upright and level strokes, the angle of
the nib, serifs, width and slant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

import cv2
import numpy as np

from datasets.draw.shapes import Image, Points, ellipse, fill, pick, smooth

_Stroke = tuple[Points, bool, bool]  # points, serif at the start, serif at the end


def _s(*points: tuple[float, float], serif: str = "") -> _Stroke:
    return np.asarray(points, float), "a" in serif, "b" in serif


def _c(*points: tuple[float, float], serif: str = "") -> _Stroke:
    return smooth(points), "a" in serif, "b" in serif


def _round(cx: float, cy: float, rx: float, ry: float) -> _Stroke:
    p = ellipse((cx, cy), (rx, ry), 36)
    return np.concatenate([p, p[:2]]), False, False


_SIX = _c(
    (0.50, 0.12), (0.36, 0.0), (0.17, 0.11), (0.05, 0.42), (0.05, 0.72), (0.14, 0.94), (0.30, 1.0),
    (0.48, 0.92), (0.55, 0.69), (0.47, 0.48), (0.30, 0.41), (0.13, 0.50), (0.05, 0.70),
)  # fmt: skip
_EIGHT = _c(
    (0.29, 0.47), (0.11, 0.38), (0.06, 0.20), (0.14, 0.05), (0.29, 0.0), (0.44, 0.05), (0.52, 0.20), (0.47, 0.38),
    (0.29, 0.47), (0.10, 0.57), (0.02, 0.76), (0.10, 0.94), (0.29, 1.0), (0.48, 0.94), (0.56, 0.76), (0.48, 0.57),
    (0.29, 0.47),
)  # fmt: skip
_BOWL3 = _c((0.24, 0.46), (0.48, 0.53), (0.56, 0.73), (0.47, 0.93), (0.27, 1.0), (0.11, 0.95), (0.02, 0.80))

GLYPHS: dict[str, tuple[float, tuple[_Stroke, ...]]] = {
    "A": (
        0.72,
        (_s((0.36, 0), (0.03, 1), serif="b"), _s((0.36, 0), (0.69, 1), serif="b"), _s((0.15, 0.66), (0.57, 0.66))),
    ),
    "2": (
        0.60,
        (
            _c(
                (0.04, 0.26), (0.10, 0.09), (0.28, 0), (0.48, 0.06), (0.55, 0.24), (0.46, 0.46), (0.22, 0.74), (0.03, 1)
            ),
            _s((0.03, 1), (0.57, 1)),
        ),
    ),
    "3": (
        0.58,
        (_c((0.05, 0.18), (0.14, 0.05), (0.28, 0), (0.46, 0.05), (0.52, 0.22), (0.45, 0.40), (0.24, 0.46)), _BOWL3),
    ),
    "3f": (0.58, (_s((0.05, 0), (0.52, 0), (0.24, 0.44)), _BOWL3)),
    "4": (0.62, (_s((0.44, 1), (0.44, 0), (0.02, 0.70), (0.62, 0.70), serif="a"),)),
    "5": (
        0.58,
        (
            _s((0.52, 0), (0.13, 0), (0.08, 0.45)),
            _c(
                (0.08, 0.45),
                (0.28, 0.36),
                (0.47, 0.45),
                (0.55, 0.66),
                (0.47, 0.90),
                (0.27, 1),
                (0.10, 0.95),
                (0.02, 0.82),
            ),
        ),
    ),
    "6": (0.60, (_SIX,)),
    "7": (0.58, (_s((0.02, 0), (0.56, 0)), _c((0.56, 0), (0.36, 0.42), (0.24, 1)))),
    "8": (0.58, (_EIGHT,)),
    "9": (0.60, ((np.array([0.60, 1.0]) - _SIX[0], False, False),)),
    "1": (0.40, (_s((0.04, 0.20), (0.24, 0), (0.24, 1), serif="b"),)),
    "0": (0.58, (_round(0.29, 0.5, 0.26, 0.5),)),
    "J": (
        0.50,
        (_s((0.40, 0), (0.40, 0.72), serif="a"), _c((0.40, 0.70), (0.36, 0.92), (0.21, 1), (0.07, 0.93), (0.02, 0.74))),
    ),
    "Q": (0.74, (_round(0.36, 0.5, 0.33, 0.5), _s((0.40, 0.70), (0.72, 1.08)))),
    "K": (
        0.70,
        (
            _s((0.08, 0), (0.08, 1), serif="ab"),
            _s((0.62, 0), (0.09, 0.60), serif="a"),
            _s((0.27, 0.41), (0.66, 1), serif="b"),
        ),
    ),
    "T": (0.62, (_s((0.02, 0), (0.60, 0)), _s((0.31, 0), (0.31, 1), serif="b"))),
    "D": (
        0.68,
        (
            _s((0.08, 0), (0.08, 1), serif="ab"),
            _c((0.08, 0), (0.40, 0.02), (0.62, 0.25), (0.62, 0.75), (0.40, 0.98), (0.08, 1)),
        ),
    ),
    "V": (0.70, (_s((0.02, 0), (0.35, 1), serif="a"), _s((0.35, 1), (0.68, 0), serif="b"))),
    "R": (
        0.66,
        (
            _s((0.08, 0), (0.08, 1), serif="ab"),
            _c((0.08, 0), (0.42, 0.02), (0.57, 0.25), (0.42, 0.48), (0.08, 0.50)),
            _s((0.30, 0.50), (0.62, 1), serif="b"),
        ),
    ),
    "B": (
        0.64,
        (
            _s((0.08, 0), (0.08, 1), serif="ab"),
            _c((0.08, 0), (0.40, 0.02), (0.53, 0.23), (0.40, 0.44), (0.08, 0.46)),
            _c((0.08, 0.46), (0.44, 0.50), (0.58, 0.73), (0.44, 0.98), (0.08, 1)),
        ),
    ),
    "O": (0.72, (_round(0.36, 0.5, 0.33, 0.5),)),
    "E": (0.56, (_s((0.52, 0), (0.08, 0), (0.08, 1), (0.53, 1)), _s((0.08, 0.48), (0.42, 0.48)))),
    "$": (
        0.56,
        (
            _c(
                (0.50, 0.20),
                (0.38, 0.08),
                (0.20, 0.08),
                (0.07, 0.24),
                (0.16, 0.42),
                (0.40, 0.56),
                (0.51, 0.74),
                (0.38, 0.92),
                (0.18, 0.93),
                (0.04, 0.80),
            ),
            _s((0.28, -0.06), (0.28, 1.06)),
        ),
    ),
}
"""Width and strokes of every character; "3f" is the three with a flat top."""

FAMILIES = 7
"""Number of families `GlyphStyle.random` knows."""


@dataclass(frozen=True, slots=True)
class GlyphStyle:
    """How the pen draws: sizes are shares of the character's height, angles radians."""

    family: int = 2
    weight: float = 0.14
    contrast: float = 0.2
    nib: float = 0.0
    serif: float = 0.0
    width: float = 1.0
    slant: float = 0.0
    flat_three: bool = False

    @staticmethod
    def random(rng: np.random.Generator, family: int) -> GlyphStyle:
        """A typeface of a family: 0 book serif, 1 slab, 2 sans, 3 bold narrow, 4 light wide, 5 engraved, 6 typeset."""
        u = rng.uniform
        flat = bool(rng.random() < 0.25)
        slant = float(u(0.08, 0.22)) if rng.random() < 0.06 else 0.0
        if family == 0:
            return GlyphStyle(0, u(0.12, 0.19), u(0.45, 0.75), u(0.1, 0.4), u(0.10, 0.16), u(0.8, 1.05), slant, flat)
        if family == 1:
            return GlyphStyle(1, u(0.12, 0.20), u(0.05, 0.35), 0.0, u(0.12, 0.2), u(0.75, 1.0), slant, flat)
        if family == 3:
            return GlyphStyle(3, u(0.18, 0.26), u(0.1, 0.4), 0.0, 0.0, u(0.62, 0.85), slant, flat)
        if family == 4:
            return GlyphStyle(
                4, u(0.07, 0.12), u(0.0, 0.3), 0.0, u(0, 0.1) * (rng.random() < 0.4), u(0.95, 1.2), slant, flat
            )
        if family == 5:
            return GlyphStyle(5, u(0.06, 0.16), 0.0, 0.0, 0.0, u(0.75, 1.0), slant, flat)
        if family == 6:
            return GlyphStyle(6, u(0.35, 0.9), 0.0, 0.0, 0.0, u(0.75, 1.05), slant, flat)
        return GlyphStyle(2, u(0.12, 0.2), u(0.0, 0.3), 0.0, 0.0, u(0.78, 1.05), slant, flat)


def _pen(big: Image, stroke: _Stroke, scale: float, at: tuple[float, float], style: GlyphStyle) -> None:
    points = stroke[0] * (scale * style.width, scale) + at
    thick = style.weight * scale
    for a, b in pairwise(points):
        d = b - a
        length = float(np.hypot(*d))
        if length < 1e-6:
            continue
        lean = abs(np.sin(np.arctan2(d[1], d[0]) - style.nib))
        half = 0.5 * thick * (1 - style.contrast * (1 - lean))
        n = np.array([-d[1], d[0]]) / length * half
        fill(big, np.array([a + n, b + n, b - n, a - n]), 255)
        cv2.circle(big, (round(float(b[0])), round(float(b[1]))), max(0, round(half)), (255,), -1)
    if style.serif > 0:
        for there, p in ((stroke[1], points[0]), (stroke[2], points[-1])):
            if there:
                w, h = (style.serif + style.weight * 0.5) * scale, max(1.0, thick * (1 - style.contrast) * 0.45)
                fill(
                    big,
                    np.array([[p[0] - w, p[1] - h], [p[0] + w, p[1] - h], [p[0] + w, p[1] + h], [p[0] - w, p[1] + h]]),
                    255,
                )


def _hershey(text: str, height: int, style: GlyphStyle) -> Image:
    face = (cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_DUPLEX)[int(style.weight * 1000) % 3]
    size = 4.0
    thick = max(2, round(style.weight * 90))
    (w, h), base = cv2.getTextSize(text, face, size, thick)
    big = np.zeros((h + base + 2 * thick, w + 2 * thick), np.uint8)
    cv2.putText(big, text, (thick, h + thick), face, size, (255,), thick, cv2.LINE_AA)
    return _fit(big, height, style)


def _typeset(text: str, height: int, style: GlyphStyle) -> Image | None:
    font = getattr(cv2, "FontFace", None)
    if font is None:
        return None
    big = np.zeros((300, 160 * len(text) + 100), np.uint8)
    put: Any = cv2.putText
    try:
        put(big, text, (30, 220), (255,), font("sans"), 200, weight=round(300 + 500 * style.weight))
    except (cv2.error, TypeError):
        return None
    return _fit(big, height, style) if big.any() else None


def _fit(big: Image, height: int, style: GlyphStyle) -> Image:
    ys, xs = np.nonzero(big)
    big = np.ascontiguousarray(big[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])
    width = max(1, round(big.shape[1] * height / big.shape[0] * style.width))
    return cast(Image, cv2.resize(big, (width, height), interpolation=cv2.INTER_AREA))


@lru_cache(maxsize=4096)
def text_mask(text: str, height: int, style: GlyphStyle, squeeze: float = 1.0) -> Image:
    """Mask of a word, about `height` pixels high, cut to its ink. Do not write into it: it is shared.

    `squeeze` narrows it further (ten on a narrow index). Raises KeyError for a character no family draws.
    """
    for char in text:
        if char not in GLYPHS:
            raise KeyError(f"no drawing for {char!r}; the characters there are: {''.join(sorted(GLYPHS))}")
    mask: Image | None = None
    if style.family == 5:
        mask = _hershey(text, height, style)
    elif style.family == 6:
        mask = _typeset(text, height, style)
    if mask is None:
        if style.family == 6:
            style = GlyphStyle(2, 0.08 + 0.12 * style.weight, 0.1, 0.0, 0.0, style.width, style.slant, style.flat_three)
        mask = _stroked(text, height, style)
    if squeeze != 1.0:
        mask = cast(
            Image,
            cv2.resize(mask, (max(1, round(mask.shape[1] * squeeze)), mask.shape[0]), interpolation=cv2.INTER_AREA),
        )
    if style.slant:
        extra = round(style.slant * mask.shape[0])
        m = np.array([[1, -style.slant, extra], [0, 1, 0]], float)
        mask = cast(Image, cv2.warpAffine(mask, m, (mask.shape[1] + extra, mask.shape[0]), flags=cv2.INTER_AREA))
    return mask


def _stroked(text: str, height: int, style: GlyphStyle) -> Image:
    scale = 2.0 * height
    pad = (style.weight + style.serif) * scale
    gap = (0.12 + 0.5 * style.weight) * scale * style.width
    names = ["3f" if c == "3" and style.flat_three else c for c in text]
    width = sum(GLYPHS[c][0] for c in names) * scale * style.width + gap * (len(names) - 1) + 2 * pad
    big = np.zeros((round(scale * 1.15 + 2 * pad), round(width) + 1), np.uint8)
    x = pad
    for c in names:
        for stroke in GLYPHS[c][1]:
            _pen(big, stroke, scale, (x, pad), style)
        x += GLYPHS[c][0] * scale * style.width + gap
    ys, xs = np.nonzero(big)
    big = np.ascontiguousarray(big[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])
    ratio = 1.0 / 2.0 / (1.0 + style.weight * 0.5)
    size = (max(1, round(big.shape[1] * ratio)), max(1, round(big.shape[0] * ratio)))
    return cast(Image, cv2.resize(big, size, interpolation=cv2.INTER_AREA))


def random_family(rng: np.random.Generator) -> int:
    """One of the families, bold and plain ones more often."""
    return int(pick(rng, range(FAMILIES), (3, 2, 3, 3, 1, 1.5, 3)))
