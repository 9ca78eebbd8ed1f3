"""Hands over areas: from single frames to stretches of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from rules.events import HandOver, Side
from vision.change.gate import Hand

JOIN_S = 0.17
"""A hand away for less than this has not left."""
TRACED_S = 0.2
"""Chips are told to have changed when the hand has let them go; its trace may end as much before, or begin as much after."""
LEAST_S = 0.06
"""Stays shorter than this are no stays."""


@dataclass(slots=True)
class Stretch:
    """A hand's stay over an area: when, and in how many frames its arm was the dealer's or a player's."""

    since_s: float
    last_s: float
    dealer: int = 0
    player: int = 0
    frames: tuple[int, ...] = ()

    def seen(self, t_s: float, side: Side | None) -> None:
        """It is there in one frame more."""
        self.last_s = t_s
        self.dealer += side is Side.DEALER
        self.player += side is Side.PLAYER

    @property
    def side(self) -> Side | None:
        """Whose hand, None where the frames do not tell."""
        if self.dealer > 2 * self.player:
            return Side.DEALER
        return Side.PLAYER if self.player > 2 * self.dealer else None


@dataclass(slots=True)
class Visits:
    """The stays of hands over an area since something was last certain there.

    Attributes:
        stays: one after the other.
        traces: when a piece of a hand without its arm moved there, and whose; see `vision.change.traces`.
        blind: whether the area was out of sight meanwhile.
    """

    stays: list[Stretch] = field(default_factory=list)
    traces: list[tuple[float, Side]] = field(default_factory=list)
    blind: bool = False

    def seen(self, t_s: float, side: Side | None) -> None:
        """A hand is over the area in this frame."""
        if not self.stays or t_s - self.stays[-1].last_s > JOIN_S:
            self.stays.append(Stretch(t_s, t_s))
        self.stays[-1].seen(t_s, side)

    @property
    def side(self) -> Side | None:
        """Whose hands they all were; None where there were none, or two sides', or one that nobody can tell."""
        return self.side_between(-math.inf, math.inf)

    def side_between(self, since_s: float, until_s: float) -> Side | None:
        """The same for the hands that were there within a time; where none was, of pieces of hands shortly before and after it."""
        stays = self.between(since_s, until_s)
        if stays or self.blind:
            return self._side_of(stays)
        traced = {side for t_s, side in self.traces if since_s - TRACED_S <= t_s <= until_s + TRACED_S}
        return traced.pop() if len(traced) == 1 else None

    def between(self, since_s: float, until_s: float) -> list[Stretch]:
        """The stays within a time, or reaching into it."""
        return [stay for stay in self.stays if stay.last_s >= since_s and stay.since_s <= until_s]

    def _side_of(self, stays: Sequence[Stretch]) -> Side | None:
        long = [stay for stay in stays if stay.last_s - stay.since_s >= LEAST_S] or stays
        sides = {stay.side for stay in long}
        return sides.pop() if len(sides) == 1 and not self.blind else None

    def clear(self) -> None:
        """Everything is certain again."""
        self.stays.clear()
        self.traces.clear()
        self.blind = False


class HandStretches:
    """Joins the hands of successive frames into one event per stay over an area.

    Args:
        table_id: goes into every event.
        join_s: a hand away for less than this has not left.
        least_s: stays shorter than this are no stays.
    """

    def __init__(self, table_id: str, *, join_s: float = JOIN_S, least_s: float = LEAST_S) -> None:
        self.table_id = table_id
        self.join_s = join_s
        self.least_s = least_s
        self._open: dict[str, Stretch] = {}

    def feed(self, frame: int, t_s: float, hands: tuple[Hand, ...]) -> list[HandOver]:
        """The stays that ended by this frame."""
        for hand in hands:
            for area in hand.areas:
                stretch = self._open.setdefault(area, Stretch(t_s, t_s))
                stretch.seen(t_s, hand.side)
                stretch.frames = (*stretch.frames[:1], frame)
        return self._closed(t_s - self.join_s)

    def close(self) -> list[HandOver]:
        """The stays still going on, as if they ended with the last frame."""
        return self._closed(float("inf"))

    def _closed(self, before_s: float) -> list[HandOver]:
        events: list[HandOver] = []
        for area in [area for area, stretch in self._open.items() if stretch.last_s < before_s]:
            stretch = self._open.pop(area)
            if stretch.last_s - stretch.since_s >= self.least_s:
                events.append(
                    HandOver(
                        table_id=self.table_id,
                        t_s=stretch.last_s,
                        frames=stretch.frames,
                        area=area,
                        since_s=stretch.since_s,
                        side=stretch.side,
                    )
                )
        return events
