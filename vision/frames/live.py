"""A live source read in a thread of its own: a slow watcher never makes it wait, and a dead camera is noticed.

A camera goes on whether or not its pictures are worked through. What waits too long is dropped, the oldest first, and
counted (`SourceHealth.dropped`): the pictures given are in order and at most some `most` frames old.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator

from vision.frames.frame import Frame
from vision.frames.source import Source, SourceError

MOST_WAITING = 8
"""Frames that may wait: half a second at 15 frames a second."""
PATIENCE_S = 2.8
"""How long no frame may come before the source counts as lost."""
FIRST_PATIENCE_S = 10.0
"""The same before the first frame, while a stream begins."""


def live_source(source: Source, *, most: int = MOST_WAITING, patience_s: float = PATIENCE_S) -> Source:
    """The same source, read ahead in a thread; frames that wait too long are dropped and counted.

    Args:
        source: a live one, opened and not read yet; it belongs to the result from here on.
        most: how many frames may wait.
        patience_s: seconds (of this machine's clock: a camera that sends nothing has no other) without a frame after
            which reading ends with a SourceError.
    """
    reader = _Reader(source, most, patience_s)
    return Source(source.info, reader.frames(), reader.close, source.health)


class _Reader:
    def __init__(self, source: Source, most: int, patience_s: float) -> None:
        if most < 1:
            raise ValueError(f"most: at least one frame must be able to wait, got {most}")
        self._source, self._most, self._patience_s = source, most, patience_s
        self._waiting: deque[Frame] = deque()
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._ended = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read, name=f"reads {source.info.name}", daemon=True)

    def frames(self) -> Iterator[Frame]:
        """Frames in order; waits for the next one."""
        self._thread.start()
        patience_s = max(FIRST_PATIENCE_S, self._patience_s)
        while True:
            with self._changed:
                came = self._changed.wait_for(lambda: bool(self._waiting) or self._ended, patience_s)
                frame = self._waiting.popleft() if self._waiting else None
            if frame is not None:
                patience_s = self._patience_s
                yield frame
            elif not came:
                raise SourceError(
                    f"{self._source.info.name}: no frame came for {patience_s:g} s; check the camera and its network, it is opened again"
                )
            elif self._error is not None:
                raise self._error
            else:
                return

    def close(self) -> None:
        """Ends reading; the source is let go of by the thread that reads it."""
        self._stop.set()
        if self._thread.ident is None:
            self._source.close()
        elif self._thread is not threading.current_thread():
            self._thread.join(1.0)

    def _read(self) -> None:
        try:
            for frame in self._source:
                if self._stop.is_set():
                    return
                frame.came_s = time.monotonic()
                with self._changed:
                    if len(self._waiting) >= self._most:
                        _hand_on(self._waiting.popleft(), self._waiting[0] if self._waiting else frame)
                        self._source.health.dropped += 1
                    self._waiting.append(frame)
                    self._changed.notify()
        except BaseException as error:  # handed to the thread that asks for frames  # noqa: BLE001
            self._error = error
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify()
            self._source.close()


def _hand_on(dropped: Frame, following: Frame) -> None:
    """The packets of a frame that is left out belong to the next one: a film lacks none."""
    if dropped.packets is not None and following.packets is not None:
        following.packets = dropped.packets + following.packets
