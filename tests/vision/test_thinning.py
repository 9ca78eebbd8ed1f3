"""Pictures that nobody looks at stay encoded; those that are looked at are what they always were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from vision.frames.ahead import read_ahead
from vision.frames.frame import Frame
from vision.frames.opening import open_source
from vision.frames.source import Source, SourceError, SourceInfo, TruncatedError
from vision.frames.thinning import Pace, Thinning, is_referred_to

SMALL_PX = (40, 24)
AVCC = bytes.fromhex("0164001fff")
INFO = SourceInfo("film", SMALL_PX, 30.0, None, False)
THREE_B = {"bf": "3"}
"""x264's own choice of B pictures, up to three in a row."""


def write_film(path: Path, options: Mapping[str, str] | None = None, count: int = 90) -> Path:
    """Thirty pictures a second, noise that moves, so that every picture is its own."""
    noise = np.random.default_rng(7).integers(0, 80, (96, 160 + count, 3), np.uint8)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"g": "20", **(options or {})})
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        for index in range(count):
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(noise[:, index : index + 160]), format="bgr24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))
    return path


def told(source: Source, pace: Pace) -> list[tuple[int, float, bytes]]:
    with source:
        return [(f.index, f.t_s, f.image.tobytes()) for f in source if pace.takes(f.t_s)]


@pytest.mark.parametrize("suffix", ["mp4", "ts"])
@pytest.mark.parametrize(
    ("options", "saves"),
    [
        ({"bf": "3", "b-adapt": "0", "b-pyramid": "none"}, True),
        ({"bf": "3", "b-adapt": "2", "b-pyramid": "normal"}, True),
        ({"bf": "0"}, False),
    ],
    ids=["flat", "pyramid", "no B"],
)
def test_what_is_looked_at_is_the_same_to_the_bit(
    tmp_path: Path, suffix: str, options: dict[str, str], saves: bool
) -> None:
    film = write_film(tmp_path / f"film.{suffix}", options)
    whole, thin = open_source(film), open_source(film, pace=Pace(0.0626))
    assert told(thin, Pace(0.0626)) == told(whole, Pace(0.0626))
    assert whole.health.frames == 90
    assert (thin.health.frames < 80) is saves


def test_pictures_left_out_are_told_with_the_one_after_them(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film.mp4", THREE_B)
    with open_source(film, pace=Pace(0.0626)) as source:
        frames = list(source)
    assert sum(frame.left_out for frame in frames) > 10
    before = [-1, *(frame.index for frame in frames)]
    assert [frame.index - last - 1 for frame, last in zip(frames, before, strict=False)] == [f.left_out for f in frames]


def test_a_file_cut_off_is_told_from_one_that_ends_with_what_was_left_out(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film.mp4", THREE_B, count=200)
    with open_source(film, pace=Pace(0.0626)) as source:
        assert list(source)
    whole = tmp_path / "whole.mp4"
    with av.open(str(film)) as given, av.open(str(whole), "w", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream_from_template(given.streams.video[0])
        for packet in given.demux(video=0):
            if packet.size:
                packet.stream = stream
                container.mux(packet)
    whole.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
    with open_source(whole, pace=Pace(0.0626)) as source, pytest.raises(TruncatedError):
        list(source)


class Packet:
    """What the thinning needs of a packet of the demuxer."""

    is_corrupt, time_base = False, Fraction(1, 30)

    def __init__(self, pts: int | None, dts: int | None, *, refers: bool = False) -> None:
        self.pts, self.dts, self.size = pts, dts, 3
        self._content = bytes.fromhex("00000002" + ("2100" if refers else "0100"))

    def __bytes__(self) -> bytes:
        return self._content


def test_from_a_packet_without_time_on_nothing_is_left_out() -> None:
    packets = [Packet(n, n) for n in range(6)] + [Packet(None, None)] + [Packet(n, n) for n in range(7, 12)]
    thinning = Thinning(Pace(0.0626), AVCC)
    passed = [packet.pts for packet in thinning.packets(packets)]
    assert passed == [0, 2, 4, None, 7, 8, 9, 10, 11]
    assert (thinning.left_out(4), thinning.left_out()) == (2, 1)


def test_a_stamp_that_goes_back_ends_the_thinning() -> None:
    packets = [Packet(n, n) for n in (0, 1, 2, 3, 1, 5, 6)]
    assert [packet.pts for packet in Thinning(Pace(0.0626), AVCC).packets(packets)] == [0, 2, 1, 5, 6]


@pytest.mark.parametrize(
    ("content", "lengths", "refers"),
    [
        ("00000001" "0100", None, False),  # start code, slice nobody refers to
        ("000001" "2100", None, True),
        ("000001" "0600" "000001" "0100", None, False),  # what is said besides does not count
        ("00000002" "0100" "00000002" "2100", 4, True),  # one slice of two
        ("0002" "0100", 2, False),
        ("00000100" "01" + 255 * "00", 4, False),  # a length that looks like a start code
        ("00000100" "21" + 255 * "00", 4, True),
        ("00000009" "0100", 4, True),  # lengths that do not add up: not understood
        ("05" "000001" "0100", None, True),  # something before the first start code
        ("00000002" "0600", 4, True),  # no picture in it
    ],
)  # fmt: skip
def test_only_a_picture_that_surely_serves_no_other_may_be_left_out(
    content: str, lengths: int | None, refers: bool
) -> None:
    assert is_referred_to(bytes.fromhex(content), lengths) is refers


def test_read_ahead_gives_the_same_frames_and_their_small_pictures(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film.mp4", THREE_B)
    plain = [(f.index, f.t_s, f.small_yuv(SMALL_PX).tobytes()) for f in open_source(film)]
    ahead = [(f.index, f.t_s, f.small_yuv(SMALL_PX).tobytes()) for f in read_ahead(open_source(film), SMALL_PX)]
    assert ahead == plain


def test_what_breaks_while_reading_ahead_is_raised_after_the_frames_before_it() -> None:
    closed: list[bool] = []

    def broken() -> Iterator[Frame]:
        yield from (Frame(i, i / 30, np.zeros((24, 40, 3), np.uint8)) for i in range(3))
        raise SourceError("gone")

    source = read_ahead(Source(INFO, broken(), lambda: closed.append(True)), SMALL_PX)
    given = iter(source)
    assert [next(given).index for _ in range(3)] == [0, 1, 2]
    with pytest.raises(SourceError, match="gone"):
        next(given)
    source.close()
    assert closed == [True]


def test_a_source_read_ahead_can_be_closed_in_its_middle(tmp_path: Path) -> None:
    source = read_ahead(open_source(write_film(tmp_path / "film.mp4")), SMALL_PX)
    assert next(iter(source)).index == 0
    source.close()
