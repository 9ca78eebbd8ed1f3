"""Opens a classifier's ONNX file and tells clearly what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import onnxruntime

from models.errors import ModelError


def open_session(
    path: Path, what: str, trainer: str, input_name: str, classes: int, threads: int
) -> tuple[onnxruntime.InferenceSession, float, float]:
    """Return the session on the CPU, and the temperature and threshold stored with the weights.

    Args:
        path: the weights.
        what: name of the network for messages, e.g. "card reader".
        trainer: module that makes such weights.
        input_name, classes: what the network must have.
        threads: to run on.

    Raises:
        ModelError: the file is missing, broken or made for something else.
    """
    if not path.is_file():
        raise ModelError(
            f"the {what}'s weights are not at {path}; restore that file, or train it with "
            f"'python -m {trainer} --out DIR'"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        inputs, outputs = session.get_inputs(), session.get_outputs()
        meta: dict[str, str] = session.get_modelmeta().custom_metadata_map
    except Exception as error:
        raise ModelError(
            f"the {what}'s weights at {path} cannot be loaded ({type(error).__name__}); "
            "restore the file that came with the project"
        ) from error
    shape = list(outputs[0].shape)
    if inputs[0].name != input_name or shape[-1:] != [classes] or "threshold" not in meta:
        raise ModelError(
            f"{path} is not a {what} of this version: expected input '{input_name}', {classes} "
            f"classes and a threshold, got input '{inputs[0].name}' and output shape {shape}"
        )
    try:
        return session, float(meta["temperature"]), float(meta["threshold"])
    except (KeyError, ValueError) as error:
        raise ModelError(f"{path}: temperature and threshold are not numbers; restore the file") from error


def told_threshold(session: onnxruntime.InferenceSession, name: str, otherwise: float) -> float:
    """Return another threshold stored with the weights, `otherwise` where there is none."""
    meta: dict[str, str] = session.get_modelmeta().custom_metadata_map
    return float(meta.get(name, otherwise))
