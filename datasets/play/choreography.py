"""Who moves what when: carries out the acts of a round with the dealer's and the players' hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from datasets.play import script as acts
from datasets.play.chips import chips_for
from datasets.play.games.base import Game
from datasets.play.motion import HandTrack, Track
from datasets.play.places import Places, Point, Spot
from datasets.play.stage import Stage
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
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)  # fmt: skip

HELD_MM: Point = (-60.0, 100.0)
"""Where a deck is held that is dealt from the hand: over the table inventory container, in front of the dealer."""
CARD_RISE_MM = 0.35
"""How much higher each overlapping card lies."""
OVER_MM = 21.0
"""A card that has no place of its own when the dealer lays his out lies over the last one, so far beside it."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """How fast this dealer is: seconds for one dealt card, and a factor on everything else."""

    card_s: float
    pace: float


class Director:
    """Plays rounds on a stage, one after the other.

    Args:
        stage: takes the motion and the events.
        places: where things are put.
        seats: occupied seats.
        tempo: the dealer's speed.
        game: how many cards a hand has and how they are laid down.
        rng: pauses, shakes and choices of hands.
        chips_spread: nobody stacks wagers, whatever the script says.
    """

    def __init__(
        self,
        stage: Stage,
        places: Places,
        *,
        seats: Sequence[int],
        tempo: Tempo,
        game: Game,
        rng: np.random.Generator,
        chips_spread: bool = False,
    ) -> None:
        self.stage, self.places, self.tempo, self.game = stage, places, tempo, game
        self._chips_spread = chips_spread
        self._rng = rng
        self.now_s = 0.6
        self._dealt_s = 0.0
        self._ready: dict[int, float] = {}
        self._left = stage.add_hand("dealer.left", places.dealer_home("left"), 0)
        self._right = stage.add_hand("dealer.right", places.dealer_home("right"), 0)
        self._players = {
            seat: stage.add_hand(f"seat{seat}", places.player_home(seat), 1 + i) for i, seat in enumerate(seats)
        }
        shoe = places.layout.area("shoe")
        self._shoe: Point = shoe.center_mm
        self._rack: Point = places.layout.area("discard_rack").center_mm
        self._tray = places.layout.area("tray")
        self._mouth: Point = (self._shoe[0] + 30.0, self._shoe[1] + 95.0)
        self._pass: Point = (self._shoe[0] + 135.0, self._shoe[1] + 95.0)
        self._by_hand = game.dealing == "hand"
        if self._by_hand:
            self._shoe, self._mouth, self._pass = HELD_MM, HELD_MM, (HELD_MM[0] + 30.0, HELD_MM[1] + 25.0)
        self._held: list[Track] = []
        self._told: set[int] = set()
        self._step_mm = 50.0
        self._do: dict[type, Callable[[Any], None]] = {
            acts.PlaceWagers: self._place_wagers, acts.NoMoreBets: self._no_more_bets, acts.DealCard: self._deal_card,
            acts.DealStack: self._deal_stack,
            acts.RackStub: self._rack_stub, acts.Examine: self._examine, acts.Check: self._check,
            acts.Play: self._play, acts.Fold: self._fold, acts.LateBet: self._late_bet,
            acts.TurnCommunity: self._turn_community, acts.RevealShared: self._reveal_shared,
            acts.Withdraw: self._withdraw, acts.RevealHand: self._reveal_hand, acts.Collect: self._collect,
            acts.Pay: self._pay, acts.TakeBack: self._take_back, acts.RackCards: self._rack_cards,
            acts.Bump: self._bump,
        }  # fmt: skip

    def play(self, script: Sequence[acts.Step]) -> list[tuple[acts.Expected, float]]:
        """Carry out a round; return each expected finding with the moment it can be seen."""
        found: list[tuple[acts.Expected, float]] = []
        self._ready = {}
        self._step_mm = self._uniform(*self.game.card_step_mm)
        self._load_shoe()
        for step in script:
            self._do[type(step.act)](step.act)
            found += [(expected, self.now_s) for expected in step.findings]
        self._end_round()
        return found

    # Dealer

    def _load_shoe(self) -> None:
        start = max(self._left.free_s, self.now_s)
        pile = self._pile(start, self.places.dealer_home("left"), 6)
        end = start + 0.75 * self.tempo.pace
        self._carry(self._left, pile, start, end, self._shoe, lift_mm=40.0)
        self.stage.set_shoe(end, len(self.game.deck))
        if self._by_hand:
            self._held = pile
            return
        self._vanish(pile, end)
        self._left.go(end + 0.1, end + 0.5, self._mouth, z_mm=25.0, grip=0.4)

    def _no_more_bets(self, act: acts.NoMoreBets) -> None:
        self.now_s += self._uniform(0.3, 0.7)
        self.stage.external(NoMoreBets, self.now_s)
        self.now_s += 0.3

    def _deal_card(self, act: acts.DealCard) -> None:
        stage, rng = self.stage, self._rng
        area = self.places.layout.area(act.area)
        index = len(stage.cards_in(act.area))
        count = self.game.hand_cards if area.seat is not None else act.pile
        spot = self.places.dealt_card(area, index, self._step_mm, CARD_RISE_MM * index, count=count)
        spot = Spot(spot.x_mm, spot.y_mm, spot.z_mm, spot.angle_deg, 1.0 if act.face_up else 0.0)
        reach = self.tempo.card_s * (0.26 + 0.14 * _distance(self._right.tip, self._pass) / 1000.0)
        slide = max(0.16, min(0.24, reach))
        start = max(self.now_s, self._left.free_s)
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
        end = take + self.tempo.card_s * (0.36 + 0.2 * _distance(self._pass, spot.xy) / 1000.0)
        card.go(take, end, spot, act.area, lift_mm=18.0)
        self._right.go(take, end, spot.xy, z_mm=14.0, grip=0.6)
        stage.lay_card(card, act.area)
        face = Face.UP if act.face_up else Face.DOWN
        name = act.card if act.face_up else None
        stage.emit(CardPlaced, end, area=act.area, card_id=card.item_id, face=face, card=name)
        self._told.add(card.item_id)
        self.now_s = self._dealt_s = end + float(rng.uniform(0.0, 0.04))

    def _deal_stack(self, act: acts.DealStack) -> None:
        """Take a stack as it leaves the shoe, deliver it, and spread it where it is to lie in several places."""
        stage, area = self.stage, self.places.layout.area(act.area)
        at = max(self._reach(self._right, self._mouth), self.now_s + 0.3)
        self._right.wait(at)
        cards = []
        for i, name in enumerate(act.cards):
            cards.append(stage.new_card(name, at, Spot(*self._mouth, 10.0 + CARD_RISE_MM * i, 25.0)))
            stage.take_from_shoe(at)
        end = at + self._duration(self._mouth, area.center_mm) + 0.15
        spots = [self.places.dealt_card(area, 0, 0.0, CARD_RISE_MM * i, count=1) for i in range(len(cards))]
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
        self.now_s = self._dealt_s = end + self._uniform(0.02, 0.1)

    def _spread(self, cards: Sequence[Track], home: str, targets: Sequence[str], start_s: float) -> float:
        """Spread a stack, its bottom card to the dealer's left; return when the cards lie."""
        end = start_s + 0.1
        done = end + 0.5 * self.tempo.pace
        for i, (card, name) in enumerate(zip(cards, targets, strict=False)):
            area = self.places.layout.area(name)
            spot = self.places.dealt_card(area, 0, 0.0, CARD_RISE_MM * i, count=1)
            card.go(end, done, spot, name)
            if name != home:
                self.stage.move_card(card, home, name)
            self.stage.emit(CardPlaced, done, area=name, card_id=card.item_id, face=Face.DOWN, card=None)
            self._told.add(card.item_id)
        self._right.go(end, done, self.places.layout.area(targets[-1]).center_mm, z_mm=10.0, grip=0.3)
        return done

    def _rack_stub(self, act: acts.RackStub) -> None:
        count = self.stage.shoe_count
        start = max(self.now_s, self._left.free_s) + 0.1
        self._left.go(start, start + 0.3, self._shoe, z_mm=20.0, grip=0.8)
        pile = self._held if self._by_hand else self._pile(start + 0.3, self._shoe, 6)
        self.stage.set_shoe(start + 0.3, 0)
        end = start + 0.3 + 0.45 * self.tempo.pace
        meet = (self._shoe[0] * 0.45, self._pass[1])
        self._carry(self._left, pile, start + 0.3, end, meet, lift_mm=10.0)
        self._right.go(max(end - 0.4, self._right.free_s), end, meet, z_mm=20.0, grip=0.8)
        self._left.go(end + 0.03, end + 0.45, self._left.home, z_mm=40.0)
        done = end + 0.75 * self.tempo.pace
        self._carry(self._right, pile, end, done, self._rack, lift_mm=15.0)
        self._vanish(pile, done)
        self.stage.set_rack(done, self.stage.rack_count + count, act.face)
        self.stage.emit(StackPlaced, done, area="discard_rack", exposed=act.face is not None)
        self._right.go(done + 0.05, done + 0.5, self._right.home, z_mm=40.0)
        self.now_s = done + 0.1

    def _bump(self, act: acts.Bump) -> None:
        cards = self.stage.cards_in(act.area)
        card = cards[int(self._rng.integers(len(cards)))]
        at = self._reach(self._right, card.spot.xy, not_before=card.free_s + 0.05)
        shift = self._rng.uniform(-14.0, 14.0, 2)
        spot = card.spot
        angle = spot.angle_deg + self._uniform(-7.0, 7.0)
        moved = Spot(spot.x_mm + float(shift[0]), spot.y_mm + float(shift[1]), spot.z_mm, angle, spot.turn)
        card.go(at, at + 0.2, moved, act.area)
        self._right.go(at, at + 0.2, moved.xy, z_mm=8.0, grip=0.3)
        self.now_s = self._leave(self._right, at + 0.2)

    def _turn_community(self, act: acts.TurnCommunity) -> None:
        self.now_s += self._uniform(0.25, 0.5)
        card = self.stage.cards_in(act.area)[-1]
        area = self.places.layout.area(act.area)
        at = self._reach(self._right, self.places.local(area, 26.0, 0.0))
        end = at + self._uniform(0.36, 0.48) * self.tempo.pace
        shake = self._rng.normal(0.0, 1.2, 2)
        spot = card.spot
        target = Spot(spot.x_mm + float(shake[0]), spot.y_mm + float(shake[1]), spot.z_mm, spot.angle_deg, 1.0)
        name = act.to or act.area
        if act.to is not None:
            area = self.places.layout.area(act.to)
            target = Spot(*self.places.local(area, *(float(v) for v in shake)), spot.z_mm, area.turn_deg, 1.0)
            self.stage.move_card(card, act.area, act.to)
            self.stage.emit(CardMoved, end, area=name, from_area=act.area, card_id=card.item_id)
        card.go(at, end, target, name, lift_mm=6.0)
        self._right.go(at, end, self.places.local(area, -30.0, -10.0), z_mm=30.0, grip=0.7)
        self.stage.emit(CardTurned, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
        self.now_s = self._leave(self._right, end) + self._uniform(0.15, 0.35)

    def _reveal_shared(self, act: acts.RevealShared) -> None:
        """Turn the face-down cards, the one that goes farthest to the dealer's right first.

        A card that lies alone and shows its face stays; one that was dealt face up onto others is laid out with them. Cards that are more
        than the places lie over one another, each a third of a card further.
        """
        self.now_s += self._uniform(0.4, 0.8)
        alone = {name for name in act.areas if [card.spot.turn for card in self.stage.cards_in(name)] == [1.0]}
        targets = [name for name in act.targets if name not in alone]
        lying = [(name, card) for name in act.areas if name not in alone for card in self.stage.cards_in(name)]
        at = self._reach(self._right, lying[-1][1].spot.xy, not_before=max(card.free_s for _, card in lying))
        end = at
        for index in reversed(range(len(lying))):
            home, card = lying[index]
            shown, more = card.spot.turn == 1.0, max(0, index - len(targets) + 1)
            name = targets[index - more]
            area = self.places.layout.area(name)
            start = at + 0.16 * (len(lying) - 1 - index)
            end = start + 0.4 * self.tempo.pace
            shake = self._rng.normal(0.0, 1.2, 2)
            at_mm = self.places.local(area, float(shake[0]) + OVER_MM * more, float(shake[1]))
            card.go(start, end, Spot(*at_mm, CARD_RISE_MM * index, area.turn_deg, 1.0), name, lift_mm=6.0)
            if name != home:
                self.stage.move_card(card, home, name)
                self.stage.emit(CardMoved, end, area=name, from_area=home, card_id=card.item_id)
            if not shown:
                self.stage.emit(CardTurned, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
        first = self.places.layout.area(act.targets[0])
        self._right.go(at, end, self.places.local(first, -60.0, -30.0), z_mm=25.0, grip=0.7)
        self.now_s = self._leave(self._right, end) + self._uniform(0.3, 0.6)

    def _reveal_hand(self, act: acts.RevealHand) -> None:
        name = f"seat{act.seat}.cards"
        area, cards = self.places.layout.area(name), self.stage.cards_in(name)
        self.now_s = max(self.now_s + self._uniform(0.1, 0.3), *(card.free_s for card in cards))
        at = self._reach(self._right, self.places.local(area, 70.0, -15.0))
        end = at
        for index in reversed(range(len(cards))):
            card = cards[index]
            start = at + 0.13 * (len(cards) - 1 - index)
            end = start + 0.38 * self.tempo.pace
            card.go(start, end, self.places.spread_card(area, index, len(cards)), name, lift_mm=4.0)
            if card.item_id in self._told:
                self.stage.emit(CardTurned, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
            else:
                # A card of a stack is told for the first time when it is turned.
                self.stage.emit(CardPlaced, end, area=name, card_id=card.item_id, face=Face.UP, card=card.name)
                self._told.add(card.item_id)
        self._right.go(at, end, self.places.local(area, -80.0, -30.0), z_mm=25.0, grip=0.7)
        self.now_s = self._leave(self._right, end) + 0.1

    def _collect(self, act: acts.Collect) -> None:
        chips: list[Track] = []
        for wager in act.wagers:
            chips += self._gather_chips(self._right, f"seat{act.seat}.{wager}", chips, Side.DEALER)
        start = self._right.free_s
        end = start + self._duration(self._right.tip, self._tray.center_mm)
        self._carry(self._right, chips, start, end, self._tray_point())
        self._vanish(chips, end)
        for chip in chips:
            self.stage.transfer(end, chip, "tray")
        self.now_s = end + 0.05

    def _pay(self, act: acts.Pay) -> None:
        area_name = f"seat{act.seat}.{act.wager}"
        area = self.places.layout.area(area_name)
        source = self._tray_point()
        at = self._reach(self._right, source) + 0.15
        self._right.wait(at)
        colors = chips_for(act.cents)
        chips = [self.stage.new_chip(color, at, Spot(*source, 6.0 + 3.3 * i), "tray") for i, color in enumerate(colors)]
        spots = self.places.chip_row(area, len(chips), payout=True)
        end = self._put_down(self._right, chips, spots, at, area_name)
        self.stage.emit(PayoutPlaced, end, area=area_name, amount_cents=act.cents, chips=_counts(colors))
        self.now_s = self._leave(self._right, end + 0.05)

    def _rack_cards(self, act: acts.RackCards) -> None:
        taken: list[Track] = []
        self.now_s += self._uniform(0.1, 0.3)
        for name in act.areas:
            cards = self.stage.cards_in(name)
            if not cards:
                continue
            self.now_s = max(self.now_s, *(card.free_s for card in cards))
            middle = _mean([card.spot.xy for card in cards])
            at = self._reach(self._right, middle, with_items=taken)
            for i, card in enumerate(cards):
                turn = card.spot.turn
                card.go(
                    at, at + 0.2, Spot(*middle, 1.0 + CARD_RISE_MM * (len(taken) + i), card.spot.angle_deg, turn), None
                )
                if card.item_id in self._told:
                    self.stage.emit(
                        CardRemoved, at + 0.2, area=name, card_id=card.item_id, to_area="discard_rack"
                    )  # fmt: skip
            for card in taken:
                card.go(at, at + 0.2, Spot(*middle, card.spot.z_mm, card.spot.angle_deg, card.spot.turn), None)
            self._right.go(at, at + 0.2, middle, z_mm=14.0, grip=0.8)
            self.stage.clear_cards(name)
            taken += cards
            self.now_s = at + 0.2
        start = self._right.free_s
        end = start + self._duration(self._right.tip, self._rack) + 0.1
        self._carry(self._right, taken, start, end, self._rack, lift_mm=10.0)
        self._vanish(taken, end)
        self.stage.set_rack(end, self.stage.rack_count + len(taken))
        self.now_s = self._leave(self._right, end + 0.05)

    def _end_round(self) -> None:
        self.now_s = max([self.now_s, *(hand.free_s for hand in self._players.values())]) + 0.3
        at = self._reach(self._right, self._rack)
        pile = self._pile(at, self._rack, 6)
        self.stage.set_rack(at, 0)
        end = at + 0.7 * self.tempo.pace
        self._carry(self._right, pile, at, end, self._right.home, lift_mm=30.0)
        self._vanish(pile, end)
        if self._left.free_s < end:
            self._left.go(max(self._left.free_s, end - 0.4), end, self._left.home, z_mm=40.0)
        self.now_s = end + self._uniform(0.5, 1.1)

    # Players

    def _place_wagers(self, act: acts.PlaceWagers) -> None:
        end = self.now_s
        for seat in dict.fromkeys(p.seat for p in act.placements):
            start = self.now_s + self._uniform(0.0, 0.9)
            for placement in act.placements:
                if placement.seat == seat:
                    rest = self._place(placement, start)
                    end = max(end, rest)
                    start = self._players[seat].free_s + self._uniform(0.0, 0.25)
        self.now_s = end + self._uniform(0.3, 0.6)

    def _place(self, placement: acts.Placement, start_s: float) -> float:
        hand, name = self._players[placement.seat], f"seat{placement.seat}.{placement.wager}"
        area = self.places.layout.area(name)
        start = max(start_s, hand.free_s)
        colors = chips_for(placement.cents)
        chips = [
            self.stage.new_chip(color, start, Spot(*hand.home, 30.0 + 3.3 * i), f"seat{placement.seat}")
            for i, color in enumerate(colors)
        ]
        before = self.stage.chips_in(name)
        if before:
            spots = self.places.beside(area, [chip.spot for chip in before], len(chips))
        else:
            stacked = placement.stacked and not self._chips_spread
            spots = self.places.chip_row(area, len(chips), payout=False, stacked=stacked)
        rest = self._put_down(hand, chips, spots, start, name)
        self._leave(hand, rest + self._uniform(0.03, 0.12))
        everything = tuple(chip.name for chip in (*before, *chips))
        total = sum(self.stage.value(color) for color in everything)
        kind = WagerIncreased if before else WagerPlaced
        self.stage.emit(kind, rest, area=name, amount_cents=total, chips=_counts(everything), by=Side.PLAYER)
        return rest

    def _examine(self, act: acts.Examine) -> None:
        for i, seat in enumerate(act.seats):
            name = f"seat{seat}.cards"
            area, hand, cards = self.places.layout.area(name), self._players[seat], self.stage.cards_in(name)
            start = max(
                hand.free_s, self._dealt_s + 0.5 + 0.2 * i + self._uniform(0.0, 0.5), *(c.free_s for c in cards)
            )
            at = start + self._duration(hand.tip, area.center_mm)
            hand.go(start, at, self.places.local(area, 0.0, 25.0), z_mm=20.0, grip=0.5)
            held = at + 0.3
            back = held + self._uniform(0.4, 1.0)
            middle = _mean([card.spot.xy for card in cards])
            for card in cards:
                spot = card.spot
                near = Spot(
                    middle[0] + 0.55 * (spot.x_mm - middle[0]), middle[1] + 0.55 * (spot.y_mm - middle[1]),
                    spot.z_mm + 18.0, spot.angle_deg, spot.turn,
                )  # fmt: skip
                shake = self._rng.normal(0.0, 1.0, 3)
                again = Spot(
                    spot.x_mm + 3.0 * float(shake[0]), spot.y_mm + 3.0 * float(shake[1]), spot.z_mm,
                    spot.angle_deg + 2.0 * float(shake[2]), 0.0,
                )  # fmt: skip
                card.go(at, held, near, None)
                card.go(back, back + 0.35, again, name)
                if spot.turn == 1.0:
                    self.stage.emit(
                        CardTurned, back + 0.35, area=name, card_id=card.item_id, face=Face.DOWN, card=None
                    )  # fmt: skip
            hand.go(at, held, self.places.local(area, 0.0, 10.0), z_mm=30.0, grip=0.8)
            hand.go(back, back + 0.35, self.places.local(area, 0.0, 20.0), z_mm=14.0, grip=0.5)
            self._ready[seat] = self._leave(hand, back + 0.45)
        self.now_s = max(self.now_s, self._ready[act.seats[0]])

    def _turn_of(self, seat: int) -> float:
        """When a seat begins to act: after it put its cards back; some players think long."""
        thinking = self._uniform(1.5, 3.2) if self._rng.random() < 0.07 else self._uniform(0.15, 0.6)
        return max(self.now_s + thinking, self._ready.get(seat, 0.0) + 0.25, self._players[seat].free_s)

    def _check(self, act: acts.Check) -> None:
        hand, area = self._players[act.seat], self.places.layout.area(f"seat{act.seat}.cards")
        start = self._turn_of(act.seat)
        over = self.places.local(area, self._uniform(-25.0, 25.0), self._uniform(5.0, 30.0))
        at = start + self._duration(hand.tip, over)
        hand.go(start, at, over, z_mm=35.0, grip=0.1)
        for _ in range(2):
            hand.go(at, at + 0.13, (over[0] + 1.0, over[1] - 3.0), z_mm=8.0, grip=0.1)
            hand.go(at + 0.13, at + 0.26, over, z_mm=32.0, grip=0.1)
            at += 0.26
        self._leave(hand, at + self._uniform(0.05, 0.2))
        self.now_s = at + 0.15

    def _play(self, act: acts.Play) -> None:
        self.now_s = self._place(act.placement, self._turn_of(act.placement.seat)) + 0.2

    def _late_bet(self, act: acts.LateBet) -> None:
        self.now_s = self._place(act.placement, self.now_s) + 0.1

    def _fold(self, act: acts.Fold) -> None:
        hand, name = self._players[act.seat], f"seat{act.seat}.cards"
        area, cards = self.places.layout.area(name), self.stage.cards_in(name)
        start = self._turn_of(act.seat)
        at = start + self._duration(hand.tip, area.center_mm)
        hand.go(start, at, self.places.local(area, 0.0, 25.0), z_mm=10.0, grip=0.2)
        end = at + 0.4
        x0, y0 = self.places.local(area, 0.0, 0.0)
        x1, y1 = self.places.local(area, 0.0, -self._uniform(16.0, 24.0))
        for card in cards:
            spot = card.spot
            pushed = Spot(spot.x_mm + x1 - x0, spot.y_mm + y1 - y0, spot.z_mm, spot.angle_deg, spot.turn)
            card.go(at, end, pushed, name)
        hand.go(at, end, self.places.local(area, 0.0, 3.0), z_mm=10.0, grip=0.2)
        self._leave(hand, end + 0.05)
        self.now_s = end + 0.3

    def _take_back(self, act: acts.TakeBack) -> None:
        clock = self.now_s
        self.now_s = max(clock, self._players[act.seat].free_s) + self._uniform(0.5, 0.9)
        self._pocket(act.seat, self.stage.areas_with_chips(act.seat))
        self.now_s = clock

    def _withdraw(self, act: acts.Withdraw) -> None:
        name = f"seat{act.seat}.{act.wager}"
        area, chips = self.places.layout.area(name), self.stage.chips_in(name)
        self.now_s = self._turn_of(act.seat)
        if not act.unaided:
            at = self._reach(self._right, _mean([chip.spot.xy for chip in chips]))
            end = at + self._uniform(0.35, 0.5)
            x0, y0 = self.places.local(area, 0.0, 0.0)
            x1, y1 = self.places.local(area, 0.0, self._uniform(10.0, 14.0))
            for chip in chips:
                spot = chip.spot
                chip.go(at, end, Spot(spot.x_mm + x1 - x0, spot.y_mm + y1 - y0, spot.z_mm, spot.angle_deg), name)
            self._right.go(at, end, _mean([chip.spot.xy for chip in chips]), z_mm=9.0, grip=0.2)
            self.now_s = self._leave(self._right, end + 0.05) + self._uniform(0.1, 0.4)
        self.now_s = self._pocket(act.seat, [name], keep=act.keep) + self._uniform(0.05, 0.2)

    def _pocket(self, seat: int, names: Sequence[str], *, keep: int = 0) -> float:
        """A player takes the chips of these areas, but for the first `keep` of each; return when the last is left."""
        hand = self._players[seat]
        taken: list[Track] = []
        for name in names:
            taken += self._gather_chips(hand, name, taken, Side.PLAYER, keep=keep)
        start = hand.free_s
        end = start + self._duration(hand.tip, hand.home)
        self._carry(hand, taken, start, end, hand.home)
        self._vanish(taken, end)
        for chip in taken:
            self.stage.transfer(end, chip, f"seat{seat}")
        return start

    # Hands

    def _gather_chips(self, hand: HandTrack, name: str, held: list[Track], by: Side, *, keep: int = 0) -> list[Track]:
        """Reach an area with what is already in the hand and draw its chips together, but for the first `keep`."""
        left, chips = self.stage.chips_in(name)[:keep], self.stage.chips_in(name)[keep:]
        middle = _mean([chip.spot.xy for chip in chips])
        at = self._reach(hand, middle, with_items=held, not_before=max(chip.free_s for chip in chips))
        end = at + 0.2
        for i, chip in enumerate((*held, *chips)):
            chip.go(at, end, Spot(*middle, 3.3 * i, chip.spot.angle_deg), None)
        hand.go(at, end, middle, z_mm=12.0, grip=0.9)
        self.stage.clear_chips(name)
        if not left:
            self.stage.emit(WagerRemoved, end, area=name, by=by)
            return chips
        for chip in left:
            self.stage.lay_chip(chip, name)
        colors = [chip.name for chip in left]
        total = sum(self.stage.value(color) for color in colors)
        self.stage.emit(WagerDecreased, end, area=name, amount_cents=total, chips=_counts(colors), by=by)
        return chips

    def _put_down(self, hand: HandTrack, chips: list[Track], spots: list[Spot], start_s: float, area: str) -> float:
        """Carry chips from where they are to their places and let go; return when they rest."""
        middle = _mean([spot.xy for spot in spots])
        arrive = start_s + self._duration(hand.tip, middle) + 0.05
        self._carry(hand, chips, start_s, arrive, middle)
        end = arrive + 0.1 + 0.05 * len(chips)
        for chip, spot in zip(chips, spots, strict=True):
            chip.go(arrive, end, spot, area)
            self.stage.lay_chip(chip, area)
            self.stage.transfer(end, chip, area)
        hand.go(arrive, end, spots[-1].xy, z_mm=10.0, grip=0.5)
        return end

    def _carry(
        self, hand: HandTrack, items: Sequence[Track], start_s: float, end_s: float, to: Point, *, lift_mm: float = 12.0
    ) -> None:
        """Move a hand with what it holds, keeping the pile together."""
        for item in items:
            spot = item.spot
            item.go(start_s, end_s, Spot(*to, spot.z_mm, spot.angle_deg, spot.turn), None, lift_mm=lift_mm)
        top = max((item.spot.z_mm for item in items), default=0.0)
        hand.go(start_s, end_s, to, z_mm=top + 10.0, grip=0.9)

    def _reach(self, hand: HandTrack, to: Point, *, with_items: Sequence[Track] = (), not_before: float = 0.0) -> float:
        """Move a hand, with what it holds, to a point; return when it arrives."""
        start = max(self.now_s if not with_items else hand.free_s, hand.free_s)
        took = self._duration(hand.tip, to)
        start = max(start, not_before - took)
        if with_items:
            self._carry(hand, with_items, start, start + took, to)
        else:
            hand.go(start, start + took, to, z_mm=12.0, grip=0.4)
        return start + took

    def _leave(self, hand: HandTrack, start_s: float) -> float:
        """Take a hand off the table; return when it no longer covers where it was."""
        took = self._duration(hand.tip, hand.home)
        hand.go(start_s, start_s + took, hand.home, z_mm=40.0, grip=0.2)
        return start_s + 0.55 * took

    def _pile(self, at_s: float, at: Point, count: int) -> list[Track]:
        """Return a squared pile of face-down cards, drawn by a few of them."""
        return [self.stage.new_pile_card(at_s, Spot(*at, 2.5 * i, 20.0)) for i in range(count)]

    def _vanish(self, items: Sequence[Track], at_s: float) -> None:
        for item in items:
            item.gone_s = at_s

    def _tray_point(self) -> Point:
        half = self.places.half_size_mm(self._tray)[0]
        return self.places.local(self._tray, self._uniform(-0.7, 0.7) * half, 20.0)

    def _duration(self, a: Point, b: Point) -> float:
        return (0.17 + _distance(a, b) / 3000.0) * self.tempo.pace

    def _uniform(self, low: float, high: float) -> float:
        return float(self._rng.uniform(low, high))


def _distance(a: Point, b: Point) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def _mean(points: Sequence[Point]) -> Point:
    x, y = np.mean(points, axis=0)
    return (float(x), float(y))


def _counts(colors: Sequence[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((color, colors.count(color)) for color in set(colors)))
