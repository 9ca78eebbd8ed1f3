"""How hands move things over the table: reach for them, carry, put down, draw together, and leave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datasets.play.motion import HandTrack, Track
from datasets.play.places import Places, Point, Spot
from datasets.play.stage import Stage
from rules.events import Side, WagerDecreased, WagerRemoved


class Movement:
    """Hands on a stage, one act after the other.

    Args:
        stage: takes the motion and the events.
        places: where things are put.
        pace: a factor on how long everything takes.
        rng: pauses and shakes.

    Attributes:
        now_s: when the next act begins, in seconds of the recording.
    """

    def __init__(self, stage: Stage, places: Places, *, pace: float, rng: np.random.Generator) -> None:
        self.stage, self.places, self.pace, self.rng = stage, places, pace, rng
        self.now_s = 0.6

    def reach(self, hand: HandTrack, to: Point, *, with_items: Sequence[Track] = (), not_before: float = 0.0) -> float:
        """Move a hand, with what it holds, to a point; return when it arrives."""
        start = max(self.now_s if not with_items else hand.free_s, hand.free_s)
        took = self.duration(hand.tip, to)
        start = max(start, not_before - took)
        if with_items:
            self.carry(hand, with_items, start, start + took, to)
        else:
            hand.go(start, start + took, to, z_mm=12.0, grip=0.4)
        return start + took

    def carry(
        self, hand: HandTrack, items: Sequence[Track], start_s: float, end_s: float, to: Point, *, lift_mm: float = 12.0
    ) -> None:
        """Move a hand with what it holds, keeping the pile together."""
        for item in items:
            spot = item.spot
            item.go(start_s, end_s, Spot(*to, spot.z_mm, spot.angle_deg, spot.turn), None, lift_mm=lift_mm)
        top = max((item.spot.z_mm for item in items), default=0.0)
        hand.go(start_s, end_s, to, z_mm=top + 10.0, grip=0.9)

    def put_down(self, hand: HandTrack, chips: list[Track], spots: list[Spot], start_s: float, area: str) -> float:
        """Carry chips from where they are to their places and let go; return when they rest."""
        middle = mean([spot.xy for spot in spots])
        arrive = start_s + self.duration(hand.tip, middle) + 0.05
        self.carry(hand, chips, start_s, arrive, middle)
        end = arrive + 0.1 + 0.05 * len(chips)
        for chip, spot in zip(chips, spots, strict=True):
            chip.go(arrive, end, spot, area)
            self.stage.lay_chip(chip, area)
            self.stage.transfer(end, chip, area)
        hand.go(arrive, end, spots[-1].xy, z_mm=10.0, grip=0.5)
        return end

    def gather_chips(self, hand: HandTrack, name: str, held: list[Track], by: Side, *, keep: int = 0) -> list[Track]:
        """Reach an area with what is already in the hand and draw its chips together, but for the first `keep`."""
        left, chips = self.stage.chips_in(name)[:keep], self.stage.chips_in(name)[keep:]
        middle = mean([chip.spot.xy for chip in chips])
        at = self.reach(hand, middle, with_items=held, not_before=max(chip.free_s for chip in chips))
        end = at + 0.2
        for i, chip in enumerate((*held, *chips)):
            chip.go(at, end, Spot(*middle, 3.3 * i, chip.spot.angle_deg), None)
        hand.go(at, end, middle, z_mm=12.0, grip=0.9)
        self.stage.clear_chips(name)
        if not left:
            self.stage.emit(WagerRemoved, end, area=name, by=by)
            return chips
        for chip in left:
            self.stage.lay_chip(chip, name)
        colors = [chip.name for chip in left]
        total = sum(self.stage.value(color) for color in colors)
        self.stage.emit(WagerDecreased, end, area=name, amount_cents=total, chips=counts(colors), by=by)
        return chips

    def leave(self, hand: HandTrack, start_s: float) -> float:
        """Take a hand off the table; return when it no longer covers where it was."""
        took = self.duration(hand.tip, hand.home)
        hand.go(start_s, start_s + took, hand.home, z_mm=40.0, grip=0.2)
        return start_s + 0.55 * took

    def pile(self, at_s: float, at: Point, count: int) -> list[Track]:
        """Return a squared pile of face-down cards, drawn by a few of them."""
        return [self.stage.new_pile_card(at_s, Spot(*at, 2.5 * i, 20.0)) for i in range(count)]

    def vanish(self, items: Sequence[Track], at_s: float) -> None:
        """Take things out of the recording: they are put away from then on."""
        for item in items:
            item.gone_s = at_s

    def duration(self, a: Point, b: Point) -> float:
        """Seconds a hand takes from one point to another."""
        return (0.17 + distance(a, b) / 3000.0) * self.pace

    def uniform(self, low: float, high: float) -> float:
        """A pause, shift or turn between two bounds."""
        return float(self.rng.uniform(low, high))


def distance(a: Point, b: Point) -> float:
    """Millimetres between two points."""
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def mean(points: Sequence[Point]) -> Point:
    """The middle of points."""
    x, y = np.mean(points, axis=0)
    return (float(x), float(y))


def counts(colors: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """How many chips of each colour, as events tell it."""
    return tuple(sorted((color, colors.count(color)) for color in set(colors)))
