"""What stands on a meter at a player's turn: what was read of it last, less the shares paid since (639a.12(d)(5), (e)(1)-(2), 643a.12(d)(4), (e)(4))."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rules.checks.base import Context
from rules.checks.progressive_facts import Progressive, facts_of, payments, progressives, total_paid
from rules.events import MeterRead
from rules.money import Cents, MeterShare
from rules.records import Step


@dataclass(frozen=True, slots=True)
class Award:
    """A share of the meter that was paid.

    Attributes:
        step: the payment, the first of several.
        share: what the hand wins; None where that is not known.
        cents: all that this payment was; None where not counted.
        parts: players among whom the share is divided, each paid this much.
    """

    step: Step
    share: MeterShare | None
    cents: int | None
    parts: int = 1


def order_of(step: Step) -> tuple[float, int]:
    """When an event came, among others of the same moment too."""
    return step.t_s, step.index


def standing(
    readings: Sequence[Step], awards: Iterable[Award], turn: Step | None, reseed: Cents | None
) -> tuple[list[Step], Cents] | None:
    """The events it rests on, and cents on the meter at a turn.

    Args:
        readings: of this meter, in order.
        awards: of this meter to others, in any order.
        turn: the payment whose turn it is; None for the end.
        reseed: cents that the meter starts with after all of it was won; None where not known.

    Returns:
        None where the meter was not read before, or what was paid since is not what the law has: nobody knows then what is left.
    """
    until = (float("inf"), 0) if turn is None else order_of(turn)
    before = [step for step in readings if order_of(step) <= until]
    if not before or not isinstance(before[-1].event, MeterRead):
        return None
    steps, cents = [before[-1]], Cents(before[-1].event.amount_cents)
    since = order_of(before[-1])
    for award in sorted(awards, key=lambda award: order_of(award.step)):
        if not since < order_of(award.step) < until:
            continue
        if award.share is None or award.cents != award.share.of(cents) // award.parts:
            return None
        steps.append(award.step)
        left = reseed if award.share.percent == 100 else Cents(cents - award.share.of(cents))
        if left is None:
            return None
        cents = left
    return steps, cents


def awards(p: Progressive, ctx: Context, seat: int, meter: str) -> Iterator[Award]:
    """What the other seats were paid from a meter, or may have been: by the hand of each, and by another wager on the same meter."""
    for other in ctx.round.dealt_seats:
        facts = facts_of(p, ctx, other) if other != seat else None
        if facts is not None and facts.paid:
            pay = facts.line.pay if facts.line is not None else None
            known = facts.names is not None and facts.out is False
            if not known or (isinstance(pay, MeterShare) and pay.meter == meter):
                share = pay if known and isinstance(pay, MeterShare) else None
                yield Award(facts.paid[0].step, share, total_paid(facts.paid))
        for wager in progressives(ctx.table):
            if wager != p.wager:
                yield from (Award(payment.step, None, payment.cents) for payment in payments(ctx, wager, other))
