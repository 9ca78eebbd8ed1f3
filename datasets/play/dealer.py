"""What the dealer of a played round does: deals, turns, pays, collects and racks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datasets.play import script as acts
from datasets.play.chips import chips_for
from datasets.play.games.base import Game
from datasets.play.motion import Track
from datasets.play.movement import Movement, counts, distance, mean
from datasets.play.places import Point, Spot
from rules.events import (
    CardMoved,
    CardPlaced,
    CardRemoved,
    CardTurned,
    Face,
    NoMoreBets,
    PayoutPlaced,
    Side,
    StackPlaced,
)

HELD_MM: Point = (-60.0, 100.0)
"""Where a deck is held that is dealt from the hand: over the table inventory container, in front of the dealer."""
CARD_RISE_MM = 0.35
"""How much higher each overlapping card lies."""
OVER_MM = 21.0
"""A card that has no place of its own when the dealer lays his out lies over the last one, so far beside it."""


class Dealer:
    """A dealer's two hands, and what they know of the deck.

    Args:
        move: moves the hands.
        card_s: seconds for one dealt card.
        game: how many cards a hand has and how they are laid down.

    Attributes:
        acts: what this dealer does, by the kind of act.
        dealt_s: when the last card was dealt, in seconds of the recording.
    """

    def __init__(self, move: Movement, *, card_s: float, game: Game) -> None:
        self._move, self._stage, self._places, self._game = move, move.stage, move.places, game
        self._card_s = card_s
        self.dealt_s = 0.0
        self._left = self._stage.add_hand("dealer.left", self._places.dealer_home("left"), 0)
        self._right = self._stage.add_hand("dealer.right", self._places.dealer_home("right"), 0)
        layout = self._places.layout
        self._shoe: Point = layout.area("shoe").center_mm
        self._rack: Point = layout.area("discard_rack").center_mm
        self._tray = layout.area("tray")
        self._mouth: Point = (self._shoe[0] + 30.0, self._shoe[1] + 95.0)
        self._pass: Point = (self._shoe[0] + 135.0, self._shoe[1] + 95.0)
        self._by_hand = game.dealing == "hand"
        if self._by_hand:
            self._shoe, self._mouth, self._pass = HELD_MM, HELD_MM, (HELD_MM[0] + 30.0, HELD_MM[1] + 25.0)
        self._held: list[Track] = []
        self._told: set[int] = set()
        self._step_mm = 50.0
        self.acts: Mapping[type, Callable[[Any], None]] = {
            acts.NoMoreBets: self._no_more_bets, acts.DealCard: self._deal_card, acts.DealStack: self._deal_stack,
            acts.RackStub: self._rack_stub, acts.TurnCommunity: self._turn_community,
            acts.RevealShared: self._reveal_shared, acts.RevealHand: self._reveal_hand, acts.Collect: self._collect,
            acts.Pay: self._pay, acts.RackCards: self._rack_cards, acts.Bump: self._bump,
        }  # fmt: skip

    def begin_round(self) -> None:
        """Puts the deck into the shoe, or takes it into the hand."""
        self._step_mm = self._move.uniform(*self._game.card_step_mm)
        start = max(self._left.free_s, self._move.now_s)
        pile = self._move.pile(start, self._places.dealer_home("left"), 6)
        end = start + 0.75 * self._move.pace
        self._move.carry(self._left, pile, start, end, self._shoe, lift_mm=40.0)
        self._stage.set_shoe(end, len(self._game.deck))
        if self._by_hand:
            self._held = pile
            return
        self._move.vanish(pile, end)
        self._left.go(end + 0.1, end + 0.5, self._mouth, z_mm=25.0, grip=0.4)

    def _no_more_bets(self, act: acts.NoMoreBets) -> None:
        self._move.now_s += self._move.uniform(0.3, 0.7)
        self._stage.external(NoMoreBets, self._move.now_s)
        self._move.now_s += 0.3

    def _deal_card(self, act: acts.DealCard) -> None:
        stage, rng = self._stage, self._move.rng
        area = self._places.layout.area(act.area)
        index = len(stage.cards_in(act.area))
        count = self._game.hand_cards if area.seat is not None else act.pile
        spot = self._places.dealt_card(area, index, self._step_mm, CARD_RISE_MM * index, count=count)
        spot = Spot(spot.x_mm, spot.y_mm, spot.z_mm, spot.angle_deg, 1.0 if act.face_up else 0.0)
        reach = self._card_s * (0.26 + 0.14 * distance(self._right.tip, self._pass) / 1000.0)
        slide = max(0.16, min(0.24, reach))
        start = max(self._move.now_s, self._left.free_s)
        take = max(start + reach, self._right.free_s + reach, self._left.free_s + slide)
        back = min(max(self._left.free_s, take - slide - 0.12), take - slide)
        if not self._by_hand:
            self._left.go(back, take - slide, self._mouth, z_mm=12.0, grip=0.6)
        up = 1.0 if act.face_up else 0.0
        card = stage.new_card(act.card, take - slide, Spot(*self._mouth, 14.0, area.turn_deg * 0.2 + 25.0, up))
        stage.take_from_shoe(take - slide)
        card.go(take - slide, take, Spot(*self._pass, 6.0, area.turn_deg * 0.4 + 10.0, up), None)
        if not self._by_hand:
            self._left.go(take - slide, take, self._pass, z_mm=14.0, grip=0.6)
            self._left.go(take + 0.02, take + 0.24, self._mouth, z_mm=20.0, grip=0.4)
        self._right.go(take - reach, take, self._pass, z_mm=12.0, grip=0.5)
        end = take + self._card_s * (0.36 + 0.2 * distance(self._pass, spot.xy) / 1000.0)
        card.go(take, end, spot, act.area, lift_mm=18.0)
        self._right.go(take, end, spot.xy, z_mm=14.0, grip=0.6)
        stage.lay_card(card, act.area)
        face = Face.UP if act.face_up else Face.DOWN
        name = act.card if act.face_up else None
        stage.emit(CardPlaced, end, area=act.area, card_id=card.item_id, face=face, card=name)
        self._told.add(card.item_id)
        self._move.now_s = self.dealt_s = end + float(rng.uniform(0.0, 0.04))

    def _deal_stack(self, act: acts.DealStack) -> None:
        """Take a stack as it leaves the shoe, deliver it, and spread it where it is to lie in several places."""
        stage, area = self._stage, self._places.layout.area(act.area)
        at = max(self._move.reach(self._right, self._mouth), self._move.now_s + 0.3)
        self._right.wait(at)
        cards = []
        for i, name in enumerate(act.cards):
            cards.append(stage.new_card(name, at, Spot(*self._mouth, 10.0 + CARD_RISE_MM * i, 25.0)))
            stage.take_from_shoe(at)
        end = at + self._move.duration(self._mouth, area.center_mm) + 0.15
        spots = [self._places.dealt_card(area, 0, 0.0, CARD_RISE_MM * i, count=1) for i in range(len(cards))]
        middle = spots[0]
        for i, (card, spot) in enumerate(zip(cards, spots, strict=True)):
            x, y = 0.85 * middle.x_mm + 0.15 * spot.x_mm, 0.85 * middle.y_mm + 0.15 * spot.y_mm
            near = Spot(x, y, CARD_RISE_MM * i, middle.angle_deg)
            card.go(at, end, near, None if act.spread else act.area, lift_mm=18.0)
            stage.lay_card(card, act.area)
        self._right.go(at, end, middle.xy, z_mm=14.0, grip=0.7)
        stage.emit(StackPlaced, end, area=act.area, count=len(cards))
        if act.spread:
            end = self._spread(cards, act.area, act.spread, end)
        self._move.now_s = self.dealt_s = end + self._move.uniform(0.02, 0.1)

    def _spread(self, cards: Sequence[Track], home: str, targets: Sequence[str], start_s: float) -> float:
        """Spread a stack, its bottom card to the dealer's left; return when the cards lie."""
        end = start_s + 0.1
        done = end + 0.5 * self._move.pace
        for i, (card, name) in enumerate(zip(cards, targets, strict=False)):
            area = self._places.layout.area(name)
            spot = self._places.dealt_card(area, 0, 0.0, CARD_RISE_MM * i, count=1)
            card.go(end, done, spot, name)
            if name != home:
                self._stage.move_card(card, home, name)
            self._stage.emit(CardPlaced, done, area=name, card_id=card.item_id, face=Face.DOWN, card=None)
            self._told.add(card.item_id)
        self._right.go(end, done, self._places.layout.area(targets[-1]).center_mm, z_mm=10.0, grip=0.3)
        return done

    def _rack_stub(self, act: acts.RackStub) -> None:
        count = self._stage.shoe_count
        start = max(self._move.now_s, self._left.free_s) + 0.1
        self._left.go(start, start + 0.3, self._shoe, z_mm=20.0, grip=0.8)
        pile = self._held if self._by_hand else self._move.pile(start + 0.3, self._shoe, 6)
        self._stage.set_shoe(start + 0.3, 0)
        end = start + 0.3 + 0.45 * self._move.pace
        meet = (self._shoe[0] * 0.45, self._pass[1])
        self._move.carry(self._left, pile, start + 0.3, end, meet, lift_mm=10.0)
        self._right.go(max(end - 0.4, self._right.free_s), end, meet, z_mm=20.0, grip=0.8)
        self._left.go(end + 0.03, end + 0.45, self._left.home, z_mm=40.0)
        done = end + 0.75 * self._move.pace
        self._move.carry(self._right, pile, end, done, self._rack, lift_mm=15.0)
        self._move.vanish(pile, done)
        self._stage.set_rack(done, self._stage.rack_count + count, act.face)
        self._stage.emit(StackPlaced, done, area="discard_rack", exposed=act.face is not None)
        self._right.go(done + 0.05, done + 0.5, self._right.home, z_mm=40.0)
        self._move.now_s = done + 0.1

    def _bump(self, act: acts.Bump) -> None:
        cards = self._stage.cards_in(act.area)
        card = cards[int(self._move.rng.integers(len(cards)))]
        at = self._move.reach(self._right, card.spot.xy, not_before=card.free_s + 0.05)
        shift = self._move.rng.uniform(-14.0, 14.0, 2)
        spot = card.spot
        angle = spot.angle_deg + self._move.uniform(-7.0, 7.0)
        moved = Spot(spot.x_mm + float(shift[0]), spot.y_mm + float(shift[1]), spot.z_mm, angle, spot.turn)
        card.go(at, at + 0.2, moved, act.area)
        self._right.go(at, at + 0.2, moved.xy, z_mm=8.0, grip=0.3)
        self._move.now_s = self._move.leave(self._right, at + 0.2)

    def _turn_community(self, act: acts.TurnCommunity) -> None:
        self._move.now_s += self._move.uniform(0.25, 0.5)
        card = self._stage.cards_in(act.area)[-1]
        area = self._places.layout.area(act.area)
        at = self._move.reach(self._right, self._places.local(area, 26.0, 0.0))
        end = at + self._move.uniform(0.36, 0.48) * self._move.pace
        shake = self._move.rng.normal(0.0, 1.2, 2)
        spot = card.spot
        target = Spot(spot.x_mm + float(shake[0]), spot.y_mm + float(shake[1]), spot.z_mm, spot.angle_deg, 1.0)
        name = act.to or act.area
        if act.to is not None:
            area = self._places.layout.area(act.to)
            target = Spot(*self._places.local(area, *(float(v) for v in shake)), spot.z_mm, area.turn_deg, 1.0)
            self._stage.move_card(card, act.area, act.to)
            self._stage.emit(CardMoved, end, area=name, from_area=act.area, card_id=card.item_id)
        card.go(at, end, target, name, lift_mm=6.0)
        self._right.go(at, end, self._places.local(area, -30.0, -10.0), z_mm=30.0, grip=0.7)
        self._stage.emit(CardTurned, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
        self._move.now_s = self._move.leave(self._right, end) + self._move.uniform(0.15, 0.35)

    def _reveal_shared(self, act: acts.RevealShared) -> None:
        """Turn the face-down cards, the one that goes farthest to the dealer's right first.

        A card that lies alone and shows its face stays; one that was dealt face up onto others is laid out with them. Cards that are more
        than the places lie over one another, each a third of a card further.
        """
        self._move.now_s += self._move.uniform(0.4, 0.8)
        alone = {name for name in act.areas if [card.spot.turn for card in self._stage.cards_in(name)] == [1.0]}
        targets = [name for name in act.targets if name not in alone]
        lying = [(name, card) for name in act.areas if name not in alone for card in self._stage.cards_in(name)]
        at = self._move.reach(self._right, lying[-1][1].spot.xy, not_before=max(card.free_s for _, card in lying))
        end = at
        for index in reversed(range(len(lying))):
            home, card = lying[index]
            shown, more = card.spot.turn == 1.0, max(0, index - len(targets) + 1)
            name = targets[index - more]
            area = self._places.layout.area(name)
            start = at + 0.16 * (len(lying) - 1 - index)
            end = start + 0.4 * self._move.pace
            shake = self._move.rng.normal(0.0, 1.2, 2)
            at_mm = self._places.local(area, float(shake[0]) + OVER_MM * more, float(shake[1]))
            card.go(start, end, Spot(*at_mm, CARD_RISE_MM * index, area.turn_deg, 1.0), name, lift_mm=6.0)
            if name != home:
                self._stage.move_card(card, home, name)
                self._stage.emit(CardMoved, end, area=name, from_area=home, card_id=card.item_id)
            if not shown:
                self._stage.emit(CardTurned, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
        first = self._places.layout.area(act.targets[0])
        self._right.go(at, end, self._places.local(first, -60.0, -30.0), z_mm=25.0, grip=0.7)
        self._move.now_s = self._move.leave(self._right, end) + self._move.uniform(0.3, 0.6)

    def _reveal_hand(self, act: acts.RevealHand) -> None:
        name = f"seat{act.seat}.cards"
        area, cards = self._places.layout.area(name), self._stage.cards_in(name)
        self._move.now_s = max(self._move.now_s + self._move.uniform(0.1, 0.3), *(card.free_s for card in cards))
        at = self._move.reach(self._right, self._places.local(area, 70.0, -15.0))
        end = at
        for index in reversed(range(len(cards))):
            card = cards[index]
            start = at + 0.13 * (len(cards) - 1 - index)
            end = start + 0.38 * self._move.pace
            card.go(start, end, self._places.spread_card(area, index, len(cards)), name, lift_mm=4.0)
            if card.item_id in self._told:
                self._stage.emit(CardTurned, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
            else:
                # A card of a stack is told for the first time when it is turned.
                self._stage.emit(CardPlaced, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
                self._told.add(card.item_id)
        self._right.go(at, end, self._places.local(area, -80.0, -30.0), z_mm=25.0, grip=0.7)
        self._move.now_s = self._move.leave(self._right, end) + 0.1

    def _collect(self, act: acts.Collect) -> None:
        chips: list[Track] = []
        for wager in act.wagers:
            chips += self._move.gather_chips(self._right, f"seat{act.seat}.{wager}", chips, Side.DEALER)
        start = self._right.free_s
        end = start + self._move.duration(self._right.tip, self._tray.center_mm)
        self._move.carry(self._right, chips, start, end, self._tray_point())
        self._move.vanish(chips, end)
        for chip in chips:
            self._stage.transfer(end, chip, "tray")
        self._move.now_s = end + 0.05

    def _pay(self, act: acts.Pay) -> None:
        area_name = f"seat{act.seat}.{act.wager}"
        area = self._places.layout.area(area_name)
        source = self._tray_point()
        at = self._move.reach(self._right, source) + 0.15
        self._right.wait(at)
        colors = chips_for(act.cents)
        chips = [
            self._stage.new_chip(color, at, Spot(*source, 6.0 + 3.3 * i), "tray") for i, color in enumerate(colors)
        ]
        spots = self._places.chip_row(area, len(chips), payout=True)
        end = self._move.put_down(self._right, chips, spots, at, area_name)
        self._stage.emit(PayoutPlaced, end, area=area_name, amount_cents=act.cents, chips=counts(colors))
        self._move.now_s = self._move.leave(self._right, end + 0.05)

    def _rack_cards(self, act: acts.RackCards) -> None:
        taken: list[Track] = []
        self._move.now_s += self._move.uniform(0.1, 0.3)
        for name in act.areas:
            cards = self._stage.cards_in(name)
            if not cards:
                continue
            self._move.now_s = max(self._move.now_s, *(card.free_s for card in cards))
            middle = mean([card.spot.xy for card in cards])
            at = self._move.reach(self._right, middle, with_items=taken)
            for i, card in enumerate(cards):
                turn = card.spot.turn
                card.go(
                    at, at + 0.2, Spot(*middle, 1.0 + CARD_RISE_MM * (len(taken) + i), card.spot.angle_deg, turn), None
                )
                if card.item_id in self._told:
                    self._stage.emit(
                        CardRemoved, at + 0.2, area=name, card_id=card.item_id, to_area="discard_rack"
                    )  # fmt: skip
            for card in taken:
                card.go(at, at + 0.2, Spot(*middle, card.spot.z_mm, card.spot.angle_deg, card.spot.turn), None)
            self._right.go(at, at + 0.2, middle, z_mm=14.0, grip=0.8)
            self._stage.clear_cards(name)
            taken += cards
            self._move.now_s = at + 0.2
        start = self._right.free_s
        end = start + self._move.duration(self._right.tip, self._rack) + 0.1
        self._move.carry(self._right, taken, start, end, self._rack, lift_mm=10.0)
        self._move.vanish(taken, end)
        self._stage.set_rack(end, self._stage.rack_count + len(taken))
        self._move.now_s = self._move.leave(self._right, end + 0.05)

    def end_round(self, *, after_s: float) -> None:
        """Takes the cards out of the rack, no earlier than 0.3 s after this moment."""
        self._move.now_s = max(self._move.now_s, after_s) + 0.3
        at = self._move.reach(self._right, self._rack)
        pile = self._move.pile(at, self._rack, 6)
        self._stage.set_rack(at, 0)
        end = at + 0.7 * self._move.pace
        self._move.carry(self._right, pile, at, end, self._right.home, lift_mm=30.0)
        self._move.vanish(pile, end)
        if self._left.free_s < end:
            self._left.go(max(self._left.free_s, end - 0.4), end, self._left.home, z_mm=40.0)
        self._move.now_s = end + self._move.uniform(0.5, 1.1)

    def push_back(self, name: str) -> None:
        """Move the chips of an area towards its player."""
        area, chips = self._places.layout.area(name), self._stage.chips_in(name)
        at = self._move.reach(self._right, mean([chip.spot.xy for chip in chips]))
        end = at + self._move.uniform(0.35, 0.5)
        x0, y0 = self._places.local(area, 0.0, 0.0)
        x1, y1 = self._places.local(area, 0.0, self._move.uniform(10.0, 14.0))
        for chip in chips:
            spot = chip.spot
            chip.go(at, end, Spot(spot.x_mm + x1 - x0, spot.y_mm + y1 - y0, spot.z_mm, spot.angle_deg), name)
        self._right.go(at, end, mean([chip.spot.xy for chip in chips]), z_mm=9.0, grip=0.2)
        self._move.now_s = self._move.leave(self._right, end + 0.05) + self._move.uniform(0.1, 0.4)

    def _tray_point(self) -> Point:
        half = self._places.half_size_mm(self._tray)[0]
        return self._places.local(self._tray, self._move.uniform(-0.7, 0.7) * half, 20.0)
