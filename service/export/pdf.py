"""Blocks to a PDF: paragraphs, tables, pictures, charts, with page numbers and an outline.

The same blocks and the same moment give the same bytes. Blocks are taken one by one; what memory holds are the finished
pages, compressed.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO
from xml.sax.saxutils import escape

from PIL import Image as Opened
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    KeepTogether,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
)

from service.export.blocks import Block, Chart, Facts, Figures, Gap, Grid, Heading, NewPage, Pictures, Text
from service.export.charts import draw_chart
from service.export.grid import grid_rows
from service.export.style import (
    BOLD,
    HEADINGS,
    LINE,
    MARGIN_PT,
    PAGE_PT,
    QUIET,
    REGULAR,
    TEXT,
    WIDTH_PT,
    paragraph_style,
    register_fonts,
)  # fmt: skip

AHEAD = 6
"""Flowables held back, so that a heading knows what follows it."""
TOTAL = "pitwatch_page_count"
SPACE_PT = 10.0


def write_pdf(file: BinaryIO, blocks: Iterable[Block], *, title: str, made: datetime, footer: str = "") -> int:
    """Writes a PDF.

    Args:
        file: to write to.
        blocks: from top to bottom.
        title: of the document, as readers show it.
        made: when it was made; stands in the foot of each page and in the file's own data.
        footer: stands in the foot of each page.

    Returns:
        How many pages it has.
    """
    register_fonts()
    document = _Document(file, title=title, made=made.astimezone(UTC), footer=footer)
    document.take(flowables_of(blocks))
    return document.pages


def flowables_of(blocks: Iterable[Block]) -> Iterator[Flowable]:
    """What the library lays out for each block, as it is asked for."""
    for block in blocks:
        match block:
            case Heading():
                size, before, after = HEADINGS[block.level]
                yield _heading(block, paragraph_style(size=size, bold=True, before=before, after=after, keep=True))
            case Text():
                size = 8.2 if block.quiet else 9.0
                yield Paragraph(escape(block.text), paragraph_style(size=size, quiet=block.quiet, bold=block.bold, colour=block.colour))  # fmt: skip
            case Facts():
                yield from (_Fact(name, said) for name, said in block.pairs)
                yield Spacer(1, 4)
            case Figures():
                yield _FigureRow(block)
            case Grid():
                yield from grid_rows(block)
                yield Spacer(1, 6)
            case Pictures():
                yield from _picture_lines(block)
            case Chart():
                yield KeepTogether([draw_chart(block)])
            case Gap():
                yield Spacer(1, block.height_mm * mm)
            case NewPage():
                yield PageBreak()


def _heading(block: Heading, style: Any) -> Flowable:
    paragraph = Paragraph(escape(block.text), style)
    if block.level <= 2:
        paragraph.outline = block.text
    return paragraph


class _Document(BaseDocTemplate):  # type: ignore[misc]
    """Pages with a foot; the number of all pages is filled in at the end."""

    def __init__(self, file: BinaryIO, *, title: str, made: datetime, footer: str) -> None:
        self.footer, self.made, self.pages, self.marks = footer, made, 0, 0
        super().__init__(
            file, pagesize=PAGE_PT, title=title, author="Pitwatch", creator="Pitwatch", invariant=1,
            leftMargin=MARGIN_PT, rightMargin=MARGIN_PT, topMargin=MARGIN_PT, bottomMargin=MARGIN_PT,
        )  # fmt: skip
        low = MARGIN_PT + 6
        frame = Frame(MARGIN_PT, low, WIDTH_PT, PAGE_PT[1] - MARGIN_PT - low, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)  # fmt: skip
        self.addPageTemplates(PageTemplate(id="page", frames=[frame], onPage=self._foot))

    def take(self, flowables: Iterator[Flowable]) -> None:
        """Lays out everything and writes the file; what `BaseDocTemplate.build` does, but never with the whole at hand."""
        self._startBuild()
        self.canv._doctemplate = self
        waiting: list[Flowable] = []
        for flowable in flowables:
            waiting.append(flowable)
            while len(waiting) > AHEAD:
                self._lay(waiting)
        while waiting:
            self._lay(waiting)
        self._endBuild()

    def _lay(self, waiting: list[Flowable]) -> None:
        self.clean_hanging()
        if waiting:
            self.handle_flowable(waiting)

    def afterFlowable(self, flowable: Flowable) -> None:
        """Notes a heading in the outline."""
        outline = getattr(flowable, "outline", None)
        if outline is not None:
            self.marks += 1
            self.canv.bookmarkPage(f"part{self.marks}")
            self.canv.addOutlineEntry(outline, f"part{self.marks}", level=0)

    def _endBuild(self) -> None:
        self._doSave = 0
        super()._endBuild()
        canvas: Any = self.canv
        canvas.beginForm(TOTAL)
        canvas.setFont(REGULAR, 7.5)
        canvas.setFillColor(QUIET)
        canvas.drawString(0, 0, str(self.pages))
        canvas.endForm()
        canvas.save()

    def _foot(self, canvas: Any, document: Any) -> None:
        self.pages = document.page
        canvas.saveState()
        canvas.setStrokeColor(LINE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN_PT, MARGIN_PT - 2, PAGE_PT[0] - MARGIN_PT, MARGIN_PT - 2)
        canvas.setFont(REGULAR, 7.5)
        canvas.setFillColor(QUIET)
        canvas.drawString(
            MARGIN_PT, MARGIN_PT - 13, " · ".join(filter(None, (self.footer, f"made {self.made:%Y-%m-%d %H:%M} UTC")))
        )
        canvas.drawRightString(PAGE_PT[0] - MARGIN_PT - 24, MARGIN_PT - 13, f"page {document.page} of")
        canvas.translate(PAGE_PT[0] - MARGIN_PT - 22, MARGIN_PT - 13)
        canvas.doForm(TOTAL)
        canvas.restoreState()


class _Fact(Flowable):  # type: ignore[misc]
    """A name at the left, what it is at the right."""

    NAME_PT = 92.0

    def __init__(self, name: str, said: str) -> None:
        super().__init__()
        self.name = Paragraph(escape(name), paragraph_style(quiet=True, after=0))
        self.said = Paragraph(escape(said), paragraph_style(after=0))

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        """As high as the higher of the two."""
        self.heights = [self.name.wrap(self.NAME_PT - 8, 1e6)[1], self.said.wrap(width - self.NAME_PT, 1e6)[1]]
        return width, max(self.heights) + 2.5

    def draw(self) -> None:
        """Both from their top."""
        top = max(self.heights) + 2.5
        self.name.drawOn(self.canv, 0, top - self.heights[0])
        self.said.drawOn(self.canv, self.NAME_PT, top - self.heights[1])


class _FigureRow(Flowable):  # type: ignore[misc]
    """Large numbers in equal boxes."""

    HEIGHT_PT = 54.0

    def __init__(self, block: Figures) -> None:
        super().__init__()
        self.pairs = block.pairs
        self.spaceBefore, self.spaceAfter = 6.0, 10.0

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        """The whole width."""
        self.width = width
        return width, self.HEIGHT_PT

    def draw(self) -> None:
        """Boxes, numbers, what they count."""
        canvas, each = self.canv, self.width / max(1, len(self.pairs))
        canvas.setStrokeColor(LINE)
        for index, (number, counted) in enumerate(self.pairs):
            canvas.rect(index * each, 0, each, self.HEIGHT_PT)
            canvas.setFillColor(TEXT)
            canvas.setFont(BOLD, 14)
            canvas.drawString(index * each + 8, self.HEIGHT_PT - 20, number)
            words = Paragraph(escape(counted), paragraph_style(size=7.2, quiet=True, after=0))
            _, high = words.wrap(each - 12, 40)
            words.drawOn(canvas, index * each + 8, self.HEIGHT_PT - 25 - high)


def _picture_lines(block: Pictures) -> Iterator[Flowable]:
    for start in range(0, len(block.pictures), block.across):
        yield _PictureLine(block.pictures[start : start + block.across], block.across)


class _PictureLine(Flowable):  # type: ignore[misc]
    """Pictures side by side; nothing is decoded that can stand in the file as it is (JPEG)."""

    MOST_HIGH_PT = 230 * mm

    def __init__(self, pictures: Any, across: int) -> None:
        super().__init__()
        each = (WIDTH_PT - SPACE_PT * (across - 1)) / across
        self.shown = []
        for content, caption in pictures:
            with Opened.open(io.BytesIO(content)) as opened:
                wide, high = opened.size
            factor = min(each / wide, self.MOST_HIGH_PT / high)
            said = Paragraph(escape(caption), paragraph_style(size=7.2, quiet=True, after=0))
            self.shown.append((content, wide * factor, high * factor, said, said.wrap(each, 1e6)[1]))
        self.each, self.spaceAfter = each, 6.0

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        """As high as the highest with its caption."""
        self.height = max(high + 2 + below for _, _, high, _, below in self.shown)
        return width, self.height

    def draw(self) -> None:
        """Each from its top, its caption below."""
        for index, (content, wide, high, said, below) in enumerate(self.shown):
            x = index * (self.each + SPACE_PT)
            self.canv.drawImage(ImageReader(io.BytesIO(content)), x, self.height - high, wide, high)
            said.drawOn(self.canv, x, self.height - high - 2 - below)
