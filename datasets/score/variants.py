"""How steady `pitwatch see` is: `python -m datasets.score.variants --photographs DIR [--only NAME...]`.

The ray-traced tables (`DIR/photoreal`) as they are and in twelve other ways that a camera, its settings or a recorder might have given them: darker,
sharper, half as many bytes, the camera the other way up. Nothing on the table changes, so nothing that is told should.
Scored by the code of `make eval`; the tilt told is compared with the truth's.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from datasets.score.printing import WIDTH
from datasets.score.stills import Looking, See, StillScore, score_ray_traced, seeing

U8 = npt.NDArray[np.uint8]
Change = Callable[[U8], npt.ArrayLike]
QUALITY = 93
"""JPEG quality at which variants are written."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What is done to a picture, and where (3, 3) its pixels go by it."""

    change: Change
    moved: Callable[[int, int], npt.NDArray[np.float64]] = lambda width, height: np.eye(3)


def _noisy(image: npt.ArrayLike, sigma: float) -> npt.ArrayLike:
    levels = np.asarray(image, np.float64)
    return levels + np.random.default_rng(1).normal(0, sigma, levels.shape)


def _graded(image: U8, gamma: float) -> npt.NDArray[np.float64]:
    return np.asarray(255 * (image / 255.0) ** gamma, np.float64)


def _dark_corners(image: U8) -> npt.ArrayLike:
    height, width = image.shape[:2]
    y, x = np.mgrid[:height, :width]
    away = (x / width - 0.5) ** 2 + (y / height - 0.5) ** 2
    return np.asarray(image * (1 - 0.9 * away)[..., None])


def _recoded(image: U8, quality: int) -> npt.ArrayLike:
    coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def _sharpened(image: U8) -> npt.ArrayLike:
    return 2.2 * image.astype(np.float64) - 1.2 * cv2.GaussianBlur(image, (0, 0), 1.2)


def _resized(factor: float) -> Variant:
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    shift = (factor - 1) / 2
    matrix = np.array([[factor, 0, shift], [0, factor, shift], [0, 0, 1.0]])
    return Variant(lambda im: cv2.resize(im, None, fx=factor, fy=factor, interpolation=way), lambda w, h: matrix)


VARIANTS: Mapping[str, Variant] = {
    "as it is": Variant(lambda im: im),
    "saved once more": Variant(lambda im: im),
    "the other way up": Variant(
        lambda im: im[::-1, ::-1], lambda w, h: np.array([[-1.0, 0, w - 1], [0, -1.0, h - 1], [0, 0, 1]])
    ),
    "dark": Variant(lambda im: _noisy(_graded(im, 1.9), 4)),
    "bright": Variant(lambda im: _graded(im, 0.55)),
    "warm": Variant(lambda im: im * np.array([0.72, 1, 1.15])),
    "cold": Variant(lambda im: im * np.array([1.2, 1, 0.8])),
    "noise": Variant(lambda im: _noisy(im, 11)),
    "blurred": Variant(lambda im: _noisy(cv2.GaussianBlur(im, (0, 0), 1.1), 2)),
    "sharpened": Variant(_sharpened),
    "few bytes": Variant(lambda im: _recoded(im, 32)),
    "dark corners": Variant(_dark_corners),
    "smaller": _resized(0.8),
    "larger": _resized(1.3),
}
"""By name; all but the first are written as JPEG once more."""


def write_variant(name: str, folder: Path, out: Path) -> None:
    """Ray-traced tables (`NN.jpg`, `NN.json`) of a folder, changed, with the truth that goes with them.

    Raises FileNotFoundError where there are none, KeyError for a name that is not in `VARIANTS`.
    """
    variant = VARIANTS[name]
    paths = sorted(path for path in folder.glob("*.json") if path.with_suffix(".jpg").is_file())
    if not paths:
        raise FileNotFoundError(
            f"{folder}: no ray-traced tables (NN.jpg with NN.json) are there; name the folder that holds photoreal/"
        )
    out.mkdir(parents=True, exist_ok=True)
    for path in paths:
        image = np.asarray(cv2.imread(str(path.with_suffix(".jpg"))), np.uint8)
        changed = np.clip(np.asarray(variant.change(image), np.float64), 0, 255).astype(np.uint8)
        moved = variant.moved(image.shape[1], image.shape[0])
        (out / path.name).write_text(json.dumps(_moved(json.loads(path.read_text()), moved)))
        kept = out / path.with_suffix(".jpg").name
        if name == next(iter(VARIANTS)):
            kept.write_bytes(path.with_suffix(".jpg").read_bytes())
        else:
            cv2.imwrite(str(kept), changed, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


def _moved(truth: dict[str, Any], matrix: npt.NDArray[np.float64]) -> dict[str, Any]:
    """The truth with all that is scored in pixels where the matrix puts it."""

    def put(points: npt.ArrayLike) -> Any:
        flat = np.asarray(points, np.float64)
        return (flat @ matrix[:2, :2].T + matrix[:2, 2]).tolist()

    out = copy.deepcopy(truth)
    for card in out["cards"]:
        card["corners_px"] = put(card["corners_px"])
    for group in out["chip_groups"]:
        for key in ("top_center_px", "base_center_px"):
            group[key] = put(group[key])
    for item in out["ignore"]:
        item["polygon_px"] = put(item["polygon_px"])
    out["px_per_mm_table_centre"] *= abs(float(matrix[0, 0]))
    return out


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What one variant gave: its score, and by how many degrees the tilt told is off, picture by picture."""

    name: str
    score: StillScore
    tilt_off_deg: tuple[float, ...]


def score_variant(name: str, folder: Path, see: See) -> Steadiness:
    """Write a variant, look at it and score it; raises as `write_variant` does."""
    told: list[float] = []

    def looked(image: U8) -> dict[str, Any]:
        answer = see(image)
        told.append(float(answer["tilt_deg"] or 0.0))
        return answer

    with tempfile.TemporaryDirectory() as kept:
        out = Path(kept)
        write_variant(name, folder, out)
        score = score_ray_traced(out, Looking(looked))
        truths = [json.loads(path.read_text())["camera"]["tilt_deg"] for path in sorted(out.glob("*.json"))]
    return Steadiness(name, score, tuple(abs(said - true) for said, true in zip(told, truths, strict=True)))


COLUMNS = {
    "cards, half in sight": "cards found, visible at least half",
    "a fifth to a half": "cards found, visible 0.2 to 0.5",
    "of told there": "cards, precision",
    "named right": "cards right of answered",
    "single": "chip amounts right of answered, single",
    "spread": "chip amounts right of answered, spread",
    "stack": "chip amounts right of answered, stack",
    "groups there": "chip groups, precision",
}


def print_row(table: Table, found: Steadiness) -> None:
    """One variant as a row: hits of sample; of amounts, right of answered."""
    cells = []
    for measure in COLUMNS.values():
        share = found.score.shares.get(measure)
        cells.append(f"{share.hits} of {share.total}" if share is not None else "-")
    off = f"{np.mean(found.tilt_off_deg):.1f}, {max(found.tilt_off_deg):.1f}"
    table.add_row(found.name, off, *cells)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each variant; exit status 1 where there is nothing to look at."""
    parser = argparse.ArgumentParser(prog="python -m datasets.score.variants", description=__doc__)
    parser.add_argument("--photographs", type=Path, required=True, help="folder that holds photoreal/")
    parser.add_argument("--only", nargs="*", choices=list(VARIANTS), default=list(VARIANTS), metavar="NAME")
    given = parser.parse_args(arguments)
    see = seeing()
    console = Console(width=WIDTH)
    table = Table("variant", "tilt off: mean, most", *COLUMNS, title="ray-traced tables in other ways")
    for name in given.only:
        try:
            found = score_variant(name, given.photographs / "photoreal", see)
        except FileNotFoundError as error:
            console.print(str(error))
            return 1
        print_row(table, found)
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
