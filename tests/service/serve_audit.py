"""Serves the auditor's page over a few rounds: `python serve_audit.py PORT FOLDER`. Prints the token of a session first."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import uvicorn
from audit_fakes import NOW, ROUND, importer, write_lines
from service_fakes import opener, session_of, setup
from test_audit_routes import SHORT, review, watch

from service.evidence.retention import Policy
from service.evidence.room import EvidenceRoom
from service.house import House
from service.live.table import LiveTable, TableState
from service.store import Store
from service.web.app import create_app


def play(house: House) -> None:
    """A live table played to its end: an Ante paid short, with the clip that shows it."""
    table = LiveTable(setup(), "fake", house.store, house.feed, evidence=house.evidence, opened=opener(seconds=4.0))
    table._stop.wait = lambda timeout=None: False  # type: ignore[method-assign]
    table.start()
    while table.state is not TableState.STOPPED:
        time.sleep(0.02)
    assert house.evidence is not None
    house.evidence.writer.flush()


def main(port: int, folder: Path) -> None:
    url = f"sqlite:///{folder}/audit.db"
    taker = importer(url)
    taker.take(write_lines(folder / "a.jsonl", [ROUND, SHORT]), now=lambda: NOW)
    taker.database.close()
    room = EvidenceRoom.open(folder / "evidence", lambda: datetime.now(UTC), Policy(keep_free_bytes=0))
    house = House(Store(url), evidence=room)
    drawn, picture = cv2.imencode(".jpg", np.full((180, 320, 3), 90, np.uint8))
    assert drawn
    watch(house, picture.tobytes())
    review(house)
    play(house)
    sys.stdout.write(f"{session_of(house)}\n")
    sys.stdout.flush()
    uvicorn.run(create_app(house), host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
