"""Draws the felt of a layout, as pixels or as SVG.

The picture shows the dealer's edge at its top, so that words read as the players see them: pixel x grows to the
dealer's left (falling table x), pixel y grows towards the players.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from xml.sax.saxutils import escape

import cv2
import numpy as np
import numpy.typing as npt

from calibration.layout import Fill, InkColor, Layout, Polygon, Stroke, Words

Bgr = tuple[int, int, int]
Bytes = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

_GLYPH_PX = 320.0
_SHIFT = 4
_MAX_WORK_PX = 48_000_000


def table_from_drawing(layout: Layout, px_per_mm: float, margin_mm: float = 0.0) -> FloatArray:
    """Return the (3, 3) homography table millimetres from pixels of `draw_layout`'s picture."""
    _, y0, x1, _ = layout.bounds_mm
    step = 1.0 / px_per_mm
    return np.array([[-step, 0.0, x1 + margin_mm - step / 2], [0.0, step, y0 - margin_mm + step / 2], [0.0, 0.0, 1.0]])


def drawing_size_px(layout: Layout, px_per_mm: float, margin_mm: float = 0.0) -> tuple[int, int]:
    """Return width and height of `draw_layout`'s picture."""
    x0, y0, x1, y1 = layout.bounds_mm
    return math.ceil((x1 - x0 + 2 * margin_mm) * px_per_mm), math.ceil((y1 - y0 + 2 * margin_mm) * px_per_mm)


def draw_layout(
    layout: Layout,
    px_per_mm: float,
    *,
    felt_bgr: Bgr = (70, 95, 20),
    ink_bgr: Bgr = (235, 240, 240),
    accent_bgr: Bgr = (90, 190, 235),
    outside_bgr: Bgr | None = None,
    margin_mm: float = 0.0,
) -> tuple[Bytes, FloatArray]:
    """Return the felt as seen straight from above, anti-aliased.

    Args:
        layout: what to draw.
        px_per_mm: scale, 0.2 to 8.
        felt_bgr: colour of the cloth.
        ink_bgr: colour of what the layout prints as `ink`.
        accent_bgr: colour of what it prints as `accent`.
        outside_bgr: colour beyond the felt's edge; None = as the cloth.
        margin_mm: added on all four sides of the felt's bounding box.

    Returns:
        (h, w, 3) uint8 BGR and the (3, 3) homography table millimetres from its pixels.
    """
    ink = draw_masks(layout, px_per_mm, margin_mm)
    covers = [(ink[InkColor.INK], ink_bgr), (ink[InkColor.ACCENT], accent_bgr)]
    if outside_bgr is not None:
        covers.insert(0, (255 - outline_mask(layout, px_per_mm, margin_mm), outside_bgr))
    height, width = ink[InkColor.INK].shape
    picture = np.empty((height * width, 3), dtype=np.uint8)
    picture[:] = felt_bgr
    printed = np.flatnonzero(np.logical_or.reduce([cover > 0 for cover, _ in covers]))
    mixed = np.tile(np.array(felt_bgr, dtype=np.float32), (len(printed), 1))
    for cover, color in covers:
        share = cover.ravel()[printed][:, None].astype(np.float32) / 255
        mixed += share * (np.array(color, dtype=np.float32) - mixed)
    picture[printed] = np.round(mixed)
    return picture.reshape(height, width, 3), table_from_drawing(layout, px_per_mm, margin_mm)


def draw_masks(layout: Layout, px_per_mm: float, margin_mm: float = 0.0) -> dict[InkColor, Bytes]:
    """Return how much each print colour covers each pixel, (h, w) uint8 0..255, of `draw_layout`'s picture."""
    out: dict[InkColor, Bytes] = {}
    for color in InkColor:
        shapes = [p for p in layout.prints if p.color is color]
        out[color] = _rasterised(layout, px_per_mm, margin_mm, shapes)
    return out


def outline_mask(layout: Layout, px_per_mm: float, margin_mm: float = 0.0) -> Bytes:
    """Return (h, w) uint8, 255 on the felt and 0 beyond its edge, of `draw_layout`'s picture."""
    return _rasterised(layout, px_per_mm, margin_mm, [Fill(layout.outline_mm, InkColor.INK)])


def _rasterised(layout: Layout, px_per_mm: float, margin_mm: float, shapes: Sequence[Stroke | Fill | Words]) -> Bytes:
    if not 0.2 <= px_per_mm <= 8.0:
        raise ValueError(f"px_per_mm: expected 0.2 to 8, got {px_per_mm:g}")
    width, height = drawing_size_px(layout, px_per_mm, margin_mm)
    times = max(1, min(4, math.ceil(4.0 / px_per_mm)))
    while times > 1 and width * height * times * times > _MAX_WORK_PX:
        times -= 1
    scale = px_per_mm * times
    canvas: Bytes = np.zeros((height * times, width * times), dtype=np.uint8)
    fixed_from_table = np.linalg.inv(table_from_drawing(layout, scale, margin_mm))

    def fixed(points: npt.ArrayLike) -> npt.NDArray[np.int32]:
        table = np.asarray(points, dtype=np.float64)
        px = table @ fixed_from_table[:2, :2].T + fixed_from_table[:2, 2]
        return np.asarray(np.round(px * (1 << _SHIFT)), dtype=np.int32)

    for shape in shapes:
        if isinstance(shape, Stroke):
            thickness = max(1, round(shape.width_mm * scale))
            cv2.polylines(canvas, [fixed(shape.points_mm)], shape.closed, (255,), thickness, cv2.LINE_AA, _SHIFT)
        else:
            polygons = [shape.points_mm] if isinstance(shape, Fill) else words_polygons(shape)
            cv2.fillPoly(canvas, [fixed(polygon) for polygon in polygons], (255,), cv2.LINE_AA, _SHIFT)
    if times == 1:
        return canvas
    return np.asarray(cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


@lru_cache(maxsize=512)
def words_polygons(words: Words) -> tuple[Polygon, ...]:
    """Return the outlines of printed words in table millimetres; filled by the even-odd rule they give the letters."""
    angle = math.radians(words.turn_deg)
    cos, sin = math.cos(angle), math.sin(angle)
    right, up = np.array([-cos, -sin]), np.array([sin, -cos])
    out: list[Polygon] = []
    for glyph in _letters(words.text, words.bold):
        u, v = glyph[:, 0:1] * words.height_mm, (glyph[:, 1:2] - 0.5) * words.height_mm
        if words.bend_mm is None:
            points = np.array(words.at_mm) + u * right + v * up
        else:
            turn, radius = u / words.bend_mm, words.bend_mm - v
            points = np.array(words.at_mm) + words.bend_mm * up + radius * (np.sin(turn) * right - np.cos(turn) * up)
        out.append(tuple((x, y) for x, y in points.tolist()))
    return tuple(out)


@lru_cache(maxsize=256)
def _letters(text: str, bold: bool) -> tuple[FloatArray, ...]:
    """Outlines of a line of text: x from its middle, y up from the baseline, in heights of a capital letter."""
    size = int(_GLYPH_PX if len(text) < 16 else max(120.0, 16 * _GLYPH_PX / len(text)))
    mask = _text_mask(text, bold, size)
    base, cap = _capital(bold, size)
    columns = np.flatnonzero(mask.max(axis=0) > 127)
    if len(columns) == 0:
        return ()
    middle = (columns[0] + columns[-1] + 1) / 2
    contours, _ = cv2.findContours((mask > 127).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    out: list[FloatArray] = []
    for contour in contours:
        smooth = cv2.approxPolyDP(contour, 1.0, True).reshape(-1, 2).astype(np.float64)
        if len(smooth) >= 3:
            out.append(np.column_stack([(smooth[:, 0] + 0.5 - middle) / cap, (base - smooth[:, 1] - 0.5) / cap]))
    return tuple(out)


@lru_cache(maxsize=64)
def _capital(bold: bool, size: int) -> tuple[float, float]:
    """The row of the baseline, and the height of a capital letter in rows."""
    rows = np.flatnonzero(_text_mask("H", bold, size).max(axis=1) > 127)
    return float(rows[-1] + 1), float(rows[-1] + 1 - rows[0])


def _text_mask(text: str, bold: bool, size: int) -> Bytes:
    """A line of text in white on black, baseline always on the same row."""
    canvas: Bytes = np.zeros((2 * size, int(size * (0.95 * len(text) + 1.5))), dtype=np.uint8)
    if hasattr(cv2, "FontFace"):
        font = cv2.FontFace("sans")
        cv2.putText(canvas, text, (size // 2, int(1.4 * size)), (255,), font, size, 650 if bold else 450)
    else:  # OpenCV before 5 has only the stroked fonts
        thick = size // (8 if bold else 12)
        plain = text.replace("•", "-")
        cv2.putText(
            canvas, plain, (size // 2, int(1.4 * size)), cv2.FONT_HERSHEY_SIMPLEX, size / 28, (255,), thick, cv2.LINE_AA
        )
    return canvas


def layout_to_svg(layout: Layout, *, felt: str = "none", ink: str = "#000000", accent: str = "#806000") -> str:
    """Return a printable drawing, one SVG millimetre per table millimetre, dealer's edge at the top."""
    x0, y0, x1, y1 = layout.bounds_mm
    colors = {InkColor.INK: ink, InkColor.ACCENT: accent}

    def path(points: Polygon) -> str:
        return "M" + "L".join(f"{x1 - x:.2f},{y - y0:.2f}" for x, y in points)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x1 - x0:g}mm" height="{y1 - y0:g}mm" '
        f'viewBox="0 0 {x1 - x0:g} {y1 - y0:g}">',
        f"<title>{escape(layout.name)}</title>",
        f'<path d="{path(layout.outline_mm)}Z" fill="{escape(felt)}" stroke="{escape(ink)}" stroke-width="1"/>',
    ]
    for shape in layout.prints:
        color = escape(colors[shape.color])
        if isinstance(shape, Stroke):
            end = "Z" if shape.closed else ""
            lines.append(
                f'<path d="{path(shape.points_mm)}{end}" fill="none" stroke="{color}" stroke-width="{shape.width_mm:g}"/>'
            )
        else:
            polygons = (shape.points_mm,) if isinstance(shape, Fill) else words_polygons(shape)
            d = "".join(path(polygon) + "Z" for polygon in polygons)
            lines.append(f'<path d="{d}" fill="{color}" fill-rule="evenodd"/>')
    return "\n".join([*lines, "</svg>", ""])
