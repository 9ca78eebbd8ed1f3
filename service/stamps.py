"""Moments as they stand in the database and in what the service tells: text whose order is that of time."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """A moment as it stands in the database: UTC, ISO 8601 with milliseconds and Z.

    >>> stamp(datetime(2026, 3, 1, 21, 14, 5, tzinfo=UTC))
    '2026-03-01T21:14:05.000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_of(text: str) -> datetime:
    """The moment a stamp says."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
