"""One call for the three formats of rows, and files that are either whole or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from service.errors import ServiceError
from service.export.columns import Column
from service.export.csv_file import csv_lines
from service.export.errors import ExportError
from service.export.lines import json_lines
from service.export.parquet import parquet_blocks
from service.folders import FULL


class Format(StrEnum):
    """A format of rows; its value is the file's ending."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"

    @property
    def media_type(self) -> str:
        """For the header of an answer over HTTP."""
        return MEDIA_TYPES[self]


MEDIA_TYPES = {
    Format.JSONL: "application/x-ndjson",
    Format.CSV: "text/csv; charset=utf-8",
    Format.PARQUET: "application/vnd.apache.parquet",
}


def export_rows(form: Format, columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Rows in a format, block by block; for a file or for a streamed answer.

    JSON lines keep every key of a row, lists and objects too; CSV and Parquet hold the columns.

    Raises:
        ExportError: a value is of another kind than its column.
    """
    if form is Format.JSONL:
        return json_lines(rows)
    return csv_lines(columns, rows) if form is Format.CSV else parquet_blocks(columns, rows)


def write_rows(path: Path, form: Format, columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes rows to a file that appears only when it is whole.

    Raises:
        ExportError: a value is of another kind than its column.
        ServiceError: the file cannot be written, e.g. the disk is full; an earlier file is left as it was.
    """
    with whole_file(path) as file:
        for block in export_rows(form, columns, rows):
            file.write(block)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Gives a file to write into; it becomes `path` only if the block ends without an error.

    Raises:
        ServiceError: the file cannot be written, e.g. the disk is full.
    """
    part: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        part = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        os.replace(part, path)
    except OSError as error:
        full = error.errno in FULL
        do = "Free some space and try again" if full else "Give a folder that exists and can be written"
        raise ExportError(f"cannot be written ({error.strerror})", where=path, do=do) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def parse_format(name: str) -> Format:
    """The format of this name.

    Raises:
        ServiceError: there is none.
    """
    try:
        return Format(name)
    except ValueError:
        raise ServiceError(f"there is no format {name!r}", do=f"Use one of {', '.join(Format)}") from None
