"""How the alerts of bundles stand with the people who work on them: their class of retention follows from it."""

from __future__ import annotations

import sqlalchemy as sa

from service.evidence.index import Entry
from service.store import Store
from service.store.tables import AlertRow


def status_of(store: Store, entry: Entry) -> str | None:
    """The status of a bundle's alert, None where this store does not know the alert."""
    with store.read() as session:
        return session.scalar(sa.select(AlertRow.status).where(*_of(entry)))


def alert_of(store: Store, entry: Entry) -> int | None:
    """The number of a bundle's alert, None where this store does not know it."""
    with store.read() as session:
        return session.scalar(sa.select(AlertRow.seq).where(*_of(entry)))


def _of(entry: Entry) -> tuple[sa.ColumnElement[bool], ...]:
    body = entry.link.body
    return AlertRow.run_id == str(body["run_id"]), AlertRow.finding_id == str(body["finding_id"])
