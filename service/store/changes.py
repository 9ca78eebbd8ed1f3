"""The one order of everything that happens to alerts, for whoever follows it: event streams, webhooks, screens.

A position is given under the lock of one row (`changes_head`) that is held until the transaction commits, so positions
are committed in their order and without a gap. A sequence would not do: on PostgreSQL two transactions that overlap may
take 7 and 8 and commit 8 first, and a reader that asks for "after 8" never sees 7.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.store.base import Database
from service.store.records import Change
from service.store.tables import ChangeRow, HeadRow

ONE = 1


def lock(session: Session) -> int:
    """Makes this transaction the only one that writes alerts until it ends; returns the last position."""
    head = session.scalar(sa.select(HeadRow.position).where(HeadRow.one == ONE).with_for_update())
    assert head is not None, "changes_head has lost its row"
    return head


def append(session: Session, kind: str, alert_seq: int, step: int | None, at_utc: str) -> int:
    """Adds a change behind all others; the transaction must hold `lock`."""
    position = 1 + (session.scalar(sa.select(HeadRow.position).where(HeadRow.one == ONE)) or 0)
    session.execute(sa.update(HeadRow).where(HeadRow.one == ONE).values(position=position))
    values = {"position": position, "kind": kind, "alert_seq": alert_seq, "step": step, "at_utc": at_utc}
    session.execute(sa.insert(ChangeRow).values(values))
    return position


class Changes(Database):
    """Reading the one order."""

    def last_position(self) -> int:
        """The last position that is committed, 0 before the first."""
        with self.read() as session:
            return session.scalar(sa.select(HeadRow.position).where(HeadRow.one == ONE)) or 0

    def changes(self, after: int, *, limit: int = 500) -> list[Change]:
        """What happened after a position, in order; the next call goes on behind the last one given."""
        columns = (ChangeRow.position, ChangeRow.kind, ChangeRow.alert_seq, ChangeRow.step, ChangeRow.at_utc)
        query = sa.select(*columns).where(ChangeRow.position > after).order_by(ChangeRow.position).limit(limit)
        with self.read() as session:
            return [Change(*row) for row in session.execute(query)]
