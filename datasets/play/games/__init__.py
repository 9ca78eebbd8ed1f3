"""The games that can be simulated, one module each."""

from __future__ import annotations

from collections.abc import Mapping

from datasets.play.games import caribbean_stud, dj_wild, let_it_ride, raise_it_up
from datasets.play.games.base import Game, PlantKind

GAMES: Mapping[str, Game] = {
    module.GAME.name: module.GAME for module in (raise_it_up, caribbean_stud, let_it_ride, dj_wild)
}
"""Every game by name."""


def game_of(name: str) -> Game:
    """A game by name; KeyError where it cannot be simulated."""
    return GAMES[name]


def plants_of(name: str) -> Mapping[str, PlantKind]:
    """Every kind of mistake of a game by name."""
    return {kind.name: kind for kind in game_of(name).own}
