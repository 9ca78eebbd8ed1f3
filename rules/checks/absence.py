"""Wagers that were not told: what shows that none was made.

A wager can be missed, and the hand that laid it too. That nothing was told of one proves nothing by itself, unless the table's sources are sure to tell of
wagers (`reports`) or the sight was sure of who reached for the seat (ADR 49).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.arrivals import BROUGHT_S
from rules.checks.base import Context
from rules.events import HandOver, Side, WagerPlaced, seat_of
from rules.records import Step, Wager
from rules.rounds import Round

NOT_MADE_OUT = "whether chips lie there that were not made out: a hand that was not the dealer's reached for the place"
NEAR_BY = "whether chips lie there that were not made out: a hand that was not the dealer's reached for the seat, and no chips are told of it"
HANDS_UNSURE = "whether chips lie there that were not made out: not every hand that lays chips is told here"
PLAYS = "whether chips lie there that were not made out: the seat takes part in the round"
LAID_S = 1.0
"""Chips may come to rest this much after the first card."""


def reached(r: Round, area: str) -> list[Step]:
    """Hands that may have laid chips before the deal which were not made out: not the dealer's, and after what was seen was taken."""
    until_s = r.first_card.t_s + LAID_S if r.first_card is not None else 0.0
    gone = [life.removed.t_s for life in r.wagers.get(area, ()) if life.removed is not None]
    since_s = max((t_s for t_s in gone if t_s <= until_s), default=0.0)
    hands = [(step, step.event) for step in r.hands.get(area, ())]
    return [
        step
        for step, hand in hands
        if isinstance(hand, HandOver)
        and hand.side is not Side.DEALER
        and since_s < hand.t_s
        and hand.since_s <= until_s
    ]


def missed(ctx: Context, seat: int, names: Iterable[str]) -> tuple[str, list[Step]] | None:
    """Why wagers of a seat that were not told may have been made before the deal all the same, with the events that say so; None where none was.

    Args:
        seat: it was dealt in.
        names: the wagers of which nothing was told.
    """
    r = ctx.round
    hands = [hand for name in names for hand in reached(r, f"seat{seat}.{name}")]
    if hands:
        return f"{NOT_MADE_OUT} before the deal", hands
    if ctx.reported(WagerPlaced.kind):
        return None
    told = [
        step for name in ctx.table.law.wagers for life in r.wagers.get(f"seat{seat}.{name}", ()) for step in life.steps
    ]
    near = [
        hand for name in ctx.table.law.wagers for hand in reached(r, f"seat{seat}.{name}") if not _tells(r, hand, told)
    ]
    if near:
        return f"{NEAR_BY} before the deal", near
    made = list(_made(r, range(1, ctx.table.seats + 1)))
    unsure = [wager.placed for wager in made if not _laid_by_hand(r, wager)]
    own = [step for step in unsure if seat_of(step.area or "") == seat]
    if own or 2 * len(unsure) >= len(made):
        return HANDS_UNSURE, own or unsure
    return None


def missed_all(ctx: Context, seat: int) -> tuple[str, list[Step]] | None:
    """Why a seat without a base wager may have made them before the deal all the same; None where it made none.

    Who has another wager, decides, is paid, or takes the cards up plays the round: that its base wagers were missed is likelier then than that it had none.
    """
    law, r = ctx.table.law, ctx.round
    found = missed(ctx, seat, law.base)
    if found is not None or ctx.reported(WagerPlaced.kind):
        return found
    signs = [*signs_of_play(r, seat), *(wager.placed for wager in _made(r, [seat]))]
    since_s = r.first_card.t_s if r.first_card is not None else 0.0
    signs += [hand for hand in r.over(f"seat{seat}.cards", since_s, r.now_s) if hand.side is not Side.DEALER]
    return (PLAYS, signs) if signs else None


def signs_of_play(r: Round, seat: int) -> list[Step]:
    """What was done at a seat that is done at one in the round only: it decided, or a wager of it was paid or collected."""
    law = r.table.law
    lives = [life for name in law.wagers for life in r.wagers.get(f"seat{seat}.{name}", ())]
    signs = [step for life in lives for step in life.payouts]
    signs += [life.removed for life in lives if life.removed is not None and life.taken_by is Side.DEALER]
    made = r.wager(seat, law.decision) if law.decision is not None else None
    signs += [made.placed] if made is not None else []
    return signs + [step for step in r.decisions if getattr(step.event, "seat", None) == seat]


def _tells(r: Round, hand: Step, told: Iterable[Step]) -> bool:
    """Whether chips are told that came or went under a hand, at its seat: at a moment of its stay, or under another that was over their own place meanwhile.

    Chips that can have come long before they are told do not account for every hand since.
    """
    since_s = getattr(hand.event, "since_s", hand.t_s)
    for step in told:
        if since_s - BROUGHT_S <= step.t_s <= hand.t_s + BROUGHT_S:
            return True
        own = r.over(step.area or "", step.t_s - BROUGHT_S, step.t_s + BROUGHT_S)
        if any(getattr(one.event, "since_s", one.t_s) <= hand.t_s and one.t_s >= since_s for one in own):
            return True
    return False


def _made(r: Round, seats: Iterable[int]) -> Iterator[Wager]:
    """Wagers of seats that were made for this round before its deal."""
    for seat in seats:
        for name in r.table.law.wagers:
            wager = r.wager(seat, name)
            if wager is not None and not wager.carried and r.locked(wager):
                yield wager


def _laid_by_hand(r: Round, wager: Wager) -> bool:
    """Whether a hand that was not the dealer's is told over a wager's place when it was made."""
    hands = r.over(wager.area, wager.placed.since_s - BROUGHT_S, wager.placed.t_s + BROUGHT_S)
    return any(hand.side is not Side.DEALER for hand in hands)
