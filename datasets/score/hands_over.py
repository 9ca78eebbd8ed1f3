"""Hands over the areas of a course that is played without a picture, as a camera would follow them."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from calibration.layout import Layout, load_layout
from datasets.simulate import Recording
from rules.events import Event, HandOver, Side

RATE_HZ = 15.0
"""So often hands are looked at."""
TIP_MM, ARM_MM, STEP_MM = 35.0, 260.0, 30.0
"""A hand covers what lies so near to its fingertips, and the arm behind it for so long."""
CELL_MM = 10.0


class _AreaGrid:
    """Which area covers a point of the felt, by squares of `CELL_MM`."""

    def __init__(self, layout: Layout) -> None:
        self.names = [area.name for area in layout.areas]
        x0, y0, x1, y1 = layout.bounds_mm
        self._x0, self._y0 = x0, y0
        shape = (int((y1 - y0) / CELL_MM) + 2, int((x1 - x0) / CELL_MM) + 2)
        self._of = np.full(shape, -1, np.int16)
        for y in range(self._of.shape[0]):
            for x in range(self._of.shape[1]):
                area = layout.area_at(x0 + CELL_MM * x, y0 + CELL_MM * y)
                if area is not None:
                    self._of[y, x] = self.names.index(area.name)

    def at(self, x_mm: npt.NDArray[np.float64], y_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
        """Index in `names` of the area at each of (n,) points; -1 where there is none."""
        x, y = ((x_mm - self._x0) / CELL_MM + 0.5).astype(int), ((y_mm - self._y0) / CELL_MM + 0.5).astype(int)
        height, width = self._of.shape
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        return np.where(inside, self._of[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)], -1)


@cache
def _grid_of(layout: str) -> _AreaGrid:
    return _AreaGrid(load_layout(layout))


def hands_over(recording: Recording) -> list[Event]:
    """Every hand over every area, as a camera follows them: fingers and the arm behind them."""
    stage = recording.stage
    grid = _grid_of(recording.layout.name)
    out: list[Event] = []
    for hand in stage.hands:
        since: dict[str, float] = {}
        owner, _, which = hand.owner.partition(".")
        side = Side.DEALER if which else Side.PLAYER
        for k in range(int(recording.length_s * RATE_HZ) + 2):
            t_s = k / RATE_HZ
            knot = hand.at(t_s)
            tip = (knot.x_mm, knot.y_mm)
            over: set[str] = set()
            if tip != hand.home:
                places = recording.places
                elbow = places.dealer_elbow(which, tip) if which else places.player_elbow(int(owner[4:]), tip)
                over = _covered(grid, tip, elbow)
            for name in sorted(n for n in since if n not in over):
                out.append(HandOver(table_id=stage.table_id, t_s=t_s, area=name, since_s=since.pop(name), side=side))
            for name in sorted(over):
                since.setdefault(name, t_s)
    return out


def _covered(grid: _AreaGrid, tip: tuple[float, float], elbow: tuple[float, float]) -> set[str]:
    dx, dy = elbow[0] - tip[0], elbow[1] - tip[1]
    length = max(math.hypot(dx, dy), 1.0)
    along = np.arange(-TIP_MM, min(ARM_MM, length), STEP_MM)
    x, y = tip[0] + along * dx / length, tip[1] + along * dy / length
    side = np.array([-TIP_MM, 0.0, TIP_MM])
    found = grid.at((x[:, None] - side * dy / length).ravel(), (y[:, None] + side * dx / length).ravel())
    return {grid.names[i] for i in set(found.tolist()) if i >= 0}
