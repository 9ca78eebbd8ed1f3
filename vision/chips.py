"""Chips: colours told apart against the white of the same picture, counted one by one, and summed to cents.

A chip's rim is its colour broken by edge spots, its middle an inlay; so the ring between them is sampled and each pixel
votes. Where the votes do not agree the colour is unknown, and with one colour unknown the amount is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.rectify import bilinear
from vision.source import Image

FloatArray = npt.NDArray[np.float64]

CHIP_COLORS = ("white", "red", "green", "black", "purple", "orange", "blue")
"""Colours that are told apart."""
RING = (0.58, 0.9)
"""Radii, as shares of the chip's, between which the ring of its own colour is sampled."""
MIN_SHARE = 0.4
"""Least share of the ring's pixels that must have the chip's colour."""
BLACK_SHARE = 0.25
"""The same for black, whose edge spots are the most colourful."""
MIN_LEAD = 1.5
"""How many times more pixels than the next coloured one it must have."""


@dataclass(frozen=True, slots=True)
class ChipColor:
    """A colour with its confidence 0..1; `name` None where unsure."""

    name: str | None
    confidence: float


def white_reference(image: Image) -> FloatArray:
    """What white looks like in a picture, (3,) BGR levels: the bright, pale end of it.

    Cards, chip inlays and prints are white; where there is none the brightest level is taken for all three channels.
    """
    pixels = image.reshape(-1, 3).astype(np.float64)
    if len(pixels) > 20000:
        pixels = pixels[:: len(pixels) // 20000 + 1]
    high, low = pixels.max(axis=1), pixels.min(axis=1)
    bright = float(np.percentile(high, 99.5))
    pale = (high >= 0.75 * bright) & (low >= 0.6 * high)
    if pale.sum() < max(10, len(pixels) // 1000):
        return np.full(3, max(bright, 1.0))
    return np.asarray(np.maximum(np.percentile(pixels[pale], 75, axis=0), 1.0), dtype=np.float64)


def ring_samples(
    image: Image, center_px: Sequence[float], axes_px: npt.ArrayLike, covers_px: Sequence[Sequence[float]] = ()
) -> FloatArray:
    """(n, 3) BGR levels on the ring of a chip.

    Args:
        image: BGR picture.
        center_px: middle of the chip's upper face.
        axes_px: (2, 2) image vectors from the middle to the rim along two table directions at right angles.
        covers_px: middles of neighbouring chips; places that lie under or on one of them are left out.
    """
    axes = np.asarray(axes_px, dtype=np.float64)
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    radii = np.linspace(*RING, 5)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ axes
    inverse = np.linalg.inv(axes)
    points = (np.asarray(center_px, dtype=np.float64) + radii[:, None, None] * circle[None]).reshape(-1, 2)
    free = np.ones(len(points), bool)
    for cover in covers_px:
        free &= np.linalg.norm((points - np.asarray(cover, dtype=np.float64)) @ inverse, axis=1) > 1.06
    if free.sum() < 12:
        return np.zeros((0, 3))
    return bilinear(image, points[free].reshape(-1, 1, 2)).reshape(-1, 3)


def color_votes(samples_bgr: FloatArray, white_bgr: FloatArray) -> Counter[str]:
    """How many samples have each colour; those of no chip colour are counted as "other"."""
    relative = np.clip(samples_bgr / white_bgr, 0.0, 1.3)
    high, low = relative.max(axis=1), relative.min(axis=1)
    spread = high - low
    saturation = spread / np.maximum(high, 1e-6)
    hue = _hue_deg(relative, high, spread)
    votes: Counter[str] = Counter()
    dark = (high < 0.33) & (spread < 0.12) | (high < 0.2)
    pale = ~dark & (saturation < 0.24) & (high > 0.5)
    colored = ~dark & ~pale & (saturation > 0.33)
    votes["black"] = int(dark.sum())
    votes["white"] = int(pale.sum())
    ranges = (("red", -20, 13), ("orange", 13, 46), ("green", 75, 178), ("blue", 185, 252), ("purple", 252, 325))
    wrapped = np.where(hue > 340, hue - 360, hue)
    taken = dark | pale
    for name, start, end in ranges:
        mine = colored & (wrapped >= start) & (wrapped < end)
        votes[name] = int(mine.sum())
        taken = taken | mine
    votes["other"] = int((~taken).sum())
    return votes


def _hue_deg(relative_bgr: FloatArray, high: FloatArray, spread: FloatArray) -> FloatArray:
    blue, green, red = relative_bgr.T
    safe = np.maximum(spread, 1e-6)
    hue = np.where(
        high == red,
        ((green - blue) / safe) % 6,
        np.where(high == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    return np.asarray(hue * 60.0, dtype=np.float64)


def chip_color(samples_bgr: FloatArray, white_bgr: FloatArray) -> ChipColor:
    """The colour of a chip from the samples of its ring.

    White edge spots are common, so a coloured body beats white; a chip is white only where nearly nothing else is.
    """
    if not len(samples_bgr):
        return ChipColor(None, 0.0)
    votes = color_votes(samples_bgr, white_bgr)
    total = sum(votes.values())
    ranked = [(name, count / total) for name, count in votes.most_common() if name not in ("white", "other")]
    (name, share), (_, second) = ranked[0], ranked[1]
    white = votes["white"] / total
    if white >= 0.5 and share < (BLACK_SHARE if name == "black" else 0.45):
        return ChipColor("white", min(1.0, white - 0.5 * share))
    least, lead = (BLACK_SHARE, 1.1) if name == "black" and white < 0.65 else (MIN_SHARE, MIN_LEAD)
    if share >= least and share >= lead * second:
        return ChipColor(name, min(1.0, share + (1 - share) * (share - second)))
    return ChipColor(None, 0.0)


def counted(colors: Iterable[str | None]) -> tuple[tuple[str, int], ...] | None:
    """Chips by colour, sorted by name; None where one colour is unknown."""
    names = list(colors)
    if any(name is None for name in names):
        return None
    return tuple(sorted(Counter(name for name in names if name is not None).items()))


def amount_cents(chips: tuple[tuple[str, int], ...] | None, values_cents: Mapping[str, int]) -> int | None:
    """What chips are worth in cents; None where they are unknown or one colour has no value at this table."""
    if chips is None or any(color not in values_cents for color, _ in chips):
        return None
    return sum(values_cents[color] * count for color, count in chips)
