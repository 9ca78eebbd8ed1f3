"""A worker process for tests: the table without camera and networks, at a pace at which it can be followed and killed."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from service_fakes import NOW, sight

from service.config import TableSetup
from service.reviews import worker as workers
from service.reviews.checkpoint import OURS
from service.sight import Sight
from service.store import Store
from vision.frames.frame import Frame

FRAME_S = float(os.environ.get("FAKE_FRAME_S", "0.02"))


def opened(source: str, _table: TableSetup) -> Sight:
    one = sight(source)

    def frames() -> Iterator[Frame]:
        for frame in one.frames:
            time.sleep(FRAME_S)
            yield frame

    return replace(one, frames=frames())


def opened_of(source: str, table: TableSetup) -> Sight:
    """The same script at the table that is asked for."""
    one = sight(source)
    table_id = table.table.table_id
    one.watcher.waiting = [replace(event, table_id=table_id) for event in one.watcher.waiting]  # type: ignore[attr-defined]
    found = one.judge

    class Judge:
        def _own(self, findings: Any) -> Any:
            return tuple(replace(f, table_id=table_id) for f in findings)

        def feed(self, event: Any) -> Any:
            return self._own(found.feed(event))

        def close(self) -> Any:
            return self._own(found.close())

        @property
        def rounds(self) -> Any:
            return found.rounds

        dropped_events = 0

        def forget_rounds(self) -> None:
            found.forget_rounds()

    return replace(one, judge=Judge())


def fixed_now() -> datetime:
    """A clock that stands; workers of a cluster are told to use it."""
    return NOW


def main() -> None:
    store = Store(os.environ[workers.DATABASE])
    worker = workers.Worker(
        store, workers.worker_name(), opened=opened, now=lambda: NOW, checkpoint_every_s=0.0, ours=(*OURS, "service_fakes")
    )  # fmt: skip
    signal.signal(signal.SIGTERM, lambda *_: worker.stop.set())
    worker.work()


if __name__ == "__main__":
    workers.BEAT_EVERY_S = 0.05
    workers.LOOK_EVERY_S = 0.1
    main()
