"""Pictures of a chip set laid out: a chip of each colour on felt, in any light, from any height, for learning and reading it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from datasets.draw.cards import CardDesign
from datasets.draw.chips import ChipDesign
from datasets.draw.felt import plain_felt
from datasets.render.compositor import Renderer
from datasets.render.look import Light, Look
from datasets.render.sensor import Sensor, SensorLook
from datasets.scene import CHIP_MM, ChipItem, Scene

U8 = npt.NDArray[np.uint8]
DISTANCE_MM = 1500.0


@dataclass(frozen=True, slots=True)
class ChipView:
    """How chips are photographed.

    Attributes:
        px_per_mm: scale at the picture's middle.
        tilt_deg: angle from the vertical.
        light: sensor and light.
        lamp: where shadows come from.
        felt_bgr: colour of the felt, any if None.
        margin_mm: felt around the chips.
    """

    px_per_mm: float = 1.6
    tilt_deg: float = 0.0
    light: SensorLook = field(default_factory=SensorLook)
    lamp: Light = field(default_factory=Light)
    felt_bgr: tuple[int, int, int] | None = (60, 95, 30)
    margin_mm: float = 60.0


def chips_pictured(
    chip_set: ChipDesign,
    colors: Sequence[str],
    places_mm: Sequence[tuple[float, float]],
    view: ChipView,
    *,
    seed: int,
) -> tuple[U8, npt.NDArray[np.float64]]:
    """Draw chips singly on felt.

    Args:
        chip_set: their design.
        colors: of each, keys of `datasets.draw.chips.CHIP_COLORS`.
        places_mm: of each; they are brought to the picture's middle.
        view: camera and light.
        seed: of felt, turns and noise.

    Returns:
        The picture (h, w, 3) BGR, and (n, 2) the middles of the faces in it, px.
    """
    rng = np.random.default_rng((seed, 41))
    places = np.asarray(places_mm, np.float64)
    low, high = places.min(axis=0), places.max(axis=0)
    extent = (high - low + CHIP_MM[0] + 2 * view.margin_mm) * view.px_per_mm
    size = (math.ceil(float(extent[0])), math.ceil(float(extent[1])))
    tilt = math.radians(view.tilt_deg)
    position = (0.0, DISTANCE_MM * math.sin(tilt), DISTANCE_MM * math.cos(tilt))
    camera = Camera.looking_at(position, (0.0, 0.0), 180.0, view.px_per_mm * DISTANCE_MM, size)
    middle = (low + high) / 2
    chips = tuple(
        ChipItem(color, (float(x), float(y)), angle_deg=float(rng.uniform(0, 360)), item_id=i)
        for i, (color, (x, y)) in enumerate(zip(colors, places - middle, strict=True))
    )
    felt = np.ascontiguousarray(plain_felt(rng, size, view.felt_bgr), np.uint8)
    look = Look(CardDesign.random(rng), chip_set, (), view.lamp)
    drawn = Renderer(camera, look, felt).draw(Scene(chips=chips))
    faces = camera.image_from_table([(*chip.center_mm, CHIP_MM[1]) for chip in chips])
    return Sensor(view.light, size, seed)(drawn), faces
