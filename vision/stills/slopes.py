"""Cards that slope otherwise than the table, read through cuts of many slants.

A card that leans on others or lies on a blanket, and any card under a camera whose place was told a little wrong, is no upright
rectangle of a card's size in the table's plane. The reader knows a card only where it is cut nearly right. So what bears no name is
cut as parallelograms drawn about its outline: turned, squeezed, slanted and shifted; those most like a card's face are varied once
more. Where several cuts are read alike, by a name that no other card of the picture bears, and far more often than any other, there
that card lies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.reader import rectify_card
from vision.frames.picture import Image
from vision.looks.look import CardSight
from vision.looks.reading import HALF_PX, ReaderLike
from vision.looks.search import Place, Read, laid, likeliest, placed, read_at

FloatArray = npt.NDArray[np.float64]

SQUEEZE, SHRINK, TURN_DEG, SLANT, SHIFT_MM = 0.14, 0.06, 12.0, 0.15, 8.0
"""Spread (standard deviation) of what cuts are drawn with: logarithm of width and length, which are more often too large than too small, turn, slant, shift."""
FIRST, BEST, FURTHER, FURTHER_SHARE = 240, 12, 12, 0.3
"""Cuts of an outline; so many of the likeliest are varied, so often each, by this share of the spread."""
MOST_CARDS = 16
"""So many cards of a picture are searched, those found most surely: of a printed page dozens of lines are taken for cards."""
LEAST_ALIKE, OUTWEIGHING = 5, 3
"""Cuts that must be read alike, and how many times as many as bear any other name."""
DARK = 60.0
"""Levels of paper (the largest channel's median) below which a name is not believed: the reader learned few dark decks, and of eight names found so on one two were wrong. Of 52 of the 55 cards named of that deck it is less, of 822 on pale ones 68 and more."""


@dataclass(frozen=True, slots=True)
class Slants:
    """Ways to cut a card otherwise than outlined: (n, 2, 2) what becomes of its plane, (n, 2) shifts in mm."""

    planes: FloatArray
    shifts_mm: FloatArray

    @staticmethod
    def drawn(rng: np.random.Generator, count: int, share: float = 1.0) -> Slants:
        """So many, by a share of the spread."""
        sizes = np.exp(share * rng.normal(-SHRINK, SQUEEZE, (count, 2)))
        turns, slants = np.radians(share * rng.normal(0, TURN_DEG, count)), share * rng.normal(0, SLANT, count)
        cos, sin = np.cos(turns), np.sin(turns)
        turned = np.stack([np.stack([cos, -sin], axis=-1), np.stack([sin, cos], axis=-1)], axis=1)
        slanted = np.broadcast_to(np.eye(2), (count, 2, 2)).copy()
        slanted[:, 0, 1] = slants
        return Slants(turned @ slanted * sizes[:, None, :], share * rng.normal(0, SHIFT_MM, (count, 2)))

    def of(self, place: Place) -> list[Place]:
        """The place in all these ways."""
        return [place.slanted(plane, shift) for plane, shift in zip(self.planes, self.shifts_mm, strict=True)]


_RNG = np.random.default_rng(20261126)
WAYS, WAYS_FURTHER = Slants.drawn(_RNG, FIRST), Slants.drawn(_RNG, FURTHER, FURTHER_SHARE)
"""Drawn once: the same picture is read alike each time."""


def search_slopes(image: Image, cards: Sequence[CardSight], camera: Camera, reader: ReaderLike) -> list[CardSight]:
    """The cards, those that show their face and were not read with the name that many slanted cuts bear.

    Args:
        image: camera picture, BGR.
        cards: in it.
        camera: where the table lies in it.
        reader: reads upright cards.
    """
    out = list(cards)
    unread = [i for i, card in enumerate(cards) if card.card is None and not card.back]
    for i in sorted(unread, key=lambda i: -cards[i].confidence)[:MOST_CARDS]:
        found = _most_alike(_cut(image, cards[i], camera, reader), {other.card for other in out})
        if found is not None and not _dark(image, camera.image_from_table(found[0].corners_mm)):
            out[i] = laid(cards[i], *found, camera)
    return out


def _dark(image: Image, corners_px: FloatArray) -> bool:
    """Whether a card's paper is black, or so badly lit that colours tell little."""
    return float(np.median(rectify_card(image, corners_px + HALF_PX).max(axis=2))) < DARK


def _cut(image: Image, card: CardSight, camera: Camera, reader: ReaderLike) -> list[Read]:
    """What is read through all cuts."""
    detected = placed(card.detected_mm)
    starts = [placed(card.corners_mm), detected, *detected.other_way()]
    ways = zip(*(WAYS.of(start) for start in starts), strict=True)
    first = read_at(image, [way[i % len(starts)] for i, way in enumerate(ways)], camera, reader)
    further = [place for likely in likeliest(first, BEST) for place in WAYS_FURTHER.of(likely)]
    return first + read_at(image, further, camera, reader)


def _most_alike(tried: Sequence[Read], borne: Collection[str | None]) -> Read | None:
    """Where a card lies whose name most cuts bear, and its surest reading; None where they are few, or another name is nearly as frequent. Those that another card bears do not count."""
    told = [one for one in tried if one[1].card is not None and one[1].card not in borne]
    if not told:
        return None
    names = Counter(reading.card for _, reading in told)
    (name, most), *rest = names.most_common(2)
    if most < LEAST_ALIKE or any(most < OUTWEIGHING * count for _, count in rest):
        return None
    alike = sorted((one for one in told if one[1].card == name), key=lambda one: one[1].confidence, reverse=True)
    return _middling([place for place, _ in alike[: (most + 1) // 2]]), alike[0][1]


def _middling(places: Sequence[Place]) -> Place:
    """The mean of those that lie as the first does."""
    first = places[0]
    same = [place for place in places if np.sum(place.axes * first.axes) > 1.0]
    return replace(
        first,
        middle_mm=np.mean([place.middle_mm for place in same], axis=0),
        axes=np.mean([place.axes for place in same], axis=0),
    )
