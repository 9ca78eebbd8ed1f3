"""The queue of reviews: ordered, claimed by one worker at a time, followed, cancelled, tried again.

A worker owns a review by its attempt: whoever claims it next has a higher one, and what an earlier worker still says
counts no more. A worker that no longer beats is dead; its review goes back into the queue and on from its checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from service.errors import ConflictError, NotFoundError
from service.reviews.tables import ReviewRow
from service.stamps import stamp
from service.store.base import Database
from service.store.tables import AlertRow

LOST_AFTER = timedelta(seconds=60)
"""A worker beats every second or two; one silent for so long is dead or cut off."""
MOST_DEATHS = 3
"""A recording that has killed its worker so often without getting further is set aside."""
FURTHER_S = 1.0
"""Seconds of recording that count as getting further."""


class State(StrEnum):
    """How a review stands."""

    WAITING = "waiting"
    RUNNING = "running"
    CANCELLED = "cancelled"
    FAILED = "failed"
    DONE = "done"


ENDED = (State.CANCELLED, State.FAILED, State.DONE)
AGAIN = (State.CANCELLED, State.FAILED)
"""States from which a review may be started again."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """A review of the queue.

    Attributes:
        name: what people call it: the file's name.
        video: where the recording lies.
        folder: its own folder, which holds its table's files and later its results.
        reason: why it failed or stands as it does.
        attempt: how often it was claimed.
        deaths: workers lost since it last got further.
        t_s, of_s: seconds of the recording reviewed, and in all where known.
        speed: seconds of recording a second.
        run_id: the run its findings are recorded under, once done.
        recorded_at: when the recording was made, ISO with its offset; "" where nobody knows.
        recorded_by: who says so, or why it is not known.
    """

    review_id: int
    name: str
    video: str
    folder: str
    table_id: str
    game: str
    ordered_by: str
    ordered_utc: str
    state: State
    reason: str
    cancel_wanted: bool
    attempt: int
    deaths: int
    worker: str
    started_utc: str | None
    beat_utc: str | None
    ended_utc: str | None
    t_s: float
    of_s: float | None
    speed: float | None
    breaches: int
    rounds: int
    run_id: str | None
    recorded_at: str = ""
    recorded_by: str = ""

    @property
    def share(self) -> float | None:
        """How much of the recording is reviewed, 0 to 1; None where its length is not known."""
        if self.state is State.DONE:
            return 1.0
        return min(1.0, self.t_s / self.of_s) if self.of_s else None

    @property
    def left_s(self) -> float | None:
        """Seconds still to wait, None where unknown."""
        if self.state is not State.RUNNING or not self.of_s or not self.speed:
            return None
        return max(0.0, self.of_s - self.t_s) / self.speed


@dataclass(frozen=True, slots=True)
class Beat:
    """What a worker says of its review, and that it is alive."""

    t_s: float = 0.0
    of_s: float | None = None
    speed: float | None = None
    breaches: int = 0
    rounds: int = 0


class ReviewQueue:
    """The reviews in a database; safe from several processes and machines.

    Args:
        database: the store's.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(
        self, *, name: str, video: str, folder: str, table_id: str, game: str, by: str, now: datetime, recorded_at: str = "",
        recorded_by: str = "",
    ) -> Ordered:  # fmt: skip
        """Orders a review."""
        with self.database.write() as session:
            row = ReviewRow(
                name=name, video=video, folder=folder, table_id=table_id, game=game, ordered_by=by, ordered_utc=stamp(now),
                state=State.WAITING.value, recorded_at=recorded_at, recorded_by=recorded_by,
            )  # fmt: skip
            session.add(row)
            session.flush()
            return _ordered(row)

    def add_done(
        self, *, name: str, video: str, folder: str, table_id: str, game: str, by: str, now: datetime, run_id: str, beat: Beat,
        recorded_at: str = "", recorded_by: str = "",
    ) -> Ordered:  # fmt: skip
        """Takes in a review that was made elsewhere and is recorded; once for each run."""
        known = self.of_run(run_id)
        if known is not None:
            return known
        with self.database.write() as session:
            row = ReviewRow(
                name=name, video=video, folder=folder, table_id=table_id, game=game, ordered_by=by, ordered_utc=stamp(now),
                ended_utc=stamp(now), state=State.DONE.value, run_id=run_id, t_s=beat.t_s, of_s=beat.of_s, breaches=beat.breaches,
                rounds=beat.rounds, recorded_at=recorded_at, recorded_by=recorded_by,
            )  # fmt: skip
            session.add(row)
            session.flush()
            return _ordered(row)

    def get(self, review_id: int) -> Ordered:
        """One review.

        Raises:
            NotFoundError: there is none with this number.
        """
        with self.database.read() as session:
            row = session.get(ReviewRow, review_id)
        if row is None:
            raise NotFoundError(f"there is no review {review_id}", do="List them with GET /api/reviews")
        return _ordered(row)

    def page(
        self, *, before: int | None = None, limit: int = 50, state: State | None = None, tables: Iterable[str] | None = None
    ) -> list[Ordered]:  # fmt: skip
        """Reviews, the newest first; `tables` are those the one who asks may see, None for all."""
        query = sa.select(ReviewRow).order_by(ReviewRow.review_id.desc()).limit(limit)
        if before is not None:
            query = query.where(ReviewRow.review_id < before)
        if state is not None:
            query = query.where(ReviewRow.state == state.value)
        if tables is not None:
            query = query.where(ReviewRow.table_id.in_(sorted(tables)))
        with self.database.read() as session:
            return [_ordered(row) for row in session.scalars(query)]

    def of_run(self, run_id: str) -> Ordered | None:
        """The newest review that recorded a run, None if none did."""
        query = sa.select(ReviewRow).where(ReviewRow.run_id == run_id).order_by(ReviewRow.review_id.desc()).limit(1)
        with self.database.read() as session:
            row = session.scalar(query)
        return None if row is None else _ordered(row)

    def alerts_of(self, one: Ordered) -> dict[str, int]:
        """The numbers of the alerts that a review raised, by their findings; none before it is done."""
        query = sa.select(AlertRow.finding_id, AlertRow.seq).where(AlertRow.run_id == one.run_id)
        with self.database.read() as session:
            return {str(finding): int(seq) for finding, seq in session.execute(query)}

    def claim(self, worker: str, *, now: datetime) -> Ordered | None:
        """Takes the oldest waiting review, None if none waits. What one worker got no other gets."""
        oldest = (
            sa.select(ReviewRow).where(ReviewRow.state == State.WAITING.value).order_by(ReviewRow.review_id).limit(1)
        )
        with self.database.write() as session:
            row = session.scalar(oldest.with_for_update(skip_locked=True))
            if row is None:
                return None
            row.state, row.reason, row.worker, row.cancel_wanted = State.RUNNING.value, "", worker, False
            row.attempt += 1
            row.started_utc, row.beat_utc, row.ended_utc, row.speed = stamp(now), stamp(now), None, None
            return _ordered(row)

    def beat(self, mine: Ordered, beat: Beat, *, now: datetime) -> bool:
        """Says how far a review is.

        Returns:
            Whether to go on: not where someone cancelled it, or it is another's by now.
        """
        further = beat.t_s > mine.t_s + FURTHER_S
        values: dict[str, Any] = {"beat_utc": stamp(now), "breaches": beat.breaches, "rounds": beat.rounds}
        values |= {"t_s": beat.t_s, "of_s": beat.of_s, "speed": beat.speed} if beat.t_s else {}
        values |= {"deaths": 0} if further else {}
        with self.database.write() as session:
            session.execute(sa.update(ReviewRow).where(*_mine(mine)).values(values))
            wanted = session.scalar(sa.select(ReviewRow.cancel_wanted).where(*_mine(mine)))
        return wanted is False

    def end(
        self, mine: Ordered, state: State, *, now: datetime, reason: str = "", run_id: str | None = None, last: Beat | None = None
    ) -> bool:  # fmt: skip
        """Records how a review ended, or that it waits again, and how far it was at last.

        Returns:
            Whether it was still this worker's to say.
        """
        values: dict[str, Any] = {"state": state.value, "reason": reason, "worker": "", "cancel_wanted": False}
        values |= {"run_id": run_id} if run_id is not None else {}
        if last is not None and last.t_s:
            values |= {"t_s": last.t_s, "of_s": last.of_s, "breaches": last.breaches, "rounds": last.rounds}
        values |= {"ended_utc": stamp(now)} if state in ENDED else {}
        with self.database.write() as session:
            found = session.execute(
                sa.update(ReviewRow).where(*_mine(mine)).values(values).returning(ReviewRow.review_id)
            )
            return found.first() is not None

    def cancel(self, review_id: int, *, now: datetime) -> Ordered:
        """Cancels a review: at once where it waits, as soon as its worker has written where it stands where it runs.

        Raises:
            NotFoundError: no such review.
            ConflictError: it has ended.
        """
        with self.database.write() as session:
            row = session.get(ReviewRow, review_id, with_for_update=True)
            if row is not None and row.state == State.WAITING.value:
                row.state, row.ended_utc = State.CANCELLED.value, stamp(now)
            elif row is not None and row.state == State.RUNNING.value:
                row.cancel_wanted = True
            elif row is not None and row.state != State.CANCELLED.value:
                raise ConflictError(f"it is already {row.state}", where=f"review {review_id}", do="Only one that waits or runs can be cancelled")  # fmt: skip
        return self.get(review_id)

    def retry(self, review_id: int) -> Ordered:
        """Puts a cancelled or failed review back into the queue; it goes on where it stopped.

        Raises:
            NotFoundError: no such review.
            ConflictError: it runs or is done.
        """
        with self.database.write() as session:
            row = session.get(ReviewRow, review_id, with_for_update=True)
            if row is not None and row.state in AGAIN:
                row.state, row.reason, row.deaths, row.ended_utc = State.WAITING.value, "", 0, None
            elif row is not None and row.state != State.WAITING.value:
                raise ConflictError(f"it is {row.state}", where=f"review {review_id}", do="Only a cancelled or failed review can be started again")  # fmt: skip
        return self.get(review_id)

    def release_lost(self, *, now: datetime, worker: str | None = None) -> list[Ordered]:
        """Puts reviews of dead workers back into the queue, or sets them aside after `MOST_DEATHS`.

        Args:
            now: the time.
            worker: a worker known to be dead; None for all that were silent for `LOST_AFTER`.

        Returns:
            The reviews that were released.
        """
        lost = sa.select(ReviewRow).where(ReviewRow.state == State.RUNNING.value)
        lost = (
            lost.where(ReviewRow.worker == worker)
            if worker
            else lost.where(ReviewRow.beat_utc < stamp(now - LOST_AFTER))
        )
        with self.database.write() as session:
            rows = list(session.scalars(lost.with_for_update(skip_locked=True)))
            for row in rows:
                _release(row, now)
            session.flush()
            return [_ordered(row) for row in rows]


def _release(row: ReviewRow, now: datetime) -> None:
    row.deaths += 1
    row.worker = ""
    if row.cancel_wanted:
        row.state, row.ended_utc, row.reason = State.CANCELLED.value, stamp(now), ""
    elif row.deaths >= MOST_DEATHS:
        row.state, row.ended_utc = State.FAILED.value, stamp(now)
        row.reason = (
            f"its worker died {row.deaths} times without getting further than {row.t_s:.0f} s into the recording; "
            "look into the log of the service, then start it again"
        )
    else:
        row.state, row.reason = State.WAITING.value, "its worker died; it goes on where it stopped"


def _mine(mine: Ordered) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        ReviewRow.review_id == mine.review_id,
        ReviewRow.attempt == mine.attempt,
        ReviewRow.state == State.RUNNING.value,
    )


def _ordered(row: ReviewRow) -> Ordered:
    values = {name: getattr(row, name) for name in Ordered.__slots__}
    return Ordered(**values | {"state": State(row.state)})
