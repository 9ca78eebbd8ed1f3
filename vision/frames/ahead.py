"""A recording read in a thread of its own, a few frames ahead of who watches: decoding and watching go on side by side.

Which frames there are, and their order, does not depend on how fast anybody is.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

from vision.frames.frame import Frame
from vision.frames.source import Source

MOST_AHEAD = 8
"""Frames that may wait: 25 MB at 1080p."""
AGAIN_S = 0.2
"""How often a reader that waits for room looks whether it shall end."""


def read_ahead(source: Source, small_px: tuple[int, int]) -> Source:
    """The same source, read ahead in a thread that makes the small pictures too.

    Args:
        source: opened and not read yet; it belongs to the result from here on.
        small_px: size of the small pictures that will be asked for.
    """
    reader = _Reader(source, small_px)
    return Source(source.info, reader.frames(), reader.close, source.health)


class _Reader:
    def __init__(self, source: Source, small_px: tuple[int, int]) -> None:
        self._source, self._small_px = source, small_px
        self._waiting: queue.Queue[Frame | BaseException | None] = queue.Queue(MOST_AHEAD)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name=f"reads {source.info.name}", daemon=True)

    def frames(self) -> Iterator[Frame]:
        """Frames in order; what reading them raised is raised after the last."""
        self._thread.start()
        while (given := self._waiting.get()) is not None:
            if isinstance(given, BaseException):
                raise given
            yield given

    def close(self) -> None:
        """Ends reading and lets go of the source."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._source.close()

    def _read(self) -> None:
        last: BaseException | None = None
        try:
            for frame in self._source:
                frame.small_planes(self._small_px)
                if not self._put(frame):
                    return
        except BaseException as error:  # handed to the thread that asks for frames  # noqa: BLE001
            last = error
        self._put(last)

    def _put(self, given: Frame | BaseException | None) -> bool:
        """Waits for room; False if reading shall end."""
        while not self._stop.is_set():
            try:
                self._waiting.put(given, timeout=AGAIN_S)
            except queue.Full:
                continue
            return True
        return False
