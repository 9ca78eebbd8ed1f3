"""The committed chip matcher knows the chips of houses it never saw from one picture, and says nothing of strangers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from datasets.crops.house_chips import Crops, batch
from models.chip_matcher import STRANGER, ChipMatcher, HouseChips, face_of, face_text
from models.chip_reader import ChipReader, ChipReading
from models.errors import ModelError
from models.stack_reader import SingleChips, StackReading


@pytest.fixture(scope="module")
def matcher() -> ChipMatcher:
    return ChipMatcher()


@pytest.fixture(scope="module")
def crops() -> Crops:
    return batch(90019, 0, 8)


def test_chips_of_unseen_houses_are_named_right_or_left_open(matcher: ChipMatcher, crops: Crops) -> None:
    reader = ChipReader()
    chips = answered = wrong = strangers = named = 0
    for house in np.unique(crops.houses):
        of = crops.houses == house
        faces = {
            str(chip): crops.images[of & crops.laid_out & (crops.chips == chip)][0]
            for chip in np.unique(crops.chips[of & crops.laid_out])
        }
        at = of & ~crops.laid_out & (crops.chips >= 0)
        said = HouseChips(faces, reader, matcher)(crops.images[at])
        for reading, chip in zip(said, crops.chips[at], strict=True):
            chips += 1
            answered += reading.color is not None
            wrong += reading.color not in (None, str(chip))
        for left_out in faces:
            without = HouseChips({name: face for name, face in faces.items() if name != left_out}, reader, matcher)
            readings = without(crops.images[at & (crops.chips == int(left_out))])
            strangers += len(readings)
            named += sum(one.color is not None for one in readings)
    assert chips > 150
    assert answered >= 0.7 * chips
    assert wrong <= 0.01 * answered
    assert strangers == chips
    assert named <= 0.12 * strangers


def test_the_same_crops_give_the_same_answers_alone_and_together(matcher: ChipMatcher, crops: Crops) -> None:
    some = crops.images[:6]
    alone = np.concatenate([matcher.points(some[i : i + 1]) for i in range(len(some))])
    assert np.allclose(matcher.points(some), alone, atol=1e-5)
    assert np.allclose(np.linalg.norm(alone, axis=1), 1.0, atol=1e-5)
    assert HouseChips({"red": some[0]}, ChipReader(), matcher)([]) == []


def test_a_face_is_kept_to_the_pixel_and_what_is_none_is_refused(crops: Crops) -> None:
    text = face_text(crops.images[0])
    assert max(map(len, text.splitlines())) == 120
    assert np.array_equal(face_of(text), crops.images[0])
    with pytest.raises(ValueError, match="base64"):
        face_of("no picture!")
    with pytest.raises(ValueError, match="32 x 32"):
        face_of("aGVsbG8=")
    with pytest.raises(ValueError, match="32 x 32"):
        face_of(face_text(np.zeros((8, 8, 3), np.uint8)))


class Said:
    """Stands in for both networks: a crop's first pixel says which chip it shows and what the chip reader calls it."""

    temperature, threshold = 0.1, 0.9
    calls: dict[int, ChipReading]
    shares_of: dict[int, list[float]]

    def __init__(self, calls: dict[int, tuple[str | None, float]], shares_of: dict[int, list[float]]) -> None:
        self.calls = {n: ChipReading(color, 0.99, none, color or STRANGER) for n, (color, none) in calls.items()}
        self.shares_of = shares_of

    def __call__(self, crops: np.ndarray) -> list[ChipReading]:
        return [self.calls[int(crop[0, 0, 0])] for crop in np.asarray(crops)]

    def points(self, crops: np.ndarray) -> np.ndarray:
        return np.asarray(np.eye(64, dtype=np.float32)[crops[:, 0, 0, 0]])

    def shares(self, points: np.ndarray, _faces: np.ndarray) -> np.ndarray:
        return np.array([self.shares_of[int(np.argmax(point))] for point in points], np.float32)


def crop(number: int) -> np.ndarray:
    return np.full((32, 32, 3), number, np.uint8)


def house(calls: dict[int, tuple[str | None, float]], shares_of: dict[int, list[float]], *names: str) -> HouseChips:
    said = cast(Any, Said(calls, shares_of))
    return HouseChips({name: crop(i) for i, name in enumerate(names)}, said, said)


def test_names_that_the_chip_reader_uses_for_one_face_only_are_usual() -> None:
    calls: dict[int, tuple[str | None, float]] = {0: ("red", 0), 1: ("red", 0), 2: ("blue", 0), 3: (None, 0)}
    both_red = house(calls, {}, "red", "rose", "blue", "gold")
    assert both_red.usual == {"blue"}
    assert not both_red.is_usual
    assert house({0: ("red", 0), 1: ("blue", 0)}, {}, "red", "blue").is_usual


@pytest.mark.parametrize(
    ("called", "shares", "color"),
    [
        ((None, 0.0), [0.95, 0.03, 0.02], "red"),
        ((None, 0.0), [0.85, 0.13, 0.02], None),
        (("red", 0.0), [0.6, 0.3, 0.1], "red"),
        (("blue", 0.0), [0.95, 0.03, 0.02], None),
        ((None, 0.5), [0.99, 0.0, 0.01], None),
        (("red", 0.0), [0.1, 0.1, 0.8], None),
        (("green", 0.0), [0.95, 0.03, 0.02], "red"),
    ],
)
def test_a_chip_is_named_where_it_is_alike_and_the_chip_reader_is_not_of_another_mind(
    called: tuple[str | None, float], shares: list[float], color: str | None
) -> None:
    calls: dict[int, tuple[str | None, float]] = {0: ("red", 0.0), 1: ("blue", 0.0), 5: called}
    (said,) = house(calls, {5: shares}, "red", "blue")(crop(5)[None])
    assert said.color == color
    assert said.likeliest == (STRANGER if shares[2] == max(shares) else "red")


@pytest.mark.parametrize(
    ("shares", "color"),
    [
        ([0.50, 0.49, 0.00, 0.01], None),
        ([0.80, 0.01, 0.04, 0.15], "orange"),
        ([0.80, 0.15, 0.00, 0.05], None),
        ([0.50, 0.00, 0.49, 0.01], "orange"),
    ],
)
def test_the_chip_reader_does_not_decide_against_a_chip_that_it_has_no_name_for(
    shares: list[float], color: str | None
) -> None:
    """A cream chip in warm light is called orange by a reader that knows no cream (film 2588); between orange and red it may decide."""
    calls: dict[int, tuple[str | None, float]] = {0: ("orange", 0.0), 1: (None, 0.0), 2: ("red", 0.0)}
    (said,) = house(calls | {5: ("orange", 0.0)}, {5: shares}, "orange", "cream", "red")(crop(5)[None])
    assert said.color == color
    assert said.likeliest == "orange"


def test_stacks_of_a_house_with_other_colours_stay_open() -> None:
    readings = [StackReading(1, ("red",), 0.99), StackReading(3, ("red",) * 3, 0.99), StackReading(None, None, 0.4)]
    said = SingleChips(cast(Any, lambda _strips, _sides: readings))([], [])
    assert [one.count for one in said] == [1, None, None]
    assert said[1].colors is None


def test_wrong_crops_and_files_are_refused(matcher: ChipMatcher, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected uint8 crops"):
        matcher.points(np.zeros((1, 30, 32, 3), np.uint8))
    with pytest.raises(ModelError, match=r"models\.train\.chip_matcher"):
        ChipMatcher(tmp_path / "nowhere.onnx")
    with pytest.raises(ModelError, match="not a chip matcher"):
        ChipMatcher(Path("models/weights/chips.onnx").resolve())
