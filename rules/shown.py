"""What a hand that is shown proves of its deal: a card told as probable was dealt, or was none.

From above a card laid almost wholly on others may look like a nudge of the upper one, so it is told with little confidence
(`vision.tracking.piles.PROBABLE`). When the dealer lays the hand out its cards can be counted: as many as were told, the probable ones
included, and each was one; as many as were surely told, once no other is turned any more, and no probable one was. Where the numbers differ otherwise, or a card of the
hand was told gone before, all stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.events import Face
from rules.records import VERDICT_CONFIDENCE, CardSeen

LAID_OUT_S = 1.0
"""A hand is laid out card by card: so long after the last one was turned it lies shown, and what lay wholly under others has come to light."""
SURELY_DEALT = 0.7
"""Only cards told with this confidence or more leave no place for a probable one."""


def settled_by_showing(
    dealt: Sequence[CardSeen], shown: Sequence[CardSeen], wanted: int, *, over: bool
) -> tuple[CardSeen, ...]:
    """Confirm or reject, in place, the probable cards of a hand that lies shown; returns the rejected. Nothing changes while a face is not surely read.

    Which of the cards on one another is which nobody can tell before they are turned: where a card that is shown goes by the number of one
    that was none, it gets the beginning of one of the same place that is not shown.

    Args:
        dealt: the cards of one hand told during the deal, in the order in which they came to rest.
        shown: the cards of that hand lying on the table now.
        wanted: so many cards the hand has by law.
        over: whether the hand lies shown, so that no other card of it will be turned.
    """
    probable = [card for card in dealt if card.placed.event.confidence < VERDICT_CONFIDENCE]
    faces = [card for card in shown if card.face is Face.UP and card.area is not None]
    count = len({card.card for card in faces if _is_read(card)})
    gone = any(card.removed is not None for card in dealt)
    if not probable or gone or count < wanted or count != len(faces):
        return ()
    if count == len(dealt):
        sure = min(card.read.event.confidence for card in faces if card.read is not None)
        for card in probable:
            card.placed = card.placed.told_with(confidence=sure)
            card.proven_late = True
        return ()
    others = [card for card in dealt if card not in probable]
    if not over or count != len(others) or any(card.placed.event.confidence < SURELY_DEALT for card in others):
        return ()
    hidden = [card for card in others if card.face is not Face.UP]
    none = [found for card in probable if (found := _unshown(card, hidden)) is not None]
    if len(none) < len(probable):
        return ()
    for card, other in zip(probable, none, strict=True):
        card.placed, other.placed = other.placed, card.placed
    return tuple(none)


def _is_read(card: CardSeen) -> bool:
    return card.card is not None and card.read is not None and card.read.event.confidence >= VERDICT_CONFIDENCE


def _unshown(card: CardSeen, hidden: list[CardSeen]) -> CardSeen | None:
    """The card itself if it is not shown, else one that came to the same place, each only once; None where there is none."""
    if card.face is not Face.UP:
        return card
    for other in hidden:
        if (other.home, other.face_placed) == (card.home, card.face_placed):
            hidden.remove(other)
            return other
    return None
