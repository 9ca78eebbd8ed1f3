"""`pitwatch calibrate` and `pitwatch layout`: what they print, write, and say when something is wrong."""

from __future__ import annotations

import json
import re
import resource
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest
import yaml

from calibration.camera import Camera
from calibration.layout import load_layout
from datasets.felt_views import draw_view
from service.calibrate.drawing import MARGIN_MM, drawing_bytes, page_size_mm
from service.cli import main
from service.config import read_table

CAMERA = Camera.looking_at((60, 900, 2300), (0, 480), 2.0, 1350, (1280, 720))


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("felt") / "felt.png"
    cv2.imwrite(str(path), draw_view(CAMERA, "raise_it_up_6", seed=1, cover=0.2))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        main(arguments)
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_says_which_layout_it_is_how_exactly_it_lies_and_how_each_seat_is_seen(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn, lines = tmp_path / "drawn.png", tmp_path / "lines.yaml"
    code, out, _ = run(capsys, "calibrate", str(picture), "--json", "--out", str(drawn), "--out", str(lines))
    found = json.loads(out)
    assert code == 0
    assert (found["layout"], found["method"], found["out_of_view"]) == ("raise_it_up_6", "features", [])
    assert found["error_px"] < 0.5
    assert found["error_mm"] == pytest.approx(found["error_px"] / 0.57, rel=0.2)
    assert found["marks"] > 100
    assert found["height_mm"] == pytest.approx(2300, abs=25)
    assert found["tilt_deg"] == pytest.approx(CAMERA.tilt_deg, abs=0.5)
    assert [seat["seat"] for seat in found["seats"]] == [1, 2, 3, 4, 5, 6]
    layout = load_layout("raise_it_up_6")
    for seat in found["seats"]:
        center = layout.area(f"seat{seat['seat']}.cards").center_mm
        assert seat["px_per_mm"] == pytest.approx(CAMERA.px_per_mm_at(center), rel=0.01)
        assert seat["in_view"] is True
    written = yaml.safe_load(lines.read_text())
    assert written["layout"] == "raise_it_up_6"
    expected = CAMERA.image_from_table(layout.corners_mm)
    assert np.abs(np.array(written["camera"]["corners_px"]) - expected).max() < 1.0
    shown, plain = cv2.imread(str(drawn)), cv2.imread(str(picture))
    assert shown is not None
    assert plain is not None
    assert shown.shape == plain.shape
    assert not np.array_equal(shown, plain)


def test_its_lines_fit_into_a_table_file_and_find_the_same_place_again(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, table = tmp_path / "lines.yaml", tmp_path / "table.yaml"
    run(capsys, "calibrate", str(picture), "--layout", "raise_it_up_6", "--out", str(lines))
    base = yaml.safe_load(Path("datasets/clips/raise_it_up/table.yaml").read_text())
    base["camera"] = yaml.safe_load(lines.read_text())["camera"]
    base["external_events"] = None
    table.write_text(yaml.safe_dump(base))
    corners = read_table(table).camera_corners_px
    assert corners is not None
    code, out, _ = run(capsys, "calibrate", str(picture), "--table", str(table))
    assert code == 0
    assert "raise_it_up_6 (58 Pa. Code § 669a.2(b)), found by its prints" in out
    assert "px per mm" in out
    assert "corners_px:" in out


def test_corners_by_hand_serve_where_the_prints_are_not_recognised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare.png"
    cv2.imwrite(str(bare), np.full((720, 1280, 3), 70, np.uint8))
    points = CAMERA.image_from_table(load_layout("raise_it_up_6").corners_mm)
    given = [part for x, y in points for part in ("--corners", f"{x:.1f},{y:.1f}")]
    code, out, _ = run(capsys, "calibrate", str(bare), "--layout", "raise_it_up_6", *given)
    assert code == 0
    assert "by the corners given; its prints were not recognised" in out
    code, _, err = run(capsys, "calibrate", str(bare), "--layout", "raise_it_up_6", *given[2:4], *given[:2], *given[4:])
    assert code == 2
    assert "the order is 1. end of the felt's straight edge" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{wall}", "--layout", "raise_it_up_6"], r"wall\.png: the table is not found .*none of its marks.*Give --corners X,Y four times"),
        (["{wall}"], "none of caribbean_stud_7, dj_wild_6, let_it_ride_6, raise_it_up_6 is seen"),
        (["{felt}", "--layout", "let_it_ride_6"], "The picture shows raise_it_up_6: give --layout raise_it_up_6"),
        (["nothing.mp4"], r"nothing\.mp4: no such file"),
        (["{felt}", "--layout", "poker"], "no such layout; give one of"),
        (["{felt}", "--corners", "1,2"], "corners mean nothing without a layout"),
        (["{felt}", "--layout", "raise_it_up_6", "--corners", "1;2"], "'1;2' is no point"),
        (["{felt}", "--layout", "raise_it_up_6", "--corners", "1,2"], "four points are needed, got 1"),
        (["{felt}", "--out", "a.gif"], r"a\.gif: this format is not written"),
        (["{felt}", "--out", "/no/such/folder/a.png"], "its folder does not exist"),
    ],
    ids=["no table", "no table of any kind", "another game", "no file", "no layout", "corners alone", "no point", "one corner", "gif", "no folder"],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_to_do(
    arguments: list[str], says: str, picture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wall = picture.parent / "wall.png"
    cv2.imwrite(str(wall), np.full((480, 640, 3), 80, np.uint8))
    code, _, err = run(capsys, "calibrate", *(part.format(wall=wall, felt=picture) for part in arguments))
    assert code == 2
    assert err.startswith("pitwatch: ")
    assert re.search(says, err)


def test_layouts_are_drawn_to_scale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = load_layout("caribbean_stud_7")
    x0, y0, x1, y1 = layout.bounds_mm
    for suffix in ("pdf", "svg", "png"):
        code, out, _ = run(capsys, "layout", "caribbean_stud_7", "--out", str(tmp_path / f"felt.{suffix}"))
        assert code == 0
        assert f"felt {x1 - x0:g} x {y1 - y0:g} mm" in out
    pdf = (tmp_path / "felt.pdf").read_bytes()
    box = pdf[pdf.index(b"/MediaBox [") :].split(b"]")[0].split()[-2:]
    size_mm = [float(value) * 25.4 / 72 for value in box]
    assert size_mm == pytest.approx([x1 - x0 + 2 * MARGIN_MM, y1 - y0 + 2 * MARGIN_MM], abs=0.01)
    assert tuple(size_mm) == pytest.approx(page_size_mm(layout), abs=0.01)
    assert pdf == drawing_bytes(layout, ".pdf")
    svg = ElementTree.fromstring((tmp_path / "felt.svg").read_text())
    assert (svg.get("width"), svg.get("height")) == (f"{x1 - x0:g}mm", f"{y1 - y0:g}mm")
    png = cv2.imread(str(tmp_path / "felt.png"))
    assert png is not None
    height, width = png.shape[:2]
    assert (width, height) == pytest.approx((x1 - x0, y1 - y0), abs=1)
    code, _, err = run(capsys, "layout", "caribbean_stud_7", "--out", str(tmp_path / "felt.docx"))
    assert code == 2
    assert ".pdf, .svg, .png" in err


@pytest.mark.parametrize(
    "arguments", [("layout", "raise_it_up_6", "--out", "a.pdf"), ("layout", "raise_it_up_6", "--out", "a.png")]
)
def test_a_disk_that_is_full_leaves_the_file_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / arguments[-1]
    file.write_text("the one printed last week")
    before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
    assert ended.value.code == 2
    assert f"{file.name}: cannot be written" in capsys.readouterr().err
    assert [path.read_text() for path in tmp_path.iterdir()] == ["the one printed last week"]
