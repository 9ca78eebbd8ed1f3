"""Progressive payouts, envy bonuses and meters: verified, lit, validated, paid in full, from the right purse (.11, .12).

What differs between the games is data in `Progressive`. Payments come as `bonus_paid` events, or as chips put down in the
wager's area. What was not seen to be paid is undetermined unless the table's sources are sure to tell of payouts.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.checks.base import Check, Context, Details, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.envy import envy_multi, envy_own, envy_pay
from rules.checks.meter_standing import awards, standing
from rules.checks.meters import rate, unit_of
from rules.checks.patrons import house_decides, unless_forfeit
from rules.checks.payment import is_share, rounded
from rules.checks.progressive_facts import (
    Facts,
    Names,
    Progressive,
    facts_of,
    meter_readings,
    payments,
    total_paid,
    winner,
    without_wager,
)
from rules.checks.settle_order import title
from rules.checks.void import unless_void
from rules.event_base import Source
from rules.events import FloorDecision
from rules.findings import Verdict
from rules.house_events import AwardLit, BonusPaid
from rules.money import Basis, Cents, MeterShare, Odds, format_cents
from rules.records import Step

ROWS: Mapping[str, str] = {
    "verify": "SET-PROG-VERIFY",
    "light": "SET-PROG-LIGHT",
    "floor": "SET-PROG-FLOOR",
    "pay": "SET-PROG-PAY",
    "purse": "SET-PROG-100",
    "cards": "SET-PROG-CARDS",
    "envy_pay": "ENVY-PAY",
    "envy_multi": "ENVY-MULTI",
    "envy_own": "ENVY-OWN",
    "highest": "PAY-HIGHEST",
    "rate": "METER-RATE",
    "turn": "METER-TURN",
}
"""The end of each check's id; a game maps its own, and leaves out what its chapter does not have."""
OWED = ("verify", "pay", "turn", "cards", "envy_pay", "envy_multi")
"""Rows that say what is owed, which is nothing in a void round but that the wager is given back."""


def checks(p: Progressive) -> tuple[Check, ...]:
    """The checks of one progressive wager."""
    judges = {
        "verify": _verify, "light": _light, "floor": _floor, "pay": _pay, "purse": _purse, "cards": _cards,
        "envy_pay": envy_pay, "envy_multi": envy_multi, "envy_own": envy_own, "highest": _highest, "turn": _turn,
    }  # fmt: skip

    def check(row: str, end: str) -> Check:
        judge = judges[row]

        def judged(ctx: Context, seat: int) -> Outcome | None:
            outcome = judge(p, ctx, seat)
            owed = row in OWED and not p.settled_if_void(ctx, p.wager)
            return unless_forfeit(ctx, seat, unless_void(ctx, outcome)) if owed else outcome

        return Check(f"{p.prefix}-{end}", judged, per_seat=True, at_close=True)

    if "turn" not in p.rows:
        judges["pay"] = _pay_any
    made = [check(row, end) for row, end in p.rows.items() if row in judges]
    if "rate" in p.rows:
        made.append(Check(f"{p.prefix}-{p.rows['rate']}", lambda ctx, _: rate(p, ctx), at_close=True))
    return tuple(made)


def _verify(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A hand is paid only where it wins."""
    facts = facts_of(p, ctx, seat)
    if facts is None:
        paid = payments(ctx, p.wager, seat) if ctx.closing else []
        return without_wager(ctx, p.wager, seat, paid, "paid") if paid else not_applicable("no progressive wager")
    expected = f"{title(p.wager)} paid only to a hand verified as a winning one"
    if not facts.paid:
        return not_applicable("nothing was paid")
    if facts.names is None:
        return undetermined(expected, "the hand (not all cards were read)", facts.steps)
    if facts.out:
        return not_applicable("folded; see the check of folded hands")
    if facts.line is None:
        return breach(
            expected, f"paid on {facts.names[-1]}", facts.steps, owed_cents=0, paid_cents=total_paid(facts.paid),
            area=f"seat{seat}.{p.wager}",
        )  # fmt: skip
    return compliant(expected, f"{facts.line.hand}", facts.steps)


def _before(ctx: Context, facts: Facts, marks: list[Step], expected: str, kind: str, what: str) -> Outcome:
    """Whether one of these events came before the first payment."""
    first = facts.paid[0].step
    early = [step for step in marks if step.t_s <= first.t_s]
    if early:
        return compliant(expected, "so done", [early[0], first])
    if marks:
        return breach(expected, f"{marks[0].t_s - first.t_s:.1f} s after the payment", [first, marks[0]])
    missing = absent(ctx, expected, kind, what, facts.placed.t_s, first.t_s)
    return missing or breach(expected, "paid without it", [facts.placed, first])


def _light(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """The system's light shows the award before it is paid."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    if not facts.paid:
        return not_applicable("nothing was paid")
    lit = [s for s, e in ctx.outside(AwardLit) if e.seat == seat and e.wager == p.wager]
    return _before(ctx, facts, lit, "the light of the award lit before it is paid", AwardLit.kind, "whether it was lit")


def _floor(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A floorperson validates the payout before it is paid."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    if not facts.paid:
        return not_applicable("nothing was paid")
    entries = [
        s for s, e in ctx.outside(FloorDecision) if e.decision == "validate_payout" and e.seat in (None, seat)
    ]  # fmt: skip
    expected = "the payout validated by a floorperson before it is paid"
    return _before(ctx, facts, entries, expected, FloorDecision.kind, "whether a floorperson validated it")


def _owed(p: Progressive, ctx: Context, facts: Facts) -> int | None:
    """Cents put down at odds, None for a share of the meter or an unknown stake.

    Odds "to 1" bring back the stake, which was collected before the deal (687a.8(c), 687a.12(c), DJW-A11).
    """
    if facts.line is None or not isinstance(facts.line.pay, Odds) or facts.cents is None:
        return None
    stake, odds = Cents(facts.cents), facts.line.pay
    return odds.total_return(stake) if _stake_back(p, ctx, facts) else odds.winnings(stake)


def _stake_back(p: Progressive, ctx: Context, facts: Facts) -> bool:
    """Whether a win brings back the stake on top of its odds: as printed, not where the house reads them as "for 1", nor where the chips lie there still."""
    if facts.line is None or not isinstance(facts.line.pay, Odds) or facts.line.pay.basis is not Basis.TO:
        return False
    return facts.collected and (p.basis is None or ctx.table.reading(p.basis) == Basis.TO)


def _pay(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A win at odds is paid at these odds."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    if not isinstance(facts.line.pay, Odds):
        return not_applicable("a share of the meter; see the check of the meter at the player's turn")
    owed = _owed(p, ctx, facts)
    if owed is None:
        return undetermined(f"{facts.line.hand} {facts.line.pay}", "the amount of the wager", facts.steps)
    stake = facts.cents or 0
    back = " and the stake" if _stake_back(p, ctx, facts) else ""
    way = f"{facts.line.hand} {facts.line.pay} on {format_cents(stake)}{back}: {format_cents(owed)}"
    outcome = _amount(ctx, facts, way, owed, seat, p.wager)
    if outcome.paid_cents is not None and outcome.paid_cents - owed in _lower(facts):
        return not_applicable("two lines were paid; see the check of the highest hand")
    if facts.line.pay.basis is Basis.TO and outcome.verdict is Verdict.BREACH and facts.paid:
        winnings = facts.line.pay.winnings(Cents(stake))
        if outcome.paid_cents in (winnings, winnings + stake):
            missing = f"whether the stake is in the payout or came back apart; paid {format_cents(outcome.paid_cents)}"
            readings = () if p.basis is None else (f"{p.basis}={ctx.table.reading(p.basis)}",)
            return undetermined(way, missing, facts.steps, area=outcome.area, owed_cents=owed, readings=readings)
    return outcome


def _amount(ctx: Context, facts: Facts, way: str, owed: int, seat: int, wager: str, *, part: bool = False) -> Outcome:
    area, paid = f"seat{seat}.{wager}", total_paid(facts.paid)
    if not facts.paid:
        missing = house_decides(ctx, seat, way, ctx.round.now_s) or absent(
            ctx, way, BonusPaid.kind, "a payout; none was seen", facts.placed.t_s, ctx.round.now_s
        )
        return missing or breach(way, "not paid", facts.steps, area=area, owed_cents=owed, paid_cents=0)
    if paid is None:
        return undetermined(way, "the amount of the payout", facts.steps, area=area, owed_cents=owed)
    amounts: Details = {"area": area, "owed_cents": owed, "paid_cents": paid}
    if is_share(ctx, owed, paid, part=part):
        return compliant(way, f"paid {format_cents(paid)}", facts.steps, **amounts)
    word = "too little" if paid < owed else "too much"
    return breach(way, f"paid {format_cents(paid)}, {format_cents(abs(paid - owed))} {word}", facts.steps, **amounts)


def _lower(facts: Facts) -> set[int]:
    """What the lines below the hand's own pay, as far as the hand meets them too."""
    assert facts.line is not None
    lines = list(facts.table.lines)
    below = lines[lines.index(facts.line) + 1 :]
    met = set(facts.names or ())
    if met & {"royal flush", "straight flush", "mini-royal"}:
        met |= {"straight flush", "flush", "straight"}
    if "four-of-a-kind" in met or "full house" in met:
        met |= {"three-of-a-kind", "two pair"}
    stakes = Cents(facts.cents or 0)
    return {int(line.pay.winnings(stakes)) for line in below if isinstance(line.pay, Odds) and line.hand in met} - {0}


def _highest(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """Only the highest hand is paid."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    expected = f"only the highest hand paid: {facts.line.hand}"
    owed, paid = _owed(p, ctx, facts), total_paid(facts.paid)
    if not facts.paid:
        return not_applicable("nothing was paid")
    if owed is None and isinstance(facts.line.pay, MeterShare):
        reading = _meter_at(p, ctx, seat, facts)
        owed = reading[1] if reading is not None else None
    if owed is None or paid is None:
        return undetermined(expected, "the amounts owed and paid", facts.steps)
    if paid - owed in _lower(facts):
        seen = f"paid {format_cents(paid)}, a lower hand beside it"
        return breach(expected, seen, facts.steps, owed_cents=owed, paid_cents=paid, area=f"seat{seat}.{p.wager}")
    return compliant(expected, "one line paid", facts.steps)


def _meter_at(p: Progressive, ctx: Context, seat: int, facts: Facts) -> tuple[list[Step], int, bool] | None:
    """What a share of the meter pays at the seat's turn, with the events it rests on and whether a part of a cent is dropped; None where not known."""
    assert facts.line is not None
    assert isinstance(facts.line.pay, MeterShare)
    share, meter = facts.line.pay, facts.table.meters[facts.line.pay.meter]
    unit = ctx.table.progressive_unit_cents or unit_of(ctx, p.wager) or facts.cents
    found = standing(
        meter_readings(ctx, p.wager, meter.name),
        list(awards(p, ctx, seat, share.meter)),
        facts.paid[0].step if facts.paid else None,
        None if unit is None else meter.reseed(Cents(unit)),
    )
    return None if found is None else (found[0], share.of(found[1]), share.drops(found[1]))


def _turn(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A share of the meter is paid as the meter stands at the player's turn."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    if not isinstance(facts.line.pay, MeterShare):
        return not_applicable("paid at odds")
    expected = f"{facts.line.hand}: {facts.line.pay} as it stands at the player's turn"
    reading = _meter_at(p, ctx, seat, facts)
    if reading is None:
        return undetermined(expected, "what stood on the meter", facts.steps)
    read, owed, part = reading[0], rounded(ctx, reading[1]), reading[2]
    way = f"{facts.line.hand} {facts.line.pay}: {format_cents(owed)}"
    paid = total_paid(facts.paid)
    if paid is not None and facts.paid and paid - owed in _lower(facts):
        return not_applicable("two lines were paid; see the check of the highest hand")
    outcome = _amount(ctx, facts, way, owed, seat, p.wager, part=part)
    if outcome.verdict is not Verdict.BREACH:
        return outcome
    steps = [*outcome.steps, *read]
    return breach(way, outcome.seen, steps, area=outcome.area, owed_cents=owed, paid_cents=outcome.paid_cents)


def _pay_any(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """Odds and shares of the meter, where the chapter has one row for both."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    share = facts.line is not None and isinstance(facts.line.pay, MeterShare)
    return _turn(p, ctx, seat) if share else _pay(p, ctx, seat)


def _purse(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A payout of the meter does not come from the table inventory container."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    if not isinstance(facts.line.pay, MeterShare) or not p.barred(facts.line.pay):
        return not_applicable("payable from the inventory container")
    expected = f"{facts.line.pay} not paid from the table inventory container"
    if not facts.paid:
        return not_applicable("nothing was paid")
    from_table = [payment.step for payment in facts.paid if payment.source is Source.INVENTORY]
    if from_table:
        return breach(expected, "paid from it", [facts.placed, *from_table], area=f"seat{seat}.{p.wager}")
    if any(payment.source is None for payment in facts.paid):
        return undetermined(expected, "where the money came from", facts.steps)
    return compliant(expected, "paid from elsewhere", facts.steps)


def _cards(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """The winner's cards stay until the papers are done, where the payout is not from the inventory container."""
    facts = winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    barred = isinstance(facts.line.pay, MeterShare) and p.barred(facts.line.pay)
    if not barred and all(payment.source in (None, Source.INVENTORY) for payment in facts.paid):
        return not_applicable("paid from the inventory container")
    expected = "the winner's cards on the table until the documentation is completed"
    cards = [c for c in ctx.round.cards.values() if c.home == f"seat{seat}.cards"]
    gone = [c.removed for c in cards if c.removed is not None]
    if not gone:
        return not_applicable("the cards lay there to the end") if cards else undetermined(expected, "the cards")
    first = min(gone, key=lambda step: (step.t_s, step.index))
    done = [
        s for s, e in ctx.outside(FloorDecision) if e.decision == "documentation_completed" and e.seat in (None, seat)
    ]  # fmt: skip
    if done and done[0].t_s <= first.t_s:
        return compliant(expected, "they lay there", [facts.placed, done[0], first])
    if done:
        return breach(expected, f"taken away {done[0].t_s - first.t_s:.1f} s before", [facts.placed, first, done[0]])
    missing = absent(
        ctx, expected, FloorDecision.kind, "whether the documentation was completed", facts.placed.t_s, first.t_s
    )
    return missing or breach(expected, "taken away without it", [facts.placed, first])


__all__ = ["ROWS", "Names", "Progressive", "checks", "payments"]
