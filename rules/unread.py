"""A card that lies face up and was not read: what holds whichever card it is, holds.

Of 52 or 53 cards those read elsewhere in the round are none of it, for one deck has each card once; each of the others is supposed in turn.
"""

from __future__ import annotations

from collections.abc import Generator

from rules.cards import DECK_FACES
from rules.events import Face
from rules.records import CardSeen
from rules.rounds import Round


def sole_unread(r: Round, seat: int) -> CardSeen | None:
    """The one card of a seat (0 = of the table alone) or of the table that lies face up without a name; None where there is none, or more than one."""
    unread = [
        card
        for card in r.cards.values()
        if card.face is Face.UP
        and card.card is None
        and not card.contradicted
        and (card.home == f"seat{seat}.cards" or not card.home.startswith("seat"))
    ]
    return unread[0] if len(unread) == 1 else None


def supposed(r: Round, card: CardSeen) -> Generator[str]:
    """Names the card by each that it can be, in turn, while the caller judges; it has no name afterwards, and nothing says that it was read."""
    read = {other.card for other in r.cards.values() if other.card is not None}
    try:
        for face in DECK_FACES[r.table.law.deck_cards]:
            if face not in read:
                r.suppose(card, face)
                yield face
    finally:
        r.suppose(card, None)
