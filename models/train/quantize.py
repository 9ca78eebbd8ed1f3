"""Makes an int8 form of a network: `python -m models.train.quantize --weights ONNX --pictures FOLDER_OR_NPZ --out ONNX [--dynamic]`.

Static quantisation (QDQ, 8-bit weights for each channel and 8-bit activations, ranges from the pictures) by ONNX Runtime; `--dynamic`
takes the ranges of each call instead. What stands with the weights (temperature, threshold) is kept. Whether the form is as good is
measured by the same commands as for any weights (`models.train.detector --evaluate`, `datasets.crops.reader_score --weights`), its
speed by `datasets.score.bench_networks`. Needs the extra `train`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.errors import ModelError

F32 = npt.NDArray[np.float32]
DETECTOR_INPUT = "images"
"""Name of the detector's input; classifiers take BGR 0..255, the detector RGB 0..1."""


def blobs(pictures: Path, count: int, input_name: str) -> Iterator[F32]:
    """Inputs (1, 3, h, w) of the network, evenly spaced among the pictures of a folder (`*.jpg`) or an npz (`images`).

    Raises:
        ModelError: there are none.
    """
    if pictures.is_dir():
        files = sorted(pictures.glob("*.jpg"))
        found: list[Any] = [files[i * len(files) // count] for i in range(min(count, len(files)))] if files else []
        images: Iterator[Any] = (cv2.imread(str(file)) for file in found)
        empty = not files
    else:
        kept = np.load(pictures)["images"]
        step = max(1, len(kept) // count)
        images, empty = iter(kept[::step][:count]), len(kept) == 0
    if empty:
        raise ModelError(
            f"{pictures}: no pictures to take the ranges from; name a folder of .jpg or an .npz with images"
        )
    for image in images:
        blob = np.ascontiguousarray(np.asarray(image, np.uint8)[None].transpose(0, 3, 1, 2), np.float32)
        yield np.ascontiguousarray(blob[:, ::-1]) / np.float32(255) if input_name == DETECTOR_INPUT else blob


def quantized(weights: Path, pictures: Path, out: Path, *, count: int, dynamic: bool, skip: tuple[str, ...]) -> None:
    """Write the int8 form.

    Args:
        weights: the float32 network.
        pictures: see `blobs`.
        out: file to write.
        count: pictures the ranges are taken from.
        dynamic: no ranges are kept.
        skip: nodes whose name begins so stay in float32.
    """
    import onnx
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_dynamic,
        quantize_static,
    )
    from onnxruntime.quantization.shape_inference import quant_pre_process

    model = onnx.load(str(weights))
    name = model.graph.input[0].name
    meta = {entry.key: entry.value for entry in model.metadata_props}
    left = [node.name for node in model.graph.node if any(node.name.startswith(start) for start in skip)]

    class Pictures(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._blobs = blobs(pictures, count, name)

        def get_next(self) -> dict[str, F32] | None:
            blob = next(self._blobs, None)
            return None if blob is None else {name: blob}

    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.onnx"
        quant_pre_process(str(weights), str(ready), skip_symbolic_shape=True)
        if dynamic:
            quantize_dynamic(str(ready), str(out), weight_type=QuantType.QInt8, nodes_to_exclude=left)
        else:
            quantize_static(
                str(ready), str(out), Pictures(), quant_format=QuantFormat.QDQ, per_channel=True,
                activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, nodes_to_exclude=left,
            )  # fmt: skip
    made = onnx.load(str(out))
    onnx.helper.set_model_props(made, meta)
    onnx.save(made, str(out))


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, required=True, help="folder of .jpg, or .npz with images")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="pictures the ranges are taken from")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--skip", nargs="*", default=[], help="nodes whose name begins so stay in float32")
    a = parser.parse_args()
    quantized(a.weights, a.pictures, a.out, count=a.count, dynamic=a.dynamic, skip=tuple(a.skip))
    sys.stdout.write(f"{a.out}: {a.out.stat().st_size:,} bytes, was {a.weights.stat().st_size:,}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
