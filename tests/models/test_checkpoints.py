"""What keeps a training going: a network followed slowly, a checkpoint to go on from."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from models.train.by_clock import ByClock  # noqa: E402
from models.train.checkpoints import CHECKPOINT, follow, restore, save  # noqa: E402
from models.train.rings import Ring  # noqa: E402


def test_training_goes_on_where_it_was_kept(tmp_path: Path) -> None:
    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    slow = copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    for _ in range(3):
        net(torch.randn(8, 2)).square().sum().backward()
        optimizer.step()
    follow(slow, net, 0.75)
    save(tmp_path, net, slow, optimizer, 3, 4.5)

    other = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    other_slow = copy.deepcopy(other)
    other_optimizer = torch.optim.AdamW(other.parameters(), lr=0.1)
    assert restore(tmp_path, other, other_slow, other_optimizer) == (3, 4.5)
    assert [p.name for p in tmp_path.iterdir()] == [CHECKPOINT]
    for mine, theirs in ((net, other), (slow, other_slow)):
        for key, value in mine.state_dict().items():
            assert torch.equal(value, theirs.state_dict()[key]), key
    assert other_optimizer.state_dict()["state"].keys() == optimizer.state_dict()["state"].keys()


def test_the_slow_network_comes_nearer_by_its_share() -> None:
    slow, net = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    torch.nn.init.constant_(slow.weight, 0.0)
    torch.nn.init.constant_(net.weight, 4.0)
    follow(slow, net, 0.75)
    assert slow.weight.item() == pytest.approx(1.0)
    assert net.weight.item() == pytest.approx(4.0)


def test_a_ring_holds_the_latest_samples() -> None:
    ring = Ring(5, "cpu")
    for first in (0, 3, 6):
        numbers = torch.arange(first, first + 3)
        ring.add({"counts": numbers, "images": numbers[:, None].repeat(1, 2)})
    assert ring.filled == 5
    drawn = ring.at(torch.arange(5))
    assert set(drawn["counts"].tolist()) == {4, 5, 6, 7, 8}
    assert torch.equal(drawn["images"][:, 1], drawn["counts"])


def test_a_training_by_the_clock_learns_is_kept_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told by a clock that goes on a second whenever it is asked, twice a step."""
    torch.manual_seed(7)
    kept: list[float] = []
    seconds = itertools.count()
    monkeypatch.setattr("models.train.by_clock.time.monotonic", lambda: float(next(seconds)))

    def learned(minutes: float, *, resume: bool) -> tuple[int, int]:
        """Steps when the training began, and when it ended."""
        run = ByClock(
            torch.nn.Linear(1, 1, bias=False), tmp_path, minutes=minutes, rate=0.05, warmup=5, last_share=0.01,
            resume=resume, kept=lambda slow: kept.append(slow.weight.item()),
        )  # fmt: skip
        first = run.step
        for _ in run.steps():
            x = torch.randn(16, 1)
            run.learn((run.net(x) - 2 * x).square().mean())
        return first, run.step

    assert learned(5, resume=False) == (0, 149)
    assert len(kept) == 3, "after two minutes, four, and in the end"
    assert learned(5, resume=True) == (149, 149), "its time is over"
    assert learned(6, resume=True) == (149, 179)
    assert kept[-1] == pytest.approx(2.0, abs=0.1)
    assert [p.name for p in tmp_path.iterdir()] == [CHECKPOINT]
