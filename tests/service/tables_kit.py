"""A service whose tables are fakes that can be added, changed and paused like real ones."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
from service_fakes import frames, mapping, sight

from service.access.settings import CameraSettings, LimitSettings, Settings
from service.config import TableSetup
from service.house import House
from service.live.table import LiveTable
from service.sight import Sight
from service.store import Store
from service.tables.files import TableFiles
from service.tables.roster import Roster
from vision.frames.frame import Frame

CAMERA_FILE = "camera.png"


def house_with_tables(place: Path, *, named: tuple[Path, ...] = (), seconds: float = 600.0) -> House:
    """A house with a folder for tables, and one of recordings in which a picture of a felt lies."""
    recordings = place / "recordings"
    recordings.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(recordings / CAMERA_FILE), next(frames()).image)
    settings = Settings(
        cameras=CameraSettings(folders=(recordings,), hosts=("10.20.0.0/16",)), limits=LimitSettings(burst=10_000)
    )
    house = House(Store(f"sqlite:///{place}/tables.db"), settings=settings)
    open_roster(house, place / "tables", named, seconds)
    return house


def open_roster(house: House, folder: Path, named: tuple[Path, ...] = (), seconds: float = 600.0) -> Roster:
    def make(setup: TableSetup, source: str) -> LiveTable:
        def opened(name: str, table: TableSetup) -> Sight:
            seen = sight(name, table, live=True, seconds=seconds)
            return replace(seen, frames=_unhurried(seen.frames))

        return LiveTable(setup, source, house.store, house.feed, opened=opened, meters=house.meters, now=house.now)

    house.roster = Roster(house, TableFiles(folder, named), make)
    house.roster.open()
    return house.roster


def _unhurried(frames: Iterable[Frame]) -> Iterator[Frame]:
    """As fast as a camera would give them and no faster."""
    for frame in frames:
        time.sleep(0.05)
        yield frame


def table(**changes: Any) -> dict[str, Any]:
    """A configuration that is in order, with a camera that may be named."""
    return mapping(**({"camera": {"source": CAMERA_FILE}} | changes))


def submission(**changes: Any) -> dict[str, Any]:
    """The same with other keys in its Rules Submission."""
    raw = table()
    return raw | {"rules_submission": raw["rules_submission"] | changes}
