"""The writers: what opens in a spreadsheet, in pyarrow, in a PDF reader; the same rows give the same bytes."""

from __future__ import annotations

import csv
import errno
import io
import json
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import ServiceError
from service.export.blocks import (
    Block,
    Chart,
    Facts,
    Figures,
    Gap,
    Grid,
    Heading,
    Line,
    NewPage,
    Pictures,
    TableColumn,
    Text,
)  # fmt: skip
from service.export.columns import Column, Kind
from service.export.csv_file import FORMULA_STARTS, csv_lines
from service.export.errors import ExportError
from service.export.formats import Format, export_rows, parse_format, write_rows
from service.export.parquet import GROUP_ROWS, parquet_blocks
from service.export.pdf import write_pdf

COLUMNS = (
    Column("round_id", means="the round"),
    Column("owed_cents", Kind.WHOLE),
    Column("t_s", Kind.NUMBER),
    Column("seen", Kind.FLAG),
)
ROWS: list[dict[str, Any]] = [
    {"round_id": "A-1", "owed_cents": 500, "t_s": 1.25, "seen": True},
    {"round_id": 'Zoë, "7♠"\nline two', "owed_cents": -500, "t_s": 2, "seen": False},
    {"round_id": None},
]
MADE = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def csv_of(rows: list[dict[str, Any]]) -> list[list[str]]:
    text = b"".join(csv_lines(COLUMNS, rows)).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def pdf_of(blocks: list[Block], made: datetime = MADE) -> tuple[bytes, int]:
    file = io.BytesIO()
    pages = write_pdf(file, blocks, title="Report", made=made, footer="Table A")
    return file.getvalue(), pages


def picture(wide: int = 320, high: int = 180) -> bytes:
    return cv2.imencode(".jpg", np.full((high, wide, 3), (60, 120, 40), np.uint8))[1].tobytes()


def test_csv_opens_with_a_spreadsheets_defaults() -> None:
    whole = b"".join(csv_lines(COLUMNS, ROWS))
    assert whole.startswith(b"\xef\xbb\xbfround_id,owed_cents,t_s,seen\r\n")
    assert csv_of(ROWS)[1:] == [
        ["A-1", "500", "1.25", "true"],
        ['Zoë, "7♠"\nline two', "-500", "2", "false"],
        ["", "", "", ""],
    ]


@given(st.sampled_from(FORMULA_STARTS), st.text(max_size=8), st.integers(0, 2))
def test_no_text_of_a_csv_runs_as_a_formula(start: str, rest: str, blanks: int) -> None:
    text = " " * blanks + start + rest.replace("\0", "").replace("\r", "").encode(errors="ignore").decode()
    assert csv_of([{"round_id": text}])[1][0] == f"'{text}"


def test_a_negative_amount_stays_a_number() -> None:
    assert csv_of([{"owed_cents": -1250}])[1][1] == "-1250"


def test_json_lines_keep_everything_a_row_has() -> None:
    rows: list[dict[str, Any]] = [{"round_id": "A-1", "cards": ["As", "Kd"], "seat": None}, {"round_id": "Zoë"}]
    written = b"".join(export_rows(Format.JSONL, COLUMNS, rows)).decode()
    assert [json.loads(line) for line in written.splitlines()] == rows


def test_parquet_opens_with_pyarrow_and_has_its_types() -> None:
    table = pq.read_table(io.BytesIO(b"".join(parquet_blocks(COLUMNS, ROWS))))
    assert [str(field.type) for field in table.schema] == ["string", "int64", "double", "bool"]
    assert table.schema.field("round_id").metadata == {b"means": b"the round"}
    assert table.to_pylist()[0] == ROWS[0]
    assert table.to_pylist()[2] == dict.fromkeys(("round_id", "owed_cents", "t_s", "seen"))


def test_parquet_without_rows_still_has_its_columns() -> None:
    table = pq.read_table(io.BytesIO(b"".join(parquet_blocks(COLUMNS, []))))
    assert (table.num_rows, table.column_names) == (0, [c.name for c in COLUMNS])


@pytest.mark.parametrize("form", list(Format))
def test_rows_are_taken_as_they_are_written(form: Format) -> None:
    taken = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal taken
        for number in range(3 * GROUP_ROWS):
            taken = number + 1
            yield {"round_id": f"A-{number}", "owed_cents": number}

    blocks = export_rows(form, COLUMNS, rows())
    next(blocks)
    assert taken <= GROUP_ROWS
    assert sum(1 for _ in blocks) >= 2
    assert taken == 3 * GROUP_ROWS


@pytest.mark.parametrize("form", list(Format))
def test_the_same_rows_give_the_same_bytes(form: Format) -> None:
    assert b"".join(export_rows(form, COLUMNS, ROWS)) == b"".join(export_rows(form, COLUMNS, ROWS))


@pytest.mark.parametrize("form", [Format.CSV, Format.PARQUET])
@pytest.mark.parametrize("row", [{"owed_cents": 1.5}, {"owed_cents": True}, {"round_id": 7}, {"seen": 1}, {"t_s": "1"}])
def test_a_value_of_another_kind_is_named_with_its_place(form: Format, row: dict[str, Any]) -> None:
    with pytest.raises(ExportError, match=f"row 2, column {next(iter(row))}: expected"):
        list(export_rows(form, COLUMNS, [ROWS[0], row]))


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "payouts.csv"
    with pytest.raises(ExportError):
        write_rows(path, Format.CSV, COLUMNS, [{"owed_cents": "x"}])
    assert list(tmp_path.iterdir()) == []
    write_rows(path, Format.CSV, COLUMNS, ROWS)
    with pytest.raises(ExportError):
        write_rows(path, Format.CSV, COLUMNS, [{"owed_cents": "x"}])
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"".join(csv_lines(COLUMNS, ROWS))


def test_a_full_disk_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield ROWS[0]
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ExportError, match=r"No space left.*Free some space"):
        write_rows(tmp_path / "rounds.jsonl", Format.JSONL, COLUMNS, rows())
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_names_the_known_ones() -> None:
    assert parse_format("parquet") is Format.PARQUET
    with pytest.raises(ServiceError, match="jsonl, csv, parquet"):
        parse_format("xlsx")


def every_block() -> list[Block]:
    days = [f"2026-11-{day:02}" for day in range(1, 31)]
    return [
        Heading("Review of table A", 1),
        Text("Quiet & <b>escaped</b>", quiet=True),
        Text("Bad", bold=True, colour="#b3261e"),
        Figures([("4", "rounds closed"), ("−$12.50", "paid above or below what was owed")]),
        Facts([("Expected", "long " * 60), ("Hash", "ab" * 120)]),
        Heading("Trend"),
        Chart(
            days,
            [Line("accuracy", [0.98, None] * 15), Line("limit", [0.99] * 30, dashed=True, dots=False)],
            title="By day",
            marked=frozenset({(0, 2)}),
        ),
        Chart([], []),
        Chart(["a"], [Line("flat", [3.0])]),
        Gap(),
        Pictures([(picture(), "1:02 card turned, 7♠ Őłż"), (picture(100, 900), "tall"), (picture(), "")]),
        NewPage(),
        Heading("Payouts"),
        Grid([TableColumn("round"), TableColumn("owed", 0.5, right=True)], [("x" * 400, "$5.00"), ("word " * 900, "")]),
        Grid([TableColumn("empty")], []),
    ]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_a_pdf_reads_well(tmp_path: Path) -> None:
    content, pages = pdf_of(every_block())
    (tmp_path / "a.pdf").write_bytes(content)
    done = subprocess.run(["pdftotext", "-layout", "a.pdf", "-"], cwd=tmp_path, capture_output=True, check=True)
    text = done.stdout.decode()
    assert done.stderr == b""
    assert text.count("\f") == pages >= 3
    for said in ("Quiet & <b>escaped</b>", "7♠ Őłż", f"page 1 of {pages}", f"page {pages} of {pages}", "made 2026-11-21 12:00 UTC", "none"):  # fmt: skip
        assert said in text.replace("\xa0", " ")
    assert text.count("word") == 900


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_a_long_table_shows_its_heading_on_every_page(tmp_path: Path) -> None:
    rows = ((f"A-{number:04}", f"${number}.00") for number in range(400))
    content, pages = pdf_of([Grid([TableColumn("round id"), TableColumn("owed")], rows)])
    (tmp_path / "a.pdf").write_bytes(content)
    text = subprocess.run(["pdftotext", "-layout", "a.pdf", "-"], cwd=tmp_path, capture_output=True, check=True).stdout
    shown = text.decode().split("\f")[:-1]
    assert len(shown) == pages > 5
    assert all("round id" in page for page in shown)
    assert [f"A-{number:04}" in text.decode() for number in range(400)] == [True] * 400


def test_the_same_blocks_at_the_same_moment_give_the_same_pdf() -> None:
    assert pdf_of(every_block()) == pdf_of(every_block())


def test_a_pdf_differs_by_its_date_alone() -> None:
    blocks: list[Block] = [Heading("Report", 1), Text("Nothing was found.")]
    first, _ = pdf_of(blocks)
    later, _ = pdf_of(blocks, MADE.replace(day=22))
    assert first != later
    assert len(first) == pytest.approx(len(later), abs=40)


def test_a_row_with_too_few_cells_is_no_row() -> None:
    with pytest.raises(ValueError, match="has 1 cells, its table 2 columns"):
        pdf_of([Grid([TableColumn("a"), TableColumn("b")], [("x",)])])
