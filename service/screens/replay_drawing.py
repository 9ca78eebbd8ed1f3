"""The drawn table of a replay: the felt as its layout says, cards and chips drawn by ourselves, as SVG.

The picture looks down on the table as its camera does: the dealer at the upper edge, seat 1 at the right. A point of the
table frame (x to the dealer's right, y towards the players) lies at (-x, y); an area that is turned counter-clockwise
by `turn_deg` seen from above is turned by `-turn_deg` in SVG.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from calibration.layout import Area, AreaKind, Layout, Stroke
from service.screens.replay import Step

MARGIN_MM = 24.0
CARD_MM = (63.0, 88.0)
SHORT = {"pair_plus": "PAIR+", "six_card_bonus": "BONUS", "progressive": "$", "hand_bonus": "BONUS", "envy": "ENVY"}
SUITS = {
    "s": "M0-9C3-4 9-1 9 3.6 9 7 4.6 8.4 1.5 5.6 1.7 8 2.4 9 4 10H-4C-2.4 9-1.7 8-1.5 5.6-4.6 8.4-9 7-9 3.6-9-1-3-4 0-9Z",
    "h": "M0 9C-5 4-9 .6-9-3.4-9-8-3-9.4 0-4.6 3-9.4 9-8 9-3.4 9 .6 5 4 0 9Z",
    "d": "M0-10 7.4 0 0 10-7.4 0Z",
    "c": "M0-9A4.3 4.3 0 0 1 3.6-2.2 4.4 4.4 0 1 1 1.5 4.9C1.7 8 2.4 9 4 10H-4C-2.4 9-1.7 8-1.5 4.9A4.4 4.4 0 1 1-3.6-2.2 4.3 4.3 0 0 1 0-9Z",
}
"""Outlines of the suits' signs, drawn by hand, about 20 units wide around their middle."""


def drawn_table(layout: Layout) -> str:
    """The felt as SVG markup, with empty places (`replay-cards`, `replay-chips`, `replay-on`) for what lies on it."""
    x0, y0, x1, y1 = layout.bounds_mm
    box = f"{-x1 - MARGIN_MM:.0f} {y0 - MARGIN_MM:.0f} {x1 - x0 + 2 * MARGIN_MM:.0f} {y1 - y0 + 2 * MARGIN_MM:.0f}"
    strokes = "".join(
        f'<polyline class="print" points="{_points([*one.points_mm, one.points_mm[0]] if one.closed else one.points_mm)}"/>'
        for one in layout.prints
        if isinstance(one, Stroke)
    )
    areas = "".join(_area(area) for area in layout.areas)
    signs = "".join(f'<path id="suit-{name}" d="{path}"/>' for name, path in SUITS.items())
    return (
        f'<svg id="replay" class="replay" viewBox="{box}" role="img" aria-label="the table, drawn"><defs>{signs}</defs>'
        f'<polygon class="felt" points="{_points(layout.outline_mm)}"/>{strokes}{areas}'
        '<g id="replay-on"></g><g id="replay-cards"></g><g id="replay-chips"></g></svg>'
    )


def replay_data(layout: Layout, steps: Sequence[Step]) -> str:
    """What the page's script draws: where each area lies, and the steps; JSON that is safe within a page."""
    places = {area.name: _place(area) for area in layout.areas}
    data = {"card_mm": CARD_MM, "places": places, "steps": [asdict(step) for step in steps]}
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _place(area: Area) -> dict[str, Any]:
    """Where an area lies in the picture: its middle, how it is turned, its size along its own axes, what it is for."""
    turn = math.radians(-area.turn_deg)
    local = [
        (dx * math.cos(turn) - dy * math.sin(turn), dx * math.sin(turn) + dy * math.cos(turn))
        for dx, dy in ((x - area.center_mm[0], y - area.center_mm[1]) for x, y in area.polygon_mm)
    ]
    xs, ys = zip(*local, strict=True)
    return {
        "x": round(-area.center_mm[0], 1), "y": round(area.center_mm[1], 1), "turn": round(-area.turn_deg, 2),
        "w": round(max(xs) - min(xs), 1), "h": round(max(ys) - min(ys), 1), "points": _points(area.polygon_mm),
        "cards": area.kind in (AreaKind.CARDS, AreaKind.COMMUNITY),
    }  # fmt: skip


def _area(area: Area) -> str:
    x, y = -area.center_mm[0], area.center_mm[1]
    shape = f'<polygon class="area {area.kind.value}" points="{_points(area.polygon_mm)}"/>'
    if area.kind is AreaKind.WAGER:
        word = SHORT.get(area.wager or "", (area.wager or "").replace("_", " ").upper())
        return shape + f'<text class="name" x="{x:.0f}" y="{y + 6:.0f}">{html.escape(word[:8])}</text>'
    if area.kind is AreaKind.CARDS:
        said = f"seat {area.seat}" if area.seat else area.name.replace("_", " ").replace(".", " ")
        return shape + f'<text class="seat" x="{x:.0f}" y="{y + 9:.0f}">{html.escape(said)}</text>'
    if area.kind is AreaKind.COMMUNITY:
        return (
            shape + f'<text class="name" x="{x:.0f}" y="{y + 6:.0f}">{html.escape(area.name.rpartition(".")[2])}</text>'
        )
    return shape


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{-x:.1f},{y:.1f}" for x, y in points)
