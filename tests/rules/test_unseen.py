"""Not seen, seen late and taken for something else are never "did not happen": honest rounds accuse nobody, however a camera tells them."""

from __future__ import annotations

import pytest
from rounds import breaches, judge
from unseen import ways_to_miss, with_hands

from datasets.play.games import GAMES
from datasets.play.games.base import DEALING
from datasets.simulate import play_rounds, table_mapping
from rules.table import TableConfig

EVERY = 4
"""Of the ways to miss something in one honest round so many is tried, from another one on in each game; with `-m slow` all of five rounds."""
TABLES = [(game, dealing) for game in GAMES for dealing in DEALING]


def accused(game: str, dealing: str, seed: int, start: int, every: int) -> dict[str, list[tuple[str, int | None]]]:
    """What is alleged, by what was missed, in an honest round of the simulator."""
    recording = play_rounds(game, 1, seed, dealing=dealing, chips_spread=True)
    mapping = table_mapping(recording)
    config = TableConfig.from_mapping({key: value for key, value in mapping.items() if key not in ("layout", "camera", "external_events")})  # fmt: skip
    ways = list(ways_to_miss(with_hands(recording.events())))[start::every]
    assert len(ways) > 2
    found = {name: breaches(judge(events, config)) for name, events in ways}
    return {name: told for name, told in found.items() if told}


@pytest.mark.parametrize(("game", "dealing"), TABLES)
def test_whatever_is_missed_in_an_honest_round_nobody_is_accused(game: str, dealing: str) -> None:
    assert accused(game, dealing, seed=31, start=TABLES.index((game, dealing)) % EVERY, every=EVERY) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("game", "dealing"), TABLES)
@pytest.mark.parametrize("seed", range(41, 46))
def test_no_way_to_miss_anything_accuses_anybody(game: str, dealing: str, seed: int) -> None:
    assert accused(game, dealing, seed, start=0, every=1) == {}
