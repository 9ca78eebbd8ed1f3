"""Fits the camera to sub-pixel accuracy: patches of the drawing are looked for near where the camera says they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import DEFAULT_FOCAL_WIDTHS, CalibrationError, Camera
from calibration.drawing import draw_masks, table_from_drawing
from calibration.layout import InkColor, Layout

FloatArray = npt.NDArray[np.float64]
Single = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

PATCH_PX = 44
GOOD_CORRELATION = 0.45
"""Correlation of a picture with the drawing above which a patch is taken as seen."""
MARGIN_MM = 40.0
_PITCH_MM = 34.0
_FOCAL_SPREAD = 0.4
_K1_SPREAD = 0.15


@dataclass(frozen=True, slots=True)
class Levels:
    """How bright each print colour is against the felt, in any unit; only sign and ratio matter."""

    ink: float
    accent: float


@dataclass(frozen=True, slots=True)
class PatchShifts:
    """What was measured around n places of the drawing.

    Attributes:
        table_mm: (n, 2) the places.
        image_px: (n, 2) where the camera puts them.
        shift_px: (n, 2) how far from there they were found.
        information: (n, 2, 2) square root of the certainty of the shift, 1 along a sharp direction, near 0 along a line.
        correlation: (n,) -1..1 at the place found; NaN where the best place was at the limit of the search.
        unmoved: (n,) -1..1 with no shift.
    """

    table_mm: FloatArray
    image_px: FloatArray
    shift_px: FloatArray
    information: FloatArray
    correlation: FloatArray
    unmoved: FloatArray

    @property
    def good(self) -> npt.NDArray[np.bool_]:
        """(n,) whether the patch was seen."""
        return np.asarray(np.nan_to_num(self.correlation, nan=-1.0) > GOOD_CORRELATION)


@lru_cache(maxsize=8)
def print_masks(layout: Layout, px_per_mm: float) -> tuple[Single, Single, FloatArray]:
    """Return how much ink and accent cover each pixel of a drawing with MARGIN_MM around it, (h, w) 0..1, and pixels from table (3, 3)."""
    masks = draw_masks(layout, px_per_mm, MARGIN_MM)
    ink: Single = (masks[InkColor.INK] / 255.0).astype(np.float32)
    accent: Single = (masks[InkColor.ACCENT] / 255.0).astype(np.float32)
    drawing_from_table = np.asarray(np.linalg.inv(table_from_drawing(layout, px_per_mm, MARGIN_MM)), np.float64)
    return ink, accent, drawing_from_table


@lru_cache(maxsize=8)
def anchor_points(layout: Layout) -> FloatArray:
    """(n, 2) places in table millimetres whose surroundings are printed enough to be recognised, spread over the felt."""
    ink, accent, drawing_from_table = print_masks(layout, 1.0)
    energy = np.zeros_like(ink)
    for mask in (ink, accent):
        dx, dy = cv2.Sobel(mask, cv2.CV_32F, 1, 0), cv2.Sobel(mask, cv2.CV_32F, 0, 1)
        energy += np.asarray(cv2.boxFilter(dx * dx, -1, (40, 40)) + cv2.boxFilter(dy * dy, -1, (40, 40)), np.float32)
        energy += 4 * np.sqrt(cv2.boxFilter(dx * dx, -1, (40, 40)) * cv2.boxFilter(dy * dy, -1, (40, 40)))
    outline = np.array(layout.outline_mm, dtype=np.float32)
    x0, y0, x1, y1 = layout.bounds_mm
    points: list[tuple[float, float]] = []
    for y in np.arange(y0 + 25, y1, _PITCH_MM):
        for x in np.arange(x0 + 25, x1, _PITCH_MM):
            if cv2.pointPolygonTest(outline, (float(x), float(y)), True) < 30:
                continue
            column, row = drawing_from_table[:2, :2] @ (x, y) + drawing_from_table[:2, 2]
            if energy[round(row), round(column)] > 0.45:
                points.append((float(x), float(y)))
    return np.array(points).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class Patches:
    """Pieces of the drawing as a camera would show them, to be looked for in its pictures.

    Attributes:
        table_mm: (n, 2) their middles.
        image_px: (n, 2) where the camera puts these.
        corner_px: (n, 2) whole pixels of their upper left corners in the picture.
        pieces: (n, PATCH_PX, PATCH_PX) their brightness, in any unit; all 0 where nothing is printed.
    """

    table_mm: FloatArray
    image_px: FloatArray
    corner_px: npt.NDArray[np.int64]
    pieces: Single


def drawn_patches(
    camera: Camera,
    layout: Layout,
    levels: Levels,
    reach_px: int,
    points_mm: FloatArray | None = None,
    mirrored: bool = False,
) -> Patches:
    """Cut the drawing at its places that lie far enough inside the picture.

    Args:
        camera: puts the places into the picture.
        layout: is drawn.
        levels: brightness of the prints against the felt.
        reach_px: so far a place may be shifted later; it lies so much and more inside.
        points_mm: (n, 2) the places on the table, `anchor_points` unless given.
        mirrored: takes the drawing with dealer's left and right exchanged, which a mirrored picture shows.
    """
    points = anchor_points(layout) if points_mm is None else points_mm
    px = camera.image_from_table(points)
    width, height = camera.size_px
    border = PATCH_PX / 2 + reach_px + 1
    inside = (px > border).all(axis=1) & (px[:, 0] < width - border) & (px[:, 1] < height - border)
    points, px = points[inside], px[inside]
    base = np.round(px)
    half = PATCH_PX / 2 - 0.5
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    # Patch pixel p lies at base - half + p of the picture; PATCH_PX is even, so the place itself sits between pixels.
    corners = camera.table_from_image((base[:, None, :] - 0.5 + square).reshape(-1, 2))
    scale = float(np.clip(2.0 ** math.ceil(math.log2(max(0.3, camera.px_per_mm_at((0.0, 500.0))) * 0.9)), 0.5, 4.0))
    ink, accent, drawing_from_table = print_masks(layout, scale)
    level = (levels.ink * ink + levels.accent * accent).astype(np.float32)
    if mirrored:
        level = np.ascontiguousarray(level[:, ::-1])
    source = (corners @ drawing_from_table[:2, :2].T + drawing_from_table[:2, 2]).reshape(-1, 4, 2).astype(np.float32)
    target = np.array([[0, 0], [PATCH_PX - 1, 0], [PATCH_PX - 1, PATCH_PX - 1], [0, PATCH_PX - 1]], np.float32)
    pieces = np.zeros((len(points), PATCH_PX, PATCH_PX), np.float32)
    for i in range(len(points)):
        if np.isfinite(source[i]).all():
            warp = cv2.getPerspectiveTransform(source[i], target)
            pieces[i] = cv2.GaussianBlur(cv2.warpPerspective(level, warp, (PATCH_PX, PATCH_PX)), (0, 0), 0.8)
    return Patches(points, px, base.astype(np.int64) - PATCH_PX // 2, pieces)


def shifts_of(gray: Bytes, patches: Patches, reach_px: int) -> PatchShifts:
    """Look for patches in a picture, up to `reach_px` from where they were cut for."""
    size = PATCH_PX + 2 * reach_px
    count = len(patches.table_mm)
    shift, information = np.zeros((count, 2)), np.zeros((count, 2, 2))
    correlation, unmoved = np.full(count, np.nan), np.zeros(count)
    found: list[int] = []
    tops: list[FloatArray] = []
    for i in np.flatnonzero(patches.pieces.std(axis=(1, 2)) >= 1e-3):
        left, top = (int(v) - reach_px for v in patches.corner_px[i])
        window = gray[top : top + size, left : left + size].astype(np.float32)
        surface = cv2.matchTemplate(window, patches.pieces[i], cv2.TM_CCOEFF_NORMED)
        unmoved[i] = surface[reach_px, reach_px]
        row, column = divmod(int(surface.argmax()), surface.shape[1])
        if not (0 < row < 2 * reach_px and 0 < column < 2 * reach_px):
            continue
        correlation[i] = surface[row, column]
        shift[i] = column - reach_px, row - reach_px
        found.append(int(i))
        tops.append(surface[row - 1 : row + 2, column - 1 : column + 2].astype(np.float64))
    if found:
        offset, information[found] = _peaks(np.stack(tops))
        shift[found] += offset
    return PatchShifts(patches.table_mm, patches.image_px, shift, information, correlation, unmoved)


def measure_shifts(
    gray: Bytes,
    camera: Camera,
    layout: Layout,
    levels: Levels,
    reach_px: int,
    points_mm: FloatArray | None = None,
    mirrored: bool = False,
) -> PatchShifts:
    """Look for the drawing around its places in a picture.

    Args:
        gray: (h, w) of the camera's size.
        camera, layout, levels, points_mm, mirrored: see `drawn_patches`.
        reach_px: how far from where the camera puts a place.
    """
    return shifts_of(gray, drawn_patches(camera, layout, levels, reach_px, points_mm, mirrored), reach_px)


def _peaks(near: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sub-pixel offsets (n, 2) of the tops of 3 x 3 surfaces (n, 3, 3), and the square roots (n, 2, 2) of their relative sharpness."""
    gx, gy = (near[:, 1, 2] - near[:, 1, 0]) / 2, (near[:, 2, 1] - near[:, 0, 1]) / 2
    hxx = near[:, 1, 2] - 2 * near[:, 1, 1] + near[:, 1, 0]
    hyy = near[:, 2, 1] - 2 * near[:, 1, 1] + near[:, 0, 1]
    hxy = (near[:, 2, 2] - near[:, 2, 0] - near[:, 0, 2] + near[:, 0, 0]) / 4
    values, vectors = np.linalg.eigh(-np.stack([hxx, hxy, hxy, hyy], axis=1).reshape(-1, 2, 2))
    values = np.maximum(values, 0.0)
    sharpest = values[:, 1:]
    slope = (vectors.transpose(0, 2, 1) @ np.stack([gx, gy], axis=1)[:, :, None])[:, :, 0]
    steps = np.where(values > 0.02 * sharpest, slope / np.maximum(values, 1e-9), 0.0).clip(-0.7, 0.7)
    roots = np.sqrt(values / np.maximum(sharpest, 1e-12))[:, None, :] * vectors @ vectors.transpose(0, 2, 1)
    flat = sharpest[:, 0] < 1e-6
    steps[flat], roots[flat] = 0.0, 0.0
    return (vectors @ steps[:, :, None])[:, :, 0], roots


def fit_camera(
    start: Camera,
    table_mm: FloatArray,
    image_px: FloatArray,
    information: FloatArray | None = None,
    noise_px: float = 0.5,
    rounds: int = 12,
) -> tuple[Camera, FloatArray]:
    """Return the camera that best explains n points, and the (n,) residuals in pixels; outliers lose their say.

    Fitted: pose, focal length, k1, by Levenberg-Marquardt. Focal length and k1 are held near usual values where the points do not
    tell them.

    Args:
        start: near the camera looked for; its principal point and size are kept.
        table_mm: (n, 2) points on the felt.
        image_px: (n, 2) where each was seen.
        information: (n, 2, 2) square root of how surely each is known, in each direction; the unit matrix unless given.
        noise_px: standard deviation of a point that is no outlier, at the least.
        rounds: at most.

    Raises:
        CalibrationError: the camera would lie below the table.
    """
    if information is None:
        information = np.broadcast_to(np.eye(2), (len(table_mm), 2, 2))
    width = start.size_px[0]
    center = start.matrix[0, 2], start.matrix[1, 2]
    objects = np.ascontiguousarray(np.column_stack([table_mm, np.zeros(len(table_mm))]))
    usual = math.log(DEFAULT_FOCAL_WIDTHS * width)
    state = np.concatenate(
        [
            cv2.Rodrigues(start.rotation)[0].ravel(),
            start.translation_mm,
            [math.log(start.matrix[0, 0]), start.distortion[0]],
        ]
    )

    def evaluate(values: FloatArray) -> tuple[FloatArray, FloatArray]:
        focal = math.exp(values[6])
        matrix = np.array([[focal, 0, center[0]], [0, focal, center[1]], [0, 0, 1.0]])
        lens = np.array([values[7], 0, 0, 0, 0])
        projected, jacobian = cv2.projectPoints(objects, values[:3], values[3:6], matrix, lens)[:2]
        flat = np.asarray(projected, np.float64).reshape(-1, 2)
        columns = np.column_stack([jacobian[:, :6], (jacobian[:, 6] + jacobian[:, 7]) * focal, jacobian[:, 10]])
        residual = np.einsum("nij,nj->ni", information, flat - image_px)
        return residual, np.einsum("nij,njk->nik", information, columns.reshape(-1, 2, 8))

    def prior(values: FloatArray) -> FloatArray:
        return np.array([(values[6] - usual) / _FOCAL_SPREAD, values[7] / _K1_SPREAD])

    residual, jacobian = evaluate(state)
    damping = 1e-4
    for _ in range(rounds):
        length = np.linalg.norm(residual, axis=1)
        sigma = max(noise_px, 1.5 * float(np.median(length)))
        weight = 1.0 / (1.0 + (length / sigma) ** 2) ** 2 / noise_px**2
        normal = np.einsum("n,nij,nik->jk", weight, jacobian, jacobian)
        slope = np.einsum("n,nij,ni->j", weight, jacobian, residual)
        pull = prior(state)
        normal[6, 6] += _FOCAL_SPREAD**-2
        normal[7, 7] += _K1_SPREAD**-2
        slope[6] += pull[0] / _FOCAL_SPREAD
        slope[7] += pull[1] / _K1_SPREAD
        cost = float((weight * length**2).sum() + pull @ pull)
        for _ in range(6):
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)) + 1e-12 * np.eye(8), -slope)
            trial = state + step
            trial[6], trial[7] = np.clip(trial[6], usual - 1.8, usual + 2.2), np.clip(trial[7], -0.6, 0.6)
            new_residual, new_jacobian = evaluate(trial)
            new_cost = float((weight * (new_residual**2).sum(axis=1)).sum() + prior(trial) @ prior(trial))
            if np.isfinite(new_cost) and new_cost <= cost:
                damping = max(1e-7, damping / 5)
                state, residual, jacobian = trial, new_residual, new_jacobian
                break
            damping *= 10
        else:
            break
        if np.abs(step / np.maximum(np.abs(state), 1e-3)).max() < 1e-7:
            break
    focal = math.exp(state[6])
    matrix = np.array([[focal, 0, center[0]], [0, focal, center[1]], [0, 0, 1.0]])
    rotation = np.asarray(cv2.Rodrigues(state[:3])[0], np.float64)
    camera = Camera(matrix, np.array([state[7], 0, 0, 0, 0]), rotation, state[3:6], start.size_px)
    if camera.position_mm[2] <= 0:
        raise CalibrationError("the fitted camera lies below the table; the points given do not belong to the layout")
    return camera, np.linalg.norm(residual, axis=1)


def turned_camera(start: Camera, table_mm: FloatArray, image_px: FloatArray, rounds: int = 10) -> Camera:
    """Return the camera at its place but turned so that table points lie at pixels; outliers lose their say.

    For a camera nudged on its mount when too few points are known to fit everything.

    Args:
        start: the camera before.
        table_mm: (n, 2) points on the felt.
        image_px: (n, 2) where each was seen.
        rounds: of Gauss-Newton at most.
    """
    objects = np.ascontiguousarray(np.column_stack([table_mm, np.zeros(len(table_mm))]))
    position, rotation = start.position_mm, start.rotation
    for _ in range(rounds):
        camera = Camera(start.matrix, start.distortion, rotation, -rotation @ position, start.size_px)
        residual = camera.image_from_table(objects) - image_px
        steps = np.eye(3) * 1e-5
        jacobian = np.stack(
            [
                (
                    Camera(start.matrix, start.distortion, turn, -turn @ position, start.size_px).image_from_table(
                        objects
                    )
                    - image_px
                    - residual
                )
                / 1e-5
                for turn in (np.asarray(cv2.Rodrigues(step)[0], np.float64) @ rotation for step in steps)
            ],
            axis=2,
        )
        weight = 1.0 / (1.0 + (np.linalg.norm(residual, axis=1) / 1.5) ** 2) ** 2
        normal = np.einsum("n,nij,nik->jk", weight, jacobian, jacobian) + 1e-9 * np.eye(3)
        turn = np.linalg.solve(normal, -np.einsum("n,nij,ni->j", weight, jacobian, residual))
        rotation = np.asarray(cv2.Rodrigues(turn)[0], np.float64) @ rotation
        if float(np.abs(turn).max()) < 1e-8:
            break
    return Camera(start.matrix, start.distortion, rotation, -rotation @ position, start.size_px)


def measured_levels(gray: Bytes, camera: Camera, layout: Layout, before: Levels) -> Levels:
    """Brightness of each print colour against the felt beside it, from the picture; `before` where too little is seen."""
    ink, accent, drawing_from_table = print_masks(layout, 1.0)
    table_from_px = np.linalg.inv(drawing_from_table)
    smooth = cv2.GaussianBlur(gray, (0, 0), 0.7).astype(np.float32)
    around = cv2.resize(
        cv2.medianBlur(cv2.resize(gray, None, fx=0.5, fy=0.5), 21), (gray.shape[1], gray.shape[0])
    ).astype(np.float32)
    difference = smooth - around
    out: list[float] = []
    for mask, other, old in ((ink, accent, before.ink), (accent, ink, before.accent)):
        core = cv2.erode(mask, np.ones((2, 2), np.uint8)) * (1 - other)
        rows, columns = np.nonzero(core > 0.95)
        step = max(1, len(rows) // 6000)
        table = np.column_stack([columns[::step], rows[::step]]) @ table_from_px[:2, :2].T + table_from_px[:2, 2]
        px = np.round(camera.image_from_table(table))
        px = px[np.isfinite(px).all(axis=1)].astype(int)
        px = px[(px >= 0).all(axis=1) & (px[:, 0] < gray.shape[1]) & (px[:, 1] < gray.shape[0])]
        if len(px) < 50:
            out.append(old)
            continue
        values = difference[px[:, 1], px[:, 0]]
        level = float(np.median(values)) / 100.0
        out.append(level if abs(level) > 0.03 else math.copysign(0.03, old))
    return Levels(*out)
