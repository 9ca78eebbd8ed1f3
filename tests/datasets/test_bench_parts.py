"""Parts of the bench measure what they say; no time is asserted."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from datasets.score import bench_full_frames, bench_review
from datasets.score.bench_drawing import measured
from datasets.score.bench_networks import measured as measured_networks
from datasets.score.bench_networks import timed
from models.detector import WEIGHTS as DETECTOR
from models.errors import ModelError
from models.reader import WEIGHTS as READER
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


def test_every_network_is_measured_on_what_it_takes() -> None:
    found = measured_networks((DETECTOR, DETECTOR), (READER,), count=1)
    assert [one.what.split(",")[0] for one in found] == ["detector"] * 4 + ["card reader"] * 2
    assert all(0 < one.least_ms <= one.median_ms <= one.most_ms for one in found)
    assert [one.ratio for one in found if one.what.startswith("card")] == [1.0, 1.0]


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


def test_processor_time_is_that_of_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; t = time.process_time()\nwhile time.process_time() < t + 0.3: pass"]
    took = bench_review.took(command)
    assert 0.3 <= took.cpu_s < 5.0
    assert took.wall_s >= 0.3


def test_a_review_is_told_beside_decoding_and_whole_frames_for_the_film() -> None:
    turns = [bench_review.Took(wall_s, 2 * wall_s) for wall_s in (4.0, 5.0, 60.0)]
    found = bench_review.Beside(100.0, 3000, tuple(turns), tuple(turns[::-1]), None, 2, 0.5)
    rows = bench_review.table(found)
    cells = [list(column.cells) for column in rows.columns]
    assert cells[0] == ["plain decoding", "pitwatch review", "ultralytics, whole frames", "goal of a review"]
    assert cells[2][:2] == ["20.00", "20.00"]
    assert "pip install" in str(cells[1][2])


def test_whole_frames_are_skipped_where_ultralytics_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_full_frames, "find_spec", lambda name: None)
    assert bench_full_frames.main([str(tmp_path / "none.mp4")]) == bench_full_frames.MISSING
    assert "[train]" in capsys.readouterr().err
    stub = tmp_path / "python"
    stub.write_text(f"#!/bin/sh\nexit {bench_full_frames.MISSING}\n")
    stub.chmod(0o755)
    assert bench_review.full_frames(tmp_path / "none.mp4", 4, 100, str(stub)) is None


def test_whole_frames_of_a_part_stand_for_the_film(tmp_path: Path) -> None:
    stub = tmp_path / "python"
    stub.write_text('#!/bin/sh\necho loading\necho \'{"frames": 4, "wall_s": 2.0, "cpu_s": 3.0}\'\n')
    stub.chmod(0o755)
    assert bench_review.full_frames(tmp_path / "none.mp4", 4, 100, str(stub)) == bench_review.Took(50.0, 75.0)
