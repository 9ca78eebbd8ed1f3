"""Pictures changed as a camera might change them keep the truth that goes with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from datasets.score.variants import VARIANTS, main, score_variant, write_variant

CORNERS = [[40.0, 30.0], [80.0, 30.0], [80.0, 90.0], [40.0, 90.0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One table with one white card, a chip and a tray that is ignored."""
    out = tmp_path / "photoreal"
    out.mkdir()
    image = np.full((160, 240, 3), (60, 90, 40), np.uint8)
    cv2.fillConvexPoly(image, np.array(CORNERS, np.int32), (235, 238, 240))
    cv2.imwrite(str(out / "01.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    truth = {
        "camera": {"tilt_deg": 12.0},
        "px_per_mm_table_centre": 0.8,
        "cards": [{"card": "As", "corners_px": CORNERS, "visible_fraction": 1.0}],
        "chip_groups": [
            {"kind": "single", "top_center_px": [150.0, 100.0], "base_center_px": [151.0, 102.0], "visible_fraction": 1.0, "amount": 5}
        ],
        "ignore": [{"polygon_px": [[200, 0], [239, 0], [239, 40], [200, 40]]}],
    }  # fmt: skip
    (out / "01.json").write_text(json.dumps(truth))
    return out


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_card_is_where_the_truth_says(name: str, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_variant(name, folder, out)
    image, truth = cv2.imread(str(out / "01.jpg")), json.loads((out / "01.json").read_text())
    assert image is not None
    white = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(white, np.round(truth["cards"][0]["corners_px"]).astype(np.int32), 1)
    inner = cv2.erode(white, np.ones((7, 7), np.uint8)) > 0
    outer = cv2.dilate(white, np.ones((7, 7), np.uint8)) == 0
    grey = image.mean(axis=2)
    assert inner.any()
    assert grey[inner].mean() > grey[outer].mean() + 50
    assert grey[inner].std() < 25
    x, y = truth["chip_groups"][0]["top_center_px"]
    assert 0 <= x < image.shape[1]
    assert 0 <= y < image.shape[0]


def test_the_first_is_the_file_itself(folder: Path, tmp_path: Path) -> None:
    write_variant("as it is", folder, tmp_path / "out")
    assert (tmp_path / "out" / "01.jpg").read_bytes() == (folder / "01.jpg").read_bytes()


def test_what_is_told_is_scored_against_the_truth_that_moved(folder: Path) -> None:
    def see(image: np.ndarray) -> dict[str, Any]:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        contours, _ = cv2.findContours((grey > 160).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        x, y, w, h = cv2.boundingRect(max(contours, key=cv2.contourArea))
        corners = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
        return {"cards": [{"card": "As", "corners_px": corners}], "chips": [], "tilt_deg": 11.0}

    for name in ("the other way up", "smaller", "larger"):
        found = score_variant(name, folder, see)
        share = found.score.shares["cards found, visible at least half"]
        assert (share.hits, share.total) == (1, 1), name
        assert found.tilt_off_deg == (1.0,)


def test_where_nothing_is_there_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--photographs", str(tmp_path), "--only", "dark"]) == 1
    assert "no ray-traced tables" in capsys.readouterr().out
