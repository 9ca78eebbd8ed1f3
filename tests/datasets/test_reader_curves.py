"""Curves of the reader count what they say, and plots show all of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from datasets.crops.reader_curves import SAID, Scored, curves, expected_error, tables, write_plots
from datasets.score.intervals import Share
from datasets.score.plot import Panel, Plot, Point, Series, svg
from models.reader import BACK, CLASS_NAMES


def scored() -> Scored:
    """Five crops: sure and right, sure and wrong, unsure and right, a back called a back, a back called a card."""
    rows = [(3, 3, 0.995), (3, 4, 0.9985), (7, 7, 0.85), (BACK, BACK, 0.9), (BACK, 5, 0.6)]
    p = np.zeros((len(rows), len(CLASS_NAMES)), np.float32)
    for row, (_, best, sure) in enumerate(rows):
        p[row] = (1 - sure) / (len(CLASS_NAMES) - 1)
        p[row, best] = sure
    labels = np.array([label for label, _, _ in rows], np.int64)
    scale, visible = np.array([0.8, 0.8, 2.4, 1.0, 1.0]), np.array([1.0, 0.35, 0.995, 1.0, 1.0])
    return Scored(p, labels, scale, visible, np.full(len(rows), 0.99))


def test_answered_and_right_are_counted_among_faces_only() -> None:
    heights, visible, _ = curves(scored())
    assert [(one.name, one.answered, one.right) for one in heights if one.answered.total] == [
        ("6-7", Share(2, 2), Share(1, 2)),
        ("16-20", Share(0, 1), Share(0, 0)),
    ]
    assert {one.name: (one.answered, one.right) for one in visible if one.answered.total} == {
        "0.3-0.4": (Share(1, 1), Share(0, 1)),
        "whole": (Share(1, 2), Share(1, 1)),
    }


def test_calibration_takes_every_crop_that_would_be_called_a_card() -> None:
    said = {one.name: (one.said, one.right) for one in curves(scored())[2] if one.right.total}
    assert {name: right for name, (_, right) in said.items()} == {
        "0.5-0.7": Share(0, 1),
        "0.8-0.9": Share(1, 1),
        "0.995-0.999": Share(1, 2),
    }
    assert said["0.995-0.999"][0] == pytest.approx(0.99675)
    error = (0.6 + 0.15 + 2 * (0.99675 - 0.5)) / 4
    assert expected_error(curves(scored())[2]) == pytest.approx(error, abs=1e-5)


def test_the_last_class_holds_what_is_said_with_certainty() -> None:
    assert SAID[-1] > 1.0


def test_tables_and_plots_are_written(tmp_path: Path) -> None:
    assert "| 6-7 | 2 | 100.0% (2/2; 34.2-100.0) | 50.0% (1/2; 9.5-90.5) |" in list(tables(scored()))
    paths = write_plots(scored(), tmp_path / "new")
    assert sorted(path.name for path in paths) == [
        "reader_calibration.svg", "reader_index_height.svg", "reader_visible.svg",
    ]  # fmt: skip
    for path in paths:
        assert ET.parse(path).getroot().tag.endswith("svg")
        assert "n=2" in path.read_text()


def plot(points: list[Point], counts: list[int]) -> Plot:
    return Plot("<t>", "axis", ["a", "b", "c"], counts, (Panel("p", (Series("s", points),), 0, 100),))


def test_a_plot_draws_every_point_with_its_interval_and_breaks_where_there_is_none() -> None:
    points = [Point(0, 0, 10), Point(None), Point(150, 90, 150)]
    root = ET.fromstring(svg(plot(points, [4, 0, 2000])))
    found = list(root)
    circles = [e for e in found if e.tag.endswith("circle")]
    assert len(circles) == 2
    assert float(circles[0].get("cy", 0)) > float(circles[1].get("cy", 0))
    assert not [e for e in found if e.tag.endswith("polyline")]
    assert {"<t>", "n=4", "n=2,000"} <= {e.text for e in found}


def test_a_plot_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="2 points for 3 places"):
        svg(plot([Point(1), Point(2)], [1, 2, 3]))
    with pytest.raises(ValueError, match="1 counts for 3 places"):
        svg(plot([Point(1), Point(2), Point(3)], [1]))
