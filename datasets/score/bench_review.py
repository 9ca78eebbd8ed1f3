"""A review beside plain decoding of the same film and beside Ultralytics on its whole frames, in one run.

`python -m datasets.score.bench_review [--clip DIR] [--turns N] [--frames N] [--full-frames-python PATH]`, a part of `make bench`. Each is a process
of its own on all cores that this one may use; decoding and review take turns. The clock says how fast it was, processor time how much work
it was; on a machine with other work only the latter means something.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import av
from rich.table import Table

from datasets.clips import BUNDLED
from datasets.score.bench_full_frames import FRAMES, MISSING
from datasets.score.printing import tell

TURNS = 3
GOAL_REAL_TIME, GOAL_OF_DECODING = 10.0, 0.5
"""A review shall be so many times as fast as the film was made, and reach this share of the speed of plain decoding (issue 5)."""
_DECODE = "import sys; from datasets.score.bench_review import decode; print(decode(sys.argv[1]))"


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of the clock and of the processors that a process took, its start included."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Beside:
    """What was measured of one film.

    Attributes:
        film_s, frames: how long it is.
        decoding, reviewing: of every turn.
        full_frames: of Ultralytics, for so many frames as the film has, from those it was given; None where it is not installed.
        cores, load: of the machine.
    """

    film_s: float
    frames: int
    decoding: tuple[Took, ...]
    reviewing: tuple[Took, ...]
    full_frames: Took | None
    cores: int
    load: float


def decode(video: str | Path) -> int:
    """Decode every frame to BGR as a reader of the file must; the number of frames."""
    with av.open(str(video)) as container:
        container.streams.video[0].thread_type = "AUTO"
        return sum(1 for frame in container.decode(video=0) if frame.to_ndarray(format="bgr24").size)


def took(command: Sequence[str]) -> Took:
    """Run a command to its end.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall_s, after = time.perf_counter() - began_s, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def reviewed(clip: Path) -> Took:
    """Review a clip as the command line does, evidence included, results thrown away."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "service.cli", "review", str(clip / "video.mp4")]
        return took([*command, "--table", str(clip / "table.yaml"), "--out", str(Path(out) / "review")])


def full_frames(video: Path, frames: int, of: int, python: str) -> Took | None:
    """What Ultralytics would take for all frames of a film, told by some of them; None where it is not installed."""
    command = [python, "-m", "datasets.score.bench_full_frames", str(video), "--frames", str(frames)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode == MISSING:
        return None
    done.check_returncode()
    found = json.loads(done.stdout.splitlines()[-1])
    share = of / max(1, found["frames"])
    return Took(found["wall_s"] * share, found["cpu_s"] * share)


def measured(clip: Path, *, turns: int = TURNS, frames: int = FRAMES, python: str = sys.executable) -> Beside:
    """Decode and review a clip in turns, then give some of its frames to Ultralytics."""
    video = clip / "video.mp4"
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        count, film_s = stream.frames, stream.frames / float(stream.average_rate or 30)
    decoding, reviewing = [], []
    for _ in range(turns):
        decoding.append(took([sys.executable, "-c", _DECODE, str(video)]))
        reviewing.append(reviewed(clip))
    whole = full_frames(video, frames, count, python)
    cores = len(os.sched_getaffinity(0))
    return Beside(film_s, count, tuple(decoding), tuple(reviewing), whole, cores, os.getloadavg()[0])


def table(found: Beside) -> Table:
    """What was measured, as people read it."""
    title = f"{found.frames:,} frames, {found.film_s:.0f} s of film, {found.cores} cores, load {found.load:.1f}; medians of {len(found.decoding)} turns"
    rows = Table("measure", "by the clock, s", "x real time", "of decoding", "processor s", "of decoding", title=title)
    plain = _median(found.decoding)
    for name, one in (
        ("plain decoding", plain),
        ("pitwatch review", _median(found.reviewing)),
        ("ultralytics, whole frames", found.full_frames),
    ):
        if one is None:
            rows.add_row(name, "not installed: pip install -e .[train]")
            continue
        rows.add_row(
            name, f"{one.wall_s:.1f}", f"{found.film_s / one.wall_s:.2f}", f"{100 * plain.wall_s / one.wall_s:.0f}%",
            f"{one.cpu_s:.1f}", f"{one.cpu_s / plain.cpu_s:.2f} times",
        )  # fmt: skip
    rows.add_row("goal of a review", "", f"{GOAL_REAL_TIME:.0f}", f"{100 * GOAL_OF_DECODING:.0f}%")
    return rows


def _median(turns: Sequence[Took]) -> Took:
    return Took(statistics.median(t.wall_s for t in turns), statistics.median(t.cpu_s for t in turns))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m datasets.score.bench_review", description=__doc__)
    parser.add_argument("--clip", type=Path, default=BUNDLED, help="folder with video.mp4 and table.yaml")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--frames", type=int, default=FRAMES, help="that Ultralytics is given")
    parser.add_argument("--full-frames-python", default=sys.executable, help="a Python that has the extra `train`")
    given = parser.parse_args(arguments)
    found = measured(given.clip, turns=given.turns, frames=given.frames, python=given.full_frames_python)
    tell([table(found)], asdict(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
