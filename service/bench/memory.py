"""Whether memory stays flat while four tables are watched for eight hours, in hours of capture time.

`python -m service.bench.memory [--hours N] [--tables N] [--frames] [--trace]`: each table is a live table with its engine, recorder, spool and
store, fed with the rounds of the bundled film as events (`service.bench.house_kills`), as fast as they are worked through; the
clock is the capture time. Prints for every hour the memory of the process (RSS) and how many objects Python's collector knows, both
after a collection; with `--trace` also the bytes that Python holds (tracemalloc), which takes several times as long. With `--frames` every frame is a new picture of 1280 x 720, kept for evidence as a live table keeps it.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from datasets.clips import BUNDLED
from rules.engine import Engine
from rules.events import Event
from rules.table import TableConfig
from service.bench import simulated
from service.bench.house_kills import PERIOD_S, film, table
from service.bench.scripted import ScriptedWatcher
from service.config import TableSetup
from service.evidence.pictures import View
from service.evidence.room import EvidenceRoom
from service.feed import Feed
from service.live.table import LiveTable
from service.sight import Sight
from service.store import Store
from vision.frames.frame import Frame
from vision.frames.source import SourceError, SourceInfo

HOUR_S, FRAME_S = 3600.0, 0.4
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SIZE = (1280, 720)


def main(arguments: list[str] | None = None) -> int:
    """Runs and prints."""
    options = argparse.ArgumentParser(prog="python -m service.bench.memory")
    options.add_argument("--hours", type=int, default=8)
    options.add_argument("--tables", type=int, default=4)
    options.add_argument("--frames", action="store_true")
    options.add_argument("--trace", action="store_true")
    given = options.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    if given.trace:
        tracemalloc.start()
    with tempfile.TemporaryDirectory(prefix="pw-memory-") as folder:
        run(Path(folder), given.hours, given.tables, frames=given.frames)
    return 0


def run(folder: Path, hours: int, tables: int, *, frames: bool) -> list[tuple[float, float]]:
    """Watches the tables in turn, an hour each at a time; MB of the process and Python's objects after each hour."""
    store = Store(f"sqlite:///{folder}/memory.db")
    room = EvidenceRoom.open(folder / "evidence", lambda: NOW) if frames else None
    watched = [_Watched.begin(f"sim-{n}", store, folder, room) for n in range(1, tables + 1)]
    out: list[tuple[float, float]] = []
    for hour in range(1, hours + 1):
        began_s = time.process_time()
        for one in watched:
            one.watch(hour * HOUR_S)
        gc.collect()
        used = _rss_mb(), float(len(gc.get_objects()))
        held = f"{tracemalloc.get_traced_memory()[0] / 1e6:.1f} MB held by Python, " if tracemalloc.is_tracing() else ""
        out.append(used)
        rounds = sum(one.live.rounds_seen for one in watched)
        sys.stdout.write(
            f"hour {hour}: {used[0]:.0f} MB resident, {held}{used[1]:,.0f} objects, {rounds} rounds, {store.last_seq()} alerts, "
            f"{time.process_time() - began_s:.0f} s of processor time\n"
        )
        sys.stdout.flush()
    for one in watched:
        one.live._recorder.stop()
    return out


@dataclass(slots=True)
class _Watched:
    """One table and how far its time has come; an hour ends as a camera does that is lost, and the table goes on."""

    live: LiveTable
    clock: list[float]
    until: list[float]

    @classmethod
    def begin(cls, table_id: str, store: Store, folder: Path, room: EvidenceRoom | None) -> _Watched:
        config, clock, until = replace(table(), table_id=table_id), [0.0], [0.0]
        setup = TableSetup(BUNDLED / "table.yaml", config, simulated.LAYOUT, (), "0" * 64)

        def opened(_source: str, _setup: TableSetup) -> Sight:
            return _sight(config, clock, until, pictures=room is not None)

        live = LiveTable(
            setup, "rtsp://simulated", store, Feed(), evidence=room, spool=folder / "spool", opened=opened,
            now=lambda: NOW + timedelta(seconds=clock[0]),
        )  # fmt: skip
        live._recorder.start()
        return cls(live, clock, until)

    def watch(self, until_s: float) -> None:
        self.until[0] = until_s
        try:
            self.live._watch_once()
        except SourceError:
            self.live._recorder.settle(60.0)


def _sight(config: TableConfig, clock: list[float], until: list[float], *, pictures: bool) -> Sight:
    rest: dict[str, Any] = {
        "calibration": SimpleNamespace(method="simulated", error_px=0.1, error_mm=0.1),
        "source": SimpleNamespace(close=lambda: None),
    }
    watcher = _Looping(config.table_id, clock)
    return Sight(
        frames=_frames(clock, until, pictures=pictures), info=SourceInfo("simulated", simulated.SIZE, 1 / FRAME_S, None, True),
        watcher=watcher, view=View(simulated.LAYOUT, simulated.CAMERA), judge=Engine(config), **rest,
    )  # fmt: skip


def _frames(clock: list[float], until: list[float], *, pictures: bool) -> Iterator[Frame]:
    began_s, index = clock[0], 0
    dice, still = np.random.default_rng(1), np.full((90, 160, 3), 90, np.uint8)
    while clock[0] < until[0]:
        image = dice.integers(60, 120, (SIZE[1], SIZE[0], 3), np.uint8) if pictures else still
        yield Frame(index, clock[0] - began_s, image)
        index += 1
        clock[0] += FRAME_S
    raise SourceError("the hour is over")


class _Looping(ScriptedWatcher):
    """The film over and over; only one showing is held at a time."""

    __slots__ = ("clock", "table_id", "turn")

    def __init__(self, table_id: str, clock: list[float]) -> None:
        self.table_id, self.clock, self.turn = table_id, clock, int(clock[0] // PERIOD_S)
        super().__init__(_showing(table_id, self.turn), lambda: clock[0])

    def frame(self, frame: Frame) -> Sequence[Event]:
        """What became certain; the next showing once this one is over."""
        told = super().frame(frame)
        if self.clock[0] > (self.turn + 1) * PERIOD_S and self._at >= len(self.script):
            self.turn += 1
            self.script, self._at = _showing(self.table_id, self.turn), 0
        return told


def _showing(table_id: str, turn: int) -> list[Event]:
    out: list[Event] = []
    for event in film():
        if turn and event.kind == "table_opened":
            continue
        more: dict[str, Any] = {"t_s": event.t_s + turn * PERIOD_S, "table_id": table_id}
        if hasattr(event, "since_s"):
            more["since_s"] = event.since_s + turn * PERIOD_S
        out.append(replace(event, **more))
    return out


def _rss_mb() -> float:
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    sys.exit(main())
