"""Writes bundles in a thread of its own, behind a queue of bounded length; an alert never waits for its evidence."""

from __future__ import annotations

import logging
import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from service.evidence.about import About
from service.evidence.contents import write_bundle
from service.evidence.disk import told
from service.evidence.errors import EvidenceError
from service.evidence.recorder import Job, Origin
from service.evidence.vault import Vault

logger = logging.getLogger(__name__)

WAITING_AT_MOST = 32
"""Bundles that may wait: a minute's worth at the most alerts a table ever raised in a test, times ten."""
NICENESS = 5
"""Writing evidence yields to watching live tables; a review waits for it, so there it does not."""


class Target(Protocol):
    """Where bundles go."""

    def write(self, job: Job, about: About) -> None:
        """Writes one, whole or not at all.

        Raises:
            EvidenceError: it could not be written.
        """

    def refuse(self, job: Job, reason: str) -> None:
        """Records that one could not be written."""


@dataclass(slots=True)
class VaultTarget:
    """Bundles of live tables: sealed into the vault at once."""

    vault: Vault
    now: Callable[[], datetime]

    def write(self, job: Job, about: About) -> None:
        """Puts a bundle together and stores it."""
        origin = _origin(job)
        if self.vault.refresh().bundle_of(origin.run_id, str(job.wanted.finding["finding_id"])) is not None:
            return
        part = self.vault.new_part()
        try:
            done = write_bundle(part, job, about)
            self.vault.store(done, run_id=origin.run_id, raised_utc=origin.raised_utc, now=self.now())
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def refuse(self, job: Job, reason: str) -> None:
        """Enters the refusal into the chain."""
        run_id = _origin(job).run_id
        self.vault.refuse(
            run_id=run_id, finding_id=str(job.wanted.finding["finding_id"]), reason=reason, now=self.now()
        )


@dataclass(slots=True)
class FolderTarget:
    """Bundles of a review: one folder a finding among its results, sealed when the review enters a vault."""

    folder: Path

    def write(self, job: Job, about: About) -> None:
        """Writes a bundle's files; a first part of them, left by a stop, is written again."""
        folder = self.folder / str(job.wanted.finding["finding_id"])
        with told(folder):
            folder.mkdir(parents=True, exist_ok=True)
        write_bundle(folder, job, about)

    def refuse(self, job: Job, reason: str) -> None:
        """A review as a whole ends with the error."""


def _origin(job: Job) -> Origin:
    assert job.wanted.origin is not None
    return job.wanted.origin


@dataclass(slots=True)
class Writer:
    """The thread and its queue.

    Args:
        patient: wait for room in the queue (a review, which can), rather than refuse (a live table, which cannot).
        cost: told the seconds of CPU of each bundle.
    """

    patient: bool = False
    cost: Callable[[float], None] | None = None
    alarm: str | None = field(default=None, init=False)
    written: int = field(default=0, init=False)
    refused: int = field(default=0, init=False)
    error: BaseException | None = field(default=None, init=False)
    _queue: queue.Queue[tuple[Job, About, Target] | None] = field(init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._queue = queue.Queue(WAITING_AT_MOST)

    @property
    def waiting(self) -> int:
        """How many bundles are being or to be written."""
        return self._queue.unfinished_tasks

    def submit(self, job: Job, about: About, target: Target) -> None:
        """Hands a job over."""
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="evidence", daemon=True)
                self._thread.start()
        if self.patient:
            self._queue.put((job, about, target))
            return
        try:
            self._queue.put_nowait((job, about, target))
        except queue.Full:
            self._refused(job, target, f"more than {WAITING_AT_MOST} bundles were waiting")

    def flush(self) -> None:
        """Returns when everything handed over is written.

        Raises:
            EvidenceError: a patient writer could not write one.
        """
        self._queue.join()
        if self.patient and self.error is not None:
            error, self.error = self.error, None
            raise error

    def close(self) -> None:
        """Writes what waits, then ends the thread."""
        with self._guard:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _work(self) -> None:
        if sys.platform == "linux" and not self.patient:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        while (given := self._queue.get()) is not None:
            job, about, target = given
            began_s = time.thread_time()
            try:
                target.write(job, about)
                self.alarm, self.written = None, self.written + 1
            except EvidenceError as error:
                self.error = error
                self._refused(job, target, error.what)
            except Exception as error:  # the outermost loop of the thread
                logger.exception("evidence of finding %s could not be written", job.wanted.finding["finding_id"])
                self.error = error
                self._refused(job, target, f"{type(error).__name__}: {error}")
            finally:
                if self.cost is not None:
                    self.cost(time.thread_time() - began_s)
                self._queue.task_done()
        self._queue.task_done()

    def _refused(self, job: Job, target: Target, reason: str) -> None:
        self.refused += 1
        self.alarm = f"evidence not stored: {reason}"
        logger.error("finding %s: %s", job.wanted.finding["finding_id"], self.alarm)
        target.refuse(job, reason)
