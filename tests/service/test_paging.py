"""Pages of a list: what they hold, and from where the next one is asked for."""

from __future__ import annotations

import pytest

from service.web.paging import page_of

ROWS = [9, 7, 4, 2]
"""Newest first, each its own place."""


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_pages_one_after_the_other_hold_every_row_once_and_the_last_says_so(limit: int) -> None:
    held: list[int] = []
    before: int | None = max(ROWS) + 1
    while before is not None:
        found = [row for row in ROWS if row < before][: limit + 1]
        rows, before = page_of(found, limit, lambda row: row)
        assert 0 < len(rows) <= limit
        held += rows
    assert held == ROWS


def test_a_list_of_nothing_is_one_page() -> None:
    assert page_of(list[int](), 2, lambda row: row) == ([], None)
