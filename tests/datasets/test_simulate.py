"""A small simulated film is written whole or not at all, reads back, and its truth fits its pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from datasets.simulate import FILES, SimulationError, play_rounds, simulate
from datasets.video import VideoWriter
from rules.events import event_from_dict, events_from_lines
from rules.table import TableConfig

SIZE = (480, 270)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("films") / "small"
    seen: list[tuple[int, int]] = []
    simulate(
        "raise_it_up", 1, 21, ["short_pay"], out, fps=5, size=SIZE, seats=(2, 5), progress=lambda *p: seen.append(p)
    )
    assert seen[-1][0] == seen[-1][1] == len(seen)
    return out


@pytest.fixture(scope="module")
def truth(film: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (film / "truth.jsonl").read_text().splitlines()]


def test_exactly_the_promised_files_are_written(film: Path) -> None:
    assert sorted(p.name for p in film.iterdir()) == sorted(FILES)
    assert [p.name for p in film.parent.iterdir()] == ["small"], "no working folder is left"


def test_the_video_reads_back(film: Path, truth: list[dict[str, Any]]) -> None:
    with av.open(str(film / "video.mp4")) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height, stream.average_rate) == (*SIZE, 5)
        assert stream.codec_context.name == "h264"
        count = sum(1 for _ in container.decode(video=0))
    recording = play_rounds("raise_it_up", 1, 21, ["short_pay"], seats=(2, 5))
    assert count == int(recording.length_s * 5)
    assert [t["frame"] for t in truth if t["type"] == "frame"] == list(range(0, count, 10))


def test_events_and_outside_events_follow_the_schema(film: Path, truth: list[dict[str, Any]]) -> None:
    events = [event_from_dict({k: v for k, v in t.items() if k != "type"}) for t in truth if t["type"] == "event"]
    assert [e.t_s for e in events] == sorted(e.t_s for e in events)
    outside = list(events_from_lines((film / "external.jsonl").read_text().splitlines()))
    assert [e.kind for e in outside] == ["table_opened", "shuffler_counted", "no_more_bets"]
    assert set(outside) <= set(events)


def test_the_planted_mistake_is_in_the_truth(truth: list[dict[str, Any]]) -> None:
    (finding,) = [t for t in truth if t["type"] == "finding"]
    assert finding["check_id"].startswith("RIU-SET-")
    assert (finding["round"], finding["required"]) == (1, True)
    assert finding["seat"] in (2, 5)


def test_the_table_file_is_valid(film: Path) -> None:
    import yaml

    table = TableConfig.from_mapping(yaml.safe_load((film / "table.yaml").read_text()))
    assert table.layout == "raise_it_up_6"
    assert table.reading("decision.inference") == "signals"


def test_frame_truth_lies_in_the_picture(truth: list[dict[str, Any]]) -> None:
    frames = [t for t in truth if t["type"] == "frame"]
    cards = [c for f in frames for c in f["cards"] if c["at_rest"] and c["area"].startswith(("seat", "community"))]
    assert {c["face"] for c in cards} == {"up", "down"}
    for card in cards:
        corners = np.array(card["corners_px"])
        assert (corners > -1).all()
        assert (corners < np.array(SIZE) + 1).all()
        assert 0.0 <= card["visible_fraction"] <= 1.0
    chips = [c for f in frames for c in f["chips"] if c["area"]]
    assert chips
    assert all(0 <= c["center_px"][0] <= SIZE[0] and 0 <= c["center_px"][1] <= SIZE[1] for c in chips)
    assert {h["side"] for f in frames for h in f["hands"]} == {"dealer", "player"}


def test_a_picture_changes_where_cards_lie(film: Path, truth: list[dict[str, Any]]) -> None:
    """The last dealt frame differs from the empty table at the seats' cards and nearly nowhere else."""
    with av.open(str(film / "video.mp4")) as container:
        frames = [f.to_ndarray(format="gray").astype(np.int16) for f in container.decode(video=0)]
    shown = next(
        t for t in truth
        if t["type"] == "frame" and not t["hands"] and sum(c["at_rest"] for c in t["cards"]) >= 9
    )  # fmt: skip
    change = np.abs(frames[shown["frame"]] - frames[0])
    card = next(c for c in shown["cards"] if c["at_rest"] and c["area"] == "seat2.cards")
    x, y = np.mean(card["corners_px"], axis=0).astype(int)
    assert change[y - 3 : y + 4, x - 3 : x + 4].mean() > 10
    assert np.median(change) < 5


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("blackjack", 1, 1, []), "blackjack"),
        (("raise_it_up", 0, 1, []), "rounds 0"),
        (("raise_it_up", 1, -1, []), "seed -1"),
        (("raise_it_up", 2, 1, ["steal"]), "steal"),
        (("raise_it_up", 1, 1, ["short_pay", "over_pay"]), "2 plants"),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    arguments: tuple[str, int, int, list[str]], text: str, tmp_path: Path
) -> None:
    game, rounds, seed, plants = arguments
    with pytest.raises(SimulationError, match=text):
        simulate(game, rounds, seed, plants, tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "video.mp4").write_text("mine")
    with pytest.raises(SimulationError, match="not an empty folder"):
        simulate("raise_it_up", 1, 1, [], tmp_path)
    assert (tmp_path / "video.mp4").read_text() == "mine"


def test_an_interrupted_simulation_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate("raise_it_up", 1, 2, [], tmp_path / "x", fps=5, size=SIZE, seats=(1, 2), progress=stop)
    assert not list(tmp_path.iterdir())


def test_seats_of_the_layout_only() -> None:
    with pytest.raises(SimulationError, match="seats"):
        play_rounds("raise_it_up", 1, 1, seats=(1, 7))


def test_a_writer_refuses_odd_sizes_and_other_pictures(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="even"):
        VideoWriter(tmp_path / "a.mp4", (101, 100), 10)
    with VideoWriter(tmp_path / "b.mp4", (96, 96), 10) as writer:
        writer.write(np.zeros((96, 96, 3), np.uint8))
        with pytest.raises(ValueError, match="expected shape"):
            writer.write(np.zeros((95, 96, 3), np.uint8))
