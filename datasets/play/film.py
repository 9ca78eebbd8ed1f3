"""Films a recording frame by frame, painting again only what changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from datasets.play.room import Room
from datasets.play.stage import Moment
from datasets.render.shapes import chip_circles_mm, picture_corners_mm
from datasets.scene import CardItem, ChipItem, HandItem, Scene

U8 = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]

PAD_PX = 40
"""Shadows of things at rest reach no farther than this beyond their outline at 1080p."""


class Film:
    """Pictures of one room, one after the other.

    Args:
        room: camera, designs and sensor.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._base: U8 = room.renderer.background.copy()
        self._resting: frozenset[CardItem | ChipItem] = frozenset()
        self._clean: U8 | None = None
        self._moving: tuple[CardItem | ChipItem | HandItem, ...] | None = None

    def frame(self, moment: Moment, number: int) -> U8:
        """Return the picture of a moment as the camera delivers it, (h, w, 3) BGR; moments must come in order of time."""
        changed = self._update_base(moment.resting)
        if changed or moment.moving != self._moving or self._clean is None:
            self._clean = self._base.copy()
            if moment.moving:
                self._room.renderer.paint(self._clean, _scene(moment.moving))
            self._moving = moment.moving
        return self._room.sensor(self._clean, number)

    def _update_base(self, resting: tuple[CardItem | ChipItem, ...]) -> bool:
        now = frozenset(resting)
        different = now ^ self._resting
        if not different:
            return False
        scene = _scene(resting)
        for x0, y0, x1, y1 in _joined([box for item in different if (box := self._box(item)) is not None]):
            self._base[y0:y1, x0:x1] = self._room.renderer.draw(scene, (x0, y0, x1, y1))
        self._resting = now
        return True

    def _box(self, item: CardItem | ChipItem) -> Box | None:
        camera = self._room.camera
        if isinstance(item, CardItem):
            points = picture_corners_mm(item, camera.position_mm)
        else:
            points = np.concatenate(chip_circles_mm(item))
        seen = camera.image_from_table(points)
        width, height = camera.size_px
        x0, y0 = (int(v) - PAD_PX for v in seen.min(axis=0))
        x1, y1 = (int(v) + PAD_PX for v in seen.max(axis=0))
        x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
        return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _scene(items: tuple[CardItem | ChipItem | HandItem, ...]) -> Scene:
    return Scene(
        tuple(item for item in items if isinstance(item, CardItem)),
        tuple(item for item in items if isinstance(item, ChipItem)),
        tuple(item for item in items if isinstance(item, HandItem)),
    )


def _joined(boxes: list[Box]) -> list[Box]:
    """Boxes joined until none overlaps another."""
    done: list[Box] = []
    for box in boxes:
        current = box
        hit = True
        while hit:
            hit = False
            for other in done:
                if current[0] < other[2] and other[0] < current[2] and current[1] < other[3] and other[1] < current[3]:
                    done.remove(other)
                    current = (
                        min(current[0], other[0]), min(current[1], other[1]),
                        max(current[2], other[2]), max(current[3], other[3]),
                    )  # fmt: skip
                    hit = True
                    break
        done.append(current)
    return done
