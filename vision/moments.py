"""When a thing came or went, though nobody could look while hands lay over it.

The networks look at an area at rest, often long after a hand laid something there. The small picture that the gate compares
sees every frame: where a thing lies now, its pixels were as before until a moment, hidden for a while, and as now ever
since. The thing came between the last picture that still shows some of what was and the first that shows some of what is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.gate import levels_apart
from vision.source import Image

FloatArray = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

KEPT_S = 6.0
"""How long before now pictures are kept while an area is not at rest."""
CALM_S = 0.2
"""How long before the first sign of a hand the picture of the rest before is taken."""
TELLING_LEVEL = 24.0
"""Levels by which a pixel must differ between before and after to tell them apart."""
ALIKE_SHARE = 0.4
"""A pixel is as before, or as after, where it differs from that by less than this share of what tells them apart."""
LEAST_PX = 6
"""Pixels that must tell before from after."""
SEEN_SHARE = 0.2
"""Share of these that must show one of the two in a picture to say which it is."""
CLEAR_SHARE = 0.6
"""Share of these that must be as after in a picture without a hand; else something else lay there then, pushed along perhaps."""


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

    def moment(self, outlines_mm: Sequence[FloatArray], now_s: float) -> Moment | None:
        """When the places inside some outlines came to look as they do.

        Args:
            outlines_mm: (n, 2) corners on the table of what came or went, each convex.
            now_s: a time at which it lay there, or was gone, without a hand over it.

        Returns:
            None where before and after look the same in the small picture, or were not filmed.
        """
        film = [piece for piece in self._frames if piece.t_s <= now_s + 1e-6]
        if not film or not self._calm:
            return None
        inside = self._inside(outlines_mm)
        before, after = _levels(self._calm[0], inside), _levels(film[-1], inside)
        apart = levels_apart(before, after)
        telling = apart > TELLING_LEVEL
        if int(telling.sum()) < LEAST_PX:
            return None
        limit = ALIKE_SHARE * apart[telling]
        earliest, latest, proven = self._calm[-1].t_s, None, False
        for piece in film:
            levels = _levels(piece, inside)
            old = float((levels_apart(levels, before)[telling] < limit).mean())
            new = float((levels_apart(levels, after)[telling] < limit).mean())
            if old >= SEEN_SHARE and old > new:
                # A sleeve may look like the felt: under a hand this proves nothing against what was seen without one.
                if not piece.covered:
                    earliest, latest, proven = piece.t_s, None, False
                elif not proven:
                    latest = None
            elif not piece.covered and new < CLEAR_SHARE:
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
            cv2.fillConvexPoly(mask, np.round(px).astype(np.int32), 1)
        h, w = (self._calm or self._frames)[0].picture.shape[:2]
        return mask[:h, :w].astype(bool)

    def _small_px(self, points_mm: FloatArray) -> FloatArray:
        return np.asarray((self._camera.image_from_table(points_mm) + 0.5) / self._scale - 0.5, np.float64)


def _levels(piece: _Piece, inside: Mask) -> FloatArray:
    """(n, 3) levels of the pixels inside, brightness as a share of the table's, in hundredths."""
    levels = piece.picture[inside].astype(np.float64)
    levels[:, 0] *= 100.0 / piece.level
    return levels
