"""What a source of frames is, whether a video file, a stream, a camera or a folder of pictures, and how it fails.

The capture time of its frames is the presentation time stamp of the stream, never the clock of this machine, so that a file gives the same
times whenever and however fast it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vision.frames.frame import Frame


class SourceError(RuntimeError):
    """Frames cannot be had; the text says what, where, and what to do."""


class TruncatedError(SourceError):
    """The file breaks off before its declared end; what could be read was given first.

    Attributes:
        frames_read: how many frames were given before.
    """

    def __init__(self, message: str, frames_read: int) -> None:
        super().__init__(message)
        self.frames_read = frames_read


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What is known of a source before reading it.

    Attributes:
        name: as given.
        size_px: width and height.
        fps: nominal frames per second, None where unknown.
        frames: how many frames are declared, None for live sources.
        live: whether time runs on whether or not somebody reads.
    """

    name: str
    size_px: tuple[int, int]
    fps: float | None
    frames: int | None
    live: bool


@dataclass(slots=True)
class SourceHealth:
    """Counters of a source since it was opened; they only rise.

    Attributes:
        frames: given by the decoder.
        damaged: of these, not to be believed (`Frame.damaged`).
        undecodable: packets no picture could be made of.
        out_of_order: pictures left out because a later one was already given.
        jumps: how often the stream's clock jumped back, or a live one's ahead.
        dropped: frames left out because the watcher was slower than a live source (`vision.frames.live`).
    """

    frames: int = 0
    damaged: int = 0
    undecodable: int = 0
    out_of_order: int = 0
    jumps: int = 0
    dropped: int = 0


class Source:
    """Frames in order; iterate once, then close (or use as a context manager).

    Attributes:
        info: what is known before reading.
        health: counters, while it is read.
    """

    def __init__(
        self, info: SourceInfo, frames: Iterator[Frame], close: Callable[[], None], health: SourceHealth | None = None
    ) -> None:
        self.info = info
        self.health = health or SourceHealth()
        self._frames = frames
        self._close = close

    def __iter__(self) -> Iterator[Frame]:
        return self._frames

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file, stream or camera."""
        self._close()
