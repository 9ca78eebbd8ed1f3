"""Cards laid on cards: told by how the ground that is covered grows.

From above a card laid on others hides them; a detector sees one card. But a card dealt a little beside the one below it
covers felt that was free, and nothing that was covered comes free. A card pushed along covers as much as it frees,
a pile squared up only frees. So growth after one visit of the dealer's hand is one card; what cannot be told is said to be
open, and a pile of which anything is open has no count.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.source import Image
from vision.tracks import changed_mask

Mask = npt.NDArray[np.uint8]

CARD_MM2 = 63.0 * 88.0
GROWN_MM2 = 300.0
"""Newly covered from here on is a card: one laid 5 mm beside the card below. A pixel of doubt all round a card is 150 to 300."""
FREED_SHARE = 0.3
"""Freed ground of newly covered up to which cards below did not move."""
LIKE_THE_OTHERS = 1.5
"""After several stays of a hand, newly covered up to this many times the narrowest strip of this pile is one card, not two."""
ONE_CARD_MM2 = 1.25 * CARD_MM2
"""More than this newly covered is more than one card."""
GOES_ON_S = 1.5
"""A deal to one place goes on card by card: so soon after the last one another may come by a hand that is not made out."""


@dataclass(slots=True)
class Pile:
    """The ground that cards cover in one area, from one look to the next.

    Attributes:
        empty: view of the area with nothing in it, and the brightness of the table then.
        covered: what was covered at the last look, None before the first.
        visits: stays of hands since then.
        strip_mm2: least ground newly covered by one card since the area was last empty, None before the second card.
        open: whether cards may have come unseen since then.
        came_s: when the last card came, None before the first.
    """

    empty: tuple[Image, float] | None = None
    covered: Mask | None = None
    visits: int = 0
    strip_mm2: float | None = None
    open: bool = False
    came_s: float | None = None

    def cleared(self, view: Image, level: float) -> None:
        """The area lies empty now."""
        self.empty, self.covered, self.visits = (view, level), None, 0
        self.strip_mm2, self.open, self.came_s = None, False, None

    def look(
        self, t_s: float, view: Image, level: float, inside: Mask, px_per_mm: float, *, dealer: bool | None
    ) -> bool:
        """Take a look at face-down cards without a hand over them; whether one card more lies there than at the last look.

        Args:
            t_s: capture time.
            view: (h, w, 3) the area now.
            level: brightness of the table now.
            inside: (h, w) 1 within the area.
            px_per_mm: scale of the view.
            dealer: whether only the dealer's hand was here since the last look, None where no hand was made out.
        """
        if self.empty is None:
            return False
        before, visits = self.covered, self.visits
        now = self.covered = _covered(view, self.empty, level, inside)
        self.visits = 0
        if before is None:
            self.came_s = t_s
        if before is None or visits == 0:
            return False
        grown, freed = _mm2(now > before, px_per_mm), _mm2(before > now, px_per_mm)
        if grown < GROWN_MM2 and freed < GROWN_MM2:
            return False
        one = GROWN_MM2 <= grown <= ONE_CARD_MM2 and freed <= FREED_SHARE * grown
        alike = self.strip_mm2 is not None and grown <= LIKE_THE_OTHERS * self.strip_mm2
        if dealer is None:
            dealer = self._goes_on(t_s, grown)
        if one and dealer and (visits == 1 or alike):
            self.strip_mm2 = min(grown, self.strip_mm2 or grown)
            self.came_s = t_s
            return True
        self.open = self.open or grown >= GROWN_MM2
        return False

    def _goes_on(self, t_s: float, grown_mm2: float) -> bool:
        """Whether the last card came just now, and this ground is like what the others covered."""
        strip = self.strip_mm2
        alike = strip is None or strip / LIKE_THE_OTHERS <= grown_mm2 <= LIKE_THE_OTHERS * strip
        return self.came_s is not None and t_s - self.came_s <= GOES_ON_S and alike


def _covered(view: Image, empty: tuple[Image, float], level: float, inside: Mask) -> Mask:
    """Where something lies, holes filled: a back may show the felt's colour."""
    mask = changed_mask(view, empty[0], level / empty[1]) & inside
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(mask)
    cv2.drawContours(filled, outlines, -1, 1, -1)
    return filled


def _mm2(where: npt.NDArray[np.bool_], px_per_mm: float) -> float:
    """Area of what remains of a mask without slivers of two pixels."""
    kept = cv2.morphologyEx(where.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return float(kept.sum()) / px_per_mm**2
