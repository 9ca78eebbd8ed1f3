"""The committed stack reader counts stacks of chip sets it never saw, and says nothing where it cannot know."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.crops.stacks import batch
from models.chip_reader import COLOR_NAMES
from models.stack_reader import SINGLE_SIDE_PX, UNKNOWN, StackReader


@pytest.fixture(scope="module")
def reader() -> StackReader:
    return StackReader()


@pytest.fixture(scope="module")
def strips() -> dict[str, np.ndarray]:
    return batch(seed=90027, first=0, count=240)


def test_stacks_of_unseen_sets_are_counted_right_or_left_open(
    reader: StackReader, strips: dict[str, np.ndarray]
) -> None:
    readings = reader(list(strips["images"]), strips["side_px"].tolist())
    answered = wrong = clear = clear_answered = 0
    for reading, count, colors, side in zip(
        readings, strips["counts"], strips["colors"], strips["side_px"], strict=True
    ):
        true = tuple(COLOR_NAMES[k] for k in colors[:count])
        answered += reading.count is not None
        wrong += reading.count is not None and (
            reading.count != count or (count > 1 and reading.colors != true) or count == UNKNOWN
        )
        clear += side >= 2.0 and count == 1
        clear_answered += side >= 2.0 and count == 1 and reading.count is not None
    assert clear_answered >= 0.15 * clear
    assert wrong <= max(2, 0.02 * answered)


def test_the_same_strips_give_the_same_answers_alone_and_together(
    reader: StackReader, strips: dict[str, np.ndarray]
) -> None:
    images, sides = strips["images"][:8], strips["side_px"][:8].tolist()
    together = reader(list(images), sides)
    alone = [reader([images[i]], [sides[i]])[0] for i in range(8)]
    assert [(r.count, r.colors) for r in together] == [(r.count, r.colors) for r in alone]
    assert np.allclose([r.confidence for r in together], [r.confidence for r in alone], atol=1e-4)
    assert reader([], []) == []


def test_of_single_pictures_more_is_told_and_never_otherwise(
    reader: StackReader, strips: dict[str, np.ndarray]
) -> None:
    images, sides = list(strips["images"]), strips["side_px"].tolist()
    of_tables, of_pictures = reader(images, sides), StackReader(single_pictures=True)(images, sides)
    told = [(table, picture) for table, picture in zip(of_tables, of_pictures, strict=True) if table.count is not None]
    assert all((table.count, table.colors) == (picture.count, picture.colors) for table, picture in told)
    assert sum(picture.count is not None for picture in of_pictures) > len(told)


def test_of_single_pictures_one_chip_that_shows_little_of_its_side_is_told_by_a_threshold_of_its_own(
    strips: dict[str, np.ndarray],
) -> None:
    of_pictures = StackReader(single_pictures=True)
    readings = of_pictures(list(strips["images"]), strips["side_px"].tolist())
    told = [
        (reading.confidence, int(count))
        for reading, count, side in zip(readings, strips["counts"], strips["side_px"], strict=True)
        if reading.count == 1 and side < SINGLE_SIDE_PX
    ]
    stacks = of_pictures.threshold_of(2, 0.9 * SINGLE_SIDE_PX)
    assert any(confidence < stacks for confidence, _ in told), "stacks need more than one chip does"
    assert all(count in (1, UNKNOWN) for _, count in told), "no stack is one chip"
    assert sum(count == UNKNOWN for _, count in told) <= 0.1 * len(told), "a chip of a spread may be"
    for count, side in ((1, 1.5), (1, 3.0), (2, 1.5), (2, 3.0)):
        assert StackReader().threshold_of(count, side) > of_pictures.threshold_of(count, side), "tables ask for more"
