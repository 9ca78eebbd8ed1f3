"""Resume with nothing faked: the first seconds of the bundled film through the networks, torn in the middle."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from pathlib import Path

import av
import pytest
from test_review_resume import tree

from datasets.clips import BUNDLED
from service.config import load_table
from service.reviews.errors import StoppedError
from service.reviews.review import Options, review_video

SECONDS = 14.0
MADE = datetime(2026, 11, 21, tzinfo=UTC)


def beginning(path: Path) -> Path:
    """The first seconds of the film, as they are."""
    with av.open(str(BUNDLED / "video.mp4")) as source, av.open(str(path), "w") as out:
        stream = source.streams.video[0]
        copy = out.add_stream_from_template(stream)
        for packet in source.demux(stream):
            if packet.dts is None or float(packet.pts * packet.time_base) > SECONDS:
                break
            packet.stream = copy
            out.mux(packet)
    return path


@pytest.mark.slow
def test_a_torn_review_of_a_real_film_gives_the_same_bytes(tmp_path: Path) -> None:
    video, table = beginning(tmp_path / "video.mp4"), load_table(BUNDLED / "table.yaml")
    review_video(video, table, tmp_path / "whole", Options(now=lambda: MADE))
    for torn in (4, 12):
        looks = itertools.count(1)
        options = Options(now=lambda: MADE, stop=lambda torn=torn, looks=looks: next(looks) == torn)  # type: ignore[misc]
        with pytest.raises(StoppedError):
            review_video(video, table, tmp_path / "torn", options)
    review_video(video, table, tmp_path / "torn", Options(now=lambda: MADE))
    assert tree(tmp_path / "torn") == tree(tmp_path / "whole")
    assert len(tree(tmp_path / "whole")) > 8
