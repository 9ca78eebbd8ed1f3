"""What a live camera sends is kept packet for packet, also when its pictures are too many to be looked at."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from service.evidence.film import Clip, RingFilm
from service.evidence.mp4 import frame_at
from vision.frames.frame import Frame
from vision.frames.live import live_source
from vision.frames.video import open_video

FPS, SECONDS = 15, 6


def stream(path: Path, *, b_frames: int) -> list[bytes]:
    """A transport stream as cameras send it, every picture with a bar of its own; its packets."""
    with av.open(str(path), "w", format="mpegts") as container:
        options = {"bf": str(b_frames), "g": "15", "preset": "veryfast", "crf": "18"}
        out = container.add_stream("libx264", rate=FPS, options=options)
        out.width, out.height, out.pix_fmt = 320, 180, "yuv420p"
        for n in range(FPS * SECONDS):
            image = np.full((180, 320, 3), 60, np.uint8)
            image[:, 3 * n : 3 * n + 6] = 220
            picture = av.VideoFrame.from_ndarray(image, format="bgr24").reformat(format="yuv420p")
            picture.pts, picture.time_base = n, Fraction(1, FPS)
            container.mux(out.encode(picture))
        container.mux(out.encode(None))
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]


def number_of(image: object) -> int:
    bright = np.nonzero(np.asarray(image).mean(axis=(0, 2)) > 140)[0]
    return round((float(bright.mean()) - 2.5) / 3)


def numbers_in(path: Path, clip: Clip) -> list[int]:
    """Which pictures a clip shows at the times that are told of it."""
    return [number_of(frame_at(path, t_s - clip.starts_s)) for t_s in clip.times_s]


def watched(path: Path) -> list[Frame]:
    with open_video(str(path), live=True) as source:
        return list(source)


@pytest.mark.parametrize("b_frames", [0, 2])
def test_the_clip_of_a_camera_has_its_very_packets(b_frames: int, tmp_path: Path) -> None:
    sent = stream(tmp_path / "camera.ts", b_frames=b_frames)
    ring, frames = RingFilm(), watched(tmp_path / "camera.ts")
    for frame in frames:
        frame.t_s += 100.0  # a table whose time goes on from before
        ring.add(frame)
    first_s = frames[0].t_s
    clip = ring.cut(first_s + 2.5, first_s + 4.0).write_clip(tmp_path / "clip.mp4")
    assert clip is not None
    assert clip.starts_s == pytest.approx(first_s + 2.0, abs=0.01), "it begins with the key frame before"
    assert numbers_in(tmp_path / "clip.mp4", clip) == list(range(38, 61))
    assert ring.size <= sum(map(len, sent))
    kept = [packet.content for packet in ring._packets]
    assert kept == sent[: len(kept)]
    assert len(kept) >= len(sent) - 4, "all but those after the last picture"


def test_frames_that_are_left_out_hand_their_packets_on(tmp_path: Path) -> None:
    sent = stream(tmp_path / "camera.ts", b_frames=0)
    source = live_source(open_video(str(tmp_path / "camera.ts"), live=True), most=2)
    reader = iter(source)
    frames = [next(reader)]
    for thread in threading.enumerate():
        if thread.name.startswith("reads "):
            thread.join(20.0)
    frames += list(reader)
    assert source.health.dropped > 0
    assert len(frames) < FPS * SECONDS
    packets = [one.content for frame in frames for one in frame.packets or ()]
    assert packets == sent[: len(packets)]
    assert len(packets) >= len(sent) - 4


def test_a_camera_whose_clock_jumps_leaves_a_film_of_one_run(tmp_path: Path) -> None:
    stream(tmp_path / "camera.ts", b_frames=0)
    ring = RingFilm()
    for frame in watched(tmp_path / "camera.ts"):
        ring.add(frame)
    again = watched(tmp_path / "camera.ts")
    for frame in again:
        ring.add(frame)
    clip = ring.cut(again[0].t_s, again[-1].t_s).write_clip(tmp_path / "clip.mp4")
    assert clip is not None
    assert clip.starts_s == pytest.approx(again[0].t_s)
    assert numbers_in(tmp_path / "clip.mp4", clip) == list(range(FPS * SECONDS))


def test_packets_without_parameters_get_those_of_the_stream() -> None:
    from vision.frames.encoded import Copies, has_parameters

    parameters = b"\x00\x00\x00\x01\x67\x42\x00\x00\x00\x01\x68\x01"
    key = av.Packet(b"\x00\x00\x00\x01\x65\x88\x80")
    key.pts = key.dts = 0
    key.time_base, key.is_keyframe = Fraction(1, 90_000), True
    copies = Copies(parameters)
    copies.add(key)
    (one,) = copies.taken(0.0)
    assert one.is_key
    assert has_parameters(one.content)
    nothing = Copies(None)
    nothing.add(key)
    assert nothing.taken(0.0) == (), "a film cannot begin without parameters"
