"""Training in passes: every sample is seen, none at all is said, and a run that was cut off goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from models.train.command import Training
from models.train.passes import in_passes


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs the train extra")


def trained(torch: Any, out: Path, *, count: int, size: int, epochs: int, resume: bool = False) -> tuple[Any, set[int]]:
    """A line fitted to samples, and the samples that were seen."""
    torch.manual_seed(7)
    network, seen = torch.nn.Linear(1, 1), set[int]()
    x = torch.linspace(0, 1, count)[:, None]

    def loss_of(at: npt.NDArray[np.int64], _: np.random.Generator) -> Any:
        seen.update(at.tolist())
        return (network(x[at]) - (3 * x[at] + 1)).square().mean()

    out.mkdir(exist_ok=True)
    in_passes(network, Training((), (), out, epochs, seed=1, resume=resume), count, size, loss_of)
    return network, seen


@pytest.mark.parametrize(("count", "size"), [(3, 8), (8, 8), (24, 8)])
def test_every_sample_is_seen_fewer_than_a_batch_too(torch: Any, tmp_path: Path, count: int, size: int) -> None:
    _, seen = trained(torch, tmp_path, count=count, size=size, epochs=2)
    assert seen == set(range(count))


def test_no_sample_is_an_error_that_says_what_to_do(torch: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no samples to train on; draw some"):
        trained(torch, tmp_path, count=0, size=8, epochs=2)


def test_a_run_taken_up_again_has_the_passes_left_only(torch: Any, tmp_path: Path, capsys: Any) -> None:
    trained(torch, tmp_path / "a", count=16, size=8, epochs=2)
    trained(torch, tmp_path / "a", count=16, size=8, epochs=3, resume=True)
    passes = [line.split(" after")[0] for line in capsys.readouterr().out.splitlines()]
    assert passes == ["pass 1", "pass 2", "pass 3"]
