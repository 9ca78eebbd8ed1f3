"""What the store gives out: alerts with their history, what to ask for, pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Where an alert stands with the people who work on it."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


CLOSED = (Status.CONFIRMED, Status.DISMISSED)


@dataclass(frozen=True, slots=True)
class Disposition:
    """What someone decided about an alert, when, and why."""

    status: Status
    reason: str
    by: str
    at_utc: str


@dataclass(frozen=True, slots=True)
class Alert:
    """A breach that rang. `seq` rises by one order for the whole store and is the id of the event stream.

    Attributes:
        origin: "live" or "review", how the run that found it looked at the table.
        finding: the finding as plain JSON values.
        evidence: (name, caption) of its pictures.
        history: every disposition, oldest first.
    """

    seq: int
    run_id: str
    origin: str
    finding_id: str
    table_id: str
    check_id: str
    severity: str
    raised_utc: str
    finding: Mapping[str, Any]
    evidence: tuple[tuple[str, str], ...] = ()
    history: tuple[Disposition, ...] = ()

    @property
    def status(self) -> Status:
        """The last disposition, open if there is none."""
        return self.history[-1].status if self.history else Status.OPEN


@dataclass(frozen=True, slots=True)
class AlertFilter:
    """Which alerts to list; None means any."""

    table_id: str | None = None
    severity: str | None = None
    check_id: str | None = None
    status: Status | None = None
    origin: str | None = None
    run_id: str | None = None
    after_seq: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture or file kept with an alert."""

    name: str
    content: bytes
    media_type: str = "image/jpeg"
    caption: str = ""
