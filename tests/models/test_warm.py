"""Networks taken up again from their ONNX files say what the files say."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from models.chip_reader import WEIGHTS as CHIPS
from models.chip_reader import ChipReader
from models.stack_reader import WEIGHTS as STACKS
from models.stack_reader import StackReader, strip_input


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs the train extra")


def taken_up(torch: Any, name: str, weights: Any, inputs: Any) -> Any:
    pytest.importorskip("onnx", reason="needs the train extra")
    from models.train.warm import take_up

    torch.manual_seed(1)
    network = importlib.import_module(f"models.train.{name}").build()
    take_up(network, weights, torch.from_numpy(inputs))
    with torch.no_grad():
        return network(torch.from_numpy(inputs)).numpy()


def test_the_chip_reader(torch: Any) -> None:
    crops = np.random.default_rng(1).integers(0, 255, (8, 32, 32, 3)).astype(np.uint8)
    inputs = crops.transpose(0, 3, 1, 2).astype(np.float32)
    session = ChipReader()._session
    (said,) = session.run(None, {session.get_inputs()[0].name: inputs})
    assert np.allclose(taken_up(torch, "chips", CHIPS, inputs), said, atol=2e-3)


def test_the_stack_reader(torch: Any) -> None:
    strips = np.random.default_rng(2).integers(0, 255, (8, 72, 24, 6)).astype(np.uint8)
    inputs = strip_input(strips, np.full(8, 3.0, np.float32))
    session = StackReader()._session
    (said,) = session.run(None, {session.get_inputs()[0].name: inputs})
    assert np.allclose(taken_up(torch, "stacks", STACKS, inputs), said, atol=5e-3)


def test_weights_of_another_network_are_refused(torch: Any) -> None:
    crops = np.zeros((4, 3, 32, 32), np.float32)
    with pytest.raises(ValueError, match=r"stacks\.onnx|convolution"):
        taken_up(torch, "chips", STACKS, crops)


def test_strips_are_given_to_the_network_in_training_as_they_are_read(torch: Any) -> None:
    from models.train.stacks import planes, tensors

    random = np.random.default_rng(3)
    strips = random.integers(0, 255, (8, 72, 24, 6)).astype(np.uint8)
    side_px = random.uniform(0.5, 12.0, 8).astype(np.float32)
    given = planes(tensors({"images": strips, "side_px": side_px}, "cpu"))
    assert np.allclose(given.numpy(), strip_input(strips, side_px), atol=1e-3)
