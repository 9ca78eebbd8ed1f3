"""Writes the month: a file of settled rounds a day, the tables' files, and the books of what was really owed and paid.

The books are kept here, round by round, by the one who plants the mistakes; whoever audits the files never sees them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import yaml

from datasets.month.mistakes import HABIT_DEALER, HABIT_SHARE, KINDS, plant
from datasets.month.pit import CHAPTERS, ROUNDS_AN_HOUR, PitTable, dealer, opening, tables
from datasets.month.play import UNIT, play_round
from rules.paytables import Paytable, game_paytables
from rules.settlement.results import Outcome, WagerResult
from rules.settlement.rounds import GAMES, settle

MISTAKES_PER_ROUND = 1 / 400
BOOKS, TABLES, ROUNDS = "books.json", "tables", "rounds"
Listed = list[tuple[int, str, WagerResult]]


@dataclass(frozen=True, slots=True)
class Month:
    """How much is played. Everything follows from it and the seed."""

    tables: int = 20
    days: int = 30
    hours: int = 24
    seed: int = 2026


@dataclass(slots=True)
class Books:
    """What was owed and what was paid in all, and every mistake.

    Attributes:
        by_game: rounds, wagers, staked, owed and paid (cents, stakes that went back included) by game.
        mistakes: every mistake planted, in the order played.
    """

    by_game: dict[str, dict[str, int]] = field(default_factory=dict)
    mistakes: list[dict[str, Any]] = field(default_factory=list)

    def enter(self, game: str, results: Listed, paid: Mapping[tuple[int, str], int]) -> None:
        """Enter a round."""
        page = self.by_game.setdefault(game, dict.fromkeys(("rounds", "wagers", "staked", "owed", "paid"), 0))
        page["rounds"] += 1
        page["wagers"] += len(results)
        for seat, wager, result in results:
            page["staked"] += result.stake_cents
            page["owed"] += result.return_cents
            page["paid"] += paid[seat, wager]

    def totals(self) -> dict[str, int]:
        """All games together, with the cents paid over and under."""
        names = ("rounds", "wagers", "staked", "owed", "paid")
        total = {name: sum(page[name] for page in self.by_game.values()) for name in names}
        off = [one["paid"] - one["owed"] for one in self.mistakes]
        over, under = sum(cents for cents in off if cents > 0), -sum(cents for cents in off if cents < 0)
        return total | {"over": over, "under": under, "mistakes": len(off)}


@dataclass(slots=True)
class _Seat:
    """A table with what it carries from round to round."""

    table: PitTable
    meters: dict[str, int]
    paytables: dict[str, Paytable]
    config: dict[str, Any]


def write_month(month: Month, out: Path, *, progress: Callable[[int, int], None] | None = None) -> Books:
    """Write `tables/*.yaml`, `rounds/DAY.jsonl.gz` and `books.json` below `out`.

    Args:
        month: how much.
        out: an existing folder.
        progress: called with days done and days in all.
    """
    (out / TABLES).mkdir()
    (out / ROUNDS).mkdir()
    books, pit = Books(), [_open(table) for table in tables(month.tables)]
    for seat in pit:
        path = out / TABLES / f"{seat.table.table_id}.yaml"
        path.write_text(yaml.safe_dump(seat.table.file(), sort_keys=False), encoding="utf-8")
    for day in range(month.days):
        path = out / ROUNDS / f"{opening(day):%Y-%m-%d}.jsonl.gz"
        with gzip.GzipFile(path, "wb", compresslevel=3, mtime=0) as file:
            for seat in pit:
                for line in _play_day(month, seat, day, books):
                    file.write(line.encode())
        if progress is not None:
            progress(day + 1, month.days)
    text = json.dumps({"totals": books.totals(), "by_game": books.by_game, "mistakes": books.mistakes}, indent=1)
    (out / BOOKS).write_text(text + "\n", encoding="utf-8")
    return books


def _open(table: PitTable) -> _Seat:
    rules, law = GAMES[CHAPTERS[table.game]], game_paytables(table.game)
    offered = {
        wager: rules.find_table(law, key, table.paytables[key])
        for wager, key in rules.chosen.items()
        if key in table.paytables
    }
    offered |= {wager: law.table(wager, "A") for wager in rules.fixed}
    meters = {
        f"{group}.{meter.name}": meter.seed_for_1 * UNIT
        for group, wagers in rules.metered.items()
        for wager in wagers
        if wager in offered
        for meter in offered[wager].meters.values()
    }
    return _Seat(table, meters, offered, {"paytables": dict(table.paytables), "progressive_unit": UNIT})


def _play_day(month: Month, seat: _Seat, day: int, books: Books) -> Iterator[str]:
    table, random = seat.table, Random(f"{month.seed} {seat.table.table_id} {day}")
    for hour in range(month.hours):
        number = dealer(table.number, day, hour)
        for place in range(ROUNDS_AN_HOUR):
            at = opening(day) + timedelta(seconds=3600 * hour + 90 * place + random.randrange(60))
            document = play_round(table, f"r{hour:02d}{place:02d}", random, seat.meters)
            settled = settle(document | {"config": seat.config | document["config"]})
            seat.meters = {name: int(cents) for name, cents in settled.meters.balances.items()}
            results: Listed = [(s, w, result) for s, wagers in settled.seats.items() for w, result in wagers.items()]
            paid = {(s, w): int(result.return_cents) for s, w, result in results}
            for kind, who, wager, cents in _mistakes(results, seat.paytables, number, random):
                owed = paid[who, wager]
                paid[who, wager] = cents
                books.mistakes.append(
                    {"table": table.table_id, "day": f"{opening(day):%Y-%m-%d}", "at": at.isoformat(), "round": document["id"], "dealer": number, "seat": who,
                     "game": table.game, "wager": wager, "kind": kind, "owed": owed, "paid": cents}
                )  # fmt: skip
            books.enter(table.game, results, paid)
            document |= {
                "table": table.table_id,
                "day": f"{opening(day):%Y-%m-%d}",
                "at": at.isoformat(),
                "dealer_number": number,
            }
            back: dict[str, dict[str, int]] = {}
            document["paid"] = back
            for (who, wager), cents in paid.items():
                back.setdefault(str(who), {})[wager] = cents
            yield json.dumps(document, separators=(",", ":")) + "\n"


def _mistakes(
    results: Listed, offered: Mapping[str, Paytable], number: str, random: Random
) -> list[tuple[str, int, str, int]]:
    found = []
    if random.random() < MISTAKES_PER_ROUND:
        kinds = random.sample(list(KINDS), len(KINDS))
        planted = next(((kind, *one) for kind in kinds if (one := plant(kind, results, offered, random))), None)
        if planted is not None:
            found.append(planted)
    if number == HABIT_DEALER:
        for who, wager, result in results:
            is_push = result.outcome is Outcome.PUSH and all(other[1:3] != (who, wager) for other in found)
            if is_push and random.random() < HABIT_SHARE:
                found.append(("habit", who, wager, 0))
    return found
