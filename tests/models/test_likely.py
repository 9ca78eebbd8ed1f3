"""A detector that works out boxes and angles only where it sees something tells what one that works them out everywhere does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from datasets.crops.detector import crop
from datasets.crops.detector_scenes import Stock
from models.chip_reader import WEIGHTS as CHIPS
from models.detector import WEIGHTS, Detector
from models.errors import ModelError
from models.train.likely import LEAST_CONFIDENCE, everywhere, likely_only


@pytest.fixture(scope="module")
def onnx() -> Any:
    return pytest.importorskip("onnx", reason="needs the train extra")


@pytest.fixture(scope="module")
def dense(onnx: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped detector as it was before."""
    path = tmp_path_factory.mktemp("dense") / "dense.onnx"
    everywhere(WEIGHTS, path)
    return path


def pictures() -> list[np.ndarray]:
    """Crops of tables, parts of them of odd sizes, noise and bare grey."""
    rng = np.random.default_rng(38)
    stock = Stock(rng, "val", decks=1, faces=3, hands=1)
    crops = [crop(rng, stock)[0] for _ in range(8)]
    parts = [whole[: int(rng.integers(40, 320)), int(rng.integers(0, 200)) :] for whole in crops]
    noise = [rng.integers(0, 255, (70, 130, 3)).astype(np.uint8), np.full((64, 97, 3), 90, np.uint8)]
    return [*crops, *(np.ascontiguousarray(part) for part in parts), *noise]


def decoded(path: Path, side: int) -> int:
    """At how many places of a bare grey picture something is decoded."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    blob = np.full((1, 3, side, side), 0.4, np.float32)
    return int(session.run(None, {session.get_inputs()[0].name: blob})[0].shape[2])


def test_of_bare_felt_hardly_a_place_is_decoded() -> None:
    assert decoded(WEIGHTS, 320) < 50, "of 2,100"


def test_what_it_does_not_work_out_cannot_be_asked_for() -> None:
    detector = Detector()
    picture = np.full((64, 64, 3), 90, np.uint8)
    detector(picture, LEAST_CONFIDENCE)
    with pytest.raises(ValueError, match=r"0\.02 is the least this network tells, got 0\.01"):
        detector(picture, 0.01)


def test_it_tells_the_same_to_the_bit(dense: Path) -> None:
    likely, every = Detector(), Detector(dense)
    told = 0
    for picture in pictures():
        one, other = likely(picture, LEAST_CONFIDENCE), every(picture, LEAST_CONFIDENCE)
        assert np.array_equal(one.corners_px, other.corners_px)
        assert np.array_equal(one.confidence, other.confidence)
        assert np.array_equal(one.class_id, other.class_id)
        told += len(one)
    assert told > 50
    assert len(every(picture, 0.001)) >= len(one), "the other may be asked for less"


def test_made_so_undone_and_made_so_again_it_is_the_same(dense: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.onnx"
    likely_only(dense, again)
    assert decoded(dense, 320) == 2100
    assert decoded(again, 320) == decoded(WEIGHTS, 320)
    picture = pictures()[0]
    assert np.array_equal(Detector(again)(picture, 0.05).corners_px, Detector()(picture, 0.05).corners_px)


def test_other_networks_are_refused(onnx: Any, dense: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"detector\.onnx works out likely places only already"):
        likely_only(WEIGHTS, tmp_path / "out.onnx")
    with pytest.raises(ModelError, match=r"dense\.onnx works out every place already"):
        everywhere(dense, tmp_path / "out.onnx")
    with pytest.raises(ModelError, match="it is no detector"):
        likely_only(CHIPS, tmp_path / "out.onnx")
    assert not (tmp_path / "out.onnx").exists()
