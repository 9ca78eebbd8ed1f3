"""The columns of an export: names, what they hold, and the check that a row holds just that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from service.export.errors import ExportError

Cell: TypeAlias = str | int | float | bool | None


class Kind(StrEnum):
    """What a column holds; every one may also be empty (unknown)."""

    TEXT = "text"
    WHOLE = "whole"
    """Whole numbers, money in cents among them."""
    NUMBER = "number"
    """Numbers with a fraction, e.g. seconds."""
    FLAG = "flag"


TYPES: dict[Kind, tuple[type, ...]] = {
    Kind.TEXT: (str,),
    Kind.WHOLE: (int,),
    Kind.NUMBER: (float, int),
    Kind.FLAG: (bool,),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an export.

    Attributes:
        name: its heading, the same in every format; says its unit (`_cents`, `_s`, `_utc`).
        kind: what it holds.
        means: one line for the documentation.
    """

    name: str
    kind: Kind = Kind.TEXT
    means: str = ""

    def cell(self, row: Mapping[str, Any], number: int) -> Cell:
        """The row's value in this column, checked.

        Args:
            row: values by column name; a missing one is empty.
            number: of the row, from 1, for the error.

        Raises:
            ExportError: it is of another kind.
        """
        value = row.get(self.name)
        if value is None:
            return None
        # bool is an int to Python, but true is no amount
        if not isinstance(value, TYPES[self.kind]) or (isinstance(value, bool) and self.kind is not Kind.FLAG):
            raise ExportError(
                f"expected {self.kind.value}, got {value!r}",
                where=f"row {number}, column {self.name}",
                do="This is a mistake in Pitwatch; please report it",
            )
        checked: Cell = row[self.name]
        return checked


def cells(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Cell, ...]]:
    """The rows as checked tuples in the order of the columns; keys of a row that are no column are left out.

    Raises:
        ExportError: a value is of another kind than its column; says row and column.
    """
    for number, row in enumerate(rows, start=1):
        yield tuple([column.cell(row, number) for column in columns])
