"""A frame: a picture with its index and its *capture time*.

It is converted to BGR only when somebody asks for its picture; the small picture that watches for change comes from the decoder's planes.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from vision.frames.encoded import Encoded
from vision.frames.picture import Image, Planes, averaged, in_colour, plane_of, planes_of

PLANAR = ("yuv420p", "yuvj420p")
"""Formats of decoded pictures whose first plane is the picture in grey."""


class Frame:
    """One picture with its index in the source and its capture time in seconds.

    Attributes:
        index: 0-based position in the source.
        t_s: capture time, seconds since the first frame of a file, or of the stream's own clock.
        damaged: the picture, or one it was made from, was damaged on its way; not to be believed.
        came_s: `time.monotonic` when a live source gave it, None of others; for measuring, nothing is judged by it.
        packets: what the camera sent since the frame before, None where it cannot be kept as it is.
        packets_s: the frame's time in that of its packets; whoever moves `t_s` leaves it.
        left_out: how many pictures before it were not decoded, since nobody looks at them (`vision.frames.thinning`).
    """

    __slots__ = (
        "_decoded",
        "_image",
        "_planes",
        "_small",
        "came_s",
        "damaged",
        "index",
        "left_out",
        "packets",
        "packets_s",
        "t_s",
    )

    def __init__(
        self, index: int, t_s: float, image: Image | None = None, *, decoded: Any = None, damaged: bool = False
    ) -> None:
        self.index = index
        self.t_s = t_s
        self.damaged = damaged
        self.came_s: float | None = None
        self.packets: tuple[Encoded, ...] | None = None
        self.packets_s = t_s
        self.left_out = 0
        self._image = image
        self._decoded = decoded
        self._small: Image | None = None
        self._planes: Planes | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """What is kept of it on disk is its picture in colour, not the decoder's."""
        return Frame, (self.index, self.t_s, self.image)

    @property
    def image(self) -> Image:
        """The picture, (h, w, 3) uint8 BGR."""
        if self._image is None:
            self._image = in_colour(self._decoded)
        return self._image

    @property
    def decoded(self) -> Any:
        """The decoder's own picture (`av.VideoFrame`), None where the frame did not come from a decoder."""
        return self._decoded

    @property
    def luma(self) -> Image:
        """The picture in grey, (h, w) uint8; costs nothing where the decoder has it."""
        if self._image is None and self._decoded.format.name in PLANAR:
            return plane_of(self._decoded.planes[0])[:, : int(self._decoded.width)]
        return np.asarray(cv2.cvtColor(self.image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        if self._image is not None:
            return self._image.shape[1], self._image.shape[0]
        return int(self._decoded.width), int(self._decoded.height)

    def small_yuv(self, size_px: tuple[int, int]) -> Image:
        """The picture shrunk by area averaging, (h, w, 3) uint8 in Y, U, V; costs no colour conversion in full size.

        It is made once for a size, and not to be written to.
        """
        if self._small is None or self._small.shape[1::-1] != size_px:
            self._small, self._planes = self._shrunk(size_px), None
        return self._small

    def small_planes(self, size_px: tuple[int, int]) -> Planes:
        """The planes of the small picture, made once for a size too, and not to be written to."""
        small = self.small_yuv(size_px)
        if self._planes is None:
            self._planes = planes_of(small)
        return self._planes

    def _shrunk(self, size_px: tuple[int, int]) -> Image:
        decoded = self._decoded
        if self._image is None and decoded.format.name in PLANAR:
            planes = [plane_of(plane) for plane in decoded.planes]
            return np.asarray(cv2.merge([averaged(plane, size_px) for plane in planes]), dtype=np.uint8)
        small = cv2.resize(self.image, size_px, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2YUV), dtype=np.uint8)
