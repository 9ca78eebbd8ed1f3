"""The events of a course of rounds as the sight may tell them: late, with a stretch, not at all, twice, as something else, or in part.

What goes wrong how often stands in `datasets.score.faults`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from datasets.score.faults import Faults, Sight
from datasets.score.hands_over import hands_over
from datasets.score.spoiled_cards import square, swap, told_of_card
from datasets.score.spoiled_chips import lives, told_of_wager
from datasets.simulate import Recording
from rules.events import CardPlaced, CardTurned, Event, HandOver, Side, StackPlaced
from rules.records import CARD_EVENTS, WAGER_EVENTS


def spoiled(recording: Recording, sight: Sight, seed: int) -> tuple[list[Event], Counter[str]]:
    """The events of a recording as the sight may tell them, and what went wrong how often.

    Args:
        recording: rounds that were played, not filmed.
        sight: how often what goes wrong.
        seed: of what goes wrong in this course.

    Returns:
        The events in order of the moments that are told, and a count by the names of `sight`.
    """
    events = recording.events()
    faults = Faults(events, sight, Random(seed))
    told = _told(events, hands_over(recording), faults)
    return sorted(told, key=lambda event: event.t_s), faults.wrong


def _told(events: Sequence[Event], hands: Sequence[Event], faults: Faults) -> list[Event]:
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
            out += [] if faults.happens("no_stub", event.area) else [faults.told(event, 0.06)]
        else:
            out.append(event)
    cards = {i: told for i, told in cards.items() if any(isinstance(e, CardPlaced | CardTurned) for e in told)}
    swap(cards, faults)
    square(cards, faults)
    for told in cards.values():
        out += told_of_card(told, faults)
    for area, told in chips.items():
        for life in lives(told):
            out += told_of_wager(area, life, faults)
    for hand in hands:
        out += _told_of_hand(hand, faults)
    return out


def _told_of_hand(hand: Any, faults: Faults) -> list[Event]:
    """A hand over an area, a little earlier or later; of nobody known, or not told."""
    rng = faults.rng
    if faults.happens("by_hand", hand.area, faults.sight.by_hand[hand.side is not Side.DEALER]):
        return [] if rng.random() < 0.7 else [replace(hand, side=None)]
    t_s = max(hand.since_s + 0.01, hand.t_s + rng.uniform(-0.1, 0.15))
    since_s = max(0.0, min(t_s, hand.since_s + rng.uniform(-0.1, 0.1)))
    return [replace(hand, t_s=round(t_s, 6), since_s=round(since_s, 6))]
