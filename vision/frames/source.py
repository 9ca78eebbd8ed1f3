"""Where frames come from: a video file, a stream, a camera or a folder of pictures.

A frame carries its index and its *capture time*: the presentation time stamp of the stream, never the clock of this
machine, so that a file gives the same times whenever and however fast it is read. A frame is converted to BGR only
when somebody asks for its picture; the small picture that watches for change comes from the decoder's planes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from vision.frames.encoded import Copies, Encoded
from vision.frames.thinning import PaceLike, Thinning

Image = npt.NDArray[np.uint8]
Plane = npt.NDArray[np.float32]
Planes = tuple[Plane, Plane, Plane]
"""A small picture as Y, U and V, (h, w) each: whole planes are worked through several times faster than every third number."""

PLANAR = ("yuv420p", "yuvj420p")
"""Formats of decoded pictures whose first plane is the picture in grey."""
PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp"})
"""Files of a folder that count as its frames, in the order of their names."""
STREAM_SCHEMES = ("rtsp://", "rtsps://", "http://", "https://", "rtmp://", "udp://", "tcp://", "srt://")
"""What a source must begin with to be opened as a live stream."""
FOLDER_FPS = 10.0
"""Frames per second of a folder of pictures, which carries no times of its own."""
HTTP_FORMATS = "asf,avi,flv,h264,hevc,jpeg_pipe,matroska,mjpeg,mp4,mpeg,mpegts,mpjpeg,nut,png_pipe,webp_pipe"
"""What may come over http: pictures and films themselves, no playlist or description that leads to other addresses."""
STREAM_TIMEOUT_S = (10.0, 2.5)
"""How long a stream may take to open, and to send its next packet: a dead camera is noticed within three seconds."""
HEAL_S = 10.0
"""After damage pictures are made from damaged ones until the next key frame; streams that have none heal by then."""
JUMP_S = 1.0
"""A time stamp so far before the last one is a clock that was set back, not a picture out of order."""
AHEAD_S = 10.0
"""A time stamp of a live stream that runs so far ahead of the time in which it came is a clock that was set forward; less is a burst after
a pause of the network, which ends a stream sooner (`STREAM_TIMEOUT_S`)."""
STRIP_ROWS = 54
"""Rows of a small picture that are averaged at once: what is in between stays in the processor's cache, and needs no new memory."""
MOST_UNDECODABLE = 250
"""So many packets in a row of which no picture can be made end a live stream, to be opened again."""


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
            return np.asarray(cv2.merge([_averaged(plane, size_px) for plane in planes]), dtype=np.uint8)
        small = cv2.resize(self.image, size_px, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2YUV), dtype=np.uint8)


class _Converters(threading.local):
    """One converter a thread: it keeps its tables from picture to picture."""

    def __init__(self) -> None:
        self.converter = VideoReformatter()


_converters = _Converters()


def in_colour(decoded: Any) -> Image:
    """A decoder's picture (`av.VideoFrame`) as (h, w, 3) uint8 BGR; to the bit what `VideoFrame.to_ndarray` gives, in half of its time."""
    picture = _converters.converter.reformat(decoded, format="bgr24", threads=1)
    return np.asarray(picture.to_ndarray(), dtype=np.uint8)


def planes_of(small_yuv: Image) -> Planes:
    """The planes of a picture (h, w, 3)."""
    y, u, v = (np.asarray(plane, np.float32) for plane in cv2.split(small_yuv))
    return y, u, v


def plane_of(plane: Any) -> Image:
    """A plane of a decoder's picture (`av.VideoPlane`), (h, w) uint8, not copied."""
    rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
    return rows[: plane.height, : plane.width]


def largest_level(image: Image) -> Image:
    """(h, w) the largest level of each pixel of a picture (h, w, 3), in a twentieth of the time of `max(axis=2)`."""
    blue, green, red = cv2.split(image)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _averaged(plane: Image, size_px: tuple[int, int]) -> Image:
    """A plane shrunk by area averaging; a 1080p picture's own quarter in a third of the time that OpenCV takes for it, to the bit."""
    width, height = size_px
    if plane.shape != (4 * height, 4 * width) or not plane.flags.c_contiguous:
        return np.asarray(cv2.resize(plane, size_px, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    pairs, sums = plane.view(np.uint16).reshape(height, 4, 2 * width), np.empty((height, 2 * width), np.uint16)
    for top in range(0, height, STRIP_ROWS):
        strip, into = pairs[top : top + STRIP_ROWS], sums[top : top + STRIP_ROWS]
        both = strip & 0xFF
        both += strip >> 8
        np.add(both[:, 0], both[:, 1], out=into)
        into += both[:, 2]
        into += both[:, 3]
    return np.asarray(cv2.convertScaleAbs(sums[:, 0::2] + sums[:, 1::2], alpha=1 / 16), dtype=np.uint8)


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
        return _open_video(text, live=True)
    path = Path(text)
    if not path.exists():
        raise SourceError(
            f"{text}: no such file or folder; give a video file, a stream address, a camera number or a folder of pictures"
        )
    if path.is_dir():
        return _open_folder(path)
    if path.stat().st_size == 0:
        raise SourceError(f"{text}: the file is empty; record or copy it again")
    return _open_video(text, live=False, pace=pace)


def _open_video(name: str, *, live: bool, pace: PaceLike | None = None) -> Source:
    try:
        container = av.open(name, options=_options(name), timeout=STREAM_TIMEOUT_S) if live else av.open(name)
    except (av.FFmpegError, OSError) as error:
        what = "cannot be reached" if live else "cannot be opened as a video"
        hint = (
            "check the address and that the camera is on; over http no redirect and no playlist is followed"
            if live
            else "give an MP4, MKV, AVI or other video file; a cut-off MP4 must be repaired first"
        )
        raise SourceError(f"{name}: {what} ({error}); {hint}") from error
    if not container.streams.video:
        container.close()
        raise SourceError(f"{name}: holds no video track; give a file or stream with a picture")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    codec = stream.codec_context
    if not codec.width or not codec.height:
        container.close()
        raise SourceError(
            f"{name}: is no video that can be decoded (no picture size); give an MP4, MKV, AVI or other video file"
        )
    fps = float(stream.average_rate) if stream.average_rate else None
    declared = None if live else _declared_frames(container, stream, fps)
    info = SourceInfo(name, (codec.width, codec.height), fps, declared, live)
    health = SourceHealth()
    thinning = Thinning(pace, codec.extradata) if pace is not None and codec.name == "h264" else None
    return Source(info, _decode(container, stream, info, health, thinning), container.close, health)


def _options(name: str) -> dict[str, str]:
    """How a stream is opened: over http nothing but the address that was given and checked is asked."""
    if name.lower().startswith("rtsp"):
        return {"rtsp_transport": "tcp"}
    return {"max_redirects": "0", "format_whitelist": HTTP_FORMATS} if name.lower().startswith("http") else {}


def _declared_frames(container: Any, stream: Any, fps: float | None) -> int | None:
    if stream.frames:
        return int(stream.frames)
    if stream.duration and stream.time_base and fps:
        return int(float(stream.duration * stream.time_base) * fps + 0.5)
    if container.duration and fps:
        return int(container.duration / av.time_base * fps + 0.5)
    return None


def _decode(
    container: Any, stream: Any, info: SourceInfo, health: SourceHealth, thinning: Thinning | None
) -> Iterator[Frame]:
    times = _Times(info, health)
    copies = Copies(stream.codec_context.extradata) if info.live and stream.codec_context.name == "h264" else None
    packets = container.demux(stream) if thinning is None else thinning.packets(container.demux(stream))
    index, damaged_s, left_out = 0, None, 0
    try:
        for decoded, broken in _pictures(packets, info, health, copies):
            left_out += thinning.left_out(decoded.pts) if thinning is not None and decoded.pts is not None else 0
            t_s, jumped = times.of(decoded)
            if t_s is None:
                continue
            if broken or jumped or decoded.is_corrupt:
                damaged_s = t_s
            elif damaged_s is not None and (decoded.key_frame or t_s - damaged_s > HEAL_S):
                damaged_s = None
            health.frames += 1
            health.damaged += damaged_s is not None
            frame = Frame(index + left_out, t_s, decoded=decoded, damaged=damaged_s is not None)
            frame.packets = copies.taken(times.shift_s) if copies is not None else None
            frame.left_out, index, left_out = left_out, frame.index + 1, 0
            yield frame
    except (av.FFmpegError, OSError) as error:
        raise _broken(info, index, str(error)) from error
    if index == 0:
        raise SourceError(
            f"{info.name}: not one frame could be decoded; the file is no video or is broken from its start"
        )
    index += left_out + (thinning.left_out() if thinning is not None else 0)
    if info.frames is not None and index < info.frames - max(2, info.frames // 100):
        raise _broken(info, index, f"{info.frames} frames are declared")


def _pictures(
    packets: Iterable[Any], info: SourceInfo, health: SourceHealth, copies: Copies | None
) -> Iterator[tuple[Any, bool]]:
    """Decoded pictures, each with whether something before it could not be decoded; packets go into `copies` too.

    Raises:
        av.FFmpegError: the source broke off, or a live one sends only what cannot be decoded.
    """
    failed = 0
    for packet in packets:
        if copies is not None:
            copies.add(packet)
        try:
            pictures = packet.decode()
        except av.InvalidDataError:
            failed += 1
            health.undecodable += 1
            if info.live and failed > MOST_UNDECODABLE:
                raise
            continue
        for picture in pictures:
            yield picture, failed > 0
            failed = 0


class _Times:
    """Capture times that only rise, from the time stamps of a stream.

    Args:
        info: of the stream; how long a live one's pictures take to come says whether its clock was set forward.
        health: counts what is left out, and jumps.
        clock: of this machine, in seconds.

    Attributes:
        shift_s: added to the stamps since its clock last jumped.
    """

    def __init__(self, info: SourceInfo, health: SourceHealth, clock: Callable[[], float] = time.monotonic) -> None:
        self._live, self._step_s = info.live, 1.0 / (info.fps or FOLDER_FPS)
        self._health, self._clock = health, clock
        self._first: Fraction | None = None
        self.shift_s = 0.0
        self._last_s: float | None = None
        self._came_s = clock()

    def of(self, decoded: Any) -> tuple[float | None, bool]:
        """Capture time, None for a picture out of order; and whether the stream's clock jumped here."""
        last, came_s = self._last_s, self._clock()
        if decoded.pts is None:
            t_s = 0.0 if last is None else last + self._step_s
        else:
            stamp = decoded.pts * decoded.time_base
            self._first = stamp if self._first is None else self._first
            t_s = float(stamp if self._live else stamp - self._first) + self.shift_s
        ahead_s = t_s - last - (came_s - self._came_s) if last is not None and self._live else 0.0
        jumped = ahead_s > AHEAD_S or (last is not None and t_s < last - JUMP_S)
        self._came_s = came_s
        if last is not None and jumped:
            self.shift_s += last + self._step_s - t_s
            self._health.jumps += 1
            t_s = last + self._step_s
        if last is not None and t_s <= last:
            self._health.out_of_order += 1
            return None, False
        self._last_s = t_s
        return t_s, jumped


def _broken(info: SourceInfo, frames_read: int, why: str) -> SourceError:
    if frames_read == 0:
        return SourceError(
            f"{info.name}: not one frame could be decoded ({why}); the file is no video or is broken from its start"
        )
    if info.live:
        return SourceError(
            f"{info.name}: the stream broke off after {frames_read} frames ({why}); check the camera and connect again"
        )
    return TruncatedError(
        f"{info.name}: the video breaks off after {frames_read} frames ({why}); what came before was read, copy the file again for the rest",
        frames_read,
    )


def _open_folder(path: Path) -> Source:
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURE_SUFFIXES)
    if not files:
        raise SourceError(
            f"{path}: no pictures in this folder; expected files ending in {', '.join(sorted(PICTURE_SUFFIXES))}"
        )
    first = read_picture(files[0])
    info = SourceInfo(str(path), (first.shape[1], first.shape[0]), FOLDER_FPS, len(files), False)

    def frames() -> Iterator[Frame]:
        for index, file in enumerate(files):
            yield Frame(index, index / FOLDER_FPS, read_picture(file))

    return Source(info, frames(), lambda: None)


LEAST_PICTURE_PX = 16
"""Width and height of a picture from which on something may be made out; a card's index alone takes ten."""


def read_picture(path: str | Path) -> Image:
    """A picture file as (h, w, 3) uint8 BGR.

    Raises:
        SourceError: the file is missing or no picture.
    """
    file = Path(path)
    if not file.is_file():
        raise SourceError(f"{path}: no such file; give a picture (PNG, JPEG, BMP or WebP)")
    try:
        content = np.frombuffer(file.read_bytes(), np.uint8)
        image = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}); give a picture that may be read") from error
    except cv2.error:  # more pixels than OpenCV takes, or says the file's head
        image = None
    if image is None:
        raise SourceError(f"{path}: is no picture that can be read; give a PNG, JPEG, BMP or WebP file")
    height, width = image.shape[:2]
    if min(height, width) < LEAST_PICTURE_PX:
        raise SourceError(f"{path}: has {width} x {height} pixels, too few to show a card; give a picture of the table")
    return np.asarray(image, dtype=np.uint8)


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
