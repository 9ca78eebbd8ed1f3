"""How the alerts of bundles stand with the people who work on them: their class of retention follows from it."""

from __future__ import annotations

import sqlalchemy as sa

from service.evidence.index import Entry
from service.store import Store
from service.store.tables import AlertRow


def status_of(store: Store, entry: Entry) -> str | None:
    """The status of a bundle's alert, None where this store does not know the alert."""
    body = entry.link.body
    query = sa.select(AlertRow.seq).where(
        AlertRow.run_id == str(body["run_id"]), AlertRow.finding_id == str(body["finding_id"])
    )
    with store.read() as session:
        seq = session.scalar(query)
    return None if seq is None else store.alert(seq).status.value
