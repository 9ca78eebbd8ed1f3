"""What the stack reader makes of votes, and that its training strips show what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from datasets.crops.stacks import batch
from models.chip_reader import COLOR_NAMES
from models.errors import ModelError
from models.stack_reader import (
    BASE,
    CHIP_ROWS,
    COLORS,
    MOST_CHIPS,
    OTHER,
    OUTPUTS,
    STRIP_SHAPE,
    TOP,
    UNKNOWN,
    StackReader,
    judged,
    strip_input,
)


def votes(felt_row: int, top_row: int, *colors: str, other: float = -12.0) -> np.ndarray:
    """Sure votes for a stack between two rows."""
    out = np.zeros((1, STRIP_SHAPE[0], OUTPUTS), np.float32)
    out[0, felt_row, BASE] = out[0, top_row, TOP] = 16.0
    out[0, :, OTHER] = other
    for k, color in enumerate(colors):
        first = felt_row + CHIP_ROWS * k
        out[0, first : first + CHIP_ROWS, COLORS + COLOR_NAMES.index(color)] = 16.0
    return out


@pytest.mark.parametrize("colors", [("red",), ("green", "red"), ("black",) * 4 + ("white",) * 6], ids=len)
def test_felt_and_upper_edge_so_many_chips_apart_are_so_many_chips(colors: tuple[str, ...]) -> None:
    [(count, named, sure)] = judged(votes(18, 18 + CHIP_ROWS * len(colors), *colors), 1.0)
    assert (count, tuple(COLOR_NAMES[k] for k in named)) == (len(colors), colors)
    assert sure > 0.95


def test_edges_that_fit_no_number_of_chips_are_unknown() -> None:
    for top_row in (18 + CHIP_ROWS + 2, 18, 10, 18 + CHIP_ROWS * (MOST_CHIPS + 1)):
        [(count, _, _)] = judged(votes(18, top_row, "red"), 1.0)
        assert count == UNKNOWN
    [(count, _, _)] = judged(votes(18, 18 + CHIP_ROWS, "red", other=6.0), 1.0)
    assert count == UNKNOWN


def test_a_higher_temperature_is_less_sure() -> None:
    two = votes(18, 26, "red", "red")
    two[0, 30, TOP] = 13.0
    assert judged(two, 1.0)[0][2] > judged(two, 2.0)[0][2] > 0.5


def test_training_strips_show_the_felt_where_they_say() -> None:
    steps = []
    for seed in (90027, 90028, 90029):
        strips: dict[str, Any] = dict(batch(seed=seed, first=0, count=30))
        assert strips["images"].shape == (30, *STRIP_SHAPE, 6)
        assert strip_input(strips["images"], strips["side_px"]).shape == (30, 7, *STRIP_SHAPE)
        assert (strips["side_px"] >= 1.0).all()
        assert ((strips["colors"] >= 0).sum(axis=1) == strips["counts"]).all()
        piles = (strips["counts"] >= 1) & (np.abs(strips["felt"]) < 2)
        felt = np.round(15.5 + CHIP_ROWS * strips["felt"]).astype(int)
        for image, row in zip(strips["images"][piles].astype(float), felt[piles], strict=True):
            change = np.abs(np.diff(image[:, 8:16, :3].mean(axis=1), axis=0)).sum(axis=1)
            steps.append(change[row - 3 : row + 3].max() / change.mean())
    assert np.median(steps) > 1.5, "the picture changes where the felt ends more than elsewhere"


def test_files_that_are_no_stack_reader_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"models\.train\.stacks"):
        StackReader(tmp_path / "nowhere.onnx")
    with pytest.raises(ModelError, match="not a stack reader"):
        StackReader(Path("models/weights/chips.onnx").resolve())
