"""What the settlement of every game shares: chips seen against what a wager is owed, in cents.

What is compared is the winnings: chips that the dealer added to a wager against what the law owes for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rules.checks.base import Check, Context, Details, Outcome, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.patrons import house_decides, is_losing, unless_forfeit
from rules.checks.progressive_deal import accepted
from rules.checks.progressive_facts import payments, total_paid
from rules.checks.settle_order import is_done, title
from rules.checks.void import VOID_OR_NOT, unless_void
from rules.events import Side
from rules.findings import Verdict
from rules.money import Cents, format_cents
from rules.records import PayoutRecord, Step, Wager
from rules.rounds import Round
from rules.settlement.results import Outcome as Owed
from rules.settlement.results import WagerResult, lost

NOMINAL_CENTS = 200
"""Stands for a stake of unknown amount: whether a wager wins does not depend on it."""
ORDER = {Verdict.BREACH: 0, Verdict.UNDETERMINED: 1, Verdict.NOT_APPLICABLE: 2, Verdict.COMPLIANT: 3}
"""The worst end of several wagers judged together comes first."""


class Seen(StrEnum):
    """What became of a wager's chips."""

    PAID = "paid"
    COLLECTED = "collected"
    KEPT = "kept"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Facts:
    """A wager with what the law says of it, or why that cannot be said.

    Attributes:
        result: what it is owed; None where `missing` says why not.
        exact: the stake is known, so that amounts are.
    """

    wager: Wager
    seen: Seen
    result: WagerResult | None
    exact: bool
    missing: str


def seen_of(wager: Wager, closing: bool) -> Seen:
    """What was seen of a wager's chips; while the round goes on, chips that lie there say nothing yet."""
    if wager.payouts:
        return Seen.PAID
    if wager.removed is None:
        return Seen.KEPT if closing and wager.gone_unseen is None else Seen.UNKNOWN
    if wager.taken_by is Side.DEALER:
        return Seen.COLLECTED
    return Seen.KEPT if wager.taken_by is Side.PLAYER else Seen.UNKNOWN


def card_steps(r: Round, seat: int) -> list[Step]:
    """The events that say which cards a seat and the table showed; that an unread one lies face up says nothing of the kind."""
    cards = [c for c in r.cards.values() if c.home == f"seat{seat}.cards" or not c.home.startswith("seat")]
    steps = [step for c in cards for step in (c.turned, c.read) if step is not None]
    return [step for step in steps if getattr(step.event, "card", None) is not None]


def compare(ctx: Context, facts: Facts, result: WagerResult, steps: Sequence[Step]) -> Outcome:
    """Chips seen against chips owed."""
    wager, area = facts.wager, facts.wager.area
    way = result.way if facts.exact else f"{result.hand} {result.odds or result.outcome.value}".strip()
    owed = result.owed_cents if facts.exact or result.outcome is not Owed.WIN else None
    paid = wager.paid_cents
    amounts: Details = {"area": area, "owed_cents": owed, "paid_cents": paid}
    if facts.seen is Seen.UNKNOWN:
        return undetermined(way, "whose hand took the chips", steps, area=area, owed_cents=owed)
    if facts.seen is Seen.COLLECTED:
        if result.outcome is Owed.LOSE:
            return compliant(way, "collected", steps, area=area, owed_cents=owed, paid_cents=0)
        return breach(way, "collected by the dealer", steps, area=area, owed_cents=owed, paid_cents=0)
    if facts.seen is Seen.KEPT:
        if result.outcome in (Owed.PUSH, Owed.RETURNED):
            return compliant(way, "neither paid nor collected", steps, **amounts)
        if result.outcome is Owed.LOSE and wager.removed is not None:
            return breach(way, "taken back by the player", steps, **amounts)
        missing = "a payout; none was seen" if result.outcome is Owed.WIN else "where the chips went"
        return undetermined(way, missing, steps, area=area, owed_cents=owed)
    if result.outcome is not Owed.WIN:
        seen = f"paid {format_cents(paid)}" if paid else "paid"
        return breach(way, seen, steps, **amounts)
    if paid is None or owed is None:
        missing = "the amount of the payout" if paid is None else "the amount of the wager"
        return undetermined(way, missing, steps, **amounts)
    if wager.removed is not None and wager.taken_by is Side.DEALER:
        return undetermined(way, "where the stake went: the dealer took the chips after the payment", steps, **amounts)
    return _paid(ctx, facts, way, owed, paid, steps)


def _paid(ctx: Context, facts: Facts, way: str, owed: int, paid: int, steps: Sequence[Step]) -> Outcome:
    wager, area = facts.wager, facts.wager.area
    if paid == owed:
        return compliant(way, f"paid {format_cents(paid)}", steps, area=area, owed_cents=owed, paid_cents=paid)
    smallest = min(ctx.table.chips.values())
    if ctx.table.reading("rounding") == "exact" and owed % smallest and abs(paid - owed) < smallest:
        reading = "rounding=exact"
        missing = f"how {format_cents(owed)} is rounded to chips; paid {format_cents(paid)}"
        return undetermined(way, missing, steps, area=area, owed_cents=owed, paid_cents=paid, readings=(reading,))
    locked = wager.amount_at(ctx.round.lock_s or wager.placed.t_s)
    if locked != wager.stake_cents and locked and wager.stake_cents and paid * wager.stake_cents == owed * locked:
        return undetermined(
            way, "which stake counts; it changed after the announcement", steps, area=area, owed_cents=owed,
            paid_cents=paid,
        )  # fmt: skip
    difference = abs(paid - owed)
    word = "too little" if paid < owed else "too much"
    seen = f"paid {format_cents(paid)}, {format_cents(difference)} {word}"
    return breach(way, seen, steps, area=area, owed_cents=owed, paid_cents=paid)


def rounded(ctx: Context, cents: int) -> int:
    """An amount as the house puts it down: down to the lowest chip where the text is read so (ALL-A12)."""
    return cents - cents % min(ctx.table.chips.values()) if ctx.table.reading("rounding") == "chip" else cents


def is_share(ctx: Context, owed: int, paid: int, *, part: bool) -> bool:
    """Whether a payment is a share of a meter: a part of a cent dropped, or paid as one, where it is not said how that is rounded."""
    return paid == owed or (paid == owed + 1 and part and ctx.table.reading("rounding") == "exact")


def _as_put_down(ctx: Context, result: WagerResult) -> WagerResult:
    owed = rounded(ctx, result.owed_cents)
    if owed == result.owed_cents:
        return result
    less = result.owed_cents - owed
    way = f"{result.way}, rounded down to {format_cents(owed)}"
    return replace(result, owed_cents=Cents(owed), return_cents=Cents(result.return_cents - less), way=way)


Settle = Callable[[Context, int, str, int], "WagerResult | str | None"]
"""What a wager of a seat is owed, by context, seat, wager and stake in cents.

A text says what is missing to tell; None that the wager is judged elsewhere.
"""

Applies = Callable[[Context, int], bool | str]
"""Whether a seat's hand falls under a row of the catalogue; a text says what is missing to tell."""
ELSEWHERE = "the hand falls under another paragraph"


@dataclass(frozen=True, slots=True)
class Payments:
    """How a game's wagers are settled, and the checks that judge it.

    Attributes:
        settle: what is owed.
        wagers: every wager judged by its chips, in the order of settlement.
        forfeited: wagers that a fold gives up, which other checks judge.
        settled_if_void: whether a wager is settled although the round is void (687a.13(d)).
        withdrawable: wagers that a player may take back while the hand is played (643a.7(d)).
    """

    settle: Settle
    wagers: tuple[str, ...]
    forfeited: tuple[str, ...] = ()
    settled_if_void: Callable[[Context, str], bool] = lambda _ctx, _name: False
    withdrawable: tuple[str, ...] = ()

    def facts(self, ctx: Context, seat: int, name: str) -> Facts | None:
        """A wager of a seat with what it is owed, None where the seat has none or it is not offered."""
        wager = ctx.round.wager(seat, name)
        if wager is None or not ctx.table.offers(name):
            return None
        seen, stake = seen_of(wager, ctx.closing), wager.stake_cents
        exact = stake is not None and stake > 0
        cents = stake if exact and stake is not None else NOMINAL_CENTS
        result = self.settle(ctx, seat, name, cents)
        if result is None:
            return None
        if isinstance(result, str):
            return Facts(wager, seen, None, False, result)
        if is_losing(ctx, seat, _settled_s(ctx, wager)):
            result = _abandoned(ctx, Cents(cents))
        return Facts(wager, seen, _as_put_down(ctx, result), exact, "")

    def judge(self, ctx: Context, seat: int, name: str) -> Outcome | None:
        """One wager of a seat against what is owed for it; None while it is too early or there is none."""
        r = ctx.round
        done = is_done(ctx, seat) or (ctx.closing and self.settled_if_void(ctx, name))
        facts = self.facts(ctx, seat, name) if done else None
        if facts is None:
            return None
        if name in self.forfeited and r.folded(seat) is True:
            return not_applicable("folded")
        wager = facts.wager
        steps = [*wager.steps, *card_steps(r, seat)]
        label = f"{title(name)} settled as the cards demand"
        areas = [wager.area, f"seat{seat}.cards"]
        gap = hidden(ctx, label, areas, min(r.settling_since or 0.0, wager.placed.t_s), wager.steps[-1].t_s)
        if gap is not None:
            return gap
        if facts.result is None:
            return undetermined(label, facts.missing, steps, area=wager.area)
        early = wager.removed is not None and wager.removed.t_s < (r.settling_since or 0.0)
        if early and wager.taken_by is Side.PLAYER and facts.result.outcome is not Owed.RETURNED:
            return not_applicable("taken back before settlement; see the check of locked wagers")
        if early and name in self.withdrawable and facts.result.outcome is not Owed.RETURNED:
            missing = "whether the player took it back before settlement; the dealer's hand was there"
            return undetermined(label, missing, steps, area=wager.area)
        outcome = compare(ctx, facts, facts.result, steps)
        if outcome.verdict is Verdict.BREACH and facts.seen is Seen.COLLECTED:
            outcome = house_decides(ctx, seat, outcome.expected, _settled_s(ctx, wager)) or outcome
        if outcome.verdict is Verdict.BREACH and ctx.void_due and not self.settled_if_void(ctx, name):
            return undetermined(outcome.expected, VOID_OR_NOT, steps, area=wager.area)
        loses = facts.seen is Seen.COLLECTED and outcome.verdict is Verdict.COMPLIANT
        return outcome if loses else unless_forfeit(ctx, seat, outcome)

    def taken_by_system(self, ctx: Context, seat: int, name: str) -> Outcome | None:
        """A wager that a table game system accepted, its chips collected before the deal (643a.8(b)(1)), against what is owed for it.

        Odds "to 1" bring the stake back; that it is not in the payment accuses nobody, since it may have come back apart.
        """
        told = accepted(ctx, name, seat) if ctx.closing and ctx.table.offers(name) else []
        if not told or ctx.round.wager(seat, name) is not None:
            return None
        made, stake = told[-1][0], told[-1][1].amount_cents
        result = self.settle(ctx, seat, name, stake)
        paid = payments(ctx, name, seat)
        steps = [made, *(payment.step for payment in paid), *card_steps(ctx.round, seat)]
        area, total = f"seat{seat}.{name}", total_paid(paid)
        if result is None:
            return None
        if isinstance(result, str):
            return undetermined(f"{title(name)} settled as the cards demand", result, steps, area=area)
        winnings = result.owed_cents if result.outcome is Owed.WIN else 0
        amounts: Details = {"area": area, "owed_cents": winnings, "paid_cents": total}
        if not paid and winnings:
            return undetermined(result.way, "a payout; none was seen", steps, **amounts)
        if total is None:
            return undetermined(result.way, "the amount of the payout", steps, **amounts)
        if total in ((winnings, winnings + stake) if winnings else (0,)):
            return compliant(result.way, f"paid {format_cents(total)}" if paid else "not paid", steps, **amounts)
        return breach(result.way, f"paid {format_cents(total)}", steps, **amounts)

    def wager_check(self, name: str, check_id: str, *, but: Applies = lambda _ctx, _seat: False) -> Check:
        """The check of one wager.

        Args:
            name: the wager.
            check_id: its row of the catalogue.
            but: whether the hands of the round fall under another row.
        """

        def judge(ctx: Context, seat: int) -> Outcome | None:
            if is_done(ctx, seat) and but(ctx, seat) is True:
                return not_applicable(ELSEWHERE)
            taken = unless_void(ctx, self.taken_by_system(ctx, seat, name))
            return taken if taken is not None else self.judge(ctx, seat, name)

        return Check(check_id, judge, per_seat=True, by_names=True)

    def base_check(self, check_id: str, names: Sequence[str], applies: Applies) -> Check:
        """The check of wagers that are won or lost together.

        Args:
            check_id: its row of the catalogue.
            names: the wagers.
            applies: whether the hands of the round fall under this row; a text says what is missing to tell.
        """

        def judge(ctx: Context, seat: int) -> Outcome | None:
            if not is_done(ctx, seat) or not any(ctx.round.wager(seat, name) for name in names):
                return None
            fits = applies(ctx, seat)
            if isinstance(fits, str):
                return undetermined("the wagers settled as the cards demand", fits, card_steps(ctx.round, seat))
            if not fits:
                return not_applicable(ELSEWHERE)
            ends = [(name, end) for name in names if (end := self.judge(ctx, seat, name)) is not None]
            return worst(ends)

        return Check(check_id, judge, per_seat=True, by_names=True)

    def records(self, ctx: Context) -> tuple[PayoutRecord, ...]:
        """Every wager of the round with what was owed and paid, seats from the highest down."""
        records = []
        for seat in reversed(ctx.round.dealt_seats):
            for name in self.wagers:
                facts = self.facts(ctx, seat, name)
                if facts is None:
                    continue
                outcome = self.judge(ctx, seat, name)
                records.append(payout_record(seat, name, facts, outcome))
        return tuple(records)


def _settled_s(ctx: Context, wager: Wager) -> float:
    """When a wager was paid or taken away; now while neither was seen."""
    act = wager.payouts[0] if wager.payouts else wager.removed
    return act.t_s if act is not None else ctx.round.now_s


def _abandoned(ctx: Context, stake: Cents) -> WagerResult:
    return lost(stake, because="the player left the table", why="left", citation=ctx.table.law.cite(".7(b)"))


def payout_record(seat: int, name: str, facts: Facts, outcome: Outcome | None) -> PayoutRecord:
    """A settled wager with what was owed and paid."""
    result = facts.result
    known = result is not None and (facts.exact or result.outcome is not Owed.WIN)
    return PayoutRecord(
        seat=seat,
        wager=name,
        stake_cents=facts.wager.stake_cents,
        outcome=result.outcome.value if result is not None else "",
        owed_cents=result.owed_cents if result is not None and known else None,
        paid_cents=facts.wager.paid_cents if _is_certain(facts) else None,
        verdict=outcome.verdict if outcome is not None else Verdict.UNDETERMINED,
        way=facts.missing if result is None else result.way if facts.exact else "",
        due_cents=result.return_cents if result is not None and (facts.exact or result.outcome is Owed.LOSE) else None,
        returned_cents=_returned_cents(facts) if _is_certain(facts) else None,
        hand=result.hand if result is not None else "",
        odds=result.odds if result is not None else "",
        why=result.why if result is not None else "",
        citation=result.citation if result is not None else "",
    )


def _is_certain(facts: Facts) -> bool:
    """Whether what was seen of the chips says what was paid: a wager that merely lies there may still be settled."""
    if facts.seen in (Seen.PAID, Seen.COLLECTED):
        return True
    return facts.seen is Seen.KEPT and facts.result is not None and facts.result.outcome is not Owed.WIN


def _returned_cents(facts: Facts) -> int | None:
    """All that went back to the player, the stake included."""
    stake, paid, result = facts.wager.stake_cents, facts.wager.paid_cents, facts.result
    if facts.seen is Seen.COLLECTED:
        return 0
    if facts.seen is Seen.KEPT:
        lies_there = result is not None and result.outcome is Owed.LOSE and facts.wager.removed is None
        return None if lies_there else stake
    collected_before = result is not None and result.outcome is Owed.WIN and result.return_cents == result.owed_cents
    if paid is None or stake is None:
        return None
    return paid if collected_before else stake + paid


def worst(ends: Sequence[tuple[str, Outcome]]) -> Outcome | None:
    """One end for wagers judged together: every breach among them, else the first that is not clear, else all kept."""
    if not ends:
        return None
    low = min(ORDER[end.verdict] for _, end in ends)
    chosen = [(name, end) for name, end in ends if ORDER[end.verdict] == low]
    verdict = chosen[0][1].verdict
    steps = sorted({step.index: step for _, end in chosen for step in end.steps}.values(), key=lambda s: s.index)
    names = {name: title(name) for name, _ in chosen}
    return Outcome(
        verdict=verdict,
        expected="; ".join(f"{names[name]} {end.expected}" for name, end in chosen),
        seen="; ".join(f"{names[name]} {end.seen}" for name, end in chosen if end.seen),
        missing="; ".join(f"{names[name]}: {end.missing}" for name, end in chosen if end.missing),
        steps=tuple(steps),
        area=chosen[0][1].area,
        owed_cents=_total([end.owed_cents for _, end in chosen]),
        paid_cents=_total([end.paid_cents for _, end in chosen]),
        readings=tuple(dict.fromkeys(reading for _, end in chosen for reading in end.readings)),
    )


def _total(amounts: Sequence[int | None]) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
