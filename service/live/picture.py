"""The picture that people look at: handed over by the thread that watches a table, asked for by any other."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.evidence.pictures import View, encode, shrunk
from vision.frames.frame import Frame
from vision.frames.picture import Image
from vision.seen import Seen

PICTURE_EVERY_S, UNASKED_EVERY_S = 0.15, 1.0
"""How often it changes, and how often where nobody asked for it in the last `ASKED_FOR_S`."""
ASKED_FOR_S = 10.0


@dataclass(frozen=True, slots=True)
class _Shown:
    """A frame's picture, with what was seen in it."""

    index: int
    t_s: float
    image: Image
    seen: Seen
    view: View


@dataclass(slots=True)
class LivePicture:
    """The last picture of a table that is shown; times are capture time."""

    _latest: _Shown | None = field(default=None, init=False)
    _drawn: tuple[tuple[int, bool, int | None], bytes] | None = field(default=None, init=False)
    _asked_s: float = field(default=float("-inf"), init=False)

    def show(self, frame: Frame, seen: Seen, view: View) -> None:
        """Takes a frame's picture where the one that is shown is too old; only the thread that watches may take one out of a decoded frame."""
        every_s = PICTURE_EVERY_S if abs(frame.t_s - self._asked_s) <= ASKED_FOR_S else UNASKED_EVERY_S
        if self._latest is None or not 0.0 <= frame.t_s - self._latest.t_s < every_s:
            self._latest = _Shown(frame.index, frame.t_s, frame.image, seen, view)

    def jpeg(self, now_s: float, *, marked: bool = True, width: int | None = None) -> tuple[bytes, int] | None:
        """The picture as JPEG with its frame's index; None before the first.

        Args:
            now_s: capture time the table has come to.
            marked: draw what is seen.
            width: pixels, if smaller than the frame's own.
        """
        self._asked_s = now_s
        latest = self._latest
        if latest is None:
            return None
        key = (latest.index, marked, width)
        drawn = self._drawn
        if drawn is None or drawn[0] != key:
            image = latest.view.marked(latest.image, latest.seen) if marked else latest.image
            drawn = (key, encode(shrunk(image, width), 80))
            self._drawn = drawn
        return drawn[1], latest.index

    def raw(self) -> Image | None:
        """The picture as the camera gave it, None before the first."""
        latest = self._latest
        return None if latest is None else latest.image
