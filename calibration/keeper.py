"""Keeps the camera of one table true while it runs: notices a nudge, finds the table anew, follows a slow drift.

Works on capture time and pictures alone, so the same pictures give the same answers.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from calibration.camera import CalibrationError, Camera
from calibration.drift import MOVED_PX, Drift, DriftWatch
from calibration.layout import Layout
from calibration.locate import apart_px, locate_layout, locate_near
from calibration.refine import Levels, measured_levels

Bytes = npt.NDArray[np.uint8]

logger = logging.getLogger(__name__)

NEVER = float("-inf")
TRIES = 5
"""Looks in which the drawing may be out of sight before the felt is taken for printed otherwise."""
_USUAL_LEVELS = Levels(1.0, 0.9)


@dataclass(frozen=True, slots=True)
class KeeperSettings:
    """Times in seconds of capture time.

    Attributes:
        every_s: between two looks at a camera that stands still.
        again_s: between two looks while there is a doubt.
        needed: looks in a row that must agree before anything is said, so that one odd picture does not ring.
        blind_s: how long the prints may be out of sight (covered) before the table is looked for in the whole picture.
        seek_s, seek_most_s: between two searches of a lost table, longer each time up to the most, for ever.
        follow_px: a drift from here on is followed without a gap.
        follow_s: between two times that it is.
        steady_px: a camera found anew must put the prints as near as this to be taken.
    """

    every_s: float = 2.0
    again_s: float = 0.3
    needed: int = 3
    blind_s: float = 3.0
    seek_s: float = 2.0
    seek_most_s: float = 8.0
    follow_px: float = 0.6
    follow_s: float = 8.0
    steady_px: float = 1.2


class Standing(StrEnum):
    """How the camera stands to the table."""

    STEADY = "steady"
    """As calibrated."""
    MOVED = "moved"
    """Nudged; being found anew."""
    RESIZED = "resized"
    """Its pictures have another size; being found anew."""
    UNKNOWN = "unknown"
    """The table is not found: too much is covered, or it is out of the picture."""


class CameraKeeper:
    """Told of pictures now and then (`wants_look`, `look`); says where the camera stands.

    While `standing` is not STEADY nothing in the picture may be put down to a place on the table. It becomes STEADY
    again when the table is surely found and further looks confirm it; `camera` is then the one found.

    Args:
        layout: the felt.
        camera: where the table was found.
        levels: brightness of the prints, from that calibration; None where it is not known (corners by hand).
        settings: see there.
    """

    def __init__(
        self, layout: Layout, camera: Camera, levels: Levels | None = None, settings: KeeperSettings | None = None
    ) -> None:
        self.layout, self.camera = layout, camera
        self.settings = settings or KeeperSettings()
        self.standing = Standing.STEADY
        self.good_s: float | None = None
        self.shift_px: float | None = None
        self._levels = levels
        self._drawn = levels is not None
        self._watch = DriftWatch(camera, layout, levels)
        self._sought: DriftWatch | None = None
        self._next_s = self._next_seek_s = NEVER
        self._wait_s = self.settings.seek_s
        self._answers: list[bool | None] = []
        self._drifts: list[float] = []
        self._next_follow_s = NEVER
        self._jolted = False
        self._back = self._there = self._tries = 0

    @property
    def doubtful(self) -> bool:
        """Whether a jolt of the whole picture is not explained yet; what is seen now may lie elsewhere."""
        return self._jolted

    def wants_look(self, t_s: float) -> bool:
        """Whether the next look is due."""
        return t_s >= self._next_s - 1e-6

    def jolt(self) -> None:
        """The whole picture moved at once: look now, and do not trust places until it is known what it was."""
        if self.standing is Standing.STEADY:
            self._jolted = True
            self._next_s = NEVER

    def look(self, t_s: float, gray: Bytes) -> bool:
        """Take a picture, (h, w) uint8 of any size; whether `camera` is another one from now on."""
        if self.good_s is None:
            self.good_s = t_s
        if _size(gray) != self.camera.size_px and self.standing is Standing.STEADY:
            self._lose(Standing.RESIZED, t_s)
        if self.standing is not Standing.STEADY:
            return self._search(t_s, gray)
        if not self._watch.is_ready:
            self._begin(gray)
        drift = self._watch.look(gray)
        self.shift_px = drift.shift_px
        if drift.moved is False:
            return self._still(t_s, gray, drift)
        self._answers = [*self._answers, drift.moved][-self.settings.needed :]
        self._next_s = t_s + self.settings.again_s
        unseen_s = t_s - self.good_s
        if self._answers.count(True) == self.settings.needed:
            self._lose(Standing.MOVED, t_s)
        elif None in self._answers and (
            (self._jolted and len(self._answers) == self.settings.needed)
            or unseen_s >= self.settings.every_s + self.settings.blind_s
        ):
            self._lose(Standing.UNKNOWN, t_s)
        return False

    def _begin(self, gray: Bytes) -> None:
        """The prints are not known yet: measure them, or take the picture itself where the felt is printed otherwise."""
        levels = measured_levels(gray, self.camera, self.layout, _USUAL_LEVELS)
        try:
            levels = locate_near(gray, self.layout, self.camera, levels).levels
        except CalibrationError:
            pass
        else:
            self._watch, self._levels, self._drawn = DriftWatch(self.camera, self.layout, levels), levels, True
            return
        self._tries += 1
        if self._tries < TRIES:
            return
        logger.warning(
            "layout %s: its drawing is not recognised; the camera is watched by its picture", self.layout.name
        )
        self._watch.learn(gray)

    def _still(self, t_s: float, gray: Bytes, drift: Drift) -> bool:
        assert drift.shift_px is not None
        self.good_s, self._jolted, self._answers = t_s, False, []
        self._next_s = t_s + self.settings.every_s
        self._drifts = [*self._drifts, drift.shift_px][-self.settings.needed :]
        slow = len(self._drifts) == self.settings.needed and min(self._drifts) >= self.settings.follow_px
        if not slow or t_s < self._next_follow_s:
            return False
        self._next_follow_s = t_s + self.settings.follow_s
        turned = self._watch.followed()
        found = self._near(gray, turned) if turned is not None else None
        if found is None or apart_px(self.camera, found.camera, self.layout) > 2 * MOVED_PX:
            return False
        self._drifts = []
        self._use(found)
        return True

    def _lose(self, standing: Standing, t_s: float) -> None:
        self.standing, self._answers, self._drifts, self._jolted = standing, [], [], False
        self._sought, self._back, self._there = None, 0, 0
        self._next_s = self._next_seek_s = t_s
        self._wait_s = self.settings.seek_s

    def _search(self, t_s: float, gray: Bytes) -> bool:
        """Looks for the table; whether it is found, and confirmed, elsewhere than before."""
        near = None
        if _size(gray) == self.camera.size_px:
            self._back = self._back + 1 if self._holds(self._watch, gray) else 0
            near = self._watch.followed()
        if self._sought is not None and _size(gray) == self._sought.camera.size_px:
            self._there = self._there + 1 if self._holds(self._sought, gray) else 0
        if self._back >= self.settings.needed:
            return self._found(t_s, None)
        if self._there >= self.settings.needed:
            return self._found(t_s, self._sought)
        self._next_s = t_s + self.settings.again_s
        if self._back or self._there or t_s < self._next_seek_s - 1e-6:
            return False
        before, self._sought = self._sought, self._seek(gray, near)
        self._next_seek_s = t_s + self._wait_s
        self._wait_s = min(self.settings.seek_most_s, self._wait_s + self.settings.seek_s)
        if self._sought is None:
            self.standing = Standing.UNKNOWN if near is None else self.standing
        elif before is not None and self._agree(before.camera, self._sought.camera):
            return self._found(t_s, self._sought)
        return False

    def _agree(self, camera: Camera, other: Camera) -> bool:
        """Whether the table was found twice at one place: as sure as looks at a felt that is too covered for them."""
        return camera.size_px == other.size_px and apart_px(camera, other, self.layout) < self.settings.steady_px

    def _holds(self, watch: DriftWatch, gray: Bytes) -> bool:
        shift = watch.look(gray).shift_px
        return shift is not None and shift < self.settings.steady_px

    def _found(self, t_s: float, sought: DriftWatch | None) -> bool:
        self.standing, self.good_s, self._answers, self._sought = Standing.STEADY, t_s, [], None
        self._next_s, self._next_follow_s = t_s + self.settings.every_s, t_s
        if sought is None:
            return False
        self._use(sought)
        return True

    def _seek(self, gray: Bytes, near: Camera | None) -> DriftWatch | None:
        """A watch for where the table surely is now, near a camera if one is given; None if it is not found."""
        if not self._drawn:
            return self._watch.at(near) if near is not None else None
        return (self._near(gray, near) if near is not None else None) or self._anywhere(gray)

    def _near(self, gray: Bytes, camera: Camera) -> DriftWatch | None:
        if self._levels is None:
            return self._watch.at(camera) if self._watch.is_ready else None
        try:
            found = locate_near(gray, self.layout, camera, self._levels)
        except CalibrationError:
            return None
        return DriftWatch(found.camera, self.layout, found.levels)

    def _anywhere(self, gray: Bytes) -> DriftWatch | None:
        try:
            found = locate_layout(gray, self.layout)
        except CalibrationError:
            return None
        return DriftWatch(found.camera, self.layout, found.levels)

    def _use(self, watch: DriftWatch) -> None:
        self._watch, self.camera = watch, watch.camera


def _size(gray: Bytes) -> tuple[int, int]:
    return gray.shape[1], gray.shape[0]
