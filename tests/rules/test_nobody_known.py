"""Where a mistake is planted and what shows it is not known, its check may stay open: it is never called kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest
import test_caribbean_stud_checks
import test_checks
import test_dj_wild_checks
import test_let_it_ride_checks
from game_rounds import table
from rounds import altered, judge, verdicts

from rules.events import CardPlaced, CardTurned, Event, HandOver
from rules.findings import Verdict

Doubt = Callable[[Event], Event | None]


def by_nobody(event: Event) -> Event:
    """Whose hand it was is not known."""
    return altered(event, by=None) if getattr(event, "by", None) is not None else event


def of_no_amount(event: Event) -> Event:
    """How many chips they are is not known."""
    stake = event.kind.startswith(("wager", "payout")) and getattr(event, "amount_cents", None) is not None
    return altered(event, amount_cents=None) if stake else event


def unread(event: Event) -> Event:
    """Which card it is is not known."""
    return replace(event, card=None) if isinstance(event, (CardPlaced, CardTurned)) else event


def without_hands(event: Event) -> Event | None:
    """No hand is made out."""
    return None if isinstance(event, HandOver) else event


def of_no_side(event: Event) -> Event:
    """Whose hands they are is not known."""
    return replace(event, side=None) if isinstance(event, HandOver) else event


def hardly_seen(event: Event) -> Event:
    """Chips that are only probable."""
    return replace(event, confidence=0.45) if event.kind.startswith(("wager", "payout")) else event


GAMES = (test_checks, test_caribbean_stud_checks, test_let_it_ride_checks, test_dj_wild_checks)


def called_kept(game: ModuleType, doubt: Doubt) -> list[tuple[str, str, int | None]]:
    """Names of the planted mistakes of a game whose checks end as kept."""
    found = []
    for name, *how, expected in game.BREAKING:
        script = game.built(*how)
        config = table(game.GAME) if hasattr(game, "GAME") else None
        findings = judge([doubted for event in script.events if (doubted := doubt(event)) is not None], config)
        found += [
            (name, check, seat) for check, seat in expected if verdicts(findings, check).get(seat) is Verdict.COMPLIANT
        ]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_no_mistake_is_called_kept_for_want_of_whose_hand_it_was(game: ModuleType) -> None:
    assert called_kept(game, by_nobody) == []


@pytest.mark.parametrize(
    "doubt",
    [
        of_no_amount,
        *(pytest.param(doubt, marks=pytest.mark.slow) for doubt in (unread, without_hands, of_no_side, hardly_seen)),
    ],
)
@pytest.mark.parametrize("game", GAMES)
def test_nor_for_want_of_anything_else(game: ModuleType, doubt: Doubt) -> None:
    assert called_kept(game, doubt) == []
