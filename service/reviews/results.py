"""What a review leaves: files for people and for programs, all of them from the same findings and rounds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from service.config import TableSetup
from service.errors import ServiceError
from service.export.columns import Column, Kind
from service.export.csv_file import csv_lines
from service.export.formats import Format, export_rows, whole_file
from service.export.pdf import write_pdf
from service.reviews.pdf_report import report_blocks
from service.reviews.report import Undetermined, render_report, undetermined_of
from service.reviews.work import EVENTS, EVIDENCE, FINDINGS, ROUNDS, json_lines_of, load_pictures
from service.store import Picture
from service.store.round_facts import round_row

RUN_FILE, PAGE, PDF = "run.json", "report.html", "report.pdf"
PAYOUT_COLUMNS = (
    Column("table_id", means="the table"),
    Column("round_id", means="the round"),
    Column("seat", Kind.WHOLE, "seat, 1 is farthest to the dealer's left"),
    Column("wager", means="the wager, as the table's file names it"),
    Column("stake_cents", Kind.WHOLE, "what was wagered"),
    Column("outcome", means="win, lose or push; empty: unknown"),
    Column("owed_cents", Kind.WHOLE, "what the law and the paytable owe; empty: unknown"),
    Column("paid_cents", Kind.WHOLE, "what was paid; empty: not seen well enough"),
    Column("difference_cents", Kind.WHOLE, "paid less owed, where both are known"),
    Column("verdict", means="compliant, breach, undetermined, not_applicable"),
    Column("citation", means="the section of law"),
    Column("way", means="how the amount was worked out"),
)
ROUND_COLUMNS = (
    Column("table_id", means="the table"),
    Column("round_id", means="the round"),
    Column("number", Kind.WHOLE, "of the round in its recording, from 1"),
    Column("opened_s", Kind.NUMBER, "seconds into the recording"),
    Column("closed_s", Kind.NUMBER, "seconds into the recording"),
    Column("complete", Kind.FLAG, "its cards were seen to leave the table"),
    Column("community", means="community cards in order of turning, ? where not read"),
    Column("dealer", means="the dealer's cards, ? where not read"),
    Column("players", means="seat: cards; ? where not read"),
    Column("stake_cents", Kind.WHOLE, "all wagers whose stake is known"),
    Column("owed_cents", Kind.WHOLE, "over wagers whose owed and paid amounts are known"),
    Column("paid_cents", Kind.WHOLE, "over the same wagers"),
    Column("difference_cents", Kind.WHOLE, "paid less owed over the same wagers"),
    Column("unknown", Kind.WHOLE, "wagers of which an amount is unknown"),
    Column("breaches", Kind.WHOLE, "findings of this round that ring"),
)
EVENT_COLUMNS = (
    Column("number", Kind.WHOLE, "in the order the law was applied to, from 0"),
    Column("table_id", means="the table"),
    Column("t_s", Kind.NUMBER, "seconds into the recording"),
    Column("kind", means="see docs/events.md"),
    Column("area", means="the area of the layout"),
    Column("card", means="rank and suit, e.g. Td; empty: not read"),
    Column("face", means="up or down"),
    Column("amount_cents", Kind.WHOLE, "chips; empty: unknown"),
    Column("confidence", Kind.NUMBER, "0 to 1"),
    Column("event", means="the whole event as JSON"),
)
FINDING_COLUMNS = (
    Column("finding_id"),
    Column("table_id"),
    Column("round_id"),
    Column("t_s", Kind.NUMBER, "seconds into the recording"),
    Column("check_id", means="see docs/rules.md"),
    Column("verdict"),
    Column("severity"),
    Column("citation"),
    Column("seat", Kind.WHOLE),
    Column("area"),
    Column("expected"),
    Column("seen"),
    Column("missing", means="what an undetermined check lacked"),
    Column("owed_cents", Kind.WHOLE),
    Column("paid_cents", Kind.WHOLE),
    Column("confidence", Kind.NUMBER),
)
COLUMNS = {"events": EVENT_COLUMNS, "rounds": ROUND_COLUMNS, "payouts": PAYOUT_COLUMNS, "findings": FINDING_COLUMNS}
"""What can be taken away from a review."""


def write_results(
    part: Path, setup: TableSetup, *, about: Mapping[str, Any], breaches: Sequence[Mapping[str, Any]],
    rounds: Sequence[Mapping[str, Any]], made: datetime,
) -> None:  # fmt: skip
    """Writes `payouts.csv`, `report.html`, `report.pdf` and last `run.json` beside what the review wrote.

    Args:
        part: the folder that holds events, findings, rounds and pictures.
        setup: the table that was judged, with the day whose law judged it.
        about: what was reviewed, with which parts.
        breaches: in order of time.
        rounds: closed rounds.
        made: when; stands in the reports, nowhere else.
    """
    undetermined: Undetermined = undetermined_of(json_lines_of(part / FINDINGS))

    def pictures(finding_id: str) -> list[Picture]:
        return load_pictures(part / EVIDENCE / finding_id)

    with (part / "payouts.csv").open("wb") as file:
        file.writelines(csv_lines(PAYOUT_COLUMNS, payout_rows(about["table_id"], rounds)))
    given: dict[str, Any] = {"about": about, "breaches": breaches, "undetermined": undetermined, "rounds": rounds, "pictures": pictures}  # fmt: skip
    (part / PAGE).write_text(render_report(setup, made=made, **given), encoding="utf-8")
    with (part / PDF).open("wb") as file:
        title = f"Review of table {about['table_id']}"
        write_pdf(file, report_blocks(setup, **given), title=title, made=made, footer=title)
    (part / RUN_FILE).write_text(json.dumps(dict(about), indent=2) + "\n", encoding="utf-8")


def export_result(folder: Path, what: str, form: Format) -> Iterator[bytes]:
    """Events, rounds, payouts or findings of a finished review in a format, block by block.

    Args:
        folder: the review's results.
        what: a key of `COLUMNS`.
        form: the format; JSON lines keep everything, CSV and Parquet hold the columns.
    """
    about = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    return export_rows(form, COLUMNS[what], rows_of(folder, what, about["table_id"], flat=form is not Format.JSONL))


def write_export(folder: Path, what: str, form: Format, out: Path) -> None:
    """Writes an export to a file that appears only when it is whole.

    Raises:
        ServiceError: the file cannot be written, or the review's results are not what a review writes.
    """
    for needed in {"events": (EVENTS,), "payouts": (ROUNDS,), "rounds": (ROUNDS, FINDINGS)}.get(what, (FINDINGS,)):
        if not (folder / needed).is_file():
            raise ServiceError(f"its {needed} is missing", where=folder, do="Review the recording anew")
    try:
        with whole_file(out) as file:
            file.writelines(export_result(folder, what, form))
    except (ValueError, KeyError, TypeError) as error:
        raise ServiceError(
            f"its results are damaged ({type(error).__name__}: {error})", where=folder, do="Review the recording anew"
        ) from error


def rows_of(folder: Path, what: str, table_id: str, *, flat: bool) -> Iterator[Mapping[str, Any]]:
    """The rows of an export; `flat` as the columns want them, else as they were written."""
    if what == "payouts":
        yield from payout_rows(table_id, json_lines_of(folder / ROUNDS))
    elif what == "rounds":
        rung = breaches_by_round(folder) if flat else {}
        for record in json_lines_of(folder / ROUNDS):
            yield round_row(table_id, record, rung.get(record["round_id"], 0)) if flat else record
    elif what == "events":
        for number, event in enumerate(json_lines_of(folder / EVENTS)):
            yield event_row(number, event) if flat else event
    else:
        yield from json_lines_of(folder / FINDINGS)


def breaches_by_round(folder: Path) -> dict[str, int]:
    """How many findings of each round ring."""
    out: dict[str, int] = {}
    for finding in json_lines_of(folder / FINDINGS):
        if finding["verdict"] == "breach":
            out[finding["round_id"]] = out.get(finding["round_id"], 0) + 1
    return out


def payout_rows(table_id: str, rounds: Any) -> Iterator[dict[str, Any]]:
    """One row for each settled wager, in the order of rounds; what is unknown stays empty."""
    for record in rounds:
        for payout in record.get("payouts", ()):
            row = {column.name: payout.get(column.name) for column in PAYOUT_COLUMNS}
            row |= {"table_id": table_id, "round_id": record["round_id"]}
            if payout.get("paid_cents") is not None and payout.get("owed_cents") is not None:
                row["difference_cents"] = payout["paid_cents"] - payout["owed_cents"]
            yield row


def event_row(number: int, event: Mapping[str, Any]) -> dict[str, Any]:
    """An event in one row; what has no column stands in the last one."""
    row = {column.name: event.get(column.name) for column in EVENT_COLUMNS}
    return row | {"number": number, "event": json.dumps(event, separators=(",", ":"), ensure_ascii=False)}


def plain(value: Any) -> Any:
    """A dataclass as JSON values."""
    return json.loads(json.dumps(asdict(value), default=lambda v: v.value if isinstance(v, Enum) else str(v)))
