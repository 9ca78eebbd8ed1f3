"""Progressive and electronic wagers as their systems report them: only where offered, and none once they are locked."""

from __future__ import annotations

from rules.checks.base import Check, Context, Outcome, breach, compliant
from rules.checks.settle_order import title
from rules.checks.wagers import follows_base
from rules.events import ElectronicWagerAccepted
from rules.money import format_cents
from rules.records import Step


def accepted(ctx: Context, seat: int, names: tuple[str, ...]) -> list[tuple[Step, ElectronicWagerAccepted]]:
    """Wagers of a seat that a system accepted in this round."""
    return [
        (step, step.event)
        for step in ctx.round.external
        if isinstance(step.event, ElectronicWagerAccepted) and step.event.seat == seat and step.event.wager in names
    ]


def offered(check_id: str, wager: str, names: tuple[str, ...] = (), *, after_base: bool = False) -> Check:
    """A wager is accepted only where the Rules Submission offers it.

    Args:
        check_id: its row of the catalogue.
        wager: its name in the Rules Submission.
        names: its names in the system's reports, the same where empty.
        after_base: the chapter lets it be made after the base wagers only, and no other check says so.
    """

    def judge(ctx: Context, seat: int) -> Outcome | None:
        expected = f"{title(wager)} Wagers only where the Rules Submission offers them"
        for step, event in accepted(ctx, seat, names or (wager,)):
            if wager in ctx.table.paytables and after_base:
                return follows_base(ctx, seat, step, f"a {title(wager)} Wager")
            if wager in ctx.table.paytables:
                return compliant(expected, "offered", [step])
            return breach(expected, f"a wager of {format_cents(event.amount_cents)} accepted", [step])
        return None

    return Check(check_id, judge, per_seat=True)


def locked(check_id: str, names: tuple[str, ...], *, at_first_card: bool = False) -> Check:
    """No wager is accepted after the announcement, or after the first card where the chapter says so."""
    since = "the first card" if at_first_card else '"no more bets"'

    def judge(ctx: Context, seat: int) -> Outcome | None:
        r = ctx.round
        lock = r.first_card if at_first_card else r.no_more_bets
        if lock is None:
            return None
        expected = f"no {' or '.join(title(name) for name in names)} Wager accepted after {since}"
        found = accepted(ctx, seat, names)
        late = [step for step, _ in found if step.t_s > lock.t_s]
        if late:
            return breach(expected, f"accepted {late[0].t_s - lock.t_s:.1f} s later", [lock, late[0]])
        if found and (r.deal_over is not None or ctx.closing):
            return compliant(expected, "accepted before", [*(step for step, _ in found), lock])
        return None

    return Check(check_id, judge, per_seat=True)
