"""Kills a whole house at random points while the law judges rounds: alerts, bundles, chain and webhooks afterwards.

`python -m service.bench.house_kills [--kills N] [--kind sqlite|postgresql] [--seed N]`. A process watches the rounds of the bundled
film as events (`datasets/clips`), over and over, twenty times as fast as the wall clock, with the real engine, spool,
store, evidence and webhooks; it is ended with SIGKILL at a random point, begun again, and so on. A process beside it takes
the webhooks and answers one in five with an error. Then, against what an unbroken watch finds:

* nothing that was taken by the recorder is missing in the store, and nothing is there twice;
* nothing rings that the unbroken watch does not find (what was half seen accuses nobody);
* every alert has its bundle or the chain says why not, and `verify` finds chain and bundles whole;
* the receiver got every change, each first in order, and doubles only with the same id.
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import yaml

from datasets.clips import BUNDLED
from rules.engine import Engine
from rules.events import Event, event_from_dict
from rules.findings import Verdict
from rules.table import TableConfig
from service.access.addresses import WEBHOOKS, AddressPolicy
from service.bench import simulated
from service.bench.databases import KINDS, database
from service.bench.scripted import ScriptedWatcher
from service.config import TableSetup
from service.evidence.pictures import View
from service.evidence.room import EvidenceRoom
from service.evidence.verify import verify
from service.feed.delivery import Delivery
from service.feed.webhooks import Webhooks
from service.house import House
from service.live.recorder import Recorder
from service.live.table import LiveTable
from service.sight import Sight
from service.stamps import moment_of
from service.store import AlertFilter, Store
from service.store.recording import RecordedStep
from service.store.records import AlertKind
from service.web.api import shown
from vision.frames.frame import Frame
from vision.frames.source import SourceInfo

PERIOD_S, FRAME_S = 190.0, 0.4
"""The film begins again so long after it began; capture time between two frames."""
BEGINS, LONGEST_START_S = 0.2, 120.0
"""How many lives end while they begin; how long the others may take to."""
LONGEST_LIFE_S, PEACE_S = 8.0, 12.0
"""A life lasts at most so long after its first frame, the last one so long; seconds of the wall clock."""
FAILS = 0.2


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it; everything from `lost` on has to be 0, or True.

    Attributes:
        expected: breaches an unbroken watch finds in the time.
        alerts: those that rang.
        bridged: of these, with evidence from before a kill and from after it.
    """

    kills: int
    expected: int
    alerts: int
    bridged: int
    bundles: int
    changes: int
    lost: int
    doubled: int
    accused: int
    without_bundle: int
    not_received: int
    out_of_order: int
    genuine: bool

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        wrong = self.lost + self.doubled + self.accused + self.without_bundle + self.not_received + self.out_of_order
        return wrong == 0 and self.genuine


def main(arguments: list[str] | None = None) -> int:
    """Runs and prints; the exit status is 1 where anything is wrong."""
    options = argparse.ArgumentParser(prog="python -m service.bench.house_kills")
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kind", choices=KINDS, action="append")
    given = options.parse_args(arguments)
    logging.disable(logging.ERROR)
    bad = 0
    for kind in given.kind or KINDS:
        with database(kind) as url, tempfile.TemporaryDirectory(prefix="pw-house-") as folder:
            report = kill_house(url, Path(folder), kills=given.kills, seed=given.seed)
        bad += not report.sound
        words = ", ".join(f"{field.name.replace('_', ' ')} {getattr(report, field.name)}" for field in fields(report))
        sys.stdout.write(f"{kind}: {words}\n")
        sys.stdout.flush()
    return 1 if bad else 0


def kill_house(url: str, folder: Path, *, kills: int, seed: int) -> Report:
    """Lets the house live and die, then lives once in peace, and compares."""
    dice = random.Random(seed)
    receiver, port = _receiver(folder / "received", seed)
    store = Store(url)
    Webhooks(store).subscribe(
        f"http://127.0.0.1:{port}/", AlertFilter(), by="bench", now=simulated.clock(time.time())()
    )
    store.close()
    for name in ("received", "witness"):
        (folder / name).touch()
    began = time.time()
    try:
        for number in range(kills + 1):
            last = number == kills
            child = _born(url, folder, began, last)
            if last:
                os.waitpid(child, 0)
            else:
                _wait(folder / "watching", dice)
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        ended_s = (time.time() - began) * simulated.SPEED
    finally:
        os.kill(receiver, signal.SIGKILL)
        os.waitpid(receiver, 0)
    return _compared(url, folder, began, ended_s, kills)


def _wait(watching: Path, dice: random.Random) -> None:
    """Until the life shall end: one in five while it begins, the others some time after its first frame."""
    begins = dice.random() < BEGINS
    until_s = time.monotonic() + (dice.uniform(0.1, 2.0) if begins else LONGEST_START_S)
    while time.monotonic() < until_s and not watching.exists():
        time.sleep(0.01)
    watching.unlink(missing_ok=True)
    if not begins:
        time.sleep(dice.uniform(0.0, LONGEST_LIFE_S))


# -- the table --------------------------------------------------------------------------------------------------------


@cache
def film() -> tuple[Event, ...]:
    """What happens in the bundled film."""
    lines = [json.loads(line) for line in (BUNDLED / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    raw = [{k: v for k, v in line.items() if k != "type"} for line in lines if line["type"] == "event"]
    return tuple(event_from_dict(one) for one in raw)


def table() -> TableConfig:
    """The film's table."""
    return TableConfig.from_mapping(yaml.safe_load((BUNDLED / "table.yaml").read_text(encoding="utf-8")))


def script(times: int) -> list[Event]:
    """The film over and over; cards of another showing are other cards, the table opens once."""
    out: list[Event] = []
    for turn in range(times):
        for event in film():
            if turn and event.kind == "table_opened":
                continue
            more: dict[str, Any] = {"t_s": event.t_s + turn * PERIOD_S}
            for name, shift in (("since_s", turn * PERIOD_S), ("card_id", 1000 * turn)):
                if hasattr(event, name):
                    more[name] = getattr(event, name) + shift
            out.append(replace(event, **more))
    return out


def unbroken(until_s: float) -> Counter[tuple[int, str, int | None]]:
    """What rings up to a moment where nobody is killed: showing of the film, check, seat."""
    engine, found = Engine(table()), []
    for event in script(int(until_s // PERIOD_S) + 1):
        if event.t_s <= until_s:
            found += [(one, event.t_s) for one in engine.feed(event) if one.verdict is Verdict.BREACH]
    return Counter((_showing(t_s, one.check_id, one.seat), one.check_id, one.seat) for one, t_s in found)


@cache
def _moments() -> dict[tuple[str, int | None], float]:
    """When, in a showing of the film, each check fails."""
    engine, out = Engine(table()), {}
    for event in script(2):
        for one in engine.feed(event):
            if one.verdict is Verdict.BREACH:
                out[one.check_id, one.seat] = event.t_s % PERIOD_S
    return out


def _showing(t_s: float, check_id: str, seat: int | None) -> int:
    """Which showing of the film a finding is of: a house on a busy machine tells of it some seconds late."""
    return round((t_s - _moments().get((check_id, seat), PERIOD_S / 2)) / PERIOD_S)


def frames(began: float, now_s: float) -> Iterator[Frame]:
    """A camera's pictures from a moment on; its clock starts at 0 with each connection."""
    index = 0
    picture = np.full((simulated.SIZE[1], simulated.SIZE[0], 3), 90, np.uint8)
    while True:
        behind_s = now_s + index * FRAME_S - (time.time() - began) * simulated.SPEED
        if behind_s > 0:
            time.sleep(behind_s / simulated.SPEED)
        yield Frame(index, index * FRAME_S, picture)
        index += 1


def sight_of(began: float, events: Sequence[Event], config: TableConfig) -> Sight:
    """A connection to the camera."""
    rest: dict[str, Any] = {
        "calibration": SimpleNamespace(method="simulated", error_px=0.1, error_mm=0.1),
        "source": SimpleNamespace(close=lambda: None),
    }
    now_s = (time.time() - began) * simulated.SPEED
    watcher = ScriptedWatcher(events, lambda: now_s)
    return Sight(
        frames=frames(began, now_s), info=SourceInfo("simulated", simulated.SIZE, 1 / FRAME_S, None, True), watcher=watcher,
        view=View(simulated.LAYOUT, simulated.CAMERA), judge=Engine(config), **rest,
    )  # fmt: skip


# -- lives ------------------------------------------------------------------------------------------------------------


def _born(url: str, folder: Path, began: float, last: bool) -> int:
    child = os.fork()
    if child:
        return child
    try:
        _live(url, folder, began, last)
    finally:
        os._exit(0)


def _live(url: str, folder: Path, began: float, last: bool) -> None:
    clock, config = simulated.clock(began), table()
    events = script(int((time.time() - began + 10 * PEACE_S) * simulated.SPEED / PERIOD_S) + 3)
    store = Store(url)
    room = EvidenceRoom.open(folder / "evidence", clock)
    house = House(store, evidence=room, now=clock)
    local = AddressPolicy(WEBHOOKS.schemes, WEBHOOKS.named_schemes, ("127.0.0.1",))
    house.background.append(Delivery(store, shown, local, now=clock))

    def opened(_source: str, _setup: TableSetup) -> Sight:
        (folder / "watching").touch()
        return sight_of(began, events, config)

    setup = TableSetup(BUNDLED / "table.yaml", config, simulated.LAYOUT, (), "0" * 64)
    watched = LiveTable(
        setup, "rtsp://simulated", store, house.feed, evidence=room, spool=folder / "spool", now=clock,
        opened=opened,
    )  # fmt: skip
    house.tables[config.table_id] = watched
    _note_what_is_taken(folder / "witness", began)
    house.start()
    time.sleep(PEACE_S if last else 1e6)
    watched.stop()
    until_s = time.monotonic() + 60.0
    while time.monotonic() < until_s and _behind(store):
        time.sleep(0.2)
    house.stop()


def _behind(store: Store) -> bool:
    return any(one.position < store.last_position() for one in Webhooks(store).subscriptions())


def _note_what_is_taken(path: Path, began: float) -> None:
    """Writes down which alerts a recorder has taken, right after it did."""
    witness = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    record = Recorder.record

    def recorded(self: Recorder, step: RecordedStep, came_s: float) -> None:
        record(self, step, came_s)
        for alert in step.alerts:
            if alert.kind is AlertKind.FINDING:
                key = _key(alert.finding, moment_of(step.run["epoch_utc"]), began)
                os.write(witness, (json.dumps(key) + "\n").encode())

    Recorder.record = recorded  # type: ignore[method-assign]


def _key(finding: Any, epoch: datetime, began: float) -> tuple[int, str, int | None]:
    """Showing of the film, check, seat."""
    at = epoch + timedelta(seconds=float(finding["t_s"]))
    since_s = at.timestamp() - began
    return _showing(since_s, finding["check_id"], finding["seat"]), finding["check_id"], finding["seat"]


# -- the receiver -----------------------------------------------------------------------------------------------------


def _receiver(path: Path, seed: int) -> tuple[int, int]:
    """A process that takes webhooks and fails now and then; its number and port."""
    dice = random.Random(seed)

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            fails = dice.random() < FAILS
            if not fails:
                with path.open("a", encoding="utf-8") as file:
                    position = json.loads(body)["data"]["change"]["position"]
                    file.write(f"{position} {self.headers['webhook-id']}\n")
            self.send_response(500 if fails else 204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Taking)
    child = os.fork()
    if child:
        server.server_close()
        return child, server.server_port
    try:
        server.serve_forever()
    finally:
        os._exit(0)


# -- afterwards -------------------------------------------------------------------------------------------------------


def _compared(url: str, folder: Path, began: float, ended_s: float, kills: int) -> Report:
    store, expected = Store(url), unbroken(ended_s)
    room = EvidenceRoom.open(folder / "evidence", simulated.clock(began))
    alerts = [one for one in store.alerts(limit=100_000, oldest_first=True) if one.kind is AlertKind.FINDING]
    epochs = {one.run_id: store.epoch(one.run_id) for one in alerts}
    stored = Counter(_key(one.finding, epochs[one.run_id], began) for one in alerts)
    witness = [json.loads(line) for line in (folder / "witness").read_text(encoding="utf-8").splitlines()]
    taken = {(int(turn), str(check), seat) for turn, check, seat in witness}
    got = [line.split() for line in (folder / "received").read_text(encoding="utf-8").splitlines()]
    first = list(dict.fromkeys(int(position) for position, _ in got))
    ids = len({(position, name) for position, name in got})
    last, report = store.last_position(), verify(folder / "evidence")
    states = Counter(room.state_of(one)["state"] for one in alerts)
    out = Report(
        kills=kills, expected=sum(expected.values()), alerts=len(alerts),
        bridged=sum(_bridges(store, one.run_id, one.finding["events"]) for one in alerts),
        bundles=report.bundles, changes=last, lost=len(taken - set(stored)),
        doubled=sum((stored - expected).values()) - sum(1 for key in stored if key not in expected),
        accused=sum(1 for key in stored if key not in expected), without_bundle=states.total() - states["stored"],
        not_received=len(set(range(1, last + 1)) - set(first)),
        out_of_order=sum(a > b for a, b in itertools.pairwise(first)) + ids - len(first), genuine=report.genuine,
    )  # fmt: skip
    for one in alerts:
        key, state = _key(one.finding, epochs[one.run_id], began), room.state_of(one)
        wrong = [
            *(["not found by an unbroken watch"] if key not in expected else []),
            *([f"rang {stored[key]} times in run {one.run_id}"] if stored[key] > expected[key] > 0 else []),
            *([f"without bundle: {state['state']}, {state['detail']}"] if state["state"] != "stored" else []),
        ]
        if wrong:
            sys.stderr.write(f"{'; '.join(wrong)}: {json.dumps(one.finding)}\n")
    store.close()
    return out


def _bridges(store: Store, run_id: str, rests_on: Sequence[int]) -> bool:
    """Whether a finding rests on events from before the run was taken up and on later ones."""
    taken_up = store.event_numbers(run_id, "coverage_gap")
    return bool(taken_up and rests_on) and min(rests_on) < taken_up[0] < max(rests_on)


if __name__ == "__main__":
    sys.exit(main())
