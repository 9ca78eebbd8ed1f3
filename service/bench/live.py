"""How many live tables this machine keeps up with: `python -m service.bench.live [--tables 1 2 4] [--seconds N]`.

A film is played as so many cameras (`service.bench.cameras`, a process of its own), 1920 x 1080 at 15 frames a second, and watched by so
many tables in one process as `pitwatch serve` does: networks, law, evidence, spool and store. For each number of tables: frames that
came and were left out because watching was slower, and how long after its frame had come an alert was committed. All
tables show the same moments at the same time, which is the worst a room can do.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from service.bench.cameras import thinned
from service.commands.common import CLIP
from service.config import load_table
from service.evidence.room import EvidenceRoom
from service.feed import Feed
from service.live import LiveTable
from service.recorder import Recorder
from service.store import Store
from service.store.recording import Step

FPS = 15
STARTING_S = 60.0
"""So long all tables may take to see their first frame."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of a number of tables.

    Attributes:
        frames, dropped: that came, and of all cameras' those left out.
        cpu_s: processor seconds of the watching process in `seconds`.
        latency_s: from the arrival of the frame that decided to the commit, for every alert.
    """

    tables: int
    seconds: float
    frames: int
    dropped: int
    cpu_s: float
    latency_s: tuple[float, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = argparse.ArgumentParser(prog="python -m service.bench.live")
    options.add_argument("--clip", type=Path, default=CLIP, help="folder of a film with its table.yaml")
    options.add_argument("--tables", type=int, nargs="+", default=[1, 2, 4, 6])
    options.add_argument("--seconds", type=float, default=120.0)
    given = options.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    rows = Table("tables", "frames", "dropped", "cores", "alerts", "latency median", "p95", "most")
    with tempfile.TemporaryDirectory(prefix="pw-live-") as name:
        film = Path(name) / "film.mp4"
        thinned(given.clip / "video.mp4", film, FPS, given.seconds)
        for tables in given.tables:
            _add(rows, kept_up(given.clip, film, Path(name) / str(tables), tables, given.seconds))
    Console(width=120).print(rows)
    return 0


def kept_up(clip: Path, film: Path, folder: Path, tables: int, seconds: float) -> Kept:
    """Watch so many tables for so long."""
    folder.mkdir()
    setup, store, feed = load_table(clip / "table.yaml"), Store(f"sqlite:///{folder}/live.db"), Feed()
    room = EvidenceRoom.open(folder / "evidence", lambda: datetime.now(UTC))
    latency_s: list[float] = []
    plain = Recorder._stored

    def noted(self: Recorder, step: Step, new: frozenset[str], came_s: float) -> None:
        plain(self, step, new, came_s)
        latency_s.extend(time.monotonic() - came_s for one in step.alerts if one.finding["finding_id"] in new)

    command = [sys.executable, "-m", "service.bench.cameras", str(film)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        address = child.stdout.readline().strip()
        watched = [
            LiveTable(
                replace(setup, table=replace(setup.table, table_id=f"cam-{n}")), f"{address}?{n}", store, feed,
                evidence=room, spool=folder / "spool",
            )
            for n in range(1, tables + 1)
        ]  # fmt: skip
        Recorder._stored = noted  # type: ignore[method-assign]
        try:
            for table in watched:
                table.start()
            _until_all_watch(watched)
            frames, dropped, cpu_s, began_s = _counts(watched), _dropped(watched), time.process_time(), time.monotonic()
            time.sleep(seconds)
            took_s = time.monotonic() - began_s
            return Kept(
                tables, took_s, _counts(watched) - frames, _dropped(watched) - dropped, time.process_time() - cpu_s, tuple(latency_s)
            )  # fmt: skip
        finally:
            child.kill()
            for table in watched:
                table.stop()
            Recorder._stored = plain  # type: ignore[method-assign]
            room.stop()
            store.close()


def _until_all_watch(watched: Sequence[LiveTable]) -> None:
    until_s = time.monotonic() + STARTING_S
    while any(table.vitals.frames == 0 for table in watched):
        if time.monotonic() > until_s:
            raise SystemExit(
                "not all tables began to watch; see what they say: " + "; ".join(t.detail for t in watched)
            )
        time.sleep(0.2)


def _counts(watched: Sequence[LiveTable]) -> int:
    return sum(table.vitals.frames for table in watched)


def _dropped(watched: Sequence[LiveTable]) -> int:
    return sum(table.vitals.dropped for table in watched)


def _add(rows: Table, kept: Kept) -> None:
    times = sorted(kept.latency_s)
    of = kept.frames + kept.dropped
    late = [f"{1000 * value:,.0f} ms" for value in _marks(times)] if times else ["-", "-", "-"]
    rows.add_row(
        str(kept.tables), f"{of:,}", f"{kept.dropped:,} ({100 * kept.dropped / max(1, of):.1f}%)",
        f"{kept.cpu_s / kept.seconds:.2f}", str(len(times)), *late,
    )  # fmt: skip


def _marks(times: Sequence[float]) -> tuple[float, float, float]:
    return statistics.median(times), times[min(len(times) - 1, int(0.95 * len(times)))], times[-1]


if __name__ == "__main__":
    sys.exit(main())
