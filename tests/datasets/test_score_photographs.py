"""Photographs labelled by indices or by boxes: what failed is counted by its kind, drawn, and kept; sets may be sampled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from datasets.score.evaluate import main
from datasets.score.failures import SEEN_BGR, WRONG_BGR, Album, Failure, failure_drawn
from datasets.score.intervals import Share
from datasets.score.overlap import match_seen
from datasets.score.stills import Looking, score_corner_indices, score_photographs, score_ranks


def card(name: str | None, x: float, y: float) -> dict[str, Any]:
    return {"card": name, "corners_px": [[x, y], [x + 60, y], [x + 60, y + 80], [x, y + 80]]}


SEEN = {
    "cards": [card("Kh", 10, 10), card(None, 110, 10), card("back", 210, 10), card("2c", 310, 10), card("Qs", 410, 10)],
    "chips": [{"center_px": [50.0, 150.0]}],
}
INDICES = [("KH", 15, 20), ("3D", 115, 20), ("4S", 215, 20), ("5C", 315, 20), ("10H", 30, 180), ("KH", 65, 85)]
NAMES = ["KH", "3D", "4S", "5C", "10H", "JOKER1"]


@pytest.fixture
def corner_set(tmp_path: Path) -> Path:
    folder = tmp_path / "real" / "webcam_table"
    folder.mkdir(parents=True)
    lines = [f"{NAMES.index(name)} {x / 500} {y / 200} 0.02 0.05" for name, x, y in INDICES]
    for stem in ("a", "b", "c"):
        cv2.imwrite(str(folder / f"{stem}.jpg"), np.zeros((200, 500, 3), np.uint8))
        (folder / f"{stem}.txt").write_text("\n".join([*lines, "5 0.5 0.5 0.1 0.1"]))
    (tmp_path / "real" / "corner_index_classes.yaml").write_text(f"names: {NAMES}\n")
    return tmp_path


def test_indices_are_counted_by_what_became_of_them(corner_set: Path) -> None:
    (score,) = score_photographs(corner_set, Looking(lambda _: SEEN, most=1))
    assert score.pictures == 1
    assert score.shares == {
        "corner indices inside a found card": Share(4, 6),
        "right of answered": Share(1, 3),
        "different cards named right": Share(1, 5),
        "indices in no card found": Share(1, 6),
        "indices in a card not read": Share(1, 6),
        "indices in a card called a back": Share(1, 6),
        "indices in a card of another name": Share(1, 6),
    }


def test_a_joker_that_is_named_is_right_and_none_has_to_be_found(corner_set: Path) -> None:
    def shares_of(*cards: dict[str, Any]) -> dict[str, Share]:
        return score_photographs(corner_set, Looking(lambda _: {"cards": list(cards), "chips": []}, most=1))[0].shares

    shares = [shares_of(card("Jo", 205, 60)), shares_of(card("Jo", 410, 10)), shares_of()]
    assert [share["right of answered"] for share in shares] == [Share(1, 1), Share(0, 1), Share(0, 0)]
    assert {share["corner indices inside a found card"].total for share in shares} == {6}


def test_a_sample_is_spread_evenly_over_the_names(corner_set: Path) -> None:
    looked: list[int] = []

    def see(image: np.ndarray) -> dict[str, Any]:
        looked.append(1)
        return SEEN

    real = corner_set / "real"
    assert (
        score_corner_indices(real / "webcam_table", real / "corner_index_classes.yaml", Looking(see, most=2)).pictures
        == 2
    )
    paths = [Path(f"{i:02d}") for i in range(10)]
    assert [p.name for p in Looking(see, most=4).sample(reversed(paths))] == ["00", "02", "05", "07"]
    assert Looking(see, most=10).sample(paths) == paths
    assert score_photographs(corner_set, Looking(see), ["black_deck"]) == []


def test_pictures_with_failures_are_kept_the_worst_last(corner_set: Path) -> None:
    album = corner_set / "album"
    score_photographs(corner_set, Looking(lambda _: SEEN, Album(album), most=1))
    assert sorted(path.name for path in album.iterdir()) == ["webcam_table"]
    (kept,) = (album / "webcam_table").iterdir()
    assert kept.name == "06_a.jpg"
    assert cv2.imread(str(kept)) is not None


def test_nothing_is_kept_of_a_picture_in_which_all_is_right(tmp_path: Path) -> None:
    Album(tmp_path / "album").add("set", "a", np.zeros((9, 9, 3), np.uint8), SEEN, [])
    assert not (tmp_path / "album").exists()


def test_what_was_seen_and_what_failed_is_drawn() -> None:
    image = np.zeros((200, 500, 3), np.uint8)
    drawn = failure_drawn(image, SEEN, [Failure("not found", "Th", (30.0, 180.0)), Failure("not named", "As")])
    assert drawn.shape == (440, 1100, 3)
    for bgr in (SEEN_BGR, WRONG_BGR):
        assert (drawn == bgr).all(axis=2).sum() > 20
    assert image.max() == 0


def test_ranks_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    boxes = [("king", 0), ("ten", 100), ("ace", 200), ("nine", 300), ("queen", 405), ("jack", 520)]
    objects = "".join(
        f"<object><name>{rank}</name><bndbox><xmin>{x}</xmin><ymin>0</ymin><xmax>{x + 90}</xmax><ymax>100</ymax></bndbox></object>"
        for rank, x in boxes
    )
    (tmp_path / "p.xml").write_text(f"<annotation>{objects}</annotation>")
    cv2.imwrite(str(tmp_path / "p.JPG"), np.zeros((200, 600, 3), np.uint8))
    album = tmp_path / "album"
    shares = score_ranks(tmp_path, Looking(lambda _: SEEN, Album(album))).shares
    assert shares["cards found"] == Share(4, 6)
    assert shares["cards answered"] == Share(3, 4)
    assert shares["ranks right of answered"] == Share(2, 3)
    assert shares["cards not found"] == Share(1, 6)
    assert shares["cards called a back"] == Share(1, 6)
    assert shares["cards not read"] == Share(1, 6)
    assert shares["cards told that are there"] == Share(5, 5)
    assert shares["cards named that are there"] == Share(3, 3)
    assert [path.name for path in (album / tmp_path.name).iterdir()] == ["04_p.jpg"]


def test_a_box_about_the_strip_that_is_seen_of_a_card_goes_with_that_card() -> None:
    def whole(x: float) -> list[list[float]]:
        return [[x, 0.0], [x + 60.0, 0.0], [x + 60.0, 80.0], [x, 80.0]]

    strip, upper, elsewhere = (0.0, 0.0, 20.0, 80.0), (20.0, 0.0, 80.0, 80.0), (300.0, 0.0, 360.0, 80.0)
    below, above = whole(0.0), whole(20.0)
    assert sorted(match_seen([above, below], [strip, upper, elsewhere])) == [(0, 1), (1, 0)]
    assert match_seen([above], [strip]) == []
    around = [[-500.0, -500.0], [500.0, -500.0], [500.0, 500.0], [-500.0, 500.0]]
    assert match_seen([around], [strip, upper]) == []


def test_a_folder_without_photographs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--clips", "0", "--wagers", "0", "--photographs", str(tmp_path), "--sets", "green_felt"]) == 1
    assert "green_felt" in capsys.readouterr().out
