"""What the players of a played round do: wager, look at their cards, decide, and take chips back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datasets.play import script as acts
from datasets.play.chips import chips_for
from datasets.play.dealer import Dealer
from datasets.play.motion import Track
from datasets.play.movement import Movement, counts, mean
from datasets.play.places import Spot
from rules.events import CardTurned, Face, Side, WagerIncreased, WagerPlaced


class SeatedPlayers:
    """The players' hands, and when each is ready to decide.

    Args:
        move: moves the hands.
        dealer: moves chips back that are withdrawn.
        seats: occupied seats.
        chips_spread: nobody stacks wagers, whatever the script says.

    Attributes:
        acts: what players do, by the kind of act.
    """

    def __init__(self, move: Movement, dealer: Dealer, *, seats: Sequence[int], chips_spread: bool) -> None:
        self._move, self._stage, self._places, self._dealer = move, move.stage, move.places, dealer
        self._chips_spread = chips_spread
        self._ready: dict[int, float] = {}
        self._hands = {
            seat: self._stage.add_hand(f"seat{seat}", self._places.player_home(seat), 1 + i)
            for i, seat in enumerate(seats)
        }
        self.acts: Mapping[type, Callable[[Any], None]] = {
            acts.PlaceWagers: self._place_wagers, acts.Examine: self._examine, acts.Check: self._check,
            acts.Play: self._play, acts.Fold: self._fold, acts.LateBet: self._late_bet,
            acts.Withdraw: self._withdraw, acts.TakeBack: self._take_back,
        }  # fmt: skip

    @property
    def free_s(self) -> float:
        """When the last hand has come to rest, in seconds of the recording."""
        return max((hand.free_s for hand in self._hands.values()), default=0.0)

    def begin_round(self) -> None:
        """Nobody has looked at cards yet."""
        self._ready = {}

    def _place_wagers(self, act: acts.PlaceWagers) -> None:
        end = self._move.now_s
        for seat in dict.fromkeys(p.seat for p in act.placements):
            start = self._move.now_s + self._move.uniform(0.0, 0.9)
            for placement in act.placements:
                if placement.seat == seat:
                    rest = self._place(placement, start)
                    end = max(end, rest)
                    start = self._hands[seat].free_s + self._move.uniform(0.0, 0.25)
        self._move.now_s = end + self._move.uniform(0.3, 0.6)

    def _place(self, placement: acts.Placement, start_s: float) -> float:
        hand, name = self._hands[placement.seat], f"seat{placement.seat}.{placement.wager}"
        area = self._places.layout.area(name)
        start = max(start_s, hand.free_s)
        colors = chips_for(placement.cents)
        chips = [
            self._stage.new_chip(color, start, Spot(*hand.home, 30.0 + 3.3 * i), f"seat{placement.seat}")
            for i, color in enumerate(colors)
        ]
        before = self._stage.chips_in(name)
        if before:
            spots = self._places.beside(area, [chip.spot for chip in before], len(chips))
        else:
            stacked = placement.stacked and not self._chips_spread
            spots = self._places.chip_row(area, len(chips), payout=False, stacked=stacked)
        rest = self._move.put_down(hand, chips, spots, start, name)
        self._move.leave(hand, rest + self._move.uniform(0.03, 0.12))
        everything = tuple(chip.name for chip in (*before, *chips))
        total = sum(self._stage.value(color) for color in everything)
        kind = WagerIncreased if before else WagerPlaced
        self._stage.emit(kind, rest, area=name, amount_cents=total, chips=counts(everything), by=Side.PLAYER)
        return rest

    def _examine(self, act: acts.Examine) -> None:
        for i, seat in enumerate(act.seats):
            name = f"seat{seat}.cards"
            area, hand, cards = self._places.layout.area(name), self._hands[seat], self._stage.cards_in(name)
            start = max(
                hand.free_s,
                self._dealer.dealt_s + 0.5 + 0.2 * i + self._move.uniform(0.0, 0.5),
                *(c.free_s for c in cards),
            )
            at = start + self._move.duration(hand.tip, area.center_mm)
            hand.go(start, at, self._places.local(area, 0.0, 25.0), z_mm=20.0, grip=0.5)
            held = at + 0.3
            back = held + self._move.uniform(0.4, 1.0)
            middle = mean([card.spot.xy for card in cards])
            for card in cards:
                spot = card.spot
                near = Spot(
                    middle[0] + 0.55 * (spot.x_mm - middle[0]), middle[1] + 0.55 * (spot.y_mm - middle[1]),
                    spot.z_mm + 18.0, spot.angle_deg, spot.turn,
                )  # fmt: skip
                shake = self._move.rng.normal(0.0, 1.0, 3)
                again = Spot(
                    spot.x_mm + 3.0 * float(shake[0]), spot.y_mm + 3.0 * float(shake[1]), spot.z_mm,
                    spot.angle_deg + 2.0 * float(shake[2]), 0.0,
                )  # fmt: skip
                card.go(at, held, near, None)
                card.go(back, back + 0.35, again, name)
                if spot.turn == 1.0:
                    self._stage.emit(
                        CardTurned, back + 0.35, area=name, card_id=card.item_id, face=Face.DOWN, card=None
                    )  # fmt: skip
            hand.go(at, held, self._places.local(area, 0.0, 10.0), z_mm=30.0, grip=0.8)
            hand.go(back, back + 0.35, self._places.local(area, 0.0, 20.0), z_mm=14.0, grip=0.5)
            self._ready[seat] = self._move.leave(hand, back + 0.45)
        self._move.now_s = max(self._move.now_s, self._ready[act.seats[0]])

    def _turn_of(self, seat: int) -> float:
        """When a seat begins to act: after it put its cards back; some players think long."""
        thinking = self._move.uniform(1.5, 3.2) if self._move.rng.random() < 0.07 else self._move.uniform(0.15, 0.6)
        return max(self._move.now_s + thinking, self._ready.get(seat, 0.0) + 0.25, self._hands[seat].free_s)

    def _check(self, act: acts.Check) -> None:
        hand, area = self._hands[act.seat], self._places.layout.area(f"seat{act.seat}.cards")
        start = self._turn_of(act.seat)
        over = self._places.local(area, self._move.uniform(-25.0, 25.0), self._move.uniform(5.0, 30.0))
        at = start + self._move.duration(hand.tip, over)
        hand.go(start, at, over, z_mm=35.0, grip=0.1)
        for _ in range(2):
            hand.go(at, at + 0.13, (over[0] + 1.0, over[1] - 3.0), z_mm=8.0, grip=0.1)
            hand.go(at + 0.13, at + 0.26, over, z_mm=32.0, grip=0.1)
            at += 0.26
        self._move.leave(hand, at + self._move.uniform(0.05, 0.2))
        self._move.now_s = at + 0.15

    def _play(self, act: acts.Play) -> None:
        self._move.now_s = self._place(act.placement, self._turn_of(act.placement.seat)) + 0.2

    def _late_bet(self, act: acts.LateBet) -> None:
        self._move.now_s = self._place(act.placement, self._move.now_s) + 0.1

    def _fold(self, act: acts.Fold) -> None:
        hand, name = self._hands[act.seat], f"seat{act.seat}.cards"
        area, cards = self._places.layout.area(name), self._stage.cards_in(name)
        start = self._turn_of(act.seat)
        at = start + self._move.duration(hand.tip, area.center_mm)
        hand.go(start, at, self._places.local(area, 0.0, 25.0), z_mm=10.0, grip=0.2)
        end = at + 0.4
        x0, y0 = self._places.local(area, 0.0, 0.0)
        x1, y1 = self._places.local(area, 0.0, -self._move.uniform(16.0, 24.0))
        for card in cards:
            spot = card.spot
            pushed = Spot(spot.x_mm + x1 - x0, spot.y_mm + y1 - y0, spot.z_mm, spot.angle_deg, spot.turn)
            card.go(at, end, pushed, name)
        hand.go(at, end, self._places.local(area, 0.0, 3.0), z_mm=10.0, grip=0.2)
        self._move.leave(hand, end + 0.05)
        self._move.now_s = end + 0.3

    def _take_back(self, act: acts.TakeBack) -> None:
        clock = self._move.now_s
        self._move.now_s = max(clock, self._hands[act.seat].free_s) + self._move.uniform(0.5, 0.9)
        self._pocket(act.seat, self._stage.areas_with_chips(act.seat))
        self._move.now_s = clock

    def _withdraw(self, act: acts.Withdraw) -> None:
        name = f"seat{act.seat}.{act.wager}"
        self._move.now_s = self._turn_of(act.seat)
        if not act.unaided:
            self._dealer.push_back(name)
        self._move.now_s = self._pocket(act.seat, [name], keep=act.keep) + self._move.uniform(0.05, 0.2)

    def _pocket(self, seat: int, names: Sequence[str], *, keep: int = 0) -> float:
        """A player takes the chips of these areas, but for the first `keep` of each; return when the last is left."""
        hand = self._hands[seat]
        taken: list[Track] = []
        for name in names:
            taken += self._move.gather_chips(hand, name, taken, Side.PLAYER, keep=keep)
        start = hand.free_s
        end = start + self._move.duration(hand.tip, hand.home)
        self._move.carry(hand, taken, start, end, hand.home)
        self._move.vanish(taken, end)
        for chip in taken:
            self._stage.transfer(end, chip, f"seat{seat}")
        return start
