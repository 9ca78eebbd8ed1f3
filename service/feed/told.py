"""A change as it is told to others: the alert as it stood right after it, and what was done by whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from service.store import Action, Alert, AlertFilter, Change, Status, Store
from service.store.cells import says

Shown = Callable[[Alert], dict[str, Any]]
RAISED = "raised"


@dataclass(frozen=True, slots=True)
class Told:
    """A change with its alert.

    Attributes:
        change: what happened, and its position in the one order.
        alert: as it stood right after, however long ago that was, so that telling it again tells the same.
    """

    change: Change
    alert: Alert

    @property
    def kind(self) -> str:
        """The name under which event streams tell it: `alert` for a new one, `change` for a step."""
        return "alert" if self.change.kind == RAISED else "change"

    def body(self, shown: Shown) -> dict[str, Any]:
        """The alert as the interface shows it, with the change beside it."""
        step = self.alert.history[-1] if self.change.step is not None else None
        said = {
            "position": self.change.position, "kind": self.change.kind, "at_utc": self.change.at_utc,
            "by": step.by if step else None, "reason": step.reason if step else "",
        }  # fmt: skip
        return shown(self.alert) | {"change": said}


def read(store: Store, after: int, *, limit: int) -> list[Told]:
    """The next changes behind a position, in order."""
    found = store.changes(after, limit=limit)
    seqs = {change.alert_seq for change in found}
    alerts, seen = store.alerts_by_seq(seqs), store.seen_again(seqs)
    out = []
    for change in found:
        again = sum(at_utc <= change.at_utc for at_utc in seen.get(change.alert_seq, ()))
        out.append(Told(change, replace(at_step(alerts[change.alert_seq], change.step), sightings=1 + again)))
    return out


def at_step(alert: Alert, step: int | None) -> Alert:
    """An alert as it stood right after a step of it, or when it was raised."""
    history = tuple(one for one in alert.history if step is not None and one.number <= step)
    assigned = [one.assignee for one in history if one.action is Action.ASSIGN]
    status = history[-1].status if history else Status.OPEN
    return replace(alert, history=history, status=status, assignee=assigned[-1] if assigned else None)


def fits(alert: Alert, wanted: AlertFilter) -> bool:
    """Whether a filter wants an alert; times and numbers of the filter do not count."""
    pairs: Sequence[tuple[object, object]] = (
        (wanted.table_id, alert.table_id), (wanted.severity, alert.severity), (wanted.check_id, alert.check_id),
        (wanted.status, alert.status), (wanted.origin, alert.origin), (wanted.run_id, alert.run_id),
        (wanted.game, alert.game), (wanted.kind, alert.kind), (wanted.assignee, alert.assignee),
    )  # fmt: skip
    if any(value is not None and value != has for value, has in pairs):
        return False
    if wanted.tables is not None and alert.table_id not in wanted.tables:
        return False
    return wanted.text is None or says(alert.finding["citation"], wanted.text)
