"""Trains the stack reader: `python -m models.train.stacks --data FILE.npz --val FILE.npz --out DIR [--epochs N] [--seed N]`.

Needs the `train` extra (torch, onnx). The strips come from `python -m datasets.crops.stacks`. Half of the validation strips
calibrate temperature and threshold, the other half is scored. A checkpoint is written after every pass; `--resume` goes
on from it, `--score FILE.onnx` only measures.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from models.chip_reader import COLOR_NAMES
from models.stack_reader import (
    BASE,
    BELOW_ROWS,
    CHIP_ROWS,
    COLORS,
    LEAST_AGREEMENT,
    MOST_CHIPS,
    OTHER,
    OUTPUTS,
    SINGLE_SIDE_PX,
    STRIP_SHAPE,
    TOP,
    UNKNOWN,
    StackReader,
    judged,
    threshold_name,
)
from models.train import command
from models.train.command import Training
from models.train.passes import in_passes
from models.train.precision import autocast
from models.train.warm import take_up

Strips = Mapping[str, npt.NDArray[Any]]
GOAL_WRONG, GOAL_WRONG_PICTURES = 0.005, 0.025
"""Shares of wrong among answered that the thresholds aim at, on the calibration half: of tables, where a wrong amount accuses somebody,
and of single pictures."""
BATCH = 64
"""Strips a step unless told otherwise."""
MOST_SHIFT_ROWS = 3
"""Strips are shifted by up to this in training, on top of the scatter they were cut with."""
SIDES_PX = (1.0, 1.5, 2.0, 3.0, 5.0, 99.0)
"""Bounds of the groups, by pixels that one chip shows of its side, in which scores are given."""
LEAST_THRESHOLD = 0.8
"""No threshold is lower than this, whatever the strips say."""
SPREAD_SHARE = 0.2
"""How often a thing that must be left unknown counts in the threshold of one chip: in the strips one comes on four single chips."""


def build() -> Any:
    """The network: (n, 7, 72, 24) float 0..255 to votes (n, 72, OUTPUTS).

    What one column shows of a chip's edge, its colour or a spot of another, is told alike in every column; what the columns say
    together (on average, at most, in the middle) goes on along the rows, where what all rows show on average weighs each channel
    (squeeze and excitation, J. Hu et al., CVPR 2018): a colour is told beside the strip's other colours and its light.
    """
    import torch
    from torch import nn
    from torch.nn import functional as fn

    from models.train.reader import Block, Scale

    def seen(inputs: int, outputs: int, step: int = 1) -> Any:
        convolution = nn.Conv2d(inputs, outputs, 3, stride=(1, step), padding=1, bias=False)
        return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))

    class Together(nn.Module):  # type: ignore[misc,unused-ignore]
        def forward(self, x: Any) -> Any:
            half = x.shape[3] // 2
            return torch.cat([x.mean(3), x.amax(3), x[..., half - 1 : half + 1].mean(3)], 1)

    class Weighed(nn.Module):  # type: ignore[misc,unused-ignore]
        def __init__(self, n: int, apart: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv1d(n, n, 3, padding=apart, dilation=apart, bias=False), nn.BatchNorm1d(n), nn.ReLU(inplace=True),
                nn.Conv1d(n, n, 3, padding=1, bias=False), nn.BatchNorm1d(n),
            )  # fmt: skip
            self.gate = nn.Sequential(nn.Conv1d(n, n // 4, 1), nn.ReLU(inplace=True), nn.Conv1d(n // 4, n, 1))

        def forward(self, x: Any) -> Any:
            told = self.body(x)
            return fn.relu(x + told * self.gate(told.mean(2, keepdim=True)).sigmoid())

    class Last(nn.Module):  # type: ignore[misc,unused-ignore]
        def forward(self, x: Any) -> Any:
            return x.permute(0, 2, 1)

    n = 160
    return nn.Sequential(
        Scale(), seen(7, 48, 2), Block(48), seen(48, 96, 2), Block(96),
        Together(), nn.Conv1d(3 * 96, n, 1, bias=False), nn.BatchNorm1d(n), nn.ReLU(inplace=True),
        Weighed(n, 1), Weighed(n, 2), Weighed(n, 4), Weighed(n, 8), Weighed(n, 1), Weighed(n, 4), Weighed(n, 2),
        nn.Dropout(0.05), nn.Conv1d(n, OUTPUTS, 1), Last(),
    )  # fmt: skip


def load(*paths: Path) -> Strips:
    """Strips and their truth. Raises SystemExit where a file is not there."""
    parts = []
    for path in paths:
        if not path.is_file():
            raise SystemExit(f"{path}: not there; write it with `python -m datasets.crops.stacks --out {path}`")
        parts.append(dict(np.load(path)))
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def train(run: Training) -> Path:
    """Train in batches of `BATCH` unless told otherwise and write `run.out`/stacks.onnx; returns its path."""
    import torch

    run.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(run.seed)
    torch.set_num_threads(1)
    strips = tensors(load(*run.data), run.device)
    net = build()
    if run.weights is not None:
        take_up(net, run.weights, planes({key: values[:512].cpu() for key, values in strips.items()}))

    def loss_of(at: npt.NDArray[np.int64], _: np.random.Generator) -> Any:
        chosen = torch.from_numpy(at).to(run.device)
        batch = varied({key: values[chosen] for key, values in strips.items()})
        with autocast(run.device):
            votes = net(planes(batch))
        return loss_of_votes(votes.float(), batch)

    in_passes(net, run, len(strips["counts"]), run.batch or BATCH, loss_of)
    return export(net, run.out, run.val)


def export(net: Any, out: Path, val: Sequence[Path]) -> Path:
    """Write a network in evaluation mode as `out`/stacks.onnx, calibrated on half of the validation strips if there are any; returns its path."""
    import torch

    from models.train.reader import write_onnx

    path = out / "stacks.onnx"
    write_onnx(net, path, 1.0, 0.99, example=torch.zeros(2, 7, *STRIP_SHAPE), name="stacks")
    if val:
        calibrate(path, val)
    return path


def tensors(strips: Strips, device: str) -> dict[str, Any]:
    """The strips on a device; images as (n, 6, 72, 24)."""
    import torch

    arrays = dict(strips) | {"images": strips["images"].transpose(0, 3, 1, 2)}
    return {key: torch.from_numpy(np.ascontiguousarray(values)).to(device) for key, values in arrays.items()}


def planes(batch: Mapping[str, Any]) -> Any:
    """As `models.stack_reader.strip_input`, of tensors."""
    import torch

    shown = 255.0 * (batch["side_px"] / 8.0).clamp(0.0, 1.0).sqrt()
    plane = shown[:, None, None, None].expand(-1, 1, *STRIP_SHAPE)
    return torch.cat([batch["images"].float(), plane], dim=1)


def loss_of_votes(votes: Any, batch: Mapping[str, Any]) -> Any:
    """Where the felt is, where the topmost edge is, how many chips follow from both, and each chip's colour."""
    import torch
    from torch.nn import functional as fn

    counts = batch["counts"]
    felt = BELOW_ROWS - 0.5 + CHIP_ROWS * batch["felt"]
    stack = counts > 0
    base, top = fn.log_softmax(votes[..., BASE], dim=1), fn.log_softmax(votes[..., TOP], dim=1)
    edges = -(_at(base, felt[:, None]) + _at(top, (felt + CHIP_ROWS * counts)[:, None]))[stack].mean()
    below, above = base.exp(), top.exp()
    agreement = torch.stack(
        [(below[:, : -CHIP_ROWS * n] * above[:, CHIP_ROWS * n :]).sum(dim=1) for n in range(1, MOST_CHIPS + 1)], dim=1
    )
    shares = agreement / (agreement.sum(dim=1, keepdim=True) + LEAST_AGREEMENT)
    other = votes[..., OTHER].mean(dim=1)
    mine = shares.gather(1, (counts - 1).clamp(min=0)[:, None])[:, 0]
    count = -(mine[stack] + 1e-4).log().mean() + fn.binary_cross_entropy_with_logits(other, (~stack).float())
    places = torch.arange(MOST_CHIPS, device=votes.device)[None]
    middles = felt[:, None] + (places + 0.5) * CHIP_ROWS
    nearest = middles.round().clamp(0, STRIP_SHAPE[0] - 1).long()[..., None].expand(-1, -1, len(COLOR_NAMES))
    inks = votes[..., COLORS:].gather(1, nearest)
    named = fn.cross_entropy(inks.flatten(0, 1), batch["colors"].flatten(), ignore_index=-1)
    return 0.5 * edges + count + named


def _at(values: Any, rows: Any) -> Any:
    """Values (n, 72) between the rows, at (n, m) rows; beyond the ends those of the last row."""
    low = rows.floor().clamp(0, STRIP_SHAPE[0] - 2)
    share = (rows - low).clamp(0, 1)
    first = low.long()
    return values.gather(1, first) * (1 - share) + values.gather(1, first + 1) * share


def varied(batch: Mapping[str, Any]) -> dict[str, Any]:
    """A batch in which each strip may be mirrored, is shifted along its rows, and has its light changed a little."""
    import torch

    images, device = batch["images"], batch["images"].device
    n = len(images)
    shift = torch.randint(-MOST_SHIFT_ROWS, MOST_SHIFT_ROWS + 1, (n,), device=device)
    rows = (torch.arange(STRIP_SHAPE[0], device=device) - shift[:, None]).clamp(0, STRIP_SHAPE[0] - 1)
    images = images.gather(2, rows[:, None, :, None].expand(-1, images.shape[1], -1, STRIP_SHAPE[1]))
    mirrored = torch.rand(n, 1, 1, 1, device=device) < 0.5
    images = torch.where(mirrored, images.flip(3), images)
    tint = (0.05 * torch.randn(n, 3, device=device) + 0.1 * torch.randn(n, 1, device=device)).exp()
    images = (images * tint.repeat(1, 2)[:, :, None, None]).clamp(0, 255).floor()
    return {**batch, "images": images, "felt": batch["felt"] + shift / CHIP_ROWS}


def half(strips: Strips, which: int) -> Strips:
    """Every second scene: strips of one scene stay together."""
    keep = np.arange(len(strips["counts"])) // 60 % 2 == which
    return {key: values[keep] for key, values in strips.items()}


def calibrate(onnx: Path, val: Sequence[Path]) -> None:
    """Store in a model what half of the validation strips tell: temperature of least surprise, and the lowest thresholds at which the goals hold.

    One chip and more of them, seen with little and with more of a side, have thresholds of their own. Where one chip shows enough, a
    chip of a spread whose neighbour was not found counts as rarely as that happens; the strips have many of them, so that they are learned.
    """
    from models.train.reader import tell

    strips = half(load(*val), 0)
    logits = StackReader(onnx).logits(strips["images"], strips["side_px"])

    def surprise(temperature: float) -> float:
        right, sure, said, _ = answers(logits, strips, temperature)
        share = np.clip(np.where(right, sure, 1 - sure)[said], 1e-6, 1.0)
        return float(-np.log(share).mean()) if said.any() else np.inf

    temperature = min((float(t) for t in np.geomspace(0.5, 4.0, 25)), key=surprise)
    right, sure, said, counts = answers(logits, strips, temperature)
    often = np.where(strips["counts"] == UNKNOWN, SPREAD_SHARE, 1.0)
    few = strips["side_px"] < SINGLE_SIDE_PX
    told = {}
    for single, little in itertools.product((False, True), (False, True)):
        group = said & ((counts == 1) == single) & (few == little)
        weight = often if single and not little else np.ones(len(right))
        for name, goal in (("", GOAL_WRONG), ("_pictures", GOAL_WRONG_PICTURES)):
            least = _lowest(sure[group], ~right[group], weight[group], goal)
            told[threshold_name(single=single, little=little) + name] = float(np.clip(least, LEAST_THRESHOLD, 0.9999))
    tell(onnx, temperature=temperature, **told)


def _lowest(
    sure: npt.NDArray[np.float64], wrong: npt.NDArray[np.bool_], often: npt.NDArray[np.float64], goal: float
) -> float:
    """Lowest confidence above which at most the goal's share is wrong, each counted as often as it happens."""
    order = np.argsort(-sure)
    good = np.nonzero(np.cumsum((often * wrong)[order]) <= goal * np.cumsum(often[order]))[0]
    return float(sure[order][good[-1]]) if len(good) else 0.9999


def answers(
    logits: npt.NDArray[np.float32], strips: Strips, temperature: float
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Whether count and colours are right (of one chip: the count), how sure, whether anything would be said, and the count."""
    right, sure, said, counts = [], [], [], []
    for (count, named, share), truth, colors in zip(
        judged(logits, temperature), strips["counts"], strips["colors"], strict=True
    ):
        right.append(count == truth and (count == 1 or named == tuple(colors[:count].tolist())))
        sure.append(share)
        said.append(count != UNKNOWN)
        counts.append(count)
    return np.array(right), np.array(sure), np.array(said), np.array(counts)


def score(onnx: Path, val: Sequence[Path]) -> dict[str, Any]:
    """Answered and right of answered, by side and number of chips, on the scored half of the validation strips."""
    reader = StackReader(onnx)
    strips = half(load(*val), 1)
    logits = reader.logits(strips["images"], strips["side_px"])
    right, sure, said, told = answers(logits, strips, reader.temperature)
    least = [reader.threshold_of(int(n), float(shown)) for n, shown in zip(told, strips["side_px"], strict=True)]
    answered = said & (sure >= np.array(least))
    kinds = {
        "unknown": strips["counts"] == 0,
        "1": strips["counts"] == 1,
        "2": strips["counts"] == 2,
        "3-5": (strips["counts"] >= 3) & (strips["counts"] <= 5),
        "6-10": strips["counts"] >= 6,
    }
    result: dict[str, Any] = {"temperature": round(reader.temperature, 3)}
    for name, count in (("one", 1), ("more", 2)):
        for few, shown in (("little of a side", 0.0), ("more of it", SINGLE_SIDE_PX)):
            result[f"threshold of {name}, {few}"] = round(reader.threshold_of(count, shown), 4)
    for low, high in itertools.pairwise(SIDES_PX):
        here = (strips["side_px"] >= low) & (strips["side_px"] < high)
        result[f"{low}-{high} px"] = {
            name: {
                "strips": int((here & kind).sum()),
                "answered": int((here & kind & answered).sum()),
                "right": int((here & kind & answered & right).sum()),
            }
            for name, kind in kinds.items()
        }
    return result


def main() -> None:
    """Command line."""
    command.run(__doc__, 10, train, calibrate, score)


if __name__ == "__main__":
    main()
