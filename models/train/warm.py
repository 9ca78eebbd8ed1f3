"""Takes a network up again from its ONNX file, in which batch normalisation is folded into the convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def initializers(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """Return an ONNX file's weights by name, in the file's order."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    return {i.name: np.asarray(numpy_helper.to_array(i)) for i in graph.initializer}


def take_up(network: Any, weights: Path, inputs: Any) -> None:
    """Give a network the weights of an ONNX file written by `models.train.reader.write_onnx`, in place.

    Args:
        network: a sequence in which each convolution without a bias is followed by its batch normalisation.
        weights: the file.
        inputs: a batch for the network, typical of its training data.

    Raises:
        ValueError: the weights are not of this network.
    """
    take_up_plain(network, weights)
    take_up_convolutions(network, weights, inputs)


def take_up_plain(network: Any, weights: Path) -> None:
    """Give a network the layers of an ONNX file that no batch normalisation follows, in place. Arguments and errors as of `take_up`."""
    import torch
    from torch import nn

    kept = initializers(weights)
    with torch.no_grad():
        for name, layer in network.named_modules():
            if isinstance(layer, (nn.Conv1d, nn.Conv2d, nn.Linear)) and layer.bias is not None:
                if f"{name}.weight" not in kept or kept[f"{name}.weight"].shape != tuple(layer.weight.shape):
                    raise ValueError(f"{weights} has no weights of {tuple(layer.weight.shape)} for layer {name}")
                layer.weight.copy_(torch.from_numpy(kept[f"{name}.weight"].copy()))
                layer.bias.copy_(torch.from_numpy(kept[f"{name}.bias"].copy()))


def take_up_convolutions(network: Any, weights: Path, inputs: Any) -> None:
    """Give a network the convolutions of an ONNX file, in place; its other layers stay as they are. Arguments and errors as of `take_up`."""
    from torch import nn

    folded = [value for name, value in initializers(weights).items() if "Conv" in name]
    layers = [m for m in network.modules() if isinstance(m, (nn.Conv1d, nn.Conv2d, nn.Linear)) and m.bias is None]
    norms = [m for m in network.modules() if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d))]
    pairs = list(zip(layers, norms, strict=True))
    unfold(network, pairs, list(zip(folded[::2], folded[1::2], strict=True)), inputs)


def unfold(
    network: Any,
    pairs: Sequence[tuple[Any, Any]],
    weights: Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]],
    pictures: Any,
) -> None:
    """Put folded weights into convolutions followed by batch normalisations, in place.

    Each normalisation gets the mean and variance that `pictures` show at its place and the scale and shift that undo
    them, so that the network says what its ONNX file says and can be trained on.

    Args:
        network: in evaluation mode afterwards.
        pairs: (convolution, its batch normalisation) in the order of `weights`.
        weights: (weight, bias) of each.
        pictures: a batch for the network, typical of its training data.

    Raises:
        ValueError: the weights are not of this network.
    """
    import torch

    if len(pairs) != len(weights):
        raise ValueError(f"the network has {len(pairs)} folded convolutions, the file {len(weights)}")

    def measure(norm: Any, inputs: tuple[Any, ...]) -> None:
        x = inputs[0].float()
        across = [0, *range(2, x.ndim)]
        mean, variance = x.mean(dim=across), x.var(dim=across).clamp_min(1e-4)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_((variance + norm.eps).sqrt())
        norm.bias.add_(mean)

    network.eval()
    hooks = []
    with torch.no_grad():
        for (conv, norm), (weight, bias) in zip(pairs, weights, strict=True):
            if tuple(conv.weight.shape) != weight.shape:
                raise ValueError(
                    f"a convolution of {tuple(conv.weight.shape)} has weights of {weight.shape} in the file"
                )
            conv.weight.copy_(torch.from_numpy(weight.copy()))
            norm.bias.copy_(torch.from_numpy(bias.copy()))
            hooks.append(norm.register_forward_pre_hook(measure))
        network(pictures)
    for hook in hooks:
        hook.remove()
