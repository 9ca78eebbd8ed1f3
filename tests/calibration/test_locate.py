import numpy as np
import pytest
from views import PLAIN, View

from calibration.camera import CalibrationError, Camera
from calibration.layout import Layout, load_layout
from calibration.locate import calibrate_by_corners, locate_layout, recognise_layout
from datasets.felt_views import Look, corner_error_px

SIZE = (1920, 1080)
WIDE = Camera.looking_at((-200, 1500, 2000), (0, 500), 6, 1850, SIZE, -0.05)
VIEWS = {
    "from above": (Camera.looking_at((30, 480, 2400), (0, 500), -4, 2050, SIZE), PLAIN),
    "opposite the dealer, tilted": (Camera.looking_at((500, -700, 1900), (0, 480), 176, 1800, SIZE, -0.08), PLAIN),
    "steep, turned, dark prints": (
        Camera.looking_at((-900, 1700, 1900), (0, 500), 55, 1700, SIZE, 0.04),
        Look(felt_bgr=(160, 175, 160), ink_bgr=(30, 30, 40), accent_bgr=(30, 40, 140)),
    ),
    "part of the table": (Camera.looking_at((-300, 700, 2000), (-350, 600), 10, 2900, SIZE), PLAIN),
}


@pytest.mark.parametrize("name", list(VIEWS))
def test_half_covered_felt_is_found_to_a_pixel(name: str, layout: Layout, view: View) -> None:
    camera, look = VIEWS[name]
    found = locate_layout(view(camera, seed=len(name), cover=0.5, look=look), layout)
    assert corner_error_px(found.camera, camera, layout) < 1.5
    assert found.error_px < 1.0
    assert found.error_mm == pytest.approx(found.error_px / camera.px_per_mm_at((0, 500)), rel=0.4)
    assert found.method == "features"


@pytest.mark.parametrize("of", ["caribbean_stud_7", "let_it_ride_6", "dj_wild_6"])
@pytest.mark.parametrize("name", ["opposite the dealer, tilted", "steep, turned, dark prints"])
def test_felts_of_the_other_games_are_found_to_a_pixel(of: str, name: str, view: View) -> None:
    camera, look = VIEWS[name]
    found = locate_layout(view(camera, seed=len(of), cover=0.4, of=of, look=look), load_layout(of))
    assert corner_error_px(found.camera, camera, load_layout(of)) < 1.5
    assert found.error_px < 1.0


def test_the_same_picture_gives_the_same_camera(layout: Layout, view: View) -> None:
    picture = view(WIDE, seed=3, cover=0.2)
    assert locate_layout(picture, layout).to_json() == locate_layout(picture, layout).to_json()


def test_pictures_without_this_table_are_refused(layout: Layout, view: View) -> None:
    rng = np.random.default_rng(1)
    carpet = np.kron(rng.integers(0, 255, (27, 48, 3)), np.ones((40, 40, 1))).astype(np.uint8)
    with pytest.raises(CalibrationError, match="raise_it_up_6 not found"):
        locate_layout(carpet, layout)
    with pytest.raises(CalibrationError, match="none of its marks"):
        locate_layout(np.full((720, 1280, 3), 60, np.uint8), layout)
    with pytest.raises(CalibrationError, match="mirrored"):  # or else seats 1 and 6 would be exchanged
        locate_layout(np.ascontiguousarray(view(WIDE)[:, ::-1]), layout)
    with pytest.raises(CalibrationError, match="at least 320 x 240"):
        locate_layout(np.zeros((10, 10, 3), np.uint8), layout)


def test_four_points_by_hand(layout: Layout, view: View) -> None:
    tilted = Camera.looking_at((0, 2300, 2100), (0, 500), 0, 1800, SIZE)
    points = tilted.image_from_table(layout.corners_mm)
    found = calibrate_by_corners(points, layout, SIZE)
    assert corner_error_px(found.camera, tilted, layout) < 0.1
    assert found.method == "corners"
    rough = points + np.array([[3, -3], [-2, 3], [3, 2], [-3, -2]])
    refined = calibrate_by_corners(rough, layout, SIZE, view(tilted, cover=0.3))
    assert corner_error_px(refined.camera, tilted, layout) < 1.0


def test_points_in_a_wrong_order_are_refused_with_the_right_one(layout: Layout) -> None:
    points = WIDE.image_from_table(layout.corners_mm)
    for wrong in (points[[1, 0, 3, 2]], points[[0, 2, 1, 3]], points[:3]):
        with pytest.raises(CalibrationError, match="corners_px"):
            calibrate_by_corners(wrong, layout, SIZE)


@pytest.mark.parametrize(
    ("shown", "asked", "name", "seed"),
    [
        ("raise_it_up_6", "dj_wild_6", "opposite the dealer, tilted", 701),
        ("dj_wild_6", "raise_it_up_6", "from above", 11),
    ],
)
def test_the_felt_of_another_game_is_refused_and_recognised(
    shown: str, asked: str, name: str, seed: int, view: View
) -> None:
    picture = view(VIEWS[name][0], seed=seed, of=shown)
    with pytest.raises(CalibrationError, match=f"{asked} not found"):
        locate_layout(picture, load_layout(asked))
    found = recognise_layout(picture, [load_layout(asked), load_layout(shown)])
    assert found is not None
    assert found.name == shown
