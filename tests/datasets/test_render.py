from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from datasets.render import Background, Light, Look, Renderer, Sensor, SensorLook, corners_px, scene_truth
from datasets.scene import CardItem, ChipItem, HandItem, Scene

U8 = npt.NDArray[np.uint8]
BLUE, RED, YELLOW = (255, 0, 0), (0, 0, 255), (0, 255, 255)


class PlainCards:
    """Faces yellow with a blue upper left quarter, backs red with a blue upper left quarter."""

    def face(self, card: str) -> U8:
        return self._picture(YELLOW)

    def back(self) -> U8:
        return self._picture(RED)

    def _picture(self, bgr: tuple[int, int, int]) -> U8:
        picture = np.full((711, 508, 4), (*bgr, 255), np.uint8)
        picture[:355, :254, :3] = BLUE
        return picture


class PlainChips:
    def top(self, color: str) -> U8:
        picture = np.zeros((312, 312, 4), np.uint8)
        cv2.circle(picture, (156, 156), 155, (*BLUE, 255), -1)
        return picture

    def edge_colors(self, color: str) -> tuple[tuple[float, tuple[int, int, int]], ...]:
        return ((0.0, RED), (0.5, YELLOW))


class PlainHand:
    def sprite(self, grip: float) -> tuple[U8, tuple[float, float], float]:
        picture = np.zeros((800, 300, 4), np.uint8)
        picture[20:, 50:250] = (120, 150, 200, 255)
        return picture, (150.0, 20.0), 3.0


NO_SHADOW = Light(shadow=0.0)


def camera_above(tilt_mm: float = 0.0, size: tuple[int, int] = (640, 400), k1: float = 0.0) -> Camera:
    return Camera.looking_at((0.0, 300.0 + tilt_mm, 2000.0), (0.0, 300.0), 0.0, 2200.0, size, k1)


def renderer(tilt_mm: float = 0.0, size: tuple[int, int] = (640, 400), k1: float = 0.0) -> Renderer:
    camera = camera_above(tilt_mm, size, k1)
    look = Look(PlainCards(), PlainChips(), (PlainHand(),), NO_SHADOW)
    return Renderer(camera, look, np.full((size[1], size[0], 3), (40, 90, 30), np.uint8))


def color_at(image: U8, point: npt.NDArray[np.float64]) -> tuple[int, ...]:
    x, y = (round(float(v)) for v in point)
    return tuple(int(v) for v in image[y, x])


@pytest.mark.parametrize("tilt_mm", [0.0, 900.0])
@pytest.mark.parametrize("angle", [0.0, 33.0, 155.0, 290.0])
@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_corners_of_truth_are_the_corners_drawn(tilt_mm: float, angle: float, turn: float) -> None:
    drawn = renderer(tilt_mm)
    card = CardItem("As", (20.0, 310.0), angle, turn)
    image = drawn.draw(Scene(cards=(card,)))
    corners = corners_px(drawn.camera, card)
    middle = corners.mean(axis=0)
    inside = corners + 0.08 * (middle - corners)
    outside = corners - 0.08 * (middle - corners)
    ground = (40, 90, 30)
    assert all(color_at(image, p) == ground for p in outside)
    other = YELLOW if turn == 1.0 else RED
    assert [color_at(image, p) for p in inside] == [BLUE, other, other, other]


def test_card_angle_zero_reads_towards_the_dealer() -> None:
    camera = camera_above()
    corners_mm = camera.table_from_image(corners_px(camera, CardItem("As", (0.0, 300.0), 0.0, 1.0)))
    assert corners_mm[0][1] < corners_mm[3][1]  # the upper edge is nearer the dealer
    assert (
        corners_mm[0][0] > corners_mm[1][0]
    )  # seen from above, reading towards the dealer, left is the dealer's right


def test_turning_card_narrows_and_changes_side() -> None:
    drawn = renderer()
    widths, sides = [], []
    for turn in (0.0, 0.25, 0.45, 0.55, 0.75, 1.0):
        truth = scene_truth(drawn.camera, drawn.look, Scene(cards=(CardItem("As", (0, 300), 0.0, turn),)), 1.0).items[0]
        widths.append(float(np.ptp(truth.corners_px[:, 0])))
        sides.append(truth.face_up)
    assert widths[0] > widths[1] > widths[2]
    assert widths[5] > widths[4] > widths[3]
    assert sides == [False, False, False, True, True, True]


def test_visible_fractions_of_covered_and_cut_items() -> None:
    drawn = renderer()
    low = CardItem("As", (0.0, 300.0), 0.0, 1.0, 0.0, 1)
    half = CardItem("Ks", (31.75, 300.0), 0.0, 1.0, 0.4, 2)
    chip = ChipItem("red", (-150.0, 300.0), 0.0)
    upper = ChipItem("red", (-150.0, 300.0), 3.3)
    hand = HandItem((100.0, 330.0), (100.0, 900.0), 40.0, "right")
    truth = scene_truth(drawn.camera, drawn.look, Scene((low, half), (chip, upper), (hand,)), 1.0)
    seen = {t.item: t.visible_fraction for t in truth.items}
    assert seen[low] == pytest.approx(0.5, abs=0.03)
    assert seen[half] == pytest.approx(1.0)
    assert seen[upper] == pytest.approx(1.0)
    assert seen[chip] < 0.1
    cut = camera_above().table_from_image([[0.0, 200.0]])[0]
    card = CardItem("2c", (float(cut[0]), float(cut[1])), 0.0, 1.0)
    assert scene_truth(drawn.camera, drawn.look, Scene((card,)), 1.0).items[0].visible_fraction == pytest.approx(
        0.5, abs=0.02
    )


def test_chip_side_shows_on_the_side_of_the_camera() -> None:
    drawn = renderer(1200.0)
    stack = tuple(ChipItem("red", (0.0, 300.0), 3.3 * k, 30.0 * k) for k in range(6))
    image = drawn.draw(Scene(chips=stack))
    top = corners_px(drawn.camera, stack[-1])
    foot = drawn.camera.image_from_table([[0.0, 300.0 + 19.5, 1.6]])[0]
    assert color_at(image, top.mean(axis=0)) == BLUE
    side = color_at(image, foot)
    assert side[2] > 100
    assert side[0] < 40


def test_draw_over_base_and_in_a_window_equals_drawing_all() -> None:
    drawn = renderer(400.0)
    rest = Scene(cards=(CardItem("As", (0.0, 300.0), 20.0, 1.0),))
    moving = Scene(cards=(CardItem("Ks", (60.0, 330.0), 40.0, 0.0, 5.0),))
    both = Scene(cards=rest.cards + moving.cards)
    base = drawn.base(rest)
    kept = base.copy()
    full = drawn.draw(moving, base=base)
    assert np.array_equal(base, kept)
    assert np.array_equal(full, drawn.draw(both))
    assert np.array_equal(drawn.draw(both, window_px=(250, 100, 420, 300)), full[100:300, 250:420])
    with pytest.raises(ValueError, match="window_px"):
        drawn.draw(both, window_px=(0, 0, 9999, 10))


def test_background_falls_where_the_camera_says_also_with_lens_distortion() -> None:
    camera = Camera.looking_at((100.0, 900.0, 1900.0), (50.0, 400.0), 3.0, 700.0, (640, 400), -0.12)
    scale = 0.8
    drawing = np.full((800, 1200, 3), 60, np.uint8)
    table_from_px = np.array([[1 / scale, 0, -700.0], [0, 1 / scale, -50.0], [0, 0, 1.0]])
    spots = np.array([[0.0, 300.0], [300.0, 500.0], [-350.0, 200.0]])
    for x, y in spots:
        at = ((x + 700) * scale, (y + 50) * scale)
        cv2.circle(drawing, (round(at[0] * 16), round(at[1] * 16)), 10 * 16, (255, 255, 255), -1, cv2.LINE_AA, 4)
    image = Renderer(camera, Look(PlainCards(), PlainChips()), Background(drawing, table_from_px)).background
    for spot, pixel in zip(spots, camera.image_from_table(spots), strict=True):
        x0, y0 = (int(v) - 15 for v in pixel)
        part = image[y0 : y0 + 31, x0 : x0 + 31, 0].astype(np.float64) - 60
        ys, xs = np.mgrid[0:31, 0:31]
        center = np.array([(xs * part).sum(), (ys * part).sum()]) / part.sum() + (x0, y0)
        assert np.hypot(*(center - pixel)) < 0.35, spot


def test_sensor_is_the_same_for_the_same_seed_and_frame_only() -> None:
    look = SensorLook(noise=4.0, falloff=0.3, glare=0.3, blur_px=0.6, jpeg_quality=80)
    image = np.full((90, 160, 3), 120, np.uint8)
    one, same, other = Sensor(look, (160, 90), 5), Sensor(look, (160, 90), 5), Sensor(look, (160, 90), 6)
    assert np.array_equal(one(image, 7), same(image, 7))
    assert not np.array_equal(one(image, 7), one(image, 8))
    assert not np.array_equal(one(image, 7), other(image, 7))
    with pytest.raises(ValueError, match="image_bgr"):
        one(image[:50], 1)


def test_drawing_is_repeatable() -> None:
    scene = Scene(
        (CardItem("As", (0.0, 300.0), 20.0, 0.4),),
        (ChipItem("red", (80.0, 300.0), 3.3, 10.0),),
        (HandItem((-60.0, 280.0), (-100.0, 800.0), 30.0, "left"),),
    )
    assert np.array_equal(renderer(500.0).draw(scene), renderer(500.0).draw(scene))
