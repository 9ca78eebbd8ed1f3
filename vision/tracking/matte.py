"""Chips and cards of the felt's own colour, looked at on another ground.

A green chip without an inlay on green felt is plain to see and not found by the detector, which was shown chips that stand out. What did not change since the area was
last at rest is no new chip: painted over in another colour, it leaves what came standing out as any chip does.
A plain dark green back with a white line about it looks on green felt like its print, and is found as well once what is bare is painted over.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.frames.picture import Image
from vision.looks.look import CARD_APART_MM, CardSight, ChipSight, Look
from vision.looks.stacks import CHIP_RADIUS_MM
from vision.tracking.areas import AreaState, Mask
from vision.tracking.chip_changes import OWN_CHANGED, OWN_MM2, UNCHANGED, discs, explained, own_ground
from vision.tracking.piles import EDGE_PX, edge_of, mm2
from vision.tracking.tracks import changed_mask, share_inside

GROUNDS_BGR = ((225, 225, 225), (40, 40, 40))
"""Colours to paint the felt: of these the one farther from what came."""
FELTS_BGR = ((60, 120, 60), (120, 60, 60), (50, 50, 130))
"""Colours of felts, on which the detector knows dark chips best: of these the one farther from what came."""
WITHIN_CHIP_MM = 6.0
"""Half the distance between parts of one chip that differ from a felt of its colour: a print on its face, spots on its edge, the felt's lines that it covers."""
IN_PART = 0.4
"""Share of such a chip's own ground that must have changed; 0.53 to 0.74 of black chips on black felt, up to 0.28 by the shadow between two chips."""
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
    """What of an area changed since its last rest, holes filled; None before the first.

    Args:
        state: of the area.
        view: (h, w, 3) the area now.
        level: brightness of the table now.

    Returns:
        (h, w) 1 where it changed.
    """
    if state.reference is None:
        return None
    mask = changed_mask(view, state.reference[0], state.gain(level)) & state.inside()
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(mask)
    cv2.drawContours(filled, outlines, -1, 1, -1)
    return filled


def filled_out(state: AreaState, changed: Mask) -> Mask:
    """What changed, filled to the outlines of chips whose face has the felt's colour in part; a pixel more all round, for their rim."""
    reach = max(1, round(WITHIN_CHIP_MM * state.view.px_per_mm))
    near = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    wide = cv2.copyMakeBorder(changed, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0)
    closed = np.ascontiguousarray(cv2.morphologyEx(wide, cv2.MORPH_CLOSE, near)[reach:-reach, reach:-reach])
    outlines, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(changed)
    cv2.drawContours(filled, [cv2.convexHull(outline) for outline in outlines], -1, 1, -1)
    return np.asarray(cv2.dilate(filled, np.ones((3, 3), np.uint8)), np.uint8)


def painted(
    state: AreaState, view: Image, changed: Mask, grounds: Sequence[tuple[int, int, int]] = GROUNDS_BGR
) -> Image:
    """A view with the ground of another colour wherever nothing changed and no chip lay.

    Args:
        state: of the area, with the chips of the rest before.
        view: (h, w, 3) the area now.
        changed: (h, w) 1 where it changed.
        grounds: BGR; the one farthest from what came is taken.
    """
    stays = changed | discs(state, state.chip_sights, CHIP_RADIUS_MM + EDGE_MM)
    middle = np.median(view[changed > 0], axis=0)
    ground = max(grounds, key=lambda color: float(np.abs(middle - color).sum()))
    share = cv2.GaussianBlur(stays.astype(np.float32), (0, 0), 0.8)[..., None]
    return np.asarray(view * share + np.asarray(ground, np.float32) * (1 - share), np.uint8)


def borne_out(
    state: AreaState, changed: Mask, chips: Sequence[ChipSight], filled: Mask | None = None
) -> tuple[ChipSight, ...] | None:
    """The chips that lay there before or whose own ground changed; None where one has too little ground of its own to tell.

    On another ground the detector finds chips between two that lie on one another as well; of them the least surely found goes first.

    Args:
        filled: what changed, filled to the outlines of chips: a chip's own ground must lie within it, and less of it need have changed (`IN_PART`).
    """
    left = sorted(chips, key=lambda chip: -chip.confidence)
    lay = discs(state, state.chip_sights, CHIP_RADIUS_MM)
    least = UNCHANGED if filled is None else IN_PART
    for chip in reversed(tuple(left)):
        own_mm2, share = own_ground(state, changed | lay, chip, left)
        within = share if filled is None else own_ground(state, filled | lay, chip, left)[1]
        if own_mm2 < OWN_MM2 or (share > least and within < OWN_CHANGED):
            return None
        if share <= least:
            left = [other for other in left if other is not chip]
    return tuple(left)


def explaining(
    state: AreaState, changed: Mask, chips: Sequence[ChipSight], filled: Mask | None = None
) -> tuple[ChipSight, ...] | None:
    """The chips borne out (`borne_out`) where they explain everything that changed, else None."""
    told = borne_out(state, changed, chips, filled)
    return None if told is None or unexplained(state, told, changed) else told


def unexplained(state: AreaState, chips: Sequence[ChipSight], changed: Mask) -> bool:
    """Whether more changed (h, w, 1 where it did) than chips seen, or there before, can have."""
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


def grounds_in_turn(view: Image, covered: Mask) -> list[tuple[int, int, int]]:
    """The grounds on which a back of the felt's colour is looked for: the one farthest from what came first, those of felts last.

    Purple backs in printed boxes on a blue felt were found on a dark ground only (0.32 to 0.76), not on the pale one, which is farther from them: there they look like plates of the layout (film 2941).
    """
    middle = np.median(view[covered > 0], axis=0)

    def apart(color: tuple[int, int, int]) -> float:
        return -float(np.abs(middle - color).sum())

    return [*sorted(GROUNDS_BGR, key=apart), *sorted(FELTS_BGR, key=apart)]


def least_sure(cards: Sequence[CardSight]) -> float:
    """How surely the weakest of some cards was found; 0.0 of none."""
    return min((card.confidence for card in cards), default=0.0)


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
