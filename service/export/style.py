"""How a PDF looks: page, fonts, colours. The font is shipped, so that a name in any Latin language is written right."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

FONTS = Path(__file__).resolve().parent / "fonts"
REGULAR, BOLD, ITALIC = "PitwatchSans", "PitwatchSans-Bold", "PitwatchSans-Italic"
PAGE_PT = A4
MARGIN_PT = 18 * mm
WIDTH_PT = PAGE_PT[0] - 2 * MARGIN_PT
TEXT, QUIET, LINE, WRONG, ACCENT = (HexColor(c) for c in ("#1c2329", "#65717c", "#d9dee3", "#b3261e", "#2f6694"))


@cache
def register_fonts() -> None:
    """Makes the shipped fonts known to the library; doing so again changes nothing."""
    for name, file in ((REGULAR, "regular"), (BOLD, "bold"), (ITALIC, "italic")):
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"pitwatch_sans_{file}.ttf")))
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD, italic=ITALIC, boldItalic=BOLD)


def paragraph_style(*, size: float = 9.0, bold: bool = False, quiet: bool = False, colour: str | None = None, before: float = 0.0, after: float = 4.0, keep: bool = False) -> ParagraphStyle:  # fmt: skip
    """A style of text; sizes and spaces in points, `keep` with what follows."""
    register_fonts()
    ink = HexColor(colour) if colour else (QUIET if quiet else TEXT)
    return ParagraphStyle(
        "text", fontName=BOLD if bold else REGULAR, fontSize=size, leading=1.38 * size, textColor=ink,
        spaceBefore=before, spaceAfter=after, keepWithNext=keep, splitLongWords=True,
    )  # fmt: skip


HEADINGS = {1: (18.0, 0.0, 4.0), 2: (13.0, 16.0, 6.0), 3: (10.5, 10.0, 4.0)}
"""Size, space before and after of each level, in points."""
