"""Where frames come from: a video file, a stream, a camera or a folder of pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.frames.folder import open_folder
from vision.frames.frame import Frame
from vision.frames.source import Source, SourceError, SourceInfo
from vision.frames.thinning import PaceLike
from vision.frames.video import open_video

STREAM_SCHEMES = ("rtsp://", "rtsps://", "http://", "https://", "rtmp://", "udp://", "tcp://", "srt://")
"""What a source must begin with to be opened as a live stream."""


def open_source(
    spec: str | Path | int, *, clock: Callable[[], float] | None = None, pace: PaceLike | None = None
) -> Source:
    """Open a file, `rtsp://` or `http://` stream, camera number or folder of pictures.

    Args:
        spec: path, address or camera index (an int, or text of digits only).
        clock: for cameras that give no time stamps: called once per frame for its capture time in seconds.
        pace: which pictures of a video file are looked at; others may be left out where that saves decoding them
            (`Frame.left_out`), and count in `Frame.index` all the same. None: all are given.

    Raises:
        SourceError: nothing there, not a video, or no picture in it.
    """
    text = str(spec)
    if isinstance(spec, int) or (text.isdecimal() and not Path(text).exists()):
        return _open_camera(int(text), clock)
    if text.lower().startswith(STREAM_SCHEMES):
        return open_video(text, live=True)
    path = Path(text)
    if not path.exists():
        raise SourceError(
            f"{text}: no such file or folder; give a video file, a stream address, a camera number or a folder of pictures"
        )
    if path.is_dir():
        return open_folder(path)
    if path.stat().st_size == 0:
        raise SourceError(f"{text}: the file is empty; record or copy it again")
    return open_video(text, live=False, pace=pace)


def _open_camera(number: int, clock: Callable[[], float] | None) -> Source:
    capture = cv2.VideoCapture(number)
    if not capture.isOpened():
        raise SourceError(
            f"camera {number}: cannot be opened; check that it is connected and that no other program uses it"
        )
    size = int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    fps = capture.get(cv2.CAP_PROP_FPS) or 30.0
    info = SourceInfo(f"camera {number}", size, fps, None, True)

    def frames() -> Iterator[Frame]:
        index = 0
        while True:
            read, image = capture.read()
            if not read:
                raise SourceError(f"camera {number}: stopped after {index} frames; check its cable and connect again")
            t_s = clock() if clock else capture.get(cv2.CAP_PROP_POS_MSEC) / 1000.0 or index / fps
            yield Frame(index, t_s, np.asarray(image, dtype=np.uint8))
            index += 1

    return Source(info, frames(), capture.release)
