"""`pitwatch calibrate` and `pitwatch layout`: the commands."""

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
    from calibration.layout import Layout
    from service.calibrate.find import Found

WRITTEN = (".png", ".jpg", ".yaml", ".yml")


def calibrate(
    source: Annotated[str, typer.Argument(help="picture, recording, stream address, camera number or folder of pictures", show_default=False)],
    layout: Annotated[str | None, typer.Option(help="layout to look for, a name or a YAML file; without it all that come with Pitwatch are tried", show_default=False)] = None,
    table: Annotated[Path | None, typer.Option(help="take layout and corners from this table's file", show_default=False)] = None,
    corners: Annotated[list[str] | None, typer.Option(metavar="X,Y", help="a reference point of the layout in pixels; four times, in the order of the layout", show_default=False)] = None,
    out: Annotated[list[Path] | None, typer.Option(help="picture with the areas drawn on it (.png, .jpg) or lines for the table's file (.yaml); may be given several times", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="what was found as one JSON object")] = False,
) -> None:  # fmt: skip
    """Find a table in a picture: which layout, how exactly, how well each seat is seen."""
    from service.calibrate.find import find_in_source

    for path in out or ():
        _verify_format(path, WRITTEN)
    wanted, given = _wanted(layout, table, corners)
    found = find_in_source(source, wanted, given)
    for path in out or ():
        _write(found, path)
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        _print(found)
    for path in out or ():
        typer.echo(f"Written: {path}", err=as_json)


def layout(
    name: Annotated[str, typer.Argument(help="layout: a name or a YAML file", show_default=False)],
    out: Annotated[Path, typer.Option(help="file to write: .pdf or .svg in millimetres, one to one, or .png", show_default=False)],
    px_per_mm: Annotated[float, typer.Option("--px-per-mm", help="scale of a PNG", min=0.2, max=8)] = 1.0,
) -> None:  # fmt: skip
    """Draw a layout to scale, to be printed."""
    from calibration.layout import load_layout
    from service.calibrate.drawing import FORMATS, drawing_bytes
    from service.export.formats import whole_file

    _verify_format(out, FORMATS)
    found = load_layout(name)
    with whole_file(out) as file:
        file.write(drawing_bytes(found, out.suffix.lower(), px_per_mm=px_per_mm))
    x0, y0, x1, y1 = found.bounds_mm
    typer.echo(f"Written: {out} (felt {x1 - x0:g} x {y1 - y0:g} mm, {found.citation})")


def _wanted(
    name: str | None, table: Path | None, corners: list[str] | None
) -> tuple[Layout | None, list[list[float]] | None]:
    from calibration.layout import load_layout

    points = [_point(text) for text in corners or ()]
    wanted = load_layout(name) if name is not None else None
    if table is not None:
        from service.config import load_table

        setup = load_table(table)
        if wanted is not None and wanted.name != setup.layout.name:
            raise ServiceError(
                f"--layout {wanted.name} contradicts the table's layout {setup.layout.name}",
                where=table,
                do="Give only one of the two",
            )
        wanted = setup.layout
        if not points and setup.table.camera_corners_px is not None:
            points = [list(point) for point in setup.table.camera_corners_px]
    if not points:
        return wanted, None
    if wanted is None:
        raise ServiceError("corners mean nothing without a layout", where="--corners", do="Name it with --layout")
    if len(points) != 4:
        order = "; ".join(f"{number}. {where}" for number, where in enumerate(wanted.corner_names, 1))
        raise ServiceError(f"four points are needed, got {len(points)}", where="--corners", do=f"Give {order}")
    return wanted, points


def _point(text: str) -> list[float]:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError as error:
        raise ServiceError(
            f"{text!r} is no point", where="--corners", do="Give it in pixels as X,Y, e.g. --corners 412.5,118"
        ) from error
    return [x, y]


def _verify_format(path: Path, known: tuple[str, ...]) -> None:
    if path.suffix.lower() not in known:
        raise ServiceError("this format is not written", where=path, do=f"Let it end in {', '.join(known)}")
    if not path.absolute().parent.is_dir():
        raise ServiceError("its folder does not exist", where=path, do="Make the folder, or name another")


def _write(found: Found, path: Path) -> None:
    import cv2

    from service.calibrate.picture import drawn
    from service.export.formats import whole_file

    with whole_file(path) as file:
        if path.suffix.lower() in (".yaml", ".yml"):
            file.write(snippet(found).encode())
        else:
            file.write(cv2.imencode(path.suffix.lower(), drawn(found))[1].tobytes())


def snippet(found: Found) -> str:
    """The lines for a table's file."""
    width, height = found.camera.size_px
    points = "".join(
        f"    - [{x:g}, {y:g}]  # {where}\n"
        for (x, y), where in zip(found.corners_px, found.layout.corner_names, strict=True)
    )
    return (
        f"# Found in {width} x {height} px pictures, to {found.calibration.error_px:.2f} px.\n"
        f"layout: {found.layout.name}\ncamera:\n  corners_px:\n{points}"
    )


def _print(found: Found) -> None:
    out = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    known, camera = found.calibration, found.camera
    how = "by its prints" if known.method == "features" else "by the corners given; its prints were not recognised"
    out.print(f"{found.layout.name} ({found.layout.citation}), found {how}")
    out.print(f"Error {known.error_px:.2f} px, {known.error_mm:.2f} mm on the felt, over {known.inliers} marks")
    out.print(
        f"Camera {camera.position_mm[2] / 1000:.2f} m above the felt, {camera.tilt_deg:.0f}° from the vertical, "
        f"{camera.size_px[0]} x {camera.size_px[1]} px"
    )
    from service.calibrate.find import CARD_WIDTH_MM

    seats = Table("seat", "view from the vertical", "px per mm", "a card is wide", "in view")
    for seat in found.seats:
        seats.add_row(
            str(seat.seat),
            f"{seat.tilt_deg:.0f}°",
            f"{seat.px_per_mm:.2f}",
            f"{CARD_WIDTH_MM * seat.px_per_mm:.0f} px",
            "yes" if seat.in_view else "in part",
        )
    out.print(seats)
    if found.out_of_view:
        out.print(
            f"Not wholly in the picture: {', '.join(found.out_of_view)}. Move the camera, or what happens there is not judged."
        )
    out.print("For the table's file, to start from this place:")
    out.print(snippet(found), end="", markup=False, soft_wrap=True)
