"""Where a clip comes from: cut out of the recording again, or out of the last minutes of a live camera.

A recording is simply opened a second time, which costs nothing for the hours in which no alert rings. Of a live camera the last
minutes are kept in memory, so many seconds and so many bytes at most: the very packets that it sent where it sends H.264,
else its frames encoded as they come. Packets are copied; nothing is decoded for a clip that can be cut near enough.
"""

from __future__ import annotations

import io
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import av
import numpy as np

from service.evidence.mp4 import CLOCK_HZ, Shot, copy_packets, write_shots
from vision.frames.encoded import Encoded
from vision.frames.frame import Frame
from vision.frames.opening import open_source
from vision.frames.picture import in_colour
from vision.frames.source import SourceError
from vision.frames.thinning import Pace

KEPT_S = 165.0
"""A little longer than pictures are kept (`pictures.KEPT_S`): a clip begins some seconds before its moment."""
KEPT_BYTES = 160_000_000
"""Most that a camera's last minutes may take in memory: 165 s at 7.7 megabits a second; of faster cameras less is kept."""
FPS = 15.0
"""Frames a second that are kept of a live camera, and pictures that are told of a clip, at most."""
APART_S = 1.0 / FPS - 0.004
"""How near to one another such frames may be: stamps are rounded."""
KEY_EVERY_S = 1.0
"""How often a frame is kept that can be decoded by itself; so much is dropped at once."""
LEAD_S = 15.0
"""A clip begins so long before its first second at most, where its recording can be decoded; else it is encoded anew."""
NEAR_S = 0.001
"""Two times of one frame may differ by rounding."""


@dataclass(frozen=True, slots=True)
class Clip:
    """What was written of some seconds.

    Attributes:
        starts_s: capture time of its first frame.
        times_s: capture times of the frames of the seconds asked for, in order, `FPS` a second at most.
    """

    starts_s: float
    times_s: tuple[float, ...]


class Cut(Protocol):
    """The seconds around a moment; read when it is asked for, in the thread that writes, not in the one that watches."""

    def write_clip(self, path: Path) -> Clip | None:
        """Writes them as MP4, without encoding anew where that can be.

        The film may begin some seconds earlier, where it can be decoded; None if no frame is there.
        """


class Film(Protocol):
    """Something clips can be cut from."""

    def add(self, frame: Frame) -> None:
        """Takes in the next frame."""

    def cut(self, from_s: float, to_s: float) -> Cut:
        """What lies between two capture times, as far as it is there."""


@dataclass(frozen=True, slots=True)
class RecordingFilm:
    """A file or folder of pictures that can be read again."""

    path: Path

    def add(self, frame: Frame) -> None:
        """Keeps nothing."""

    def cut(self, from_s: float, to_s: float) -> Cut:
        """What lies between two capture times, from the recording itself."""
        cut = PicturesCut if self.path.is_dir() else RecordingCut
        return cut(self.path, from_s, to_s)


@dataclass(frozen=True, slots=True)
class PicturesCut:
    """Some seconds of a folder of pictures."""

    path: Path
    from_s: float
    to_s: float

    def write_clip(self, path: Path) -> Clip | None:
        """Encodes them."""
        return _encoded(path, self._shots())

    def _shots(self) -> Iterator[Shot]:
        with open_source(self.path) as source:
            for frame in source:
                if frame.t_s > self.to_s + NEAR_S:
                    return
                if frame.t_s >= self.from_s - NEAR_S:
                    yield Shot(frame.t_s, frame.image)


@dataclass(frozen=True, slots=True)
class RecordingCut:
    """Some seconds of a video file; times as `vision.frames.video` counts them."""

    path: Path
    from_s: float
    to_s: float

    def write_clip(self, path: Path) -> Clip | None:
        """Copies the recording's own H.264 packets; encodes only what is coded otherwise or cannot be cut near enough."""
        with self._opened() as (container, stream, zero_s):
            packets = list(self._packets(container, stream, zero_s))
            if packets and stream.codec_context.name == "h264":
                times_s = [float(packet.pts * stream.time_base) - zero_s for packet in packets]
                if packets[0].is_keyframe and self.from_s - times_s[0] <= LEAD_S:
                    copy_packets(path, stream, packets)
                    return Clip(times_s[0], told_of(times_s, self.from_s, self.to_s))
        return _encoded(path, self._shots())

    def _shots(self) -> Iterator[Shot]:
        with self._opened() as (container, stream, zero_s):
            pace = _pace(self.from_s)
            for frame in container.decode(stream):
                t_s = float(frame.pts * frame.time_base) - zero_s if frame.pts is not None else -1e9
                if t_s > self.to_s + NEAR_S:
                    return
                if pace.takes(t_s):
                    yield Shot(t_s, in_colour(frame))

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, Any, float]]:
        """The file, where it can be decoded before `from_s`, and the time of its first frame."""
        try:
            with av.open(str(self.path)) as container:
                stream = container.streams.video[0]
                stream.thread_count = 1
                first = next(frame for frame in container.decode(stream) if frame.pts is not None)
                zero_s = float(first.pts * first.time_base)
                container.seek(int(Fraction(max(0.0, self.from_s) + zero_s) / stream.time_base), stream=stream)
                yield container, stream, zero_s
        except (av.FFmpegError, OSError, StopIteration) as error:
            raise SourceError(f"{self.path}: the seconds around an alert cannot be read again ({error})") from error

    def _packets(self, container: Any, stream: Any, zero_s: float) -> Iterator[Any]:
        for packet in container.demux(stream):
            if packet.dts is None or packet.pts is None:
                continue
            if float(packet.dts * stream.time_base) - zero_s > self.to_s + NEAR_S:
                return
            yield packet


@dataclass(frozen=True, slots=True)
class _Packet(Encoded):
    """One that is kept; `run` counts how often its camera's clock jumped: packets of two runs do not make one film."""

    run: int = 0


@dataclass(slots=True)
class RingFilm:
    """The last minutes of a live camera, encoded as they come; the oldest is dropped first.

    Args:
        kept_s, kept_bytes: how much is kept at most.
    """

    kept_s: float = KEPT_S
    kept_bytes: int = KEPT_BYTES
    _packets: deque[_Packet] = field(default_factory=deque, init=False)
    _size: int = field(default=0, init=False)
    _encoder: Any = field(default=None, init=False)
    _last_s: float = field(default=-1.0, init=False)
    _key_s: float = field(default=-1e9, init=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def size(self) -> int:
        """Bytes kept."""
        return self._size

    @property
    def since_s(self) -> float | None:
        """Capture time of the oldest frame kept, None if there is none."""
        return self._packets[0].t_s if self._packets else None

    def add(self, frame: Frame) -> None:
        """Keeps what the camera sent with the frame; where that cannot be kept, encodes it, unless the last one is too near."""
        if frame.packets is not None:
            moved_s = frame.t_s - frame.packets_s
            for sent in frame.packets:
                self._keep(sent.t_s + moved_s, sent.decoded_s + moved_s, sent.content, is_key=sent.is_key)
            return
        if self._last_s >= 0 and frame.t_s - self._last_s < APART_S:
            return
        picture = _picture(frame)
        if self._encoder is None or (self._encoder.width, self._encoder.height) != (picture.width, picture.height):
            self._encoder = _quick_encoder(picture.width, picture.height)
            self._key_s = -1e9
        is_key = frame.t_s - self._key_s >= KEY_EVERY_S - NEAR_S
        picture.pict_type = av.video.frame.PictureType.I if is_key else av.video.frame.PictureType.NONE
        picture.pts, picture.time_base = round(frame.t_s * CLOCK_HZ), Fraction(1, CLOCK_HZ)
        content = b"".join(bytes(packet) for packet in self._encoder.encode(picture))
        self._last_s = frame.t_s
        self._key_s = frame.t_s if is_key else self._key_s
        self._keep(frame.t_s, frame.t_s, content, is_key=is_key)

    def _keep(self, t_s: float, decoded_s: float, content: bytes, *, is_key: bool) -> None:
        with self._guard:
            last = self._packets[-1] if self._packets else None
            run = 0 if last is None else last.run + (decoded_s <= last.decoded_s)
            self._packets.append(_Packet(t_s, decoded_s, content, is_key, run))
            self._size += len(content)
            while self._packets[-1].t_s - self._packets[0].t_s > self.kept_s or self._size > self.kept_bytes:
                self._size -= len(self._packets.popleft().content)
            while self._packets and not self._packets[0].is_key:
                self._size -= len(self._packets.popleft().content)

    def cut(self, from_s: float, to_s: float) -> Cut:
        """What lies between two capture times, as far as it is kept still; it stays while the cut is held."""
        with self._guard:
            packets = [packet for packet in self._packets if packet.decoded_s <= to_s + NEAR_S]
        run = packets[-1].run if packets else 0
        packets = [packet for packet in packets if packet.run == run]
        keys = [i for i, packet in enumerate(packets) if packet.is_key]
        starts = [i for i in keys if packets[i].t_s <= from_s + NEAR_S] or keys[:1]
        return RingCut(tuple(packets[starts[-1] :]) if starts else (), from_s, to_s)


@dataclass(frozen=True, slots=True)
class RingCut:
    """Some seconds of what was kept of a live camera, from a frame on that can be decoded by itself."""

    packets: tuple[_Packet, ...]
    from_s: float
    to_s: float

    def write_clip(self, path: Path) -> Clip | None:
        """Puts the packets into a file as they are."""
        if not self.packets:
            return None
        with av.open(io.BytesIO(self.packets[0].content), format="h264") as opened:
            copy_packets(path, opened.streams.video[0], [_packet(kept) for kept in self.packets])
        times_s = [kept.t_s for kept in self.packets]
        return Clip(times_s[0], told_of(times_s, self.from_s, self.to_s))


def told_of(times_s: Iterable[float], from_s: float, to_s: float) -> tuple[float, ...]:
    """Of the times of frames those between two others that are told of a clip.

    >>> told_of((0.1, 0.0, 0.033, 0.067, 0.133, 0.167), 0.03, 0.15)
    (0.033, 0.1)
    """
    pace = _pace(from_s)
    return tuple(t_s for t_s in sorted(times_s) if t_s <= to_s + NEAR_S and pace.takes(t_s))


def _pace(from_s: float) -> Pace:
    return Pace(APART_S, from_s - NEAR_S)


def _encoded(path: Path, shots: Iterator[Shot]) -> Clip | None:
    times_s = tuple(write_shots(path, shots))
    return Clip(times_s[0], times_s) if times_s else None


def _packet(kept: Encoded) -> Any:
    """A packet as muxers and decoders take it."""
    packet = av.Packet(kept.content)
    packet.pts, packet.dts = round(kept.t_s * CLOCK_HZ), round(kept.decoded_s * CLOCK_HZ)
    packet.time_base, packet.is_keyframe = Fraction(1, CLOCK_HZ), kept.is_key
    return packet


def _picture(frame: Frame) -> Any:
    """The frame as the encoder takes it: planar, both sides even; without a detour over BGR where the decoder gives that."""
    decoded = frame.decoded
    if decoded is not None and decoded.format.name == "yuv420p" and not (decoded.width % 2 or decoded.height % 2):
        return decoded
    image = frame.image[: frame.image.shape[0] // 2 * 2, : frame.image.shape[1] // 2 * 2]
    return av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="bgr24").reformat(format="yuv420p")


def _quick_encoder(width: int, height: int) -> Any:
    encoder = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
    encoder.time_base = Fraction(1, CLOCK_HZ)
    encoder.thread_count = 1
    encoder.options = {"preset": "ultrafast", "tune": "zerolatency", "crf": "20", "g": "100000", "forced-idr": "1"}
    return encoder


def film_of(source: str) -> Film:
    """Where clips of a source are cut from: the recording itself, or what is kept of a camera."""
    path = Path(source)
    return RecordingFilm(path) if path.exists() else RingFilm()
