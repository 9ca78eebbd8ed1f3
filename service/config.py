"""A table's file and everything it names: layout, external events, source. Checked before anything is watched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from calibration.layout import AreaKind, Layout, LayoutError, load_layout
from models.chip_matcher import face_of
from rules.dated import law_of
from rules.eventfile import read_stream
from rules.events import Event
from rules.submission import missing_areas
from rules.table import TableConfig, TableConfigError
from service.digests import sha256_of_text
from service.errors import ServiceError
from service.law import today
from service.textfiles import parse_yaml, read_text
from vision.frames.opening import STREAM_SCHEMES
from vision.frames.picture import Image


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A table ready to be watched.

    Attributes:
        path: the table's file.
        table: what its Rules Submission says.
        layout: its felt in millimetres.
        external: events from outside the camera, in the order of their file.
        sha256: of the table's file, so that a report can say what it was judged by.
        chip_faces: pictures (32, 32, 3) of the house's chips by colour, empty where they were not learned.
        day: whose law it is judged by, None for the newest.
    """

    path: Path
    table: TableConfig
    layout: Layout
    external: tuple[Event, ...]
    sha256: str
    chip_faces: Mapping[str, Image] = field(default_factory=dict, compare=False)
    day: date | None = None

    @property
    def source(self) -> str | None:
        """Where its camera is: a stream's address, a device number, or a path made relative to here; None if not named."""
        named = self.table.camera_source
        if named is None or named.isdecimal() or named.lower().startswith(STREAM_SCHEMES):
            return named
        return str(self.path.parent / named)


def read_table(path: Path) -> TableConfig:
    """Reads a table's file alone, without its layout and what else it names.

    Raises:
        ServiceError: no such file, or not YAML (with line).
        TableConfigError: a key unknown, of a wrong type, or forbidden by the chapter, with its section.
    """
    return _read_table(path)[0]


def _read_table(path: Path, text: str | None = None) -> tuple[TableConfig, str]:
    text = read_text(path, what="table file", do="Give the table's YAML file with --table") if text is None else text
    raw = parse_yaml(text, where=path)
    with law_of(today()):
        return TableConfig.from_mapping(raw, where=str(path)), text


def load_table(path: Path, *, text: str | None = None) -> TableSetup:
    """Reads a table's file and what it names.

    Args:
        path: the file; what it names is looked for beside it.
        text: what it is to hold, where that is not yet (or no longer) written there.

    Raises:
        ServiceError: no such file, not YAML (with line), or it names a file that is not there.
        TableConfigError: a key unknown, of a wrong type, or forbidden by the chapter, with its section.
        EventError: the external events are no events, out of order, repeated, or none of the table, with line and field.
    """
    table, text = _read_table(path, text)
    layout = layout_of(table, where=path)
    external: tuple[Event, ...] = ()
    if table.external_events is not None:
        external = read_events(path.parent / table.external_events, table, named_by=path)
    sha256 = sha256_of_text(text)
    return TableSetup(path, table, layout, external, sha256, faces_of(table.chip_faces, where=path))


def faces_of(texts: Mapping[str, str], *, where: object) -> dict[str, Image]:
    """The pictures (32, 32, 3) BGR of chips by colour.

    Raises:
        ServiceError: one is none.
    """
    faces = {}
    for color, text in texts.items():
        try:
            faces[color] = face_of(text)
        except ValueError as error:
            do = "Learn the chips anew: pitwatch chips learn"
            raise ServiceError(f"chip_faces.{color}: {error}", where=where, do=do) from error
    return faces


def layout_of(table: TableConfig, *, where: object) -> Layout:
    """The layout a table names, with all areas that its chapter asks for.

    Raises:
        ServiceError: there is no such layout.
        TableConfigError: an area is missing, with its section.
    """
    try:
        layout = load_layout(table.layout)
    except LayoutError as error:
        raise ServiceError(
            f"layout: {error}", where=where, do="Name a layout that exists, e.g. raise_it_up_6"
        ) from error
    with law_of(today()):
        law = table.law
    lacking = missing_areas(law, table.seats, table.paytables, {area.name for area in layout.areas})
    if lacking:
        area, section = lacking[0]
        more = f", nor {len(lacking) - 1} others" if len(lacking) > 1 else ""
        said = (
            f"{table.layout} has no area {area} of {law.title} ({section}){more}; draw it, or do not offer that wager"
        )
        raise TableConfigError(f"{where}: layout: {said}", key="layout", said=said)
    return layout


def read_events(path: Path, table: TableConfig, *, named_by: Path | None = None) -> tuple[Event, ...]:
    """Events of a file of JSON lines for a table, in its order, verified as a whole (`rules.eventfile.read_stream`).

    Raises:
        ServiceError: no such file, or not text.
        EventError: a line is no event, or contradicts another line or the table; names line and field.
    """
    do = (
        f"It is named by external_events in {named_by}" if named_by else "Give a file of events, one JSON object a line"
    )
    # splitlines() would also break a line at signs that may stand within a text of JSON, as U+2028 and U+0085
    lines = read_text(path, what="event file", do=do).split("\n")
    return read_stream(lines, table, name=str(path), areas=wager_areas(table))


def wager_areas(table: TableConfig) -> frozenset[str] | None:
    """The areas of a table in which chips can be wagered: those of its layout, and every wager of its chapter.

    Returns:
        Their names, None where the table has no layout drawing: events and a table's file are enough to judge.
    """
    try:
        layout = load_layout(table.layout)
    except LayoutError:
        return None
    with law_of(today()):
        lawful = {f"seat{n}.{wager}" for n in range(1, table.seats + 1) for wager in table.law.wagers}
    return frozenset({area.name for area in layout.areas if area.kind is AreaKind.WAGER} | lawful)
