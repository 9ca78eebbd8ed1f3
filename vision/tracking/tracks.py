"""Several looks at one rest made into one statement, and cards followed from rest to rest.

Looks at a thing at rest differ by noise only; what most of them show is there, what few show is not, and where they
are split more looks are needed. A card's identity is settled by all its looks together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames.picture import Image, largest_level
from vision.looks.look import SAME_CARD_MM, CardSight, ChipSight, Look, OnTable

FloatArray = npt.NDArray[np.float64]
S = TypeVar("S", CardSight, ChipSight)

FANNED_MM = 8.0
"""Cards read as different ones whose middles are farther apart than this are two."""
SAME_CHIP_MM = 12.0
"""Sights of different looks nearer than this are the same chip."""
SURE_SHARE = 0.75
"""Seen in at least this share of the looks: there. In at most the rest: not there. Between: look again."""
SURE_UNCHANGED = 0.5
"""Confidence from which on a thing is believed where no change of pixels speaks for it."""
READ_CONFIDENCE = 0.75
"""Least mean confidence, over the looks that answered, for an identity to be given."""
CHANGED_LEVEL = 26
"""Levels by which a pixel of a view differs when something else lies there."""
FAINT_LEVEL, FAINT_BESIDE = 6.0, 0.34
"""By so many levels in the median a whole card's outline differs where one of the felt's colour lies, and around it by no more than this share of it: plain blue backs on
blue felt by 12, the felt around them by 0."""


@dataclass(frozen=True, slots=True)
class CardCluster:
    """One card over the looks of a rest; `share` of the looks that saw it."""

    sights: tuple[CardSight, ...]
    share: float

    @property
    def last(self) -> CardSight:
        """The newest sight."""
        return self.sights[-1]

    @property
    def face_up(self) -> bool:
        """Which side most looks saw."""
        return 2 * sum(sight.face_up for sight in self.sights) > len(self.sights)

    @property
    def confidence(self) -> float:
        """Mean confidence of the detector."""
        return float(np.mean([sight.confidence for sight in self.sights]))


@dataclass(frozen=True, slots=True)
class ChipCluster:
    """One chip or stack over the looks of a rest."""

    sights: tuple[ChipSight, ...]
    share: float

    @property
    def last(self) -> ChipSight:
        """The newest sight."""
        return self.sights[-1]

    @property
    def stack(self) -> bool:
        """Whether any look took it for a stack; then its height is unknown."""
        return any(sight.stack for sight in self.sights)

    @property
    def pile(self) -> tuple[int, tuple[str, ...]] | None:
        """The count, and the colours from the felt up where it is above one, that the looks agree on; None where they do not.

        Most looks must tell, and none may tell otherwise.
        """
        told = {(sight.count, sight.colors) for sight in self.sights if sight.count is not None}
        known = sum(sight.count is not None for sight in self.sights)
        if len(told) != 1 or 2 * known <= len(self.sights):
            return None
        count, colors = told.pop()
        assert count is not None
        return count, colors

    @property
    def color(self) -> str | None:
        """The colour the looks agree on, None where they do not."""
        names = {sight.color.name for sight in self.sights if sight.color.name is not None}
        known = sum(sight.color.name is not None for sight in self.sights)
        return names.pop() if len(names) == 1 and 2 * known > len(self.sights) else None


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the looks of one rest say together.

    Attributes:
        cards: those that are there.
        chips: those that are there.
        settled: nothing is split between the looks.
        doubtful_chips: chips that some looks saw and most did not.
    """

    cards: tuple[CardCluster, ...]
    chips: tuple[ChipCluster, ...]
    settled: bool
    doubtful_chips: tuple[ChipCluster, ...] = ()


def consensus(looks: Sequence[Look]) -> Consensus:
    """What a number of looks at the same rest say together."""
    cards = [
        CardCluster(tuple(group), len(group) / len(looks))
        for group in _grouped([look.cards for look in looks], SAME_CARD_MM)
    ]
    chips = [
        ChipCluster(tuple(group), len(group) / len(looks))
        for group in _grouped([look.chips for look in looks], SAME_CHIP_MM)
    ]
    shares = [card.share for card in cards] + [chip.share for chip in chips]
    settled = all(share >= SURE_SHARE or share <= 1 - SURE_SHARE for share in shares)
    doubtful = tuple(chip for chip in chips if 0.2 < chip.share <= 0.5)
    return Consensus(
        tuple(c for c in cards if c.share > 0.5), tuple(c for c in chips if c.share > 0.5), settled, doubtful
    )


def same_cards(one: Look, other: Look) -> bool:
    """Whether two looks saw the same cards, the same sides up, in the same places."""

    def is_in(card: CardSight, look: Look) -> bool:
        return any(
            (card.face_up, card.card) == (there.face_up, there.card) and card.apart_mm(there) <= FANNED_MM
            for there in look.cards
        )

    alike = all(is_in(card, other) for card in one.cards) and all(is_in(card, one) for card in other.cards)
    return alike and len(one.cards) == len(other.cards) > 0


def same_faces(one: Look, other: Look) -> bool:
    """Whether two looks saw cards with the same sides up."""
    return {card.face_up for card in one.cards} == {card.face_up for card in other.cards}


def same_chips(one: Look, other: Look) -> bool:
    """Whether two looks saw chips of the same colours in the same places."""
    (before, seen), apart = (one.chips, other.chips), SAME_CHIP_MM
    pairs = [[chip.color.name == old.color.name and chip.apart_mm(old) <= apart for old in before] for chip in seen]
    return len(before) == len(seen) > 0 and all(map(any, pairs)) and all(map(any, zip(*pairs, strict=True)))


def _grouped(looks: Sequence[Sequence[S]], reach_mm: float) -> list[list[S]]:
    """Sights grouped by place, at most one of each look in a group, the nearest together."""
    groups: list[list[S]] = []
    for sights in looks:
        near = sorted(
            (apart, i, g)
            for i, sight in enumerate(sights)
            for g, group in enumerate(groups)
            if (apart := sight.apart_mm(group[-1])) <= reach_mm and not _of_a_fan(sight, group[-1], apart)
        )
        taken: dict[int, int] = {}
        for _, i, g in near:
            if i not in taken and g not in taken.values():
                taken[i] = g
        for i, sight in enumerate(sights):
            if i in taken:
                groups[taken[i]].append(sight)
            else:
                groups.append([sight])
    return groups


def _of_a_fan(one: CardSight | ChipSight, other: CardSight | ChipSight, apart_mm: float) -> bool:
    """Whether two sights near one another are of two cards; one read wrongly is found in the same place."""
    if not isinstance(one, CardSight) or not isinstance(other, CardSight):
        return False
    return apart_mm > FANNED_MM and None not in (one.card, other.card) and one.card != other.card


@dataclass(slots=True)
class CardTrack(OnTable):
    """A card followed over time; the same `card_id` as long as it is the same card.

    Attributes:
        readings: (identity or None, confidence) of every look since it was last turned.
        card: the identity given out, None while unread.
        stack: whether it was announced as a stack of cards, not as a card.
    """

    card_id: int
    area: str
    center_mm: tuple[float, float]
    corners_mm: FloatArray
    corners_px: FloatArray
    face_up: bool
    confidence: float
    readings: list[tuple[str | None, float]] = field(default_factory=list)
    card: str | None = None
    card_confidence: float = 0.0
    looks_again: int = 0
    stack: bool = False

    def take(self, cluster: CardCluster) -> None:
        """Take place and readings of a new rest."""
        if cluster.face_up != self.face_up:
            self.readings = []
            self.card, self.card_confidence = None, 0.0
            self.looks_again = 0
        self.face_up = cluster.face_up
        self.center_mm = cluster.last.center_mm
        self.corners_mm, self.corners_px = cluster.last.corners_mm, cluster.last.corners_px
        self.confidence = cluster.confidence
        self.readings.extend((sight.card, sight.card_confidence) for sight in cluster.sights if sight.face_up)

    def identity(self) -> tuple[str, float] | None:
        """The identity all readings agree on with its confidence, None where unsure."""
        return fused(self.readings) if self.face_up else None


def fused(readings: Sequence[tuple[str | None, float]]) -> tuple[str, float] | None:
    """One identity from many readings: answered at least twice or always, without a serious other answer."""
    weights: dict[str, list[float]] = {}
    for card, confidence in readings:
        if card is not None:
            weights.setdefault(card, []).append(confidence)
    if not weights:
        return None
    best = max(sorted(weights), key=lambda card: sum(weights[card]))
    mine = weights[best]
    others = sum(sum(w) for card, w in weights.items() if card != best)
    mean = float(np.mean(mine))
    if mean < READ_CONFIDENCE or others > 0.15 * sum(mine) or (len(mine) < 2 <= len(readings)):
        return None
    return best, mean


def changed_mask(now: Image, then: Image, gain: float, level: float = CHANGED_LEVEL) -> npt.NDArray[np.uint8]:
    """(h, w) 1 where two views of the same area differ.

    Args:
        now, then: (h, w, 3).
        gain: brightness of the table now over that of then.
        level: of 255, more than which is a difference.
    """
    return np.asarray(difference(now, then, gain) > level, dtype=np.uint8)


def difference(now: Image, then: Image, gain: float) -> npt.NDArray[np.uint8]:
    """(h, w) levels by which the pixels of two views of the same area differ, after a common gain in brightness, over 5 x 5 pixels."""
    scaled = cv2.convertScaleAbs(then, alpha=gain)
    return largest_level(np.asarray(cv2.blur(cv2.absdiff(now, scaled), (5, 5)), np.uint8))


def faintly_changed(levels: npt.NDArray[np.uint8], corners_px: FloatArray) -> bool:
    """Whether a card's outline differs as a whole, by a few levels, from what lay around it, where nothing changed: a back of the felt's colour.

    Args:
        levels: (h, w) see `difference`.
        corners_px: (4, 2) of the outline in the view.
    """
    middle = corners_px.mean(axis=0)
    inside, around = np.zeros_like(levels), np.zeros_like(levels)
    for mask, scale, value in ((inside, 0.85, 1), (around, 1.4, 1), (around, 1.15, 0)):
        cv2.fillConvexPoly(mask, np.round(middle + scale * (corners_px - middle)).astype(np.int32), value)
    if not inside.any() or not around.any():
        return False
    within, beside = np.median(levels[inside > 0]), np.median(levels[around > 0])
    return bool(within >= FAINT_LEVEL and beside <= FAINT_BESIDE * within)


def share_inside(mask: npt.NDArray[np.uint8], corners_px: FloatArray) -> float:
    """Share of a polygon's pixels in which the mask is set; 0 where it lies outside."""
    inside = np.zeros_like(mask)
    cv2.fillConvexPoly(inside, np.round(corners_px).astype(np.int32), 1)
    total = int(inside.sum())
    return float((mask & inside).sum()) / total if total else 0.0


def matched(
    tracks: Sequence[CardTrack], clusters: Sequence[CardCluster]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pairs (track, cluster), tracks left, clusters left.

    Nearest first, those that look the same before those turned, identities that contradict never.
    """
    costs = sorted(
        (cost, t, c)
        for t, track in enumerate(tracks)
        for c, cluster in enumerate(clusters)
        if (cost := _cost(track, cluster)) is not None
    )
    free_tracks, free_clusters = set(range(len(tracks))), set(range(len(clusters)))
    pairs: list[tuple[int, int]] = []
    for _, t, c in costs:
        if t in free_tracks and c in free_clusters:
            pairs.append((t, c))
            free_tracks.remove(t)
            free_clusters.remove(c)
    return sorted(pairs), sorted(free_tracks), sorted(free_clusters)


def _cost(track: CardTrack, cluster: CardCluster) -> float | None:
    distance = track.apart_mm(cluster.last)
    if track.face_up and cluster.face_up and track.card is not None:
        seen = fused([(sight.card, sight.card_confidence) for sight in cluster.sights])
        if seen is not None:
            return distance - 1000.0 if seen[0] == track.card else None
    if track.face_up == cluster.face_up:
        return distance
    return distance + 40.0
