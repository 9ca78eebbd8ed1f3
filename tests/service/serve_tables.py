"""Serves the screens of a house whose tables are fakes; `python serve_tables.py PORT FOLDER`. Pictures of cameras are real.

Prints the first administrator's one-time password, and the token of a session that may do everything.
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn
from service_fakes import session_of
from tables_kit import house_with_tables

from service.web.app import create_app


def main(port: int, folder: Path) -> None:
    house = house_with_tables(folder)
    sys.stdout.write(f"{house.access.people.begin(now=house.now())}\n{session_of(house)}\n")
    sys.stdout.flush()
    uvicorn.run(create_app(house), host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
