"""How fast the networks are: `python -m datasets.score.bench_networks [--detector ONNX ...] [--reader ONNX ...]`, a part of `make bench`.

Median, least and most processor milliseconds of a call on one thread of ONNX Runtime (what a quiet machine shows by the clock): the detector on crops of 320 and 640 px, decoding and
suppression included, the card reader on one card and on eight. Weights named by the options are measured beside the shipped
ones, taking turns with them, and given as ratios: int8 forms, newly trained weights.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from rich.table import Table

from datasets.crops.detector import crop
from datasets.crops.detector_scenes import Stock
from datasets.score.printing import tell
from models.detector import WEIGHTS as DETECTOR
from models.detector import Detector
from models.reader import READER_SIZE, Reader
from models.reader import WEIGHTS as READER

CALLS = 60
SEED = 11
CROP_PX, TILE_PX, CARDS = 320, 640, 8


@dataclass(frozen=True, slots=True)
class CallTime:
    """Processor milliseconds of a call, and the median against that of the shipped weights."""

    what: str
    weights: str
    calls: int
    median_ms: float
    least_ms: float
    most_ms: float
    ratio: float


def timed(calls: Sequence[Callable[[], object]], count: int = CALLS) -> list[list[float]]:
    """Processor milliseconds of each call, one list for each function; they take turns."""
    for call in calls:
        call()
        call()
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(count):
        for kept, call in zip(times, calls, strict=True):
            start = time.thread_time()
            call()
            kept.append(1000 * (time.thread_time() - start))
    return times


def measured(detectors: Sequence[Path], readers: Sequence[Path], count: int = CALLS) -> list[CallTime]:
    """Every network on every kind of input; the first of each is what the others are compared with."""
    rng = np.random.default_rng((SEED, 1))
    stock = Stock(rng, "val", decks=1, faces=3, hands=1, tables=1)
    small = crop(rng, stock, CROP_PX)[0]
    large = np.asarray(cv2.resize(small, (TILE_PX, TILE_PX), interpolation=cv2.INTER_CUBIC), np.uint8)
    width, height = READER_SIZE
    cards = np.stack([small[16 * i : 16 * i + height, 24 * i : 24 * i + width] for i in range(CARDS)])
    found = [Detector(path, threads=1) for path in detectors]
    read = [Reader(path, threads=1) for path in readers]
    kinds: list[tuple[str, Sequence[Path], list[Callable[[], object]]]] = [
        (f"detector, {CROP_PX} px", detectors, [partial(d, small) for d in found]),
        (f"detector, {TILE_PX} px", detectors, [partial(d, large) for d in found]),
        ("card reader, one card, both ways up", readers, [partial(r, cards[:1]) for r in read]),
        (f"card reader, {CARDS} cards, both ways up", readers, [partial(r, cards) for r in read]),
    ]
    out = []
    for what, paths, calls in kinds:
        times = timed(calls, count)
        first = statistics.median(times[0])
        for path, kept in zip(paths, times, strict=True):
            middle = statistics.median(kept)
            out.append(CallTime(what, path.name, len(kept), middle, min(kept), max(kept), middle / first))
    return out


def tables(
    detectors: Sequence[Path] = (), readers: Sequence[Path] = (), count: int = CALLS
) -> tuple[list[Table], list[dict[str, object]]]:
    """What `make bench` prints, and the same as JSON values; the shipped weights come first."""
    found = measured((DETECTOR, *detectors), (READER, *readers), count)
    table = Table("call", "weights", "calls", "median ms", "least", "most", "ratio", title="networks, one thread")
    for one in found:
        table.add_row(
            one.what, one.weights, str(one.calls), f"{one.median_ms:.1f}", f"{one.least_ms:.1f}", f"{one.most_ms:.1f}", f"{one.ratio:.2f}",
        )  # fmt: skip
    return [table], [asdict(one) for one in found]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print this part of the bench."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--detector", type=Path, nargs="*", default=[], help="other weights of the detector")
    parser.add_argument("--reader", type=Path, nargs="*", default=[], help="other weights of the card reader")
    parser.add_argument("--calls", type=int, default=CALLS)
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    tell(*tables(given.detector, given.reader, given.calls))
    return 0


if __name__ == "__main__":
    sys.exit(main())
