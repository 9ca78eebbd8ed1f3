"""Ways in which a camera misses things: the same round, told with something not seen, seen late, or seen as something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rounds import altered

from rules.events import (
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    Event,
    HandOver,
    PayoutPlaced,
    Side,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.records import CARD_EVENTS, WAGER_EVENTS

LATE_S, HIDDEN_S = 2.0, 0.3
"""What hands hide is told so much after it happened, from so much before it on."""
Told = tuple[str, list[Event]]


def with_hands(events: Sequence[Event]) -> list[Event]:
    """The events with the hands that lay and take chips: a camera sees them, made out or not what they moved."""
    hands = [
        HandOver(
            table_id=e.table_id, t_s=round(e.t_s + 0.1, 3), since_s=round(max(0.0, e.t_s - 0.4), 3), area=e.area,
            side=Side.DEALER if isinstance(e, PayoutPlaced) else e.by,
        )
        for e in events
        if isinstance(e, WAGER_EVENTS)
    ]  # fmt: skip
    return in_order([*events, *hands])


def with_dealers_hands(events: Sequence[Event]) -> list[Event]:
    """The events with the dealer's hands that lay and turn cards as well."""
    hands = [
        HandOver(
            table_id=e.table_id, t_s=round(e.t_s + 0.15, 3), since_s=round(max(0.0, e.t_s - 0.3), 3), area=e.area,
            side=Side.DEALER,
        )
        for e in events
        if isinstance(e, CardPlaced | CardTurned)
    ]  # fmt: skip
    return in_order([*events, *hands])


def ways_to_miss(events: Sequence[Event]) -> Iterator[Told]:
    """(what was missed, the events as they are told then), one after the other."""
    for area in sorted({e.area for e in events if isinstance(e, WAGER_EVENTS)}):
        yield from _chips(events, area)
    for card_id in sorted({e.card_id for e in events if isinstance(e, CARD_EVENTS)}):
        yield from _card(events, card_id)
    for area in sorted({e.area for e in events if isinstance(e, CARD_EVENTS)}):
        yield f"{area}: no card seen", [e for e in events if not (isinstance(e, CARD_EVENTS) and e.area == area)]


def _chips(events: Sequence[Event], area: str) -> Iterator[Told]:
    for life in _lives(events, area):
        name = f"{area} from {events[life[0]].t_s:.1f} s"
        yield f"{name}: chips not made out", _without(events, life)
        yield from (_first_seen(events, life, at, name) for at in range(1, len(life)) if _adds(events[life[at]]))
        if isinstance(events[life[-1]], WagerRemoved):
            yield f"{name}: leaving not seen", _without(events, life[-1:])
            yield f"{name}: not made out before some were taken", _in_two(_without(events, life[:-1]), events[life[-1]])
            for at in range(1, len(life) - 1):
                if isinstance(events[life[at]], PayoutPlaced):
                    told, left = _first_seen(events, life, at, name)
                    yield f"{told}, and taken in two", _in_two(left, events[life[-1]])
        if len(life) > 1:
            yield f"{name}: lost for two seconds", _lost(events, life, area)
    yield f"{area}: amounts unknown", [_unknown(e, area) for e in events]
    yield f"{area}: sides unknown", [_nobodys(e, area) for e in events]


def _lives(events: Sequence[Event], area: str) -> list[list[int]]:
    """Numbers of the events of each wager of an area, until it was taken away."""
    lives: list[list[int]] = [[]]
    for i, event in enumerate(events):
        if isinstance(event, WAGER_EVENTS) and event.area == area:
            lives[-1].append(i)
            if isinstance(event, WagerRemoved):
                lives.append([])
    return [life for life in lives if life]


def _adds(event: Event) -> bool:
    return isinstance(event, (WagerIncreased, PayoutPlaced))


def _first_seen(events: Sequence[Event], life: Sequence[int], at: int, name: str) -> Told:
    """Chips that were not made out until others came beside them; then all are found."""
    late = events[life[at]]
    total: int | None = 0
    for event in (events[i] for i in life[: at + 1]):
        cents = getattr(event, "amount_cents", None)
        before = total if isinstance(event, PayoutPlaced) else 0
        total = None if cents is None or before is None else before + cents
    by = Side.DEALER if isinstance(late, PayoutPlaced) else getattr(late, "by", None)
    area = getattr(late, "area", "")
    placed = WagerPlaced(table_id=late.table_id, t_s=late.t_s, area=area, amount_cents=total, by=by)
    told = [placed if i == life[at] else event for i, event in enumerate(events) if i not in life[:at]]
    return f"{name}: not made out before more came", told


def _in_two(events: Sequence[Event], taken: Event) -> list[Event]:
    """Chips of which a part is told taken a moment before all are gone."""
    assert isinstance(taken, WagerRemoved)
    part = WagerDecreased(
        table_id=taken.table_id, t_s=round(taken.t_s - 0.1, 3), area=taken.area, amount_cents=None, by=taken.by
    )
    return in_order([*events, part])


def _lost(events: Sequence[Event], life: Sequence[int], area: str) -> list[Event]:
    """Chips that are lost and found again with nobody near."""
    first, then = events[life[0]], events[life[1]]
    at_s, amount = (first.t_s + then.t_s) / 2, getattr(first, "amount_cents", None)
    gone = WagerRemoved(table_id=first.table_id, t_s=at_s, area=area)
    back = WagerPlaced(table_id=first.table_id, t_s=min(at_s + 2, then.t_s - 0.01), area=area, amount_cents=amount)
    return in_order([*events, gone, back])


def _unknown(event: Event, area: str) -> Event:
    if isinstance(event, WAGER_EVENTS) and event.area == area and not isinstance(event, WagerRemoved):
        return replace(event, amount_cents=None, chips=None)
    return event


def _nobodys(event: Event, area: str) -> Event:
    if isinstance(event, HandOver) and event.area == area:
        return replace(event, side=None)
    if isinstance(event, WAGER_EVENTS) and event.area == area and not isinstance(event, PayoutPlaced):
        return replace(event, by=None)
    return event


def _card(events: Sequence[Event], card_id: int) -> Iterator[Told]:
    mine = [i for i, e in enumerate(events) if isinstance(e, CARD_EVENTS) and e.card_id == card_id]
    first = events[mine[0]]
    name = f"card {card_id} of {getattr(first, 'area', '')} at {first.t_s:.1f} s"
    yield f"{name}: not seen", _without(events, mine)
    yield f"{name}: not read", [_unread(e, card_id) for e in events if not (isinstance(e, CardRead) and e.card_id == card_id)]  # fmt: skip
    if isinstance(first, CardPlaced):
        yield f"{name}: told late", _late(events, mine[:2])
        if len(mine) > 1:
            yield f"{name}: lost and found as another", _another(events, mine, first)
    for number, i in enumerate(mine[1:], 1):
        event = events[i]
        if isinstance(event, CardTurned):
            yield f"{name}: its turn told late", _late(events, mine[number : number + 2])
            shown = CardPlaced(
                table_id=event.table_id, t_s=event.t_s, area=event.area, card_id=card_id, face=event.face, card=event.card
            )  # fmt: skip
            told: list[Event] = [shown if k == i else e for k, e in enumerate(events) if k not in mine[:number]]
            yield f"{name}: not seen before it was turned", told
        elif isinstance(event, CardRemoved):
            yield f"{name}: leaving not seen", _without(events, [i])


def _unread(event: Event, card_id: int) -> Event:
    if isinstance(event, (CardPlaced, CardTurned)) and event.card_id == card_id:
        return replace(event, card=None)
    return event


def _late(events: Sequence[Event], numbers: Sequence[int]) -> list[Event]:
    """The first of these events of one card told late, yet before the second."""
    event, until_s = events[numbers[0]], [events[i].t_s - 0.001 for i in numbers[1:]]
    t_s = max(event.t_s, min([event.t_s + LATE_S, *until_s]))
    since_s = round(event.t_s - HIDDEN_S, 3) if event.earliest_s is None else event.earliest_s
    late = replace(event, t_s=round(t_s, 3), earliest_s=since_s)
    return in_order([late if i == numbers[0] else e for i, e in enumerate(events)])


def _another(events: Sequence[Event], mine: Sequence[int], first: CardPlaced) -> list[Event]:
    other = 1 + max(e.card_id for e in events if isinstance(e, CARD_EVENTS))
    at_s = min(first.t_s + 3.0, (first.t_s + events[mine[1]].t_s) / 2)
    gone = CardRemoved(table_id=first.table_id, t_s=at_s, area=first.area, card_id=first.card_id)
    back = replace(first, t_s=(at_s + min(at_s + 3.0, events[mine[1]].t_s)) / 2, card_id=other)
    told = [altered(e, card_id=other) if i in mine[1:] else e for i, e in enumerate(events)]
    return in_order([*told, gone, back])


def _without(events: Sequence[Event], numbers: Sequence[int]) -> list[Event]:
    left_out = set(numbers)
    return [event for i, event in enumerate(events) if i not in left_out]


def in_order(events: Sequence[Event]) -> list[Event]:
    """The events in order of their times."""
    return sorted(events, key=lambda event: event.t_s)
