"""Frames with their times from files and folders, and clear errors for what is no video."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vision.frames.folder import read_picture
from vision.frames.frame import Frame
from vision.frames.opening import open_source
from vision.frames.picture import averaged, in_colour
from vision.frames.source import SourceError, SourceHealth, SourceInfo, TruncatedError
from vision.frames.video import Times


def write_video(path: Path, count: int = 24, fps: int = 12, *, container_format: str | None = None) -> None:
    with av.open(str(path), "w", format=container_format) as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        for index in range(count):
            image = np.full((96, 160, 3), 40 + 5 * index, np.uint8)
            image[20:40, 10 + 4 * index : 40 + 4 * index] = (0, 0, 255)
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def test_file_gives_all_frames_with_the_times_of_its_stream(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4")
    with open_source(tmp_path / "a.mp4") as source:
        frames = list(source)
    assert (source.info.size_px, source.info.frames, source.info.live) == ((160, 96), 24, False)
    assert [frame.index for frame in frames] == list(range(24))
    assert [frame.t_s for frame in frames] == pytest.approx([index / 12 for index in range(24)], abs=1e-6)
    assert frames[3].image.shape == (96, 160, 3)
    assert abs(int(frames[10].image[5, 5, 0]) - 90) < 8


def test_small_picture_is_the_same_from_planes_and_from_pixels(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", 3)
    with open_source(tmp_path / "a.mp4") as source:
        first = next(iter(source))
        from_planes = first.small_yuv((40, 24)).astype(int)
        from_pixels = Frame(0, 0.0, first.image).small_yuv((40, 24)).astype(int)
    assert from_planes.shape == (24, 40, 3)
    correlation = np.corrcoef(from_planes[..., 0].ravel(), from_pixels[..., 0].ravel())[0, 1]
    assert correlation > 0.99


def test_planes_of_a_small_picture_are_made_once_for_its_size() -> None:
    frame = Frame(0, 0.0, np.random.default_rng(5).integers(0, 256, (48, 80, 3), np.uint8))
    planes = frame.small_planes((40, 24))
    assert np.array_equal(np.dstack(planes), frame.small_yuv((40, 24)))
    assert frame.small_planes((40, 24)) is planes
    assert frame.small_planes((20, 12))[0].shape == (12, 20)


@pytest.mark.parametrize("size", [(64, 32), (60, 24), (63, 31)], ids=["quarter", "odd quarter", "no quarter"])
def test_a_plane_is_averaged_to_the_bit_as_opencv_does(size: tuple[int, int]) -> None:
    plane = np.random.default_rng(4).integers(0, 256, (128, 256) if size[0] == 64 else (96, 240), np.uint8)
    assert np.array_equal(averaged(plane, size), cv2.resize(plane, size, interpolation=cv2.INTER_AREA))


@pytest.mark.parametrize("pixels", ["yuv420p", "yuvj420p", "yuv444p", "nv12", "bgr24", "gray"])
@pytest.mark.parametrize("size", [(64, 48), (50, 34)])
def test_a_picture_becomes_colours_to_the_bit_as_the_decoder_does_it(pixels: str, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(2):
        levels = rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
        decoded = av.VideoFrame.from_ndarray(levels, format="bgr24").reformat(format=pixels)
        assert np.array_equal(in_colour(decoded), decoded.to_ndarray(format="bgr24"))


def test_two_readings_of_a_file_are_equal(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", 6)
    with open_source(tmp_path / "a.mp4") as one, open_source(tmp_path / "a.mp4") as two:
        for a, b in zip(one, two, strict=True):
            assert (a.index, a.t_s) == (b.index, b.t_s)
            assert np.array_equal(a.image, b.image)


def test_truncated_file_gives_what_can_be_read_and_then_says_so(tmp_path: Path) -> None:
    cut = tmp_path / "cut.mp4"
    with av.open(str(cut), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=12)
        stream.width, stream.height, stream.pix_fmt, stream.options = 160, 96, "yuv420p", {"g": "6"}
        rng = np.random.default_rng(1)
        for _ in range(60):
            for packet in stream.encode(
                av.VideoFrame.from_ndarray(rng.integers(0, 255, (96, 160, 3), np.uint8), format="bgr24")
            ):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    data = cut.read_bytes()
    cut.write_bytes(data[: len(data) // 2])
    given: list[Frame] = []
    with open_source(cut) as source, pytest.raises(TruncatedError, match=r"breaks off after \d+ frames") as caught:
        given.extend(source)
    seen = len(given)
    assert caught.value.frames_read == seen
    assert 10 < seen < 58


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.mp4", None, "no such file"),
        ("empty.mp4", b"", "empty"),
        ("text.mp4", b"this is no video at all\n" * 50, "cannot be opened as a video|not one frame|no video"),
    ],
    ids=["missing", "empty", "text named mp4"],
)
def test_what_is_no_video_is_refused_with_its_name(tmp_path: Path, name: str, content: bytes | None, says: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match=says) as caught, open_source(path) as source:
        list(source)
    assert name in str(caught.value)


def test_sound_without_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        stream.layout = "mono"
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), format="s16", layout="mono")
        sound.sample_rate = 8000
        for packet in (*stream.encode(sound), *stream.encode()):
            container.mux(packet)
    with pytest.raises(SourceError, match="no video track"):
        open_source(path)


def test_folder_of_pictures_in_the_order_of_names(tmp_path: Path) -> None:
    for index in (2, 0, 1):
        cv2.imwrite(str(tmp_path / f"{index}.png"), np.full((20, 30, 3), 50 * index, np.uint8))
    with open_source(tmp_path) as source:
        frames = list(source)
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [0, 50, 100]
    assert [frame.t_s for frame in frames] == pytest.approx([0.0, 0.1, 0.2])


def test_folder_without_pictures_and_broken_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no pictures in this folder"):
        open_source(tmp_path)
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(SourceError, match=r"a\.png: is no picture"):
        read_picture(tmp_path / "a.png")
    with pytest.raises(SourceError, match="no such file"):
        read_picture(tmp_path / "b.png")


def test_a_picture_whose_head_says_more_pixels_than_can_be_taken_is_refused(tmp_path: Path) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"0")))
    with pytest.raises(SourceError, match=r"a\.png: is no picture"):
        read_picture(tmp_path / "a.png")


@pytest.mark.parametrize("size", [(1, 1), (15, 400), (400, 15)])
def test_a_picture_of_a_few_pixels_is_refused(tmp_path: Path, size: tuple[int, int]) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((*size, 3), np.uint8))
    with pytest.raises(SourceError, match=f"has {size[1]} x {size[0]} pixels, too few to show a card"):
        read_picture(tmp_path / "a.png")


def test_a_picture_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "a.png").write_bytes(b"locked")
    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(SourceError, match=r"a\.png: cannot be read \(Permission denied\)"):
        read_picture(tmp_path / "a.png")


def test_a_damaged_stretch_is_marked_until_the_next_key_frame_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "damaged.mkv"
    rng = np.random.default_rng(1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=12)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        stream.options = {"g": "10", "bf": "0", "sc_threshold": "0"}
        for index in range(60):
            image = av.VideoFrame.from_ndarray(rng.integers(0, 255, (96, 160, 3), np.uint8), format="bgr24")
            for packet in (*stream.encode(image), *(stream.encode() if index == 59 else ())):
                container.mux(damaged(packet) if round(float(packet.pts * packet.time_base) * 12) == 23 else packet)
    with open_source(path) as source:
        frames = list(source)
    assert len(frames) == 60
    assert [index for index, one in enumerate(frames) if one.damaged] == list(range(23, 30))
    assert (source.health.damaged, source.health.frames) == (7, 60)


def damaged(packet: av.Packet) -> av.Packet:
    """The packet with the rest after its first quarter lost on the way."""
    data = bytes(packet)
    broken = av.Packet(data[: len(data) // 4] + bytes(len(data) - len(data) // 4))
    broken.stream, broken.pts, broken.dts, broken.time_base = packet.stream, packet.pts, packet.dts, packet.time_base
    return broken


@contextmanager
def served(answers: dict[str, tuple[int, str, bytes]]) -> Iterator[tuple[str, list[str]]]:
    """A camera that answers each path with status, type (or where it leads) and body: its address, and what was asked."""
    asked: list[str] = []

    class Camera(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            status, about, body = answers[self.path]
            self.send_response(status)
            self.send_header("Location" if status == 302 else "Content-Type", about)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def test_a_camera_over_http_leads_nowhere_else(tmp_path: Path) -> None:
    write_video(tmp_path / "a.ts", container_format="mpegts")
    film = (tmp_path / "a.ts").read_bytes()
    with served({"/secret.ts": (200, "video/mp2t", film)}) as (inside, reached):
        playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:2,\n{inside}/secret.ts\n#EXT-X-ENDLIST\n".encode()
        description = (
            b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\n"
        )
        answers = {
            "/film.ts": (200, "video/mp2t", film),
            "/moved.ts": (302, f"{inside}/secret.ts", b""),
            "/list.m3u8": (200, "application/vnd.apple.mpegurl", playlist),
            "/film.sdp": (200, "application/sdp", description),
        }
        with served(answers) as (camera, asked):
            with open_source(f"{camera}/film.ts") as source:
                assert len(list(source)) == 24
            for path in ("/moved.ts", "/list.m3u8", "/film.sdp"):
                with pytest.raises(SourceError, match="no redirect and no playlist is followed"):
                    open_source(camera + path)
            assert set(asked) == set(answers)
    assert reached == []


class Stamped:
    """A decoded picture of which only the time stamp matters."""

    def __init__(self, pts: int | None) -> None:
        self.pts, self.time_base = pts, Fraction(1, 10)


def test_a_clock_that_is_set_back_goes_on_and_pictures_out_of_order_are_left_out() -> None:
    health = SourceHealth()
    times = Times(SourceInfo("s", (4, 4), 10.0, None, False), health)
    given = [times.of(Stamped(pts)) for pts in (100, 101, 103, 102, 104, 20, 21, None)]
    assert [(None if t is None else round(t, 6), jumped) for t, jumped in given] == [
        (0.0, False), (0.1, False), (0.3, False), (None, False), (0.4, False), (0.5, True), (0.6, False), (0.7, False),
    ]  # fmt: skip
    assert (health.out_of_order, health.jumps) == (1, 1)


def test_the_clock_of_a_live_stream_that_is_set_forward_goes_on_and_a_burst_after_a_pause_is_none() -> None:
    health, came_s = SourceHealth(), iter((0.0, 0.0, 0.1, 2.6, 2.6, 2.7, 30.0, 30.1))
    times = Times(SourceInfo("s", (4, 4), 10.0, None, True), health, clock=lambda: next(came_s))
    given = [times.of(Stamped(pts)) for pts in (100, 101, 102, 127, 36_127, 36_400, 36_401)]
    assert [(None if t is None else round(t, 6), jumped) for t, jumped in given] == [
        (10.0, False), (10.1, False), (10.2, False), (12.7, False), (12.8, True), (40.1, False), (40.2, False),
    ]  # fmt: skip
    assert (health.out_of_order, health.jumps) == (0, 1)


def test_a_pause_in_a_recording_is_no_clock_that_was_set_forward() -> None:
    times = Times(SourceInfo("s", (4, 4), 10.0, None, False), SourceHealth())
    assert [times.of(Stamped(pts)) for pts in (0, 36_000)] == [(0.0, False), (3600.0, False)]
