"""Health of what the camera shows: stretches of time about which nothing may be concluded, each with its cause.

| cause | noticed | from when to when |
|---|---|---|
| `camera_lost` | with the first frame after it | from the last frame before to the first after; longer than `lost_s` |
| `camera_black`, `camera_blocked` | after `blocked_s` | from the first hidden picture to the first that shows the table |
| `camera_frozen` | after `frozen_s` | from the first of the equal pictures to the next other one |
| `camera_corrupt` | at once | from the last whole picture to the first whole one after (`vision.frames.video` says which are) |
| `camera_moved`, `camera_resized`, `uncalibrated` | within `KeeperSettings` (some 3 s) | from the last look that saw the table where it belongs until it is found and confirmed |

A gap is an event (`rules.events.CoverageGap`) when it ends. What lasts is in `open_gaps`, and in `vision.seen.Seen.gaps` after every
frame: alarms about a camera go by that. That no frames come at all is noticed by who waits for them (`vision.frames.live`).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.keeper import CameraKeeper, Standing
from rules.events import CoverageGap, GapCause
from vision.change.gate import SmallMap
from vision.frames.frame import Frame
from vision.frames.picture import Image

ANOTHER_ROUND_S = 8.0
"""In so long a time unseen a quick dealer may have ended a round and begun to deal another."""
HIDDEN = (GapCause.BLACK, GapCause.BLOCKED)
"""Causes that count only when they last."""
CAUSE_OF = {
    Standing.MOVED: GapCause.MOVED,
    Standing.RESIZED: GapCause.RESIZED,
    Standing.UNKNOWN: GapCause.UNCALIBRATED,
}


@dataclass(frozen=True, slots=True)
class CoverageSettings:
    """Limits; times in seconds of capture time.

    Attributes:
        lost_s: frames farther apart than this are a loss.
        blocked_s: how long the table must be hidden to count.
        frozen_s: how long pictures must be the same in every pixel. Films of still scenes repeat a picture for some 0.3 s.
        dark_level: brightness of the table below which nothing is seen.
        flat_level: standard deviation of the table below which nothing is seen.
    """

    lost_s: float = 1.0
    blocked_s: float = 0.5
    frozen_s: float = 2.0
    dark_level: float = 8.0
    flat_level: float = 3.0


@dataclass(frozen=True, slots=True)
class OpenGap:
    """A coverage gap that lasts: its cause, and since when (capture time)."""

    cause: GapCause
    since_s: float


class CoverageWatch:
    """Feeds on every frame the gate sees, and on what the keeper of the camera says."""

    def __init__(self, table_id: str, small_map: SmallMap, settings: CoverageSettings | None = None) -> None:
        self.table_id = table_id
        self.map = small_map
        self.settings = settings or CoverageSettings()
        self._last_s: float | None = None
        self._whole_s: float | None = None
        self._since: dict[GapCause, float] = {}
        self._camera: tuple[Standing, float] | None = None
        self._small: Image | None = None
        self._luma: Image | None = None
        self._same_since_s = 0.0

    @property
    def muted(self) -> bool:
        """Whether nothing may be concluded now."""
        return bool(self._since) or self._camera is not None

    @property
    def blind(self) -> bool:
        """Whether the picture shows nothing that could be compared with anything."""
        return any(cause in self._since for cause in (*HIDDEN, GapCause.CORRUPT))

    @property
    def open_gaps(self) -> tuple[OpenGap, ...]:
        """The gaps that last now, oldest first."""
        now = self._last_s or 0.0
        lasting = [
            OpenGap(cause, since)
            for cause, since in self._since.items()
            if cause not in HIDDEN or now - since >= self.settings.blocked_s
        ]
        if self._camera is not None:
            standing, since = self._camera
            lasting.append(OpenGap(CAUSE_OF[standing], since))
        return tuple(sorted(lasting, key=lambda gap: (gap.since_s, gap.cause)))

    def feed(self, frame: Frame, small_yuv: Image) -> list[CoverageGap]:
        """Take a frame and its small picture; the gaps that ended with it."""
        t_s, settings = frame.t_s, self.settings
        gaps: list[CoverageGap] = []
        if self._last_s is not None and t_s - self._last_s > settings.lost_s:
            gaps.append(self._gap(GapCause.LOST, self._last_s, t_s, frame.index))
        self._last_s = t_s
        gaps += self._toggle(GapCause.CORRUPT, frame.damaged, frame, self._whole_s)
        if not frame.damaged:
            self._whole_s = t_s
        luma = cv2.extractChannel(small_yuv, 0)
        same_place = luma.shape == self.map.on_table.shape and self.map.on_table.any()
        mean, deviation = cv2.meanStdDev(luma, mask=self.map.on_table.view(np.uint8) if same_place else None)
        dark = float(mean[0, 0]) < settings.dark_level
        gaps += self._toggle(GapCause.BLACK, dark, frame)
        gaps += self._toggle(GapCause.BLOCKED, not dark and float(deviation[0, 0]) < settings.flat_level, frame)
        frozen = self._same_s(frame, small_yuv) >= settings.frozen_s - 1e-6
        return gaps + self._toggle(GapCause.FROZEN, frozen and not self.blind, frame, self._same_since_s)

    def camera(self, keeper: CameraKeeper, frame: Frame, *, changed: bool) -> list[CoverageGap]:
        """Take how the camera stands after a frame; the gap that ended with it.

        Args:
            keeper: of this camera.
            frame: the frame.
            changed: whether the table lies elsewhere from now on.
        """
        if keeper.standing is not Standing.STEADY:
            if self._camera is None:
                self._camera = keeper.standing, frame.t_s if keeper.good_s is None else keeper.good_s
            elif self._camera[0] is not Standing.RESIZED:
                self._camera = keeper.standing, self._camera[1]
            return []
        if self._camera is None:
            return []
        (standing, since_s), self._camera = self._camera, None
        cause = GapCause.MOVED if changed and standing is Standing.UNKNOWN else CAUSE_OF[standing]
        return [self._gap(cause, since_s, frame.t_s, frame.index)]

    def close(self) -> list[CoverageGap]:
        """The gaps still open, up to the last frame."""
        gaps = [self._gap(gap.cause, gap.since_s, self._last_s or 0.0, None) for gap in self.open_gaps]
        self._since.clear()
        self._camera = None
        return gaps

    def _toggle(self, cause: GapCause, on: bool, frame: Frame, since_s: float | None = None) -> list[CoverageGap]:
        if on:
            self._since.setdefault(cause, frame.t_s if since_s is None else since_s)
            return []
        since = self._since.pop(cause, None)
        if since is None or (cause in HIDDEN and frame.t_s - since < self.settings.blocked_s):
            return []
        return [self._gap(cause, since, frame.t_s, frame.index)]

    def _gap(self, cause: GapCause, since_s: float, t_s: float, frame: int | None) -> CoverageGap:
        return CoverageGap(
            table_id=self.table_id, t_s=t_s, since_s=since_s, cause=cause, frames=() if frame is None else (frame,)
        )

    def _same_s(self, frame: Frame, small: Image) -> float:
        """How long the picture has been the same in every pixel: the small one first, then the whole."""
        same = self._small is not None and np.array_equal(small, self._small)
        if same:
            luma = frame.luma
            if self._luma is None:
                self._luma = luma.copy()
            else:
                same = np.array_equal(luma, self._luma)
        if not same:
            self._small, self._luma, self._same_since_s = small, None, frame.t_s
        return frame.t_s - self._same_since_s
