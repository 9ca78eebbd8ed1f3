"""Takes files of settled rounds into the audit's books: as a stream, in batches, each batch whole or not at all.

A file is known by its content, a round by table, gaming day and name, so that nothing is counted twice; an import that
was interrupted goes on after the last batch that was kept.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from rules.documents import load_json
from rules.settlement.results import SettlementError
from rules.table import TableConfig
from service.audit.calendar import ShiftPlan
from service.audit.judge import Judge
from service.audit.keeping import Keeper, Placed
from service.audit.mapping import CsvMapping
from service.audit.reading import Item, digest_of_file, read_items
from service.audit.tables import ImportRow, RejectRow
from service.stamps import stamp
from service.store.base import Database

BATCH = 1000
"""Rounds kept in one transaction: a second of work lost by an interruption, some MB in memory."""
KEPT_TEXT = 100_000
"""Characters of a rejected line that are kept."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A round that was not taken in."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file.

    Attributes:
        status: "taken in", "continued", or "known" where the same file was taken in before without a fault.
        rounds, wagers: of this file, taken in now or before.
        known: rounds that were there already from elsewhere.
        rejected: rounds left out; `service.audit.importing.rejects` lists them.
    """

    import_id: int
    name: str
    status: str
    rounds: int
    wagers: int
    known: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Importer:
    """Takes in files.

    Attributes:
        database: where the books are.
        plan: days and shifts.
        tables: table files by table.
        mapping: for CSV, with the hash of its text.
        jobs: processes that settle rounds; with 1, this one does it itself.
    """

    database: Database
    plan: ShiftPlan
    tables: Mapping[str, TableConfig]
    mapping: CsvMapping | None = None
    mapping_sha256: str = ""
    jobs: int = 1
    _keeper: Keeper = field(default_factory=Keeper)

    def take(
        self, path: Path, *, now: Callable[[], datetime], progress: Callable[[int], None] | None = None
    ) -> Imported:
        """Take in a file.

        Args:
            path: JSON lines or CSV, plain or gzipped.
            now: the wall clock, for the record of the import.
            progress: called with the number of rounds read after each batch.

        Raises:
            AuditError: the file cannot be read; what came before is kept, and goes on there next time.
        """
        content = digest_of_file(path)
        import_id, after, status = self._begin(path, content, now())
        if status == "known":
            with self.database.read() as session:
                return report(session, import_id, status)
        read = 0
        for items, outcomes in self._judged(read_items(path, self.mapping, after=after)):
            with self.database.write() as session:
                self._keep(session, import_id, items, outcomes)
            read += len(items)
            if progress is not None:
                progress(read)
        with self.database.write() as session:
            row = session.get_one(ImportRow, import_id)
            row.ended_utc = stamp(now())
            return report(session, import_id, status)

    def _begin(self, path: Path, content: str, now: datetime) -> tuple[int, int, str]:
        """The import's number, the line to go on after, and what is being done."""
        about = {"plan": self.plan.as_json(), "mapping_sha256": self.mapping_sha256, "bytes": path.stat().st_size}
        with self.database.write() as session:
            row = session.scalar(sa.select(ImportRow).where(ImportRow.content == content))
            if row is None:
                row = ImportRow(
                    content=content, name=path.name, form="rounds" if self.mapping is None else "csv",
                    about=json.dumps(about), began_utc=stamp(now), lines=0, rounds=0, wagers=0, known=0, rejected=0,
                )  # fmt: skip
                session.add(row)
                session.flush()
                return row.import_id, 0, "taken in"
            if row.ended_utc is None:
                return row.import_id, row.lines, "continued"
            if row.rejected == 0:
                return row.import_id, row.lines, "known"
            session.execute(sa.delete(RejectRow).where(RejectRow.import_id == row.import_id))
            row.ended_utc, row.lines, row.rejected, row.known = None, 0, 0, -row.rounds
            return row.import_id, 0, "continued"

    def _judged(self, items: Iterator[Item]) -> Iterator[tuple[Sequence[Item], Sequence[Placed | Reject]]]:
        """Batches with what was judged, in the order of the file, never more than a few at a time."""
        judge = Judge(self.plan, self.tables)
        if self.jobs <= 1:
            for batch in _batches(items):
                yield batch, [_judge_item(judge, self.mapping, item) for item in batch]
            return
        waiting: deque[tuple[Sequence[Item], Future[list[Placed | Reject]]]] = deque()
        with ProcessPoolExecutor(self.jobs, get_context("spawn"), _set_up, (judge, self.mapping)) as pool:
            for batch in _batches(items):
                waiting.append((batch, pool.submit(_judge_batch, batch)))
                if len(waiting) > self.jobs + 1:
                    done, future = waiting.popleft()
                    yield done, future.result()
            while waiting:
                done, future = waiting.popleft()
                yield done, future.result()

    def _keep(
        self, session: Session, import_id: int, items: Sequence[Item], outcomes: Sequence[Placed | Reject]
    ) -> None:
        texts = {item.line: item for item in items}
        kept = self._keeper.keep(session, [one for one in outcomes if isinstance(one, Placed)], import_id=import_id)
        rejects = [one for one in outcomes if isinstance(one, Reject)]
        for placed in kept.conflicts:
            table_id, day, round_id = placed.judged.key
            reason = f"round {round_id} of {table_id} on {day} is there already with other content; it stays as it is"
            rejects.append(Reject(placed.line or 0, reason, _text_of(texts[placed.line or 0])))
        if rejects:
            rows = [{"import_id": import_id, "line": r.line, "reason": r.reason, "text": r.text} for r in rejects]
            session.execute(sa.insert(RejectRow), rows)
        row = session.get_one(ImportRow, import_id)
        row.lines = items[-1].last
        row.rounds += kept.rounds
        row.wagers += kept.wagers
        row.known += kept.known
        row.rejected += len(rejects)


def report(session: Session, import_id: int, status: str) -> Imported:
    """What became of a file, as recorded."""
    row = session.get_one(ImportRow, import_id)
    return Imported(import_id, row.name, status, row.rounds, row.wagers, max(0, row.known), row.rejected)


def rejects(database: Database, import_id: int) -> Iterator[dict[str, Any]]:
    """The rejected rounds of an import: line, reason, text."""
    after = 0
    while True:
        query = sa.select(RejectRow).where(RejectRow.import_id == import_id, RejectRow.line > after)
        with database.read() as session:
            rows = list(session.scalars(query.order_by(RejectRow.line).limit(500)))
        if not rows:
            return
        for row in rows:
            after = row.line
            yield {"line": row.line, "reason": row.reason, "text": row.text}


def _batches(items: Iterator[Item]) -> Iterator[tuple[Item, ...]]:
    while batch := tuple(islice(items, BATCH)):
        yield batch


def default_jobs() -> int:
    """As many processes as this one may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_WORKER: list[tuple[Judge, CsvMapping | None]] = []
"""What a worker process judges with; set once when it starts."""


def _set_up(judge: Judge, mapping: CsvMapping | None) -> None:
    _WORKER.append((judge, mapping))


def _judge_batch(items: Sequence[Item]) -> list[Placed | Reject]:
    judge, mapping = _WORKER[0]
    return [_judge_item(judge, mapping, item) for item in items]


def _judge_item(judge: Judge, mapping: CsvMapping | None, item: Item) -> Placed | Reject:
    try:
        if item.fault:
            raise SettlementError(item.fault)
        document = mapping.document(item.rows) if mapping is not None else load_json(item.text)
        return Placed(judge.judge(document), item.line)
    except SettlementError as error:
        return Reject(item.line, str(error), _text_of(item))
    except OverflowError as error:
        return Reject(item.line, f"a number or a time in it is out of range: {error}", _text_of(item))
    except ValueError as error:
        return Reject(item.line, f"no JSON object: {error}", _text_of(item))


def _text_of(item: Item) -> str:
    text = (
        item.text if not item.rows else json.dumps([dict(row) for _, row in item.rows], ensure_ascii=False, default=str)
    )
    return text[:KEPT_TEXT]
