"""Lays a rectangle of a card's exact size onto the edges in a view, starting from where the detector saw the card.

The detector's boxes are a few millimetres and degrees off; a card's size is known. So only place and angle are searched,
coarsely first, for the outline along which brightness steps most; one side may be covered by another card.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.rectify import CARD_SIZE_MM
from vision.source import Image

FloatArray = npt.NDArray[np.float64]

SAMPLES = 15
"""Places on each side where the step is looked at."""
STAGES = ((14.0, 3.5, 6.0, 2.0), (3.0, 1.0, 1.5, 0.75))
"""Search: degrees to either side and their step, millimetres to either side and their step."""
MOST_STEP = 40.0
"""Levels a pixel above which a step counts no more: a bright print beside a card must not outweigh its sides."""
LEAST_GAIN = 1.1
"""How much better than where it was an outline must fit to be taken."""


@dataclass(frozen=True)
class Edges:
    """Steps of brightness in a view, in levels a pixel.

    Attributes:
        gradient: (h, w, 2) float32 along x and y, of the colour that steps most.
    """

    gradient: npt.NDArray[np.float32]

    @classmethod
    def of(cls, view: Image) -> Edges:
        """The steps of a view."""
        soft = cv2.GaussianBlur(view, (3, 3), 0)
        gx = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 1, 0, scale=0.125))
        gy = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 0, 1, scale=0.125))
        channel = (gx * gx + gy * gy).argmax(axis=2)[..., None]
        picked = [np.take_along_axis(g, channel, axis=2)[..., 0] for g in (gx, gy)]
        return cls(np.dstack(picked).astype(np.float32))


def fitted_card(
    edges: Edges, corners_px: npt.ArrayLike, px_per_mm: float, *, size_px: tuple[float, float] | None = None
) -> FloatArray:
    """(4, 2) corners of the card in pixels of the view, in the order given, with the exact size of a card.

    Args:
        edges: of the view.
        corners_px: (4, 2) upper left, upper right, lower right, lower left as detected.
        px_per_mm: scale of the view.
        size_px: width and height to fit instead, where the view is not from straight above.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    center = corners.mean(axis=0)
    size = size_px or (CARD_SIZE_MM[0] * px_per_mm, CARD_SIZE_MM[1] * px_per_mm)
    across = corners[1] + corners[2] - corners[0] - corners[3]
    angle = float(np.degrees(np.arctan2(across[1], across[0])))
    x, y = center
    start = _scores(edges, np.array([[x, y, angle]]), size)[0]
    for turn, turn_step, shift, shift_step in STAGES:
        turns = np.arange(-turn, turn + 1e-6, turn_step)
        shifts = np.arange(-shift, shift + 1e-6, shift_step) * px_per_mm
        poses = np.stack(np.meshgrid(x + shifts, y + shifts, angle + turns, indexing="ij"), axis=-1).reshape(-1, 3)
        scores = _scores(edges, poses, size)
        away = np.abs(poses[:, :2] - center).max(axis=1) / (8.0 * px_per_mm)
        best = int((scores * (1.0 - 0.1 * away)).argmax())
        x, y, angle = (float(v) for v in poses[best])
    if _scores(edges, np.array([[x, y, angle]]), size)[0] < LEAST_GAIN * start:
        x, y = center
        angle = float(np.degrees(np.arctan2(across[1], across[0])))
    return np.asarray(_corners(np.array([[x, y, angle]]), size)[0], dtype=np.float64)


def _corners(poses: FloatArray, size_px: tuple[float, float]) -> FloatArray:
    """(n, 4, 2) corners of cards at (n, 3) poses: middle in pixels and angle in degrees."""
    half_w, half_h = (0.5 * side for side in size_px)
    local = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]])
    cos, sin = np.cos(np.radians(poses[:, 2])), np.sin(np.radians(poses[:, 2]))
    rotation = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
    return np.asarray(np.einsum("nij,kj->nki", rotation, local) + poses[:, None, :2], dtype=np.float64)


def _scores(edges: Edges, poses: FloatArray, size_px: tuple[float, float]) -> FloatArray:
    """(n,) how much brightness steps across the outline, the weakest side counting less: it may be covered."""
    corners = _corners(poses, size_px)
    following = np.roll(corners, -1, axis=1)
    share = np.linspace(0.1, 0.9, SAMPLES)[None, None, :, None]
    points = corners[:, :, None] * (1 - share) + following[:, :, None] * share
    height, width = edges.gradient.shape[:2]
    columns = np.clip(np.round(points[..., 0]), 0, width - 1).astype(np.intp)
    rows = np.clip(np.round(points[..., 1]), 0, height - 1).astype(np.intp)
    along = following - corners
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    gradient = edges.gradient[rows, columns]
    step = np.abs(gradient[..., 0] * along[:, :, None, 1] - gradient[..., 1] * along[:, :, None, 0])
    sides = np.minimum(step, MOST_STEP).mean(axis=2)
    return np.asarray(sides.sum(axis=1) - 0.6 * sides.min(axis=1), dtype=np.float64)
