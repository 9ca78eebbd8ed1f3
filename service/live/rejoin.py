"""A watcher that comes to a table in the middle of a round: what lay there is known again, what changed is told, unseen.

A watcher begun anew (the service was killed, the camera was gone) takes everything that lies on the table for newly come
and numbers the cards from 1. What it tells of its first look at each area is therefore no event but a description. It is
held back until every area was seen at rest, then compared with what was known before: what is the same is not told again
and keeps its card's number; what differs is told at once, at the end of a coverage gap that reaches back to the last event
before. So the law knows what lies where and goes on, and concludes nothing from when or how it came there.

So it goes only if the round is surely the same. Another one may have been dealt meanwhile where nobody watched for longer than the
quickest dealer needs, or where a card that lay face up does so no more; then everything known is told to be gone in the gap and
everything seen to have come in it: the law ends the one round without a word and begins another that it did not see begin.

What cannot be known: two face-down cards of one hand may have changed places, chips may have been exchanged for the same
amount; the gap stands over that. Cards that lay under others cannot be seen again: they count as lying there until the
last card of the area is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from service.live.lying import Lying, LyingCard
from service.watching import HOLD_S, Watcher
from vision.change.coverage import ANOTHER_ROUND_S
from vision.frames.frame import Frame
from vision.seen import Seen

CARDS = (CardPlaced, CardTurned, CardRead, CardMoved, CardRemoved)
NAMES_KEPT = 500
"""Cards whose numbers are remembered at least; a round has some forty."""
SURE_S, PROVEN_S = 5.0, 60.0
"""In `SURE_S` no dealer clears a table, takes wagers and deals. In `ANOTHER_ROUND_S` none does and lays again what lay face up. Up to
`PROVEN_S` it is the same round where everything that lay face up still does, two cards of it with the same names: that another deal
puts two cards where two lay has a chance of 1 in 2,652."""
LONGEST_LOOK_S = 20.0
"""So long areas that are never at rest may hold up the others; they are compared when they come to rest."""


@dataclass(slots=True)
class Rejoined:
    """A new watcher at a table of which something is known already.

    Args:
        watcher: new; numbers cards from 1.
        table_id: goes into every event.
        known: what lay there as far as events told; left as it is.
        since_s: from when on something may have happened unseen.
        cause: why it was not seen.

    Attributes:
        told_unseen: what was found at a comparison and not seen to happen.
    """

    watcher: Watcher
    table_id: str
    known: Lying
    since_s: float
    cause: GapCause = GapCause.LOST
    _now: Lying = field(default_factory=Lying, init=False)
    _names: dict[int, int] = field(default_factory=dict, init=False)
    _under: dict[str, list[LyingCard]] = field(default_factory=dict, init=False)
    _next_id: int = field(default=1, init=False)
    _held: list[Event] = field(default_factory=list, init=False)
    _open: set[str] = field(default_factory=set, init=False)
    _watched: set[str] = field(default_factory=set, init=False)
    _began_s: float | None = field(default=None, init=False)
    _rest_s: float = field(default=0.0, init=False)
    _compared: bool = field(default=False, init=False)
    _settled_s: dict[str, float] = field(default_factory=dict, init=False)
    told_unseen: list[Event] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._next_id = self.known.next_card_id

    @property
    def seen(self) -> Seen:
        """What lies on the table after the last frame, cards under the numbers they have in events."""
        seen = self.watcher.seen
        if not any(card.card_id in self._names for card in seen.cards):
            return seen
        cards = tuple(replace(card, card_id=self._names.get(card.card_id, card.card_id)) for card in seen.cards)
        return replace(seen, cards=cards)

    @property
    def unsettled(self) -> frozenset[str]:
        """Areas not seen at rest yet."""
        return self.watcher.unsettled

    def frame(self, frame: Frame) -> Sequence[Event]:
        """Takes the next frame; nothing is told before the table was looked over."""
        return list(self._taken(self.watcher.frame(frame), self.watcher.unsettled, frame.t_s))

    def close(self) -> Sequence[Event]:
        """What is still to be said; a table never looked over is a gap and nothing else."""
        events = self.watcher.close()
        if self._compared:
            return list(self._taken(events, frozenset(), float("inf")))
        end_s = max([self.since_s, self._rest_s, *(event.t_s for event in (*self._held, *events))])
        return [self._gap(end_s, None)]

    # -- looking over ---------------------------------------------------------------------------------------------

    def _taken(self, events: Iterable[Event], unsettled: frozenset[str], t_s: float) -> Iterator[Event]:
        if self._began_s is None:
            self._began_s = self._rest_s = t_s
        self._watched |= unsettled
        if not self._compared:
            self._held += events
            self._rest_s = t_s if unsettled != self._open else self._rest_s
            self._open = set(unsettled)
            done = not unsettled and t_s >= self._rest_s + HOLD_S
            if done or t_s >= self._began_s + LONGEST_LOOK_S:
                yield from self._compare(t_s)
            return
        yield from self._late(events, unsettled, t_s)

    def _compare(self, t_s: float) -> Iterator[Event]:
        """The table was looked over: the gap, then what is not as it was."""
        self._compared = True
        held, self._held = self._held, []
        yield self._gap(t_s, None)
        for event in held:
            area = getattr(event, "area", None)
            if area in self._open:
                self._held.append(event)
            else:
                self._now.note(event)
        if not self._is_same_round():
            yield from self._forgotten(t_s)
        known = self.known.areas() & self._watched if self._watched else self.known.areas()
        areas = sorted((known | self._now.areas()) - self._open)
        yield from self._differences(areas, t_s)
        for event in held:
            if isinstance(event, CoverageGap) and event.cause is not GapCause.JOINED:
                yield replace(event, t_s=t_s)

    def _is_same_round(self) -> bool:
        """Whether no other round can have been dealt since the table was watched."""
        assert self._began_s is not None
        away_s = self._began_s - self.since_s
        up = [card for card in self.known.cards.values() if card.face is Face.UP]
        now = [card for card in self._now.cards.values() if card.face is Face.UP]
        left = [card for card in up if any(card.area == one.area and _may_be_same(card, one) for one in now)]
        named = [card for card in left if any(_named_alike(card, one) and card.area == one.area for one in now)]
        if not self.known.cards or not self._now.cards or away_s <= SURE_S:
            return True
        if len(left) < len(up):
            return False
        return away_s <= ANOTHER_ROUND_S or (away_s <= PROVEN_S and len(named) >= 2)

    def _forgotten(self, t_s: float) -> Iterator[Event]:
        """Everything known is gone; it is told so, unseen."""
        gone: list[Event] = [self._removed(card.area, card.card_id, t_s) for card in self.known.cards.values()]
        gone += [WagerRemoved(table_id=self.table_id, t_s=t_s, area=area) for area in self.known.chips]
        self.known = Lying(
            last_s=self.known.last_s, next_card_id=self.known.next_card_id, next_frame=self.known.next_frame
        )
        self.told_unseen += gone
        yield from gone

    def _late(self, events: Iterable[Event], unsettled: frozenset[str], t_s: float) -> Iterator[Event]:
        """Events after the comparison; those of areas that never lay still are held until they did."""
        for area in sorted(self._open - unsettled):
            self._settled_s.setdefault(area, t_s)
        for event in events:
            if getattr(event, "area", None) in self._open and not isinstance(event, CoverageGap):
                self._held.append(event)
            else:
                yield from self._translated(event)
        for area in sorted(self._open):
            settled_s = self._settled_s.get(area)
            if settled_s is not None and t_s >= settled_s + HOLD_S:
                self._open.discard(area)
                here = [event for event in self._held if getattr(event, "area", None) == area]
                self._held = [event for event in self._held if getattr(event, "area", None) != area]
                for event in here:
                    self._now.note(event)
                end_s = min(t_s, settled_s + HOLD_S)
                yield self._gap(end_s, area)
                yield from self._differences([area], end_s)

    def _gap(self, t_s: float, area: str | None) -> CoverageGap:
        since_s = min(self.since_s, t_s)
        return CoverageGap(table_id=self.table_id, t_s=t_s, since_s=since_s, cause=self.cause, area=area)

    def _differences(self, areas: Sequence[str], t_s: float) -> Iterator[Event]:
        told: list[Event] = []
        paired = {area: self._paired(area) for area in areas}
        gone = [card for area in areas for card in paired[area][1]]
        for area in areas:
            told += self._chips(area, t_s)
        for area in areas:
            pairs, _, new = paired[area]
            for old, card in pairs:
                told += self._same(old, card, t_s)
            for card in new:
                told += self._come(card, gone, t_s)
            if area in self._now.stacks and area not in self.known.stacks and not self.known.cards_in(area):
                told.append(_at(self._now.stacks[area], t_s))
        for card in gone:
            if self._now.cards_in(card.area):
                self._under.setdefault(card.area, []).append(card)
            else:
                told.insert(0, self._removed(card.area, card.card_id, t_s))
        self.told_unseen += told
        yield from told

    def _paired(self, area: str) -> tuple[list[tuple[LyingCard, LyingCard]], list[LyingCard], list[LyingCard]]:
        """Cards known before with those seen now, the surest pairs first; those left on either side."""
        old, new = self.known.cards_in(area), self._now.cards_in(area)
        pairs: list[tuple[LyingCard, LyingCard]] = []
        for sure in (_named_alike, _faced_alike, _may_be_same):
            for card in list(new):
                match = next((one for one in old if sure(one, card)), None)
                if match is not None:
                    pairs.append((match, card))
                    old.remove(match)
                    new.remove(card)
        return pairs, old, new

    def _same(self, old: LyingCard, now: LyingCard, t_s: float) -> list[Event]:
        """What is to be told of a card that lies where it lay."""
        self._names[now.card_id] = old.card_id
        base = _base(now.told, t_s) | {"area": now.area, "card_id": old.card_id}
        if now.face is not old.face:
            return [CardTurned(**base, face=now.face, card=now.card)]
        if now.card is not None and old.card is None:
            return [CardRead(**base, card=now.card)]
        return []

    def _come(self, card: LyingCard, gone: list[LyingCard], t_s: float) -> list[Event]:
        """A card that did not lie here before: moved from elsewhere where its face says so, else new."""
        moved = next((one for one in gone if card.card is not None and one.card == card.card), None)
        if moved is None:
            name = self._names[card.card_id] = self._fresh()
            base = _base(card.told, t_s)
            return [CardPlaced(**base, area=card.area, card_id=name, face=card.face, card=card.card)]
        gone.remove(moved)
        base = _base(card.told, t_s) | {"area": card.area, "card_id": moved.card_id}
        return [CardMoved(**base, from_area=moved.area), *self._same(moved, card, t_s)]

    def _chips(self, area: str, t_s: float) -> list[Event]:
        old, now = self.known.chips.get(area), self._now.chips.get(area)
        if now is None:
            return [] if old is None else [WagerRemoved(table_id=self.table_id, t_s=t_s, area=area)]
        total: dict[str, Any] = _base(now.told, t_s) | {
            "area": area, "amount_cents": now.amount_cents, "chips": now.chips,
        }  # fmt: skip
        if old is None:
            return [WagerPlaced(**total)]
        if old.amount_cents is None or old.amount_cents == now.amount_cents:
            return []
        less = now.amount_cents is not None and now.amount_cents < old.amount_cents
        return [WagerDecreased(**total) if less else WagerIncreased(**total)]

    # -- afterwards -----------------------------------------------------------------------------------------------

    def _translated(self, event: Event) -> Iterator[Event]:
        """An event of the new watcher in the numbers used before."""
        self._now.note(event)
        if not isinstance(event, CARDS):
            yield event
            return
        for old in list(self._names)[: -2 * NAMES_KEPT] if len(self._names) > 3 * NAMES_KEPT else ():
            del self._names[old]
        name = self._names.get(event.card_id)
        if name is None and isinstance(event, CardPlaced):
            under = self._from_under(event)
            if under is not None:
                self._names[event.card_id] = under.card_id
                yield from _into_sight(event, under)
                return
        if name is None:
            name = self._names[event.card_id] = self._fresh()
        yield replace(event, card_id=name)
        if isinstance(event, CardRemoved) and not self._now.cards_in(event.area):
            for card in self._under.pop(event.area, ()):
                yield replace(event, card_id=card.card_id)

    def _from_under(self, event: CardPlaced) -> LyingCard | None:
        """The card that lay under others of the same hand and may be the one that came into sight."""
        group = event.area.partition(".")[0]
        areas = [event.area, *(area for area in sorted(self._under) if area.partition(".")[0] == group)]
        for area in areas:
            for card in self._under.get(area, ()):
                if card.card is None or event.card is None or card.card == event.card:
                    self._under[area].remove(card)
                    return card
        return None

    def _fresh(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _removed(self, area: str, card_id: int, t_s: float) -> Event:
        return CardRemoved(table_id=self.table_id, t_s=t_s, area=area, card_id=card_id)


def _into_sight(event: CardPlaced, under: LyingCard) -> Iterator[Event]:
    base = _base(event, event.t_s) | {"area": event.area, "card_id": under.card_id}
    if event.area != under.area:
        yield CardMoved(**base, from_area=under.area)
    if event.face is not under.face:
        yield CardTurned(**base, face=event.face, card=event.card)
    elif event.card is not None and under.card is None and event.face is Face.UP:
        yield CardRead(**base, card=event.card)


def _base(told: Event, t_s: float) -> dict[str, Any]:
    return {"table_id": told.table_id, "t_s": t_s, "confidence": told.confidence, "frames": told.frames}


def _at(event: Event, t_s: float) -> Event:
    return replace(event, t_s=t_s)


def _named_alike(old: LyingCard, new: LyingCard) -> bool:
    return old.card is not None and old.card == new.card


def _faced_alike(old: LyingCard, new: LyingCard) -> bool:
    return old.face is new.face and _may_be_same(old, new)


def _may_be_same(old: LyingCard, new: LyingCard) -> bool:
    return old.card is None or new.card is None or old.card == new.card
