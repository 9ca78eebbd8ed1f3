"""Reads a layout file (YAML) and checks it; see `layouts/README.md` for its keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml

from calibration.layout import (
    Area,
    AreaKind,
    Fill,
    InkColor,
    Layout,
    LayoutError,
    Point,
    Polygon,
    Print,
    Stroke,
    Words,
    placed,
    signed_distance_mm,
)
from rules.documents import load_yaml

LAYOUTS_DIR = Path(__file__).parent / "layouts"
GAMES = ("raise_it_up", "caribbean_stud", "let_it_ride", "dj_wild")
SHAPES = ("circle", "box", "none")
_ARC_STEP_MM = 6.0


def layout_names() -> tuple[str, ...]:
    """Return the names of the layouts that come with Pitwatch."""
    return tuple(sorted(path.stem for path in LAYOUTS_DIR.glob("*.yaml")))


def read_layout(name_or_path: str) -> Layout:
    """Read a layout by name or path; LayoutError says what is wrong with it."""
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = LAYOUTS_DIR / f"{name_or_path}.yaml"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: not text, or a name with NUL
        names = ", ".join(layout_names())
        raise LayoutError(
            f"layout {name_or_path!r}: no such layout; give one of {names} or the path of a .yaml file"
        ) from error
    return parse_layout(text, path.stem)


@lru_cache(maxsize=16)
def parse_layout(text: str, name: str) -> Layout:
    """Read the text of a layout file; `name` is used in errors and becomes the layout's name."""
    try:
        data = load_yaml(text)
    except yaml.YAMLError as error:
        raise LayoutError(f"layout {name}: not YAML: {error}") from error
    return _Reader(name).layout(_Node(f"layout {name}", data))


class _Node:
    """A value of the file together with where it stands, so that errors can name it."""

    def __init__(self, where: str, value: object) -> None:
        self.where, self.value = where, value

    def fail(self, allowed: str) -> LayoutError:
        return LayoutError(f"{self.where}: expected {allowed}, got {self.value!r}")

    def mapping(self, required: Sequence[str] = (), optional: Sequence[str] | None = ()) -> dict[str, _Node]:
        """Children by key; `optional` None allows any key."""
        if not isinstance(self.value, Mapping):
            raise self.fail("a mapping")
        for key in required:
            if key not in self.value:
                raise LayoutError(f"{self.where}: key {key!r} is missing")
        for key in self.value:
            if optional is not None and key not in required and key not in optional:
                allowed = ", ".join((*required, *optional))
                raise LayoutError(f"{self.where}: unknown key {key!r}; allowed are {allowed}")
        return {str(key): _Node(f"{self.where}.{key}", value) for key, value in self.value.items()}

    def items(self) -> list[_Node]:
        if not isinstance(self.value, list):
            raise self.fail("a list")
        return [_Node(f"{self.where}[{i}]", value) for i, value in enumerate(self.value)]

    def number(self, low: float = -1e5, high: float = 1e5) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)) or not low <= self.value <= high:
            raise self.fail(f"a number from {low:g} to {high:g}")
        return float(self.value)

    def numbers(self, count: int) -> list[float]:
        if not isinstance(self.value, list) or len(self.value) != count:
            raise self.fail(f"a list of {count} numbers")
        return [item.number() for item in self.items()]

    def point(self) -> Point:
        x, y = self.numbers(2)
        return (x, y)

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.fail("a text")
        return self.value

    def one_of(self, allowed: Sequence[str]) -> str:
        if self.value not in allowed:
            raise self.fail("one of " + ", ".join(allowed))
        return str(self.value)


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name

    def layout(self, root: _Node) -> Layout:
        keys = ("version", "game", "citation", "outline", "corners", "seat_template", "seats", "areas", "prints")
        top = root.mapping(keys)
        if top["version"].value != 1:
            raise top["version"].fail("1")
        outline = self._outline(top["outline"])
        areas: list[Area] = []
        prints: list[Print] = []
        template = top["seat_template"].mapping(("areas", "prints"))
        seats = top["seats"].items()
        for number, seat in enumerate(seats, start=1):
            at = seat.mapping(("at_mm", "turn_deg"))
            origin, turn = at["at_mm"].point(), at["turn_deg"].number(-180, 180)
            for key, node in template["areas"].mapping((), None).items():
                self._area(f"seat{number}.{key}", number, node, origin, turn, areas, prints)
            for node in template["prints"].items():
                prints.extend(self._print(node, origin, turn, outline, seat=number))
        for key, node in top["areas"].mapping((), None).items():
            self._area(key, None, node, (0.0, 0.0), 0.0, areas, prints)
        for node in top["prints"].items():
            prints.extend(self._print(node, (0.0, 0.0), 0.0, outline))
        corners = top["corners"].items()
        if len(corners) != 4:
            raise top["corners"].fail("a list of 4 points, each with at_mm and where")
        marks = [corner.mapping(("at_mm", "where")) for corner in corners]
        self._check(root.where, outline, areas)
        return Layout(
            name=self.name,
            game=top["game"].one_of(GAMES),
            citation=top["citation"].text(),
            seats=len(seats),
            outline_mm=outline,
            areas=tuple(areas),
            prints=tuple(prints),
            corners_mm=tuple(mark["at_mm"].point() for mark in marks),
            corner_names=tuple(mark["where"].text() for mark in marks),
        )

    def _outline(self, node: _Node) -> Polygon:
        """Felt edge: a polygon, or a half superellipse on straight sides."""
        if isinstance(node.value, list):
            polygon = tuple(item.point() for item in node.items())
            if len(polygon) < 3:
                raise node.fail("at least 3 points")
            return polygon
        keys = node.mapping(("width_mm", "side_mm", "depth_mm", "roundness"))
        half, side = keys["width_mm"].number(500, 5000) / 2, keys["side_mm"].number(0, 3000)
        depth, power = keys["depth_mm"].number(side + 1, 5000), 2.0 / keys["roundness"].number(1.2, 20)
        angles = np.linspace(0.0, np.pi, 121)
        across, along = np.cos(angles), np.sin(angles)
        points = [(-half, 0.0)] if side > 0 else []
        curve = np.column_stack(
            [-half * np.sign(across) * np.abs(across) ** power, side + (depth - side) * along**power]
        )
        points += [(float(x), float(y)) for x, y in curve]
        points += [(half, 0.0)] if side > 0 else []
        return tuple(reversed(points))

    def _area(
        self,
        name: str,
        seat: int | None,
        node: _Node,
        origin: Point,
        turn: float,
        areas: list[Area],
        prints: list[Print],
    ) -> None:
        keys = node.mapping(("kind", "box_mm"), ("wager", "print"))
        kind = AreaKind(keys["kind"].one_of([k.value for k in AreaKind]))
        x0, y0, x1, y1 = keys["box_mm"].numbers(4)
        if x1 <= x0 or y1 <= y0:
            raise keys["box_mm"].fail("[smallest x, smallest y, largest x, largest y]")
        wager = keys["wager"].text() if "wager" in keys else None
        if kind is AreaKind.WAGER and wager is None:
            raise LayoutError(f"{node.where}: key 'wager' is missing (kind is wager)")
        box = placed([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], origin, turn)
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        areas.append(Area(name, kind, seat, wager, box, placed([middle], origin, turn)[0], turn))
        if "print" in keys:
            prints.extend(self._area_print(keys["print"], middle, (x1 - x0, y1 - y0), origin, turn))

    def _area_print(self, node: _Node, middle: Point, size: Point, origin: Point, turn: float) -> list[Print]:
        keys = node.mapping(
            ("shape",), ("size_mm", "words", "height_mm", "below_mm", "color", "words_color", "width_mm")
        )
        shape = keys["shape"].one_of(SHAPES)
        color = self._color(keys, "color")
        width = keys["width_mm"].number(0.5, 40) if "width_mm" in keys else 2.5
        across, deep = keys["size_mm"].numbers(2) if "size_mm" in keys else (size[0] - width, size[1] - width)
        out: list[Print] = []
        x, y = middle
        if shape == "circle":
            ring = _ring(middle, across / 2, deep / 2)
            out.append(Stroke(placed(ring, origin, turn), width, color, closed=True))
        elif shape == "box":
            box = [(x + sx * across / 2, y + sy * deep / 2) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            out.append(Stroke(placed(box, origin, turn), width, color, closed=True))
        if "words" in keys:
            height = keys["height_mm"].number(3, 200) if "height_mm" in keys else 10.0
            y_words = y + keys["below_mm"].number() if "below_mm" in keys else y
            lines = keys["words"].text().split("\n")
            color = self._color(keys, "words_color") if "words_color" in keys else color
            out.extend(_lines_of_words(lines, (x, y_words), height, color, origin, turn))
        return out

    def _color(self, keys: Mapping[str, _Node], key: str) -> InkColor:
        return InkColor(keys[key].one_of([c.value for c in InkColor])) if key in keys else InkColor.INK

    def _print(self, node: _Node, origin: Point, turn: float, outline: Polygon, seat: int | None = None) -> list[Print]:
        kinds = ("line", "loop", "arc", "circle", "diamond", "border", "words")
        if not isinstance(node.value, Mapping) or sum(kind in node.value for kind in kinds) != 1:
            raise node.fail("a mapping with one of the keys " + ", ".join(kinds))
        kind = next(kind for kind in kinds if kind in node.value)
        if kind == "words":
            return self._words(node, origin, turn, seat)
        keys = node.mapping((kind,), ("width_mm", "color"))
        color, body = self._color(keys, "color"), keys[kind]
        width = keys["width_mm"].number(0.5, 40) if "width_mm" in keys else 2.5
        if kind in ("line", "loop"):
            points = [item.point() for item in body.items()]
            return [Stroke(placed(points, origin, turn), width, color, closed=kind == "loop")]
        if kind == "border":
            return [Stroke(_inset(outline, body.number(0, 200)), width, color, closed=True)]
        if kind == "arc":
            arc = body.mapping(("center_mm", "radius_mm", "from_deg", "to_deg"))
            radius, (cx, cy) = arc["radius_mm"].number(1), arc["center_mm"].point()
            start, end = math.radians(arc["from_deg"].number(-360, 360)), math.radians(arc["to_deg"].number(-360, 360))
            count = max(2, int(abs(end - start) * radius / _ARC_STEP_MM) + 1)
            angles = np.linspace(start, end, count)
            curve = np.column_stack([cx + radius * np.sin(angles), cy + radius * np.cos(angles)])
            return [Stroke(placed(curve, origin, turn), width, color)]
        if kind == "circle":
            circle = body.mapping(("center_mm", "radius_mm"))
            radius = circle["radius_mm"].number(1)
            return [
                Stroke(
                    placed(_ring(circle["center_mm"].point(), radius, radius), origin, turn), width, color, closed=True
                )
            ]
        mark = body.mapping(("center_mm", "size_mm"), ("turn_deg",))
        half = mark["size_mm"].number(1) / 2
        spin = mark["turn_deg"].number(-180, 180) if "turn_deg" in mark else 0.0
        shape = placed([(0, -half), (0.6 * half, 0), (0, half), (-0.6 * half, 0)], mark["center_mm"].point(), spin)
        return [Fill(placed(shape, origin, turn), color)]

    def _words(self, node: _Node, origin: Point, turn: float, seat: int | None) -> list[Print]:
        keys = node.mapping(("words", "at_mm", "height_mm"), ("turn_deg", "bend_mm", "color", "bold"))
        text = keys["words"].text().replace("{seat}", str(seat or ""))
        height, color = keys["height_mm"].number(3, 300), self._color(keys, "color")
        spin = keys["turn_deg"].number(-180, 180) if "turn_deg" in keys else 0.0
        bold = bool(keys["bold"].value) if "bold" in keys else True
        lines = text.rstrip("\n").split("\n")
        if "bend_mm" in keys:
            if len(lines) != 1:
                raise keys["words"].fail("one line where bend_mm is given")
            at = placed([keys["at_mm"].point()], origin, turn)[0]
            return [Words(lines[0], at, turn + spin, height, color, keys["bend_mm"].number(10), bold)]
        at = placed([keys["at_mm"].point()], origin, turn)[0]
        return _lines_of_words(lines, (0.0, 0.0), height, color, at, turn + spin, bold)

    def _check(self, where: str, outline: Polygon, areas: Sequence[Area]) -> None:
        for area in areas:
            for corner in area.polygon_mm:
                if signed_distance_mm(outline, corner) < 0:
                    at = f"({corner[0]:.0f}, {corner[1]:.0f})"
                    raise LayoutError(
                        f"{where}: area {area.name} leaves the felt at {at} mm; move it inside the outline"
                    )
        shapes = [np.array(area.polygon_mm, dtype=np.float32) for area in areas]
        for i, first in enumerate(areas):
            for j in range(i):
                shared = float(cv2.intersectConvexConvex(shapes[i], shapes[j])[0])
                if shared > 1.0:
                    other = areas[j].name
                    raise LayoutError(
                        f"{where}: areas {other} and {first.name} overlap by {shared:.0f} mm²; move one away"
                    )


def _lines_of_words(
    lines: Sequence[str], middle: Point, height: float, color: InkColor, origin: Point, turn: float, bold: bool = True
) -> list[Print]:
    out: list[Print] = []
    pitch = 1.5 * height
    for i, line in enumerate(lines):
        if line.strip():
            y = middle[1] + (i - (len(lines) - 1) / 2) * pitch
            out.append(Words(line, placed([(middle[0], y)], origin, turn)[0], turn, height, color, None, bold))
    return out


def _ring(center: Point, rx: float, ry: float) -> list[Point]:
    count = max(24, int(2 * math.pi * max(rx, ry) / _ARC_STEP_MM))
    angles = [2 * math.pi * i / count for i in range(count)]
    return [(center[0] + rx * math.cos(a), center[1] + ry * math.sin(a)) for a in angles]


def _inset(outline: Polygon, distance: float) -> Polygon:
    """The outline moved inwards; good for smooth convex outlines."""
    points = np.array(outline)
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    normals: list[Any] = []
    for edge in (before, after):
        length = np.maximum(np.linalg.norm(edge, axis=1, keepdims=True), 1e-9)
        normals.append(np.column_stack([-edge[:, 1], edge[:, 0]]) / length)
    bisector = normals[0] + normals[1]
    bisector /= np.maximum((bisector * normals[0]).sum(axis=1, keepdims=True), 0.3)
    moved = points + distance * bisector
    return tuple((float(x), float(y)) for x, y in moved)
