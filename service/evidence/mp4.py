"""Clips as H.264 in MP4: plays everywhere, the same frames give the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from vision.frames.picture import Image, in_colour

CLOCK_HZ = 90_000
"""Time base of every film here: fine enough for any camera, and what H.264 streams use."""
AS_RECORDED = {"preset": "superfast", "crf": "21", "g": "15"}
"""How x264 encodes a film anew: chips and pips stay readable at 1080p, and every second one frame can be decoded by itself, so that
stepping is quick."""
OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame of a clip, (h, w, 3) BGR, with its capture time."""

    t_s: float
    image: Image


class ClipWriter:
    """Writes frames with their times into a file; close it, or use it as a context manager.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._container: Any = None
        self._stream: Any = None
        self._zero_s = 0.0

    def __enter__(self) -> ClipWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def add(self, t_s: float, image: Image) -> None:
        """Adds a frame."""
        image = _even(image)
        if self._container is None:
            self._open(image.shape[1], image.shape[0])
            self._zero_s = t_s
        planes = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420)  # in a fifth of the time of `VideoFrame.reformat`
        picture = av.VideoFrame.from_ndarray(np.asarray(planes, np.uint8), format="yuv420p")
        picture.pts, picture.time_base = round((t_s - self._zero_s) * CLOCK_HZ), Fraction(1, CLOCK_HZ)
        self._container.mux(self._stream.encode(picture))

    def close(self) -> None:
        """Finishes the file."""
        if self._container is not None:
            self._container.mux(self._stream.encode(None))
            self._container.close()
            self._container = None

    def _open(self, width: int, height: int) -> None:
        self._container = av.open(str(self._path), "w", format="mp4", options=OPTIONS)
        self._stream = self._container.add_stream("libx264", rate=30)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        context = self._stream.codec_context
        context.time_base = Fraction(1, CLOCK_HZ)
        context.thread_count = 1
        context.options = {**AS_RECORDED, "flags": "+bitexact"}


def write_shots(path: Path, shots: Iterable[Shot]) -> list[float]:
    """Encodes frames; their capture times."""
    times_s = []
    with ClipWriter(path) as clip:
        for shot in shots:
            times_s.append(shot.t_s)
            clip.add(shot.t_s, shot.image)
    return times_s


def copy_packets(path: Path, template: Any, packets: Sequence[Any]) -> None:
    """Puts packets into a file as they are, the first at its beginning.

    Args:
        path: of the file.
        template: the stream they come from.
        packets: in the order in which they are decoded, a key frame first.
    """
    with av.open(str(path), "w", format="mp4", options=OPTIONS) as container:
        stream = container.add_stream_from_template(template)
        zero = packets[0].pts
        for packet in packets:
            packet.pts, packet.dts, packet.stream = packet.pts - zero, packet.dts - zero, stream
            container.mux_one(packet)


def _even(image: Image) -> Image:
    """The picture with both sides even, as H.264 wants them."""
    height, width = image.shape[:2]
    return np.ascontiguousarray(image[: height // 2 * 2, : width // 2 * 2])


def frame_at(path: Path, clip_s: float) -> Image | None:
    """The frame of a clip that is shown at a time in it; None if it has none then."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_count = 1
        wanted = clip_s - 0.001
        container.seek(max(0, int(Fraction(wanted) / stream.time_base)), stream=stream)
        for frame in container.decode(stream):
            if frame.pts is not None and float(frame.pts * frame.time_base) >= wanted:
                return in_colour(frame)
    return None
