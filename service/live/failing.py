"""What becomes of a table whose watching broke off: a camera is tried again soon, a mistake of the program is told as one.

A camera that fails, a table that is not found or a full disk is known, and says what to do. Anything else is a mistake of the
program: it rings under a name of its own, is counted, and is tried again later and later, because it is likely to come again.
Where it came again and again, the open round is left and the table begun anew, in case it lies in what is remembered.
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.camera import CalibrationError
from calibration.layout import LayoutError
from models.errors import ModelError
from service.access.masking import masked
from service.errors import ServiceError
from service.live.camera_faults import STEADY_S
from service.store.base import AWAY
from vision.frames.source import SourceError

RETRY_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""How long to wait before a failed source is opened again, longer each time until it works."""
FAULT_RETRY_S = (1.0, 5.0, 30.0, 120.0, 300.0)
"""The same after a mistake of the program."""
ANEW_AFTER = 3
"""Mistakes in a row after which nothing of the table's open round is believed any more."""


class SourceEndedError(RuntimeError):
    """A source that has no end gave no more pictures."""


CAMERA = (SourceError, SourceEndedError)
KNOWN = (*CAMERA, CalibrationError, LayoutError, ModelError, ServiceError, OSError, *AWAY)
"""What can go wrong without a mistake of the program."""


@dataclass(frozen=True, slots=True)
class Break:
    """That watching broke off.

    Attributes:
        why: in words, without secrets.
        wait_s: before it is tried again.
        is_fault: a mistake of the program.
        is_camera: only the source failed; what is known of the table still counts.
        kind: the name of the error, for metrics.
    """

    why: str
    wait_s: float
    is_fault: bool
    is_camera: bool
    kind: str

    @property
    def detail(self) -> str:
        """What people are told of it."""
        return f"{self.why} (trying again in {self.wait_s:.0f} s)"


@dataclass(slots=True)
class Attempts:
    """Counts the breaks of one table since it was last watched steadily.

    Attributes:
        failures: breaks in a row.
        faults: mistakes of the program among them.
    """

    failures: int = 0
    faults: int = 0
    watched_since_s: float | None = None

    @property
    def anew(self) -> bool:
        """Whether to leave the open round and to begin the table anew."""
        return self.faults >= ANEW_AFTER

    def broke(self, error: Exception, now_s: float) -> Break:
        """Takes that watching broke off at a moment of `time.monotonic`; what to do about it."""
        if self.watched_since_s is not None and now_s - self.watched_since_s >= STEADY_S:
            self.failures = self.faults = 0
        self.watched_since_s = None
        is_fault = not isinstance(error, KNOWN)
        self.faults += is_fault
        place, waits = (self.faults - 1, FAULT_RETRY_S) if is_fault else (self.failures, RETRY_S)
        self.failures += 1
        said, kind = masked(str(error)), type(error).__name__
        if is_fault:
            times = "" if self.faults == 1 else f", {self.faults} times in a row"
            said = f"something went wrong in Pitwatch{times}: {kind}: {said}. Send the log of the service to whoever maintains it"
        return Break(said, waits[min(place, len(waits) - 1)], is_fault, isinstance(error, CAMERA), kind)
