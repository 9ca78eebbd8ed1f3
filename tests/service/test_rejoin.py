"""A watcher that dies in the middle of a round: the round goes on, nobody is accused of what was not seen, nothing rings twice."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import game_rounds
import numpy as np
import pytest
import rounds
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir

from rules.engine import Engine
from rules.events import CardPlaced, Event, NoMoreBets
from rules.findings import Finding
from rules.table import TableConfig
from service.bench.scripted import ScriptedWatcher
from service.live.lying import Lying
from service.live.rejoin import Rejoined
from vision.frames.frame import Frame

FPS = 4.0
PICTURE = np.zeros((2, 2, 3), np.uint8)
EXTERNAL = (NoMoreBets,)
"""What no camera sees comes from outside, whether or not anybody watches."""


@dataclass
class Watched:
    """A table watched with interruptions."""

    config: TableConfig
    script: Sequence[Event]
    engine: Engine = field(init=False)
    lying: Lying = field(default_factory=Lying)
    found: list[Finding] = field(default_factory=list)
    unseen: set[int] = field(default_factory=set)
    number: int = 0

    def __post_init__(self) -> None:
        self.engine = Engine(self.config)

    def take(self, event: Event) -> list[Finding]:
        self.lying.note(event)
        self.number += 1
        found = list(self.engine.feed(event))
        self.found += found
        return found

    def watch(self, from_s: float, to_s: float) -> None:
        """From a moment of the script to another; the watcher is new, capture time goes on."""
        seen = ScriptedWatcher(self.script, lambda: from_s)
        watcher = Rejoined(seen, self.config.table_id, self.lying, self.lying.last_s)
        self.lying = pickle.loads(pickle.dumps(self.lying))
        self.engine = pickle.loads(pickle.dumps(self.engine))
        for frame in frames(from_s, to_s):
            for event in watcher.frame(frame):
                told = any(event is one for one in watcher.told_unseen)
                if told:
                    self.unseen.add(self.number)
                self.take(event)

    def breaches(self) -> list[tuple[str, int | None]]:
        return rounds.breaches(self.found)


def frames(from_s: float, to_s: float) -> Iterator[Frame]:
    for index in range(int((to_s - from_s) * FPS) + 1):
        yield Frame(index, from_s + index / FPS, PICTURE)


def interrupted(config: TableConfig, script: Sequence[Event], at_s: float, away_s: float) -> Watched:
    """Watched from before its beginning, away once, watched to its end and a little longer."""
    table = Watched(config, script)
    first = ScriptedWatcher(script, lambda: 0.0)
    for frame in frames(0.0, at_s):
        for event in first.frame(frame):
            table.take(event)
    table.watch(at_s + away_s, script[-1].t_s + 10.0)
    table.found += table.engine.close()
    return table


HONEST = {
    "raise_it_up": (rounds.table(), rounds.build().events),
    "caribbean_stud": (game_rounds.table("caribbean_stud"), game_rounds.build(car.plan()).events),
    "let_it_ride": (game_rounds.table("let_it_ride"), game_rounds.build(lir.plan()).events),
    "dj_wild": (game_rounds.table("dj_wild"), game_rounds.build(djw.plan()).events),
}


def accused(game: str, away_s: float, cuts: range) -> dict[int, list[tuple[str, int | None]]]:
    config, script = HONEST[game]
    found = {at: interrupted(config, script, script[at].t_s + 0.3, away_s).breaches() for at in cuts}
    return {at: breaches for at, breaches in found.items() if breaches}


@pytest.mark.parametrize("game", HONEST)
def test_an_honest_round_interrupted_accuses_nobody(game: str) -> None:
    assert accused(game, 0.5, range(48, len(HONEST[game][1]), 13)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("game", HONEST)
@pytest.mark.parametrize("away_s", [0.5, 3.0, 8.0, 45.0])
def test_an_honest_round_interrupted_anywhere_accuses_nobody(game: str, away_s: float) -> None:
    assert accused(game, away_s, range(len(HONEST[game][1]))) == {}


def test_what_lies_there_keeps_its_number_and_what_changed_is_told_in_a_gap() -> None:
    config, script = HONEST["raise_it_up"]
    at = next(i for i, event in enumerate(script) if event.kind == "stack_placed")
    table = interrupted(config, script, script[at].t_s + 0.1, 1.0)
    ids = {event.card_id for event in script if isinstance(event, CardPlaced)}
    assert len(table.lying.cards) == 0, "every card known before was seen to leave under its own number"
    assert table.lying.next_card_id == len(ids) + 1
    assert table.engine.rounds[0].complete


def two_rounds(game: str) -> tuple[TableConfig, list[Event], float]:
    """An honest round, and after it the same with other suits and other numbers; when the second one begins."""
    config, script = HONEST[game]
    other = dict(zip("cdhs", "dhsc", strict=True))
    begins_s = script[-1].t_s + 4.0
    out = list(script)
    for event in script:
        more: dict[str, Any] = {"t_s": event.t_s + begins_s}
        if (since_s := getattr(event, "since_s", None)) is not None:
            more["since_s"] = since_s + begins_s
        if (card_id := getattr(event, "card_id", None)) is not None:
            more["card_id"] = card_id + 1000
        if card := getattr(event, "card", None):
            more["card"] = card[0] + other.get(card[1], card[1])
        if event.kind != "table_opened":
            out.append(rounds.altered(event, **more))
    return config, out, begins_s


def accused_over_two(game: str, cuts: range, aways: Sequence[float]) -> dict[tuple[int, float], list[object]]:
    config, script, begins_s = two_rounds(game)
    found: dict[tuple[int, float], list[object]] = {}
    for at in cuts:
        for into_s in aways:
            at_s = script[at].t_s + 0.3
            breaches = interrupted(config, script, at_s, begins_s + into_s - at_s).breaches()
            if breaches:
                found[at, into_s] = list(breaches)
    return found


@pytest.mark.parametrize("game", HONEST)
def test_another_round_dealt_meanwhile_is_not_taken_for_the_one_known(game: str) -> None:
    _, script = HONEST[game]
    assert accused_over_two(game, range(40, len(script) - 8, 31), [12.0, 26.0]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("game", HONEST)
def test_another_round_dealt_meanwhile_is_never_taken_for_the_one_known(game: str) -> None:
    _, script = HONEST[game]
    assert accused_over_two(game, range(0, len(script), 3), [2.0, 8.0, 16.0, 24.0, 40.0]) == {}


@pytest.mark.parametrize("game", HONEST)
def test_a_recording_that_begins_in_the_middle_of_a_round_accuses_nobody(game: str) -> None:
    config, script = HONEST[game]
    for at in range(10, len(script), 11):
        from_s, engine = script[at].t_s + 0.3, Engine(config)
        found: list[Finding] = []
        watcher = ScriptedWatcher(script, partial(float, from_s))
        for frame in frames(0.0, script[-1].t_s - from_s + 10.0):
            for event in watcher.frame(frame):
                found += engine.feed(event)
        found += engine.close()
        assert rounds.breaches(found) == [], f"begun after event {at}"
