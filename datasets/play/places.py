"""Where hands put things: card and chip places inside the areas of a layout, and where hands come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.layout import Area, Layout

Point = tuple[float, float]

PILE_STEP_MM = 2.5
"""Cards piled on one place of the dealer's area lie so far apart."""
SPREAD_STEP_MM = 68.0
"""Turned cards lie side by side."""
CHIP_STEP_MM = (20.5, 24.0)
"""Spread chips lie this far apart: of each top at least 60% is seen."""
ROW_MM = 22.5
"""The wager's row and the payout's row lie this far to either side of the middle of a betting area."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on the felt: where and how a card or chip lies."""

    x_mm: float
    y_mm: float
    z_mm: float = 0.0
    angle_deg: float = 0.0
    turn: float = 0.0

    @property
    def xy(self) -> Point:
        """The point on the felt."""
        return (self.x_mm, self.y_mm)


class Places:
    """Places of one layout.

    Args:
        layout: whose areas are used.
        rng: small deviations of careful but human hands.
    """

    def __init__(self, layout: Layout, rng: np.random.Generator) -> None:
        self.layout = layout
        self._rng = rng
        self._edges: dict[int, float] = {}

    def local(self, area: Area, u_mm: float, v_mm: float) -> Point:
        """Return the table point `u_mm` along the area's width and `v_mm` towards its player."""
        angle = math.radians(area.turn_deg)
        x = area.center_mm[0] + u_mm * math.cos(angle) - v_mm * math.sin(angle)
        y = area.center_mm[1] + u_mm * math.sin(angle) + v_mm * math.cos(angle)
        return (x, y)

    def half_size_mm(self, area: Area) -> Point:
        """Half the width and depth of an area in its own directions."""
        angle = math.radians(area.turn_deg)
        points = np.asarray(area.polygon_mm) - area.center_mm
        u = points @ np.array([math.cos(angle), math.sin(angle)])
        v = points @ np.array([-math.sin(angle), math.cos(angle)])
        return (float(np.abs(u).max()), float(np.abs(v).max()))

    def dealt_card(self, area: Area, index: int, step_mm: float, z_mm: float, *, count: int = 3) -> Spot:
        """Return the place of the `index`-th of `count` cards dealt to a seat, or of a card in a place of no seat."""
        shake = self._rng.normal(0.0, 1.0, 3)
        angle = area.turn_deg + 1.8 * float(np.clip(shake[2], -2, 2))
        if area.seat is None:
            u, v = 1.5 * np.clip(shake[:2], -2, 2)
            x, y = self.local(area, u + PILE_STEP_MM * (index - (count - 1) / 2), v)
        else:
            u = min((index - (count - 1) / 2) * step_mm, self.half_size_mm(area)[0] - 32.0)
            x, y = self.local(area, u + 1.5 * float(shake[0]), 2.0 * float(np.clip(shake[1], -2, 2)))
        return Spot(x, y, z_mm, angle)

    def spread_card(self, area: Area, index: int, count: int) -> Spot:
        """Return the place of a turned card of a seat, `count` of them side by side."""
        half = self.half_size_mm(area)[0]
        step = min(SPREAD_STEP_MM, (2 * half - 66.0) / max(count - 1, 1))
        shake = self._rng.normal(0.0, 1.0, 3)
        x, y = self.local(area, (index - (count - 1) / 2) * step + 0.8 * float(shake[0]), 1.5 * float(shake[1]))
        return Spot(x, y, 0.35 * index, area.turn_deg + 1.2 * float(shake[2]), 1.0)

    def chip_row(self, area: Area, count: int, *, payout: bool, stacked: bool = False) -> list[Spot]:
        """Return places for `count` chips: a row of a wager (nearer its player) or of a payout, or one stack."""
        rng = self._rng
        half_u, half_v = self.half_size_mm(area)
        v = min(ROW_MM, half_v - 22.0) * (-1.0 if payout else 1.0) + float(rng.uniform(-1.0, 1.0))
        if stacked:
            x, y = self.local(area, float(rng.uniform(-12, 12)), v)
            shakes = rng.normal(0.0, 0.8, (count, 2))
            return [
                Spot(x + float(dx), y + float(dy), 3.3 * i, float(rng.uniform(0, 360)))
                for i, (dx, dy) in enumerate(shakes)
            ]
        room = (2 * half_u - 43.0) / max(count - 1, 1)
        step = min(float(rng.uniform(*CHIP_STEP_MM)), room)
        slack = max(0.0, half_u - 21.0 - (count - 1) / 2 * step)
        middle = float(rng.uniform(-1, 1)) * min(6.0, slack)
        spots = []
        for i in range(count):
            u = middle + (i - (count - 1) / 2) * step + float(rng.normal(0, 0.4))
            x, y = self.local(area, u, v + float(rng.normal(0, 0.7)))
            spots.append(Spot(x, y, 0.0 if i == 0 else 1.7 + 0.01 * i, float(rng.uniform(0, 360))))
        return spots

    def beside(self, area: Area, lying: list[Spot], count: int) -> list[Spot]:
        """Return places for chips added to a row: to its right while there is room, then to its left."""
        rng = self._rng
        angle = math.radians(area.turn_deg)
        offsets = np.asarray([spot.xy for spot in lying]) - area.center_mm
        us = (offsets @ np.array([math.cos(angle), math.sin(angle)])).tolist()
        v = float(np.mean(offsets @ np.array([-math.sin(angle), math.cos(angle)])))
        half = self.half_size_mm(area)[0]
        spots = []
        for i in range(count):
            step = float(rng.uniform(*CHIP_STEP_MM))
            u = max(us) + step if max(us) + step <= half - 20.0 else min(us) - step
            us.append(u)
            x, y = self.local(area, u, v + float(rng.normal(0, 0.7)))
            spots.append(Spot(x, y, 1.9 + 0.01 * i, float(rng.uniform(0, 360))))
        return spots

    def player_home(self, seat: int) -> Point:
        """Return where a player's hand rests: beyond the felt's edge."""
        return self._outward(seat, 330.0)

    def player_elbow(self, seat: int, tip: Point) -> Point:
        """Return the player's elbow for fingertips at `tip`."""
        x, y = self._outward(seat, 720.0)
        hx, hy = self._outward(seat, 330.0)
        return (x + 0.3 * (tip[0] - hx), y + 0.15 * (tip[1] - hy))

    def dealer_home(self, hand: str) -> Point:
        """Return where the dealer's left or right hand rests, off the table."""
        return (-150.0 if hand == "left" else 150.0, -190.0)

    def dealer_elbow(self, hand: str, tip: Point) -> Point:
        """Return the dealer's elbow for fingertips at `tip`; far reaches move the shoulder along."""
        side = -190.0 if hand == "left" else 190.0
        return (side + 0.4 * tip[0], -430.0 + 0.12 * max(0.0, tip[1]))

    def _outward(self, seat: int, beyond_mm: float) -> Point:
        cards = self.layout.area(f"seat{seat}.cards")
        if seat not in self._edges:
            self._edges[seat] = self._edge_distance(cards, math.radians(cards.turn_deg))
        return self.local(cards, 0.0, self._edges[seat] + beyond_mm - 130.0)

    def _edge_distance(self, area: Area, angle: float) -> float:
        """Distance from an area's middle to the felt's edge, towards its player."""
        step, distance = 10.0, 0.0
        while distance < 1500.0:
            x = area.center_mm[0] - distance * math.sin(angle)
            y = area.center_mm[1] + distance * math.cos(angle)
            if not self.layout.on_felt(x, y):
                return distance
            distance += step
        return distance
