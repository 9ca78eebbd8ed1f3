"""The time of a recording corrected after its review: its rounds, their place in the audit and its reports follow.

What was seen stays what it was. The law a round is judged by is that of its day, so a correction counts only where the law
of both days judges the same events the same; else the recording has to be reviewed again.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from rules.engine import Engine
from rules.events import event_from_dict
from rules.findings import finding_to_json
from rules.table import TableConfig
from service.audit.calendar import ShiftPlan
from service.audit.moving import move_rounds
from service.config import load_table
from service.errors import ConflictError
from service.reviews.office import RESULT, TABLE_FILE
from service.reviews.queue import Ordered, State
from service.reviews.recorded import Recorded, kept, recorded_of
from service.reviews.results import PAGE, PDF, RUN_FILE, plain, write_results
from service.reviews.tables import ReviewRow
from service.reviews.work import EVENTS, EVIDENCE, FINDINGS, ROUNDS, json_lines_of, room_on
from service.stamps import moment_of
from service.store import Store
from service.store.alerts import judge_by
from service.store.round_tables import RoundFactRow
from service.store.rounds import opened_ms, zero_utc
from service.store.tables import RunRow


@dataclass(frozen=True, slots=True)
class Correction:
    """What a correction did: the time said before and now, and how many rounds of the audit's books moved."""

    before: Recorded
    after: Recorded
    moved: int

    @property
    def said(self) -> str:
        """What it is, for the log."""
        was = self.before.at.isoformat() if self.before.at is not None else "not known"
        assert self.after.at is not None
        return f"recorded at {was} ({self.before.by}) -> {self.after.at.isoformat()}, {self.moved} rounds of the audit moved"


def correct_recording(
    store: Store, one: Ordered, given: str, *, plan: ShiftPlan, by: str, now: datetime
) -> Correction:  # fmt: skip
    """Corrects when the recording of a finished review was made; doing so again with the same time changes nothing.

    Args:
        store: the service's.
        one: the review; all reviews of the same recording and table follow.
        given: the time as people write it.
        plan: days and shifts, and the house's clock.
        by: who says so.
        now: the time.

    Raises:
        ReviewError: this is no time.
        ConflictError: the review is not done, was not made here, or the law of that day judges it otherwise.
        DiskFullError: its reports could not be written; say it again once there is room.
    """
    where, folder = f"review {one.review_id}", Path(one.folder)
    if one.state is not State.DONE or one.run_id is None:
        raise ConflictError(f"it is {one.state}", where=where, do="Order it again with the right time")
    if not (folder / RESULT).is_dir():
        raise ConflictError(
            "its results were made elsewhere", where=where, do="Review it again there, with the right time"
        )
    found = recorded_of(Path(one.video), one.name, given=given, zone=plan.zone, now=now)
    after, before = replace(found, by=f"corrected by {by}"), kept(one.recorded_at, one.recorded_by)
    table = load_table(folder / TABLE_FILE).table
    judged = before.day or moment_of(one.started_utc or one.ordered_utc).date()
    if not _same_law(table, folder / RESULT / EVENTS, judged, after.day):
        raise ConflictError(f"the law of {after.day} judges it otherwise than that of {judged}", where=where, do="Order its review again with the right time")  # fmt: skip
    folders, moved = _record(store, one.run_id, after, plan)
    for result in folders:
        _rewrite(result, after, now)
    return Correction(before, after, moved)


def _record(store: Store, run_id: str, after: Recorded, plan: ShiftPlan) -> tuple[list[Path], int]:
    """Writes the time into run, reviews, rounds and audit, all or nothing; the folders of results that show it."""
    assert after.at is not None
    with store.write() as session:
        run = session.get_one(RunRow, run_id, with_for_update=True)
        run.about = json.dumps(json.loads(run.about) | after.as_json() | {"law_day": str(after.day)})
        judge_by(session, run_id, after.at.date())
        session.flush()
        zero = zero_utc(run)
        assert zero is not None
        for fact in session.scalars(sa.select(RoundFactRow).where(RoundFactRow.run_id == run_id)):
            fact.opened_ms = opened_ms(zero, fact.opened_s)
        said = {"recorded_at": after.at.isoformat(), "recorded_by": after.by}
        own = sa.update(ReviewRow).where(ReviewRow.run_id == run_id).values(said).returning(ReviewRow.folder)
        folders = [Path(folder) / RESULT for folder in session.scalars(own)]
        return folders, move_rounds(session, run_id, zero=zero, plan=plan)


def _same_law(table: TableConfig, events: Path, before: date | None, after: date | None) -> bool:
    """Whether the events are judged the same by the law of both days."""
    if before == after:
        return True
    pairs = zip(_judged(table, events, before), _judged(table, events, after), strict=False)
    return all(one == other for one, other in pairs)


def _judged(table: TableConfig, events: Path, day: date | None) -> Iterator[Any]:
    """Everything the engine says of events, one after the other; at last how many things that were."""
    engine, said = Engine(table, day=day), 0
    for raw in json_lines_of(events):
        for finding in engine.feed(event_from_dict(raw)):
            said += 1
            yield finding_to_json(finding)
    for finding in engine.close():
        said += 1
        yield finding_to_json(finding)
    yield said
    yield [plain(record) for record in engine.rounds]


def _rewrite(result: Path, after: Recorded, now: datetime) -> None:
    """Makes the reports anew beside the old ones, then puts them in their place, `run.json` last."""
    if not result.is_dir():
        return
    about = json.loads((result / RUN_FILE).read_text(encoding="utf-8")) | after.as_json() | {"law_day": str(after.day)}
    breaches = [one for one in json_lines_of(result / FINDINGS) if one["verdict"] == "breach"]
    with room_on(result):
        part = Path(tempfile.mkdtemp(prefix=".corrected-", dir=result.parent))
        try:
            (part / FINDINGS).symlink_to((result / FINDINGS).resolve())
            (part / EVIDENCE).symlink_to((result / EVIDENCE).resolve())
            write_results(
                part, replace(load_table(result.parent / TABLE_FILE), day=after.day), about=about, made=now,
                breaches=sorted(breaches, key=lambda one: float(one["t_s"])), rounds=list(json_lines_of(result / ROUNDS)),
            )  # fmt: skip
            for name in (PAGE, PDF, RUN_FILE):
                os.replace(part / name, result / name)
        finally:
            shutil.rmtree(part, ignore_errors=True)
