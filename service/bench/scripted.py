"""A table whose events are known beforehand, and a watcher that comes to it at any moment, as one of pictures would.

What lies on the table when it comes it takes for newly come: it numbers the cards from 1 and tells of everything at once, as
`vision.pipeline.TableWatcher` does. From then on it tells what happens, a little late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    CoverageGap,
    Event,
    Face,
    GapCause,
    StackPlaced,
    WagerPlaced,
)
from service.live.lying import Lying
from vision.frames.frame import Frame
from vision.seen import Seen

REST_S = 0.5
"""How long vision takes to be sure of what lies still."""
CARDS = (CardPlaced, CardTurned, CardRead, CardMoved, CardRemoved)


@dataclass(slots=True)
class ScriptedWatcher:
    """Watches scripted events from a moment on.

    Args:
        script: everything that happens, in order of time.
        now_s: the moment of the script at which the first frame comes.
        areas: those a camera watches; a new watcher has seen none of them at rest.
        seen: frame index and time of the last frame.
    """

    script: Sequence[Event]
    now_s: Callable[[], float]
    areas: frozenset[str] = frozenset()
    seen: Seen = field(default_factory=lambda: Seen(-1, 0.0))
    _names: dict[int, int] = field(default_factory=dict, init=False)
    _at: int = field(default=-1, init=False)
    _began_s: float = field(default=0.0, init=False)
    offset_s: float = field(default=0.0, init=False)

    @property
    def unsettled(self) -> frozenset[str]:
        """All areas until the first rest is over."""
        return self.areas if self._at < 0 else frozenset()

    def frame(self, frame: Frame) -> Sequence[Event]:
        """What became certain."""
        if self.seen.frame < 0:
            self._began_s, self.offset_s = frame.t_s, self.now_s() - frame.t_s
        self.seen = Seen(frame.index, frame.t_s)
        if frame.t_s < self._began_s + REST_S:
            return ()
        told: list[Event] = []
        if self._at < 0:
            told += self._described(frame)
        until_s = frame.t_s - REST_S + self.offset_s
        while self._at < len(self.script) and self.script[self._at].t_s <= until_s:
            told += self._told(self.script[self._at], frame.index)
            self._at += 1
        return told

    def close(self) -> Sequence[Event]:
        """Nothing is left."""
        return ()

    def _described(self, frame: Frame) -> list[Event]:
        """Everything that lay there at the first rest, as if it had come then."""
        begin_s, lying = self._began_s + self.offset_s, Lying()
        self._at = sum(1 for event in self.script if event.t_s <= begin_s)
        for event in self.script[: self._at]:
            lying.note(event)
        base: dict[str, Any] = {"t_s": self._began_s, "frames": (frame.index,)}
        told: list[Event] = [
            self._joined(area, frame) for area in sorted(lying.areas()) if area in (self.areas or {area})
        ]
        for area, chips in lying.chips.items():
            told.append(
                WagerPlaced(
                    **base, table_id=chips.told.table_id, area=area, amount_cents=chips.amount_cents, chips=chips.chips
                )
            )
        stacked = set()
        for area, stack in lying.stacks.items():
            if not self.areas or area in self.areas:
                stacked.add(area)
                told.append(StackPlaced(**base, table_id=stack.table_id, area=area))
        for card in lying.cards.values():
            if self.areas and card.area not in self.areas:
                continue
            name = self._names[card.card_id] = len(self._names) + 1
            read = card.card if card.face is Face.UP else None
            told.append(
                CardPlaced(**base, table_id=card.told.table_id, area=card.area, card_id=name, face=card.face, card=read)
            )
        return told

    def _joined(self, area: str, frame: Frame) -> Event:
        """That what lies in an area was not seen to come."""
        table_id = self.script[0].table_id
        return CoverageGap(
            table_id=table_id, t_s=self._began_s, since_s=self._began_s, cause=GapCause.JOINED, area=area, frames=(frame.index,)
        )  # fmt: skip

    def _told(self, event: Event, frame: int) -> Iterable[Event]:
        t_s = max(0.0, event.t_s - self.offset_s)
        more: dict[str, Any] = {"since_s": max(0.0, event.since_s - self.offset_s)} if hasattr(event, "since_s") else {}
        if isinstance(event, CARDS):
            if event.card_id not in self._names:
                self._names[event.card_id] = len(self._names) + 1
            more["card_id"] = self._names[event.card_id]
        return (replace(event, t_s=t_s, frames=(frame,), **more),)
