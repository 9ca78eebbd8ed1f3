"""Worker processes of one machine: started with the service, started again when they die, ended with it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from service.reviews.office import RESULT
from service.reviews.queue import Ordered, ReviewQueue, State
from service.reviews.worker import DATABASE, worker_name
from service.store import Store
from service.store.base import AWAY

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
LAST_DONE = 100
"""How many finished reviews are looked at for new ones."""
END_WITHIN_S = 30.0
"""How long a worker may take to write where its review stands."""
AGAIN_S = (1.0, 5.0, 30.0, 300.0)
"""How long to wait before what follows a finished review is tried again, longer each time."""
TOLD = "told"
"""In a review's own folder: what follows a finished review was done."""


@dataclass(slots=True)
class Workers:
    """Keeps a number of worker processes running.

    Args:
        store: the service's; workers open its database by URL.
        count: how many.
        command: what a worker is; it finds the database's URL in its environment.
        now: the wall clock.
        done: called in the service's own process for every review that became done, e.g. to take in its evidence.
    """

    store: Store
    count: int = 1
    command: Sequence[str] = (sys.executable, "-m", "service.reviews.worker")
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    done: Callable[[Ordered], None] | None = None
    clock: Callable[[], float] = time.monotonic
    _told: set[int] = field(default_factory=set, init=False)
    _again: dict[int, tuple[int, float]] = field(default_factory=dict, init=False)
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Begins to keep workers running."""
        self._thread = threading.Thread(target=self._keep, name="review workers", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends all workers; reviews under way are written down and wait."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        for process in self._running:
            process.terminate()
        for process in self._running:
            try:
                process.wait(END_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self._release(process)
        self._running = []

    def pids(self) -> list[int]:
        """The processes now running."""
        return [process.pid for process in self._running if process.poll() is None]

    def _keep(self) -> None:
        while not self._stop.is_set():
            try:
                self._look()
            except (*AWAY, OSError):
                logger.exception("the review workers cannot be looked after now; it is tried again")
            self._stop.wait(LOOK_EVERY_S)

    def _look(self) -> None:
        dead = [process for process in self._running if process.poll() is not None]
        for process in dead:
            logger.error("a review worker ended with %s, another one is started", process.returncode)
            self._running.remove(process)
        while len(self._running) < self.count and not self._stop.is_set():
            self._running.append(subprocess.Popen(self.command, env=os.environ | {DATABASE: self.store.url}))
        for process in dead:
            self._release(process)
        self._tell_done()

    def _last_done(self) -> list[Ordered]:
        return ReviewQueue(self.store).page(state=State.DONE, limit=LAST_DONE) if self.done is not None else []

    def _tell_done(self) -> None:
        for one in reversed(self._last_done()):
            tries, at_s = self._again.get(one.review_id, (0, 0.0))
            if one.review_id in self._told or self.done is None or self.clock() < at_s:
                continue
            told = Path(one.folder) / TOLD
            try:
                if (Path(one.folder) / RESULT).is_dir() and not told.exists():
                    self.done(one)
                    told.touch()
                self._told.add(one.review_id)
            except Exception:  # the outermost loop of the workers; the review itself is recorded
                wait_s = AGAIN_S[min(tries, len(AGAIN_S) - 1)]
                logger.exception("the evidence of review %s was not taken in, again in %s s", one.review_id, wait_s)
                self._again[one.review_id] = tries + 1, self.clock() + wait_s

    def _release(self, process: subprocess.Popen[bytes]) -> None:
        try:
            ReviewQueue(self.store).release_lost(now=self.now(), worker=worker_name(process.pid))
        except AWAY:  # its review is found without a beat
            logger.exception("the review of worker %s cannot be given back now", process.pid)
