"""The tables of the simulated pit, their shifts and their dealers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

ZONE = timezone(timedelta(hours=-4))
"""Eastern daylight time, in which the whole month lies."""
OPENS = datetime(2026, 10, 1, 6, 0, tzinfo=ZONE)
"""The gaming day begins at six in the morning, with the day shift."""
SHIFT_HOURS = 8
DEALERS_A_SHIFT = 30
ROUNDS_AN_HOUR = 40
CHAPTERS = {"raise_it_up": "669a", "caribbean_stud": "639a", "let_it_ride": "643a", "dj_wild": "687a"}
_SHORT = {"raise_it_up": "riu", "caribbean_stud": "car", "let_it_ride": "lir", "dj_wild": "djw"}
_PAYTABLES: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "raise_it_up": (
        {"pair_plus": "A", "six_card_bonus": "A", "progressive": "A"},
        {"pair_plus": "B", "six_card_bonus": "B", "progressive": "A"},
        {"pair_plus": "A", "six_card_bonus": "C", "progressive": "A"},
    ),
    "caribbean_stud": (
        {"bonus": "A", "progressive": "A", "five_card_hand_bonus": "A"},
        {"bonus": "B", "progressive": "D", "five_card_hand_bonus": "A"},
        {"bonus": "C", "progressive": "F", "five_card_hand_bonus": "A"},
    ),
    "let_it_ride": (
        {"main": "A", "five_card_bonus": "A", "three_card_bonus": "A", "progressive3": "A", "six_card_bonus": "A",
         "five_card_hand_bonus": "A"},
        {"main": "B", "five_card_bonus": "F", "three_card_bonus": "D", "progressive5": "A", "six_card_bonus": "E",
         "five_card_hand_bonus": "A"},
    ),
    "dj_wild": (
        {"progressive": "1", "trips": "04", "bad_beat": "01"},
        {"progressive": "1", "trips": "06", "bad_beat": "03"},
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PitTable:
    """One table: its number in the pit from 0, its name, its game, and the paytables it offers."""

    number: int
    table_id: str
    game: str
    paytables: Mapping[str, str]

    def file(self) -> dict[str, Any]:
        """Its table file, as `pitwatch review --table` and `pitwatch import --tables` read it."""
        seats = 7 if self.game in ("caribbean_stud", "let_it_ride") else 6
        return {
            "version": 1, "table_id": self.table_id, "game": self.game,
            "chips": {"white": 50, "red": 500, "green": 2500, "black": 10000},
            "rules_submission": {
                "dealing": "automated_shoe", "seats": seats, "shuffler": {"automated": True},
                "paytables": dict(self.paytables), "progressive_unit_cents": 100,
            },
        }  # fmt: skip


def tables(count: int) -> tuple[PitTable, ...]:
    """The first `count` tables of the pit, the four games in turn."""
    games = tuple(CHAPTERS)
    found = []
    for number in range(count):
        game, place = games[number % len(games)], number // len(games)
        choices = _PAYTABLES[game]
        found.append(PitTable(number, f"{_SHORT[game]}-{place + 1:02d}", game, choices[place % len(choices)]))
    return tuple(found)


def opening(day: int) -> datetime:
    """When a day of the month, counted from 0, begins."""
    return OPENS + timedelta(days=day)


def dealer(table: int, day: int, hour: int) -> str:
    """The number of the dealer of an hour: the thirty of a shift go round the tables, another one every hour."""
    shift = hour // SHIFT_HOURS
    return str(100 * (shift + 1) + (table + 7 * (hour % SHIFT_HOURS) + 3 * day) % DEALERS_A_SHIFT)
