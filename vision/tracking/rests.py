"""What a rest says of an area against the one before: cards and chips that came, went, or lie as they lay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.layout import AreaKind
from rules.events import Side
from vision.looks.look import ChipSight
from vision.tracking.areas import LYING_MM, AreaState, RestSettings
from vision.tracking.chip_changes import changed_at, chips_now, faintly_changed_at, fresh_chips, hidden, named_chips
from vision.tracking.tracks import (
    CHANGED_LEVEL,
    SAME_CHIP_MM,
    SURE_UNCHANGED,
    CardCluster,
    CardTrack,
    Consensus,
    consensus,
    difference,
    faintly_changed,
    share_inside,
)

FloatArray = npt.NDArray[np.float64]

SURE_CARD, COVERING_BARE, SPANNING_BARE = 0.75, 0.04, 0.1
"""Confidence below which a box among surer cards must cover its ground: felt shows in at most the first share of a card's outline that is
a millimetre or two off, in more than the second of a box across the notches between cards laid on one another (0.18 where one was seen, 0.01 at most in the cards beside it)."""
OVERLAP_MM = 60.0
"""Outlines whose middles are nearer than this lie on one another."""
COVERED_BARE = 0.15
"""A card face down that is not found any more where no more than this share of its ground is bare may lie under the others: cards laid back together lie
some 3 mm off, which bares a tenth at most."""
CLOTH_LEVEL = 6.0
"""The ground of a card that was taken away differs in the median by no more levels from what it was before: by 0 to 3 where 115 were, in three films."""


@dataclass(frozen=True, slots=True)
class RestResult:
    """A rest on which the looks agree, or on which no more looks are worth it.

    Attributes:
        seen: what the looks say together.
        gone: tracks that are there no more.
        stays: tracks that were not seen but whose pixels did not change: still there.
        new: clusters (by index) that belong to no track near.
        pairs: (track, cluster) of what lies where it lay.
        chips: the chips that lie there now, those unseen where no pixel changed included.
        chips_sure: whether every change of pixels is explained by them.
        chips_changed: whether pixels changed where chips were or are.
        beside: chips that came while all that lay there stayed untouched; None where something else happened.
        overlooked: chips seen for the first time where no pixel changed though they stand out from the felt: they lay there before.
        covered: those of `gone` that may lie under the cards found.
        lay: those of `new` on whose ground no pixel changed: they lay there before and were not found.
        weak: clusters too weakly seen, where no pixel changed, to be told.
        doubtful: clusters whose outline lies on another one and on bare ground: there may be fewer cards than outlines.
        unfound: no chip lay or lies there, but pixels changed as by one.
        hidden: chips, or all cards, are found no more, and what lies there is neither chips nor cards nor the bare felt.
        unclear_before: at the rest before chips did not explain what was seen: one found now may have lain there then.
    """

    seen: Consensus
    pairs: tuple[tuple[int, int], ...]
    gone: tuple[int, ...]
    stays: tuple[int, ...]
    new: tuple[int, ...]
    chips: tuple[ChipSight, ...]
    chips_sure: bool
    chips_changed: bool
    beside: tuple[ChipSight, ...] | None = None
    overlooked: tuple[ChipSight, ...] = ()
    covered: tuple[int, ...] = ()
    lay: tuple[int, ...] = ()
    weak: tuple[int, ...] = ()
    doubtful: tuple[int, ...] = ()
    unfound: bool = False
    hidden: bool = False
    unclear_before: bool = False

    @property
    def fewer_cards(self) -> bool:
        """Whether a card is gone that no other one elsewhere in the area can be; cards turned and spread lie elsewhere, none is gone."""
        return len(self.gone) > len(self.new)

    @property
    def cards_vanished(self) -> bool:
        """Whether a card is gone that no other one elsewhere in the area can be, nor lie under those found."""
        return len(self.gone) - len(self.covered) > len(self.new)

    @property
    def counted_chips(self) -> tuple[tuple[str, int], ...] | None:
        """Chips by colour; None with an unknown number or colour, or something unexplained."""
        return named_chips(self.chips) if self.chips_sure else None


def judged(state: AreaState, level: float, settings: RestSettings) -> RestResult | None:
    """What a rest says, None while more looks are needed."""
    looks = state.looks
    if len(looks) < settings.min_looks:
        return None
    seen = consensus(looks)
    last_chance = len(looks) >= settings.max_looks
    if not seen.settled and not last_chance:
        return None
    result = compared(state, seen, level)
    vanished = result.cards_vanished or len(result.chips) < len(state.chip_sights)
    if vanished and looks[-1].t_s - looks[0].t_s < settings.vanish_s - 1e-6:
        return None
    open_amount = (
        result.chips_changed and result.counted_chips is None and all(c.count is not None for c in result.chips)
    )
    if open_amount and not last_chance:
        return None
    return result


def compared(state: AreaState, seen: Consensus, level: float) -> RestResult:
    """A consensus against what lay there before, pixels included."""
    mask = levels = None
    if state.reference is not None:
        levels = difference(state.looks[-1].view, state.reference[0], state.gain(level))
        mask = np.asarray(levels > CHANGED_LEVEL, np.uint8)

    def changed(corners_mm: FloatArray, share: float) -> bool:
        if mask is None or levels is None:
            return False
        outline = state.view.view_from_table(corners_mm)
        return share_inside(mask, outline) >= share or faintly_changed(levels, outline)

    def same(track: CardTrack) -> bool:
        return mask is not None and not changed(track.corners_mm, 0.2)

    pairs = _lying(state.tracks, seen)
    paired_tracks, paired_clusters = {t for t, _ in pairs}, {i for _, i in pairs}
    stays: list[int] = []
    gone: list[int] = []
    for t, track in enumerate(state.tracks):
        if t not in paired_tracks:
            (stays if same(track) else gone).append(t)
    unfound = set() if seen.cards else _on_covered_ground(state, gone, level)
    stays, gone = sorted({*stays, *unfound}), [t for t in gone if t not in unfound]
    # A card that looks as it did was not turned, whatever it is taken for now; what was taken for a back may be read as a face at last.
    unturned = {
        t
        for t, i in pairs
        if state.tracks[t].face_up != seen.cards[i].face_up
        and (state.tracks[t].face_up or all(sight.card is None for sight in seen.cards[i].sights))
        and same(state.tracks[t])
    }
    stays += sorted(unturned)
    pairs = [(t, i) for t, i in pairs if t not in unturned]
    new, lay, weak = [], [], []
    bare = _on_bare_ground(state, seen, level)
    for i, cluster in enumerate(seen.cards):
        if i in paired_clusters or i in bare:
            continue
        fresh = changed(cluster.last.corners_mm, 0.15)
        if fresh or (cluster.share >= 0.99 and cluster.confidence >= SURE_UNCHANGED):
            new.append(i)
            if mask is not None and not fresh:
                lay.append(i)
        else:
            weak.append(i)
    chips, sure = chips_now(state, seen, mask, level)
    came, overlooked = fresh_chips(state, chips, mask, level)
    old_changed = mask is not None and (
        any(changed_at(state, mask, old) for old in state.chip_sights)
        or any(all(old.apart_mm(chip) > SAME_CHIP_MM for chip in chips) for old in state.chip_sights)
    )
    chips_changed = (
        mask is None
        or old_changed
        or any(changed_at(state, mask, chip) for chip in chips)
        or any(faintly_changed_at(state, level, chip, chips) for chip in came)
    )
    beside = None if mask is None or not sure or old_changed else came
    covered = _under_others(state, seen, gone, level)
    return RestResult(
        seen, tuple(pairs), tuple(gone), tuple(stays), tuple(new), chips, sure, chips_changed, beside, overlooked, covered,
        tuple(lay), tuple(weak), _doubtful(state, seen, level),
        unfound=state.area.kind is AreaKind.WAGER and not (chips or state.chip_sights or sure),
        hidden=not seen.cards and (hidden(state, chips, level) or _under_cloth(state, gone, level)),
        unclear_before=state.explained is not None,
    )  # fmt: skip


def _bare_shares(state: AreaState, outlines_mm: Sequence[FloatArray], level: float) -> list[float]:
    """Share of each outline (4, 2) on the table where the ground shows; empty before the area was seen empty."""
    outlines_px = [state.view.view_from_table(outline) for outline in outlines_mm]
    return state.pile.bare_shares(state.looks[-1].view, level, state.inside(), outlines_px)


def _under_others(state: AreaState, seen: Consensus, gone: Sequence[int], level: float) -> tuple[int, ...]:
    """Tracks of cards face down that are not found any more, though their ground is covered or only their player touched them: those found may lie on them."""
    if not seen.cards:
        return ()
    covered = _on_covered_ground(state, gone, level)
    return tuple(t for t in _face_down(state, gone) if t in covered or tucked(state, state.tracks[t], seen.cards))


def _on_covered_ground(state: AreaState, gone: Sequence[int], level: float) -> set[int]:
    """Tracks of cards face down that are not found any more though hardly any of their ground is bare: they lie there, under others or not made out."""
    down = _face_down(state, gone)
    bare = _bare_shares(state, [state.tracks[t].corners_mm for t in down], level) if down else []
    return {t for t, share in zip(down, bare, strict=False) if share <= COVERED_BARE}


def _under_cloth(state: AreaState, gone: Sequence[int], level: float) -> bool:
    """Whether the ground of a card that is found no more differs a little from the felt when the area lay empty, as a sleeve of its colour does."""
    if not gone or state.pile.empty is None:
        return False
    levels = difference(state.looks[-1].view, state.pile.empty[0], level / state.pile.empty[1])
    for t in gone:
        ground = np.zeros(levels.shape, np.uint8)
        outline = state.view.view_from_table(state.tracks[t].corners_mm)
        cv2.fillConvexPoly(ground, np.round(outline).astype(np.int32), 1)
        inside = levels[(ground & state.inside()) > 0]
        if inside.size and np.median(inside) > CLOTH_LEVEL:
            return True
    return False


def _face_down(state: AreaState, tracks: Sequence[int]) -> list[int]:
    """Those of some tracks that are single cards face down."""
    return [t for t in tracks if not state.tracks[t].face_up and not state.tracks[t].stack]


def tucked(state: AreaState, track: CardTrack, clusters: Sequence[CardCluster]) -> bool:
    """Whether a player's card face down that is not found any more may lie under his others: only his hands were there, and he takes no card away."""
    if state.area.seat is None or track.face_up or track.stack or state.visits.side is not Side.PLAYER:
        return False
    return any(not c.face_up and track.apart_mm(c.last) < OVERLAP_MM for c in clusters)


def _doubtful(state: AreaState, seen: Consensus, level: float) -> tuple[int, ...]:
    """Outlines across one another that both show felt, as two boxes about one card do; cards that lie on cards cover theirs."""
    middles = [np.asarray(cluster.last.center_mm) for cluster in seen.cards]
    crossed = [
        i
        for i, a in enumerate(middles)
        if any(np.hypot(*(a - b)) < OVERLAP_MM for k, b in enumerate(middles) if k != i)
    ]
    if not crossed:
        return ()
    bare = _bare_shares(state, [seen.cards[i].last.corners_mm for i in crossed], level)
    return tuple(i for i, share in zip(crossed, bare, strict=False) if share > SPANNING_BARE)


def _on_bare_ground(state: AreaState, seen: Consensus, level: float) -> set[int]:
    """Boxes that span cards and the ground between them: weakly seen, and felt shows in them while the others cover theirs."""
    weak = {i for i, cluster in enumerate(seen.cards) if cluster.confidence < SURE_CARD}
    if not weak or len(weak) == len(seen.cards):
        return set()
    bare = _bare_shares(state, [cluster.last.corners_mm for cluster in seen.cards], level)
    if not bare or any(share > COVERING_BARE for i, share in enumerate(bare) if i not in weak):
        return set()
    return {i for i in weak if bare[i] > SPANNING_BARE}


def _lying(tracks: Sequence[CardTrack], seen: Consensus) -> list[tuple[int, int]]:
    """(track, cluster) of the cards seen where they lay."""
    near = sorted((track.apart_mm(c.last), t, i) for t, track in enumerate(tracks) for i, c in enumerate(seen.cards))
    pairs: list[tuple[int, int]] = []
    for distance, t, i in near:
        if distance <= LYING_MM and all(t != a and i != b for a, b in pairs):
            pairs.append((t, i))
    return pairs
