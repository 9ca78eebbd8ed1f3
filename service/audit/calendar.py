"""Which gaming day and which shift a moment belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from service.errors import ServiceError
from service.stamps import stamp

FIRST_YEAR, LAST_YEAR = 1971, 9000
"""Years of a round; beyond them a time can fall out of the calendar on another clock."""
A_TIME = "2026-10-01T06:00:30-04:00"
_NAME = re.compile(r"[A-Za-z0-9 _-]{1,20}")


@dataclass(frozen=True, slots=True)
class Moment:
    """When a round was settled.

    Attributes:
        at_utc: ISO text with milliseconds and Z.
        day: the gaming day, which begins with the first shift of the plan.
        law_day: the calendar day where the table stands, whose law the round is judged by; None where nobody knows when
            it was.
        shift: name of the shift.
    """

    at_utc: str
    day: str
    law_day: date | None
    shift: str


UNKNOWN = "unknown"
"""The day and the shift of a round of which nobody knows when it was played."""
NO_MOMENT = Moment("", UNKNOWN, None, UNKNOWN)
"""Belongs to no day: it is counted with all rounds, but with those of no days that are asked for."""


@dataclass(frozen=True, slots=True)
class ShiftPlan:
    """The shifts of a house by the hour they begin; the first one begins the gaming day.

    Attributes:
        starts: local time of day by shift, in the order of the day.
        zone: the house's time zone, on whose clock days and shifts go; None for the clock that each time brings itself.
    """

    starts: tuple[tuple[str, time], ...] = (("day", time(6)), ("swing", time(14)), ("grave", time(22)))
    zone: tzinfo | None = None

    def moment(self, at: datetime, *, shift: str | None = None) -> Moment:
        """The gaming day and shift of a moment.

        Args:
            at: a time without a zone is on the house's clock, on UTC's where the house has none.
            shift: the shift where the source names it itself.
        """
        if at.tzinfo is None:
            local = at.replace(tzinfo=self.zone or UTC)
        else:
            local = at.astimezone(self.zone) if self.zone else at
        begins = self.starts[0][1]
        day = local.date() if local.time() >= begins else local.date() - timedelta(days=1)
        return Moment(stamp(local), day.isoformat(), local.date(), shift or self._shift(local.time()))

    def _shift(self, clock: time) -> str:
        now = _since(clock, self.starts[0][1])
        return [name for name, start in self.starts if _since(start, self.starts[0][1]) <= now][-1]

    def as_json(self) -> Mapping[str, object]:
        """The plan as JSON values, for the record of an import."""
        return {"zone": str(self.zone or ""), "shifts": {name: f"{start:%H:%M}" for name, start in self.starts}}


def read_plan(shifts: str = "", zone: str = "") -> ShiftPlan:
    """A plan from the texts of the command line.

    Args:
        shifts: e.g. "day=06:00,swing=14:00,grave=22:00"; the default plan where empty.
        zone: e.g. "America/New_York"; the clock that each time brings itself where empty.

    Raises:
        ServiceError: naming what is wrong with which part.
    """
    try:
        where: tzinfo | None = ZoneInfo(zone) if zone else None
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ServiceError(f"no time zone {zone!r}", do="Give one as in America/New_York") from error
    if not shifts:
        return ShiftPlan(zone=where)
    starts = []
    for part in shifts.split(","):
        name, _, clock = (text.strip() for text in part.partition("="))
        try:
            starts.append((name, time.fromisoformat(clock)))
        except ValueError:
            name = ""
        if not _NAME.fullmatch(name):
            raise ServiceError(
                f"no shift: {part!r}", where="--shifts", do="Give them as day=06:00,swing=14:00,grave=22:00"
            )
    seconds = [_since(start, starts[0][1]) for _, start in starts]
    if seconds != sorted(set(seconds)):
        raise ServiceError(
            "shifts must follow each other round the clock",
            where="--shifts",
            do="Begin with the one that begins the gaming day",
        )
    return ShiftPlan(tuple(starts), where)


def on_clock(at: datetime, zone: tzinfo) -> datetime:
    """A time without a zone on a clock of the house.

    Raises:
        ValueError: the clock shows it twice, or never, on the night it is set back or forward.
    """
    first, second = (at.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    before, after = first.utcoffset(), second.utcoffset()
    if before != after and before is not None and after is not None:
        raise ValueError("comes twice on the house's clock" if before > after else "does not come on the house's clock")
    return first


def later(at: datetime, seconds: float) -> datetime:
    """The moment so many seconds later, on the same clock: where that is set back or forward meanwhile, it shows another time.

    >>> later(datetime(2026, 10, 31, 22, tzinfo=ZoneInfo("America/New_York")), 5 * 3600.0).isoformat()
    '2026-11-01T02:00:00-05:00'
    """
    return (at.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(at.tzinfo)


def read_time(text: str) -> datetime:
    """A moment as ISO 8601 has it, with or without a zone.

    Raises:
        ValueError: it is none, a day alone, or its year is none of a casino's.
    """
    at = datetime.fromisoformat(text)
    if _is_day(text):
        raise ValueError("a time of day")
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise ValueError(f"a year from {FIRST_YEAR} to {LAST_YEAR}")
    return at


def _is_day(text: str) -> bool:
    """Whether a text names a day alone, whose time of day would have to be guessed."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _since(clock: time, start: time) -> int:
    seconds = [t.hour * 3600 + t.minute * 60 + t.second for t in (clock, start)]
    return (seconds[0] - seconds[1]) % 86_400
