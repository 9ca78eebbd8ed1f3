"""Which incident an alert tells of, so that one incident is one alert however often it is seen.

Within a run a finding's id names its round, so the same id is the same incident. Another run counts its rounds anew: a
process that was restarted, a recording played again. There an incident is known by its place (table, check, seat, area),
by what was watched, and by when it happened:

* a live camera: its capture time in UTC;
* a recording: a hash of the file, and the capture time in it;
* anything else: the run itself, so nothing is ever taken for the same by mistake.

Two connections to one camera may count UTC some frames differently, hence a tolerance; it is far shorter than a round, in
which a check of one place can fail once at most. A review asks anew what a live table was asked, so its alerts are its
own: the origin belongs to the key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TOLERANCE_MS = 5_000
UTC_SCOPE = "utc"
BLOCK, BLOCKS = 1 << 16, 64
"""A long recording is known by its size and so many blocks spread over it."""


def incident_of(finding: Mapping[str, Any], *, origin: str, scope: str, run_id: str) -> str:
    """A short name of where something happened and what was watched; the same place in the same source gives the same."""
    seat, area = finding.get("seat"), finding.get("area")
    parts = (
        finding["table_id"],
        finding["check_id"],
        "" if seat is None else str(seat),
        area or "",
        origin,
        scope or run_id,
    )
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def source_scope(path: Path) -> str:
    """How a recording is known: a hash over its size and blocks of it, or over the names and sizes of a folder's files.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    if path.is_dir():
        for one in sorted(path.iterdir()):
            digest.update(f"{one.name}\x1f{one.stat().st_size}\x1e".encode())
        return f"folder:{digest.hexdigest()[:40]}"
    size = path.stat().st_size
    digest.update(str(size).encode())
    with path.open("rb") as file:
        for number in range(min(BLOCKS, 1 + size // BLOCK)):
            file.seek(number * max(0, size - BLOCK) // max(1, BLOCKS - 1) if size > BLOCK * BLOCKS else number * BLOCK)
            digest.update(file.read(BLOCK))
    return f"file:{digest.hexdigest()[:40]}"
