"""Worker processes of one machine: started with the service, started again when they die, ended with it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from service.reviews.queue import Ordered, ReviewQueue, State
from service.reviews.worker import DATABASE, worker_name
from service.store import Store

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
LAST_DONE = 100
"""How many finished reviews are looked at for new ones."""
END_WITHIN_S = 30.0
"""How long a worker may take to write where its review stands."""


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
    _known_done: set[int] = field(default_factory=set, init=False)
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
        self._known_done = {one.review_id for one in self._last_done()}
        while not self._stop.is_set():
            self._tell_done()
            dead = [process for process in self._running if process.poll() is not None]
            for process in dead:
                logger.error("a review worker ended with %s, another one is started", process.returncode)
                self._running.remove(process)
                self._release(process)
            while len(self._running) < self.count and not self._stop.is_set():
                self._running.append(subprocess.Popen(self.command, env=os.environ | {DATABASE: self.store.url}))
            self._stop.wait(LOOK_EVERY_S)

    def _last_done(self) -> list[Ordered]:
        return ReviewQueue(self.store).page(state=State.DONE, limit=LAST_DONE) if self.done is not None else []

    def _tell_done(self) -> None:
        for one in reversed(self._last_done()):
            if one.review_id not in self._known_done and self.done is not None:
                self._known_done.add(one.review_id)
                try:
                    self.done(one)
                except Exception:  # the outermost loop of the workers; the review itself is recorded
                    logger.exception("the evidence of review %s was not taken in", one.review_id)

    def _release(self, process: subprocess.Popen[bytes]) -> None:
        ReviewQueue(self.store).release_lost(now=self.now(), worker=worker_name(process.pid))
