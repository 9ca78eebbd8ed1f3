"""Events on their way out: held until nothing earlier can come any more, told in the order of their times, taken back till then."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from rules.events import Event

KIND_ORDER = {
    "coverage_gap": 0,
    "hand_over": 1,
    "card_removed": 2,
    "wager_removed": 2,
    "wager_decreased": 2,
    "card_moved": 2,
}
"""Among events of the same moment: first what hides, then what goes, then what comes."""


class Outbox:
    """Events that became certain and are not told yet."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Event, Event]] = []
        self._told_s = 0.0

    def add(self, events: Iterable[Event]) -> None:
        """Take events; what happened before others that are told already is told late, with the moment it may have been."""
        for event in events:
            late = event
            if event.t_s < self._told_s:
                earliest = event.t_s if event.earliest_s is None else event.earliest_s
                late = dataclasses.replace(event, t_s=self._told_s, earliest_s=earliest)
            self._waiting.append((event, late))

    def take_back(self, event: Event) -> bool:
        """Not to be told after all; False where it was told already."""
        kept = [item for item in self._waiting if item[0] is not event]
        found = len(kept) < len(self._waiting)
        self._waiting = kept
        return found

    def ready(self, horizon_s: float) -> list[Event]:
        """The events up to a moment before which none can come any more, in order."""
        told = sorted((late for _, late in self._waiting if late.t_s <= horizon_s), key=_order)
        self._waiting = [item for item in self._waiting if item[1].t_s > horizon_s]
        self._told_s = max(self._told_s, horizon_s)
        return told


def _order(event: Event) -> tuple[float, int]:
    return event.t_s, KIND_ORDER.get(event.kind, 3)
