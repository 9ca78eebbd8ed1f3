"""Plots of measured shares as SVG: panels over one axis of named places, with 95% intervals and how many stood behind each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

INK, QUIET, RULE = "#1c2733", "#5b6b7a", "#d7dee5"
COLORS = ("#1f6fb2", "#c4571b", "#4d8b31")
WIDTH, LEFT, RIGHT, HEAD, PANEL, GAP, FOOT = 720, 64, 16, 40, 170, 34, 62
TICKS = 4


@dataclass(frozen=True, slots=True)
class Point:
    """A measured value with the ends of its interval; `value` None draws nothing."""

    value: float | None
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a panel.

    Attributes:
        name: in the legend.
        points: one for each place.
        dashed: a line to compare with, without intervals.
    """

    name: str
    points: Sequence[Point]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One field of a plot; values below `least` or above `most` are drawn at the border."""

    title: str
    series: Sequence[Series]
    least: float
    most: float
    unit: str = "%"


@dataclass(frozen=True, slots=True)
class Plot:
    """Panels above one another.

    Attributes:
        title: of the whole.
        axis: what the places are.
        places: their names.
        counts: how many cases stand behind each place.
        panels: from top to bottom.
    """

    title: str
    axis: str
    places: Sequence[str]
    counts: Sequence[int]
    panels: Sequence[Panel]


def svg(plot: Plot) -> str:
    """The plot as the text of an SVG file; the same plot is the same text.

    Raises:
        ValueError: a series or the counts are not as long as the places.
    """
    for panel in plot.panels:
        for series in panel.series:
            if len(series.points) != len(plot.places):
                raise ValueError(f"{series.name!r} has {len(series.points)} points for {len(plot.places)} places")
    if len(plot.counts) != len(plot.places):
        raise ValueError(f"{len(plot.counts)} counts for {len(plot.places)} places")
    height = HEAD + len(plot.panels) * (PANEL + GAP) + FOOT - GAP + 10
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(LEFT, 20, plot.title, size=14, weight="bold", ink=INK),
    ]
    top = HEAD + 14
    for panel in plot.panels:
        out += _panel(panel, plot, top)
        top += PANEL + GAP
    bottom = top - GAP
    for i, (place, count) in enumerate(zip(plot.places, plot.counts, strict=True)):
        x = _x(i, plot)
        out.append(_text(x, bottom + 16, place, anchor="middle", ink=INK))
        out.append(_text(x, bottom + 30, f"n={count:,}", anchor="middle", size=9.5))
    out.append(_text((LEFT + WIDTH - RIGHT) / 2, bottom + 48, plot.axis, anchor="middle", ink=INK))
    return "\n".join([*out, "</svg>"]) + "\n"


def _panel(panel: Panel, plot: Plot, top: float) -> list[str]:
    out = [_text(LEFT, top - 8, panel.title, weight="bold")]
    for k in range(TICKS + 1):
        value = panel.least + (panel.most - panel.least) * k / TICKS
        y = _y(value, panel, top)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{RULE}"/>')
        out.append(_text(LEFT - 6, y + 4, f"{value:g}{panel.unit}", anchor="end"))
    x = float(WIDTH - RIGHT)
    for number, series in reversed(list(enumerate(panel.series))):
        color = COLORS[number % len(COLORS)]
        out += _series(series, plot, panel, top, color)
        if len(panel.series) > 1:
            x -= 6.2 * len(series.name)
            out.append(_text(x, top - 8, series.name, ink=color))
            x -= 14
    return out


def _series(series: Series, plot: Plot, panel: Panel, top: float, color: str) -> list[str]:
    out = []
    pieces: list[list[str]] = [[]]
    for i, point in enumerate(series.points):
        if point.value is None:
            pieces.append([])
            continue
        x, y = _x(i, plot), _y(point.value, panel, top)
        pieces[-1].append(f"{x:.1f},{y:.1f}")
        if not series.dashed:
            low, high = _y(point.low, panel, top), _y(point.high, panel, top)
            out.append(
                f'<path d="M{x:.1f} {low:.1f}V{high:.1f}M{x - 4:.1f} {low:.1f}h8M{x - 4:.1f} {high:.1f}h8" '
                f'stroke="{color}" stroke-opacity="0.55" fill="none"/>'
            )
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{color}"/>')
    dash = ' stroke-dasharray="5 4"' if series.dashed else ""
    out += [
        f'<polyline points="{" ".join(piece)}" fill="none" stroke="{color}" stroke-width="1.6"{dash}/>'
        for piece in pieces
        if len(piece) > 1
    ]
    return out


def _x(place: int, plot: Plot) -> float:
    return LEFT + (place + 0.5) * (WIDTH - RIGHT - LEFT) / max(1, len(plot.places))


def _y(value: float, panel: Panel, top: float) -> float:
    share = (min(max(value, panel.least), panel.most) - panel.least) / (panel.most - panel.least)
    return top + PANEL * (1 - share)


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", size: float = 11, weight: str = "normal", ink: str = QUIET
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" font-weight="{weight}" '
        f'fill="{ink}">{escape(words)}</text>'
    )
