"""What a camera that misses things would say of a round: true events with losses, for tests of what is concluded from them.

A card whose arrival is missed (it fell on others, a hand lay over it) is first seen when it is turned or spread out; a card
may stay unread, an amount unknown, the owner of a hand untold, a moment is up to a few tenths of a second late. Nothing that is
said is wrong: a judgement of an honest round on it must accuse nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    Event,
    HandOver,
    PayoutPlaced,
    StackPlaced,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)

AMOUNTS = (WagerPlaced, WagerIncreased, WagerDecreased, PayoutPlaced)


@dataclass(frozen=True, slots=True)
class Dimness:
    """Shares of what is lost, 0..1.

    Attributes:
        arrivals: cards whose coming to rest is missed.
        readings: faces that stay unread.
        amounts: wagers and payouts of unknown amount.
        sides: hands whose owner is not told.
        late_s: how late a moment may be told.
    """

    arrivals: float = 0.25
    readings: float = 0.15
    amounts: float = 0.15
    sides: float = 0.2
    late_s: float = 0.15


def dimmed(events: Iterable[Event], rng: Random, dim: Dimness = Dimness()) -> list[Event]:
    """The events with losses, in order of time; events from outside the camera are whole."""
    out: list[Event] = []
    unseen: set[int] = set()
    unread: dict[int, bool] = {}
    for event in events:
        told = _card(event, rng, dim, unseen, unread) if hasattr(event, "card_id") else _other(event, rng, dim)
        if told is not None:
            out.append(told)
    return sorted(out, key=lambda event: event.t_s)


def _card(event: Event, rng: Random, dim: Dimness, unseen: set[int], unread: dict[int, bool]) -> Event | None:
    assert isinstance(event, (CardPlaced, CardTurned, CardRead, CardMoved, CardRemoved))
    number = event.card_id
    blind = unread.setdefault(number, rng.random() < dim.readings)
    if isinstance(event, CardPlaced) and rng.random() < dim.arrivals:
        unseen.add(number)
        return None
    if number in unseen:
        if not isinstance(event, CardTurned):
            return None
        unseen.discard(number)
        event = CardPlaced(
            table_id=event.table_id, t_s=event.t_s, area=event.area, card_id=number, face=event.face, card=event.card
        )
    if isinstance(event, CardRead):
        return None if blind else event
    event = replace(event, t_s=event.t_s + rng.random() * dim.late_s)
    return replace(event, card=None) if blind and isinstance(event, (CardPlaced, CardTurned)) else event


def _other(event: Event, rng: Random, dim: Dimness) -> Event | None:
    if isinstance(event, AMOUNTS):
        event = replace(event, t_s=event.t_s + rng.random() * dim.late_s)
        if rng.random() < dim.amounts:
            event = replace(event, amount_cents=None, chips=None)
    elif isinstance(event, StackPlaced) and rng.random() < dim.arrivals:
        return replace(event, count=None) if rng.random() < 0.5 else None
    if isinstance(event, (WagerPlaced, WagerIncreased, WagerDecreased, WagerRemoved)) and rng.random() < dim.sides:
        return replace(event, by=None)
    if isinstance(event, HandOver) and rng.random() < dim.sides:
        return replace(event, side=None)
    return event
