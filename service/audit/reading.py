"""Files of settled rounds, read as a stream: one item a round, with the line it begins at."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from service.audit.facts import AuditError
from service.audit.mapping import CsvMapping, Row
from service.digests import sha256_of_file

DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)
"""What reading a compressed file ends with whose bytes are not those that were packed."""
LONGEST_LINE = 1 << 20
"""Bytes; a longer line is rejected, whatever it holds."""
MOST_ROWS = 500
"""Rows a round may have in CSV; there are at most seven seats with a dozen wagers each."""


@dataclass(frozen=True, slots=True)
class Item:
    """One round as it stands in a file.

    Attributes:
        line: its first line, from 1.
        last: its last line.
        text: the line, for JSON lines; None where it is too long.
        rows: line and row, for CSV.
        fault: why it cannot be read at all, "" if it can.
    """

    line: int
    last: int
    text: str = ""
    rows: tuple[tuple[int, Row], ...] = ()
    fault: str = ""


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file's bytes.

    Raises:
        AuditError: it cannot be read.
    """
    try:
        return sha256_of_file(path)
    except OSError as error:
        raise AuditError(f"cannot be read ({error.strerror})", where=path, do="Give a file that exists") from error


def read_items(path: Path, mapping: CsvMapping | None, *, after: int = 0) -> Iterator[Item]:
    """The rounds of a file.

    Args:
        path: JSON lines, or CSV where there is a mapping; either may be gzipped (`.gz`).
        mapping: of the columns of CSV.
        after: leave out rounds that begin at this line or before it.

    Raises:
        AuditError: the file is no text, is cut off, or lacks a column; says where.
    """
    try:
        with opened(path) as file:
            items = _json_items(file) if mapping is None else _csv_items(path, file, mapping)
            for item in items:
                if item.line > after:
                    yield item
    except UnicodeDecodeError as error:
        raise AuditError(
            f"not text in {error.encoding} ({error.reason})", where=path, do="Name its encoding in the mapping"
        ) from error
    except csv.Error as error:
        raise AuditError(f"not CSV ({error})", where=path, do="Check the delimiter and the quotes") from error


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file's bytes, unpacked where its name ends in `.gz`.

    Raises:
        AuditError: while it is read: the compressed file is damaged or cut off.
    """
    with path.open("rb") as raw:
        if path.suffix != ".gz":
            yield raw
            return
        try:
            with gzip.GzipFile(fileobj=raw) as file:
                yield io.BufferedReader(file, 1 << 18)
        except DAMAGED as error:
            raise AuditError(
                f"the compressed file is damaged or cut off ({error})",
                where=path,
                do="Fetch it again and give it once more",
            ) from error


def _json_items(file: BinaryIO) -> Iterator[Item]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield Item(number, number, fault=f"longer than {LONGEST_LINE} bytes")
            continue
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            yield Item(number, number, fault=f"not UTF-8 ({error.reason} at byte {error.start + 1})")
            continue
        if text:
            yield Item(number, number, text)


def _csv_items(path: Path, file: BinaryIO, mapping: CsvMapping) -> Iterator[Item]:
    reader = csv.DictReader(
        io.TextIOWrapper(file, mapping.encoding, newline=""),
        delimiter=mapping.delimiter,
        restkey="",
        restval=None,
        strict=True,
    )
    lacking = [name for name in mapping.columns if name not in (reader.fieldnames or ())]
    if lacking:
        there = ", ".join(reader.fieldnames or ()) or "none"
        raise AuditError(
            f"no column {lacking[0]!r}; there are {there}",
            where=f"{path}, line 1",
            do="Correct the mapping, or the delimiter",
        )
    key: tuple[str, str] | None = None
    rows: list[tuple[int, Row]] = []
    fault, last = "", 1
    for row in reader:
        line, last = last + 1, reader.line_num
        odd = "" in row or None in row.values()
        now = key if odd else mapping.key(row)
        if now != key and rows:
            yield Item(rows[0][0], line - 1, rows=tuple(rows[:MOST_ROWS]), fault=fault)
            rows, fault = [], ""
        key = now
        fault = fault or (f"line {line}: not as many fields as there are columns" if odd else "")
        fault = fault or (f"line {line}: more than {MOST_ROWS} rows of one round" if len(rows) == MOST_ROWS else "")
        if len(rows) <= MOST_ROWS:
            rows.append((line, row))
    if rows:
        yield Item(rows[0][0], last, rows=tuple(rows[:MOST_ROWS]), fault=fault)
