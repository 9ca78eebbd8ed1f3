"""`pitwatch chips learn`: one picture in, the table's chips out, or a message that says what is wrong with which chip."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from datasets.draw.chip_rows import ChipView, chips_pictured
from datasets.draw.chips import ChipDesign
from service.calibrate.chips import ChipSet, Pointed, learn, money, read_pointed, read_value
from service.calibrate.chips_picture import GOOD_BGR, chips_drawn
from service.cli import main
from service.config import load_table, read_table
from service.errors import ServiceError
from service.seeing import load_chips
from vision.stills.chip_finding import ChipFault, FoundChip
from vision.stills.chip_set import LearnedChip

COLORS = ("green", "white", "black", "red")
TABLE = """# the pit's own words
version: 1
table_id: riu-01
game: raise_it_up
rules_submission: {dealing: manual_shoe, seats: 6}
chips:
  blue: 1000 # old
chips_spread: true
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        status = 0
        try:
            main([*arguments])
        except SystemExit as done:
            status = int(done.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    chip_set = ChipDesign.random(np.random.default_rng(12))
    image, _ = chips_pictured(chip_set, COLORS, [(62.0 * i, 0.0) for i in range(4)], ChipView(), seed=5)
    path = tmp_path / "chips.png"
    cv2.imwrite(str(path), image)
    return path


def test_a_set_is_learned_written_drawn_and_taken_by_table_and_see(run: Run, picture: Path, tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text(TABLE)
    status, out, _ = run(
        "chips", "learn", "chips.png", "--values", "25,1,100,2.50", "--out", "set.yaml", "--table", "table.yaml"
    )
    assert status == 0
    learned = {"white": 100, "red": 250, "green": 2500, "black": 10000}
    assert yaml.safe_load((tmp_path / "set.yaml").read_text())["chips"] == learned
    values, faces = load_chips(tmp_path / "set.yaml")
    assert values == learned
    table = load_table(tmp_path / "table.yaml")
    assert dict(table.table.chips) == learned
    assert list(table.chip_faces) == list(faces) == list(learned)
    assert all(np.array_equal(faces[color], table.chip_faces[color]) for color in learned)
    assert max(map(len, (tmp_path / "table.yaml").read_text().splitlines())) < 130
    assert "# the pit's own words" in (tmp_path / "table.yaml").read_text()
    assert read_table(tmp_path / "table.yaml").chips_spread
    drawn, plain = cv2.imread(str(tmp_path / "set.seen.png")), cv2.imread(str(picture))
    assert drawn is not None
    assert plain is not None
    assert drawn.shape == plain.shape
    assert (drawn == GOOD_BGR).all(axis=2).sum() > 100
    assert "2.50" in out
    assert "black" in out


def test_as_json_with_places(run: Run, picture: Path) -> None:
    at = ("--at", "124,128=25", "--at", "421,126=5")
    status, out, _ = run("chips", "learn", "chips.png", *at, "--px-per-mm", "1.6", "--json")
    assert status == 0
    said = json.loads(out)
    assert said["chips"] == {"red": 500, "green": 2500}
    assert [one["color"] for one in said["seen"]] == ["green", "red"]


def test_another_number_of_values_is_refused_with_the_picture_of_what_was_found(
    run: Run, picture: Path, tmp_path: Path
) -> None:
    status, _, err = run("chips", "learn", "chips.png", "--values", "1,5,25", "--px-per-mm", "1.6", "--out", "set.yaml")
    assert status == 2
    assert "4 chips found" in err
    assert "3 values given" in err
    assert "--at X,Y=VALUE" in err
    assert not (tmp_path / "set.yaml").exists()
    assert (tmp_path / "set.seen.png").is_file()


def test_a_place_without_a_chip_and_one_named_twice(picture: Path) -> None:
    points = [Pointed((124, 128), 100), Pointed((126, 130), 500), Pointed((10, 10), 2500)]
    found = learn(picture, pointed=points, px_per_mm=1.6)
    with pytest.raises(ServiceError) as refused:
        found.verify()
    assert "no chip is found at 10,10" in str(refused.value)
    assert "pointed at before" in str(refused.value)


def test_chips_above_one_another_have_no_order_from_left_to_right(tmp_path: Path) -> None:
    chip_set = ChipDesign.random(np.random.default_rng(12))
    image, _ = chips_pictured(chip_set, ("red", "green"), [(0.0, 0.0), (4.0, 62.0)], ChipView(), seed=5)
    path = tmp_path / "two.png"
    cv2.imwrite(str(path), image)
    found = learn(path, [100, 500], px_per_mm=1.6)
    assert len(found.chips) == 2
    with pytest.raises(ServiceError, match="lie above one another"):
        found.verify()


def test_chips_too_alike_are_left_open_on_request(run: Run, tmp_path: Path) -> None:
    chip_set = ChipDesign.random(np.random.default_rng(12))
    red = dict(chip_set.bases)["red"]
    alike = replace(chip_set, bases=tuple((name, red if name == "black" else bgr) for name, bgr in chip_set.bases))
    image, _ = chips_pictured(alike, COLORS, [(62.0 * i, 0.0) for i in range(4)], ChipView(), seed=5)
    cv2.imwrite(str(tmp_path / "chips.png"), image)
    (tmp_path / "table.yaml").write_text(TABLE)
    asked = ("chips", "learn", "chips.png", "--values", "25,1,100,5", "--px-per-mm", "1.6", "--table", "table.yaml")
    status, _, err = run(*asked)
    assert status == 2
    assert "--leave-open" in err
    assert (tmp_path / "table.yaml").read_text() == TABLE
    status, out, err = run(*asked, "--leave-open")
    assert status == 0
    assert "left open" in out
    assert "wagers with it have no amount" in err
    table = load_table(tmp_path / "table.yaml")
    assert sorted(table.table.chips.values()) == [100, 2500]
    assert len(table.chip_faces) == 4


def test_a_set_without_a_sure_chip_is_not_left_open_as_a_whole(tmp_path: Path) -> None:
    chips = (FoundChip((20, 20), 15, 0.9),)
    unsure = LearnedChip(None, 0.0, Counter(), np.zeros(3))
    found = ChipSet(tmp_path, np.zeros((40, 40, 3), np.uint8), chips, (100,), (unsure,), (ChipFault("{0}", "", (0,)),))
    assert found.left_open() is found


def test_plain_felt_has_no_chips(tmp_path: Path) -> None:
    path = tmp_path / "felt.png"
    cv2.imwrite(str(path), np.full((200, 300, 3), (60, 90, 30), np.uint8))
    found = learn(path, [100], px_per_mm=1.5)
    with pytest.raises(ServiceError, match="no chip is found"):
        found.verify()
    assert chips_drawn(found).shape == (200, 300, 3)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "one way"),
        (("--values", "1", "--at", "1,2=3"), "one way"),
        (("--values", "1,five"), "'five' is no value"),
        (("--values", "1,,5"), "'' is no value"),
        (("--values", "0"), "0.01 to 1000000"),
        (("--values", "1.005"), "whole cents"),
        (("--values", "nan"), "got nan"),
        (("--at", "12=5"), "'12=5' is no chip"),
        (("--at", "12,13"), "'12,13' is no chip"),
        (("--values", "1,5", "--out", "set.txt"), ".yaml"),
        (("--values", "1,5", "--out", "gone/set.yaml"), "folder does not exist"),
        (("--values", "1,5", "--table", "gone.yaml"), "no such table file"),
    ],
)
def test_what_is_asked_wrongly_is_refused(run: Run, picture: Path, arguments: tuple[str, ...], part: str) -> None:
    status, _, err = run("chips", "learn", "chips.png", *arguments)
    assert status == 2
    assert part in err


def test_values_are_money() -> None:
    assert [read_value(text, where="x") for text in ("1", " $25", "0.50", "1000")] == [100, 2500, 50, 100000]
    assert [money(cents) for cents in (100, 50, 123456)] == ["1", "0.50", "1234.56"]
    assert read_pointed("3.5,4=0.25") == Pointed((3.5, 4.0), 25)


def test_a_set_of_nothing_has_no_values(tmp_path: Path) -> None:
    assert ChipSet(tmp_path, np.zeros((2, 2, 3), np.uint8), (), ()).values_cents == {}
