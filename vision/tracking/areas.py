"""One area over time: disturbed, at rest, looked at, settled.

An area that moves or lies under a hand is *disturbed*. When it has been still for a moment it is *at rest*; then it is
looked at several times, spread over the rest, until the looks agree.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.layout import Area, AreaKind, Layout
from rules.events import CardPlaced, Event, Side
from vision.change.hands import Visits
from vision.change.moments import AreaFilm, Arrival, Moment
from vision.frames.picture import Image
from vision.frames.rectify import AreaView
from vision.looks.look import SAME_CARD_MM, CardSight, ChipSight, Look
from vision.looks.stacks import CHIP_RADIUS_MM
from vision.looks.turned import SURE_CHIP
from vision.tracking.piles import Pile, without_slivers
from vision.tracking.tracks import (
    SAME_CHIP_MM,
    CardCluster,
    CardTrack,
    changed_mask,
)

Mask = npt.NDArray[np.uint8]

LYING_MM = 20.0
"""A card whose middle moved less than this since the last rest is the same card."""
SAME_PLACE_MM = 6.0
"""A card found this near to where one was found before lies in the same place; one dealt onto it lies farther off, or is told by the ground."""
SURELY_READ, SURELY_FOUND = 0.99, 0.85
"""Confidence of a face's name, and of its being found, from which on one look is enough to say that it lay there."""
SAME_LEVEL, SAME_PIECE_MM, SAME_MM2 = 16.0, 5, 40.0
"""A rest that differs from the last one by this level (of 255) in pieces this wide of no more than this in all shows the same: a
chip covers 1,190 square millimetres, a card 5,600. From `tracks.CHANGED_LEVEL` on a change is believed; noise is in smaller pieces."""
SAME_PILE_LEVEL, SAME_PILE_MM2 = 8.0, 12
"""The same for areas with a card face down, without regard to how wide the pieces are. A card laid a millimetre beside the one below
it changes a strip 60 to 90 mm long by more than that, unless felt and card are alike; then no look tells either."""


@dataclass(frozen=True, slots=True)
class RestSettings:
    """Times in seconds of capture time.

    Attributes:
        settle_s: stillness before the first look.
        least_calm_s: stillness before something stirs again from which on a rest that was not looked at is looked at afterwards.
        between_s: time from look to look.
        min_looks: looks before anything is said.
        max_looks: looks after which the majority has to do.
        vanish_s: how long something must be gone before it is said to be.
        hidden_s: how long chips and cards are waited for whose ground does not look bare: what covers them has the felt's colour.
        unfound_s: how long something that came among no chips, and is not found, is looked for: of a new thing a stream often sends the details later.
        again_s: time between further looks at what could not be read.
        max_again: how many of those.
    """

    settle_s: float = 0.17
    least_calm_s: float = 0.06
    between_s: float = 0.1
    min_looks: int = 3
    max_looks: int = 8
    vanish_s: float = 0.4
    hidden_s: float = 10.0
    unfound_s: float = 2.0
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


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A card seen in a rest too short to be sure: since when it had lain there, when it was looked at, what was seen."""

    since_s: float
    t_s: float
    sight: CardSight


@dataclass(slots=True)
class AreaState:
    """What is known of one area and where it stands between two rests.

    Attributes:
        tracks: cards lying there.
        chips: chips by colour, empty where there are none, None where unknown.
        chip_sights: the chips of the last settled rest.
        reference: the view of the last settled rest, with the table's brightness then.
        bare: how a betting area looked when it last lay without a chip, with the table's brightness then; None before.
        under: chips that were told gone though their ground did not look bare.
        disturbed: whether something may have changed since.
        active_s: last time it moved or was covered.
        stirred_s: since when something may have happened that is not said yet; None before the first rest.
        visits: hands over it since the last settled rest.
        looks: looks of the rest going on.
        glimpses: beginning and last look of rests since the last settled one that were too short to be sure.
        waits: whether it lies as it did at the last settled rest, and what passed meanwhile is told only once others are at rest.
        pile: how the ground that cards cover grew.
        laid: cards that came to lie on others before anything here was sure.
        faces_laid: faces that were read as they came to lie on others since the last settled rest.
        bare_s: last time it settled without a card, None before.
        first_s: when the first card since then came, or can have; None before it is told.
        unseen_s: since when cards that lie here are not found; None while they are.
        doubted: since it was bare, middles of cards too weakly seen to be told.
        searched: whether a card that cannot be read here is still worth looking for beside its outline.
        explained: how it looked when its chips explained all of it, None where that was at the last settled rest.
        covering: a card that came to lie on others since the last settled rest, it or one of them face up.
        touched_s: when it first moved or was covered after the last look.
        hidden: ids of cards that lie here under others, first laid first.
        faces_under: names of those of them that lay face up before.
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
    bare: tuple[Image, float] | None = None
    under: tuple[ChipSight, ...] = ()
    disturbed: bool = True
    active_s: float | None = None
    stirred_s: float | None = None
    visits: Visits = field(default_factory=Visits)
    looks: list[Look] = field(default_factory=list)
    next_look_s: float = 0.0
    again: int = 0
    glimpses: list[tuple[float, Look]] = field(default_factory=list)
    waits: bool = False
    pile: Pile = field(default_factory=Pile)
    laid: list[Laid] = field(default_factory=list)
    faces_laid: list[tuple[Laid, CardSight]] = field(default_factory=list)
    covering: Laid | None = None
    bare_s: float | None = None
    first_s: float | None = None
    unseen_s: float | None = None
    doubted: list[tuple[float, float]] = field(default_factory=list)
    searched: bool = True
    explained: Explained | None = None
    touched_s: float | None = None
    hidden: list[int] = field(default_factory=list)
    faces_under: dict[int, str] = field(default_factory=dict)
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
        """Something moves here, or a hand is over it; what passed before, and was not told yet, never is: what comes now is dated anew."""
        if self.waits:
            self.glimpses.clear()
            self.waits = False
        if self.looks and self.active_s is not None:
            self.glimpses.append((self.active_s, self.looks[-1]))
        if not self.disturbed:
            self.stirred_s = t_s
        if self.touched_s is None:
            self.touched_s = t_s
        self.disturbed = True
        self.active_s = t_s
        self.looks.clear()
        self.again, self.searched = 0, True

    def rest_began_s(self, motion_s: float) -> float:
        """When the rest that is looked at began; `motion_s`: time over which the gate sees motion, it was calm half of it later."""
        return self.looks[0].t_s if self.active_s is None else max(0.0, self.active_s - motion_s / 2)

    def wants_look(self, t_s: float, settings: RestSettings) -> bool:
        """Whether it is at rest and its next look is due."""
        if not self.disturbed:
            return self.again > 0 and t_s >= self.next_look_s
        quiet = self.active_s is None or t_s - self.active_s >= settings.settle_s - 1e-6
        return quiet and t_s >= self.next_look_s - 1e-6

    def lay_unseen(self, t_s: float, settings: RestSettings) -> bool:
        """Whether it lay still for a while up to this time, and was not looked at since."""
        calm = self.active_s is not None and t_s - self.active_s >= settings.least_calm_s - 1e-6
        return self.disturbed and calm and not self.looks and t_s >= self.next_look_s - 1e-6

    def glimpsed(self, cluster: CardCluster) -> Glimpse | None:
        """Where and when a card now certain was first seen lying so, in a rest too short to be sure; None if it was not."""
        return self._glimpse(lambda sight: sight.face_up == cluster.face_up, cluster, SAME_CARD_MM)

    def shown_before(self, cluster: CardCluster) -> Glimpse | None:
        """The face that lay where a card lies now, read in a rest too short to be sure of it; None where none was."""
        return self._glimpse(surely_read, cluster, SAME_PLACE_MM)

    def began(self, events: Sequence[Event]) -> None:
        """The events of the first cards since the area lay bare: none that lies on them came before, as far as no other was doubted."""
        came = [
            event.t_s if event.earliest_s is None else event.earliest_s
            for event in events
            if isinstance(event, CardPlaced)
        ]
        if not came or self.doubted:
            return
        since_s = self.first_s = min(came)
        self.laid = [
            one if one.earliest_s is None else replace(one, earliest_s=max(since_s, one.earliest_s))
            for one in self.laid
        ]

    def passed(self) -> tuple[Glimpse, Glimpse] | None:
        """The first and the last sight of a card face down that lay here alone, in rests too short to be sure of it; None where none did, or something else may have."""
        seen = [Glimpse(since_s, look.t_s, sight) for since_s, look in self.glimpses for sight in look.cards]
        if not seen or self.tracks or not self.pile.covers_one(self.view.px_per_mm):
            return None
        first = seen[0].sight
        alone = len({one.t_s for one in seen}) == len(seen)
        alike = all(one.sight.back and one.sight.apart_mm(first) <= LYING_MM for one in seen)
        sure = min(one.sight.confidence for one in seen) >= SURELY_FOUND
        return (seen[0], seen[-1]) if alone and alike and sure else None

    def _glimpse(self, fits: Callable[[CardSight], bool], cluster: CardCluster, within_mm: float) -> Glimpse | None:
        return next(
            (
                Glimpse(since_s, look.t_s, sight)
                for since_s, look in self.glimpses
                for sight in look.cards
                if fits(sight) and sight.apart_mm(cluster.last) <= within_mm
            ),
            None,
        )

    def covered_first(self, seen: Sequence[CardCluster]) -> Glimpse | None:
        """The face seen alone in a rest too short to be sure of it, if every card found now was laid on top of it; else None."""
        if self.tracks or not 0 < len(seen) <= len(self.laid) or any(cluster.face_up for cluster in seen):
            return None
        since_s, look = next((glimpse for glimpse in self.glimpses if glimpse[1].cards), (0.0, None))
        if look is None or len(look.cards) > 1 or look.t_s >= self.laid[0].t_s:
            return None
        first = look.cards[0]
        lies = any(first.apart_mm(cluster.last) <= SAME_PLACE_MM for cluster in seen)
        return Glimpse(since_s, look.t_s, first) if first.face_up and not lies else None

    def faces_covered(self, seen: Sequence[CardCluster]) -> list[tuple[Laid, CardSight]]:
        """The faces that came to lie on others, and are not found where they lay: the cards found came to lie on them."""
        return [
            (laid, sight)
            for laid, sight in self.faces_laid
            if all(sight.apart_mm(cluster.last) > SAME_PLACE_MM for cluster in seen)
        ]

    def moment(
        self, *outlines_mm: npt.ArrayLike, at_s: float | None = None, gone: bool = False, since_s: float | None = None
    ) -> Moment | None:
        """When places came to look as they did at a time; None where that was not seen.

        Args:
            outlines_mm: (n, 2) each, on the table.
            at_s: the time, the last look's unless given.
            gone: something lay there, and went.
            since_s: when they looked otherwise; when the area last lay still unless given.
        """
        if at_s is None and self.looks:
            at_s = self.looks[-1].t_s
        if self.film is None or at_s is None:
            return None
        outlines = [np.asarray(outline, np.float64) for outline in outlines_mm]
        return self.film.moment(outlines, at_s, gone=gone, since_s=since_s)

    def arrivals(self, ground: npt.NDArray[np.bool_], *, covered_again: bool = False) -> list[Arrival] | None:
        """How ground of the view came to be covered as it is at the last look (`AreaFilm.arrivals`); None where that was not seen."""
        if self.film is None or not self.looks:
            return None
        return self.film.arrivals(self._outlines_mm(ground), self.looks[-1].t_s, covered_again=covered_again)

    def redrawn_moment(self) -> Moment | None:
        """When the pile came to look as it does, a card more on it than at the look before; None where that was not seen."""
        redrawn = self.pile.redrawn
        return None if redrawn is None else self.moment(*self._outlines_mm(redrawn), since_s=self.pile.before_s)

    def _outlines_mm(self, ground: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.float64]]:
        """Corners on the table of the pieces of a mask of the view, slivers of two pixels left out."""
        outlines, _ = cv2.findContours(without_slivers(ground), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        return [self.view.table_from_view(outline[:, 0].astype(np.float64)) for outline in outlines]

    def tracks_at(self, sight: CardSight) -> list[CardTrack]:
        """The cards known to lie where one was found."""
        return [track for track in self.tracks if track.apart_mm(sight) <= LYING_MM]

    def lies_open(self, look: Look) -> bool:
        """Whether every face in the look is known already and a card face down is found beside them, so that what came lies face down."""
        names = [track.card for track in self.tracks if track.face_up]
        seen = [sight.card for sight in look.cards if sight.face_up]
        known = [*names, *self.faces_under.values()]
        return self.hides and len(seen) < len(look.cards) and set(names) <= set(seen) <= set(known) - {None}

    def turned_px(self, look: Look) -> list[npt.NDArray[np.float64]]:
        """Outlines in the view of the cards of a look that show another side than a card known to lie there."""
        return [
            self.view.view_from_table(sight.corners_mm)
            for sight in look.cards
            for track in self.tracks_at(sight)
            if sight.face_up != track.face_up
        ]

    def chips_moment(self, chips: Sequence[ChipSight]) -> Moment | None:
        """When the last of the chips that lay there, or lie there now, came or went; None where one of them does not tell."""
        before = self.chip_sights
        came = [chip for chip in chips if all(chip.apart_mm(old) > SAME_CHIP_MM for old in before)]
        went = [old for old in before if all(chip.apart_mm(old) > SAME_CHIP_MM for chip in chips)]
        since_s = None
        if not chips and (pushed := self._pushed()) is not None:
            went, since_s = list(pushed.chips), pushed.t_s
        found = [self.moment(chip.square_mm) for chip in came]
        found += [self.moment(chip.square_mm, gone=True, since_s=since_s) for chip in went]
        moments = [moment for moment in found if moment is not None]
        if not moments or len(moments) < len(came) + len(went):
            return None
        return Moment(max(m.earliest_s for m in moments), max(m.latest_s for m in moments))

    def _pushed(self) -> Look | None:
        """The last look since the rest before that saw the chips which lay here, as many of each colour, wherever a hand had pushed them; None where there is none."""
        known = sorted(chip.color.name or "" for chip in self.chip_sights)
        for _, look in reversed(self.glimpses):
            sure = all(chip.color.name is not None and chip.confidence >= SURE_CHIP for chip in look.chips)
            if sure and sorted(chip.color.name or "" for chip in look.chips) == known != []:
                return look
        return None

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


def areas_of(layout: Layout, camera: Camera, scale: float, kinds: Container[AreaKind]) -> list[AreaState]:
    """The areas of some kinds, none of them seen yet; `scale`: full pixels per small pixel (`vision.change.gate.SmallMap`)."""
    return [
        AreaState(index, area, AreaView.around(area.polygon_mm, camera), film=AreaFilm(area.polygon_mm, camera, scale))
        for index, area in enumerate(layout.areas)
        if area.kind in kinds
    ]


def surely_read(sight: CardSight) -> bool:
    """Whether one look is enough to say that this face lay there."""
    return sight.card is not None and sight.card_confidence >= SURELY_READ and sight.confidence >= SURELY_FOUND
