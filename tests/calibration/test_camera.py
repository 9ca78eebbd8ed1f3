import json

import numpy as np
import pytest

from calibration.camera import DEFAULT_FOCAL_WIDTHS, CalibrationError, Camera, camera_from_homography

SIZE = (1920, 1080)
POINTS = np.array([[0.0, 0.0], [-900.0, 100.0], [800.0, 300.0], [-500.0, 700.0], [100.0, 1000.0]])


@pytest.mark.parametrize("k1", [0.0, -0.15, 0.08])
@pytest.mark.parametrize("height_mm", [0.0, 33.0])
def test_pixels_and_millimetres_are_inverse(k1: float, height_mm: float) -> None:
    camera = Camera.looking_at((400, -700, 2300), (0, 520), 173, 1900, SIZE, k1)
    lifted = np.column_stack([POINTS, np.full(len(POINTS), height_mm)])
    np.testing.assert_allclose(camera.table_from_image(camera.image_from_table(lifted), height_mm), POINTS, atol=1e-3)


def test_roll_zero_has_the_dealer_at_the_top_and_seat_one_at_the_right() -> None:
    camera = Camera.looking_at((0, 500, 2500), (0, 500), 0, 1900, SIZE)
    dealer, player, seat_one = camera.image_from_table([[0, 0], [0, 1000], [-900, 500]])
    assert dealer[1] < player[1]
    assert seat_one[0] > SIZE[0] / 2
    upside_down = Camera.looking_at((0, 500, 2500), (0, 500), 180, 1900, SIZE)
    assert upside_down.image_from_table([[0, 0]])[0][1] > upside_down.image_from_table([[0, 1000]])[0][1]


def test_scale_position_and_tilt_of_a_camera_straight_above() -> None:
    camera = Camera.looking_at((0, 500, 2000), (0, 500), 0, 1800, SIZE)
    assert camera.px_per_mm_at((0, 500)) == pytest.approx(0.9, rel=1e-6)
    assert camera.px_per_mm_at((0, 500, 200)) == pytest.approx(1.0, rel=1e-3)
    assert camera.tilt_deg == pytest.approx(0, abs=1e-5)
    np.testing.assert_allclose(camera.position_mm, [0, 500, 2000], atol=1e-9)


def test_points_behind_the_camera_are_nan() -> None:
    camera = Camera.looking_at((0, 500, 2000), (0, 500), 0, 1800, SIZE)
    assert np.isnan(camera.image_from_table([[0, 500, 2500]])).all()
    level = Camera.looking_at((0, -2000, 500), (0, 3000, 400), 0, 1800, SIZE)
    assert np.isnan(level.table_from_image([[960, 1079]])).all()


def test_a_tilted_view_tells_the_focal_length() -> None:
    camera = Camera.looking_at((300, 1900, 1900), (0, 500), 20, 1700, SIZE)
    found = camera_from_homography(7.3 * camera.homography, SIZE)
    assert found.matrix[0, 0] == pytest.approx(1700, rel=1e-6)
    np.testing.assert_allclose(found.rotation, camera.rotation, atol=1e-6)
    np.testing.assert_allclose(found.position_mm, camera.position_mm, atol=1e-2)


def test_a_vertical_view_takes_the_stated_default_and_still_maps_the_felt() -> None:
    camera = Camera.looking_at((0, 500, 2500), (0, 501), 5, 2900, SIZE)
    found = camera_from_homography(camera.homography, SIZE)
    assert found.matrix[0, 0] == DEFAULT_FOCAL_WIDTHS * SIZE[0]
    assert np.abs(found.image_from_table(POINTS) - camera.image_from_table(POINTS)).max() < 0.5


def test_impossible_views_are_refused() -> None:
    camera = Camera.looking_at((300, 1900, 1900), (0, 500), 20, 1700, SIZE)
    with pytest.raises(CalibrationError, match="mirrored"):
        camera_from_homography(camera.homography @ np.diag([-1.0, 1.0, 1.0]), SIZE)
    with pytest.raises(CalibrationError, match="invertible"):
        camera_from_homography(np.ones((3, 3)), SIZE)
    with pytest.raises(CalibrationError, match="same point"):
        Camera.looking_at((0, 0, 0), (0, 0, 0), 0, 1000, SIZE)


def test_json_round_trip() -> None:
    camera = Camera.looking_at((300, 1900, 1900), (0, 500), 20, 1700, SIZE, -0.1)
    again = Camera.from_json(json.loads(json.dumps(camera.to_json())))
    np.testing.assert_array_equal(again.image_from_table(POINTS), camera.image_from_table(POINTS))
    with pytest.raises(CalibrationError, match="rotation"):
        Camera.from_json({key: value for key, value in camera.to_json().items() if key != "rotation"})
