"""Rounds of the books that happened at another time than was said: moved to their day and shift, with every sum.

A round keeps its number, its content, its facts and the samples it was drawn for; only when it was changes.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.audit.calendar import ShiftPlan
from service.audit.facts import AuditedRound, Fact, Kind, Tally, Verdict
from service.audit.keeping import LOCK, Sums
from service.audit.tables import AuditRoundRow, ExceptionRow, FactRow, KindRow, RoundSumRow, SeenRow
from service.store.round_tables import RoundFactRow


def move_rounds(session: Session, run_id: str, *, zero: datetime, plan: ShiftPlan) -> int:
    """Moves the rounds of a run to when they happened, in the session's transaction.

    Args:
        session: its transaction writes.
        run_id: the run they were seen in.
        zero: when its capture time 0 was.
        plan: days and shifts.

    Returns:
        How many rounds are in the books at another time now.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
    session.scalars(sa.select(SeenRow).with_for_update()).one()  # nobody takes rounds in by the old time meanwhile
    closed = sa.select(RoundFactRow.round_id, RoundFactRow.closed_s).where(RoundFactRow.run_id == run_id)
    closed_s = {round_id.rpartition("-")[2]: at_s for round_id, at_s in session.execute(closed)}
    kinds = {row.kind_id: Kind(row.game, row.wager, row.line) for row in session.scalars(sa.select(KindRow))}
    less, more, moved, days = Sums(), Sums(), 0, set()
    for row in session.scalars(sa.select(AuditRoundRow).where(AuditRoundRow.run_id == run_id)):
        new = _judged(session, row, kinds, plan, zero + timedelta(seconds=closed_s[row.round_id.partition("@")[0]]))
        if new.moment.at_utc == row.at_utc:
            continue
        old = replace(new, moment=replace(new.moment, day=row.day, shift=row.shift))
        for sums, judged in ((less, old), (more, new)):
            _count(sums, judged, {kind: number for number, kind in kinds.items()})
        days.add(row.day)
        moved += 1
        place = {"day": new.moment.day, "shift": new.moment.shift, "at_utc": new.moment.at_utc}
        row.day, row.shift, row.at_utc = place["day"], place["shift"], place["at_utc"]
        session.execute(sa.update(ExceptionRow).where(ExceptionRow.round_seq == row.round_seq).values(place))
    session.flush()
    less.write(session, sign=-1)
    more.write(session)
    _drop_empty(session, days)
    return moved


def _judged(
    session: Session, row: AuditRoundRow, kinds: dict[int, Kind], plan: ShiftPlan, at: datetime
) -> AuditedRound:
    """A round as the books have it, at another time."""
    query = sa.select(FactRow).where(FactRow.round_seq == row.round_seq).order_by(FactRow.number)
    facts = tuple(
        Fact(one.seat, kinds[one.kind_id], one.staked_cents, one.owed_cents, one.paid_cents, Verdict(one.verdict))
        for one in session.scalars(query)
    )
    return AuditedRound(
        row.table_id, row.round_id, row.game, plan.moment(at), row.dealer, facts, row.digest, b"", row.run_id
    )


def _count(sums: Sums, judged: AuditedRound, numbers: dict[Kind, int]) -> None:
    total = Tally()
    for fact in judged.facts:
        total.add(fact)
        sums.add(judged, fact, numbers[fact.kind], numbers[Kind(fact.kind.game, fact.kind.wager)])
    sums.add_round(judged, total)


def _drop_empty(session: Session, days: set[str]) -> None:
    """Takes away sums of days that nothing is left of."""
    for table in Sums().tables:
        empty = [table.__table__.c.day.in_(sorted(days)), table.__table__.c.wagers == 0]
        if table is RoundSumRow:
            empty.append(RoundSumRow.rounds == 0)
        session.execute(sa.delete(table.__table__).where(*empty))  # type: ignore[arg-type]
