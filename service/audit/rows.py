"""The audit's answers as rows of exports: the same columns in CSV, Parquet and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from service.audit.exceptions import Exceptional, Exceptions, RoundDetail
from service.audit.facts import MISPAID
from service.audit.questions import By, Row, Trend
from service.audit.reconciling import Reconciliation
from service.export.columns import Column, Kind

W, N = Kind.WHOLE, Kind.NUMBER
BY_COLUMNS = {
    By.GAME: Column("game"), By.TABLE: Column("table_id"), By.WAGER: Column("wager"),
    By.LINE: Column("line", means="line of the paytable, or how the wager ended without one"),
    By.SHIFT: Column("shift"), By.DEALER: Column("dealer", means="number, never a name"),
    By.DAY: Column("day", means="gaming day"),
}  # fmt: skip
TALLY_COLUMNS = (
    Column("payouts", W, "wagers settled"),
    Column("checked", W, "of these, with a verdict"),
    Column("undetermined", W, "of these, without one: what was owed or paid is not known"),
    Column("right", W, "paid to the cent"),
    Column("over", W, "paid too much"),
    Column("under", W, "paid too little"),
    Column("unpriced", W, "paid wrong by an amount that is not known"),
    Column("accuracy", N, "right of checked, 0 to 1"),
    Column("accuracy_low", N, "lower end of Wilson's 95% interval"),
    Column("accuracy_high", N, "upper end of it"),
    Column("staked", N, "dollars wagered"),
    Column("owed", N, "dollars that had to go back to players, stakes included, where both amounts are known"),
    Column("paid", N, "dollars that went back, likewise"),
    Column("over_amount", N, "dollars paid too much"),
    Column("under_amount", N, "dollars paid too little"),
    Column("over_cents", W, "the same in cents"),
    Column("under_cents", W, "the same in cents"),
)
MISPAYMENT_COLUMNS = (
    Column("day"), Column("at_utc"), Column("shift"), Column("table_id"), Column("game"), Column("round"),
    Column("dealer"), Column("seat", W), Column("wager"), Column("line"), Column("verdict"),
    Column("staked", N, "dollars"), Column("owed", N, "dollars, stake included"),
    Column("paid", N, "dollars, stake included"), Column("difference", N, "dollars; below zero too little"),
    Column("difference_cents", W), Column("way", means="the way to what was owed"), Column("citation"),
    Column("right_if", means="readings of ambiguous texts under which it would be right"),
    Column("source", means="file and line, or run"),
)  # fmt: skip
TREND_COLUMNS = (
    Column("day"), Column("checked", W), Column("mispaid", W), Column("rate", N), Column("centre", N),
    Column("limit_low", W, "mispayments that chance alone explains, least"),
    Column("limit_high", W, "the same, most"), Column("out_of_control", Kind.FLAG),
)  # fmt: skip
ACCOUNT_COLUMNS = (
    Column("added_up"), Column("rounds", W), Column("payouts", W), Column("right", W), Column("over", W),
    Column("under", W), Column("undetermined", W), Column("staked_cents", W), Column("owed_cents", W),
    Column("paid_cents", W), Column("over_cents", W), Column("under_cents", W),
)  # fmt: skip


def money(cents: int | None) -> float | None:
    """Cents as dollars; exact to the cent up to far beyond any till."""
    return None if cents is None else cents / 100


def accuracy_columns(by: Sequence[By]) -> tuple[Column, ...]:
    """The columns of a table by some properties."""
    return (*(BY_COLUMNS[one] for one in by), *TALLY_COLUMNS)


def accuracy_row(row: Row, by: Sequence[By]) -> dict[str, Any]:
    """One row of such a table."""
    tally, share = row.tally, row.accuracy
    low, high = share.interval
    known = bool(share.total)
    return {BY_COLUMNS[one].name: value for one, value in zip(by, row.key, strict=False)} | {
        "payouts": tally.wagers, "checked": tally.checked, "undetermined": tally.undetermined, "right": tally.right,
        "over": tally.over, "under": tally.under, "unpriced": tally.unpriced,
        "accuracy": round(share.value, 8) if known else None,
        "accuracy_low": round(low, 8) if known else None, "accuracy_high": round(high, 8) if known else None,
        "staked": money(tally.staked_cents), "owed": money(tally.owed_cents), "paid": money(tally.paid_cents),
        "over_amount": money(tally.over_cents), "under_amount": money(tally.under_cents),
        "over_cents": tally.over_cents, "under_cents": tally.under_cents,
    }  # fmt: skip


def mispayment_rows(exceptions: Exceptions, found: Iterable[Exceptional]) -> Iterator[dict[str, Any]]:
    """Mispayments with the way to what was owed, each from its round."""
    held: RoundDetail | None = None
    for one in found:
        if held is None or held.round_seq != one.round_seq:
            held = exceptions.round(one.round_seq)
        wager = held.wagers[one.number]
        yield {
            "day": one.day, "at_utc": one.at_utc, "shift": one.shift, "table_id": one.table_id, "game": one.game,
            "round": one.round_id, "dealer": one.dealer, "seat": one.seat, "wager": one.wager, "line": one.line,
            "verdict": one.verdict.label, "staked": money(one.staked_cents), "owed": money(one.owed_cents),
            "paid": money(one.paid_cents), "difference": money(one.difference_cents),
            "difference_cents": one.difference_cents, "way": wager.way, "citation": wager.citation,
            "right_if": "; ".join(wager.readings) if one.verdict in MISPAID else "", "source": held.source,
        }  # fmt: skip


def trend_rows(trend: Trend) -> Iterator[dict[str, Any]]:
    """The trend day by day."""
    for point in trend.points:
        yield {
            "day": point.day, "checked": point.tally.checked, "mispaid": point.tally.mispaid,
            "rate": None if point.rate is None else round(point.rate, 8), "centre": round(trend.centre, 8),
            "limit_low": point.limits.low, "limit_high": point.limits.high, "out_of_control": point.is_out,
        }  # fmt: skip


def account_rows(found: Reconciliation) -> Iterator[Mapping[str, Any]]:
    """The accounts of a reconciliation."""
    for account in found.accounts:
        tally = account.tally
        yield {
            "added_up": account.name, "rounds": account.rounds, "payouts": tally.wagers, "right": tally.right,
            "over": tally.over, "under": tally.under, "undetermined": tally.undetermined,
            "staked_cents": tally.staked_cents, "owed_cents": tally.owed_cents, "paid_cents": tally.paid_cents,
            "over_cents": tally.over_cents, "under_cents": tally.under_cents,
        }  # fmt: skip
