"""Averages the weights of networks of one kind: `python -m models.train.average --weights A.onnx B.onnx --out FILE`.

Weights trained on from the same ones lie near enough to one another that their mean is a network too, often better on data that neither was trained
on (P. Izmailov et al., Averaging Weights Leads to Wider Optima, UAI 2018). Calibration stored in a file is kept from the first.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np


def average(weights: Sequence[Path], out: Path) -> None:
    """Write the mean of ONNX files of one graph to `out`; what is not a float is taken from the first.

    Raises ValueError where a file has other weights than the first.
    """
    import onnx
    from onnx import numpy_helper

    from models.train.warm import initializers

    model = onnx.load(str(weights[0]))
    every = [initializers(path) for path in weights]
    for path, other in zip(weights, every, strict=True):
        if {name: value.shape for name, value in other.items()} != {n: v.shape for n, v in every[0].items()}:
            raise ValueError(f"{path} has other weights than {weights[0]}: only networks of one kind can be averaged")
    for kept in model.graph.initializer:
        if every[0][kept.name].dtype == np.float32:
            mean = np.mean([other[kept.name] for other in every], axis=0, dtype=np.float32)
            kept.CopyFrom(numpy_helper.from_array(mean, kept.name))
    onnx.save(model, str(out))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--weights", type=Path, nargs="+", required=True, metavar="ONNX")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    try:
        average(args.weights, args.out)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
