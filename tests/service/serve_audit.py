"""Serves the auditor's page over a few rounds: `python serve_audit.py PORT FOLDER`. Prints the token of a session first."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import uvicorn
from audit_fakes import NOW, ROUND, importer, write_lines
from service_fakes import session_of
from test_audit_routes import SHORT, watch

from service.app import create_app
from service.house import House
from service.store import Store


def main(port: int, folder: Path) -> None:
    url = f"sqlite:///{folder}/audit.db"
    taker = importer(url)
    taker.take(write_lines(folder / "a.jsonl", [ROUND, SHORT]), now=lambda: NOW)
    taker.database.close()
    house = House(Store(url))
    drawn, picture = cv2.imencode(".jpg", np.full((180, 320, 3), 90, np.uint8))
    assert drawn
    watch(house, picture.tobytes())
    sys.stdout.write(f"{session_of(house)}\n")
    sys.stdout.flush()
    uvicorn.run(create_app(house), host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
