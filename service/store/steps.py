"""What people do with an alert: acknowledge, comment, confirm, dismiss, reopen, assign. Every step stays, with who and when.

An open alert is acknowledged by whoever takes it up, then confirmed as a breach or dismissed as false, with a reason. A
closed alert can be reopened, with a reason; who closed it and who reopened it stays in its history.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.errors import ConflictError, NotFoundError, ServiceError
from service.stamps import stamp
from service.store import cells, changes
from service.store.alerts import Alerts
from service.store.records import CLOSED, Action, Alert, Status
from service.store.tables import AlertRow, DispositionRow

BECOMES = {
    Action.ACKNOWLEDGE: Status.ACKNOWLEDGED,
    Action.CONFIRM: Status.CONFIRMED,
    Action.DISMISS: Status.DISMISSED,
    Action.REOPEN: Status.OPEN,
}
"""How an alert stands after a step; the others leave it as it is."""
NEEDS_REASON = {
    Action.CONFIRM: "an alert is confirmed with a reason",
    Action.DISMISS: "an alert is dismissed with a reason",
    Action.REOPEN: "an alert is reopened with a reason",
    Action.COMMENT: "a comment needs a text",
}
ACTION_TO = {
    Status.ACKNOWLEDGED: Action.ACKNOWLEDGE,
    Status.CONFIRMED: Action.CONFIRM,
    Status.DISMISSED: Action.DISMISS,
}


class Steps(Alerts):
    """The life of an alert."""

    def take_step(
        self, seq: int, action: Action, *, by: str, at_utc: datetime, reason: str = "", assignee: str | None = None
    ) -> Alert:
        """Records a step; one that changes nothing (acknowledged twice, assigned to the same, a comment sent again) is not recorded again.

        Args:
            seq: the alert.
            action: what is done.
            by: who does it.
            at_utc: when.
            reason: why; for a comment, what is said.
            assignee: for `assign`, to whom; None takes it from everyone.

        Raises:
            NotFoundError: no such alert.
            ConflictError: the alert stands so that this step makes no sense, e.g. it is already closed.
            ServiceError: a reason is missing.
        """
        reason = reason.strip()
        if action in NEEDS_REASON and not reason:
            raise ServiceError(NEEDS_REASON[action], where=f"alert {seq}", do="Give a reason")
        with self.write() as session:
            changes.lock(session)
            row = session.get(AlertRow, seq)
            if row is None:
                raise NotFoundError(f"there is no alert {seq}", do="List them with GET /api/alerts")
            status = _after(row, action)
            said_already = action is Action.COMMENT and _is_last(session, row, action, by, reason)
            if not said_already and _changes_something(row, action, status, assignee):
                record_step(session, row, action, by=by, at_utc=stamp(at_utc), reason=reason, assignee=assignee)
        return self.alert(seq)

    def dispose(self, seq: int, status: Status, *, reason: str, by: str, at_utc: datetime) -> Alert:
        """Acknowledges, confirms or dismisses an alert.

        Raises:
            ServiceError: as `take_step`; or `status` is open: that is what `Action.REOPEN` is for.
        """
        if status is Status.OPEN:
            raise ServiceError(
                "an alert cannot be set back to open", where=f"alert {seq}", do="Reopen it, with a reason"
            )
        return self.take_step(seq, ACTION_TO[status], by=by, at_utc=at_utc, reason=reason)


def record_step(
    session: Session, row: AlertRow, action: Action, *, by: str, at_utc: str, reason: str = "", assignee: str | None = None
) -> None:  # fmt: skip
    """Records a step within a transaction that holds the lock of changes.

    Args:
        session: of the transaction.
        row: the alert.
        action: what is done.
        by: who does it.
        at_utc: when, as a stamp.
        reason: why.
        assignee: for `assign`.
    """
    status = BECOMES.get(action, Status(row.status))
    if action is Action.ASSIGN:
        row.assignee = assignee
    if status != row.status:
        cells.leave(session, row)
        row.status = status.value
        cells.enter(session, row)
    step = DispositionRow(
        alert_seq=row.seq, status=status.value, reason=reason, by=by, at_utc=at_utc, action=action.value,
        assignee=assignee if action is Action.ASSIGN else None,
    )  # fmt: skip
    session.add(step)
    session.flush()
    changes.append(session, action.value, row.seq, step.number, at_utc)


def _after(row: AlertRow, action: Action) -> Status:
    """How the alert stands after a step.

    Raises:
        ConflictError: it cannot be taken.
    """
    now = Status(row.status)
    wanted = BECOMES.get(action, now)
    if now in CLOSED and wanted is not now and action is not Action.REOPEN:
        raise ConflictError(f"it is already {now}", where=f"alert {row.seq}", do="Reopen it first, with a reason")
    return wanted


def _is_last(session: Session, row: AlertRow, action: Action, by: str, reason: str) -> bool:
    """Whether the last step of an alert was the same one: who got no answer sends it again."""
    query = sa.select(DispositionRow).where(DispositionRow.alert_seq == row.seq)
    last = session.scalar(query.order_by(DispositionRow.number.desc()).limit(1))
    return last is not None and (last.action, last.by, last.reason) == (action.value, by, reason)


def _changes_something(row: AlertRow, action: Action, status: Status, assignee: str | None) -> bool:
    if action in BECOMES:
        return status != row.status and not (action is Action.REOPEN and row.status == Status.ACKNOWLEDGED)
    return action is not Action.ASSIGN or row.assignee != assignee
