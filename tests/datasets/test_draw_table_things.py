import numpy as np
import pytest

from datasets.draw.chips import CHIP_COLORS, CHIP_SIZE_PX, ChipDesign
from datasets.draw.felt import felt_texture, plain_felt
from datasets.draw.hands import HandLook


def test_chip_tops_are_round_and_of_their_colour() -> None:
    design = ChipDesign.random(np.random.default_rng(2))
    for color, bgr in CHIP_COLORS.items():
        top = design.top(color)
        assert top.shape == (CHIP_SIZE_PX, CHIP_SIZE_PX, 4)
        assert top[0, 0, 3] == 0
        assert top[156, 156, 3] == 255
        inside = top[top[..., 3] == 255][:, :3].astype(float)
        near = np.abs(inside - bgr).sum(axis=1) < 120
        assert near.mean() > 0.2, color


def test_chip_side_starts_inside_the_circle_and_has_the_spots_of_the_top() -> None:
    design = ChipDesign.random(np.random.default_rng(6))
    for color in CHIP_COLORS:
        side = design.edge_colors(color)
        starts = [start for start, _ in side]
        assert starts == sorted(starts)
        assert 0 <= starts[0] < starts[-1] < 1
        assert len({ink for _, ink in side}) >= 2
        start, ink = next((s, c) for s, c in side if c != dict(design.bases)[color])
        angle = 2 * np.pi * start + 0.03
        x, y = (round(156 + 150 * v) for v in (np.cos(angle), np.sin(angle)))
        assert np.abs(design.top(color)[y, x, :3].astype(int) - ink).max() < 60


def test_unknown_chip_colour_is_refused() -> None:
    with pytest.raises(KeyError):
        ChipDesign.random(np.random.default_rng(0)).top("pink")


def test_same_seed_same_chips_hands_and_felts() -> None:
    def made(seed: int) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        chips = ChipDesign.random(rng).top("red")
        return [chips, HandLook.random(rng).sprite(0.4)[0], felt_texture(rng, (120, 90))]

    for a, b, c in zip(made(3), made(3), made(4), strict=True):
        assert np.array_equal(a, b)
        assert not np.array_equal(a, c)


@pytest.mark.parametrize("grip", [0.0, 0.5, 1.0])
def test_hand_has_fingertips_at_the_top_and_an_arm_to_the_lower_edge(grip: float) -> None:
    sprite, (x, y), scale = HandLook.random(np.random.default_rng(5), dealer=True).sprite(grip)
    alpha = sprite[..., 3]
    top = np.nonzero(alpha.any(axis=1))[0][0]
    assert 0 < x < sprite.shape[1]
    assert abs(y - top) < 25 * scale
    assert alpha[-1].any()
    assert 0 < (alpha == 255).mean() < 0.7


def test_felt_has_the_size_and_colour_asked_for() -> None:
    img = plain_felt(np.random.default_rng(0), (200, 100), (60, 110, 30))
    assert img.shape == (100, 200, 3)
    assert np.abs(img.reshape(-1, 3).mean(axis=0) - (60, 110, 30)).max() < 15
