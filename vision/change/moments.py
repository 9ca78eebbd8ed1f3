"""When a thing came or went, though nobody could look while hands lay over it.

The networks look at an area at rest, often long after a hand laid something there. The small picture that the gate compares
sees every frame: where a thing lies now, its pixels were as before until a moment, hidden for a while, and as now ever
since. The thing came between the last picture that still shows some of what was and the first that shows some of what is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.change.gate import levels_apart
from vision.frames.picture import Image

FloatArray = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
When = dict[str, Any]
"""`t_s` and `earliest_s` of an event."""

SHARP_S = 0.25
"""A moment known to within three frames or so is told as it is."""
KEPT_S = 6.0
"""How long before now pictures are kept while an area is not at rest."""
CALM_S = 0.2
"""How long before the first sign of a hand the picture of the rest before is taken."""
TELLING_LEVEL = 24.0
"""Levels by which a pixel must differ between before and after to tell them apart."""
ALIKE_SHARE = 0.4
"""A pixel is as before, or as after, where it differs from that by less than this share of what tells them apart."""
ALIKE_QUANTILE = 0.95
"""Levels as far from the median as this share of what lies there now are of its kind: a back's pattern, and not a sleeve."""
LEAST_PX = 6
"""Pixels that must tell before from after."""
SEEN_SHARE = 0.2
"""Share of these that must show one of the two in a picture to say which it is."""
CLEAR_SHARE = 0.6
"""Share of these that must be as after in a picture without a hand; else something else lay there then, pushed along perhaps. It lay there under a hand that keeps still, and so is
not seen as one, where some of it is seen from then on: the share above, as after to `EXACT_LEVEL`, and hardly anything as before."""
EXACT_LEVEL, EXACT_SHARE, OTHER_SHARE = 16.0, 0.5, 0.1
"""Where the second share is as after (or before) within this many levels, and no more than the third as the other, the place itself is seen, not a sleeve of its
colour: felt freed under a hand came to 1.4 to 3.0 levels in the median, backs laid there to 9, and the rest lay under the hand."""
STOOD_S = 0.13
"""A place seen so for this long, three pictures, is as after, whatever a hand carries over it, until it is seen as before for as long."""
TOLD_SHARE = 0.7
"""Share of the telling pixels of ground that must tell when they changed."""
HALT_S = 0.2
"""What stirs again after less than this is one movement: a card that slides in may halt for a few pictures (0.07 s where two cards were
told instead of one), and nobody lays the next card on the same place so soon."""
STILL_SHARE = 0.9
"""Share of the telling pixels that look alike in two pictures between which nothing stirred."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened, capture time: after `earliest_s`, and by `latest_s` it had."""

    earliest_s: float
    latest_s: float


@dataclass(frozen=True, slots=True)
class _Piece:
    """An area's part of one small picture, the table's brightness, and whether a hand was over the area."""

    t_s: float
    picture: Image
    level: float
    covered: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that came to lie: when, the share of all that came which this was, 0..1, and between which times anything stirred."""

    moment: Moment
    share: float
    since_s: float
    until_s: float


@dataclass(frozen=True, slots=True)
class _Change:
    """Where the film tells before from after.

    Attributes:
        film: pictures since the area was calm, the last of them shows what lies there now.
        inside: pixels that tell.
        before, after: (n, 3) their levels.
        limit: (n,) how far a level may be from either to be like it.
    """

    film: list[_Piece]
    inside: Mask
    before: FloatArray
    after: FloatArray
    limit: FloatArray

    @property
    def every(self) -> Mask:
        """All the telling pixels."""
        return np.ones(len(self.limit), bool)

    def apart(self, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By how many levels each telling pixel differs from before, and from after."""
        return levels_apart(levels, self.before), levels_apart(levels, self.after)

    def alike(self, levels: FloatArray) -> tuple[Mask, Mask]:
        """Which of the telling pixels are as before, and which as after."""
        before, after = self.apart(levels)
        return before < self.limit, after < self.limit

    def like_what_came(self, levels: FloatArray) -> Mask:
        """Which of the telling pixels show something that was not there before, of the levels that lie there now wherever."""
        middle = np.median(self.after, axis=0)
        reach = max(EXACT_LEVEL, float(np.quantile(levels_apart(self.after, middle), ALIKE_QUANTILE)))
        return np.asarray((levels_apart(levels, self.before) > TELLING_LEVEL) & (levels_apart(levels, middle) <= reach))

    def still(self) -> list[list[_Piece]]:
        """Stretches without a hand in which hardly a pixel changes, in order of time; halts too short for a second card left out."""
        out: list[list[_Piece]] = []
        stretch: list[_Piece] = []
        last: FloatArray | None = None
        for piece in self.film:
            levels = None if piece.covered else _levels(piece, self.inside)
            same = (
                levels is not None
                and last is not None
                and (levels_apart(levels, last) < self.limit).mean() >= STILL_SHARE
            )
            if not same:
                out.append(stretch)
                stretch = []
            if levels is not None:
                stretch.append(piece)
            last = levels
        halts = [pieces for pieces in [*out, stretch] if len(pieces) >= 2]
        return [pieces for pieces in halts if pieces is stretch or pieces[-1].t_s - pieces[0].t_s >= HALT_S - 1e-6]


@dataclass(slots=True)
class _Run:
    """Pictures in a row that show the same."""

    since_s: float | None = None

    def goes_on(self, t_s: float, shows: bool) -> bool:
        """Takes the next picture; whether enough in a row have shown it."""
        self.since_s = None if not shows else t_s if self.since_s is None else self.since_s
        return self.since_s is not None and t_s - self.since_s >= STOOD_S - 1e-6


class AreaFilm:
    """What the small picture showed of one area since it last lay still.

    Args:
        polygon_mm: outline of the area.
        margin_mm: how far things may reach beyond it.
    """

    def __init__(self, polygon_mm: object, camera: Camera, scale: float, *, margin_mm: float = 40.0) -> None:
        corners = np.asarray(polygon_mm, dtype=np.float64)[:, :2]
        low, high = corners.min(axis=0) - margin_mm, corners.max(axis=0) + margin_mm
        self._bounds_mm = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
        self._calm: deque[_Piece] = deque()
        self._frames: deque[_Piece] = deque()
        self.stand_at(camera, scale)

    def stand_at(self, camera: Camera, scale: float) -> None:
        """The camera stands elsewhere: what was filmed tells nothing any more."""
        self._camera, self._scale = camera, scale
        px = self._small_px(self._bounds_mm)
        self._corner = np.floor(np.maximum(px.min(axis=0), 0)).astype(int)
        self._end = np.maximum(np.ceil(px.max(axis=0)).astype(int) + 1, self._corner + 1)
        self.forget()

    def forget(self) -> None:
        """Nothing was filmed so far."""
        self._calm.clear()
        self._frames.clear()

    def settled(self, now_s: float) -> None:
        """What lay there at a time is said: what comes after it is held against that."""
        film = [*self._calm, *self._frames]
        self._calm = deque(piece for piece in film if now_s - CALM_S - 1e-6 <= piece.t_s <= now_s + 1e-6)
        self._frames = deque(piece for piece in film if piece.t_s > now_s + 1e-6)

    def feed(self, t_s: float, small_yuv: Image, level: float, *, calm: bool, covered: bool = False) -> None:
        """Take the small picture of a frame.

        Args:
            small_yuv: see `Frame.small_yuv`.
            level: brightness of the table.
            calm: the area lies as it was last seen and said, without a hand.
            covered: a hand is over it.
        """
        (x0, y0), (x1, y1) = self._corner, self._end
        piece = _Piece(t_s, small_yuv[y0:y1, x0:x1].copy(), level, covered)
        if calm:
            self._frames.clear()
            self._calm.append(piece)
            while self._calm[0].t_s < t_s - CALM_S - 1e-6:
                self._calm.popleft()
            return
        self._frames.append(piece)
        while self._frames[0].t_s < t_s - KEPT_S:
            self._frames.popleft()

    def moment(
        self, outlines_mm: Sequence[FloatArray], now_s: float, *, gone: bool = False, since_s: float | None = None
    ) -> Moment | None:
        """When the places inside some outlines came to look as they do.

        Args:
            outlines_mm: (n, 2) corners on the table of what came or went.
            now_s: a time at which it lay there, or was gone, without a hand over it.
            gone: whether it went; then it was there as long as some of it was seen there.
            since_s: a time, without a hand over it, at which it looked otherwise; None, or a time before the area last lay still: it did then.

        Returns:
            None where before and after look the same in the small picture, or were not filmed.
        """
        change = self._change(outlines_mm, now_s, since_s)
        if change is None:
            return None
        return self._dated(change, change.every, max(self._calm[-1].t_s, since_s or 0.0), now_s, gone=gone)

    def arrivals(
        self, outlines_mm: Sequence[FloatArray], now_s: float, *, covered_again: bool = False
    ) -> list[Arrival] | None:
        """How the places inside outlines came to look as they do, one thing after the other.

        Between two things nothing stirs for a moment, and every pixel shows what was or what is; it changed at the one stir before
        which it showed the one and after which it shows the other.

        Args:
            outlines_mm: (n, 2) corners on the table of ground that is covered now and was free before.
            now_s: a time at which it was seen so, without a hand over it.
            covered_again: whether what came later may lie on what came before: then it is enough that a pixel no longer showed what was, and always something of
                the kind that lies there now, as cards with a pattern on their backs do.

        Returns:
            The stirs that changed some of it, in order; None where too many pixels do not tell.
        """
        change = self._change(outlines_mm, now_s)
        if change is None:
            return None
        still = change.still()
        if not still or still[-1][-1] is not change.film[-1]:
            return None
        still.insert(0, list(self._calm))
        levels = [np.mean([_levels(piece, change.inside) for piece in pieces], axis=0) for pieces in still]
        shown = [change.alike(one) for one in levels]
        if covered_again:
            shown = [(old, new | change.like_what_came(one)) for one, (old, new) in zip(levels, shown, strict=True)]
        groups = [
            np.logical_and.reduce([old for old, _ in shown[: j + 1]] + [new for _, new in shown[j + 1 :]])
            for j in range(len(still) - 1)
        ]
        total = sum(int(group.sum()) for group in groups)
        if total < TOLD_SHARE * len(change.limit):
            return None
        found = []
        for j, group in enumerate(groups):
            if group.sum() >= LEAST_PX:
                since_s, until_s = still[j][-1].t_s, still[j + 1][0].t_s
                moment = self._dated(change, group, since_s, until_s) or Moment(since_s, until_s)
                found.append(Arrival(moment, float(group.sum()) / total, since_s, until_s))
        return found or None

    def _change(self, outlines_mm: Sequence[FloatArray], now_s: float, since_s: float | None = None) -> _Change | None:
        """What tells before from after inside outlines; None where too little does. For the times see `moment`."""
        film = [piece for piece in self._frames if piece.t_s <= now_s + 1e-6]
        if not film or not self._calm:
            return None
        first = [self._calm[0], *(piece for piece in film if piece.t_s <= (since_s or 0.0) + 1e-6)][-1]
        inside = self._inside(outlines_mm)
        before, after = _levels(first, inside), _levels(film[-1], inside)
        apart = levels_apart(before, after)
        telling = apart > TELLING_LEVEL
        if int(telling.sum()) < LEAST_PX:
            return None
        where = inside.copy()
        where[inside] = telling
        return _Change(film, where, before[telling], after[telling], ALIKE_SHARE * apart[telling])

    def _dated(
        self, change: _Change, which: Mask, since_s: float, until_s: float, *, gone: bool = False
    ) -> Moment | None:
        """When some of the telling pixels came to look as they do, of what was filmed after one time and up to another.

        They changed in between: a hand that reaches there later and is not made out takes nothing back.
        """
        earliest, latest, proven = since_s, None, False
        after, before = _Run(), _Run()
        stands, limit = False, change.limit[which]
        film = [piece for piece in change.film if since_s < piece.t_s <= until_s]
        told = [[one[which] for one in change.apart(_levels(piece, change.inside))] for piece in film]
        for piece, apart, lasts in zip(film, told, _lasting([new for _, new in told], limit), strict=True):
            old, new = (float((one < limit).mean()) for one in apart)
            exact_old, exact_new = (float((one < EXACT_LEVEL).mean()) for one in apart)
            stood = after.goes_on(piece.t_s, exact_new >= EXACT_SHARE and old <= OTHER_SHARE)
            back = before.goes_on(piece.t_s, exact_old >= EXACT_SHARE and new <= OTHER_SHARE)
            stands = (stands or (stood and latest is not None)) and not back
            if stands:
                proven = proven or (new >= CLEAR_SHARE and not piece.covered)
            elif old >= SEEN_SHARE and old > new:
                # A sleeve may look like the felt: under a hand this proves nothing against what was seen without one.
                if not piece.covered:
                    earliest, latest, proven = piece.t_s, None, False
                elif not proven:
                    latest = None
            elif not piece.covered and new < CLEAR_SHARE and (gone or lasts < SEEN_SHARE or old > OTHER_SHARE):
                if gone and old >= SEEN_SHARE:  # only pushed along so far
                    earliest = piece.t_s
                latest, proven = None, False
            else:
                if latest is None and new >= SEEN_SHARE and new > old:
                    latest = piece.t_s
                proven = proven or (latest is not None and not piece.covered)
        return None if latest is None else Moment(earliest, latest)

    def _inside(self, outlines_mm: Sequence[FloatArray]) -> Mask:
        (x0, y0), (x1, y1) = self._corner, self._end
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        for outline in outlines_mm:
            px = self._small_px(np.asarray(outline, np.float64)) - self._corner
            cv2.fillPoly(mask, [np.round(px).astype(np.int32)], 1)
        h, w = (self._calm or self._frames)[0].picture.shape[:2]
        return mask[:h, :w].astype(bool)

    def _small_px(self, points_mm: FloatArray) -> FloatArray:
        return np.asarray((self._camera.image_from_table(points_mm) + 0.5) / self._scale - 0.5, np.float64)


def _lasting(apart: Sequence[FloatArray], limit: FloatArray) -> list[float]:
    """Share of the telling pixels, for each picture in a row, that are as after in it to `EXACT_LEVEL`, and as after in all that follow."""
    shares: list[float] = []
    since = np.ones(len(limit), bool)
    for levels in reversed(apart):
        since &= levels < limit
        shares.append(float((since & (levels < EXACT_LEVEL)).mean()))
    return shares[::-1]


def _levels(piece: _Piece, inside: Mask) -> FloatArray:
    """(n, 3) levels of the pixels inside, brightness as a share of the table's, in hundredths."""
    levels = piece.picture[inside].astype(np.float64)
    levels[:, 0] *= 100.0 / piece.level
    return levels


def dated(moment: Moment | None, rest_s: float, stirred_s: float | None) -> When:
    """The times of an event: by when it had happened, and, where that is much earlier, when it can have happened at the earliest.

    Args:
        moment: what the film shows, None where it does not tell.
        rest_s: when the rest began at which it was seen.
        stirred_s: since when something may have happened there.
    """
    t_s = rest_s if moment is None else min(rest_s, moment.latest_s)
    return between(stirred_s if moment is None else moment.earliest_s, t_s)


def between(earliest_s: float | None, t_s: float) -> When:
    """The times of an event that happened after one moment and by another."""
    return {"t_s": t_s, "earliest_s": earliest_s if earliest_s is not None and earliest_s < t_s - SHARP_S else None}
