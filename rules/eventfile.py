"""A whole file of events, verified before any of it is judged: order, repetition, contradictions, size.

Single lines are verified by `rules.events`. Here the lines are held against each other and against the table: a file that is
out of order, tells a thing twice, contradicts itself or is of another table is refused with line and field.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cache

from rules.checks.progressive_deal import NAMES
from rules.events import (
    CardPlaced,
    ElectronicWagerAccepted,
    Event,
    EventError,
    HandOver,
    MeterRead,
    ShufflerCounted,
    StubCounted,
    event_to_json,
    group_of,
    numbered_events,
    seat_of,
)
from rules.games import game_module
from rules.house_events import AwardLit, BonusPaid, WagersBanked, WagersCollected, WagersLocked
from rules.law import game_law
from rules.records import WAGER_EVENTS
from rules.table import TableConfig

MOST_EVENTS = 5_000_000
"""Events of one file; more than a month of a busy table."""
LATE_S = 10.0
"""An event may be told this much later than one with a later time."""
OF_WHOLE_WAGERS = (WagersLocked, WagersCollected, WagersBanked, AwardLit)
"""Events of a system that tell of a wager of all seats, or of an award: of the Five Card Hand Bonus they need not say on which hand."""
BESIDE_WAGERS = (
    "envy",
    "magic",
    "lucky",
    *(f"{bonus}_{side}" for bonus in ("magic", "lucky") for side in ("player", "dealer")),
)
"""What `bonus_paid` may name beside wagers."""


def read_stream(
    lines: Iterable[str],
    table: TableConfig,
    *,
    name: str = "events",
    limit: int = MOST_EVENTS,
    areas: Collection[str] | None = None,
) -> tuple[Event, ...]:
    """The events of a file for one table.

    Args:
        lines: one JSON object a line; empty lines are skipped.
        table: the table that they are judged for; events of other tables are kept and not held against it.
        name: of the file, which stands in front of every error.
        limit: events at most.
        areas: where the table's layout is known, the areas in which chips can be wagered; None: not held against it.

    Raises:
        EventError: naming file, line and field: no event at all or none of this table, too many, a line that is no event,
            a time that goes back, a line that repeats another, a seat that the table does not have, a card in two places
            at one time, chips wagered where the layout has no area for them, a system's wager that the game does not have, a meter with two amounts at one time, two counts of the cards at one time.
    """
    return tuple(verified_events(lines, table, name=name, limit=limit, areas=areas))


def verified_events(
    lines: Iterable[str],
    table: TableConfig,
    *,
    name: str = "events",
    limit: int = MOST_EVENTS,
    areas: Collection[str] | None = None,
) -> Iterator[Event]:
    """The events of a file one by one, as `read_stream` verifies them; what concerns the whole file comes at its end.

    Raises:
        EventError: as `read_stream`, when the line is reached.
    """
    count, tables = 0, set()
    book = _Book(table, name, areas)
    for number, event in numbered_events(lines, name=name):
        if count >= limit:
            raise EventError(f"{name}, line {number}: more than {limit} events; split the file at a table_closed event")
        book.verify(number, event)
        count += 1
        tables.add(event.table_id)
        yield event
    if not count:
        raise EventError(f"{name}: no events; one JSON object a line is expected")
    if table.table_id not in tables:
        others = ", ".join(sorted(tables)[:3])
        raise EventError(f"{name}: field 'table_id': no event of table {table.table_id}; the file has {others}")


@cache
def names_of_system(game: str, kind: str) -> tuple[str, ...]:
    """The names that events of a kind may have for a wager of a system, or what it pays, at tables of a game."""
    bonus = game_module(game).hand_bonus
    names = [wager.name for wager in game_law(game).wagers.values() if wager.kind != "paytable_only"]
    names += [name for name in bonus if name not in names]
    if bonus and kind in [cls.kind for cls in OF_WHOLE_WAGERS]:
        names += [name for name in NAMES["five_card_hand_bonus"] if name not in names]
    return (*names, *BESIDE_WAGERS) if kind == BonusPaid.kind else tuple(names)


class _Book:
    """What the lines so far said, as far as a later one could contradict it."""

    def __init__(self, table: TableConfig, name: str, areas: Collection[str] | None) -> None:
        self._table, self._name, self._areas = table, name, areas
        self._latest: dict[str, tuple[float, int]] = {}
        self._lines: dict[str, int] = {}
        self._cards: dict[tuple[str, int, float], tuple[str, int]] = {}
        self._meters: dict[tuple[str, str, float], tuple[int, int]] = {}
        self._counts: dict[tuple[str, str, float], tuple[int, int]] = {}

    def verify(self, number: int, event: Event) -> None:
        where = f"{self._name}, line {number}"
        latest, line = self._latest.get(event.table_id, (event.t_s, number))
        if event.t_s < latest - LATE_S:
            raise EventError(
                f"{where}: field 't_s' goes back to {event.t_s:g} after {latest:g} in line {line}; sort the file by time"
            )
        if event.t_s >= latest:
            self._latest[event.table_id] = (event.t_s, number)
            if event.t_s > latest:
                self._forget(event.t_s)
        self._repeated(where, number, event)
        if event.table_id == self._table.table_id:
            self._seats(where, event)
            self._wagered(where, event)
            self._named(where, event)
        if isinstance(event, CardPlaced):
            key = (event.table_id, event.card_id, event.t_s)
            area, before = self._cards.setdefault(key, (event.area, number))
            if area != event.area:
                raise EventError(
                    f"{where}: field 'area': card {event.card_id} at {event.area} and at {area} (line {before}) at one time"
                )
        if isinstance(event, MeterRead):
            amount, before = self._meters.setdefault(
                (event.table_id, event.meter, event.t_s), (event.amount_cents, number)
            )
            if amount != event.amount_cents:
                raise EventError(
                    f"{where}: field 'amount_cents': meter {event.meter} shows {event.amount_cents} and {amount} (line {before}) at one time"
                )

        if isinstance(event, ShufflerCounted | StubCounted):
            what = event.kind if isinstance(event, ShufflerCounted) else f"{event.kind} at {event.place}"
            count, before = self._counts.setdefault((event.table_id, what, event.t_s), (event.count, number))
            if count != event.count:
                raise EventError(
                    f"{where}: field 'count': {what} says {event.count} and {count} (line {before}) at one time"
                )

    def _repeated(self, where: str, number: int, event: Event) -> None:
        """Two hands may leave an area at one time; nothing else happens twice in the same way."""
        if isinstance(event, HandOver):
            return
        text = event_to_json(event)
        before = self._lines.setdefault(text, number)
        if before != number:
            raise EventError(f"{where}: repeats line {before} ({event.kind} at {event.t_s:g} s)")

    def _seats(self, where: str, event: Event) -> None:
        for field in ("seat", "other_seat", "hand_of"):
            seat = getattr(event, field, None)
            if seat is not None and not 1 <= seat <= self._table.seats:
                raise EventError(f"{where}: field {field!r}: the table has seats 1 to {self._table.seats}, got {seat}")
        for field in ("area", "from_area", "to_area"):
            area = getattr(event, field, None)
            seat = seat_of(area) if area is not None else None
            if seat is not None and not 1 <= seat <= self._table.seats:
                raise EventError(
                    f"{where}: field {field!r}: the table has seats 1 to {self._table.seats}, got {area!r}"
                )

    def _wagered(self, where: str, event: Event) -> None:
        """A wager at an area that nobody knows would be passed over, and its player be accused of having made none."""
        if self._areas is None or not isinstance(event, WAGER_EVENTS) or event.area in self._areas:
            return
        group = group_of(event.area)
        near = sorted(area for area in self._areas if group_of(area) == group) or sorted(self._areas)[:8]
        raise EventError(
            f"{where}: field 'area': chips are wagered at {event.area!r}, which the layout {self._table.layout} lacks; "
            f"it has {', '.join(near)}"
        )

    def _named(self, where: str, event: Event) -> None:
        """A system's wager by a name that nobody knows would be passed over, and what is paid for it be said to be paid for none."""
        if not isinstance(event, (ElectronicWagerAccepted, BonusPaid, *OF_WHOLE_WAGERS)):
            return
        known = names_of_system(self._table.game, event.kind)
        if event.wager not in known:
            game = game_law(self._table.game).title
            raise EventError(
                f"{where}: field 'wager': {event.kind} names {event.wager!r}, which {game} does not have; it has {', '.join(known)}"
            )

    def _forget(self, now_s: float) -> None:
        """Keep what a line within the allowed lateness could still meet."""
        if len(self._lines) > 20_000:
            self._lines = {text: n for text, n in list(self._lines.items())[-10_000:]}
        if len(self._cards) > 20_000:
            self._cards = {key: value for key, value in self._cards.items() if key[2] >= now_s - LATE_S}
