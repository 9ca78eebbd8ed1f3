"""A live table killed at random moments: no alert lost, none doubled, every alert with a bundle or a word, all of it verifies."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from service_fakes import NOW

from service.evidence.room import EvidenceRoom
from service.evidence.verify import verify
from service.house import House
from service.store import Store

HERE = Path(__file__).parent
KILLS = 20

SERVICE = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from service_fakes import opener, setup
from service.evidence.room import EvidenceRoom
from service.house import House
from service.live.table import LiveTable
from service.store import Store
folder = Path(sys.argv[1])
now = lambda: datetime.now(UTC)
room = EvidenceRoom.open(folder / "evidence", now)
house = House(Store(f"sqlite:///{folder}/s.db"), evidence=room, now=now)
house.tables["t"] = LiveTable(setup(), "fake", house.store, house.feed, repeat=True, evidence=room, opened=opener(), now=now)
house.start()
print("watching", flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_kills_at_random_moments_lose_and_double_nothing(tmp_path: Path) -> None:
    rng = random.Random(11)
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", SERVICE, str(tmp_path)], stdout=subprocess.PIPE, cwd=HERE
        ) as service:
            assert service.stdout is not None
            assert service.stdout.readline() == b"watching\n"
            time.sleep(rng.uniform(0.5, 9.0))
            service.send_signal(signal.SIGKILL)
    house = House(
        Store(f"sqlite:///{tmp_path}/s.db"),
        evidence=EvidenceRoom.open(tmp_path / "evidence", lambda: NOW),
        now=lambda: NOW,
    )
    house.start()
    room = house.evidence
    assert room is not None
    alerts = house.store.alerts(limit=1000)
    assert len(alerts) >= KILLS // 2
    assert len({(alert.run_id, alert.finding_id) for alert in alerts}) == len(alerts)
    states = [room.state_of(alert)["state"] for alert in alerts]
    assert set(states) == {"stored"}
    house.stop()
    report = verify(tmp_path / "evidence")
    assert report.genuine, report.issues
    assert report.bundles == len(alerts)
