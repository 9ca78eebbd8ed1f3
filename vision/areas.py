"""One area over time: disturbed, at rest, looked at, settled.

An area that moves or lies under a hand is *disturbed*. When it has been still for a moment it is *at rest*; then it is
looked at several times, spread over the rest, until the looks agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.layout import Area
from rules.events import Side
from vision.chips import ChipColor, counted
from vision.hands import Visits
from vision.look import ChipSight, Look
from vision.moments import AreaFilm, Arrival, Moment
from vision.piles import Pile, without_slivers
from vision.rectify import AreaView
from vision.source import Image
from vision.stacks import CHIP_RADIUS_MM
from vision.tracks import (
    CHANGED_LEVEL,
    SAME_CARD_MM,
    SAME_CHIP_MM,
    SURE_SHARE,
    CardCluster,
    CardTrack,
    Consensus,
    changed_mask,
    consensus,
    share_inside,
)

Mask = npt.NDArray[np.uint8]

LYING_MM = 20.0
"""A card whose middle moved less than this since the last rest is the same card."""
SURE_UNCHANGED = 0.5
"""Confidence from which on a thing is believed where no change of pixels speaks for it."""
SURE_CARD, COVERING_BARE, SPANNING_BARE = 0.75, 0.04, 0.1
"""Confidence below which a box among surer cards must cover its ground: felt shows in at most the first share of a card's outline that is
a millimetre or two off, in more than the second of a box across the notches between cards laid on one another (0.18 where one was seen, 0.01 at most in the cards beside it)."""
COVERED_BARE = 0.15
"""A card face down that is not found any more where no more than this share of its ground is bare may lie under the others: cards laid back together lie
some 3 mm off, which bares a tenth at most."""
EXPLAINED_MM = 27.0
"""Changes this near to a chip's middle are its own, its shadow included."""
SAME_LEVEL, SAME_PIECE_MM, SAME_MM2 = 16.0, 5, 40.0
"""A rest that differs from the last one by this level (of 255) in pieces this wide of no more than this in all shows the same: a
chip covers 1,190 square millimetres, a card 5,600. From `tracks.CHANGED_LEVEL` on a change is believed; noise is in smaller pieces."""
SAME_PILE_LEVEL, SAME_PILE_MM2 = 8.0, 12
"""The same for areas with a card face down, without regard to how wide the pieces are. A card laid a millimetre beside the one below
it changes a strip 60 to 90 mm long by more than that, unless felt and card are alike; then no look tells either."""
STANDS_OUT_SHARE = 0.5
"""Share of a chip's face that must differ from the ground beside it, if that nothing changed is to say that it lies there still."""
SURE_CHIP = 0.5
"""Where a chip is found less surely another may not be found at all: the amount is open. Of 149 amounts told in four films the one with such a chip was wrong:
seven of eight chips were found."""
UNEXPLAINED_MM2 = 350.0
"""Changes larger than this where no chip is leave the amount open; a chip covers 1,190 square millimetres."""


@dataclass(frozen=True, slots=True)
class RestSettings:
    """Times in seconds of capture time.

    Attributes:
        settle_s: stillness before the first look.
        between_s: time from look to look.
        min_looks: looks before anything is said.
        max_looks: looks after which the majority has to do.
        vanish_s: how long something must be gone before it is said to be.
        again_s: time between further looks at what could not be read.
        max_again: how many of those.
    """

    settle_s: float = 0.17
    between_s: float = 0.1
    min_looks: int = 3
    max_looks: int = 8
    vanish_s: float = 0.4
    again_s: float = 0.6
    max_again: int = 4


@dataclass(frozen=True, slots=True)
class Laid:
    """A card that came to lie on others: between two times, the look that showed it, and whether it is proven, not only probable."""

    earliest_s: float | None
    t_s: float
    look: Look
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Explained:
    """A rest at which an area's chips explained all that was seen in it: its view, the table's brightness, the chips."""

    view: Image
    level: float
    chips: tuple[ChipSight, ...]


@dataclass(slots=True)
class AreaState:
    """What is known of one area and where it stands between two rests.

    Attributes:
        tracks: cards lying there.
        chips: chips by colour, empty where there are none, None where unknown.
        chip_sights: the chips of the last settled rest.
        reference: the view of the last settled rest, with the table's brightness then.
        disturbed: whether something may have changed since.
        active_s: last time it moved or was covered.
        stirred_s: since when something may have happened that is not said yet; None before the first rest.
        visits: hands over it since the last settled rest.
        looks: looks of the rest going on.
        glimpses: beginning and last look of rests since the last settled one that were too short to be sure.
        pile: how the ground that cards cover grew.
        laid: cards that came to lie on others before anything here was sure.
        searched: whether a card that could not be read here is worth looking for beside its outline.
        explained: how it looked when its chips explained all of it, None where that was at the last settled rest.
        covering: a card that came to lie on others since the last settled rest, it or one of them face up.
        touched_s: when it first moved or was covered after the last look.
        hidden: ids of cards that lie here under others, first laid first.
        covered: whether a hand is over it.
        sides: whose hands were over it since the last look.
        outdated: whether something settled since the gate last took the area for known.
        film: what the small picture showed of it since it last lay still; without it nothing is dated back.
    """

    index: int
    area: Area
    view: AreaView
    tracks: list[CardTrack] = field(default_factory=list)
    chips: tuple[tuple[str, int], ...] | None = ()
    chip_sights: tuple[ChipSight, ...] = ()
    reference: tuple[Image, float] | None = None
    disturbed: bool = True
    active_s: float | None = None
    stirred_s: float | None = None
    visits: Visits = field(default_factory=Visits)
    looks: list[Look] = field(default_factory=list)
    next_look_s: float = 0.0
    again: int = 0
    glimpses: list[tuple[float, Look]] = field(default_factory=list)
    pile: Pile = field(default_factory=Pile)
    laid: list[Laid] = field(default_factory=list)
    covering: Laid | None = None
    searched: bool = False
    explained: Explained | None = None
    touched_s: float | None = None
    hidden: list[int] = field(default_factory=list)
    covered: bool = False
    sides: set[Side | None] = field(default_factory=set)
    outdated: bool = False
    film: AreaFilm | None = None

    def hand_over(self, covered: bool, side: Side | None) -> None:
        """Whether a hand is over it in this frame, and whose."""
        if covered:
            self.pile.visits += not self.covered
            self.sides.add(side)
        self.covered = covered

    def stand_at(self, camera: Camera) -> None:
        """The camera stands elsewhere: what lies here keeps its place on the table and gets another in the picture."""
        self.view = AreaView.around(self.area.polygon_mm, camera)
        for track in self.tracks:
            track.corners_px = camera.image_from_table(track.corners_mm)
        moved = []
        for sight in self.chip_sights:
            (x, y), rim = camera.image_from_table(
                [sight.center_mm, (sight.center_mm[0] + CHIP_RADIUS_MM, sight.center_mm[1])]
            )
            radius = float(np.hypot(rim[0] - x, rim[1] - y))
            moved.append(replace(sight, center_px=(float(x), float(y)), radius_px=radius))
        self.chip_sights = tuple(moved)

    def disturb(self, t_s: float) -> None:
        """Something moves here, or a hand is over it."""
        if self.looks and self.active_s is not None:
            self.glimpses.append((self.active_s, self.looks[-1]))
        if not self.disturbed:
            self.stirred_s = t_s
        if self.touched_s is None:
            self.touched_s = t_s
        self.disturbed = True
        self.active_s = t_s
        self.looks.clear()
        self.again = 0

    def wants_look(self, t_s: float, settings: RestSettings) -> bool:
        """Whether it is at rest and its next look is due."""
        if not self.disturbed:
            return self.again > 0 and t_s >= self.next_look_s
        quiet = self.active_s is None or t_s - self.active_s >= settings.settle_s - 1e-6
        return quiet and t_s >= self.next_look_s - 1e-6

    def glimpsed_s(self, cluster: CardCluster) -> float | None:
        """When a card now certain was first seen lying so, in a rest too short to be sure; None if it was not."""
        for since_s, look in self.glimpses:
            for sight in look.cards:
                apart = np.hypot(
                    sight.center_mm[0] - cluster.last.center_mm[0], sight.center_mm[1] - cluster.last.center_mm[1]
                )
                if sight.face_up == cluster.face_up and apart <= SAME_CARD_MM:
                    return since_s
        return None

    def moment(self, *outlines_mm: npt.ArrayLike) -> Moment | None:
        """When the places inside outlines came to look as they did at the last look; None where that was not seen."""
        if self.film is None or not self.looks:
            return None
        return self.film.moment([np.asarray(outline, np.float64) for outline in outlines_mm], self.looks[-1].t_s)

    def arrivals(self, ground: npt.NDArray[np.bool_]) -> list[Arrival] | None:
        """How ground of the view came to be covered as it is at the last look; None where that was not seen."""
        if self.film is None or not self.looks:
            return None
        return self.film.arrivals(self._outlines_mm(ground), self.looks[-1].t_s)

    def redrawn_moment(self) -> Moment | None:
        """When the pile came to look as it does, a card more on it; None where that was not seen."""
        redrawn = self.pile.redrawn
        return None if redrawn is None else self.moment(*self._outlines_mm(redrawn))

    def _outlines_mm(self, ground: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.float64]]:
        """Corners on the table of the pieces of a mask of the view, slivers of two pixels left out."""
        outlines, _ = cv2.findContours(without_slivers(ground), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        return [self.view.table_from_view(outline[:, 0].astype(np.float64)) for outline in outlines]

    def turned_px(self, look: Look) -> list[npt.NDArray[np.float64]]:
        """Outlines in the view of the cards of a look that show another side than a card known to lie there."""
        return [
            self.view.view_from_table(sight.corners_mm)
            for sight in look.cards
            for track in self.tracks
            if sight.face_up != track.face_up and np.hypot(*np.subtract(sight.center_mm, track.center_mm)) <= LYING_MM
        ]

    def chips_moment(self, chips: Sequence[ChipSight]) -> Moment | None:
        """When the last of the chips that lay there, or lie there now, came or went; None where one of them does not tell."""
        before = self.chip_sights
        came = [chip for chip in chips if all(_apart_mm(chip, old) > SAME_CHIP_MM for old in before)]
        went = [old for old in before if all(_apart_mm(chip, old) > SAME_CHIP_MM for chip in chips)]
        moments = [moment for chip in (*came, *went) if (moment := self.moment(_square_mm(chip))) is not None]
        if not moments or len(moments) < len(came) + len(went):
            return None
        return Moment(max(m.earliest_s for m in moments), max(m.latest_s for m in moments))

    def inside(self) -> Mask:
        """Pixels of the view that lie within the area, 1 there."""
        mask = np.zeros(self.view.size_px[::-1], np.uint8)
        polygon = np.round(self.view.view_from_table(np.asarray(self.area.polygon_mm))).astype(np.int32)
        cv2.fillConvexPoly(mask, polygon, 1)
        return mask

    @property
    def hides(self) -> bool:
        """Whether a card lies face down here, on which another may come to lie that is hardly to be told from it."""
        return any(not track.face_up for track in self.tracks)

    def shows_the_same(self, image: Image, level: float) -> bool:
        """Whether the area looks as at its last rest and nothing in it could be read better by looking again.

        Cards laid on cards may differ by less than a chip does, so where one lies face down hardly a pixel may differ.
        """
        if self.reference is None or any(track.face_up and track.card is None for track in self.tracks):
            return False
        limit = SAME_PILE_LEVEL if self.hides else SAME_LEVEL
        mask = changed_mask(self.view.cut(image), self.reference[0], self.gain(level), limit) & self.inside()
        if self.hides:
            return int(mask.sum()) <= SAME_PILE_MM2
        piece = np.ones((SAME_PIECE_MM, SAME_PIECE_MM), np.uint8)
        return int(cv2.morphologyEx(mask, cv2.MORPH_OPEN, piece).sum()) <= SAME_MM2

    def left_as_it_was(self) -> None:
        """It was disturbed and shows the same: no hand laid anything."""
        if self.hides:
            self.pile.visits, self.touched_s = 0, None
            self.sides.clear()
        self.disturbed = False
        self.visits.clear()
        self.glimpses.clear()

    def explain(self, explained: bool) -> None:
        """A rest is about to be told whose chips explain every change, or not.

        Where they do not, what the area looked like before is kept to compare with: a chip that was not found would else be taken for a
        part of the felt.
        """
        if explained:
            self.explained = None
        elif self.explained is None and self.reference is not None:
            self.explained = Explained(*self.reference, self.chip_sights)

    def since_explained(self, mask: Mask, level: float) -> tuple[Mask, tuple[ChipSight, ...]]:
        """What changed since all was explained, and the chips then; `mask` is what changed since the last rest."""
        if self.explained is None:
            return mask, self.chip_sights
        return changed_mask(
            self.looks[-1].view, self.explained.view, level / self.explained.level
        ), self.explained.chips

    def gain(self, level: float) -> float:
        """Brightness now over brightness of the reference."""
        return level / self.reference[1] if self.reference is not None else 1.0


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

    @property
    def fewer_cards(self) -> bool:
        """Whether a card is gone that no other one elsewhere in the area can be; cards turned and spread lie elsewhere, none is gone."""
        return len(self.gone) > len(self.new)

    @property
    def counted_chips(self) -> tuple[tuple[str, int], ...] | None:
        """Chips by colour; None with an unknown number or colour, or something unexplained."""
        return named_chips(self.chips) if self.chips_sure else None


def named_chips(chips: Sequence[ChipSight]) -> tuple[tuple[str, int], ...] | None:
    """Chips by colour; None where a number or a colour is unknown, or one of them is not surely found."""
    piles = [chip.chips for chip in chips if chip.confidence >= SURE_CHIP]
    if len(piles) < len(chips) or any(pile is None for pile in piles):
        return None
    return counted(name for pile in piles if pile is not None for name in pile)


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
    vanished = result.fewer_cards or len(result.chips) < len(state.chip_sights)
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
    mask = None
    if state.reference is not None:
        mask = changed_mask(state.looks[-1].view, state.reference[0], state.gain(level))

    def same(track: CardTrack) -> bool:
        return mask is not None and share_inside(mask, state.view.view_from_table(track.corners_mm)) < 0.2

    pairs = _lying(state.tracks, seen)
    paired_tracks, paired_clusters = {t for t, _ in pairs}, {i for _, i in pairs}
    stays: list[int] = []
    gone: list[int] = []
    for t, track in enumerate(state.tracks):
        if t not in paired_tracks:
            (stays if same(track) else gone).append(t)
    # A face that looks as it did was not turned down, whatever it is taken for now.
    turned = {t for t, i in pairs if state.tracks[t].face_up and not seen.cards[i].face_up and same(state.tracks[t])}
    stays += sorted(turned)
    pairs = [(t, i) for t, i in pairs if t not in turned]
    new = []
    bare = _on_bare_ground(state, seen, level)
    for i, cluster in enumerate(seen.cards):
        if i in paired_clusters or i in bare:
            continue
        fresh = mask is not None and share_inside(mask, state.view.view_from_table(cluster.last.corners_mm)) >= 0.15
        if fresh or (cluster.share >= 0.99 and cluster.confidence >= SURE_UNCHANGED):
            new.append(i)
    chips, sure = _chips_now(state, seen, mask, level)
    changed = mask is None or any(_changed_at(state, mask, sight) for sight in (*state.chip_sights, *chips))
    came, overlooked = _fresh(state, chips, mask)
    beside = (
        None if mask is None or not sure or any(_changed_at(state, mask, old) for old in state.chip_sights) else came
    )
    covered = _under_others(state, seen, gone, level)
    return RestResult(
        seen, tuple(pairs), tuple(gone), tuple(stays), tuple(new), chips, sure, changed, beside, overlooked, covered
    )


def _under_others(state: AreaState, seen: Consensus, gone: Sequence[int], level: float) -> tuple[int, ...]:
    """Tracks of cards face down that are not found any more though their ground is covered: the cards found may lie on them."""
    down = [t for t in gone if not state.tracks[t].face_up and not state.tracks[t].stack]
    if not down or not seen.cards:
        return ()
    outlines = [state.view.view_from_table(state.tracks[t].corners_mm) for t in down]
    bare = state.pile.bare_shares(state.looks[-1].view, level, state.inside(), outlines)
    return tuple(t for t, share in zip(down, bare, strict=False) if share <= COVERED_BARE)


def _on_bare_ground(state: AreaState, seen: Consensus, level: float) -> set[int]:
    """Boxes that span cards and the ground between them: weakly seen, and felt shows in them while the others cover theirs."""
    weak = {i for i, cluster in enumerate(seen.cards) if cluster.confidence < SURE_CARD}
    if not weak or len(weak) == len(seen.cards):
        return set()
    outlines = [state.view.view_from_table(cluster.last.corners_mm) for cluster in seen.cards]
    bare = state.pile.bare_shares(state.looks[-1].view, level, state.inside(), outlines)
    if not bare or any(share > COVERING_BARE for i, share in enumerate(bare) if i not in weak):
        return set()
    return {i for i in weak if bare[i] > SPANNING_BARE}


def _fresh(
    state: AreaState, chips: Sequence[ChipSight], mask: Mask | None
) -> tuple[tuple[ChipSight, ...], tuple[ChipSight, ...]]:
    """The chips that lie where none was known to: those that came, and those that were overlooked, for no pixel changed there."""
    fresh = [chip for chip in chips if all(_apart_mm(old, chip) > SAME_CHIP_MM for old in state.chip_sights)]
    view = state.looks[-1].view
    lay = [c for c in fresh if mask is not None and not _changed_at(state, mask, c) and _stands_out(state, view, c)]
    return tuple(chip for chip in fresh if all(chip is not other for other in lay)), tuple(lay)


def _lying(tracks: Sequence[CardTrack], seen: Consensus) -> list[tuple[int, int]]:
    """(track, cluster) of the cards seen where they lay."""
    near = sorted(
        (float(np.hypot(track.center_mm[0] - c.last.center_mm[0], track.center_mm[1] - c.last.center_mm[1])), t, i)
        for t, track in enumerate(tracks)
        for i, c in enumerate(seen.cards)
    )
    pairs: list[tuple[int, int]] = []
    for distance, t, i in near:
        if distance <= LYING_MM and all(t != a and i != b for a, b in pairs):
            pairs.append((t, i))
    return pairs


def _chips_now(
    state: AreaState, seen: Consensus, mask: Mask | None, level: float
) -> tuple[tuple[ChipSight, ...], bool]:
    """The chips lying there now, and whether they explain every change.

    A chip seen before and not now is still there where no pixel changed; its colour is kept for the same reason. A chip
    seen now where nothing changed is believed only if every look saw it.
    """
    chips: list[ChipSight] = []
    before = list(state.chip_sights)
    sure = all(cluster.share >= SURE_SHARE for cluster in seen.chips) and not seen.doubtful_chips
    for cluster in seen.chips:
        count, colors = cluster.pile or (None, ())
        color = ChipColor(cluster.color, cluster.last.color.confidence)
        sight = replace(cluster.last, color=color, stack=cluster.stack, count=count, colors=colors)
        same = next((old for old in before if _apart_mm(old, sight) <= SAME_CHIP_MM), None)
        still = mask is not None and not _changed_at(state, mask, sight)
        if same is not None:
            before.remove(same)
            if still and same.color.name is not None:
                sight = replace(sight, color=same.color, stack=same.stack)
            if still and same.count is not None:
                sight = replace(sight, count=same.count, colors=same.colors, color=same.color)
        elif (still or mask is None) and (cluster.share < 0.99 or sight.confidence < SURE_UNCHANGED):
            continue
        chips.append(sight)
    if mask is not None:
        unseen = [old for old in before if not _changed_at(state, mask, old)]
        chips += unseen
        sure = (
            sure
            and all(state.reference is not None and _stands_out(state, state.reference[0], old) for old in unseen)
            and not _unexplained(state, *state.since_explained(mask, level), chips)
        )
    return tuple(chips), sure


def _apart_mm(one: ChipSight, other: ChipSight) -> float:
    return float(np.hypot(one.center_mm[0] - other.center_mm[0], one.center_mm[1] - other.center_mm[1]))


def _changed_at(state: AreaState, mask: Mask, sight: ChipSight) -> bool:
    """Whether pixels changed under a chip."""
    return share_inside(mask, state.view.view_from_table(_square_mm(sight))) >= 0.2


def _stands_out(state: AreaState, view: Image, sight: ChipSight) -> bool:
    """Whether a chip looks otherwise than the ground beside it: a black one on black felt comes and goes without a change that could be told."""
    scale = state.view.px_per_mm
    x, y = np.round(state.view.view_from_table(sight.center_mm)).astype(int)
    face, beside = np.zeros(view.shape[:2], np.uint8), np.zeros(view.shape[:2], np.uint8)
    cv2.circle(beside, (int(x), int(y)), round(EXPLAINED_MM * scale), 1, -1)
    cv2.circle(beside, (int(x), int(y)), round(1.1 * CHIP_RADIUS_MM * scale), 0, -1)
    cv2.circle(face, (int(x), int(y)), round(0.8 * CHIP_RADIUS_MM * scale), 1, -1)
    if not face.any() or not beside.any():
        return False
    ground = np.median(view[beside > 0], axis=0)
    apart = np.abs(view[face > 0].astype(np.float64) - ground).max(axis=1)
    return float((apart > CHANGED_LEVEL).mean()) >= STANDS_OUT_SHARE


def _square_mm(sight: ChipSight) -> npt.NDArray[np.float64]:
    """(4, 2) corners of the square about a chip's middle."""
    return np.asarray(sight.center_mm) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 14.0


def _unexplained(state: AreaState, mask: Mask, before: Sequence[ChipSight], chips: Sequence[ChipSight]) -> bool:
    """Whether something as large as half a chip changed where no chip was or is."""
    left = state.inside() & mask
    for chip in (*before, *chips):
        x, y = np.round(state.view.view_from_table(chip.center_mm)).astype(int)
        cv2.circle(left, (int(x), int(y)), round(EXPLAINED_MM * state.view.px_per_mm), 0, -1)
    opened = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
    return int(opened.sum()) > UNEXPLAINED_MM2 * state.view.px_per_mm**2
