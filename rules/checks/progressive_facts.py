"""What was wagered, won and paid of a progressive wager: the facts that its checks stand on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rules.checks.base import Context, Outcome, absent, breach, not_applicable, undetermined
from rules.checks.memory import NAMED, meter_name
from rules.checks.patrons import is_losing
from rules.checks.progressive_deal import stake
from rules.checks.settle_order import title
from rules.event_base import Source
from rules.events import ElectronicWagerAccepted, PayoutPlaced
from rules.house_events import BonusPaid
from rules.money import MeterShare
from rules.paytables import Line, Paytable, game_paytables
from rules.records import Step
from rules.table import TableConfig

ENVY = "envy"
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
        basis: the reading that says what odds "to 1" bring back; None where none does.
        settled_if_void: whether the wager is settled although the round is void (687a.13(d)).
        beside: the other progressive wagers that a table of the game may offer with it.
    """

    prefix: str
    wager: str
    names: Names
    envy_names: Names
    out: Known
    holds: Known
    barred: Callable[[MeterShare], bool]
    rows: Mapping[str, str]
    basis: str | None = None
    settled_if_void: Callable[[Context, str], bool] = lambda _ctx, _wager: False
    beside: Callable[[], Sequence[Progressive]] = tuple


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


def total_paid(paid: Sequence[Payment]) -> int | None:
    """Cents paid in all, None where one payment was not counted."""
    total = 0
    for payment in paid:
        if payment.cents is None:
            return None
        total += payment.cents
    return total


@dataclass(frozen=True, slots=True)
class Facts:
    """A seat's progressive wager at the end of the round; `collected` where no chip of it lay there when the hand was settled."""

    placed: Step
    cents: int | None
    table: Paytable
    names: tuple[str, ...] | None
    line: Line | None
    out: bool | None
    paid: list[Payment]
    collected: bool

    @property
    def steps(self) -> list[Step]:
        """The events of the wager and its payments."""
        return [self.placed, *(payment.step for payment in self.paid)]


def paytable(ctx: Context, wager: str) -> Paytable | None:
    """The paytable chosen for a progressive wager, None where it is not offered.

    Raises:
        PaytableError: it is offered by a paytable that the law of the day does not know.
    """
    name = ctx.table.paytables.get(wager)
    if name is None:
        return None
    return game_paytables(ctx.table.game).table(wager, "A" if name == "fixed" else name)


def meter_readings(ctx: Context, wager: str, meter: str) -> list[Step]:
    """What was read of a meter of a progressive wager, oldest first; nothing where it may be another wager's meter."""
    named = ctx.memory.meters.get(f"{wager}.{meter_name(meter)}")
    if named:
        return named
    others = [
        other for name in ctx.table.paytables if name in NAMED and name != wager and (other := paytable(ctx, name))
    ]
    if any(meter in other.meters for other in others):
        return []
    return ctx.memory.meters.get(meter_name(meter), [])


def progressives(table: TableConfig) -> tuple[str, ...]:
    """The wagers offered on the Progressive's meters: "progressive", or those of Let It Ride, "progressive3" and "progressive5"."""
    return tuple(name for name in table.paytables if name.startswith("progressive"))


def facts_of(p: Progressive, ctx: Context, seat: int) -> Facts | None:
    """The facts of a seat, None without such a wager or before the end of the round."""
    if not ctx.closing:
        return None
    table, placed = paytable(ctx, p.wager), stake(ctx, p.wager, seat)
    if table is None or placed is None:
        return None
    names = p.names(ctx, seat)
    paid, chips = payments(ctx, p.wager, seat), ctx.round.wager(seat, p.wager)
    lost = is_losing(ctx, seat, paid[0].step.t_s if paid else ctx.round.now_s)
    line = table.line(names) if names is not None and not lost else None
    collected = chips is None or not (chips.payouts or chips.removed is None)
    return Facts(placed[0], placed[1], table, names, line, p.out(ctx, seat), paid, collected)


def winner(p: Progressive, ctx: Context, seat: int) -> Facts | Outcome:
    """The facts of a seat whose hand wins, or why there is nothing to judge."""
    facts = facts_of(p, ctx, seat)
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


def without_wager(ctx: Context, wager: str, seat: int, paid: Sequence[Payment], what: str) -> Outcome:
    """A payout to a seat that was not told to have made the wager it is for.

    Args:
        ctx: the round.
        wager: the electronic wager.
        seat: that was paid.
        paid: what it was paid.
        what: in words, e.g. "an envy bonus".
    """
    expected = f"{what} only for a {title(wager)} Wager"
    steps = [payment.step for payment in paid]
    since_s = ctx.round.steps[0].t_s
    missing = absent(ctx, expected, ElectronicWagerAccepted.kind, "whether the seat wagered", since_s, steps[0].t_s)
    return missing or breach(
        expected, "paid without one", steps, area=f"seat{seat}.{wager}", owed_cents=0, paid_cents=total_paid(paid)
    )
