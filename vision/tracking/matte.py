"""Chips and cards of the felt's own colour, looked at on another ground.

A green chip without an inlay on green felt is plain to see and not found by the detector, which was shown chips that stand out. What did not change since the area was
last at rest is no new chip: painted over in another colour, it leaves what came standing out as any chip does.
A plain dark green back with a white line about it looks on green felt like its print, and is found as well once what is bare is painted over.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.frames.source import Image
from vision.looks.look import CARD_APART_MM, CardSight, ChipSight, Look
from vision.looks.stacks import CHIP_RADIUS_MM
from vision.tracking.areas import AreaState, Mask
from vision.tracking.chip_changes import OWN_CHANGED, OWN_MM2, UNCHANGED, discs, explained, own_ground
from vision.tracking.piles import EDGE_PX, edge_of, mm2
from vision.tracking.tracks import changed_mask, share_inside

GROUNDS_BGR = ((225, 225, 225), (40, 40, 40))
"""Colours to paint the felt: of these the one farther from what came."""
LEAST_CARD_MM2 = 2000.0
"""So much covered ground that no card found explains may be a card that was not found; one covers 5,600."""
SURELY_FOUND = 0.6
"""Where one card is found so surely, or face up, the others of its deck are found as well: nothing is painted."""
ON_COVERED = 0.8
"""Share of a card found on another ground that must lie on covered ground."""
ARM_EDGE_MM = 20.0
"""What lies over so much of an area's edge may be an arm. A card's rounded corner, or the blur of its side, is shorter."""
EDGE_MM = 1.5
"""The paint begins so far from a chip that lay there before."""


def changed_since(state: AreaState, view: Image, level: float) -> Mask | None:
    """What of an area changed since its last rest, holes filled; None before the first."""
    if state.reference is None:
        return None
    mask = changed_mask(view, state.reference[0], state.gain(level)) & state.inside()
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(mask)
    cv2.drawContours(filled, outlines, -1, 1, -1)
    return filled


def painted(state: AreaState, view: Image, changed: Mask) -> Image:
    """A view with the ground of another colour wherever nothing changed and no chip lay."""
    stays = changed | discs(state, state.chip_sights, CHIP_RADIUS_MM + EDGE_MM)
    middle = np.median(view[changed > 0], axis=0)
    ground = max(GROUNDS_BGR, key=lambda color: float(np.abs(middle - color).sum()))
    share = cv2.GaussianBlur(stays.astype(np.float32), (0, 0), 0.8)[..., None]
    return np.asarray(view * share + np.asarray(ground, np.float32) * (1 - share), np.uint8)


def borne_out(state: AreaState, changed: Mask, chips: Sequence[ChipSight]) -> tuple[ChipSight, ...] | None:
    """The chips that lay there before or whose own ground changed; None where one has too little ground of its own to tell.

    On another ground the detector finds chips between two that lie on one another as well; of them the least surely found goes first.
    """
    left = sorted(chips, key=lambda chip: -chip.confidence)
    stays = changed | discs(state, state.chip_sights, CHIP_RADIUS_MM)
    for chip in reversed(tuple(left)):
        own_mm2, share = own_ground(state, stays, chip, left)
        if own_mm2 < OWN_MM2 or UNCHANGED < share < OWN_CHANGED:
            return None
        if share <= UNCHANGED:
            left = [other for other in left if other is not chip]
    return tuple(left)


def unexplained(state: AreaState, chips: Sequence[ChipSight], changed: Mask) -> bool:
    """Whether more changed than chips seen, or there before, can have."""
    return not explained(state, changed, state.chip_sights, chips)


def covered_ground(state: AreaState, look: Look, level: float) -> Mask | None:
    """What covers an area for cards in which hardly any were found: where cards may lie that look like the felt.

    None where too little is covered for that, or what is reaches in over the edge, as an arm does.
    """
    if any(card.face_up or card.confidence >= SURELY_FOUND for card in look.cards):
        return None
    inside = state.inside()
    covered = state.pile.ground(look.view, level, inside)
    if covered is None:
        return None
    left = _unexplained_ground(state, covered, look.cards)
    over_edge_mm = float((left & edge_of(inside)).sum()) / EDGE_PX / state.view.px_per_mm
    return None if mm2(left, state.view.px_per_mm) < LEAST_CARD_MM2 or over_edge_mm >= ARM_EDGE_MM else covered


def cards_borne_out(
    state: AreaState, covered: Mask, cards: Sequence[CardSight], found: Sequence[CardSight]
) -> tuple[CardSight, ...] | None:
    """The cards of a look with those face down found on another ground that lie on covered ground; None where they do not explain it all."""
    came = [
        card
        for card in found
        if not card.face_up
        and all(card.apart_mm(other) > CARD_APART_MM for other in cards)
        and share_inside(covered, state.view.view_from_table(card.corners_mm)) >= ON_COVERED
    ]
    together = (*cards, *came)
    left = _unexplained_ground(state, covered, together)
    return together if came and mm2(left, state.view.px_per_mm) < LEAST_CARD_MM2 else None


def _unexplained_ground(state: AreaState, covered: Mask, cards: Sequence[CardSight]) -> Mask:
    left = covered.copy()
    for card in cards:
        cv2.fillConvexPoly(left, np.round(state.view.view_from_table(card.corners_mm)).astype(np.int32), 0)
    return np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8)), np.uint8)
