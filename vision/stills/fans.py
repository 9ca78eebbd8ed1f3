"""Cards of a fan that nothing found, or that have no name: between two that were found they are read by their index.

Of a card in a fan a strip shows, with the index in its corner. The detector overlooks some, and lays a box across two others. Where a
card lies in a fan is known nearly: between those beside it. So every place between two cards that overlap is read, and where
several are read alike, by a name that no other card of the picture bears, there that card lies. Where no name is sure enough but many places
have the same one for likeliest, a card lies too: it is found, and said to be unread.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.reader import BACK, CLASS_NAMES
from vision.frames.picture import Image
from vision.looks.look import CardSight
from vision.looks.reading import ReaderLike
from vision.looks.search import Place, Read, laid, placed, read_at

FloatArray = npt.NDArray[np.float64]

APART_MM, MOST_TURN_DEG = (20.0, 62.0), 45.0
"""How far apart the middles of two cards lie between which others may lie covered by the one and over the other, and how far they may be turned: farther
apart two cards lie side by side."""
BESIDE_MM = 10.0
"""A card that lies so near to the way between two others stands between them, and is one of both with each; an outline so near to a name is that card's."""
STEP_MM, ALONG_MM, TURNS_DEG = 4.0, (-6.0, -3.0, 3.0, 6.0), (-6.0, 6.0)
"""Places are tried in such steps from one card to the other, each shifted along its long side and turned as well."""
LEAST_MM = 4.0
"""Nearer to a found card no other is looked for."""
LEAST_ALIKE = 3
"""Places that must be read alike."""
LEAST_LIKELY, MEAN_LIKELY = 7, 0.7
"""Places that must have the same likeliest name for a card to lie there that is not read, and its mean probability at these. Of 31 found so in 280 drawn fans of sets kept
aside 29 were cards that nothing else had found; a third of the names were wrong, so none is told."""
NARROW_MM, WIDE_MM = 6.0, 20.0
"""Two names nearer than the first are none: no strip of the lower card would show. Neither is one that is read farther apart than the second: a card lies in one place."""


def search_fans(image: Image, cards: Sequence[CardSight], camera: Camera, reader: ReaderLike) -> list[CardSight]:
    """The cards, with those that are read between two that overlap; outlines without a name take that which is read where they lie.

    Args:
        image: camera picture, BGR.
        cards: in it, each with the name that it has.
        camera: where the table lies in it.
        reader: reads upright cards.
    """
    out = list(cards)
    borne = {card.card for card in cards}
    told: dict[str, list[Read]] = defaultdict(list)
    likely: dict[str, list[Read]] = defaultdict(list)
    ends: dict[str, CardSight] = {}
    for one, other in _neighbours([card for card in cards if not card.back]):
        places = _between(placed(one.corners_mm), placed(other.corners_mm))
        for place, reading in read_at(image, places, camera, reader):
            name = reading.likeliest
            if name in CLASS_NAMES[BACK:] or name in borne:
                continue
            weaker = min(one, other, key=lambda card: card.confidence)
            likely[name].append((place, reading))
            ends.setdefault(name, weaker)
            if reading.card is not None:
                told[name].append((place, reading))
                ends[name] = weaker
    found = {name: _middling(read) for name, read in told.items() if len(read) >= LEAST_ALIKE}
    found = {name: best for name, best in found.items() if all(_apart(best[0], at) <= WIDE_MM for at, _ in told[name])}
    for name, (place, reading) in found.items():
        if any(_apart(place, other) < NARROW_MM for also, (other, _) in found.items() if also != name):
            continue
        open_here = [i for i, card in enumerate(out) if card.card is None and not card.back]
        apart = {i: _apart(place, placed(out[i].corners_mm)) for i in open_here}
        near = min(apart, key=lambda i: apart[i], default=None)
        if near is not None and apart[near] < BESIDE_MM:
            out[near] = laid(out[near], place, reading, camera)
        else:
            out.append(laid(replace(ends[name], detected_mm=place.corners_mm), place, reading, camera))
    unsure = {name: read for name, read in likely.items() if len(told[name]) < LEAST_ALIKE}
    return _with_unread(out, unsure, ends, camera)


def _with_unread(
    cards: list[CardSight], likely: Mapping[str, list[Read]], ends: Mapping[str, CardSight], camera: Camera
) -> list[CardSight]:
    """The cards, and those that lie where many places have one likeliest name, which is not sure enough to be told.

    Args:
        cards: known before.
        likely: the places, by that name.
        ends: for each name the weaker of the two cards between which it was read.
        camera: where the table lies in the picture.
    """
    out = list(cards)
    sums = {name: sum(reading.confidence for _, reading in read) for name, read in likely.items()}
    for name in sorted(likely, key=lambda name: -sums[name]):
        read, mean = likely[name], sums[name] / len(likely[name])
        if len(read) < LEAST_LIKELY or mean < MEAN_LIKELY:
            continue
        place, reading = _middling(read)
        if any(_apart(place, placed(card.corners_mm)) < BESIDE_MM for card in out):
            continue
        if any(_apart(place, at) > WIDE_MM for at, _ in read):
            continue
        card = laid(replace(ends[name], detected_mm=place.corners_mm), place, reading, camera)
        out.append(replace(card, confidence=min(card.confidence, mean), card=None, card_confidence=0.0))
    return out


def _neighbours(cards: Sequence[CardSight]) -> list[tuple[CardSight, CardSight]]:
    """Pairs of cards of a fan with no other that has a name between them."""
    out = []
    for one, other in itertools.combinations(cards, 2):
        if not APART_MM[0] <= one.apart_mm(other) <= APART_MM[1]:
            continue
        first, second = placed(one.corners_mm), placed(other.corners_mm)
        if abs(_turn_deg(first, second)) > MOST_TURN_DEG:
            continue
        named = [card for card in cards if card.card is not None and card is not one and card is not other]
        if not any(_on_the_way(card, one, other) for card in named):
            out.append((one, other))
    return out


def _on_the_way(card: CardSight, one: CardSight, other: CardSight) -> bool:
    start, way = np.asarray(one.center_mm), np.subtract(other.center_mm, one.center_mm)
    at = float((np.asarray(card.center_mm) - start) @ way / (way @ way))
    return 0 < at < 1 and float(np.hypot(*(np.asarray(card.center_mm) - start - at * way))) < BESIDE_MM


def _between(one: Place, other: Place) -> list[Place]:
    """Places on the way from one card to another, turned as far as they are on it."""
    turn, way = _turn_deg(one, other), other.middle_mm - one.middle_mm
    gap = float(np.hypot(*way))
    places = []
    for at in np.arange(LEAST_MM, gap - LEAST_MM + 1e-6, STEP_MM) / gap:
        place = Place(one.middle_mm + at * way, one.turned(float(turn * at)).axes)
        places += [place, *(place.shifted(0.0, mm) for mm in ALONG_MM), *(place.turned(deg) for deg in TURNS_DEG)]
    return places


def _turn_deg(one: Place, other: Place) -> float:
    """By how much the one has to be turned to lie as the other does, -90..90: a card looks the same after half a turn."""
    (x, y), (to_x, to_y) = one.axes[0], other.axes[0]
    turn = float(np.degrees(np.arctan2(x * to_y - y * to_x, x * to_x + y * to_y)))
    return (turn + 90.0) % 180.0 - 90.0


def _middling(read: Sequence[Read]) -> Read:
    """Of the places that are read alike the one that lies most among them."""
    middle = np.mean([place.middle_mm for place, _ in read], axis=0)
    return min(read, key=lambda one: float(np.hypot(*(one[0].middle_mm - middle))))


def _apart(one: Place, other: Place) -> float:
    """How far the middles of two places lie apart, mm."""
    return float(np.hypot(*(one.middle_mm - other.middle_mm)))
