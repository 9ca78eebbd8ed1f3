"""Live tables away from the screens: in this process, or spread over a Ray cluster; the same table either way.

A table in a process of its own is the `LiveTable` of `pitwatch serve` with its store, its spool and its evidence. All of them
share one database, so every `pitwatch serve` on it shows their alerts, rounds and audits. Ray only places the processes and starts
a lost one again; what a lost one had on disk is recorded by the next one that finds its spool.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from service.audit.calendar import ShiftPlan
from service.cluster.ray import joined
from service.config import TableSetup, load_table
from service.errors import ServiceError
from service.evidence.room import EvidenceRoom
from service.feed import Feed
from service.live.table import LiveTable, TableState
from service.sight import Sight, open_sight
from service.store import Store

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
MOST_SILENT = 3
"""A table lost so often without having said a word is lost for a reason of its own."""
CORES = 0.5
"""Cores a table is given by default; docs/scaling.md has what one takes."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Tables to be watched, and with what.

    Attributes:
        tables: their files, under the same path on every machine.
        database: URL that every machine can reach; PostgreSQL, or SQLite where all is on one machine.
        spool: folder in which records wait for the database; on a shared disk, a table that moves to another machine
            takes what waits along.
        evidence: folder of the bundles on each machine, None for pictures in the database alone.
        address: of the cluster (`ray://host:port`, `auto`); None makes one on this machine.
        cores: a table is given.
        repeat: play a recording again when it ends.
        opened: how a source is opened.
        now: the wall clock.
        plan: the house's clock, by which a round has its day and so its law.
    """

    tables: Sequence[Path]
    database: str
    spool: Path
    evidence: Path | None = None
    address: str | None = None
    cores: float = CORES
    repeat: bool = False
    opened: Callable[[str, TableSetup], Sight] = open_sight
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    plan: ShiftPlan = field(default_factory=ShiftPlan)


class TablePost:
    """One table watched in this process."""

    def __init__(self, watched: Watched, file: Path) -> None:
        setup = load_table(file)
        if setup.source is None:
            raise ServiceError("it names no camera", where=file, do="Name it as camera.source in that file")
        self.store = Store(watched.database)
        self.room = EvidenceRoom.open(watched.evidence, watched.now) if watched.evidence is not None else None
        self.table = LiveTable(
            setup, setup.source, self.store, Feed(), repeat=watched.repeat, evidence=self.room, opened=watched.opened,
            now=watched.now, spool=watched.spool, plan=watched.plan,
        )  # fmt: skip
        if self.room is not None:
            self.room.start()
        self.table.start()

    def about(self) -> dict[str, Any]:
        """What the table does, and how many records wait for the database."""
        return self.table.about() | {"waiting": self.table.waiting}

    def stop(self) -> dict[str, Any]:
        """Ends watching, after what waits is stored; what the table did last."""
        self.table.stop()
        if self.room is not None:
            self.room.stop()
        last = self.about()
        self.store.close()
        return last


class Post(Protocol):
    """A table somewhere."""

    def look(self) -> dict[str, Any] | None:
        """What it does; None where it does not say."""

    def end(self) -> None:
        """Ends it."""


@dataclass(slots=True)
class Here:
    """A table in this process."""

    post: TablePost

    def look(self) -> dict[str, Any] | None:
        """What it does."""
        return self.post.about()

    def end(self) -> None:
        """Ends it."""
        self.post.stop()


@dataclass(slots=True)
class Away:
    """A table on some machine of a cluster; started again, there or elsewhere, when it is lost."""

    ray: Any
    hire: Callable[[], Any]
    lost: int = 0
    actor: Any = None
    _asked: Any = None
    _silent: int = 0

    def __post_init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self.actor = self.hire()
        self._asked = self.actor.about.remote()

    def look(self) -> dict[str, Any] | None:
        """What it does; None while it starts, or where it was just lost.

        Raises:
            ServiceError: it was lost again and again before it said anything.
        """
        ready, _ = self.ray.wait([self._asked], timeout=0.0)
        if not ready:
            return None
        try:
            said: dict[str, Any] = self.ray.get(self._asked)
        except self.ray.exceptions.RayActorError as error:
            self.lost, self._silent = self.lost + 1, self._silent + 1
            if self._silent >= MOST_SILENT:
                raise ServiceError(f"a live table cannot be started on the cluster ({error})", do="Look into the logs of Ray there") from error  # fmt: skip
            logger.warning("a live table's process was lost, another one is started")
            self._start()
            return None
        self._silent = 0
        self._asked = self.actor.about.remote()
        return said

    def end(self) -> None:
        """Ends it, after it has stored what waits."""
        try:
            self.ray.get(self.actor.stop.remote(), timeout=30.0)
        except (self.ray.exceptions.RayActorError, self.ray.exceptions.GetTimeoutError):
            logger.warning("a live table did not end in time; what waits stays in its spool")
        self.ray.kill(self.actor)


def placed(watched: Watched, *, cluster: bool) -> list[Here] | list[Away]:
    """Starts every table, in this process or on a cluster.

    Raises:
        ServiceError: a table's file is not in order, or there is no cluster.
    """
    files = list(watched.tables)
    for file in files:
        load_table(file)
    if not cluster:
        return [Here(TablePost(watched, file)) for file in files]
    ray = joined(watched.address, cores=len(files) * watched.cores)
    remote = ray.remote(num_cpus=watched.cores, max_restarts=0, max_concurrency=2)(TablePost)
    return [Away(ray, lambda file=file: remote.remote(watched, file)) for file in files]  # type: ignore[misc]


@dataclass(slots=True)
class Kept:
    """How tables were kept going: the last that each said, and how many processes were lost on the way."""

    last: dict[str, dict[str, Any]] = field(default_factory=dict)
    lost: int = 0


def keep(posts: Sequence[Post], stop: threading.Event, *, look_every_s: float = LOOK_EVERY_S) -> Kept:
    """Watches over tables until all have ended (recordings do) or `stop` is set, then ends them."""
    kept = Kept()
    try:
        while not stop.is_set():
            ended = 0
            for post in posts:
                said = post.look()
                if said is not None:
                    kept.last[said["table_id"]] = said
                    ended += said["state"] == TableState.STOPPED.value and not said["waiting"]
            if ended == len(posts):
                break
            stop.wait(look_every_s)
    finally:
        for post in posts:
            post.end()
    kept.lost = sum(getattr(post, "lost", 0) for post in posts)
    return kept
