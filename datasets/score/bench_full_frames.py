"""How fast Ultralytics works through whole frames: `python -m datasets.score.bench_full_frames VIDEO [--frames N]`.

The shipped detector, every frame of the film at its full size, as `yolo predict` does it, on all cores. That is what a system does that does not
know where on a table something changed. Prints one line of JSON; needs the extra `train`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import av

from models.detector import WEIGHTS

FRAMES = 40
MISSING = 3
"""Exit status where Ultralytics is not installed."""
STRIDE_PX = 32
"""Sides of a network's input are multiples of this."""


def measured(video: Path, frames: int) -> dict[str, float]:
    """Frames worked through, and the seconds of the clock and of the processors that they took; loading is left out."""
    os.environ.update(YOLO_AUTOINSTALL="false", YOLO_OFFLINE="true", YOLO_VERBOSE="false")
    from ultralytics import YOLO

    with av.open(str(video)) as container:
        codec = container.streams.video[0].codec_context
        sides = [-(-side // STRIDE_PX) * STRIDE_PX for side in (codec.height, codec.width)]
    model = YOLO(str(WEIGHTS), task="obb")
    results = iter(model.predict(source=str(video), stream=True, imgsz=sides, conf=0.25, device="cpu", verbose=False))
    next(results)
    wall_s, cpu_s, done = time.perf_counter(), time.process_time(), 0
    for _ in zip(range(frames), results, strict=False):
        done += 1
    return {"frames": done, "wall_s": time.perf_counter() - wall_s, "cpu_s": time.process_time() - cpu_s}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was measured; the exit status is `MISSING` where Ultralytics is not installed."""
    parser = argparse.ArgumentParser(prog="python -m datasets.score.bench_full_frames", description=__doc__)
    parser.add_argument("video", type=Path)
    parser.add_argument("--frames", type=int, default=FRAMES)
    given = parser.parse_args(arguments)
    if find_spec("ultralytics") is None:
        sys.stderr.write("Ultralytics is not installed; it comes with the extra: pip install -e .[train]\n")
        return MISSING
    found = measured(given.video, given.frames)
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
