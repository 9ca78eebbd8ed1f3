"""What a PDF is made of, said without a word about the library that draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the title of the document, 2 a part of it, 3 a part of that. Level 2 goes into the outline."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph.

    Attributes:
        quiet: smaller and grey, for what explains.
        bold: for what counts.
        colour: a hexadecimal colour such as `#b3261e`; None the usual one.
    """

    text: str
    quiet: bool = False
    bold: bool = False
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Pairs of a name and what it is, one below the other."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Figures:
    """The few numbers that say most, in a row: (number, what it counts)."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table in a PDF: its heading, its share of the width, right-aligned for numbers."""

    heading: str
    share: float = 1.0
    right: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; its heading stands again on top of each page. Rows are taken one by one and may be very many.

    Attributes:
        rows: texts, as many as there are columns.
        marked: of a row, whether it is drawn in the colour of what is wrong.
    """

    columns: Sequence[TableColumn]
    rows: Iterable[Sequence[str]]
    marked: Callable[[Sequence[str]], bool] | None = None


@dataclass(frozen=True, slots=True)
class Pictures:
    """JPEG or PNG pictures side by side, each with its caption; as many in a line as `across` says."""

    pictures: Sequence[tuple[bytes, str]]
    across: int = 2


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: a value or None (no point) for each place on the x axis."""

    name: str
    values: Sequence[float | None]
    colour: str = "#2f6694"
    dashed: bool = False
    dots: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over named places, drawn as vectors; control limits are dashed lines without dots.

    Attributes:
        places: names along the x axis, e.g. days.
        lines: each as long as `places`.
        shown: how a value of the y axis is written.
        least, most: of the y axis; None as the values need.
        marked: (line's index, place's index) of points that are out of bounds, drawn red.
    """

    places: Sequence[str]
    lines: Sequence[Line]
    shown: Callable[[float], str] = "{:g}".format
    title: str = ""
    height_mm: float = 62.0
    least: float | None = None
    most: float | None = None
    marked: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Gap:
    """Empty space."""

    height_mm: float = 4.0


@dataclass(frozen=True, slots=True)
class NewPage:
    """What follows begins on a new page."""


Block: TypeAlias = Heading | Text | Facts | Figures | Grid | Pictures | Chart | Gap | NewPage
