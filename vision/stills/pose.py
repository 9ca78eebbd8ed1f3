"""Where a camera stands, told by the cards in its picture: all are 63.5 x 88.9 mm and lie on one plane.

For a single picture of an unknown table. A camera is searched under which most outlines become rectangles of a card's size; those that do
not (badly outlined, two cards squared up) do not count. Of a card half hidden the sides that are seen still tell: where two
meet, the angle is a right one, and what lies between two others is a side long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.reader import CARD_SIZE_MM
from vision.stills.sides import Outline

FloatArray = npt.NDArray[np.float64]

USUAL_FOCAL_WIDTHS = 1.4
"""Focal length in widths of the picture that is believed where the cards do not tell it."""
FOCALS = (0.9, 1.4, 2.4)
TILTS_DEG = np.arange(0.0, 61.0, 4.0)
TURNS_DEG = np.arange(0.0, 360.0, 12.0)
TOLERANCES = ((0.08, 0.04), (0.15, 0.08))
"""Error of a card's angles and sides, as a share, beyond which an outline is another thing's: at first, and in the end. The second pair is for
outlines of which too few agree so well (bent cards, others than poker size)."""
ENOUGH = 2.0
"""So many cards have to agree by the finest tolerance: of fewer a tilt is found that fits by chance (webcam pictures, 24 degrees for 1)."""
STARTS, CLIMBED, APART_DEG = 12, 4, 6.0
"""Views of the grid from which is climbed a little, those of them from which all the way, and how far they lie apart."""
SIDES_WORTH = np.array([0.0, 0.0, 0.2, 0.6, 1.0])
"""What an outline is worth by how many of its sides are seen."""
FOCAL_PENALTY, TILT_PENALTY = 0.1, 0.03
"""What doubling the usual focal length, and 45 degrees of tilt, cost of a card's full weight: where cards do not tell, a
camera stands straight above."""
STEPS = ((2.0, 6.0, 0.2), (1.0, 3.0, 0.08), (0.5, 1.5, 0.04), (0.25, 0.75, 0.02), (0.12, 0.4, 0.01))
"""Refinement: degrees of tilt, of turn, and share of the focal length."""
_TOGETHER = 128
"""Views looked at in one go."""


@dataclass(frozen=True, slots=True)
class View:
    """A camera up to its distance: degrees from straight down, degrees by which it is turned, focal length in px."""

    tilt_deg: float
    turn_deg: float
    focal_px: float


@dataclass(frozen=True, slots=True)
class Pose:
    """A camera and how well it explains the cards.

    Attributes:
        camera: the table's origin is the middle of the picture.
        support: sum over the cards of how well they fit, 0..1 each.
    """

    camera: Camera
    support: float


def straight_above(size_px: tuple[int, int], px_per_mm: float) -> Camera:
    """The camera of the usual focal length that looks straight down."""
    return _camera(View(0.0, 0.0, USUAL_FOCAL_WIDTHS * max(size_px)), px_per_mm, size_px)


def pose_of_cards(
    outlines: Sequence[Sequence[Outline]], size_px: tuple[int, int], start: Camera | None = None
) -> Pose | None:
    """The camera under which most outlines are cards; None where none is one.

    Args:
        outlines: for each card one or more tries.
        size_px: width and height of the picture.
        start: a camera to search about, from a search before.
    """
    if not outlines:
        return None
    tries = [(i, outline) for i, several in enumerate(outlines) for outline in several]
    cards = _Cards(
        np.array([outline.corners_px for _, outline in tries]) - np.array(size_px) / 2,
        np.array([outline.seen for _, outline in tries]),
        np.array([i for i, _ in tries]),
        float(max(size_px)),
    )
    for tolerances in TOLERANCES:
        starts = _starts(cards, tolerances[0]) if start is None else [_view_of(start)]
        view, support = cards.best([_climbed(cards, view, tolerances) for view in starts], tolerances[1])
        if support >= ENOUGH:
            break
    (support,), (scale,) = cards.support([view], TOLERANCES[-1][0])
    if scale <= 0:
        return None
    return Pose(_camera(view, scale, size_px), support)


def _starts(cards: _Cards, tolerance: float) -> list[View]:
    """The views of the grid that promise most, after a few steps."""
    chosen: list[View] = []
    for view in cards.best_first(_grid(cards.width), tolerance):
        if all(_apart(view, other) for other in chosen):
            chosen.append(view)
        if len(chosen) == STARTS:
            break
    climbed = [_climbed(cards, view, (tolerance,), STEPS[:2]) for view in chosen]
    return cards.best_first(climbed, tolerance)[:CLIMBED]


def _apart(view: View, other: View) -> bool:
    """Whether neither is found by climbing from the other, most likely."""
    around = abs((view.turn_deg - other.turn_deg + 180) % 360 - 180) * math.sin(math.radians(view.tilt_deg))
    return abs(view.tilt_deg - other.tilt_deg) > APART_DEG or around > APART_DEG or view.focal_px != other.focal_px


_SIDES_MM = np.array([CARD_SIZE_MM[0], CARD_SIZE_MM[1], CARD_SIZE_MM[0], CARD_SIZE_MM[1]])
_MOVES = [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1) if (a, b, c) != (0, 0, 0)]


def _climbed(
    cards: _Cards, view: View, tolerances: Sequence[float], sizes: Sequence[tuple[float, float, float]] = STEPS
) -> View:
    """The best view that small steps lead to."""
    for tolerance in tolerances:
        view, support = cards.best([view], tolerance)
        for steps in sizes:
            for _ in range(6):
                other, better = cards.best([_moved(view, steps, move) for move in _MOVES], tolerance)
                if better <= support + 1e-9:
                    break
                view, support = other, better
    return view


def _grid(width: float) -> list[View]:
    flat = [View(0.0, 0.0, USUAL_FOCAL_WIDTHS * width)]
    return flat + [View(t, turn, f * width) for t in TILTS_DEG[1:] for turn in TURNS_DEG for f in FOCALS]


def _moved(view: View, steps: tuple[float, float, float], move: tuple[int, int, int]) -> View:
    tilt = view.tilt_deg + steps[0] * move[0]
    turn = view.turn_deg + steps[1] * move[1] + (180.0 if tilt < 0 else 0.0)
    return View(min(abs(tilt), 70.0), turn % 360.0, view.focal_px * math.exp(steps[2] * move[2]))


def _view_of(camera: Camera) -> View:
    turn = math.degrees(math.atan2(camera.rotation[1, 0], -camera.rotation[0, 0]))
    return View(camera.tilt_deg, turn, float(camera.matrix[0, 0]))


class _Cards:
    """Outlines about the picture's middle.

    Args:
        quads: (n, 4, 2) their corners.
        seen: (n, 4) which of their sides are.
        owner: (n,) which card each is a try at.
        width: the picture's longer side in px.
    """

    def __init__(
        self, quads: FloatArray, seen: npt.NDArray[np.bool_], owner: npt.NDArray[np.intp], width: float
    ) -> None:
        self.quads, self.width = quads, width
        self._firsts = np.flatnonzero(np.diff(owner, prepend=-1))
        self._met = seen & np.roll(seen, 1, axis=1)
        self._long = self._met & np.roll(self._met, -1, axis=1)
        self._lengths = self._long.sum(axis=1)
        self._worth = SIDES_WORTH[seen.sum(axis=1)] * self._met.any(axis=1)
        self._sized = self._worth * (self._lengths > 0)

    def best(self, views: Sequence[View], tolerance: float) -> tuple[View, float]:
        """The view with most support, and its support."""
        support = self.support(views, tolerance)[0]
        k = int(np.argmax(support))
        return views[k], float(support[k])

    def best_first(self, views: Sequence[View], tolerance: float) -> list[View]:
        """The views in the order of their support."""
        parts = [self.support(views[k : k + _TOGETHER], tolerance)[0] for k in range(0, len(views), _TOGETHER)]
        return [views[k] for k in np.argsort(-np.concatenate(parts), kind="stable")]

    def support(self, views: Sequence[View], tolerance: float) -> tuple[FloatArray, FloatArray]:
        """How well the outlines become cards of one size under each of v views (v,), and that size's scale in px per mm (v,), 0 where there is none."""
        flat = _on_plane(self.quads, views)
        shape, sizes = self._compared(flat)
        fits = _worth(shape, tolerance) * self._sized
        fitting = np.isfinite(flat).all(axis=(1, 2, 3)) & (fits.sum(axis=1) > 0)
        size = _medians(sizes, fits)
        worth = _worth(shape + self._lengths * (sizes - size[:, None]) ** 2, tolerance) * self._worth
        weights = worth * self._sized
        total = weights.sum(axis=1)
        size = np.where(total > 0, (sizes * weights).sum(axis=1) / np.where(total > 0, total, 1.0), size)
        of_cards = np.maximum.reduceat(worth, self._firsts, axis=1).sum(axis=1)
        support = np.where(fitting, of_cards - [self._penalty(view) for view in views], -1.0)
        return support, np.where(fitting, np.exp(size), 0.0)

    def _penalty(self, view: View) -> float:
        focal = math.log2(view.focal_px / (USUAL_FOCAL_WIDTHS * self.width))
        return FOCAL_PENALTY * focal**2 + TILT_PENALTY * (view.tilt_deg / 45.0) ** 2

    def _compared(self, flat: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of outlines (v, n, 4, 2): squared error of each one's shape against a card's (v, n), and the logarithm of its size against a card's, 0 where none is seen."""
        sides = np.roll(flat, -1, axis=2) - flat
        lengths = np.linalg.norm(sides, axis=3) + 1e-9
        ways = sides / lengths[..., None]
        skew = (ways * np.roll(ways, 1, axis=2)).sum(axis=3)
        sizes = np.log(lengths / _SIDES_MM)
        size = (sizes * self._long).sum(axis=2) / np.maximum(self._lengths, 1)
        shape = (skew**2 * self._met).sum(axis=2) + ((sizes - size[..., None]) ** 2 * self._long).sum(axis=2)
        return np.asarray(shape, np.float64), np.asarray(size * (self._lengths > 0), np.float64)


def _worth(squares: FloatArray, tolerance: float) -> FloatArray:
    """Worth of outlines by their squared errors: 1 where there is none, 0 beyond the tolerance."""
    return np.asarray(np.clip(1.0 - squares / tolerance**2, 0.0, None) ** 2, np.float64)


def _medians(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted median of each row (v, n)."""
    order = np.argsort(values, axis=1)
    share = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    middle = (share < share[:, -1:] / 2).sum(axis=1)
    middle = np.minimum(middle, values.shape[1] - 1)
    return np.asarray(np.take_along_axis(values, np.take_along_axis(order, middle[:, None], axis=1), axis=1)[:, 0])


def _on_plane(points: FloatArray, views: Sequence[View]) -> FloatArray:
    """(v, ..., 2) places of points (..., 2) on the plane of pixels about the picture's middle under each view, in pixels there; NaN above the horizon."""
    told = [
        (math.sin(turn), math.cos(turn), math.sin(tilt), math.cos(tilt), view.focal_px)
        for view in views
        for turn, tilt in [(math.radians(view.turn_deg), math.radians(view.tilt_deg))]
    ]
    sin, cos, sin_tilt, cos_tilt, focal = np.array(told).T.reshape(5, len(views), *[1] * (points.ndim - 1))
    u = cos * points[..., 0] - sin * points[..., 1]
    v = sin * points[..., 0] + cos * points[..., 1]
    down = v * sin_tilt + focal * cos_tilt
    reach = np.where(down > 0.05 * focal, focal * cos_tilt / np.maximum(down, 1e-9), np.nan)
    y = focal * sin_tilt + reach * (v * cos_tilt - focal * sin_tilt)
    return np.stack([-u * reach, y], axis=-1)


def _camera(view: View, px_per_mm: float, size_px: tuple[int, int]) -> Camera:
    """The camera whose picture has this scale at its middle, across the tilt."""
    distance = view.focal_px / px_per_mm
    tilt = math.radians(view.tilt_deg)
    position = (0.0, distance * math.sin(tilt), distance * math.cos(tilt))
    return Camera.looking_at(position, (0.0, 0.0), view.turn_deg, view.focal_px, size_px)
