"""CSV that opens with a spreadsheet's defaults: a byte order mark, commas, CRLF, quotes where needed (RFC 4180).

A text that a spreadsheet would run as a formula gets an apostrophe before it, as OWASP advises
(https://owasp.org/www-community/attacks/CSV_Injection); numbers are never touched.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from service.export.columns import Cell, Column, cells

BLOCK_CHARACTERS = 1 << 16
BYTE_ORDER_MARK = "\ufeff"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
"""First characters, after leading blanks, that make a cell a formula; the wide forms are folded by East Asian versions."""


def csv_lines(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Blocks of a CSV file with its heading; memory does not grow with the rows.

    Raises:
        ExportError: a value is of another kind than its column.
    """
    block = io.StringIO(newline="")
    writer = csv.writer(block, lineterminator="\r\n")
    block.write(BYTE_ORDER_MARK)
    writer.writerow([column.name for column in columns])
    for row in cells(columns, rows):
        writer.writerow([_shown(cell) for cell in row])
        if block.tell() >= BLOCK_CHARACTERS:
            yield block.getvalue().encode()
            block.seek(0)
            block.truncate()
    yield block.getvalue().encode()


def _shown(cell: Cell) -> str | int | float:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return safe_text(cell) if isinstance(cell, str) else cell


def safe_text(text: str) -> str:
    """The text as a spreadsheet will show it and not run it.

    >>> safe_text("=1+1"), safe_text("seat 3")
    ("'=1+1", 'seat 3')
    """
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text
