"""The chips of an area from one rest to the next: which lie there, which came, and whether they explain every change of pixels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.change.gate import median_of
from vision.frames.picture import Image
from vision.looks.chips import ChipColor, counted
from vision.looks.look import ChipSight
from vision.looks.stacks import CHIP_RADIUS_MM
from vision.looks.turned import SURE_CHIP
from vision.tracking.areas import AreaState, Mask
from vision.tracking.tracks import (
    CHANGED_LEVEL,
    SAME_CHIP_MM,
    SURE_SHARE,
    SURE_UNCHANGED,
    ChipCluster,
    Consensus,
    changed_mask,
    difference,
    share_inside,
)

AROUND_MM = 27.0
"""The ground beside a chip reaches so far from its middle."""
STANDS_OUT_SHARE = 0.5
"""Share of a chip's face that must differ from the ground beside it, if that nothing changed is to say that it lies there still."""
FAINT_LEVEL, FAINT_BESIDE, FAINT_AROUND_MM = 10.0, 0.5, 40.0
"""A chip of the felt's colour came or went where its face differs by so many levels in the median, and the ground so far around it by no more than this share of it: green ones
on green felt by 13 to 19, the felt beside them by 3 to 6."""
BORNE_OUT_MOST = 2
"""Where more chips came at once one of them may lie between two others and be overlooked, though all changes are explained: of a payment of four three were found, one of them weakly, and 15.00 told
for 20.00."""
APART_MM, BESIDE_MM, PATCH_MM = (36.0, 50.0), 14.0, 2.5
"""Two chips so far from one another may have a third between them that was not found. It reaches to either side of their middle, where neither of the two nor its
shadow does: there, on patches of such a radius, both sides changed. Of a spread of four one had been paid too little for so."""
PATCH_CHANGED = 0.7
"""Share of each patch that must have changed."""
FITTED_MM, MISFIT_MM2 = 24.0, 60.0
"""Chips whose changes all lie so near to their middles, but for so much, are all the chips that came: one more, half covered, reaches farther. Of 118 amounts
told in three films 117 left nothing over, and the wrong one, with a half covered chip not found, 539 mm2."""
OWN_MM2, OWN_CHANGED, UNCHANGED = 80.0, 0.8, 0.5
"""So much of a chip's face, in sight beside the others', of which such a share changed, shows that it is there; where less than the last share changed it did not come. Between two
rows of four black chips a ninth was found with 0.59, of whose 275 mm² 15% had changed: 500.00 were told for 400.00, and an honest dealer accused. Of two outlines of no colour between five
chips, found with 0.34, 13% and 28% had changed, by a shadow."""
BARE_MM2, RIM_MM, RIM_SHARE = 200.0, (13.0, 18.0), 0.8
"""A chip of a colour whose rims, so far from their middles, differ from the bare felt to such a share lies nowhere that as much as this of its face would be in sight and more than half of
that looks as the bare felt does. Between two rows a red one was found with 0.71, whose 351 mm² were felt and print, 46% of them shaded by its neighbours: a payment too high by 25.00 was left open."""
CHANGED_SHARE = 0.2
"""Share of a chip's place from which on it changed."""
SURELY_CAME = 0.75
"""A chip of a colour that stands out came, if it is found so surely; of one found less, nearly all that is in sight of it must have changed. The nine that were none were found with 0.54 to 0.73."""
PRINT_LEVEL, SHADE_LEAST, SHADE_SPREAD = 40.0, 0.4, 0.15
"""What a shadow does to the felt is less than a change; of white print beside chips it takes up to half the light, of each colour alike. Pixels brighter than the felt by such a
level that keep this share of their light at least, their colours within the last share of one another, show the print, and no chip: beside two black chips and two green ones 110 mm² of a box's line
were so, 0.48 to 0.82 of their light left, and a Bet of two and a half times the Ante was left open."""
AWAY_MM, AWAY_MM2 = 27.0, 350.0
"""Where no chip lies any more: changes this near to the middle of one that did are its own, its shadow included, and what changed beyond them must be less than
so much; a chip covers 1,190 square millimetres."""

HIDDEN_MM2, BESIDE_CHIPS_MM = 350.0, 27.0
"""Chips are gone where the area shows the bare felt but for so much, what lies this near to a chip that is left not counted."""


def named_chips(chips: Sequence[ChipSight]) -> tuple[tuple[str, int], ...] | None:
    """Chips by colour; None where a number or a colour is unknown, or one of them is not surely found."""
    piles = [chip.chips for chip in chips if chip.sureness >= SURE_CHIP]
    if len(piles) < len(chips) or any(pile is None for pile in piles):
        return None
    return counted(name for pile in piles if pile is not None for name in pile)


def fresh_chips(
    state: AreaState, chips: Sequence[ChipSight], mask: Mask | None, level: float
) -> tuple[tuple[ChipSight, ...], tuple[ChipSight, ...]]:
    """The chips that lie where none was known to: those that came, and those that were overlooked, or are none, for no pixel changed there.

    Beside a green stake on green felt a green chip was found with 0.73 on the bare felt, whose 428 mm² differed by 4 levels: 175.00 were told to be paid for 150.00, and an honest dealer was accused.
    """
    anew = fresh(state, chips)
    view = state.looks[-1].view
    same = [c for c in anew if mask is not None and not changed_at(state, mask, c)]
    lay = [
        c
        for c in same
        if mask is not None
        and not faintly_changed_at(state, level, c, chips)
        and (_stands_out(state, view, c) or _nothing_came(state, mask, level, c, chips))
    ]
    return tuple(chip for chip in anew if all(chip is not other for other in lay)), tuple(lay)


def fresh(state: AreaState, chips: Sequence[ChipSight]) -> list[ChipSight]:
    """The chips that lie where none was known to."""
    return [chip for chip in chips if all(old.apart_mm(chip) > SAME_CHIP_MM for old in state.chip_sights)]


def chips_now(state: AreaState, seen: Consensus, mask: Mask | None, level: float) -> tuple[tuple[ChipSight, ...], bool]:
    """The chips lying there now, and whether they explain every change.

    A chip seen before and not now is still there where no pixel changed; its colour is kept for the same reason, and how surely it was found where
    what came explains every change. A chip seen now where nothing changed is believed only if every look saw it. One that went as others came, and
    changed its ground by a few levels only, leaves all open: a shadow does as much to a stake that is not found again.
    """
    chips: list[ChipSight] = []
    lain: list[ChipSight] = []
    before = list(state.chip_sights)
    clusters, doubtful = _without_phantoms(state, seen, mask, level)
    sure = all(cluster.share >= SURE_SHARE for cluster in clusters) and not doubtful
    found = [cluster.last for cluster in clusters]
    for cluster in clusters:
        count, colors = cluster.pile or (None, ())
        color = ChipColor(cluster.color, cluster.last.color.confidence)
        sight = replace(cluster.last, color=color, stack=cluster.stack, count=count, colors=colors)
        same = next((old for old in before if old.apart_mm(sight) <= SAME_CHIP_MM), None)
        still = mask is not None and not changed_at(state, mask, sight)
        if same is not None:
            before.remove(same)
            still = still or (mask is not None and _own_unchanged(state, mask, cluster.last, found, CHANGED_SHARE))
            if still and same.color.name is not None:
                sight = replace(sight, color=same.color, stack=same.stack)
            if still and same.count is not None:
                sight = replace(sight, count=same.count, colors=same.colors, color=same.color)
            if still and same.borne_out:
                sight = replace(sight, borne_out=True)
            elif still and same.confidence >= SURE_CHIP:
                lain.append(sight)
        elif (still or mask is None) and (cluster.share < 0.99 or sight.confidence < SURE_UNCHANGED):
            continue
        chips.append(sight)
    if mask is not None:
        lay = [old for old in before if not changed_at(state, mask, old)]
        unseen = [old for old in lay if not faintly_changed_at(state, level, old, chips)]
        chips += unseen
        since, then = state.since_explained(mask, level)
        fits = explained(state, since, then, chips) or explained(
            state, _without_shaded_print(state, since), then, chips
        )
        if fits and len(fresh(state, chips)) <= BORNE_OUT_MOST:
            chips = [
                replace(chip, borne_out=True) if chip in lain else _borne_out(state, since, chip, chips)
                for chip in chips
            ]
        sure = (
            sure
            and fits
            and not (len(unseen) < len(lay) and fresh(state, chips))
            and all(state.reference is not None and _stands_out(state, state.reference[0], old) for old in unseen)
            and not any(_came_unseen(state, mask, level, chip, chips) for chip in fresh(state, chips))
            and not _one_between(state, mask, chips)
        )
    return tuple(chips), sure


def _without_phantoms(
    state: AreaState, seen: Consensus, mask: Mask | None, level: float
) -> tuple[list[ChipCluster], list[ChipCluster]]:
    """The chips of a rest, and those that only some looks saw, without what is none.

    That is outlines of no colour, weakly found where nothing came: between chips that lie on one another; and chips found where the ground lies bare, on which theirs stands out.
    """
    if mask is None:
        return list(seen.chips), list(seen.doubtful_chips)
    left, covered = [*seen.chips, *seen.doubtful_chips], _covered(state, level)
    for cluster in sorted(left, key=lambda c: c.last.confidence):
        sights = [other.last for other in left]
        weak = cluster.color is None and all(sight.confidence < SURE_CHIP for sight in cluster.sights)
        if fresh(state, [cluster.last]) and (
            (weak and _nothing_came(state, mask, level, cluster.last, sights))
            or (cluster.color is not None and covered is not None and _lies_bare(state, covered, cluster.last, sights))
        ):
            left = [other for other in left if other is not cluster]
    return [c for c in seen.chips if c in left], [c for c in seen.doubtful_chips if c in left]


def _nothing_came(state: AreaState, mask: Mask, level: float, chip: ChipSight, chips: Sequence[ChipSight]) -> bool:
    """Whether what the others leave in sight of a chip's face looks as it did, not even fainter than a chip of the felt's colour."""
    if state.reference is None or not _own_unchanged(state, mask, chip, chips):
        return False
    levels = difference(state.looks[-1].view, state.reference[0], state.gain(level))
    return bool(np.median(levels[_own(state, chip, chips) > 0]) < FAINT_LEVEL)


def _covered(state: AreaState, level: float) -> Mask | None:
    """1 where the area does not look as it did without any chip; None where it was not seen so."""
    if state.bare is None:
        return None
    return changed_mask(state.looks[-1].view, state.bare[0], level / state.bare[1])


def _lies_bare(state: AreaState, covered: Mask, chip: ChipSight, chips: Sequence[ChipSight]) -> bool:
    """Whether the felt lies bare where a chip would be in sight, of a colour that stands out from it with its whole rim."""
    own_mm2, share = own_ground(state, covered, chip, chips)
    if own_mm2 < BARE_MM2 or share >= UNCHANGED:
        return False
    like = [other for other in chips if other is not chip and other.color.name == chip.color.name]
    return any(_rim_stands_out(state, covered, other, chips) for other in like)


def _rim_stands_out(state: AreaState, covered: Mask, chip: ChipSight, chips: Sequence[ChipSight]) -> bool:
    """Whether what the others leave in sight of a chip's rim differs from the bare felt below it."""
    rim = discs(state, [chip], RIM_MM[1])
    rim[discs(state, [chip], RIM_MM[0]) > 0] = 0
    rim[discs(state, [other for other in chips if other is not chip], CHIP_RADIUS_MM) > 0] = 0
    return bool(rim.sum() / state.view.px_per_mm**2 >= OWN_MM2 and covered[rim > 0].mean() >= RIM_SHARE)


def hidden(state: AreaState, chips: Sequence[ChipSight], level: float) -> bool:
    """Whether chips are found no more and the area does not look as it did without any: something of the felt's colour, a sleeve, lies over them."""
    covered = _covered(state, level) if len(chips) < len(state.chip_sights) else None
    if covered is None:
        return False
    covered &= state.inside()
    covered[discs(state, chips, BESIDE_CHIPS_MM) > 0] = 0
    return float(covered.sum()) / state.view.px_per_mm**2 > HIDDEN_MM2


def changed_at(state: AreaState, mask: Mask, sight: ChipSight) -> bool:
    """Whether pixels changed under a chip; `mask` is (h, w) of the area's view, 1 where they did."""
    return share_inside(mask, state.view.view_from_table(sight.square_mm)) >= CHANGED_SHARE


def faintly_changed_at(state: AreaState, level: float, sight: ChipSight, chips: Sequence[ChipSight]) -> bool:
    """Whether a chip of the felt's colour came or went: its face changed faintly, the bare felt around it did not."""
    if state.reference is None:
        return False
    levels = difference(state.looks[-1].view, state.reference[0], state.gain(level))
    face, ground = discs(state, [sight], 0.8 * CHIP_RADIUS_MM), discs(state, [sight], FAINT_AROUND_MM)
    face[discs(state, [chip for chip in chips if chip is not sight], CHIP_RADIUS_MM) > 0] = 0
    ground[discs(state, [*state.chip_sights, *chips], 1.15 * CHIP_RADIUS_MM) > 0] = 0
    if not face.any() or not ground.any():
        return False
    within, around = np.median(levels[face > 0]), np.median(levels[ground > 0])
    return bool(within >= FAINT_LEVEL and around <= FAINT_BESIDE * within)


def _stands_out(state: AreaState, view: Image, sight: ChipSight) -> bool:
    """Whether a chip looks otherwise than the ground beside it: a black one on black felt comes and goes without a change that could be told."""
    scale = state.view.px_per_mm
    x, y = np.round(state.view.view_from_table(sight.center_mm)).astype(int)
    face, beside = np.zeros(view.shape[:2], np.uint8), np.zeros(view.shape[:2], np.uint8)
    cv2.circle(beside, (int(x), int(y)), round(AROUND_MM * scale), 1, -1)
    cv2.circle(beside, (int(x), int(y)), round(1.1 * CHIP_RADIUS_MM * scale), 0, -1)
    cv2.circle(face, (int(x), int(y)), round(0.8 * CHIP_RADIUS_MM * scale), 1, -1)
    return _differs(view, face, beside)


def _came_unseen(state: AreaState, mask: Mask, level: float, chip: ChipSight, chips: Sequence[ChipSight]) -> bool:
    """Whether only what others cover of a chip that is found where none was changed: it is none, or lay there before.

    What changed faintly beside them is a chip of the felt's colour, or a shadow where another chip of its colour stands out from the felt: between two pairs of black ones a fifth
    was found with 0.63, 35% of its 316 mm2 changed, and 300.00 were told for 200.00. So is one that does not stand out itself where nothing changed: between two rows of four a green
    one was found with 0.54, 18% of its 230 mm2 changed, and 85.00 were told for 60.00. One weakly found, of a colour that stands out, is none unless nearly all of its own ground changed: between two rows of two black
    ones were found with 0.56 and 0.64, on print in a shadow, 40% and 53% of their 164 and 135 mm2 changed, and 300.00 were told for 200.00.
    """
    own_mm2, changed = own_ground(state, mask, chip, chips)
    if own_mm2 >= OWN_MM2 and changed >= OWN_CHANGED:
        return False
    view = state.looks[-1].view
    like = [other for other in chips if other is not chip and other.color.name == chip.color.name]
    shows = any(_stands_out(state, view, other) for other in like)
    if shows and chip.confidence < SURELY_CAME:
        return True
    if own_mm2 < OWN_MM2 or changed >= UNCHANGED:
        return False
    if not changed_at(state, mask, chip):
        return shows and not _own_stands_out(state, view, chip, chips)
    return shows or not faintly_changed_at(state, level, chip, chips)


def _own_stands_out(state: AreaState, view: Image, chip: ChipSight, chips: Sequence[ChipSight]) -> bool:
    """Whether what the others leave in sight of a chip's face looks otherwise than the ground beside it on which none lies."""
    own, beside = _own(state, chip, chips), discs(state, [chip], FAINT_AROUND_MM)
    beside[discs(state, chips, AROUND_MM) > 0] = 0
    return _differs(view, own, beside)


def _differs(view: Image, face: Mask, beside: Mask) -> bool:
    """Whether enough of a face looks otherwise than the ground beside it."""
    if not face.any() or not beside.any():
        return False
    apart = np.abs(view[face > 0].astype(np.float64) - np.median(view[beside > 0], axis=0)).max(axis=1)
    return float((apart > CHANGED_LEVEL).mean()) >= STANDS_OUT_SHARE


def _own_unchanged(
    state: AreaState, mask: Mask, chip: ChipSight, chips: Sequence[ChipSight], most: float = UNCHANGED
) -> bool:
    """Whether enough of a chip's face lies beside the others, and less of it changed than this share; by default than where one came."""
    own_mm2, changed = own_ground(state, mask, chip, chips)
    return own_mm2 >= OWN_MM2 and changed < most


def _one_between(state: AreaState, mask: Mask, chips: Sequence[ChipSight]) -> bool:
    """Whether a chip came to lie between two others that was not found."""
    radius = max(1, round(PATCH_MM * state.view.px_per_mm))
    for one, other in itertools.combinations(chips, 2):
        a, b = np.asarray(one.center_mm), np.asarray(other.center_mm)
        apart = float(np.hypot(*(b - a)))
        if not APART_MM[0] <= apart <= APART_MM[1]:
            continue
        across = np.array([a[1] - b[1], b[0] - a[0]]) * (BESIDE_MM / apart)
        sides = [(a + b) / 2 + across, (a + b) / 2 - across]
        found = (np.hypot(*(side - third.center_mm)) for side in sides for third in chips)
        if min(found) > CHIP_RADIUS_MM + PATCH_MM and all(_changed_about(state, mask, side, radius) for side in sides):
            return True
    return False


def _changed_about(state: AreaState, mask: Mask, at_mm: npt.NDArray[np.float64], radius_px: int) -> bool:
    (x, y) = np.round(state.view.view_from_table(at_mm)).astype(int)
    patch = np.zeros_like(mask)
    cv2.circle(patch, (int(x), int(y)), radius_px, 1, -1)
    return bool(patch.any()) and float(mask[patch > 0].mean()) >= PATCH_CHANGED


def _borne_out(state: AreaState, mask: Mask, chip: ChipSight, chips: Sequence[ChipSight]) -> ChipSight:
    """The chip, one weakly found marked if its face changed: where the chips explain every change no other can have come beside it."""
    if chip.confidence >= SURE_CHIP or chip.count != 1:
        return chip
    own_mm2, changed = own_ground(state, mask, chip, chips)
    return replace(chip, borne_out=True) if own_mm2 >= OWN_MM2 and changed >= OWN_CHANGED else chip


def own_ground(state: AreaState, mask: Mask, chip: ChipSight, chips: Sequence[ChipSight]) -> tuple[float, float]:
    """Square millimetres of a chip's face that no other of the chips can cover, and the share 0..1 of them that changed.

    Args:
        state: of the area.
        mask: (h, w) of its view, 1 where pixels changed.
        chip: whose face.
        chips: all that lie there.
    """
    own = _own(state, chip, chips)
    area = int(own.sum())
    return area / state.view.px_per_mm**2, float((own & mask).sum()) / max(1, area)


def _own(state: AreaState, chip: ChipSight, chips: Sequence[ChipSight]) -> Mask:
    """1 where a chip's face lies and no other of the chips can cover it."""
    own = discs(state, [chip], 0.9 * CHIP_RADIUS_MM)
    own[discs(state, [other for other in chips if other is not chip], CHIP_RADIUS_MM) > 0] = 0
    return own


def discs(state: AreaState, chips: Sequence[ChipSight], radius_mm: float) -> Mask:
    """1 where the view lies this near to the middle of a chip."""
    found = np.zeros(state.view.size_px[::-1], np.uint8)
    for chip in chips:
        x, y = np.round(state.view.view_from_table(chip.center_mm)).astype(int)
        cv2.circle(found, (int(x), int(y)), round(radius_mm * state.view.px_per_mm), 1, -1)
    return found


def _left(state: AreaState, mask: Mask, chips: Sequence[ChipSight], within_mm: float, opening_px: int) -> float:
    """Square millimetres that changed farther than this from the middle of every chip, slivers left out."""
    left = state.inside() & mask
    left[discs(state, chips, within_mm) > 0] = 0
    opened = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((opening_px, opening_px), np.uint8))
    return float(opened.sum()) / state.view.px_per_mm**2


def _without_shaded_print(state: AreaState, mask: Mask) -> Mask:
    """A mask of what changed, without the print on the bare felt that is seen in a shadow."""
    if state.bare is None:
        return mask
    felt, view = (cv2.blur(picture, (5, 5)) for picture in (state.bare[0], state.looks[-1].view))
    middle = [median_of(plane) for plane in np.ascontiguousarray(felt[state.inside() > 0].T)]
    at = np.flatnonzero(mask)
    bare, now = (picture.reshape(-1, 3)[at].astype(np.float32) for picture in (felt, view))
    left = (now + 1.0) / (bare + 1.0)
    least, most = left.min(axis=1), left.max(axis=1)
    shaded = ((bare - middle).max(axis=1) > PRINT_LEVEL) & (least >= SHADE_LEAST) & (most - least <= SHADE_SPREAD)
    kept = mask.copy()
    kept.reshape(-1)[at[shaded]] = 0
    return kept


def explained(state: AreaState, mask: Mask, before: Sequence[ChipSight], chips: Sequence[ChipSight]) -> bool:
    """Whether no more changed than the chips that were or are there can have; where none is now, less than half a chip.

    Args:
        state: of the area.
        mask: (h, w) of its view, 1 where pixels changed.
        before, chips: that lay there at the rest before, and lie there now.
    """
    if chips:
        return _left(state, mask, (*before, *chips), FITTED_MM, 3) <= MISFIT_MM2
    return _left(state, mask, before, AWAY_MM, 7) <= AWAY_MM2
