"""Views of areas and corners of cards."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import Card, DrawnTable, Things, card_corners

from calibration.camera import Camera
from calibration.drawing import draw_layout
from vision.frames.rectify import MAPPED_AT_ONCE, AreaView, refined_corners


def test_view_shows_the_felt_as_the_drawing_does_not_mirrored() -> None:
    table = DrawnTable(noise=0.0)
    area = table.layout.area("community.5th")
    view = AreaView.around(area.polygon_mm, table.camera)
    cut = view.cut(table.draw(Things())).astype(np.float64)
    felt, table_from_px = draw_layout(table.layout, 1.0, ink_bgr=(120, 165, 165), outside_bgr=(35, 35, 40))
    x, y = np.linalg.inv(table_from_px)[:2] @ [*view.origin_mm, 1.0]
    expected = felt[round(y) : round(y) + cut.shape[0], round(x) : round(x) + cut.shape[1]].astype(np.float64)
    assert np.corrcoef(cut.ravel(), expected.ravel())[0, 1] > 0.95
    assert np.corrcoef(cut[:, ::-1].ravel(), expected.ravel())[0, 1] < 0.9


@pytest.mark.parametrize("k1", [0.0, -0.12])
def test_view_and_table_agree_both_ways_and_with_the_camera(k1: float) -> None:
    table = DrawnTable()
    camera = Camera.looking_at((100, 800, 2300), (0, 480), 3.0, 1350.0, (1280, 720), k1)
    view = AreaView.around(table.layout.area("seat4.cards").polygon_mm, camera)
    points = np.array([[10.0, 20.0], [200.0, 5.0], [0.0, 0.0]])
    assert view.view_from_table(view.table_from_view(points)) == pytest.approx(points)
    for u, v in ((0, 0), (40, 90)):
        expected = camera.image_from_table(view.table_from_view([u, v]))[0]
        got = view.map_px[v * view.oversample, u * view.oversample]
        assert np.linalg.norm(got - expected) < 1.0


def test_a_large_view_is_mapped_as_a_small_one_is() -> None:
    camera = Camera.looking_at((100, 800, 2300), (0, 480), 3.0, 2600.0, (1280, 720), -0.1)
    view = AreaView.around([(-400.0, 100.0), (500.0, 800.0)], camera)
    height, width = view.map_px.shape[:2]
    assert height * width > 4 * MAPPED_AT_ONCE
    assert MAPPED_AT_ONCE % width, "the last rows are fewer"
    for row in (0, MAPPED_AT_ONCE // width, height - 1):
        fine = np.column_stack([np.arange(width), np.full(width, row)])
        expected = camera.image_from_table(view.table_from_view((fine + 0.5) / view.oversample - 0.5))
        assert np.abs(view.map_px[row] - expected).max() < 1e-3


@pytest.mark.parametrize("angle", [0.0, 17.0, -60.0, 88.0])
def test_corners_are_put_on_the_edges_of_the_card(angle: float) -> None:
    table = DrawnTable(noise=3.0)
    card = Card("Qd", table.center("seat3.cards"), angle, up=True)
    image = table.draw(Things(cards=(card,)))
    true = table.camera.image_from_table(card_corners(card))
    rng = np.random.default_rng(2)
    middle = true.mean(axis=0)
    turned = np.radians(4.0)
    rotation = np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])
    rough = middle + (true - middle) @ rotation.T * 1.03 + rng.normal(0, 0.5, 2)
    assert np.linalg.norm(rough - true, axis=1).max() > 1.8
    assert np.linalg.norm(refined_corners(image, rough) - true, axis=1).max() < 1.8


def test_corners_stay_where_there_is_no_edge() -> None:
    flat = np.full((200, 200, 3), 90, np.uint8)
    corners = np.array([[50.0, 40.0], [100.0, 40.0], [100.0, 110.0], [50.0, 110.0]])
    assert np.array_equal(refined_corners(flat, corners), corners)
