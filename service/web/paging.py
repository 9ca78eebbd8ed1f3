"""Lists in pages: a page is asked for with one row more than it holds, which tells whether another one follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Query

Row = TypeVar("Row")
Place = TypeVar("Place", int, str)

PageSize = Annotated[int, Query(ge=1, le=200)]
"""How many rows a page holds."""
LongPageSize = Annotated[int, Query(ge=1, le=500)]
"""The same where a row is short: the log, the chain of evidence, the rounds of a sample."""


def page_of(found: Sequence[Row], limit: int, place: Callable[[Row], Place]) -> tuple[list[Row], Place | None]:
    """The rows of a page, and from where the next page is asked for.

    Args:
        found: up to `limit + 1` rows in the order of the list.
        limit: how many rows the page holds.
        place: what a row is found again by, such as its id.

    Returns:
        The first `limit` rows, and the place of the last of them; None in its stead where no page follows.
    """
    rows = list(found[:limit])
    return rows, place(rows[-1]) if len(found) > limit else None
