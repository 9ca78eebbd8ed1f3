"""Kills a live table at random points, a hundred times, and shows that no alert is lost and none doubled.

`python -m service.bench.kills [--kills N] [--kind sqlite|postgresql] [--source camera|recording] [--seed N]`. A process
watches a simulated table (`service.bench.simulated`) with the real live table, spool, recorder and store, and is ended
with SIGKILL at a random point; meanwhile connections to the database are cut, or the database is locked. When the judge
finds an incident, and when the recorder has taken it, the process writes down so in a witness file. In the end every
incident that was taken must be in the store, and none twice. A camera goes on while nobody watches; a recording is played
from its start in every life, so all of its incidents must be there, each once.
"""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from service.bench import simulated
from service.bench.databases import KINDS, database
from service.config import TableSetup
from service.feed import Feed
from service.live.recorder import Recorder
from service.live.table import LiveTable, TableState
from service.sight import Sight
from service.store import Store
from service.store.base import open_engine
from service.store.recording import RecordedStep
from service.store.tables import AlertRow

TABLE = "sim-01"
MOST_SEEN, LONGEST_LIFE_S = 6, 20.0
"""A life ends after so many incidents at most, and a little later at random; one in four ends at once."""
SOURCES = ("camera", "recording")
CUT_EVERY = 7
"""Every so many lives the database is taken away meanwhile."""
AWAY_S = 0.6
PEACE_S = 3.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Attributes:
        taken: incidents the recorder took, each counted once; all of them, where a recording was played.
        seen: incidents the judge found.
        alerts: alerts in the store.
        lost: taken, but not in the store.
        doubled: in the store more than once.
        seen_again: incidents the judge found in more than one life.
    """

    kills: int
    seen: int
    taken: int
    alerts: int
    lost: int
    doubled: int
    seen_again: int


def main(arguments: list[str] | None = None) -> int:
    """Runs and prints; the exit status is 1 where anything was lost or doubled."""
    options = argparse.ArgumentParser(prog="python -m service.bench.kills")
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kind", choices=KINDS, action="append")
    options.add_argument("--source", choices=SOURCES, action="append")
    given = options.parse_args(arguments)
    logging.disable(logging.ERROR)
    bad = 0
    for kind, source in itertools.product(given.kind or KINDS, given.source or SOURCES):
        with database(kind) as url, tempfile.TemporaryDirectory(prefix="pw-kills-") as folder:
            out = kill_often(url, Path(folder), kills=given.kills, seed=given.seed, recording=source == "recording")
        bad += out.lost + out.doubled
        sys.stdout.write(
            f"{kind}, {source}: {out.kills} kills at random points, {out.seen} incidents seen ({out.seen_again} of them in more "
            f"than one life), {out.taken} taken, {out.alerts} alerts stored, {out.lost} lost, {out.doubled} doubled\n"
        )
        sys.stdout.flush()
    return 1 if bad else 0


def kill_often(url: str, folder: Path, *, kills: int, seed: int, recording: bool = False) -> Outcome:
    """Lets the table live and die, then lives once in peace, and compares witness and store."""
    dice, began = random.Random(seed), time.time()
    Store(url).close()
    (folder / "recording").write_bytes(b"a recording of its own")
    (folder / "witness").touch()
    for number in range(kills):
        child = _born(_Life(url, folder, began, seed * 1000 + number, recording))
        if number % CUT_EVERY == CUT_EVERY - 1:
            _take_away(url)
        _wait(folder / "witness", dice)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os.waitpid(_born(_Life(url, folder, began, seed * 1000 + kills, recording, peaceful=True)), 0)
    return _compared(url, folder / "witness", kills, recording=recording)


def _wait(witness: Path, dice: random.Random) -> None:
    """Until the life shall end: after some incidents and a little while, or nearly at once."""
    until_s = time.monotonic() + LONGEST_LIFE_S
    lines = len(witness.read_bytes().splitlines())
    target = lines + (0 if dice.random() < 0.25 else 2 * dice.randint(1, MOST_SEEN))
    while time.monotonic() < until_s and len(witness.read_bytes().splitlines()) < target:
        time.sleep(0.005)
    time.sleep(dice.uniform(0.0, 0.3))


@dataclass(frozen=True, slots=True)
class _Life:
    url: str
    folder: Path
    began: float
    seed: int
    recording: bool
    peaceful: bool = False


def _born(life: _Life) -> int:
    """A process that watches; its number. It is forked before it opens anything."""
    child = os.fork()
    if child:
        return child
    try:
        _live(life)
    finally:
        os._exit(0)


def _live(life: _Life) -> None:
    witness = os.open(life.folder / "witness", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    dice, store = random.Random(life.seed), _open(life.url)

    def sight(_source: str, setup: TableSetup) -> Sight:
        def seen(number: int) -> None:
            _write(witness, "seen", number)

        return simulated.simulated_sight(setup.table.table_id, life.began, dice, seen, recording=life.recording)

    source = str(life.folder / "recording") if life.recording else "rtsp://simulated"
    table = LiveTable(
        simulated.table_setup(TABLE), source, store, Feed(), spool=life.folder / "spool", now=simulated.clock(life.began),
        opened=sight,
    )  # fmt: skip
    _note_what_is_taken(witness)
    table.start()
    ends_s = time.monotonic() + PEACE_S
    while not life.peaceful or (table.state is not TableState.STOPPED if life.recording else time.monotonic() < ends_s):
        time.sleep(0.05)
    while table.waiting:
        time.sleep(0.05)
    table.stop()


def _open(url: str) -> Store:
    while True:
        try:
            return Store(url)
        except Exception:  # noqa: BLE001  # the database is away just now; a service would be started again as well
            time.sleep(0.1)


def _note_what_is_taken(witness: int) -> None:
    """Writes down which incidents a recorder has taken, right after it did."""
    record = Recorder.record

    def recorded(self: Recorder, step: RecordedStep, came_s: float) -> None:
        record(self, step, came_s)
        for alert in step.alerts:
            for number in alert.finding["frames"]:
                _write(witness, "kept", number)

    Recorder.record = recorded  # type: ignore[method-assign]


def _write(witness: int, what: str, number: int) -> None:
    os.write(witness, f"{what} {number}\n".encode())


def _take_away(url: str) -> None:
    """Cuts the connections of PostgreSQL, or locks SQLite for a while."""
    engine = open_engine(url)
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            connection.execute(sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"))  # fmt: skip
    else:
        with engine.execution_options(writes=True).begin():
            time.sleep(AWAY_S)
    engine.dispose()


def _compared(url: str, witness: Path, kills: int, *, recording: bool) -> Outcome:
    lines = [line.split() for line in witness.read_text(encoding="utf-8").splitlines()]
    seen = Counter(int(number) for what, number in lines if what == "seen")
    kept = {int(number) for what, number in lines if what == "kept"}
    if recording:
        kept |= set(range(0, simulated.RECORDED, simulated.BREACH_EVERY))
    store = Store(url)
    with store.read() as session:
        findings = [
            json.loads(text) for text in session.scalars(sa.select(AlertRow.finding).where(AlertRow.kind == "finding"))
        ]
    store.close()
    stored = Counter(finding["frames"][0] for finding in findings)
    return Outcome(
        kills, len(seen), len(kept), sum(stored.values()), len(kept - set(stored)),
        sum(count - 1 for count in stored.values()), sum(count > 1 for count in seen.values()),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
