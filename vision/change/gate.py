"""Looks for change on a small picture, so that the networks run only where something changed and came to rest.

Every frame is shrunk to about 480 pixels across (a chip is still some ten pixels wide) and compared with the frame of
a moment ago (*motion*) and with the last accepted state of each place (*foreground*). A piece of foreground that moves
and reaches over the table's edge is a hand with its arm; whose it is, its edge tells. Brightness is compared after a
common gain, so lamps may flicker.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.layout import AreaKind, Layout
from rules.events import Side
from vision.change.traces import HandTraces, Piece
from vision.frames.picture import Image, Plane, Planes, planes_of

Mask = npt.NDArray[np.bool_]

SMALL_WIDTH_PX = 480
"""Width of the picture that watches for change."""
DEALER_BAND_MM = 40.0
"""What lies nearer to the dealer's straight edge than this, or beyond it, counts as the dealer's side."""
EDGE_PX = 5
"""An arm that comes in over the players' edge is seen within two pixels of it, though its sleeve be lost beyond."""
ARM_MM = 200.0
"""An arm of which nothing shows beyond the dealer's edge reaches at least so far in from there; the tray, where chips come and go, does not."""
CHROMA_WEIGHT = 1.5
"""Of a difference in colour against one in brightness."""
DEALER_SIDE, PLAYER_SIDE = 1, 2
WATCHED_KINDS = (AreaKind.CARDS, AreaKind.COMMUNITY, AreaKind.WAGER)
"""Areas where cards or chips are looked for."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Thresholds of the small picture; levels are of 255, times in seconds of capture time.

    `side_px`: how much of an arm must lie beyond an edge to say whose it is. Arms show 65 and more; fingertips of a dealer
    whose dark sleeve was lost against the felt show a few beyond the players' edge.
    """

    motion_s: float = 0.1
    motion_level: float = 16.0
    foreground_level: float = 24.0
    motion_px: int = 5
    moved_recently_s: float = 0.4
    hand_px: int = 40
    absorb_s: float = 1.0
    absorb_every_s: float = 0.2
    chroma_weight: float = CHROMA_WEIGHT
    covered_share: float = 0.06
    side_px: int = 30


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand with its arm in one frame.

    Attributes:
        box_px: (x0, y0, x1, y1) in pixels of the full picture.
        side: whose, None where the arm does not tell.
        areas: names of the areas it covers.
    """

    box_px: tuple[float, float, float, float]
    side: Side | None
    areas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What one frame says of each area, in the order of `SmallMap.names`.

    Attributes:
        moving: whether something moves inside.
        covered: share of the area under a hand, 0..1.
        hands: the hands of the picture.
        level: mean brightness of the table, 0..255.
        traces: pieces that move and reach no edge, whose side is known by where they came from.
    """

    moving: Mask
    covered: npt.NDArray[np.float64]
    hands: tuple[Hand, ...]
    level: float
    traces: tuple[Hand, ...] = ()


class SmallMap:
    """Where the areas and the table's edges lie in the small picture.

    Attributes:
        size_px: width and height of the small picture.
        scale: full pixels per small pixel.
        names: areas, in the order of all arrays by area.
        labels: (h, w) int16, index into `names`, -1 elsewhere.
        places_mm: (h * w, 2) places on the table of all pixels, row by row.
        watched: indices of the areas whose rests somebody looks at; the others take in what lies still by themselves.
        beyond: (h, w) uint8, 0 on the table, DEALER_SIDE or PLAYER_SIDE beyond its edge or at the picture's border.
        at_dealer, at_players: what of the table lies along the dealer's edge, and along the players'.
    """

    def __init__(self, layout: Layout, camera: Camera) -> None:
        width, height = camera.size_px
        self.scale = max(1.0, width / SMALL_WIDTH_PX)
        self.size_px = round(width / self.scale), round(height / self.scale)
        self.names = tuple(area.name for area in layout.areas)
        self.watched = frozenset(i for i, area in enumerate(layout.areas) if area.kind in WATCHED_KINDS)
        small_w, small_h = self.size_px
        self.labels = np.full((small_h, small_w), -1, np.int16)
        for index, area in enumerate(layout.areas):
            cv2.fillPoly(self.labels, [self._small_polygon(area.polygon_mm, camera)], index)
        self.counts = np.array([max(1, int((self.labels == i).sum())) for i in range(len(self.names))])
        ys, xs = np.mgrid[0:small_h, 0:small_w]
        pixels = (np.stack([xs.ravel(), ys.ravel()], axis=1) + 0.5) * self.scale - 0.5
        self.places_mm = camera.table_from_image(pixels)
        on_table = np.zeros((small_h, small_w), np.uint8)
        cv2.fillPoly(on_table, [self._small_polygon(layout.outline_mm, camera)], 1)
        eroded = cv2.erode(on_table, np.ones((3, 3), np.uint8), borderValue=0)
        self.on_table: Mask = eroded.astype(bool)
        along_mm = self.places_mm[:, 1].reshape(small_h, small_w)
        side = np.where(along_mm < DEALER_BAND_MM, DEALER_SIDE, PLAYER_SIDE).astype(np.uint8)
        self.beyond = np.where(self.on_table, 0, side).astype(np.uint8)
        self.at_dealer: Mask = self.on_table & (side == DEALER_SIDE)
        near = cv2.dilate((self.beyond == PLAYER_SIDE).astype(np.uint8), np.ones((EDGE_PX, EDGE_PX), np.uint8))
        self.at_players: Mask = self.on_table & near.astype(bool)

    def _small_polygon(self, polygon_mm: object, camera: Camera) -> npt.NDArray[np.int32]:
        corners = np.asarray(polygon_mm, dtype=np.float64)
        following = np.roll(corners, -1, axis=0)
        steps = np.linspace(0.0, 1.0, 8, endpoint=False)[None, :, None]
        points = (corners[:, None] * (1 - steps) + following[:, None] * steps).reshape(-1, 2)
        return np.asarray(np.round((camera.image_from_table(points) + 0.5) / self.scale - 0.5), dtype=np.int32)


def levels_apart(
    now: npt.NDArray[Any], then: npt.NDArray[Any], gain: float = 1.0, chroma_weight: float = CHROMA_WEIGHT
) -> npt.NDArray[Any]:
    """How far two pictures (..., 3) in Y, U, V differ, in levels, after a gain in brightness from `then` to `now`."""
    difference = np.abs(now[..., 0] - then[..., 0] * np.float32(gain))
    chroma = np.abs(now[..., 1] - then[..., 1]) + np.abs(now[..., 2] - then[..., 2])
    return np.asarray(difference + np.float32(chroma_weight) * chroma)


def planes_apart(now: Planes, then: Planes, gain: float = 1.0, chroma_weight: float = CHROMA_WEIGHT) -> Plane:
    """What `levels_apart` says, to the bit, of pictures given by their planes."""
    difference, chroma, more = (
        np.asarray(cv2.absdiff(one, other), np.float32)
        for one, other in zip(now, (then[0] * np.float32(gain), then[1], then[2]), strict=True)
    )
    chroma += more
    chroma *= np.float32(chroma_weight)
    difference += chroma
    return difference


def median_of(levels: npt.NDArray[np.uint8]) -> float:
    """The median of some levels; there must be one at least."""
    upto = cv2.calcHist([levels], [0], None, [256], [0.0, 256.0]).ravel().cumsum()
    last = int(upto[-1]) - 1
    low, high = np.searchsorted(upto, [last // 2, (last + 1) // 2], side="right")
    return (int(low) + int(high)) / 2


class Gate:
    """Feeds on frames in order; holds the last accepted state of every place as a small picture."""

    def __init__(self, small_map: SmallMap, settings: GateSettings | None = None) -> None:
        self.settings = settings or GateSettings()
        self._recent: deque[tuple[float, Planes, float]] = deque()
        self._background: Planes | None = None
        self._background_level = 1.0
        self._now: Planes | None = None
        self._now_level = 1.0
        self._next_absorb_s = -1e9
        self._use(small_map)

    def _use(self, small_map: SmallMap) -> None:
        """Take places from this map; nothing has moved and no hand is there."""
        shape = small_map.labels.shape
        self.map = small_map
        self._moved_at = np.full(shape, -1e9, np.float32)
        self._strange_since = np.full(shape, np.inf, np.float32)
        self._hand_mask: Mask = np.zeros(shape, bool)
        self._traces = HandTraces()
        self._nobody_accepts: Mask = ~np.isin(small_map.labels, list(small_map.watched))
        self._levelled = np.flatnonzero(small_map.on_table)
        if not len(self._levelled):
            self._levelled = np.arange(small_map.on_table.size)
        self._places = [np.flatnonzero(small_map.labels == i) for i in range(len(small_map.names))]

    def feed(self, t_s: float, small_yuv: Image, planes: Planes | None = None) -> GateReport:
        """Compare a small picture (see `Frame.small_yuv`, in `SmallMap.size_px`) with the ones before.

        Args:
            t_s: capture time.
            small_yuv: the picture.
            planes: its planes (`Frame.small_planes`), where they were made before.
        """
        small = planes or planes_of(small_yuv)
        luma = np.asarray(cv2.extractChannel(small_yuv, 0), np.uint8)
        level = max(1.0, median_of(luma.ravel().take(self._levelled)))
        if self._background is None:
            self._background, self._background_level = planes_of(small_yuv), level
        self._now, self._now_level = small, level
        moved = self._motion(t_s, small, level)
        foreground = self._foreground(small, level)
        hands, hand_mask, traces = self._hands(t_s, foreground)
        self._absorb(t_s, foreground, hand_mask, small, level)
        self._hand_mask = hand_mask
        moving = self._by_area(moved) >= self.settings.motion_px
        covered = self._by_area(hand_mask) / self.map.counts
        return GateReport(moving, covered, hands, level, traces)

    def _by_area(self, mask: Mask) -> npt.NDArray[np.intp]:
        """How many pixels of a mask, (h, w), lie in each area."""
        labels = self.map.labels.ravel()[np.flatnonzero(mask)]
        return np.bincount(labels[labels >= 0], minlength=len(self.map.names))

    @property
    def level(self) -> float:
        """Mean brightness of the table in the last picture, 0..255."""
        return self._now_level

    def stand_at(self, small_map: SmallMap, before: Camera) -> None:
        """Go on with a camera that stands elsewhere; the state at rest is carried over by its places on the table.

        Args:
            small_map: of the camera now.
            before: the camera until now.
        """
        height, width = small_map.labels.shape
        px = (before.image_from_table(small_map.places_mm) + 0.5) / self.map.scale - 0.5
        where = np.nan_to_num(px, nan=-1e6).astype(np.float32).reshape(height, width, 2)
        if self._background is not None:
            whole = cv2.merge(self._background)
            carried = cv2.remap(whole, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            self._background = planes_of(np.asarray(carried))
        self._recent.clear()
        self._now = None
        self._use(small_map)

    def accept(self, index: int) -> None:
        """Take what area `index` shows now as its state at rest."""
        if self._background is None or self._now is None:
            return
        inside = self._places[index]
        for now, kept, gain in self._against_background(self._now, self._now_level):
            kept.ravel()[inside] = now.ravel()[inside] / gain

    def changed_px(self, index: int, *, back: int = 0) -> int:
        """How many small pixels of area `index` differ from its last accepted state, in the last picture or one so many before it."""
        if self._background is None or len(self._recent) <= back:
            return 0
        _, picture, level = self._recent[-1 - back]
        now, then = self._inside(picture, index), self._inside(self._background, index)
        difference = planes_apart(now, then, level / self._background_level, self.settings.chroma_weight)
        return int(np.count_nonzero(difference > self.settings.motion_level))

    def _inside(self, picture: Planes, index: int) -> Planes:
        y, u, v = (plane.ravel().take(self._places[index]) for plane in picture)
        return y, u, v

    def _against_background(self, picture: Planes, level: float) -> list[tuple[Plane, Plane, np.float32]]:
        """Each plane with that of the background, and by what it has to be divided to be as bright."""
        assert self._background is not None
        gains = (np.float32(level / self._background_level), np.float32(1.0), np.float32(1.0))
        return list(zip(picture, self._background, gains, strict=True))

    def _motion(self, t_s: float, small: Planes, level: float) -> Mask:
        recent = self._recent
        while len(recent) > 1 and recent[1][0] <= t_s - self.settings.motion_s + 1e-6:
            recent.popleft()
        moved: Mask = np.zeros(small[0].shape, bool)
        if recent:
            _, then, then_level = recent[0]
            apart = planes_apart(small, then, level / then_level, self.settings.chroma_weight)
            moved = apart > self.settings.motion_level
            self._moved_at[moved] = t_s
        recent.append((t_s, small, level))
        return moved

    def _foreground(self, small: Planes, level: float) -> Mask:
        assert self._background is not None
        apart = planes_apart(small, self._background, level / self._background_level, self.settings.chroma_weight)
        return np.asarray(apart > self.settings.foreground_level, dtype=bool)

    def _hands(self, t_s: float, foreground: Mask) -> tuple[tuple[Hand, ...], Mask, tuple[Hand, ...]]:
        closed = cv2.morphologyEx(foreground.view(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        count, components, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8, ltype=cv2.CV_16U)
        hand_mask: Mask = np.zeros(foreground.shape, bool)
        hands: list[Hand] = []
        pieces: list[Piece] = []
        loose: list[tuple[Hand, Piece]] = []
        for i in 1 + np.flatnonzero(stats[1:count, cv2.CC_STAT_AREA] >= self.settings.hand_px):
            x, y, w, h, size = stats[i].tolist()
            rows, columns = np.nonzero(components[y : y + h, x : x + w] == i)
            at = (rows + y) * foreground.shape[1] + (columns + x)
            beyond = np.bincount(self.map.beyond.ravel().take(at), minlength=3)
            dealer, player = int(beyond[DEALER_SIDE]), int(beyond[PLAYER_SIDE])
            if dealer + player == size:
                continue
            at_players = dealer == 0 and player > 0
            moved_at = self._moved_at.ravel().take(at)
            fresh = int(np.count_nonzero(moved_at >= t_s - self.settings.moved_recently_s))
            along = int(np.count_nonzero(self.map.at_dealer.ravel().take(at)))
            reaches_in = self._reaches_in(at, along)
            if dealer + player < 4 and not reaches_in:
                if fresh >= self.settings.motion_px:
                    hand = Hand(self._full_box(stats[i]), None, self._areas_under(at))
                    loose.append((hand, Piece(self.map.places_mm.take(at, axis=0), None, at_players)))
                continue
            before = int(np.count_nonzero(self._hand_mask.ravel().take(at)))
            if fresh < self.settings.motion_px and before < 0.3 * size:
                continue
            hand_mask.ravel()[at] = True
            side = self._side(dealer, player)
            if side is None and (player < 4 <= dealer or reaches_in):
                # A sleeve of the rail's colour is lost beyond the edge that it is seen to cross.
                side = self._side(dealer + along, player)
            hands.append(Hand(self._full_box(stats[i]), side, self._areas_under(at)))
            pieces.append(Piece(self.map.places_mm.take(at, axis=0), side, at_players))
        sides, traced = self._traces(t_s, pieces, [piece for _, piece in loose])
        whose = tuple(replace(hand, side=side) for hand, side in zip(hands, sides, strict=True))
        traces = tuple(replace(hand, side=side) for (hand, _), side in zip(loose, traced, strict=True) if side)
        return whose, hand_mask, traces

    def _reaches_in(self, at: npt.NDArray[np.intp], along_px: int) -> bool:
        """Whether an arm whose sleeve is lost against the rail reaches in over the dealer's edge, and none over the players'; `at` as of `_areas_under`."""
        if along_px < self.settings.side_px or self.map.at_players.ravel().take(at).any():
            return False
        return float(self.map.places_mm[:, 1].take(at).max()) >= ARM_MM

    def _side(self, dealer_px: int, player_px: int) -> Side | None:
        """Whose arm reaches so far beyond either edge."""
        if max(dealer_px, player_px) < self.settings.side_px:
            return None
        if dealer_px > 3 * player_px:
            return Side.DEALER
        return Side.PLAYER if player_px > 3 * dealer_px else None

    def _areas_under(self, at: npt.NDArray[np.intp]) -> tuple[str, ...]:
        """Names of the areas of which a piece covers enough; `at`: its places in the flat picture."""
        labels = self.map.labels.ravel().take(at)
        share = np.bincount(labels[labels >= 0], minlength=len(self.map.names)) / self.map.counts
        return tuple(self.map.names[i] for i in np.flatnonzero(share >= self.settings.covered_share))

    def _full_box(self, stat: npt.NDArray[np.int32]) -> tuple[float, float, float, float]:
        x, y, w, h = (float(v) * self.map.scale for v in stat[:4])
        return x, y, x + w, y + h

    def _absorb(self, t_s: float, foreground: Mask, hand_mask: Mask, small: Planes, level: float) -> None:
        assert self._background is not None
        if t_s < self._next_absorb_s:
            return
        self._next_absorb_s = t_s + self.settings.absorb_every_s
        quiet = self._moved_at < t_s - self.settings.moved_recently_s
        settled = foreground & quiet & ~hand_mask & self._nobody_accepts
        self._strange_since[~settled] = np.inf
        self._strange_since[settled & np.isinf(self._strange_since)] = t_s
        old = self._strange_since <= t_s - self.settings.absorb_s
        calm = (~foreground & quiet).astype(np.uint8)
        scaled = [now / gain for now, _, gain in self._against_background(small, level)]
        if old.any():
            for now, kept in zip(scaled, self._background, strict=True):
                kept[old] = now[old]
        whole = cv2.merge(self._background)
        cv2.accumulateWeighted(cv2.merge(scaled), whole, 0.05, calm)
        self._background = planes_of(np.asarray(whole))


__all__ = ["Gate", "GateReport", "GateSettings", "Hand", "Image", "SmallMap"]
