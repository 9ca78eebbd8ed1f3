"""Endless crops to train and measure the card reader on: little scenes with a card, then cut out as the detector would.

Every crop starts as a small scene at 0.6 to 2.5 px per mm, in training up to 3.6: a ground, a card turned any way in slight perspective, other
cards, chips or fingers over it, shadows, light, glare, blur, noise and compression. It is then rectified by
`models.reader.rectify_card` with corners a few per cent off, so that all losses of a real picture are in it. Everything
follows from the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from datasets.crops.reader_decks import HELD_OUT_DECKS
from datasets.draw.cards import CardDesign, Split
from datasets.draw.chips import CHIP_COLORS, ChipDesign
from datasets.draw.felt import felt_texture
from datasets.draw.hands import HandLook
from datasets.draw.shapes import Image
from models.reader import BACK, CARD_SIZE_MM, CLASS_NAMES, FACE_NAMES, JOKER, READER_SIZE, UNREADABLE, rectify_card

BANK_PX = (192, 270)
"""Size of the faces kept in memory, about 3 px per mm."""
HALF_BELOW = 1.4
"""Scenes of fewer px per mm take the faces at half the size."""
SCALES, TRAINING_SCALES = (0.6, 2.5), (0.6, 3.6)
"""px per mm of the scenes to measure on, and of those to train on."""
OTHER_ART = 0.4
"""Share of court cards, in training, whose indices lie on the picture of another court card of the deck."""
INDEX_SHARE = (0.25, 0.3)
"""Width and height of a corner with its index, as shares of the card's."""


@dataclass(frozen=True, slots=True)
class Deck:
    """Faces, joker and back of a deck as BGRA of `BANK_PX`; `four` if any corner may carry an index."""

    name: str
    cards: dict[str, tuple[Image, Image]]
    four: bool


@dataclass(frozen=True, slots=True)
class Crop:
    """One crop with its truth.

    Attributes:
        image: (192, 128, 3) uint8 BGR.
        label: index into `models.reader.CLASS_NAMES`.
        px_per_mm: scale of the scene it was cut from.
        visible: share of the card that is not covered.
        deck: name of the deck, "" for junk.
    """

    image: Image
    label: int
    px_per_mm: float
    visible: float
    deck: str


def _levels(picture: Image) -> tuple[Image, Image]:
    full = np.asarray(cv2.resize(picture, BANK_PX, interpolation=cv2.INTER_AREA), np.uint8)
    half = np.asarray(cv2.resize(full, (BANK_PX[0] // 2, BANK_PX[1] // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return full, half


def drawn_deck(rng: np.random.Generator, split: Split) -> Deck:
    """A deck of our own drawing."""
    design = CardDesign.random(rng, split)
    cards = {name: _levels(design.face(name)) for name in (*FACE_NAMES, "Jo")}
    cards["back"] = _levels(design.back())
    return Deck(f"drawn-{design.seed}", cards, design.corners == 4)


def read_deck(folder: Path) -> Deck:
    """A deck from pictures `<card>.png` as `reader_decks` writes them. Raises FileNotFoundError for a missing face."""
    cards = {}
    for name in (*FACE_NAMES, "back"):
        picture = cv2.imread(str(folder / f"{name}.png"), cv2.IMREAD_UNCHANGED)
        if picture is not None:
            cards[name] = _levels(np.asarray(picture, np.uint8))
        elif name != "back":
            raise FileNotFoundError(f"{folder / name}.png is missing; write the decks again with reader_decks")
    return Deck(folder.name, cards, True)


def installed_decks(folder: Path, split: Split) -> list[Deck]:
    """Decks under `folder`: those of `HELD_OUT_DECKS` for "val", the others for "train"."""
    names = sorted(p for p in folder.iterdir() if p.is_dir())
    return [read_deck(p) for p in names if split == "any" or (p.name in HELD_OUT_DECKS) == (split == "val")]


class CropMaker:
    """Makes crops from a growing bank of decks.

    Args:
        seed: all crops follow from it.
        decks: decks given (may be empty); they are used for `share_given` of the crops.
        split: which drawn designs to use.
        drawn: drawn decks to start with; one more is drawn every `renew` crops until there are `most`.
        scales: least and most px per mm.
    """

    def __init__(
        self,
        seed: int,
        decks: list[Deck],
        split: Split = "train",
        drawn: int = 24,
        most: int = 160,
        renew: int = 700,
        share_given: float = 0.4,
        scales: tuple[float, float] = SCALES,
    ) -> None:
        self._scales = scales
        self._rng = np.random.default_rng(seed)
        self._given, self._split = decks, split
        self._most, self._renew, self._share = most, renew, share_given if decks else 0.0
        self._drawn = [drawn_deck(self._rng, split) for _ in range(drawn)]
        self._made = 0
        self._grounds = [felt_texture(self._rng, (420, 420)) for _ in range(80)]
        self._chips = self._draw_chips(6)
        self._hands = self._draw_hands(8)

    def _draw_chips(self, sets: int) -> list[Image]:
        out = []
        for _ in range(sets):
            design = ChipDesign.random(self._rng)
            out += [
                np.asarray(cv2.resize(design.top(c), (98, 98), interpolation=cv2.INTER_AREA), np.uint8)
                for c in CHIP_COLORS
            ]
        return out

    def _draw_hands(self, count: int) -> list[tuple[Image, tuple[float, float], float]]:
        out = []
        for _ in range(count):
            sprite, tip, scale = HandLook.random(self._rng, bool(self._rng.random() < 0.4)).sprite(self._rng.random())
            out.append((np.ascontiguousarray(sprite[: round(420 * scale)]), tip, scale))
        return out

    def _deck(self) -> Deck:
        if self._given and (not self._drawn or self._rng.random() < self._share):
            return self._given[int(self._rng.integers(len(self._given)))]
        return self._drawn[int(self._rng.integers(len(self._drawn)))]

    def batches(self, size: int) -> Iterator[tuple[Image, npt.NDArray[np.int64]]]:
        """Endless batches: crops (size, 192, 128, 3) uint8 and labels (size,)."""
        while True:
            crops = [self.crop() for _ in range(size)]
            yield np.stack([c.image for c in crops]), np.array([c.label for c in crops], np.int64)

    def crop(self) -> Crop:
        """The next crop."""
        self._made += 1
        if self._made % self._renew == 0:
            deck = drawn_deck(self._rng, self._split)
            if len(self._drawn) < self._most:
                self._drawn.append(deck)
            elif self._drawn:
                self._drawn[int(self._rng.integers(len(self._drawn)))] = deck
            self._grounds[int(self._rng.integers(len(self._grounds)))] = felt_texture(self._rng, (420, 420))
            self._chips[int(self._rng.integers(len(self._chips)))] = self._draw_chips(1)[int(self._rng.integers(7))]
        while True:
            made = self._try()
            if made is not None:
                return made

    def _try(self) -> Crop | None:
        rng = self._rng
        u = rng.random()
        deck = self._deck()
        junk = u < 0.05
        if u < 0.12 and "back" in deck.cards:
            name = "back"
        elif u < 0.135 and "Jo" in deck.cards:
            name = "Jo"
        else:
            name = FACE_NAMES[int(rng.integers(52))]
        scale = float(np.exp(rng.uniform(*np.log(self._scales))))
        return make_scene(rng, self, deck, name, scale, junk, art=self._split == "train")

    def ground(self, w: int, h: int, scale: float) -> Image:
        """A piece of ground of (w, h) px at so many px per mm."""
        rng = self._rng
        tile = self._grounds[int(rng.integers(len(self._grounds)))]
        zoom = float(np.clip(scale * rng.uniform(0.5, 1.5), max(w, h) / 419, 4))
        m = np.array([[zoom, 0, -rng.uniform(0, 420 * zoom - w)], [0, zoom, -rng.uniform(0, 420 * zoom - h)]])
        return np.asarray(
            cv2.warpAffine(tile, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8
        )

    def any_deck(self) -> Deck:
        """A deck for a neighbouring card."""
        return self._deck()

    def chip(self) -> Image:
        """The top of some chip, BGRA 98 px wide."""
        return self._chips[int(self._rng.integers(len(self._chips)))]

    def hand(self) -> tuple[Image, tuple[float, float], float]:
        """Some hand: picture, fingertips, px per mm."""
        return self._hands[int(self._rng.integers(len(self._hands)))]


def _quad(center: npt.NDArray[np.float64], angle: float, size: tuple[float, float]) -> npt.NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    local = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * size
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + center, np.float64)


def _lay(
    scene: Image,
    mask: Image | None,
    sprite: Image,
    quad: npt.NDArray[np.float64],
    shadow: float,
    offset: npt.NDArray[np.float64],
) -> Image:
    """Warp a BGRA sprite onto the scene's quad with its shadow; clears `mask` below it. Returns the sprite's cover."""
    h, w = scene.shape[:2]
    sh, sw = sprite.shape[:2]
    reach = np.abs(offset) * 2 + 2
    x0, y0 = (int(v) for v in np.maximum(quad.min(axis=0) - reach, 0))
    x1, y1 = (int(v) for v in np.minimum(quad.max(axis=0) + reach + 1, (w, h)))
    cover = np.zeros((h, w), np.uint8)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return cover
    part = scene[y0:y1, x0:x1]
    size = (x1 - x0, y1 - y0)
    source = np.array([[0, 0], [sw, 0], [sw, sh], [0, sh]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(source, (quad - 0.5 - (x0, y0)).astype(np.float32))
    warped = cv2.warpPerspective(sprite, m, size, flags=cv2.INTER_LINEAR)
    alpha = cv2.extractChannel(warped, 3)
    if shadow > 0:
        k = int(max(1, np.abs(offset).max())) * 2 + 1
        dark = cv2.warpAffine(alpha, np.array([[1, 0, offset[0]], [0, 1, offset[1]]]), size)
        keep = cv2.blur(dark, (k, k)).astype(np.float32) * np.float32(-shadow / 255) + 1
        part[:] = cv2.multiply(part, cv2.merge([keep, keep, keep]), dtype=cv2.CV_8U)
    weight = alpha.astype(np.float32) * np.float32(1 / 255)
    part[:] = cv2.blendLinear(np.ascontiguousarray(warped[..., :3]), np.ascontiguousarray(part), weight, 1 - weight)
    if mask is not None:
        below = mask[y0:y1, x0:x1]
        np.minimum(below, 255 - alpha, out=below)
    cover[y0:y1, x0:x1] = alpha
    return cover


def _picture(deck: Deck, name: str, scale: float) -> Image:
    return deck.cards[name][0 if scale > HALF_BELOW else 1]


def _other_art(rng: np.random.Generator, deck: Deck, name: str, scale: float) -> Image:
    """The indices of a court card on the picture of another: what a card is stands in its corners, decks differ in art."""
    card = _picture(deck, name, scale)
    other = "JQK"[int(rng.integers(3))] + "cdhs"[int(rng.integers(4))]
    out = _picture(deck, other, scale).copy()
    h, w = out.shape[:2]
    a, b = round(INDEX_SHARE[0] * w), round(INDEX_SHARE[1] * h)
    for rows in (slice(0, b), slice(h - b, h)):
        for columns in (slice(0, a), slice(w - a, w)):
            out[rows, columns] = card[rows, columns]
    return out


def _neighbours(
    rng: np.random.Generator,
    maker: CropMaker,
    deck: Deck,
    scene: Image,
    mask: Image | None,
    quad: npt.NDArray[np.float64],
    angle: float,
    scale: float,
    shadow: float,
    offset: npt.NDArray[np.float64],
    count: int,
) -> None:
    """Lay cards beside or over the card."""
    w, h = CARD_SIZE_MM[0] * scale, CARD_SIZE_MM[1] * scale
    right, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    middle = quad.mean(axis=0)
    side = rng.choice([-1, 1])
    for i in range(count):
        if rng.random() < 0.7:  # a fan or row along the card's width
            step = side * rng.uniform(0.16, 0.98) * (i + 1) * w
            at = middle + right * step + down * rng.normal(0, 0.08) * h
            turn = angle + rng.normal(0, 0.12)
        elif rng.random() < 0.5:  # a column
            at = middle + down * rng.choice([-1, 1]) * rng.uniform(0.2, 0.98) * h + right * rng.normal(0, 0.1) * w
            turn = angle + rng.normal(0, 0.1)
        else:
            at = middle + rng.uniform(-1, 1, 2) * (w, h) * 0.9
            turn = rng.uniform(-np.pi, np.pi)
        other = deck if rng.random() < 0.85 else maker.any_deck()
        name = FACE_NAMES[int(rng.integers(52))] if rng.random() < 0.8 or "back" not in other.cards else "back"
        turn += np.pi * int(rng.integers(2))
        _lay(scene, mask, _picture(other, name, scale), _quad(at, turn, (w, h)), shadow, offset)


def _things(
    rng: np.random.Generator,
    maker: CropMaker,
    scene: Image,
    mask: Image,
    quad: npt.NDArray[np.float64],
    scale: float,
    offset: npt.NDArray[np.float64],
) -> None:
    """Lay chips or a hand over the card."""
    low, high = quad.min(axis=0), quad.max(axis=0)
    if rng.random() < 0.6:
        d = 39.0 * scale
        for _ in range(int(rng.integers(1, 4))):
            at = rng.uniform(low - d / 3, high + d / 3)
            _lay(scene, mask, maker.chip(), _quad(at, rng.uniform(-np.pi, np.pi), (d, d)), 0.4, offset * 1.5)
    else:
        sprite, tip, px = maker.hand()
        z = scale / px * rng.uniform(1.0, 1.15)
        size = (sprite.shape[1] * z, sprite.shape[0] * z)
        a = rng.uniform(-np.pi, np.pi)
        local = (np.array(tip) * z - np.array(size) / 2) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        at = rng.uniform(low, high)
        _lay(scene, mask, sprite, _quad(at - local, a, size), 0.4, offset * 4)


_NOISE = np.random.default_rng(7).standard_normal((700, 700, 3), np.float32)


def _light(rng: np.random.Generator, w: int, h: int) -> npt.NDArray[np.float32] | None:
    """Shares of light over the picture (h, w): fall-off and sometimes the edge of a shadow."""
    if rng.random() < 0.3:
        return None
    y, x = np.mgrid[-0.5:0.5:24j, -0.5:0.5:24j].astype(np.float32)
    level = 1 + x * rng.normal(0, 0.3) + y * rng.normal(0, 0.3)
    if rng.random() < 0.15:
        t = rng.uniform(0, 2 * np.pi)
        edge = (x * np.cos(t) + y * np.sin(t) - rng.uniform(-0.4, 0.4)) * rng.uniform(4, 40)
        level *= 1 - rng.uniform(0.15, 0.5) / (1 + np.exp(-np.clip(edge, -30, 30)))
    return np.asarray(cv2.resize(level.astype(np.float32), (w, h)), np.float32)


def _glare(rng: np.random.Generator, w: int, h: int) -> npt.NDArray[np.float32]:
    y, x = np.mgrid[-0.5:0.5:24j, -0.5:0.5:24j].astype(np.float32)
    cx, cy, r = rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), rng.uniform(0.08, 0.5)
    spot = rng.uniform(30, 170) * np.exp(-(((x - cx) / r) ** 2 + ((y - cy) / (r * rng.uniform(0.5, 2))) ** 2))
    return np.asarray(cv2.resize(spot.astype(np.float32), (w, h)), np.float32)


def degrade(rng: np.random.Generator, scene: Image, scale: float, blur_mm: float) -> Image:
    """What light, lens, sensor and codec do to a picture."""
    h, w = scene.shape[:2]
    gains = (1 + rng.normal(0, 0.09, 3)) * float(np.exp(rng.normal(0, 0.25)))
    power = float(np.exp(rng.normal(0, 0.2))) if rng.random() < 0.4 else 1.0
    curve = np.clip(np.arange(256)[:, None] / 255 * gains, 0, 1.3) ** power * 255
    img: Any = scene
    sigma = blur_mm * scale
    if sigma > 0.25:
        img = cv2.GaussianBlur(img, (0, 0), sigma)
    if rng.random() < 0.12:
        n = int(rng.integers(2, 5))
        kernel = np.zeros((n, n), np.float32)
        cv2.line(kernel, (0, int(rng.integers(n))), (n - 1, int(rng.integers(n))), (1.0,))
        img = cv2.filter2D(img, -1, kernel / max(kernel.sum(), 1))
    out: Any = cv2.LUT(img, curve.clip(0, 255).astype(np.uint8).reshape(256, 1, 3))
    light = _light(rng, w, h)
    if light is not None:
        out = cv2.multiply(out, cv2.merge([light, light, light]), dtype=cv2.CV_8U)
    if rng.random() < 0.18:
        spot = _glare(rng, w, h)
        out = cv2.add(out, cv2.merge([spot, spot, spot]), dtype=cv2.CV_8U)
    if rng.random() < 0.15:  # sharpened by the camera
        k = rng.uniform(0.2, 1.0)
        out = cv2.addWeighted(out, 1 + k, cv2.GaussianBlur(out, (0, 0), 1.0), -k, 0)
    noise = abs(rng.normal(0, 5))
    if noise > 0.5:
        x, y = int(rng.integers(700 - w)), int(rng.integers(700 - h))
        out = cv2.add(out, _NOISE[y : y + h, x : x + w] * np.float32(noise), dtype=cv2.CV_8U)
    if rng.random() < 0.75:
        ok, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(18, 95))])
        if ok:
            out = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return np.asarray(out, np.uint8)


def _corner_shares(mask_crop: Image, four: bool) -> tuple[float, float]:
    """Shares of the best seen index: of the two usual corners, and of any that may carry one."""
    w, h = READER_SIZE
    a, b = round(0.22 * w), round(0.29 * h)
    m = mask_crop > 127
    shares = [float(m[:b, :a].mean()), float(m[-b:, -a:].mean())]
    usual = max(shares)
    if four:
        shares += [float(m[:b, -a:].mean()), float(m[-b:, :a].mean())]
    return usual, max(shares)


def make_scene(
    rng: np.random.Generator, maker: CropMaker, deck: Deck, name: str, scale: float, junk: bool, *, art: bool = False
) -> Crop | None:
    """One crop of the card `name`; None where nobody could say what its label should be.

    With `art` court cards of installed decks may carry another's picture.
    """
    w, h = CARD_SIZE_MM[0] * scale, CARD_SIZE_MM[1] * scale
    angle = rng.uniform(-np.pi, np.pi) if rng.random() < 0.6 else rng.normal(0, 0.12) + np.pi * int(rng.integers(2))
    quad = _quad(np.zeros(2), angle, (w, h))
    if rng.random() < 0.5:
        quad[:, 1] *= rng.uniform(0.75, 1.0)
    quad += rng.normal(0, 0.008 * w, (4, 2))
    margin = 0.07 * h + 3
    quad += margin - quad.min(axis=0)
    wide, high = (int(v) for v in quad.max(axis=0) + margin)
    middle = quad.mean(axis=0)
    scene = maker.ground(wide, high, scale)
    mask = np.zeros((high, wide), np.uint8)
    shadow = rng.uniform(0, 0.5)
    offset = rng.normal(0, 1.0, 2) * scale
    if rng.random() < 0.3:
        _neighbours(rng, maker, deck, scene, None, quad, angle, scale, shadow, offset, int(rng.integers(1, 3)))
    if not (junk and rng.random() < 0.5):
        swap = name[0] in "JQK" and rng.random() < OTHER_ART
        sprite = (
            _other_art(rng, deck, name, scale)
            if swap and art and not deck.name.startswith("drawn-")
            else _picture(deck, name, scale)
        )
        cover = _lay(scene, None, sprite, quad, shadow, offset)
        mask[:] = cover
    whole = max(1.0, float(mask.mean()))
    if rng.random() < 0.42:
        _neighbours(rng, maker, deck, scene, mask, quad, angle, scale, shadow, offset, int(rng.integers(1, 3)))
    if rng.random() < 0.15 or (junk and rng.random() < 0.6):
        _things(rng, maker, scene, mask, quad, scale, offset)
    visible = float(mask.mean()) / whole
    blurred = rng.random() < 0.02
    blur_mm = rng.uniform(3.5, 6.0) if blurred else abs(rng.normal(0, 0.45))
    picture = degrade(rng, scene, scale, blur_mm)
    jitter = rng.uniform(0.002, 0.022) * w
    corners = quad + rng.normal(0, jitter, (4, 2)) + rng.normal(0, jitter, 2)
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    if junk:
        kind = rng.random()
        if kind < 0.5:
            corners = corners + (right if rng.random() < 0.5 else down) * rng.choice([-1, 1]) * rng.uniform(0.35, 0.75)
        else:
            corners = (corners - middle) @ np.array([[0, 1], [-1, 0]]) + middle
    corners = np.roll(corners, 2 * int(rng.integers(2)), axis=0)
    crop = rectify_card(picture, corners)
    if junk or blurred:
        return Crop(crop, UNREADABLE, scale, visible, "")
    if name == "back":
        if 0.12 < visible < 0.25:
            return None
        return Crop(crop, BACK if visible >= 0.25 else UNREADABLE, scale, visible, deck.name)
    usual, any_corner = _corner_shares(rectify_card(mask, corners), deck.four)
    if usual >= 0.86 and visible >= 0.2:
        return Crop(crop, CLASS_NAMES.index(name), scale, visible, deck.name)
    if any_corner < 0.35 and visible < 0.6 and name != "Jo":
        return Crop(crop, UNREADABLE, scale, visible, deck.name)
    if visible >= 0.75 and name[0] not in "JQK" and CLASS_NAMES.index(name) != JOKER:
        return Crop(crop, CLASS_NAMES.index(name), scale, visible, deck.name)
    return None


def batches(seed: int, size: int, deck_dir: Path | None = None) -> Iterator[tuple[Image, npt.NDArray[np.int64]]]:
    """Endless training batches from drawn designs and, if given, the installed decks written to `deck_dir`."""
    given = installed_decks(deck_dir, "train") if deck_dir else []
    yield from CropMaker(seed, given, scales=TRAINING_SCALES).batches(size)


def held_out(seed: int, count: int, deck_dir: Path | None = None) -> list[Crop]:
    """A fixed set of crops of decks never trained on: held-out drawn designs and, if given, held-out installed decks."""
    given = installed_decks(deck_dir, "val") if deck_dir else []
    maker = CropMaker(seed, given, "val", drawn=20, most=20, renew=1 << 60, share_given=0.6)
    return [maker.crop() for _ in range(count)]
