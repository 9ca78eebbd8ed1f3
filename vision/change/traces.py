"""Hands whose sleeves are lost against the felt or the rail: a piece that moves over the table is followed back to the edge it came from.

A piece that reaches no edge may be a card that slides or a chip that is pushed; so it covers nothing. It only tells whose hand
was there when chips changed and no hand was seen to cover them. A hand of which too little is seen beyond the players' edge to say whose arm it is, a dark one
over a dark rail, is a player's where it came up at that edge and nothing had been near: a dealer's fingertips come over the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.events import Side

FloatArray = npt.NDArray[np.float64]

REACH_MM = 170.0
"""A hand at 2.5 m/s comes so far from frame to frame, at 15 frames a second."""
FOLLOWED_S = 0.15
"""A piece that was not seen for longer is lost."""
ENTERED_MM = 250.0
"""A hand that comes over an edge shows no more than this of its length in its first picture."""
STILL_MM, SMALL_MM = 10.0, 120.0
"""A piece that reaches no edge, is no longer than the second, and whose middle moves less than the first is no hand: chips that somebody pushed."""
MOST_POINTS = 60
"""Of a piece so many are compared."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands out from the table in one frame.

    Attributes:
        places: (n, 2) millimetres on the table.
        side: whose arm it is, None where that does not show.
        at_players: whether it touches the players' edge and no other.
    """

    places: FloatArray
    side: Side | None = None
    at_players: bool = False

    def comes_in(self) -> bool:
        """Whether it may just have come over the players' edge."""
        return self.at_players and float(np.ptp(self.places, axis=0).max()) <= ENTERED_MM


@dataclass(frozen=True, slots=True)
class _Seen:
    """A piece of a frame before: when, some of its places, whose it was, and whether it lay still and is small."""

    t_s: float
    places: FloatArray
    side: Side | None
    still: bool = False


class HandTraces:
    """Follows pieces from frame to frame."""

    def __init__(self) -> None:
        self._before: list[_Seen] = []

    def __call__(
        self, t_s: float, hands: Sequence[Piece], loose: Sequence[Piece]
    ) -> tuple[list[Side | None], list[Side | None]]:
        """Whose the hands and the loose pieces of a frame are, None where nobody can tell.

        A piece is of the side that all pieces within its reach were of just before; of hands and pieces that nobody can tell none comes.

        Args:
            t_s: of the frame.
            hands: pieces that reach over an edge.
            loose: pieces that move and reach no edge.
        """
        before = [one for one in self._before if t_s - one.t_s <= FOLLOWED_S]
        now: list[_Seen] = []
        for hand in hands:
            places = thinned(hand.places)
            now.append(_Seen(t_s, places, hand.side or _came_in(hand, _near(places, before))))
        found: list[_Seen] = []
        for piece in loose:
            places = thinned(piece.places)
            near = _near(places, before) or _near(places, now)
            sides = {one.side for one in near}
            side = _came_in(piece, near) or (sides.pop() if len(sides) == 1 else None)
            found.append(_Seen(t_s, places, side, _lies_still(places, before)))
        self._before = [*before, *now, *found]
        return [one.side for one in now], [one.side for one in found]


def _came_in(piece: Piece, near: Sequence[_Seen]) -> Side | None:
    """A player's, where it came up at the players' edge now or was one's just before; chips that lie near have nothing to say."""
    others = {one.side for one in near if not one.still}
    came = piece.comes_in() if not others else piece.at_players and others == {Side.PLAYER}
    return Side.PLAYER if came else None


def _lies_still(places: FloatArray, before: Sequence[_Seen]) -> bool:
    """Whether a small piece lies where one lay just before."""
    middle = places.mean(axis=0)
    small = float(np.ptp(places, axis=0).max()) <= SMALL_MM
    return small and any(float(np.hypot(*(one.places.mean(axis=0) - middle))) <= STILL_MM for one in before)


def _near(places: FloatArray, pieces: Sequence[_Seen]) -> list[_Seen]:
    """The pieces that lie within reach."""
    return [one for one in pieces if _apart_mm(places, one.places) <= REACH_MM]


def thinned(places: FloatArray) -> FloatArray:
    """At most `MOST_POINTS` of places (n, 2)."""
    return places[:: max(1, -(-len(places) // MOST_POINTS))]


def _apart_mm(one: FloatArray, other: FloatArray) -> float:
    """How far the nearest two of two sets of places, (n, 2) and (m, 2), lie apart."""
    square = np.subtract.outer(one[:, 0], other[:, 0])
    square *= square
    along = np.subtract.outer(one[:, 1], other[:, 1])
    along *= along
    square += along
    return math.sqrt(square.min())
