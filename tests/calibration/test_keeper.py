"""The camera kept true: a nudge noticed and mended, a slow drift followed, a lost table sought until it is back."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from calibration.keeper import CameraKeeper, Standing
from calibration.layout import Layout
from calibration.refine import Levels
from datasets.felt_views import corner_error_px

Bytes = npt.NDArray[np.uint8]
View = Callable[..., Bytes]
LEVELS = Levels(1.4, 1.0)
SIZE = (1280, 720)


def camera(aim_x: float = 0.0, aim_y: float = 480.0, roll: float = 2.0, size: tuple[int, int] = SIZE) -> Camera:
    """A camera at one place; other aims turn it there. About 0.57 px per mm."""
    return Camera.looking_at((60, 900, 2300), (aim_x, aim_y), roll, 1.05 * size[0], size)


def gray(picture: Bytes) -> Bytes:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def feed(
    keeper: CameraKeeper, shown: Callable[[float], Bytes], start_s: float, end_s: float
) -> list[tuple[float, Standing, bool]]:
    """Looks whenever the keeper wants to; every look with how it ended."""
    out = []
    for t_s in np.arange(start_s, end_s, 0.1):
        if keeper.wants_look(float(t_s)):
            changed = keeper.look(float(t_s), shown(float(t_s)))
            out.append((float(t_s), keeper.standing, changed))
    return out


@pytest.fixture(scope="module")
def at_first(view: View) -> Bytes:
    return gray(view(camera(), seed=1, cover=0.3))


def test_a_nudge_of_3_px_is_noticed_within_10_s_and_the_table_found_anew(
    layout: Layout,
    view: View,
    at_first: Bytes,
) -> None:
    nudged = camera(3.5, 483.5)
    assert 2.6 < corner_error_px(camera(), nudged, layout) < 3.2
    then = gray(view(nudged, seed=2, cover=0.3))
    keeper = CameraKeeper(layout, camera(), LEVELS)
    looks = feed(keeper, lambda t: at_first if t < 5.0 else then, 0.0, 14.0)
    lost = next(t for t, standing, _ in looks if standing is not Standing.STEADY)
    (found,) = (t for t, _, changed in looks if changed)
    assert 5.0 < lost <= 15.0
    assert {standing for t, standing, _ in looks if lost <= t < found} == {Standing.MOVED}
    assert corner_error_px(keeper.camera, nudged, layout) < 0.7
    assert keeper.good_s is not None
    assert keeper.good_s >= found


def test_a_camera_turned_far_away_is_found_in_the_whole_picture(layout: Layout, view: View, at_first: Bytes) -> None:
    turned = camera(90.0, 430.0, 5.0)
    then = gray(view(turned, seed=3, cover=0.2))
    keeper = CameraKeeper(layout, camera(), LEVELS)
    feed(keeper, lambda t: at_first, 0.0, 1.0)
    keeper.jolt()
    assert keeper.doubtful
    looks = feed(keeper, lambda t: then, 1.0, 6.0)
    assert next(t for t, standing, _ in looks if standing is Standing.UNKNOWN) < 2.0
    assert keeper.standing is Standing.STEADY
    assert corner_error_px(keeper.camera, turned, layout) < 0.7


def test_a_table_out_of_sight_is_sought_for_ever_and_known_again_when_it_is_back(
    layout: Layout, at_first: Bytes
) -> None:
    wall = np.full(SIZE[::-1], 90, np.uint8)
    keeper = CameraKeeper(layout, camera(), LEVELS)
    looks = feed(keeper, lambda t: at_first if t < 1.0 or t > 25.0 else wall, 0.0, 29.0)
    unknown = [t for t, standing, _ in looks if standing is Standing.UNKNOWN]
    assert unknown[0] < 8.0
    assert unknown[-1] > 25.0
    assert max(np.diff(unknown)) < 1.0
    assert keeper.standing is Standing.STEADY
    assert not any(changed for _, _, changed in looks)
    assert keeper.camera.to_json() == camera().to_json()


def test_a_slow_drift_is_followed_without_a_gap(layout: Layout, view: View) -> None:
    keeper = CameraKeeper(layout, camera(), LEVELS)
    creeping = {i: camera(0.4 * i, 480.0 + 0.4 * i) for i in range(14)}
    pictures = {i: gray(view(c, seed=i, cover=0.2)) for i, c in creeping.items()}
    looks = feed(keeper, lambda t: pictures[int(t / 2.5)], 0.0, 35.0)
    assert {standing for _, standing, _ in looks} == {Standing.STEADY}
    assert any(changed for _, _, changed in looks)
    assert corner_error_px(camera(), creeping[13], layout) > 4.0
    assert corner_error_px(keeper.camera, creeping[13], layout) < 2.0


def test_a_hand_over_much_of_the_felt_for_a_moment_is_no_gap(layout: Layout, at_first: Bytes) -> None:
    keeper = CameraKeeper(layout, camera(), LEVELS)
    dark = np.full(SIZE[::-1], 60, np.uint8)
    looks = feed(keeper, lambda t: dark if 3.9 < t < 6.0 else at_first, 0.0, 12.0)
    assert {standing for _, standing, _ in looks} == {Standing.STEADY}


def test_pictures_of_another_size_are_calibrated_anew(layout: Layout, view: View, at_first: Bytes) -> None:
    small = camera(size=(960, 540))
    then = gray(view(small, seed=4, cover=0.1))
    keeper = CameraKeeper(layout, camera(), LEVELS)
    looks = feed(keeper, lambda t: at_first if t < 1.0 else then, 0.0, 8.0)
    assert Standing.RESIZED in {standing for _, standing, _ in looks}
    assert keeper.standing is Standing.STEADY
    assert keeper.camera.size_px == (960, 540)
    assert corner_error_px(keeper.camera, small, layout) < 1.0


def test_a_felt_printed_otherwise_is_watched_by_its_own_picture(layout: Layout, view: View) -> None:
    nudged = camera(6.0, 478.0)
    before = gray(view(camera(), seed=1, of="let_it_ride_6"))
    after = gray(view(nudged, seed=2, of="let_it_ride_6"))
    keeper = CameraKeeper(layout, camera())
    looks = feed(keeper, lambda t: before if t < 5.0 else after, 0.0, 12.0)
    assert Standing.MOVED in {standing for _, standing, _ in looks}
    assert keeper.standing is Standing.STEADY
    assert corner_error_px(keeper.camera, nudged, layout) < 1.2


def test_the_same_pictures_give_the_same_camera_also_from_the_middle(
    layout: Layout,
    view: View,
    at_first: Bytes,
) -> None:
    then = gray(view(camera(4.0, 480.0), seed=5, cover=0.2))

    def shown(t: float) -> Bytes:
        return at_first if t < 3.0 else then

    keeper = CameraKeeper(layout, camera(), LEVELS)
    feed(keeper, shown, 0.0, 4.0)
    copied = pickle.loads(pickle.dumps(keeper))
    assert feed(copied, shown, 4.0, 8.0) == feed(keeper, shown, 4.0, 8.0)
    assert copied.camera.to_json() == keeper.camera.to_json() != camera().to_json()


def test_corners_given_by_hand_on_the_right_felt_are_watched_by_its_drawing(layout: Layout, view: View) -> None:
    turned = camera(90.0, 430.0, 5.0)
    before, after = gray(view(camera(), seed=1)), gray(view(turned, seed=2))
    keeper = CameraKeeper(layout, camera())
    feed(keeper, lambda t: before if t < 1.0 else after, 0.0, 11.0)
    assert keeper.standing is Standing.STEADY
    assert corner_error_px(keeper.camera, turned, layout) < 0.7
