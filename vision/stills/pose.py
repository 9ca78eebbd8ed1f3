"""Where a camera stands, told by the cards in its picture: all are 63.5 x 88.9 mm and lie on one plane.

For a single picture of an unknown table. Rough corners of many cards are enough: a camera is searched under which most of
them become rectangles of a card's size; those that do not (half hidden, badly outlined) do not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.reader import CARD_SIZE_MM

FloatArray = npt.NDArray[np.float64]

USUAL_FOCAL_WIDTHS = 1.4
"""Focal length in widths of the picture that is believed where the cards do not tell it."""
FOCALS = (0.9, 1.4, 2.4)
TILTS_DEG = np.arange(0.0, 61.0, 4.0)
TURNS_DEG = np.arange(0.0, 360.0, 12.0)
TOLERANCES = (0.15, 0.08)
"""Error of a card's sides and diagonals, as a share, beyond which an outline is another thing's: at first, and in the end."""
FOCAL_PENALTY, TILT_PENALTY = 0.02, 0.03
"""What doubling the usual focal length, and 45 degrees of tilt, cost of a card's full weight: where cards do not tell, a
camera stands straight above."""
STEPS = ((2.0, 6.0, 0.2), (1.0, 3.0, 0.08), (0.5, 1.5, 0.04), (0.25, 0.75, 0.02))
"""Refinement: degrees of tilt, of turn, and share of the focal length."""


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
    outlines_px: Sequence[Sequence[npt.ArrayLike]], size_px: tuple[int, int], start: Camera | None = None
) -> Pose | None:
    """The camera under which most outlines are cards; None where none is one.

    Args:
        outlines_px: for each card one or more tries at its (4, 2) corners: upper left, upper right, lower right, lower left.
        size_px: width and height of the picture.
        start: a camera to search about, from a search before.
    """
    if not outlines_px:
        return None
    owner = np.array([i for i, tries in enumerate(outlines_px) for _ in tries])
    center = np.array(size_px) / 2
    quads = np.array([np.asarray(corners, np.float64) for tries in outlines_px for corners in tries]) - center
    width = float(max(size_px))
    views = _grid(width) if start is None else [_view_of(start)]
    cards = _Cards(quads, owner, width)
    view = max(views, key=lambda tried: cards.support(tried, TOLERANCES[0])[0])
    for tolerance in TOLERANCES:
        view = _climbed(cards, view, tolerance)
    support, scale = cards.support(view, TOLERANCES[0])
    if scale <= 0:
        return None
    return Pose(_camera(view, scale, size_px), support)


_MOVES = [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1) if (a, b, c) != (0, 0, 0)]


def _climbed(cards: _Cards, view: View, tolerance: float) -> View:
    """The best view that small steps lead to."""
    support = cards.support(view, tolerance)[0]
    for steps in STEPS:
        for _ in range(6):
            around = [_moved(view, steps, move) for move in _MOVES]
            tried = [cards.support(other, tolerance)[0] for other in around]
            k = int(np.argmax(tried))
            if tried[k] <= support + 1e-9:
                break
            view, support = around[k], tried[k]
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


@dataclass(frozen=True, slots=True)
class _Cards:
    """Outlines (n, 4, 2) about the picture's middle, which card each is a try at, and the picture's longer side in px."""

    quads: FloatArray
    owner: npt.NDArray[np.intp]
    width: float

    def support(self, view: View, tolerance: float) -> tuple[float, float]:
        """How well the outlines become cards of one size under a view, and that size's scale in px per mm."""
        flat = _on_plane(self.quads, view)
        if not np.isfinite(flat).all():
            return -1.0, 0.0
        shape, sizes = _compared(flat)
        fits = _worth(shape, tolerance)
        if fits.sum() <= 0:
            return -1.0, 0.0
        size = _median(sizes, fits)
        worth = _worth(shape + (2 * (sizes - size)) ** 2, tolerance)
        if worth.sum() > 0:
            size = float(np.average(sizes, weights=worth))
        of_card = np.zeros(int(self.owner.max()) + 1)
        np.maximum.at(of_card, self.owner, worth)
        focal = math.log2(view.focal_px / (USUAL_FOCAL_WIDTHS * self.width))
        penalty = FOCAL_PENALTY * focal**2 + TILT_PENALTY * (view.tilt_deg / 45.0) ** 2
        return float(of_card.sum() - penalty), math.exp(size)


def _compared(flat: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Squared error of each outline's shape against a card's, and the logarithm of its size against a card's."""
    sides = np.linalg.norm(np.roll(flat, -1, axis=1) - flat, axis=2) + 1e-9
    diagonals = np.linalg.norm(flat[:, 2:] - flat[:, :2], axis=2) + 1e-9
    across, along = np.sqrt(sides[:, 0] * sides[:, 2]), np.sqrt(sides[:, 1] * sides[:, 3])
    errors = (
        np.log(sides[:, 0] / sides[:, 2]),
        np.log(sides[:, 1] / sides[:, 3]),
        2 * np.log(diagonals[:, 0] / diagonals[:, 1]),
        np.log(across / along * CARD_SIZE_MM[1] / CARD_SIZE_MM[0]),
    )
    sizes = np.log(across * along / (CARD_SIZE_MM[0] * CARD_SIZE_MM[1])) / 2
    return np.asarray(sum(error**2 for error in errors), np.float64), np.asarray(sizes, np.float64)


def _worth(squares: FloatArray, tolerance: float) -> FloatArray:
    """Worth of outlines by their squared errors: 1 where there is none, 0 beyond the tolerance."""
    return np.asarray(np.clip(1.0 - squares / tolerance**2, 0.0, None) ** 2, np.float64)


def _median(values: FloatArray, weights: FloatArray) -> float:
    order = np.argsort(values)
    share = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(share, share[-1] / 2))]])


def _on_plane(points: FloatArray, view: View) -> FloatArray:
    """(..., 2) places on the plane of pixels about the picture's middle, in pixels there; NaN above the horizon."""
    tilt, turn = math.radians(view.tilt_deg), math.radians(view.turn_deg)
    cos, sin = math.cos(turn), math.sin(turn)
    u = cos * points[..., 0] - sin * points[..., 1]
    v = sin * points[..., 0] + cos * points[..., 1]
    down = v * math.sin(tilt) + view.focal_px * math.cos(tilt)
    reach = np.where(down > 0.05 * view.focal_px, view.focal_px * math.cos(tilt) / np.maximum(down, 1e-9), np.nan)
    y = view.focal_px * math.sin(tilt) + reach * (v * math.cos(tilt) - view.focal_px * math.sin(tilt))
    return np.stack([-u * reach, y], axis=-1)


def _camera(view: View, px_per_mm: float, size_px: tuple[int, int]) -> Camera:
    """The camera whose picture has this scale at its middle, across the tilt."""
    distance = view.focal_px / px_per_mm
    tilt = math.radians(view.tilt_deg)
    position = (0.0, distance * math.sin(tilt), distance * math.cos(tilt))
    return Camera.looking_at(position, (0.0, 0.0), view.turn_deg, view.focal_px, size_px)
