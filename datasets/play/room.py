"""The room a recording is made in: camera, felt with tray, shoe and rack, designs, light and sensor, all by seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.drawing import draw_layout, outline_mask
from calibration.layout import Area, Layout
from datasets.draw.cards import CardDesign
from datasets.draw.chips import ChipDesign
from datasets.draw.felt import plain_felt
from datasets.draw.hands import HandLook
from datasets.draw.shapes import vary_within
from datasets.play.chips import COLORS
from datasets.render.compositor import Background, Renderer
from datasets.render.look import Light, Look
from datasets.render.sensor import Sensor, SensorLook

U8 = npt.NDArray[np.uint8]
Bgr = tuple[int, int, int]

FELT_PX_PER_MM = 1.5
"""Scale of the drawn table for a picture 1920 pixels wide; smaller pictures get a smaller drawing."""
MARGIN_MM = 360.0
RAIL_MM = 75.0
"""The padded rail around the players' side."""
_SHADED_PX = 230
"""From so far inside the felt's edge on, what the rail takes of the light is lost in rounding."""
FELTS: tuple[Bgr, ...] = (
    (62, 98, 24), (52, 78, 14), (110, 60, 24), (92, 46, 20), (44, 34, 116), (52, 48, 52), (88, 84, 20), (38, 60, 40),
)  # fmt: skip
"""Cloths: greens, blues, a red, greys, a teal."""
ACCENTS: tuple[Bgr, ...] = ((90, 190, 235), (120, 210, 240), (200, 215, 225), (120, 200, 140))


@dataclass(frozen=True, slots=True)
class Room:
    """Everything that turns a scene into a picture."""

    camera: Camera
    look: Look
    renderer: Renderer
    sensor: Sensor


class KeptHand:
    """A hand's look whose drawings are made once."""

    def __init__(self, look: HandLook) -> None:
        self._look = look
        self._drawn: dict[float, tuple[U8, tuple[float, float], float]] = {}

    def sprite(self, grip: float) -> tuple[U8, tuple[float, float], float]:
        """Return the drawing of `HandLook.sprite`."""
        if grip not in self._drawn:
            self._drawn[grip] = self._look.sprite(grip)
        return self._drawn[grip]


def make_room(layout: Layout, seed: int, size_px: tuple[int, int], hands: int) -> Room:
    """Return the room of a seed; `hands` looks: the dealer's, then one for each player."""
    rng = np.random.default_rng((seed, 2))
    camera = random_camera(layout, size_px, rng)
    look = Look(
        casino_deck(rng),
        ChipDesign.random(rng),
        tuple(KeptHand(HandLook.random(rng, dealer=i == 0)) for i in range(hands)),
        Light.random(rng),
    )
    scale = FELT_PX_PER_MM * max(0.3, size_px[0] / 1920.0)
    renderer = Renderer(camera, look, draw_table(layout, look, rng, scale))
    sensor_look = SensorLook.random(rng, hard=0.4)
    sensor = Sensor(_decent(sensor_look), size_px, seed)
    return Room(camera, look, renderer, sensor)


def casino_deck(rng: np.random.Generator) -> CardDesign:
    """Return a deck as casinos use them, of a family that the networks were never trained on.

    Light paper, index of at least 9 mm, English letters, and pips unless the index is large.
    """
    while True:
        design = CardDesign.random(rng, split="val")
        usual = min(design.paper) > 200 and design.letters == 0 and design.ten == "10"
        if usual and design.rank_mm >= 9.0 and (design.body == "pips" or design.rank_mm >= 12.0):
            return design


def _decent(look: SensorLook) -> SensorLook:
    """A casino camera of today: no JPEG before the video coder, little noise and blur."""
    return SensorLook(
        gain=look.gain, warmth=look.warmth, falloff=look.falloff, center=look.center, vignette=look.vignette,
        glare=min(look.glare, 0.15), glare_at=look.glare_at, glare_size=look.glare_size, flicker=look.flicker,
        blur_px=min(look.blur_px, 0.55), noise=min(max(look.noise, 0.4), 1.2), gamma=look.gamma,
    )  # fmt: skip


def random_camera(layout: Layout, size_px: tuple[int, int], rng: np.random.Generator) -> Camera:
    """Return a ceiling camera that sees the whole table as large as it fits, tilted by up to about 30 degrees."""
    outline = np.asarray(layout.outline_mm)
    smallest = 0.8 * size_px[0] / 1920.0
    for _ in range(200):
        tilt = np.radians(float(rng.triangular(0.0, 8.0, 34.0)))
        around = np.radians(float(rng.choice([90.0, 270.0])) + float(rng.normal(0.0, 25.0)))
        distance = float(rng.uniform(2100.0, 3400.0))
        roll = float(rng.choice([0.0, 180.0])) + float(rng.normal(0.0, 2.0))
        k1 = float(rng.uniform(-0.06, 0.01))
        away = distance * np.array(
            [np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)]
        )  # fmt: skip
        fill = float(rng.uniform(0.945, 0.985))
        aim, focal = np.array([0.0, 500.0, 0.0]), 0.8 * distance * size_px[0] / 1920.0
        camera = Camera.looking_at((aim + away).tolist(), aim.tolist(), roll, focal, size_px, k1)
        for _ in range(6):
            seen = camera.image_from_table(outline)
            low, high = seen.min(axis=0), seen.max(axis=0)
            focal *= fill * float(min(np.asarray(size_px) / (high - low)))
            aim[:2] = camera.table_from_image(((low + high) / 2)[None])[0][:2]
            camera = Camera.looking_at((aim + away).tolist(), aim.tolist(), roll, focal, size_px, k1)
        if smallest <= camera.px_per_mm_at((0.0, 500.0, 0.0)):
            return camera
    raise ValueError(f"no camera sees the layout {layout.name} at {smallest:.2f} px/mm in {size_px} pixels")


def draw_table(layout: Layout, look: Look, rng: np.random.Generator, px_per_mm: float = FELT_PX_PER_MM) -> Background:
    """Return the empty table: cloth, print, rail, floor, tray with chips, shoe and discard rack."""
    felt = FELTS[int(rng.integers(len(FELTS)))]
    felt = vary_within(rng, felt, 8)
    accent = ACCENTS[int(rng.integers(len(ACCENTS)))]
    image, table_from_px = draw_layout(
        layout, px_per_mm, felt_bgr=felt, ink_bgr=(226, 232, 234), accent_bgr=accent, margin_mm=MARGIN_MM
    )
    height, width = image.shape[:2]
    cloth = cv2.subtract(plain_felt(rng, (width, height), felt), np.array((*felt, 0.0)), dtype=cv2.CV_16S)
    image = np.asarray(cv2.add(image, cloth, dtype=cv2.CV_8U), np.uint8)
    on_felt = outline_mask(layout, px_per_mm, MARGIN_MM)
    image = _with_rail(image, on_felt, RAIL_MM * px_per_mm, rng)
    px_from_table = np.asarray(np.linalg.inv(table_from_px), np.float64)
    _draw_tray(image, layout.area("tray"), px_from_table, look, rng)
    _draw_shoe(image, layout.area("shoe"), px_from_table, rng)
    _draw_rack(image, layout.area("discard_rack"), px_from_table, rng)
    return Background(image, table_from_px, vary_within(rng, (30, 26, 34), 10))


def _with_rail(image: U8, on_felt: U8, rail_px: float, rng: np.random.Generator) -> U8:
    """Paint the padded rail around the felt and the carpet beyond."""
    leather = np.asarray(vary_within(rng, (34, 40, 52), 14), np.float32)
    grain = rng.normal(0, 2.0, on_felt.shape)
    carpet = np.asarray(vary_within(rng, (36, 28, 60), 22), np.float32)
    small = rng.normal(0, 1.0, (image.shape[0] // 14 + 2, image.shape[1] // 14 + 2)).astype(np.float32)
    cloud = cv2.resize(small, (image.shape[1], image.shape[0]), interpolation=cv2.INTER_LINEAR)
    from_edge = cv2.distanceTransform(on_felt, cv2.DIST_L2, 5)
    outside = cv2.distanceTransform(cv2.bitwise_not(on_felt), cv2.DIST_L2, 5) / rail_px
    out = image.copy()
    felt = (on_felt == 255) & (from_edge < _SHADED_PX)
    out[felt] = image[felt] * _shade(from_edge[felt])
    floor, woven = outside >= 1.0, 1.0 + 0.22 * cloud
    for channel, level in enumerate(carpet):
        np.copyto(out[..., channel], np.clip(level * woven, 0, 255), casting="unsafe", where=floor)
    rail = (on_felt < 255) & ~floor
    away = outside[rail][:, None]
    bulge = 0.55 + 0.75 * np.sqrt(np.clip(1.0 - (2.0 * away - 0.9) ** 2, 0.0, 1.0))
    padded = np.clip(leather * bulge + grain[rail][:, None], 0, 255)
    share = on_felt[rail][:, None].astype(np.float32) / 255.0
    out[rail] = image[rail] * _shade(from_edge[rail]) * share + padded * (1 - share)
    return out


def _shade(from_edge: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """How much light the rail leaves (n, 1) felt that lies so many pixels from it."""
    return np.asarray(np.clip(1.0 - 0.3 * np.exp(-from_edge / 14.0), 0, 1))[:, None]


def _px(points_mm: Sequence[Sequence[float]], px_from_table: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    points = np.asarray(points_mm, np.float64).reshape(-1, 1, 2)
    return np.round(cv2.perspectiveTransform(points, px_from_table).reshape(-1, 2) * 16).astype(np.int32)


def _fill(image: U8, points_mm: Sequence[Sequence[float]], px_from_table: npt.NDArray[np.float64], color: Bgr) -> None:
    cv2.fillPoly(image, [_px(points_mm, px_from_table)], color, lineType=cv2.LINE_AA, shift=4)


def _box(x0: float, y0: float, x1: float, y1: float) -> list[list[float]]:
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def _shadow(image: U8, area: Area, px_from_table: npt.NDArray[np.float64], by_mm: float) -> None:
    corners = _px([[x + 0.4 * by_mm, y + by_mm] for x, y in area.polygon_mm], px_from_table)
    reach = round(5 * by_mm)
    low = np.maximum(corners.min(axis=0) // 16 - reach, 0)
    high = corners.max(axis=0) // 16 + reach
    part = image[low[1] : high[1], low[0] : high[0]]
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.asarray(corners - low * 16, np.int32)], 255, shift=4)
    blur = cv2.GaussianBlur(mask, (0, 0), by_mm * 0.6)[..., None].astype(np.float32) / 255.0
    np.copyto(part, np.asarray(part * (1.0 - 0.5 * blur), np.uint8))


def _draw_tray(
    image: U8, area: Area, px_from_table: npt.NDArray[np.float64], look: Look, rng: np.random.Generator
) -> None:
    """The table inventory container: tubes with rolls of chips lying on edge."""
    (x0, y0), (x1, y1) = np.asarray(area.polygon_mm).min(axis=0), np.asarray(area.polygon_mm).max(axis=0)
    metal = vary_within(rng, (96, 96, 98), 30)
    dark: Bgr = (metal[0] // 3, metal[1] // 3, metal[2] // 3)
    _fill(image, _box(x0, y0, x1, y1), px_from_table, metal)
    tubes = 12
    width = (x1 - x0 - 12.0) / tubes
    colors = ["orange", "purple", "purple", "black", "black", "green", "green", "red", "red", "red", "white", "white"]
    for i in range(tubes):
        left = x0 + 6.0 + i * width
        _fill(image, _box(left + 2.0, y0 + 8.0, left + width - 2.0, y1 - 8.0), px_from_table, dark)
        count = int(rng.integers(18, int((y1 - y0 - 20.0) / 3.3)))
        _draw_roll(image, (left + 3.0, left + width - 3.0), y0 + 9.0, count, colors[i], px_from_table, look, rng)


def _draw_roll(
    image: U8, across: tuple[float, float], y_mm: float, count: int, color: str,
    px_from_table: npt.NDArray[np.float64], look: Look, rng: np.random.Generator,
) -> None:  # fmt: skip
    """A roll of chips on edge as seen from above: thin bands with their edge spots."""
    assert color in COLORS
    samples = 24
    edge = look.chip_edge(color, samples)
    left, right = across
    strips = 8
    for k in range(count):
        turn = int(rng.integers(samples))
        y = y_mm + 3.3 * k
        for j in range(strips):
            share = (j + 0.5) / strips
            at = int(np.arccos(1 - 2 * share) / (2 * np.pi) * samples) + turn
            shade = 0.45 + 0.55 * np.sin(np.pi * share)
            b, g, r = (int(v * shade) for v in edge[at % samples])
            a, z = left + (right - left) * j / strips, left + (right - left) * (j + 1) / strips
            _fill(image, _box(a, y, z, y + 2.9), px_from_table, (b, g, r))
        _fill(image, _box(left, y + 2.9, right, y + 3.3), px_from_table, (24, 24, 26))


def _draw_shoe(image: U8, area: Area, px_from_table: npt.NDArray[np.float64], rng: np.random.Generator) -> None:
    """A manual shoe: a dark box, its mouth towards the players."""
    _shadow(image, area, px_from_table, 16.0)
    (x0, y0), (x1, y1) = np.asarray(area.polygon_mm).min(axis=0), np.asarray(area.polygon_mm).max(axis=0)
    body = vary_within(rng, (40, 36, 36), 18)
    lid: Bgr = (body[0] + 26, body[1] + 26, body[2] + 26)
    _fill(image, _box(x0 + 12, y0 + 4, x1 - 12, y1 - 4), px_from_table, body)
    _fill(image, _box(x0 + 24, y0 + 12, x1 - 24, y1 - 70), px_from_table, lid)
    _fill(image, _box(x0 + 34, y1 - 62, x1 - 34, y1 - 8), px_from_table, (18, 18, 20))
    _fill(image, _box(x0 + 20, y1 - 14, x1 - 20, y1 - 6), px_from_table, (120, 118, 116))


def _draw_rack(image: U8, area: Area, px_from_table: npt.NDArray[np.float64], rng: np.random.Generator) -> None:
    """A discard rack: a tinted box open to the players."""
    _shadow(image, area, px_from_table, 12.0)
    (x0, y0), (x1, y1) = np.asarray(area.polygon_mm).min(axis=0), np.asarray(area.polygon_mm).max(axis=0)
    tint = [(36, 32, 150), (30, 30, 34), (120, 96, 60)][int(rng.integers(3))]
    b, g, r = vary_within(rng, tint, 14)
    _fill(image, _box(x0 + 22, y0 + 14, x1 - 22, y1 - 8), px_from_table, (b, g, r))
    _fill(image, _box(x0 + 34, y0 + 24, x1 - 34, y1 - 8), px_from_table, (b // 2, g // 2, r // 2))
