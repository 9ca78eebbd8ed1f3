"""The checks that every game has: deck, table, people, the announcement, who is dealt to, the stub, electronic wagers."""

from __future__ import annotations

from dataclasses import replace

from rules.catalogue import METHODS, catalogue
from rules.checks import conduct, deck, irregular, opening, progressive_deal, shuffle, two_decks
from rules.checks.base import Check, Context, Outcome, breach, not_applicable, undetermined
from rules.checks.dealing import announced, eligible, stub_racked
from rules.house_events import ConductReported
from rules.records import Step
from rules.table import TableConfig


def boxes(check_id: str) -> Check:
    """A player wagers on no more adjacent boxes than the Rules Submission allows (e.g. 639a.7(e))."""

    def judge(ctx: Context, seat: int) -> Outcome | None:
        most = ctx.table.adjacent_boxes
        expected = f"a player on {f'at most {most} adjacent boxes' if most > 1 else 'one box only'}"
        unsure: list[Step] = []
        for step, event in ctx.outside(ConductReported):
            if event.what != "second_position" or event.seat != seat:
                continue
            if event.other_seat is None:
                unsure.append(step)
            elif abs(event.other_seat - seat) >= most:
                return breach(expected, f"the same player at seat {event.other_seat}", [step])
        if not ctx.closing:
            return None
        if unsure:
            return undetermined(expected, "which other box", unsure)
        return not_applicable("nothing was reported")

    return Check(check_id, judge, per_seat=True)


def checks(prefix: str, table: TableConfig, *, electronic: tuple[tuple[str, str], ...] = ()) -> tuple[Check, ...]:
    """The group for one game; rows that its chapter does not have are left out.

    Args:
        prefix: of the check ids, e.g. "CAR".
        table: its configuration.
        electronic: wagers whose chips are collected before the deal, with what stands for each in the ids, e.g.
            ("progressive", "PROG").
    """
    m = f"{prefix}-{METHODS[table.dealing]}"
    known = catalogue(table.game)
    rows = [row for _, row in electronic]
    every = (
        boxes(f"{prefix}-BOXES"),
        *opening.checks(prefix),
        *shuffle.checks(prefix, table.dealing),
        *two_decks.checks(prefix),
        *(
            replace(check, scope=wager if rows.count(row) > 1 else None)
            for wager, row in electronic
            for check in progressive_deal.checks(prefix, table.dealing, wager, row)
        ),
        Check(f"{m}-NMB", announced),
        Check(f"{m}-ELIGIBLE", eligible, per_seat=True, skipped=True),
        Check(f"{m}-STUB-RACK", stub_racked),
        *irregular.checks(prefix),
        *deck.checks(prefix, table.dealing),
        *conduct.checks(prefix, table.dealing),
    )
    return tuple(check for check in every if check.check_id in known)
