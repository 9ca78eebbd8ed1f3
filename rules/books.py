"""The books of a round: cards, wagers, hands and gaps by area and time, and what can be asked of them.

They say what was seen, never what the law says of it; what was not seen is None. `rules.rounds` keeps them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from rules.events import (
    CoverageGap,
    DecisionAnnounced,
    Face,
    HandOver,
    PayoutPlaced,
    Side,
    StackPlaced,
    group_of,
    seat_of,
)
from rules.records import CardSeen, Step, Wager
from rules.table import TableConfig

STREETS = ("community.4th", "community.5th", "community.6th")
"""The community boxes in the order in which the law names them."""


P = ParamSpec("P")
T = TypeVar("T")
B = TypeVar("B", bound="Books")
_NEW: Any = object()
"""What the memory of a round says of a question that was not asked since its last event."""


def remembered(method: Callable[Concatenate[B, P], T]) -> Callable[Concatenate[B, P], T]:
    """An answer about a round kept until its next event; only for answers that no reading of the law changes."""
    name = f"{method.__module__}.{method.__qualname__}"

    @wraps(method)
    def answer(r: B, /, *args: P.args, **kwargs: P.kwargs) -> T:
        memo = r._memo  # None while an event is taken in
        if memo is None or kwargs:
            return method(r, *args, **kwargs)
        key = (name, *args)
        found = memo.get(key, _NEW)
        if found is _NEW:
            found = memo[key] = method(r, *args, **kwargs)
        return found  # type: ignore[no-any-return]

    return answer


class Books:
    """What was seen of one round; see the module."""

    def __init__(self, table: TableConfig, number: int) -> None:
        self.table = table
        self.number = number
        self.round_id = f"{table.table_id}-r{number:04d}"
        self.steps: list[Step] = []
        self.cards: dict[int, CardSeen] = {}
        self.wagers: dict[str, list[Wager]] = {}
        self.hands: dict[str, list[Step]] = {}
        self.gaps: list[Step] = []
        self.stacks: list[Step] = []
        self.decisions: list[Step] = []
        self.no_more_bets: Step | None = None
        self.external: list[Step] = []
        self.now_s = 0.0
        self.first_card: Step | None = None
        self.reveals: list[tuple[Step, CardSeen]] = []
        self.flashed: list[tuple[Step, CardSeen]] = []
        self.dealer_reveals: list[tuple[Step, CardSeen]] = []
        self.deal_over: Step | None = None
        self.stack_units: list[Step] = []
        self.unplaced: dict[str, list[Step]] = {}
        self._laid_out_s: dict[str, float] = {}
        self._memo: dict[tuple[Any, ...], Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the answers that can be given anew."""
        return {**self.__dict__, "_memo": None}

    @property
    def lock_s(self) -> float | None:
        """Since when wagers may not change: the announcement, or the first card where it was not heard or came late."""
        first = self.first_card.t_s if self.first_card else None
        if self.no_more_bets is None or self.table.reading("lock.at") == "first_card":
            return first
        return self.no_more_bets.t_s if first is None else min(first, self.no_more_bets.t_s)

    @remembered
    def wager(self, seat: int, name: str) -> Wager | None:
        """The wager of a seat in this round: the chips that lay there when the first card came, else the first after.

        But for a decision's, what was laid once settlement began is none: players bet on the next round while cards of this one still lie there.
        """
        lives = self.wagers.get(f"seat{seat}.{name}", [])
        law = self.table.law.wagers.get(name)
        if self.first_card is None:
            return lives[-1] if lives else None
        start = self.first_card.t_s
        if law is not None and law.kind == "decision":
            return next((life for life in lives if not life.carried and life.placed.t_s > start), None)
        chosen: Wager | None = None
        for life in lives:
            if life.placed.t_s <= start:
                if life.end_s > start:
                    chosen = life
            elif chosen is None and not self._since_settled(life):
                chosen = life
        return chosen

    def _since_settled(self, life: Wager) -> bool:
        return self.settled_from is not None and life.placed.t_s > self.settled_from

    def traces(self, seat: int, name: str) -> list[Step]:
        """What tells of chips of which nobody saw when they were placed: taken away or paid where none were seen, or found, laid by nobody known, once settlement began."""
        area = f"seat{seat}.{name}"
        found = [
            life.placed for life in self.wagers.get(area, ()) if self._since_settled(life) and life.placed.by is None
        ]
        return [*self.unplaced.get(area, ()), *found]

    @remembered
    def seat_cards(self, seat: int) -> tuple[CardSeen, ...]:
        """Cards dealt to a seat, in the order in which they came to rest."""
        return self._dealt(f"seat{seat}.cards")

    @property
    @remembered
    def community_cards(self) -> tuple[CardSeen, ...]:
        """Cards dealt to the community boxes, in the order in which they came to rest."""
        found = [card for card in self.cards.values() if card.home.startswith("community")]
        return tuple(sorted(found, key=lambda card: (card.placed.t_s, card.placed.index)))

    @property
    def dealer_cards(self) -> tuple[CardSeen, ...]:
        """Cards that came to the dealer's area, in the order in which they came to rest."""
        return self.group_cards("dealer")

    @remembered
    def group_cards(self, group: str) -> tuple[CardSeen, ...]:
        """Cards that came to the areas of a group ("dealer", "extra"), in the order in which they came to rest."""
        found = [card for card in self.cards.values() if group_of(card.home) == group]
        return tuple(sorted(found, key=lambda card: (card.placed.t_s, card.placed.index)))

    @remembered
    def _dealt(self, area: str) -> tuple[CardSeen, ...]:
        found = [card for card in self.cards.values() if card.home == area and self.is_dealt(card)]
        return tuple(sorted(found, key=lambda card: (card.placed.t_s, card.placed.index)))

    def is_dealt(self, card: CardSeen) -> bool:
        """Whether a card came to rest while the cards were dealt; later ids are the same cards seen anew."""
        return self.deal_over is None or card.placed.t_s <= self.deal_over.t_s

    def found_anew(self, card: CardSeen) -> bool:
        """Whether a card may be one that left the same place unseen: under a hand one can be lost, and found again as another."""
        return bool(self._left_unseen(card))

    def _left_unseen(self, card: CardSeen) -> list[CardSeen]:
        """Cards of the same place that had left it unseen when a card came."""
        return [
            other
            for other in self.cards.values()
            if other.home == card.home
            and other.removed is not None
            and other.to_area is None
            and other.removed.t_s <= card.placed.t_s
        ]

    def dealt_out(self, besides: CardSeen | None = None) -> bool:
        """Whether the last cards of the deal lie there: the community's, the dealer's, or the last pass of the seats."""
        law = self.table.law
        cards = [card for card in self.cards.values() if card is not besides]
        seats = set(self.dealt_seats)
        wanted = {f"seat{seat}": law.player_cards for seat in seats} if self._seats_last else {}
        wanted |= {"community": law.community_cards} if law.community_cards else {"dealer": law.dealer_cards}
        stacks = {group_of(step.event.area) for step in self.stack_units if isinstance(step.event, StackPlaced)}
        counts = Counter(group_of(card.home) for card in cards)
        return all(group in stacks or counts[group] >= count for group, count in wanted.items())

    @property
    def _seats_last(self) -> bool:
        deal = self.table.law.deal.get(self.table.dealing, ())
        return bool(deal) and deal[-1].startswith("seats")

    @property
    @remembered
    def dealt(self) -> tuple[CardSeen, ...]:
        """All cards dealt, in the order in which they came to rest."""
        found = [card for card in self.cards.values() if self.is_dealt(card)]
        return tuple(sorted(found, key=lambda card: (card.placed.t_s, card.placed.index)))

    @property
    @remembered
    def back(self) -> str | None:
        """The colour of the backs of the deck in play: that of most of the cards dealt, None where none was told."""
        backs = Counter(card.back for card in self.dealt if card.back is not None)
        return min(backs, key=lambda back: (-backs[back], back)) if backs else None

    @property
    @remembered
    def dealt_seats(self) -> tuple[int, ...]:
        """Seats that received cards, ascending."""
        areas = [card.home for card in self.cards.values() if self.is_dealt(card)]
        areas += [step.event.area for step in self.stack_units if isinstance(step.event, StackPlaced)]
        return tuple(sorted({seat for area in areas if (seat := seat_of(area)) is not None}))

    def base_wagers(self, seat: int) -> tuple[Wager | None, ...]:
        """The wagers a seat needs to be dealt in, None for each not seen."""
        return tuple(self.wager(seat, w.name) for w in self.table.law.wagers.values() if w.kind == "base")

    def locked(self, wager: Wager | None) -> bool:
        """Whether a wager stood when the first card came (with a second of grace for chips coming to rest)."""
        if wager is None or self.first_card is None:
            return wager is not None
        return wager.placed.t_s <= self.first_card.t_s + 1.0

    @property
    def eligible(self) -> tuple[int, ...]:
        """Seats with every base wager standing at the first card, ascending."""
        seats = range(1, self.table.seats + 1)
        return tuple(s for s in seats if all(self.locked(wager) for wager in self.base_wagers(s)))

    @property
    @remembered
    def shown(self) -> tuple[tuple[Step, CardSeen], ...]:
        """Community and dealer's cards as they were turned: play goes on with them."""
        both = [*self.reveals, *self.dealer_reveals]
        return tuple(sorted(both, key=lambda item: (item[0].t_s, item[0].index)))

    @remembered
    def reveal_s(self, street: int) -> float | None:
        """When community card number `street` (1-based, by time) was turned, None while it was not."""
        return self.reveals[street - 1][0].t_s if len(self.reveals) >= street else None

    def street_at(self, t_s: float) -> int:
        """Which decision a time belongs to: 1 before the first community card, ... 4 after the third."""
        return 1 + sum(1 for step, _ in self.reveals if step.t_s < t_s)

    @property
    @remembered
    def settling_since(self) -> float | None:
        """When the last community card was turned, or the last of the dealer's cards; None before."""
        law = self.table.law
        if law.community_cards:
            return self.reveal_s(law.community_cards)
        up = [card for card in self.dealer_cards if card.face is Face.UP or card.turned is not None]
        times = sorted((card.turned or card.placed).t_s for card in up)
        return times[law.dealer_cards - 1] if len(times) >= law.dealer_cards else None

    @property
    @remembered
    def settled_from(self) -> float | None:
        """The first sign of settlement: the last community card, a payout, or a player's hand turned over."""
        times = [self.settling_since] if self.settling_since is not None else []
        times += [step.t_s for lives in self.wagers.values() for life in lives for step in life.payouts]
        times += [
            step.t_s for steps in self.unplaced.values() for step in steps if isinstance(step.event, PayoutPlaced)
        ]
        for seat in self.dealt_seats:
            cards = [c for c in self.cards.values() if c.home == f"seat{seat}.cards" and c.turned is not None]
            if len(cards) > 1:
                times.append(min(c.turned.t_s for c in cards if c.turned is not None))
        return min(times, default=None)

    def cleared(self, t_s: float) -> bool:
        """Whether at a moment since the first card, and before a time, no chips lay in any betting area: who bets then may bet on the next round."""
        first_s = self.first_card.t_s if self.first_card is not None else t_s
        every = [life for lives in self.wagers.values() for life in lives]
        moments = [life.end_s for life in every if first_s < life.end_s < t_s]
        return any(all(life.end_s <= bare_s for life in every if life.placed.t_s <= bare_s) for bare_s in moments)

    def gap(self, areas: Iterable[str], since_s: float, until_s: float) -> Step | None:
        """A coverage gap that touches one of the areas between two times."""
        wanted = set(areas)
        for step in self.gaps:
            event = step.event
            assert isinstance(event, CoverageGap)
            if (event.area is None or event.area in wanted) and event.since_s <= until_s and event.t_s >= since_s:
                return step
        return None

    def seat_areas(self, seat: int) -> tuple[str, ...]:
        """Names of a seat's areas that matter."""
        return (f"seat{seat}.cards", *(f"seat{seat}.{name}" for name in self.table.law.wagers))

    def touched(self, area: str, since_s: float, until_s: float, side: Side | None = None) -> tuple[Step, ...]:
        """Hands over an area that left it within a time, of one side where given."""
        found = []
        for step in self.hands.get(area, ()):
            event = step.event
            assert isinstance(event, HandOver)
            if since_s < event.t_s <= until_s and (side is None or event.side is side):
                found.append(step)
        return tuple(found)

    def over(self, area: str, since_s: float, until_s: float, side: Side | None = None) -> tuple[Step, ...]:
        """Hands that were over an area at any moment of a time, of one side where given; they may have stayed longer."""
        found = self.touched(area, since_s, float("inf"), side)
        return tuple(step for step in found if getattr(step.event, "since_s", step.t_s) <= until_s)

    def dealers_alone(self, area: str, since_s: float, until_s: float) -> tuple[Step, ...]:
        """The dealer's hands over an area at any moment of a time; none where another's were there too."""
        hands = self.over(area, since_s, until_s)
        return hands if all(hand.side is Side.DEALER for hand in hands) else ()

    def hands_since_settled(self) -> list[Step]:
        """Hands that came over a betting area after its chips were gone, or where none were seen after settlement began."""
        found = []
        for area, steps in self.hands.items():
            lives = self.wagers.get(area, [])
            gone = lives[-1].removed if lives else None
            since_s = gone.t_s if gone is not None else self.settled_from if not lives else None
            if since_s is not None:
                found += [step for step in steps if getattr(step.event, "since_s", step.t_s) > since_s]
        return sorted(found, key=lambda step: (step.t_s, step.index))

    @remembered
    def folded(self, seat: int) -> bool | None:
        """Whether a seat is out: True on announced or collected, False with a Play Wager, None where not known."""
        if self.table.law.decision is None or self.wager(seat, self.table.law.decision) is not None:
            return False
        for step in self.decisions:
            event = step.event
            if isinstance(event, DecisionAnnounced) and event.seat == seat and event.decision == "fold":
                return True
        end = self.settling_since
        base = self.base_wagers(seat)
        taken = [
            w is not None
            and w.removed is not None
            and w.taken_by is Side.DEALER
            and (end is None or w.removed.t_s <= end)
            for w in base
        ]
        if all(taken):
            return True
        return None

    @property
    def cards_gone(self) -> bool:
        """Whether every card seen in the round has left the table again."""
        return bool(self.cards) and all(card.area is None for card in self.cards.values())

    @remembered
    def hand(self, seat: int) -> tuple[str, ...] | None:
        """The seat's cards as they lie face up, or None unless exactly the right number is up and read."""
        up = [c for c in self.cards.values() if c.home == f"seat{seat}.cards" and c.face is Face.UP]
        return self._sole(_names(up, self.table.law.player_cards), f"seat{seat}.cards")

    @property
    @remembered
    def board(self) -> tuple[str, ...] | None:
        """The community cards as they lie face up, or None unless all are up and read."""
        up = [c for c in self.cards.values() if c.home.startswith("community") and c.face is Face.UP]
        return self._sole(_names(up, self.table.law.community_cards), "community")

    @remembered
    def group_hand(self, group: str, count: int) -> tuple[str, ...] | None:
        """The cards of a group as they lie face up, or None unless exactly `count` are up and read."""
        up = [card for card in self.group_cards(group) if card.face is Face.UP]
        return self._sole(_names(up, count), group)

    def _sole(self, names: tuple[str, ...] | None, home: str) -> tuple[str, ...] | None:
        """The names, or None where one of them was read elsewhere in the round too: one reading is wrong."""
        others = {card.card for card in self.cards.values() if not card.home.startswith(home)}
        return None if names is None or others.intersection(names) else names


def _names(cards: Sequence[CardSeen], count: int) -> tuple[str, ...] | None:
    names = tuple(card.card for card in sorted(cards, key=lambda c: (c.placed.t_s, c.placed.index)) if card.card)
    return names if len(names) == len(cards) == count == len(set(names)) else None


def holds_cards(area: str, groups: Iterable[str]) -> bool:
    """Whether cards are dealt to an area: a seat's, or one of the game's `groups` with cards of no player."""
    if seat_of(area) is not None:
        return area.endswith(".cards")
    group, _, place = area.partition(".")
    return group in groups and (bool(place) or group != "community")


def place_of(area: str | None) -> int | None:
    """The place within a group, counted from the dealer's left: 2 for "dealer.2"; None where the area does not say."""
    place = (area or "").partition(".")[2]
    return int(place) if place.isdigit() and place.isascii() else None
