"""`pitwatch chips learn`: the command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from service.errors import ServiceError

if TYPE_CHECKING:
    from service.calibrate.chips import ChipSet

chips = typer.Typer(no_args_is_help=True, help="Chip sets.")


@chips.callback()
def _group() -> None:
    """Chip sets."""


@chips.command()
def learn(
    picture: Annotated[Path, typer.Argument(help="picture from above with one chip of each value, laid singly", show_default=False)],
    values: Annotated[str, typer.Option(help="values in dollars from left to right, e.g. 1,5,25,100,500", show_default=False)] = "",
    at: Annotated[list[str] | None, typer.Option(metavar="X,Y=VALUE", help="a chip by its place in pixels, instead of --values; once for each chip", show_default=False)] = None,
    px_per_mm: Annotated[float | None, typer.Option("--px-per-mm", help="scale of the picture; told by the chips if not given", min=0.05, max=50)] = None,
    out: Annotated[Path | None, typer.Option(help="file for the chip set (.yaml); the picture with what was found goes beside it (.seen.png)", show_default=False)] = None,
    table: Annotated[Path | None, typer.Option(help="a table's file whose chips are to be these", show_default=False)] = None,
    leave_open: Annotated[bool, typer.Option("--leave-open", help="take a set of which some chips cannot be told apart or are not seen well: these have no value, and wagers with them no amount")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="what was found as one JSON object")] = False,
) -> None:  # fmt: skip
    """Learn a house's chips from one picture: how each looks, and what it is worth.

    What cannot be told apart, or is not seen well, is refused with the reason; nothing but the picture of it is written then. With --leave-open
    the other chips are learned.
    """
    from service.calibrate.chips import learn as learned_from
    from service.calibrate.chips import read_pointed, read_values

    if bool(values) == bool(at):
        raise ServiceError(
            "the values of the chips must be told in one way",
            where="--values, --at",
            do="Give --values from left to right, or --at once for each chip",
        )
    if out is not None:
        _verify_out(out)
    before = _table_text(table) if table is not None else None
    found = learned_from(
        picture, read_values(values) if values else (), [read_pointed(one) for one in at or ()], px_per_mm
    )
    drawn = _write_picture(found, out) if out is not None else None
    if leave_open and (opened := found.left_open()).learned and not opened.faults:
        for fault in found.faults:
            typer.echo(f"Left open, wagers with it have no amount: {found.said(fault)}", err=True)
        found = opened
    try:
        found.verify()
    except ServiceError as error:
        hint = f"; {drawn} shows what was found" if drawn else "; with --out the picture of what was found is written"
        raise ServiceError(error.what, where=error.where, do=f"{error.do}{hint}") from error
    if table is not None and before is not None:
        _write_table(found, table, before)
    if out is not None:
        _write(out, (set_text(found) + faces_text(found)).encode())
    if as_json:
        typer.echo(json.dumps(as_dict(found)))
    else:
        _print(found)
    for path in (out, drawn, table):
        if path is not None:
            typer.echo(f"Written: {path}", err=as_json)


def set_text(found: ChipSet) -> str:
    """The chip set as lines of a table's file."""
    lines = [
        f"# Cents of each colour, learned by pitwatch chips learn from {found.picture.name}. Lines for a table's file;",
        "# 'pitwatch see --chips' takes this file too, its amounts are cents then.",
        "chips:",
        *(f"  {color}: {cents}" for color, cents in found.values_cents.items()),
    ]
    return "\n".join(lines) + "\n"


def faces_text(found: ChipSet) -> str:
    """The pictures of the chips as lines of a table's file."""
    lines = ["# The chips' own pictures (PNG in base64), with which chips on the table are compared.", "chip_faces:"]
    for color, text in found.faces.items():
        lines += [f"  {color}: |-", *(f"    {part}" for part in text.split())]
    return "\n".join(lines) + "\n"


def as_dict(found: ChipSet) -> dict[str, object]:
    """The same with where each chip lies, as JSON values."""
    return {
        "picture": str(found.picture),
        "chips": found.values_cents,
        "seen": [
            {
                "value_cents": cents,
                "color": one.color,
                "named": round(one.named, 4),
                "center_px": [round(v + 0.5, 1) for v in chip.center_px],
                "radius_px": round(chip.radius_px, 1),
            }
            for cents, chip, one in zip(found.cents, found.chips, found.learned, strict=True)
        ],
    }


def _print(found: ChipSet) -> None:
    from service.calibrate.chips import money

    listing = Table("value", "called", "named in", "at", title=f"Chips of {found.picture.name}")
    for cents, chip, one in zip(found.cents, found.chips, found.learned, strict=True):
        x, y = chip.center_px
        listing.add_row(
            money(cents) if cents else "left open",
            one.color,
            f"{one.named:.0%} of lights and turns",
            f"{x:.0f},{y:.0f}",
        )
    console = Console(width=None if sys.stdout.isatty() else 100)
    console.print(listing, highlight=False)
    console.print(set_text(found), end="", highlight=False, soft_wrap=True)


def _verify_out(out: Path) -> None:
    if out.suffix.lower() not in (".yaml", ".yml"):
        raise ServiceError("a chip set is written as YAML", where=out, do="Let it end in .yaml")
    if not out.absolute().parent.is_dir():
        raise ServiceError("its folder does not exist", where=out, do="Make the folder, or name another")


def _write_picture(found: ChipSet, out: Path) -> Path:
    import cv2

    from service.calibrate.chips_picture import chips_drawn

    path = out.with_suffix(".seen.png")
    ok, data = cv2.imencode(".png", chips_drawn(found))
    assert ok
    _write(path, data.tobytes())
    return path


def _table_text(table: Path) -> str:
    from service.config import load_table
    from service.textfiles import read_text

    text = read_text(table, what="table file", do="Give the table's YAML file with --table")
    load_table(table, text=text)
    return text


def _write_table(found: ChipSet, table: Path, before: str) -> None:
    from service.config import load_table
    from service.tables.files import TableFiles, parsed, rendered

    raw = {**parsed(before, where=table), "chips": found.values_cents, "chip_faces": found.faces}
    text = rendered(raw, before=before)
    load_table(table, text=text)
    TableFiles(table.parent).write(table, text)


def _write(path: Path, content: bytes) -> None:
    from service.export.formats import whole_file

    with whole_file(path) as file:
        file.write(content)
