"""From rests to events: what happened to the chips of one betting area.

An amount that is not certain is None; who did it is told only where the hands that were there when the chips changed tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rules.events import Event, PayoutPlaced, Side, WagerDecreased, WagerIncreased, WagerPlaced, WagerRemoved
from vision.change.moments import dated
from vision.looks.chips import amount_cents
from vision.looks.look import ChipSight
from vision.tracking.areas import AreaState
from vision.tracking.chip_changes import named_chips
from vision.tracking.piles import PROBABLE
from vision.tracking.rests import RestResult
from vision.tracking.tracks import SAME_CHIP_MM

LAIN_MM = 5.0
"""A chip that nobody touched is found so near to where it was."""
SURELY_MORE = 0.75
"""Of chips that were pushed one more than before is there if so many are found with this at least; of two that were none, between two of a row, 0.55 and 0.59."""


def wager_events(
    state: AreaState,
    result: RestResult,
    t_s: float,
    frames: tuple[int, ...],
    *,
    table_id: str,
    values_cents: Mapping[str, int],
) -> list[Event]:
    """The events of one settled rest; the state then holds the chips that lie there.

    Args:
        state: of the area, with the chips of the rest before.
        result: of the rest.
        t_s: when the rest began.
        frames: that were looked at.
        table_id: goes into every event.
        values_cents: worth of each colour at this table.
    """
    before, count_before = state.chips, len(state.chip_sights)
    if result.overlooked:
        before, count_before = None, count_before + len(result.overlooked)
    now, sights = result.counted_chips, result.chips
    if not result.chips_changed or (before == now and before is not None):
        if (now is not None or before is None) and len(sights) == count_before:
            state.chip_sights = sights
            state.chips = now if result.overlooked else state.chips
        return []
    moment = state.chips_moment(sights)
    most = _most_sure(state, result)
    confidence = min((most, *(chip.sureness for chip in sights)))
    more = min(most, _surely_more(sights, count_before) if now is None and sights else confidence)
    state.under = state.chip_sights if result.hidden else ()
    state.chips, state.chip_sights = now, sights
    base: dict[str, Any] = {
        "table_id": table_id,
        **dated(moment, t_s, state.stirred_s),
        "confidence": confidence,
        "frames": frames,
        "area": state.area.name,
    }
    by = state.visits.side if moment is None else state.visits.side_between(moment.earliest_s, moment.latest_s)
    if not sights:
        return [WagerRemoved(**base, by=by)] if count_before else []
    total: dict[str, Any] = {"amount_cents": amount_cents(now, values_cents), "chips": now}
    grown = _grown(before, now, values_cents, len(sights) - count_before)
    if grown > 0 or not count_before:
        base["confidence"] = more
    if not count_before:
        return [WagerPlaced(**base, **total, by=by)]
    if grown > 0 and by is Side.DEALER:
        added = _added(before, now)
        if added is None and result.beside and not result.unclear_before:
            added = named_chips(result.beside)
            base["confidence"] = min(more, *(chip.sureness for chip in result.beside)) if added else more
        if before is None and result.beside is None:  # what lay there was not known, and was touched
            base["confidence"] = min(more, PROBABLE)
        return [PayoutPlaced(**base, amount_cents=amount_cents(added, values_cents), chips=added)]
    if grown > 0:
        return [WagerIncreased(**base, **total, by=by)]
    if grown < 0:
        return [WagerDecreased(**base, **total, by=by)]
    return []


def _most_sure(state: AreaState, result: RestResult) -> float:
    """Upper bound of a change's confidence: PROBABLE if something may be hidden or the chip that was added is weak, else 1.0."""
    back = any(chip.apart_mm(old) <= SAME_CHIP_MM for chip in result.chips for old in state.under)
    return PROBABLE if result.hidden or back or _one_more_pushed(state, result) else 1.0


def _one_more_pushed(state: AreaState, result: RestResult) -> bool:
    """Whether none of the chips lies where it did, and the one more than lay there is not surely found.

    Of four red chips in a row that a dealer pushed aside a fifth was found between two, with 0.55: 5.00 were told to be paid, and an honest dealer was accused.
    """
    before = state.chip_sights
    if not 0 < len(before) < len(result.chips):
        return False
    pushed = all(chip.apart_mm(old) > LAIN_MM for chip in result.chips for old in before)
    return pushed and _surely_more(result.chips, len(before)) < SURELY_MORE


def _surely_more(sights: Sequence[ChipSight], count_before: int) -> float:
    """How sure it is that more things lie there than before, whatever they are worth: as sure as the one is that makes them more."""
    surest = sorted((chip.sureness for chip in sights), reverse=True)
    return surest[count_before] if count_before < len(surest) else surest[-1]


def _grown(
    before: tuple[tuple[str, int], ...] | None,
    now: tuple[tuple[str, int], ...] | None,
    values_cents: Mapping[str, int],
    more_chips: int,
) -> int:
    """Above 0 where a wager grew, below where it shrank; by worth where both are known, else by number of chips."""
    worth_before, worth_now = amount_cents(before, values_cents), amount_cents(now, values_cents)
    if worth_before is not None and worth_now is not None:
        return worth_now - worth_before
    return more_chips


def _added(
    before: tuple[tuple[str, int], ...] | None, now: tuple[tuple[str, int], ...] | None
) -> tuple[tuple[str, int], ...] | None:
    """The chips that came, None where unknown or where some went as well."""
    if before is None or now is None:
        return None
    old, new = Counter(dict(before)), Counter(dict(now))
    if old - new:
        return None
    return tuple(sorted((new - old).items()))
