"""A live table's rounds are judged by the law of the day they are dealt on, also past midnight and after a restart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from rules.engine import Engine
from rules.events import Event
from rules.findings import Finding
from rules.records import RoundRecord
from service.audit.calendar import ShiftPlan
from service.watching import Judge


@dataclass(frozen=True, slots=True)
class Dated:
    """An engine that is told which day it is before each event.

    Args:
        engine: of the table.
        day_at: the calendar day where the table stands at a capture time in seconds.
    """

    engine: Engine
    day_at: Callable[[float], date | None]

    def feed(self, event: Event) -> Sequence[Finding]:
        """Takes the next event; returns the checks decided by it."""
        self.engine.turn_to(self.day_at(event.t_s))
        return self.engine.feed(event)

    def close(self) -> Sequence[Finding]:
        """Returns the checks decided by the end."""
        return self.engine.close()

    @property
    def rounds(self) -> Sequence[RoundRecord]:
        """The rounds closed so far."""
        return self.engine.rounds

    @property
    def dropped_events(self) -> int:
        """How many events it let go of unjudged."""
        return self.engine.dropped_events

    def forget_rounds(self) -> None:
        """Lets go of the rounds closed so far, which are kept elsewhere."""
        self.engine.forget_rounds()


def dated(judge: Judge, epoch: datetime, plan: ShiftPlan) -> Judge:
    """A judge that knows which day it is; one that is none of the law is given back as it is.

    Args:
        judge: of the table.
        epoch: moment of capture time zero.
        plan: has the house's clock.
    """
    if not isinstance(judge, Engine):
        return judge
    return Dated(judge, lambda t_s: plan.moment(epoch + timedelta(seconds=t_s)).law_day)


def law_day_of(judge: Judge) -> date | None:
    """Whose day's law judges the round of now; None for the newest text held."""
    return judge.engine.day if isinstance(judge, Dated) else None
