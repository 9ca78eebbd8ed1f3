"""A live table whose process ends in the middle of a round: the round is taken up from the store and judged on."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from amended import amended  # noqa: F401
from rounds import build, seat, table
from service_fakes import BY_HAND, CAMERA, LAYOUT, NOW

from rules.dated import law_of
from rules.engine import STATE_VERSION, Engine
from rules.events import Event, event_to_dict
from rules.findings import Verdict
from service.audit.calendar import ShiftPlan
from service.bench.scripted import ScriptedWatcher
from service.config import TableSetup
from service.evidence.pictures import View
from service.feed import Feed
from service.live.lying import Lying
from service.live.standing import LONGEST_AWAY, basis_files, basis_of, stored, taken_up
from service.live.table import LiveTable
from service.reviews.basis import ROOT
from service.reviews.checkpoint import plain_state
from service.sight import Sight
from service.store import Store
from service.store.runs import Stood
from vision.frames.frame import Frame
from vision.frames.source import Source, SourceError, SourceInfo

FPS = 2.0
PICTURE = np.zeros((54, 96, 3), np.uint8)


def script() -> list[Event]:
    """Seat 1 makes a Play Wager of four times the Ante at the first decision; seat 3's Ante is paid short at the end."""
    round_ = build([seat(1, "Th 8c 2d", 1, 4), seat(3, "Ac Ad 6h", 2, 2)])
    round_.change("pay:3.ante", amount_cents=500)
    return round_.events


def at_of(events: Sequence[Event], area: str) -> float:
    return next(event.t_s for event in events if getattr(event, "area", None) == area)


class House:
    """A casino with one camera whose stream counts from anywhere, and a clock."""

    def __init__(self, tmp_path: Path, events: Sequence[Event], config: Any = None) -> None:
        self.events, self.config = events, config or table()
        self.store = Store(f"sqlite:///{tmp_path}/a.db")
        self.spool = tmp_path / "spool"
        self.now_s, self.began = 0.0, NOW
        self.sha256 = "0" * 64

    def frames(self, until_s: float, stream_s: float) -> Iterator[Frame]:
        began_s = self.now_s
        while self.now_s < until_s:
            yield Frame(int((self.now_s - began_s) * FPS), stream_s + self.now_s - began_s, PICTURE)
            self.now_s += 1 / FPS
        raise SourceError("the cable was pulled")

    def sight(self, until_s: float, stream_s: float, day: date | None) -> Sight:
        info = SourceInfo("rtsp://sim", (96, 54), FPS, None, True)
        watcher = ScriptedWatcher(self.events, lambda: self.now_s)
        return Sight(
            frames=self.frames(until_s, stream_s), info=info, calibration=BY_HAND, view=View(LAYOUT, CAMERA),
            watcher=watcher, judge=Engine(self.config, day=day), source=Source(info, iter(()), lambda: None),
        )  # fmt: skip

    def process(self, *until: float, away_s: float = 2.0) -> LiveTable:
        """A process that watches, loses its camera at each of the times, finds it again, and is killed at the last."""
        left = list(until)
        setup = TableSetup(Path("table.yaml"), self.config, LAYOUT, (), self.sha256)

        def opened(_source: str, asked: TableSetup) -> Sight:
            if len(left) < len(until):
                self.now_s += away_s
            until_s = left.pop(0)
            if not left:
                live._stop.is_set = lambda: self.now_s >= until_s  # type: ignore[method-assign]
            return self.sight(until_s, stream_s=100.0 * len(left), day=asked.day)

        live = LiveTable(
            setup, "rtsp://sim", self.store, Feed(), opened=opened, spool=self.spool,
            now=lambda: self.began + timedelta(seconds=self.now_s),
            plan=ShiftPlan(zone=ZoneInfo("America/New_York")),
        )  # fmt: skip
        live._stop.wait = lambda timeout=None: False  # type: ignore[method-assign]
        live._recorder.start()
        live._keep_watching()
        live._recorder._stop.set()
        live._recorder._wake.set()
        assert live._recorder._thread is not None
        live._recorder._thread.join(30.0)
        assert live._recorder._file is not None
        live._recorder._file.close()
        return live

    def rang(self) -> list[tuple[str, int | None, str]]:
        found = [a.finding for a in self.store.alerts(limit=500) if a.kind == "finding"]
        return sorted((f["check_id"], f["seat"], f["round_id"]) for f in found)


PLAYED = ("RIU-PLAY-AMT-1", 1, "riu-test-r0001")


def test_unbroken_both_mistakes_ring(tmp_path: Path) -> None:
    house = House(tmp_path, script())
    house.process(script()[-1].t_s + 6.0)
    assert [(check, seat) for check, seat, _ in house.rang()] == [("RIU-PLAY-AMT-1", 1), ("RIU-SET-ANTE", 3)]


@pytest.mark.parametrize("how", ["killed", "camera lost"])
def test_a_wager_is_judged_by_what_was_seen_before_the_end_of_the_process(tmp_path: Path, how: str) -> None:
    events = script()
    house = House(tmp_path, events)
    before_s, end_s = at_of(events, "seat1.play") - 7.0, events[-1].t_s + 6.0
    if how == "killed":
        house.process(before_s)
        house.now_s += 1.0
        house.process(end_s)
    else:
        house.process(before_s, end_s, away_s=1.0)
    assert PLAYED in house.rang()
    alert = next(a for a in house.store.alerts() if a.check_id == PLAYED[0])
    kept = house.store.events(alert.run_id, limit=10_000)
    gaps = [event for event in kept if event["kind"] == "coverage_gap"]
    assert [(gap["cause"], gap["area"]) for gap in gaps][-1:] == [("camera_lost", None)]
    gone_s = before_s + (100.0 if how == "camera lost" else 0.0)
    assert gaps[-1]["since_s"] <= gone_s < gaps[-1]["t_s"] <= gone_s + 8.0
    assert [event["kind"] for event in kept][:2] == ["coverage_gap", "wager_placed"], "the open round is whole here too"
    assert sum(event["kind"] == "card_placed" for event in kept) == 9, "no card was taken for another one"
    assert [r["round_id"] for r in house.store.rounds(alert.run_id)] == ["riu-test-r0001"]


def test_killed_everywhere_nothing_rings_twice_and_nobody_is_accused(tmp_path: Path) -> None:
    events = script()
    for number, at_s in enumerate(np.linspace(14.0, events[-1].t_s, 4)):
        folder = tmp_path / str(number)
        folder.mkdir()
        house = House(folder, events)
        for until_s in (at_s, at_s + 6.0, events[-1].t_s + 8.0):
            house.process(until_s)
            house.now_s += 0.7
        rang = house.rang()
        assert len(set(rang)) == len(rang)
        assert {(check, seat) for check, seat, _ in rang} <= {("RIU-PLAY-AMT-1", 1), ("RIU-SET-ANTE", 3)}


def test_rounds_are_numbered_on_and_the_state_after_the_last_is_gone_on_from(tmp_path: Path) -> None:
    first, second = script(), build([seat(1, "Th 8c 2d", 1, 4)], t_s=300.0, first_card_id=400).events
    house = House(tmp_path, [*first, *second])
    house.process(at_of(second, "seat1.play") - 7.0)
    stood = house.store.stood("riu-test")
    assert stood is not None
    assert stood.number > len(first) - 5, "what led to the first round's end is not judged again"
    assert 0 < len(stood.events) < len(second)
    house.now_s += 1.0
    house.process(second[-1].t_s + 6.0)
    assert ("RIU-PLAY-AMT-1", 1, "riu-test-r0002") in house.rang()


def test_after_a_long_time_or_another_configuration_the_round_is_left(tmp_path: Path) -> None:
    events = script()
    for number, (away_s, sha256) in enumerate([(LONGEST_AWAY.total_seconds() + 60.0, "0" * 64), (1.0, "1" * 64)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        late = [replace(e, t_s=e.t_s + away_s) if e.t_s > at_of(events, "seat1.play") - 5.0 else e for e in events]
        house = House(folder, late)
        house.process(at_of(events, "seat1.play") - 7.0)
        house.now_s += away_s
        house.sha256 = sha256
        house.process(late[-1].t_s + 6.0)
        assert house.rang() == []


def test_a_state_holds_nothing_but_our_own_classes() -> None:
    state = plain_state(stored(Engine(table()), Lying()))
    assert isinstance(state, tuple)
    judge, lying = state
    assert isinstance(judge, Engine)
    assert isinstance(lying, Lying)
    with pytest.raises(pickle.UnpicklingError, match="no place"):
        plain_state(pickle.dumps(print))
    assert stored(object(), Lying()) == b""  # type: ignore[arg-type]


def test_a_state_is_read_by_the_same_law_and_table_only() -> None:
    named = {path.relative_to(ROOT).as_posix() for path in basis_files()}
    assert {"rules/engine.py", "rules/rounds.py", "rules/checks/dealing.py", "service/live/lying.py"} <= named
    assert any(name.endswith(".yaml") for name in named)
    assert all((ROOT / name).is_file() for name in named)


def test_a_state_of_another_version_leaves_its_open_round(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    setup = TableSetup(Path("table.yaml"), table(), LAYOUT, (), "0" * 64)
    stood = Stood("a", 0, 0, basis_of(setup), stored(Engine(table()), Lying()), ())
    assert taken_up(stood, setup, ShiftPlan(zone=ZoneInfo("UTC"))) is not None
    monkeypatch.setattr("rules.engine.STATE_VERSION", STATE_VERSION + 1)
    assert taken_up(stood, setup, ShiftPlan(zone=ZoneInfo("UTC"))) is None
    assert "its open round is left" in caplog.text


def honest_rounds(count: int) -> list[list[Event]]:
    with law_of(date(2029, 12, 31)):
        return [build(t_s=300.0 * n + 30.0, first_card_id=100 * (n + 1)).events for n in range(count)]


@pytest.mark.usefixtures("amended")
def test_a_text_of_a_day_to_come_judges_no_table_before(tmp_path: Path) -> None:
    (played,) = honest_rounds(1)
    house = House(tmp_path, played, table(seats=4))
    house.process(played[-1].t_s + 6.0)
    assert house.rang() == []


@pytest.mark.usefixtures("amended")
@pytest.mark.parametrize("killed", [False, True])
def test_past_midnight_the_next_round_is_judged_by_the_new_text(tmp_path: Path, killed: bool) -> None:
    first, second, third = honest_rounds(3)
    house = House(tmp_path, [*first, *second, *third], table(seats=4))
    midnight_s = (second[0].t_s + second[-1].t_s) / 2
    house.began = datetime(2030, 1, 1, 5, tzinfo=UTC) - timedelta(seconds=midnight_s)  # midnight in New York
    if killed:
        house.process(third[0].t_s - 30.0)
        house.now_s += 1.0
    house.process(third[-1].t_s + 6.0)
    assert {(check, round_id) for check, _, round_id in house.rang()} == {("RIU-SET-ANTE", "riu-test-r0003")}


@pytest.mark.usefixtures("amended")
def test_an_open_round_that_is_judged_again_is_judged_by_the_law_of_its_own_day() -> None:
    (played,) = honest_rounds(1)
    config, zone = table(seats=4), ShiftPlan(zone=ZoneInfo("America/New_York"))
    setup = TableSetup(Path("table.yaml"), config, LAYOUT, (), "0" * 64)
    state = stored(Engine(config, day=date(2029, 12, 31)), Lying())
    for hour, found in ((4, set()), (5, {"RIU-SET-ANTE"})):
        epoch_ms = int(datetime(2030, 1, 1, hour, tzinfo=UTC).timestamp() * 1000)
        stood = Stood("a", epoch_ms, 0, basis_of(setup), state, tuple(map(event_to_dict, played)))
        standing = taken_up(stood, setup, zone)
        assert standing is not None
        assert {one.check_id for one in standing.found if one.verdict is Verdict.BREACH} == found
