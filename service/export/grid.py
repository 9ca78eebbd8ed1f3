"""Rows of a table in a PDF, laid out one at a time, so that a table may be as long as it likes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable

from service.export.blocks import Grid, TableColumn
from service.export.style import BOLD, LINE, QUIET, REGULAR, TEXT, WIDTH_PT, WRONG, register_fonts

SIZE_PT, LEADING_PT, PAD_PT, GUTTER_PT = 8.0, 10.6, 2.6, 8.0
MOST_LINES = 40
"""A row with more lines than this goes on in a next row: a page holds more, half a page does not."""


def grid_rows(grid: Grid) -> Iterator[Flowable]:
    """The table's rows as flowables; the first shows the heading, and so does each that comes first on its page."""
    register_fonts()
    widths = _widths(grid.columns)
    first = True
    for row in grid.rows:
        if len(row) != len(grid.columns):
            raise ValueError(f"a row has {len(row)} cells, its table {len(grid.columns)} columns: {row!r}")
        wrong = grid.marked is not None and grid.marked(row)
        lines = [_wrapped(text, width) for text, width in zip(row, widths, strict=True)]
        for start in range(0, max(map(len, lines)), MOST_LINES):
            part = [cell[start : start + MOST_LINES] for cell in lines]
            yield _Row(grid.columns, widths, part, first=first, wrong=wrong)
            first = False
    if first:
        yield _Row(grid.columns, widths, [["none"], *([[]] * (len(widths) - 1))], first=True, wrong=False)


def _widths(columns: Sequence[TableColumn]) -> list[float]:
    free = WIDTH_PT - GUTTER_PT * (len(columns) - 1)
    whole = sum(column.share for column in columns)
    return [free * column.share / whole for column in columns]


def _wrapped(text: str, width_pt: float) -> list[str]:
    if stringWidth(text, REGULAR, SIZE_PT) <= width_pt and "\n" not in text:
        return [text]
    return [piece for line in simpleSplit(text, REGULAR, SIZE_PT, width_pt) for piece in _cut(line, width_pt)] or [""]


def _cut(line: str, width_pt: float) -> Iterator[str]:
    """A word that is wider than its column, e.g. a hash, goes on in the next line."""
    while len(line) > 1 and stringWidth(line, REGULAR, SIZE_PT) > width_pt:
        end = len(line) - 1
        while end > 1 and stringWidth(line[:end], REGULAR, SIZE_PT) > width_pt:
            end -= 1
        yield line[:end]
        line = line[end:]
    yield line


class _Row(Flowable):  # type: ignore[misc]
    """One row; with the table's heading above it where it is the first of the table or of its page."""

    def __init__(self, columns: Sequence[TableColumn], widths: Sequence[float], lines: Sequence[Sequence[str]], *, first: bool, wrong: bool) -> None:  # fmt: skip
        super().__init__()
        self.columns, self.widths, self.lines, self.first, self.wrong = columns, widths, lines, first, wrong
        self.heading = [simpleSplit(c.heading, BOLD, SIZE_PT - 0.6, w) for c, w in zip(columns, widths, strict=True)]
        self.headed = first

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        """Its size; decides whether the heading stands here."""
        frame: Any = getattr(self, "_frame", None)
        self.headed = self.first or bool(frame is not None and frame._atTop)
        self.height = self._row_height() + (self._heading_height() if self.headed else 0.0)
        return available_width, self.height

    def _row_height(self) -> float:
        return LEADING_PT * max(1, *map(len, self.lines)) + 2 * PAD_PT

    def _heading_height(self) -> float:
        return LEADING_PT * max(map(len, self.heading)) + 2 * PAD_PT

    def draw(self) -> None:
        """Draws it, from the lower left corner."""
        canvas: Any = self.canv
        if self.headed:
            self._draw_cells(self.heading, top=self.height, font=BOLD, size=SIZE_PT - 0.6, ink=QUIET)
            self._rule(self._row_height(), 0.8)
        self._draw_cells(
            self.lines, top=self._row_height(), font=REGULAR, size=SIZE_PT, ink=WRONG if self.wrong else TEXT
        )
        self._rule(0.0, 0.4)
        canvas.setFillColor(TEXT)

    def _rule(self, y: float, width_pt: float) -> None:
        self.canv.setStrokeColor(LINE)
        self.canv.setLineWidth(width_pt)
        self.canv.line(0, y, WIDTH_PT, y)

    def _draw_cells(self, cells: Sequence[Sequence[str]], *, top: float, font: str, size: float, ink: Any) -> None:
        canvas: Any = self.canv
        canvas.setFont(font, size)
        canvas.setFillColor(ink)
        x = 0.0
        for column, width, lines in zip(self.columns, self.widths, cells, strict=True):
            for index, line in enumerate(lines):
                y = top - PAD_PT - LEADING_PT * (index + 1) + 0.25 * LEADING_PT
                if column.right:
                    canvas.drawRightString(x + width, y, line)
                else:
                    canvas.drawString(x, y, line)
            x += width + GUTTER_PT
