"""A table layout: the areas the law demands and what is printed on the felt, in table millimetres.

Table frame: origin at the middle of the dealer's edge, x to the dealer's right, y towards the players. Seat 1 is the
player farthest to the dealer's left (smallest x). One layout is one YAML file in `calibration/layouts/`; the same file
draws the felt, finds it in a picture and names the areas. Its keys are written down in `layouts/README.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

Point = tuple[float, float]
Polygon = tuple[Point, ...]


class LayoutError(ValueError):
    """A layout that cannot be used; the text names the file, the key, what was found and what is allowed."""


class AreaKind(StrEnum):
    """What an area is for."""

    WAGER = "wager"
    CARDS = "cards"
    COMMUNITY = "community"
    TRAY = "tray"
    SHOE = "shoe"
    RACK = "rack"


class InkColor(StrEnum):
    """Which of the two print colours of a felt; what they look like is up to each table."""

    INK = "ink"
    ACCENT = "accent"


@dataclass(frozen=True, slots=True)
class Area:
    """A named part of the felt.

    Attributes:
        name: such as `seat3.ante`, `community.4th`, `tray`.
        kind: what it is for.
        seat: its seat, None for the shared areas.
        wager: the wager placed there (`ante`, `pair_plus` ...), None where none is.
        polygon_mm: its convex outline, corners in order.
        center_mm: its middle.
        turn_deg: how it lies: degrees counter-clockwise seen from above, 0 = its lower edge faces the players along +y.
    """

    name: str
    kind: AreaKind
    seat: int | None
    wager: str | None
    polygon_mm: Polygon
    center_mm: Point
    turn_deg: float = 0.0

    def contains(self, x_mm: float, y_mm: float) -> bool:
        """Whether a table point lies in the area, edge included."""
        return signed_distance_mm(self.polygon_mm, (x_mm, y_mm)) >= 0.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A printed line through points; `closed` joins the last to the first."""

    points_mm: Polygon
    width_mm: float
    color: InkColor
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Fill:
    """A printed filled polygon."""

    points_mm: Polygon
    color: InkColor


@dataclass(frozen=True, slots=True)
class Words:
    """Printed words, read by somebody beyond the felt's far side; `turn_deg` 0 = a player straight across the dealer.

    Attributes:
        text: one line.
        at_mm: the middle of the words.
        turn_deg: degrees counter-clockwise seen from above.
        height_mm: height of a capital letter.
        color: the print colour.
        bend_mm: radius of the circle the words run along, its centre on the dealer's side; None = straight.
        bold: heavier letters.
    """

    text: str
    at_mm: Point
    turn_deg: float
    height_mm: float
    color: InkColor
    bend_mm: float | None = None
    bold: bool = True


Print = Stroke | Fill | Words


@dataclass(frozen=True)
class Layout:
    """A whole layout.

    Attributes:
        name: name of the file, without ending.
        game: `raise_it_up`, `caribbean_stud`, `let_it_ride` or `dj_wild`.
        citation: the section of law that demands the areas.
        seats: number of betting positions.
        outline_mm: edge of the felt, counter-clockwise seen from above, starting at the dealer's right end of the edge.
        areas: all areas; none overlaps another.
        prints: what is printed, in order.
        corners_mm: the four reference points for calibration by hand, in the order of `corner_names`.
        corner_names: where a person finds those points.
    """

    name: str
    game: str
    citation: str
    seats: int
    outline_mm: Polygon
    areas: tuple[Area, ...]
    prints: tuple[Print, ...]
    corners_mm: Polygon
    corner_names: tuple[str, ...]

    def area(self, name: str) -> Area:
        """Return the area of that name; LayoutError lists the names there are."""
        try:
            return self._by_name[name]
        except KeyError:
            names = ", ".join(self._by_name)
            raise LayoutError(f"layout {self.name} has no area {name!r}; it has {names}") from None

    def has_area(self, name: str) -> bool:
        """Whether there is an area of that name."""
        return name in self._by_name

    def area_at(self, x_mm: float, y_mm: float) -> Area | None:
        """Return the area a table point lies in, None where there is none."""
        for area, (x0, y0, x1, y1) in self._boxes:
            if x0 <= x_mm <= x1 and y0 <= y_mm <= y1 and area.contains(x_mm, y_mm):
                return area
        return None

    def areas_of(self, seat: int | None = None, kind: AreaKind | None = None) -> tuple[Area, ...]:
        """Return the areas of a seat, of a kind, or of both."""
        return tuple(a for a in self.areas if (seat is None or a.seat == seat) and (kind is None or a.kind == kind))

    def on_felt(self, x_mm: float, y_mm: float) -> bool:
        """Whether a table point lies on the felt."""
        return signed_distance_mm(self.outline_mm, (x_mm, y_mm)) >= 0.0

    @cached_property
    def bounds_mm(self) -> tuple[float, float, float, float]:
        """Smallest x and y, largest x and y of the outline."""
        return _bounds(self.outline_mm)

    @cached_property
    def _by_name(self) -> dict[str, Area]:
        return {area.name: area for area in self.areas}

    @cached_property
    def _boxes(self) -> tuple[tuple[Area, tuple[float, float, float, float]], ...]:
        return tuple((area, _bounds(area.polygon_mm)) for area in self.areas)


def _bounds(polygon: Polygon) -> tuple[float, float, float, float]:
    xs, ys = zip(*polygon, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def signed_distance_mm(polygon: Polygon, point: Point) -> float:
    """Distance of a point from the edge of a polygon, positive inside, negative outside."""
    px, py = point
    inside, nearest = False, float("inf")
    x0, y0 = polygon[-1]
    for x1, y1 in polygon:
        dx, dy = x1 - x0, y1 - y0
        length2 = dx * dx + dy * dy
        t = 0.0 if length2 == 0 else min(1.0, max(0.0, ((px - x0) * dx + (py - y0) * dy) / length2))
        nearest = min(nearest, (x0 + t * dx - px) ** 2 + (y0 + t * dy - py) ** 2)
        if (y0 > py) != (y1 > py) and px < x0 + (py - y0) * dx / dy:
            inside = not inside
        x0, y0 = x1, y1
    distance = math.sqrt(nearest)
    return distance if inside or nearest == 0 else -distance


def placed(points: npt.ArrayLike, at_mm: Sequence[float], turn_deg: float) -> Polygon:
    """Return points of a local frame, turned and moved, as a polygon.

    Args:
        points: (n, 2) millimetres in the local frame.
        at_mm: where its origin comes to lie on the table.
        turn_deg: counter-clockwise, degrees.
    """
    angle = np.radians(turn_deg)
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = np.asarray(points, dtype=np.float64).reshape(-1, 2) @ rotation.T + np.asarray(at_mm, dtype=np.float64)
    return tuple((float(x), float(y)) for x, y in moved)


def load_layout(name_or_path: str) -> Layout:
    """Return a layout by name (`raise_it_up_6`) or by the path of a YAML file.

    Raises:
        LayoutError: no such layout, or the file is not a valid one.
    """
    from calibration.layout_file import read_layout

    return read_layout(name_or_path)
