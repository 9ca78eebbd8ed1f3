"""The audit report: a folder of CSV and Parquet with one PDF that a person reads. The same books give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rules.money import format_cents
from service.audit.exceptions import Exceptions
from service.audit.questions import By, Questions, Row, Scope, Trend
from service.audit.reconciling import Account, Reconciliation, by_every_property, reconcile
from service.audit.rows import (
    ACCOUNT_COLUMNS,
    MISPAYMENT_COLUMNS,
    TREND_COLUMNS,
    account_rows,
    accuracy_columns,
    accuracy_row,
    mispayment_rows,
    trend_rows,
)
from service.export.blocks import Block, Chart, Facts, Figures, Grid, Heading, Line, TableColumn, Text
from service.export.formats import Format, whole_file, write_rows
from service.export.pdf import write_pdf
from service.folders import whole_folder

PDF = "audit.pdf"
TITLES = {
    By.GAME: "By game", By.TABLE: "By table", By.WAGER: "By wager", By.LINE: "By paytable line", By.SHIFT: "By shift",
    By.DEALER: "By dealer number", By.DAY: "By day",
}  # fmt: skip
LIMITS = (
    "Control limits: the numbers of mispayments between which a day lies with a probability of 99.73% if every payout goes "
    "wrong with the rate of the whole period (exact quantiles of the binomial distribution). A day outside has a cause of its "
    "own worth looking for."
)
AMOUNTS = "Amounts are all that goes back to the player, the stake included. Intervals are Wilson's, 95%."


@dataclass(frozen=True, slots=True)
class Audit:
    """An audit's answers, gathered once.

    Attributes:
        tables: rows by each property asked for.
        books: several ways to the same totals.
        undated: what is to be said of rounds of no known day.
    """

    scope: Scope
    whole: Row
    tables: dict[tuple[By, ...], list[Row]]
    trend: Trend
    books: Reconciliation
    parts: Reconciliation
    undated: str


def gather(questions: Questions, scope: Scope, by: Sequence[tuple[By, ...]]) -> Audit:
    """Asks everything that a report needs."""
    tables = {one: questions.table(scope, one) for one in by}
    books = reconcile(questions, scope, every_round=True)
    return Audit(
        scope,
        questions.whole(scope),
        tables,
        questions.trend(scope),
        books,
        by_every_property(questions, scope),
        questions.undated(scope),
    )


def write_audit(questions: Questions, audit: Audit, out: Path, *, made: datetime) -> list[str]:
    """Writes the report's folder; it appears only when everything is in it.

    Args:
        questions: the books.
        audit: from `gather`.
        out: the folder to make; an earlier report there is replaced, anything else is left alone.
        made: when; stands in the PDF, nowhere else.

    Returns:
        The names of the files.
    """
    exceptions = Exceptions(questions)
    with whole_folder(out, mark=PDF) as part:
        for form in (Format.CSV, Format.PARQUET):
            for by, rows in audit.tables.items():
                name = "_".join(by)
                write_rows(
                    part / f"by_{name}.{form}", form, accuracy_columns(by), (accuracy_row(row, by) for row in rows)
                )
            for name, undetermined in (("mispayments", False), ("undetermined", True)):
                found = mispayment_rows(exceptions, exceptions.all(audit.scope, undetermined=undetermined))
                write_rows(part / f"{name}.{form}", form, MISPAYMENT_COLUMNS, found)
            write_rows(part / f"trend.{form}", form, TREND_COLUMNS, trend_rows(audit.trend))
            accounts = (row for found in (audit.books, audit.parts) for row in account_rows(found))
            write_rows(part / f"reconciliation.{form}", form, ACCOUNT_COLUMNS, accounts)
        with whole_file(part / PDF) as file:
            write_pdf(file, blocks(exceptions, audit), title="Payout accuracy", made=made, footer=f"Payout accuracy, {audit.scope.words()}")  # fmt: skip
        return sorted(path.name for path in part.iterdir())


def blocks(exceptions: Exceptions, audit: Audit) -> Iterator[Block]:
    """The PDF from top to bottom."""
    tally, share = audit.whole.tally, audit.whole.accuracy
    yield Heading("Payout accuracy", 1)
    yield Facts(
        [
            ("Payouts", audit.scope.words()),
            ("Rounds", ", ".join(filter(None, (f"{audit.whole.rounds:,}", audit.undated)))),
        ]
    )
    yield Figures(
        [
            (f"{tally.checked:,}", f"payouts checked; {tally.undetermined:,} undetermined"),
            (percent(share.value if share.total else None), f"right ({interval(audit.whole)})"),
            (f"{tally.over:,}", f"paid too much: {format_cents(tally.over_cents)}"),
            (f"{tally.under:,}", f"paid too little: {format_cents(tally.under_cents)}"),
        ]
    )
    if tally.unpriced:
        yield Text(f"{tally.unpriced:,} payouts were wrong by an amount that is not known; it is in no sum.")
    yield Text(AMOUNTS, quiet=True)
    yield Heading("Trend")
    yield trend_chart(audit.trend)
    yield Text(LIMITS, quiet=True)
    for by, rows in audit.tables.items():
        yield Heading(title_of(by))
        yield _accuracy_grid(by, rows, audit.whole)
    yield from _reconciliation(audit)
    yield Heading("Every mispayment")
    if not tally.mispaid:
        yield Text("None.")
        return
    yield Grid(
        [TableColumn("day, table", 1.1), TableColumn("round, seat", 0.9), TableColumn("dealer", 0.6), TableColumn("wager", 1.2),
         TableColumn("owed", 0.8, True), TableColumn("paid", 0.8, True), TableColumn("difference", 0.9, True),
         TableColumn("the way to what was owed", 3.4)],
        (
            (
                f"{row['day']} {row['table_id']}", f"{row['round']}, {row['seat']}", row["dealer"], row["wager"].replace("_", " "),
                _dollars(row["owed"]), _dollars(row["paid"]), _signed(row["difference_cents"]),
                f"{row['way']} ({row['citation']})" + (f"; right under {row['right_if']}" if row["right_if"] else ""),
            )
            for row in mispayment_rows(exceptions, exceptions.all(audit.scope))
        ),
    )  # fmt: skip


def trend_chart(trend: Trend) -> Chart:
    """Mispayments of a thousand payouts day by day, with the centre line and the limits."""

    def per_thousand(count: float, checked: int) -> float | None:
        return 1000 * count / checked if checked else None

    points = trend.points
    return Chart(
        places=[point.day[5:] for point in points],
        lines=[
            Line("mispayments in 1,000", [per_thousand(p.tally.mispaid, p.tally.checked) for p in points]),
            Line("period", [1000 * trend.centre] * len(points), colour="#8a939b", dots=False),
            Line("limits", [per_thousand(p.limits.high, p.tally.checked) for p in points], colour="#b3261e", dashed=True, dots=False),
            Line("", [per_thousand(p.limits.low, p.tally.checked) for p in points], colour="#b3261e", dashed=True, dots=False),
        ],
        least=0.0,
        marked=frozenset((0, place) for place, point in enumerate(points) if point.is_out),
    )  # fmt: skip


def title_of(by: Sequence[By]) -> str:
    """What a table is counted by.

    >>> title_of((By.SHIFT, By.DEALER))
    'By shift, dealer number'
    """
    first, *others = (TITLES[one] for one in by)
    return ", ".join((first, *(title.removeprefix("By ") for title in others)))


def percent(share: float | None) -> str:
    """A share for people; never rounded up to all.

    >>> percent(0.99946), percent(1.0), percent(None)
    ('99.946%', '100%', '-')
    """
    if share is None:
        return "-"
    return "100%" if share == 1.0 else f"{min(share, 0.99999):.3%}"


def interval(row: Row) -> str:
    """The 95% interval of a row's accuracy."""
    if not row.accuracy.total:
        return "-"
    low, high = row.accuracy.interval
    return f"{100 * low:.3f} to {100 * high:.3f}"


def _accuracy_grid(by: Sequence[By], rows: Sequence[Row], whole: Row) -> Grid:
    heads = [TableColumn(str(one), 1.6 if one is By.LINE else 1.1) for one in by]
    numbers = ("checked", "undet.", "over", "under", "accuracy", "95% interval", "over, $", "under, $")
    shares = (0.9, 0.6, 0.6, 0.6, 0.9, 1.5, 1.0, 1.0)
    columns = heads + [TableColumn(name, share, True) for name, share in zip(numbers, shares, strict=True)]
    body = [_accuracy_cells(row.key, row) for row in rows]
    return Grid(columns, [*body, _accuracy_cells(("all", *[""] * (len(by) - 1)), whole)])


def _accuracy_cells(key: Sequence[str], row: Row) -> tuple[str, ...]:
    tally, share = row.tally, row.accuracy
    return (
        *(part.replace("_", " ") for part in key),
        f"{tally.checked:,}", f"{tally.undetermined:,}", f"{tally.over:,}", f"{tally.under:,}",
        percent(share.value if share.total else None), interval(row),
        format_cents(tally.over_cents), format_cents(tally.under_cents),
    )  # fmt: skip


def _reconciliation(audit: Audit) -> Iterator[Block]:
    yield Heading("Reconciliation")
    yield Text(
        "Sums kept apart from each other, each added up by itself: wager by wager, line by line, dealer by dealer, and from the "
        "totals of the rounds. They agree to the cent and to the number of rounds, or it says where not.",
        quiet=True,
    )  # fmt: skip
    columns = [TableColumn("added up", 1.4)] + [
        TableColumn(name, 1.0, True) for name in ("rounds", "payouts", "staked", "owed", "paid", "over", "under")
    ]
    for title, found in (("The books", audit.books), ("The parts of each table and the whole", audit.parts)):
        yield Heading(title, 3)
        yield Grid(columns, [_account_cells(one) for one in found.accounts])
        if found.agrees:
            yield Text("All agree.", bold=True)
        else:
            yield Text("They do not agree: " + "; ".join(found.disagreements), bold=True, colour="#b3261e")


def _account_cells(account: Account) -> tuple[str, ...]:
    tally = account.tally
    cents = (tally.staked_cents, tally.owed_cents, tally.paid_cents, tally.over_cents, tally.under_cents)
    rounds = "" if account.rounds is None else f"{account.rounds:,}"
    return (account.name, rounds, f"{tally.wagers:,}", *(format_cents(value) for value in cents))


def _dollars(amount: float | None) -> str:
    return "unknown" if amount is None else f"{amount:,.2f}"


def _signed(cents: int | None) -> str:
    return "unknown" if cents is None else ("+" if cents > 0 else "") + format_cents(cents)
