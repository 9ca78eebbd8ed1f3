"""The picture an installer takes before play begins: a chip of each value on the table, through the table's own camera."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets.play.room import Room
from datasets.scene import CHIP_MM, ChipItem, Scene

U8 = npt.NDArray[np.uint8]
CHIPS = "chips.png"
"""Name of its file."""
STEP_MM, ROW_Y_MM = 54.0, 245.0
"""From chip to chip, and the row's distance from the dealer's edge: between rack and community cards."""


def chips_still(room: Room, seed: int, colors: Mapping[str, int]) -> tuple[U8, dict[str, tuple[float, float]]]:
    """A chip of each colour in a row, singly.

    Args:
        room: camera, chips and light.
        seed: of how the chips are turned.
        colors: cents per colour.

    Returns:
        The picture (h, w, 3) BGR, and for each colour the middle of its face, px.
    """
    rng = np.random.default_rng((seed, 43))
    places = [(STEP_MM * (i - (len(colors) - 1) / 2), ROW_Y_MM) for i in range(len(colors))]
    chips = tuple(
        ChipItem(color, place, 0.0, float(rng.uniform(0, 360)), i)
        for i, (color, place) in enumerate(zip(colors, places, strict=True))
    )
    picture = room.sensor(room.renderer.draw(Scene(chips=chips)))
    faces = room.camera.image_from_table([(*place, CHIP_MM[1]) for place in places])
    return picture, {color: (float(x), float(y)) for color, (x, y) in zip(colors, faces, strict=True)}


def write_still(path: Path, picture: U8) -> None:
    """Write a picture. Raises OSError."""
    path.write_bytes(cv2.imencode(".png", picture)[1].tobytes())
