"""Chips and backs of the felt's own colour, looked at on another ground.

A green chip without an inlay on green felt, or a plain blue back on blue felt, is plain to see and not found by the detector, which was shown things that stand out. What did not change since
the area was last at rest, or empty, is no new thing: painted over in another colour, it leaves what came standing out as any chip or card does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.areas import AreaState, Mask
from vision.chip_changes import OWN_CHANGED, OWN_MM2, discs, explained, own_ground
from vision.look import CardSight, ChipSight, Look
from vision.piles import CARD_MM2, PROBABLE, reaches_in
from vision.source import Image
from vision.stacks import CHIP_RADIUS_MM
from vision.tracks import changed_mask

GROUNDS_BGR = ((225, 225, 225), (40, 40, 40))
"""Colours to paint the felt: of these the one farther from what came."""
UNCHANGED = 0.5
"""A chip of whose own ground no more changed is none."""
CARD_APART_MM = 90.0
"""Cards whose middles are farther apart do not lie on one another, but for their corners."""
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


def cards_unfound(state: AreaState, look: Look, level: float) -> Mask | None:
    """What of an area something covers, where as much as half a card does and no card is found; None where not, or where it reaches in over the edge as a sleeve does."""
    inside = state.inside()
    covered = None if look.cards else state.pile.covered_in(look.view, level, inside)
    if covered is None or float(covered.sum()) < CARD_MM2 / 2 * state.view.px_per_mm**2 or reaches_in(covered, inside):
        return None
    return covered


def lying_apart(cards: Sequence[CardSight]) -> tuple[CardSight, ...]:
    """The cards, the surest first, that lie on no surer one, as probable ones: on another ground the detector finds cards across two as well."""
    kept: list[CardSight] = []
    for card in sorted(cards, key=lambda card: -card.confidence):
        if all(card.apart_mm(other) > CARD_APART_MM for other in kept):
            kept.append(replace(card, confidence=min(PROBABLE, card.confidence)))
    return tuple(kept)


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
