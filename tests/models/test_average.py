"""The mean of networks of one kind, and the refusal of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.chip_reader import WEIGHTS as CHIPS
from models.chip_reader import ChipReader
from models.stack_reader import WEIGHTS as STACKS


@pytest.fixture
def onnx() -> Any:
    return pytest.importorskip("onnx", reason="needs the train extra")


def moved(onnx: Any, by: float, out: Path) -> Path:
    """The chip reader with another bias of its last layer."""
    model = onnx.load(str(CHIPS))
    for kept in model.graph.initializer:
        value = onnx.numpy_helper.to_array(kept)
        if value.shape == (9,):
            kept.CopyFrom(onnx.numpy_helper.from_array((value + np.float32(by)).astype(np.float32), kept.name))
    onnx.save(model, str(out))
    return out


def test_the_mean_of_two_networks_lies_between_them(onnx: Any, tmp_path: Path) -> None:
    from models.train.average import average

    files = [moved(onnx, by, tmp_path / f"{by}.onnx") for by in (0.0, 4.0)]
    average(files, tmp_path / "mean.onnx")
    crops = np.random.default_rng(2).integers(0, 255, (4, 32, 32, 3)).astype(np.uint8)
    low, high, mean = (ChipReader(path).logits(crops) for path in (*files, tmp_path / "mean.onnx"))
    assert np.allclose(mean, (low + high) / 2, atol=1e-4)
    assert not np.allclose(low, high, atol=1.0)
    assert ChipReader(tmp_path / "mean.onnx").threshold == ChipReader().threshold


def test_networks_of_another_kind_are_refused(onnx: Any, tmp_path: Path) -> None:
    from models.train.average import average

    with pytest.raises(ValueError, match=r"stacks\.onnx has other weights than .*chips\.onnx"):
        average([CHIPS, STACKS], tmp_path / "mean.onnx")
    assert not (tmp_path / "mean.onnx").exists()
