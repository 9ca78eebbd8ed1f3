"""A camera and a table without pictures to speak of: events and breaches by the clock, for measurements of the service.

Time runs `SPEED` times as fast as the wall clock. Frame k shows the moment k frames after the table's beginning, whoever
watches and however often: every fourth frame brings an event, every twelfth a breach, of twelve places in turn, so that a
place has a breach about once a minute of capture time, like the rounds of a real table.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from calibration.camera import Camera
from calibration.layout import load_layout
from rules.events import CardTurned, Event, Face
from rules.findings import Finding, Severity, Verdict, finding_id, finding_to_dict
from rules.table import TableConfig
from service.config import TableSetup
from service.evidence.pictures import View
from service.sight import Sight
from vision.frames.frame import Frame
from vision.frames.source import SourceInfo
from vision.seen import Seen

SPEED = 20.0
FRAME_S = 0.4
"""Capture time between two frames."""
EVENT_EVERY, BREACH_EVERY, PLACES = 4, 12, 12
REWIND_S = 3.0
"""A connection begins up to so long ago: cameras and recorders send what they still hold."""
RECORDED, RECORDED_FRAME_S = 720, 0.01
"""Frames of the recording and the time between two: every incident of it has a place of its own."""
SIZE = (160, 90)
LAYOUT = load_layout("raise_it_up_6")
CAMERA = Camera.looking_at((0.0, 560.0, 2400.0), (0.0, 540.0, 0.0), 0.0, 170.0, SIZE)


def clock(began: float) -> Callable[[], datetime]:
    """The wall clock of the simulated house, which began at a moment of `time.time`."""
    return lambda: datetime.fromtimestamp(began, UTC) + timedelta(seconds=(time.time() - began) * SPEED)


def table_setup(table_id: str) -> TableSetup:
    """A table to watch."""
    raw: dict[str, Any] = {
        "version": 1, "table_id": table_id, "game": "raise_it_up", "layout": "raise_it_up_6",
        "rules_submission": {
            "dealing": "manual_shoe", "seats": 6, "shuffler": {"automated": False, "counts_cards": False}, "decks": 1,
            "paytables": {"pair_plus": "A", "six_card_bonus": "B"},
        },
    }  # fmt: skip
    return TableSetup(Path("table.yaml"), TableConfig.from_mapping(raw), LAYOUT, (), "0" * 64)


def frames(began: float, dice: random.Random) -> Iterator[Frame]:
    """The table from now on, or from a little before; the stream's own clock starts anywhere."""
    now_s = (time.time() - began) * SPEED
    index = first = max(0, int((now_s - dice.uniform(0.0, REWIND_S)) / FRAME_S))
    start_s = dice.uniform(0.0, 1000.0)
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    while True:
        behind_s = index * FRAME_S - (time.time() - began) * SPEED
        if behind_s > 0:
            time.sleep(behind_s / SPEED)
        yield Frame(index, start_s + (index - first) * FRAME_S, picture)
        index += 1


@dataclass(slots=True)
class SimulatedWatcher:
    """Says what its frames bring."""

    table_id: str
    seen: Seen = field(default_factory=lambda: Seen(-1, 0.0))
    unsettled: frozenset[str] = frozenset()

    def frame(self, frame: Frame) -> Sequence[Event]:
        """An event every fourth frame."""
        self.seen = Seen(frame.index, frame.t_s)
        if frame.index % EVENT_EVERY:
            return ()
        return (
            CardTurned(
                table_id=self.table_id,
                t_s=frame.t_s,
                area="community.4th",
                card_id=frame.index,
                face=Face.UP,
                frames=(frame.index,),
            ),
        )

    def close(self) -> Sequence[Event]:
        """Nothing is left."""
        return ()


@dataclass(slots=True)
class SimulatedJudge:
    """Objects every twelfth frame; counts rounds anew with every run, as the engine does."""

    table_id: str
    witness: Callable[[int], None]
    unique: bool = False
    rounds: tuple[()] = ()
    dropped_events: int = 0
    _round: int = 0

    def feed(self, event: Event) -> Sequence[Finding]:
        """A breach, or nothing."""
        number = event.frames[0] if event.frames else 1
        if number % BREACH_EVERY:
            return ()
        self._round += 1
        self.witness(number)
        check = f"RIU-SIM-{number if self.unique else number // BREACH_EVERY // (PLACES // 2) % 2}"
        return (breach(self.table_id, f"{self.table_id}-r{self._round:04d}", check, number, event.t_s),)

    def forget_rounds(self) -> None:
        """There are none."""

    def close(self) -> Sequence[Finding]:
        """Nothing is left."""
        return ()


def breach(table_id: str, round_id: str, check_id: str, number: int, t_s: float) -> Finding:
    """Incident `number`: a payout that is short."""
    seat = number // BREACH_EVERY % (PLACES // 2) + 1
    area = f"seat{seat}.ante"
    return Finding(
        finding_id=finding_id(table_id, round_id, check_id, seat, area), check_id=check_id, verdict=Verdict.BREACH,
        severity=Severity.CRITICAL, citation="58 Pa. Code § 669a.12(b)", table_id=table_id, round_id=round_id, seat=seat,
        area=area, t_s=t_s, since_s=t_s, expected="$15", seen="paid $10", text=f"Incident {number}.", frames=(number,),
    )  # fmt: skip


def finding_of(table_id: str, number: int) -> dict[str, Any]:
    """An incident of a round of its own, as JSON values."""
    return finding_to_dict(breach(table_id, f"{table_id}-r{number:04d}", "RIU-SIM-0", number, 60.0 * number))


def recorded() -> Iterator[Frame]:
    """A recording: `RECORDED` frames, played from the start."""
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    for index in range(RECORDED):
        yield Frame(index, index * RECORDED_FRAME_S, picture)


def simulated_sight(
    table_id: str, began: float, dice: random.Random, witness: Callable[[int], None], *, recording: bool = False
) -> Sight:
    """A connection to the simulated camera, or a recording of it."""
    info = SourceInfo("simulated", SIZE, 10.0, RECORDED if recording else None, not recording)
    calibration, source = (
        SimpleNamespace(method="simulated", error_px=0.1, error_mm=0.1),
        SimpleNamespace(close=lambda: None),
    )
    parts: dict[str, Any] = {"calibration": calibration, "source": source}
    watcher, judge = SimulatedWatcher(table_id), SimulatedJudge(table_id, witness, unique=recording)
    return Sight(
        frames=recorded() if recording else frames(began, dice), info=info, view=View(LAYOUT, CAMERA), watcher=watcher,
        judge=judge, **parts,
    )  # fmt: skip
