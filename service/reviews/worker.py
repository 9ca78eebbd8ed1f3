"""A worker: takes reviews from the queue one after the other, in a process of its own.

`python -m service.reviews.worker --database URL`. Ended (SIGTERM), it writes where its review stands and gives it back;
killed, its review is found without a beat and goes on from the last checkpoint.
"""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from calibration.camera import CalibrationError
from models.errors import ModelError
from rules.engine import UnsupportedGameError
from rules.events import EventError
from rules.table import TableConfigError
from service.config import TableSetup, load_table
from service.errors import ServiceError
from service.export.errors import ExportError
from service.reviews.errors import StoppedError
from service.reviews.office import RESULT, TABLE_FILE
from service.reviews.queue import Beat, Ordered, ReviewQueue, State
from service.reviews.record import record_review
from service.reviews.recorded import kept
from service.reviews.results import RUN_FILE
from service.reviews.review import CHECKPOINT_EVERY_S, Options, Progress, review_video, work_folder
from service.reviews.work import ROUNDS, json_lines_of
from service.sight import Sight, open_sight
from service.store import Store
from service.store.base import AWAY, is_full
from vision.frames.source import SourceError

logger = logging.getLogger(__name__)

DATABASE = "PITWATCH_DATABASE"
"""Environment variable with the database's URL: command lines can be read by everyone on a machine."""
BEAT_EVERY_S = 1.0
LOOK_EVERY_S = 1.0
"""How often an idle worker looks for work."""
RETRY_S = (1.0, 2.0, 5.0, 10.0)
"""How long to wait before a database that took nothing is told again how a review ended."""
SAID = (
    ServiceError,
    ExportError,
    SourceError,
    CalibrationError,
    ModelError,
    TableConfigError,
    EventError,
    UnsupportedGameError,
)
"""Errors whose text says what to do."""


@dataclass(slots=True)
class Worker:
    """Works through the queue.

    Args:
        store: the service's.
        name: of this worker, no other has it.
        opened: how a source is opened.
        stop: set to end after writing where the review stands.
        now, clock: the wall clock, and seconds that only rise.
        checkpoint_every_s: seconds between two checkpoints.
        ours: packages whose classes a checkpoint may be made of, None for the standard ones.
    """

    store: Store
    name: str
    opened: Callable[[str, TableSetup], Sight] = open_sight
    stop: threading.Event = field(default_factory=threading.Event)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = time.monotonic
    checkpoint_every_s: float = CHECKPOINT_EVERY_S
    ours: Sequence[str] | None = None

    @property
    def queue(self) -> ReviewQueue:
        """The queue it works through."""
        return ReviewQueue(self.store)

    def work(self) -> None:
        """Takes review after review until stopped."""
        while not self.stop.is_set():
            try:
                self.queue.release_lost(now=self.now())
                done = self.work_once()
            except AWAY:
                logger.exception("the database of the queue does not answer; it is asked again")
                done = None
            if done is None:
                self.stop.wait(LOOK_EVERY_S)

    def work_once(self) -> Ordered | None:
        """Takes one review and works on it to its end; None where none waits."""
        mine = self.queue.claim(self.name, now=self.now())
        if mine is None:
            return None
        follow = _Follower(self, mine)
        try:
            run_id = self._review(mine, follow)
            self._end(mine, State.DONE, run_id=run_id, last=last_of(Path(mine.folder) / RESULT))
        except StoppedError:
            cancelled = not self.stop.is_set()
            ended = State.CANCELLED if cancelled else State.WAITING
            self._end(mine, ended, last=follow.beat)
        except SAID as error:
            self._end(mine, State.FAILED, reason=str(error), last=follow.beat)
        except AWAY as error:
            logger.exception("the database does not take review %s", mine.review_id)
            self._end(mine, State.FAILED, reason=_not_taken(error), last=follow.beat)
        except Exception as error:  # the outermost loop of the worker
            logger.exception("review %s failed", mine.review_id)
            self._end(mine, State.FAILED, reason=f"something went wrong in Pitwatch ({type(error).__name__}: {error}); it is in the log", last=follow.beat)  # fmt: skip
        finally:
            follow.close()
        return self.queue.get(mine.review_id)

    def _end(self, mine: Ordered, state: State, *, last: Beat, reason: str = "", run_id: str | None = None) -> None:
        """Says how a review ended, again and again while the database takes nothing: it may be away, or its disk full.

        Where the worker is stopped before it could say so, nothing is lost: the review is found without a beat.
        """
        for wait_s in itertools.chain(RETRY_S, itertools.repeat(RETRY_S[-1])):
            try:
                self.queue.end(mine, state, now=self.now(), reason=reason, run_id=run_id, last=last)
                return
            except AWAY:
                logger.exception("the database does not take that review %s is %s", mine.review_id, state.value)
                if self.stop.wait(wait_s):
                    return

    def _review(self, mine: Ordered, follow: _Follower) -> str:
        folder = Path(mine.folder)
        out = folder / RESULT
        if not out.is_dir():
            options = Options(
                progress=follow.progress, stop=follow.stop, now=self.now, clock=self.clock, opened=self.opened,
                checkpoint_every_s=self.checkpoint_every_s, recorded=kept(mine.recorded_at, mine.recorded_by),
                name=mine.name,
            )  # fmt: skip
            if self.ours is not None:
                options.ours = self.ours
            review_video(Path(mine.video), load_table(folder / TABLE_FILE), out, options)
        shutil.rmtree(work_folder(out), ignore_errors=True)  # left where it was killed after the results were there
        return record_review(self.store, out, now=self.now())


def _not_taken(error: BaseException) -> str:
    if is_full(error):
        return "the disk of the database is full. Free some space and start the review again: what is done is kept"
    said = str(getattr(error, "orig", error)).strip().splitlines()
    return f"the database did not answer ({said[0] if said else type(error).__name__}). Start the review again: what is done is kept"


def last_of(result: Path) -> Beat:
    """What a finished review comes to."""
    about = json.loads((result / RUN_FILE).read_text(encoding="utf-8"))
    rounds = sum(1 for _ in json_lines_of(result / ROUNDS))
    return Beat(about["seconds"], about["seconds"], None, about["verdicts"]["breach"], rounds)


class _Follower:
    """Says every second how far a review is, also while nothing moves (a long decode, the report)."""

    def __init__(self, worker: Worker, mine: Ordered) -> None:
        self.worker, self.mine = worker, mine
        self.began_s, self.began_t_s = worker.clock(), -1.0
        self.beat = Beat(mine.t_s, mine.of_s, None, mine.breaches, mine.rounds)
        self.wanted = True
        self.closed = threading.Event()
        self.thread = threading.Thread(target=self._beat, name=f"beat of review {mine.review_id}", daemon=True)
        self.thread.start()

    def progress(self, now: Progress) -> None:
        """Takes in how far the review is."""
        at_s = self.worker.clock()
        if self.began_t_s < 0:
            self.began_s, self.began_t_s = at_s, now.t_s
        took_s = at_s - self.began_s
        speed = (now.t_s - self.began_t_s) / took_s if took_s > 1.0 else None
        self.beat = Beat(now.t_s, now.of_s, speed, now.breaches, now.rounds)

    def stop(self) -> bool:
        """Whether to stop: the worker ends, someone cancelled, or the review is another's by now."""
        return self.worker.stop.is_set() or not self.wanted

    def close(self) -> None:
        """Ends the beat."""
        self.closed.set()
        self.thread.join()

    def _beat(self) -> None:
        while not self.closed.wait(BEAT_EVERY_S):
            try:
                self.wanted = self.worker.queue.beat(self.mine, self.beat, now=self.worker.now())
            except Exception:  # the database may be away for a while; the review goes on
                logger.exception("review %s cannot say how far it is", self.mine.review_id)


def worker_name(pid: int | None = None) -> str:
    """A name no other worker has: its machine and its process, this one if None."""
    return f"{socket.gethostname()}:{os.getpid() if pid is None else pid}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a worker until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(description="Works through the queue of reviews.")
    parser.add_argument(
        "--database", default=os.environ.get(DATABASE), help=f"SQLAlchemy URL of the service's database, or {DATABASE}"
    )
    parser.add_argument("--until-idle", action="store_true", help="end when no review waits")
    given = parser.parse_args(arguments)
    if given.database is None:
        parser.error(f"give --database, or set {DATABASE}")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    worker = Worker(Store(given.database), worker_name())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop.set())
    if given.until_idle:
        while not worker.stop.is_set() and worker.work_once() is not None:
            pass
    else:
        worker.work()
    worker.store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
