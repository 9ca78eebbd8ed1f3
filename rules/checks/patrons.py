"""Who plays which boxes, and who left: what a house reports of players, without a name (`conduct_reported`)."""

from __future__ import annotations

from rules.catalogue import catalogue
from rules.checks.base import Context, Outcome, undetermined
from rules.findings import Verdict
from rules.house_events import ConductReported
from rules.records import Step


def is_one_player(ctx: Context, seat: int, other: int) -> bool | None:
    """Whether two boxes are one player's; None where the Rules Submission allows it and nobody says.

    A box is its player's own; boxes so far apart that the table allows no player both are two players' unless it is reported
    otherwise.
    """
    if seat == other:
        return True
    reports = [event for _, event in ctx.outside(ConductReported) if event.what == "second_position"]
    own = {seat}
    for _ in reports:
        own |= {e.seat for e in reports if e.other_seat in own} | {
            e.other_seat for e in reports if e.seat in own and e.other_seat is not None
        }
    if other in own:
        return True
    if any(event.other_seat is None and (event.seat in own or event.seat == other) for event in reports):
        return None
    may_be = abs(seat - other) < ctx.table.adjacent_boxes
    return None if may_be and not ctx.reported(ConductReported.kind) else False


def left(ctx: Context, seat: int, before_s: float) -> Step | None:
    """The report that the player of a seat left the table before a time."""
    found = (
        step
        for step, event in ctx.outside(ConductReported)
        if event.what == "left_table" and event.seat == seat and step.t_s < before_s
    )
    return next(found, None)


def is_losing(ctx: Context, seat: int, before_s: float) -> bool:
    """Whether the house treats the wagers of this seat as losing, for its player left before a time (e.g. 669a.7(b), ALL-A13)."""
    return ctx.table.reading("abandoned") == "losing" and left(ctx, seat, before_s) is not None


def house_decides(ctx: Context, seat: int, expected: str, before_s: float) -> Outcome | None:
    """Undetermined where the player of a seat left before a time and the house decides what becomes of the wagers (ALL-A13)."""
    gone = left(ctx, seat, before_s)
    if gone is None or ctx.table.reading("abandoned") != "operator":
        return None
    return undetermined(expected, "what the house decided on the wagers of a player who left the table", [gone])


TELLING = ("showed_cards", "told_hand")
"""Reports that a player told of a hand."""


def forfeit(ctx: Context, seat: int) -> Step | None:
    """The report that the player of a seat told of the hand before all community cards lay open, where the chapter has all wagers of that person forfeited
    for it (669a.11(a)(3))."""
    r = ctx.round
    end = r.settling_since
    told = [
        step
        for step, event in ctx.outside(ConductReported)
        if event.what in TELLING
        and event.seat == seat
        and r.first_card is not None
        and r.first_card.t_s <= step.t_s
        and (end is None or step.t_s < end)
    ]
    return told[0] if told and any(row.endswith("-PLR-NOTALK") for row in catalogue(ctx.table.game)) else None


def unless_forfeit(ctx: Context, seat: int, outcome: Outcome | None) -> Outcome | None:
    """What a check found of a wager, left open where the player told of the hand: whether the house held the wagers forfeited, nobody says."""
    if outcome is None or outcome.verdict not in (Verdict.BREACH, Verdict.COMPLIANT):
        return outcome
    told = forfeit(ctx, seat)
    if told is None:
        return outcome
    missing = "whether the wagers of a player who told of the hand were held forfeited"
    return undetermined(outcome.expected, missing, [told, *outcome.steps], area=outcome.area)
