"""Writes H.264 video files that ordinary players and browsers open."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
import numpy.typing as npt


class VideoWriter:
    """Writes BGR pictures as one H.264 video in an MP4 file, moov box in front.

    Args:
        path: of the new file.
        size_px: width and height, both even.
        fps: frames a second.
        crf: x264's constant quality, lower is better and bigger.
        preset: x264's speed.

    Raises:
        ValueError: a size that H.264 with 4:2:0 colour cannot hold, or a picture of another size.
    """

    def __init__(
        self, path: Path, size_px: tuple[int, int], fps: int, *, crf: float = 26.0, preset: str = "veryfast"
    ) -> None:
        width, height = size_px
        if width % 2 or height % 2 or width < 2 or height < 2:
            raise ValueError(f"size_px: expected even numbers of at least 2, got {size_px}")
        self._size_px = size_px
        self._container = av.open(str(path), "w", format="mp4", options={"movflags": "faststart"})
        self._stream = self._container.add_stream("libx264", rate=Fraction(fps))
        self._stream.width, self._stream.height = width, height
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.thread_count = 1
        self._stream.options = {"preset": preset, "crf": str(crf), "g": str(fps * 4)}

    def write(self, image: npt.NDArray[np.uint8]) -> None:
        """Append a picture: (h, w, 3) uint8 BGR, or (h * 3 / 2, w) uint8 planar YUV 4:2:0."""
        width, height = self._size_px
        if image.shape == (height, width, 3):
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
        elif image.shape == (height * 3 // 2, width):
            frame = av.VideoFrame.from_ndarray(image, format="yuv420p")
        else:
            raise ValueError(
                f"image: expected shape {(height, width, 3)} or {(height * 3 // 2, width)}, got {image.shape}"
            )
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def close(self) -> None:
        """Write what is still held back and finish the file."""
        for packet in self._stream.encode(None):
            self._container.mux(packet)
        self._container.close()

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._container.close()
