"""Where items are in space: corners and outlines in table millimetres and in pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from datasets.scene import CARD_MM, CHIP_MM, CardItem, ChipItem

F64 = npt.NDArray[np.float64]

CARD_THICKNESS_MM = 0.35
"""Height of a card's upper face above what it lies on."""
CIRCLE_POINTS = 40
"""Points of a drawn circle."""

_ANGLES = np.linspace(0.0, 2.0 * math.pi, CIRCLE_POINTS, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


class Projector(Protocol):
    """What the renderer needs of a camera; `calibration.camera.Camera` is one."""

    @property
    def position_mm(self) -> F64:
        """(3,) where the camera is."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture."""

    def image_from_table(self, points_mm: npt.ArrayLike) -> F64:
        """(n, 2) pixels of (n, 3) table points."""

    def px_per_mm_at(self, point_mm: Sequence[float]) -> float:
        """Scale at a table point."""


def card_corners_mm(item: CardItem) -> F64:
    """Return (4, 3) corners of the visible picture: upper left, upper right, lower right, lower left as it reads.

    Seen from above. A card being turned rotates about its long axis and is lifted so that its lower edge touches the
    ground.
    """
    angle = math.radians(item.angle_deg)
    right = np.array([-math.cos(angle), -math.sin(angle), 0.0])
    down = np.array([-math.sin(angle), math.cos(angle), 0.0])
    phi = math.pi * (1.0 - item.turn)
    width, height = CARD_MM
    half = right * math.cos(phi) + np.array([0.0, 0.0, math.sin(phi)])
    lift = item.z_mm + CARD_THICKNESS_MM + abs(math.sin(phi)) * width / 2
    center = np.array([item.center_mm[0], item.center_mm[1], lift])
    half = half * (width / 2)
    tall = down * (height / 2)
    if not item.turn > 0.5:
        half = -half
    return np.stack([center - half - tall, center + half - tall, center + half + tall, center - half + tall])


def shows_face(item: CardItem, camera_position_mm: F64) -> bool:
    """Return whether the camera sees the card's face (else its back)."""
    if item.turn <= 0.0 or item.turn >= 1.0:
        return item.turn >= 1.0
    corners = card_corners_mm(item)
    normal = np.cross(corners[1] - corners[0], corners[0] - corners[3])
    toward = camera_position_mm - corners.mean(axis=0)
    upper_is_face = item.turn > 0.5
    return bool(normal @ toward > 0) == upper_is_face


def picture_corners_mm(item: CardItem, camera_position_mm: F64) -> F64:
    """Return (4, 3) corners of the picture the camera sees: mirrored where it sees the side turned away from above."""
    corners = card_corners_mm(item)
    if shows_face(item, camera_position_mm) != (item.turn > 0.5):
        corners = corners[[1, 0, 3, 2]]
    return corners


def circle_mm(center_mm: tuple[float, float], z_mm: float, radius_mm: float) -> F64:
    """Return (CIRCLE_POINTS, 3) points of a level circle, counter-clockwise from +x."""
    points = np.empty((CIRCLE_POINTS, 3))
    points[:, :2] = _CIRCLE * radius_mm + center_mm
    points[:, 2] = z_mm
    return points


def chip_circles_mm(item: ChipItem) -> tuple[F64, F64]:
    """Return the circles of the chip's lower and upper edge."""
    diameter, thick = CHIP_MM
    return (
        circle_mm(item.center_mm, item.z_mm, diameter / 2),
        circle_mm(item.center_mm, item.z_mm + thick, diameter / 2),
    )


def chip_top_corners_mm(item: ChipItem) -> F64:
    """Return (4, 3) corners of the square around the chip's top, turned with the chip: as the top's picture reads."""
    diameter, thick = CHIP_MM
    angle = math.radians(item.angle_deg)
    right = np.array([-math.cos(angle), -math.sin(angle)]) * diameter / 2
    down = np.array([-math.sin(angle), math.cos(angle)]) * diameter / 2
    center = np.array(item.center_mm)
    flat = np.stack([center - right - down, center + right - down, center + right + down, center - right + down])
    return np.column_stack([flat, np.full(4, item.z_mm + thick)])
