"""An audit printed on a terminal."""

from __future__ import annotations

from itertools import islice

from rich.console import Console
from rich.table import Table

from rules.money import format_cents
from service.audit.exceptions import Exceptions
from service.audit.questions import Questions, Row
from service.audit.report import Audit, interval, percent, title_of
from service.audit.rows import mispayment_rows

SHOWN = 20
"""Mispayments listed on a terminal; the files hold all of them."""


def print_audit(out: Console, questions: Questions, audit: Audit) -> None:
    """Prints totals, tables, the days out of control, the newest mispayments and whether the totals agree."""
    tally = audit.whole.tally
    out.print(f"Payout accuracy, {audit.scope.words()}: {audit.whole.rounds:,} rounds", highlight=False)
    for by, rows in audit.tables.items():
        heads = [str(one) for one in by]
        numbers = (
            "checked",
            "undetermined",
            "right",
            "over",
            "under",
            "over $",
            "under $",
            "accuracy",
            "95% interval, %",
        )
        listing = Table(*heads, title=title_of(by), title_justify="left")
        for name in numbers:
            listing.add_column(name, justify="right")
        for row in rows:
            listing.add_row(*row.key, *_cells(row))
        listing.add_section()
        listing.add_row("all", *[""] * (len(by) - 1), *_cells(audit.whole))
        out.print(listing)
    odd = [point for point in audit.trend.points if point.is_out]
    said = ", ".join(f"{p.day} ({p.tally.mispaid}, expected {p.limits.low} to {p.limits.high})" for p in odd)
    out.print(f"Days out of control: {said or 'none'} of {len(audit.trend.points)}", highlight=False)
    _print_mispayments(out, questions, audit)
    agrees = audit.books.agrees and audit.parts.agrees
    wrong = "; ".join((*audit.books.disagreements, *audit.parts.disagreements))
    ways = len(audit.books.accounts) + len(audit.parts.accounts)
    out.print(
        f"Totals added up in {ways} ways: " + ("all agree" if agrees else f"they do not agree: {wrong}"),
        highlight=False,
    )
    if tally.unpriced:
        out.print(f"{tally.unpriced} mispayments of unknown amount are in no sum", highlight=False)


def _cells(row: Row) -> tuple[str, ...]:
    tally, share = row.tally, row.accuracy
    return (
        f"{tally.checked:,}", f"{tally.undetermined:,}", f"{tally.right:,}", f"{tally.over:,}", f"{tally.under:,}",
        format_cents(tally.over_cents), format_cents(tally.under_cents),
        percent(share.value if share.total else None), interval(row),
    )  # fmt: skip


def _print_mispayments(out: Console, questions: Questions, audit: Audit) -> None:
    count = audit.whole.tally.mispaid
    if not count:
        return
    exceptions = Exceptions(questions)
    heads = (
        "day",
        "table",
        "round",
        "seat",
        "dealer",
        "wager",
        "owed",
        "paid",
        "difference",
        "the way to what was owed",
    )
    more = f", the newest {SHOWN}" if count > SHOWN else ""
    listing = Table(*heads, title=f"{count:,} mispayments{more}", title_justify="left")
    for row in mispayment_rows(exceptions, islice(exceptions.all(audit.scope), SHOWN)):
        amounts = ("unknown" if row[name] is None else f"{row[name]:,.2f}" for name in ("owed", "paid", "difference"))
        listing.add_row(
            row["day"], row["table_id"], row["round"], str(row["seat"]), row["dealer"], row["wager"], *amounts,
            f"{row['way']} ({row['citation']})",
        )  # fmt: skip
    out.print(listing)
