"""Mistakes in paying, each of a kind that auditors know, planted on wagers whose right payment is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from rules.money import Odds
from rules.paytables import Paytable
from rules.settlement.results import Outcome, WagerResult

SMALLEST, CHIPS = 100, (100, 500, 2500)
Way = Callable[[WagerResult, "Paytable | None", Random], "int | None"]


def _wrong_odds(result: WagerResult, _table: Paytable | None, random: Random) -> int | None:
    """Paid at odds that are not on the table at all: one to one more or less than printed."""
    if result.outcome is not Outcome.WIN or not result.stake_cents:
        return None
    off = result.stake_cents * random.choice((-1, 1))
    return result.return_cents + off if result.return_cents + off >= result.stake_cents else result.return_cents - off


def _wrong_line(result: WagerResult, table: Paytable | None, random: Random) -> int | None:
    """Paid by the line above or below the one that the hand has."""
    if result.outcome is not Outcome.WIN or table is None or not result.stake_cents:
        return None
    lines = [line.pay for line in table.lines]
    here = next((place for place, line in enumerate(table.lines) if str(line.pay) == result.odds), None)
    if here is None:
        return None
    near = [lines[place] for place in (here - 1, here + 1) if 0 <= place < len(lines)]
    odds = [pay for pay in near if isinstance(pay, Odds)]
    return int(random.choice(odds).total_return(result.stake_cents)) if odds else None


def _paid_loser(result: WagerResult, _table: Paytable | None, _random: Random) -> int | None:
    return 2 * result.stake_cents if result.outcome is Outcome.LOSE else None


def _unpaid_winner(result: WagerResult, _table: Paytable | None, _random: Random) -> int | None:
    return 0 if result.outcome is Outcome.WIN else None


def _push_taken(result: WagerResult, _table: Paytable | None, _random: Random) -> int | None:
    return 0 if result.outcome in (Outcome.PUSH, Outcome.RETURNED) else None


def _chip_off(result: WagerResult, _table: Paytable | None, random: Random) -> int | None:
    if result.outcome is not Outcome.WIN:
        return None
    paid = result.return_cents + random.choice((-1, 1)) * random.choice(CHIPS)
    return paid if paid >= 0 else None


def _short(result: WagerResult, _table: Paytable | None, random: Random) -> int | None:
    most = result.owed_cents // SMALLEST
    if result.outcome is not Outcome.WIN or most < 2:
        return None
    return int(result.return_cents - SMALLEST * random.randint(1, most - 1))


def _over(result: WagerResult, _table: Paytable | None, random: Random) -> int | None:
    if result.outcome is not Outcome.WIN:
        return None
    return int(result.return_cents + SMALLEST * random.randint(1, 50))


KINDS: Mapping[str, Way] = {
    "wrong_odds": _wrong_odds,
    "wrong_line": _wrong_line,
    "paid_loser": _paid_loser,
    "unpaid_winner": _unpaid_winner,
    "push_taken": _push_taken,
    "chip_off": _chip_off,
    "short": _short,
    "over": _over,
}
HABIT_DEALER, HABIT_SHARE = "217", 0.05
"""A dealer of the swing shift who takes one push in twenty, where others leave it."""


def plant(
    kind: str, results: Sequence[tuple[int, str, WagerResult]], tables: Mapping[str, Paytable], random: Random
) -> tuple[int, str, int] | None:
    """Plant a mistake in a round.

    Args:
        kind: one of `KINDS`.
        results: seat, wager and right result of every wager of the round.
        tables: the round's paytables by wager.
        random: chooses the wager and the amount.

    Returns:
        Seat, wager, and cents paid in all (never what is owed); None where the round has no wager for this kind.
    """
    order = list(results)
    random.shuffle(order)
    for seat, wager, result in order:
        paid = KINDS[kind](result, tables.get(wager), random)
        if paid is not None and paid >= 0 and paid != result.return_cents:
            return seat, wager, paid
    return None
