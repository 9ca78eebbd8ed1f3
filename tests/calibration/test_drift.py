import cv2
import numpy as np
import pytest
from views import Bytes, View

from calibration.camera import CalibrationError, Camera
from calibration.drift import DriftWatch
from calibration.layout import Layout
from calibration.refine import Levels
from datasets.felt_views import corner_error_px

CAMERA = Camera.looking_at((100, 1200, 2200), (0, 500), 3, 1900, (1920, 1080))
LEVELS = Levels(1.0, 0.9)


def gray(picture: Bytes) -> Bytes:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def moved(picture: np.ndarray, x: float, y: float) -> np.ndarray:
    return cv2.warpAffine(picture, np.array([[1, 0, x], [0, 1, y]]), (picture.shape[1], picture.shape[0]))


def test_a_nudge_is_measured_while_hands_cover_the_felt(layout: Layout, view: View) -> None:
    watch = DriftWatch(CAMERA, layout, LEVELS)
    picture = gray(view(CAMERA, seed=5, cover=0.35))
    still = watch.look(picture)
    assert still.shift_px is not None
    assert still.shift_px < 0.5
    assert still.moved is False
    for length in (1.0, 3.4, 8.0):
        shift = watch.look(moved(picture, 0.6 * length, -0.8 * length)).shift_px
        assert shift == pytest.approx(length, abs=0.35)
    assert watch.look(moved(picture, 2.4, -1.8)).moved is True


def test_the_camera_is_turned_to_where_the_prints_were_seen(layout: Layout, view: View) -> None:
    nudged = Camera.looking_at((100, 1200, 2200), (6, 496), 3.1, 1900, (1920, 1080))
    watch = DriftWatch(CAMERA, layout, LEVELS)
    assert corner_error_px(CAMERA, nudged, layout) > 5.0
    watch.look(gray(view(nudged, seed=6, cover=0.3)))
    turned = watch.followed()
    assert turned is not None
    assert corner_error_px(turned, nudged, layout) < 0.5


def test_what_cannot_be_seen_is_unknown(layout: Layout) -> None:
    watch = DriftWatch(CAMERA, layout, LEVELS)
    assert watch.look(np.full((1080, 1920), 20, np.uint8)).moved is None
    assert watch.followed() is None
    with pytest.raises(CalibrationError, match="1280 x 720"):
        watch.look(np.zeros((720, 1280), np.uint8))
