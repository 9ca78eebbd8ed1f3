"""Events of the house: the deck on its way to the deal, devices, the progressive system, equipment and conduct.

They come from a device or system feed, an operator, or a camera that is able to tell. `rules.events` reads and writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rules.event_base import Agent, Event, Face, Hand, Reach, Side, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsInspected(Event):
    """The dealer looked through a deck for defects; `back` is its colour."""

    kind: ClassVar[str] = "cards_inspected"
    back: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsSpread(Event):
    """A deck was spread out on the layout.

    `cards` are its cards in the order in which they lie, where all were read; `count` how many lie there, where counted;
    `player_present` whether a player sat at the table while it lay there.
    """

    kind: ClassVar[str] = "cards_spread"
    face: Face
    cards: tuple[str, ...] | None = None
    count: int | None = None
    back: str | None = None
    player_present: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsWashed(Event):
    """A deck was mixed on the layout; `face` is the side that was up."""

    kind: ClassVar[str] = "cards_washed"
    face: Face = Face.DOWN
    back: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckStacked(Event):
    """A deck was put together; `stacks` into how many stacks, `left_out` how many cards were left beside."""

    kind: ClassVar[str] = "deck_stacked"
    stacks: int = 1
    left_out: int = 0
    back: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsShuffled(Event):
    """A shuffle ended; `complete` is false where it was broken off."""

    kind: ClassVar[str] = "cards_shuffled"
    by: Agent
    complete: bool = True
    back: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverCardInserted(Event):
    """The cover card was put into the stack to cut it; `cards_above` where it could be told."""

    kind: ClassVar[str] = "cover_card_inserted"
    by: Side | None = None
    cards_above: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCompleted(Event):
    """The cut was carried out; `to_bottom` whether the upper cards and the cover card went to the bottom of the stack."""

    kind: ClassVar[str] = "cut_completed"
    to_bottom: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckLoaded(Event):
    """The deck was put where it is dealt from: "shoe", "hand", or elsewhere; `count` where a device counted."""

    kind: ClassVar[str] = "deck_loaded"
    into: str
    by: Agent | None = None
    count: int | None = None
    back: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsIdle(Event):
    """At an open table without play the cards lay from `since_s` on at `place`: "shoe", "discard_rack" or "spread"."""

    kind: ClassVar[str] = "cards_idle"
    place: str
    since_s: float
    face: Face = Face.DOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class RackSeen(Event):
    """The discard rack was looked at; `backs` are the colours of the cards in it."""

    kind: ClassVar[str] = "rack_seen"
    backs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFoundFaceUp(Event):
    """A card lay face up in the shoe or the deck while the cards were dealt; later events follow it by its id."""

    kind: ClassVar[str] = "card_found_face_up"
    card_id: int
    card: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn(Event):
    """A card left the shoe or the held deck.

    `in_error` is true where it was drawn out of turn; `taken_by` and `placed_by` tell which hand took and which placed it.
    """

    kind: ClassVar[str] = "card_drawn"
    card_id: int
    in_error: bool = False
    taken_by: Reach | None = None
    placed_by: Reach | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckHeld(Event):
    """The deck was in the dealer's hand; `over_inventory` whether over the inventory container and in front of the dealer."""

    kind: ClassVar[str] = "deck_held"
    hand: Hand | None = None
    over_inventory: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EquipmentSeen(Event):
    """A piece of the table's equipment was looked for, at calibration or by an operator.

    Items: `discard_rack`, `shoe`, `drop_and_tip_box`, `logo`, `odds`, `progressive_device` (of a seat), `progressive_system`,
    `wagering_device` (of a seat), `bet_notice` (the Bet Wager is returned below ace-king), `limit_notice` (the payout limit).
    """

    kind: ClassVar[str] = "equipment_seen"
    item: str
    in_place: bool
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSeen(Event):
    """Something other than cards and value chips lies in an area: `cash`, `plaque`, `instrument` or `unknown`."""

    kind: ClassVar[str] = "object_seen"
    area: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConductReported(Event):
    """What a person at a seat did, entered by an operator or told by a camera.

    `touched_cards` (of `other_seat`), `cards_out_of_view`, `showed_cards`, `left_table`, `not_seated`, `second_position`
    (`other_seat`), `verbal_wager`.
    """

    kind: ClassVar[str] = "conduct_reported"
    seat: int
    what: str
    other_seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WagersLocked(Event):
    """The system was locked, or started by its Start Game key, so that it takes no more of this wager ("progressive", ...)."""

    kind: ClassVar[str] = "wagers_locked"
    wager: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WagersCollected(Event):
    """The dealer collected the chips of these wagers to `place`: "layout" or "inventory"; `count` chips, where counted."""

    kind: ClassVar[str] = "wagers_collected"
    wager: str
    count: int | None = None
    place: str = "layout"


@dataclass(frozen=True, slots=True, kw_only=True)
class WagersBanked(Event):
    """The collected chips of these wagers were put away, `to` "inventory" or elsewhere."""

    kind: ClassVar[str] = "wagers_banked"
    wager: str
    to: str = "inventory"


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardLit(Event):
    """The system's light showed an award of this wager at a seat."""

    kind: ClassVar[str] = "award_lit"
    seat: int
    wager: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusPaid(Event):
    """A payout that no betting area shows: of a progressive or electronic wager, or an envy bonus ("envy").

    The Five Card Hand Bonus is `fchb` or, by the hand wagered on, `fchb_player` and `fchb_dealer`; with it go `magic_player`,
    `magic_dealer`, `lucky_player` and `lucky_dealer`.
    `source` is where the money came from; `hand_of` the seat whose hand earned an envy bonus.
    """

    kind: ClassVar[str] = "bonus_paid"
    seat: int
    wager: str
    amount_cents: int
    source: Source | None = None
    hand_of: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusDrawn(Event):
    """What the electronic system drew in this round.

    `magic_card` is the Magic Card ("Ks"), `lucky` the position of the Lucky Bonus: "seat3", or "dealer".
    """

    kind: ClassVar[str] = "bonus_drawn"
    magic_card: str | None = None
    lucky: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureReported(Event):
    """Whether the dealer did something as the chapter has it, entered by an operator or told by a camera.

    `dealer_hand_formed`, `dealer_hand_announced`, `stack_spread` (bottom card to the dealer's left, top card to the right),
    `top_card_taken` (from the deck in one hand, with the other hand).
    """

    kind: ClassVar[str] = "procedure_reported"
    what: str
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceState(Event):
    """A shuffler or shoe is usable or not; `marked` whether it is covered or carries an out-of-order sign."""

    kind: ClassVar[str] = "device_state"
    device: str
    usable: bool
    marked: bool = False


HOUSE_EVENTS: tuple[type[Event], ...] = (
    CardsInspected, CardsSpread, CardsWashed, DeckStacked, CardsShuffled, CoverCardInserted, CutCompleted, DeckLoaded,
    CardsIdle, RackSeen, CardFoundFaceUp, CardDrawn, DeckHeld, EquipmentSeen, ObjectSeen, ConductReported, WagersLocked,
    WagersCollected, WagersBanked, AwardLit, BonusPaid, BonusDrawn,
    ProcedureReported, DeviceState,
)  # fmt: skip
"""The kinds of this module."""
