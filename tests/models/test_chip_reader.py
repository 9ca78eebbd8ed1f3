"""The committed chip reader names chips of sets it never saw, and says nothing where there is none."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.crops.chips import batch
from models.chip_reader import COLOR_NAMES, NONE, OTHER, ChipReader
from models.errors import ModelError


@pytest.fixture(scope="module")
def reader() -> ChipReader:
    return ChipReader()


def test_chips_of_unseen_sets_are_named_right_or_left_open(reader: ChipReader) -> None:
    images, labels = (
        np.concatenate(parts) for parts in zip(*(batch(90017, first, 150) for first in (0, 150, 300)), strict=True)
    )
    readings = reader(images)
    chips = [(r.color, COLOR_NAMES[k]) for r, k in zip(readings, labels, strict=True) if k < OTHER]
    answered = [(said, true) for said, true in chips if said is not None]
    assert len(answered) >= 0.65 * len(chips)
    assert sum(said != true for said, true in answered) <= max(1, 0.01 * len(answered))
    odd = [r.color for r, k in zip(readings, labels, strict=True) if k == OTHER]
    assert len(odd) > 10
    assert sum(color is not None for color in odd) <= 0.1 * len(odd)
    ghosts = [r for r, k in zip(readings, labels, strict=True) if k == NONE and r.color is not None]
    assert len(ghosts) <= 0.02 * len(labels)


def test_the_same_crops_give_the_same_answers_alone_and_together(reader: ChipReader) -> None:
    images = np.random.default_rng(3).integers(0, 256, (12, 32, 32, 3), np.uint8)
    images = np.stack([cv2.GaussianBlur(image, (0, 0), 6) for image in images])
    together = reader(images)
    alone = [reader(images[i : i + 1])[0] for i in range(len(images))]
    assert [r.color for r in together] == [r.color for r in alone]
    assert np.allclose([r.confidence for r in together], [r.confidence for r in alone], atol=1e-5)
    assert reader([]) == []


def test_wrong_crops_and_files_are_refused(reader: ChipReader, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected uint8 crops"):
        reader(np.zeros((1, 30, 32, 3), np.uint8))
    with pytest.raises(ModelError, match=r"models\.train\.chips"):
        ChipReader(tmp_path / "nowhere.onnx")
    (tmp_path / "broken.onnx").write_bytes(b"no")
    with pytest.raises(ModelError, match="cannot be loaded"):
        ChipReader(tmp_path / "broken.onnx")
    with pytest.raises(ModelError, match="not a chip reader"):
        ChipReader(Path("models/weights/reader.onnx").resolve())
