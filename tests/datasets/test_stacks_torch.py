# ruff: noqa: E402
"""Strips drawn on an accelerator are those that the processor draws: painted, coded and unrolled alike. Run by Triton's interpreter."""

from __future__ import annotations

import math
import os
from typing import Any

import cv2
import numpy as np
import pytest

os.environ.setdefault("TRITON_INTERPRET", "1")
torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from calibration.camera import Camera
from datasets.crops import stacks_torch
from datasets.crops.stacks_art import EDGE_SAMPLES, GROUND_PX, TOP_PX, art
from datasets.draw.cards import CardDesign
from datasets.draw.chips import ChipDesign
from datasets.render import pile_kernel
from datasets.render.compositor import Renderer
from datasets.render.draws import Draws
from datasets.render.look import Light, Look
from datasets.render.sensor_torch import jpeg, worn
from datasets.scene import CHIP_MM, ChipItem, Scene
from models.chip_reader import COLOR_NAMES
from models.stack_reader import MOST_CHIPS
from vision.looks.stacks import cut_strip

SIZE = 112


@pytest.fixture(autouse=True)
def large_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter takes as long for a small block of pixels as for a large one."""
    monkeypatch.setattr(pile_kernel, "_PIXELS", 16384)


class Still(Draws):
    """Draws nothing but means."""

    def normal(self, shape: tuple[int, ...], deviation: Any = 1.0) -> Any:
        return torch.zeros(shape)

    def uniform(self, shape: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> Any:
        return torch.full(shape, (low + high) / 2)


def bank_of(sets: int) -> stacks_torch.ArtBank:
    bank = stacks_torch.ArtBank(sets, "cpu")
    bank.add(art(7, sets))
    return bank


def camera_of(camera: dict[str, Any], k: int) -> Camera:
    """A camera of many as the project's own."""
    focal, (x, y) = float(camera["focal"][k]), camera["middle"][k].tolist()
    rotation, eye = camera["rotation"][k].double().numpy(), camera["eye"][k].double().numpy()
    matrix = np.array([[focal, 0, x], [0, focal, y], [0, 0, 1]])
    return Camera(matrix, np.zeros(5), rotation, -rotation @ eye, (SIZE, SIZE))


@pytest.mark.parametrize("upright", [1.0, 0.4], ids=["sides as light as faces", "dark sides"])
def test_a_pile_is_painted_as_the_compositor_paints_it(upright: float) -> None:
    rng = np.random.default_rng(5)
    design = ChipDesign.random(rng)
    several = stacks_torch.cameras(Draws("cpu", 4), 40, 1.2, 1.37, SIZE)
    low = several["eye"][:, 2].argmin()
    camera = {key: value[low : low + 1] for key, value in several.items()}
    light = Light((-300.0, 200.0, 1800.0), 0.6, 0.25, 0.5, 0.8, upright)
    names = ("red", "red", "green", "white", "red", "white")
    chips = [ChipItem(name, (0.3 * k, 0.0), k * CHIP_MM[1], 70.0 * k, k, "pile") for k, name in enumerate(names)]
    felt = np.full((SIZE, SIZE, 3), (60, 110, 40), np.uint8)
    looks = Look(CardDesign.random(rng, split="train"), design, (), light)
    expected = Renderer(camera_of(camera, 0), looks, felt).draw(Scene(chips=tuple(chips)))

    tops = [
        cv2.resize(design.top(name)[..., :3], (TOP_PX, TOP_PX), interpolation=cv2.INTER_AREA) for name in COLOR_NAMES
    ]
    at = (np.arange(EDGE_SAMPLES) + 0.5) / EDGE_SAMPLES
    edges = []
    for name in COLOR_NAMES:
        spots = design.edge_colors(name)
        edges.append(np.array([ink for _, ink in spots])[np.searchsorted([s for s, _ in spots], at, side="right") - 1])
    pictures = pile_kernel.Art(
        torch.from_numpy(np.stack(tops)),
        torch.from_numpy(np.stack(edges).astype(np.uint8)),
        torch.from_numpy(np.broadcast_to(felt[:1, :1], (1, GROUND_PX, GROUND_PX, 3)).copy()),
    )
    told = [
        0.0, 0.0, 0.0, *stacks_torch._table_from_pixel(camera)[0].flatten().tolist(), *camera["eye"][0].tolist(),
        *light.position_mm, light.shadow, light.softness, light.ambient, light.groove, float(camera["scale"][0]),
        *[0.0] * 7, light.side,
    ]  # fmt: skip
    values = torch.zeros(1, pile_kernel.WINDOW_VALUES)
    values[0, : len(told)] = torch.tensor(told)
    turned = [math.radians(chip.angle_deg) for chip in chips]
    rows = [
        (*chip.center_mm, chip.z_mm, math.cos(turn), math.sin(turn), float(COLOR_NAMES.index(chip.color)))
        for chip, turn in zip(chips, turned, strict=True)
    ]
    windows = pile_kernel.Windows(SIZE, values, torch.tensor([rows]), torch.tensor([len(rows)], dtype=torch.int32))
    painted = pile_kernel.paint(windows, pictures)[0].permute(1, 2, 0).numpy()

    pile = np.abs(expected.astype(int) - felt).max(axis=2) > 12
    soft = [cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 1.0) for picture in (painted, expected)]
    away = np.abs(soft[0] - soft[1])
    assert pile.sum() > 2000, "there is a pile"
    # 4.7 as it is; 5.4 without the shadow under each chip, 6.2 without the pile's own, 9 without grooves, 11 with the spots turned the other way.
    assert away[pile].mean() < 5.1


def test_jpeg_is_coded_as_by_the_library() -> None:
    rng = np.random.default_rng(3)
    picture = cv2.GaussianBlur(rng.integers(0, 256, (70, 90, 3)).astype(np.uint8), (0, 0), 1.5)
    for quality in (50, 75, 95):
        data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        expected = cv2.imdecode(data, cv2.IMREAD_COLOR)
        tensor = torch.from_numpy(picture).permute(2, 0, 1)[None].float()
        coded = jpeg(tensor, torch.full((1, 1, 1, 1), float(quality)))[0].permute(1, 2, 0).numpy()
        assert np.abs(coded - expected).mean() < 1.5, quality


def test_a_strip_is_cut_as_the_watcher_cuts_it() -> None:
    camera = stacks_torch.cameras(Draws("cpu", 9), 3, 1.0, 1.37, SIZE)
    pictures = torch.randint(256, (3, 3, SIZE // 4, SIZE // 4)).float()
    pictures = (
        torch.nn.functional.interpolate(pictures, size=(SIZE, SIZE), mode="bicubic").clamp(0, 255).to(torch.uint8)
    )
    scene = {"counts": torch.tensor([1, 2, 10]), "colors": torch.zeros(3, MOST_CHIPS, dtype=torch.int64)}
    strips = stacks_torch.unrolled(Still("cpu", 1), pictures, camera, scene, 1)
    kept = 0
    for k in range(3):
        image = np.ascontiguousarray(pictures[k].permute(1, 2, 0).numpy())
        expected = cut_strip(image, camera_of(camera, k), (0.0, 0.0))
        if expected is None:
            continue
        strip = strips["images"][kept].permute(1, 2, 0).numpy()
        assert float(strips["side_px"][kept]) == pytest.approx(expected.side_px, rel=1e-3)
        assert float(strips["felt"][kept]) == pytest.approx(0.0, abs=1e-4)
        assert np.abs(strip.astype(int) - expected.image.astype(int)).mean() < 2.0
        kept += 1
    assert kept == len(strips["counts"]) > 0


def test_strips_come_with_their_truth_and_are_worn() -> None:
    bank, draws = bank_of(2), Draws("cpu", 11)
    strips = stacks_torch.strips(draws, bank, 4)
    n = len(strips["counts"])
    assert strips["images"].shape == (n, 6, 72, 24)
    assert strips["images"].dtype == torch.uint8
    assert n > 0
    for count, colors in zip(strips["counts"].tolist(), strips["colors"].tolist(), strict=True):
        assert all(0 <= color < len(COLOR_NAMES) for color in colors[:count])
        assert all(color == -1 for color in colors[count:])
    plain = torch.full((2, 3, 64, 64), 128, dtype=torch.uint8)
    assert worn(plain, draws).shape == plain.shape


def test_a_bank_takes_new_pictures_over_the_oldest() -> None:
    bank = stacks_torch.ArtBank(3, "cpu")
    drawn = art(3, 2)
    bank.add(drawn)
    assert bank.filled == 2
    bank.add(drawn)
    assert bank.filled == 3
    assert np.array_equal(bank.art.grounds[2].numpy(), drawn["grounds"][0])
    bank.add(drawn)
    assert np.array_equal(bank.art.grounds[:2].numpy(), drawn["grounds"])
