"""A sleeve of the felt's colour over a wager or cards: what lies under it is not told gone, and not told laid again."""

from __future__ import annotations

import pytest
from drawn import Arm, Card, Chip, DrawnTable, Things, frames, reach, watcher_of

from rules.events import CoverageGap, Event, HandOver, WagerPlaced, WagerRemoved

FELT_LIKE = (86, 111, 36)
"""16 levels lighter than the felt: no foreground, but the printed lines under it are gone."""


@pytest.fixture(scope="module")
def table() -> DrawnTable:
    return DrawnTable()


def sleeve(
    t_s: float, since_s: float, until_s: float, at: tuple[float, float], *, beyond_mm: float = 60.0
) -> tuple[Arm, ...]:
    """An arm over a place whose hand lies so far before it, towards the dealer."""
    if not since_s <= t_s <= until_s:
        return ()
    share = min(1.0, (t_s - since_s) / 0.4, (until_s - t_s) / 0.4)
    wrist = (at[0], 1100 - share * (1100 - at[1] + beyond_mm))
    return Arm(wrist, (at[0], 1300.0), FELT_LIKE), Arm((wrist[0], wrist[1] - 110), wrist)


def told(table: DrawnTable, gone_s: float, until_s: float, seconds: float) -> list[Event]:
    """Events of a wager laid at 2 s, under a sleeve from 5 s on, and taken by the dealer at some time."""
    at = table.center("seat3.ante")

    def scene(t: float) -> Things:
        arms = reach(t, 1.5, at, (at[0], 1300.0), stay_s=0.1)
        arms += sleeve(t, 5.0, until_s, at) + reach(t, gone_s - 0.5, at, (at[0], -180.0), stay_s=0.1)
        return Things(chips=(Chip("red", at),) if 2.0 < t < gone_s else (), arms=arms)

    watcher = watcher_of(table)
    events = [event for frame in frames(table, scene, seconds) for event in watcher.frame(frame)]
    return [event for event in events + watcher.close() if not isinstance(event, (HandOver, CoverageGap))]


def test_cards_under_a_sleeve_of_the_felts_colour_neither_go_nor_come(table: DrawnTable) -> None:
    at = table.center("seat3.cards")
    home = (at[0] - 100, -180.0)

    def scene(t: float) -> Things:
        arms = reach(t, 1.5, at, home, stay_s=0.1) + reach(t, 9.5, at, home, stay_s=0.1)
        arms += sleeve(t, 4.0, 7.0, at, beyond_mm=120.0)
        return Things(cards=(Card("Qd", at),) if 2.0 < t < 10.0 else (), arms=arms)

    watcher = watcher_of(table)
    events = [event for frame in frames(table, scene, 12.0) for event in watcher.frame(frame)] + watcher.close()
    cards = [(event.kind, round(event.t_s)) for event in events if event.kind.startswith("card")]
    assert cards == [("card_placed", 2), ("card_removed", 10)]


@pytest.mark.parametrize("until_s", [7.0, 10.0])
def test_chips_under_a_sleeve_of_the_felts_colour_neither_go_nor_come(table: DrawnTable, until_s: float) -> None:
    placed, removed = told(table, until_s + 3.0, until_s, until_s + 6.0)
    assert isinstance(placed, WagerPlaced)
    assert placed.t_s == pytest.approx(2.0, abs=0.5)
    assert isinstance(removed, WagerRemoved)
    assert removed.t_s == pytest.approx(until_s + 3.0, abs=0.5)
    assert removed.confidence == 1.0


def test_what_stays_hidden_for_long_is_gone_probably_and_back_probably(table: DrawnTable) -> None:
    placed, *between, removed = told(table, 22.0, 19.0, 25.0)
    assert placed.confidence > 0.5
    assert [event.kind for event in between] == ["wager_removed", "wager_placed"]
    assert all(event.confidence < 0.5 for event in between)
    assert removed.confidence == 1.0
