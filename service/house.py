"""What one running service holds: its store, its feed, its tables, and who may come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from service.access.access import Access
from service.access.settings import Settings
from service.audit.calendar import ShiftPlan
from service.audit.questions import Questions
from service.audit.video import VideoRounds
from service.errors import NotFoundError
from service.evidence.erasing import Deletions
from service.evidence.intake import recover
from service.evidence.room import EvidenceRoom
from service.feed import Feed
from service.feed.metrics import Meters
from service.live.table import LiveTable
from service.reviews.office import Office
from service.reviews.workers import Workers
from service.store import Store
from service.tables.roster import Roster


class Worker(Protocol):
    """Something that runs while the service does."""

    def start(self) -> None:
        """Begins, in a thread of its own."""

    def stop(self) -> None:
        """Ends, soon."""


@dataclass(slots=True)
class House:
    """The service's state, handed to every route and screen.

    Attributes:
        store: what is remembered.
        feed: wakes those who wait for alerts.
        tables: live tables by their id; replaced as a whole when one is added, changed or removed.
        roster: adds, changes, pauses and removes them; None where they are fixed.
        evidence: bundles of the alerts; None keeps none.
        settings: how long people stay signed in, how fast they may ask, what may be reached from here.
        remote: other machines may ask too.
        shifts: gaming days and shifts of the audit.
        access: who may come in and what they may do.
        office: where reviews are ordered, None where none are taken.
        workers: processes that review, None where others do.
        questions: the audit's books.
        seen: brings them up to date with what was seen on video.
        meters: what this process counts.
        background: what else runs beside the tables, e.g. the delivery of webhooks.
        now: the wall clock.
    """

    store: Store
    feed: Feed = field(default_factory=Feed)
    tables: dict[str, LiveTable] = field(default_factory=dict)
    roster: Roster | None = None
    evidence: EvidenceRoom | None = None
    settings: Settings = field(default_factory=Settings)
    remote: bool = False
    office: Office | None = None
    workers: Workers | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    shifts: ShiftPlan = field(default_factory=ShiftPlan)
    meters: Meters = field(default_factory=Meters)
    background: list[Worker] = field(default_factory=list)
    access: Access = field(init=False)
    questions: Questions = field(init=False)
    seen: VideoRounds = field(init=False)

    def __post_init__(self) -> None:
        self.access = Access(self.store, self.settings, remote=self.remote, now=lambda: self.now())
        self.questions = Questions(self.store)
        self.seen = VideoRounds(self.store, self.shifts)

    def table(self, table_id: str) -> LiveTable:
        """A live table.

        Raises:
            NotFoundError: none has this id.
        """
        if table_id not in self.tables:
            raise NotFoundError(f"there is no live table {table_id!r}", do="List them with GET /api/tables")
        return self.tables[table_id]

    def start(self) -> None:
        """Begins to watch every table, after writing the evidence that a crash prevented."""
        if self.evidence is not None:
            recover(self.evidence, self.store, self.shifts)
            Deletions(self.evidence, self.store).finish()
            self.evidence.start()
        for worker in self.background:
            worker.start()
        if self.roster is not None:
            self.roster.start()
        for table in self.tables.values():
            table.start()
        if self.workers is not None:
            self.workers.start()

    def stop(self) -> None:
        """Ends watching, writes the evidence that waits, and closes the store."""
        if self.roster is not None:
            self.roster.stop()
        for table in self.tables.values():
            table.stop()
        if self.evidence is not None:
            self.evidence.stop()
        if self.workers is not None:
            self.workers.stop()
        for worker in self.background:
            worker.stop()
        self.store.close()
