"""The chips of a course as the sight may tell them: late, merged, of unknown amount, moved by nobody known, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from datasets.score.faults import Faults
from rules.events import PayoutPlaced, Side, WagerDecreased, WagerIncreased, WagerPlaced, WagerRemoved


def lives(told: Sequence[Any]) -> list[list[Any]]:
    """The events of each wager of an area, until it was taken away."""
    found: list[list[Any]] = [[]]
    for event in told:
        found[-1].append(event)
        if isinstance(event, WagerRemoved):
            found.append([])
    return [life for life in found if life]


def told_of_wager(area: str, life: list[Any], faults: Faults) -> list[Any]:
    """What is told of a wager.

    Args:
        area: where it lies.
        life: its events, in order.
        faults: what goes wrong.

    Returns:
        The events in order; none of a wager that is never made out.
    """
    if faults.happens("lost", area):
        return []
    life = _merged(area, life, faults)
    if faults.happens("open", area, faults.sight.open[0]):
        life = [
            replace(e, amount_cents=None, chips=None)
            if hasattr(e, "amount_cents") and not isinstance(e, PayoutPlaced)
            else e
            for e in life
        ]
    told: list[Any] = []
    for event in life:
        told += _made_out(event, area, life, faults)
    return _dated(told, area, faults)


def _merged(area: str, life: list[Any], faults: Faults) -> list[Any]:
    """Chips that were not made out until more came beside them."""
    if (
        len(life) > 1
        and isinstance(life[0], WagerPlaced)
        and isinstance(life[1], WagerIncreased)
        and life[1].t_s - life[0].t_s < 1.5
        and faults.happens("merged", area)
    ):
        both = replace(life[0], t_s=life[1].t_s, amount_cents=life[1].amount_cents, chips=life[1].chips)
        return [both, *life[2:]]
    return life


def _made_out(event: Any, area: str, life: Sequence[Any], faults: Faults) -> list[Any]:
    """The event as it is made out: a payout not at all, or as chips added; chips moved by nobody known."""
    if not isinstance(event, PayoutPlaced):
        return [replace(event, by=None) if faults.happens("nobodys", area) else event]
    if faults.happens("unpaid", area):
        if faults.rng.random() >= 0.4:
            return []
        total, by = _total(life, event), faults.rng.choice((None, Side.DEALER))
        return [WagerIncreased(table_id=faults.table_id, t_s=event.t_s, area=area, amount_cents=total, by=by)]
    open_ = faults.happens("open", area, faults.sight.open[1])
    return [replace(event, amount_cents=None, chips=None) if open_ else event]


def _dated(told: Sequence[Any], area: str, faults: Faults) -> list[Any]:
    """The events at the moments that are told, one after the other."""
    laid, paid, gone = faults.sight.stretch[3:]
    out: list[Any] = []
    for event in told:
        stretched = laid
        if isinstance(event, WagerRemoved | WagerDecreased):
            stretched = gone
        elif isinstance(event, PayoutPlaced):
            stretched = paid
        late_s = faults.rng.uniform(0.3, 1.3) if faults.happens("late", area) else 0.0
        event = faults.told(event, stretched, late_s)
        if out:
            event = replace(event, t_s=max(event.t_s, out[-1].t_s + 0.01))
            if event.earliest_s is not None:
                event = replace(event, earliest_s=min(event.t_s, max(event.earliest_s, out[-1].t_s)))
        out.append(event)
    return out


def _total(life: Sequence[Any], until: Any) -> int | None:
    """Cents that lie there after this event; None where an amount is not known."""
    total: int | None = 0
    for event in life:
        cents = getattr(event, "amount_cents", None)
        if cents is None and not isinstance(event, WagerRemoved):
            return None
        if isinstance(event, PayoutPlaced):
            total = None if total is None else total + (cents or 0)
        elif not isinstance(event, WagerRemoved):
            total = cents
        if event is until:
            break
    return total
