"""What is alleged of rounds told as the sight may tell them, without a picture: `python -m datasets.score.courses`.

The simulator's rounds are played, not filmed, and their events spoiled as the sight spoils them (`datasets.score.spoiled`); `--times` has all of it go wrong so
many times as often. Told are how many honest courses accuse somebody, and how many of the planted mistakes are found.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from rich.console import Console

from datasets.play.games import GAMES, plants_of
from datasets.play.games.base import DEALING
from datasets.score.faults import SIGHT, Sight
from datasets.score.intervals import Share
from datasets.score.rounds import match_findings
from datasets.score.spoiled import spoiled
from datasets.simulate import Recording, SimulationError, play_rounds, table_mapping
from rules.engine import Engine
from rules.events import Event
from rules.findings import Finding, Verdict
from rules.table import TableConfig


@dataclass(frozen=True, slots=True)
class Course:
    """One course that was judged.

    Attributes:
        name: game, dealing, plant and seed.
        wrong: what went wrong in it.
        found, missed, false: of the planted mistakes, and what was alleged beside them.
    """

    name: str
    wrong: Counter[str]
    found: tuple[str, ...]
    missed: tuple[str, ...]
    false: tuple[str, ...]


def judged(recording: Recording, events: Sequence[Event]) -> list[Finding]:
    """All findings of events at the table of a recording."""
    engine = Engine(TableConfig.from_mapping(table_mapping(recording)))
    return [*engine.feed_all(events), *engine.close()]


def play(game: str, dealing: str, plant: str | None, seed: int, sight: Sight, rounds: int = 2) -> Course:
    """One course of rounds with a planted mistake in one of them, or without.

    Raises:
        SimulationError: the rounds of this seed have no place for the mistake.
    """
    recording = play_rounds(game, rounds, seed, [plant] if plant else [], dealing=dealing, chips_spread=seed % 2 == 0)
    events, wrong = spoiled(recording, sight, seed)
    breaches = [
        {"check_id": f.check_id, "seat": f.seat, "t_s": f.t_s, "round_id": f.round_id}
        for f in judged(recording, events) if f.verdict is Verdict.BREACH
    ]  # fmt: skip
    truth = [
        {"check_id": e.check_id, "seat": e.seat, "t_s": t_s, "round": number, "required": e.required}
        for number, e, t_s in recording.findings
    ]
    found, missed, others = match_findings([e for e in truth if e["required"]], breaches)
    _, _, false = match_findings([e for e in truth if not e["required"]], others)
    return Course(
        f"{game} {dealing} {plant} {seed}",
        wrong,
        *(tuple(f"{f['check_id']}@{f['seat']}" for f in items) for items in (found, missed, false)),
    )


def honest(count: int, seed: int, sight: Sight, rounds: int = 2) -> Iterator[Course]:
    """Honest courses of all games and methods of dealing in turn."""
    tables = [(game, dealing) for game in GAMES for dealing in DEALING]
    for k in range(count):
        game, dealing = tables[k % len(tables)]
        try:
            yield play(game, dealing, None, seed + k, sight, rounds)
        except SimulationError:
            continue


def planted(count: int, seed: int, sight: Sight, rounds: int = 2) -> Iterator[Course]:
    """Courses with one planted mistake, every kind under every method of dealing in turn."""
    kinds = [
        (game, dealing, name) for game in GAMES for name, kind in plants_of(game).items() for dealing in kind.dealing
    ]
    Random(seed).shuffle(kinds)
    for k in range(count):
        game, dealing, name = kinds[k % len(kinds)]
        try:
            yield play(game, dealing, name, seed + k, sight, rounds)
        except SimulationError:
            continue


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is alleged wrongly and what is found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--honest", type=int, default=240, help="honest courses")
    parser.add_argument("--planted", type=int, default=240, help="courses with one planted mistake")
    parser.add_argument("--rounds", type=int, default=2, help="of each course")
    parser.add_argument("--times", type=float, default=1.0, help="so many times as much goes wrong as in films")
    parser.add_argument("--seed", type=int, default=1, help="of the first course; the others have the next ones")
    given = parser.parse_args(arguments)
    sight, console = SIGHT.times(given.times), Console(width=200)
    accused = total = 0
    for course in honest(given.honest, given.seed, sight, given.rounds):
        total, accused = total + 1, accused + bool(course.false)
        if course.false:
            console.print(f"{course.name}: alleged {', '.join(course.false)}")
    if total:
        console.print(f"honest courses of {given.rounds} rounds that accuse somebody: {Share(accused, total)}")
    found = planted_ = beside = 0
    for course in planted(given.planted, given.seed, sight, given.rounds):
        found, planted_ = found + len(course.found), planted_ + len(course.found) + len(course.missed)
        beside += bool(course.false)
        if course.false or course.missed:
            console.print(f"{course.name}: missed {', '.join(course.missed)}; alleged {', '.join(course.false)}")
    if planted_:
        console.print(
            f"planted mistakes found: {Share(found, planted_)}; courses in which something else is alleged: {beside}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
