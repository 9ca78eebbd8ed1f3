"""What is true of a drawn scene: where each item's corners fall and how much of it is seen."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from datasets.render.compositor import hand_quad_mm, painting_order
from datasets.render.look import Look
from datasets.render.shapes import Projector, chip_circles_mm, picture_corners_mm, shows_face
from datasets.scene import CardItem, ChipItem, HandItem, Scene

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class ItemTruth:
    """One item of a scene as the camera sees it.

    Attributes:
        item: the item itself.
        corners_px: (4, 2); cards: upper left, upper right, lower right, lower left of the whole card as the seen side
            reads; chips: upright box around the upper disc; hands: upright box around the part inside the picture
            (NaN when none is).
        outline_px: (n, 2) outline of a card or of a chip's whole body; a hand's box.
        visible_fraction: share of a card, or of a chip's upper disc, that nothing covers and that lies in the picture.
        face_up: for cards, whether the camera sees the face.
    """

    item: CardItem | ChipItem | HandItem
    corners_px: F64
    outline_px: F64
    visible_fraction: float
    face_up: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SceneTruth:
    """Truth of a whole scene, in painting order (lowest first), with the map of what is seen where.

    Attributes:
        items: one entry for each item painted.
        id_map: (h, w) int32 at `scale` of the picture; 0 = table, k + 1 = items[k] (of a chip: its upper disc),
            -(k + 1) = the side of chip items[k].
        scale: pixels of `id_map` per pixel of the picture.
    """

    items: tuple[ItemTruth, ...]
    id_map: I32
    scale: float


def corners_px(camera: Projector, item: CardItem | ChipItem) -> F64:
    """Return (4, 2) corners of a card as its seen side reads, or of the upright box around a chip's upper disc."""
    if isinstance(item, CardItem):
        return camera.image_from_table(picture_corners_mm(item, camera.position_mm))
    return _box(camera.image_from_table(chip_circles_mm(item)[1]))


def scene_truth(camera: Projector, look: Look, scene: Scene, scale: float = 0.5) -> SceneTruth:
    """Return corners and visible fractions of every item; pure geometry, no drawing.

    Args:
        camera: as given to the renderer.
        look: used for the outline of hands.
        scene: what lies there.
        scale: size of the map of ids relative to the picture; smaller is faster and coarser.
    """
    width, height = camera.size_px
    id_map = np.zeros((round(height * scale), round(width * scale)), np.int32)
    order = painting_order(scene)
    own = np.zeros(len(order) + 1)
    outlines: list[tuple[F64, F64, bool]] = []
    for k, item in enumerate(order):
        if isinstance(item, CardItem):
            quad = camera.image_from_table(picture_corners_mm(item, camera.position_mm))
            own[k + 1] = _stamp(id_map, quad, k + 1, scale)
            outlines.append((quad, quad, shows_face(item, camera.position_mm)))
        elif isinstance(item, ChipItem):
            low, high = (camera.image_from_table(c) for c in chip_circles_mm(item))
            finite = np.isfinite(low).all() and np.isfinite(high).all()
            both = np.concatenate([low, high])
            body = np.asarray(cv2.convexHull(both.astype(np.float32)), np.float64).reshape(-1, 2) if finite else both
            _stamp(id_map, body, -(k + 1), scale)
            own[k + 1] = _stamp(id_map, high, k + 1, scale)
            outlines.append((_box(high), body, False))
        else:
            outlines.append((*_stamp_hand(id_map, camera, look, item, k + 1, scale), False))
            own[k + 1] = max(1.0, float((id_map == k + 1).sum()))
    positive = np.where(id_map > 0, id_map, 0)
    seen = np.bincount(positive.ravel(), minlength=len(order) + 1)
    truths = tuple(
        ItemTruth(item, corners, outline, float(min(1.0, seen[k + 1] / own[k + 1])) if own[k + 1] > 0 else 0.0, face)
        for k, (item, (corners, outline, face)) in enumerate(zip(order, outlines, strict=True))
    )
    return SceneTruth(truths, id_map, scale)


def _stamp(id_map: I32, polygon_px: F64, value: int, scale: float) -> float:
    """Write `value` where the polygon is and return how many pixels it would cover in an endless picture."""
    if not np.isfinite(polygon_px).all():
        return 0.0
    polygon = (polygon_px + 0.5) * scale - 0.5
    x0, y0 = (int(v) for v in np.floor(polygon.min(axis=0)) - 1)
    x1, y1 = (int(v) for v in np.ceil(polygon.max(axis=0)) + 2)
    if x1 - x0 > 8000 or y1 - y0 > 8000:
        return 0.0
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(mask, np.round((polygon - (x0, y0)) * 16).astype(np.int32), (1,), shift=4)
    h, w = id_map.shape
    cx0, cy0, cx1, cy1 = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
    if cx0 < cx1 and cy0 < cy1:
        part = id_map[cy0:cy1, cx0:cx1]
        part[mask[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0] > 0] = value
    return float(mask.sum())


def _stamp_hand(
    id_map: I32, camera: Projector, look: Look, item: HandItem, value: int, scale: float
) -> tuple[F64, F64]:
    nothing = np.full((4, 2), np.nan)
    placed = hand_quad_mm(item, look)
    if placed is None:
        return nothing, nothing
    corners, sprite = placed
    quad = (camera.image_from_table(corners) + 0.5) * scale - 0.5
    patch = sprite.warp(quad, camera.px_per_mm_at((*item.tip_mm, item.z_mm)) * scale)
    if patch is None:
        return nothing, nothing
    x0, y0, x1, y1 = patch.box_px
    h, w = id_map.shape
    cx0, cy0, cx1, cy1 = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
    if cx0 >= cx1 or cy0 >= cy1:
        return nothing, nothing
    solid = patch.keep[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0, 0] < 128
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    if len(rows) == 0:
        return nothing, nothing
    id_map[cy0:cy1, cx0:cx1][solid] = value
    left, right = (cx0 + columns[0]) / scale, (cx0 + columns[-1] + 1) / scale
    top, bottom = (cy0 + rows[0]) / scale, (cy0 + rows[-1] + 1) / scale
    box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) - 0.5
    return box, box


def _box(points: F64) -> F64:
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
