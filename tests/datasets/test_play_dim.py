"""Honest rounds seen dimly: cards missed, faces unread, amounts unknown. Nobody may be accused of what was not seen."""

from __future__ import annotations

from random import Random

import pytest
from dim import Dimness, dimmed

from datasets.play.games import GAMES
from datasets.play.games.base import DEALING
from datasets.simulate import play_rounds, table_mapping
from rules.engine import Engine
from rules.events import CardPlaced, Event, WagerPlaced
from rules.findings import Verdict
from rules.table import TableConfig

SEED = 5


def events_of(game: str, dealing: str) -> tuple[TableConfig, list[Event]]:
    recording = play_rounds(game, 2, SEED, dealing=dealing)
    return TableConfig.from_mapping(table_mapping(recording), where="simulated"), recording.events()


def breaches(table: TableConfig, events: list[Event]) -> list[str]:
    engine = Engine(table)
    found = [finding for event in events for finding in engine.feed(event)] + list(engine.close())
    return [f"{finding.check_id}: {finding.text}" for finding in found if finding.verdict is Verdict.BREACH]


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 12), marks=pytest.mark.slow)], ids=["few", "many"])
@pytest.mark.parametrize("dealing", DEALING)
@pytest.mark.parametrize("game", list(GAMES))
def test_what_was_not_seen_accuses_nobody(game: str, dealing: str, seeds: range) -> None:
    table, events = events_of(game, dealing)
    for seed in seeds:
        for dim in (Dimness(), Dimness(arrivals=0.6), Dimness(arrivals=0.1, readings=0.5, amounts=0.5, sides=0.6)):
            assert breaches(table, dimmed(events, Random(seed), dim)) == [], f"dimmed with seed {seed}, {dim}"


def test_losses_are_as_asked_for() -> None:
    _, events = events_of("dj_wild", "manual_shoe")
    assert dimmed(events, Random(1), Dimness(0, 0, 0, 0, 0)) == sorted(events, key=lambda event: event.t_s)
    dim = dimmed(events, Random(1), Dimness(arrivals=1.0, amounts=1.0))
    assert all(event.amount_cents is None for event in dim if isinstance(event, WagerPlaced))
    assert all(event.face.value == "up" for event in dim if isinstance(event, CardPlaced))
