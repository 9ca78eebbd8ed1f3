"""Videos and streams, decoded by FFmpeg (PyAV)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import av

from vision.frames.encoded import Copies
from vision.frames.frame import Frame
from vision.frames.source import Source, SourceError, SourceHealth, SourceInfo, TruncatedError
from vision.frames.thinning import PaceLike, Thinning

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
MOST_UNDECODABLE = 250
"""So many packets in a row of which no picture can be made end a live stream, to be opened again."""
USUAL_FPS = 10.0
"""Pictures without time stamps come so often, where the stream does not say how often."""


def open_video(name: str, *, live: bool, pace: PaceLike | None = None) -> Source:
    """Open a video file, or a stream (`live`).

    Args:
        name: path or address.
        live: whether time runs on whether or not somebody reads.
        pace: as in `vision.frames.opening.open_source`.

    Raises:
        SourceError: it cannot be opened or reached, or holds no picture.
    """
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
    times = Times(info, health)
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


class Times:
    """Capture times that only rise, from the time stamps of a stream.

    Args:
        info: of the stream; how long a live one's pictures take to come says whether its clock was set forward.
        health: counts what is left out, and jumps.
        clock: of this machine, in seconds.

    Attributes:
        shift_s: added to the stamps since its clock last jumped.
    """

    def __init__(self, info: SourceInfo, health: SourceHealth, clock: Callable[[], float] = time.monotonic) -> None:
        self._live, self._step_s = info.live, 1.0 / (info.fps or USUAL_FPS)
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
