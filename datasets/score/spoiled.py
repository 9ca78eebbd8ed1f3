"""The events of a course of rounds as the sight may tell them: late, with a stretch, not at all, twice, as something else, or in part.

How often each happens is `SIGHT`, counted in the reviews of 217 films (2026-11-26).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.layout import Layout
from datasets.simulate import Recording
from rules.events import (
    CardMoved,
    CardPlaced,
    CardRemoved,
    CardTurned,
    Event,
    Face,
    HandOver,
    PayoutPlaced,
    Side,
    StackPlaced,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.records import CARD_EVENTS, WAGER_EVENTS
from vision.tracking.piles import PROBABLE

SURE = 0.95
RATE_HZ = 15.0
"""So often hands are looked at."""
TIP_MM, ARM_MM, STEP_MM = 35.0, 260.0, 30.0
"""A hand covers what lies so near to its fingertips, and the arm behind it for so long."""


@dataclass(frozen=True, slots=True)
class Sight:
    """How often something goes wrong, of all events that it can happen to.

    Attributes:
        jitter_s: standard deviation of the moment that is told.
        stretch: cards and chips come, are turned or go with the stretch in which they can have (`earliest_s`): cards laid, turned, gone; chips laid, paid, gone.
        late: a card, or chips, told late; a card laid, turned or gone by up to `late_s`, chips by up to 1.3 s.
        unseen: a card not told before it is turned, and not at all if it never is.
        found_anew: a card told gone under a hand and told as another.
        squared: two cards of a place told as one until they are laid out.
        probable: a card told as probable.
        phantom: a card that is none, told as probable or not.
        unread: a face that is never read.
        swapped: two cards of one hand taken for each other.
        stays: a card that is not seen to leave until the round is over.
        open: an amount that is not made out, of wagers and of payouts.
        merged: chips added to a wager told together with it.
        lost: a wager that is never made out.
        unpaid: a payout that is not made out, or told as chips added by nobody known.
        nobodys: chips moved by nobody known.
        by_hand: a hand that is not told, or by nobody known; of the dealer's and of players'.
        no_stub: the stub not seen to arrive.
        blind: a place, told of in a whole course as if everything of it went wrong twenty times as often.
    """

    jitter_s: float = 0.05
    stretch: tuple[float, ...] = (0.23, 0.85, 0.85, 0.56, 0.7, 0.94)
    late: float = 0.004
    late_s: tuple[float, float, float] = (6.0, 2.0, 0.9)
    unseen: float = 0.008
    found_anew: float = 0.003
    squared: float = 0.002
    probable: float = 0.026
    phantom: float = 0.009
    unread: float = 0.001
    swapped: float = 0.005
    stays: float = 0.001
    open: tuple[float, float] = (0.012, 0.035)
    merged: float = 0.1
    lost: float = 0.002
    unpaid: float = 0.006
    nobodys: float = 0.005
    by_hand: tuple[float, float] = (0.025, 0.006)
    no_stub: float = 0.04
    blind: float = 0.02

    def times(self, factor: float) -> Sight:
        """Everything that goes wrong so many times as often; what is told of moments stays."""
        kept = {"jitter_s", "stretch", "late_s"}
        more: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name not in kept:
                more[field.name] = (
                    tuple(min(0.5, v * factor) for v in value) if isinstance(value, tuple) else min(0.5, value * factor)
                )
        return replace(self, **more)


SIGHT = Sight()


# -- hands --------------------------------------------------------------------------------------------------------


class _Areas:
    """Which area covers a point of the felt, by squares of 10 mm."""

    def __init__(self, layout: Layout) -> None:
        self.names = [area.name for area in layout.areas]
        x0, y0, x1, y1 = layout.bounds_mm
        self._x0, self._y0 = x0, y0
        self._of = np.full((int((y1 - y0) / 10) + 2, int((x1 - x0) / 10) + 2), -1, np.int16)
        for y in range(self._of.shape[0]):
            for x in range(self._of.shape[1]):
                area = layout.area_at(x0 + 10 * x, y0 + 10 * y)
                if area is not None:
                    self._of[y, x] = self.names.index(area.name)

    def at(self, x_mm: npt.NDArray[np.float64], y_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
        x, y = ((x_mm - self._x0) / 10 + 0.5).astype(int), ((y_mm - self._y0) / 10 + 0.5).astype(int)
        inside = (x >= 0) & (y >= 0) & (x < self._of.shape[1]) & (y < self._of.shape[0])
        return np.where(
            inside, self._of[np.clip(y, 0, self._of.shape[0] - 1), np.clip(x, 0, self._of.shape[1] - 1)], -1
        )


_AREAS: dict[str, _Areas] = {}


def hands_over(recording: Recording) -> list[Event]:
    """Every hand over every area, as a camera follows them: fingers and the arm behind them."""
    stage = recording.stage
    areas = _AREAS.setdefault(recording.layout.name, _Areas(recording.layout))
    out: list[Event] = []
    for hand in stage.hands:
        since: dict[str, float] = {}
        owner, _, which = hand.owner.partition(".")
        side = Side.DEALER if which else Side.PLAYER
        for k in range(int(recording.length_s * RATE_HZ) + 2):
            t_s = k / RATE_HZ
            knot = hand.at(t_s)
            tip = (knot.x_mm, knot.y_mm)
            over: set[str] = set()
            if tip != hand.home:
                places = recording.places
                elbow = places.dealer_elbow(which, tip) if which else places.player_elbow(int(owner[4:]), tip)
                over = _covered(areas, tip, elbow)
            for name in sorted(n for n in since if n not in over):
                out.append(HandOver(table_id=stage.table_id, t_s=t_s, area=name, since_s=since.pop(name), side=side))
            for name in sorted(over):
                since.setdefault(name, t_s)
    return out


def _covered(areas: _Areas, tip: tuple[float, float], elbow: tuple[float, float]) -> set[str]:
    dx, dy = elbow[0] - tip[0], elbow[1] - tip[1]
    length = max(math.hypot(dx, dy), 1.0)
    along = np.arange(-TIP_MM, min(ARM_MM, length), STEP_MM)
    x, y = tip[0] + along * dx / length, tip[1] + along * dy / length
    side = np.array([-TIP_MM, 0.0, TIP_MM])
    found = areas.at((x[:, None] - side * dy / length).ravel(), (y[:, None] + side * dx / length).ravel())
    return {areas.names[i] for i in set(found.tolist()) if i >= 0}


# -- what the sight makes of it -----------------------------------------------------------------------------------


class _Spoiler:
    """Spoils the events of one course.

    Args:
        events: as they were, in order.
        hands: of the course.
        sight: how often what goes wrong.
        rng: what goes wrong.
    """

    def __init__(self, events: Sequence[Event], hands: Sequence[Event], sight: Sight, rng: Random) -> None:
        self._sight, self._rng = sight, rng
        self._table = events[0].table_id
        self.wrong: Counter[str] = Counter()
        places = sorted({getattr(e, "area", "") for e in events})
        self._blind = {place for place in places if rng.random() < sight.blind}
        self._next = 1 + max((e.card_id for e in events if isinstance(e, CARD_EVENTS)), default=0)
        out: list[Event] = []
        cards: dict[int, list[Any]] = defaultdict(list)
        chips: dict[str, list[Any]] = defaultdict(list)
        for event in events:
            if isinstance(event, HandOver):
                continue
            if isinstance(event, CARD_EVENTS):
                cards[event.card_id].append(event)
            elif isinstance(event, WAGER_EVENTS):
                chips[event.area].append(event)
            elif isinstance(event, StackPlaced) and event.area == "discard_rack":
                out += [] if self._is("no_stub", event.area) else [self._when(event, 0.06)]
            else:
                out.append(event)
        cards = {i: told for i, told in cards.items() if any(isinstance(e, CardPlaced | CardTurned) for e in told)}
        self._swap(cards)
        self._square(cards)
        for told in cards.values():
            out += self._card(told)
        for area, told in chips.items():
            for life in _lives(told):
                out += self._chips(area, life)
        for hand in hands:
            out += self._hand(hand)
        self.events = _ordered(out)

    def _is(self, name: str, area: str, rate: float | None = None) -> bool:
        """Whether something goes wrong here."""
        rate = getattr(self._sight, name) if rate is None else rate
        if self._rng.random() >= min(0.6, rate * (20.0 if area in self._blind else 1.0)):
            return False
        self.wrong[name] += 1
        return True

    def _when(self, event: Any, stretched: float, late_s: float = 0.0) -> Any:
        """The moment that is told, and since when it can have happened."""
        t_s = max(0.0, event.t_s + late_s + max(-0.25, min(0.15, self._rng.gauss(-0.02, self._sight.jitter_s))))
        since = None
        if late_s > 0.0 or self._rng.random() < stretched:
            since = max(0.0, min(event.t_s - self._rng.choice((0.27, 0.3, 0.35, 0.5, 0.9)), t_s))
        return replace(
            event, t_s=round(t_s, 6), earliest_s=since if since is None else round(since, 6), confidence=SURE
        )

    def _card(self, told: list[Any]) -> list[Any]:
        area = told[0].area
        placed, turned, gone = self._sight.stretch[:3]
        told = [replace(e, to_area=None) if isinstance(e, CardRemoved) else e for e in told]
        ups = [i for i, e in enumerate(told) if isinstance(e, CardTurned)]
        first = told[0]
        if self._is("unseen", area):
            if not ups:
                return []
            at = ups[0]
            shown = CardPlaced(
                table_id=self._table,
                t_s=told[at].t_s,
                area=told[at].area,
                card_id=told[at].card_id,
                face=Face.UP,
                card=told[at].card,
            )
            told = [shown, *told[at + 1 :]]
        elif isinstance(first, CardPlaced) and len(told) > 1 and self._is("found_anew", area):
            until_s = told[1].t_s
            at_s = self._rng.uniform(first.t_s + 0.4, max(first.t_s + 0.5, until_s - 0.3))
            if at_s < until_s - 0.2:
                other, self._next = self._next, self._next + 1
                lost = CardRemoved(table_id=self._table, t_s=at_s, area=area, card_id=first.card_id)
                again = replace(first, t_s=self._rng.uniform(at_s + 0.05, until_s - 0.05), card_id=other)
                told = [first, lost, again, *(replace(e, card_id=other) for e in told[1:])]
        if self._is("stays", area):
            told = [e for e in told if not isinstance(e, CardRemoved)]
        if self._is("unread", area):
            told = [replace(e, card=None) if isinstance(e, CardPlaced | CardTurned) else e for e in told]
        out: list[Any] = []
        for i, event in enumerate(told):
            share = placed if isinstance(event, CardPlaced) else gone if isinstance(event, CardRemoved) else turned
            late_s = 0.0
            if self._is("late", area):
                most = self._sight.late_s[
                    0 if isinstance(event, CardPlaced) else 2 if isinstance(event, CardRemoved) else 1
                ]
                room = (told[i + 1].t_s if i + 1 < len(told) else event.t_s + 2.0) - event.t_s - 0.1
                late_s = min(self._rng.uniform(0.3, most), room)
            if isinstance(event, CardTurned) and out and isinstance(out[-1], CardMoved):
                event = replace(event, t_s=out[-1].t_s, earliest_s=out[-1].earliest_s, confidence=SURE)
            else:
                event = self._when(event, share, max(0.0, late_s))
            if out and event.t_s < out[-1].t_s:
                event = replace(event, t_s=out[-1].t_s)
            if event.earliest_s is not None and out:
                event = replace(
                    event,
                    earliest_s=min(
                        event.t_s, max(event.earliest_s, out[-1].t_s if not isinstance(event, CardTurned) else 0.0)
                    ),
                )
            out.append(event)
        if isinstance(out[0], CardPlaced) and self._is("probable", area):
            out[0] = replace(out[0], confidence=PROBABLE)
        if isinstance(first, CardPlaced) and self._is("phantom", area):
            out += self._phantom(first, told[-1].t_s)
        return out

    def _phantom(self, like: CardPlaced, end_s: float) -> list[Any]:
        number, self._next = self._next, self._next + 1
        t_s = self._rng.uniform(like.t_s + 0.3, max(like.t_s + 0.6, end_s - 0.5))
        sure = SURE if self._rng.random() < 0.1 else PROBABLE
        came = replace(
            like,
            t_s=t_s,
            earliest_s=max(0.0, like.t_s - 0.05),
            card_id=number,
            confidence=sure,
            face=Face.DOWN,
            card=None,
        )
        gone = CardRemoved(table_id=self._table, t_s=max(end_s, t_s) + 0.01, area=like.area, card_id=number)
        return [came, gone]

    def _swap(self, cards: dict[int, list[Any]]) -> None:
        """Two cards laid face down in one place that are taken for each other since."""
        by_place: dict[str, list[int]] = defaultdict(list)
        for number, told in cards.items():
            if isinstance(told[0], CardPlaced) and told[0].face is Face.DOWN:
                by_place[told[0].area].append(number)
        for area, numbers in by_place.items():
            for one, other in itertools.pairwise(numbers):
                a, b = cards[one], cards[other]
                if (
                    abs(a[0].t_s - b[0].t_s) < 8.0
                    and len(a) > 1
                    and len(b) > 1
                    and min(a[1].t_s, b[1].t_s) > max(a[0].t_s, b[0].t_s)
                    and self._is("swapped", area)
                ):
                    cards[one] = [a[0], *(replace(e, card_id=one) for e in b[1:])]
                    cards[other] = [b[0], *(replace(e, card_id=other) for e in a[1:])]

    def _square(self, cards: dict[int, list[Any]]) -> None:
        """Two cards of a hand told as one until they are turned: the second comes to light then."""
        for number, told in cards.items():
            if isinstance(told[0], CardPlaced) and told[0].face is Face.DOWN and self._is("squared", told[0].area):
                ups = [i for i, e in enumerate(told) if isinstance(e, CardTurned)]
                if ups:
                    up = told[ups[0]]
                    gone = CardRemoved(table_id=self._table, t_s=told[0].t_s + 0.6, area=told[0].area, card_id=number)
                    other, self._next = self._next, self._next + 1
                    cards[number] = [
                        told[0], gone,
                        CardPlaced(table_id=self._table, t_s=max(up.t_s, gone.t_s + 0.1), area=up.area, card_id=other, face=Face.UP, card=up.card),
                        *(replace(e, card_id=other) for e in told[ups[0] + 1 :]),
                    ]  # fmt: skip

    def _chips(self, area: str, life: list[Any]) -> list[Any]:
        laid, paid, gone = self._sight.stretch[3:]
        if self._is("lost", area):
            return []
        life = self._merge(area, life)
        if self._is("open", area, self._sight.open[0]):
            life = [
                replace(e, amount_cents=None, chips=None)
                if hasattr(e, "amount_cents") and not isinstance(e, PayoutPlaced)
                else e
                for e in life
            ]
        told: list[Any] = []
        for event in life:
            if isinstance(event, PayoutPlaced):
                if self._is("unpaid", area):
                    if self._rng.random() < 0.4:
                        total = self._total(life, event)
                        told.append(
                            WagerIncreased(
                                table_id=self._table,
                                t_s=event.t_s,
                                area=area,
                                amount_cents=total,
                                by=self._rng.choice((None, Side.DEALER)),
                            )
                        )
                    continue
                if self._is("open", area, self._sight.open[1]):
                    event = replace(event, amount_cents=None, chips=None)
            elif self._is("nobodys", area):
                event = replace(event, by=None)
            told.append(event)
        out: list[Any] = []
        for event in told:
            share = (
                gone
                if isinstance(event, WagerRemoved | WagerDecreased)
                else paid
                if isinstance(event, PayoutPlaced)
                else laid
            )
            late_s = self._rng.uniform(0.3, 1.3) if self._is("late", area) else 0.0
            event = self._when(event, share, late_s)
            if out:
                event = replace(event, t_s=max(event.t_s, out[-1].t_s + 0.01))
                if event.earliest_s is not None:
                    event = replace(event, earliest_s=min(event.t_s, max(event.earliest_s, out[-1].t_s)))
            out.append(event)
        return out

    def _merge(self, area: str, life: list[Any]) -> list[Any]:
        """Chips that were not made out until more came beside them."""
        if (
            len(life) > 1
            and isinstance(life[0], WagerPlaced)
            and isinstance(life[1], WagerIncreased)
            and life[1].t_s - life[0].t_s < 1.5
            and self._is("merged", area)
        ):
            return [
                replace(life[0], t_s=life[1].t_s, amount_cents=life[1].amount_cents, chips=life[1].chips),
                *life[2:],
            ]
        return life

    def _total(self, life: Sequence[Any], until: Any) -> int | None:
        total: int | None = 0
        for event in life:
            cents = getattr(event, "amount_cents", None)
            if cents is None and not isinstance(event, WagerRemoved):
                return None
            if isinstance(event, PayoutPlaced):
                total = None if total is None else total + (cents or 0)
            elif not isinstance(event, WagerRemoved):
                total = cents
            if event is until:
                break
        return total

    def _hand(self, hand: Any) -> list[Any]:
        if self._is("by_hand", hand.area, self._sight.by_hand[hand.side is not Side.DEALER]):
            return [] if self._rng.random() < 0.7 else [replace(hand, side=None)]
        t_s = max(hand.since_s + 0.01, hand.t_s + self._rng.uniform(-0.1, 0.15))
        return [
            replace(
                hand,
                t_s=round(t_s, 6),
                since_s=round(max(0.0, min(t_s, hand.since_s + self._rng.uniform(-0.1, 0.1))), 6),
            )
        ]


def _lives(told: Sequence[Any]) -> list[list[Any]]:
    """The events of each wager of an area, until it was taken away."""
    lives: list[list[Any]] = [[]]
    for event in told:
        lives[-1].append(event)
        if isinstance(event, WagerRemoved):
            lives.append([])
    return [life for life in lives if life]


def _ordered(events: Sequence[Event]) -> list[Event]:
    return sorted(events, key=lambda event: event.t_s)


def spoiled(recording: Recording, sight: Sight, seed: int) -> tuple[list[Event], Counter[str]]:
    """The events of a recording as the sight may tell them, and what went wrong how often."""
    spoiler = _Spoiler(recording.events(), hands_over(recording), sight, Random(seed))
    return spoiler.events, spoiler.wrong
