"""What the store gives out: alerts with their history, what to ask for, pictures, changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Where an alert stands with the people who work on it."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


CLOSED = (Status.CONFIRMED, Status.DISMISSED)
SEVERITIES = ("critical", "warning", "info")
"""Most severe first."""


class Action(StrEnum):
    """A step someone takes with an alert. `ended` is the program's own: what the alert tells of is over."""

    ACKNOWLEDGE = "acknowledge"
    COMMENT = "comment"
    CONFIRM = "confirm"
    DISMISS = "dismiss"
    REOPEN = "reopen"
    ASSIGN = "assign"
    ENDED = "ended"


class AlertKind(StrEnum):
    """What rang: a check of the law, or a camera that no longer shows its table."""

    FINDING = "finding"
    CAMERA = "camera"


class Order(StrEnum):
    """How a list of alerts is ordered: by time alone, or the most severe first and by time among equals."""

    NEWEST = "newest"
    SEVERITY = "severity"


@dataclass(frozen=True, slots=True)
class Disposition:
    """A step someone took with an alert: what, when, why, and how the alert stood after it.

    Attributes:
        assignee: for `assign`, who shall deal with it; None takes it from everyone.
        number: rises by one order for the whole store.
    """

    status: Status
    reason: str
    by: str
    at_utc: str
    action: Action = Action.COMMENT
    assignee: str | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that rang. `seq` rises in the order in which alerts were recorded and is the alert's id.

    Attributes:
        origin: "live" or "review", how the run that found it looked at the table.
        finding: the finding as plain JSON values.
        evidence: (name, caption) of its pictures.
        history: every step, oldest first.
        status: how it stands now.
        assignee: who shall deal with it.
        game: of its table.
        kind: a check of the law, or the camera.
        sightings: in how many runs it was seen: one, and one more for each restart or replay that saw it again.
        law_day: the day by whose law its round was judged, where the table stands; None where nobody said.
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
    status: Status = Status.OPEN
    assignee: str | None = None
    game: str = ""
    kind: AlertKind = AlertKind.FINDING
    sightings: int = 1
    law_day: date | None = None


@dataclass(frozen=True, slots=True)
class AlertFilter:
    """Which alerts to list; None means any.

    Attributes:
        text: a part of the citation or of the cited sentence of law, in any case of letters.
        tables: only these tables, e.g. those someone may see.
        from_utc: raised at or after this moment.
        to_utc: raised before this moment.
        standing: only those that nobody has closed yet: open and acknowledged.
    """

    table_id: str | None = None
    severity: str | None = None
    check_id: str | None = None
    status: Status | None = None
    origin: str | None = None
    run_id: str | None = None
    after_seq: int = 0
    game: str | None = None
    kind: AlertKind | None = None
    assignee: str | None = None
    text: str | None = None
    tables: frozenset[str] | None = None
    from_utc: datetime | None = None
    to_utc: datetime | None = None
    standing: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """How many alerts a filter finds, by how they stand and by severity.

    Attributes:
        exact: False where only the newest `search.MOST_COUNTED` were counted.
    """

    by_status: Mapping[str, int]
    by_severity: Mapping[str, int]
    exact: bool = True

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.by_status.values())


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened to an alert, at its place in the one order in which everything was committed.

    Attributes:
        position: 1, 2, 3 and so on without a gap; whoever has read up to one position has missed nothing before it.
        kind: "raised", or the step's action.
        step: number of the step in the alert's history, None for "raised".
    """

    position: int
    kind: str
    alert_seq: int
    step: int | None
    at_utc: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture or file kept with an alert."""

    name: str
    content: bytes
    media_type: str = "image/jpeg"
    caption: str = ""
