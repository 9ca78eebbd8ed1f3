"""Takes event files of other systems (an RFID table, a smart shoe) into the audit: judged by an engine, then as facts.

A missing event can turn a right round into a wrong one, so a file with a line that is no event is refused as a whole,
before anything of it is judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import sqlalchemy as sa

from rules.engine import Engine
from rules.eventfile import verified_events
from rules.events import DealerChanged, Event, EventError
from rules.table import TableConfig
from service.audit.calendar import A_TIME, ShiftPlan, later, on_clock, read_time
from service.audit.facts import AuditError
from service.audit.importing import Imported, report
from service.audit.keeping import Keeper, Placed
from service.audit.reading import digest_of_file, opened
from service.audit.seen import seen_round
from service.audit.tables import ImportRow
from service.config import wager_areas
from service.live.dated import Dated
from service.reviews.results import plain
from service.stamps import stamp
from service.store.base import Database

BATCH = 200


@dataclass(slots=True)
class EventImporter:
    """Takes in event files of one table.

    Attributes:
        database: where the books are.
        plan: days and shifts.
        table: whose events they are; those of other tables in the file are left out.
        starts: when the file's time 0 was; on the house's clock where it has no zone of its own.
    """

    database: Database
    plan: ShiftPlan
    table: TableConfig
    starts: datetime
    _keeper: Keeper = field(default_factory=Keeper)

    def __post_init__(self) -> None:
        if self.starts.tzinfo is not None:
            return
        try:
            self.starts = on_clock(self.starts, self.plan.zone or UTC)
        except ValueError as error:
            said = f"{self.starts.isoformat()} {error}"
            raise AuditError(said, where="--starts", do=f"Give it with its offset, as {A_TIME}") from error

    def take(self, path: Path, *, now: Callable[[], datetime]) -> Imported:
        """Take in a file. After an interruption the engine goes through it again; rounds already kept stay as they are.

        Raises:
            EventError: naming file, line and field; nothing of the file is taken in.
            AuditError: the file cannot be read.
        """
        content = f"{digest_of_file(path)[:50]}:{self.table.table_id[:13]}"
        for _ in self._events(path):
            pass
        with self.database.write() as session:
            row = session.scalar(sa.select(ImportRow).where(ImportRow.content == content))
            if row is not None and row.ended_utc is not None:
                return report(session, row.import_id, "known")
            status = "taken in" if row is None else "continued"
            if row is None:
                about = {"plan": self.plan.as_json(), "table": self.table.table_id, "starts": self.starts.isoformat()}
                row = ImportRow(
                    content=content, name=path.name, form="events", about=json.dumps(about), began_utc=stamp(now()),
                    lines=0, rounds=0, wagers=0, known=0, rejected=0,
                )  # fmt: skip
                session.add(row)
                session.flush()
            import_id = row.import_id
        self._judge(path, content, import_id)
        with self.database.write() as session:
            session.get_one(ImportRow, import_id).ended_utc = stamp(now())
            return report(session, import_id, status)

    def _events(self, path: Path) -> Iterator[Event]:
        with opened(path) as file:
            areas = wager_areas(self.table)
            yield from verified_events(_texts(file, str(path)), self.table, name=str(path), areas=areas)

    def _judge(self, path: Path, content: str, import_id: int) -> None:
        engine, dealer, done = Dated(Engine(self.table, day=self._day(0.0)), self._day), "", 0
        batch: list[Placed] = []
        for event in self._events(path):
            if event.table_id != self.table.table_id:
                continue
            engine.feed(event)
            done = self._closed(engine, done, batch, content, dealer)
            if isinstance(event, DealerChanged):
                dealer = event.dealer
            if len(batch) >= BATCH:
                self._keep(batch, import_id)
                batch = []
        engine.close()
        self._closed(engine, done, batch, content, dealer)
        self._keep(batch, import_id)

    def _closed(self, engine: Dated, done: int, batch: list[Placed], content: str, dealer: str) -> int:
        rounds = engine.rounds
        for record in rounds[done:]:
            at = later(self.starts, record.closed_s)
            raw = plain(record)
            judged = seen_round(
                raw,
                table_id=self.table.table_id,
                game=self.table.game,
                at=at,
                dealer=dealer,
                plan=self.plan,
                source=content,
            )
            batch.append(Placed(judged, record.number))
        return len(rounds)

    def _keep(self, batch: list[Placed], import_id: int) -> None:
        if not batch:
            return
        with self.database.write() as session:
            kept = self._keeper.keep(session, batch, import_id=import_id)
            row = session.get_one(ImportRow, import_id)
            row.lines = batch[-1].line or 0
            row.rounds += kept.rounds
            row.wagers += kept.wagers

    def _day(self, t_s: float) -> date | None:
        return self.plan.moment(later(self.starts, t_s)).law_day


def _texts(file: Iterable[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise EventError(f"{name}, line {number}: not UTF-8 ({error.reason} at byte {error.start + 1})") from error


def read_start(text: str) -> datetime:
    """When an event file's time 0 was.

    Raises:
        AuditError: it is no time.
    """
    try:
        return read_time(text)
    except ValueError as error:
        raise AuditError(f"no time: {text!r}", where="--starts", do=f"Give it as {A_TIME}") from error
