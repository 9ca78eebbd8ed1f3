"""Between a live table and the store: what is recorded is on disk at once, and in the database as soon as it answers."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from service.errors import ServiceError
from service.feed import Feed
from service.feed.metrics import Meters
from service.live.spool import Spool
from service.store import Store
from service.store.base import AWAY
from service.store.recording import RecordedStep, step_from_bytes, step_to_bytes

logger = logging.getLogger(__name__)

RETRY_S = (0.2, 0.5, 1.0, 2.0, 5.0)
DONE_WITHIN_S = 5.0


@dataclass(slots=True)
class Recorder:
    """Records the steps of one table, in order, each once.

    Args:
        table_id: of the table, for the meters.
        store: where to.
        feed: woken for new alerts.
        meters: told of latency and of what waits.
        spool: file in which steps wait; None: straight into the store, in the thread that records.
    """

    table_id: str
    store: Store
    feed: Feed
    meters: Meters
    spool: Path | None = None
    rejected: int = field(default=0, init=False)
    _file: Spool | None = field(default=None, init=False)
    _since: deque[float] = field(default_factory=deque, init=False)
    _told: deque[tuple[str, bool]] = field(default_factory=lambda: deque(maxlen=1000), init=False)
    _wake: threading.Event = field(default_factory=threading.Event, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Opens the spool and begins to store what waits in it, also from before a crash."""
        if self.spool is None or (self._thread is not None and self._thread.is_alive()):
            return
        if self._file is None:
            self._file = Spool(self.spool)
            self._reject(self._file.damaged)
            self._since.extend([time.monotonic()] * len(self._file))
        self._thread = threading.Thread(target=self._keep_storing, name=f"records {self.table_id}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stores what waits if the database answers soon; what does not fit in stays on disk."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None and self._file is not None:
            self._thread.join(DONE_WITHIN_S)
            if not self._thread.is_alive():
                self._file.close()
                self._file = None

    def record(self, step: RecordedStep, came_s: float) -> None:
        """Keeps a step; it is never lost once this returns.

        Args:
            step: what is recorded together.
            came_s: `time.monotonic` when the frame came that brought it.

        Raises:
            OSError: it cannot be written to disk.
            sqlalchemy.exc.SQLAlchemyError: there is no spool, and the store does not take it.
        """
        if self._file is None:
            self._stored(step, self.store.record(step), came_s)
            return
        record = step_to_bytes(step)
        self._since.append(came_s)  # before its record, which may be stored and taken out at once
        try:
            self._file.append(record)
        except OSError:
            self._since.pop()
            raise
        self._wake.set()

    @property
    def waiting(self) -> int:
        """How many steps are not in the database yet."""
        return len(self._file) if self._file is not None else 0

    def measure(self) -> None:
        """Brings the meters of what waits up to date."""
        oldest = self._since[0] if self._since else None
        age_s = time.monotonic() - oldest if oldest is not None else 0.0
        self.meters.queue_age.labels(self.table_id).set(age_s)
        self.meters.queued.labels(self.table_id).set(self.waiting)

    def _keep_storing(self) -> None:
        assert self._file is not None
        failures = 0
        while True:
            record = self._file.first()
            if record is None:
                if self._stop.is_set():
                    return
                self._wake.wait(1.0)
                self._wake.clear()
                continue
            try:
                step = step_from_bytes(record)
                new = self.store.record(step)
            except AWAY as error:  # anything else is the record's own fault
                if self._stop.is_set():
                    return
                logger.warning(
                    "table %s: the database is away, %d steps wait on disk (%s)", self.table_id, self.waiting, error
                )
                failures = self._waited(failures)
                continue
            except Exception:  # one record must not hold up all others; it is kept, and loud
                logger.exception("table %s: a step cannot be recorded", self.table_id)
                if not self._put_aside(record):
                    if self._stop.is_set():
                        return
                    failures = self._waited(failures)
                    continue
                step, new = RecordedStep({}), frozenset()
            failures = 0
            self._file.drop_first()
            self._stored(step, new, self._since.popleft())

    def told(self) -> list[tuple[str, bool]]:
        """Which alerts were stored since the last call: the finding's id, and whether it is a new incident."""
        return [self._told.popleft() for _ in range(len(self._told))]

    def settle(self, wait_s: float) -> None:
        """Waits until everything is stored, not longer than so many seconds."""
        until_s = time.monotonic() + wait_s
        while self.waiting and time.monotonic() < until_s and not self._stop.is_set():
            time.sleep(0.01)

    def _stored(self, step: RecordedStep, new: frozenset[str], came_s: float) -> None:
        self._told.extend((alert.finding["finding_id"], alert.finding["finding_id"] in new) for alert in step.alerts)
        if new:
            self.feed.notify()
            self.meters.latency.labels(self.table_id).observe(time.monotonic() - came_s)

    def _waited(self, failures: int) -> int:
        """Waits before the next try, the longer the more failed; how many did with this one."""
        self._stop.wait(RETRY_S[min(failures, len(RETRY_S) - 1)])
        return failures + 1

    def _put_aside(self, record: bytes) -> bool:
        """Keeps a record that cannot be stored; false where that fails too, and it stays in the spool."""
        try:
            _append(self._rejected(), record)
        except (OSError, ServiceError) as error:
            logger.error(
                "table %s: that step cannot be kept in %s either (%s); it stays in the spool with %d others and is tried again",
                self.table_id, self._rejected(), error, self.waiting - 1,
            )  # fmt: skip
            return False
        logger.error("table %s: that step is kept in %s", self.table_id, self._rejected())
        self._reject(1)
        return True

    def _reject(self, count: int) -> None:
        self.rejected += count
        self.meters.rejected.labels(self.table_id).inc(count)

    def _rejected(self) -> Path:
        assert self.spool is not None
        return self.spool.with_suffix(".rejected")


def _append(path: Path, record: bytes) -> None:
    spool = Spool(path)
    try:
        spool.append(record)
    finally:
        spool.close()
