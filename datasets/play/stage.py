"""What is on the table over the whole time, and the events it makes: filled by the director, read by the camera."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from calibration.layout import Layout
from datasets.play.chips import COLORS
from datasets.play.motion import HandTrack, Track
from datasets.play.places import Places, Point, Spot
from datasets.scene import CardItem, ChipItem, HandItem, Scene
from rules.events import Event, HandOver, Side

SIGNAL_S = 0.2
"""Hands that are over an area for less only pass."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Transfer:
    """One chip changed place: from and to the tray, a player (`seat3`) or a betting area (`seat3.ante`)."""

    t_s: float
    color: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Moment:
    """The table at one time: what rests, what moves or is a hand, and what stands in the shoe and the rack."""

    resting: tuple[CardItem | ChipItem, ...]
    moving: tuple[CardItem | ChipItem | HandItem, ...]
    stub_in_shoe: int
    cards_in_rack: int

    def scene(self) -> Scene:
        """Everything as one scene."""
        both = (*self.resting, *self.moving)
        return Scene(
            tuple(item for item in both if isinstance(item, CardItem)),
            tuple(item for item in both if isinstance(item, ChipItem)),
            tuple(item for item in both if isinstance(item, HandItem)),
            self.stub_in_shoe,
            self.cards_in_rack,
        )


class Stage:
    """Tracks of all things and hands, chip transfers and events of a recording.

    Args:
        layout: names the areas hands are over.
        table_id: written into the events.
        dealer_signals: tell of the dealer's hands over areas of seats as well as of the players' over their cards.
    """

    def __init__(self, layout: Layout, table_id: str, *, dealer_signals: bool = False) -> None:
        self.layout, self.table_id = layout, table_id
        self._dealer_signals = dealer_signals
        self.cards: list[Track] = []
        self.chips: list[Track] = []
        self.hands: list[HandTrack] = []
        self.events: list[Event] = []
        self.external_events: list[Event] = []
        self.transfers: list[Transfer] = []
        self._lying: dict[str, list[Track]] = defaultdict(list)
        self._whereabouts: dict[int, str] = {}
        self._shoe: list[tuple[float, int]] = [(0.0, 0)]
        self._rack: list[tuple[float, tuple[int, str | None]]] = [(0.0, (0, None))]
        self._next_id = 1

    def new_card(self, name: str, born_s: float, spot: Spot) -> Track:
        """Add a card that comes into sight."""
        return self._new(self.cards, name, born_s, spot)

    def new_pile_card(self, born_s: float, spot: Spot) -> Track:
        """Add a face-down card of a carried pile, which is no card of the round."""
        return self._new(self.cards, "back", born_s, spot)

    def new_chip(self, color: str, born_s: float, spot: Spot, owner: str) -> Track:
        """Add a chip taken out of the tray (`owner` "tray") or a player's chips ("seat3")."""
        chip = self._new(self.chips, color, born_s, spot)
        self._whereabouts[chip.item_id] = owner
        return chip

    def _new(self, tracks: list[Track], name: str, born_s: float, spot: Spot) -> Track:
        track = Track(self._next_id, name, born_s, spot)
        self._next_id += 1
        tracks.append(track)
        return track

    def add_hand(self, owner: str, home: Point, look: int) -> HandTrack:
        """Add a hand for the whole recording."""
        self.hands.append(HandTrack(owner, home, look))
        return self.hands[-1]

    def cards_in(self, area: str) -> list[Track]:
        """Return the cards that lie in an area after everything planned so far."""
        return list(self._lying[area])

    chips_in = cards_in

    def lay_card(self, card: Track, area: str) -> None:
        """Note that a card or chip now lies in an area."""
        self._lying[area].append(card)

    lay_chip = lay_card

    def clear_cards(self, area: str) -> None:
        """Note that an area is empty."""
        self._lying[area].clear()

    clear_chips = clear_cards

    def move_card(self, card: Track, area: str, to: str) -> None:
        """Note that a card now lies in another area."""
        self._lying[area].remove(card)
        self._lying[to].append(card)

    def areas_with_chips(self, seat: int) -> list[str]:
        """Return the betting areas of a seat in which chips lie."""
        prefix = f"seat{seat}."
        return [n for n, tracks in self._lying.items() if n.startswith(prefix) and not n.endswith(".cards") and tracks]

    def transfer(self, t_s: float, chip: Track, target: str) -> None:
        """Note that a chip came to a place."""
        source = self._whereabouts[chip.item_id]
        self.transfers.append(Transfer(t_s, chip.name, source, target))
        self._whereabouts[chip.item_id] = target

    def value(self, color: str) -> int:
        """Cents of a chip."""
        return COLORS[color]

    @property
    def shoe_count(self) -> int:
        """Cards in the shoe after everything planned so far."""
        return self._shoe[-1][1]

    @property
    def rack_count(self) -> int:
        """Cards in the rack after everything planned so far."""
        return self._rack[-1][1][0]

    def set_shoe(self, t_s: float, count: int) -> None:
        """Set the number of cards in the shoe from a moment on."""
        self._shoe.append((t_s, count))

    def take_from_shoe(self, t_s: float) -> None:
        """One card less in the shoe from a moment on."""
        self.set_shoe(t_s, self.shoe_count - 1)

    def set_rack(self, t_s: float, count: int, face: str | None = None) -> None:
        """Set the number of cards in the rack from a moment on, and the face that the topmost shows, None for its back."""
        self._rack.append((t_s, (count, face)))

    def emit(self, kind: type[Event], t_s: float, **fields: Any) -> None:
        """Note an event the camera can see."""
        self.events.append(kind(table_id=self.table_id, t_s=t_s, **fields))

    def external(self, kind: type[Event], t_s: float, **fields: Any) -> None:
        """Note an event from outside the camera."""
        self.external_events.append(kind(table_id=self.table_id, t_s=t_s, **fields))

    def all_events(self, end_s: float) -> list[Event]:
        """Return camera and outside events in order of time, hands over areas included."""
        everything = [*self.external_events, *self.events, *self._hands_over(end_s)]
        if self._dealer_signals:
            everything += self._dealer_over(end_s)
        return sorted(everything, key=lambda event: event.t_s)

    def _hands_over(self, end_s: float) -> list[Event]:
        out: list[Event] = []
        step = 1.0 / 30.0
        for hand in self.hands:
            if not hand.owner.startswith("seat"):
                continue
            area = self.layout.area(f"{hand.owner}.cards")
            x, y = area.center_mm
            reach_mm = max(math.hypot(px - x, py - y) for px, py in area.polygon_mm)
            since: float | None = None
            for k in range(int(end_s / step) + 2):
                knot = hand.at(k * step)
                near = math.hypot(knot.x_mm - x, knot.y_mm - y) <= reach_mm
                inside = near and area.contains(knot.x_mm, knot.y_mm)
                if inside and since is None:
                    since = k * step
                elif not inside and since is not None:
                    if k * step - since >= SIGNAL_S:
                        out.append(
                            HandOver(
                                table_id=self.table_id, t_s=k * step, area=area.name, since_s=since, side=Side.PLAYER
                            )
                        )
                    since = None
        return out

    def _dealer_over(self, end_s: float) -> list[Event]:
        """The dealer's hands over areas of seats, one at a time."""
        out: list[Event] = []
        step = 1.0 / 30.0
        for hand in self.hands:
            if hand.owner.startswith("seat"):
                continue
            since, over = 0.0, None
            for k in range(int(end_s / step) + 2):
                knot = hand.at(k * step)
                area = None if (knot.x_mm, knot.y_mm) == hand.home else self.layout.area_at(knot.x_mm, knot.y_mm)
                name = None if area is None or area.seat is None else area.name
                if name == over:
                    continue
                if over is not None and k * step - since >= SIGNAL_S:
                    out.append(
                        HandOver(table_id=self.table_id, t_s=k * step, area=over, since_s=since, side=Side.DEALER)
                    )
                since, over = k * step, name
        return out

    def moment(self, t_s: float, places: Places) -> Moment:
        """Return what is on the table at a time."""
        resting: list[CardItem | ChipItem] = []
        moving: list[CardItem | ChipItem | HandItem] = []
        for track in self._alive(t_s, self._card_index):
            spot, area, rests = track.at(t_s)
            card = CardItem(track.name, spot.xy, spot.angle_deg, spot.turn, spot.z_mm, track.item_id, area)
            (resting if rests else moving).append(card)
        for track in self._alive(t_s, self._chip_index):
            spot, area, rests = track.at(t_s)
            chip = ChipItem(track.name, spot.xy, spot.z_mm, spot.angle_deg, track.item_id, area)
            (resting if rests else moving).append(chip)
        racked, face = _step(self._rack, t_s)
        x, y = self.layout.area("discard_rack").center_mm
        packs = -(-racked // 7)
        for i in range(packs):
            name, turn = (face, 1.0) if face is not None and i == packs - 1 else ("back", 0.0)
            resting.append(CardItem(name, (x, y), 0.0, turn, 2.0 * i, -1 - i, "discard_rack"))
        for hand in self.hands:
            knot = hand.at(t_s)
            if (knot.x_mm, knot.y_mm) == hand.home:
                continue
            tip = (knot.x_mm, knot.y_mm)
            owner, _, which = hand.owner.partition(".")
            if which:
                elbow, side = places.dealer_elbow(which, tip), f"{Side.DEALER}-{which}"
            else:
                elbow, side = places.player_elbow(int(owner.removeprefix("seat")), tip), str(Side.PLAYER)
            moving.append(HandItem(tip, _stretched(tip, elbow), knot.z_mm, side, hand.look, knot.grip))
        return Moment(tuple(resting), tuple(moving), _step(self._shoe, t_s), racked)

    @cached_property
    def _card_index(self) -> dict[int, list[Track]]:
        return _by_second(self.cards)

    @cached_property
    def _chip_index(self) -> dict[int, list[Track]]:
        return _by_second(self.chips)

    def _alive(self, t_s: float, index: dict[int, list[Track]]) -> list[Track]:
        return [track for track in index.get(int(t_s), ()) if track.born_s <= t_s < track.gone_s]


def _stretched(tip: Point, elbow: Point) -> Point:
    """The elbow farther out along the arm, its length one of few so that drawings of arms can be kept."""
    dx, dy = elbow[0] - tip[0], elbow[1] - tip[1]
    length = math.hypot(dx, dy)
    factor = math.ceil(length / 240.0) * 240.0 / max(length, 1.0)
    return (tip[0] + factor * dx, tip[1] + factor * dy)


def _by_second(tracks: list[Track]) -> dict[int, list[Track]]:
    """Tracks that are on the table during each second; made once, when everything is planned."""
    index: dict[int, list[Track]] = defaultdict(list)
    for track in tracks:
        assert track.gone_s < float("inf"), f"track {track.item_id} ({track.name}) never leaves the table"
        for second in range(int(track.born_s), int(track.gone_s) + 1):
            index[second].append(track)
    return dict(index)


def _step(steps: list[tuple[float, T]], t_s: float) -> T:
    last = steps[0][1]
    for since, value in steps:
        if since > t_s:
            break
        last = value
    return last
