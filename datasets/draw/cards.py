"""Playing cards of our own drawing: endless deck designs, each with 52 faces, a joker and a back.

A `CardDesign` is a deck; its faces are drawn once and kept. Sizes are millimetres of a poker card (63.5 x 88.9) times
`FACE_PX_PER_MM`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np

from datasets.draw import courts, glyphs, pips
from datasets.draw.backs import draw_back
from datasets.draw.courts import CourtStyle, court_picture
from datasets.draw.glyphs import GlyphStyle, text_mask
from datasets.draw.pips import PipStyle, pip_mask
from datasets.draw.shapes import Bgr, Image, ellipse, fill, line, mix, pick, rounded_mask, stamp, vary

FACE_PX_PER_MM = 8
"""Scale of the drawn faces and backs."""
FACE_SIZE_PX = (508, 711)
"""Width and height of a drawn face."""
RANKS = "23456789TJQKA"
SUITS = "cdhs"
FACES: tuple[str, ...] = tuple(r + s for s in SUITS for r in RANKS)
"""The 52 names, rank and suit, such as "Td"; a joker is "Jo"."""
HELD_OUT_OF = 6
"""One design family in so many is kept aside for validation."""

_APART_MM, _LEAST_MM = 1.5, 6.0
"""What stands in the middle of a face keeps so far from the indices, and has at least this size."""

Split = Literal["train", "val", "any"]

_COLUMNS = (0.0, 0.5, 1.0)
_LAYOUT: Mapping[str, tuple[tuple[float, float], ...]] = {
    "A": ((0.5, 0.5),),
    "2": ((0.5, 0.0), (0.5, 1.0)),
    "3": ((0.5, 0.0), (0.5, 0.5), (0.5, 1.0)),
    "4": ((0, 0), (1, 0), (0, 1), (1, 1)),
    "5": ((0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)),
    "6": ((0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1)),
    "7": ((0, 0), (1, 0), (0.5, 0.25), (0, 0.5), (1, 0.5), (0, 1), (1, 1)),
    "8": ((0, 0), (1, 0), (0.5, 0.25), (0, 0.5), (1, 0.5), (0.5, 0.75), (0, 1), (1, 1)),
    "9": ((0, 0), (1, 0), (0, 1 / 3), (1, 1 / 3), (0.5, 0.5), (0, 2 / 3), (1, 2 / 3), (0, 1), (1, 1)),
    "T": ((0, 0), (1, 0), (0.5, 1 / 6), (0, 1 / 3), (1, 1 / 3), (0, 2 / 3), (1, 2 / 3), (0.5, 5 / 6), (0, 1), (1, 1)),
}
_LETTERS = ({"J": "J", "Q": "Q", "K": "K"}, {"J": "V", "Q": "D", "K": "R"}, {"J": "B", "Q": "D", "K": "K"})


@dataclass(frozen=True, slots=True)
class CardDesign:
    """One deck's look. Lengths in millimetres; `corners` 2 or 4; `body` one of pips, big_pip, big_rank."""

    seed: int
    glyph: GlyphStyle
    pip: PipStyle
    court: CourtStyle
    paper: Bgr
    inks: tuple[Bgr, Bgr, Bgr, Bgr]
    rank_mm: float
    index_pip: float
    index_inset_mm: tuple[float, float]
    index_beside: bool
    corners: int
    body: str
    pip_mm: float
    frame_mm: float
    letters: int
    ten: str
    radius_mm: float
    _kept: dict[str, Image] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def random(rng: np.random.Generator, split: Split = "any") -> CardDesign:
        """A random deck; `train` and `val` never share a family (typeface, suit signs, courts)."""
        while True:
            family = (glyphs.random_family(rng), int(rng.integers(pips.FAMILIES)), int(rng.integers(courts.FAMILIES)))
            held_out = sum(family) % HELD_OUT_OF == 0
            if split == "any" or held_out == (split == "val"):
                return _random_design(rng, family)

    def face(self, card: str) -> Image:
        """The upright face of a card ("Qd", "Jo") as BGRA (711, 508, 4). Kept: do not write into it.

        Raises KeyError for a name that is no card.
        """
        if card not in self._kept:
            self._kept[card] = _draw_face(self, card)
        return self._kept[card]

    def back(self) -> Image:
        """The back as BGRA (711, 508, 4). Kept: do not write into it."""
        if "back" not in self._kept:
            rng = np.random.default_rng([self.seed, 77])
            self._kept["back"] = draw_back(rng, FACE_SIZE_PX, self.radius_mm * FACE_PX_PER_MM)
        return self._kept["back"]


def _random_inks(rng: np.random.Generator, dark: bool) -> tuple[Bgr, Bgr, Bgr, Bgr]:
    if dark:
        light = vary(rng, pick(rng, ((235, 235, 235), (90, 185, 225), (200, 200, 200))), 8)
        red = vary(rng, pick(rng, ((60, 60, 225), (50, 110, 235), (90, 90, 240))), 8)
    else:
        light = vary(rng, pick(rng, ((25, 22, 22), (45, 20, 15), (10, 10, 10), (60, 40, 40))), 6)
        red = vary(rng, pick(rng, ((35, 25, 205), (40, 40, 175), (25, 20, 230), (60, 50, 215), (30, 60, 210))), 10)
    if rng.random() < 0.16:
        blue = vary(rng, (205, 90, 30) if not dark else (240, 160, 60), 15)
        green = vary(rng, (50, 130, 20) if not dark else (90, 200, 90), 15)
        return (green, blue, red, light)
    return (light, red, red, light)


def _random_design(rng: np.random.Generator, family: tuple[int, int, int]) -> CardDesign:
    u = rng.uniform
    dark = bool(rng.random() < 0.05)
    paper = (
        vary(rng, (38, 34, 34), 10)
        if dark
        else vary(rng, pick(rng, ((252, 252, 252), (245, 248, 250), (232, 242, 248))), 3)
    )
    size = pick(rng, ("bridge", "standard", "jumbo", "magnum"), (0.25, 0.35, 0.28, 0.12))
    rank_mm = {"bridge": u(6.5, 8.5), "standard": u(8, 11), "jumbo": u(12, 18), "magnum": u(18, 25)}[size]
    beside = bool(size in ("jumbo", "magnum") and rng.random() < 0.3)
    body = pick(rng, ("pips", "big_pip", "big_rank"), (0.84, 0.11, 0.05) if rank_mm < 12 else (0.7, 0.22, 0.08))
    if body == "pips" and (beside or size == "magnum"):
        body = "big_pip"
    pip_mm = u(10.5, 15.0) if rank_mm < 12 else u(8.5, 12.5)
    return CardDesign(
        seed=int(rng.integers(1 << 31)),
        glyph=GlyphStyle.random(rng, family[0]),
        pip=PipStyle.random(rng, family[1]),
        court=CourtStyle.random(rng, family[2]),
        paper=paper,
        inks=_random_inks(rng, dark),
        rank_mm=rank_mm,
        index_pip=u(0.6, 0.95),
        index_inset_mm=(u(1.8, 4.2), u(2.5, 5.5)),
        index_beside=beside,
        corners=4 if rng.random() < 0.15 and rank_mm < 15 and not beside else 2,
        body=body,
        pip_mm=pip_mm,
        frame_mm=u(0.2, 0.5) if rng.random() < 0.15 else 0.0,
        letters=int(pick(rng, range(3), (0.94, 0.03, 0.03))),
        ten=pick(rng, ("10", "T"), (0.98, 0.02)),
        radius_mm=u(2.5, 4.2),
    )


def _index(d: CardDesign, img: Image, rank: str, suit: str, ink: Bgr) -> tuple[float, float]:
    """Draw the upper left index; returns its right and lower edge in px."""
    s = FACE_PX_PER_MM
    text = _LETTERS[d.letters].get(rank, d.ten if rank == "T" else rank)
    height = round(d.rank_mm * s)
    mask = text_mask(text, height, d.glyph, 0.7 if text == "10" else 1.0)
    limit = round(height * 0.95)
    if mask.shape[1] > limit:
        mask = np.asarray(cv2.resize(mask, (limit, mask.shape[0]), interpolation=cv2.INTER_AREA), np.uint8)
    mark = pip_mask(suit, max(4, round(height * d.index_pip)), d.pip)
    x, y = d.index_inset_mm[0] * s, d.index_inset_mm[1] * s
    column = max(mask.shape[1], mark.shape[1])
    stamp(img, mask, ink, x + (0 if d.index_beside else (column - mask.shape[1]) / 2), y)
    if d.index_beside:
        stamp(img, mark, ink, x + mask.shape[1] + 0.8 * s, y + 0.1 * height)
        return x + mask.shape[1] + mark.shape[1] + s, y + height
    stamp(img, mark, ink, x + (column - mark.shape[1]) / 2, y + mask.shape[0] + 0.09 * height)
    return x + column, y + mask.shape[0] + 0.09 * height + mark.shape[0]


def _turn(img: Image) -> None:
    img[:] = img[::-1, ::-1].copy()


def _body_pips(d: CardDesign, img: Image, rank: str, suit: str, ink: Bgr, index_right: float) -> None:
    w, h = FACE_SIZE_PX
    size = d.pip_mm * FACE_PX_PER_MM
    if rank == "A":
        size *= 2.6 if suit == "s" and d.seed % 3 else 1.2 + (d.seed % 5) * 0.25
    mark = pip_mask(suit, round(size), d.pip)
    left = min(max(index_right + 0.6 * mark.shape[1], 0.27 * w), 0.34 * w) if rank != "A" else 0.3 * w
    right, top = w - left, (0.17 if d.rank_mm < 12 else 0.2) * h
    low = [(px, py) for px, py in _LAYOUT[rank] if py <= 0.5]
    high = [(px, 1 - py) for px, py in _LAYOUT[rank] if py > 0.5]
    for px, py in low:
        stamp(
            img, mark, ink, left + px * (right - left) - mark.shape[1] / 2, top + py * (h - 2 * top) - mark.shape[0] / 2
        )
    _turn(img)
    for px, py in high:
        stamp(
            img,
            mark,
            ink,
            left + (1 - px) * (right - left) - mark.shape[1] / 2,
            top + py * (h - 2 * top) - mark.shape[0] / 2,
        )
    _turn(img)
    if rank == "A" and suit == "s" and d.seed % 2:
        for k in (1.15, 1.3):
            line(img, ellipse((w / 2, h / 2), (size * 0.5 * k, size * 0.58 * k), 60), ink, 3, closed=True)


def _draw_face(d: CardDesign, card: str) -> Image:
    if card == "Jo":
        return _draw_joker(d)
    if card not in FACES:
        raise KeyError(f"no card {card!r}: rank and suit such as 'Qd', or 'Jo'")
    rank, suit = card[0], card[1]
    w, h = FACE_SIZE_PX
    ink = d.inks[SUITS.index(suit)]
    img = np.empty((h, w, 3), np.uint8)
    img[:] = d.paper
    index_right = index_bottom = 0.0
    for _ in range(2):
        index_right, index_bottom = _index(d, img, rank, suit, ink)
        _turn(img)
    if d.corners == 4:
        plain = np.empty_like(img)
        plain[:] = d.paper
        _index(d, plain, rank, suit, ink)
        inset = round(d.index_inset_mm[0] * FACE_PX_PER_MM)
        strip = plain[: h // 2, inset : round(index_right) + 4]
        for _ in range(2):
            img[: h // 2, w - inset - strip.shape[1] : w - inset] = strip
            _turn(img)
    _body(d, img, card, ink, (index_right, index_bottom))
    if d.frame_mm:
        m = round(1.6 * FACE_PX_PER_MM)
        cv2.rectangle(
            img, (m, m), (w - 1 - m, h - 1 - m), mix(ink, d.paper, 0.2), max(1, round(d.frame_mm * FACE_PX_PER_MM))
        )
    return np.dstack([img, rounded_mask(w, h, d.radius_mm * FACE_PX_PER_MM)])


def _body(d: CardDesign, img: Image, card: str, ink: Bgr, index_px: tuple[float, float]) -> None:
    rank, suit = card[0], card[1]
    w, h = FACE_SIZE_PX
    index_right = index_px[0]
    if rank in "JQK" and (d.body == "pips" or d.seed % 2):
        left = round(min(max(index_right + 4, 0.16 * w), 0.30 * w))
        top = round((0.09 if d.rank_mm < 12 else 0.13) * h)
        if index_right > 0.32 * w:
            top = round(
                d.index_inset_mm[1] * FACE_PX_PER_MM
                + d.rank_mm * (1.1 if d.index_beside else 1.6) * FACE_PX_PER_MM * 0.8
            )
        picture = court_picture(card, d.court, (w - 2 * left, h - 2 * top), d.paper, ink, d.pip, d.glyph)
        img[top : h - top, left : w - left] = picture
    elif d.body == "big_rank":
        text = _LETTERS[d.letters].get(rank, d.ten if rank == "T" else rank)
        _middle(img, text_mask(text, round(0.38 * h), d.glyph, 0.75 if text == "10" else 1.0), ink, index_px)
    elif d.body == "big_pip":
        _middle(img, pip_mask(suit, round((0.3 + 0.12 * (d.seed % 3) / 2) * h), d.pip), ink, index_px)
    else:
        _body_pips(d, img, rank, suit, ink, index_right)


def _middle(img: Image, mask: Image, ink: Bgr, index_px: tuple[float, float]) -> None:
    """One sign in the middle of a face, as large as it can be beside or between the indices; none where there is no room."""
    (w, h), apart = FACE_SIZE_PX, _APART_MM * FACE_PX_PER_MM
    across, along = w - 2 * (index_px[0] + apart), h - 2 * (index_px[1] + apart)
    scale = min(1.0, max(across / mask.shape[1], along / mask.shape[0]))
    size = round(mask.shape[1] * scale), round(mask.shape[0] * scale)
    if min(size) < _LEAST_MM * FACE_PX_PER_MM:
        return
    fitted = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.uint8) if scale < 1.0 else mask
    stamp(img, fitted, ink, (w - fitted.shape[1]) / 2, (h - fitted.shape[0]) / 2)


def _draw_joker(d: CardDesign) -> Image:
    rng = np.random.default_rng([d.seed, 5])
    w, h = FACE_SIZE_PX
    img = np.empty((h, w, 3), np.uint8)
    img[:] = d.paper
    ink = d.inks[int(rng.integers(4))]
    size = round(min(d.rank_mm, 9) * 0.62 * FACE_PX_PER_MM)
    x, start = d.index_inset_mm[0] * FACE_PX_PER_MM, d.index_inset_mm[1] * FACE_PX_PER_MM
    across = rng.random() < 0.25
    for _ in range(2):
        if across:
            mask = text_mask("JOKER", size, d.glyph)
            stamp(img, mask, ink, x, start)
        else:
            for i, char in enumerate("JOKER"):
                mask = text_mask(char, size, d.glyph)
                stamp(img, mask, ink, x + (size * 0.7 - mask.shape[1]) / 2, start + i * size * 1.18)
        _turn(img)
    p = d.court.palette
    cx, cy, r = w / 2, h * 0.47, w * 0.13
    for k, side in enumerate((-1.0, 0.0, 1.0)):
        tip = (cx + side * 2.1 * r, cy - (1.7 if side else 2.8) * r)
        hat = np.array(
            [(cx - 0.9 * r + side * 0.3 * r, cy - 0.6 * r), tip, (cx + 0.9 * r + side * 0.3 * r, cy - 0.6 * r)]
        )
        fill(img, hat, p[k])
        line(img, hat, (30, 30, 30), 3, closed=True)
        fill(img, ellipse(tip, (0.22 * r, 0.22 * r)), p[3])
    fill(img, ellipse((cx, cy), (0.85 * r, 1.05 * r)), d.court.skin)
    line(img, ellipse((cx, cy), (0.85 * r, 1.05 * r)), (30, 30, 30), 3, closed=True)
    for side in (-1, 1):
        fill(img, ellipse((cx + side * 0.33 * r, cy - 0.15 * r), (0.1 * r, 0.12 * r)), (30, 30, 30))
    line(
        img,
        [
            (cx - 0.45 * r, cy + 0.4 * r),
            (cx - 0.15 * r, cy + 0.6 * r),
            (cx + 0.15 * r, cy + 0.6 * r),
            (cx + 0.45 * r, cy + 0.4 * r),
        ],
        (40, 40, 190),
        5,
    )
    n = int(rng.integers(5, 9))
    xs = np.linspace(-1.8 * r, 1.8 * r, 2 * n + 1)
    lower = [(cx + v, cy + (2.6 if i % 2 else 1.9) * r) for i, v in enumerate(xs)]
    ruff = np.array([(cx - 0.6 * r, cy + 1.0 * r), *lower, (cx + 0.6 * r, cy + 1.0 * r)])
    fill(img, ruff, p[1])
    line(img, ruff, (30, 30, 30), 3, closed=True)
    return np.dstack([img, rounded_mask(w, h, d.radius_mm * FACE_PX_PER_MM)])
