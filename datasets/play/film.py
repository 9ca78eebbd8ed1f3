"""Films a recording frame by frame, painting again only what changed."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from datasets.play.places import Places
from datasets.play.room import Room
from datasets.play.stage import Moment, Stage
from datasets.render.boxes import Box, joined
from datasets.render.shapes import chip_circles_mm, picture_corners_mm
from datasets.scene import CardItem, ChipItem, HandItem, Scene

U8 = npt.NDArray[np.uint8]

EXPOSURE_S = 1.0 / 120.0
"""How long the shutter is open: indoor light, as a casino's camera has it."""
PAD_PX = 40
"""Shadows of things at rest reach no farther than this beyond their outline at 1080p."""


class Film:
    """Pictures of one room, one after the other.

    Light, glare and softness are worked out only where something changed; flicker and noise come fresh with every
    frame, on the brightness alone.

    Args:
        room: camera, designs and sensor.
        seed: for flicker and noise.
    """

    def __init__(self, room: Room, seed: int = 0) -> None:
        self._room = room
        self._seed = seed
        width, height = room.camera.size_px
        self._whole: Box = (0, 0, width, height)
        self._base: U8 = room.renderer.background.copy()
        self._clean: U8 = self._base.copy()
        self._planes: U8 = _yuv(room.sensor.developed(self._clean, self._whole))
        self._resting: frozenset[CardItem | ChipItem] = frozenset()
        self._moving: tuple[CardItem | ChipItem | HandItem, ...] = ()
        self._touched: list[Box] = []
        self._noise = _noise_bank(room.sensor.look.noise, (width, height), seed)

    def frame(self, moment: Moment, number: int, later: Sequence[Moment] = ()) -> U8:
        """Return a picture as (h * 3 / 2, w) planar YUV 4:2:0; frames must come in order of time.

        Args:
            moment: what is seen as the shutter opens.
            number: of the frame.
            later: moments until it closes; what moves is blurred over all of them.
        """
        changed = self._update_base(moment.resting)
        if changed or moment.moving != self._moving:
            for x0, y0, x1, y1 in (*self._touched, *changed):
                self._clean[y0:y1, x0:x1] = self._base[y0:y1, x0:x1]
            touched: list[Box] = []
            if moment.moving:
                touched = self._paint(self._clean, moment.moving)
            for count, other in enumerate(later, start=2):
                touched = self._blend(other, touched, 1.0 / count)
            for x0, y0, x1, y1 in joined([*self._touched, *changed, *touched]):
                box = (x0 // 2 * 2, y0 // 2 * 2, -(-x1 // 2) * 2, -(-y1 // 2) * 2)
                part = self._room.sensor.developed(self._clean, box)
                _into_planes(self._planes, part, box)
            self._moving, self._touched = moment.moving, touched
        return self._exposed(number)

    def _paint(self, image: U8, items: tuple[CardItem | ChipItem | HandItem, ...]) -> list[Box]:
        boxes = self._room.renderer.paint(image, _scene(items))
        return joined([box for b in boxes if (box := _cut(b, self._whole)) is not None])

    def _blend(self, later: Moment, touched: list[Box], share: float) -> list[Box]:
        """Mix a later moment of the same exposure into the picture; return all parts painted."""
        image = self._base.copy()
        arrived = tuple(item for item in later.resting if item not in self._resting)
        boxes = joined([*touched, *self._paint(image, (*arrived, *later.moving))])
        for x0, y0, x1, y1 in boxes:
            part = self._clean[y0:y1, x0:x1]
            part[:] = cv2.addWeighted(part, 1.0 - share, image[y0:y1, x0:x1], share, 0.0)
        return boxes

    def picture(self, moment: Moment, number: int) -> U8:
        """Return the same as (h, w, 3) BGR."""
        return np.asarray(cv2.cvtColor(self.frame(moment, number), cv2.COLOR_YUV2BGR_I420), np.uint8)

    def _exposed(self, number: int) -> U8:
        """The planes with this frame's flicker and noise on the brightness."""
        rng = np.random.default_rng((self._seed, 19, number))
        width, height = self._room.camera.size_px
        out = self._planes.copy()
        gain = 1.0 + float(rng.normal()) * self._room.sensor.look.flicker
        curve = np.clip(np.round((np.arange(256) - 16) * gain + 16), 0, 255).astype(np.uint8)
        light = cv2.LUT(out[:height], curve)
        up, down = self._noise[int(rng.integers(len(self._noise)))]
        y, x = (int(v) for v in rng.integers(_SPARE, size=2))
        cut = (slice(y, y + height), slice(x, x + width))
        out[:height] = cv2.subtract(cv2.add(light, up[cut]), down[cut])
        return out

    def _update_base(self, resting: tuple[CardItem | ChipItem, ...]) -> list[Box]:
        """Paint what came to rest or left into the base; return the parts painted anew."""
        now = frozenset(resting)
        different = now ^ self._resting
        if not different:
            return []
        scene = _scene(resting)
        boxes = joined([box for item in different if (box := self._box(item)) is not None])
        for x0, y0, x1, y1 in boxes:
            self._base[y0:y1, x0:x1] = self._room.renderer.draw(scene, (x0, y0, x1, y1))
        self._resting = now
        return boxes

    def _box(self, item: CardItem | ChipItem) -> Box | None:
        camera = self._room.camera
        if isinstance(item, CardItem):
            points = picture_corners_mm(item, camera.position_mm)
        else:
            points = np.concatenate(chip_circles_mm(item))
        seen = camera.image_from_table(points)
        x0, y0 = (int(v) - PAD_PX for v in seen.min(axis=0))
        x1, y1 = (int(v) + PAD_PX for v in seen.max(axis=0))
        return _cut((x0, y0, x1, y1), self._whole)


def exposures(stage: Stage, places: Places, t_s: float, px_per_mm: float) -> tuple[Moment, ...]:
    """Return the moment at which the shutter opens, then later ones of the exposure, more of them the faster hands are."""
    fastest = 0.0
    for hand in stage.hands:
        a, b = hand.at(t_s), hand.at(t_s + EXPOSURE_S)
        fastest = max(fastest, float(np.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm)) * px_per_mm)
    count = 1 if fastest < 3.0 else 2 if fastest < 8.0 else 3
    return tuple(stage.moment(t_s + EXPOSURE_S * i / max(count - 1, 1), places) for i in range(count))


def _yuv(image_bgr: U8) -> U8:
    return np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2YUV_I420), np.uint8)


def _into_planes(planes: U8, part_bgr: U8, box: Box) -> None:
    """Write a part of a picture, even on all sides, into planar YUV 4:2:0."""
    x0, y0, x1, y1 = box
    width = planes.shape[1]
    height = planes.shape[0] * 2 // 3
    small = _yuv(part_bgr)
    h, w = y1 - y0, x1 - x0
    planes[y0:y1, x0:x1] = small[:h]
    colors = planes.reshape(-1)[height * width :].reshape(2, height // 2, width // 2)
    colors[:, y0 // 2 : y1 // 2, x0 // 2 : x1 // 2] = small[h:].reshape(2, h // 2, w // 2)


_SPARE = 32


def _noise_bank(sigma: float, size_px: tuple[int, int], seed: int) -> list[tuple[U8, U8]]:
    """Positive and negative parts of a few pictures of noise; each frame takes one, shifted."""
    rng = np.random.default_rng((seed, 23))
    bank = []
    for _ in range(4):
        noise = np.round(rng.standard_normal((size_px[1] + _SPARE, size_px[0] + _SPARE), np.float32) * sigma)
        bank.append((np.clip(noise, 0, 255).astype(np.uint8), np.clip(-noise, 0, 255).astype(np.uint8)))
    return bank


def _cut(box: Box, whole: Box) -> Box | None:
    x0, y0, x1, y1 = max(box[0], whole[0]), max(box[1], whole[1]), min(box[2], whole[2]), min(box[3], whole[3])
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _scene(items: tuple[CardItem | ChipItem | HandItem, ...]) -> Scene:
    return Scene(
        tuple(item for item in items if isinstance(item, CardItem)),
        tuple(item for item in items if isinstance(item, ChipItem)),
        tuple(item for item in items if isinstance(item, HandItem)),
    )
