"""When a recording was made: as someone says, as a file beside it says, as its name or the file itself says; else unknown.

A time without an offset says nothing alone: it is read on the house's clock (`--zone`), and is unknown where the house has
none. Days, shifts and the law of the day of a review follow from it; a review of unknown time belongs to no day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import av
import yaml

from rules.documents import load_yaml
from service.audit.calendar import on_clock
from service.reviews.errors import ReviewError
from service.stamps import moment_of, stamp

BESIDE = ".recorded.yaml"
"""Behind the recording's whole name: `night.mp4.recorded.yaml` with one line, `recorded_at: 2026-11-20T22:00:00-05:00`."""
KEY = "recorded_at"
OFFSET = "Write it with its offset, as 2026-11-01T01:30:00-05:00"
WRITE = "Write it as 2026-11-20T22:00:00-05:00, or start the service with --zone"
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
"""Clocks that were never set say 1904, 1970 or 1980."""
AHEAD = timedelta(days=1)
IN_NAME = re.compile(
    r"(?<!\d)(?P<y>20\d\d)[-_.]?(?P<m>[01]\d)[-_.]?(?P<d>[0-3]\d)[T_ .-]{0,3}(?P<H>[0-2]\d)[-_.:h]?(?P<M>[0-5]\d)[-_.:m]?(?P<S>[0-5]\d)(?!\d)"
    r"(?P<zone>Z(?![A-Za-z])|[+-]\d{2}:?\d{2}(?!\d))?"
)
"""As recorders name their files: `ch04_20261120220000.mp4`, `2026-11-20 22.00.00.mkv`, `riu-07_20261120T220000-0500.mp4`."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """When capture time 0 of a recording was.

    Attributes:
        at: with the offset of the clock it was told by; None where nobody knows.
        by: who says so, or why it is not known.
    """

    at: datetime | None = None
    by: str = "nobody said when it was recorded"

    @property
    def day(self) -> date | None:
        """The calendar day where the table stands, whose law the recording is judged by."""
        return None if self.at is None else self.at.date()

    def as_json(self) -> dict[str, Any]:
        """What `run.json` keeps of it."""
        return {"recorded_utc": None if self.at is None else stamp(self.at), "recorded_by": self.by}


def recorded_of(video: Path, name: str, *, given: str = "", zone: tzinfo | None = None, now: datetime) -> Recorded:
    """When a recording was made.

    Args:
        video: the recording.
        name: what it was called where it came from.
        given: what the one who ordered its review says, "" for nothing; it wins over all else.
        zone: the house's.
        now: the time; later ones are of a clock that was never set.

    Raises:
        ReviewError: what was said, or the file beside it, is no time.
    """
    if given:
        at = read_time(given, zone, where="recorded")
        return Recorded(_believed(at, now, where="recorded"), "said by whoever ordered the review")
    beside = video.with_name(video.name + BESIDE)
    if beside.is_file():
        at = read_time(_beside(beside), zone, where=beside)
        return Recorded(_believed(at, now, where=beside), f"said by {video.name}{BESIDE}")
    named = _in_name(name, zone)
    if named is not None and (named.at is None or EARLIEST <= named.at <= now + AHEAD):
        return named
    inside = _inside(video)
    if inside is not None and EARLIEST <= inside <= now + AHEAD:
        return Recorded(inside if zone is None else inside.astimezone(zone), "said by the file itself (creation_time)")
    return Recorded()


def read_time(text: str, zone: tzinfo | None, *, where: object) -> datetime:
    """A time as people write it, with its offset, or on the house's clock.

    Raises:
        ReviewError: it is none, or nobody knows on which clock it is.
    """
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ReviewError(f"{text[:60]!r} is no time", where=where, do=WRITE) from None
    if at.tzinfo is None and zone is None:
        raise ReviewError(f"{text[:60]!r} does not say on which clock", where=where, do=WRITE)
    if at.tzinfo is not None or zone is None:
        return at
    try:
        return on_clock(at, zone)
    except ValueError as error:
        raise ReviewError(f"{text[:60]!r} {error}", where=where, do=OFFSET) from error


def kept(at: str, by: str) -> Recorded:
    """A time as the queue keeps it."""
    return Recorded(moment_of(at) if at else None, by) if by else Recorded()


def _believed(at: datetime, now: datetime, *, where: object) -> datetime:
    if not EARLIEST <= at <= now + AHEAD:
        raise ReviewError(f"nothing was recorded at {at.isoformat()}", where=where, do="Correct the time")
    return at


def _beside(path: Path) -> str:
    try:
        raw = load_yaml(path.read_text(encoding="utf-8"), as_texts=True)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ReviewError("this cannot be read", where=path, do=f"Write one line: {KEY}: 2026-11-20T22:00:00-05:00") from error  # fmt: skip
    if not isinstance(raw, dict) or not isinstance(raw.get(KEY), str):
        raise ReviewError(
            f"there is no {KEY} in it", where=path, do=f"Write one line: {KEY}: 2026-11-20T22:00:00-05:00"
        )
    return str(raw[KEY])


def _inside(video: Path) -> datetime | None:
    """The time that a container keeps of its making; it is in UTC."""
    if not video.is_file():
        return None
    try:
        with av.open(str(video)) as container:
            at = datetime.fromisoformat(container.metadata.get("creation_time", ""))
    except (av.error.FFmpegError, OSError, ValueError):
        return None
    return at if at.tzinfo is not None else None


def _in_name(name: str, zone: tzinfo | None) -> Recorded | None:
    match = IN_NAME.search(name)
    if match is None:
        return None
    try:
        at = datetime.fromisoformat("{y}-{m}-{d}T{H}:{M}:{S}".format_map(match.groupdict()))
    except ValueError:
        return None
    if match["zone"]:
        at = datetime.fromisoformat(f"{at:%Y-%m-%dT%H:%M:%S}{match['zone']}")
    if at.tzinfo is None and zone is None:
        return Recorded(None, f"its name says {at:%Y-%m-%d %H:%M:%S} but not on which clock; {WRITE}")
    try:
        return Recorded(at if zone is None or at.tzinfo is not None else on_clock(at, zone), "said by its name")
    except ValueError as error:
        return Recorded(None, f"its name says {at:%Y-%m-%d %H:%M:%S}, which {error}; {OFFSET}")
