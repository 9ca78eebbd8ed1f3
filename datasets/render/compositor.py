"""Paints the things of a scene over the felt, touching only the pixels they cover."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from datasets.render.boxes import Box, joined
from datasets.render.look import Look
from datasets.render.shapes import (
    CIRCLE_POINTS,
    Projector,
    chip_circles_mm,
    chip_top_corners_mm,
    picture_corners_mm,
    shows_face,
)
from datasets.render.sprites import Patch, Sprite, darkening, lay, shadow_mask
from datasets.scene import CardItem, ChipItem, HandItem, Scene

U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]
Item = CardItem | ChipItem | HandItem

LIFTED_MM = 12.0
"""Cards at least this high above the felt (and hands) throw their shadow on what lies below, not on the felt alone."""
_SHADOW_SHRINK = 3
_CACHE = 600
_OVERSAMPLE = 3
_BANDS = ((0.0, 0.14, 1.0), (0.9, 1.0, 0.5), (0.14, 0.9, 0.0))
"""Parts of a chip's side from below and how much of the groove's darkness lies on each: its edges are rounded, so chips on
one another show dark lines between them."""
_FINE_PX = 1.0
"""A side lower than this in the picture shows no lines, only their mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The empty table from above.

    Attributes:
        image_bgr: (h, w, 3) uint8.
        table_from_px: (3, 3), table millimetres of the image's pixels.
        floor_bgr: what is seen beside it.
    """

    image_bgr: U8
    table_from_px: F64
    floor_bgr: tuple[int, int, int] = (28, 26, 30)


@dataclass(frozen=True, slots=True, eq=False)
class _Layers:
    """Patches of one item: its shadow on the felt, then its tight shadow and itself."""

    felt_shadow: tuple[int, int, U8] | None
    patches: tuple[Patch, ...]


class Renderer:
    """Draws scenes as one camera sees them, before the sensor (see `datasets.render.sensor`).

    Args:
        camera: where the picture is taken from.
        look: designs and light.
        background: the empty table, or a picture (h, w, 3) of the camera's size already.
    """

    def __init__(self, camera: Projector, look: Look, background: Background | U8) -> None:
        self.camera = camera
        self.look = look
        self._cache: OrderedDict[Item, _Layers] = OrderedDict()
        if isinstance(background, Background):
            self.background: U8 = warp_background(camera, background)
        else:
            width, height = camera.size_px
            if background.shape != (height, width, 3):
                raise ValueError(
                    f"background: expected shape {(height, width, 3)} as the camera's, got {background.shape}"
                )
            self.background = background

    def base(self, scene: Scene) -> U8:
        """Return the whole picture of what rests, to be given to `draw` as `base` while other things move."""
        return self.draw(scene)

    def draw(self, scene: Scene, window_px: Box | None = None, base: U8 | None = None) -> U8:
        """Return the picture of `scene` laid over `base` (default: the empty table).

        Args:
            scene: what to paint; with `base`, only what is not in it already.
            window_px: half-open (x0, y0, x1, y1) to draw only that part.
            base: (h, w, 3) uint8 full picture; it is not changed.

        Returns:
            (h, w, 3) BGR uint8 of the whole picture or of the window.
        """
        under = self.background if base is None else base
        width, height = self.camera.size_px
        x0, y0, x1, y1 = window_px if window_px is not None else (0, 0, width, height)
        if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
            raise ValueError(f"window_px: expected a part of the {width} x {height} picture, got {window_px}")
        image = under[y0:y1, x0:x1].copy()
        self.paint(image, scene, (x0, y0))
        return image

    def paint(self, image: U8, scene: Scene, origin_px: tuple[int, int] = (0, 0)) -> list[Box]:
        """Paint `scene` into `image` in place and return the pixel boxes touched, in full-picture pixels."""
        items = painting_order(scene)
        layers = [self._layers(item) for item in items]
        touched = self._felt_shadows(image, [layer.felt_shadow for layer in layers], origin_px)
        for layer in layers:
            for patch in layer.patches:
                lay(image, patch, origin_px)
                touched.append(patch.box_px)
        return touched

    def _felt_shadows(
        self, image: U8, shadows: list[tuple[int, int, U8] | None], origin_px: tuple[int, int]
    ) -> list[Box]:
        present = [s for s in shadows if s is not None]
        if not present:
            return []
        ox, oy = origin_px
        h, w = image.shape[:2]
        x0 = max(ox, min(s[0] for s in present))
        y0 = max(oy, min(s[1] for s in present))
        x1 = min(ox + w, max(s[0] + s[2].shape[1] for s in present))
        y1 = min(oy + h, max(s[1] + s[2].shape[0] for s in present))
        if x0 >= x1 or y0 >= y1:
            return []
        total = np.zeros((y1 - y0, x1 - x0), np.uint8)
        boxes: list[Box] = []
        for sx, sy, mask in present:
            cx0, cy0 = max(sx, x0), max(sy, y0)
            cx1, cy1 = min(sx + mask.shape[1], x1), min(sy + mask.shape[0], y1)
            if cx0 >= cx1 or cy0 >= cy1:
                continue
            into = total[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0]
            np.maximum(into, mask[cy0 - sy : cy1 - sy, cx0 - sx : cx1 - sx], out=into)
            boxes.append((cx0, cy0, cx1, cy1))
        for bx0, by0, bx1, by1 in joined(boxes):
            part = total[by0 - y0 : by1 - y0, bx0 - x0 : bx1 - x0]
            lay(image, darkening(bx0, by0, part, self.look.light.shadow), origin_px)
        return boxes

    def _layers(self, item: Item) -> _Layers:
        found = self._cache.get(item)
        if found is not None:
            self._cache.move_to_end(item)
            return found
        if isinstance(item, CardItem):
            layers = self._card(item)
        elif isinstance(item, ChipItem):
            layers = self._chip(item)
        else:
            layers = self._hand(item)
        self._cache[item] = layers
        if len(self._cache) > _CACHE:
            self._cache.popitem(last=False)
        return layers

    def _card(self, item: CardItem) -> _Layers:
        corners = picture_corners_mm(item, self.camera.position_mm)
        quad = self.camera.image_from_table(corners)
        scale = self.camera.px_per_mm_at(corners.mean(axis=0).tolist())
        if not np.isfinite(quad).all():
            return _Layers(None, ())
        light = self.look.light
        height = float(corners[:, 2].max())
        patches: list[Patch] = []
        felt_shadow = None
        tight = _grown(quad, 0.7 * scale)
        if height >= LIFTED_MM:
            fallen = self._fallen(corners, item.z_mm if item.turn in (0.0, 1.0) else 0.0)
            cast = shadow_mask(fallen, max(0.8, light.softness * height * scale))
            if cast is not None:
                patches.append(darkening(*cast, light.shadow))
        else:
            felt_shadow = shadow_mask(self._fallen(corners, 0.0), max(0.8, light.softness * height * scale))
            contact = shadow_mask(tight, 0.9 * scale)
            if contact is not None:
                patches.append(darkening(*contact, 0.5 * light.shadow))
        name = item.card if shows_face(item, self.camera.position_mm) else "back"
        slope = abs(math.cos(math.pi * (1.0 - item.turn)))
        shade = light.ambient + (1 - light.ambient) * slope if item.turn not in (0.0, 1.0) else 1.0
        picture = self.look.card(name).warp(quad, scale, shade)
        if picture is not None:
            patches.append(picture)
        return _Layers(felt_shadow, tuple(patches))

    def _fallen(self, points_mm: F64, ground_mm: float) -> F64:
        """Pixels of the shadow that points throw on the level at `ground_mm`."""
        lamp = np.array(self.look.light.position_mm)
        above = np.clip(points_mm[:, 2:] - ground_mm, 0.0, lamp[2] * 0.8)
        fallen = points_mm[:, :2] + (points_mm[:, :2] - lamp[:2]) * above / (lamp[2] - above)
        return self.camera.image_from_table(np.column_stack([fallen, np.full(len(fallen), ground_mm)]))

    def _chip(self, item: ChipItem) -> _Layers:
        low, high = chip_circles_mm(item)
        low_px, high_px = self.camera.image_from_table(low), self.camera.image_from_table(high)
        if not (np.isfinite(low_px).all() and np.isfinite(high_px).all()):
            return _Layers(None, ())
        scale = self.camera.px_per_mm_at((*item.center_mm, item.z_mm))
        light = self.look.light
        fallen = np.concatenate([self._fallen(low, 0.0), self._fallen(high, 0.0)])
        felt_shadow = shadow_mask(_hull(fallen), max(0.8, light.softness * (item.z_mm + 4) * scale))
        patches: list[Patch] = []
        contact = shadow_mask(_grown(low_px, 0.4 * scale), 0.7 * scale)
        if contact is not None:
            patches.append(darkening(*contact, 0.35 * light.shadow))
        side = self._chip_side(item, low_px, high_px)
        if side is not None:
            patches.append(side)
        top = self.look.chip_top(item.color).warp(self.camera.image_from_table(chip_top_corners_mm(item)), scale)
        if top is not None:
            patches.append(top)
        return _Layers(felt_shadow, tuple(patches))

    def _chip_side(self, item: ChipItem, low_px: F64, high_px: F64) -> Patch | None:
        rise = high_px - low_px
        height = float(np.hypot(rise[:, 0], rise[:, 1]).max())
        if height < 0.12:
            return None
        everything = np.concatenate([low_px, high_px])
        x0, y0 = (int(v) for v in np.floor(everything.min(axis=0)) - 1)
        x1, y1 = (int(v) for v in np.ceil(everything.max(axis=0)) + 2)
        size = ((y1 - y0) * _OVERSAMPLE, (x1 - x0) * _OVERSAMPLE)
        color, cover = np.zeros((*size, 3), np.uint8), np.zeros(size, np.uint8)
        offset = np.array([x0, y0]) - 0.5
        low_big, high_big = (low_px - offset) * _OVERSAMPLE - 0.5, (high_px - offset) * _OVERSAMPLE - 0.5
        hull = np.round(_hull(np.concatenate([low_big, high_big])) * 16).astype(np.int32)
        cv2.fillConvexPoly(cover, hull, (255,), shift=4)
        edge = self.look.chip_edge(item.color, CIRCLE_POINTS)
        turned = np.roll(edge, round(item.angle_deg / 360.0 * CIRCLE_POINTS), axis=0)
        angles = (np.arange(CIRCLE_POINTS) + 0.5) * 2 * math.pi / CIRCLE_POINTS
        normals = np.column_stack([np.cos(angles), np.sin(angles)])
        eye = self.camera.position_mm[:2] - item.center_mm
        lamp = np.array(self.look.light.position_mm[:2]) - item.center_mm
        lit = normals @ (lamp / (float(np.linalg.norm(lamp)) + 1e-6))
        light = self.look.light
        ambient = light.ambient
        shade = 0.95 * light.side * (ambient + (1 - ambient) * (0.5 + 0.5 * lit))
        seen = np.flatnonzero(normals @ eye >= -0.2 * float(np.linalg.norm(eye)))
        after = (seen + 1) % CIRCLE_POINTS
        rise_big = high_big - low_big
        mean = sum((end - start) * dark for start, end, dark in _BANDS)
        for start, end, dark in _BANDS if height >= _FINE_PX else ((0.0, 1.0, mean),):
            lower, upper = low_big + start * rise_big, low_big + end * rise_big
            quads = np.round(np.stack([lower[seen], lower[after], upper[after], upper[seen]], axis=1) * 16)
            inks = turned[seen] * shade[seen, None] * (1.0 - dark * light.groove)
            for quad, (b, g, r) in zip(quads.astype(np.int32), inks.tolist(), strict=True):
                cv2.fillConvexPoly(color, quad, (b, g, r), shift=4)
        # Where no segment painted (rounding at the hull's rim), take the body's mean colour.
        bare = (cv2.inRange(color, (0, 0, 0), (0, 0, 0)) > 0) & (cover > 0)
        color[bare] = np.clip(turned.mean(axis=0) * (0.6 * light.side), 1, 255).astype(np.uint8)
        color[cover == 0] = 0
        small = (x1 - x0, y1 - y0)
        paint = cv2.resize(color, small, interpolation=cv2.INTER_AREA)
        keep = cv2.bitwise_not(cv2.resize(cover, small, interpolation=cv2.INTER_AREA))
        return Patch(x0, y0, np.asarray(paint, np.uint8), np.asarray(cv2.merge([keep] * 3), np.uint8))

    def _hand(self, item: HandItem) -> _Layers:
        placed = hand_quad_mm(item, self.look)
        if placed is None:
            return _Layers(None, ())
        corners, sprite = placed
        scale = self.camera.px_per_mm_at((*item.tip_mm, item.z_mm))
        patches: list[Patch] = []
        light = self.look.light
        flat = corners.copy()
        flat[:, 2] = 0.0
        lamp = np.array(light.position_mm)
        rise = min(item.z_mm, lamp[2] * 0.5)
        flat[:, :2] += (corners[:, :2] - lamp[:2]) * rise / (lamp[2] - rise)
        width, height = self.camera.size_px
        patches += self._hand_shadow(sprite, self.camera.image_from_table(flat), scale, item.z_mm)
        whole = (0, 0, width, height)
        picture = sprite.warp(self.camera.image_from_table(corners), scale, within_px=whole)
        if picture is not None:
            patches.append(picture)
        return _Layers(None, tuple(patches))

    def _hand_shadow(self, sprite: Sprite, quad_px: F64, scale: float, z_mm: float) -> list[Patch]:
        """A hand's shadow; it is soft, so it is drawn at a third of the size."""
        k = _SHADOW_SHRINK
        width, height = self.camera.size_px
        margin = 24
        within = (-margin, -margin, width // k + margin, height // k + margin)
        shadow = sprite.warp((quad_px + 0.5) / k - 0.5, scale / k, within_px=within)
        if shadow is None:
            return []
        mask = cv2.bitwise_not(cv2.extractChannel(shadow.keep, 0))
        pad = max(1, round(self.look.light.softness * z_mm * scale / k)) + 1
        mask = cv2.copyMakeBorder(mask, pad, pad, pad, pad, cv2.BORDER_CONSTANT)
        mask = cv2.blur(mask, (2 * pad - 1, 2 * pad - 1))
        mask = cv2.resize(mask, (mask.shape[1] * k, mask.shape[0] * k), interpolation=cv2.INTER_LINEAR)
        at = (k * (shadow.x_px - pad), k * (shadow.y_px - pad))
        return [darkening(*at, np.asarray(mask, np.uint8), self.look.light.shadow)]


def hand_quad_mm(item: HandItem, look: Look) -> tuple[F64, Sprite] | None:
    """Return (4, 3) corners of the hand's picture in the table frame, and the picture; None when there are no looks."""
    found = look.hand(item)
    if found is None:
        return None
    sprite, tip = found
    width, height = sprite.size_px
    arm = np.array(item.elbow_mm) - np.array(item.tip_mm)
    length = float(np.linalg.norm(arm))
    down = arm / length if length > 1e-6 else np.array([0.0, 1.0])
    # Seen from above with z up, the picture's right is its down turned a quarter counter-clockwise.
    right = np.array([-down[1], down[0]])
    corners_px = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64) - tip
    flat = np.array(item.tip_mm) + (corners_px[:, :1] * right + corners_px[:, 1:] * down) / sprite.px_per_mm
    return np.column_stack([flat, np.full(4, item.z_mm)]), sprite


def painting_order(scene: Scene) -> list[Item]:
    """Return the items lowest first: cards before chips before hands at equal height."""
    ranked: list[tuple[float, int, int, Item]] = []
    groups: tuple[tuple[Item, ...], ...] = (scene.cards, scene.chips, scene.hands)
    for kind, group in enumerate(groups):
        for i, item in enumerate(group):
            z = item.z_mm if not isinstance(item, CardItem) or item.turn in (0.0, 1.0) else item.z_mm + 15.0
            ranked.append((z, kind, i, item))
    ranked.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in ranked]


def warp_background(camera: Projector, background: Background) -> U8:
    """Return the empty table as the camera sees it (lens distortion included), prefiltered so that lines stay smooth."""
    width, height = camera.size_px
    px_from_table = np.linalg.inv(background.table_from_px)
    image_h, image_w = background.image_bgr.shape[:2]
    # Follow the drawing into the picture on a coarse grid, then interpolate its inverse.
    step = 8
    xs = np.minimum(np.arange(0, width + step, step), width + step)
    ys = np.minimum(np.arange(0, height + step, step), height + step)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2).astype(np.float64)
    table = _table_from_image(camera, grid)
    source = cv2.perspectiveTransform(table[None], px_from_table)[0]
    center_mm = _table_from_image(camera, np.array([[width / 2, height / 2]]))[0]
    cross_mm = center_mm + np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    per_px = cv2.perspectiveTransform(cross_mm[None], px_from_table)[0]
    drawing_scale = math.sqrt(abs(float(np.linalg.det(np.stack([per_px[1] - per_px[0], per_px[2] - per_px[0]]))))) / 10
    shrink = max(1.0, drawing_scale / max(camera.px_per_mm_at((*center_mm.tolist(), 0.0)), 1e-6))
    drawing = background.image_bgr
    if shrink > 1.15:
        size = (max(2, round(image_w / shrink)), max(2, round(image_h / shrink)))
        drawing = np.asarray(cv2.resize(drawing, size, interpolation=cv2.INTER_AREA), np.uint8)
    sx, sy = drawing.shape[1] / image_w, drawing.shape[0] / image_h
    maps = ((source + 0.5) * (sx, sy) - 0.5).reshape(len(ys), len(xs), 2)
    maps = np.nan_to_num(maps, nan=-1e4, posinf=-1e4, neginf=-1e4).astype(np.float32)
    affine = np.array([[1 / step, 0, 0], [0, 1 / step, 0]], np.float64)
    full = cv2.warpAffine(
        maps, affine, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(
        cv2.remap(
            drawing,
            full[..., 0],
            full[..., 1],
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=background.floor_bgr,
        ),
        np.uint8,
    )


def _table_from_image(camera: Projector, points_px: F64) -> F64:
    inverse = getattr(camera, "table_from_image", None)
    if inverse is None:
        raise TypeError("camera: a background to be warped needs a camera with table_from_image")
    return np.asarray(inverse(points_px), np.float64)


def _hull(points: F64) -> F64:
    return np.asarray(cv2.convexHull(points.astype(np.float32)), np.float64).reshape(-1, 2)


def _grown(polygon: F64, by_px: float) -> F64:
    center = polygon.mean(axis=0)
    away = polygon - center
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.asarray(center + away * (1 + by_px / np.maximum(length, 1e-6)), np.float64)
