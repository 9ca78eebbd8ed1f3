"""Cards that come in stacks: a face-down card is a stack, until it is spread into cards or another lay there before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rules.events import Event, StackPlaced, group_of
from vision.observation.told import told
from vision.tracking.tracks import CardTrack


class DealtStacks:
    """The stacks of the hands of one table, as they were told.

    A stack laid down and spread at once is first seen lying still when it is spread; the place where something lay first is where it was laid.

    Args:
        take_back: takes back an event of before, False where it was told already.
    """

    def __init__(self, take_back: Callable[[Event], bool]) -> None:
        self._take_back = take_back
        self._told: dict[str, list[tuple[CardTrack, Event]]] = {}

    def clear(self) -> None:
        """No stack is known any more."""
        self._told.clear()

    def came(self, track: CardTrack, mates: Sequence[CardTrack], sure: dict[str, Any]) -> list[Event]:
        """A face-down card: a stack, or a card of one that was spread; `mates` are the cards of the same hand, `sure` what every event of it says."""
        group = group_of(track.area)
        if not mates:
            track.stack = True
            stack = StackPlaced(**sure, area=track.area)
            self._told[group] = [(track, stack)]
            return [stack]
        before = self._told.setdefault(group, [])
        if before and sure["t_s"] < before[0][1].t_s and self._take_back(before[0][1]):
            return self._laid_before(track, before, sure)
        now = [(card, told(card, sure)) for card in (*spread(track, mates), track)]
        before += now
        return [event for _, event in now]

    def _laid_before(
        self, track: CardTrack, before: Sequence[tuple[CardTrack, Event]], sure: dict[str, Any]
    ) -> list[Event]:
        """A stack that lay elsewhere before what was taken for it: that was already a card of it, spread."""
        for _, event in before[1:]:
            self._take_back(event)
        last = max((event for _, event in before), key=lambda event: event.t_s)
        apart = sure | {"t_s": last.t_s, "earliest_s": last.earliest_s}
        cards = {card.card_id: card for card in (*(card for card, _ in before), track)}
        stack = StackPlaced(**sure, area=track.area)
        now = [(track, stack), *((card, told(card, apart)) for card in cards.values())]
        self._told[group_of(track.area)] = now
        return [event for _, event in now]


def spread(track: CardTrack, mates: Sequence[CardTrack]) -> list[CardTrack]:
    """The cards of a hand told as its stack that lie elsewhere than this one: the stack was spread."""
    return [mate for mate in mates if mate.stack and not mate.face_up and mate.area != track.area]
