"""The discard rack: when the first cards come to lie in it.

What is left of the deck after the deal goes there (58 Pa. Code § 669a.8(e) and its like), as the first of a round. Only that is told, an empty rack
that holds cards now: of cards laid on others there the picture shows hardly a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rules.events import Event, StackPlaced
from vision.change.moments import dated
from vision.frames.frame import Frame
from vision.looks.look import CardSight, Look, Looker
from vision.tracking.areas import SURELY_FOUND, AreaState, Mask, RestSettings, surely_read
from vision.tracking.piles import CARD_MM2, mm2
from vision.tracking.tracks import changed_mask, share_inside

COVERED_SHARE = 0.6
"""Share of a card found in the rack that has to look otherwise than the empty rack did."""
UNLIKE_MM2 = CARD_MM2 / 4
"""Where so much of the rack looks otherwise than it did empty, and no card is found, something may lie in it that is not found."""


class RackWatch:
    """Looks at the discard rack of one table when it is at rest.

    Args:
        table_id: goes into the events.
        states: the rack as an area that stirs and comes to rest, not seen yet; where the layout has none nothing is ever told.
        looker: finds what lies in an area.
        rest: how often and how long is looked.
        motion_s: time over which the gate sees motion.
    """

    def __init__(
        self, table_id: str, states: Sequence[AreaState], looker: Looker, rest: RestSettings, motion_s: float
    ) -> None:
        self._table_id, self._looker, self._rest, self._motion_s = table_id, looker, rest, motion_s
        self.states = tuple(states)
        self._holds: dict[int, bool | None] = {}

    def unseen(self) -> None:
        """Pictures were missed: what the rack holds has to be seen anew."""
        self._holds.clear()

    @property
    def awaited(self) -> Iterator[AreaState]:
        """The rack while it lies empty: what comes may yet be told."""
        return (state for state in self.states if self._holds.get(state.index) is False)

    def look(self, frame: Frame, level: float) -> list[Event]:
        """Take a look where it is time to; the stack that came to lie in the empty rack."""
        return [event for state in self.states for event in self._look(state, frame, level)]

    def _look(self, state: AreaState, frame: Frame, level: float) -> list[Event]:
        if not state.disturbed or not state.wants_look(frame.t_s, self._rest):
            return []
        if not state.looks and state.index in self._holds and state.shows_the_same(frame.image, level):
            state.left_as_it_was()
            return []
        look = self._looker.look(frame.image, state.view, state.area.polygon_mm, frame=frame.index, t_s=frame.t_s)
        state.next_look_s = frame.t_s + self._rest.between_s
        if look.hand:
            state.looks.clear()
            return []
        state.looks.append(look)
        last = state.looks[-self._rest.min_looks :]
        holds = _holding(last)
        if len(last) < self._rest.min_looks or (holds is None and len(state.looks) < self._rest.max_looks):
            return []
        return self._settled(state, last, holds, level)

    def _settled(self, state: AreaState, looks: Sequence[Look], holds: bool | None, level: float) -> list[Event]:
        before, empty = self._holds.get(state.index), state.reference
        changed = None
        if before is False and empty is not None:
            changed = np.asarray(changed_mask(looks[-1].view, empty[0], level / empty[1]) & state.inside(), np.uint8)
            if not holds and mm2(changed, state.view.px_per_mm) >= UNLIKE_MM2:
                holds = None
        told = self._placed(state, looks, changed) if holds and changed is not None else []
        self._holds[state.index], state.reference = holds, (looks[-1].view, level)
        state.left_as_it_was()
        state.looks.clear()
        if state.film is not None:
            state.film.settled(looks[-1].t_s)
        return told

    def _placed(self, state: AreaState, looks: Sequence[Look], changed: Mask) -> list[Event]:
        tops = [max(look.cards, key=lambda card: card.confidence) for look in looks]
        if share_inside(changed, state.view.view_from_table(tops[-1].corners_mm)) < COVERED_SHARE:
            return []
        moment = state.moment(tops[-1].corners_mm)
        when = dated(moment, state.rest_began_s(self._motion_s), state.stirred_s)
        placed = StackPlaced(
            table_id=self._table_id, frames=tuple(look.frame for look in looks),
            confidence=min(top.confidence for top in tops), area=state.area.name, exposed=_shows_a_face(tops), **when,
        )  # fmt: skip
        return [placed]


def _holding(looks: Sequence[Look]) -> bool | None:
    """Whether cards lie there by all of some looks; None where they differ, or one is unsure."""
    found = [max((card.confidence for card in look.cards), default=0.0) for look in looks]
    if all(confidence >= SURELY_FOUND for confidence in found):
        return True
    return None if any(found) else False


def _shows_a_face(tops: Sequence[CardSight]) -> bool:
    """Whether one and the same face was surely read in every look."""
    return all(surely_read(top) for top in tops) and len({top.card for top in tops}) == 1
