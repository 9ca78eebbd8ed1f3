"""What lies on a table as far as events have told: which card where with which face up, which chips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    Event,
    Face,
    PayoutPlaced,
    StackPlaced,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)


@dataclass(frozen=True, slots=True)
class LyingCard:
    """A card at rest; `card` None while unread, `told` the last event about it."""

    card_id: int
    area: str
    face: Face
    card: str | None
    told: Event


@dataclass(frozen=True, slots=True)
class LyingChips:
    """Chips at rest: cents in all and chips by colour, None where unknown; `told` the last event about them."""

    amount_cents: int | None
    chips: tuple[tuple[str, int], ...] | None
    told: Event


@dataclass(slots=True)
class Lying:
    """The table as events leave it.

    Attributes:
        cards: by their id.
        chips: by area.
        stacks: areas in which a stack of cards was told of, with the event.
        last_s: capture time of the last event.
        next_card_id: above every card id told so far.
        next_frame: above every frame told so far.
    """

    cards: dict[int, LyingCard] = field(default_factory=dict)
    chips: dict[str, LyingChips] = field(default_factory=dict)
    stacks: dict[str, Event] = field(default_factory=dict)
    last_s: float = 0.0
    next_card_id: int = 1
    next_frame: int = 0

    def note(self, event: Event) -> None:
        """Takes in an event."""
        self.last_s = max(self.last_s, event.t_s)
        self.next_frame = max((self.next_frame, *(frame + 1 for frame in event.frames)))
        if isinstance(event, (CardPlaced, CardTurned, CardRead, CardMoved, CardRemoved)):
            self.next_card_id = max(self.next_card_id, event.card_id + 1)
            self._card(event)
        elif isinstance(event, StackPlaced):
            self.stacks[event.area] = event
        elif isinstance(event, WagerRemoved):
            self.chips.pop(event.area, None)
        elif isinstance(event, PayoutPlaced):
            self._paid(event)
        elif isinstance(event, (WagerPlaced, WagerIncreased, WagerDecreased)):
            self.chips[event.area] = LyingChips(event.amount_cents, event.chips, event)

    def copy(self) -> Lying:
        """The same, not changed by events this one takes in later."""
        return replace(self, cards=dict(self.cards), chips=dict(self.chips), stacks=dict(self.stacks))

    def areas(self) -> frozenset[str]:
        """Areas in which anything lies."""
        return frozenset({card.area for card in self.cards.values()} | set(self.chips) | set(self.stacks))

    def cards_in(self, area: str) -> list[LyingCard]:
        """The cards of an area, first told first."""
        return [card for card in self.cards.values() if card.area == area]

    def _card(self, event: CardPlaced | CardTurned | CardRead | CardMoved | CardRemoved) -> None:
        known = self.cards.get(event.card_id)
        if isinstance(event, CardRemoved):
            self.cards.pop(event.card_id, None)
            if not self.cards_in(event.area):
                self.stacks.pop(event.area, None)
        elif isinstance(event, CardPlaced):
            card = event.card or (known.card if known is not None else None)
            self.cards[event.card_id] = LyingCard(event.card_id, event.area, event.face, card, event)
        elif known is None:
            return
        elif isinstance(event, CardTurned):
            self.cards[event.card_id] = replace(known, face=event.face, card=event.card or known.card, told=event)
        elif isinstance(event, CardRead):
            self.cards[event.card_id] = replace(known, card=event.card, told=event)
        else:
            self.cards[event.card_id] = replace(known, area=event.area, told=event)

    def _paid(self, event: PayoutPlaced) -> None:
        before = self.chips.get(event.area)
        amount = chips = None
        if before is not None:
            if before.amount_cents is not None and event.amount_cents is not None:
                amount = before.amount_cents + event.amount_cents
            if before.chips is not None and event.chips is not None:
                chips = _together(dict(before.chips), dict(event.chips))
        self.chips[event.area] = LyingChips(amount, chips, event)


def _together(one: Mapping[str, int], other: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, one.get(name, 0) + other.get(name, 0)) for name in {*one, *other}))
