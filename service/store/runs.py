"""Runs, their events and their closed rounds."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.stamps import moment_of, stamp
from service.store.base import Database
from service.store.rounds import ROUNDS_AT_ONCE, put_rounds
from service.store.rows import insert_new
from service.store.tables import EventRow, RoundRow, RunRow, StandingRow

if TYPE_CHECKING:
    from service.store.recording import NewStanding


@dataclass(frozen=True, slots=True)
class Stood:
    """How a live table stood when it was last recorded.

    Attributes:
        run_id: of which run.
        epoch_ms: capture time zero of it, milliseconds UTC.
        number: of the first event after the state.
        basis: what has to be the same for the state to be read.
        state: judge and table after the events before.
        events: those since, in order.
    """

    run_id: str
    epoch_ms: int
    number: int
    basis: str
    state: bytes
    events: tuple[dict[str, Any], ...]


class Runs(Database):
    """What was watched, and what happened there."""

    def open_run(
        self, run_id: str, *, table_id: str, origin: str, opened_utc: datetime, about: Mapping[str, Any], game: str = "",
        scope: str = "", epoch_utc: datetime | None = None,
    ) -> None:  # fmt: skip
        """Records that a source is being watched; opening the same run again changes nothing.

        Args:
            run_id: its name.
            table_id: the table in view.
            origin: "live" or "review".
            opened_utc: when.
            about: what else is to be known of it, as JSON values.
            game: what is played there.
            scope: what is watched, so that another run that watches the same finds the same incidents; see `incidents`.
            epoch_utc: the moment of capture time zero, where the source is a camera.
        """
        with self.write() as session:
            put_run(
                session, run_id, table_id=table_id, origin=origin, opened_utc=stamp(opened_utc), about=about, game=game,
                scope=scope, epoch_utc=stamp(epoch_utc) if epoch_utc is not None else None,
            )  # fmt: skip

    def add_events(self, run_id: str, lines: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Records events (number in the run, event as JSON values); numbers already recorded are left as they are."""
        rows = event_rows(run_id, lines)
        with self.write() as session:
            insert_new(session, EventRow, rows)

    def add_rounds(
        self, run_id: str, rounds: Iterable[Mapping[str, Any]], findings: Iterable[Mapping[str, Any]] = ()
    ) -> int:
        """Records closed rounds and what they are searched by; rounds already recorded are left as they are.

        Args:
            run_id: the run they belong to.
            rounds: as JSON values (`rules.records.RoundRecord`).
            findings: of the run, as JSON values.

        Returns:
            How many rounds were new.
        """
        by_round: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for finding in findings:
            by_round[finding["round_id"]].append(finding)
        waiting, new = iter(rounds), 0
        while part := list(itertools.islice(waiting, ROUNDS_AT_ONCE)):
            found = [one for record in part for one in by_round.get(record["round_id"], ())]
            with self.write() as session:
                new += put_rounds(session, run_id, part, found)
        return new

    def events(self, run_id: str, *, from_s: float = 0.0, to_s: float = 1e12, limit: int = 500) -> list[dict[str, Any]]:
        """Events of a run between two capture times, in the order the engine got them."""
        query = sa.select(EventRow.event).where(EventRow.run_id == run_id, EventRow.t_s >= from_s, EventRow.t_s <= to_s)
        with self.read() as session:
            return [json.loads(text) for text in session.scalars(query.order_by(EventRow.number).limit(limit))]

    def numbered_events(
        self, run_id: str, *, from_s: float, to_s: float, limit: int
    ) -> list[tuple[int, dict[str, Any]]]:
        """Events of a run between two capture times with their numbers in it, which findings name; the last ones."""
        query = sa.select(EventRow.number, EventRow.event).where(
            EventRow.run_id == run_id, EventRow.t_s >= from_s, EventRow.t_s <= to_s
        )
        with self.read() as session:
            rows = session.execute(query.order_by(EventRow.number.desc()).limit(limit)).all()
        return [(number, json.loads(event)) for number, event in reversed(rows)]

    def round(self, run_id: str, round_id: str) -> dict[str, Any] | None:
        """A closed round of a run, None while it is played still."""
        with self.read() as session:
            row = session.get(RoundRow, (run_id, round_id))
        return None if row is None else dict(json.loads(row.round))

    def stood(self, table_id: str) -> Stood | None:
        """How a live table stood when its last event was recorded, None if it was never watched."""
        with self.read() as session:
            row = session.get(StandingRow, table_id)
            if row is None:
                return None
            run = session.get_one(RunRow, row.run_id)
            query = sa.select(EventRow.event).where(EventRow.run_id == row.run_id, EventRow.number >= row.number)
            events = tuple(json.loads(text) for text in session.scalars(query.order_by(EventRow.number)))
        return Stood(row.run_id, run.epoch_ms, row.number, row.basis, row.state, events)

    def epoch(self, run_id: str) -> datetime:
        """The moment of capture time zero of a run; of a recording 1970."""
        with self.read() as session:
            return datetime.fromtimestamp(session.get_one(RunRow, run_id).epoch_ms / 1000, UTC)

    def event_numbers(self, run_id: str, kind: str) -> list[int]:
        """The numbers of a run's events of a kind, in order."""
        query = sa.select(EventRow.number).where(EventRow.run_id == run_id, EventRow.kind == kind)
        with self.read() as session:
            return list(session.scalars(query.order_by(EventRow.number)))

    def rounds(self, run_id: str) -> list[dict[str, Any]]:
        """Closed rounds of a run, in the order they were recorded."""
        with self.read() as session:
            return [
                json.loads(text) for text in session.scalars(sa.select(RoundRow.round).where(RoundRow.run_id == run_id))
            ]


def put_run(
    session: Session, run_id: str, *, table_id: str, origin: str, opened_utc: str, about: Mapping[str, Any], game: str,
    scope: str, epoch_utc: str | None,
) -> None:  # fmt: skip
    """Records a run within a transaction if it is not there; see `Runs.open_run`, times as stamps."""
    epoch_ms = round(moment_of(epoch_utc).timestamp() * 1000) if epoch_utc is not None else 0
    row = {
        "run_id": run_id, "table_id": table_id, "origin": origin, "opened_utc": opened_utc, "about": json.dumps(about),
        "game": game, "scope": scope, "epoch_ms": epoch_ms,
    }  # fmt: skip
    insert_new(session, RunRow, [row])


def put_standing(session: Session, table_id: str, run_id: str, held: NewStanding) -> None:
    """Replaces how a table stands."""
    values = {"run_id": run_id, "number": held.number, "basis": held.basis, "state": held.state}
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    query = insert(StandingRow).values(table_id=table_id, **values)
    session.execute(query.on_conflict_do_update(index_elements=["table_id"], set_=values))


def event_rows(run_id: str, lines: Iterable[tuple[int, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Events (number in the run, event as JSON values) as rows."""
    return [
        {"run_id": run_id, "number": n, "t_s": e["t_s"], "kind": e["kind"], "event": json.dumps(e)} for n, e in lines
    ]
