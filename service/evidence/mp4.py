"""Clips as H.264 in MP4: plays everywhere, the same frames give the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from vision.frames.picture import Image, in_colour, plane_of

CLOCK_HZ = 90_000
"""Time base of every film here: fine enough for any camera, and what H.264 streams use."""
AS_RECORDED = {"preset": "superfast", "crf": "21", "g": "15"}
"""How x264 encodes a film anew: chips and pips stay readable at 1080p, and every second one frame can be decoded by itself, so that
stepping is quick."""
DRAWN_ON = {"preset": "ultrafast", "tune": "zerolatency", "qp": "24", "g": "30"}
"""How it encodes one that is drawn on, smaller and for orientation. Beside the preset above at crf 26 that costs 40% of the time, and what comes out is
no larger and no further from what was put in (ADR 34)."""
OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame of a clip with its capture time.

    Attributes:
        image: (h, w, 3) BGR.
        size_px: width and height as recorded, where the image is smaller; None where it is as recorded.
    """

    t_s: float
    image: Image
    size_px: tuple[int, int] | None = None

    @classmethod
    def of(cls, t_s: float, decoded: Any, width_px: int | None = None) -> Shot:
        """A decoder's picture (`av.VideoFrame`), at most so wide: its planes are made smaller before they become colours."""
        size_px = int(decoded.width), int(decoded.height)
        if width_px is None or size_px[0] <= width_px:
            return cls(t_s, in_colour(decoded))
        width, height = width_px // 2 * 2, round(size_px[1] * width_px / size_px[0]) // 2 * 2
        if decoded.format.name != "yuv420p":
            image = in_colour(decoded)
            return cls(
                t_s, np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8), size_px
            )
        planes = [
            cv2.resize(plane_of(plane), size, interpolation=cv2.INTER_LINEAR).ravel()
            for plane, size in zip(decoded.planes, ((width, height), *[(width // 2, height // 2)] * 2), strict=True)
        ]
        whole = np.concatenate(planes).reshape(height * 3 // 2, width)
        return cls(t_s, np.asarray(cv2.cvtColor(whole, cv2.COLOR_YUV2BGR_I420), np.uint8), size_px)


class ClipWriter:
    """Writes frames with their times into a file; close it, or use it as a context manager.

    Args:
        path: of the file.
        width_px: make the film so wide at most.
        quality: options of x264.
    """

    def __init__(self, path: Path, *, width_px: int | None = None, quality: Mapping[str, str] = AS_RECORDED) -> None:
        self._path, self._width_px, self._quality = path, width_px, quality
        self._container: Any = None
        self._stream: Any = None
        self._zero_s = 0.0
        self.frames = 0

    def __enter__(self) -> ClipWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def add(self, t_s: float, image: Image) -> float:
        """Adds a frame; returns its time in the clip."""
        image = _even(image, self._width_px)
        if self._container is None:
            self._open(image.shape[1], image.shape[0])
            self._zero_s = t_s
        planes = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420)  # in a fifth of the time of `VideoFrame.reformat`
        picture = av.VideoFrame.from_ndarray(np.asarray(planes, np.uint8), format="yuv420p")
        picture.pts, picture.time_base = round((t_s - self._zero_s) * CLOCK_HZ), Fraction(1, CLOCK_HZ)
        self._container.mux(self._stream.encode(picture))
        self.frames += 1
        return t_s - self._zero_s

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
        context.options = {**self._quality, "flags": "+bitexact"}


def write_shots(path: Path, shots: Iterable[Shot]) -> float | None:
    """Encodes frames; the capture time of the first, None without any."""
    first_s = None
    with ClipWriter(path) as clip:
        for shot in shots:
            first_s = shot.t_s if first_s is None else first_s
            clip.add(shot.t_s, shot.image)
    return first_s


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


def _even(image: Image, width_px: int | None) -> Image:
    """The picture at most so wide, both sides even as H.264 wants them."""
    height, width = image.shape[:2]
    if width_px is not None and width > width_px:
        height, width = round(height * width_px / width), width_px
        image = np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
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
