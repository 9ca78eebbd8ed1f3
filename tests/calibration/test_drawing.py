import xml.etree.ElementTree as ElementTree

import numpy as np
import numpy.typing as npt
import pytest

from calibration.drawing import draw_layout, drawing_size_px, layout_to_svg, outline_mask, table_from_drawing
from calibration.layout import Layout, Stroke

FELT, INK, ACCENT = (70, 95, 20), (250, 251, 252), (10, 200, 240)


def test_lines_and_felt_have_their_colours_where_the_layout_puts_them(layout: Layout) -> None:
    picture, table_from_px = draw_layout(layout, 1.0, felt_bgr=FELT, ink_bgr=INK, accent_bgr=ACCENT)
    assert picture.shape == (*drawing_size_px(layout, 1.0)[::-1], 3)
    px_from_table = np.linalg.inv(table_from_px)

    def at(x: float, y: float) -> npt.NDArray[np.int_]:
        column, row = np.round(px_from_table[:2, :2] @ (x, y) + px_from_table[:2, 2]).astype(int)
        return np.asarray(picture[row, column], np.int_)

    assert np.abs(at(0, 242) - FELT).max() <= 1  # inside the 5th Street box
    strokes = [p for p in layout.prints if isinstance(p, Stroke) and p.closed and len(p.points_mm) == 4]
    for stroke in strokes:
        (x0, y0), (x1, y1) = stroke.points_mm[:2]
        ink = np.array(INK if stroke.color == "ink" else ACCENT)
        assert np.abs(at((x0 + x1) / 2, (y0 + y1) / 2) - ink).max() < 60


def test_the_dealer_is_at_the_top_and_the_picture_is_not_mirrored(layout: Layout) -> None:
    table_from_px = table_from_drawing(layout, 2.0)
    assert table_from_px @ [0, 0, 1] == pytest.approx([999.75, 0.25, 1])
    assert np.linalg.det(table_from_px[:2, :2]) < 0  # y down in pixels, up the table in millimetres
    wide = outline_mask(layout, 0.5, margin_mm=20)
    assert wide[5].max() == 0
    assert wide[15:30].mean() > 200


def test_scale_is_checked(layout: Layout) -> None:
    with pytest.raises(ValueError, match="px_per_mm"):
        draw_layout(layout, 50)


def test_svg_is_well_formed_and_in_millimetres(layout: Layout) -> None:
    root = ElementTree.fromstring(layout_to_svg(layout))
    assert root.attrib["viewBox"] == "0 0 2000 1050"
    assert len(root) == 2 + len(layout.prints)
