"""Looks at areas that came to rest, judges the looks, and tells what happened there.

A rest is looked at several times until the looks agree (`rests.judged`); one that hands end early still counts where they do.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

from rules.events import CoverageGap, GapCause, Side, group_of
from vision.change.gate import Gate
from vision.frames.frame import Frame
from vision.looks.look import CardSight, Look, Looker
from vision.looks.search import search_unread
from vision.looks.turned import SURE_CHIP
from vision.observation.observe import CARD_KINDS, WAGER_KINDS, Observer
from vision.observation.outbox import Outbox
from vision.observation.told import dated_by_pile
from vision.tracking.areas import AreaState, Glimpse, Laid, Mask, RestSettings, surely_read
from vision.tracking.chip_changes import fresh
from vision.tracking.matte import (
    FELTS_BGR,
    GROUNDS_BGR,
    SURELY_FOUND,
    cards_borne_out,
    changed_since,
    covered_ground,
    explaining,
    filled_out,
    grounds_in_turn,
    least_sure,
    painted,
    unexplained,
)
from vision.tracking.rests import RestResult, compared, judged
from vision.tracking.tracks import consensus, same_cards, same_chips, same_faces

SEARCHED_MM = 10.0
"""A card that lies still and is not read is looked for so far beside its outline: that was laid onto a printed line, or a neighbour's edge."""


class RestWatcher:
    """Looks at the areas of one table when they are at rest.

    Args:
        table_id: goes into the gaps that it tells.
        rest: how often and how long is looked.
        motion_s: time over which the gate sees motion: a rest began half of it before the gate was calm.
        looker: finds what lies in an area.
        gate: told what was looked at and accepted.
        observer: makes events of what a rest says.
        outbox: takes the events.

    Attributes:
        joined_s: since when the table is watched; what is found in an area first lay there at some time since then. None before the first frame.
        looks_made: how often the networks looked at an area.
    """

    def __init__(
        self,
        table_id: str,
        rest: RestSettings,
        motion_s: float,
        looker: Looker,
        gate: Gate,
        observer: Observer,
        outbox: Outbox,
    ) -> None:
        self._table_id, self._rest, self._motion_s = table_id, rest, motion_s
        self._looker, self._gate, self._observer, self._outbox = looker, gate, observer, outbox
        self.joined_s: float | None = None
        self.looks_made = 0

    def look(self, states: Sequence[AreaState], frame: Frame, level: float) -> None:
        """Look at those areas at which it is time to look, and tell what became certain."""
        rest = self._rest
        due: list[AreaState] = []
        for state in states:
            if not state.wants_look(frame.t_s, rest):
                continue
            if state.disturbed and not state.looks and self._unchanged(state, frame, level):
                state.waits = self._waits(state, states)
                if state.waits:
                    continue
                self._tell_passed(state, frame.t_s, frame.index)
                state.left_as_it_was()
                continue
            due.append(state)
        for state in self._looked_at(due, frame, level):
            state.next_look_s = frame.t_s + (rest.between_s if state.disturbed else rest.again_s)
            if not state.looks:
                continue
            if state.disturbed:
                self._judge(state, level, frame.t_s)
            else:
                self._read_again(state)

    def lay_unseen(self, states: Sequence[AreaState], t_s: float) -> list[AreaState]:
        """Those areas for cards that lay still for a while up to this time and were not looked at since."""
        return [state for state in states if state.area.kind in CARD_KINDS and state.lay_unseen(t_s, self._rest)]

    def look_back(self, states: Sequence[AreaState], frame: Frame, level: float) -> None:
        """One look at areas for cards that lay still too shortly to be looked at, and are stirred again in the frame after this."""
        due = [
            state for state in self.lay_unseen(states, frame.t_s) if not self._unchanged(state, frame, level, back=1)
        ]
        for state in self._looked_at(due, frame, level):
            state.next_look_s = frame.t_s + self._rest.between_s

    def _looked_at(self, due: Sequence[AreaState], frame: Frame, level: float) -> Iterator[AreaState]:
        """Each of these areas with one look more; where a hand is found over it no look is left."""
        for state, look in zip(due, self._looks(frame, due, level), strict=True):
            self.looks_made += 1
            if look.hand:
                state.looks.clear()
            elif state.area.kind in CARD_KINDS:
                state.looks.append(self._beside(state, frame, look))
                self._look_at_pile(state, state.looks[-1], level)
            else:
                state.looks.append(look)
            yield state

    def settle_early(self, state: AreaState, level: float) -> None:
        """A rest that ends before all its looks were made still counts where the looks agree and nothing vanished."""
        if not state.disturbed:
            return
        if len(state.looks) == 1 and state.glimpses and _two_looks(state, state.glimpses[-1][1], state.looks[0]):
            state.looks.insert(0, state.glimpses[-1][1])
        if len(state.looks) < 2:
            return
        seen = consensus(state.looks)
        result = compared(state, seen, level)
        if not seen.settled or result.unfound or result.fewer_cards or len(seen.chips) < len(state.chip_sights):
            return
        last = state.looks[-1]
        self._tell(state, result)
        state.reference = last.view, level
        state.outdated = True
        state.stirred_s = last.t_s
        if state.film is not None:
            state.film.settled(last.t_s)
        state.visits.clear()
        state.looks.clear()
        state.glimpses.clear()

    def _tell(self, state: AreaState, result: RestResult) -> None:
        """The events of a rest; of an area's first one they say what lies there, not that it came then."""
        frames = tuple(look.frame for look in state.looks)
        if state.area.kind in WAGER_KINDS:
            state.explain(result.chips_sure)
        first = not state.tracks
        events = self._observer.settle(state, result, state.rest_began_s(self._motion_s), frames)
        if first:
            state.began(events)
        if events and state.reference is None and self.joined_s is not None:
            t_s = max(event.t_s for event in events)
            since_s = min(self.joined_s, t_s)
            gap = CoverageGap(
                table_id=self._table_id, t_s=t_s, since_s=since_s, cause=GapCause.JOINED,
                area=state.area.name, frames=frames[:1],
            )  # fmt: skip
            self._outbox.add([gap])
        self._outbox.add(dated_by_pile(state, events))
        self._tell_laid(state)
        state.covering = None
        state.faces_laid.clear()

    def _looks(self, frame: Frame, states: Sequence[AreaState], level: float) -> list[Look]:
        """Looks at areas in one picture, side by side on as many cores as there are; each is what it would be alone."""
        if not states:
            return []
        image = frame.image

        def look(state: AreaState) -> Look:
            wager = state.area.kind in WAGER_KINDS
            seen = self._looker.look(
                image, state.view, state.area.polygon_mm, frame=frame.index, t_s=frame.t_s, turned=wager
            )
            if wager:
                return self._on_other_ground(state, frame, seen, level)
            return self._backs_on_other_ground(state, frame, seen, level) if state.area.kind in CARD_KINDS else seen

        if len(states) == 1:
            return [look(states[0])]
        order = sorted(
            range(len(states)), key=lambda i: -math.prod(states[i].view.size_px)
        )  # the longest first, so that all end soon
        looks = dict(zip(order, _lookers().map(look, [states[i] for i in order]), strict=True))
        return [looks[i] for i in range(len(states))]

    def _on_other_ground(self, state: AreaState, frame: Frame, look: Look, level: float) -> Look:
        """A look at a wager; where its chips do not explain what changed, with those found on another ground if these do (`vision.tracking.matte`)."""
        changed = changed_since(state, look.view, level)
        if look.hand or changed is None or not unexplained(state, look.chips, changed):
            return look
        seen = self._look_painted(state, frame, look, changed).chips
        chips = explaining(state, changed, seen)
        if chips is None and all(chip.confidence < SURE_CHIP for chip in fresh(state, (*look.chips, *seen))):
            filled = filled_out(state, changed)
            chips = explaining(state, changed, self._look_painted(state, frame, look, filled, FELTS_BGR).chips, filled)
        return look if chips is None else replace(look, chips=chips)

    def _backs_on_other_ground(self, state: AreaState, frame: Frame, look: Look, level: float) -> Look:
        """A look at an area for cards; where none explains what covers it, with those found on another ground if these do (`vision.tracking.matte`)."""
        covered = None if look.hand else covered_ground(state, look, level)
        if covered is None:
            return look
        best: tuple[CardSight, ...] = ()
        for ground in grounds_in_turn(look.view, covered):
            cards = cards_borne_out(
                state, covered, look.cards, self._look_painted(state, frame, look, covered, (ground,)).cards
            )
            best = max(best, cards or (), key=least_sure)
            if least_sure(best) >= SURELY_FOUND:
                break
        return replace(look, cards=best) if best else look

    def _look_painted(
        self,
        state: AreaState,
        frame: Frame,
        look: Look,
        stays: Mask,
        grounds: Sequence[tuple[int, int, int]] = GROUNDS_BGR,
    ) -> Look:
        """The same look, with all but this of the area in another colour, one of the grounds, for the detector."""
        return self._looker.look(
            frame.image, state.view, state.area.polygon_mm, frame=frame.index, t_s=frame.t_s,
            painted=painted(state, look.view, stays, grounds), turned=state.area.kind in WAGER_KINDS,
        )  # fmt: skip

    def _look_at_pile(self, state: AreaState, look: Look, level: float) -> None:
        """One card more on those that lie here?"""
        sides, state.sides = state.sides, set()
        touched_s, state.touched_s = state.touched_s, None
        unfound = not look.cards and any(not track.face_up for track in state.tracks)
        if not (look.cards or unfound) or sum(card.face_up for card in look.cards) > 1:
            return
        dealer = sides == {Side.DEALER} if sides else None
        cards_px = [state.view.view_from_table(card.corners_mm) for card in look.cards]
        more = state.pile.look(
            look.t_s, look.view, level, state.inside(), state.view.px_per_mm,
            dealer=dealer, cards_px=cards_px, arrivals=state.arrivals,
        )  # fmt: skip
        if not more or any(track.stack for track in state.tracks):
            return
        came = state.pile.came or (state.redrawn_moment() if more == 1 else None,) * more
        rest = touched_s, state.rest_began_s(self._motion_s)
        sure = state.pile.sure and not unfound
        laid = [Laid(*(rest if m is None else (m.earliest_s, m.latest_s)), look, sure) for m in came]
        since_s = state.bare_s if state.first_s is None else state.first_s
        if state.pile.undated and since_s is not None:
            laid = [replace(one, earliest_s=since_s) for one in laid]
        shown = any(card.face_up for card in look.cards) or any(track.face_up for track in state.tracks)
        if shown and not state.lies_open(look):
            lies_on = any(state.pile.covers(outline) for outline in state.turned_px(look))
            state.covering = laid[0] if lies_on and len(laid) == 1 else None
            faces = [card for card in look.cards if surely_read(card)]
            if len(laid) == len(faces) == 1 and state.pile.sure and (lies_on or not state.tracks_at(faces[0])):
                state.faces_laid.append((laid[0], faces[0]))
        elif state.tracks:
            self._outbox.add(self._observer.laid_on(state, one) for one in laid)
        else:
            state.laid += laid

    def _tell_laid(self, state: AreaState) -> None:
        """Cards that came to lie on others before the first here were sure, as far as they are not seen beside them."""
        laid, state.laid = state.laid, []
        if not state.tracks or any(track.face_up or track.stack for track in state.tracks):
            return
        unseen = 1 + len(laid) - len(state.tracks)
        self._outbox.add(self._observer.laid_on(state, one) for one in laid[len(laid) - max(0, unseen) :])

    def _waits(self, state: AreaState, states: Sequence[AreaState]) -> bool:
        """Whether a card that came and went may be a stack on its way, as far as is known before the other areas of its hand are at rest."""
        if _passed(state) is None or not self._observer.may_be_stack(state):
            return False
        others = [other for other in states if other is not state and other.area.kind in CARD_KINDS]
        return any(other.disturbed and group_of(other.area.name) == group_of(state.area.name) for other in others)

    def _tell_passed(self, state: AreaState, t_s: float, frame: int) -> None:
        """A card that lay in an area which lies empty again."""
        passed = _passed(state)
        if passed is None or state.reference is None:
            return
        self._outbox.add(self._observer.passed(state, *passed, t_s, (frame,)))
        state.pile.cleared(*state.reference)

    def _unchanged(self, state: AreaState, frame: Frame, level: float, *, back: int = 0) -> bool:
        """Whether the area shows what it showed at its last rest, so that the networks need not look; `back`: how many frames after this one the gate saw."""
        if state.outdated or state.reference is None:
            return False
        return self._gate.changed_px(state.index, back=back) < 4 or state.shows_the_same(frame.image, level)

    def _judge(self, state: AreaState, level: float, now_s: float) -> None:
        result = judged(state, level, self._rest)
        if result is None:
            return
        if result.unfound and now_s - state.rest_began_s(self._motion_s) < self._rest.unfound_s:
            del state.looks[0]
            return
        if result.hidden and now_s - state.rest_began_s(self._motion_s) < self._rest.hidden_s:
            state.looks.clear()
            state.next_look_s = now_s + self._rest.again_s
            return
        if not result.seen.cards:
            self._tell_passed(state, state.looks[-1].t_s, state.looks[-1].frame)
        self._tell(state, result)
        self._gate.accept(state.index)
        state.outdated = False
        state.reference = state.looks[-1].view, level
        if state.film is not None:
            state.film.settled(state.looks[-1].t_s)
        if not (result.chips or result.unfound):
            state.bare = None if result.hidden else state.reference
        if not state.tracks:
            state.pile.cleared(*state.reference)
            state.bare_s, state.first_s = state.looks[-1].t_s, None
            state.doubted.clear()
        state.looks.clear()
        state.glimpses.clear()
        state.disturbed = False
        state.visits.clear()
        unread = any(track.face_up and track.card is None for track in state.tracks)
        state.again = self._rest.max_again if unread else 0
        state.searched = True
        state.next_look_s = now_s + self._rest.again_s

    def _read_again(self, state: AreaState) -> None:
        look = state.looks.pop()
        state.again -= 1
        clusters = list(consensus([look]).cards)
        self._outbox.add(self._observer.read_again(state, clusters, look.t_s, (look.frame,)))
        if all(track.card is not None for track in state.tracks if track.face_up):
            state.again = 0

    def _beside(self, state: AreaState, frame: Frame, look: Look) -> Look:
        """A look at this frame, its unread cards searched beside their outline, again and again as long as that finds any."""
        if not state.searched or all(card.card is not None or card.back for card in look.cards):
            return look
        before = [card for earlier in state.looks for card in earlier.cards]
        cards = search_unread(frame.image, look.cards, self._looker.camera, self._looker.reader, SEARCHED_MM, before)
        state.searched = any(new is not old for new, old in zip(cards, look.cards, strict=True))
        return replace(look, cards=tuple(cards))


def _two_looks(state: AreaState, glimpse: Look, look: Look) -> bool:
    """Whether the only look at the rest before and the only one at this are two looks at the same."""
    if state.area.kind not in CARD_KINDS:
        return len(look.chips) > len(state.chip_sights) and same_chips(glimpse, look)
    # Of a first card on which another came to lie the rest before tells too, but not where they show different sides.
    return same_cards(glimpse, look) or (not state.tracks and same_faces(glimpse, look))


def _passed(state: AreaState) -> tuple[Glimpse, Glimpse] | None:
    """The card that came and went unsaid (`AreaState.passed`); only areas for cards tell any."""
    return state.passed() if state.area.kind in CARD_KINDS else None


@cache
def _lookers() -> ThreadPoolExecutor:
    """The threads in which areas are looked at, shared by all tables of the process."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="look")


os.register_at_fork(after_in_child=_lookers.cache_clear)
