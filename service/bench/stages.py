"""Where the processor time of a review goes: `python -m service.bench.stages [--clip DIR]`.

The clip is reviewed as the command line does it, with the functions below timed by the processor time of the thread that runs
them; what one stage calls of another counts for the other only. What no stage took, the decoder's own threads above all, is the
last row.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import os
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import av
from rich.table import Table

from datasets.clips import BUNDLED
from datasets.score.printing import tell
from service.config import load_table
from service.reviews.review import review_video
from service.sight import networks

STAGES = {
    "finding the table": ("service.sight:find_table",),
    "decoding, what the reviewing thread does of it": ("vision.frames.video:_pictures",),
    "small picture": ("vision.frames.frame:Frame.small_yuv",),
    "picture in colour": ("vision.frames.frame:Frame.image",),
    "coverage": ("vision.change.coverage:CoverageWatch.feed",),
    "gate": ("vision.change.gate:Gate.feed", "vision.change.gate:Gate.accept", "vision.change.gate:Gate.changed_px"),
    "camera kept": ("vision.pipeline:TableWatcher._keep_camera",),
    "areas stirred, filmed": ("vision.pipeline:TableWatcher._disturb",),
    "moments": ("vision.change.moments:AreaFilm.moment", "vision.change.moments:AreaFilm.arrivals"),
    "same as at rest": ("vision.tracking.areas:AreaState.shows_the_same",),
    "view cut": ("vision.frames.rectify:AreaView.cut",),
    "detector": ("models.detector:Detector.__call__",),
    "edges fitted": (
        "vision.looks.fit:Edges.of",
        "vision.looks.fit:fitted_card",
        "vision.frames.rectify:refined_corners",
    ),
    "card reader": ("vision.looks.reading:read_cards",),
    "chip reader": ("vision.looks.chips:chip_colors", "vision.looks.counting:ChipCounts.__call__"),
    "rest of a look": ("vision.looks.look:Looker.look",),
    "judged, tracks": (
        "vision.tracking.rests:judged",
        "vision.tracking.rests:compared",
        "vision.observation.observe:Observer.settle",
    ),
    "piles": ("vision.tracking.piles:Pile.look",),
    "rest of a frame": ("vision.pipeline:TableWatcher.frame",),
    "law": ("rules.engine:Engine.feed",),
    "pictures kept": ("service.evidence.pictures:Recent.add", "service.evidence.pictures:encode"),
    "what was seen kept": ("service.evidence.beside:Beside.look",),
    "checkpoints": ("service.reviews.review:_Running._mark",),
    "evidence: film": ("service.evidence.contents:_write_film",),
    "evidence: the rest": ("service.evidence.contents:write_bundle", "service.evidence.pictures:pictures_of"),
    "reports": ("service.reviews.review:write_results",),
}
"""Names of stages, and the functions ("module:name") that are timed for each."""


class Stopwatch:
    """Adds up processor seconds and calls by stage, over all threads."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._guard = threading.Lock()
        self._here = threading.local()

    def timed(self, stage: str, work: Callable[[], Any]) -> Any:
        """Do something as a part of a stage; what it does of other stages is theirs."""
        inner: list[float] = getattr(self._here, "inner", [])
        self._here.inner = inner
        inner.append(0.0)
        began_s = time.thread_time()
        try:
            return work()
        finally:
            whole_s = time.thread_time() - began_s
            own_s = whole_s - inner.pop()
            if inner:
                inner[-1] += whole_s
            with self._guard:
                self.seconds[stage] += own_s
                self.calls[stage] += 1

    def around(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, timed."""

        @functools.wraps(function)
        def plain(*args: Any, **named: Any) -> Any:
            return self.timed(stage, lambda: function(*args, **named))

        @functools.wraps(function)
        def each(*args: Any, **named: Any) -> Iterator[Any]:
            given, end = function(*args, **named), object()
            while (one := self.timed(stage, lambda: next(given, end))) is not end:
                yield one

        return each if inspect.isgeneratorfunction(function) else plain


def time_stages(watch: Stopwatch) -> None:
    """Has every function of `STAGES` timed from now on, wherever it was imported to."""
    for stage, places in STAGES.items():
        for place in places:
            module_name, _, path = place.partition(":")
            owner: Any = importlib.import_module(module_name)
            *names, last = path.split(".")
            for name in names:
                owner = getattr(owner, name)
            plain = owner.__dict__[last]
            if isinstance(plain, property):
                setattr(owner, last, property(watch.around(stage, plain.fget)))  # type: ignore[arg-type]
                continue
            if isinstance(plain, classmethod):
                setattr(owner, last, classmethod(watch.around(stage, plain.__func__)))
                continue
            timed = watch.around(stage, plain)
            setattr(owner, last, timed)
            if not names:
                for module in list(sys.modules.values()):
                    if getattr(module, last, None) is plain:
                        setattr(module, last, timed)


def shortened(film: Path, out: Path, seconds: float) -> Path:
    """The beginning of a film, its packets as they are."""
    with av.open(str(film)) as given, av.open(str(out), "w") as container:
        stream = container.add_stream_from_template(given.streams.video[0])
        for packet in given.demux(video=0):
            if packet.dts is None or float(packet.dts * packet.time_base) >= seconds:
                break
            packet.stream = stream
            container.mux(packet)
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Review the clip and print the table."""
    parser = argparse.ArgumentParser(prog="python -m service.bench.stages", description=__doc__)
    parser.add_argument("--clip", type=Path, default=BUNDLED, help="folder with video.mp4 and table.yaml")
    parser.add_argument("--seconds", type=float, help="only so many seconds from its beginning")
    given = parser.parse_args(arguments)
    watch, setup = Stopwatch(), load_table(given.clip / "table.yaml")
    networks()
    time_stages(watch)
    with tempfile.TemporaryDirectory(prefix="pw-stages-") as name:
        film = given.clip / "video.mp4"
        if given.seconds is not None:
            film = shortened(film, Path(name) / "video.mp4", given.seconds)
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        done = review_video(film, setup, Path(name) / "review")
        wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    film_s = float(done.about["seconds"])
    title = f"{film_s:.0f} s of film: {wall_s:.1f} s by the clock, {cpu_s:.1f} s of processor time, load {os.getloadavg()[0]:.1f}"
    rows = Table("stage", "calls", "processor s", "share", title=title)
    for stage in STAGES:
        spent_s = watch.seconds[stage]
        rows.add_row(stage, f"{watch.calls[stage]:,}", f"{spent_s:.2f}", f"{100 * spent_s / cpu_s:.1f}%")
    left_s = cpu_s - sum(watch.seconds.values())
    rows.add_row("threads of the decoder, and all else", "", f"{left_s:.2f}", f"{100 * left_s / cpu_s:.1f}%")
    tell([rows], {"seconds": watch.seconds, "calls": watch.calls, "processor_s": cpu_s, "film_s": film_s})
    return 0


if __name__ == "__main__":
    sys.exit(main())
