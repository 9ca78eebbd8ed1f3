"""Makes a detector work out boxes and angles only where it sees something: `python -m models.train.likely --weights ONNX --out ONNX [--undo]`.

YOLO11's head tells at each place of three maps of features a class, and in two other branches a box and an angle, some 21% of a call's work
(ADR 42). On a felt nearly all places are empty. Here the branches see only the rectangle of each map that holds its likely places
and two places around, which is what their two 3 x 3 convolutions look at, and only likely places are decoded. What is
told with `LEAST_CONFIDENCE` and more is the same to the bit. `--undo` gives the network as it was, which `models.train.average` can
put together with others. Needs the extra `train`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from models.detector import STORED_LEAST
from models.errors import ModelError

LEAST_CONFIDENCE = 0.02
"""Places less sure of every class than this are not told. The sight asks for 0.05 and more, `models.train.detector --evaluate` for this."""
LEVELS = 3
"""Maps of features, at strides of 8, 16 and 32 px."""
BRANCHES = ("cv2", "cv4")
"""Boxes, and angles, of Ultralytics' OBB head; `cv3` are the classes."""
AROUND = 2
"""Places on each side that two 3 x 3 convolutions look at."""
SLACK = 1e-3
"""By so much less than the least confidence's own logit a place is still worked out, against rounding."""
_OWN = "likely"
"""What the names of added nodes begin with."""


class _Graph:
    """An ONNX graph to which nodes are added, whose names begin alike."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self._added: list[Any] = []

    def constant(self, name: str, value: npt.ArrayLike, dtype: type[np.generic] = np.int64) -> str:
        """Name of a constant, added where there is none of that name."""
        from onnx import numpy_helper

        name = f"{_OWN}/{name}"
        if all(kept.name != name for kept in self.graph.initializer):
            self.graph.initializer.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def add(self, kind: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        """Name of what a new node says."""
        from onnx import helper

        name = f"{_OWN}/{name}"
        self._added.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def node_that_says(self, output: str) -> Any:
        """The node of the network itself that says something. Raises ModelError where there is none."""
        for node in self.graph.node:
            if output in node.output:
                return node
        raise ModelError(f"the network has no {output}: it is no detector as `models.train.detector` exports it")

    def instead(self, was: str, now: str) -> None:
        """Give the network's own nodes `now` for `was`."""
        for node in self.graph.node:
            for place, name in enumerate(node.input):
                if name == was:
                    node.input[place] = now

    def sort(self) -> None:
        """Bring all nodes into an order in which each comes after what it needs."""
        known = {"", *(i.name for i in self.graph.input), *(i.name for i in self.graph.initializer)}
        left, ordered = [*self.graph.node, *self._added], []
        while left:
            ready = [node for node in left if known.issuperset(node.input)]
            if not ready:
                raise ModelError("the nodes of this network wait for one another")
            ordered += ready
            known.update(name for node in ready for name in node.output)
            left = [node for node in left if not known.issuperset(node.output)]
        del self.graph.node[:]
        self.graph.node.extend(ordered)


def likely_only(weights: Path, out: Path) -> None:
    """Write the network so made.

    Args:
        weights: a detector as `models.train.detector` exports it, not yet so made.
        out: file to write.

    Raises:
        ModelError: it is none, or is so made already.
    """
    import onnx

    model = onnx.load(str(weights))
    if any(node.name.startswith(f"{_OWN}/") for node in model.graph.node):
        raise ModelError(f"{weights} works out likely places only already")
    graph = _Graph(model.graph)
    for level in range(LEVELS):
        _cut_branches(graph, level)
    _keep_likely(graph)
    graph.sort()
    model.metadata_props.add(key=STORED_LEAST, value=str(LEAST_CONFIDENCE))
    onnx.checker.check_model(model)
    onnx.save(model, str(out))


def everywhere(weights: Path, out: Path) -> None:
    """Write a network that `likely_only` wrote as it was before.

    Raises:
        ModelError: it was not written so.
    """
    import onnx

    model = onnx.load(str(weights))
    added = {node.output[0]: node for node in model.graph.node if node.name.startswith(f"{_OWN}/")}
    if not added:
        raise ModelError(f"{weights} works out every place already")
    own = [node for node in model.graph.node if node.name not in added]
    for node in own:
        for place, name in enumerate(node.input):
            if name in added:
                node.input[place] = added[name].input[0]
    weights_kept = [kept for kept in model.graph.initializer if not kept.name.startswith(f"{_OWN}/")]
    stored = [entry for entry in model.metadata_props if entry.key != STORED_LEAST]
    for kept, part in (
        (own, model.graph.node),
        (weights_kept, model.graph.initializer),
        (stored, model.metadata_props),
    ):
        del part[:]
        part.extend(kept)
    onnx.checker.check_model(model)
    onnx.save(model, str(out))


def _cut_branches(graph: _Graph, level: int) -> None:
    """Let a level's branches see the rectangle of its likely places, and put what they say back in its place in the map."""
    start = f"/model.23/cv3.{level}/cv3.{level}.2/Conv_output_0"
    graph.node_that_says(start)
    name = str(level)
    best = graph.add("ReduceMax", [start, graph.constant("channels", [1])], f"{name}/best", keepdims=0)
    logit = math.log(LEAST_CONFIDENCE / (1 - LEAST_CONFIDENCE)) - SLACK
    bounds = [
        _bounds(graph, best, f"{name}/{way}", graph.constant(f"but_{way}", axes), logit)
        for way, axes in (("rows", [0, 2]), ("columns", [0, 1]))
    ]
    firsts, ends, after = (
        graph.add("Concat", parts, f"{name}/{what}", axis=0)
        for what, parts in zip(("firsts", "ends", "after"), zip(*bounds, strict=True), strict=True)
    )
    none = graph.constant("none", [0, 0])
    pads = graph.add("Concat", [none, firsts, none, after], f"{name}/pads", axis=0)
    convolutions = [
        graph.node_that_says(f"/model.23/{branch}.{level}/{branch}.{level}.0/conv/Conv_output_0") for branch in BRANCHES
    ]
    cut = graph.add("Slice", [convolutions[0].input[0], firsts, ends, graph.constant("places", [2, 3])], f"{name}/cut")
    for branch, convolution in zip(BRANCHES, convolutions, strict=True):
        convolution.input[0] = cut
        said = f"/model.23/{branch}.{level}/{branch}.{level}.2/Conv_output_0"
        graph.node_that_says(said)
        graph.instead(said, graph.add("Pad", [said, pads], f"{name}/{branch}"))


def _bounds(graph: _Graph, best: str, name: str, others: str, logit: float) -> tuple[str, str, str]:
    """First place along one way, the end, and how many places come after: of likely places and those around, of one alone where none is likely."""
    along = graph.add("ReduceMax", [best, others], name, keepdims=0)
    likely = graph.add("GreaterOrEqual", [along, graph.constant("logit", logit, np.float32)], f"{name}/likely")
    ones = graph.add("Cast", [likely], f"{name}/ones", to=7)  # int64
    first = graph.add("ArgMax", [ones], f"{name}/first", axis=0, keepdims=1)
    last = graph.add("ArgMax", [ones], f"{name}/last_or_end", axis=0, keepdims=1, select_last_index=1)
    some = graph.add("ReduceMax", [ones], f"{name}/some", keepdims=1)
    last = graph.add("Mul", [last, some], f"{name}/last")
    size = graph.add("Shape", [along], f"{name}/size")
    before = graph.add("Sub", [first, graph.constant("around", [AROUND])], f"{name}/before")
    first = graph.add("Max", [before, graph.constant("zero", [0])], f"{name}/from")
    beyond = graph.add("Add", [last, graph.constant("beyond", [AROUND + 1])], f"{name}/beyond")
    end = graph.add("Min", [beyond, size], f"{name}/to")
    return first, end, graph.add("Sub", [size, end], f"{name}/after")


def _keep_likely(graph: _Graph) -> None:
    """Decode likely places only; the very first with them, so that there always is one."""
    scores = "/model.23/Sigmoid_1_output_0"
    best = graph.add("ReduceMax", [scores, graph.constant("but_anchors", [0, 1])], "best", keepdims=0)
    sure = graph.add("GreaterOrEqual", [best, graph.constant("least", LEAST_CONFIDENCE, np.float32)], "sure")
    count = graph.add("Squeeze", [graph.add("Shape", [best], "size")], "count")
    first, one = graph.constant("first", 0), graph.constant("one", 1)
    is_first = graph.add("Equal", [graph.add("Range", [first, count, one], "numbers"), first], "is_first")
    kept = graph.add("NonZero", [graph.add("Or", [sure, is_first], "kept")], "kept_row")
    places = graph.add("Squeeze", [kept, graph.constant("row", [0])], "kept_places")
    boxes, angles = "/model.23/Concat_3_output_0", "/model.23/Concat_11_output_0"
    middles, strides = "/model.23/Unsqueeze_18_output_0", "/model.23/Transpose_1_output_0"
    for said in (scores, boxes, angles, middles, strides):
        graph.node_that_says(said)
        graph.instead(said, graph.add("Gather", [said, places], f"{said}/kept", axis=-1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--undo", action="store_true", help="of a network so made: as it was before")
    given = parser.parse_args(arguments)
    try:
        (everywhere if given.undo else likely_only)(given.weights, given.out)
    except ModelError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
