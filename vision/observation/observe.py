"""From rests to events: what came, went, was turned or read in an area, and who did it.

The observer holds the cards and chips of the whole table. It says a thing once, when several looks agree, and never
what it is not sure of: an identity or an amount that is not certain is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from calibration.layout import AreaKind
from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    Event,
    Face,
    Side,
    WagerRemoved,
    group_of,
)
from vision.change.moments import When, between, dated
from vision.looks.look import SAME_CARD_MM
from vision.observation.dealt_stacks import DealtStacks, spread
from vision.observation.on_table import OnTable
from vision.observation.told import sureness, told, turned, when_changed, when_first_seen
from vision.observation.wagers import wager_events
from vision.tracking.areas import AreaState, Glimpse, Laid, surely_read
from vision.tracking.piles import PROBABLE
from vision.tracking.rests import SURE_CARD, RestResult
from vision.tracking.tracks import CardCluster, CardTrack, matched

CARD_KINDS = (AreaKind.CARDS, AreaKind.COMMUNITY)
"""Areas where cards are looked for."""
WAGER_KINDS = (AreaKind.WAGER,)
"""Areas where chips are looked for."""

CARRIED_S = 2.0
"""A card that is turned and laid elsewhere by the same hand is there this soon."""


class Observer:
    """Turns settled rests into events.

    Args:
        table_id: goes into every event.
        chip_values_cents: worth of each colour at this table.
        decks: with one deck no identity is given twice.
        stacks: whether cards are dealt in stacks; then the first face-down card of a hand is one, of unknown count.
        take_back: takes back an event of before, False where it was told already.
    """

    def __init__(
        self,
        table_id: str,
        chip_values_cents: Mapping[str, int],
        *,
        decks: int = 1,
        stacks: bool = False,
        take_back: Callable[[Event], bool] = lambda event: False,
    ) -> None:
        self.table_id = table_id
        self.chip_values_cents = chip_values_cents
        self.stacks = stacks
        self._next_id = 1
        self._on_table = OnTable(decks)
        self._states: dict[str, AreaState] = {}
        self._take_back = take_back
        self._left: list[tuple[CardTrack, Event]] = []
        self._came: dict[int, float] = {}
        self._stacks = DealtStacks(take_back)

    def settle(self, state: AreaState, result: RestResult, t_s: float, frames: tuple[int, ...]) -> list[Event]:
        """The events of one settled rest; the state then holds what lies there."""
        self._states[state.area.name] = state
        if state.area.kind in CARD_KINDS:
            events = self._cards(state, result, t_s, frames)
            self._came |= {event.card_id: event.confidence for event in events if isinstance(event, CardPlaced)}
            return events
        if state.area.kind in WAGER_KINDS:
            return wager_events(state, result, t_s, frames, table_id=self.table_id, values_cents=self.chip_values_cents)
        return []

    def forgotten(self, states: Sequence[AreaState], t_s: float) -> list[Event]:
        """Lets go of everything known to lie in areas: that it is gone, for what lies there now is told as new."""
        events: list[Event] = []
        for state in states:
            cards = [*state.hidden, *(track.card_id for track in state.tracks)]
            when = between(None, t_s)
            events += [self._removed(state.area.name, card_id, 1.0, when, ()) for card_id in cards]
            if state.chips is None or state.chips:
                events.append(WagerRemoved(table_id=self.table_id, t_s=t_s, area=state.area.name))
        self._on_table.clear()
        self._states.clear()
        self._left.clear()
        self._came.clear()
        self._stacks.clear()
        return events

    def read_again(
        self, state: AreaState, clusters: list[CardCluster], t_s: float, frames: tuple[int, ...]
    ) -> list[Event]:
        """Further readings of cards that lie still; events for those now sure."""
        events: list[Event] = []
        pairs, _, _ = matched(state.tracks, clusters)
        for t, c in pairs:
            track, cluster = state.tracks[t], clusters[c]
            if track.card is None and track.face_up and cluster.face_up and track.apart_mm(cluster.last) < 20.0:
                track.take(cluster)
                card = self._on_table.identify(track)
                if card is not None:
                    events.append(
                        CardRead(
                            table_id=self.table_id,
                            t_s=t_s,
                            confidence=sureness(track),
                            frames=frames,
                            area=track.area,
                            card_id=track.card_id,
                            card=card,
                        )
                    )
        return events

    def passed(
        self, state: AreaState, first: Glimpse, last: Glimpse, t_s: float, frames: tuple[int, ...]
    ) -> list[Event]:
        """A card face down came to lie in an empty area and went again before a rest was sure of it (`AreaState.passed`); the area lies empty at `t_s`.

        Where cards come in stacks, and none of the hand is known to lie elsewhere, it may have been a stack on its way.
        """
        self._states[state.area.name] = state
        if self.may_be_stack(state):
            return []
        cluster = CardCluster((first.sight, last.sight), 1.0)
        events = self._placed(state, cluster, first.since_s, frames, lay=False, doubtful=False)
        (track,) = state.tracks
        state.tracks = []
        self._on_table.drop(track.card_id)
        gone = state.moment(last.sight.corners_mm, at_s=t_s, gone=True, since_s=last.t_s)
        when = dated(gone, t_s, last.t_s)
        events.append(self._removed(track.area, track.card_id, events[-1].confidence, when, frames))
        self._left.append((track, events[-1]))
        return events

    def may_be_stack(self, state: AreaState) -> bool:
        """Whether a card that came to lie in an area may be a stack: cards come so, and none of the hand is known to lie anywhere yet."""
        return self.stacks and not self._mates(state)

    def laid_on(self, state: AreaState, laid: Laid) -> Event:
        """A face-down card came to lie on others (`vision.tracking.piles`); the surest seen is the one on top, those below are half covered."""
        card_id = self._hidden_id(state)
        seen = max((card.confidence for card in laid.look.cards), default=1.0)
        self._came[card_id] = min(1.0 if laid.sure else PROBABLE, seen)
        return CardPlaced(
            table_id=self.table_id,
            **between(laid.earliest_s, laid.t_s),
            confidence=self._came[card_id],
            frames=(laid.look.frame,),
            area=state.area.name,
            card_id=card_id,
            face=Face.DOWN,
        )

    def _hidden_id(self, state: AreaState) -> int:
        """The number of a card that lies under others here from now on."""
        card_id, self._next_id = self._next_id, self._next_id + 1
        state.hidden.append(card_id)
        return card_id

    def _covered(
        self, state: AreaState, under: CardTrack, cluster: CardCluster, laid: Laid, frames: tuple[int, ...]
    ) -> tuple[CardTrack, Event]:
        """A card that shows its other side came to lie on one: not the same card turned, for ground was covered and none freed."""
        state.hidden.append(under.card_id)
        if under.card is not None:
            state.faces_under[under.card_id] = under.card
        self._on_table.drop(under.card_id)
        track = self._new_track(state, cluster)
        self._on_table.identify(track)
        self._on_table.add(track)
        when = between(laid.earliest_s, laid.t_s)
        sure: dict[str, Any] = {"table_id": self.table_id, **when, "confidence": sureness(track), "frames": frames}
        self._next_id += 1
        return track, told(track, sure)

    def _faces_covered(self, state: AreaState, clusters: Sequence[CardCluster]) -> list[Event]:
        """Cards dealt face up onto others and covered before a rest was sure of them."""
        events: list[Event] = []
        for laid, sight in state.faces_covered(clusters):
            assert sight.card is not None
            if self._on_table.is_given(sight.card):
                continue
            card_id = self._hidden_id(state)
            state.faces_under[card_id] = sight.card
            sure: dict[str, Any] = {
                "table_id": self.table_id, **between(laid.earliest_s, laid.t_s),
                "confidence": min(sight.confidence, sight.card_confidence), "frames": (laid.look.frame,),
            }  # fmt: skip
            events.append(CardPlaced(**sure, area=state.area.name, card_id=card_id, face=Face.UP, card=sight.card))
        return events

    def _on_a_face(
        self, state: AreaState, first: Glimpse, clusters: Sequence[CardCluster], frames: tuple[int, ...]
    ) -> list[Event]:
        """The first card, seen once as a face, and those face down that came to lie on it; where the face is not surely read it may have been a back."""
        laid, state.laid = state.laid, []
        sight, card_id = first.sight, self._hidden_id(state)
        sure = surely_read(sight) and sight.card is not None and not self._on_table.is_given(sight.card)
        if sure and sight.card is not None:
            state.faces_under[card_id] = sight.card
        events: list[Event] = [
            CardPlaced(
                table_id=self.table_id, **dated(state.moment(sight.corners_mm, at_s=first.t_s), first.since_s, state.stirred_s),
                confidence=min(sight.confidence, sight.card_confidence) if sure else PROBABLE, frames=frames,
                area=state.area.name, card_id=card_id, face=Face.UP, card=sight.card if sure else None,
            )
        ]  # fmt: skip
        for one, cluster in zip(laid, clusters, strict=False):
            track = self._new_track(state, cluster)
            self._next_id += 1
            self._lies(state, track)
            believed = min(sureness(track), 1.0 if one.sure else PROBABLE)
            when = between(one.earliest_s, one.t_s)
            events.append(told(track, {"table_id": self.table_id, **when, "confidence": believed, "frames": frames}))
        return events + [self.laid_on(state, one) for one in laid[len(clusters) :]]

    def _lies(self, state: AreaState, track: CardTrack) -> None:
        """A card is followed in an area from now on."""
        state.tracks.append(track)
        self._on_table.add(track)

    def _new_track(self, state: AreaState, cluster: CardCluster) -> CardTrack:
        """A card that was not followed so far, by the next free id."""
        last = cluster.last
        track = CardTrack(
            self._next_id,
            state.area.name,
            last.center_mm,
            last.corners_mm,
            last.corners_px,
            cluster.face_up,
            cluster.confidence,
        )
        track.take(cluster)
        return track

    def _cards(self, state: AreaState, result: RestResult, t_s: float, frames: tuple[int, ...]) -> list[Event]:
        area, clusters = state.area.name, result.seen.cards
        pairs = list(result.pairs)
        pairs, undone = _contradictions(state, clusters, pairs)
        gone = [*result.gone, *(t for t, _ in undone)]
        new = [*result.new, *(c for _, c in undone)]
        more, left_tracks, left_clusters = matched([state.tracks[t] for t in gone], [clusters[c] for c in new])
        pairs += [(gone[t], new[c]) for t, c in more]
        events: list[Event] = []
        under = [state.tracks[gone[t]] for t in left_tracks if gone[t] in result.covered]
        removed = [state.tracks[gone[t]] for t in left_tracks if gone[t] not in result.covered]
        empty = not clusters and len(removed) == len(state.tracks)
        for track in under:
            self._on_table.drop(track.card_id)
            state.hidden.append(track.card_id)
        for track in removed:
            self._on_table.drop(track.card_id)
            when = when_changed(state, track, t_s, gone=True)
            lay = self._lay(track.card_id, track.confidence)
            events.append(self._removed(area, track.card_id, lay if empty else track.confidence, when, frames))
            self._left.append((track, events[-1]))
        kept = list(state.tracks)
        for t, c in sorted(pairs):
            came = None if self.stacks else state.covering  # of a stack that was spread no card comes alone
            if came is not None and not kept[t].stack and clusters[c].face_up != kept[t].face_up:
                kept[t], event = self._covered(state, kept[t], clusters[c], came, frames)
                events.append(event)
                continue
            events += self._again(state, kept[t], clusters[c], t_s, frames)
        state.tracks = [track for track in kept if all(track is not other for other in (*under, *removed))]
        if removed and empty:
            weakest = min(track.confidence for track in removed)
            when = when_changed(state, removed[-1], t_s, gone=True)
            events += [self._removed(area, i, self._lay(i, weakest), when, frames) for i in state.hidden]
            state.hidden.clear()
            state.faces_under.clear()
        come = sorted((new[i] for i in left_clusters), key=lambda i: clusters[i].last.center_mm)
        first = None if self.stacks or result.doubtful else state.covered_first(clusters)
        if first is not None and len(come) == len(clusters):
            events += self._on_a_face(state, first, clusters, frames)
            come = []
        for c in come:
            lay = c in result.lay or _doubted(state, clusters[c])
            doubtful = c in result.doubtful or (not self.stacks and _one_too_many(state, clusters[c], clusters))
            events += self._placed(state, clusters[c], t_s, frames, lay=lay, doubtful=doubtful)
        events += self._faces_covered(state, clusters)
        state.doubted += [clusters[c].last.center_mm for c in result.weak]
        if not result.stays:
            state.unseen_s = None
        elif not clusters and state.unseen_s is None:
            state.unseen_s = t_s if state.stirred_s is None else state.stirred_s
        return events

    def _removed(self, area: str, card_id: int, confidence: float, when: When, frames: tuple[int, ...]) -> Event:
        return CardRemoved(
            table_id=self.table_id, **when, confidence=confidence, frames=frames, area=area, card_id=card_id
        )

    def _lay(self, card_id: int, found: float) -> float:
        """How surely a card that is gone lay there: as it was told to have come, or as it was found last."""
        return max(self._came.pop(card_id, found), found)

    def _again(
        self, state: AreaState, track: CardTrack, cluster: CardCluster, t_s: float, frames: tuple[int, ...]
    ) -> list[Event]:
        """A card seen before, at a new rest."""
        before, face_before = track.card, track.face_up
        track.take(cluster)
        if track.card is None:
            self._on_table.identify(track)
        sure: dict[str, Any] = {"table_id": self.table_id, "t_s": t_s, "confidence": sureness(track), "frames": frames}
        if track.face_up != face_before:
            if self._lay_open(state, track):
                return []
            sure |= when_first_seen(state, track, state.glimpsed(cluster), t_s)
            if track.stack:
                return [told(track, sure)]
            return [turned(track, sure)]
        if before is None and track.card is not None:
            return [CardRead(**sure, area=track.area, card_id=track.card_id, card=track.card)]
        return []

    def _placed(
        self,
        state: AreaState,
        cluster: CardCluster,
        t_s: float,
        frames: tuple[int, ...],
        *,
        lay: bool,
        doubtful: bool,
    ) -> list[Event]:
        """A card seen first, that may have lain there before (`lay`), or be none (`doubtful`).

        Where those that lay there were not found either, another may have come unseen, and this one is the one after it.
        """
        track = self._new_track(state, cluster)
        shown = None if cluster.face_up else state.shown_before(cluster)
        if shown is not None:
            track.face_up, track.readings = True, [(shown.sight.card, shown.sight.card_confidence)]
        other = self._on_table.seen_elsewhere(track)
        if other is not None and self._states[other.area].disturbed:
            return [self._moved(state, other, cluster, when_changed(state, track, t_s), frames)]
        when = when_first_seen(state, track, shown or state.glimpsed(cluster), t_s)
        if lay or state.unseen_s is not None:
            when = between(state.bare_s if lay else state.unseen_s, when["t_s"])
        pile = self._pile_of(state, track)
        if pile is not None:
            return self._from_pile(state, pile, track, when, frames)
        came = self._turned_on_the_way(state, track, when["t_s"])
        if came is None:
            self._next_id += 1
        else:
            track.card_id = came[0].card_id
        self._on_table.identify(track)
        mates = self._mates(state)
        believed = 1.0
        if doubtful or _found_by_a_player(state, when):  # it may have lain there since anything does
            since_s = when["earliest_s"] if state.bare_s is None else state.bare_s
            believed, when = PROBABLE, between(since_s, when["t_s"])
        self._lies(state, track)
        sure: dict[str, Any] = {
            "table_id": self.table_id, **when, "confidence": min(believed, sureness(track)), "frames": frames,
        }  # fmt: skip
        if came is not None:
            self._take_back(came[1])  # else it left for good until now, and is back
            return self._shown(track, came[0].area, sure)
        if self.stacks and not track.face_up:
            return self._stacks.came(track, mates, sure)
        return [told(card, sure) for card in (*spread(track, mates), track)]

    def _turned_on_the_way(self, state: AreaState, track: CardTrack, t_s: float) -> tuple[CardTrack, Event] | None:
        """The one face-down card that left another area of the same hand just before this face came to rest, and how that was said."""
        self._left = [left for left in self._left if left[1].t_s > t_s - CARRIED_S]
        group = group_of(state.area.name)
        near = [
            left
            for left in self._left
            if not left[0].face_up and left[0].area != state.area.name and group_of(left[0].area) == group
        ]
        if not track.face_up or len(near) != 1:
            return None
        self._left = [left for left in self._left if left is not near[0]]
        return near[0]

    def _shown(self, track: CardTrack, from_area: str, sure: Mapping[str, Any]) -> list[Event]:
        """A card that lay face down elsewhere and was turned as it was carried here."""
        moved = CardMoved(**sure, area=track.area, from_area=from_area, card_id=track.card_id)
        return [moved, turned(track, sure)]

    def _mates(self, state: AreaState) -> list[CardTrack]:
        """Cards that lie in the areas of the same hand."""
        group = group_of(state.area.name)
        return [track for name, other in self._states.items() if group_of(name) == group for track in other.tracks]

    def _pile_of(self, state: AreaState, track: CardTrack) -> AreaState | None:
        """The area in which a card that comes into sight lay under others: this one, or one of the same hand."""
        if state.hidden:
            return state
        if not track.face_up:
            return None
        group = group_of(state.area.name)
        others = [other for name, other in self._states.items() if other.hidden and group_of(name) == group]
        return others[0] if len(others) == 1 else None

    def _from_pile(
        self, state: AreaState, pile: AreaState, track: CardTrack, when: When, frames: tuple[int, ...]
    ) -> list[Event]:
        """A card known to lie under others comes into sight: spread out, turned over, or face up as it lay beside others that lie face down."""
        found = track.identity()
        lay_so = found is not None and pile is state and state.hides and found[0] in state.faces_under.values()
        track.card_id = self._taken_from(pile, track)
        self._on_table.identify(track)
        self._lies(state, track)
        sure: dict[str, Any] = {"table_id": self.table_id, **when, "confidence": sureness(track), "frames": frames}
        events: list[Event] = []
        if pile is not state:
            events.append(CardMoved(**sure, area=track.area, from_area=pile.area.name, card_id=track.card_id))
        if track.face_up and not lay_so:
            events.append(turned(track, sure))
        return events

    def _taken_from(self, pile: AreaState, track: CardTrack) -> int:
        """Of the cards hidden in an area the one that came into sight: the one that bore its name, else the last laid of those that bore none.

        Where only one with another name is left, the upper card was carried off, and that one lies open now.
        """
        found, names = track.identity(), pile.faces_under
        same = [i for i in pile.hidden if found is not None and names.get(i) == found[0]]
        card_id = (same or [i for i in pile.hidden if i not in names] or pile.hidden)[-1]
        pile.hidden.remove(card_id)
        name = names.pop(card_id, None)
        if same or name is None or len(pile.tracks) != 1 or pile.tracks[0].face_up:
            return card_id
        upper = pile.tracks[0]
        carried, upper.card_id, upper.face_up, upper.card = upper.card_id, card_id, True, name
        self._on_table.add(upper)
        return carried

    def _lay_open(self, state: AreaState, track: CardTrack) -> bool:
        """Whether this is no card turned, but the one that lay face up below it, and the upper one went elsewhere."""
        below = next((i for i, name in state.faces_under.items() if track.face_up and name == track.card), None)
        if below is None:
            return False
        state.hidden[state.hidden.index(below)] = track.card_id
        del state.faces_under[below]
        self._on_table.drop(track.card_id)
        track.card_id = below
        self._on_table.add(track)
        return True

    def _moved(
        self, state: AreaState, track: CardTrack, cluster: CardCluster, when: When, frames: tuple[int, ...]
    ) -> Event:
        old = self._states[track.area]
        old.tracks = [other for other in old.tracks if other is not track]
        from_area, track.area = track.area, state.area.name
        track.take(cluster)
        state.tracks.append(track)
        return CardMoved(
            table_id=self.table_id,
            **when,
            confidence=sureness(track),
            frames=frames,
            area=track.area,
            from_area=from_area,
            card_id=track.card_id,
        )


def _contradictions(
    state: AreaState, clusters: tuple[CardCluster, ...], pairs: list[tuple[int, int]]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs that may be the same card, and those whose identities say that another card lies there now."""
    fine = [(t, c) for t, c in pairs if matched([state.tracks[t]], [clusters[c]])[0]]
    return fine, [pair for pair in pairs if pair not in fine]


def _found_by_a_player(state: AreaState, when: When) -> bool:
    """Whether a card at a seat came to light under hands that are not surely the dealer's: nobody else deals, so it may have lain there."""
    since_s = when["t_s"] if when["earliest_s"] is None else when["earliest_s"]
    hands = state.visits.between(since_s, when["t_s"])
    return (
        state.area.seat is not None
        and bool(hands)
        and state.visits.side_between(since_s, when["t_s"]) is not Side.DEALER
    )


def _one_too_many(state: AreaState, cluster: CardCluster, clusters: Sequence[CardCluster]) -> bool:
    """Whether an outline is one more than the cards that the ground they cover tells: of outlines weakly seen one may span two cards."""
    if cluster.face_up or all(other.face_up or other.confidence >= SURE_CARD for other in clusters):
        return False
    pile, known = state.pile, len(state.tracks) + len(state.hidden)
    return pile.strip_mm2 is not None and not pile.open and pile.cards <= known


def _doubted(state: AreaState, cluster: CardCluster) -> bool:
    """Whether a card was seen there before, too weakly to be told."""
    return any(np.hypot(*np.subtract(cluster.last.center_mm, at)) <= SAME_CARD_MM for at in state.doubted)
