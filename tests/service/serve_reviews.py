"""Serves the reviews of a table of fakes; `python serve_reviews.py PORT FOLDER`. Prints the token of a session that may do everything."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import uvicorn
from service_fakes import TABLE, session_of

from service.house import House
from service.reviews.opening import ReviewChoices, open_reviews
from service.reviews.workers import Workers
from service.store import Store
from service.web.app import create_app


def main(port: int, folder: Path) -> None:
    house = House(Store(f"sqlite:///{folder}/s.db"))
    root = folder / "recordings"
    open_reviews(house, ReviewChoices(folder / "reviews", (root,), (root / "table.yaml",), 0))
    os.environ["FAKE_FRAME_S"] = "0.05"
    worker = (sys.executable, str(Path(__file__).with_name("fake_worker.py")))
    house.workers = Workers(house.store, 1, worker)
    assert house.office is not None
    assert list(house.office.settings.tables) == [TABLE]
    sys.stdout.write(f"{session_of(house)}\n")
    sys.stdout.flush()
    uvicorn.run(create_app(house), host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
