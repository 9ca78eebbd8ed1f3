"""Pictures of a felt through a camera, with cover, light fall-off and noise, made from the drawing itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from calibration.drawing import draw_layout
from calibration.layout import Layout, load_layout

Bytes = npt.NDArray[np.uint8]
View = Callable[..., Bytes]
Color = tuple[int, int, int]


@pytest.fixture(scope="session")
def layout() -> Layout:
    return load_layout("raise_it_up_6")


@pytest.fixture(scope="session")
def view(layout: Layout) -> View:
    """`view(camera, seed, cover, felt_bgr, ink_bgr, accent_bgr, of)` -> BGR picture, of the layout named `of`."""

    @lru_cache(maxsize=4)
    def drawn(name: str, felt: Color, ink: Color, accent: Color) -> tuple[Bytes, npt.NDArray[np.float64]]:
        table = load_layout(name)
        return draw_layout(
            table, 1.5, felt_bgr=felt, ink_bgr=ink, accent_bgr=accent, outside_bgr=(25, 35, 50), margin_mm=30
        )

    def make(
        camera: Camera,
        seed: int = 0,
        cover: float = 0.0,
        felt_bgr: Color = (70, 95, 20),
        ink_bgr: Color = (235, 240, 240),
        accent_bgr: Color = (90, 190, 235),
        of: str = layout.name,
    ) -> Bytes:
        rng = np.random.default_rng(seed)
        width, height = camera.size_px
        felt, table_from_felt = drawn(of, felt_bgr, ink_bgr, accent_bgr)
        step = 8
        xs, ys = np.meshgrid(
            np.arange(0, width + step, step, dtype=np.float64), np.arange(0, height + step, step, dtype=np.float64)
        )
        table = camera.table_from_image(np.column_stack([xs.ravel(), ys.ravel()]))
        felt_from_table = np.linalg.inv(table_from_felt)
        coarse = np.nan_to_num(table @ felt_from_table[:2, :2].T + felt_from_table[:2, 2], nan=-1e4).astype(np.float32)
        enlarge = np.array([[step, 0.0, 0.0], [0.0, step, 0.0]])
        where = cv2.warpAffine(coarse.reshape(*xs.shape, 2), enlarge, (width, height), flags=cv2.INTER_LINEAR)
        picture = cv2.remap(felt, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderValue=(40, 60, 60))
        covered = np.zeros((height, width), np.uint8)
        on_table = (
            cv2.remap(np.full(felt.shape[:2], 255, np.uint8), where[..., 0], where[..., 1], cv2.INTER_NEAREST) > 0
        )
        while cover > 0 and (covered[on_table] > 0).mean() < cover:
            turn, middle = rng.uniform(0, np.pi), np.array([rng.uniform(-950, 950), rng.uniform(20, 1000)])
            half = np.array([32, 44]) if rng.random() < 0.6 else np.array([50, rng.uniform(150, 300)])
            box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
            box = box @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + middle
            px = np.round(camera.image_from_table(box)).astype(np.int32)
            cv2.fillPoly(picture, [px], tuple(int(v) for v in rng.integers(0, 255, 3)), cv2.LINE_AA)
            cv2.fillPoly(covered, [px], (255,))
        slope = rng.uniform(-0.35, 0.35, 2)
        xs, ys = np.meshgrid(np.arange(width), np.arange(height))
        light = 0.9 + slope[0] * (xs / width - 0.5) + slope[1] * (ys / height - 0.5)
        noisy = cv2.GaussianBlur(picture, (0, 0), 0.8) * light[..., None] + rng.normal(0, 4, picture.shape)
        return np.clip(noisy, 0, 255).astype(np.uint8)

    return make
