"""Deleting evidence: what the retention lets go, and what somebody asks to have erased. Never below the legal minimum.

With a bundle that goes as a whole go the pictures beside its alert in the database, which are copies of the bundle's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from service.errors import ConflictError
from service.evidence.index import Entry, Scope
from service.evidence.reason import reason
from service.evidence.retention import CLASSES, Due, due, kept_until
from service.evidence.room import EvidenceRoom
from service.evidence.standing import alert_of, status_of
from service.store import Alert, Store
from service.store.tables import EvidenceRow


@dataclass(frozen=True, slots=True)
class Deletions:
    """What may be deleted of a house's evidence, and deleting it.

    Args:
        room: its bundles and their policy.
        store: its alerts and their pictures.
    """

    room: EvidenceRoom
    store: Store

    def due(self, may: Callable[[str], bool]) -> list[Due]:
        """What the retention lets go now, oldest first, of the tables for which `may` says so."""
        index = self.room.vault.refresh()
        found = due(self.room.policy, index, lambda entry: status_of(self.store, entry), self.room.now())
        return [one for one in found if may(str(index.entries[one.number].link.body["table_id"]))]

    def delete_due(self, numbers: Collection[int], *, by: str, may: Callable[[str], bool]) -> list[Due]:
        """Deletes those of some bundles that are due now.

        Args:
            numbers: of the bundles, as they were shown to the one who orders it.
            by: who orders it; stands in the chain for ever.
            may: whether that is theirs to order for a table.

        Returns:
            What was deleted; a bundle that is not due any more, or is held by now, is left.
        """
        done = [one for one in self.due(may) if one.number in numbers]
        for one in done:
            self._expire(one.number, one.scope, by=by, why=one.why)
        return done

    def erase(self, alert: Alert, *, by: str, why: str) -> None:
        """Erases an alert's bundle and pictures because somebody asked for it, before the retention would.

        Raises:
            ConflictError: it is evidence still: nobody decided the alert, it is held, or the legal minimum is not over.
            EvidenceError: the reason says nothing, or holds signs that cannot be printed.
        """
        entry = self.room.vault.refresh().bundle_of(alert.run_id, alert.finding_id)
        self._verify_erasable(alert, entry)
        why = f"erased on request: {reason(why)}"
        if entry is not None and Scope.BUNDLE not in entry.expired:
            self._expire(entry.link.number, Scope.BUNDLE, by=by, why=why)
        self.store.forget_pictures(alert.seq)

    def finish(self) -> int:
        """Erases the pictures of bundles that are gone, where the process ended in between; how many alerts had some."""
        gone = [entry for entry in self.room.vault.refresh().entries.values() if Scope.BUNDLE in entry.expired]
        return sum(self._forget(entry) for entry in gone)

    def _verify_erasable(self, alert: Alert, entry: Entry | None) -> None:
        where, days = f"evidence of alert {alert.seq}", self.room.policy.legal_minimum_days
        if alert.status.value not in CLASSES:
            raise ConflictError("nobody has decided this alert yet, so it is evidence", where=where, do="Confirm or dismiss it first")  # fmt: skip
        if not days:
            raise ConflictError("no legal minimum is set, so nobody can say from when on it may be erased", where=where, do="Name it in the file of --retention (docs/evidence.md)")  # fmt: skip
        raised = datetime.fromisoformat(alert.raised_utc)
        until = kept_until(entry, days) if entry is not None else kept_until(raised, days)
        if self.room.now() < until:
            raise ConflictError(f"it is evidence until {until:%Y-%m-%d}: the legal minimum is {days} days", where=where, do="It can not be erased before; ask again then")  # fmt: skip
        if entry is not None and entry.held is not None:
            raise ConflictError(f"{entry.held.body['by']} holds it: {entry.held.body['why']}", where=where, do="It can not be erased while it is held")  # fmt: skip

    def _expire(self, number: int, scope: Scope, *, by: str, why: str) -> None:
        entry = self.room.vault.expire(number, scope, by=by, why=why, now=self.room.now())
        if scope is Scope.BUNDLE:
            self._forget(entry)

    def _forget(self, entry: Entry) -> bool:
        seq = alert_of(self.store, entry)
        if seq is None:
            return False
        with self.store.read() as session:
            if session.scalar(sa.select(EvidenceRow.alert_seq).where(EvidenceRow.alert_seq == seq).limit(1)) is None:
                return False
        return self.store.forget_pictures(seq) > 0
