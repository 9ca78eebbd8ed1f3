"""Hands over areas: from single frames to stretches of time."""

from __future__ import annotations

from dataclasses import dataclass

from rules.events import HandOver, Side
from vision.gate import Hand


@dataclass(slots=True)
class _Stretch:
    since_s: float
    last_s: float
    dealer: int = 0
    player: int = 0
    frames: tuple[int, ...] = ()

    @property
    def side(self) -> Side | None:
        if self.dealer > 2 * self.player:
            return Side.DEALER
        return Side.PLAYER if self.player > 2 * self.dealer else None


class HandStretches:
    """Joins the hands of successive frames into one event per stay over an area.

    Args:
        table_id: goes into every event.
        join_s: a hand away for less than this has not left.
        least_s: stays shorter than this are no stays.
    """

    def __init__(self, table_id: str, *, join_s: float = 0.17, least_s: float = 0.06) -> None:
        self.table_id = table_id
        self.join_s = join_s
        self.least_s = least_s
        self._open: dict[str, _Stretch] = {}

    def feed(self, frame: int, t_s: float, hands: tuple[Hand, ...]) -> list[HandOver]:
        """The stays that ended by this frame."""
        for hand in hands:
            for area in hand.areas:
                stretch = self._open.setdefault(area, _Stretch(t_s, t_s))
                stretch.last_s = t_s
                stretch.dealer += hand.side is Side.DEALER
                stretch.player += hand.side is Side.PLAYER
                stretch.frames = (*stretch.frames[:1], frame)
        return self._closed(t_s - self.join_s)

    def close(self) -> list[HandOver]:
        """The stays still going on, as if they ended with the last frame."""
        return self._closed(float("inf"))

    def side_over(self, area: str) -> Side | None:
        """Whose hand is over an area now."""
        stretch = self._open.get(area)
        return stretch.side if stretch is not None else None

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
