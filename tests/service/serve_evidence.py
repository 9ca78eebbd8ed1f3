"""Serves evidence of which some is due; `python serve_evidence.py PORT FOLDER`. Prints the token of a supervisor's session."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import uvicorn
from service_fakes import TABLE, finding, session_of

from rules.findings import finding_to_dict
from service.access.roles import Role
from service.evidence.intake import recover
from service.evidence.pictures import encode
from service.evidence.retention import Policy
from service.evidence.room import EvidenceRoom
from service.house import House
from service.store import Action, Picture, Store
from service.web.app import create_app

POLICY = Policy(30, bundles_days={"dismissed": 60, "critical": 365}, clips_days={"confirmed": 45}, keep_free_bytes=0)


def main(port: int, folder: Path) -> None:
    clock = [datetime.now(UTC) - timedelta(days=90)]
    room = EvidenceRoom.open(folder / "evidence", lambda: clock[0], POLICY)
    house = House(Store(f"sqlite:///{folder}/s.db"), evidence=room)
    house.store.open_run("live-1", table_id=TABLE, origin="live", opened_utc=clock[0], about={})
    picture = Picture("1.jpg", encode(np.full((270, 480, 3), (40, 90, 40), np.uint8)), caption="0:02 card turned")
    for number, action in enumerate((Action.DISMISS, Action.CONFIRM, Action.DISMISS, None), start=1):
        alert, _ = house.store.add_alert("live-1", finding_to_dict(finding(number, t_s=100.0 * number)), raised_utc=clock[0], pictures=[picture])  # fmt: skip
        if action is not None:
            house.store.take_step(alert.seq, action, by="ann", at_utc=clock[0], reason="looked at")
        recover(room, house.store)
    clock[0] = datetime.now(UTC)
    sys.stdout.write(f"{session_of(house, Role.SUPERVISOR, name='ann')}\n")
    sys.stdout.flush()
    uvicorn.run(create_app(house), host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
