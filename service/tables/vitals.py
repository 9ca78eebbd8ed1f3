"""How well a table is watched: frames a second, coverage of the last hour, calibration, last round, drops, reconnects.

Times are `time.monotonic` seconds, given by the caller.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

RATE_OVER_S = 10.0
"""Frames a second are counted over so long."""
BUCKET_S, BUCKETS = 60.0, 60
"""Coverage is that of the last hour, minute by minute."""


@dataclass(slots=True)
class Vitals:
    """Counts of one table since it was first watched by this process; they go on when its configuration changes.

    Attributes:
        frames: that came.
        dropped: frames that did not come, or were left out because watching was slower than the camera.
        reconnects: how often the source was opened again after a failure.
        faults: how often a mistake of the program ended watching.
        rounds: closed.
        last_round: when the last one closed, on the wall clock.
        method: how the table was found: "features" (by its prints) or "corners" (by four points alone).
        error_px, error_mm: of the calibration; of "corners" how well a camera explains the four points.
    """

    frames: int = 0
    dropped: int = 0
    reconnects: int = 0
    faults: int = 0
    rounds: int = 0
    last_round: datetime | None = None
    method: str | None = None
    error_px: float | None = None
    error_mm: float | None = None
    gaps: tuple[str, ...] = ()
    _came: deque[float] = field(default_factory=deque)
    _buckets: deque[tuple[int, list[float]]] = field(default_factory=lambda: deque(maxlen=BUCKETS))
    _since_s: float | None = None
    _covered: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def came(self, now_s: float, *, missing: int = 0) -> None:
        """Counts a frame, and those between it and the one before that did not come."""
        with self._lock:
            self.frames += 1
            self.dropped += missing
            self._came.append(now_s)
            self._forget(now_s)

    def calibrated(self, method: str, error_px: float, error_mm: float) -> None:
        """Takes how the table was found."""
        self.method, self.error_px, self.error_mm = method, error_px, error_mm

    def stands(self, now_s: float, *, covered: bool, gaps: tuple[str, ...] = ()) -> None:
        """Takes whether everything that happens on the table can be judged from here on, and if not, why."""
        with self._lock:
            self._account(now_s)
            self._covered, self.gaps = covered, gaps

    def closed(self, rounds: int, at: datetime) -> None:
        """Counts rounds that closed."""
        if rounds:
            self.rounds += rounds
            self.last_round = at

    def fps(self, now_s: float) -> float:
        """Frames a second over the last ten seconds, or since the first frame if that is less."""
        with self._lock:
            self._forget(now_s)
            if len(self._came) < 2:
                return 0.0
            return (len(self._came) - 1) / max(now_s - self._came[0], 1e-3)

    def coverage(self, now_s: float) -> float | None:
        """Share of the last hour, 0 to 1, in which what happened could be judged; None before anything was watched."""
        with self._lock:
            if self._since_s is not None:
                self._account(now_s)
            seen = sum(bucket[0] for _, bucket in self._buckets)
            all_s = sum(sum(bucket) for _, bucket in self._buckets)
        return seen / all_s if all_s else None

    def about(self, now_s: float) -> dict[str, Any]:
        """All of it as JSON values."""
        share = self.coverage(now_s)
        return {
            "fps": round(self.fps(now_s), 1),
            "frames": self.frames,
            "dropped": self.dropped,
            "reconnects": self.reconnects,
            "faults": self.faults,
            "coverage": None if share is None else round(share, 4),
            "gaps": list(self.gaps),
            "rounds": self.rounds,
            "last_round_utc": None if self.last_round is None else self.last_round.isoformat(timespec="seconds"),
            "calibration": {
                "state": self._calibration(),
                "method": self.method,
                "error_px": None if self.error_px is None else round(self.error_px, 2),
                "error_mm": None if self.error_mm is None else round(self.error_mm, 2),
            },
        }

    def _calibration(self) -> str:
        if self.method is None:
            return "not yet"
        lost = {"camera_moved", "camera_resized", "uncalibrated"} & set(self.gaps)
        return "lost" if lost else "by prints" if self.method == "features" else "by points"

    def _forget(self, now_s: float) -> None:
        while self._came and self._came[0] < now_s - RATE_OVER_S:
            self._came.popleft()

    def _account(self, now_s: float) -> None:
        since_s, self._since_s = self._since_s, now_s
        if since_s is None:
            return
        since_s = max(since_s, now_s - BUCKET_S * BUCKETS)
        while since_s < now_s:
            number = int(since_s // BUCKET_S)
            until_s = min(now_s, (number + 1) * BUCKET_S)
            if not self._buckets or self._buckets[-1][0] != number:
                self._buckets.append((number, [0.0, 0.0]))
            self._buckets[-1][1][0 if self._covered else 1] += until_s - since_s
            since_s = until_s
        while self._buckets and self._buckets[0][0] <= int(now_s // BUCKET_S) - BUCKETS:
            self._buckets.popleft()
