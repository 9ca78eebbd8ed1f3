"""Charts as vector drawings: the same in a PDF, and as SVG on a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reportlab.graphics.shapes import Circle, Drawing, Group, PolyLine, String
from reportlab.graphics.shapes import Line as Stroke
from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth

from service.export.blocks import Chart, Line
from service.export.style import BOLD, LINE, QUIET, REGULAR, TEXT, WIDTH_PT, WRONG, register_fonts

TICKS = 4
SMALL_PT = 7.2


def draw_chart(chart: Chart, width_pt: float = WIDTH_PT) -> Drawing:
    """The chart as a drawing of this width."""
    register_fonts()
    for line in chart.lines:
        if len(line.values) != len(chart.places):
            raise ValueError(f"line {line.name!r} has {len(line.values)} values for {len(chart.places)} places")
    height_pt = chart.height_mm * mm
    drawing = Drawing(width_pt, height_pt)
    ticks = _ticks(chart)
    labels = [chart.shown(tick) for tick in ticks]
    left = 8 + max(stringWidth(label, REGULAR, SMALL_PT) for label in labels)
    plot = _Plot(
        left, 20.0, width_pt - 6, height_pt - (30.0 if chart.title else 16.0), ticks[0], ticks[-1], len(chart.places)
    )
    for tick, label in zip(ticks, labels, strict=True):
        drawing.add(Stroke(plot.left, plot.y(tick), plot.right, plot.y(tick), strokeColor=LINE, strokeWidth=0.5))
        drawing.add(_text(plot.left - 4, plot.y(tick) - 2.4, label, anchor="end"))
    for index in _shown_places(chart.places, plot):
        drawing.add(_text(plot.x(index), plot.bottom - 11, chart.places[index], anchor="middle"))
    for number, line in enumerate(chart.lines):
        drawing.add(_drawn_line(line, plot, {place for which, place in chart.marked if which == number}))
    if chart.title:
        drawing.add(String(0, height_pt - 10, chart.title, fontName=BOLD, fontSize=9, fillColor=TEXT))
    drawing.add(_legend(chart.lines, plot))
    return drawing


class _Plot:
    """Where values lie on the drawing, in points."""

    def __init__(
        self, left: float, bottom: float, right: float, top: float, least: float, most: float, places: int
    ) -> None:
        self.left, self.bottom, self.right, self.top = left, bottom, right, top
        self.least, self.most, self.places = least, most, places

    def x(self, index: int) -> float:
        """Of a place."""
        return self.left + (index + 0.5) * (self.right - self.left) / max(1, self.places)

    def y(self, value: float) -> float:
        """Of a value."""
        return self.bottom + (value - self.least) * (self.top - self.bottom) / (self.most - self.least)


def _ticks(chart: Chart) -> list[float]:
    """Round values that span what is shown."""
    values = [v for line in chart.lines for v in line.values if v is not None]
    least = chart.least if chart.least is not None else min(values, default=0.0)
    most = chart.most if chart.most is not None else max(values, default=1.0)
    if most <= least:
        least, most = least - 0.5, least + 0.5
    rough = (most - least) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    first = math.floor(least / step + 1e-9)
    last = math.ceil(most / step - 1e-9)
    return [round(n * step, 12) for n in range(first, last + 1)]


def _shown_places(places: Sequence[str], plot: _Plot) -> list[int]:
    """As many names of places as fit beside each other."""
    if not places:
        return []
    wide = max(stringWidth(place, REGULAR, SMALL_PT) for place in places) + 8
    every = max(1, math.ceil(wide * len(places) / (plot.right - plot.left)))
    return list(range(0, len(places), every))


def _drawn_line(line: Line, plot: _Plot, marked: set[int]) -> Group:
    group, ink = Group(), HexColor(line.colour)
    piece: list[float] = []
    pieces = [piece]
    for index, value in enumerate(line.values):
        if value is None:
            piece = []
            pieces.append(piece)
        else:
            piece += [plot.x(index), plot.y(value)]
    for points in pieces:
        if len(points) >= 4:
            group.add(
                PolyLine(points, strokeColor=ink, strokeWidth=1.1, strokeDashArray=[4, 3] if line.dashed else None)
            )
    if line.dots:
        for index, value in enumerate(line.values):
            if value is not None:
                wrong = index in marked
                fill = WRONG if wrong else ink
                group.add(Circle(plot.x(index), plot.y(value), 2.6 if wrong else 1.7, fillColor=fill, strokeColor=None))
    return group


def _legend(lines: Sequence[Line], plot: _Plot) -> Group:
    group, x = Group(), plot.right
    for line in reversed(lines):
        if not line.name:
            continue
        x -= stringWidth(line.name, REGULAR, SMALL_PT)
        group.add(_text(x, plot.top + 8, line.name))
        dash = [3, 2] if line.dashed else None
        group.add(
            Stroke(
                x - 17,
                plot.top + 10.4,
                x - 4,
                plot.top + 10.4,
                strokeColor=HexColor(line.colour),
                strokeWidth=1.3,
                strokeDashArray=dash,
            )
        )
        x -= 28
    return group


def _text(x: float, y: float, text: str, anchor: str = "start") -> String:
    return String(x, y, text, fontName=REGULAR, fontSize=SMALL_PT, fillColor=QUIET, textAnchor=anchor)
