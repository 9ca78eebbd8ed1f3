"""A live source that is faster than its watcher, or falls silent."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from vision.frames.frame import Frame
from vision.frames.live import live_source
from vision.frames.source import Source, SourceError, SourceInfo

INFO = SourceInfo("camera 1", (4, 4), 15.0, None, True)


def frame(index: int) -> Frame:
    return Frame(index, index / 15, np.zeros((4, 4, 3), np.uint8))


class Camera:
    """Gives some frames, says that it has, then waits until it may end."""

    def __init__(self, count: int, error: Exception | None = None) -> None:
        self.count, self.error = count, error
        self.given, self.may_end, self.closed = threading.Event(), threading.Event(), threading.Event()

    def source(self) -> Source:
        return Source(INFO, self._frames(), self.closed.set)

    def _frames(self) -> Iterator[Frame]:
        for index in range(self.count):
            yield frame(index)
        self.given.set()
        self.may_end.wait(20)
        if self.error is not None:
            raise self.error


def test_what_waits_too_long_is_dropped_and_counted_and_the_rest_comes_in_order() -> None:
    camera = Camera(40)
    source = live_source(camera.source(), most=5)
    frames = iter(source)
    first = next(frames)
    assert camera.given.wait(20)
    camera.may_end.set()
    rest = list(frames)
    indices = [first.index, *(one.index for one in rest)]
    assert indices == sorted(set(indices))
    assert indices[-5:] == [35, 36, 37, 38, 39]
    assert source.health.dropped == 40 - len(indices) > 0
    assert camera.closed.wait(20)


def test_nothing_is_dropped_where_the_watcher_keeps_up() -> None:
    camera = Camera(3)
    camera.may_end.set()
    source = live_source(camera.source())
    assert [one.index for one in source] == [0, 1, 2]
    assert source.health.dropped == 0


def test_a_camera_that_falls_silent_is_an_error_that_says_so() -> None:
    camera = Camera(2)
    source = live_source(camera.source(), patience_s=0.05)
    frames = iter(source)
    assert next(frames).index == 0
    with pytest.raises(SourceError, match=r"camera 1: no frame came for 0\.05 s"):
        list(frames)
    camera.may_end.set()
    source.close()
    assert camera.closed.wait(20)


def test_an_error_of_the_source_comes_after_the_frames_before_it() -> None:
    camera = Camera(2, SourceError("camera 1: the stream broke off"))
    camera.may_end.set()
    frames = iter(live_source(camera.source()))
    assert [next(frames).index, next(frames).index] == [0, 1]
    with pytest.raises(SourceError, match="broke off"):
        next(frames)


def test_a_source_closed_before_it_is_read_is_let_go_of() -> None:
    camera = Camera(1)
    live_source(camera.source()).close()
    assert camera.closed.is_set()
