"""Hands whose sleeves are lost against the felt: a piece that moves over the table is followed back to the edge it came from.

Such a piece reaches no edge, and cards that slide and chips that are pushed look like it too; so it covers nothing. It only tells whose hand
was there when chips changed and no hand was seen to cover them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rules.events import Side

FloatArray = npt.NDArray[np.float64]

REACH_MM = 170.0
"""A hand at 2.5 m/s comes so far from frame to frame, at 15 frames a second."""
FOLLOWED_S = 0.15
"""A piece that was not seen for longer is lost."""
MOST_POINTS = 60
"""Of a piece so many are compared."""


class HandTraces:
    """Follows pieces from frame to frame."""

    def __init__(self) -> None:
        self._before: list[tuple[float, FloatArray, Side | None]] = []

    def __call__(
        self, t_s: float, known: Sequence[tuple[FloatArray, Side | None]], loose: Sequence[FloatArray]
    ) -> list[Side | None]:
        """Whose the loose pieces of a frame are, None where nobody can tell.

        A piece is of the side that all pieces within its reach were of just before; of hands and pieces that nobody can tell none comes.

        Args:
            t_s: of the frame.
            known: places (n, 2) on the table of hands that reach over an edge, and whose they are.
            loose: places of pieces that move and reach no edge.
        """
        before = [one for one in self._before if t_s - one[0] <= FOLLOWED_S]
        now = [(t_s, thinned(places), side) for places, side in known]
        pieces = [thinned(places) for places in loose]
        sides = []
        for piece in pieces:
            near = {side for _, places, side in before if _apart_mm(piece, places) <= REACH_MM}
            near = near or {side for _, places, side in now if _apart_mm(piece, places) <= REACH_MM}
            sides.append(near.pop() if len(near) == 1 else None)
        self._before = [*before, *now, *((t_s, piece, side) for piece, side in zip(pieces, sides, strict=True))]
        return sides


def thinned(places: FloatArray) -> FloatArray:
    """At most `MOST_POINTS` of places (n, 2)."""
    return places[:: max(1, -(-len(places) // MOST_POINTS))]


def _apart_mm(one: FloatArray, other: FloatArray) -> float:
    return float(np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2).min()))
