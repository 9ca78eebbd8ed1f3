"""Which side up cards are dealt: face down to the seats and the community, as they are told, and as the course of the deal tells it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rules.checks.base import Context, Outcome, breach, compliant, hidden, undetermined
from rules.checks.deal_order import followed, is_part
from rules.checks.dealing import deal_window, is_stub, stacks_at, too_early
from rules.checks.sequence import prescribed, served
from rules.events import CardTurned, Face, StackPlaced, group_of
from rules.records import CardSeen, Step
from rules.rounds import Round

SIDE_UNKNOWN = "which side up a card came that was made out only when the hand lay shown"
FOUND_SO = "whether the card had lain face up in the shoe or the deck (.13(a)): it was taken away again while the cards were dealt"
PACE = 1.5
"""The last card of a deal comes no later after the one before than so many times the longest pause between two."""


def face_down_seat(ctx: Context, seat: int) -> Outcome | None:
    """A seat's cards are dealt face down (669a.8(d))."""
    stacks = stacks_at(ctx.round, f"seat{seat}")
    if stacks:
        return _stack_down(ctx, stacks)
    return face_down(ctx, ctx.round.seat_cards(seat), f"seat{seat}.cards", ctx.table.law.player_cards)


def face_down_community(ctx: Context, _: int) -> Outcome | None:
    """The community cards are dealt face down (669a.8(d))."""
    stacks = stacks_at(ctx.round, "community")
    if stacks:
        return _stack_down(ctx, stacks)
    cards = [card for card in ctx.round.community_cards if ctx.round.is_dealt(card)]
    return face_down(ctx, cards, "community", ctx.table.law.community_cards)


def _stack_down(ctx: Context, stacks: Sequence[Step]) -> Outcome | None:
    """No card of a dealt stack shows its face."""
    expected = "every card face down"
    for step in stacks:
        event = step.event
        assert isinstance(event, StackPlaced)
        if event.exposed:
            return breach(expected, "a card of the stack lay face up", [step], area=event.area)
    return None if too_early(ctx) else compliant(expected, "a stack dealt face down", stacks)


def face_down(ctx: Context, cards: Sequence[CardSeen], area: str, wanted: int) -> Outcome | None:
    """Cards of an area dealt face down, as many as the law has there; one that was not seen may have shown its face."""
    r = ctx.round
    if not cards:
        return None
    expected = "every card face down"
    for card in cards:
        if dealt_up(card) and (proof := dealt_on(r, card)) is not None and not put_aside(r, card):
            return breach(expected, f"a card{in_brackets(card)} dealt face up", [*card.steps, proof], area=card.home)
    if too_early(ctx):
        return None
    gap = hidden(ctx, expected, (area, *(card.home for card in cards)), *deal_window(r))
    if gap is not None:
        return gap
    aside = [card for card in cards if dealt_up(card) and put_aside(r, card)]
    if aside:
        return undetermined(
            expected, FOUND_SO, [step for card in aside for step in (card.placed, card.removed) if step]
        )
    if any(dealt_up(card) for card in cards):
        return undetermined(expected, "whether the card was dealt face up or turned later", [c.placed for c in cards])
    if len(cards) < wanted:
        up = up_where_due(r, group_of(area))
        if up is None:
            missing = f"only {len(cards)} of {wanted} cards were seen as they came"
            return undetermined(expected, missing, [c.placed for c in cards])
        card, steps = up
        seen = f"a card{in_brackets(card)} face up when the next card there was due"
        return breach(expected, seen, steps, area=card.home)
    if any(card.proven_late for card in cards):
        return undetermined(expected, SIDE_UNKNOWN, [c.placed for c in cards])
    return compliant(expected, f"{len(cards)} dealt face down", [c.placed for c in cards])


def dealt_on(r: Round, card: CardSeen) -> Step | None:
    """What shows that dealing went on after a card, so that it was part of the deal: another, or a stack, that surely came then, or the stub; the surest of them."""
    t = card.placed.t_s
    later = [other.placed for other in r.dealt if other.placed.t_s > t and other.face_placed is Face.DOWN]
    later += [step for step in r.stack_units if step.t_s > t and group_of(step.area or "") != group_of(card.home)]
    proofs = [*followed(r, later), *(step for step in r.stacks if step.t_s > t and is_stub(r, step))]
    return max(proofs, key=lambda step: (step.since_s > t, step.event.confidence), default=None)


def put_aside(r: Round, card: CardSeen) -> bool:
    """Whether a card was taken to the rack, or nobody knows where, before the deal was over, as one found face up in the shoe or the deck is (.13(a))."""
    end_s = r.deal_over.t_s if r.deal_over is not None else r.now_s
    return card.removed is not None and card.removed.t_s <= end_s and card.to_area in ("discard_rack", None)


def dealt_up(card: CardSeen) -> bool:
    """Whether a card was seen to come face up, not to be shown so later."""
    return card.face_placed is Face.UP and card.turned is not card.placed


def lay_up(r: Round, card: CardSeen, t_s: float) -> bool:
    """Whether a card lay face up at a time, and was not seen to be turned down again."""
    face = card.face_placed
    for step in r.steps:
        event = step.event
        if getattr(event, "card_id", None) == card.card_id and step.t_s <= t_s:
            face = getattr(event, "face", face)
    return face is Face.UP


def in_brackets(card: CardSeen) -> str:
    """Its name for a sentence, e.g. " (Ah)"; nothing where it was not read."""
    return f" ({card.card})" if card.card else ""


def up_where_due(r: Round, group: str) -> tuple[CardSeen, list[Step]] | None:
    """The card that turned up in a place where its next card was due and none was told to come, and the events that show it.

    That card was laid on the others face up, or the dealer turned one of these instead of dealing: neither leaves all of them face down.
    With the turn in the place of the coming the deal kept the order of the chapter, and no card lacks but of this place; the dealer's hand
    alone was over it, and nobody had decided. After the last card of a deal the stub comes, and the turn kept the pace of the deal.
    """
    dealt = served(r)
    wanted = [name for name, count in prescribed(r) for _ in range(count)]
    decision = r.table.law.decision
    bets = [w.placed for seat in r.dealt_seats if decision and (w := r.wager(seat, decision)) is not None]
    elsewhere = [name for name, _ in dealt if name != group] == [name for name in wanted if name != group]
    for card in r.group_cards(group) if elsewhere and len(dealt) > 1 else ():
        turned = card.turned
        if turned is None or not isinstance(turned.event, CardTurned) or turned.event.card is None:
            continue
        course = sorted([*dealt, (group, turned)], key=lambda unit: (unit[1].t_s, unit[1].index))
        place = course.index((group, turned))
        if place == 0 or not is_part([name for name, _ in course], wanted):
            continue
        before = course[place - 1][1]
        after = course[place + 1][1] if place + 1 < len(course) else _stub_in_pace(r, course)
        if after is None or not before.t_s < turned.since_s or not turned.t_s < after.since_s:
            continue
        hands = r.dealers_alone(card.home, before.t_s, turned.t_s)
        if hands and all(turned.t_s < bet.since_s for bet in bets):
            return card, [before, turned, *hands, after]
    return None


def _stub_in_pace(r: Round, course: Sequence[tuple[str, Step]]) -> Step | None:
    """The stub that came to the rack after the last card of a deal; None where that came later than the deal's pace."""
    pauses = [b.t_s - a.t_s for (_, a), (_, b) in pairwise(course)]
    if pauses[-1] > PACE * max(pauses[:-1]):
        return None
    return next((step for step in r.stacks if is_stub(r, step)), None)
