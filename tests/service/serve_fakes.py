"""Serves the screens of a table of fakes; `python serve_fakes.py PORT DATABASE`. The first loop of its recording rings twice.

Prints two lines first: the token of a session that may do everything, and a sign-in link's ticket.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import uvicorn
from service_fakes import TABLE, opener, session_of, setup

from service.evidence.retention import Policy
from service.evidence.room import EvidenceRoom
from service.house import House
from service.live.table import LiveTable
from service.store import Store
from service.web.app import create_app


def main(port: int, database: str) -> None:
    evidence = EvidenceRoom.open(
        Path(database).with_name("evidence"), lambda: datetime.now(UTC), Policy(keep_free_bytes=0)
    )
    house = House(Store(f"sqlite:///{database}"), evidence=evidence)
    house.tables[TABLE] = LiveTable(
        setup(), "fake", house.store, house.feed, evidence=evidence, repeat=True, opened=opener(seconds=6.0)
    )
    house.access.people.begin_without_password(now=house.now())
    sys.stdout.write(f"{session_of(house)}\n{house.access.link()}\n")
    sys.stdout.flush()
    uvicorn.run(create_app(house), host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
