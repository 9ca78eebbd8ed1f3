"""Progressive meters: raised by their part of each wager, reseeded after they were won (669a.12(e)(3))."""

from __future__ import annotations

from collections.abc import Sequence

from rules.checks.base import Context, Outcome, breach, compliant, not_applicable, undetermined
from rules.checks.meter_standing import awards, order_of
from rules.checks.payment import ORDER
from rules.checks.progressive_deal import accepted
from rules.checks.progressive_facts import (
    Progressive,
    meter_readings,
    payments,
    paytable,
)
from rules.events import MeterRead
from rules.money import Cents, MeterShare, format_cents
from rules.paytables import Paytable
from rules.records import Step

VOID = "the meter before the wagers and after the round was void"


def rate(p: Progressive, ctx: Context) -> Outcome | None:
    """The meter grows by its part of each accepted wager, and stands at its reseed after it was won."""
    table, taken = paytable(ctx, p.wager), accepted(ctx, p.wager)
    if table is None or not table.meters:
        return not_applicable("no meter")
    if ctx.table.progressive_linked:
        return not_applicable("other tables feed the meter too")
    expected = "the meter raised by its part of each wager, and reseeded after a payout of all of it"
    if ctx.void_due:
        ends = [
            after_void(ctx, meter_readings(ctx, p.wager, m.name), sum(m.increment(Cents(e.amount_cents)) for _, e in taken), taken[0][0])
            for m in table.meters.values()
            if m.increment_percent is not None and taken and not any(payments(ctx, p.wager, s) for s in ctx.round.dealt_seats)
        ]  # fmt: skip
        return min(ends, key=lambda end: ORDER[end.verdict]) if ends else undetermined(expected, VOID)
    kept: list[Step] = []
    for meter in table.meters.values():
        readings = meter_readings(ctx, p.wager, meter.name)
        if meter.increment_percent is not None and taken:
            start, end = taken[0][0].t_s, taken[-1][0].t_s
            before = [s for s in readings if s.t_s <= start]
            paid = [x.step.t_s for seat in ctx.round.dealt_seats for x in payments(ctx, p.wager, seat)]
            after = [s for s in readings if s.t_s >= end and s.t_s > start and s.t_s <= min(paid, default=float("inf"))]
            if before and after:
                a, b = before[-1].event, after[0].event
                assert isinstance(a, MeterRead)
                assert isinstance(b, MeterRead)
                due = sum(meter.increment(Cents(event.amount_cents)) for _, event in taken)
                grown = b.amount_cents - a.amount_cents
                if abs(grown - due) > 1:
                    seen = f"{meter.name} raised by {format_cents(abs(grown))}{' down' if grown < 0 else ''}, due {format_cents(due)}"
                    return breach(expected, seen, [before[-1], *(s for s, _ in taken), after[0]])
                kept += [before[-1], after[0]]
        again = _reseed(p, ctx, table, meter.name, readings)
        if again is not None and again[0]:
            return breach(expected, again[0], again[1])
        kept += again[1] if again is not None else []
    if kept:
        return compliant(expected, "so raised", kept)
    if all(meter.increment_percent is None for meter in table.meters.values()):
        return not_applicable("the chapter names no rate, and the meter was not won or not read after it")
    if not taken:
        return not_applicable("no wager was accepted")
    return undetermined(expected, "the meter before and after the wagers", [s for s, _ in taken])


def after_void(ctx: Context, readings: Sequence[Step], due: int, wagered: Step) -> Outcome:
    """After a void round the meter stands as before the wagers, or as they raised it (ALL-A6).

    Args:
        ctx: the round.
        readings: of the meter, oldest first.
        due: cents by which the wagers raise it.
        wagered: the first of them.
    """
    back = ctx.table.reading("void.meter_rollback") == "true"
    expected = f"the meter {'set back to' if back else 'left as it was raised from'} what it showed before the wagers of the void round"
    before = [step for step in readings if step.t_s <= wagered.t_s]
    after = [step for step in readings if step.t_s >= ctx.void_since_s and step.t_s > wagered.t_s]
    if not before or not after:
        return undetermined(expected, VOID, [wagered])
    was, stands = before[-1].event, after[-1].event
    assert isinstance(was, MeterRead)
    assert isinstance(stands, MeterRead)
    grown, steps = stands.amount_cents - was.amount_cents, [before[-1], wagered, after[-1]]
    if abs(grown - (0 if back else due)) <= 1:
        return compliant(expected, f"at {format_cents(stands.amount_cents)}", steps)
    if back and abs(grown - due) <= 1:
        return undetermined(expected, "whether it was set back later", steps)
    return breach(
        expected, f"at {format_cents(stands.amount_cents)}, before at {format_cents(was.amount_cents)}", steps
    )


def unit_of(ctx: Context, wager: str) -> int | None:
    """The one amount of the wager that its paytable is printed for, None where it is for any."""
    rule = ctx.table.law.submission.get("units")
    if rule is None or rule["wager"] != wager:
        return None
    cents = rule["cents"].get(ctx.table.paytables.get(wager))
    return None if cents is None else int(cents)


def _reseed(
    p: Progressive, ctx: Context, table: Paytable, name: str, readings: Sequence[Step]
) -> tuple[str, list[Step]] | None:
    """What is wrong with the meter after a payout of all of it ("" for nothing), and the events; None where it was not won."""
    unit = ctx.table.progressive_unit_cents or unit_of(ctx, p.wager)
    if unit is None:
        return None
    due = table.meters[name].reseed(Cents(unit))
    for seat in ctx.round.dealt_seats:
        names, paid = p.names(ctx, seat), payments(ctx, p.wager, seat)
        line = table.line(names) if names is not None else None
        if not paid or line is None or not isinstance(line.pay, MeterShare):
            continue
        if line.pay.percent != 100 or line.pay.meter != name or p.out(ctx, seat) is not False:
            continue
        after = [s for s in readings if s.t_s > paid[-1].step.t_s]
        others = [order_of(award.step) for award in awards(p, ctx, seat, name)]
        if after and any(order_of(paid[-1].step) < other < order_of(after[0]) for other in others):
            continue
        if after and isinstance(after[0].event, MeterRead):
            stands = after[0].event.amount_cents
            seen = f"{name} at {format_cents(stands)} after it was won, due {format_cents(due)}"
            return "" if stands == due else seen, [paid[-1].step, after[0]]
    return None
