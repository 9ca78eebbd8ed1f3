"""What lies on the table at one moment, in table millimetres: the language between play and rendering.

Table frame: origin at the middle of the dealer's edge, x to the dealer's right, y towards the players, z up. Seat 1 is
at the dealer's left (negative x). Angles are degrees counter-clockwise seen from above; angle 0 of a card has its
upper edge towards negative y (towards the dealer).
"""

from __future__ import annotations

from dataclasses import dataclass, field

CARD_MM = (63.5, 88.9)
"""Width and height of a poker-size card."""
CHIP_MM = (39.0, 3.3)
"""Diameter and thickness of a chip."""


@dataclass(frozen=True, slots=True)
class CardItem:
    """A card; `turn` 0 = face down, 1 = face up, between = being turned about its long axis."""

    card: str
    center_mm: tuple[float, float]
    angle_deg: float
    turn: float
    z_mm: float = 0.0
    item_id: int = 0
    area: str | None = None


@dataclass(frozen=True, slots=True)
class ChipItem:
    """One chip; stacks are chips with rising `z_mm` (height of its lower face)."""

    color: str
    center_mm: tuple[float, float]
    z_mm: float = 0.0
    angle_deg: float = 0.0
    item_id: int = 0
    area: str | None = None


@dataclass(frozen=True, slots=True)
class HandItem:
    """A hand with sleeve: fingertips at `tip_mm`, the arm coming from `elbow_mm` beyond the table's edge."""

    tip_mm: tuple[float, float]
    elbow_mm: tuple[float, float]
    z_mm: float
    side: str
    look: int = 0
    grip: float = 0.0


@dataclass(frozen=True, slots=True)
class Scene:
    """All loose things on the table. Cards, then chips, then hands are painted in order of z, later ones on top."""

    cards: tuple[CardItem, ...] = ()
    chips: tuple[ChipItem, ...] = ()
    hands: tuple[HandItem, ...] = ()
    stub_in_shoe: int = 52
    cards_in_rack: int = 0
    extras: dict[str, float] = field(default_factory=dict)
