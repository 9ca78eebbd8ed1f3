"""Finding a page of alerts among a million in a few milliseconds, whatever the filter.

Alerts are ordered by `sort_key`: the millisecond they were raised, then their number. What lists are filtered by puts every
alert into a cell (`service.store.cells`). The newest alerts of many cells are found by looking at the newest alert of each
(one step in an index) and then only into the cells with the newest ones: a page of n alerts lies in at most n cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.store import cells
from service.store.records import SEVERITIES, AlertFilter, Counts, Order, Status
from service.store.tables import AlertRow, CellRow

SEQ_BITS = 20
"""Alerts of the same millisecond are ordered by the last so many bits of their number."""
FIRST_KEY, LAST_KEY = 0, 2**63 - 1
MOST_COUNTED = 20_000
"""Where a filter is not one that cells count, alerts are counted so far and no farther."""


def sort_key(raised: datetime, seq: int) -> int:
    """An alert's place in time."""
    return (round(raised.timestamp() * 1000) << SEQ_BITS) + (seq & ((1 << SEQ_BITS) - 1))


def bounds(wanted: AlertFilter) -> tuple[int, int]:
    """The first place wanted, and the first one behind."""
    low = sort_key(wanted.from_utc, 0) if wanted.from_utc else FIRST_KEY
    high = sort_key(wanted.to_utc, 0) if wanted.to_utc else LAST_KEY
    return low, high


def page(session: Session, wanted: AlertFilter, *, limit: int, before: AlertRow | None, order: Order) -> list[int]:
    """The numbers of the next alerts, newest first, or most severe first and newest among these.

    Args:
        session: to ask with.
        wanted: which.
        limit: at most so many.
        before: the last alert of the page before.
        order: by time, or by severity first.
    """
    low, high = bounds(wanted)
    if order is Order.NEWEST:
        return _newest(session, wanted, limit, low, min(high, before.sort_key) if before else high)
    found: list[int] = []
    start = SEVERITIES.index(before.severity) if before else 0
    for place, severity in enumerate(SEVERITIES):
        if place < start or len(found) >= limit or wanted.severity not in (None, severity):
            continue
        until = min(high, before.sort_key) if before and place == start else high
        found += _newest(session, replace(wanted, severity=severity), limit - len(found), low, until)
    return found


def _newest(session: Session, wanted: AlertFilter, limit: int, low: int, high: int) -> list[int]:
    conditions = cells.conditions(session, wanted)
    between = (AlertRow.sort_key >= low, AlertRow.sort_key < high)
    own = narrow(wanted)
    if (
        not own
        and conditions
        and wanted == AlertFilter(severity=wanted.severity, from_utc=wanted.from_utc, to_utc=wanted.to_utc)
    ):  # thousands of cells would have to be looked into, where one index has them in order
        own, conditions = [AlertRow.severity == str(wanted.severity)], []
    if own or not conditions:
        query = sa.select(AlertRow.seq).where(*own, *between)
        if conditions:
            query = query.where(AlertRow.cell_id.in_(sa.select(CellRow.cell_id).where(*conditions)))
        return list(session.scalars(query.order_by(AlertRow.sort_key.desc()).limit(limit)))
    newest = sa.select(sa.func.max(AlertRow.sort_key)).where(AlertRow.cell_id == CellRow.cell_id, *between)
    head = newest.scalar_subquery().label("head")
    top = sa.select(CellRow.cell_id, head).where(*conditions, CellRow.alerts > 0)
    # a condition that there is one would have each looked up twice
    found = session.execute(top.order_by(sa.desc("head").nulls_last()).limit(limit))
    return _merged(session, [cell_id for cell_id, newest_key in found if newest_key is not None], low, high, limit)


def _merged(session: Session, cell_ids: Sequence[int], low: int, high: int, limit: int) -> list[int]:
    """The newest alerts of some cells; written out as text, since building such a statement costs more than running it."""
    if not cell_ids:
        return []
    parts = " UNION ALL ".join(
        f"SELECT * FROM (SELECT sort_key, seq FROM alerts WHERE cell_id = {int(cell_id)} AND sort_key >= :low"
        f" AND sort_key < :high ORDER BY sort_key DESC LIMIT :most) AS cell{int(cell_id)}"
        for cell_id in cell_ids
    )
    query = sa.text(f"SELECT seq FROM ({parts}) AS parts ORDER BY sort_key DESC LIMIT :most")
    return list(session.scalars(query, {"low": low, "high": high, "most": limit}))


def counts(session: Session, wanted: AlertFilter) -> Counts:
    """How many alerts are wanted, by status and severity."""
    conditions = cells.conditions(session, wanted)
    own = narrow(wanted)
    exact = True
    if not own and wanted.from_utc is None and wanted.to_utc is None:
        query = sa.select(CellRow.status, CellRow.severity, sa.func.sum(CellRow.alerts)).where(*conditions)
    else:
        low, high = bounds(wanted)
        inner = sa.select(AlertRow.cell_id).where(*own, AlertRow.sort_key >= low, AlertRow.sort_key < high)
        some = inner.order_by(AlertRow.sort_key.desc()).limit(MOST_COUNTED).subquery()
        query = sa.select(CellRow.status, CellRow.severity, sa.func.count()).join(
            some, some.c.cell_id == CellRow.cell_id
        )
        query = query.where(*conditions)
        exact = len(session.scalars(inner.limit(1).offset(MOST_COUNTED)).all()) == 0
    by_status = dict.fromkeys((status.value for status in Status), 0)
    by_severity = dict.fromkeys(SEVERITIES, 0)
    for status, severity, number in session.execute(query.group_by(CellRow.status, CellRow.severity)):
        by_status[status] += int(number)
        by_severity[severity] = by_severity.get(severity, 0) + int(number)
    return Counts(by_status, by_severity, exact)


def narrow(wanted: AlertFilter) -> list[sa.ColumnElement[bool]]:
    """Conditions that cells do not know; each has an index of its own."""
    out: list[sa.ColumnElement[bool]] = []
    if wanted.run_id is not None:
        out.append(AlertRow.run_id == wanted.run_id)
    if wanted.assignee is not None:
        out.append(AlertRow.assignee == wanted.assignee)
    if wanted.after_seq:
        out.append(AlertRow.seq > wanted.after_seq)
    return out


def plain(session: Session, wanted: AlertFilter) -> list[sa.ColumnElement[bool]]:
    """A filter as conditions on alerts alone."""
    low, high = bounds(wanted)
    out = [*narrow(wanted), AlertRow.sort_key >= low, AlertRow.sort_key < high]
    cell = cells.conditions(session, wanted)
    if cell:
        out.append(AlertRow.cell_id.in_(sa.select(CellRow.cell_id).where(*cell)))
    return out
