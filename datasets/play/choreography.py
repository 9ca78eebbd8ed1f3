"""Who moves what when: carries out the acts of a round with the dealer's and the players' hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datasets.play import script as acts
from datasets.play.dealer import Dealer
from datasets.play.games.base import Game
from datasets.play.movement import Movement
from datasets.play.places import Places
from datasets.play.seated import SeatedPlayers
from datasets.play.stage import Stage


@dataclass(frozen=True, slots=True)
class Tempo:
    """How fast this dealer is: seconds for one dealt card, and a factor on everything else."""

    card_s: float
    pace: float


class Director:
    """Plays rounds on a stage, one after the other.

    Args:
        stage: takes the motion and the events.
        places: where things are put.
        seats: occupied seats.
        tempo: the dealer's speed.
        game: how many cards a hand has and how they are laid down.
        rng: pauses, shakes and choices of hands.
        chips_spread: nobody stacks wagers, whatever the script says.
    """

    def __init__(
        self,
        stage: Stage,
        places: Places,
        *,
        seats: Sequence[int],
        tempo: Tempo,
        game: Game,
        rng: np.random.Generator,
        chips_spread: bool = False,
    ) -> None:
        self._move = Movement(stage, places, pace=tempo.pace, rng=rng)
        self._dealer = Dealer(self._move, card_s=tempo.card_s, game=game)
        self._players = SeatedPlayers(self._move, self._dealer, seats=seats, chips_spread=chips_spread)
        self._do = {**self._dealer.acts, **self._players.acts}

    @property
    def now_s(self) -> float:
        """When the next act begins, in seconds of the recording."""
        return self._move.now_s

    def play(self, script: Sequence[acts.Step]) -> list[tuple[acts.Expected, float]]:
        """Carry out a round; return each expected finding with the moment it can be seen."""
        found: list[tuple[acts.Expected, float]] = []
        self._players.begin_round()
        self._dealer.begin_round()
        for step in script:
            self._do[type(step.act)](step.act)
            found += [(expected, self.now_s) for expected in step.findings]
        self._dealer.end_round(after_s=self._players.free_s)
        return found
