"""How things and hands move over time: legs between places, smooth as hands are."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from datasets.play.places import Point, Spot


def eased(share: float) -> float:
    """Minimum-jerk progress 0..1 of a reaching movement.

    Source: Flash and Hogan, "The coordination of arm movements", J. Neuroscience 5(7), 1985.
    """
    s = min(1.0, max(0.0, share))
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)


@dataclass(frozen=True, slots=True)
class Leg:
    """One movement of a thing; `area` is where it lies afterwards, None if it is still in a hand."""

    start_s: float
    end_s: float
    target: Spot
    area: str | None
    lift_mm: float = 0.0


@dataclass(slots=True)
class Track:
    """A card or chip from the moment it is seen until it is gone.

    Attributes:
        name: card ("Qd") or colour of the chip.
        born_s, gone_s: it is drawn from the first on, until before the second.
    """

    item_id: int
    name: str
    born_s: float
    start: Spot
    gone_s: float = float("inf")
    start_area: str | None = None
    legs: list[Leg] = field(default_factory=list)
    _starts: list[float] = field(default_factory=list)

    def go(self, start_s: float, end_s: float, target: Spot, area: str | None, *, lift_mm: float = 0.0) -> None:
        """Move from where it then is to `target`; movements must follow one another in time."""
        assert end_s > start_s >= (self.legs[-1].end_s if self.legs else self.born_s) - 1e-6
        self.legs.append(Leg(start_s, end_s, target, area, lift_mm))
        self._starts.append(start_s)

    @property
    def spot(self) -> Spot:
        """Where it lies after everything planned so far."""
        return self.legs[-1].target if self.legs else self.start

    @property
    def free_s(self) -> float:
        """When its last planned movement ends."""
        return self.legs[-1].end_s if self.legs else self.born_s

    def at(self, t_s: float) -> tuple[Spot, str | None, bool]:
        """Return place, area (None while moving or in a hand) and whether it is at rest."""
        i = bisect_right(self._starts, t_s) - 1
        if i < 0:
            return self.start, self.start_area, self.start_area is not None
        leg = self.legs[i]
        if t_s >= leg.end_s:
            return leg.target, leg.area, leg.area is not None
        source = self.legs[i - 1].target if i else self.start
        share = eased((t_s - leg.start_s) / (leg.end_s - leg.start_s))
        return _between(source, leg.target, share, leg.lift_mm), None, False


@dataclass(frozen=True, slots=True)
class Knot:
    """Fingertips at a moment."""

    t_s: float
    x_mm: float
    y_mm: float
    z_mm: float
    grip: float


@dataclass(slots=True)
class HandTrack:
    """One hand through the whole time; it waits at `home` beyond the table's edge.

    Attributes:
        owner: "dealer.left", "dealer.right" or "seat3".
        look: which drawing of a hand.
    """

    owner: str
    home: Point
    look: int
    knots: list[Knot] = field(default_factory=list)
    _times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._add(Knot(0.0, *self.home, 40.0, 0.2))

    def _add(self, knot: Knot) -> None:
        self.knots.append(knot)
        self._times.append(knot.t_s)

    @property
    def free_s(self) -> float:
        """When its last planned movement ends."""
        return self.knots[-1].t_s

    @property
    def tip(self) -> Point:
        """Where the fingertips are after everything planned so far."""
        return (self.knots[-1].x_mm, self.knots[-1].y_mm)

    def go(self, start_s: float, end_s: float, to: Point, *, z_mm: float = 8.0, grip: float = 0.5) -> None:
        """Move to a point, waiting until `start_s` where it is."""
        last = self.knots[-1]
        assert end_s >= start_s >= last.t_s - 1e-6, (self.owner, start_s, end_s, last)
        if start_s > last.t_s:
            self._add(Knot(start_s, last.x_mm, last.y_mm, last.z_mm, last.grip))
        if end_s > self.knots[-1].t_s:
            self._add(Knot(end_s, *to, z_mm, grip))

    def wait(self, until_s: float) -> None:
        """Stay where it is until `until_s`."""
        last = self.knots[-1]
        if until_s > last.t_s:
            self._add(Knot(until_s, last.x_mm, last.y_mm, last.z_mm, last.grip))

    def at(self, t_s: float) -> Knot:
        """Return the fingertips at a moment."""
        i = bisect_right(self._times, t_s)
        if i == 0:
            return self.knots[0]
        if i == len(self.knots):
            return self.knots[-1]
        a, b = self.knots[i - 1], self.knots[i]
        if (a.x_mm, a.y_mm, a.z_mm) == (b.x_mm, b.y_mm, b.z_mm):
            return a
        share = eased((t_s - a.t_s) / (b.t_s - a.t_s))
        mix = [p + (q - p) * share for p, q in ((a.x_mm, b.x_mm), (a.y_mm, b.y_mm), (a.z_mm, b.z_mm))]
        return Knot(t_s, mix[0], mix[1], mix[2], a.grip + (b.grip - a.grip) * share)

    def moving(self, t_s: float) -> bool:
        """Whether the hand is moving at a moment."""
        i = bisect_right(self._times, t_s)
        if i in (0, len(self.knots)):
            return False
        a, b = self.knots[i - 1], self.knots[i]
        return (a.x_mm, a.y_mm, a.z_mm) != (b.x_mm, b.y_mm, b.z_mm)


def _between(a: Spot, b: Spot, share: float, lift_mm: float) -> Spot:
    turn = (b.angle_deg - a.angle_deg + 180.0) % 360.0 - 180.0
    arch = 4.0 * lift_mm * share * (1.0 - share)
    return Spot(
        a.x_mm + (b.x_mm - a.x_mm) * share,
        a.y_mm + (b.y_mm - a.y_mm) * share,
        a.z_mm + (b.z_mm - a.z_mm) * share + arch,
        a.angle_deg + turn * share,
        a.turn + (b.turn - a.turn) * share,
    )
