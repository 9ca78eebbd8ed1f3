"""Random scenes of a few hands' width for the detector, and what is true of them as oriented boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.layout import load_layout
from calibration.layout_file import layout_names
from datasets.draw.backs import draw_fine_back
from datasets.draw.cards import FACE_PX_PER_MM, FACE_SIZE_PX, CardDesign
from datasets.draw.chips import CHIP_COLORS, ODD_COLORS, ChipDesign
from datasets.draw.hands import HandLook
from datasets.draw.shapes import pick
from datasets.play.room import draw_table
from datasets.render.look import Light, Look
from datasets.render.truth import SceneTruth
from datasets.scene import CARD_MM, CHIP_MM, CardItem, ChipItem, HandItem, Scene
from models.detections import BACK, CHIP, FACE, HAND, STACK

F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]

CARD_VISIBLE, CHIP_VISIBLE, STACK_VISIBLE, HAND_VISIBLE_PX = 0.18, 0.3, 0.3, 350
"""Least share seen (least area for hands) for an item to be labelled."""
THROWN_SHARE = 0.3
"""Share of the hands of cards that are thrown on one another."""
STACK_OFFSET_MM = 9.0
"""Chips on one another displaced by less than this from the one below are one stack; more is a spread."""
INSTALLED_SHARE = 0.35
"""Share of the decks that are installed ones, where there are any."""
TABLE_PX_PER_MM = 1.2
"""Scale of the drawn tables that crops take their ground from."""
_RANKS, _SUITS = "23456789TJQKA", "cdhs"
_COLORS = tuple(CHIP_COLORS)


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """One label: class and (4, 2) corners in pixels, clockwise, the first edge the shorter (a card's upper) one."""

    class_id: int
    corners_px: F64


class RectifiedCamera:
    """A camera whose picture is warped by a homography, as when a region is brought to a fixed scale of the felt.

    Args:
        camera: the real camera (no lens distortion).
        warp: (3, 3) new pixels from its pixels.
        size_px: of the new picture.
    """

    def __init__(self, camera: Camera, warp: F64, size_px: tuple[int, int]) -> None:
        self._camera = camera
        self._warp = warp
        self.size_px = size_px
        self.position_mm: F64 = camera.position_mm

    def image_from_table(self, points_mm: npt.ArrayLike) -> F64:
        """Return (n, 2) pixels of table points."""
        points = self._camera.image_from_table(points_mm)
        return np.asarray(cv2.perspectiveTransform(points[None], self._warp)[0], np.float64)

    def px_per_mm_at(self, point_mm: Sequence[float]) -> float:
        """Return the scale at a table point."""
        base = np.zeros(3)
        base[: len(point_mm)] = point_mm
        here, right, down = self.image_from_table(base + np.array([[0.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0]]))
        (a, b), (c, d) = right - here, down - here
        return math.sqrt(abs(a * d - b * c))


def crop_camera(rng: np.random.Generator, size_px: int, px_per_mm: float) -> Camera | RectifiedCamera:
    """Return a camera over the origin at any azimuth, tilted 0..40 degrees; half the time with the felt rectified."""
    tilt = math.radians(float(rng.uniform(0, 15) if rng.random() < 0.4 else rng.uniform(0, 40)))
    azimuth = float(rng.uniform(0, 2 * math.pi))
    distance = float(rng.uniform(1500, 3500))
    away = distance * math.sin(tilt)
    position = (away * math.cos(azimuth), away * math.sin(azimuth), distance * math.cos(tilt))
    size = (size_px, size_px)
    camera = Camera.looking_at(position, (0.0, 0.0), float(rng.uniform(0, 360)), px_per_mm * distance, size)
    if rng.random() < 0.45:
        return camera
    turn = float(rng.uniform(0, 2 * math.pi))
    c, s = px_per_mm * math.cos(turn), px_per_mm * math.sin(turn)
    # The table's frame is right-handed seen from above, a picture's is left-handed: y is mirrored.
    flat = np.array([[c, -s, size_px / 2], [-s, -c, size_px / 2], [0.0, 0.0, 1.0]])
    return RectifiedCamera(camera, flat @ np.linalg.inv(camera.homography), size)


class Design(Protocol):
    """What cards look like, BGRA; see `datasets.draw.cards.CardDesign`."""

    def face(self, card: str, /) -> U8:
        """Picture of a face ("Qd", "Jo")."""

    def back(self) -> U8:
        """Picture of the back."""


class InstalledDesign:
    """A deck written by `datasets.crops.reader_decks`, with the back and the joker of a drawn one where it has none."""

    def __init__(self, folder: Path, spare: Design) -> None:
        self._folder, self._spare = folder, spare

    def face(self, card: str, /) -> U8:
        """Picture of a face. Raises FileNotFoundError where the deck lacks one of the 52."""
        picture = self._picture(card)
        if picture is None and card != "Jo":
            raise FileNotFoundError(f"{self._folder / card}.png is missing; write the decks again with reader_decks")
        return self._spare.face(card) if picture is None else picture

    def back(self) -> U8:
        """Picture of the back."""
        picture = self._picture("back")
        return self._spare.back() if picture is None else picture

    def _picture(self, name: str) -> U8 | None:
        path = self._folder / f"{name}.png"
        return np.asarray(cv2.imread(str(path), cv2.IMREAD_UNCHANGED), np.uint8) if path.is_file() else None


class FineBacked:
    """A deck with a fine back that runs to its edges in place of its own."""

    def __init__(self, rng: np.random.Generator, deck: Design) -> None:
        self._deck = deck
        self._back = draw_fine_back(rng, FACE_SIZE_PX, float(rng.uniform(2.5, 4.2)) * FACE_PX_PER_MM)

    def face(self, card: str, /) -> U8:
        """Picture of a face."""
        return self._deck.face(card)

    def back(self) -> U8:
        """Picture of the back."""
        return self._back


class StockedCards:
    """A deck design with a few faces drawn beforehand, kept small."""

    def __init__(self, rng: np.random.Generator, design: Design, faces: int) -> None:
        names = [r + s for r in _RANKS for s in _SUITS]
        self.names = [names[i] for i in rng.permutation(52)[:faces]]
        if rng.random() < 0.15:
            self.names.append("Jo")
        self._pictures = {name: _shrunk(design.face(name)) for name in self.names}
        self._back = _shrunk(design.back())

    def face(self, card: str) -> U8:
        """Return the picture of one of `names`."""
        return self._pictures[card]

    def back(self) -> U8:
        """Return the picture of the back."""
        return self._back


class StockedHand:
    """A hand's look at one grip, drawn beforehand."""

    def __init__(self, rng: np.random.Generator) -> None:
        picture, tip, scale = HandLook.random(rng, dealer=bool(rng.random() < 0.5)).sprite(float(rng.uniform(0, 1)))
        self._sprite = (np.asarray(picture, np.uint8), tip, scale)

    def sprite(self, grip: float) -> tuple[U8, tuple[float, float], float]:
        """Return the one picture there is."""
        return self._sprite


def _chip_set(rng: np.random.Generator, odd_share: float) -> ChipDesign:
    """A chip set, sometimes with one colour that has no name."""
    chips = ChipDesign.random(rng)
    if odd_share and rng.random() < odd_share:
        chips = chips.in_odd_color(pick(rng, tuple(CHIP_COLORS)), pick(rng, tuple(ODD_COLORS)))
    return chips


class Stock:
    """Designs shared by one batch of crops: drawing them costs more than a crop.

    Args:
        rng: where all randomness comes from.
        split: "train" or "val" designs of decks.
        decks, faces, chip_sets, hands, tables: how many decks, of each how many faces and beside it chip sets, how many
            hands, how many drawn layouts.
        installed: folders of decks to take some of the decks from.
        odd_share: share of the chip sets of which one colour is another than it is called.
        fine_share: share of the decks with a fine back without a border.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        split: str,
        decks: int = 12,
        faces: int = 11,
        chip_sets: int = 1,
        hands: int = 10,
        tables: int = 2,
        installed: Sequence[Path] = (),
        odd_share: float = 0.0,
        fine_share: float = 0.0,
    ) -> None:
        side: Literal["train", "val"] = "val" if split == "val" else "train"
        people = tuple(StockedHand(rng) for _ in range(hands))
        self.looks = []
        self.tables: list[U8] = []
        grey = rng.standard_normal((6, 360, 360, 1), np.float32)
        self.noise = 0.85 * grey + 0.5 * rng.standard_normal((6, 360, 360, 3), np.float32)
        for _ in range(decks):
            design: Design = CardDesign.random(rng, split=side)
            if installed and rng.random() < INSTALLED_SHARE:
                design = InstalledDesign(installed[int(rng.integers(len(installed)))], design)
            if fine_share and rng.random() < fine_share:
                design = FineBacked(rng, design)
            cards = StockedCards(rng, design, faces)
            self.looks += [(cards, Look(cards, _chip_set(rng, odd_share), people)) for _ in range(chip_sets)]
        names = layout_names()
        for k in range(tables):
            layout = load_layout(names[int(rng.integers(len(names)))])
            look = self.looks[k * chip_sets % len(self.looks)][1]
            self.tables.append(draw_table(layout, look, rng, TABLE_PX_PER_MM).image_bgr)

    def table(self, rng: np.random.Generator, size_px: int, px_per_mm: float) -> U8:
        """Return a (size, size, 3) window of a drawn table's print, turned anyhow."""
        image = self.tables[int(rng.integers(len(self.tables)))]
        scale = px_per_mm / TABLE_PX_PER_MM
        place = rng.uniform(0.12, 0.88, 2) * image.shape[1::-1]
        warp = cv2.getRotationMatrix2D((float(place[0]), float(place[1])), float(rng.uniform(0, 360)), scale)
        warp[:, 2] = warp[:, 2] + (size_px / 2 - place)
        flags = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        return np.asarray(cv2.warpAffine(image, warp, (size_px, size_px), flags=flags), np.uint8)

    def pick(self, rng: np.random.Generator) -> tuple[StockedCards, Look]:
        """Return one deck and a look with it under a new light."""
        cards, kept = self.looks[int(rng.integers(len(self.looks)))]
        kept.light = Light.random(rng)
        return cards, kept


def random_scene(rng: np.random.Generator, names: list[str], reach_mm: float) -> Scene:
    """Return cards, chips and hands within `reach_mm` of the origin."""
    cards: list[CardItem] = []
    chips: list[ChipItem] = []
    hands: list[HandItem] = []
    kind = rng.random()
    if kind < 0.85:
        for _ in range(int(rng.choice([1, 2, 3], p=[0.6, 0.28, 0.12]))):
            _group_of_cards(rng, names, reach_mm, cards)
    if kind > 0.3:
        for _ in range(int(rng.choice([1, 2, 3, 4, 6], p=[0.3, 0.25, 0.2, 0.15, 0.1]))):
            group_of_chips(rng, reach_mm, chips)
    if cards and rng.random() < 0.12:
        host = cards[int(rng.integers(len(cards)))]
        at = np.array(host.center_mm) + rng.normal(0, 15, 2)
        _pile(rng, at, host.z_mm + 0.4 + len(cards) * 0.4, chips, int(rng.integers(1, 4)))
    if rng.random() < 0.34:
        for _ in range(1 if rng.random() < 0.8 else 2):
            over = np.array(cards[-1].center_mm) if cards and rng.random() < 0.5 else rng.uniform(-1, 1, 2) * reach_mm
            angle = float(rng.uniform(0, 2 * math.pi))
            tip = over + rng.normal(0, 25, 2)
            elbow = tip + 620 * np.array([math.cos(angle), math.sin(angle)])
            side = "left" if rng.random() < 0.5 else "right"
            hands.append(
                HandItem(_pair(tip), _pair(elbow), float(rng.uniform(12, 70)), side, int(rng.integers(100)), 0.0)
            )
    return Scene(tuple(cards), tuple(chips), tuple(hands))


def _group_of_cards(rng: np.random.Generator, names: list[str], reach_mm: float, into: list[CardItem]) -> None:
    """One hand of cards: single, side by side, fanned, stacked or thrown on one another."""
    if rng.random() < THROWN_SHARE:
        _thrown(rng, names, reach_mm, into)
        return
    at = rng.uniform(-1, 1, 2) * reach_mm
    angle = float(rng.choice([rng.uniform(0, 360), rng.uniform(20, 45) + 90 * rng.integers(4)]))
    count = int(rng.choice([1, 2, 3, 5, 7], p=[0.3, 0.22, 0.28, 0.14, 0.06]))
    style = rng.random()
    side = np.array([-math.cos(math.radians(angle)), -math.sin(math.radians(angle))])
    up = np.array([math.sin(math.radians(angle)), -math.cos(math.radians(angle))])
    step, fan, turned = float(rng.uniform(60, 85)), 0.0, 0.0
    if style < 0.3:
        step = float(rng.uniform(42, 70))
    elif style < 0.6:
        step, fan = float(rng.uniform(15, 60)), float(rng.choice([0.0, rng.uniform(-14, 14)]))
    elif style < 0.7:
        step = float(rng.uniform(0, 4))
    elif style < 0.8:
        side = up
        step = float(rng.uniform(18, 100))
    shake = float(rng.choice([0.5, 2.0, 6.0, 25.0], p=[0.3, 0.4, 0.2, 0.1]))
    face_up = rng.random()
    z = 0.4 * len(into)
    for k in range(count):
        turned = angle + fan * (k - (count - 1) / 2) + float(rng.normal(0, shake * 0.6))
        place = at + side * step * (k - (count - 1) / 2) + rng.normal(0, shake, 2)
        turn = 1.0 if (rng.random() < face_up if 0.4 < face_up < 0.6 else face_up < 0.5) else 0.0
        if rng.random() < 0.02:
            turn = abs(turn - float(rng.uniform(0.05, 0.27)))
        into.append(
            CardItem(
                names[int(rng.integers(len(names)))], _pair(place), turned, turn, z + 0.4 * k, len(into) + 1, "cards"
            )
        )


def _thrown(rng: np.random.Generator, names: list[str], reach_mm: float, into: list[CardItem]) -> None:
    """Two or three cards on one another, each off the one before in any direction and turned anyhow: of the lower ones little is seen."""
    place = rng.uniform(-1, 1, 2) * reach_mm
    angle = float(rng.uniform(0, 360))
    face_up = 1.0 if rng.random() < 0.65 else 0.0
    loose = float(rng.choice([4.0, 12.0, 30.0]))
    for k in range(int(rng.choice([2, 3], p=[0.75, 0.25]))):
        if k:
            towards, step = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(8, 55))
            place = place + step * np.array([math.cos(towards), math.sin(towards)])
            angle += float(rng.normal(0, loose)) + (180.0 if rng.random() < 0.3 else 0.0)
        name = names[int(rng.integers(len(names)))]
        into.append(CardItem(name, _pair(place), angle, face_up, 0.4 * len(into), len(into) + 1, "cards"))


def group_of_chips(rng: np.random.Generator, reach_mm: float, into: list[ChipItem]) -> None:
    """One wager: a single chip, a spread or a stack; sometimes two side by side."""
    at = rng.uniform(-1, 1, 2) * reach_mm
    style = rng.random()
    if style < 0.3:
        _pile(rng, at, 0.0, into, 1)
    elif style < 0.6:
        _spread(rng, at, into)
    else:
        count = int(rng.integers(2, 7) if rng.random() < 0.6 else rng.integers(5, 13))
        _pile(rng, at, 0.0, into, count)
        if rng.random() < 0.25:
            angle = float(rng.uniform(0, 2 * math.pi))
            beside = at + rng.uniform(39.5, 50) * np.array([math.cos(angle), math.sin(angle)])
            _pile(rng, beside, 0.0, into, int(rng.integers(1, 7)))


def _color(rng: np.random.Generator, last: str | None) -> str:
    if last is not None and rng.random() < 0.6:
        return last
    return _COLORS[int(rng.integers(len(_COLORS)))]


def _pile(rng: np.random.Generator, at: F64, z_mm: float, into: list[ChipItem], count: int) -> None:
    color: str | None = None
    place = at.copy()
    loose = float(rng.choice([0.3, 0.8, 1.6]))
    group = f"pile{len(into)}"
    for k in range(count):
        color = _color(rng, color)
        place = place + np.clip(rng.normal(0, loose, 2), -3, 3)
        z = z_mm + k * CHIP_MM[1]
        into.append(ChipItem(color, _pair(place), z, float(rng.uniform(0, 360)), 1000 + len(into), group))


def _spread(rng: np.random.Generator, at: F64, into: list[ChipItem]) -> None:
    """Chips in a row, each lying on the one before, or apart."""
    count = int(rng.integers(2, 7))
    step = float(rng.uniform(STACK_OFFSET_MM + 0.5, 30) if rng.random() < 0.7 else rng.uniform(30, 46))
    angle = float(rng.uniform(0, 2 * math.pi))
    way = np.array([math.cos(angle), math.sin(angle)])
    color: str | None = None
    for k in range(count):
        color = _color(rng, color)
        place = at + way * step * (k - count / 2) + rng.normal(0, 1.2, 2)
        z = CHIP_MM[1] * (0.5 if k else 0.0) if step < CHIP_MM[0] else 0.0
        z += 0.05 * k if step < CHIP_MM[0] else 0.0
        into.append(ChipItem(color, _pair(place), z, float(rng.uniform(0, 360)), 1000 + len(into), f"s{len(into)}"))


def labels(truth: SceneTruth) -> list[Box]:
    """Return the oriented boxes of what can be seen, all in pixels of the picture."""
    found: list[Box] = []
    piles: dict[str, list[int]] = {}
    for k, item in enumerate(truth.items):
        thing = item.item
        if isinstance(thing, CardItem):
            if item.visible_fraction >= CARD_VISIBLE:
                found.append(Box(FACE if item.face_up else BACK, _card_rectangle(item.corners_px)))
        elif isinstance(thing, ChipItem):
            piles.setdefault(str(thing.area), []).append(k)
        else:
            mask = (truth.id_map == k + 1).astype(np.uint8)
            if int(mask.sum()) >= HAND_VISIBLE_PX * truth.scale**2:
                points = cv2.findNonZero(mask).reshape(-1, 2).astype(np.float32) / truth.scale
                found.append(Box(HAND, _least_rectangle(np.asarray(points, np.float64))))
    for members in piles.values():
        if len(members) == 1:
            item = truth.items[members[0]]
            if item.visible_fraction >= CHIP_VISIBLE:
                found.append(Box(CHIP, item.corners_px))
            continue
        outline = np.concatenate([truth.items[k].outline_px for k in members])
        hull = cv2.convexHull(outline.astype(np.float32)).reshape(-1, 2)
        ids = [k + 1 for k in members] + [-(k + 1) for k in members]
        seen = float(np.isin(truth.id_map, ids).sum()) / truth.scale**2
        if seen >= STACK_VISIBLE * max(1.0, float(cv2.contourArea(hull))):
            found.append(Box(STACK, _least_rectangle(np.asarray(hull, np.float64))))
    return found


def _card_rectangle(quad: F64) -> F64:
    """The rectangle nearest to a card's quadrilateral, its first edge the card's upper one."""
    center = quad.mean(axis=0)
    tall = (quad[2] + quad[3] - quad[0] - quad[1]) / 2
    wide = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    area = abs(float(tall[0] * wide[1] - tall[1] * wide[0]))
    if np.hypot(*tall) >= np.hypot(*wide):
        height = float(np.hypot(*tall))
        down, width = tall / height, area / height
        right = np.array([down[1], -down[0]])
    else:
        width = float(np.hypot(*wide))
        right, height = wide / width, area / width
        down = np.array([-right[1], right[0]])
    a, b = right * width / 2, down * height / 2
    return np.stack([center - a - b, center + a - b, center + a + b, center - a + b])


def _least_rectangle(points: F64) -> F64:
    """The smallest rectangle around points; upright where it is nearly a square."""
    _, (w, h), _ = box = cv2.minAreaRect(points.astype(np.float32))
    if max(w, h) < 1.12 * min(w, h):
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    corners = np.asarray(cv2.boxPoints(box), np.float64)
    if np.hypot(*(corners[1] - corners[0])) > np.hypot(*(corners[2] - corners[1])):
        corners = np.roll(corners, -1, axis=0)
    return corners


def _shrunk(picture: npt.NDArray[np.uint8]) -> U8:
    """A card's picture at 3 px per mm."""
    size = (round(CARD_MM[0] * 3), round(CARD_MM[1] * 3))
    alpha = picture[..., 3:].astype(np.float32) / 255.0
    flat = np.dstack([picture[..., :3] * alpha, alpha * 255.0])
    small = np.array(cv2.resize(flat, size, interpolation=cv2.INTER_AREA), np.float32)
    small[..., :3] /= np.maximum(small[..., 3:], 1e-3) / 255.0
    return np.clip(np.round(small), 0, 255).astype(np.uint8)


def _pair(values: F64) -> tuple[float, float]:
    return float(values[0]), float(values[1])
