"""Whether a card surely came when it was told, with the deal and by the dealer's hand: only then its coming proves anything of an order."""

from __future__ import annotations

from rules.books import remembered
from rules.events import Face, Side, StackPlaced, group_of, seat_of
from rules.records import VERDICT_CONFIDENCE, CardSeen, Step
from rules.rounds import DEAL_PAUSE_S, Round

BROUGHT_S = 0.25
"""A card comes with a hand that was over its place so shortly before it came to rest or after it: 5,782 of 5,952 cards told in 124 films."""


@remembered
def anew(r: Round) -> frozenset[int]:
    """Indexes of the events with which cards came that may be others found anew."""
    return frozenset(card.placed.index for card in r.cards.values() if r.found_anew(card))


@remembered
def unbrought(r: Round) -> frozenset[int]:
    """Indexes of the events with which cards came to a place that no hand of the dealer's was over then: none may have come at that time.

    Where most come so, nobody tells of the dealer's hands. Of the 70 cards of these films that lay out of order none came so.
    """
    found = frozenset(card.placed.index for card in r.cards.values() if not brought(r, card))
    return found if 2 * len(found) < len(r.cards) else frozenset()


@remembered
def apart(r: Round) -> frozenset[int]:
    """Indexes of the events with which cards came that were none of the deal: to a place that has its cards in a stack, or when no deal went on.

    A deal goes on where within `DEAL_PAUSE_S` of one another cards surely come face down to two places, or stacks do.
    """
    stacks = [step for step in r.stack_units if isinstance(step.event, StackPlaced)]
    came = [(group_of(step.event.area), step.t_s) for step in stacks if isinstance(step.event, StackPlaced)]
    stacked = {group for group, _ in came}
    doubtful = anew(r) | unbrought(r)
    came += [
        (group_of(card.home), card.placed.t_s)
        for card in r.cards.values()
        if card.face_placed is Face.DOWN
        and card.placed.event.confidence >= VERDICT_CONFIDENCE
        and card.placed.index not in doubtful
    ]

    def is_apart(card: CardSeen) -> bool:
        own, t_s = group_of(card.home), card.placed.t_s
        return own in stacked or not any(group != own and abs(other_s - t_s) <= DEAL_PAUSE_S for group, other_s in came)

    return frozenset(card.placed.index for card in r.cards.values() if is_apart(card))


def brought(r: Round, card: CardSeen) -> bool:
    """Whether a hand of the dealer's was over a card's place when it came."""
    return bool(reaches(r, card))


def reaches(r: Round, card: CardSeen) -> tuple[Step, ...]:
    """The hands of the dealer's that were over a card's place when it came."""
    placed = card.placed
    return r.over(card.home, placed.since_s - BROUGHT_S, placed.t_s + BROUGHT_S, Side.DEALER)


def stacks_after(r: Round, t_s: float) -> list[Step]:
    """The stacks that seats surely got after a time: the first cards there, and within `DEAL_PAUSE_S` of another seat's or the table's."""
    stacks = [(step, group_of(step.event.area)) for step in r.stack_units if isinstance(step.event, StackPlaced)]
    cards = [(card.placed, group_of(card.home)) for card in r.cards.values()]
    return [
        step
        for step, group in stacks
        if step.t_s > t_s
        and seat_of(group) is not None
        and not any(own == group and other.t_s < step.t_s for other, own in (*stacks, *cards))
        and any(own != group and abs(other.t_s - step.t_s) <= DEAL_PAUSE_S for other, own in stacks)
    ]
