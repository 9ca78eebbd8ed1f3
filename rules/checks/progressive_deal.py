"""Electronic wagers before the deal: placed after the base wagers, locked, collected, counted, put away (.7, .8(b)).

The same steps hold for the Progressive Payout Wager of every game, and for the Five Card Bonus of Let It Ride where a
system takes it; `row` is what stands in the ids of the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.catalogue import METHODS
from rules.checks.base import Check, Context, Outcome, absent, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.settle_order import title
from rules.checks.wagers import GRACE_S, base_after
from rules.events import ElectronicWagerAccepted
from rules.house_events import WagersBanked, WagersCollected, WagersLocked
from rules.records import Step

NAMES = {"five_card_hand_bonus": ("five_card_hand_bonus", "fchb", "fchb_player", "fchb_dealer")}
"""Names that a system's reports have for a wager, where it is not its own alone."""


def accepted(ctx: Context, wager: str, seat: int | None = None) -> list[tuple[Step, ElectronicWagerAccepted]]:
    """Wagers of this name that the system accepted in this round, of one seat where given."""
    return [
        (step, event)
        for step, event in ctx.outside(ElectronicWagerAccepted)
        if event.wager == wager and (seat is None or event.seat == seat)
    ]


def stake(ctx: Context, wager: str, seat: int) -> tuple[Step, int | None] | None:
    """The electronic wager of a seat and its cents: as the system accepted it, else as the chips lie on the device."""
    told = accepted(ctx, wager, seat)
    if told:
        return told[-1][0], told[-1][1].amount_cents
    chips = ctx.round.wager(seat, wager)
    if chips is not None and ctx.round.locked(chips):
        return chips.placed, chips.stake_cents
    return None


def _first_s(ctx: Context) -> float | None:
    return ctx.round.first_card.t_s if ctx.round.first_card is not None else None


def _start_s(ctx: Context) -> float:
    return ctx.round.steps[0].t_s if ctx.round.steps else 0.0


def _needs_system(ctx: Context, wager: str) -> bool:
    """Whether the chapter lets the wager be offered only with a system; the Five Card Bonus may lie in chips (643a.2(c))."""
    law = ctx.table.law
    systems = law.submission.get("systems", {}).values()
    return law.wagers[wager].kind == "progressive" or any(wager in system["for"] for system in systems)


def _lock(wager: str, ctx: Context) -> Outcome | None:
    """The system is locked against the wager before the first card."""
    first = _first_s(ctx)
    if first is None:
        return None
    if not ctx.table.offers(wager):
        return not_applicable("not offered")
    if not _needs_system(ctx, wager) and not accepted(ctx, wager):
        return not_applicable("no system took such a wager; the chapter leaves it to the house to use one")
    expected = f"the system locked against {title(wager)} Wagers before the first card"
    locks = [step for step, event in ctx.outside(WagersLocked) if event.wager in NAMES.get(wager, (wager,))]
    if locks and locks[0].t_s <= first:
        return compliant(expected, f"locked {first - locks[0].t_s:.1f} s before", [locks[0], ctx.round.first_card])
    if locks:
        seen = f"locked {locks[0].t_s - first:.1f} s after the first card"
        return breach(expected, seen, [ctx.round.first_card, locks[0]])
    if not ctx.closing:
        return None
    missing = absent(ctx, expected, WagersLocked.kind, "whether the system was locked", _start_s(ctx), first)
    return missing or breach(expected, "dealt with the system not locked", [ctx.round.first_card])


def _collect(wager: str, ctx: Context) -> Outcome | None:
    """The chips are collected onto the layout before the deal."""
    first, taken = _first_s(ctx), accepted(ctx, wager)
    if first is None:
        return None
    if not taken:
        return not_applicable("no wager was accepted") if ctx.closing else None
    expected = f"the chips of the {title(wager)} Wagers collected onto the layout before the deal"
    for step, event in ctx.outside(WagersCollected):
        if event.wager != wager:
            continue
        if event.place != "layout":
            return breach(expected, f"collected straight to the {event.place}", [step])
        if step.t_s > first:
            return breach(
                expected, f"collected {step.t_s - first:.1f} s after the first card", [ctx.round.first_card, step]
            )
        return compliant(expected, "so collected", [step])
    if not ctx.closing:
        return None
    left = [life for _, event in taken if (life := ctx.round.wager(event.seat, wager)) is not None]
    left = [w for w in left if w.placed.t_s < first and (w.removed is None or w.removed.t_s > first + GRACE_S)]
    if left:
        gap = hidden(ctx, expected, [w.area for w in left], first, first + GRACE_S)
        return gap or breach(expected, f"a chip still lay at {left[0].area}", [left[0].placed], area=left[0].area)
    missing = absent(ctx, expected, WagersCollected.kind, "where the chips went", _start_s(ctx), first)
    return missing or breach(expected, "dealt without collecting them", [taken[0][0], ctx.round.first_card])


def _verify(wager: str, ctx: Context) -> Outcome | None:
    """As many chips are collected as wagers were accepted."""
    first = _first_s(ctx)
    if first is None:
        return None
    expected = f"as many chips as {title(wager)} Wagers that the system accepted"
    counts = [(s, e) for s, e in ctx.outside(WagersCollected) if e.wager == wager and s.t_s <= first]
    if not counts:
        return not_applicable("no chips were collected") if ctx.closing else None
    step, event = counts[-1]
    if event.count is None:
        return undetermined(expected, "how many chips were collected", [step])
    taken = accepted(ctx, wager)
    seats = {e.seat for s, e in taken if s.t_s <= first}
    steps = [step, *(s for s, _ in taken), ctx.round.first_card]
    if event.count == len(seats):
        return compliant(expected, f"{event.count}", steps)
    return breach(expected, f"{event.count} chips for {len(seats)} accepted, and the cards were dealt", steps)


def _put_away(wager: str, ctx: Context) -> Outcome | None:
    """The counted chips go into the inventory container before the deal."""
    first = _first_s(ctx)
    if first is None:
        return None
    expected = "the counted chips put into the inventory container before the deal"
    collected = [s for s, e in ctx.outside(WagersCollected) if e.wager == wager]
    banked = [(s, e) for s, e in ctx.outside(WagersBanked) if e.wager == wager]
    if not collected and not banked:
        return not_applicable("no chips were collected") if ctx.closing else None
    for step, event in banked:
        if event.to != "inventory":
            return breach(expected, f"put at {event.to}", [*collected, step])
        if collected and step.t_s < collected[0].t_s:
            return breach(expected, "put away before they were counted", [step, *collected])
        if step.t_s > first:
            return breach(
                expected, f"put away {step.t_s - first:.1f} s after the first card", [ctx.round.first_card, step]
            )
        return compliant(expected, "so put away", [*collected, step])
    if not ctx.closing:
        return None
    missing = absent(ctx, expected, WagersBanked.kind, "where the chips went", _start_s(ctx), first)
    return missing or breach(expected, "not put away", collected)


STEPS: Mapping[str, Callable[[str, Context], Outcome | None]] = {
    "LOCK": _lock, "COLLECT": _collect, "VERIFY": _verify, "INVENTORY": _put_away,
}  # fmt: skip
"""What is done with an electronic wager before the deal, by the end of the check's id."""


def checks(prefix: str, dealing: str, wager: str = "progressive", row: str = "PROG") -> tuple[Check, ...]:
    """The group for one dealing method and one electronic wager."""

    def check(end: str) -> Check:
        return Check(f"{prefix}-{METHODS[dealing]}-{row}-{end}", lambda ctx, _: STEPS[end](wager, ctx))

    return tuple(map(check, STEPS))


def after_base(check_id: str, wager: str = "progressive") -> Check:
    """The check that an electronic wager follows the base wagers of its seat (669a.7(d)(4))."""

    def judge(ctx: Context, _: int) -> Outcome | None:
        r = ctx.round
        taken = accepted(ctx, wager)
        if r.first_card is None or (r.deal_over is None and not ctx.closing):
            return None
        if not taken:
            return not_applicable("no wager was accepted") if ctx.closing else None
        expected = f"the {title(wager)} Wager after the base wagers of the seat"
        unsure: list[Step] = []
        for step, event in taken:
            late, is_open = base_after(r, event.seat, step)
            if late is not None:
                seen = f"accepted {late.placed.t_s - step.t_s:.1f} s before the {title(late.area.split('.')[1])}"
                return breach(expected, seen, [step, late.placed], seat=event.seat, area=late.area)
            if is_open:
                unsure.append(step)
        if not ctx.closing:
            return None
        if unsure:
            return undetermined(expected, "when the base wagers of the seat were placed", unsure)
        return compliant(expected, "so placed", [step for step, _ in taken])

    return Check(check_id, judge)
