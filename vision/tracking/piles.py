"""Cards laid on cards: told by how the ground that is covered grows.

From above a card laid on others hides them; a detector sees one card. But a card dealt a little beside the one below it
covers felt that was free, and nothing that was covered comes free. A card pushed along covers as much as it frees,
a pile squared up only frees. So growth after one visit of the dealer's hand is one card; what cannot be told is said to be
open, and a pile of which anything is open has no count.

A card laid two or three millimetres beside the one below may cover next to no ground. On a card alone it is proven all the same: a single
card that is pushed frees what it covers. On more of them a nudge of the upper one may look alike: that is told as probable, no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from rules.events import Side
from vision.change.hands import Visits
from vision.change.moments import Arrival, Moment
from vision.frames.picture import Image
from vision.tracking.overhang import reaches_further, side_shifts
from vision.tracking.tracks import changed_mask, share_inside

FloatArray = npt.NDArray[np.float64]
Mask = npt.NDArray[np.uint8]

CARD_MM2 = 63.0 * 88.0
GROWN_MM2 = 300.0
"""Newly covered from here on is a card: one laid 5 mm beside the card below. A pixel of doubt all round a card is 150 to 300."""
FREED_SHARE = 0.3
"""Freed ground of newly covered up to which cards below did not move."""
LIKE_THE_OTHERS = 1.5
"""After several stays of a hand, newly covered up to this many times the narrowest strip of this pile is one card, not two."""
ONE_CARD_MM2 = 1.25 * CARD_MM2
"""More than this newly covered is more than one card."""
BRISK_S = 0.5
"""What stirs no longer than this lays no more than one card, however often a hand is made out meanwhile."""
GOES_ON_S = 1.5
"""A deal to one place goes on card by card: so soon after the last one another may come by a hand that is not made out."""
DEALT_ON_S = 6.0
"""Seven seats are dealt a card each in less. What shows another side later may be a card turned over; what was seen to come as a
card does, by a hand that was not made out, may come so soon after the last one."""
DEALT_BESIDE = 2.0
"""A card that shows another side covers at most this many times the narrowest strip: one that is turned and spread covers more."""
TOUCHED = 3.0
"""Where the others lie apart, a strip so many times narrower than their narrowest is of a card below that was touched: a hand squared
them up, and was taken for the dealer's. One that is less narrow, and more than `DEALT_BESIDE` times, is a probable card."""
ALONE_MM2, STRIP_MM2 = 6200.0, 600.0
"""Ground that a card alone covers in a view, its blurred edge included (6,150 to 6,280 in films at 1 to 1.3 px per mm), and the least strip of each of several
cards dealt to a place before it was looked at first: one pushed along by as much shows by what the first one covered."""
OVERLAID_SHARE = 0.8
"""Share of newly covered ground that cards told one by one must have covered between two looks; a twentieth to a tenth is the blurred edge of the card below."""
SLIVER_MM2 = 60.0
"""Newly covered from here on, and next to nothing freed, a single card has another on it. Slivers of two pixels are left out before."""
NEAR_MM2 = 800.0
"""Cards of a pile that covered less than this beside the one below lie within 9 mm of it; so does the next one."""
FREED_MM2 = 40.0
"""Freed ground up to which nothing was pushed away."""
REDRAWN_MM2 = 60.0
"""Ground of the cards below that must look otherwise where another came to lie on them: 84 and more in two films at 1 px per mm, 0 where the
dealer's arm had only passed. Where a sleeve of the felt's colour hid some of a card only what it hid looks otherwise."""
EXPLAINED_SHARE, COVERED_MM2 = 0.5, 500.0
"""What reaches in over the edge of an area is a card only where so much of it lies within cards found there (0.78 and more where cards came), or so much of the cards
below looks otherwise (2,500 and more there): a sleeve that rests beside a card, for so long that it is looked at, had accused a dealer of one card more."""
BLURRED_PX, ONE_OUTLINE_SHARE, SHOWN_SHARE = 7, 0.95, 0.8
"""So wide is the blurred edge of a card, on both sides together. Ground that lies to the second share within one outline is one card's, or two cards' within 5 mm;
of the first of two such the look before showed nine tenths. Where it showed less than the last share, something hid the rest: a dark green sleeve on such felt had made two cards of one."""
PROBABLE = 0.45
"""Confidence of a card that came to lie so near to the one below that a nudge of that one may look alike: too little for a verdict to rest on
(`rules.records.VERDICT_CONFIDENCE`)."""
LATE, LATE_S = 1.25, 0.5
"""A card later than so many times the longest pause of this pile's deal, and so much more, is a probable one."""
SAME_PLACE_MM, EDGE_INSET = 3.0, 0.985
"""A card whose corners are found this near to where they were lies there still; its edge is looked at just inside."""
LEAST_EDGE, MOVED_EDGE = 24, 0.5
"""Of 164 points on the edges of a card found before and not now at least so many have to be free of the cards newly found; where so
much of them looks otherwise the card was moved."""
UNTOUCHED_SHARE = 0.1
"""Share of the cards beside a new one that may look otherwise than before: its shadow."""

EDGE_PX = 2
"""How deep the edge of an area is taken to be."""


class Arrivals(Protocol):
    """How some ground, a mask of the view, came to be covered (`moments.AreaFilm.arrivals`); None where the film does not tell."""

    def __call__(self, ground: npt.NDArray[np.bool_], *, covered_again: bool = False) -> Sequence[Arrival] | None:
        """One for each thing that came."""


@dataclass(frozen=True, slots=True)
class _Growth:
    """How a card was found: the ground covered before, what of the view changed, ground newly covered, the least strip until then, the
    time since the card before."""

    before: Mask
    changed: Mask
    mm2: float
    strip_mm2: float | None
    pause_s: float


@dataclass(frozen=True, slots=True)
class _Change:
    """What of a pile is otherwise than at the look before.

    Attributes:
        before: (h, w) 1 where cards lay then.
        changed: (h, w) 1 where the view looks otherwise.
        grown: (h, w) 1 where ground is newly covered, slivers left out.
        grown_mm2, freed_mm2: ground newly covered, and ground that came free.
        redrawn: (h, w) what is covered and looks otherwise.
        redrawn_mm2: ground covered before that looks otherwise, what lies next to new ground left out.
    """

    before: Mask
    changed: Mask
    grown: Mask
    grown_mm2: float
    freed_mm2: float
    redrawn: npt.NDArray[np.bool_]
    redrawn_mm2: float

    @classmethod
    def between(cls, before: Mask, now: Mask, changed: Mask, px_per_mm: float) -> _Change:
        """From the ground covered then and now, and where the view looks otherwise."""
        grown, freed = without_slivers(now > before), without_slivers(before > now)
        beside = cv2.dilate((now > before).astype(np.uint8), np.ones((5, 5), np.uint8))
        redrawn_mm2 = float(np.count_nonzero(changed[(before > 0) & (beside == 0)])) / px_per_mm**2
        redrawn = np.asarray((changed & now) > 0)
        return cls(before, changed, grown, mm2(grown, px_per_mm), mm2(freed, px_per_mm), redrawn, redrawn_mm2)

    def reaches_in_unexplained(self, inside: Mask, cards_px: Sequence[FloatArray]) -> bool:
        """Whether new ground reaches in over the area's edge, as a sleeve's does, and no card found explains it."""
        if not _reaches_in(self.grown, inside):
            return False
        if not cards_px:
            return True
        return self.redrawn_mm2 < COVERED_MM2 and _share_in(self.grown, cards_px) < EXPLAINED_SHARE


@dataclass(slots=True)
class Pile:
    """The ground that cards cover in one area, from one look to the next.

    Attributes:
        came: when the cards came that the last look found, by what every frame showed; empty where that does not tell.
        stays: hands over the area since the last look.
        empty: view of the area with nothing in it, and the brightness of the table then.
        covered: what was covered at the last look, None before the first.
        visits: stays of hands since then.
        strip_mm2: least ground newly covered by one card since the area was last empty, None before the second card.
        open: whether cards may have come unseen since then.
        came_s: when the last card came, None before the first.
        cards: how many lie here as far as is known.
        sure: whether the cards found at the last look are proven, not only probable.
        undated: whether what was found may be a card below that moved: if a card came, it came whenever something did.
        pause_s: longest time between two of its cards that came as the deal goes, None before the second.
        redrawn: what of the pile looks otherwise than at the look before, where one came.
        before_s: when the look before the last was made.
    """

    empty: tuple[Image, float] | None = None
    covered: Mask | None = None
    visits: int = 0
    strip_mm2: float | None = None
    open: bool = False
    came_s: float | None = None
    came: tuple[Moment, ...] = ()
    stays: Visits = field(default_factory=Visits)
    cards: int = 0
    sure: bool = True
    undated: bool = False
    redrawn: npt.NDArray[np.bool_] | None = None
    before_s: float = 0.0
    _shown: tuple[Image, float] | None = None
    _looked_s: float = 0.0
    _growth: _Growth | None = None
    _overhangs: bool = False
    _outlines: tuple[FloatArray, ...] = ()
    pause_s: float | None = None

    def cleared(self, view: Image, level: float) -> None:
        """The area lies empty now."""
        self.empty, self.covered, self.visits = (view, level), None, 0
        self.strip_mm2, self.open, self.came_s = None, False, None
        self.came = ()
        self._shown, self._growth, self._outlines, self.pause_s = None, None, (), None
        self.cards, self.sure, self.redrawn, self._overhangs = 0, True, None, False
        self.stays.clear()

    def look(
        self,
        t_s: float,
        view: Image,
        level: float,
        inside: Mask,
        px_per_mm: float,
        *,
        dealer: bool | None,
        cards_px: Sequence[FloatArray],
        arrivals: Arrivals = lambda ground, *, covered_again=False: None,
    ) -> int:
        """Take a look at face-down cards without a hand over them; how many cards more lie there than at the last look.

        Args:
            t_s: capture time.
            view: (h, w, 3) the area now.
            level: brightness of the table now.
            inside: (h, w) 1 within the area.
            px_per_mm: scale of the view.
            dealer: whether only the dealer's hand was here since the last look, None where no hand was made out.
            cards_px: outlines (4, 2) in the view of the cards that the look found; without any, nothing that reaches in over the area's edge counts.
            arrivals: how some ground came to be covered since then.
        """
        self.came, self.sure, self.undated, self.redrawn, self._overhangs = (), True, False, None, False
        stays, self.stays = self.stays, Visits()
        if self.empty is None:
            return 0
        before, visits = self.covered, self.visits
        last, self._shown = self._shown, (view, level)
        self.before_s, self._looked_s = self._looked_s, t_s
        outlines, self._outlines = self._outlines, tuple(cards_px)
        now = self.covered = _covered(view, self.empty, level, inside)
        self.visits = 0
        if before is None or last is None:
            self.came_s, self.cards = t_s, 1
            more = self._dealt_unseen(now, px_per_mm, arrivals, stays) if visits > 1 else 0
            self.cards += more
            return more
        if visits == 0 or (self.cards == 1 and _half_seen(before, now, inside, cards_px)):
            return 0
        change = _Change.between(before, now, changed_mask(view, last[0], level / last[1]), px_per_mm)
        sleeve = change.reaches_in_unexplained(inside, cards_px)
        if not sleeve and change.grown_mm2 >= GROWN_MM2 and change.freed_mm2 <= FREED_SHARE * change.grown_mm2:
            laid = self._laid(t_s, change.grown_mm2, visits, dealer, arrivals(now > before), stays)
            overlaid = 0
            if not laid:
                overlaid = self._overlaid(change.grown_mm2, arrivals(now > before, covered_again=True), stays)
            if laid or overlaid:
                pushed = _pushed(outlines, cards_px, change.changed, px_per_mm)
                self._take(t_s, laid or overlaid, change, pushed=pushed, surely=not overlaid)
                return laid or overlaid
        slipped_on = change.redrawn_mm2 >= REDRAWN_MM2 and self._slipped_on(t_s, change.grown_mm2, change.freed_mm2)
        if slipped_on and dealer and not stays.blind and not sleeve:
            alone = self.cards == 1
            self._overhangs = alone and self._reaches_further(outlines, last, (view, level))
            if not alone or self._overhangs or change.grown_mm2 >= SLIVER_MM2:
                self.sure = alone and (self._overhangs or change.freed_mm2 <= FREED_SHARE * change.grown_mm2)
                self.came_s, self.redrawn, self._growth = t_s, change.redrawn, None
                self.cards += 1
                return 1
        self.open = self.open or change.grown_mm2 >= GROWN_MM2
        return 0

    def _dealt_unseen(self, now: Mask, px_per_mm: float, arrivals: Arrivals, stays: Visits) -> int:
        """How many cards came onto the first one before the first look, proven or only probable; 0 where that cannot be told."""
        ground_mm2 = mm2(without_slivers(now > 0), px_per_mm)
        more = self._dealt_before(ground_mm2, arrivals(now > 0), stays)
        if not more:
            more = self._dealt_before(ground_mm2, arrivals(now > 0, covered_again=True), stays)
            self.sure = not more
        return more

    def _take(self, t_s: float, count: int, change: _Change, *, pushed: bool, surely: bool) -> None:
        """Take in cards that covered new ground.

        Args:
            t_s: capture time of the look that found them.
            count: how many.
            change: of the pile since the look before.
            pushed: whether a card that lay there moved.
            surely: whether each covered ground that was free.
        """
        pause_s = t_s - (self.came_s or 0.0)
        late = self.pause_s is not None and pause_s > LATE * self.pause_s + LATE_S
        if not late:
            self.pause_s = max(self.pause_s or 0.0, pause_s)
        self.undated = late or self._narrower(change.grown_mm2 / count, DEALT_BESIDE) or pushed
        self.sure = surely and not self.undated
        self._growth = _Growth(change.before, change.changed, change.grown_mm2, self.strip_mm2, pause_s)
        self.strip_mm2 = min(change.grown_mm2 / count, self.strip_mm2 or change.grown_mm2)
        self.came_s, self.redrawn = t_s, change.redrawn
        self.cards += count

    def _slipped_on(self, t_s: float, grown_mm2: float, freed_mm2: float) -> bool:
        """Whether a card may have come to lie so near to the one below that it covers next to no ground.

        The deal to this place goes on, nothing that was covered came free, and the cards below lie as near to one another. On a card alone it must cover a sliver,
        or reach further than that one.
        """
        goes_on = self.came_s is not None and t_s - self.came_s <= DEALT_ON_S
        near = grown_mm2 < NEAR_MM2 and (self.strip_mm2 is None or self.strip_mm2 < NEAR_MM2)
        return goes_on and near and freed_mm2 <= FREED_MM2

    def _reaches_further(
        self, outlines: Sequence[FloatArray], before: tuple[Image, float], now: tuple[Image, float]
    ) -> bool:
        """Whether the only card found before reaches further now."""
        if len(outlines) != 1 or self.empty is None:
            return False
        then, there = (_difference(*shown, self.empty) for shown in (before, now))
        return reaches_further(side_shifts(then, there, outlines[0]))

    def covers(self, top_px: FloatArray) -> bool:
        """Whether the card found at the last look came, and is not one of those below turned over and moved outwards.

        Then the deal to this place goes on, the ground is like what the others covered, and beside it everything is as it was; or it reaches further than the only one did.

        Args:
            top_px: (4, 2) its outline in the view.
        """
        if self._overhangs:
            return True
        found = self._growth
        if found is None or found.pause_s > DEALT_ON_S:
            return False
        if found.strip_mm2 is not None and found.mm2 > DEALT_BESIDE * found.strip_mm2:
            return False
        beside = found.before.copy()
        cv2.fillConvexPoly(beside, np.round(top_px).astype(np.int32), 0)
        beside = np.asarray(cv2.erode(beside, np.ones((5, 5), np.uint8)), np.uint8)
        return bool((beside & found.changed).sum() <= UNTOUCHED_SHARE * beside.sum())

    def covers_one(self, px_per_mm: float) -> bool:
        """Whether the ground covered at the last look is that of one card, as a sleeve's or a hand's hardly is."""
        return self.covered is not None and CARD_MM2 <= mm2(self.covered, px_per_mm) <= ONE_CARD_MM2

    def ground(self, view: Image, level: float, inside: Mask) -> Mask | None:
        """(h, w) 1 where something lies that did not when the area was last seen empty, holes filled; None before. Arguments as in `look`."""
        return None if self.empty is None else _covered(view, self.empty, level, inside)

    def bare_shares(self, view: Image, level: float, inside: Mask, outlines_px: Sequence[FloatArray]) -> list[float]:
        """Share of each outline (4, 2), as far as it lies within the area, where the ground shows; empty before the area was seen empty."""
        if self.empty is None:
            return []
        bare = np.asarray(inside & (1 - _covered(view, self.empty, level, inside)), np.uint8)
        shares = []
        for outline in outlines_px:
            within = share_inside(inside, outline)
            shares.append(share_inside(bare, outline) / within if within else 0.0)
        return shares

    def _dealt_before(self, covered_mm2: float, came: Sequence[Arrival] | None, stays: Visits) -> int:
        """How many cards came to lie on the first one before anybody looked; 0 where that cannot be told.

        Of a card that was pushed along after it came, the ground it covered first lacks what it freed.
        """
        grounds = [one.share * covered_mm2 for one in came or ()]
        if came is None or len(came) < 2 or not all(map(self._is_card, came, grounds, [stays] * len(came))):
            return 0
        strip = min(grounds[1:])
        if strip < STRIP_MM2 or grounds[0] < ALONE_MM2 - strip / 2:
            return 0
        self.came, self.strip_mm2 = tuple(one.moment for one in came[1:]), strip
        return len(came) - 1

    def _laid(
        self,
        t_s: float,
        grown_mm2: float,
        visits: int,
        dealer: bool | None,
        came: Sequence[Arrival] | None,
        stays: Visits,
    ) -> int:
        """How many cards covered ground that was free; 0 where that cannot be told."""
        if self._narrower(grown_mm2, TOUCHED):
            return 0
        if came is not None and all(self._is_card(one, one.share * grown_mm2, stays) for one in came):
            self.came = tuple(one.moment for one in came)
            return len(came)
        alike = self.strip_mm2 is not None and grown_mm2 <= LIKE_THE_OTHERS * self.strip_mm2
        if dealer is None:
            dealer = self._goes_on(t_s, grown_mm2)
        return int(dealer and grown_mm2 <= ONE_CARD_MM2 and (visits == 1 or alike))

    def _overlaid(self, grown_mm2: float, found: Sequence[Arrival] | None, stays: Visits) -> int:
        """How many cards covered ground that was free, and one another's; 0 where that cannot be told.

        One that was laid and pushed on would look so too. What came before the last look is the blurred edge of a card that it saw.
        """
        came = [one for one in found or () if one.until_s > self.before_s]
        grounds = [one.share * grown_mm2 for one in came]
        if not came or sum(grounds) < OVERLAID_SHARE * grown_mm2 or min(grounds) < STRIP_MM2:
            return 0
        if any(self._narrower(ground, DEALT_BESIDE) for ground in grounds):
            return 0
        if not all(map(self._is_card, came, grounds, [stays] * len(came))):
            return 0
        self.came = tuple(one.moment for one in came)
        return len(came)

    def _narrower(self, grown_mm2: float, times: float) -> bool:
        """Whether ground newly covered is so many times less than the narrowest strip of a pile whose cards lie apart."""
        strip = self.strip_mm2
        return strip is not None and strip >= NEAR_MM2 and grown_mm2 < strip / times

    def _is_card(self, one: Arrival, grown_mm2: float, stays: Visits) -> bool:
        """Whether what stirred once, and covered so much, was the dealer who laid one card."""
        if not GROWN_MM2 <= grown_mm2 <= ONE_CARD_MM2 or stays.blind:
            return False
        hands = stays.between(one.since_s, one.until_s)
        brisk = one.until_s - one.since_s <= BRISK_S
        if not brisk and len(hands) != 1:
            return False
        if stays.side_between(one.since_s, one.until_s) is Side.DEALER:
            return True
        within_s = DEALT_ON_S if brisk else GOES_ON_S
        return not hands and self._goes_on(one.moment.latest_s, grown_mm2, within_s)

    def _goes_on(self, t_s: float, grown_mm2: float, within_s: float = GOES_ON_S) -> bool:
        """Whether the last card came just now, and this ground is like what the others covered."""
        strip = self.strip_mm2
        alike = strip is None or strip / LIKE_THE_OTHERS <= grown_mm2 <= LIKE_THE_OTHERS * strip
        return self.came_s is not None and t_s - self.came_s <= within_s and alike


def _pushed(before_px: Sequence[FloatArray], cards_px: Sequence[FloatArray], changed: Mask, px_per_mm: float) -> bool:
    """Whether a card that lay there moved: its edges, where no card newly found hides them, are not where they were."""
    near = SAME_PLACE_MM * px_per_mm

    def lies(outline: FloatArray, others: Sequence[FloatArray]) -> bool:
        return any(float(np.linalg.norm(outline - other, axis=1).max()) <= near for other in others)

    new = [np.asarray(outline, np.float32) for outline in cards_px if not lies(outline, before_px)]
    gone = [outline for outline in before_px if not lies(outline, cards_px)]
    if not new or not gone:
        return False
    around = cv2.dilate(changed, np.ones((3, 3), np.uint8))
    shares = np.linspace(0.1, 0.9, 41)[:, None, None]
    for outline in gone:
        ahead = np.roll(outline, -1, axis=0)
        edges = (outline + shares * (ahead - outline)).reshape(-1, 2)
        inner = outline.mean(axis=0) + (edges - outline.mean(axis=0)) * EDGE_INSET
        bare = [p for p in inner if all(cv2.pointPolygonTest(o, (float(p[0]), float(p[1])), True) < -near for o in new)]
        at = np.round(bare).astype(int).reshape(-1, 2)
        at = at[((at >= 1) & (at < np.array(changed.shape[1::-1]) - 1)).all(axis=1)]
        if len(at) >= LEAST_EDGE and float(around[at[:, 1], at[:, 0]].mean()) >= MOVED_EDGE:
            return True
    return False


def _difference(view: Image, level: float, empty: tuple[Image, float]) -> npt.NDArray[np.float32]:
    """How much each pixel of a view differs from the empty area in light of the same brightness."""
    apart = np.abs(view.astype(np.float32) - empty[0].astype(np.float32) * np.float32(level / empty[1]))
    return np.asarray(apart.max(axis=2), np.float32)


def _covered(view: Image, empty: tuple[Image, float], level: float, inside: Mask) -> Mask:
    """Where something lies, holes filled: a back may show the felt's colour."""
    mask = changed_mask(view, empty[0], level / empty[1]) & inside
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(mask)
    cv2.drawContours(filled, outlines, -1, 1, -1)
    return filled


def without_slivers(where: npt.NDArray[np.bool_]) -> Mask:
    """1 where a mask is true, slivers of two pixels left out."""
    return np.asarray(cv2.morphologyEx(where.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)


def edge_of(inside: Mask) -> Mask:
    """The outermost pixels of an area, `EDGE_PX` deep, 1 there and outside."""
    size = 2 * EDGE_PX + 1
    within = cv2.erode(inside, np.ones((size, size), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray((within == 0).astype(np.uint8), np.uint8)


def _reaches_in(ground: Mask, inside: Mask) -> bool:
    """Whether ground reaches the edge of the area."""
    return bool(ground[edge_of(inside) > 0].any())


def _half_seen(before: Mask, now: Mask, inside: Mask, outlines_px: Sequence[FloatArray]) -> bool:
    """Whether the one card found explains all ground that is covered, of which the look before showed a part: a sleeve of the felt's colour hid the rest of it."""
    if len(outlines_px) != 1:
        return False
    whole = inside & np.asarray(
        cv2.dilate(_within(outlines_px, now), np.ones((BLURRED_PX, BLURRED_PX), np.uint8)), np.uint8
    )
    explained = float((now & whole).sum()) >= ONE_OUTLINE_SHARE * float(now.sum())
    return explained and float((before & whole).sum()) < SHOWN_SHARE * float(whole.sum())


def _share_in(ground: Mask, outlines_px: Sequence[FloatArray]) -> float:
    """Share of ground that lies within outlines."""
    return float(ground[_within(outlines_px, ground) > 0].sum()) / max(1, int(ground.sum()))


def _within(outlines_px: Sequence[FloatArray], like: Mask) -> Mask:
    """1 within outlines, of the shape of another mask."""
    within = np.zeros_like(like)
    for outline in outlines_px:
        cv2.fillConvexPoly(within, np.round(outline).astype(np.int32), 1)
    return within


def mm2(ground: Mask, px_per_mm: float) -> float:
    """Area of the mask in square millimetres."""
    return float(ground.sum()) / px_per_mm**2
