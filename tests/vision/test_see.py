"""A single picture: cards, groups of chips and the scale, in the form of `pitwatch see`."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import CHIPS, FACES, DrawnChipReader, DrawnDetector, DrawnReader

from vision.see import see


def photograph(px_per_mm: float) -> np.ndarray:
    """Two cards, a chip alone and two chips side by side on plain cloth, from straight above."""
    fine = 4.0
    image = np.full((int(300 * fine), int(420 * fine), 3), (70, 60, 40), np.uint8)
    for x, card in ((70, "Qd"), (170, "As")):
        a, b = (int((x - 31.75) * fine), int(55.5 * fine)), (int((x + 31.75) * fine), int(144.5 * fine))
        cv2.rectangle(image, a, b, (240, 240, 240), -1)
        cv2.rectangle(
            image, (int((x - 19) * fine), int(73 * fine)), (int((x + 19) * fine), int(127 * fine)), FACES[card], -1
        )
    for x, y, color in ((300, 80, "red"), (280, 220, "green"), (321, 220, "black")):
        cv2.circle(image, (int(x * fine), int(y * fine)), int(19.5 * fine), CHIPS[color], -1)
    return cv2.resize(image, None, fx=px_per_mm / fine, fy=px_per_mm / fine, interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("px_per_mm", [0.9, 1.7, 3.1])
@pytest.mark.parametrize("told", [True, False], ids=["scale given", "scale estimated"])
def test_everything_is_seen_at_any_scale(px_per_mm: float, told: bool) -> None:
    seen = see(
        photograph(px_per_mm), DrawnDetector(), DrawnReader(), DrawnChipReader(), px_per_mm=px_per_mm if told else None
    )
    assert seen["px_per_mm"] == pytest.approx(px_per_mm, rel=0.06)
    assert sorted(card["card"] for card in seen["cards"]) == ["As", "Qd"]
    queen = next(card for card in seen["cards"] if card["card"] == "Qd")
    assert np.mean(queen["corners_px"], axis=0) == pytest.approx(np.array([70.0, 100.0]) * px_per_mm, abs=2 * px_per_mm)
    groups = {group["kind"]: group for group in seen["chips"]}
    assert groups["single"]["colors"] == {"red": 1}
    assert groups["single"]["amount"] == 5
    assert (groups["spread"]["colors"], groups["spread"]["count"], groups["spread"]["amount"]) == (
        {"green": 1, "black": 1},
        2,
        125,
    )


def test_nothing_seen_is_empty_and_scale_unknown() -> None:
    assert see(np.full((200, 300, 3), 90, np.uint8), DrawnDetector(), DrawnReader(), DrawnChipReader()) == {
        "px_per_mm": None,
        "cards": [],
        "chips": [],
    }


def test_impossible_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="px_per_mm must be"):
        see(photograph(1.0), DrawnDetector(), DrawnReader(), DrawnChipReader(), px_per_mm=0.0)
