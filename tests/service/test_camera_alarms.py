"""A camera that is black, covered, frozen, damaged or knocked: the alert rings within three seconds of capture time, with its gap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from drawn import DrawnChipReader, DrawnDetector, DrawnReader, DrawnTable, Things

from rules.events import CoverageGap, Event
from service.live.camera_faults import CameraFaults
from vision.frames.frame import Frame
from vision.frames.picture import Image
from vision.pipeline import TableWatcher, WatchedTable

FPS = 6.0
BROKEN_S, BACK_S, END_S = 4.0, 9.0, 14.0
NOTICED_S = 3.0


@pytest.fixture(scope="module")
def table() -> DrawnTable:
    return DrawnTable()


def picture_of(table: DrawnTable, fault: str) -> Callable[[int], tuple[Image, bool]]:
    """The picture of a frame while the fault lasts, and whether it came damaged."""
    still, turned = table.draw(Things()), DrawnTable(turned_mm=(14.0, -7.0)).draw(Things())
    dice = np.random.default_rng(5)

    def noisy(image: Image) -> Image:
        shaken = image.astype(np.int16) + dice.integers(-2, 3, image.shape, np.int16)
        return np.asarray(np.clip(shaken, 0, 255), np.uint8)

    ways: dict[str, Callable[[], tuple[Image, bool]]] = {
        "": lambda: (noisy(still), False),
        "camera_black": lambda: (noisy(np.full_like(still, 2)), False),
        "camera_blocked": lambda: (noisy(np.full_like(still, 90)), False),
        "camera_frozen": lambda: (still, False),
        "camera_corrupt": lambda: (noisy(still), True),
        "camera_moved": lambda: (noisy(turned), False),
    }
    return lambda index: ways[fault if BROKEN_S <= index / FPS < BACK_S else ""]()


@pytest.mark.parametrize("fault", ["camera_black", "camera_blocked", "camera_frozen", "camera_corrupt", "camera_moved"])
def test_a_fault_rings_within_three_seconds_and_is_a_gap(table: DrawnTable, fault: str) -> None:
    networks = DrawnDetector(), DrawnReader(), DrawnChipReader()
    watcher = TableWatcher(WatchedTable("t1", {"red": 500}), table.layout, table.camera, *networks)
    faults, picture = CameraFaults("t1"), picture_of(table, fault)
    rang: dict[str, float] = {}
    events: list[Event] = []
    for index in range(int(END_S * FPS)):
        image, damaged = picture(index)
        events += watcher.frame(Frame(index, index / FPS, image, damaged=damaged))
        for one in faults.feed(watcher.seen.gaps, index / FPS).began:
            rang.setdefault(one["check_id"], index / FPS)
    events += watcher.close()
    names = {
        "CAMERA-" + fault.removeprefix("camera_").upper(),
        "CAMERA-UNCALIBRATED" if fault == "camera_moved" else "",
    }
    assert set(rang) & names, rang
    assert set(rang) <= names
    assert min(rang.values()) - BROKEN_S <= NOTICED_S
    gaps = [event for event in events if isinstance(event, CoverageGap)]
    assert gaps[0].since_s <= BROKEN_S + 1 / FPS
    assert gaps[-1].t_s >= BACK_S - 1e-6
