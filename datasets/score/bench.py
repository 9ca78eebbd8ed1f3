"""`make bench`: speeds, measured side by side in one run and given as ratios.

Offline review is measured against plain decoding of the same file; hands ranked a second stand beside three other evaluators,
then rounds judged a second (`bench_law`); pictures drawn a second beside JPEGs of them (`bench_drawing`); a call of the networks
(`bench_networks`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import av
from rich.table import Table

from datasets.score.bench_drawing import tables as drawing_tables
from datasets.score.bench_law import tables as law_tables
from datasets.score.bench_networks import tables as network_tables
from datasets.score.printing import tell

BUNDLED = Path(__file__).resolve().parents[1] / "clips" / "raise_it_up"
REPEATS = 3


def seconds(work: Callable[[], object]) -> tuple[float, float, float]:
    """(minimum, median, maximum) of the wall-clock seconds of three runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    low, middle, high = sorted(times)
    return low, middle, high


def decode(video: Path) -> int:
    """Decode every frame to BGR as a reader of the file must; the number of frames."""
    with av.open(str(video)) as container:
        container.streams.video[0].thread_type = "AUTO"
        return sum(1 for frame in container.decode(video=0) if frame.to_ndarray(format="bgr24").size)


def review(folder: Path) -> None:
    """Review a clip as the command line does, results thrown away."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "service.cli", "review", str(folder / "video.mp4")]
        command += ["--table", str(folder / "table.yaml"), "--out", str(Path(out) / "review")]
        subprocess.run(command, check=True, capture_output=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--clip", type=Path, default=BUNDLED)
    given = parser.parse_args(arguments)
    with av.open(str(given.clip / "video.mp4")) as container:
        stream = container.streams.video[0]
        frames = stream.frames
        length_s = frames / float(stream.average_rate or 30)
    decoding = seconds(lambda: decode(given.clip / "video.mp4"))
    reviewing = seconds(lambda: review(given.clip))
    table = Table("measure", "min s", "median s", "max s", "ratio", title=f"{frames} frames, {length_s:.0f} s of video")
    table.add_row(
        "plain decoding", *(f"{value:.1f}" for value in decoding), f"{length_s / decoding[1]:.1f} x real time"
    )
    ratio = f"{length_s / reviewing[1]:.1f} x real time, {100 * decoding[1] / reviewing[1]:.0f}% of decoding speed"
    table.add_row("pitwatch review", *(f"{value:.1f}" for value in reviewing), ratio)
    parts = {"law": law_tables(), "drawing": drawing_tables(), "networks": network_tables()}
    numbers = {name: found for name, (_, found) in parts.items()}
    shown = [table, *(part for printed, _ in parts.values() for part in printed)]
    tell(shown, {"frames": frames, "decoding_s": decoding, "review_s": reviewing, **numbers})
    return 0


if __name__ == "__main__":
    sys.exit(main())
