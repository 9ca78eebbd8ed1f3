"""Which card found is which card of the truth, by how far the two overlap."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import cv2
import numpy as np
import numpy.typing as npt

MATCH_IOU = 0.5
"""Overlap (IoU) from which on two whole cards are the same."""
SEEN_SHARE, SEEN_IOU = 0.5, 0.15
"""What `match_seen` asks for: a quarter of a card in sight, upright, has an IoU of 0.25 with the whole."""


def quad_iou(a_px: npt.ArrayLike, b_px: npt.ArrayLike) -> float:
    """Intersection over union of two convex quadrilaterals, each (4, 2) in px."""
    a, b = np.asarray(a_px, np.float32), np.asarray(b_px, np.float32)
    area_a, area_b = abs(cv2.contourArea(a)), abs(cv2.contourArea(b))
    if area_a == 0 or area_b == 0:
        return 0.0
    both, _ = cv2.intersectConvexConvex(cv2.convexHull(a), cv2.convexHull(b))
    return float(both / (area_a + area_b - both))


def match_quads(
    found: Sequence[npt.ArrayLike], truth: Sequence[npt.ArrayLike], first: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Pairs (found, truth) with IoU >= 0.5, each used once, best overlap first; those of the truth numbered in `first` before the others."""
    pairs = [((j in first, quad_iou(f, t)), i, j) for i, f in enumerate(found) for j, t in enumerate(truth)]
    return _best_first([pair for pair in pairs if pair[0][1] >= MATCH_IOU])


def _best_first(scored: Sequence[tuple[tuple[float, ...], int, int]]) -> list[tuple[int, int]]:
    """Pairs (found, truth) of (score, found, truth), the highest score first, each found and each true one once."""
    pairs: dict[int, int] = {}
    for _, i, j in sorted(scored, reverse=True):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return list(pairs.items())


def match_seen(
    found: Sequence[npt.ArrayLike], boxes: Sequence[tuple[float, float, float, float]]
) -> list[tuple[int, int]]:
    """Pairs (outline of a whole card, upright box about what is seen of one), each used once, best overlap (IoU) first.

    Half of a box must lie in the upright box about the outline, and that must not be so large that the two are hardly alike.
    """
    pairs = []
    for i, quad in enumerate(found):
        whole = upright_box(quad)
        for j, box in enumerate(boxes):
            both = np.minimum(whole[2:], box[2:]) - np.maximum(whole[:2], box[:2])
            shared = float(np.prod(np.maximum(both, 0.0)))
            sizes = [float(np.prod(np.subtract(one[2:], one[:2]))) for one in (whole, box)]
            iou = shared / max(sum(sizes) - shared, 1e-9)
            if shared >= SEEN_SHARE * sizes[1] and iou >= SEEN_IOU:
                pairs.append(((iou,), i, j))
    return _best_first(pairs)


def upright_box(quad_px: npt.ArrayLike) -> tuple[float, float, float, float]:
    """The upright box (x0, y0, x1, y1) about a quadrilateral (4, 2)."""
    quad = np.asarray(quad_px, np.float64)
    (x0, y0), (x1, y1) = quad.min(axis=0), quad.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)


def inside(polygons: Iterable[npt.ArrayLike], point: npt.ArrayLike) -> bool:
    """Whether a point lies in one of the polygons, or on its rim."""
    x, y = np.asarray(point, np.float64)
    return any(
        cv2.pointPolygonTest(np.asarray(polygon, np.float32).reshape(-1, 1, 2), (float(x), float(y)), False) >= 0
        for polygon in polygons
    )


def middle(quad_px: npt.ArrayLike) -> tuple[float, float]:
    """The middle of a quadrilateral (4, 2)."""
    x, y = np.mean(np.asarray(quad_px, np.float64), axis=0)
    return float(x), float(y)
