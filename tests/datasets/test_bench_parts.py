"""Parts of the bench measure what they say; no time is asserted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.score.bench_drawing import measured
from datasets.score.bench_networks import timed
from models.errors import ModelError
from models.train.quantize import blobs


def test_drawing_counts_the_pictures_of_all_turns_but_the_first() -> None:
    turns: list[int] = []

    def draw() -> list[np.ndarray]:
        turns.append(1)
        return [np.full((64, 64, 3), 7, np.uint8)] * 5

    rate = measured("squares", draw, turns=3)
    assert len(turns) == 4
    assert rate.pictures == 15
    assert 0 < rate.slowest <= rate.median <= rate.fastest
    assert rate.jpegs_each > 0


def test_calls_take_turns() -> None:
    said: list[str] = []
    times = timed([lambda: said.append("a"), lambda: said.append("b")], count=2)
    assert "".join(said) == "aabb" + "abab"
    assert [len(kept) for kept in times] == [2, 2]


def test_inputs_are_as_each_network_takes_them(tmp_path: Path) -> None:
    images = np.zeros((10, 8, 6, 3), np.uint8)
    images[:, :, :, 2] = 255
    np.savez(tmp_path / "x.npz", images=images)
    (detector,) = blobs(tmp_path / "x.npz", 1, "images")
    assert detector.shape == (1, 3, 8, 6)
    assert detector[0, :, 0, 0].tolist() == [1.0, 0.0, 0.0]
    reader = list(blobs(tmp_path / "x.npz", 4, "cards"))
    assert len(reader) == 4
    assert reader[0][0, :, 0, 0].tolist() == [0.0, 0.0, 255.0]
    with pytest.raises(ModelError, match="no pictures"):
        next(blobs(tmp_path, 4, "cards"))
