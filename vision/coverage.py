"""Notices when the camera shows nothing to conclude from: frames missing, the view blocked, the camera moved."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from rules.events import CoverageGap, GapCause
from vision.gate import SmallMap
from vision.source import Image


@dataclass(frozen=True, slots=True)
class CoverageSettings:
    """Limits; times in seconds of capture time.

    Attributes:
        lost_s: frames farther apart than this are a loss.
        blocked_s: how long the table must be hidden to count.
        dark_level: brightness of the table below which nothing is seen.
        flat_level: standard deviation of the table below which nothing is seen.
        check_move_s: time between checks for a moved camera.
        moved_px: shift of the full picture that counts as moved.
    """

    lost_s: float = 1.0
    blocked_s: float = 0.5
    dark_level: float = 8.0
    flat_level: float = 3.0
    check_move_s: float = 1.0
    moved_px: float = 5.0


class CoverageWatch:
    """Feeds on every frame the gate sees."""

    def __init__(self, table_id: str, small_map: SmallMap, settings: CoverageSettings | None = None) -> None:
        self.table_id = table_id
        self.map = small_map
        self.settings = settings or CoverageSettings()
        self._last_s: float | None = None
        self._since: dict[GapCause, float] = {}
        self._reference: npt.NDArray[np.float32] | None = None
        self._window: npt.NDArray[np.float32] | None = None
        self._next_check_s = 0.0
        self._moved_checks = 0

    @property
    def muted(self) -> bool:
        """Whether nothing may be concluded now."""
        return bool(self._since)

    def feed(self, frame: int, t_s: float, small_yuv: Image) -> list[CoverageGap]:
        """The gaps that ended with this frame."""
        gaps: list[CoverageGap] = []
        if self._last_s is not None and t_s - self._last_s > self.settings.lost_s:
            gaps.append(self._gap(GapCause.LOST, self._last_s, t_s, frame))
        self._last_s = t_s
        luma = small_yuv[..., 0]
        table = luma[self.map.on_table] if self.map.on_table.any() else luma
        hidden = float(table.mean()) < self.settings.dark_level or float(table.std()) < self.settings.flat_level
        gaps += self._toggle(GapCause.BLOCKED, hidden, t_s, frame)
        if not hidden and t_s >= self._next_check_s:
            self._next_check_s = t_s + self.settings.check_move_s
            gaps += self._toggle(GapCause.MOVED, self._is_moved(luma), t_s, frame)
        return gaps

    def close(self) -> list[CoverageGap]:
        """The gaps still open, up to the last frame."""
        last = self._last_s or 0.0
        gaps = [self._gap(cause, since, last, None) for cause, since in self._since.items()]
        self._since.clear()
        return gaps

    def _toggle(self, cause: GapCause, on: bool, t_s: float, frame: int) -> list[CoverageGap]:
        if on:
            self._since.setdefault(cause, t_s)
            return []
        since = self._since.pop(cause, None)
        if since is None or (cause is GapCause.BLOCKED and t_s - since < self.settings.blocked_s):
            return []
        return [self._gap(cause, since, t_s, frame)]

    def _gap(self, cause: GapCause, since_s: float, t_s: float, frame: int | None) -> CoverageGap:
        return CoverageGap(
            table_id=self.table_id, t_s=t_s, since_s=since_s, cause=cause, frames=() if frame is None else (frame,)
        )

    def _is_moved(self, luma: Image) -> bool:
        raw = cv2.Laplacian(cv2.GaussianBlur(luma, (3, 3), 0), cv2.CV_32F)
        edges: npt.NDArray[np.float32] = np.clip(raw, -20, 20).astype(np.float32)
        if self._reference is None:
            self._reference = edges
            self._window = np.asarray(
                cv2.createHanningWindow((edges.shape[1], edges.shape[0]), cv2.CV_32F), dtype=np.float32
            )
            return False
        assert self._window is not None
        (dx, dy), response = cv2.phaseCorrelate(self._reference, edges, self._window)
        shifted = response > 0.15 and float(np.hypot(dx, dy)) * self.map.scale > self.settings.moved_px
        self._moved_checks = self._moved_checks + 1 if shifted else 0
        return self._moved_checks >= 2
