"""What may be called one chip, what many, and what nobody can know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from models.stack_reader import BELOW_ROWS, CHIP_ROWS, STRIP_SHAPE
from vision.frames.picture import Image
from vision.looks.chips import ChipColor
from vision.looks.counting import ChipCounts
from vision.looks.look import ChipSight
from vision.looks.stacks import CHIP_HEIGHT_MM, OtherHeights, cut_strip, foot_of, side_px, top_of
from vision.tracking.rests import RestResult
from vision.tracking.tracks import ChipCluster, Consensus

SIZE_PX = (640, 480)
PICTURE = np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, np.uint8)


def camera_at(tilt_deg: float, px_per_mm: float = 1.4) -> Camera:
    """A camera that sees the origin from the players' side, 2.5 m away."""
    angle = np.radians(tilt_deg)
    return Camera.looking_at((0, 2500 * np.sin(angle), 2500 * np.cos(angle)), (0, 0), 0.0, 2500 * px_per_mm, SIZE_PX)


def box_at(x: float, y: float, across: float = 39.0, along: float = 39.0) -> npt.NDArray[np.float64]:
    half = np.array([[-across, -along], [across, -along], [across, along], [-across, along]]) / 2
    return np.asarray(half + np.array((x, y)), np.float64)


@dataclass(frozen=True)
class Told:
    count: int | None
    colors: tuple[str, ...] | None


class Says:
    """A stack reader that says the same of every strip and remembers how many it was asked about."""

    def __init__(self, count: int | None, *colors: str) -> None:
        self.told, self.asked = Told(count, colors if count else None), 0

    def __call__(self, strips: Sequence[np.ndarray], side_px: Sequence[float]) -> Sequence[Told]:
        self.asked += len(strips)
        return [self.told] * len(strips)


@dataclass(frozen=True)
class Named:
    color: str | None
    confidence: float = 0.99
    none_probability: float = 0.0
    likeliest: str = "other"


class Names:
    """A chip reader that names every chip alike."""

    def __init__(self, color: str | None) -> None:
        self.color = color

    def __call__(self, chips_bgr: Image) -> Sequence[Named]:
        return [Named(self.color)] * len(chips_bgr)


RED = ChipColor("red", 0.99)


def count_of(
    reader: Says | None, *, tilt_deg: float = 30.0, single: bool = True, spread: bool = False, house: bool = False,
    top: str = "red",
) -> tuple[int | None, tuple[str, ...]]:  # fmt: skip
    counts = ChipCounts(camera_at(tilt_deg), Names(top), reader, chips_spread=house)
    [found] = counts(PICTURE, [box_at(0, 0)], [single], [spread], [ChipColor(top, 0.99)])
    return found.count, found.colors


def test_a_lone_chip_is_unknown_from_straight_above_and_the_reader_is_not_even_asked() -> None:
    reader = Says(1, "red")
    assert count_of(reader, tilt_deg=0.5) == (None, ())
    assert reader.asked == 0


@pytest.mark.parametrize(("tilt_deg", "px_per_mm", "cut"), [(14, 2.0, False), (25, 0.6, False), (20, 1.4, True)])
def test_a_side_is_cut_only_where_enough_of_it_is_seen(tilt_deg: float, px_per_mm: float, cut: bool) -> None:
    assert (cut_strip(PICTURE, camera_at(tilt_deg, px_per_mm), (0.0, 0.0)) is not None) == cut


def test_a_lone_chip_is_one_where_its_side_says_so() -> None:
    assert count_of(Says(1, "red")) == (1, ())


def test_a_side_that_cannot_be_read_leaves_the_count_open() -> None:
    assert count_of(Says(None)) == (None, ())
    assert count_of(None) == (None, ())


def test_the_house_that_lays_chips_singly_makes_a_lone_chip_one_but_not_a_stack() -> None:
    assert count_of(Says(1), tilt_deg=0.5, house=True) == (1, ())
    assert count_of(Says(1), tilt_deg=0.5, house=True, single=False) == (None, ())


@pytest.mark.parametrize(("away", "counts"), [(12.0, [None, None]), (60.0, [3, 3])])
def test_a_stack_and_its_own_upper_face_are_not_counted_twice(away: float, counts: list[int | None]) -> None:
    count = ChipCounts(camera_at(40.0), Names("red"), Says(3, "red", "red", "red"), chips_spread=False)
    boxes = [box_at(0, 0, along=47.0), box_at(0, -away)]
    said = count(PICTURE, boxes, [False, True], [False, False], [RED, RED])
    assert [found.count for found in said] == counts


def test_what_the_picture_shows_goes_before_the_word_of_the_house() -> None:
    assert count_of(Says(2, "red", "red"), house=True) == (2, ("red", "red"))


def test_a_chip_of_a_spread_is_one_and_needs_no_side() -> None:
    reader = Says(4, "red", "red", "red", "red")
    assert count_of(reader, spread=True) == (1, ())
    assert reader.asked == 0


@pytest.mark.parametrize("single", [True, False], ids=["found as a chip", "found as a stack"])
def test_an_upper_face_of_another_colour_contradicts_the_side(single: bool) -> None:
    assert count_of(Says(2, "red", "green"), single=single, top="green") == (2, ("red", "green"))
    assert count_of(Says(2, "red", "green"), single=single, top="black") == (None, ())


@pytest.mark.parametrize(("longer_mm", "count"), [(1.0, 1), (4.0, None)])
def test_what_is_found_as_a_stack_longer_than_a_chip_is_not_one_chip(longer_mm: float, count: int | None) -> None:
    counts = ChipCounts(camera_at(30.0), Names("red"), Says(1, "red"), chips_spread=False)
    box = box_at(0, 0, along=39.0 + longer_mm)
    [found] = counts(PICTURE, [box], [False], [False], [RED])
    assert found.count == count
    [found] = counts(PICTURE, [box], [True], [False], [RED])
    assert found.count == 1, "a chip's box is about its upper face"


class SaysInTurn(Says):
    """A stack reader that says one thing after the other, the last again and again."""

    def __init__(self, *counts: int | None) -> None:
        super().__init__(None)
        self.turns = [Told(count, ("red",) * count if count else None) for count in counts]

    def __call__(self, strips: Sequence[np.ndarray], side_px: Sequence[float]) -> Sequence[Told]:
        self.told = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        return super().__call__(strips, side_px)


@pytest.mark.parametrize(
    ("said", "told"),
    [((3,), (3, ("red",) * 3)), ((3, 5), (None, ())), ((3, 3, 4), (None, ())), ((3, None), (None, ()))],
)
def test_a_stack_is_told_only_where_it_is_the_same_seen_from_a_foot_nearer_the_camera(
    said: tuple[int | None, ...], told: tuple[int | None, tuple[str, ...]]
) -> None:
    reader = SaysInTurn(*said)
    assert count_of(reader) == told


@pytest.mark.parametrize(("said", "count"), [((3, 3, 3, 3, 3), 3), ((3, 3, 3, 4, 3), None), ((3, 3, 3, 3, 4), None)])
def test_where_heights_may_be_off_a_stack_is_told_only_if_it_makes_no_difference(
    said: tuple[int, ...], count: int | None
) -> None:
    counts = ChipCounts(camera_at(30.0), Names("red"), SaysInTurn(*said), chips_spread=False, heights_off=0.1)
    [found] = counts(PICTURE, [box_at(0, 0)], [True], [False], [RED])
    assert found.count == count


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_camera_of_other_heights_sees_the_felt_where_it_is_and_what_stands_on_it_elsewhere(factor: float) -> None:
    camera = camera_at(30.0)
    other = OtherHeights(camera, factor)
    felt, top = (12.0, -8.0, 0.0), (12.0, -8.0, 20.0)
    assert other.image_from_table([felt]) == pytest.approx(camera.image_from_table([felt]))
    assert other.image_from_table([top]) == pytest.approx(camera.image_from_table([(12.0, -8.0, 20.0 * factor)]))
    assert side_px(other, (0.0, 0.0)) == pytest.approx(factor * side_px(camera, (0.0, 0.0)), rel=2e-3)
    assert other.position_mm[2] == pytest.approx(camera.position_mm[2] / factor)


def test_one_chip_needs_no_second_look() -> None:
    reader = SaysInTurn(1, 2)
    assert count_of(reader) == (1, ())
    assert reader.asked == 1


@pytest.mark.parametrize("chips", [1, 4, 10])
def test_where_the_upper_face_of_a_stack_is_seen(chips: int) -> None:
    camera, foot = camera_at(35.0), np.array([30.0, -20.0])
    seen = camera.table_from_image(camera.image_from_table([(*foot, chips * CHIP_HEIGHT_MM)]))[0]
    assert top_of(camera, foot, chips) == pytest.approx(seen, abs=0.05)


def test_the_foot_of_a_box() -> None:
    camera = camera_at(30.0)
    shift = CHIP_HEIGHT_MM * np.tan(np.radians(30.0))
    assert foot_of(camera, box_at(0, -shift), stack=False) == pytest.approx([0, 0], abs=0.1)
    tall = box_at(0, -5 * shift / 2, 39.0, 39.0 + 5 * shift)
    assert foot_of(camera, tall, stack=True) == pytest.approx([0, 0], abs=0.1)


def test_a_strip_shows_each_height_in_its_row() -> None:
    camera = camera_at(40.0, 2.0)
    picture = PICTURE.copy()
    for k, level in enumerate((200, 120, 240)):
        near = (0.0, 19.5, (k + 0.5) * CHIP_HEIGHT_MM)
        x, y = np.round(camera.image_from_table([near])[0]).astype(int)
        picture[y - 1 : y + 2, x - 8 : x + 9] = level
    strip = cut_strip(picture, camera, (0.0, 0.0))
    assert strip is not None
    assert strip.image.shape == (*STRIP_SHAPE, 6)
    assert strip.side_px == pytest.approx(side_px(camera, (0.0, 0.0)))
    middle = strip.image[:, 11:13, 0].mean(axis=1)
    for k, level in enumerate((200, 120, 240)):
        assert middle[BELOW_ROWS + CHIP_ROWS * k + 1 : BELOW_ROWS + CHIP_ROWS * k + 3].mean() == pytest.approx(
            level, abs=45
        )
    assert middle[:12].mean() == pytest.approx(90, abs=3)


def sight(count: int | None, *colors: str) -> ChipSight:
    return ChipSight((0.0, 0.0), (0.0, 0.0), 20.0, 0.9, RED, False, count, colors)


def test_looks_must_agree_on_a_count() -> None:
    two, one, open_ = sight(2, "red", "red"), sight(1), sight(None)
    assert ChipCluster((two, two, open_), 1.0).pile == (2, ("red", "red"))
    assert ChipCluster((two, open_, open_), 1.0).pile is None
    assert ChipCluster((two, two, one), 1.0).pile is None
    assert ChipCluster((two, two, sight(2, "red", "green")), 1.0).pile is None


def test_an_amount_is_the_sum_of_known_piles_and_open_with_one_that_is_not() -> None:
    result = RestResult(Consensus((), (), True), (), (), (), (), (sight(2, "green", "red"), sight(1)), True, True)
    assert result.counted_chips == (("green", 1), ("red", 2))
    assert replace(result, chips=(*result.chips, sight(None))).counted_chips is None
    unread = replace(sight(1), color=ChipColor(None, 0.0))
    assert replace(result, chips=(unread,)).counted_chips is None
    weak = replace(sight(1), confidence=0.45)
    assert replace(result, chips=(*result.chips, weak)).counted_chips is None
