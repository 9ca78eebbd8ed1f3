"""What one shift hands to the next: what stands open, and what was decided meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa

from service.stamps import stamp
from service.store import search
from service.store.alerts import Alerts, load
from service.store.records import CLOSED, SEVERITIES, Action, Alert, AlertFilter, Disposition, Order, Status
from service.store.tables import AlertRow, DispositionRow

MOST = 1000
"""An alert list longer than this is no hand-over any more; what is left out is counted."""
DECIDING = (Action.CONFIRM, Action.DISMISS, Action.REOPEN)


@dataclass(frozen=True, slots=True)
class Handover:
    """A shift's end.

    Attributes:
        open: open and acknowledged alerts as they stood at the end, most severe first, newest among these.
        decided: (alert, step) of every confirmation, dismissal and reopening in the shift, in order.
        raised: how many alerts were raised in the shift.
        left_out: how many open alerts the list had no room for.
    """

    open: tuple[Alert, ...]
    decided: tuple[tuple[Alert, Disposition], ...]
    raised: int
    left_out: int


class Handovers(Alerts):
    """Shift hand-overs."""

    def handover(self, from_utc: datetime, to_utc: datetime, wanted: AlertFilter = AlertFilter()) -> Handover:
        """What stood open at the end of a shift, and what was decided in it.

        Args:
            from_utc: when the shift began.
            to_utc: when it ended; everything is given as it stood then.
            wanted: only these alerts; its status and times do not count.
        """
        wanted = replace(wanted, status=None, from_utc=None, to_utc=to_utc)
        with self.read() as session:
            open_seqs: list[int] = []
            for status in (Status.OPEN, Status.ACKNOWLEDGED):
                some = replace(wanted, status=status)
                open_seqs += search.page(session, some, limit=MOST + 1, before=None, order=Order.SEVERITY)
            later = sa.select(DispositionRow.alert_seq).where(DispositionRow.at_utc >= stamp(to_utc))
            changed_later = session.scalars(later.distinct().limit(MOST)).all()
            in_shift = sa.select(DispositionRow.alert_seq, DispositionRow.number).where(
                DispositionRow.at_utc >= stamp(from_utc),
                DispositionRow.at_utc < stamp(to_utc),
                DispositionRow.action.in_([action.value for action in DECIDING]),
            )
            steps = [(row[0], row[1]) for row in session.execute(in_shift.order_by(DispositionRow.number))]
            seqs = sorted({*open_seqs, *changed_later, *(seq for seq, _ in steps)})
            fits = set(
                session.scalars(sa.select(AlertRow.seq).where(AlertRow.seq.in_(seqs), *search.plain(session, wanted)))
            )
            known = {alert.seq: alert for alert in load(session, seqs) if alert.seq in fits}
            raised = search.counts(session, replace(wanted, from_utc=from_utc))
        then = [as_of(alert, stamp(to_utc)) for alert in known.values()]
        standing = _most_severe_first([alert for alert in then if alert.status not in CLOSED])
        decided = tuple((known[seq], step) for seq, number in steps if seq in known for step in known[seq].history if step.number == number)  # fmt: skip
        return Handover(tuple(standing[:MOST]), decided, raised.total, max(0, len(standing) - MOST))


def as_of(alert: Alert, at_utc: str) -> Alert:
    """An alert as it stood at a moment."""
    history = tuple(step for step in alert.history if step.at_utc < at_utc)
    status = history[-1].status if history else Status.OPEN
    assigned = [step.assignee for step in history if step.action is Action.ASSIGN]
    return replace(alert, history=history, status=status, assignee=assigned[-1] if assigned else None)


def _most_severe_first(alerts: list[Alert]) -> list[Alert]:
    """In the order of severities, newest first among equals."""
    newest = sorted(alerts, key=lambda alert: (alert.raised_utc, alert.seq), reverse=True)
    return sorted(newest, key=lambda alert: SEVERITIES.index(alert.severity))
