"""Speed of the law: five-card hands ranked a second beside three other evaluators, and rounds judged a second.

Every evaluator ranks the same hands, in the form of card that it works on, made beforehand; what is timed is from those
cards to the rank. They take turns, and what counts is the processor time of this process, so that a busy machine
blurs the numbers little. `pokerkit` and `treys` are pure Python,
`phevaluator` is C++. `python -m datasets.score.bench_law` prints this part of `make bench` alone.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import phevaluator
import treys
from pokerkit import Card as PokerKitCard
from pokerkit import StandardHighHand
from rich.table import Table

from datasets.score.printing import tell
from datasets.simulate import play_rounds, table_mapping
from rules.cards import DECK_52, Card
from rules.engine import Engine
from rules.events import Event
from rules.hands import card_code, five_card_score, rank_five
from rules.law import GAMES
from rules.table import TableConfig

HANDS = 5_000
TURNS = 21
ROUNDS = 5
SEED = 7


@dataclass(frozen=True, slots=True)
class Rate:
    """How many a processor second: the median of the turns, the slowest and the fastest."""

    what: str
    count: int
    median: float
    slowest: float
    fastest: float


def drawn_hands(count: int, seed: int = SEED) -> list[tuple[Card, ...]]:
    """Five-card hands of one deck, drawn at random."""
    rng = random.Random(seed)
    return [tuple(rng.sample(DECK_52, 5)) for _ in range(count)]


def evaluators(hands: Sequence[tuple[Card, ...]]) -> Mapping[str, Callable[[], object]]:
    """By name, what ranks all hands once."""
    codes = [tuple(card_code(card) for card in hand) for hand in hands]
    ints = [[treys.Card.new(str(card)) for card in hand] for hand in hands]
    kit = [tuple(next(iter(PokerKitCard.parse(str(card)))) for card in hand) for hand in hands]
    numbers = [tuple(phevaluator.Card(str(card)) for card in hand) for hand in hands]
    evaluator = treys.Evaluator()
    return {
        "pitwatch, cards to HandRank": lambda: [rank_five(hand) for hand in hands],
        "pitwatch, codes to score": lambda: [five_card_score(sum(code)) for code in codes],
        "treys 5-card table": lambda: [evaluator._five(hand) for hand in ints],
        "treys Evaluator.evaluate": lambda: [evaluator.evaluate([], hand) for hand in ints],
        "pokerkit StandardHighHand": lambda: [StandardHighHand(hand) for hand in kit],
        "phevaluator (C++)": lambda: [phevaluator.evaluate_cards(*hand) for hand in numbers],
    }


def rates(works: Mapping[str, Callable[[], object]], count: int, turns: int = TURNS) -> list[Rate]:
    """Each work as a rate, the works taking turns after one turn to warm up."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(turns + 1):
        for name, work in works.items():
            start = time.process_time()
            work()
            if turn:
                times[name].append(time.process_time() - start)
    return [
        Rate(name, count, count / statistics.median(took), count / max(took), count / min(took))
        for name, took in times.items()
    ]


def evening(game: str, rounds: int = ROUNDS) -> tuple[TableConfig, tuple[Event, ...]]:
    """Simulated rounds of five players as events, nothing filmed, and their table."""
    recording = play_rounds(game, rounds, SEED, seats=(1, 2, 3, 4, 6))
    return TableConfig.from_mapping(table_mapping(recording)), tuple(recording.events())


def judge(table: TableConfig, events: Sequence[Event]) -> int:
    """Judge events as they come; the number of findings."""
    engine = Engine(table)
    return len(engine.feed_all(events)) + len(engine.close())


def judging(rounds: int = ROUNDS, turns: int = 3) -> list[Rate]:
    """Rounds judged a second, game by game."""
    played = {game: evening(game, rounds) for game in GAMES}
    works = {game: lambda own=own: judge(*own) for game, own in played.items()}
    return rates(works, rounds, turns)


def tables() -> tuple[list[Table], dict[str, object]]:
    """The tables to print, and the same numbers."""
    ranked, judged = rates(evaluators(drawn_hands(HANDS)), HANDS), judging()
    first = Table(
        "evaluator",
        "hands a processor second",
        "slowest turn",
        "fastest",
        title=f"{HANDS:,} five-card hands, {TURNS} turns",
    )
    for rate in ranked:
        first.add_row(rate.what, *(f"{value:,.0f}" for value in (rate.median, rate.slowest, rate.fastest)))
    second = Table(
        "game",
        "rounds a processor second",
        "slowest turn",
        "fastest",
        title=f"{ROUNDS} rounds of five players judged, 3 turns",
    )
    for rate in judged:
        second.add_row(rate.what, *(f"{value:,.2f}" for value in (rate.median, rate.slowest, rate.fastest)))
    return [first, second], {"hands": [asdict(rate) for rate in ranked], "rounds": [asdict(rate) for rate in judged]}


def main() -> int:
    """Print both tables and the numbers as JSON."""
    tell(*tables())
    return 0


if __name__ == "__main__":
    sys.exit(main())
