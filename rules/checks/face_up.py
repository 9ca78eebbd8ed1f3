"""Cards found face up in the shoe or the deck while the cards were dealt (sections .13(a)): two of them void the round."""

from __future__ import annotations

from rules.books import remembered
from rules.events import CardPlaced, Face
from rules.house_events import CardFoundFaceUp
from rules.records import Step
from rules.rounds import Round

RACK = "discard_rack"


@remembered
def found_face_up(r: Round) -> list[Step]:
    """Cards found face up in the shoe or the deck while the cards were dealt, in order."""
    end = r.deal_over.t_s if r.deal_over is not None else r.now_s
    found: dict[int, Step] = {}
    for step in r.steps:
        event = step.event
        if isinstance(event, CardFoundFaceUp) and step.t_s <= end:
            found.setdefault(event.card_id, step)
        elif isinstance(event, CardPlaced) and event.area == RACK and event.face is Face.UP:
            started = r.first_card is not None and r.first_card.t_s <= step.t_s <= end
            if started and event.card_id not in r.cards:
                found.setdefault(event.card_id, step)
    return sorted(found.values(), key=lambda step: (step.t_s, step.index))


def while_dealing(r: Round, found: list[Step]) -> list[Step]:
    """Those of the cards found face up that surely were while the cards were dealt (.13(a)): after the announcement or the first card, and before another card."""
    starts = [step.t_s for step in (r.no_more_bets, r.first_card) if step is not None]
    dealt = [*(card.placed for card in r.dealt), *r.stack_units]
    last_s = max((step.t_s for step in dealt), default=0.0)
    return [step for step in found if starts and min(starts) <= step.t_s < last_s]


def voiding(r: Round) -> list[Step]:
    """The second card found face up, which voids the round, and those after it: found while the cards were dealt, or in a deal that was not ended."""
    found = found_face_up(r)
    if r.dealt_out():
        found = while_dealing(r, found)
    return found[many(r) - 1 :]


def many(r: Round) -> int:
    """How many void the round: a second one, or one of a stack of the automated shoe where the text is read so (ALL-A3)."""
    return 1 if r.table.dealing == "automated_shoe" and r.table.reading("faceup_in_stack") == "void" else 2
