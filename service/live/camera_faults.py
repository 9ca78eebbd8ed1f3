"""Alerts about cameras: a table that is not seen is not safe, so somebody must hear of it while it lasts.

What is wrong with the picture is found by `vision` and stands in `Seen.gaps`; that no picture comes at all is an error of
the source. Each lasting fault is one alert, also across restarts of the process, until it has ended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from service.screens import words

LOST, FAULT = "camera_lost", "program_fault"
ANNOUNCE_AFTER_S = 1.5
"""Shorter faults are coverage gaps for the judge, but nobody needs to run. With the time `vision` takes to be sure, 3 s at most."""
SURE_AFTER_S = 5.0
"""After a start, a camera that shows no fault for so long has none."""
STEADY_S = 60.0
"""A table that was watched for so long has overcome what broke it before: a mistake of the program that comes with every try is one
alert, and the waits between tries begin anew."""
FAULTS = {
    LOST: ("CAMERA-LOST", "critical", "no pictures come"),
    FAULT: ("TABLE-FAULT", "critical", "a mistake in Pitwatch keeps it from being watched"),
    "camera_frozen": ("CAMERA-FROZEN", "critical", "the same picture comes again and again"),
    "camera_black": ("CAMERA-BLACK", "critical", "the picture is dark"),
    "camera_blocked": ("CAMERA-BLOCKED", "critical", "something before the lens hides the table"),
    "camera_corrupt": ("CAMERA-CORRUPT", "warning", "the pictures are damaged on their way"),
    "camera_resized": ("CAMERA-RESIZED", "warning", "the pictures come in another size"),
    "camera_moved": ("CAMERA-MOVED", "warning", "the camera was moved"),
    "uncalibrated": ("CAMERA-UNCALIBRATED", "warning", "the table is not found in the picture"),
}
"""What rings for each cause of a coverage gap: check, severity, words."""


class Gap(Protocol):
    """A coverage gap that lasts (`vision.change.coverage.OpenGap`)."""

    @property
    def cause(self) -> str:
        """One of `FAULTS`."""

    @property
    def since_s(self) -> float:
        """Capture time since when."""


@dataclass(frozen=True, slots=True)
class News:
    """What began to ring, and what is over, as findings."""

    began: tuple[dict[str, Any], ...] = ()
    ended: tuple[dict[str, Any], ...] = ()


@dataclass(slots=True)
class CameraFaults:
    """Which faults of one table's camera last and were told."""

    table_id: str
    _told: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)
    _earlier: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)
    _failed: dict[str, Any] | None = field(default=None, init=False)
    _failed_told: bool = field(default=False, init=False)
    _first_s: float | None = field(default=None, init=False)

    def feed(self, gaps: Iterable[Gap], t_s: float) -> News:
        """Takes what lasts at a moment of capture time; a picture came, so the camera is not lost."""
        lasting = {str(gap.cause): gap.since_s for gap in gaps}
        self._first_s = t_s if self._first_s is None else self._first_s
        began = tuple(
            self._tell(cause, since_s, t_s, "")
            for cause, since_s in lasting.items()
            if cause in FAULTS and cause not in self._told and t_s - since_s >= ANNOUNCE_AFTER_S
        )
        ended = tuple(self._told.pop(cause) for cause in tuple(self._told) if cause not in lasting)
        if self._earlier and t_s - self._first_s >= SURE_AFTER_S:
            ended += tuple(one for cause, one in self._earlier.items() if cause not in lasting)
            self._earlier = {}
        if self._failed is not None and t_s - self._first_s >= STEADY_S:
            ended, self._failed, self._failed_told = (*ended, self._failed), None, False
        return News(began, ended)

    def expect(self) -> None:
        """Says that an earlier process may have told of faults that are over; their end is told once the camera is sound."""
        of = {cause: camera_finding(self.table_id, cause, 0.0, 0.0, "") for cause in FAULTS}
        self._failed, self._earlier = of.pop(FAULT), of

    def lost(self, t_s: float, detail: str) -> News:
        """Takes that the source failed; says so once until a picture comes again."""
        self._first_s = None
        return News() if LOST in self._told else News((self._tell(LOST, t_s, t_s, detail),))

    def failed(self, t_s: float, detail: str) -> News:
        """Takes that a mistake of the program ended watching; says so once until it went well for `STEADY_S`."""
        self._first_s = None
        if self._failed_told:
            return News()
        self._failed_told = True
        self._failed = camera_finding(self.table_id, FAULT, t_s, t_s, detail)
        return News((self._failed,))

    def _tell(self, cause: str, since_s: float, t_s: float, detail: str) -> dict[str, Any]:
        self._told[cause] = camera_finding(self.table_id, cause, since_s, t_s, detail)
        return self._told[cause]


def camera_finding(table_id: str, cause: str, since_s: float, t_s: float, detail: str) -> dict[str, Any]:
    """A fault of a camera in the shape of a finding, as JSON values; it judges nothing and cites nothing."""
    check_id, severity, seen = FAULTS[cause]
    name = hashlib.sha256(f"{table_id}\x1f{check_id}\x1f{since_s:.3f}".encode()).hexdigest()[:16]
    said = f"{seen} ({detail})" if detail else seen
    return {
        "v": 1, "finding_id": name, "check_id": check_id, "verdict": "undetermined", "severity": severity, "citation": "",
        "table_id": table_id, "round_id": "", "seat": None, "area": None, "t_s": round(t_s, 6), "since_s": round(since_s, 6),
        "expected": "a picture of the table at every moment", "seen": said,
        "text": f"Table {table_id} is not watched since {words.clock(max(0.0, since_s))} of capture time: {said}.",
        "missing": "pictures of the table", "events": [], "frames": [], "owed_cents": None, "paid_cents": None,
        "consequence": "nothing is concluded of the time until it is seen again", "readings": [], "confidence": 1.0,
    }  # fmt: skip
