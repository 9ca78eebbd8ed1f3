"""A chip set is learned from one picture and read in others; what cannot be told apart or is not seen well is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.draw.chip_rows import ChipView, chips_pictured
from datasets.draw.chips import ChipDesign
from datasets.render.sensor import SensorLook
from models.chip_matcher import ChipMatcher, HouseChips
from models.chip_reader import ChipReader
from models.detector import Detector
from vision.frames.picture import Image
from vision.looks.chips import chip_colors
from vision.stills.chip_finding import ChipFault, FoundChip, chip_scale, faults_of_light, faults_of_place, find_chips
from vision.stills.chip_set import (
    OTHER_COLORS_LAB,
    TRIES,
    LearnedChip,
    faults_of_names,
    in_many_lights,
    learn_chips,
    names_of,
)

COLORS = ("white", "red", "green", "black", "purple")
ROW = tuple((62.0 * i, 0.0) for i in range(len(COLORS)))


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


@pytest.fixture(scope="module")
def readers() -> tuple[ChipReader, ChipMatcher]:
    return ChipReader(), ChipMatcher()


def held_out_set(seed: int) -> ChipDesign:
    """A set that no network was trained on, with an inlay: in dim light the detector overlooks some that have none."""
    rng = np.random.default_rng((seed, 77))
    return next(chips for chips in iter(lambda: ChipDesign.random(rng), None) if chips.inlay)


def pictured(chip_set: ChipDesign, view: ChipView, seed: int = 1, count: int = 5) -> Image:
    return chips_pictured(chip_set, COLORS[:count], ROW[:count], view, seed=seed)[0]


@pytest.mark.parametrize(("seed", "odd"), [(1, None), (2, None), (3, None), (1, "pink"), (2, "gold")])
def test_a_set_learned_from_one_picture_is_read_in_other_light(
    seed: int, odd: str | None, detector: Detector, readers: tuple[ChipReader, ChipMatcher]
) -> None:
    chip_set = held_out_set(seed)
    if odd is not None:
        chip_set = chip_set.in_odd_color("red", odd)
    picture = pictured(chip_set, ChipView(tilt_deg=8.0 * seed))
    learned = learn_chips(picture, find_chips(picture, detector, 1.6), *readers)
    assert faults_of_names(learned) == []
    names = [chip.color for chip in learned]
    assert len(set(names)) == len(COLORS)
    house = HouseChips({chip.color: chip.face for chip in learned if chip.color and chip.face is not None}, *readers)
    answered = 0
    lights = (
        SensorLook(gain=0.7, warmth=0.7, noise=4),
        SensorLook(gain=1.15, warmth=-0.5, blur_px=0.7, jpeg_quality=60),
    )
    for number, light in enumerate(lights):
        other = pictured(chip_set, ChipView(px_per_mm=1.3, tilt_deg=25, light=light, felt_bgr=(90, 40, 60)), seed + 50)
        chips = find_chips(other, detector, 1.3)
        assert len(chips) == len(COLORS), number
        said = chip_colors(other, [(chip.center_px, chip.axes_px) for chip in chips], house)
        assert all(one.name in (None, name) for one, name in zip(said, names, strict=True))
        answered += sum(one.name is not None for one in said)
    assert answered >= 8


def test_two_like_colours_are_refused_by_name(detector: Detector, readers: tuple[ChipReader, ChipMatcher]) -> None:
    chip_set = held_out_set(1)
    red = dict(chip_set.bases)["red"]
    like = (red[0] + 6, red[1] + 8, red[2] - 6)
    alike = replace(chip_set, bases=tuple((name, like if name == "purple" else bgr) for name, bgr in chip_set.bases))
    picture = pictured(alike, ChipView())
    faults = faults_of_names(learn_chips(picture, find_chips(picture, detector, 1.6), *readers))
    assert [fault.chips for fault in faults] == [(1, 4)]
    assert "cannot be told apart" in faults[0].what
    assert "differ by" in faults[0].what


def test_a_chip_called_by_the_name_of_another_now_and_then_is_refused() -> None:
    sure = LearnedChip("red", 1.0, Counter(red=TRIES), np.zeros(3))
    torn = LearnedChip("orange", 0.9, Counter(orange=TRIES - 3, red=3), np.array([3.0, 4.0, 0.0]))
    (fault,) = faults_of_names([sure, torn])
    assert fault.chips == (0, 1)
    assert "differ by 5" in fault.what
    assert f"{{1}} was called red in 3 of {TRIES}" in fault.what


@pytest.mark.parametrize(
    ("chip", "part"),
    [
        (LearnedChip(None, 0.0, Counter(), np.zeros(3)), "nothing in any"),
        (LearnedChip("red", 0.15, Counter(red=18), np.zeros(3)), "red in 18"),
        (LearnedChip("red", 0.9, Counter(red=108, blue=12), np.zeros(3)), "blue in 12"),
    ],
)
def test_a_chip_that_is_not_told_surely_is_refused(chip: LearnedChip, part: str) -> None:
    (fault,) = faults_of_names([chip])
    assert part in fault.what


def test_overlapping_stacked_and_cut_off_chips_are_refused() -> None:
    def faults(*chips: FoundChip) -> list[ChipFault]:
        return faults_of_place(chips, (400, 200))

    one = FoundChip((100, 100), 20, 0.9)
    assert faults(one, FoundChip((141, 100), 20, 0.9)) == []
    assert "overlap" in faults(one, FoundChip((136, 100), 20, 0.9))[0].what
    assert faults(one, FoundChip((200, 100), 20, 0.9, stack=True))[0].chips == (1,)
    assert "cut off" in faults(FoundChip((15, 100), 20, 0.9))[0].what
    assert "cut off" in faults(FoundChip((385, 100), 20, 0.9))[0].what
    assert faults(FoundChip((21, 100), 20, 0.9)) == []
    assert "22 px wide; at least 23" in faults(FoundChip((100, 100), 11, 0.9))[0].what
    assert faults(FoundChip((100, 100), 11.5, 0.9)) == []


def test_overlapping_chips_are_found_to_overlap(detector: Detector) -> None:
    picture, _ = chips_pictured(held_out_set(2), ("red", "green"), ((0, 0), (31, 0)), ChipView(), seed=3)
    chips = find_chips(picture, detector, 1.6)
    assert any("overlap" in fault.what for fault in faults_of_place(chips, picture.shape[1::-1]))


@pytest.mark.parametrize(
    ("light", "part"),
    [
        (SensorLook(glare=0.9, glare_at=(0.46, 0.45), glare_size=0.06), "glare"),
        (SensorLook(glare=0.5, glare_at=(0.46, 0.45), glare_size=0.06), "glare"),
        (SensorLook(gain=2.4), "burnt out"),
    ],
)
def test_glare_and_too_much_light_are_refused(light: SensorLook, part: str) -> None:
    picture, faces = chips_pictured(held_out_set(1), COLORS[:3], ROW[:3], ChipView(light=light), seed=4)
    faults = faults_of_light(picture, [FoundChip((float(x), float(y)), 31, 0.9) for x, y in faces])
    assert any(part in fault.what for fault in faults)


@pytest.mark.parametrize(
    ("body_bgr", "inlay_bgr", "count"), [((40, 90, 30), (255, 255, 255), 0), ((255, 255, 255), (40, 90, 30), 1)]
)
def test_burnt_out_is_a_chip_s_own_colour_not_its_white_inlay(
    body_bgr: tuple[int, ...], inlay_bgr: tuple[int, ...], count: int
) -> None:
    picture = np.full((100, 100, 3), 60, np.uint8)
    cv2.circle(picture, (50, 50), 30, body_bgr, -1)
    cv2.circle(picture, (50, 50), 19, inlay_bgr, -1)
    faults = faults_of_light(picture, [FoundChip((50.0, 50.0), 30.0, 0.9)])
    assert ["burnt out" in fault.what for fault in faults] == [True] * count


def test_good_light_is_not_refused() -> None:
    for seed in range(4):
        view = ChipView(light=SensorLook(warmth=0.4, falloff=0.25), tilt_deg=20)
        picture, faces = chips_pictured(held_out_set(seed), COLORS, ROW, view, seed=seed)
        assert faults_of_light(picture, [FoundChip((float(x), float(y)), 31, 0.9) for x, y in faces]) == []


def test_the_scale_is_told_by_single_chips() -> None:
    assert chip_scale([]) is None
    chips = [FoundChip((0, 0), 39.0, 0.9), FoundChip((0, 0), 90.0, 0.9, stack=True)]
    assert chip_scale(chips) == pytest.approx(2.0)


def test_the_lights_hold_the_crop_itself_and_none_twice() -> None:
    crop = np.random.default_rng(1).integers(0, 160, (32, 32, 3), np.uint8)
    lights = in_many_lights(crop)
    assert any(np.array_equal(crop, light) for light in lights)
    assert len({light.tobytes() for light in lights}) == len(lights)


def test_a_name_is_given_once_and_the_chip_reader_is_followed_where_it_is_clear() -> None:
    red, sand = np.array([40.0, 60.0, 35.0]), np.array([70.0, 9.0, 54.0])
    called = [Counter(red=TRIES - 20), Counter(red=TRIES), Counter(orange=TRIES // 2, red=TRIES // 2), Counter()]
    names = names_of(called, [red, red, sand, sand])
    assert names[1] == "red", "the one that is called so most"
    assert names[2] == "gold"
    assert len(set(names)) == 4
    assert set(names[2:]) | {names[0]} <= set(OTHER_COLORS_LAB)
