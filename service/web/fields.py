"""What requests are made of: text that can be kept, moments, ids."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, BeforeValidator


def _storable(text: str) -> str:
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError("must be text without NUL or half characters")
    return text


def _utc(moment: datetime) -> datetime:
    if not 1971 <= moment.year <= 9000:
        raise ValueError("must be a moment between the years 1971 and 9000")
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def in_digits(given: object) -> object:
    """A number of a path as the door reads it: one that the route alone took for a number ("1.0", "+1") would name a thing whose table nobody asked about."""
    if isinstance(given, str) and not (given.isascii() and given.isdigit()):
        raise ValueError("must be a number in digits")
    return given


Text = Annotated[str, AfterValidator(_storable)]
"""Text that every database can keep."""
Moment = Annotated[datetime, AfterValidator(_utc)]
"""A moment; without an offset it is UTC."""
LARGEST_ID = 2**31 - 1
Id = Annotated[int, BeforeValidator(in_digits), Path(ge=1, le=LARGEST_ID)]
