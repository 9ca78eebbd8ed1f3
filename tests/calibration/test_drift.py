import cv2
import numpy as np
import pytest

from calibration.camera import CalibrationError, Camera
from calibration.drift import DriftWatch
from calibration.layout import Layout
from calibration.locate import Calibration
from calibration.refine import Levels

CAMERA = Camera.looking_at((100, 1200, 2200), (0, 500), 3, 1900, (1920, 1080))


def moved(picture: np.ndarray, x: float, y: float) -> np.ndarray:
    return cv2.warpAffine(picture, np.array([[1, 0, x], [0, 1, y]]), (picture.shape[1], picture.shape[0]))


def test_a_nudge_is_measured_while_hands_cover_the_felt(layout: Layout, view) -> None:  # type: ignore[no-untyped-def]
    watch = DriftWatch(Calibration(CAMERA, 0.2, 0.2, 100, "features", Levels(1.0, 0.9)), layout)
    picture = view(CAMERA, seed=5, cover=0.35)
    still = watch.look(picture)
    assert still.shift_px is not None
    assert still.shift_px < 0.5
    assert watch.moved is False
    for length in (1.0, 3.4, 8.0):
        shift = watch.look(moved(picture, 0.6 * length, -0.8 * length)).shift_px
        assert shift == pytest.approx(length, abs=0.35)
    for _ in range(3):
        watch.look(moved(picture, 2.4, -2.6))
    assert watch.moved is True


def test_what_cannot_be_seen_is_unknown(layout: Layout, view) -> None:  # type: ignore[no-untyped-def]
    watch = DriftWatch(Calibration(CAMERA, 0.2, 0.2, 100, "features", Levels(1.0, 0.9)), layout)
    dark = np.full((1080, 1920, 3), 20, np.uint8)
    for _ in range(3):
        assert watch.look(dark).moved is None
    assert watch.moved is None
    with pytest.raises(CalibrationError, match="1280 x 720"):
        watch.look(np.zeros((720, 1280, 3), np.uint8))
