"""A layout as a drawing to print at full size: PDF, SVG, or PNG."""

from __future__ import annotations

import io

import cv2
from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import FILL_EVEN_ODD, Canvas

from calibration.drawing import draw_layout, layout_to_svg, words_polygons
from calibration.layout import Fill, InkColor, Layout, Polygon, Stroke

FORMATS = (".pdf", ".svg", ".png")
MARGIN_MM = 40.0
RULER_MM = 100.0
COLORS = {InkColor.INK: HexColor("#000000"), InkColor.ACCENT: HexColor("#806000")}


def drawing_bytes(layout: Layout, suffix: str, *, px_per_mm: float = 1.0) -> bytes:
    """The drawing of a layout in the format that a file's ending names.

    Args:
        layout: what to draw.
        suffix: one of FORMATS. PDF and SVG are in millimetres, one to one.
        px_per_mm: scale of a PNG.
    """
    if suffix == ".pdf":
        return _pdf(layout)
    if suffix == ".svg":
        return layout_to_svg(layout).encode()
    picture, _ = draw_layout(layout, px_per_mm, outside_bgr=(255, 255, 255))
    return cv2.imencode(".png", picture)[1].tobytes()


def page_size_mm(layout: Layout) -> tuple[float, float]:
    """Width and height of the PDF's page: the felt and a margin on all sides."""
    x0, y0, x1, y1 = layout.bounds_mm
    return x1 - x0 + 2 * MARGIN_MM, y1 - y0 + 2 * MARGIN_MM


def _pdf(layout: Layout) -> bytes:
    """One page at full size, dealer's edge at the top, with a ruler in the margin to check the print by."""
    width_mm, height_mm = page_size_mm(layout)
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(width_mm * mm, height_mm * mm), invariant=1, pageCompression=1)
    canvas.setTitle(f"Layout {layout.name}, full size")
    canvas.setCreator("Pitwatch")
    _outlined(canvas, layout, (layout.outline_mm,), stroke_mm=1.0)
    for shape in layout.prints:
        color = COLORS[shape.color]
        if isinstance(shape, Stroke):
            canvas.setStrokeColor(color)
            _outlined(canvas, layout, (shape.points_mm,), stroke_mm=shape.width_mm, closed=shape.closed)
        else:
            canvas.setFillColor(color)
            polygons = (shape.points_mm,) if isinstance(shape, Fill) else words_polygons(shape)
            _outlined(canvas, layout, polygons)
    _ruler(canvas, layout, height_mm)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def _outlined(
    canvas: Canvas,
    layout: Layout,
    polygons: tuple[Polygon, ...],
    *,
    stroke_mm: float | None = None,
    closed: bool = True,
) -> None:
    """Draw polygons as one path: lines of a width, or filled by the even-odd rule where none is given."""
    _, y0, x1, _ = layout.bounds_mm
    _, height_mm = page_size_mm(layout)
    path = canvas.beginPath()
    for polygon in polygons:
        for number, (x, y) in enumerate(polygon):
            at = (MARGIN_MM + x1 - x) * mm, (height_mm - MARGIN_MM - (y - y0)) * mm
            if number:
                path.lineTo(*at)
            else:
                path.moveTo(*at)
        if closed:
            path.close()
    if stroke_mm is not None:
        canvas.setLineWidth(stroke_mm * mm)
    canvas.drawPath(path, stroke=int(stroke_mm is not None), fill=int(stroke_mm is None), fillMode=FILL_EVEN_ODD)


def _ruler(canvas: Canvas, layout: Layout, height_mm: float) -> None:
    canvas.setStrokeColor(COLORS[InkColor.INK])
    canvas.setFillColor(COLORS[InkColor.INK])
    left, base = MARGIN_MM, 14.0
    canvas.setLineWidth(0.3 * mm)
    canvas.line(left * mm, base * mm, (left + RULER_MM) * mm, base * mm)
    for step in range(11):
        x = left + step * RULER_MM / 10
        canvas.line(x * mm, base * mm, x * mm, (base + (6 if step % 5 == 0 else 4)) * mm)
    canvas.setFont("Helvetica", 5 * mm)
    x0, y0, x1, y1 = layout.bounds_mm
    canvas.drawString(
        (left + RULER_MM + 8) * mm,
        base * mm,
        f"This line is {RULER_MM:g} mm long when printed at full size.   {layout.name}, felt {x1 - x0:g} x {y1 - y0:g} mm, {layout.citation}",
    )
