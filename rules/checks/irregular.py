"""Irregularities of the shoe and the deck: cards found face up, cards drawn in error, devices that fail (sections .13)."""

from __future__ import annotations

from rules.checks.base import Check, Context, Judge, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.dealing import stacks_at, too_early
from rules.checks.dealt_sides import dealt_on, dealt_up, in_brackets, put_aside
from rules.checks.face_up import RACK, found_face_up, many, while_dealing
from rules.checks.opening import before_deal, of_kind
from rules.checks.void import settlement_after
from rules.event_base import Agent
from rules.events import (
    CardMoved,
    CardPlaced,
    CardRemoved,
    DeviceJammed,
    Event,
    Face,
    ShufflerCounted,
    Side,
    StackPlaced,
    StubCounted,
    group_of,
    seat_of,
)
from rules.house_events import CardDrawn, CardsShuffled, DeviceState
from rules.records import CardSeen, Step
from rules.rounds import Round

DECK_PLACES = ("shoe", "hand", "deck", "shuffler")


def racked_in_deal(r: Round) -> list[CardSeen]:
    """Cards that were dealt to a place and put into the discard rack before the deal was over or the stub counted, so that they lie neither in a hand nor in the stub.

    Without those of a community stack that are to go there (643a.10(b)).
    """
    end_s = r.deal_over.t_s if r.deal_over is not None else r.now_s
    start_s = r.first_card.t_s if r.first_card is not None else end_s
    counts = (s.t_s for s in r.external if isinstance(s.event, StubCounted) and s.t_s >= start_s)
    end_s = min(end_s, next(counts, end_s))
    gone = [c for c in r.dealt if c.to_area == RACK and c.removed is not None and c.removed.t_s <= end_s]
    due = [c for c in gone if group_of(c.home) == "community" and not dealt_up(c)]
    due = due[: r.table.law.discards(r.table.dealing)]
    return [c for c in gone if c not in due]


def _exposed(r: Round) -> list[CardSeen]:
    """Cards of players dealt face up, where they are treated as found so in the shoe (ALL-A5)."""
    if r.table.reading("exposed_player_card") != "burn":
        return []
    cards = [card for seat in r.dealt_seats for card in r.seat_cards(seat) if dealt_up(card) and dealt_on(r, card)]
    return sorted(cards, key=lambda card: (card.placed.t_s, card.placed.index))


def _use_of_exposed(r: Round, card: CardSeen) -> Outcome | list[Step] | None:
    """What became of a card that was to be burned: the breach, the events with which it was racked, or None where not known."""
    gone, on = card.removed, next((step for step, _ in r.shown), None)
    if gone is not None and (on is None or gone.t_s < on.t_s):
        return [card.placed, gone] if card.to_area == RACK else None
    if on is None:
        return None
    return breach("a card dealt face up in the discard rack, and not used", f"used at {card.home}", [card.placed, on], area=card.home)  # fmt: skip


def _card_id(event: Event) -> int:
    return event.card_id  # type: ignore[attr-defined, no-any-return]


def _next_place(r: Round, step: Step) -> tuple[Step, str] | None:
    """Where the card of a step came to lie afterwards, None where that was not seen."""
    card_id = _card_id(step.event)
    for other in r.steps:
        event = other.event
        if other.index < step.index or not hasattr(event, "card_id") or _card_id(event) != card_id:
            continue
        if isinstance(event, (CardPlaced, CardMoved)):
            return other, event.area
        if isinstance(event, CardRemoved):
            return other, event.to_area or ""
    return None


def _last_place(r: Round, step: Step) -> tuple[Step, str] | None:
    """Where the card of a step came to lie, and in the discard rack where it was put there before a card was shown."""
    place = _next_place(r, step)
    known = r.cards.get(_card_id(step.event))
    on_s = min((shown.t_s for shown, _ in r.shown), default=float("inf"))
    if known is not None and known.to_area == RACK and known.removed is not None and known.removed.t_s < on_s:
        return known.removed, RACK
    return place


def burned(r: Round) -> tuple[list[Step], list[Step]]:
    """Cards found face up that were put into the discard rack as .13(a) wants, so that they lie neither in a hand nor in the stub; and those that went nobody knows where.

    Without those that were dealt to a place first (`racked_in_deal`).
    """
    racked, unknown = [], []
    dealt = {card.card_id for card in r.dealt}
    for step in found_face_up(r):
        place = _next_place(r, step)
        if place is None or not place[1]:
            unknown.append(step)
        elif place[1] == RACK and _card_id(step.event) not in dealt:
            racked.append(step)
    return racked, unknown


def face_up_once(ctx: Context, _: int) -> Outcome | None:
    """A card found face up is not used in the round and goes to the discard rack (.13(a))."""
    r = ctx.round
    found = found_face_up(r)
    expected = "a card found face up in the discard rack, and not used"
    open_: list[Step] = []
    kept: list[Step] = []
    sure = while_dealing(r, found)
    for step in found:
        place = _last_place(r, step)
        if place is None or not place[1]:
            open_.append(step)
            continue
        other, area = place
        in_hand = seat_of(area) is not None or area.startswith(("community", "dealer", "extra", "six_card"))
        if area == RACK:
            kept += [step, other]
        elif step not in sure or not (in_hand or area in DECK_PLACES):
            open_.append(step)
        elif not in_hand:
            return breach(expected, f"put back into the {area}", [step, other], area=area)
        elif r.deal_over is not None or ctx.closing:
            return breach(expected, f"used at {area}", [step, other], area=area)
    for card in _exposed(r):
        use = _use_of_exposed(r, card)
        if isinstance(use, Outcome):
            return use
        (open_ if use is None else kept).extend(use or [card.placed])
    if not ctx.closing:
        return None
    if not found and not open_ and not kept:
        return not_applicable("no card was found face up")
    if open_:
        went = [step for step in open_ if (place := _last_place(r, step)) is None or not place[1]]
        missing = "where the card went" if went else "whether the cards were being dealt when the card was found"
        return undetermined(expected, missing, open_)
    return compliant(expected, "so placed", kept)


def goes_on(r: Round, since_s: float) -> Step | None:
    """The first sign after a time that the round was played on: a card dealt or turned, a payout, a wager collected."""
    signs = [
        step for step in (*(card.placed for card in r.dealt), *(step for step, _ in r.shown)) if step.t_s > since_s
    ]
    signs += settlement_after(r, since_s)
    return min(signs, key=lambda step: (step.t_s, step.index), default=None)


def face_up_twice(ctx: Context, _: int) -> Outcome | None:
    """A second card found face up voids the round (.13(a))."""
    r = ctx.round
    found = sorted([*found_face_up(r), *(card.placed for card in _exposed(r))], key=lambda s: (s.t_s, s.index))
    least = many(r)
    if len(found) < least:
        return not_applicable("fewer than two cards were found face up") if ctx.closing else None
    which = "a card of a stack" if least == 1 else "a second card"
    expected = f"all hands void and every wager returned after {which} was found face up"
    sure = while_dealing(r, found)[:least]
    following = goes_on(r, sure[-1].t_s + 1.0) if len(sure) == least else None
    if following is not None:
        return breach(expected, f"play went on at {following.t_s:.1f} s", [*sure, following])
    if not ctx.closing:
        return None
    wagers = [life for lives in r.wagers.values() for life in lives if not life.carried]
    back = [life.removed for life in wagers if life.removed is not None and life.taken_by is Side.PLAYER]
    if wagers and len(back) == len(wagers):
        return compliant(expected, "the players took their wagers back", [*found[:least], *back])
    dealing = "whether the cards were being dealt when each card was found"
    return undetermined(expected, "where every wager went" if len(sure) == least else dealing, found)


def stacks_down(judge: Judge) -> Judge:
    """The order of the stacks, each of them delivered face down, where one sentence says both (639a.10(b), 643a.10(b))."""

    def judged(ctx: Context, seat: int) -> Outcome | None:
        stacks = [(step, step.event) for step in ctx.round.stack_units]
        up = [(step, stack) for step, stack in stacks if isinstance(stack, StackPlaced) and stack.exposed]
        if too_early(ctx):
            return judge(ctx, seat)
        if not up:
            return _laid_up(ctx) or judge(ctx, seat)
        expected, (step, stack) = "every stack face down", up[0]
        if found_face_up(ctx.round):
            return undetermined(expected, "whether the card was the one found face up (.13(a))", [step])
        seen = "a card of the stack lay face up"
        return breach(expected, seen, [step], seat=seat_of(stack.area), area=stack.area)

    return judged


def _laid_up(ctx: Context) -> Outcome | None:
    """The breach that a seat got face up what others got as a stack: from above it is the card that lies uppermost. None where none did."""
    r = ctx.round
    seats = [seat for seat in r.dealt_seats if r.stack_units and not stacks_at(r, f"seat{seat}")]
    for card in (card for seat in seats for card in r.seat_cards(seat) if dealt_up(card) and not put_aside(r, card)):
        proof = dealt_on(r, card)
        if proof is not None and not found_face_up(r):
            seen = f"a card{in_brackets(card)} of the stack lay face up"
            return breach("every stack face down", seen, [*card.steps, proof], seat=seat_of(card.home), area=card.home)
    return None


def drawn_in_error(ctx: Context, _: int) -> Outcome | None:
    """A card drawn in error, its face not exposed, is used as the next card (.13(b)); of several each in its turn."""
    r = ctx.round
    expected = "a card drawn in error used as the next card"
    drawn = [(step, event.card_id) for step, event in ctx.outside(CardDrawn) if event.in_error]
    drawn = [(step, own) for step, own in drawn if not _came_up(r, step)]
    open_: list[Step] = []
    kept: list[Step] = []
    for step, own in drawn:
        place = _next_place(r, step)
        following = [c for c in r.dealt if c.placed.t_s >= step.t_s and c.card_id != own]
        if place is None or not place[1]:
            if (following and any(c.card_id == own for c in r.dealt) is False and ctx.closing) or not following:
                open_.append(step)
            continue
        other, area = place
        if area == RACK or area in DECK_PLACES:
            where = "racked" if area == RACK else f"put back into the {area}"
            if any(card.placed.t_s > other.t_s for card in following):
                return breach(expected, where, [step, other], area=area)
            open_.append(step)
            continue
        in_error = {number: before for before, number in drawn}
        sooner = [card for card in following if card.placed.t_s < other.t_s]
        before = [card.placed for card in sooner if card.card_id not in in_error]
        if before:
            return breach(expected, f"another card was dealt first, at {before[0].t_s:.1f} s", [step, before[0], other])
        if any(in_error[card.card_id].t_s > step.t_s for card in sooner):
            open_.append(step)
        kept += [step, other]
    if not ctx.closing:
        return None
    if not drawn:
        return not_applicable("no card was drawn in error")
    if open_:
        return undetermined(expected, "where the card went, or which card was the next", open_)
    return compliant(expected, "so used", kept)


def _came_up(r: Round, step: Step) -> bool:
    """Whether a drawn card showed its face as it came to rest, or was found face up: no card of .13(b)."""
    own = _card_id(step.event)
    if any(_card_id(other.event) == own for other in found_face_up(r)):
        return True
    place = _next_place(r, step)
    return place is not None and getattr(place[0].event, "face", Face.DOWN) is Face.UP


def shuffler_jam(ctx: Context, _: int) -> Outcome | None:
    """After the shuffler jammed the cards are reshuffled before they are dealt (.13(e))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    jams = [s for s in of_kind(steps, DeviceJammed) if getattr(s.event, "device", "") == "shuffler"]
    jams += [s for s in of_kind(steps, CardsShuffled) if _broken_off(s)]
    if not jams:
        return not_applicable("no jam of the shuffler") if ctx.closing else None
    jam = max(jams, key=lambda s: s.t_s)
    expected = "the cards reshuffled after the shuffler jammed"
    if ctx.table.decks == 2 and getattr(jam.event, "back", None) is None:
        return undetermined(expected, "which of the two decks was in the shuffler", [jam]) if ctx.closing else None
    done = [s for s in of_kind(steps, CardsShuffled, ShufflerCounted, since_s=jam.t_s) if not _broken_off(s)]
    if done:
        return compliant(expected, "reshuffled", [jam, done[0]])
    first = ctx.round.first_card
    assert first is not None
    missing = absent(ctx, expected, CardsShuffled.kind, "whether the cards were reshuffled", jam.t_s, first.t_s)
    return missing or breach(expected, "dealt without another shuffle", [jam, first])


def _broken_off(step: Step) -> bool:
    event = step.event
    return isinstance(event, CardsShuffled) and not event.complete and event.by is Agent.DEVICE


def out_of_order(ctx: Context, _: int) -> Outcome | None:
    """A device out of use is covered or signed before another method is used (.13(g))."""
    first = ctx.round.first_card
    if first is None:
        return None
    states = [(s, s.event) for s in ctx.memory.handling if isinstance(s.event, DeviceState) and s.t_s <= first.t_s]
    last: dict[str, tuple[Step, DeviceState]] = {event.device: (step, event) for step, event in states}
    failed = [(step, event) for step, event in last.values() if not event.usable]
    if not failed:
        return not_applicable("no device is out of use")
    expected = "a device out of use covered, or with an out-of-order sign, before another is used"
    steps = before_deal(ctx)
    if steps is None:
        return None
    ready = of_kind(steps, CardsShuffled, ShufflerCounted)
    if ready and getattr(ready[-1].event, "by", Agent.DEVICE) is Agent.DEVICE:
        # it shuffled these cards before it failed, and no other way of shuffling was used since
        failed = [(step, event) for step, event in failed if event.device != "shuffler" or step.t_s < ready[-1].t_s]
        if not failed:
            return undetermined(expected, "what the next cards are shuffled with", ready[-1:]) if ctx.closing else None
    for step, event in failed:
        if not event.marked:
            return breach(expected, f"cards dealt with the {event.device} neither covered nor signed", [step, first])
    return compliant(expected, "covered or signed", [step for step, _ in failed])


def checks(prefix: str) -> tuple[Check, ...]:
    """The group for any game."""
    return (
        Check(f"{prefix}-IRR-FACEUP-1", face_up_once),
        Check(f"{prefix}-IRR-FACEUP-2", face_up_twice),
        Check(f"{prefix}-IRR-DRAWN", drawn_in_error),
        Check(f"{prefix}-IRR-SHUFJAM", shuffler_jam),
        Check(f"{prefix}-IRR-OOS", out_of_order),
    )
