"""What hands hid for long: an event that has a stretch in which it can have happened, and what follows for orders that rest on it.

The camera tells an event at the moment by which it had happened, `t_s`, and from when on it can have (`earliest_s`) where that is much
earlier. A breach is left open where one of its events may have come before another that it is said to follow. Whether a law that seems
kept rests on such an order only the check itself knows: it is asked again about the round as it would be had the event come at its
earliest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeGuard

from rules import arrivals
from rules.checks.base import Outcome
from rules.events import CardPlaced, CardRead, CardTurned, Event, Face, HandOver, Side, WagerRemoved, group_of
from rules.findings import Verdict
from rules.records import CARD_EVENTS, Step
from rules.rounds import Round

TOGETHER_S = 1.0
"""Cards of one hand that hands hid for less than this were dealt or turned together."""
LEAST_BROUGHT = 2
"""Cards of a place that the dealer's hand was seen to bring, from which on a hand that brings one there is surely seen."""
Rejudge = Callable[[Round], Outcome | None]
"""What a check says of another course of the round."""


def breach_hangs_on(outcome: Outcome) -> Step | None:
    """The event of a breach that may have come before another which it is said to follow; None where there is none."""
    return next((step for step in outcome.steps if _hangs_on(outcome, step)), None)


def compliance_hangs_on(outcome: Outcome, r: Round, start: Callable[[], Round], judge: Rejudge) -> Step | None:
    """The event of a law that seems kept without which it would not surely be, had it come at its earliest; None where there is none.

    Args:
        outcome: compliant.
        r: the round that was judged.
        start: a round as this one was before its first event.
        judge: the check.
    """
    return _ending(outcome.steps, r, start, judge, (Verdict.BREACH, Verdict.UNDETERMINED))


def breach_refuted_by(outcome: Outcome, r: Round, start: Callable[[], Round], judge: Rejudge) -> Step | None:
    """A hidden event that a breach does not name, and with which it would be none had that come at its earliest; None where there is none.

    A dealer's card whose turn was told late makes the moment from which on players' cards may be turned too late; several of a hand were hidden together, so that
    they are asked about together too.

    Args:
        outcome: a breach.
        r: the round that was judged.
        start: a round as this one was before its first event.
        judge: the check.
    """
    named = {step.index for step in outcome.steps}
    last_s = max((step.t_s for step in outcome.steps), default=r.now_s)
    hidden = [
        s for s in r.steps if s.event.earliest_s is not None and s.event.earliest_s < last_s and s.index not in named
    ]
    ends = (None, Verdict.COMPLIANT, Verdict.NOT_APPLICABLE)
    alone = _ending(hidden, r, start, judge, ends)
    if alone is not None:
        return alone
    for together in _of_one_hand(hidden):
        told = judge(_replayed(_not_after(together, 0.0, r.steps), start))
        if (told.verdict if told is not None else None) in ends:
            return together[0]
    return None


def _of_one_hand(hidden: Iterable[Step]) -> Iterator[list[Step]]:
    """Hidden events that tell of cards of one hand, or of the community, where there are several."""
    by_group: dict[str, list[Step]] = {}
    for step in hidden:
        if isinstance(step.event, CARD_EVENTS):
            by_group.setdefault(group_of(step.event.area), []).append(step)
    return (steps for steps in by_group.values() if len(steps) > 1)


def breach_holds(outcome: Outcome, r: Round, start: Callable[[], Round], judge: Rejudge) -> bool:
    """Whether a breach ends the same whenever, within their stretches, its hidden cards came or were turned: each alone, and all of them together.

    Only for checks that ask nothing of a card but which one it is. A breach that hangs on the moment of anything else than a card does not hold.

    Args:
        outcome: a breach, as the check told it.
        r: the round that was judged.
        start: a round as this one was before its first event.
        judge: the check.
    """
    hidden = [s for s in outcome.steps if s.event.earliest_s is not None and isinstance(s.event, CARD_EVENTS)]
    if any(_hangs_on(outcome, step) for step in outcome.steps if step not in hidden):
        return False
    told = dataclasses.replace(outcome, steps=())
    for course in _courses(hidden, r):
        judged = judge(_replayed(course, start))
        if judged is None or dataclasses.replace(judged, steps=()) != told:
            return False
    return True


def _ending(
    steps: Iterable[Step],
    r: Round,
    start: Callable[[], Round],
    judge: Rejudge,
    ends: Sequence[Verdict | None],
) -> Step | None:
    """The first event that, had it come at its earliest, makes the check end with one of `ends` (None: not end at all); None if none does."""
    for step in steps:
        course = _had_come_earlier(step, r)
        if course is None:
            continue
        told = judge(_replayed(course, start))
        if (told.verdict if told is not None else None) in ends:
            return step
    return None


def _replayed(course: Iterable[Step], start: Callable[[], Round]) -> Round:
    """A round with these events."""
    r = start()
    for step in course:
        r.add(step)
    return r


def _hangs_on(outcome: Outcome, step: Step) -> bool:
    since_s = step.event.earliest_s
    if since_s is None:
        return False
    return any(
        since_s < other.t_s < step.t_s and not _at_once(step, other) and not _over_it(step, other)
        for other in outcome.steps
    )


def _over_it(step: Step, hand: Step) -> bool:
    """Whether `hand` was over the place where `step` happened: that hand did it, so that it left before this was told proves no order."""
    return isinstance(hand.event, HandOver) and hand.event.area == step.area


def _courses(hidden: Sequence[Step], r: Round) -> Iterator[list[Step]]:
    """The events of a round with each of the hidden ones, and with all of them, as early as it can be but not before one moment, for every moment."""
    moments = sorted({step.t_s for step in r.steps if not isinstance(step.event, HandOver)})
    for moved in [*((step,) for step in hidden), tuple(hidden)]:
        since_s = min(step.event.earliest_s or 0.0 for step in moved)
        until_s = max(step.t_s for step in moved)
        for cut_s in [since_s, *(t_s for t_s in moments if since_s < t_s < until_s)]:
            yield _not_after(moved, cut_s, r.steps)


def _not_after(moved: Sequence[Step], cut_s: float, steps: Sequence[Step]) -> list[Step]:
    """Some events at a moment, or as near to it as their stretches reach; what happened to one card, or in one area, keeps its order."""
    indices = {step.index for step in moved}
    out: list[Step] = []
    for step in steps:
        if step.index in indices:
            same = [one.t_s for one in out if _same_thing(one.event, step.event)]
            t_s = min(step.t_s, max([step.event.earliest_s or 0.0, cut_s, *same]))
            step = step.told_with(t_s=t_s, earliest_s=None)
        out.append(step)
    return sorted(out, key=lambda step: step.t_s)


def hidden_in_words(step: Step) -> str:
    """What is missing, as a text."""
    area = getattr(step.event, "area", "the table")
    return f"when {area} changed: it was not made out between {step.event.earliest_s:.1f} s and {step.t_s:.1f} s"


def _had_come_earlier(step: Step, r: Round) -> list[Step] | None:
    """The events of a round with one of them at its earliest; None where that changes no order.

    What happened to one card, or in one area, keeps its order: it was seen one after the other.
    """
    since_s = step.event.earliest_s
    if since_s is None:
        return None
    place = next((i for i, one in enumerate(r.steps) if one.index == step.index), None)
    if place is None:
        return None
    before, after = r.steps[:place], r.steps[place + 1 :]
    since_s = max([since_s, _brought_s(step, r), *(one.t_s for one in before if _same_thing(one.event, step.event))])
    first = next((i for i, one in enumerate(before) if one.t_s > since_s), None)
    if first is None or not any(_counts(one, step) for one in before[first:]):
        return None
    moved = step.told_with(t_s=since_s, earliest_s=None)
    return [*before[:first], moved, *before[first:], *after]


def _brought_s(step: Step, r: Round) -> float:
    """When the first hand was over a card's place since the card can have come, without which it did not come; 0.0 where hands there are not surely seen.

    They are where two or more other cards of the place came, and each with a hand of the dealer's that was told.
    """
    event = step.event
    if not isinstance(event, CardPlaced) or event.earliest_s is None:
        return 0.0
    cards = [card for card in r.cards.values() if card.home == event.area]
    if len(cards) <= LEAST_BROUGHT or not all(arrivals.brought(r, card) for card in cards):
        return 0.0
    hands = r.over(event.area, event.earliest_s, event.t_s)
    return min((hand.event.since_s for hand in hands if isinstance(hand.event, HandOver)), default=0.0)


def _counts(other: Step, step: Step) -> bool:
    """Whether it matters that an event came after another."""
    return not isinstance(other.event, HandOver) and not _at_once(step, other)


def _same_thing(one: Event, other: Event) -> bool:
    """Whether two events tell of the same card or the same area."""
    if isinstance(one, HandOver):
        return False
    same_card = getattr(one, "card_id", None) == getattr(other, "card_id", 0)
    return same_card or getattr(one, "area", None) == getattr(other, "area", "")


def _at_once(step: Step, other: Step) -> bool:
    """Cards of one hand dealt together in a short stretch, dealt face down to one area, or shown by its player or the dealer however long that took, and wagers
    that one player took back: no law hangs on their order."""
    if _taken_back(step.event) and _taken_back(other.event):
        return group_of(step.event.area) == group_of(other.event.area)
    if not isinstance(step.event, CARD_EVENTS) or not isinstance(other.event, CARD_EVENTS):
        return False
    if step.event.area == other.event.area and _dealt_down(step.event) and _dealt_down(other.event):
        return True
    group = group_of(step.event.area)
    if group != group_of(other.event.area):
        return False
    short = step.event.earliest_s is not None and step.t_s - step.event.earliest_s < TOGETHER_S
    return short or (group != "community" and _shows(step.event) and _shows(other.event))


def _taken_back(event: Event) -> TypeGuard[WagerRemoved]:
    """Whether it tells that a player took a wager away."""
    return isinstance(event, WagerRemoved) and event.by is Side.PLAYER


def _dealt_down(event: Event) -> bool:
    """Whether it tells that a card came face down: of several in one area nobody can tell one from another."""
    return isinstance(event, CardPlaced) and event.face is Face.DOWN


def _shows(event: Event) -> bool:
    """Whether it tells that a card lies face up."""
    return isinstance(event, CardRead) or (isinstance(event, (CardPlaced, CardTurned)) and event.face is Face.UP)
