"""Progressive payouts, envy bonuses and meters: verified, lit, validated, paid in full, from the right purse (.11, .12).

What differs between the games is data in `Progressive`. Payments come as `bonus_paid` events, or as chips put down in the
wager's area. What was not seen to be paid is undetermined unless the table's sources are sure to tell of payouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from rules.checks.base import Check, Context, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.memory import meter_name
from rules.checks.progressive_deal import accepted, stake
from rules.checks.settle_order import title
from rules.event_base import Source
from rules.events import FloorDecision, MeterRead, PayoutPlaced
from rules.house_events import AwardLit, BonusPaid
from rules.money import Cents, MeterShare, Odds, format_cents
from rules.paytables import Line, Paytable, PaytableError, game_paytables
from rules.rounds import Step

ENVY = "envy"
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

Names = Callable[[Context, int], "tuple[str, ...] | None"]
Known = Callable[[Context, int], "bool | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressive:
    """One progressive wager of a game.

    Attributes:
        prefix: of the check ids, e.g. "RIU".
        wager: its name in law, paytables and events.
        names: the rows of the paytable that a seat's hand answers to, None where it was not read.
        envy_names: the same for the envy bonus.
        out: whether a seat gave up the payout by folding, None where not known.
        holds: whether a seat's hand can earn the others an envy bonus, None where not known.
        barred: whether a share of the meter may not be paid from the inventory container.
        rows: ends of the check ids by what is judged.
    """

    prefix: str
    wager: str
    names: Names
    envy_names: Names
    out: Known
    holds: Known
    barred: Callable[[MeterShare], bool]
    rows: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Payment:
    """Money put down for a seat; cents None where the chips were not counted."""

    step: Step
    cents: int | None
    source: Source | None
    hand_of: int | None


def payments(ctx: Context, wager: str, seat: int) -> list[Payment]:
    """What was paid to a seat for a wager or as an envy bonus, in order."""
    found = [
        Payment(step, event.amount_cents, event.source, event.hand_of)
        for step, event in ctx.outside(BonusPaid)
        if event.seat == seat and event.wager == wager
    ]
    area = f"seat{seat}.{wager}"
    steps = [step for life in ctx.round.wagers.get(area, ()) for step in life.payouts]
    steps += [step for step in ctx.round.unplaced.get(area, ()) if isinstance(step.event, PayoutPlaced)]
    found += [Payment(s, s.event.amount_cents, None, None) for s in steps if isinstance(s.event, PayoutPlaced)]
    return sorted(found, key=lambda payment: (payment.step.t_s, payment.step.index))


def _sum(paid: Sequence[Payment]) -> int | None:
    total = 0
    for payment in paid:
        if payment.cents is None:
            return None
        total += payment.cents
    return total


@dataclass(frozen=True, slots=True)
class _Facts:
    """A seat's progressive wager at the end of the round."""

    placed: Step
    cents: int | None
    table: Paytable
    names: tuple[str, ...] | None
    line: Line | None
    out: bool | None
    paid: list[Payment]

    @property
    def steps(self) -> list[Step]:
        return [self.placed, *(payment.step for payment in self.paid)]


def paytable(ctx: Context, wager: str) -> Paytable | None:
    """The paytable chosen for a progressive wager, None where it is not offered."""
    name = ctx.table.paytables.get(wager)
    if name is None:
        return None
    try:
        return game_paytables(ctx.table.game).table(wager, "A" if name == "fixed" else name)
    except PaytableError:
        return None


def _facts(p: Progressive, ctx: Context, seat: int) -> _Facts | None:
    if not ctx.closing:
        return None
    table, placed = paytable(ctx, p.wager), stake(ctx, p.wager, seat)
    if table is None or placed is None:
        return None
    names = p.names(ctx, seat)
    line = table.line(names) if names is not None else None
    return _Facts(placed[0], placed[1], table, names, line, p.out(ctx, seat), payments(ctx, p.wager, seat))


def _winner(p: Progressive, ctx: Context, seat: int) -> _Facts | Outcome:
    """The facts of a seat whose hand wins, or why there is nothing to judge."""
    facts = _facts(p, ctx, seat)
    if facts is None:
        return not_applicable("no progressive wager")
    expected = f"a winning {title(p.wager)} Wager settled as the section has it"
    if facts.names is None:
        return undetermined(expected, "the hand (not all cards were read)", facts.steps)
    if facts.line is None:
        return not_applicable("the hand does not win")
    if facts.out is None:
        return undetermined(expected, "whether the seat folded", facts.steps)
    if facts.out:
        return not_applicable("folded")
    return facts


def checks(p: Progressive) -> tuple[Check, ...]:
    """The checks of one progressive wager."""
    judges = {
        "verify": _verify, "light": _light, "floor": _floor, "pay": _pay, "purse": _purse, "cards": _cards,
        "envy_pay": _envy_pay, "envy_multi": _envy_multi, "envy_own": _envy_own, "highest": _highest, "turn": _turn,
    }  # fmt: skip

    def check(row: str, end: str) -> Check:
        judge = judges[row]
        return Check(f"{p.prefix}-{end}", lambda ctx, seat: judge(p, ctx, seat), per_seat=True, at_close=True)

    made = [check(row, end) for row, end in p.rows.items() if row in judges]
    if "rate" in p.rows:
        made.append(Check(f"{p.prefix}-{p.rows['rate']}", lambda ctx, _: _rate(p, ctx), at_close=True))
    return tuple(made)


def _verify(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A hand is paid only where it wins."""
    facts = _facts(p, ctx, seat)
    if facts is None:
        return not_applicable("no progressive wager")
    expected = f"{title(p.wager)} paid only to a hand verified as a winning one"
    if not facts.paid:
        return not_applicable("nothing was paid")
    if facts.names is None:
        return undetermined(expected, "the hand (not all cards were read)", facts.steps)
    if facts.out:
        return not_applicable("folded; see the check of folded hands")
    if facts.line is None:
        return breach(
            expected, f"paid on {facts.names[-1]}", facts.steps, owed_cents=0, paid_cents=_sum(facts.paid),
            area=f"seat{seat}.{p.wager}",
        )  # fmt: skip
    return compliant(expected, f"{facts.line.hand}", facts.steps)


def _before(ctx: Context, facts: _Facts, marks: list[Step], expected: str, kind: str, what: str) -> Outcome:
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
    facts = _winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    if not facts.paid:
        return not_applicable("nothing was paid")
    lit = [s for s, e in ctx.outside(AwardLit) if e.seat == seat and e.wager == p.wager]
    return _before(ctx, facts, lit, "the light of the award lit before it is paid", AwardLit.kind, "whether it was lit")


def _floor(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A floorperson validates the payout before it is paid."""
    facts = _winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    if not facts.paid:
        return not_applicable("nothing was paid")
    entries = [
        s for s, e in ctx.outside(FloorDecision) if e.decision == "validate_payout" and e.seat in (None, seat)
    ]  # fmt: skip
    expected = "the payout validated by a floorperson before it is paid"
    return _before(ctx, facts, entries, expected, FloorDecision.kind, "whether a floorperson validated it")


def _owed(facts: _Facts) -> int | None:
    """Cents owed at odds, None for a share of the meter or an unknown stake."""
    if facts.line is None or not isinstance(facts.line.pay, Odds) or facts.cents is None:
        return None
    return facts.line.pay.winnings(Cents(facts.cents))


def _pay(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A win at odds is paid at these odds."""
    facts = _winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    if not isinstance(facts.line.pay, Odds):
        return not_applicable("a share of the meter; see the check of the meter at the player's turn")
    owed = _owed(facts)
    if owed is None:
        return undetermined(f"{facts.line.hand} {facts.line.pay}", "the amount of the wager", facts.steps)
    way = f"{facts.line.hand} {facts.line.pay} on {format_cents(facts.cents or 0)}: {format_cents(owed)}"
    outcome = _amount(ctx, facts, way, owed, seat, p.wager)
    if outcome.paid_cents is not None and outcome.paid_cents - owed in _lower(facts):
        return not_applicable("two lines were paid; see the check of the highest hand")
    return outcome


def _amount(ctx: Context, facts: _Facts, way: str, owed: int, seat: int, wager: str) -> Outcome:
    area, paid = f"seat{seat}.{wager}", _sum(facts.paid)
    if not facts.paid:
        missing = absent(ctx, way, BonusPaid.kind, "a payout; none was seen", facts.placed.t_s, ctx.round.now_s)
        return missing or breach(way, "not paid", facts.steps, area=area, owed_cents=owed, paid_cents=0)
    if paid is None:
        return undetermined(way, "the amount of the payout", facts.steps, area=area, owed_cents=owed)
    amounts = {"area": area, "owed_cents": owed, "paid_cents": paid}
    if paid == owed:
        return compliant(way, f"paid {format_cents(paid)}", facts.steps, **amounts)
    if ctx.void_due:
        return undetermined(way, "whether the round is settled or void", facts.steps, area=area)
    word = "too little" if paid < owed else "too much"
    return breach(way, f"paid {format_cents(paid)}, {format_cents(abs(paid - owed))} {word}", facts.steps, **amounts)


def _lower(facts: _Facts) -> set[int]:
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
    facts = _winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    expected = f"only the highest hand paid: {facts.line.hand}"
    owed, paid = _owed(facts), _sum(facts.paid)
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


def _meter_at(p: Progressive, ctx: Context, seat: int, facts: _Facts) -> tuple[Step, int] | None:
    """What a share of the meter pays at the seat's turn, and the reading it rests on; None where not known."""
    assert facts.line is not None
    assert isinstance(facts.line.pay, MeterShare)
    share, meter = facts.line.pay, facts.table.meters[facts.line.pay.meter]
    turn = facts.paid[0].step.t_s if facts.paid else ctx.round.now_s
    readings = [s for s in ctx.memory.meters.get(meter_name(meter.name), ()) if s.t_s <= turn]
    if not readings:
        return None
    last = readings[-1]
    assert isinstance(last.event, MeterRead)
    standing = last.event.amount_cents
    for other in ctx.round.dealt_seats:
        for payment in payments(ctx, p.wager, other) if other != seat else ():
            if last.t_s < payment.step.t_s <= turn and payment.cents is not None and payment.cents >= standing:
                unit = ctx.table.progressive_unit_cents or facts.cents or 0
                last, standing = payment.step, meter.reseed(Cents(unit))
    return last, share.of(Cents(standing))


def _turn(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A share of the meter is paid as the meter stands at the player's turn."""
    facts = _winner(p, ctx, seat)
    if isinstance(facts, Outcome):
        return facts
    assert facts.line is not None
    if not isinstance(facts.line.pay, MeterShare):
        return not_applicable("paid at odds")
    expected = f"{facts.line.hand}: {facts.line.pay} as it stands at the player's turn"
    reading = _meter_at(p, ctx, seat, facts)
    if reading is None:
        return undetermined(expected, "what stood on the meter", facts.steps)
    step, owed = reading
    way = f"{facts.line.hand} {facts.line.pay}: {format_cents(owed)}"
    paid = _sum(facts.paid)
    if paid is not None and facts.paid and paid - owed in _lower(facts):
        return not_applicable("two lines were paid; see the check of the highest hand")
    outcome = _amount(ctx, facts, way, owed, seat, p.wager)
    again = breach if outcome.verdict.value == "breach" else None
    if again is not None:
        amounts = {"area": outcome.area, "owed_cents": owed, "paid_cents": outcome.paid_cents}
        return again(way, outcome.seen, [*outcome.steps, step], **amounts)
    return outcome


def _purse(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """A payout of the meter does not come from the table inventory container."""
    facts = _winner(p, ctx, seat)
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
    facts = _winner(p, ctx, seat)
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


@dataclass(frozen=True, slots=True)
class _Envy:
    """The envy bonuses of a seat: cents by the seat whose hand earns them, and what its own hand would earn."""

    placed: Step
    items: Mapping[int, int]
    own: int
    hands: Mapping[int, str]
    paid: list[Payment]

    @property
    def owed(self) -> int:
        return sum(self.items.values())

    @property
    def total(self) -> int | None:
        return _sum(self.paid)

    @property
    def steps(self) -> list[Step]:
        return [self.placed, *(payment.step for payment in self.paid)]

    @property
    def is_own(self) -> bool:
        """Whether the seat was paid for its own hand."""
        total = self.total
        return bool(self.own) and total is not None and total == self.owed + self.own

    @property
    def is_part(self) -> bool:
        """Whether only some of several qualifying hands were paid."""
        total = self.total
        amounts = list(self.items.values())
        parts = {sum(some) for size in range(1, len(amounts)) for some in combinations(amounts, size)}
        return bool(self.paid) and total is not None and total != self.owed and total in parts


def _envy(p: Progressive, ctx: Context, seat: int) -> _Envy | Outcome:
    if not ctx.closing:
        return not_applicable("too early")
    table, placed = paytable(ctx, p.wager), stake(ctx, p.wager, seat)
    paid = payments(ctx, ENVY, seat)
    if table is None or not table.envy or placed is None:
        return not_applicable("no progressive wager")
    expected = "an envy bonus for every qualifying hand of another player"
    if placed[1] is None:
        return undetermined(expected, "the amount of the wager", [placed[0]])
    items: dict[int, int] = {}
    hands: dict[int, str] = {}
    own = 0
    for holder in ctx.round.dealt_seats:
        holds = p.holds(ctx, holder)
        if holds is False:
            continue
        names = p.envy_names(ctx, holder)
        if names is None or holds is None:
            if paid or holder != seat:
                return undetermined(expected, f"the hand of seat {holder}", [placed[0], *(x.step for x in paid)])
            continue
        try:
            bonus = table.envy_for(Cents(placed[1]), names)
        except PaytableError as error:
            return undetermined(expected, str(error), [placed[0]])
        if bonus is not None:
            hands[holder] = bonus[0]
            if holder == seat:
                own = bonus[1]
            else:
                items[holder] = bonus[1]
    if not items and not paid:
        return not_applicable("no other player holds a qualifying hand")
    return _Envy(placed[0], items, own, hands, paid)


def _envy_way(envy: _Envy) -> str:
    parts = "; ".join(f"seat {seat} {envy.hands[seat]} {format_cents(cents)}" for seat, cents in envy.items.items())
    return f"envy bonus: {parts}: {format_cents(envy.owed)}" if parts else "no envy bonus"


def _envy_pay(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """Each envy bonus is the sum for the receiver's wager, for a qualifying hand only."""
    envy = _envy(p, ctx, seat)
    if isinstance(envy, Outcome):
        return envy
    way, total = _envy_way(envy), envy.total
    amounts = {"owed_cents": envy.owed, "paid_cents": total}
    if not envy.paid:
        missing = absent(ctx, way, BonusPaid.kind, "a payout; none was seen", envy.placed.t_s, ctx.round.now_s)
        return missing or breach(way, "not paid", envy.steps, owed_cents=envy.owed, paid_cents=0)
    if total is None:
        return undetermined(way, "the amount of the payout", envy.steps, owed_cents=envy.owed)
    if total == envy.owed:
        return compliant(way, f"paid {format_cents(total)}", envy.steps, **amounts)
    if envy.is_own or envy.is_part or _named_own(envy, seat):
        return not_applicable("see the checks of own hands and of several hands")
    return breach(way, f"paid {format_cents(total)}", envy.steps, **amounts)


def _named_own(envy: _Envy, seat: int) -> bool:
    return any(payment.hand_of == seat for payment in envy.paid)


def _envy_multi(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """One envy bonus for each of several qualifying hands."""
    envy = _envy(p, ctx, seat)
    if isinstance(envy, Outcome):
        return envy
    if len(envy.items) < 2 or not envy.paid:
        return not_applicable("fewer than two qualifying hands, or nothing paid")
    way, total = _envy_way(envy), envy.total
    if total is None:
        return undetermined(way, "the amount of the payout", envy.steps)
    amounts = {"owed_cents": envy.owed, "paid_cents": total}
    if envy.is_part:
        return breach(way, f"paid {format_cents(total)}, for some of the hands only", envy.steps, **amounts)
    return compliant(way, f"paid {format_cents(total)}", envy.steps, **amounts)


def _envy_own(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """No envy bonus for an own hand."""
    envy = _envy(p, ctx, seat)
    if isinstance(envy, Outcome):
        return envy
    if not envy.own and not _named_own(envy, seat):
        return not_applicable("the own hand does not qualify")
    expected = "no envy bonus for the player's own hand"
    if envy.is_own or _named_own(envy, seat):
        seen = f"paid {format_cents(envy.total or 0)}, the own hand counted"
        return breach(expected, seen, envy.steps, owed_cents=envy.owed, paid_cents=envy.total)
    return compliant(expected, "none", envy.steps)


def _rate(p: Progressive, ctx: Context) -> Outcome | None:
    """The meter grows by its part of each accepted wager, and stands at its reseed after it was won."""
    table, taken = paytable(ctx, p.wager), accepted(ctx, p.wager)
    if table is None or not table.meters:
        return not_applicable("no meter")
    if ctx.table.progressive_linked:
        return not_applicable("other tables feed the meter too")
    expected = "the meter raised by its part of each wager, and reseeded after a payout of all of it"
    kept: list[Step] = []
    for meter in table.meters.values():
        readings = ctx.memory.meters.get(meter_name(meter.name), [])
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
        wrong = _reseed(p, ctx, table, meter.name, readings)
        if wrong is not None:
            return breach(expected, wrong[0], wrong[1])
    if kept:
        return compliant(expected, "so raised", kept)
    if not taken:
        return not_applicable("no wager was accepted")
    return undetermined(expected, "the meter before and after the wagers", [s for s, _ in taken])


def _reseed(
    p: Progressive, ctx: Context, table: Paytable, name: str, readings: Sequence[Step]
) -> tuple[str, list[Step]] | None:
    """What is wrong with the meter after a payout of all of it, and the events; None where nothing is."""
    unit = ctx.table.progressive_unit_cents
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
        if after and isinstance(after[0].event, MeterRead) and after[0].event.amount_cents != due:
            seen = f"{name} at {format_cents(after[0].event.amount_cents)} after it was won, due {format_cents(due)}"
            return seen, [paid[-1].step, after[0]]
    return None
