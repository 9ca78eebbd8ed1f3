"""Chips of the felt's own colour, looked at on another ground."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from drawn import Chip, DrawnTable, Things
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.frames.rectify import AreaView
from vision.looks.chips import ChipColor
from vision.looks.look import ChipSight, Look
from vision.tracking.areas import AreaState
from vision.tracking.matte import GROUNDS_BGR, borne_out, changed_since, filled_out, painted, unexplained

AREA, LEVEL = "seat3.ante", 90.0
TABLE = DrawnTable()


def sight(at: tuple[float, float], confidence: float = 0.7) -> ChipSight:
    return ChipSight(at, (0.0, 0.0), 20.0, confidence, ChipColor("green", 0.99), count=1)


def place(dx: float, dy: float = 0.0) -> tuple[float, float]:
    return TABLE.center(AREA, dx, dy)


def state(*lay: ChipSight) -> AreaState:
    """The area at rest with the chips that lay there."""
    area = TABLE.layout.area(AREA)
    view = AreaView.around(area.polygon_mm, TABLE.camera)
    before = TABLE.draw(Things(chips=tuple(Chip("green", chip.center_mm) for chip in lay)))
    return AreaState(0, area, view, chip_sights=lay, reference=(view.cut(before), LEVEL))


def looked_at(there: AreaState, *at: tuple[float, float], found: tuple[ChipSight, ...] = ()) -> Look:
    picture = TABLE.draw(Things(chips=tuple(Chip("green", one) for one in at)))
    return Look(0, 1.0, there.view.cut(picture), (), found, False)


def changed_in(there: AreaState, look: Look) -> npt.NDArray[np.uint8]:
    """What a look shows to have changed."""
    changed = changed_since(there, look.view, LEVEL)
    assert changed is not None
    return changed


@pytest.mark.parametrize(
    ("found", "open_"),
    [((), True), ((-12.0,), True), ((-12.0, 12.0), False)],
    ids=["none found", "one of two", "both"],
)
def test_a_second_look_is_wanted_where_chips_do_not_explain_what_changed(found: tuple[float, ...], open_: bool) -> None:
    there = state()
    look = looked_at(there, place(-12), place(12), found=tuple(sight(place(dx)) for dx in found))
    changed = changed_in(there, look)
    assert unexplained(there, look.chips, changed) == open_


def test_nothing_is_compared_before_the_first_rest() -> None:
    assert changed_since(replace(state(), reference=None), state().view.cut(TABLE.draw(Things())), LEVEL) is None


def test_an_area_that_shows_the_same_wants_no_second_look() -> None:
    there = state()
    look = looked_at(there)
    changed = changed_in(there, look)
    assert not unexplained(there, look.chips, changed)


def test_only_what_came_or_lay_there_keeps_its_colour() -> None:
    old = sight(place(-30))
    there = state(old)
    look = looked_at(there, old.center_mm, place(15))
    changed = changed_in(there, look)
    image = painted(there, look.view, changed)
    for chip in (old.center_mm, place(15)):
        x, y = np.round(there.view.view_from_table(chip)).astype(int)
        assert np.array_equal(image[y, x], look.view[y, x])
    x, y = np.round(there.view.view_from_table(place(-30, 30))).astype(int)
    assert tuple(image[y, x]) in GROUNDS_BGR
    assert (np.abs(image.astype(int) - look.view).max(axis=2) > 60).mean() > 0.5


@settings(max_examples=25, deadline=None)
@given(st.floats(14.0, 34.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.booleans())
def test_chips_found_between_two_are_told_rightly_or_not_at_all(
    apart: float, slant: float, beside: float, lies: bool
) -> None:
    """Chips that are there are found surer than what is found between them, as the detector finds them."""
    there = state()
    real = [place(-apart / 2, slant), place(apart / 2, -slant)]
    look = looked_at(there, *real, *([place(0, beside)] if lies else []))
    changed = changed_in(there, look)
    found = [sight(at, 0.8) for at in real] + [sight(place(0, beside), 0.6)]
    for filled in (None, filled_out(there, changed)):
        told = borne_out(there, changed, found, filled)
        assert told is None or len(told) == 2 + lies


def test_chips_that_lie_apart_are_told_and_one_that_is_not_there_is_left_out() -> None:
    there = state()
    look = looked_at(there, place(-16), place(16))
    changed = changed_in(there, look)
    real = [sight(place(-16), 0.8), sight(place(16), 0.8)]
    assert borne_out(there, changed, real) == tuple(real)
    assert borne_out(there, changed, [*real, sight(place(0, 38), 0.6)]) == tuple(real)


def test_a_chip_that_lay_there_is_borne_out_though_nothing_changed() -> None:
    old = sight(place(-25))
    there = state(old)
    look = looked_at(there, old.center_mm, place(15))
    changed = changed_in(there, look)
    assert borne_out(there, changed, [old, sight(place(15))]) == (old, sight(place(15)))


def dark_chip(there: AreaState, *at: tuple[float, float], spots: int = 8) -> npt.NDArray[np.uint8]:
    """Of chips of the felt's colour only a ring of their print and the spots on their edge can be told."""
    changed = np.zeros(there.view.size_px[::-1], np.uint8)
    for one in at:
        middle = there.view.view_from_table(one)
        cv2.circle(changed, np.round(middle).astype(int).tolist(), round(11 * there.view.px_per_mm), 1, -1)
        for angle in np.arange(spots) * 2 * np.pi / spots:
            way = np.array([np.cos(angle), np.sin(angle)])
            cv2.circle(changed, np.round(middle + 17.5 * there.view.px_per_mm * way).astype(int).tolist(), 3, 1, -1)
    return changed


@pytest.mark.parametrize("apart", [0.0, 30.0, 42.0])
def test_a_chip_of_the_felts_colour_is_filled_to_its_outline(apart: float) -> None:
    there = state()
    places = [place(-apart / 2), place(apart / 2)][: 2 if apart else 1]
    changed = dark_chip(there, *places)
    filled = filled_out(there, changed)
    chips = tuple(sight(one) for one in places)
    assert borne_out(there, changed, chips) != chips
    assert borne_out(there, changed, chips, filled) == chips
    assert not unexplained(there, chips, changed)
    assert unexplained(there, chips[1:], changed)
    assert filled.sum() < 1.4 * len(places) * np.pi * (19.5 * there.view.px_per_mm) ** 2


def test_no_chip_is_told_of_whose_face_next_to_nothing_changed() -> None:
    there = state()
    changed = dark_chip(there, place(-30), place(30))
    filled = np.ones_like(changed)
    between = sight(place(0), 0.9)
    assert borne_out(there, changed, [sight(place(-30)), sight(place(30)), between], filled) == (
        sight(place(-30)),
        sight(place(30)),
    )
