"""Whether the chips found explain what is seen around them: felt, and nothing that may be another chip.

In a film chips come and go, and what changes has their shape. In a single picture a chip of a spread that the detector overlooks
would make a wrong amount: it sticks out from under the next one by a third of its width, or leaves a row uneven.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.frames.picture import Image
from vision.frames.rectify import AreaView
from vision.looks.spreads import alike, gapped, lab_and_places
from vision.looks.stacks import CHIP_HEIGHT_MM, CHIP_RADIUS_MM, away_from_camera

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

UNEVEN = 1.45
"""In a row whose longest step is so many times its shortest a chip may be missing; in films, where more is known of what came, a longer one."""
RING_MM = (2.0, 9.0)
"""Felt has to be seen so far beyond a chip's rim and own side."""
GROUND_MM = (32.0, 68.0)
"""The felt is learned so far beyond: no chip that lies under one of these reaches there."""
CLEAR_MM, SIDE_CHIPS = 3.0, 10
"""What lies so near to a card or another chip is theirs; the side of a stack reaches at most so many chips towards the camera."""
SECTORS, WINDOW = 24, 4
"""The ring around a chip is cut into sectors, and so many of them looked at together: a chip below covers more."""
LEAST_BARE, LEAST_PX = 0.5, 60
"""So much of them has to be felt, where so many pixels are seen."""
_PX_PER_MM, _MOST_GROUND = 1.2, 1200


def explained(
    image: Image,
    camera: Camera,
    chips_mm: Sequence[tuple[float, float]],
    others_mm: Sequence[tuple[float, float]] = (),
    cards_mm: Sequence[npt.ArrayLike] = (),
) -> bool:
    """Whether chips that touch are all that lies there.

    Args:
        image: (h, w, 3) BGR.
        camera: that gave it.
        chips_mm: middles of the upper faces of single or spread chips, as if they lay on the felt.
        others_mm: those of other chips and stacks.
        cards_mm: (4, 2) corners of cards.
    """
    chips = np.asarray(chips_mm, np.float64)
    if any(gapped(list(chips_mm), [True] * len(chips), UNEVEN)):
        return False
    view = AreaView.around(chips, camera, margin_mm=CHIP_RADIUS_MM + GROUND_MM[1], px_per_mm=_PX_PER_MM)
    lab, places = lab_and_places(view.cut(image), view)
    away, per_mm = away_from_camera(camera, chips.mean(axis=0))
    side = away * per_mm * CHIP_HEIGHT_MM
    free = _free(view, image, cards_mm)
    for other in others_mm:
        free &= _beyond(places, np.asarray(other), SIDE_CHIPS * side) > CLEAR_MM
    beyond = np.stack([_beyond(places, chip, 2 * side) for chip in chips])
    nearest, distance = beyond.argmin(axis=0), beyond.min(axis=0)
    ground = lab[free & (distance > GROUND_MM[0]) & (distance <= GROUND_MM[1])]
    if len(ground) < LEAST_PX:
        return False
    ring = free & (distance > RING_MM[0]) & (distance <= RING_MM[1])
    bare = alike(lab[ring], ground[:: max(1, len(ground) // _MOST_GROUND)])
    offsets = places[ring] - chips[nearest[ring]]
    sector = ((np.arctan2(offsets[:, 1], offsets[:, 0]) / (2 * np.pi) % 1.0) * SECTORS).astype(int) % SECTORS
    return not any(_covered(sector[own], bare[own]) for own in (nearest[ring] == i for i in range(len(chips))))


def _covered(sector: npt.NDArray[np.int_], bare: BoolArray) -> bool:
    """Whether neighbouring sectors of a ring show something else than felt."""
    seen = np.bincount(sector, minlength=SECTORS)
    felt = np.bincount(sector, weights=bare, minlength=SECTORS)
    together = np.sum([np.roll([seen, felt], k, axis=1) for k in range(WINDOW)], axis=0)
    return bool(((together[0] >= LEAST_PX) & (together[1] < LEAST_BARE * together[0])).any())


def _beyond(places: FloatArray, chip: FloatArray, side_mm: FloatArray) -> FloatArray:
    """(h, w) millimetres from the rim of a chip whose side is seen so far towards the camera; negative on it."""
    offsets = places - chip
    length = float(side_mm @ side_mm)
    share = np.clip(-(offsets @ side_mm) / length, 0.0, 1.0) if length > 0 else np.zeros(offsets.shape[:-1])
    return np.asarray(np.linalg.norm(offsets + share[..., None] * side_mm, axis=-1) - CHIP_RADIUS_MM)


def _free(view: AreaView, image: Image, cards_mm: Sequence[npt.ArrayLike]) -> BoolArray:
    """(h, w) what of a view shows the picture, and no card."""
    cards = np.zeros((view.size_px[1], view.size_px[0]), np.uint8)
    for card in cards_mm:
        corners = view.view_from_table(np.asarray(card, np.float64))
        if np.isfinite(corners).all():
            cv2.fillConvexPoly(cards, np.round(corners).astype(np.int32), 1)
    reach = int(np.ceil(CLEAR_MM * _PX_PER_MM))
    free = np.asarray(cv2.dilate(cards, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))) == 0
    beyond = view.beyond((image.shape[1], image.shape[0]), 0)
    return np.asarray(free if beyond is None else free & ~beyond)
