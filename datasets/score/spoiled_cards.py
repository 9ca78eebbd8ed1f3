"""The cards of a course as the sight may tell them: late, unread, not at all, as another, in part, or one that is none."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace
from typing import Any

from datasets.score.faults import SURE, Faults
from rules.events import CardMoved, CardPlaced, CardRemoved, CardTurned, Face
from vision.tracking.piles import PROBABLE

NEAR_S = 8.0
"""Cards of one place are taken for each other where they were laid within so long."""


def swap(cards: dict[int, list[Any]], faults: Faults) -> None:
    """Two cards laid face down in one place that are taken for each other since.

    Args:
        cards: the events of each card, by its number; changed.
        faults: what goes wrong.
    """
    by_place: dict[str, list[int]] = defaultdict(list)
    for number, told in cards.items():
        if isinstance(told[0], CardPlaced) and told[0].face is Face.DOWN:
            by_place[told[0].area].append(number)
    for area, numbers in by_place.items():
        for one, other in itertools.pairwise(numbers):
            a, b = cards[one], cards[other]
            if (
                abs(a[0].t_s - b[0].t_s) < NEAR_S
                and len(a) > 1
                and len(b) > 1
                and min(a[1].t_s, b[1].t_s) > max(a[0].t_s, b[0].t_s)
                and faults.happens("swapped", area)
            ):
                cards[one] = [a[0], *(replace(e, card_id=one) for e in b[1:])]
                cards[other] = [b[0], *(replace(e, card_id=other) for e in a[1:])]


def square(cards: dict[int, list[Any]], faults: Faults) -> None:
    """Two cards of a hand told as one until they are turned: the second comes to light then.

    Args:
        cards: the events of each card, by its number; changed.
        faults: what goes wrong.
    """
    for number, told in cards.items():
        first = told[0]
        if not (isinstance(first, CardPlaced) and first.face is Face.DOWN and faults.happens("squared", first.area)):
            continue
        at = _first_turned(told)
        if at is None:
            continue
        up, other = told[at], faults.new_card_id()
        gone = CardRemoved(table_id=faults.table_id, t_s=first.t_s + 0.6, area=first.area, card_id=number)
        shown = replace(_shown(up, faults), t_s=max(up.t_s, gone.t_s + 0.1), card_id=other)
        cards[number] = [first, gone, shown, *(replace(e, card_id=other) for e in told[at + 1 :])]


def told_of_card(events: list[Any], faults: Faults) -> list[Any]:
    """What is told of a card.

    Args:
        events: of one card, in order.
        faults: what goes wrong.

    Returns:
        The events in order; none of a card that was not seen.
    """
    first, area = events[0], events[0].area
    told = _life(events, faults)
    if not told:
        return []
    if faults.happens("stays", area):
        told = [e for e in told if not isinstance(e, CardRemoved)]
    if faults.happens("unread", area):
        told = [replace(e, card=None) if isinstance(e, CardPlaced | CardTurned) else e for e in told]
    out: list[Any] = []
    for i, event in enumerate(told):
        next_s = told[i + 1].t_s if i + 1 < len(told) else event.t_s + 2.0
        out.append(_dated(event, next_s, area, out, faults))
    if isinstance(out[0], CardPlaced) and faults.happens("probable", area):
        out[0] = replace(out[0], confidence=PROBABLE)
    if isinstance(first, CardPlaced) and faults.happens("phantom", area):
        out += _phantom(first, told[-1].t_s, faults)
    return out


def _life(events: list[Any], faults: Faults) -> list[Any]:
    """The card as one, as another from some moment on, or only once it is turned; where it went is not told."""
    first, area = events[0], events[0].area
    told: list[Any] = [replace(e, to_area=None) if isinstance(e, CardRemoved) else e for e in events]
    if faults.happens("unseen", area):
        at = _first_turned(told)
        return [] if at is None else [_shown(told[at], faults), *told[at + 1 :]]
    if isinstance(first, CardPlaced) and len(told) > 1 and faults.happens("found_anew", area):
        until_s = told[1].t_s
        at_s = faults.rng.uniform(first.t_s + 0.4, max(first.t_s + 0.5, until_s - 0.3))
        if at_s < until_s - 0.2:
            other = faults.new_card_id()
            lost = CardRemoved(table_id=faults.table_id, t_s=at_s, area=area, card_id=first.card_id)
            again = replace(first, t_s=faults.rng.uniform(at_s + 0.05, until_s - 0.05), card_id=other)
            return [first, lost, again, *(replace(e, card_id=other) for e in told[1:])]
    return told


def _dated(event: Any, next_s: float, area: str, before: list[Any], faults: Faults) -> Any:
    """The event at the moment that is told, no earlier than what was told of the card before."""
    kind = 0 if isinstance(event, CardPlaced) else 2 if isinstance(event, CardRemoved) else 1
    late_s = 0.0
    if faults.happens("late", area):
        late_s = min(faults.rng.uniform(0.3, faults.sight.late_s[kind]), next_s - event.t_s - 0.1)
    if isinstance(event, CardTurned) and before and isinstance(before[-1], CardMoved):
        event = replace(event, t_s=before[-1].t_s, earliest_s=before[-1].earliest_s, confidence=SURE)
    else:
        event = faults.told(event, faults.sight.stretch[kind], max(0.0, late_s))
    if not before:
        return event
    if event.t_s < before[-1].t_s:
        event = replace(event, t_s=before[-1].t_s)
    if event.earliest_s is not None:
        least_s = 0.0 if isinstance(event, CardTurned) else before[-1].t_s
        event = replace(event, earliest_s=min(event.t_s, max(event.earliest_s, least_s)))
    return event


def _phantom(like: CardPlaced, end_s: float, faults: Faults) -> list[Any]:
    """A card that is none, told beside another while that one lies there."""
    number = faults.new_card_id()
    t_s = faults.rng.uniform(like.t_s + 0.3, max(like.t_s + 0.6, end_s - 0.5))
    sure = SURE if faults.rng.random() < 0.1 else PROBABLE
    since_s = max(0.0, like.t_s - 0.05)
    came = replace(like, t_s=t_s, earliest_s=since_s, card_id=number, confidence=sure, face=Face.DOWN, card=None)
    gone = CardRemoved(table_id=faults.table_id, t_s=max(end_s, t_s) + 0.01, area=like.area, card_id=number)
    return [came, gone]


def _first_turned(told: list[Any]) -> int | None:
    return next((i for i, event in enumerate(told) if isinstance(event, CardTurned)), None)


def _shown(turned: CardTurned, faults: Faults) -> CardPlaced:
    """The card as it comes to light once it is turned."""
    return CardPlaced(
        table_id=faults.table_id, t_s=turned.t_s, area=turned.area, card_id=turned.card_id, face=Face.UP, card=turned.card
    )  # fmt: skip
