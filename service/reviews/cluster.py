"""Many machines: reviews of one queue spread over a Ray cluster (extra `cluster`). On one machine no Ray is needed.

What Ray does here is to start workers where there is room and to start them again when a machine is lost. Which worker
reviews what is decided by the queue in the database, as on one machine, so that nothing is reviewed twice and a lost
worker's review goes on from its checkpoint. All machines see the same database and the same folder of reviews.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from service.cluster.ray import joined
from service.config import TableSetup
from service.reviews.queue import ReviewQueue, State
from service.reviews.review import CHECKPOINT_EVERY_S
from service.reviews.worker import Worker
from service.sight import Sight, open_sight
from service.store import Store

CORES = 1.0
"""Cores a worker takes: decoding and networks of one recording keep one busy."""
LOOK_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class ClusterChoices:
    """How a queue is worked off by a cluster.

    Attributes:
        database: URL that every machine can reach; PostgreSQL, or SQLite where all workers are on one machine.
        workers: how many.
        address: of the cluster (`ray://host:port`, `auto`); None makes one on this machine.
        cores: a worker takes.
        opened: how a source is opened.
        checkpoint_every_s: seconds between two checkpoints.
        ours: packages whose classes a checkpoint may be made of, None for the standard ones.
    """

    database: str
    workers: int
    address: str | None = None
    cores: float = CORES
    opened: Callable[[str, TableSetup], Sight] = open_sight
    checkpoint_every_s: float = CHECKPOINT_EVERY_S
    ours: Sequence[str] | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


class ClusterWorker:
    """A worker on some machine of the cluster; the same worker as on one machine."""

    def __init__(self, choices: ClusterChoices) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.worker = Worker(
            Store(choices.database), self.name, opened=choices.opened, now=choices.now,
            checkpoint_every_s=choices.checkpoint_every_s,
        )  # fmt: skip
        if choices.ours is not None:
            self.worker.ours = choices.ours

    def who(self) -> str:
        """Its name in the queue."""
        return self.name

    def work_once(self) -> int | None:
        """Takes one review; its number, None where none waits."""
        done = self.worker.work_once()
        return None if done is None else done.review_id


@dataclass(slots=True)
class ClusterRun:
    """How a queue was worked off: reviews by worker, and how many workers were lost on the way."""

    by_worker: dict[str, list[int]] = field(default_factory=dict)
    lost: int = 0


def work_off(choices: ClusterChoices, *, stop: threading.Event | None = None) -> ClusterRun:
    """Works on a queue with a cluster until nothing waits or runs, starting lost workers again.

    Args:
        choices: the queue and the cluster.
        stop: set to end when the reviews under way are done.

    Raises:
        ServiceError: Ray is not installed, or the cluster cannot be reached.
    """
    ray = joined(choices.address, cores=choices.workers * choices.cores)
    remote = ray.remote(num_cpus=choices.cores, max_restarts=0)(ClusterWorker)
    queue = ReviewQueue(store := Store(choices.database))
    done = ClusterRun()
    crew = [_Member(ray, remote, choices) for _ in range(choices.workers)]
    try:
        while not (stop is not None and stop.is_set()):
            for member in crew:
                member.look(done, queue, choices)
            if all(member.idle for member in crew):
                queue.release_lost(now=choices.now())
                if not queue.page(state=State.WAITING, limit=1) and not queue.page(state=State.RUNNING, limit=1):
                    break
                for member in crew:
                    member.idle = False
    finally:
        for member in crew:
            ray.kill(member.actor)
        store.close()
    return done


class _Member:
    """One worker of the cluster as seen from here."""

    def __init__(self, ray: Any, remote: Any, choices: ClusterChoices) -> None:
        self.ray, self.remote = ray, remote
        self.idle = False
        self._hire(choices)

    def _hire(self, choices: ClusterChoices) -> None:
        self.actor = self.remote.remote(choices)
        self.name = ""
        self.asked = self.actor.who.remote()

    def look(self, run: ClusterRun, queue: ReviewQueue, choices: ClusterChoices) -> None:
        """Takes in what it has done and gives it the next; hires another where it was lost."""
        ready, _ = self.ray.wait([self.asked], timeout=LOOK_EVERY_S)
        if not ready:
            return
        try:
            answer = self.ray.get(self.asked)
        except self.ray.exceptions.RayActorError:
            run.lost += 1
            if self.name:
                queue.release_lost(now=choices.now(), worker=self.name)
            self._hire(choices)
            return
        if isinstance(answer, str):
            self.name = answer
            run.by_worker.setdefault(answer, [])
        elif answer is not None:
            run.by_worker[self.name].append(answer)
        else:
            self.idle = True
        self.asked = self.actor.work_once.remote()
