"""How a table looks: whose cards, chips and hands, and where the light comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from datasets.render.sprites import Sprite
from datasets.scene import CARD_MM, CHIP_MM, HandItem

U8 = npt.NDArray[np.uint8]
Bgr = tuple[int, int, int]

KEPT_PX_PER_MM = 4.0
"""Scale at which pictures are kept; nothing here is ever seen larger by a table camera."""
_ARM_STEP_MM = 40.0
_GRIP_STEPS = 4


class CardFaces(Protocol):
    """A deck's design, e.g. `datasets.draw.cards.CardDesign`."""

    def face(self, card: str) -> U8:
        """(h, w, 4) BGRA of a face, upright."""

    def back(self) -> U8:
        """(h, w, 4) BGRA of the back."""


class ChipFaces(Protocol):
    """A chip set's design, e.g. `datasets.draw.chips.ChipDesign`."""

    def top(self, color: str) -> U8:
        """(h, h, 4) BGRA of the chip from above."""

    def edge_colors(self, color: str) -> tuple[tuple[float, Bgr], ...]:
        """Where (share of a turn from the picture's +x, clockwise as drawn) which colour begins, until the next."""


class HandSprites(Protocol):
    """A hand's look, e.g. `datasets.draw.hands.HandLook`; fingers point up in the picture, the arm leaves below."""

    def sprite(self, grip: float) -> tuple[U8, tuple[float, float], float]:
        """BGRA, pixel of the fingertips, pixels per millimetre."""


@dataclass(frozen=True, slots=True)
class Light:
    """The table's lamp and how hard its shadows are.

    Attributes:
        position_mm: (x, y, z) of the lamp.
        shadow: darkening of a full shadow, 0..1.
        softness: blur of a shadow per millimetre of height, millimetres.
        ambient: share of light that falls on faces turned away, 0..1.
        groove: darkening where the rounded edges of stacked chips meet, 0..1.
        side: share of it that reaches upright sides; of lamps that hang over the table little does.
    """

    position_mm: tuple[float, float, float] = (-300.0, 200.0, 1800.0)
    shadow: float = 0.45
    softness: float = 0.25
    ambient: float = 0.6
    groove: float = 0.45
    side: float = 1.0

    @classmethod
    def random(cls, rng: np.random.Generator) -> Light:
        """Return a lamp somewhere over the table."""
        angle, away, height = rng.uniform(0, 2 * np.pi), rng.uniform(0, 1500), rng.uniform(1200, 2800)
        position = (float(away * np.cos(angle)), float(500 + away * np.sin(angle)), float(height))
        return cls(
            position, float(rng.uniform(0.15, 0.65)), float(rng.uniform(0.1, 0.45)), float(rng.uniform(0.35, 0.8))
        )


@dataclass(slots=True, eq=False)
class Look:
    """Designs of all things on the table, with their pictures kept ready for warping.

    Args:
        cards: the deck.
        chips: the chip set.
        hands: looks of hands; `HandItem.look` is an index into them (modulo their number).
        light: the lamp.
    """

    cards: CardFaces
    chips: ChipFaces
    hands: tuple[HandSprites, ...] = ()
    light: Light = field(default_factory=Light)
    _sprites: dict[tuple[str, ...], Sprite] = field(default_factory=dict)
    _edges: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    _arms: dict[tuple[int, int, int, bool], tuple[Sprite, tuple[float, float]]] = field(default_factory=dict)

    def card(self, card: str) -> Sprite:
        """Return the picture of a face such as "As", or of the back for "back"."""
        key = ("card", card)
        if key not in self._sprites:
            picture = self.cards.back() if card == "back" else self.cards.face(card)
            self._sprites[key] = _kept(picture, picture.shape[1] / CARD_MM[0])
        return self._sprites[key]

    def chip_top(self, color: str) -> Sprite:
        """Return the picture of a chip's upper side."""
        key = ("chip", color)
        if key not in self._sprites:
            picture = self.chips.top(color)
            self._sprites[key] = _kept(picture, picture.shape[1] / CHIP_MM[0])
        return self._sprites[key]

    def chip_edge(self, color: str, samples: int) -> npt.NDArray[np.float64]:
        """Return (samples, 3) BGR of the edge seen from above, counter-clockwise from the table's +x at angle 0."""
        key = f"{color}/{samples}"
        if key not in self._edges:
            spots = sorted(self.chips.edge_colors(color), key=lambda spot: spot[0])
            starts = np.array([s[0] for s in spots])
            colors = np.array([s[1] for s in spots], np.float64)
            at = (0.5 - (np.arange(samples) + 0.5) / samples) % 1.0
            self._edges[key] = colors[np.searchsorted(starts, at, side="right") - 1]
        return self._edges[key]

    def hand(self, item: HandItem) -> tuple[Sprite, tuple[float, float]] | None:
        """Return (picture, pixel of the fingertips) of a hand whose arm reaches `elbow_mm`, or None without hands."""
        if not self.hands:
            return None
        look = item.look % len(self.hands)
        grip = round(float(np.clip(item.grip, 0, 1)) * _GRIP_STEPS)
        reach = float(np.hypot(item.elbow_mm[0] - item.tip_mm[0], item.elbow_mm[1] - item.tip_mm[1]))
        mirrored = item.side.endswith("left")
        key = (look, grip, int(np.ceil(reach / _ARM_STEP_MM)), mirrored)
        if key not in self._arms:
            picture, tip, scale = self.hands[look].sprite(grip / _GRIP_STEPS)
            if mirrored:
                picture, tip = np.ascontiguousarray(picture[:, ::-1]), (picture.shape[1] - 1 - tip[0], tip[1])
            kept = _kept(picture, scale)
            shrink = kept.px_per_mm / scale
            tip = (tip[0] * shrink, tip[1] * shrink)
            missing = round(tip[1] + key[2] * _ARM_STEP_MM * kept.px_per_mm) - kept.bgra.shape[0]
            if missing > 0:
                longer = cv2.copyMakeBorder(kept.bgra, 0, missing, 0, 0, cv2.BORDER_REPLICATE)
                kept = Sprite(np.asarray(longer, np.uint8), kept.px_per_mm)
            self._arms[key] = (kept, tip)
        return self._arms[key]


def _kept(picture: U8, px_per_mm: float) -> Sprite:
    if px_per_mm <= KEPT_PX_PER_MM * 1.05:
        return Sprite(picture, px_per_mm)
    factor = KEPT_PX_PER_MM / px_per_mm
    size = (round(picture.shape[1] * factor), round(picture.shape[0] * factor))
    alpha = picture[..., 3:].astype(np.float32) / 255.0
    flat = np.dstack([picture[..., :3] * alpha, alpha * 255.0])
    small = np.array(cv2.resize(flat, size, interpolation=cv2.INTER_AREA), np.float32)
    small[..., :3] /= np.maximum(small[..., 3:], 1e-3) / 255.0
    return Sprite(np.clip(np.round(small), 0, 255).astype(np.uint8), KEPT_PX_PER_MM)
