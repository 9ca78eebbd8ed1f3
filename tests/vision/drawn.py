"""A drawn table for tests: plain cards, chips and arms on the felt of the real layout, and networks that know them.

A face is white with a coloured middle that tells which card it is, a back is all blue, chips are discs of their colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.drawing import draw_layout
from calibration.layout import Layout, load_layout
from models.detections import BACK, CHIP, FACE, Detections
from vision.frames.frame import Frame
from vision.frames.picture import Image
from vision.pipeline import TableWatcher, WatchedTable

CHIP_CENTS = {"white": 100, "red": 500, "green": 2500, "black": 10000}
FACES: dict[str, tuple[int, int, int]] = {
    "Qd": (0, 0, 200), "5c": (0, 140, 0), "As": (20, 20, 20), "Kh": (0, 200, 200), "2s": (200, 0, 200), "9d": (200, 120, 0),
}  # fmt: skip
BACK_BGR = (150, 40, 20)
CHIPS: dict[str, tuple[int, int, int]] = {
    "red": (30, 30, 200), "green": (60, 130, 20), "black": (22, 20, 20), "white": (235, 235, 235), "purple": (140, 40, 110), "orange": (20, 110, 230),
}  # fmt: skip
SIZE_PX = (1280, 720)


@dataclass(frozen=True)
class Card:
    card: str
    at_mm: tuple[float, float]
    angle_deg: float = 0.0
    up: bool = False


@dataclass(frozen=True)
class Chip:
    color: str
    at_mm: tuple[float, float]


@dataclass(frozen=True)
class Arm:
    tip_mm: tuple[float, float]
    from_mm: tuple[float, float]
    bgr: tuple[int, int, int] = (150, 170, 215)


@dataclass(frozen=True)
class Things:
    cards: tuple[Card, ...] = ()
    chips: tuple[Chip, ...] = ()
    arms: tuple[Arm, ...] = ()


def card_corners(card: Card) -> npt.NDArray[np.float64]:
    """Corners on the table; angle 0 has its upper edge towards the dealer."""
    angle = np.radians(card.angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    local = np.array([[31.75, -44.45], [-31.75, -44.45], [-31.75, 44.45], [31.75, 44.45]])
    return np.asarray(local @ turn.T + card.at_mm, np.float64)


@cache
def _felt(layout: Layout) -> tuple[Image, npt.NDArray[np.float64]]:
    return draw_layout(layout, 1.0, ink_bgr=(120, 165, 165), outside_bgr=(35, 35, 40))


class DrawnTable:
    """Draws things on the felt as the camera sees them."""

    def __init__(
        self,
        *,
        tilt_mm: float = 350.0,
        noise: float = 2.0,
        seed: int = 1,
        turned_mm: tuple[float, float] = (0.0, 0.0),
        rack: bool = False,
    ) -> None:
        x, y = turned_mm
        whole: Layout = load_layout("raise_it_up_6")
        names = ("seat3", "seat4", "community", "tray", "shoe", *(("discard_rack",) if rack else ()))
        self.layout = replace(whole, areas=tuple(area for area in whole.areas if area.name.startswith(names)))
        self.camera = Camera.looking_at((0, 480 + tilt_mm, 2300), (x, 480 + y), 0.0, 1350.0, SIZE_PX)
        felt, table_from_px = _felt(self.layout)
        image_from_px = self.camera.homography @ table_from_px
        self.felt: Image = np.asarray(
            cv2.warpPerspective(felt, image_from_px, SIZE_PX, flags=cv2.INTER_AREA, borderValue=(35, 35, 40)), np.uint8
        )
        self._rng = np.random.default_rng(seed)
        sheet = self._rng.normal(0, noise, (SIZE_PX[1] + 40, SIZE_PX[0], 3))
        self._sheet = np.floor(sheet).astype(np.int16)

    def center(self, area: str, dx: float = 0.0, dy: float = 0.0) -> tuple[float, float]:
        x, y = self.layout.area(area).center_mm
        return x + dx, y + dy

    def draw(self, things: Things, *, gain: float = 1.0) -> Image:
        image = self.felt.copy()
        for card in things.cards:
            corners = card_corners(card)
            self._fill(image, corners, (240, 240, 240) if card.up else BACK_BGR)
            if card.up:
                self._fill(image, corners.mean(axis=0) + 0.6 * (corners - corners.mean(axis=0)), FACES[card.card])
        for chip in things.chips:
            angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
            self._fill(
                image, np.asarray(chip.at_mm) + 19.5 * np.stack([np.cos(angles), np.sin(angles)], 1), CHIPS[chip.color]
            )
        for arm in things.arms:
            tip, start = np.asarray(arm.tip_mm), np.asarray(arm.from_mm)
            if np.linalg.norm(tip - start) < 1.0:
                continue
            across = np.array([-(tip - start)[1], (tip - start)[0]]) / np.linalg.norm(tip - start) * 45
            self._fill(image, np.array([tip + across, tip - across, start - across, start + across]), arm.bgr)
        rows = int(self._rng.integers(0, 40))
        lit = image if gain == 1.0 else np.clip(image * np.float32(gain), 0, 255).astype(np.uint8)
        return np.asarray(cv2.add(lit, self._sheet[rows : rows + SIZE_PX[1]], dtype=cv2.CV_8U), np.uint8)

    def _fill(self, image: Image, points_mm: npt.NDArray[np.float64], bgr: tuple[int, int, int]) -> None:
        pixels = self.camera.image_from_table(points_mm)
        cv2.fillPoly(image, [np.round(pixels * 16).astype(np.int32)], bgr, cv2.LINE_AA, shift=4)


@dataclass
class DrawnDetector:
    """Finds drawn cards and chips; misses each with probability `miss` and shifts boxes by `jitter_px`."""

    miss: float = 0.0
    jitter_px: float = 0.0
    seed: int = 3
    calls: int = 0

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    def __call__(self, image_bgr: Image, min_confidence: float = 0.25) -> Detections:
        self.calls += 1
        boxes: list[npt.NDArray[np.float64]] = []
        classes: list[int] = []
        back = _near(image_bgr, BACK_BGR, 40)
        face = _near(image_bgr, (240, 240, 240), 30)
        for color in FACES.values():
            face |= _near(image_bgr, color, 14)
        for mask, class_id in ((face, FACE), (back, BACK)):
            for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
                rect = cv2.minAreaRect(contour)
                if class_id == BACK and 1.1 < rect[1][0] * rect[1][1] / (63.5 * 88.9) < 2.2:
                    rect = (rect[0], (63.0, 88.0), 0.0)  # backs on one another: one upright card in the middle
                if 50 < min(rect[1]) < 75 and 75 < max(rect[1]) < 100:
                    boxes.append(_upright(np.asarray(cv2.boxPoints(rect), np.float64)))
                    classes.append(class_id)
        for color in CHIPS.values():
            for contour in cv2.findContours(_near(image_bgr, color, 30), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
                rect = cv2.minAreaRect(contour)
                if min(rect[1]) > 30 and max(rect[1]) < 48:
                    boxes.append(np.asarray(cv2.boxPoints(rect), np.float64))
                    classes.append(CHIP)
        keep = [i for i in range(len(boxes)) if self._rng.random() >= self.miss]
        corners = np.array([boxes[i] + self._rng.normal(0, self.jitter_px, 2) for i in keep], np.float32).reshape(
            -1, 4, 2
        )
        return Detections(corners, np.full(len(keep), 0.9, np.float32), np.array([classes[i] for i in keep], np.int64))


def _near(image: Image, bgr: tuple[int, int, int], reach: int) -> Image:
    low, high = (np.clip(np.add(bgr, side), 0, 255) for side in (-reach, reach))
    return np.asarray(cv2.inRange(image, low.astype(np.uint8), high.astype(np.uint8)))


def _upright(box: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return box if np.linalg.norm(box[1] - box[0]) < np.linalg.norm(box[2] - box[1]) else np.roll(box, 1, axis=0)


@dataclass(frozen=True)
class DrawnReading:
    card: str | None
    confidence: float
    back_probability: float = 0.0
    face_probability: float = 1.0

    @property
    def likeliest(self) -> str:
        return self.card or "unreadable"


class DrawnReader:
    """Reads the coloured middle."""

    def __call__(self, cards_bgr: Image | Sequence[Image], px_per_mm: object = None) -> list[DrawnReading]:
        out = []
        for crop in cards_bgr:
            middle = np.median(crop[40:56, 24:40].reshape(-1, 3), axis=0)
            distance = {card: float(np.abs(middle - bgr).max()) for card, bgr in FACES.items()}
            best = min(distance, key=lambda card: distance[card])
            out.append(DrawnReading(best, 0.99) if distance[best] < 40 else DrawnReading(None, 0.2))
        return out


def reach(
    t_s: float, start_s: float, tip_mm: tuple[float, float], home_mm: tuple[float, float], *, stay_s: float = 0.2
) -> tuple[Arm, ...]:
    """An arm that reaches from its home to a point in half a second, stays, and goes back."""
    since = t_s - start_s
    if not 0 <= since <= 1.0 + stay_s:
        return ()
    share = min(1.0, since / 0.5, (1.0 + stay_s - since) / 0.5)
    tip = (home_mm[0] + share * (tip_mm[0] - home_mm[0]), home_mm[1] + share * (tip_mm[1] - home_mm[1]))
    return (Arm(tip, (home_mm[0], home_mm[1] + (200 if home_mm[1] > 0 else -200))),)


def dart(t_s: float, at_s: float, tip_mm: tuple[float, float], home_mm: tuple[float, float]) -> tuple[Arm, ...]:
    """A quick hand that is at a point at `at_s`, on its way 0.15 s before and after."""
    share = 1.0 - abs(t_s - at_s) / 0.15
    if share <= 0.0:
        return ()
    tip = (home_mm[0] + share * (tip_mm[0] - home_mm[0]), home_mm[1] + share * (tip_mm[1] - home_mm[1]))
    return (Arm(tip, (home_mm[0], home_mm[1] - 200)),)


def frames(
    table: DrawnTable,
    scene_at: Callable[[float], Things],
    seconds: float,
    *,
    fps: float = 15.0,
    gain: Callable[[float], float] = lambda t: 1.0,
) -> Iterator[Frame]:
    """Frames of a scene that changes over time."""
    for index in range(round(seconds * fps)):
        t = index / fps
        yield Frame(index, t, table.draw(scene_at(t), gain=gain(t)))


@dataclass(frozen=True)
class DrawnChipReading:
    color: str | None
    confidence: float
    none_probability: float = 0.0
    likeliest: str = "other"


class DrawnChipReader:
    """Names a chip by the colour it was drawn in."""

    def __call__(self, chips_bgr: Image | Sequence[Image]) -> list[DrawnChipReading]:
        out = []
        for crop in chips_bgr:
            middle = np.median(crop[13:19, 13:19].reshape(-1, 3), axis=0)
            distance = {name: float(np.abs(middle - bgr).max()) for name, bgr in CHIPS.items()}
            best = min(distance, key=lambda name: distance[name])
            out.append(DrawnChipReading(best, 0.97) if distance[best] < 60 else DrawnChipReading(None, 0.3))
        return out


def watcher_of(table: DrawnTable, detector: DrawnDetector | None = None, *, chips_spread: bool = True) -> TableWatcher:
    """A watcher of the table, with networks that know what is drawn."""
    return TableWatcher(
        WatchedTable("t1", CHIP_CENTS, chips_spread=chips_spread),
        table.layout,
        table.camera,
        detector or DrawnDetector(),
        DrawnReader(),
        DrawnChipReader(),
    )
