"""Which chips lie spread, each on the edge of the one before: such a chip is one chip, and no stack.

Seen at an angle a stack hides what stands behind it, which looks like an overlap. It would show its side then: where the felt is
seen in its stead there is no stack.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames.picture import Image
from vision.frames.rectify import AreaView
from vision.looks.stacks import CHIP_HEIGHT_MM, CHIP_RADIUS_MM, CameraLike, away_from_camera

FloatArray = npt.NDArray[np.float64]

OVERLAP_MM = 35.0
"""Upper faces whose middles are nearer than this overlap: chips side by side are 39 mm apart."""
BESIDE_MM, LEAN_MM = 10.0, 4.0
"""A stack's side and its upper face are both taken for chips where they lie behind one another, at most this far aside and no farther
apart than ten chips and a lean."""
ROW_MM, UNEVEN = 6.0, 1.7
"""Three and more overlapping chips whose middles lie no farther than `ROW_MM` off a line are a row; where one step of a row is so many
times its shortest, a chip in it may have been missed."""
EVEN, SHORT = 1.3, 0.7
"""The longest step of an even row is at most so many times its shortest; one chip too many makes two steps of at most so much of the shortest of the others."""
MOST_STACKED = 12
"""Differences of height up to so many chips are thought of before two faces that overlap are taken for spread chips."""
OWN_SIDE_MM, ASIDE_MM = 1.5, 13.0
"""A chip's own side and blur reach so far beyond its face; columns so far aside of its middle are looked at for more."""
AROUND_MM, CLEAR_MM = 40.0, 4.0
"""The felt is learned so far around a chip, and so far away from where chips lie or a side might be."""
DARKER, LIGHTER, OTHER_HUE = 16.0, 8.0, 6.0
"""CIE Lab: what lies in a chip's shadow is at most so much darker than the felt, or lighter, and off in hue."""
ALIKE = 0.005
"""Share of the felt's pixels that have to be like a pixel for it to be felt: prints are felt too."""
SIDE_DARKER, ALIKE_RIM, MOST_RIM = 40.0, 0.05, 0.1
"""A stack's side may be so much darker than its face; so much of the face's rim has to be like a pixel for it to be a side's; no more of what is
seen may be such."""
LEAST_PX = 50
"""From fewer pixels nothing is concluded."""
LEAST_SEEN, LEAST_FELT, MOST_OWN = 0.4, 0.85, 0.25
"""Of the place that a side would cover so much has to be seen, of that so much has to be felt, and of the chip's own rim no more may
look like felt: the side of a chip like the felt cannot be told from it."""


def lab_and_places(cut: Image, view: AreaView) -> tuple[npt.NDArray[np.float32], FloatArray]:
    """(h, w, 3) CIE Lab of a view, softened a little, and (h, w, 2) where on the felt its pixels lie, mm."""
    soft = cv2.GaussianBlur(cut, (3, 3), 0).astype(np.float32) / np.float32(255)
    columns, rows = np.meshgrid(np.arange(cut.shape[1]), np.arange(cut.shape[0]))
    places = view.table_from_view(np.stack([columns, rows], axis=-1))
    return np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2LAB), np.float32), places


class Felt:
    """Tells where the felt is seen among chips.

    Args:
        cut: the view, BGR.
        view: where it lies.
        centers_mm: of all chips, as if their faces lay on the felt.
    """

    def __init__(self, cut: Image, view: AreaView, centers_mm: Sequence[tuple[float, float]]) -> None:
        self._view = view
        self._lab, self._places = lab_and_places(cut, view)
        self._centers = np.asarray(centers_mm, np.float64).reshape(-1, 2)

    def before(self, chip: int, away: FloatArray, own_mm: float, reach_mm: float) -> bool:
        """Whether felt is seen where a stack with this upper face would show its side.

        Args:
            chip: its number.
            away: (2,) direction in which height shifts things.
            own_mm: that a single chip's own side reaches towards the camera.
            reach_mm: that the stack's would.
        """
        near = self._near(chip, CHIP_RADIUS_MM + max(AROUND_MM, reach_mm))
        lab, places = self._lab[near], self._places[near]
        offsets = places - self._centers[chip]
        towards, aside = _towards_aside(offsets, away)
        face = np.sqrt(np.maximum(CHIP_RADIUS_MM**2 - aside**2, 0.0))
        beyond = towards - face
        side = (aside <= ASIDE_MM) & (beyond > own_mm + OWN_SIDE_MM) & (beyond <= reach_mm)
        nearest = self._nearest_of_others(chip, places)
        seen = side & (nearest > CHIP_RADIUS_MM + own_mm + OWN_SIDE_MM)
        if seen.sum() < max(LEAST_PX, LEAST_SEEN * side.sum()):
            return False
        distance = np.hypot(offsets[..., 0], offsets[..., 1])
        ground = (distance <= CHIP_RADIUS_MM + AROUND_MM) & ~self._maybe_sides(away, own_mm, places)
        own = (distance > 0.75 * CHIP_RADIUS_MM) & (distance < 0.93 * CHIP_RADIUS_MM) & (nearest > CHIP_RADIUS_MM + 1.0)
        if ground.sum() < LEAST_PX or own.sum() < LEAST_PX:
            return False
        felt = lab[ground]
        felt = felt[:: max(1, len(felt) // 1200)]
        rim = lab[own]
        return bool(
            alike(lab[seen], felt).mean() >= LEAST_FELT
            and alike(rim, felt).mean() <= MOST_OWN
            and alike(lab[seen], rim, darker=SIDE_DARKER, least=ALIKE_RIM).mean() <= MOST_RIM
        )

    def _near(self, chip: int, within_mm: float) -> tuple[slice, slice]:
        """The rows and columns of the view that lie no farther from a chip's middle: of a whole picture all others are left out."""
        corners = self._view.view_from_table(self._centers[chip] + within_mm * np.array([[-1, -1], [1, 1]]))
        low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
        high = np.ceil(corners.max(axis=0)).astype(int) + 1
        return slice(low[1], max(low[1], high[1])), slice(low[0], max(low[0], high[0]))

    def _maybe_sides(self, away: FloatArray, own_mm: float, places: FloatArray) -> npt.NDArray[np.bool_]:
        """(h, w) where chips lie at these places, or sides of stacks with these upper faces might be."""
        out = np.zeros(places.shape[:2], np.bool_)
        wide, longest = CHIP_RADIUS_MM + CLEAR_MM, (MOST_STACKED + 1) * own_mm
        for center in self._centers:
            towards, aside = _towards_aside(places - center, away)
            out |= (aside <= wide) & (towards >= -wide) & (towards <= wide + longest)
        return out

    def _nearest_of_others(self, chip: int, places: FloatArray) -> FloatArray:
        """(h, w) millimetres from each of these places to the middle of the nearest other chip."""
        nearest = np.full(places.shape[:2], np.inf)
        for other in np.delete(self._centers, chip, axis=0):
            nearest = np.minimum(nearest, np.linalg.norm(places - other, axis=-1))
        return nearest


def _towards_aside(offsets_mm: FloatArray, away: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far offsets (..., 2) reach towards the camera, and how far to either side of that direction."""
    return -(offsets_mm @ away), np.abs(offsets_mm @ (-away[1], away[0]))


def alike(
    pixels: npt.NDArray[np.float32],
    others: npt.NDArray[np.float32],
    *,
    darker: float = DARKER,
    least: float = ALIKE,
) -> npt.NDArray[np.bool_]:
    """Which of (n, 3) Lab pixels are like at least that share of the (m, 3) others, or in a shadow on them."""
    off = pixels[:, None] - others[None]
    same = (off[..., 0] >= -darker) & (off[..., 0] <= LIGHTER) & (np.hypot(off[..., 1], off[..., 2]) <= OTHER_HUE)
    return np.asarray(same.mean(axis=1) >= least)


@dataclass(frozen=True, slots=True, eq=False)
class _Doubt:
    """Two faces that overlap, unless the one of them is the top of a stack.

    Attributes:
        chips: both.
        tall: the one that might be a stack.
        away: (2,) direction in which height shifts things.
        own_mm: by how much one chip's height does.
        reach_mm: how far the least stack's side would reach towards the camera.
    """

    chips: tuple[int, int]
    tall: int
    away: FloatArray
    own_mm: float
    reach_mm: float


def spread_out(
    camera: CameraLike,
    centers_mm: Sequence[tuple[float, float]],
    single: Sequence[bool],
    felt: Callable[[], Felt] | None = None,
) -> list[bool]:
    """Which of the things are chips of a spread: their face overlaps another's, and no difference of height explains it.

    A stack seen at an angle hides what stands behind it, which looks like an overlap; there the faces, brought down to the
    felt, lie apart. And its own side may be taken for a chip that its upper face overlaps. Where `felt` (made only when it is asked) shows that
    no side is seen, no such stack stands.
    """
    out = [False] * len(centers_mm)
    doubtful: list[_Doubt] = []
    for i, first in enumerate(centers_mm):
        for k in range(i + 1, len(centers_mm)):
            between = np.subtract(centers_mm[k], first)
            if not (single[i] and single[k]) or np.hypot(*between) >= OVERLAP_MM:
                continue
            away, per_mm = away_from_camera(camera, first)
            towards, aside = _towards_aside(between, away)
            if aside < BESIDE_MM and abs(towards) < 10 * CHIP_HEIGHT_MM * per_mm + LEAN_MM:
                continue
            shift = CHIP_HEIGHT_MM * per_mm
            higher = np.arange(-MOST_STACKED, MOST_STACKED + 1)
            apart = np.hypot(*(between - higher[:, None] * shift * away).T) >= 2 * CHIP_RADIUS_MM - 1.5
            if not apart.any():
                out[i] = out[k] = True
            elif not (apart[higher > 0].any() and apart[higher < 0].any()):
                chips = int(np.abs(higher[apart]).min())
                doubtful.append(_Doubt((i, k), k if apart[higher > 0].any() else i, away, shift, chips * shift))
    if felt is not None and doubtful:
        seen = felt()
        lying = [d for d in doubtful if out[d.tall] or seen.before(d.tall, d.away, d.own_mm, d.reach_mm)]
        while lying:
            for chip in itertools.chain.from_iterable(doubt.chips for doubt in lying):
                out[chip] = True
            doubtful = [doubt for doubt in doubtful if doubt not in lying]
            lying = [doubt for doubt in doubtful if out[doubt.tall]]
    return out


def gapped(centers_mm: Sequence[tuple[float, float]], spread: Sequence[bool], uneven: float = UNEVEN) -> list[bool]:
    """Which chips of spreads lie in a row with a step so long that another chip of it may not have been found.

    Whoever spreads chips lays them in even steps; a chip missed in the middle leaves one twice as long.
    """
    out = [False] * len(centers_mm)
    for row, along_mm in _rows(centers_mm, spread):
        steps = np.diff(along_mm)
        if steps.max() > uneven * max(float(steps.min()), 1.0):
            for i in row:
                out[i] = True
    return out


def squeezed(centers_mm: Sequence[tuple[float, float]], lying: Sequence[bool]) -> list[bool]:
    """Which chips lie between two of a row as no chip is laid: with it two steps are short, without it all are even.

    Where chips of one colour overlap, a detector finds one more between two of them now and then.
    """
    out = [False] * len(centers_mm)
    for row, along_mm in _rows(centers_mm, lying):
        for k in range(1, len(row) - 1):
            others = np.diff(np.delete(along_mm, k))
            beside = max(along_mm[k] - along_mm[k - 1], along_mm[k + 1] - along_mm[k])
            if len(others) > 1 and others.max() <= EVEN * others.min() and beside <= SHORT * others.min():
                out[row[k]] = True
    return out


def _rows(centers_mm: Sequence[tuple[float, float]], lying: Sequence[bool]) -> Iterator[tuple[list[int], FloatArray]]:
    """The rows of three and more overlapping chips: their numbers in order, and where each lies along it."""
    left = {i for i, lies in enumerate(lying) if lies}
    while left:
        row, waiting = [], [left.pop()]
        while waiting:
            here = waiting.pop()
            row.append(here)
            near = {k for k in left if np.hypot(*np.subtract(centers_mm[k], centers_mm[here])) < OVERLAP_MM}
            left -= near
            waiting += sorted(near)
        if len(row) < 3:
            continue
        points = np.asarray([centers_mm[i] for i in row], np.float64)
        points -= points.mean(axis=0)
        along, aside = np.linalg.svd(points, full_matrices=False)[2]
        if np.abs(points @ aside).max() <= ROW_MM:
            order = np.argsort(points @ along)
            yield [row[i] for i in order], (points @ along)[order]
