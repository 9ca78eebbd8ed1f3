"""The gate works through whole planes; what it says is what pixel by pixel would say."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import Arm, Card, DrawnTable, Things

from rules.events import Side
from vision.change.gate import Gate, SmallMap, levels_apart, median_of, planes_apart
from vision.frames.frame import Frame
from vision.frames.picture import planes_of


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (27, 48, 3), np.uint8)


@pytest.mark.parametrize("gain", [1.0, 0.93, 1.2071])
def test_planes_differ_by_what_pixels_differ(gain: float) -> None:
    now, then = picture(1), picture(2)
    expected = levels_apart(now.astype(np.float32), then.astype(np.float32), gain)
    assert np.array_equal(planes_apart(planes_of(now), planes_of(then), gain), expected)


@pytest.mark.parametrize("count", [1, 2, 7, 500, 501])
def test_the_median_of_levels_is_that_of_numpy(count: int) -> None:
    levels = np.random.default_rng(count).integers(0, 256, count, np.uint8)
    assert median_of(levels) == float(np.median(levels))


def test_a_card_changes_its_area_until_it_is_accepted() -> None:
    table = DrawnTable()
    small_map = SmallMap(table.layout, table.camera)
    gate, index = Gate(small_map), small_map.names.index("seat3.cards")
    card = Card("Qd", table.center("seat3.cards"))
    gate.feed(0.0, Frame(0, 0.0, table.draw(Things())).small_yuv(small_map.size_px))
    report = gate.feed(0.1, Frame(1, 0.1, table.draw(Things(cards=(card,)))).small_yuv(small_map.size_px))
    assert report.moving[index]
    assert [name for name, moves in zip(small_map.names, report.moving, strict=True) if moves] == ["seat3.cards"]
    assert gate.changed_px(index) > 50
    gate.accept(index)
    assert gate.changed_px(index) == 0


@pytest.mark.parametrize(
    ("arms", "side"),
    [
        ([((0.0, -200.0), "seat3.ante")], Side.DEALER),
        ([((-150.0, 1150.0), "seat3.cards")], None),
        ([((0.0, -200.0), "seat3.ante"), ((-150.0, 1150.0), "seat3.ante")], None),
    ],
)
def test_a_sleeve_of_the_rails_colour_is_the_dealers_where_it_crosses_his_edge(
    arms: list[tuple[tuple[float, float], str]], side: Side | None
) -> None:
    table = DrawnTable()
    small_map = SmallMap(table.layout, table.camera)
    gate = Gate(small_map)
    empty = Frame(0, 0.0, table.draw(Things())).small_yuv(small_map.size_px)
    reaching = Things(arms=tuple(Arm(table.center(area), home) for home, area in arms))
    shown = Frame(1, 0.1, table.draw(reaching)).small_yuv(small_map.size_px).copy()
    lost = cv2.dilate(small_map.on_table.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
    shown[lost] = empty[lost]
    gate.feed(0.0, empty)
    hands = gate.feed(0.1, shown).hands
    assert [hand.side for hand in hands] == [side]
    assert "seat3.ante" in hands[0].areas or side is None


@pytest.mark.parametrize("area", ["seat3.cards", "seat3.ante", "seat4.play"])
def test_a_hand_is_told_where_it_is_and_over_what(area: str) -> None:
    table = DrawnTable()
    small_map = SmallMap(table.layout, table.camera)
    gate = Gate(small_map)
    gate.feed(0.0, Frame(0, 0.0, table.draw(Things())).small_yuv(small_map.size_px))
    center = table.center(area)
    arm = Things(arms=(Arm(center, (center[0], 1150.0)),))
    report = gate.feed(0.1, Frame(1, 0.1, table.draw(arm)).small_yuv(small_map.size_px))
    (hand,) = report.hands
    share = gate.settings.covered_share
    covered = {name for name, part in zip(small_map.names, report.covered, strict=True) if part >= share}
    assert area in covered
    assert set(hand.areas) == covered
    (x, y), (x0, y0, x1, y1) = table.camera.image_from_table(np.array([center]))[0], hand.box_px
    assert x0 < x < x1
    assert y0 < y < y1


@pytest.mark.parametrize(
    ("homes", "to_mm", "sides"),
    [
        ([(0.0, -200.0)], (0.0, 500.0), [Side.DEALER]),
        ([(0.0, -200.0)], (0.0, 60.0), []),
        ([(-150.0, 1150.0)], (0.0, 500.0), []),
        ([(0.0, -200.0), (-150.0, 1150.0)], (0.0, 500.0), []),
    ],
    ids=["the dealer's", "at the tray", "a player's", "both"],
)
def test_an_arm_of_which_nothing_shows_beyond_the_dealers_edge_is_his_where_it_reaches_far_in(
    homes: list[tuple[float, float]], to_mm: tuple[float, float], sides: list[Side]
) -> None:
    table = DrawnTable()
    small_map = SmallMap(table.layout, table.camera)
    gate = Gate(small_map)
    empty = Frame(0, 0.0, table.draw(Things())).small_yuv(small_map.size_px)
    reaching = Things(arms=tuple(Arm(to_mm, home) for home in homes))
    shown = Frame(1, 0.1, table.draw(reaching)).small_yuv(small_map.size_px).copy()
    lost = small_map.beyond > 0
    shown[lost] = empty[lost]
    gate.feed(0.0, empty)
    assert [hand.side for hand in gate.feed(0.1, shown).hands] == sides
