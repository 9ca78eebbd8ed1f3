"""Pictures of a felt through a camera, made from the layout's own drawing: covered, unevenly lit, blurred, noisy, compressed.

Quick (a fifth of a second at 1080p), for tests and for measuring calibration; `datasets.render` films whole tables.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.drawing import draw_layout
from calibration.layout import Layout, load_layout

Bytes = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]
Bgr = tuple[int, int, int]

SIZE_PX = (1920, 1080)
FELT_WIDTH_MM = 2000.0
LEAST_CONTRAST = 40.0
"""Levels of grey by which print differs from felt at least, accents by half of it: what differs in hue alone is not looked for."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a felt looks in a picture.

    Attributes:
        felt_bgr, ink_bgr, accent_bgr: its colours.
        blur_px: standard deviation of the lens' and sensor's blur.
        noise: standard deviation of the sensor's noise, in levels.
        jpeg: quality of a JPEG on the way, None without.
        slope: how much the light changes over the picture at most, as a share.
    """

    felt_bgr: Bgr = (70, 95, 20)
    ink_bgr: Bgr = (235, 240, 240)
    accent_bgr: Bgr = (90, 190, 235)
    blur_px: float = 0.8
    noise: float = 4.0
    jpeg: int | None = None
    slope: float = 0.35


def draw_view(camera: Camera, layout: str, look: Look | None = None, *, seed: int = 0, cover: float = 0.0) -> Bytes:
    """A picture, (h, w, 3) uint8 BGR.

    Args:
        camera: the camera over the table.
        layout: name of its layout.
        look: colours and faults.
        seed: of cover, light and noise.
        cover: share of the felt in view that arms, cards and chips hide.
    """
    look = look or Look()
    rng = np.random.default_rng(seed)
    picture, on_felt = _felt_picture(camera, layout, look)
    _cover(picture, on_felt, camera, rng, cover)
    width, height = camera.size_px
    slope = rng.uniform(-look.slope, look.slope, 2)
    xs, ys = np.linspace(-0.5, 0.5, width), np.linspace(-0.5, 0.5, height)
    light = (0.9 + slope[0] * xs[None, :] + slope[1] * ys[:, None]).astype(np.float32)
    lit = cv2.GaussianBlur(picture, (0, 0), look.blur_px).astype(np.float32) * light[..., None]
    lit += rng.standard_normal(lit.shape, dtype=np.float32) * np.float32(look.noise)
    out: Bytes = np.clip(lit, 0, 255).astype(np.uint8)
    if look.jpeg is not None:
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg])
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
    return out


def random_camera(rng: np.random.Generator) -> Camera:
    """A camera as one hangs over a table: up to 45 degrees from the vertical, any lens, on any side.

    The felt is 70 to 100 % as wide as the picture, in one of five pictures up to 140 %: then part of it is out of view."""
    focal_px = rng.uniform(0.8, 1.7) * SIZE_PX[0]
    tilt, around = np.radians(rng.uniform(0, 45)), rng.uniform(0, 2 * np.pi)
    upright = rng.choice([0.0, 180.0]) + rng.normal(0, 6)
    wide = rng.uniform(0.7, 1.0) if rng.random() < 0.8 else rng.uniform(1.0, 1.4)
    away = focal_px * FELT_WIDTH_MM / (wide * SIZE_PX[0])
    aim = np.array([rng.normal(0, 60), 500 + rng.normal(0, 60), 0.0])
    ray = np.array([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)])
    position = aim + away * ray
    return Camera.looking_at(
        position.tolist(), aim.tolist(), float(upright), float(focal_px), SIZE_PX, float(rng.uniform(-0.12, 0.05))
    )


def random_look(rng: np.random.Generator) -> Look:
    """Any colour of felt with prints brighter or darker than it, some blur, noise and compression."""
    while True:
        hue, dark = rng.random(), rng.random() < 0.75
        felt = _bgr(hue, rng.uniform(0.2, 0.9), rng.uniform(0.15, 0.5) if dark else rng.uniform(0.6, 0.85))
        ink_value, accent_value = ((0.8, 1.0), (0.7, 1.0)) if dark else ((0.05, 0.2), (0.1, 0.3))
        ink = _bgr(rng.random(), rng.uniform(0, 0.15), rng.uniform(*ink_value))
        accent = _bgr(rng.random(), rng.uniform(0.0, 0.6), rng.uniform(*accent_value))
        if abs(_luma(ink) - _luma(felt)) >= LEAST_CONTRAST and abs(_luma(accent) - _luma(felt)) >= LEAST_CONTRAST / 2:
            break
    return Look(
        felt,
        ink,
        accent,
        blur_px=float(rng.uniform(0.5, 1.6)),
        noise=float(rng.uniform(1.5, 8)),
        jpeg=int(rng.integers(50, 96)),
        slope=float(rng.uniform(0.1, 0.5)),
    )


def corner_error_px(found: Camera, true: Camera, layout: Layout) -> float:
    """Root mean square distance, over the corners of all areas in view, between a camera and the true one."""
    corners = np.vstack([np.array(area.polygon_mm) for area in layout.areas])
    truth = true.image_from_table(corners)
    seen = ((np.nan_to_num(truth, nan=-1.0) >= 0) & (truth < true.size_px)).all(axis=1)
    return float(np.sqrt(np.mean(((found.image_from_table(corners) - truth)[seen] ** 2).sum(axis=1))))


def _luma(bgr: Bgr) -> float:
    return 0.114 * bgr[0] + 0.587 * bgr[1] + 0.299 * bgr[2]


def _bgr(hue: float, saturation: float, value: float) -> Bgr:
    red, green, blue = colorsys.hsv_to_rgb(hue, saturation, value)
    return round(255 * blue), round(255 * green), round(255 * red)


@lru_cache(maxsize=4)
def _drawn(layout: str, felt: Bgr, ink: Bgr, accent: Bgr) -> tuple[Bytes, FloatArray]:
    return draw_layout(
        load_layout(layout), 1.5, felt_bgr=felt, ink_bgr=ink, accent_bgr=accent, outside_bgr=(25, 35, 50), margin_mm=30
    )


def _felt_picture(camera: Camera, layout: str, look: Look) -> tuple[Bytes, npt.NDArray[np.bool_]]:
    """The bare felt and its surroundings, and where in the picture the drawing lies."""
    felt, table_from_felt = _drawn(layout, look.felt_bgr, look.ink_bgr, look.accent_bgr)
    width, height = camera.size_px
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
    x, y = where[..., 0], where[..., 1]
    on_felt = (x >= 0) & (y >= 0) & (x < felt.shape[1]) & (y < felt.shape[0])
    return np.asarray(picture, np.uint8), np.asarray(on_felt, bool)


def _cover(
    picture: Bytes, on_felt: npt.NDArray[np.bool_], camera: Camera, rng: np.random.Generator, cover: float
) -> None:
    """Put arms, cards and chips on the felt until so much of it is hidden."""
    covered = np.zeros(picture.shape[:2], np.uint8)
    while cover > 0 and (covered[on_felt] > 0).mean() < cover:
        middle = np.array([rng.uniform(-950, 950), rng.uniform(20, 1000)])
        for outline, bgr in _thing(middle, rng):
            px = camera.image_from_table(outline)
            if np.isfinite(px).all():
                fixed = np.round(px * 8).astype(np.int32)
                cv2.fillPoly(picture, [fixed], bgr, cv2.LINE_AA, shift=3)
                cv2.fillPoly(covered, [fixed], (255,), shift=3)


def _thing(middle: FloatArray, rng: np.random.Generator) -> list[tuple[FloatArray, Bgr]]:
    """Outlines on the table, with colours, of a card, some chips, or a forearm."""
    kind, turn = rng.random(), rng.uniform(0, np.pi)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    paint = (int(rng.integers(0, 255)), int(rng.integers(0, 255)), int(rng.integers(0, 255)))
    if kind < 0.5:
        face = square * np.array([31.75, 44.45]) @ rotation + middle
        inner = square * np.array([27.0, 39.0]) @ rotation + middle
        return [(face, (240, 240, 240)), (inner, paint)]
    if kind < 0.7:
        angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        disc = 19.5 * np.column_stack([np.cos(angles), np.sin(angles)])
        apart = rng.normal(0, 35, (5, 2))
        return [(disc + middle + place, paint) for place in apart]
    arm = square * np.array([rng.uniform(40, 60), rng.uniform(150, 300)]) @ rotation + middle
    return [(arm, (int(rng.integers(60, 190)), int(rng.integers(60, 200)), int(rng.integers(60, 230))))]
