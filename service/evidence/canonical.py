"""JSON that has one form only, so that a byte that was changed cannot hide behind the same meaning."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any


def compact(value: Any) -> bytes:
    """JSON values in one line, keys sorted: what is hashed and signed.

    >>> compact({"b": 1, "a": "§"}).decode()
    '{"a":"§","b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def pretty(value: Any) -> bytes:
    """JSON values for people, keys sorted, always the same bytes for the same values."""
    text = json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def read_compact(line: bytes) -> dict[str, Any] | None:
    """The object of a line written by `compact`; None if it is anything else, were it only a blank too many."""
    try:
        value = json.loads(line)
        return value if isinstance(value, dict) and compact(value) == line else None
    except (ValueError, RecursionError):
        return None


def sha256_hex(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def stamp(moment: datetime) -> str:
    """A time as it is written everywhere: UTC, ISO 8601, milliseconds, Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
