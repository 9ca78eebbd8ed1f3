from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from datasets.crops.chips import batch
from models.chip_matcher import ChipMatcher
from models.chip_reader import CLASS_NAMES, COLOR_NAMES, OTHER, ChipReader
from models.chips_together import ChipsTogether

SURE = 0.99


class SaysShares:
    """Stands for a reader that gives these shares, whatever it is shown."""

    threshold = SURE

    def __init__(self, *shares: dict[str, float]) -> None:
        self._shares = np.array([[of.get(name, 0.0) for name in CLASS_NAMES] for of in shares], np.float32)

    def shares(self, crops: np.ndarray) -> np.ndarray:
        assert len(crops) == len(self._shares)
        return self._shares


class LooksLike:
    """Stands for a matcher to which chips of one number look alike, others not at all."""

    stranger = 0.6

    def __init__(self, *looks: int) -> None:
        self._points = np.eye(8, dtype=np.float32)[list(looks)]

    def points(self, crops: np.ndarray) -> np.ndarray:
        assert len(crops) == len(self._points)
        return self._points


def called(names: Sequence[str | None], looks: Sequence[int], *shares: dict[str, float]) -> list[str | None]:
    together = ChipsTogether(cast(ChipReader, SaysShares(*shares)), cast(ChipMatcher, LooksLike(*looks)))
    return [said.color for said in together(np.zeros((len(names), 32, 32, 3), np.uint8), names)]


BLUE, TEAL = {"blue": 1.0}, {"green": 0.93, "blue": 0.069, "white": 0.001}


def test_a_chip_that_looks_otherwise_than_the_blue_one_is_green() -> None:
    assert called(["blue", None], (0, 1), BLUE, TEAL) == ["blue", "green"]
    assert called(["blue", None], (0, 0), BLUE, TEAL) == ["blue", None], "it looks like the blue one"
    assert called(["blue", "blue", None], (0, 1, 1), BLUE, BLUE, TEAL)[2] is None, "it looks like one of the blue ones"
    assert called([None], (0,), TEAL) == [None], "nothing rules out blue"
    assert called(["red", None], (0, 1), {"red": 1.0}, TEAL) == ["red", None], "red was not in question"


def test_what_is_ruled_out_leaves_the_rest_in_question() -> None:
    torn = {"green": 0.9, "blue": 0.07, "black": 0.03}
    assert called(["blue", None], (0, 1), BLUE, torn) == ["blue", None]
    assert called(["blue", "black", None], (0, 1, 2), BLUE, {"black": 1.0}, torn)[2] == "green"
    assert called(["blue", None], (0, 1), BLUE, {"green": 0.9, "blue": 0.07, "none": 0.03})[1] is None, "is it a chip?"
    assert called(["blue", None], (0, 1), BLUE, {"other": 0.5, "green": 0.43, "blue": 0.07})[1] is None


def test_the_likeliest_colour_ruled_out_names_no_other() -> None:
    assert called(["green", None], (0, 1), {"green": 1.0}, {"green": 0.96, "blue": 0.04}) == ["green", None]
    assert called(["green", None], (0, 1), {"green": 1.0}, {"green": 0.6, "blue": 0.4}) == ["green", None]


def test_a_name_is_taken_back_from_a_chip_that_looks_like_none_of_those_called_so() -> None:
    blue = {"blue": 0.995, "purple": 0.005}
    assert called(["blue", "blue", "blue"], (0, 0, 1), BLUE, BLUE, blue) == ["blue", "blue", None]
    assert called(["blue", "blue"], (0, 1), BLUE, blue) == [None, None], "either may be the other"
    assert called(["blue", "red"], (0, 1), BLUE, {"red": 1.0}) == ["blue", "red"], "no other is called so"


def test_one_name_for_each_crop() -> None:
    assert called([], ()) == []
    with pytest.raises(ValueError, match="a name or None for each of 1 crops, got 2"):
        ChipsTogether(ChipReader(), ChipMatcher())(np.zeros((1, 32, 32, 3), np.uint8), [None, "red"])
    with pytest.raises(ValueError, match="expected uint8 crops"):
        ChipsTogether(ChipReader(), ChipMatcher())(np.zeros((1, 30, 32, 3), np.uint8), [None])


def test_of_chips_that_lie_alone_more_are_named_and_hardly_more_wrongly() -> None:
    images, labels = (
        np.concatenate(parts) for parts in zip(*(batch(90018, first, 150) for first in (0, 150, 300)), strict=True)
    )
    reader = ChipReader()
    own = [reading.color for reading in reader(images)]
    more = [reading.color for reading in ChipsTogether(reader, ChipMatcher())(images, [None] * len(images))]

    def named(colors: Sequence[str | None]) -> tuple[int, int]:
        told = [(color, k) for color, k in zip(colors, labels, strict=True) if color is not None]
        return len(told), sum(k >= OTHER or color != COLOR_NAMES[k] for color, k in told)

    (tables, wrong), (alone, more_wrong) = named(own), named(more)
    assert alone > tables > 100
    assert more_wrong <= wrong + 0.02 * alone
