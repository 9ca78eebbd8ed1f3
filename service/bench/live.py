"""How many live tables this machine keeps up with: `python -m service.bench.live [--tables 1 4] [--seconds N]`.

A film is played as so many cameras (`service.bench.cameras`, a process of its own), 1920 x 1080 at 15 frames a second, and watched by so
many tables in one process as `pitwatch serve` does: networks, law, evidence, spool and store. For each number of tables: frames that
came and were left out because watching was slower, and how long after its frame had come an alert was committed. All
tables show the same moments at the same time, which is the worst a room can do.

Measured is what comes after the first `BEGINNING_S`, in which every area of every table is looked at once; what is left out there is told.
It says what it does while it does it. A number of tables takes `--seconds`, and some twenty more to begin and to end on a quiet machine; what takes longer than `STARTING_S` or `ENDING_S` is said and left.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.table import Table

from datasets.clips import BUNDLED
from datasets.score.printing import tell
from service.bench.cameras import thinned
from service.config import load_table
from service.evidence.room import EvidenceRoom
from service.feed import Feed
from service.live.recorder import Recorder
from service.live.table import LiveTable
from service.store import Store
from service.store.recording import RecordedStep

FPS = 15
STARTING_S, ENDING_S = 60.0, 40.0
"""So long all tables may take to see their first frame, and the evidence that still waits to be written."""
BEGINNING_S = 10.0
"""So long the tables are watched before anything is counted."""
TELL_EVERY_S = 10.0
"""How often something is said while the tables are watched."""

_began_s = time.monotonic()


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of a number of tables.

    Attributes:
        tables, seconds: how many were watched, for how long.
        frames, dropped: that came, and of all cameras' those left out.
        cpu_s: processor seconds of the watching process in `seconds`.
        load: of the machine at the end, processes that run or want to.
        latency_s: from the arrival of the frame that decided to the commit, for every alert.
    """

    tables: int
    seconds: float
    frames: int
    dropped: int
    cpu_s: float
    load: float
    latency_s: tuple[float, ...]


class NotBegunError(RuntimeError):
    """Not all tables began to watch in time; the text says which, and what they say."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit status is 1 where tables did not begin to watch."""
    options = argparse.ArgumentParser(prog="python -m service.bench.live", description=__doc__)
    options.add_argument("--clip", type=Path, default=BUNDLED, help="folder of a film with its table.yaml")
    options.add_argument("--tables", type=int, nargs="+", default=[1, 4])
    options.add_argument("--seconds", type=float, default=75.0, help="how long each number of tables is watched")
    given = options.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    cores = len(os.sched_getaffinity(0))
    _say(f"{given.tables} tables on {cores} cores, {given.seconds:.0f} s each; first the film of the cameras is made")
    found: list[Kept] = []
    with tempfile.TemporaryDirectory(prefix="pw-live-", ignore_cleanup_errors=True) as name:
        film = Path(name) / "film.mp4"
        frames = thinned(given.clip / "video.mp4", film, FPS, given.seconds)
        _say(f"the film is made, {frames} frames")
        for tables in given.tables:
            try:
                found.append(kept_up(given.clip, film, Path(name) / str(tables), tables, given.seconds))
            except NotBegunError as error:
                _say(str(error))
                break
            _say("; ".join(_words(found[-1])))
    rows = Table(
        "tables",
        "frames",
        "dropped",
        "cores",
        "load",
        "alerts",
        "latency median",
        "p95",
        "most",
        title=f"{cores} cores",
    )
    for kept in found:
        rows.add_row(*_row(kept))
    tell([rows], [_numbers(kept) for kept in found])
    return 0 if len(found) == len(given.tables) else 1


def kept_up(clip: Path, film: Path, folder: Path, tables: int, seconds: float) -> Kept:
    """Watch so many tables for so long.

    Raises:
        NotBegunError: they did not all begin to watch within `STARTING_S`.
    """
    folder.mkdir()
    setup, store, feed = load_table(clip / "table.yaml"), Store(f"sqlite:///{folder}/live.db"), Feed()
    room = EvidenceRoom.open(folder / "evidence", lambda: datetime.now(UTC))
    with _latencies() as latency_s, _playing(film) as address:
        watched = [
            LiveTable(
                replace(setup, table=replace(setup.table, table_id=f"cam-{n}")), f"{address}?{n}", store, feed,
                evidence=room, spool=folder / "spool",
            )
            for n in range(1, tables + 1)
        ]  # fmt: skip
        try:
            for table in watched:
                table.start()
            _until_all_watch(watched)
            time.sleep(BEGINNING_S)
            _say(
                f"{tables} tables: {_dropped(watched)} frames were left out while all areas were looked at for the first time"
            )
            latency_s.clear()
            return _measured(watched, seconds, latency_s)
        finally:
            _end(watched, room)
            store.close()


@contextmanager
def _latencies() -> Iterator[list[float]]:
    """For every new alert from now on: the seconds from its frame's arrival to its commit."""
    latency_s: list[float] = []
    plain = Recorder._stored

    def noted(self: Recorder, step: RecordedStep, new: frozenset[str], came_s: float) -> None:
        plain(self, step, new, came_s)
        latency_s.extend(time.monotonic() - came_s for one in step.alerts if one.finding["finding_id"] in new)

    Recorder._stored = noted  # type: ignore[method-assign]
    try:
        yield latency_s
    finally:
        Recorder._stored = plain  # type: ignore[method-assign]


@contextmanager
def _playing(film: Path) -> Iterator[str]:
    """The cameras, in a process of their own; the address they are reached at."""
    command = [sys.executable, "-m", "service.bench.cameras", str(film)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            address = child.stdout.readline().strip()
            if not address:
                raise NotBegunError(f"the cameras did not begin: {' '.join(command)} ended with {child.wait()}")
            yield address
        finally:
            child.kill()


def _until_all_watch(watched: Sequence[LiveTable]) -> None:
    """Waits for the first frame of every table, and says which it waits for."""
    began_s = told_s = time.monotonic()
    while waiting := [table for table in watched if table.vitals.frames == 0]:
        now_s = time.monotonic()
        said = ", ".join(f"{t.table_id} ({t.state.value}{': ' + t.detail if t.detail else ''})" for t in waiting)
        if now_s - began_s > STARTING_S:
            raise NotBegunError(f"no frame was watched within {STARTING_S:.0f} s of {said}")
        if now_s - told_s >= TELL_EVERY_S:
            told_s = now_s
            _say(f"waiting for the first frame of {said}")
        time.sleep(0.2)
    _say(f"{len(watched)} tables: all watch")


def _measured(watched: Sequence[LiveTable], seconds: float, latency_s: Sequence[float]) -> Kept:
    frames, dropped, cpu_s, began_s = _frames(watched), _dropped(watched), time.process_time(), time.monotonic()
    while (left_s := began_s + seconds - time.monotonic()) > 0:
        time.sleep(min(TELL_EVERY_S, left_s))
        _say(
            f"{len(watched)} tables, {time.monotonic() - began_s:.0f} s: {_frames(watched) - frames} frames came to be watched, "
            f"{_dropped(watched) - dropped} were left out, {len(latency_s)} alerts"
        )
    took_s = time.monotonic() - began_s
    return Kept(
        len(watched), took_s, _frames(watched) - frames, _dropped(watched) - dropped, time.process_time() - cpu_s,
        os.getloadavg()[0], tuple(latency_s),
    )  # fmt: skip


def _end(watched: Sequence[LiveTable], room: EvidenceRoom) -> None:
    """Ends watching, and writes the evidence that waits."""
    for table in watched:
        table.stop()
    closing = threading.Thread(target=room.stop, name="evidence ends", daemon=True)
    closing.start()
    closing.join(ENDING_S)
    if closing.is_alive():
        _say(f"{room.writer.waiting} bundles of evidence are not written after {ENDING_S:.0f} s and are left")


def _frames(watched: Sequence[LiveTable]) -> int:
    return sum(table.vitals.frames for table in watched)


def _dropped(watched: Sequence[LiveTable]) -> int:
    return sum(table.vitals.dropped for table in watched)


def _row(kept: Kept) -> list[str]:
    of = kept.frames + kept.dropped
    late = [f"{1000 * value:,.0f} ms" for value in _marks(kept.latency_s)] if kept.latency_s else ["-", "-", "-"]
    share = f"{kept.dropped:,} ({100 * kept.dropped / max(1, of):.1f}%)"
    return [
        str(kept.tables), f"{of:,}", share, f"{kept.cpu_s / kept.seconds:.2f}", f"{kept.load:.1f}",
        str(len(kept.latency_s)), *late,
    ]  # fmt: skip


def _words(kept: Kept) -> list[str]:
    tables, frames, dropped, cores, load, alerts, _, p95, _ = _row(kept)
    return [
        f"{tables} tables",
        f"{frames} frames sent",
        f"{dropped} left out",
        f"{cores} cores used, load {load}",
        f"{alerts} alerts, p95 {p95}",
    ]


def _numbers(kept: Kept) -> dict[str, float | int | list[float]]:
    return {
        "tables": kept.tables, "seconds": kept.seconds, "frames": kept.frames, "dropped": kept.dropped, "cpu_s": kept.cpu_s,
        "load": kept.load, "latency_s": list(kept.latency_s),
    }  # fmt: skip


def _marks(times: Sequence[float]) -> tuple[float, float, float]:
    """Median, 95th percentile and most."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], ordered[-1]


def _say(text: str) -> None:
    """A line at once, with the seconds since the beginning."""
    sys.stderr.write(f"{time.monotonic() - _began_s:6.1f} s  {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
