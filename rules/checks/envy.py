"""Envy bonuses: for every qualifying hand of another player, by the receiver's wager (669a.11(i)(3)(i)(E), .12(e)(5))."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from rules.checks.base import Context, Details, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.patrons import is_one_player
from rules.checks.progressive_deal import stake
from rules.checks.progressive_facts import (
    ENVY,
    Payment,
    Progressive,
    payments,
    paytable,
    progressives,
    total_paid,
    without_wager,
)
from rules.findings import Verdict
from rules.house_events import BonusPaid
from rules.money import Cents, format_cents
from rules.paytables import Paytable, PaytableError
from rules.records import Step

EXPECTED = "an envy bonus for every qualifying hand of another player"


@dataclass(frozen=True, slots=True)
class _Envy:
    """The envy bonuses of a seat: cents by the seat whose hand earns them, those of them that may be its player's own, and what its own hand would earn."""

    placed: Step
    items: Mapping[int, int]
    own: int
    hands: Mapping[int, str]
    paid: list[Payment]
    own_seats: frozenset[int]
    unsure: Mapping[int, int]

    @property
    def owed(self) -> int:
        return sum(self.items.values())

    @property
    def total(self) -> int | None:
        return total_paid(self.paid)

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
    paid = payments(ctx, ENVY, seat)
    envy = _all_paid(p, ctx, seat, paid)
    for other in p.beside() if paid else ():
        if isinstance(envy, Outcome) or stake(ctx, other.wager, seat) is None:
            continue
        beside = _all_paid(other, ctx, seat, paid)
        envy = beside if isinstance(beside, Outcome) else _own_part(envy, beside)
    if isinstance(envy, Outcome):
        return envy
    if not envy.items and not envy.paid:
        return not_applicable("no other player holds a qualifying hand")
    unsure = envy.unsure
    less = {sum(some) for size in range(len(unsure) + 1) for some in combinations(unsure.values(), size)}
    if unsure and (envy.total is None or envy.owed - envy.total in less):
        seats = ", ".join(map(str, sorted(unsure)))
        return undetermined(EXPECTED, f"whether the player of seat {seat} has seat {seats} too", envy.steps)
    return envy


def _own_part(envy: _Envy, beside: _Envy) -> _Envy | Outcome:
    """The envy bonuses of one of two progressive wagers with those payments that are for it, as far as their amounts tell (643a.12(d)(5), (e)(5))."""
    missing = undetermined(EXPECTED, "for which of two progressive wagers it was paid", envy.steps)
    if envy.total is None:
        return missing
    if envy.total == envy.owed + beside.owed:
        return replace(envy, paid=[replace(envy.paid[0], cents=envy.owed)] if envy.owed else [])
    ways = [list(some) for size in range(len(envy.paid) + 1) for some in combinations(envy.paid, size)]
    sums = [(way, total_paid(way)) for way in ways]
    mine = [way for way, cents in sums if cents == envy.owed]
    theirs = [way for way, cents in sums if envy.total - (cents or 0) == beside.owed]
    return missing if bool(mine) is bool(theirs) else replace(envy, paid=(mine or theirs)[0])


def _all_paid(p: Progressive, ctx: Context, seat: int, paid: list[Payment]) -> _Envy | Outcome:
    """The envy bonuses of a seat's wager, as if all that was paid were for it."""
    table, placed = paytable(ctx, p.wager), stake(ctx, p.wager, seat)
    if table is None or not table.envy or placed is None:
        return _no_right(p, ctx, seat, table, paid) if paid else not_applicable("no progressive wager")
    expected = EXPECTED
    if placed[1] is None:
        return undetermined(expected, "the amount of the wager", [placed[0]])
    items: dict[int, int] = {}
    hands: dict[int, str] = {}
    unsure: dict[int, int] = {}
    own, own_seats = 0, {seat}
    apart = ctx.table.reading("envy.same_patron") == "true"
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
            same = holder == seat if apart else is_one_player(ctx, seat, holder)
            if same:
                own += bonus[1]
                own_seats.add(holder)
            else:
                items[holder] = bonus[1]
            if same is None:
                unsure[holder] = bonus[1]
    return _Envy(placed[0], items, own, hands, paid, frozenset(own_seats), unsure)


def _no_right(p: Progressive, ctx: Context, seat: int, table: Paytable | None, paid: Sequence[Payment]) -> Outcome:
    """An envy bonus that was paid though the paytable has none, or to a seat that did not wager (639a.11(c)(5)(v), .12(d)(6))."""
    if any(stake(ctx, wager, seat) is not None for wager in progressives(ctx.table) if wager != p.wager):
        return not_applicable("the seat has another Progressive Wager")
    if table is None or table.envy:
        return without_wager(ctx, p.wager, seat, paid, "an envy bonus")
    steps = [payment.step for payment in paid]
    expected = f"no envy bonus under paytable {table.name}"
    return breach(expected, "paid", steps, owed_cents=0, paid_cents=total_paid(paid))


def _envy_way(envy: _Envy) -> str:
    parts = "; ".join(f"seat {seat} {envy.hands[seat]} {format_cents(cents)}" for seat, cents in envy.items.items())
    return f"envy bonus: {parts}: {format_cents(envy.owed)}" if parts else "no envy bonus"


def envy_pay(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """Each envy bonus is the sum for the receiver's wager, for a qualifying hand only."""
    envy = _envy(p, ctx, seat)
    if isinstance(envy, Outcome):
        return envy
    way, total = _envy_way(envy), envy.total
    amounts: Details = {"owed_cents": envy.owed, "paid_cents": total}
    if not envy.paid:
        missing = absent(ctx, way, BonusPaid.kind, "a payout; none was seen", envy.placed.t_s, ctx.round.now_s)
        return missing or breach(way, "not paid", envy.steps, owed_cents=envy.owed, paid_cents=0)
    if total is None:
        return undetermined(way, "the amount of the payout", envy.steps, owed_cents=envy.owed)
    if total == envy.owed:
        return compliant(way, f"paid {format_cents(total)}", envy.steps, **amounts)
    is_own = envy.is_own or _named_own(envy, seat)
    if ("envy_own" in p.rows and is_own) or ("envy_multi" in p.rows and envy.is_part):
        return not_applicable("see the checks of own hands and of several hands")
    return breach(way, f"paid {format_cents(total)}", envy.steps, **amounts)


def _named_own(envy: _Envy, seat: int) -> bool:
    return any(payment.hand_of in envy.own_seats for payment in envy.paid)


def _judged_by_pay(outcome: Outcome) -> Outcome:
    """What ends the check of the amount with a breach is judged there alone."""
    return not_applicable("see the check of the amount") if outcome.verdict is Verdict.BREACH else outcome


def envy_multi(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """One envy bonus for each of several qualifying hands."""
    envy = _envy(p, ctx, seat)
    if isinstance(envy, Outcome):
        return _judged_by_pay(envy)
    if len(envy.items) < 2 or not envy.paid:
        return not_applicable("fewer than two qualifying hands, or nothing paid")
    way, total = _envy_way(envy), envy.total
    if total is None:
        return undetermined(way, "the amount of the payout", envy.steps)
    amounts: Details = {"owed_cents": envy.owed, "paid_cents": total}
    if envy.is_part:
        return breach(way, f"paid {format_cents(total)}, for some of the hands only", envy.steps, **amounts)
    return compliant(way, f"paid {format_cents(total)}", envy.steps, **amounts)


def envy_own(p: Progressive, ctx: Context, seat: int) -> Outcome | None:
    """No envy bonus for an own hand."""
    envy = _envy(p, ctx, seat)
    if isinstance(envy, Outcome):
        return _judged_by_pay(envy)
    if not envy.own and not _named_own(envy, seat):
        return not_applicable("the own hand does not qualify")
    expected = "no envy bonus for the player's own hand"
    if envy.is_own or _named_own(envy, seat):
        seen = f"paid {format_cents(envy.total or 0)}, the own hand counted"
        return breach(expected, seen, envy.steps, owed_cents=envy.owed, paid_cents=envy.total)
    return compliant(expected, "none", envy.steps)
